package scalars

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// Predicate is the evaluator of a function that gives a truth value.
func Predicate(f func(a []ir.Value) bool) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) { return ir.Bool(f(a)), nil }
}

// Relations are the names that the functions of the comparison operators have.
var Relations = map[string]func(c int) bool{
	"eq": func(c int) bool { return c == 0 },
	"ne": func(c int) bool { return c != 0 },
	"lt": func(c int) bool { return c < 0 },
	"le": func(c int) bool { return c <= 0 },
	"gt": func(c int) bool { return c > 0 },
	"ge": func(c int) bool { return c >= 0 },
}

// Relation is the evaluator of a comparison operator.
func Relation(holds func(c int) bool, compare value.Order) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		c, err := compare(a[0], a[1])
		if err != nil {
			return ir.Null, err
		}
		return ir.Bool(holds(c)), nil
	}
}

// Comparisons adds the functions of the six comparison operators, which have the
// names of relations between prefix and suffix.
func Comparisons(prefix, suffix string, compare value.Order) {
	for name, holds := range Relations {
		value.Define(map[string]value.Evaluator{prefix + name + suffix: Relation(holds, compare)})
	}
}

// Pick is the evaluator of a function that gives the larger (sign 1) or the smaller
// (sign -1) of two values.
func Pick(sign int, compare value.Order) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		c, err := compare(a[0], a[1])
		if err != nil {
			return ir.Null, err
		}
		if c*sign > 0 {
			return a[0], nil
		}
		return a[1], nil
	}
}
