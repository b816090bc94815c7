package value

import (
	"math/big"

	"github.com/txrobust/robust/internal/ir"
)

// ample is the number of digits before the point, or of characters, from which on a type is
// taken to hold what a program computes.
const ample = 6

// Narrow reports whether the type holds numbers of few digits, or short texts. A nil type is not
// narrow.
func (t *Type) Narrow() bool {
	switch {
	case t == nil:
		return false
	case t.Name == "numeric":
		return t.Precision > 0 && t.Precision-t.Scale < ample
	case t.Name == "varchar", t.Name == "bpchar":
		return t.Length > 0 && t.Length < ample
	}
	return t.Name == "int2" || t.Elem.Narrow()
}

// Range gives the bounds between which numbers are that fit the type when they are rounded.
// They are nil for types without bounds.
func (t *Type) Range() (low, high *big.Rat) {
	half := big.NewRat(1, 2)
	if lo, hi, is := IntRange(t.Name); is {
		low, high = new(big.Rat).SetInt64(lo), new(big.Rat).SetInt64(hi)
		return low.Sub(low, half), high.Add(high, half)
	}
	if t.Name != "numeric" || t.Precision == 0 {
		return nil, nil
	}
	high = Power10(t.Precision - t.Scale)
	high.Sub(high, half.Mul(half, Power10(-t.Scale)))
	return new(big.Rat).Neg(high), high
}

// Within reports whether all values of the type fit another one.
func (t *Type) Within(other *Type) bool {
	if low, high := t.Range(); low != nil {
		lo, hi := other.Range()
		return lo != nil && low.Cmp(lo) >= 0 && high.Cmp(hi) <= 0
	}
	return t.Length > 0 && t.Length <= other.Length
}

// Refusing is the same function as one that fits values to a type, where values that do not fit
// matter.
func Refusing(f *ir.Function) *ir.Function {
	return Interned(f.Name+", or an error", func() *ir.Function {
		out := *f
		out.FailsOn = []int{0}
		return &out
	})
}

// Narrowing is the function that refuses values, those that do not fit a narrow type.
func Narrowing(t *Type) *ir.Function {
	name := "the value for " + t.Identifier()
	return Interned(name, func() *ir.Function {
		return &ir.Function{Name: name, Strict: true, FailsOn: []int{0}, Eval: func([]ir.Value, ir.Type) (ir.Value, error) {
			if t.Length > 0 {
				return ir.Null, Failure("22001", "value too long for type %s", t)
			}
			return ir.Null, Failure("22003", "the number does not fit %s", t)
		}}
	})
}

// Narrows reports whether an array may have elements that do not fit those of another one.
func Narrows(from, to *Type) bool {
	return from.Elem != nil && to.Elem.Narrow() && !from.Elem.Within(to.Elem)
}
