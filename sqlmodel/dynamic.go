package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// dynamic translates EXECUTE of a constant command: it sees no variables but
// those of USING, as $1, $2 and so on, and does not set FOUND.
func (b *Routine) dynamic(f *query.Frame, queryName plpgsql.Span, using []plpgsql.Span) (g *query.Frame, tree any, t *syntax.Text) {
	t, ok := schema.ConstantCommand(f.Text, queryName)
	if !ok {
		b.Unmodelled("EXECUTE of a command that is put together when it runs")
	}
	stmts, err := t.Parse()
	if err != nil { // only found when it runs
		b.Unmodelled("EXECUTE of a command that has a %s", err.(*ir.Error).Msg)
	}
	if len(stmts) != 1 {
		b.Unmodelled("EXECUTE of several commands")
	}
	g = &query.Frame{Func: f.Func, Text: t, SqlLang: true, Scope: &query.Scope{Vars: map[string]*query.Variable{}}, Result: f.Result, Rowcount: f.Rowcount, Outs: f.Outs}
	x := b.Ex(f, f.Text)
	for _, span := range using {
		v := b.value(f, span)
		if v.Record {
			b.Unmodelled("a row in USING")
		}
		v = x.DefaultType(v)
		g.Inputs = append(g.Inputs, &query.Variable{Bound: v.Expr, Type: v.Type, NotNull: v.NotNull})
	}
	return g, pg.Inner(stmts[0].Stmt), t
}

// executeStmt is EXECUTE as a statement.
func (b *Routine) executeStmt(f *query.Frame, s *plpgsql.Execute, pos ir.Pos) {
	g, tree, t := b.dynamic(f, s.Query, s.Using)
	to, store := query.Sink{}, func() {}
	if s.Into != nil {
		to, store = b.into(f, s.Into, pos)
		to.Whole = true
	}
	b.Command(g, t, tree, pos, to)
	store()
}
