package value

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// Order gives the order that the operators of a type have; nil where it is not
// known.
func (t *Type) Order() Order {
	switch {
	case t.Elem != nil:
		return arrayOrder(t.Elem)
	case t.Labels != nil:
		return func(a, b ir.Value) (int, error) {
			return slices.Index(t.Labels, a.S) - slices.Index(t.Labels, b.S), nil
		}
	case RangeElems[t.Name] != "":
		return rangeOrder(t)
	}
	switch t.Name {
	case "int2", "int4", "int8", "oid", "numeric", "float4", "float8", "bool", "text", "varchar", "bpchar", "name", "uuid",
		"date", "timestamp", "timestamptz", "time", "macaddr", "macaddr8", "bit", "varbit":
		return Plain
	case "bytea":
		return ByBytes
	case "interval":
		return ByTotal
	case "timetz":
		return ByZonedTime
	case "inet", "cidr":
		return ByAddress
	case "jsonb":
		return ByJSON
	}
	return nil
}

// Equal compares two values for equality.
func (t *Type) Equal(a, b ir.Value) (bool, error) {
	if t.Equality() == Identity {
		return a == b, nil
	}
	compare := t.Order()
	if compare == nil {
		return false, ir.ErrNotKnown
	}
	c, err := compare(a, b)
	return c == 0, err
}

// arrayOrder compares arrays element by element, then by their lengths.
func arrayOrder(elem *Type) Order {
	compare := elem.Order()
	if compare == nil {
		return nil
	}
	kind := elementKind(elem)
	return func(a, b ir.Value) (int, error) {
		x, y := a.Elems(kind), b.Elems(kind)
		for i := range min(len(x), len(y)) {
			if c, err := compare(x[i], y[i]); c != 0 || err != nil {
				return c, err
			}
		}
		return len(x) - len(y), nil
	}
}
