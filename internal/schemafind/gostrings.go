package schemafind

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/migration"
)

var (
	// someDDL matches texts that may have some.
	someDDL = regexp.MustCompile(`(?i)\b(create|alter|drop)\s+[a-z]`)
	// declares matches the beginning of a statement that declares something, undoes
	// that of one that removes it.
	declares = regexp.MustCompile(`(?i)^(create\s+(or\s+replace\s+)?(unlogged\s+|unique\s+|materialized\s+|recursive\s+|constraint\s+|default\s+)*` +
		`(table|index|type|domain|extension|sequence|function|procedure|aggregate|operator|trigger|view|rule|policy|schema|cast|collation)` +
		`|alter\s+(table|index|type|domain|sequence|function|procedure|view|materialized|trigger|policy|schema|extension))\b`)
	removes = regexp.MustCompile(`(?i)^drop\s+(table|index|type|domain|sequence|function|procedure|aggregate|operator|trigger|view|materialized|rule|policy|schema|extension|cast)\b`)
	// runs matches a block of code that may declare something.
	runs = regexp.MustCompile(`(?is)^do\b.*\b(create|alter|drop|execute)\b`)
	// statement is how a text of SQL begins.
	statement = regexp.MustCompile(`(?i)^(create|alter|drop|insert|update|delete|select|with|truncate|merge|do|begin|start|commit|lock|set|call|comment|grant|revoke|analyze|analyse|vacuum|reindex|copy|refresh)\b`)
	// undoing matches the name of what undoes a migration.
	undoing = regexp.MustCompile(`(^|_)(down|undo|rollback|revert|teardown)($|[A-Z_0-9])|(Down|Undo|Rollback|RollBack|Revert|Teardown|TearDown)($|[A-Z_0-9])`)
	// migrating matches the names of files, packages and declarations in which
	// tables are removed for good.
	migrating = regexp.MustCompile(`(?i)migrat|schema|ddl|upgrad`)
	// registering matches the name of a function that gets what applies a migration,
	// and then what undoes it.
	registering = regexp.MustCompile(`(?i)regist|migration`)
)

// isDDL reports whether a text is SQL that declares something. One that only
// removes things does, too, if that is what it is for (removal).
func isDDL(text string, removal bool) bool {
	text = strings.TrimSpace(bare(text))
	if !statement.MatchString(text) {
		return false
	}
	if runs.MatchString(text) {
		return true
	}
	for s := range strings.SplitSeq(text, ";") {
		if s = strings.TrimSpace(s); declares.MatchString(s) || removal && removes.MatchString(s) {
			return true
		}
	}
	return false
}

// goStrings takes the DDL out of the strings of a Go file.
type goStrings struct {
	c    *Candidate
	name string
	text string
	fset *token.FileSet
	// removal says that what only removes things is DDL, too.
	removal bool
	// out is what was found, in its place.
	out  []byte
	some bool
	// parts are files of their own, for what is applied in another order than that of the text.
	parts []File
}

// addStrings adds what is DDL in the strings of a Go file, in its place, and ends
// each with a semicolon. What undoes a migration, by its name, is left out. What
// only removes things is taken for a part of the schema where the names of the
// package, the file or the declaration say that it is about that: elsewhere it
// cleans up after something.
func (c *Candidate) addStrings(name, text string) {
	g := &goStrings{c: c, name: name, text: text, fset: token.NewFileSet(), out: []byte(migration.Blank(text))}
	f, err := parser.ParseFile(g.fset, name, text, parser.SkipObjectResolution)
	if err != nil {
		c.note(ir.Pos{File: name}, "this file is no Go, so that its strings are not looked into: %v", err)
		return
	}
	about := migrating.MatchString(filepath.Base(name)) || migrating.MatchString(filepath.Base(filepath.Dir(name))) || migrating.MatchString(f.Name.Name)
	for _, d := range f.Decls {
		g.removal = about
		if d, ok := d.(*ast.FuncDecl); ok {
			g.removal = g.removal || migrating.MatchString(d.Name.Name)
		}
		ast.Inspect(d, g.visit)
	}
	if g.some {
		c.Files = append(c.Files, File{Name: name, Text: string(g.out)})
	}
	c.Files = append(c.Files, g.parts...)
}

// maxParts bounds the elements of a map that are files of their own.
const maxParts = 500

