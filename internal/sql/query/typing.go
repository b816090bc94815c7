package query

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Types binds a query for the types of the parameters in it, and gives its columns. Each part is
// bound by itself: what cannot be bound tells nothing, and keeps no other part from it.
func (x *Place) Types(s *pg.SelectStmt) (cols []expr.Column) {
	y := x.Typing()
	y.TypesOfWith(s.WithClause)
	if s.Op != pg.SetOpNone && s.Op != 0 || len(s.ValuesLists) > 0 {
		if s.Larg != nil {
			y.Types(s.Larg)
			y.Types(s.Rarg)
		}
		y.Bound(func() { cols = y.settled(s).Cols })
		return cols
	}
	q := NewDerived(y.Inner())
	q.lockOf = syntax.LockModesOf(s, ir.NoLock)
	q.Place.PerRow = false
	q.TypesOfFrom(s.FromClause, s.WhereClause)
	q.Place.win = &window{named: s.WindowClause}
	g := &grouping{in: q.Place, row: q.Place.RowName("grouped")}
	if len(s.GroupClause) > 0 || s.HavingClause != nil || syntax.HasAggregates(s.TargetList) || syntax.HasAggregates(syntax.SortKeys(s)) {
		q.Place = q.Place.Copy()
		q.Place.agg, q.Place.win = g, nil
	}
	for _, n := range s.TargetList {
		if !y.Bound(func() { q.AddTarget(pg.Inner(n).(*pg.ResTarget)) }) {
			q.Targets = append(q.Targets, expr.Column{}) // nothing is known of it, not even a name
		}
	}
	y.Bound(func() { q.Sort(s) })
	y.Bound(func() { g.keys(q, s.GroupClause) })
	q.TypesOf(syntax.Conjuncts(s.HavingClause))
	y.Bound(func() { q.distinct(s, &ir.Project{}, nil) })
	q.TypesOfLimit(y, s)
	return q.Targets
}

// Typing is x for the binding of types, which computes nothing.
func (x *Place) Typing() *Place {
	y := x.Copy()
	if y.Deriver == nil {
		y.Deriver = x.NewDeriver()
	}
	y.held, y.pushed = true, ir.NoLock
	return y
}

// Bound binds a part of a statement, and reports whether that can be done.
func (x *Place) Bound(part func()) bool {
	_, ok := x.Draft.Attempt(func() {
		if load.FaultIn(part) != nil { // it is told of where the statement is translated
			x.Unmodelled("a fault")
		}
	})
	return ok
}

// TypesOfFrom is Types for FROM and WHERE.
func (q *Query) TypesOfFrom(from []*pg.Node, where *pg.Node) {
	for _, n := range from {
		q.Place.Bound(func() { q.item(n) })
	}
	q.TypesOf(syntax.Conjuncts(where))
}

// TypesOf is Types for conditions.
func (q *Query) TypesOf(conditions []*pg.Node) {
	for _, c := range conditions {
		if c == nil {
			continue
		}
		q.Place.Bound(func() { q.Place.Boolean(c, expr.Truth) })
	}
}

// TypesOfLimit is Types for LIMIT and OFFSET, which x is around.
func (q *Query) TypesOfLimit(x *Place, s *pg.SelectStmt) {
	x.Bound(func() { x.number(s.LimitCount, "LIMIT") })
	x.Bound(func() { x.number(s.LimitOffset, "OFFSET") })
}

// TypesOfWith is Types for the queries of WITH, and brings them into scope.
func (x *Place) TypesOfWith(w *pg.WithClause) {
	if w == nil {
		return
	}
	for _, n := range w.Ctes {
		c := pg.Inner(n).(*pg.CommonTableExpr)
		if sel, ok := pg.Inner(c.Ctequery).(*pg.SelectStmt); ok {
			x.Types(sel)
			x.Bound(func() { x.with(&pg.WithClause{Ctes: []*pg.Node{n}}) })
			continue
		}
		var rows expr.RowSink
		g := *x.Frame
		g.Ctes = x.Ctes
		x.Bound(func() {
			x.Draft.Runs.Command(&g, x.Text, pg.Inner(c.Ctequery), x.Pos(x.At(c.Ctequery)), expr.Sink{Kind: expr.IntoRows, Rows: &rows})
		})
		x.Ctes = &ctes{name: c.Ctename, up: x.Ctes, make: func(*Place) *Derived {
			d := &Derived{Rel: &ir.Given{Cols: rows.Shape()}, Cols: append([]expr.Column{}, rows.Cols...)}
			rename(d, syntax.Names(c.Aliascolnames))
			return d
		}}
	}
}
