package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// dynamic translates EXECUTE of a constant command: it sees no variables but
// those of USING, as $1, $2 and so on, and does not set FOUND.
func (b *builder) dynamic(f *frame, query plpgsql.Span, using []plpgsql.Span) (g *frame, tree any, t *syntax.Text) {
	t, ok := schema.ConstantCommand(f.text, query)
	if !ok {
		b.unmodelled("EXECUTE of a command that is put together when it runs")
	}
	stmts, err := t.Parse()
	if err != nil { // only found when it runs
		b.unmodelled("EXECUTE of a command that has a %s", err.(*ir.Error).Msg)
	}
	if len(stmts) != 1 {
		b.unmodelled("EXECUTE of several commands")
	}
	g = &frame{fn: f.fn, text: t, sqlLang: true, scope: &scope{vars: map[string]*variable{}}, result: f.result, rowcount: f.rowcount, outs: f.outs}
	x := b.ex(f, f.text)
	for _, span := range using {
		v := b.value(f, span)
		if v.record {
			b.unmodelled("a row in USING")
		}
		v = x.defaultType(v)
		g.inputs = append(g.inputs, &variable{bound: v.e, t: v.t, nn: v.nn})
	}
	return g, pg.Inner(stmts[0].Stmt), t
}

// executeStmt is EXECUTE as a statement.
func (b *builder) executeStmt(f *frame, s *plpgsql.Execute, pos ir.Pos) {
	g, tree, t := b.dynamic(f, s.Query, s.Using)
	to, store := sink{}, func() {}
	if s.Into != nil {
		to, store = b.into(f, s.Into, pos)
		to.whole = true
	}
	b.command(g, t, tree, pos, to)
	store()
}
