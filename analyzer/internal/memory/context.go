package memory

import (
	"cmp"
	"go/types"
	"slices"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// LookInContext gives what a context holds for a key.
func (in *Memory) LookInContext(ctx, key Value, t types.Type) Value {
	held := ""
	for {
		c, ok := Unbox(ctx).(*ContextValue)
		if ok && c.Call != "" {
			held = c.Call
		}
		switch {
		case !ok, c.Parent == nil && held != "":
			in.EmitValue(key)
			v := in.Fresh(t, "value", Unknown)
			if held == "" {
				held = holder(in, ctx)
			}
			hold(in, v, held)
			return v
		case c.Parent == nil:
			return Scalar{client.C(ir.Null), client.Any}
		case c.Key == nil:
			ctx = c.Parent
			continue
		}
		equal, known := SameKey(c.Key, key)
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

// hold records, in a trace, who holds the value of a variable.
func hold(in *Memory, v Value, held string) {
	if s, ok := v.(Scalar); ok && in.Tracing {
		if x, ok := s.E.(*client.VarExpr); ok {
			in.held[x.Name] = held
		}
	}
}

// HeldBy says who holds a value, in a trace; "" if that is not recorded.
func HeldBy(in *Memory, v Value) string {
	if s, ok := Unbox(v).(Scalar); ok {
		if x, ok := s.E.(*client.VarExpr); ok {
			return in.held[x.Name]
		}
	}
	return ""
}

// holder says who holds what is in a context of which nothing is known.
func holder(in *Memory, ctx Value) string {
	if s, ok := Unbox(ctx).(Scalar); ok && in.Given(s.E) {
		return HeldByCaller
	}
	return HeldSomewhere
}

// FromHeld makes what a type assertion gives of a value of which nothing is known a handle that somebody holds,
// in a trace.
func FromHeld(in *Memory, v, of Value) Value {
	h, ok := v.(*Handle)
	if !ok || !in.Tracing {
		return v
	}
	out := *h
	out.Held = cmp.Or(HeldBy(in, of), HeldSomewhere)
	out.Lost = out.Lost && out.Held != HeldByCaller
	return &out
}

// HeldIn makes the handles in a value what a context holds, in a trace.
func HeldIn(in *Memory, v, ctx Value) {
	held := ""
	for {
		c, ok := Unbox(ctx).(*ContextValue)
		if !ok {
			break
		}
		held = cmp.Or(c.Call, held)
		if ctx = c.Parent; ctx == nil {
			break
		}
	}
	if held == "" && ctx != nil {
		held = holder(in, ctx)
	}
	if held == "" || held == HeldByCaller {
		return
	}
	in.Holds(v, func(w Value) bool {
		if h, ok := w.(*Handle); ok {
			h.Held = held
		}
		return false
	})
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
