package consteval

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/txrobust/robust/internal/client"
)

// part gives the address of a field or element.
func (r *run) part(x Value, i int64) Value {
	switch p := x.(type) {
	case pointer:
		if i < 0 || i >= int64(len(p.to.parts)) {
			panic(giveUp{})
		}
		return pointer{p.to.parts[i]}
	case Nil:
		panic(dead{})
	}
	return Unknown{}
}

func (r *run) indexAddr(f *frame, v *ssa.IndexAddr) Value {
	x := r.value(f, v.X)
	i, known := r.value(f, v.Index).(int64)
	if !known {
		hide(x)
		return Unknown{}
	}
	switch x := x.(type) {
	case *slice:
		if i < 0 || i >= int64(x.n) {
			panic(dead{})
		}
		return pointer{x.of.elems[i]}
	case Nil:
		panic(dead{})
	}
	return r.part(x, i)
}

// element gives a field or element of a value.
func element(x Value, i int64) Value {
	if a, ok := x.(aggregate); ok && i >= 0 && i < int64(len(a)) {
		return a[i]
	}
	hide(x)
	return Unknown{}
}

// index gives an element of an array, or a byte of a text.
func (r *run) index(x, at Value) Value {
	i, known := at.(int64)
	if !known {
		hide(x)
		return Unknown{}
	}
	s, ok := x.(string)
	if !ok {
		return element(x, i)
	}
	if lead := cutHole(s); i < int64(len(lead)) && i >= 0 {
		return int64(s[i])
	} else if len(lead) == len(s) {
		panic(dead{})
	}
	return Unknown{}
}

// slice is x[low:high] of texts and slices; of slices, only from the start.
func (r *run) slice(f *frame, v *ssa.Slice) Value {
	x := r.value(f, v.X)
	low, high := Value(int64(0)), Value(nil)
	if v.Low != nil {
		low = r.value(f, v.Low)
	}
	if v.High != nil {
		high = r.value(f, v.High)
	}
	switch x := x.(type) {
	case string:
		return cut(x, low, high)
	case pointer: // of an array
		if x.to.parts != nil {
			if s := head(v, &slice{&array{x.to.parts}, len(x.to.parts)}, high); s != nil {
				return s
			}
		}
	case *slice:
		if s := head(v, x, high); s != nil {
			return s
		}
	case Nil:
		return x
	}
	hide(x)
	return Unknown{}
}

// head is x[:high], nil if it is something else.
func head(v *ssa.Slice, x *slice, high Value) *slice {
	if v.Low != nil || v.Max != nil {
		return nil
	}
	if v.High == nil {
		return x
	}
	if n, ok := high.(int64); ok && n >= 0 && n <= int64(x.n) {
		return &slice{x.of, int(n)}
	}
	return nil
}

// cut is a part of a text.
func cut(s string, low, high Value) Value {
	lo, ok := low.(int64)
	if !ok {
		return client.Hole
	}
	lead := int64(len(cutHole(s)))
	switch hi, known := high.(int64); {
	case lo < 0 || lead == int64(len(s)) && (lo > lead || known && (hi > lead || hi < lo)):
		panic(dead{})
	case known && lo <= hi && hi <= lead:
		return s[lo:hi]
	case high == nil && lo <= lead:
		return s[lo:]
	}
	return client.Hole
}

// convert changes the type of a value.
func convert(x Value, v *ssa.Convert) Value {
	to, isBasic := v.Type().Underlying().(*types.Basic)
	switch x := x.(type) {
	case int64:
		switch {
		case isBasic && to.Info()&types.IsInteger != 0:
			return wrap(x, v.Type())
		case isBasic && to.Info()&types.IsString != 0:
			return string(rune(x))
		}
	case string:
		if isBasic && to.Info()&types.IsString != 0 {
			return x
		}
	}
	hide(x)
	return Unknown{}
}

// wrap keeps an integer if its type has it for sure: overflow is not followed.
func wrap(i int64, t types.Type) Value {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return Unknown{}
	}
	bits := map[types.BasicKind]int{types.Int8: 7, types.Uint8: 8, types.Int16: 15, types.Uint16: 16}
	n, small := bits[b.Kind()]
	if !small {
		n = 31
	}
	low := -(int64(1) << n)
	if b.Info()&types.IsUnsigned != 0 {
		low = 0
	}
	if i < low || i >= int64(1)<<n {
		return Unknown{}
	}
	return i
}
