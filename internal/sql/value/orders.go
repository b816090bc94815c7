package value

import (
	"slices"

	"github.com/txrobust/robust/ir"
)

// order gives the order that the operators of a type have; nil where it is not
// known.
func (t *Type) order() order {
	switch {
	case t.Elem != nil:
		return arrayOrder(t.Elem)
	case t.Labels != nil:
		return func(a, b ir.Value) (int, error) {
			return slices.Index(t.Labels, a.S) - slices.Index(t.Labels, b.S), nil
		}
	case rangeElems[t.Name] != "":
		return rangeOrder(t)
	}
	switch t.Name {
	case "int2", "int4", "int8", "oid", "numeric", "float4", "float8", "bool", "text", "varchar", "bpchar", "name", "uuid",
		"date", "timestamp", "timestamptz", "time", "macaddr", "macaddr8", "bit", "varbit":
		return plain
	case "bytea":
		return byBytes
	case "interval":
		return byTotal
	case "timetz":
		return byZonedTime
	case "inet", "cidr":
		return byAddress
	case "jsonb":
		return byJSON
	}
	return nil
}

// equal compares two values for equality.
func (t *Type) equal(a, b ir.Value) (bool, error) {
	if t.Equality() == Identity {
		return a == b, nil
	}
	compare := t.order()
	if compare == nil {
		return false, ir.ErrNotKnown
	}
	c, err := compare(a, b)
	return c == 0, err
}

// arrayOrder compares arrays element by element, then by their lengths.
func arrayOrder(elem *Type) order {
	compare := elem.order()
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

// typedComparisons adds the comparison operators of a polymorphic type.
func typedComparisons(prefix, suffix string) {
	for name, holds := range relations {
		defineFamilies(map[string]family{prefix + name + suffix: func(args []*Type, _ *Type) evaluator {
			if args[0].Equality() == Identity && (name == "eq" || name == "ne") {
				return predicate(func(a []ir.Value) bool { return (a[0] == a[1]) == (name == "eq") })
			}
			if compare := args[0].order(); compare != nil {
				return relation(holds, compare)
			}
			return nil
		}})
	}
}

// typedPick is pick for a polymorphic type.
func typedPick(sign int) family {
	return func(args []*Type, _ *Type) evaluator {
		if compare := args[0].order(); compare != nil {
			return pick(sign, compare)
		}
		return nil
	}
}

func init() {
	typedComparisons("array_", "(anyarray,anyarray)")
	typedComparisons("enum_", "(anyenum,anyenum)")
	typedComparisons("range_", "(anyrange,anyrange)")
	comparisons("uuid_", "(uuid,uuid)", plain)
	comparisons("macaddr_", "(macaddr,macaddr)", plain)
	label := func(pick func(labels []string) string) family {
		return func(args []*Type, _ *Type) evaluator {
			if len(args[0].Labels) == 0 {
				return nil
			}
			return pure(func([]ir.Value) ir.Value { return ir.Text(pick(args[0].Labels)) })
		}
	}
	defineFamilies(map[string]family{
		"array_larger(anyarray,anyarray)":  typedPick(1),
		"array_smaller(anyarray,anyarray)": typedPick(-1),
		"enum_larger(anyenum,anyenum)":     typedPick(1),
		"enum_smaller(anyenum,anyenum)":    typedPick(-1),
		"enum_first(anyenum)":              label(func(l []string) string { return l[0] }),
		"enum_last(anyenum)":               label(func(l []string) string { return l[len(l)-1] }),
		"enum_range(anyenum)":              enumRange,
		"enum_range(anyenum,anyenum)":      enumRange,
	})
}

// enumRange gives the labels between two; one that is NULL is no bound.
func enumRange(args []*Type, _ *Type) evaluator {
	labels := args[0].Labels
	if labels == nil {
		return nil
	}
	return pure(func(a []ir.Value) ir.Value {
		from, to := 0, len(labels)
		if len(a) == 2 && !a[0].IsNull() {
			from = slices.Index(labels, a[0].S)
		}
		if len(a) == 2 && !a[1].IsNull() {
			to = slices.Index(labels, a[1].S) + 1
		}
		out := []ir.Value{}
		for _, l := range labels[min(from, to):to] {
			out = append(out, ir.Text(l))
		}
		return ir.Array(out)
	})
}
