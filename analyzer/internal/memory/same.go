package memory

import (
	"go/types"
	"slices"

	"github.com/txrobust/robust/internal/client"
)

// sameKey reports whether two keys of a context are equal, if that is known.
func sameKey(a, b Value) (equal, known bool) {
	x, ok := a.(Box)
	y, also := b.(Box)
	switch {
	case !ok || !also:
		return false, false
	case !types.Identical(x.T, y.T):
		return false, true
	case Same(x, y):
		return true, true
	}
	c, ok := ConstOf(x.V)
	d, also := ConstOf(y.V)
	return false, ok && also && c != d
}

func sameEntries(a, b *Entries) bool {
	return slices.EqualFunc(a.list, b.list, func(x, y entry) bool {
		return x.Key == y.Key && sameWhen(x.When, y.When) && Same(Unbox(x.V), Unbox(y.V))
	})
}

func AllOf[T any](vals []Value) bool {
	for _, v := range vals {
		if _, ok := v.(T); !ok {
			return false
		}
	}
	return true
}

func allSame(vals []Value) bool {
	for _, v := range vals[1:] {
		if !Same(v, vals[0]) {
			return false
		}
	}
	return true
}

// Same reports whether two values are the same one.
func Same(a, b Value) bool {
	a, b = Unbox(a), Unbox(b)
	switch a := a.(type) {
	case Scalar:
		b, ok := b.(Scalar)
		return ok && SameExpr(a.E, b.E)
	case *Aggregate:
		b, ok := b.(*Aggregate)
		return ok && sameAll(a.Parts, b.Parts)
	case *Pointer:
		b, ok := b.(*Pointer)
		if ok && a.IsNil == client.True && b.IsNil == client.True {
			return true
		}
		return ok && a.To == b.To && SameExpr(a.IsNil, b.IsNil)
	case *List:
		b, ok := b.(*List)
		return ok && a.c == b.c && sameAll(a.Elems, b.Elems)
	case *Grown:
		b, ok := b.(*Grown)
		return ok && SameExpr(a.E, b.E) && SameExpr(a.N, b.N)
	case *Closure:
		b, ok := b.(*Closure)
		return ok && a.Fn == b.Fn && a.Bound == b.Bound && sameAll(a.Free, b.Free)
	case *Failure:
		b, ok := b.(*Failure)
		return ok && a.Kind == b.Kind && a.Wraps == b.Wraps && SameExpr(a.NoRows, b.NoRows) && SameExpr(a.Other, b.Other) && slices.EqualFunc(a.several, b.several, func(f, g *Failure) bool { return Same(f, g) })
	case Tuple:
		b, ok := b.(Tuple)
		return ok && sameAll(a, b)
	case Span:
		return a == b
	case *Entries:
		b, ok := b.(*Entries)
		return ok && sameEntries(a, b)
	case *Dict:
		b, ok := b.(*Dict)
		return ok && a.C == b.C
	case *ContextValue:
		b, ok := b.(*ContextValue)
		return ok && (a == b || a.Parent != nil && b.Parent != nil && Same(a.Parent, b.Parent) && Same(a.Key, b.Key) && Same(a.V, b.V))
	}
	return SameHandle(a, b)
}

func sameAll(a, b []Value) bool {
	return slices.EqualFunc(a, b, Same)
}
