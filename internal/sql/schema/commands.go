package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Callable writes the name by which sessions call a function, with its schema where the name alone may mean
// another one; overloaded says that the name has several functions.
func (l *Schema) Callable(f *Function) (name string, overloaded bool) {
	found, sure := l.Late.Functions(f.Own())
	overloaded = len(l.Declarations.functionsIn(f.Schema(), f.Own(), Now)) > 1
	said := l.Late.leadsTo(f.Schema()) && (f.Schema() == syntax.PublicSchema || slices.Contains(l.Prog.SearchPath, f.Schema()))
	sure = sure && said
	for _, g := range found {
		sure = sure && g.Schema() == f.Schema()
	}
	if sure && slices.Contains(found, f) {
		return quote.Ident(f.Own()), overloaded
	}
	return quote.Ident(f.Schema()) + "." + quote.Ident(f.Own()), overloaded
}

// CastTo writes a cast, "" where the type is that of a column.
func (l *Schema) CastTo(t *pg.TypeName, in *syntax.Text) string {
	if t == nil || t.PctType {
		return ""
	}
	name, array := strings.CutSuffix(syntax.TypeSpelling(t), "[]")
	if u := l.Sees(in).Typ(syntax.Qualified(syntax.Names(t.Names))); u != nil && u.Schema() != syntax.PublicSchema {
		name = syntax.Qualified([]string{u.Schema(), u.Own()})
	}
	name = "::" + quote.Name(name)
	if array {
		name += "[]"
	}
	return name
}

// StatementSpan gives where a statement stands in a text, without the comments before
// it.
func StatementSpan(t *syntax.Text, raw *pg.RawStmt) (from, to int) {
	from, to = int(raw.StmtLocation), len(t.SQL)
	if raw.StmtLen > 0 {
		to = from + int(raw.StmtLen)
	}
	for {
		rest := strings.TrimLeft(t.SQL[from:to], " \t\r\n;")
		from = to - len(rest)
		switch {
		case strings.HasPrefix(rest, "--"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				return to, to
			}
			from += n
		case strings.HasPrefix(rest, "/*"):
			from += syntax.BlockComment(rest)
		default:
			return from, from + len(strings.TrimRight(rest, " \t\r\n;"))
		}
	}
}
