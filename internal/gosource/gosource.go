package gosource

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Edit puts Text in the place of the bytes from At to End of a file, counted from 0.
type Edit struct {
	File    string
	At, End int
	Text    string
}

// Position is a place in a file, with line and column counted from 1, the column in bytes.
type Position struct {
	File      string
	Line, Col int
}

// Source is the Go files of a program. The zero Source has none.
type Source struct {
	files []*File
	texts map[*File][]*Text
}

// File is a file of Go.
type File struct {
	Name, Text string

	fset *token.FileSet
	tree *ast.File
}

// Parser parses files, each text once.
type Parser struct{ known map[[2]string]*File }

// Add parses a file and adds it to a source. A file that cannot be parsed is left out: it has no texts.
func (p *Parser) Add(s *Source, name, text string) {
	f, ok := p.known[[2]string{name, text}]
	if !ok {
		f = &File{Name: name, Text: text, fset: token.NewFileSet()}
		tree, err := parser.ParseFile(f.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err == nil {
			f.tree = tree
		}
		if p.known == nil {
			p.known = map[[2]string]*File{}
		}
		p.known[[2]string{name, text}] = f
	}
	if f.tree != nil {
		s.files = append(s.files, f)
	}
}

// File gives the file with a name, nil if there is none.
func (s *Source) File(name string) *File {
	if i := slices.IndexFunc(s.files, func(f *File) bool { return f.Name == name }); i >= 0 {
		return s.files[i]
	}
	return nil
}

// offset is the byte of a position of the tree.
func (f *File) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// call gives the call whose function has its name at a position: f in f(), m in x.m().
func (f *File) call(at Position) (found *ast.CallExpr) {
	ast.Inspect(f.tree, func(n ast.Node) bool {
		c, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		name := c.Fun
		if i, ok := name.(*ast.IndexExpr); ok {
			name = i.X
		}
		if sel, ok := name.(*ast.SelectorExpr); ok {
			name = sel.Sel
		}
		if p := f.fset.Position(name.Pos()); p.Line == at.Line && p.Column == at.Col {
			found = c
		}
		return true
	})
	return found
}

// function gives the innermost function with a body around a place, nil outside of all.
func (f *File) function(at token.Pos) (body *ast.BlockStmt, typ *ast.FuncType) {
	ast.Inspect(f.tree, func(n ast.Node) bool {
		if n == nil || at < n.Pos() || n.End() <= at {
			return false
		}
		switch n := n.(type) {
		case *ast.FuncDecl:
			body, typ = n.Body, n.Type
		case *ast.FuncLit:
			body, typ = n.Body, n.Type
		}
		return true
	})
	return body, typ
}

// Texts gives the texts with the value that the call at a position sends. Those in the call come
// first, then those of constants and variables that it names, then those of the function around
// it; where there is none of these, all texts with that value in the program count. Only the
// nearest are given: they are several if nothing tells them apart.
func (s *Source) Texts(at Position, value string) []*Text {
	f := s.File(at.File)
	if f == nil {
		return nil
	}
	call := f.call(at)
	if call == nil {
		return s.withValue(value, func(*Text) bool { return true })
	}
	named := map[string]bool{}
	for _, a := range call.Args {
		ast.Inspect(a, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				named[id.Name] = true
			}
			return true
		})
	}
	body, _ := f.function(call.Pos())
	within := func(t *Text, n ast.Node) bool { return t.file == f && n.Pos() <= t.from && t.to <= n.End() }
	for _, near := range []func(*Text) bool{
		func(t *Text) bool { return within(t, call) },
		func(t *Text) bool { return body != nil && named[t.name] && within(t, body) },
		func(t *Text) bool {
			return named[t.name] && path.Dir(filepath.ToSlash(t.file.Name)) == path.Dir(filepath.ToSlash(f.Name))
		},
		func(t *Text) bool { return named[t.name] },
		func(t *Text) bool { return body != nil && within(t, body) },
	} {
		if list := s.withValue(value, near); len(list) > 0 {
			return list
		}
	}
	return s.withValue(value, func(*Text) bool { return true })
}

func (s *Source) withValue(value string, is func(*Text) bool) (out []*Text) {
	for _, f := range s.files {
		for _, t := range s.textsOf(f) {
			if t.Value == value && is(t) {
				out = append(out, t)
			}
		}
	}
	return out
}

// Text is a constant string of the source.
type Text struct {
	Value string

	file     *File
	name     string // of the constant, variable or field that it is the value of, or ""
	from, to token.Pos
	parts    []part
}

// part is a literal of a text, or (places nil) a constant in it: it gives the value from byte start on.
type part struct {
	start  int
	value  string
	places []int // the offset in the file of each byte of the value, and of its end
	raw    bool
}

