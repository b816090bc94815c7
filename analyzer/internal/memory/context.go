package memory

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// LookInContext gives what a context holds for a key.
func (in *Memory) LookInContext(ctx, key Value, t types.Type) Value {
	for {
		c, ok := Unbox(ctx).(*ContextValue)
		switch {
		case !ok:
			in.EmitValue(key)
			return in.Fresh(t, "value", Unknown)
		case c.Parent == nil:
			return Scalar{client.C(ir.Null), client.Any}
		case c.Key == nil:
			ctx = c.Parent
			continue
		}
		equal, known := sameKey(c.Key, key)
		switch {
		case !known && in.Holds(c, IsLive):
			return &Handle{Kind: Either, Site: in.Site, Lost: true}
		case !known:
			return in.Fresh(t, "value", Unknown)
		case equal:
			return c.V
		}
		ctx = c.Parent
	}
}

// Blind takes the contexts out of the arguments of a function that does not get at
// what they hold: it has nothing to do with the database.
func Blind(args []Value) []Value {
	out := slices.Clone(args)
	for i, a := range out {
		if _, ok := Unbox(a).(*ContextValue); ok {
			out[i] = &ContextValue{}
		}
	}
	return out
}

// Inherit makes the contexts that a call of something else gives hold what the one
// among its arguments holds, as with context.WithCancel.
func Inherit(t types.Type, result Value, args []Value) Value {
	var from *ContextValue
	for _, a := range args {
		if c, ok := Unbox(a).(*ContextValue); ok {
			from = c
		}
	}
	if from == nil || from.Parent == nil {
		return result
	}
	from = &ContextValue{Parent: from, Ends: true}
	if t, ok := t.(*types.Tuple); ok {
		list, ok := result.(Tuple)
		for i := 0; ok && i < t.Len(); i++ {
			if gotypes.IsContext(t.At(i).Type()) {
				list[i] = from
			}
		}
		return result
	}
	if t != nil && gotypes.IsContext(t) {
		return from
	}
	return result
}

// Ends gives the contexts whose end is the end of one, the nearest first: those that may end by themselves.
func Ends(ctx Value) (list []Value) {
	for {
		c, ok := Unbox(ctx).(*ContextValue)
		if !ok {
			return append(list, ctx)
		}
		if c.Parent == nil || c.Lasts {
			return list
		}
		if c.Ends {
			list = append(list, c)
		}
		ctx = c.Parent
	}
}

// EndsWith reports whether a context has ended wherever another one has.
func EndsWith(ctx, other Value) bool {
	ends := Ends(other)
	return len(ends) == 0 || slices.ContainsFunc(Ends(ctx), func(c Value) bool { return Same(c, ends[0]) })
}

// Within gives the same handle for statements with a context, nil for that which it has.
func (h *Handle) Within(ctx Value) *Handle {
	if ctx == nil || IsNilValue(Unbox(ctx)) {
		return h
	}
	out := *h
	out.Ctx = ctx
	return &out
}
