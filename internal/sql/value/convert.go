package value

import (
	"math/big"
	"slices"

	"github.com/txrobust/robust/ir"
)

// FromText is the function that reads a text as a value of a type without its
// modifier: its input function. It fails for texts that are none.
func FromText(t *Type) *ir.Function { return throughText(Of("text"), t.base()) }

// ToText is the function that gives the text of a value in a cast.
func ToText(t *Type) *ir.Function {
	return ownCast(t, Of("text"), func(a []ir.Value) (ir.Value, error) {
		s, known := t.asText(a[0])
		if !known {
			return ir.Null, ir.ErrNotKnown
		}
		return newText(s)
	})
}

// Stored is the function that makes a value of the same type, without a modifier,
// fit its modifier, as an assignment does: numbers and times are rounded, texts that
// are too long are an error unless blanks are too many.
func Stored(t *Type) *ir.Function { return orSame(Coerce(t, false)) }

// Cast is the function that makes a value of the same type, without a modifier, fit
// its modifier, as an explicit cast does: texts that are too long are cut.
func Cast(t *Type) *ir.Function { return orSame(Coerce(t, true)) }

// same is the function that leaves a value as it is.
var same = &ir.Function{Name: "same", Strict: true, Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) { return a[0], nil }}

func orSame(f *ir.Function) *ir.Function {
	if f == nil {
		return same
	}
	return f
}

// Padded is the function that takes the padding of char(n) away, which is no part of
// its values.
var Padded = relabeled(Of("text"), Of("bpchar"))

// Rank is the function that gives the place of a label in its enum, from 0.
func Rank(t *Type) *ir.Function {
	name := "rank " + t.key()
	return interned(name, func() *ir.Function {
		return &ir.Function{Name: name, Strict: true, Eval: evalOf(pure(func(a []ir.Value) ir.Value {
			return ir.Int(int64(slices.Index(t.Labels, a[0].S)))
		}), []*Type{t})}
	})
}

// Digits gives how many digits after the point a value of the type can have; false
// if that is not known.
func (t *Type) Digits() (int, bool) {
	if _, _, isInt := IntRange(t.Name); isInt {
		return 0, true
	}
	return t.Scale, t.Name == "numeric" && t.Precision > 0
}

// DigitsOf gives the digits after the point of a number; false if it has no end.
func DigitsOf(r *big.Rat) (int, bool) { return r.FloatPrec() }
