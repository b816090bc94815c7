package builtin

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// typedComparisons adds the comparison operators of a polymorphic type.
func typedComparisons(prefix, suffix string) {
	for name, holds := range scalars.Relations {
		value.DefineFamilies(map[string]value.Family{prefix + name + suffix: func(args []*value.Type, _ *value.Type) value.Evaluator {
			if args[0].Equality() == value.Identity && (name == "eq" || name == "ne") {
				return scalars.Predicate(func(a []ir.Value) bool { return (a[0] == a[1]) == (name == "eq") })
			}
			if compare := args[0].Order(); compare != nil {
				return scalars.Relation(holds, compare)
			}
			return nil
		}})
	}
}

// typedPick is pick for a polymorphic type.
func typedPick(sign int) value.Family {
	return func(args []*value.Type, _ *value.Type) value.Evaluator {
		if compare := args[0].Order(); compare != nil {
			return scalars.Pick(sign, compare)
		}
		return nil
	}
}

func init() {
	typedComparisons("array_", "(anyarray,anyarray)")
	typedComparisons("enum_", "(anyenum,anyenum)")
	typedComparisons("range_", "(anyrange,anyrange)")
	scalars.Comparisons("uuid_", "(uuid,uuid)", value.Plain)
	scalars.Comparisons("macaddr_", "(macaddr,macaddr)", value.Plain)
	label := func(pick func(labels []string) string) value.Family {
		return func(args []*value.Type, _ *value.Type) value.Evaluator {
			if len(args[0].Labels) == 0 {
				return nil
			}
			return value.Pure(func([]ir.Value) ir.Value { return ir.Text(pick(args[0].Labels)) })
		}
	}
	value.DefineFamilies(map[string]value.Family{
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
func enumRange(args []*value.Type, _ *value.Type) value.Evaluator {
	labels := args[0].Labels
	if labels == nil {
		return nil
	}
	return value.Pure(func(a []ir.Value) ir.Value {
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
