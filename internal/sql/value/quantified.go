package value

import (
	"github.com/txrobust/robust/ir"
)

// Quantified gives the function x op ANY (array), or with all x op ALL (array), of an x of a type and
// an array; nil if values of these types are not compared here. op is = or an order. strict says that
// x is not NULL: of an empty array the answer does not depend on x.
func Quantified(op string, all bool, x, array *Type, strict bool) *ir.Function {
	holds := map[string]func(int) bool{
		"=": func(c int) bool { return c == 0 },
		"<": func(c int) bool { return c < 0 }, "<=": func(c int) bool { return c <= 0 },
		">": func(c int) bool { return c > 0 }, ">=": func(c int) bool { return c >= 0 },
	}[op]
	if holds == nil || x == nil || array == nil || array.Elem == nil {
		return nil
	}
	elem := array.Elem
	_, _, ints := IntRange(x.Name)
	_, _, sameInts := IntRange(elem.Name)
	if !(ints && sameInts) && x.Identifier() != elem.Identifier() {
		return nil
	}
	compare := elem.Order()
	if op == "=" && elem.Equality() != NoEquality {
		compare = func(a, b ir.Value) (int, error) {
			same, err := elem.Equal(a, b)
			if same {
				return 0, err
			}
			return 1, err
		}
	} else if compare == nil {
		return nil
	}
	word := " any "
	if all {
		word = " all "
	}
	name := op + word + x.Identifier() + " " + array.Identifier()
	if strict {
		name += " strict"
	}
	return Interned(name, func() *ir.Function {
		return &ir.Function{Name: name, Strict: strict, Eval: evalOf(func(a []ir.Value) (ir.Value, error) {
			if a[1].IsNull() {
				return ir.Null, nil
			}
			elems := array.Elems(a[1])
			if len(elems) > 0 && a[0].IsNull() {
				return ir.Null, nil
			}
			for _, e := range elems {
				if c, err := compare(a[0], e); err != nil || holds(c) != all {
					return ir.Bool(!all), err
				}
			}
			return ir.Bool(all), nil
		}, []*Type{x, array})}
	})
}
