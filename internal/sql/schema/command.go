package schema

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// SqlStatements gives the statements of a LANGUAGE sql function.
func (f *Function) SqlStatements() ([]syntax.SQLStatement, *syntax.Text) {
	var out []syntax.SQLStatement
	if f.Atomic != nil {
		for _, n := range f.Atomic {
			if n == nil || pg.Inner(n) == nil {
				continue
			}
			out = append(out, syntax.SQLStatement{Tree: syntax.StatementTree(n), Node: n, Pos: f.Text.Src.StatementAt(f.Text.Offset(pg.Start(n)))})
		}
		return out, f.Text
	}
	toks, _ := pg.Scan(f.BodyText.SQL)
	for _, raw := range f.Sql {
		at := int(raw.StmtLocation)
		for _, t := range toks {
			if t.Kind != pg.Comment && t.Start >= at {
				at = t.Start
				break
			}
		}
		out = append(out, syntax.SQLStatement{Tree: pg.Inner(raw.Stmt), Node: raw.Stmt, Pos: f.BodyText.Pos(at)})
	}
	return out, f.BodyText
}