// textsOf gives the texts of a file, the whole of each.
func (s *Source) textsOf(f *File) []*Text {
	if list, ok := s.texts[f]; ok {
		return list
	}
	var list []*Text
	add := func(name string, e ast.Expr) bool {
		t := &Text{file: f, name: name, from: e.Pos(), to: e.End()}
		if !s.read(t, e) || t.Value == "" {
			return false
		}
		list = append(list, t)
		return true
	}
	ast.Inspect(f.tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, e := range n.Values {
				if i < len(n.Names) {
					add(n.Names[i].Name, e)
				}
			}
		case *ast.AssignStmt:
			for i, e := range n.Rhs {
				if len(n.Lhs) == len(n.Rhs) {
					add(lastName(n.Lhs[i]), e)
				}
			}
		case *ast.KeyValueExpr:
			add(lastName(n.Key), n.Value)
		case *ast.ImportSpec:
			return false
		case ast.Expr:
			known := slices.ContainsFunc(list, func(t *Text) bool { return t.from <= n.Pos() && n.End() <= t.to })
			switch n.(type) {
			case *ast.BasicLit, *ast.BinaryExpr:
				return !known && !add("", n)
			}
		}
		return true
	})
	if s.texts == nil {
		s.texts = map[*File][]*Text{}
	}
	s.texts[f] = list
	return list
}

// lastName is the name of a variable or field.
func lastName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// read adds an expression to a text, and reports whether it is constant.
func (s *Source) read(t *Text, e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return s.read(t, e.X)
	case *ast.BinaryExpr:
		return e.Op == token.ADD && s.read(t, e.X) && s.read(t, e.Y)
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return false
		}
		p := part{start: len(t.Value), raw: e.Value[0] == '`'}
		p.value, p.places = places(e.Value, t.file.offset(e.Pos()))
		t.Value += p.value
		t.parts = append(t.parts, p)
		return true
	case *ast.Ident:
		value, ok := s.constant(t.file, e.Name)
		if ok {
			t.parts = append(t.parts, part{start: len(t.Value), value: value})
			t.Value += value
		}
		return ok && len(t.parts) > 1 // a name alone is no text of its own
	}
	return false
}

// constant gives the value of the only constant with a name that a package declares as one literal.
func (s *Source) constant(in *File, name string) (value string, ok bool) {
	found := 0
	for _, f := range s.files {
		if path.Dir(filepath.ToSlash(f.Name)) != path.Dir(filepath.ToSlash(in.Name)) {
			continue
		}
		ast.Inspect(f.tree, func(n ast.Node) bool {
			spec, is := n.(*ast.ValueSpec)
			if !is {
				return true
			}
			for i, id := range spec.Names {
				if id.Name != name {
					continue
				}
				found++
				if i < len(spec.Values) {
					if lit, is := spec.Values[i].(*ast.BasicLit); is && lit.Kind == token.STRING {
						value, ok = constant.StringVal(constant.MakeFromLiteral(lit.Value, token.STRING, 0)), true
					}
				}
			}
			return true
		})
	}
	return value, ok && found == 1
}

// places gives the value of a literal at a byte of a file, and the byte from which each byte of the
// value comes, and where it ends.
func places(lit string, at int) (value string, of []int) {
	raw := lit[0] == '`'
	var b strings.Builder
	rest := lit[1 : len(lit)-1]
	for here := at + 1; rest != ""; {
		text, after := rest[:1], rest[1:]
		switch {
		case raw && text == "\r": // Go drops it
			text = ""
		case !raw:
			c, multibyte, tail, err := strconv.UnquoteChar(rest, '"')
			if err != nil {
				return "", nil // the parser would have refused it
			}
			if text, after = string([]byte{byte(c)}), tail; multibyte && c >= utf8.RuneSelf {
				text = string(c)
			}
		}
		for range len(text) {
			of = append(of, here)
		}
		b.WriteString(text)
		here += len(rest) - len(after)
		rest = after
	}
	return b.String(), append(of, at+len(lit)-1)
}

// Replace puts sql in the place of the bytes from at to end of the value. It gives false where
// these stand in several literals, or where the literal cannot hold the text.
func (t *Text) Replace(at, end int, sql string) (Edit, bool) {
	for _, p := range t.parts {
		from, to := at-p.start, end-p.start
		// An insertion between two literals goes to the end of the first one.
		if p.places == nil || from < 0 || to > len(p.value) || from == 0 && at == end && p.start > 0 && t.ends(p.start) {
			continue
		}
		text := sql
		if p.raw && strings.Contains(text, "`") {
			return Edit{}, false
		}
		if !p.raw {
			quoted := strconv.Quote(oneLine(text))
			text = quoted[1 : len(quoted)-1]
		}
		return Edit{t.file.Name, p.places[from], p.places[to], text}, true
	}
	return Edit{}, false
}

// ends reports whether a literal ends before a byte of the value.
func (t *Text) ends(at int) bool {
	return slices.ContainsFunc(t.parts, func(p part) bool { return p.places != nil && p.start+len(p.value) == at })
}

// oneLine gives a text with a blank in the place of each line break and the blanks behind it.
func oneLine(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines[1:] {
		lines[i+1] = strings.TrimLeft(lines[i+1], " \t")
	}
	return strings.Join(lines, " ")
}
