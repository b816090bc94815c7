package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
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
		b.unmodelled("a VOLATILE function in ON CONFLICT, %s", hidden)
	}
	if events&schema.OnUpdate != 0 {
		i.twice(parts)
	}
	for _, c := range i.tab.Columns {
		if c.Def != nil && b.l.SightOf(b.l.DeclaredRefs(c.Def.Node, c.Def.Text)).Before.Meets(i.wrote.Tables) {
			b.unmodelled("the default of column %s, %s", c.Name, hidden)
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
			b.unmodelled("RETURNING of ON CONFLICT DO UPDATE, %s", hidden)
		case before && now:
			b.unmodelled("a subquery and a VOLATILE function in RETURNING, %s", hidden)
		case before:
			i.early[k] = i.beforehand(n)
		}
	}
}

// twice ends the translation of an INSERT … ON CONFLICT DO UPDATE whose values or BEFORE triggers write the table: it is an error to
// update a row for a second time.
func (i *inserter) twice(parts []pg.Message) {
	writer := i.b.l.Tracer()
	for _, g := range i.tab.Triggers {
		if g.Before && g.Events&(schema.OnInsert|schema.OnUpdate) != 0 {
			writer.Add(g.Refs())
		}
	}
	now := i.b.sightOf(parts...).Now
	if writer.Writes && writer.Meets(map[string]bool{i.tab.Name: true}) || now.Writes && now.Meets(map[string]bool{i.tab.Name: true}) {
		i.b.unmodelled("ON CONFLICT DO UPDATE of a table that a function or trigger of the same statement writes")
	}
}

// beforehand computes an item of RETURNING as far as it does not depend on the inserted row.
func (i *inserter) beforehand(n *pg.Node) []colDef {
	y := *i.x
	src := tableSource(i.tab, syntax.AliasOf(i.s.Relation), returnedRow)
	y.levels = append(append([]*level{}, y.levels...), &level{sources: []*rowSource{src}})
	q := &query{in: &y, level: y.levels[len(y.levels)-1], atMost: -1}
	q.addTarget(pg.Inner(n).(*pg.ResTarget))
	for k, c := range q.targets {
		if ir.HasExists(c.e) {
			if !rowFree(c.e, map[string]bool{}) {
				i.b.unmodelled("a subquery in RETURNING that depends on the row, %s", hidden)
			}
			local := i.b.local(c.name, c.t)
			i.b.emit(&ir.Assign{At: at(i.pos), Var: local, Expr: c.e})
			q.targets[k].e = ir.V(local)
		}
	}
	return q.targets
}

// filled puts an inserted row into what was computed before it.
func (i *inserter) filled(cols []colDef, row *rowSource) []colDef {
	out := append([]colDef{}, cols...)
	for k, c := range out {
		out[k].e = ir.MapExpr(c.e, func(e ir.Expr) ir.Expr {
			if col, ok := e.(*ir.Col); ok && col.Row == returnedRow {
				return row.col(col.Col).e
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
		i.b.unmodelled("a subquery and a VOLATILE function in one value, %s", hidden)
	}
	if now {
		for _, g := range i.tab.Triggers {
			if !g.Before && g.Events&schema.OnInsert != 0 && s.Now.Meets(i.b.l.EffectOf(g.Refs()).Tables) {
				i.b.unmodelled("a VOLATILE function that looks at what trigger %s writes", g.Name)
			}
		}
	}
	return before
}

// kept computes a value now.
func (i *inserter) kept(a assignment) assignment {
	if ir.HasExists(a.v.e) {
		local := i.b.local(a.column, a.v.t)
		i.b.emit(&ir.Assign{At: at(i.pos), Var: local, Expr: a.v.e})
		a.v.e = ir.V(local)
	}
	return a
}
