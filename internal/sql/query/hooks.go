package query

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// at is the place of an expression in the queries of x.
func (x *Place) at(s *expr.Spot) *Place {
	if s == &x.Spot {
		return x
	}
	y := *x
	y.Spot, y.Queries = *s, &y
	return &y
}

// Subquery implements Queries.
func (x *Place) Subquery(s *expr.Spot, e *pg.SubLink) expr.Val { return x.at(s).subLink(e) }

// Condition implements Queries.
func (x *Place) Condition(s *expr.Spot, e *pg.SubLink, m expr.Mode) ir.Expr {
	return x.at(s).subCondition(e, m)
}

// ArrayCondition implements Queries.
func (x *Place) ArrayCondition(s *expr.Spot, e *pg.A_Expr, m expr.Mode) ir.Expr {
	y := x.at(s)
	if s := syntax.ArrayQuery(e); s != nil && syntax.SkipsLocked(s) && m == expr.Truth && y.Deriver == nil && y.Draft != nil {
		return y.anySkipping(y.Expr(e.Lexpr), s, e.Location, m, true)
	} else if s != nil && syntax.IsLimited(s) { // the rows are the same as those of IN
		link := &pg.SubLink{SubLinkType: pg.SubAny, Testexpr: e.Lexpr, OperName: e.Name, Subselect: pg.Inner(e.Rexpr).(*pg.SubLink).Subselect, Location: e.Location}
		return y.subCondition(link, m)
	}
	return nil
}

// Aggregate implements Queries.
func (x *Place) Aggregate(s *expr.Spot, e *pg.FuncCall, name string) expr.Val {
	return x.at(s).aggregate(e, name)
}

// Window implements Queries.
func (x *Place) Window(s *expr.Spot, e *pg.FuncCall, name string) expr.Val {
	y := x.at(s)
	if v, ok := y.windowValue(e, name); ok {
		return v
	}
	return y.windowCall(e, name)
}

// Derived implements Queries.
func (x *Place) Derived() bool { return x.Deriver != nil }

// Alone implements Queries.
func (x *Place) Alone() expr.Queries {
	y := x.Copy()
	y.agg, y.win = nil, nil
	return y
}
