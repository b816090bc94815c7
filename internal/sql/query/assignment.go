package query

import (
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// SetValue gives the value of one SET item.
func (y *Place) SetValue(c *schema.Column, r *pg.ResTarget, multi map[*pg.Node][]expr.Val) expr.Val {
	switch e := pg.Inner(r.Val).(type) {
	case *pg.SetToDefault:
		return y.DefaultOf(c, y.Pos(r.Location))
	case *pg.MultiAssignRef: // (a, b) = (…)
		vs, ok := multi[e.Source]
		if !ok {
			vs = y.multiValues(e.Source, r.Location)
			multi[e.Source] = vs
		}
		if int(e.Ncolumns) != len(vs) {
			y.Fail(r.Location, "%d columns are set to %d values", e.Ncolumns, len(vs))
		}
		return vs[e.Colno-1]
	}
	return y.Expr(r.Val)
}

// multiValues gives the values of a row or of a subquery with several columns.
func (y *Place) multiValues(n *pg.Node, loc int32) []expr.Val {
	switch e := pg.Inner(n).(type) {
	case *pg.RowExpr:
		var out []expr.Val
		for _, a := range y.Expanded(e.Args) {
			if _, isDefault := pg.Inner(a).(*pg.SetToDefault); isDefault {
				y.Unmodelled("DEFAULT in a row of values")
			}
			out = append(out, y.Expr(a))
		}
		return out
	case *pg.SubLink:
		sel, ok := pg.Inner(e.Subselect).(*pg.SelectStmt)
		if !ok {
			break
		}
		q := y.uncorrelated(sel)
		SkipRows(y.Draft, q, y.Pos(loc), true)
		y.lockSub(q, y.Pos(loc))
		if len(q.From) == 0 || q.Limit != nil && q.AtMost != 1 {
			y.Unmodelled("this form of subquery in SET")
		}
		if len(q.Aggs) > 0 {
			y.EmitAggregates(q, y.Pos(loc))
		} else {
			y.oneRow(q, y.Pos(loc))
			y.lockValue(q)
			sel := &ir.Select{At: expr.At(y.Pos(loc)), Query: q.IR(), Order: q.Order, Locks: q.Locks}
			for i, c := range q.Targets {
				local := y.Draft.Local(c.Name, c.Type)
				sel.Into, sel.Cols = append(sel.Into, local), append(sel.Cols, c.Expr)
				q.Targets[i] = expr.Column{Name: c.Name, Expr: ir.V(local), Type: c.Type}
			}
			y.Draft.Emit(sel)
		}
		var out []expr.Val
		for _, c := range q.Targets {
			out = append(out, c.Val())
		}
		return out
	}
	v := y.Expr(n)
	if !v.Record {
		y.Fail(loc, "several columns are set to one value")
	}
	var out []expr.Val
	for _, c := range v.Fields {
		out = append(out, c.Val())
	}
	return out
}
