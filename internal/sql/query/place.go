package query

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
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
	// OneRow says that each of these that writes gives one row at most, which locals take.
	OneRow bool
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

// aggCall is an aggregate with the local that will hold its result.
type aggCall struct {
	Agg   ir.Agg
	Local string
}

// Inner gives the translator for a query inside of x.
func (x *Place) Inner() *Place {
	y := x.Copy()
	y.Levels = append(append([]*expr.Level{}, x.Levels...), &expr.Level{})
	y.agg, y.win = nil, nil
	y.PerRow, y.Tid, y.pushed, y.held, y.Fetched, y.Sure = true, false, ir.NoLock, false, FetchedSome, nil
	return y
}
