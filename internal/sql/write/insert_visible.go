package write

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// returnedRow is the row variable that stands for an inserted row in what RETURNING computes before the row is there.
const returnedRow = "\x00returned"

// look finds out what the statement looks at of what it writes, and computes the items of RETURNING that see the tables as they were
// before the statement.
func (i *inserter) look(events int32) {
	b := i.b
	parts := partsOf(i.s.WithClause, i.s.SelectStmt)
	if c := i.s.OnConflictClause; c != nil {
		parts = append(parts, partsOf(nil, c.WhereClause, c.TargetList)...)
	}
	b.looksAhead(i.tab, schema.AddsRows, events, false, parts...)
	if c := i.s.OnConflictClause; c != nil && b.sightOf(c).Now.Meets(i.wrote.Tables) {
		b.Unmodelled("a VOLATILE function in ON CONFLICT, %s", hidden)
	}
	if events&schema.OnUpdate != 0 {
		i.twice(parts)
	}
	for _, c := range i.tab.Columns {
		if c.Def != nil && b.App.SightOf(b.App.DeclaredRefs(c.Def.Node, c.Def.Text)).Before.Meets(i.wrote.Tables) {
			b.Unmodelled("the default of column %s, %s", c.Name, hidden)
		}
	}
	if !i.ret() {
		return
	}
	for k, n := range i.s.ReturningClause.Exprs {
		s := b.sightOf(n)
		before, now := s.Before.Meets(i.wrote.Tables), s.Now.Meets(i.wrote.Tables)
		switch {
		case (before || now) && events&schema.OnUpdate != 0:
			b.Unmodelled("RETURNING of ON CONFLICT DO UPDATE, %s", hidden)
		case before && now:
			b.Unmodelled("a subquery and a VOLATILE function in RETURNING, %s", hidden)
		case before:
			i.early[k] = i.beforehand(n)
		}
	}
}

// twice ends the translation of an INSERT … ON CONFLICT DO UPDATE whose values or BEFORE triggers write the table: it is an error to
// update a row for a second time.
func (i *inserter) twice(parts []pg.Message) {
	writer := i.b.App.Tracer()
	for _, g := range i.tab.Triggers {
		if g.Before && g.Events&(schema.OnInsert|schema.OnUpdate) != 0 {
			writer.Add(g.Refs())
		}
	}
	now := i.b.sightOf(parts...).Now
	if writer.Writes && writer.Meets(map[string]bool{i.tab.Name: true}) || now.Writes && now.Meets(map[string]bool{i.tab.Name: true}) {
		i.b.Unmodelled("ON CONFLICT DO UPDATE of a table that a function or trigger of the same statement writes")
	}
}

// beforehand computes an item of RETURNING as far as it does not depend on the inserted row.
func (i *inserter) beforehand(n *pg.Node) []expr.Column {
	y := i.x.Copy()
	src := expr.TableSource(i.tab, syntax.AliasOf(i.s.Relation), returnedRow)
	y.Levels = append(append([]*expr.Level{}, y.Levels...), &expr.Level{Sources: []*expr.RowSource{src}})
	q := query.NewQuery(y)
	q.AddTarget(pg.Inner(n).(*pg.ResTarget))
	for k, c := range q.Targets {
		if ir.HasExists(c.Expr) {
			if !expr.RowFree(c.Expr, map[string]bool{}) {
				i.b.Unmodelled("a subquery in RETURNING that depends on the row, %s", hidden)
			}
			local := i.b.Local(c.Name, c.Type)
			i.b.Emit(&ir.Assign{At: expr.At(i.pos), Var: local, Expr: c.Expr})
			q.Targets[k].Expr = ir.V(local)
		}
	}
	return q.Targets
}

// filled puts an inserted row into what was computed before it.
func (i *inserter) filled(cols []expr.Column, row *expr.RowSource) []expr.Column {
	out := append([]expr.Column{}, cols...)
	for k, c := range out {
		out[k].Expr = ir.MapExpr(c.Expr, func(e ir.Expr) ir.Expr {
			if col, ok := e.(*ir.Col); ok && col.Row == returnedRow {
				return row.Col(col.Col).Expr
			}
			return e
		})
	}
	return out
}

// seesBefore reports whether an item of several rows of VALUES looks at what the statement writes, as it was before. A VOLATILE function
// sees the rows before its own, but not yet what triggers do that run after all rows.
func (i *inserter) seesBefore(n *pg.Node) bool {
	s := i.b.sightOf(n)
	before, now := s.Before.Meets(i.wrote.Tables), s.Now.Meets(i.wrote.Tables)
	if before && now {
		i.b.Unmodelled("a subquery and a VOLATILE function in one value, %s", hidden)
	}
	if now {
		for _, g := range i.tab.Triggers {
			if !g.Before && g.Events&schema.OnInsert != 0 && s.Now.Meets(i.b.App.EffectOf(g.Refs()).Tables) {
				i.b.Unmodelled("a VOLATILE function that looks at what trigger %s writes", g.Name)
			}
		}
	}
	return before
}

// kept computes a value now.
func (i *inserter) kept(a assignment) assignment {
	if ir.HasExists(a.v.Expr) {
		local := i.b.Local(a.column, a.v.Type)
		i.b.Emit(&ir.Assign{At: expr.At(i.pos), Var: local, Expr: a.v.Expr})
		a.v.Expr = ir.V(local)
	}
	return a
}