// inOrder takes the DDL out of the elements of a map of migrations, whose keys end in numbers, in the order of these. It
// reports whether the literal is such a map, and not in this order already.
func (g *goStrings) inOrder(m *ast.CompositeLit) bool {
	type element struct {
		n    int
		expr ast.Expr
	}
	var list []element
	for _, e := range m.Elts {
		kv, ok := e.(*ast.KeyValueExpr)
		if !ok {
			return false
		}
		key, ok := kv.Key.(*ast.BasicLit)
		if !ok {
			return false
		}
		digits := lastNumber.FindString(strings.Trim(key.Value, "\"`"))
		n, err := strconv.Atoi(digits)
		if err != nil {
			return false
		}
		list = append(list, element{n, kv.Value})
	}
	byNumber := func(a, b element) int { return cmp.Compare(a.n, b.n) }
	if len(list) > maxParts || slices.IsSortedFunc(list, byNumber) {
		return false
	}
	slices.SortStableFunc(list, byNumber)
	out, some := g.out, g.some
	for _, e := range list {
		g.out, g.some = []byte(migration.Blank(g.text)), false
		ast.Inspect(e.expr, g.visit)
		if g.some {
			g.parts = append(g.parts, File{Name: g.name, Text: string(g.out)})
		}
	}
	g.out, g.some = out, some
	return true
}

// lastNumber is the number that a key ends in.
var lastNumber = regexp.MustCompile(`[0-9]+$`)

// visit looks at a node of the syntax tree, and reports whether to look into it.
func (g *goStrings) visit(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.CompositeLit:
		if g.inOrder(n) {
			return false
		}
	case *ast.FuncDecl:
		return !undoing.MatchString(n.Name.Name)
	case *ast.ValueSpec:
		g.removal = g.removal || slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return migrating.MatchString(id.Name) })
		return !slices.ContainsFunc(n.Names, func(id *ast.Ident) bool { return undoing.MatchString(id.Name) })
	case *ast.KeyValueExpr:
		id, ok := n.Key.(*ast.Ident)
		return !ok || !undoing.MatchString(id.Name)
	case *ast.AssignStmt:
		id, ok := n.Lhs[0].(*ast.Ident)
		return !ok || !undoing.MatchString(id.Name)
	case *ast.CallExpr:
		if last := len(n.Args) - 1; last > 0 && registers(n) {
			for _, a := range n.Args[:last] {
				ast.Inspect(a, g.visit)
			}
			return false
		}
	}
	e, ok := n.(ast.Expr)
	return !ok || g.expr(e)
}

// registers reports whether a call gets two functions, of which the second one
// undoes what the first one does.
func registers(call *ast.CallExpr) bool {
	name := ""
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	last := len(call.Args) - 1
	_, up := call.Args[last-1].(*ast.FuncLit)
	_, down := call.Args[last].(*ast.FuncLit)
	return up && down && registering.MatchString(name)
}

// expr takes the text out of an expression, and reports whether to look into it.
func (g *goStrings) expr(e ast.Expr) bool {
	parts, whole := literals(e)
	if len(parts) == 0 {
		return true
	}
	var value strings.Builder
	for _, lit := range parts {
		s, err := strconv.Unquote(lit.Value)
		if err != nil {
			return true
		}
		value.WriteString(s)
	}
	if !isDDL(value.String(), g.removal) {
		return true
	}
	offset := func(p token.Pos) int { return g.fset.Position(p).Offset }
	from, to := offset(e.Pos()), offset(e.End())
	q := &quotes{}
	for i, lit := range parts {
		at := offset(lit.Pos())
		value := q.inPlace(lit.Value)
		whole = whole && value != nil && (i == 0 || !q.glued(parts[i-1].Value, lit.Value))
		if whole {
			copy(g.out[at:], value)
		}
	}
	if !whole {
		copy(g.out[from:to], migration.Blank(g.text[from:to]))
		at := g.fset.PositionFor(e.Pos(), false)
		g.c.note(ir.Pos{File: g.name, Line: at.Line, Col: at.Column}, "DDL that is put together of parts is left out: constraints that it makes are not known")
		return false
	}
	g.some = true
	g.out[to-1] = ';'
	return false
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
		copy(out[from:], migration.Blank(string(out[from:])))
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
