package query

import (
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// Place is where an expression stands, together with the queries around it.
type Place struct {
	expr.Spot
	// agg, if not nil, takes the aggregate calls.
	agg aggregator
	// Deriver is the derivation that the expression belongs to, if it belongs to one,
	// win what its window functions look at, Ctes the WITH queries in scope, and
	// Depth the number of queries around.
	Deriver *deriver
	win     *window
	Ctes    *ctes
	Depth   int
	// writes says that the WITH queries are those of a statement that writes.
	writes bool
	// Parts is what the WITH queries of the statement write, nil if they write nothing.
	Parts *Parts
	// pushed is the lock that a query around this one puts on its rows. held says that
	// that one sees to all locks. viewing are the views in the definitions of which it is.
	pushed  ir.LockMode
	Fetched fetched
	held    bool
	viewing []*schema.View
}

// NewPlace makes the place of an expression that no query is around.
func NewPlace(s expr.Spot) *Place {
	p := &Place{Spot: s}
	p.Queries = p
	return p
}

// NewApplication makes what queries are translated for.
func NewApplication(l *load.Loader) *expr.Application {
	return &expr.Application{Loader: l, Queries: &Place{}}
}

// Copy gives another place, which can be changed.
func (x *Place) Copy() *Place {
	y := *x
	y.Queries = &y
	return &y
}

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
	if s := arrayQuery(e); s != nil && skipsLocked(s) && m == expr.Truth && y.Deriver == nil && y.Draft != nil {
		return y.anySkipping(y.Expr(e.Lexpr), s, e.Location, m, true)
	} else if s != nil && limited(s) { // the rows are the same as those of IN
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
	return x.at(s).windowCall(e, name)
}

// Derived implements Queries.
func (x *Place) Derived() bool { return x.Deriver != nil }

// Alone implements Queries.
func (x *Place) Alone() expr.Queries {
	y := x.Copy()
	y.agg, y.win = nil, nil
	return y
}

// aggregator takes the aggregate calls of a query: over sees the rows, aggregate
// gives what stands for the result.
type aggregator interface {
	over() *Place
	aggregate(agg ir.Agg, base string, t schema.Type) ir.Expr
}

// PlaceIn makes the place of an expression in the text t of a frame.
func PlaceIn(b *expr.Draft, f *expr.Frame, t *syntax.Text) *Place {
	p := NewPlace(expr.Spot{App: b.App, Draft: b, Frame: f, Text: t})
	p.Ctes, _ = f.Ctes.(*ctes)
	return p
}

// ofTid gives the place for an expression that is compared with a ctid.
func (x *Place) ofTid() *Place {
	y := x.Copy()
	y.Tid = true
	return y
}
