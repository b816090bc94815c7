package expr

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/schema"
)

// Application is what queries are translated for: what an application declares, and what is found
// out while it is translated.
type Application struct {
	*load.Loader
	// Queries translates queries in expressions that stand in no query.
	Queries Queries
	// Dialect is nil for that of PostgreSQL.
	Dialect Dialect
	// ranges are the calls that make a range of two ends.
	ranges map[ir.Expr]madeRange
}

const (
	oneTimeZone    = "all sessions have the time zone UTC"
	canonicalUUIDs = "the program gives UUIDs as the database prints them, in lower case with hyphens"
)

// RowCondition is constraintExpr over other sources.
func (l *Application) RowCondition(e *schema.SQLExpr, sources ...*RowSource) (out ir.Expr, why string) {
	x := &Spot{App: l, Queries: l.Queries, Text: e.Text, Levels: []*Level{{Sources: sources}}, PerRow: true}
	defer func() {
		if r := recover(); r != nil {
			u, is := r.(schema.Unmodelled)
			if !is {
				panic(r)
			}
			out, why = nil, u.Reason
		}
	}()
	return x.Boolean(e.Node, Exact), ""
}

// DomainValue is VALUE in a check of a domain.
func DomainValue(t schema.Type, e ir.Expr) *RowSource {
	return &RowSource{Alias: HiddenAlias, Cols: []Column{{Name: "value", Expr: e, Type: t}}}
}

// RowExpr translates an expression over a row of t; why is what cannot be
// modelled of it, or "".
func (l *Application) RowExpr(t *schema.Table, e *schema.SQLExpr) (v Val, why string) {
	x := &Spot{App: l, Queries: l.Queries, Text: e.Text, Levels: []*Level{{Sources: []*RowSource{TableSource(t, t.Rel.Own(), t.Name)}}}, PerRow: true}
	defer func() {
		if r := recover(); r != nil {
			u, is := r.(schema.Unmodelled)
			if !is {
				panic(r)
			}
			v, why = Val{}, u.Reason
		}
	}()
	return x.DefaultType(x.One(e.Node)), ""
}

// madeRange is a range from lo, which belongs to it, to hi, which does if closed.
// NULL is no end.
type madeRange struct {
	Lo, Hi Val
	closed bool
}

// noteRange remembers what a call of a function makes a range of.
func noteRange(x *Spot, name string, args []Val, v Val, loc int32) {
	t, ok := schema.RangeBounds[name]
	if !ok || len(args) < 2 || len(args) > 3 {
		return
	}
	r := madeRange{Lo: args[0], Hi: args[1]}
	if len(args) == 3 {
		bounds, ok := args[2].Expr.(*ir.Const)
		if r.closed = ok && bounds.Value == ir.Text("[]"); !r.closed && (!ok || bounds.Value != ir.Text("[)")) {
			return
		}
	}
	for _, end := range []*Val{&r.Lo, &r.Hi} {
		if end.Type.Name == schema.NUnknown {
			*end = x.Literal(*end, t, loc)
		}
		if end.Record || end.Type.IR.Kind != t.IR.Kind && !(end.Type.Numeric() && t.Numeric()) || !end.Type.Ordered() {
			return
		}
	}
	if x.App.ranges == nil {
		x.App.ranges = map[ir.Expr]madeRange{}
	}
	x.App.ranges[v.Expr] = r
}

// RangeOf gives the ends of a value, if it is a range that an expression makes.
func (l *Application) RangeOf(v Val) (madeRange, bool) {
	r, ok := l.ranges[v.Expr]
	return r, ok
}

// overlap is whether two ranges have something in common, if that can be told
// from their ends: each begins before the other ends, and none is empty.
func overlap(x *Spot, a, b Val, loc int32) (Val, bool) {
	r, ok := x.App.RangeOf(a)
	s, too := x.App.RangeOf(b)
	if !ok || !too {
		return Val{}, false
	}
	before := func(lo, hi Val, closed bool) ir.Expr { return before(x, lo, hi, closed, loc) }
	return Val{Expr: ir.AndE(before(r.Lo, s.Hi, s.closed), before(s.Lo, r.Hi, r.closed), before(r.Lo, r.Hi, r.closed), before(s.Lo, s.Hi, s.closed)),
		Type: schema.TBool, NotNull: true}, true
}

// before reports whether one end is before another, or the same if closed; NULL is no end.
func before(x *Spot, lo, hi Val, closed bool, loc int32) ir.Expr {
	op := "<"
	if closed {
		op = "<="
	}
	var open ir.Expr
	for _, end := range []Val{lo, hi} {
		if !end.NotNull {
			open = ir.OrE(open, &ir.Unary{Op: ir.IsNull, X: end.Expr})
		}
	}
	return ir.OrE(open, x.Compare(op, lo, hi, loc).Expr)
}

// inOrder is whether none of the ranges ends before it begins, which is an error; nil for those
// that a client gives, which are taken to be ranges, and in the conditions of a schema.
func inOrder(x *Spot, loc int32, ranges ...Val) ir.Expr {
	var out ir.Expr
	for _, v := range ranges {
		if r, ok := x.App.RangeOf(v); ok && x.Draft != nil && !isGivenRange(x, v) {
			out = ir.AndE(out, before(x, r.Lo, r.Hi, true, loc))
		}
	}
	return out
}

// isGivenRange reports whether v is a range of which a client gives the ends.
func isGivenRange(x *Spot, v Val) bool {
	_, is := x.App.RangeOf(v)
	return is && x.Draft != nil && x.Draft.isGiven(v.Expr)
}
