package absint

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/analyzer/internal/gotypes"
	"github.com/txrobust/robust/analyzer/internal/memory"
)

// away is where a function puts a value at a place that others look at. If that is the open transaction, they
// may send anything in it.
func away(in *interp, v memory.Value, place string) {
	if holdsOpen(in, v) {
		in.Unknown("a transaction that is put into " + place)
	}
}

// holdsOpen reports whether a value holds the transaction that is written, which is open.
func holdsOpen(in *interp, v memory.Value) bool {
	return in.Trace == nil && in.IsOpen() && in.Holds(v, func(w memory.Value) bool {
		h, ok := w.(*memory.Handle)
		return ok && memory.IsLive(h) && h.Site == in.Site
	})
}

// storedAway is away for a store through an address, whose value is at. What a package variable holds is
// known as long as only functions look at it that are interpreted as a part of this one.
func storedAway(in *interp, addr ssa.Value, at, v memory.Value) {
	if !holdsOpen(in, v) {
		return
	}
	switch addr := addr.(type) {
	case *ssa.Global:
		if in.P.ReadElsewhere(addr, in.Root) {
			away(in, v, "a package variable")
		}
	case *ssa.FieldAddr:
		storedAway(in, addr.X, at, v)
	default:
		if _, known := memory.Unbox(at).(*memory.Pointer); !known {
			away(in, v, "a place that is not known")
		}
	}
}

// keptForCallers says that the transaction which is written goes on where a field of the receiver, or of what
// the callers give, has it: they may send anything in it.
func keptForCallers(in *interp) {
	if in.Site != in.Untraced && in.IsOpen() && memory.KeepsLive(in.Memory) {
		in.Unknown("a transaction that is kept for callers which are not known")
	}
}

// unset gives what a field holds that nobody who was read sets: if it is a transaction, other packages begin it.
func unset(in *interp, v memory.Value, t types.Type, field int) memory.Value {
	h, ok := v.(*memory.Handle)
	s, isStruct := gotypes.Deref(t).Underlying().(*types.Struct)
	if !ok || !isStruct || h.Kind != memory.Transaction || h.Site != "" || in.P.IsProgram() || in.P.SetsField(s.Field(field)) {
		return v
	}
	h = h.As(h.T)
	memory.Lose(in.Memory, h)
	return h
}
