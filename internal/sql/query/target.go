package query

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/trace"
)

// SetLoop is a set-returning function in FROM, which is a loop.
type SetLoop struct {
	// Either the elements of array, or the integers from..to.
	Array    ir.Expr
	From, To ir.Expr
	Elem     string // the local with the element
	Ordinal  string // the local with the position
}

// negativeLimit is the SQLSTATE of a negative LIMIT.
const negativeLimit = "2201W"

// Repeats says that two rows of the tables of a query agree in some columns.
func (q *Query) Repeats(cols []int) ir.Expr {
	twin := func(e ir.Expr) ir.Expr { return e }
	var sources []ir.Source
	var same ir.Expr
	for _, s := range q.From {
		t := ir.Source{Table: s.Table, Row: q.Place.RowName(s.Row + "_again")}
		before := twin
		twin = func(e ir.Expr) ir.Expr { return RenameRow(before(e), s.Row, t.Row) }
		sources = append(sources, s, t)
		for _, k := range s.Table.Key {
			name := s.Table.Columns[k].Name
			same = ir.AndE(same, ir.Op(ir.Eq, &ir.Col{Row: s.Row, Col: name}, &ir.Col{Row: t.Row, Col: name}))
		}
	}
	where := ir.NotE(same)
	if q.Where != nil {
		where = ir.AndE(q.Where, twin(q.Where), where)
	}
	for _, c := range cols {
		where = ir.AndE(where, ir.Op(ir.Eq, q.Targets[c].Expr, twin(q.Targets[c].Expr)))
	}
	return &ir.Exists{Query: ir.Query{From: sources, Where: where}}
}

// Target opens the table that an INSERT, UPDATE or DELETE writes: x gets a
// level with it.
func (x *Place) Target(r *pg.RangeVar) (*Place, *expr.RowSource) {
	t := x.TableOf(r)
	y := x.Inner()
	alias := syntax.AliasOf(r)
	s := x.source(t, alias, y.RowName(alias))
	y.Levels[len(y.Levels)-1].Sources = []*expr.RowSource{s}
	return y, s
}

// JoinSelf drops the sources of FROM or USING that are the row that is written, without a lock if stays says no.
func (q *Query) JoinSelf(stays func(ir.Source) bool) {
	t := q.Target
	for i := len(q.From) - 1; i >= 0; i-- {
		src := q.From[i]
		locked := slices.ContainsFunc(q.inner, func(i *innerLocks) bool { return i.q.Locks.Of(src.Row) >= ir.ForShare })
		if src.Table != t.Table.IR || !sameRow(src.Table, t.Row, src.Row, q.Where) || !locked && stays(src) {
			continue
		}
		q.Place.Draft.Applied(trace.JoinSelf, q.Place.Draft.Cur)
		q.From = slices.Delete(slices.Clone(q.From), i, i+1)
		q.again = schema.Without(q.again, func(s ir.Source) bool { return s == src })
		conds := ir.Conjuncts(q.Where)
		q.Where = nil
		for _, c := range conds {
			c = RenameRow(c, src.Row, t.Row)
			if eq, ok := c.(*ir.Binary); !ok || eq.Op != ir.Eq || !isKeyOf(t, eq.X, eq.Y) {
				q.Where = ir.AndE(q.Where, c)
			}
		}
		for _, s := range q.Level.Sources {
			for k := range s.Cols {
				s.Cols[k].Expr = RenameRow(s.Cols[k].Expr, src.Row, t.Row)
			}
			if s.Row == src.Row {
				s.Row = t.Row
			}
		}
	}
	if len(q.again) > 0 {
		q.Place.Unmodelled("SKIP LOCKED in FROM or USING, for other rows than those that are written")
	}
}

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
