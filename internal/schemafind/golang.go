package schemafind

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/ir"
)

var (
	embedLine = regexp.MustCompile(`(?m)^//go:embed[ \t]+(.+)$`)
	// ddl is how a string with DDL begins.
	ddl = regexp.MustCompile(`(?is)^(\s|--[^\n]*\n|/\*.*?\*/)*(create\s+(unlogged\s+)?(table|index|unique|type|domain|extension|sequence|function|procedure|trigger|view|or\s+replace)|alter\s+table)\b`)
)

// inGo are calls that make tables out of Go, of which nothing is known. With a
// kind they matter where that is chosen.
var inGo = []struct {
	kind Kind
	call *regexp.Regexp
	what string
}{
	{Goose, regexp.MustCompile(`\bgoose\.(AddMigration|AddNamedMigration|NewGoMigration)\w*\(`), "migrations that are written in Go (goose)"},
	{"", regexp.MustCompile(`\.AutoMigrate\(`), "tables of this schema that are also made from types (AutoMigrate)"},
	{"", regexp.MustCompile(`\.Schema\.Create\(`), "tables that are made from types (Schema.Create)"},
}

// goFiles looks for what Go files embed, and for DDL in their strings.
func (m *module) goFiles(ctx context.Context) error {
	byDir := map[string]*Candidate{}
	for _, name := range m.golang {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text := string(data)
		for _, line := range embedLine.FindAllStringSubmatch(text, -1) {
			m.embeds(filepath.Dir(name), line[1])
		}
		for _, g := range inGo {
			if g.call.MatchString(text) && !m.aside(name) {
				m.gaps = append(m.gaps, gap{g.kind, ir.Note{Pos: ir.Pos{File: name}, Text: g.what + " are not followed: constraints that they make are not known"}})
			}
		}
		if tableDecl.MatchString(text) {
			dir := filepath.Dir(name)
			if byDir[dir] == nil {
				byDir[dir] = &Candidate{Kind: GoStrings, Path: dir}
			}
			byDir[dir].addStrings(name, text)
		}
	}
	for i := range m.candidates { // those of sqlc
		c := &m.candidates[i]
		c.Embedded = slices.ContainsFunc(c.Files, func(f File) bool { return m.embedded[f.Name] })
	}
	for _, dir := range sortedKeys(byDir) {
		c := byDir[dir]
		c.Dialect = m.dialect(dir, group{files: c.Files})
		if slices.ContainsFunc(c.Files, func(f File) bool { return createsTable(f.Text) }) {
			m.candidates = append(m.candidates, *c)
		}
	}
	return nil
}

// embeds notes the SQL files that the patterns after //go:embed match.
func (m *module) embeds(dir, patterns string) {
	var list []string
	for rest := strings.TrimSpace(patterns); rest != ""; rest = strings.TrimSpace(rest) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			word, after, _ := strings.Cut(rest, " ")
			list, rest = append(list, word), after
			continue
		}
		if word, err := strconv.Unquote(quoted); err == nil {
			list = append(list, word)
		}
		rest = rest[len(quoted):]
	}
	for _, pattern := range list {
		pattern = strings.TrimPrefix(pattern, "all:")
		for sub, files := range m.sql {
			for _, f := range files {
				rel, err := filepath.Rel(dir, f.Name)
				if err != nil || strings.HasPrefix(rel, "..") {
					continue
				}
				// A pattern matches the file, or a directory that it is in.
				for at := filepath.ToSlash(rel); at != "."; at = path.Dir(at) {
					if ok, err := path.Match(pattern, at); err == nil && ok || pattern == "." {
						m.embedded[filepath.Join(sub, filepath.Base(f.Name))] = true
					}
				}
			}
		}
	}
}

