package value

import "github.com/txrobust/robust/internal/ir"

// Elems gives the elements of an array of type t.
func (t *Type) Elems(v ir.Value) []ir.Value { return v.Elems(elementKind(t.Elem)) }

// MaxElements bounds the number of elements of arrays that functions make.
const MaxElements = 1 << 16

// NewArray makes an array of bounded size.
func NewArray(elems []ir.Value) (ir.Value, error) {
	if len(elems) > MaxElements || AnyNull(elems) {
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Array(elems), nil
}
