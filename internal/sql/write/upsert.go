package write

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/schema"
)

// upsertByRow is ON CONFLICT DO UPDATE of a table with row triggers: the row is inserted where
// none is in the way, and else that one is updated, each with its triggers.
func (i *inserter) upsertByRow(stmt *ir.Insert, row *expr.RowSource) {
	b, c := i.b, i.s.OnConflictClause
	if i.many {
		b.Unmodelled("ON CONFLICT DO UPDATE of several rows, with row triggers")
	}
	target := i.conflictTarget(c)
	y, existing := i.x.Target(i.s.Relation)
	y.Levels[len(y.Levels)-1].Sources = append(y.Levels[len(y.Levels)-1].Sources, excludedRow(i.tab))
	b.refuseTriggersOfGenerated(i.tab)
	list := b.sets(y, existing, c.TargetList)
	keepTarget(existing, target, list)
	b.irSets(existing, list) // which refuses keys
	var allowed ir.Expr
	if c.WhereClause != nil {
		allowed = y.Boolean(c.WhereClause, expr.Truth)
	}
	given := func(e ir.Expr) ir.Expr { // over the proposed row
		return ir.MapExpr(e, func(e ir.Expr) ir.Expr {
			if col, ok := e.(*ir.Col); ok && col.Row == ir.Excluded {
				return row.Col(col.Col).Expr
			}
			return e
		})
	}
	for k := range list {
		list[k].v.Expr = given(list[k].v.Expr)
	}
	stmt.Conflict = &ir.Conflict{Target: target, Row: existing.Row}
	stmt.Done = b.Local("was_done", schema.TBool)
	b.Emit(stmt)
	b.Emit(&ir.If{At: expr.At(i.pos), Cond: ir.V(stmt.Done),
		Then: b.Collect(func() {
			b.SetFound(i.f, i.pos, ir.C(ir.Bool(true)), nil)
			if i.ret() {
				i.returning(row, nil, nil)
			}
			i.after(row)
		}),
		Else: b.Collect(func() {
			where := i.met(stmt, existing, row)
			w := &writeQuery{in: i.x.Inner(), where: ir.AndE(where, given(allowed))}
			w.in.Levels[len(w.in.Levels)-1].Sources = []*expr.RowSource{existing}
			if lock := updateLock(i.tab.IR, list); allowed != nil || lock == ir.ForUpdate { // the row is locked before it is looked at
				b.Emit(&ir.Select{At: expr.At(i.pos), Found: b.Local("is_there", schema.TBool), Query: ir.Query{From: []ir.Source{existing.IRSource()}, Where: where},
					Locks: ir.Locks{{Mode: lock}}})
			}
			u := &rowWriter{b: b, f: i.f, w: w, row: existing, set: list, ret: i.s.ReturningClause, pos: i.pos, to: i.to, op: "UPDATE", events: schema.OnUpdate}
			u.write()
		})})
}

// met is the condition that a row is the one in the way of an INSERT.
func (i *inserter) met(stmt *ir.Insert, existing, row *expr.RowSource) ir.Expr {
	var where ir.Expr
	for _, k := range stmt.Conflict.Target {
		c := i.tab.IR.Columns[k]
		where = ir.AndE(where, ir.Op(ir.Eq, &ir.Col{Row: existing.Row, Col: c.Name}, i.keyOf(row, c)))
	}
	for _, u := range i.tab.IR.Uniques {
		if u.Where != nil && ir.SameColumns(u.Columns, stmt.Conflict.Target) {
			i.b.Unmodelled("ON CONFLICT DO UPDATE on a partial index, with row triggers")
		}
	}
	return where
}