// addStrings adds what is DDL in the strings of a Go file, in its place, and ends
// each with a semicolon.
func (c *Candidate) addStrings(name, text string) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		c.note(ir.Pos{File: name}, "this file is no Go, so that its strings are not looked into: %v", err)
		return
	}
	out := []byte(blank(text))
	some := false
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	ast.Inspect(f, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		parts, whole := literals(e)
		if len(parts) == 0 {
			return true
		}
		first, err := strconv.Unquote(parts[0].Value)
		if err != nil || !ddl.MatchString(first) {
			return true
		}
		q := &quotes{}
		for i, lit := range parts {
			at := offset(lit.Pos())
			value := q.inPlace(lit.Value)
			whole = whole && value != nil && (i == 0 || !q.glued(parts[i-1].Value, lit.Value))
			if whole {
				copy(out[at:], value)
			}
		}
		if !whole {
			copy(out[offset(e.Pos()):offset(e.End())], blank(text[offset(e.Pos()):offset(e.End())]))
			at := fset.PositionFor(e.Pos(), false)
			c.note(ir.Pos{File: name, Line: at.Line, Col: at.Column}, "DDL that is put together of parts is left out: constraints that it makes are not known")
			return false
		}
		some = true
		out[offset(e.End())-1] = ';'
		return false
	})
	if some {
		c.Files = append(c.Files, File{Name: name, Text: string(out)})
	}
}

// literals gives the string constants of a sum; whole says that it has nothing
// else.
func literals(e ast.Expr) (parts []*ast.BasicLit, whole bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			return []*ast.BasicLit{e}, true
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			x, xs := literals(e.X)
			y, ys := literals(e.Y)
			return append(x, y...), xs && ys
		}
	case *ast.ParenExpr:
		return literals(e.X)
	}
	return nil, false
}

// quotes follows the quotes of SQL through string constants of Go: open is the
// quote that is open, or 0; comment says that a comment is.
type quotes struct {
	open    byte
	comment bool
}

// inPlace gives the value of a string constant with everything in its place:
// spaces stand for the quotes of Go and for what an escape is longer than what it
// stands for. Since lines do not end where \n is any more, comments become spaces,
// too. What would change a text or name of SQL gives nil.
func (q *quotes) inPlace(lit string) []byte {
	raw := lit[0] == '`'
	if q.open != 0 || q.comment && raw {
		return nil
	}
	out := []byte(lit)
	out[0], out[len(out)-1] = ' ', ' '
	from := 0 // where the last comment begins
	for i := 1; i < len(out)-1; i++ {
		c := out[i]
		switch {
		case q.comment:
			if raw && c == '\n' || !raw && c == '\\' && out[i+1] == 'n' {
				q.comment = false
			}
			if !raw && c == '\\' {
				out[i], out[i+1] = ' ', ' '
				i++
			}
			if !raw {
				out[i] = ' '
			}
		case c == '\\' && !raw:
			switch e := out[i+1]; {
			case e == '"' && q.open == '"':
				out[i], out[i+1], q.open = '"', ' ', 0
			case e == '"' && q.open == 0:
				out[i], q.open = ' ', '"'
			case strings.IndexByte("ntr", e) >= 0 && q.open == 0:
				out[i], out[i+1] = ' ', ' '
			default:
				return nil
			}
			i++
		case q.open != 0:
			if c == q.open {
				q.open = 0
			}
		case c == '\'' || c == '"':
			q.open = c
		case c == '-' && out[i+1] == '-':
			q.comment, from = true, i
			if !raw {
				out[i] = ' '
			}
		}
	}
	if q.open != 0 && !raw {
		return nil
	}
	if q.comment && raw { // nothing ends it but the string
		copy(out[from:], blank(string(out[from:])))
	}
	return out
}

// glued reports whether the end of one constant and the beginning of the next are
// parts of one text or word.
func (q *quotes) glued(before, next string) bool {
	inWord := func(c byte) bool {
		return c == '_' || c >= 0x80 || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
	}
	return len(before) > 2 && len(next) > 2 && inWord(before[len(before)-2]) && inWord(next[1])
}
