package analyzer

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// contextValue is a context.Context that holds a value: parent with v for key. The
// one without a parent holds nothing.
type contextValue struct{ parent, key, v value }

// lookInContext gives what a context holds for a key.
func (in *interp) lookInContext(ctx, key value, t types.Type) value {
	for {
		c, ok := unbox(ctx).(*contextValue)
		switch {
		case !ok:
			in.emitValue(key)
			return in.fresh(t, "value", unknown)
		case c.parent == nil:
			return scalar{client.C(ir.Null), client.Any}
		}
		equal, known := sameKey(c.key, key)
		switch {
		case !known && in.holds(c, isLive):
			return &handle{kind: either, site: in.site, lost: true}
		case !known:
			return in.fresh(t, "value", unknown)
		case equal:
			return c.v
		}
		ctx = c.parent
	}
}

// sameKey reports whether two keys of a context are equal, if that is known.
func sameKey(a, b value) (equal, known bool) {
	x, ok := a.(box)
	y, also := b.(box)
	switch {
	case !ok || !also:
		return false, false
	case !types.Identical(x.t, y.t):
		return false, true
	case same(x, y):
		return true, true
	}
	c, ok := constOf(x.v)
	d, also := constOf(y.v)
	return false, ok && also && c != d
}

// blind takes the contexts out of the arguments of a function that does not get at
// what they hold: it has nothing to do with the database.
func blind(args []value) []value {
	out := slices.Clone(args)
	for i, a := range out {
		if _, ok := unbox(a).(*contextValue); ok {
			out[i] = &contextValue{}
		}
	}
	return out
}

// inherit makes the contexts that a call of something else gives hold what the one
// among its arguments holds, as with context.WithCancel.
func inherit(t types.Type, result value, args []value) value {
	var from *contextValue
	for _, a := range args {
		if c, ok := unbox(a).(*contextValue); ok {
			from = c
		}
	}
	if from == nil || from.parent == nil {
		return result
	}
	if t, ok := t.(*types.Tuple); ok {
		list, ok := result.(tuple)
		for i := 0; ok && i < t.Len(); i++ {
			if isNamed(t.At(i).Type(), "context", "Context") {
				list[i] = from
			}
		}
		return result
	}
	if t != nil && isNamed(t, "context", "Context") {
		return from
	}
	return result
}
