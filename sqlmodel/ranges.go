package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// A range that an expression makes from its two ends is a value like others, of
// which nothing is known. Whether two of them overlap is told from the ends.

// madeRange is a range from lo, which belongs to it, to hi, which does if closed.
// NULL is no end.
type madeRange struct {
	lo, hi val
	closed bool
}

// noteRange remembers what a call of a function makes a range of.
func (x *ex) noteRange(name string, args []val, v val, loc int32) {
	t, ok := schema.RangeBounds[name]
	if !ok || len(args) < 2 || len(args) > 3 {
		return
	}
	r := madeRange{lo: args[0], hi: args[1]}
	if len(args) == 3 {
		bounds, ok := args[2].e.(*ir.Const)
		if r.closed = ok && bounds.Value == ir.Text("[]"); !r.closed && (!ok || bounds.Value != ir.Text("[)")) {
			return
		}
	}
	for _, end := range []*val{&r.lo, &r.hi} {
		if end.t.Name == schema.NUnknown {
			*end = x.literal(*end, t, loc)
		}
		if end.record || end.t.IR.Kind != t.IR.Kind && !(end.t.Numeric() && t.Numeric()) || !end.t.Ordered() {
			return
		}
	}
	if x.l.ranges == nil {
		x.l.ranges = map[ir.Expr]madeRange{}
	}
	x.l.ranges[v.e] = r
}

// rangeOf gives the ends of a value, if it is a range that an expression makes.
func (l *Application) rangeOf(v val) (madeRange, bool) {
	r, ok := l.ranges[v.e]
	return r, ok
}

// overlap is whether two ranges have something in common, if that can be told
// from their ends: each begins before the other ends, and none is empty.
func (x *ex) overlap(a, b val, loc int32) (val, bool) {
	r, ok := x.l.rangeOf(a)
	s, too := x.l.rangeOf(b)
	if !ok || !too {
		return val{}, false
	}
	before := func(lo, hi val, closed bool) ir.Expr { return x.before(lo, hi, closed, loc) }
	return val{e: ir.AndE(before(r.lo, s.hi, s.closed), before(s.lo, r.hi, r.closed), before(r.lo, r.hi, r.closed), before(s.lo, s.hi, s.closed)),
		t: schema.TBool, nn: true}, true
}

// before reports whether one end is before another, or the same if closed; NULL is no end.
func (x *ex) before(lo, hi val, closed bool, loc int32) ir.Expr {
	op := "<"
	if closed {
		op = "<="
	}
	var open ir.Expr
	for _, end := range []val{lo, hi} {
		if !end.nn {
			open = ir.OrE(open, &ir.Unary{Op: ir.IsNull, X: end.e})
		}
	}
	return ir.OrE(open, x.compare(op, lo, hi, loc).e)
}

// inOrder is whether none of the ranges ends before it begins, which is an error; nil for those
// that a client gives, which are taken to be ranges, and in the conditions of a schema.
func (x *ex) inOrder(loc int32, ranges ...val) ir.Expr {
	var out ir.Expr
	for _, v := range ranges {
		if r, ok := x.l.rangeOf(v); ok && x.b != nil && !x.isGivenRange(v) {
			out = ir.AndE(out, x.before(r.lo, r.hi, true, loc))
		}
	}
	return out
}

// isGivenRange reports whether v is a range of which a client gives the ends.
func (x *ex) isGivenRange(v val) bool {
	_, is := x.l.rangeOf(v)
	return is && x.b != nil && x.b.isGiven(v.e)
}
