package program

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// embed is how a comment begins that names the file whose text a variable has.
const embed = "//go:embed "

// embedded gives the files of variables that have the text of one file, by where the variables are declared.
// Patterns and quoted names are left out.
func embedded(fset *token.FileSet, files []*ast.File) map[token.Pos]string {
	out := map[token.Pos]string{}
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, s := range g.Specs {
				v := s.(*ast.ValueSpec)
				doc := v.Doc
				if doc == nil && len(g.Specs) == 1 {
					doc = g.Doc
				}
				if name := fileOf(doc); name != "" && len(v.Names) == 1 {
					out[v.Names[0].Pos()] = filepath.Join(filepath.Dir(fset.Position(v.Pos()).Filename), filepath.FromSlash(name))
				}
			}
		}
	}
	return out
}

// FileOf gives the file that a position is in.
func (p *Program) FileOf(pos token.Pos) string { return p.fset.Position(pos).Filename }

// fileOf gives the one name in a comment for a variable, or "".
func fileOf(doc *ast.CommentGroup) string {
	name, lines := "", 0
	if doc == nil {
		return ""
	}
	for _, c := range doc.List {
		if text, ok := strings.CutPrefix(c.Text, embed); ok {
			name, lines = strings.TrimSpace(text), lines+1
		}
	}
	if lines != 1 || strings.ContainsAny(name, "*?[\\\"` \t") {
		return ""
	}
	return name
}

// embeddedText gives the text that a package variable has from a file.
func (p *Program) embeddedText(g *ssa.Global) (*ssa.Const, bool) {
	file, ok := p.embedded[g.Pos()]
	t := g.Type().(*types.Pointer).Elem()
	if b, basic := t.Underlying().(*types.Basic); !ok || !basic || b.Kind() != types.String {
		return nil, false
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, false
	}
	return ssa.NewConst(constant.MakeString(string(text)), t), true
}
