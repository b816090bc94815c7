package builtin

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// An array has one dimension, counts from 1, and has no NULLs: others are no values.

// maxPairs bounds the number of pairs of elements that functions compare.
const maxPairs = 1 << 18

// ofArray is a function whose first argument is an array that is not NULL.
func ofArray(f func(elems []ir.Value, a []ir.Value) (ir.Value, error)) value.Family {
	return func(args []*value.Type, _ *value.Type) value.Evaluator {
		if args[0].Elem == nil {
			return nil
		}
		return func(a []ir.Value) (ir.Value, error) {
			if a[0].IsNull() {
				return ir.Null, nil
			}
			return f(args[0].Elems(a[0]), a)
		}
	}
}

// ofEqual is ofArray for functions that compare elements, of the array's type.
func ofEqual(f func(elems []ir.Value, a []ir.Value, equal func(a, b ir.Value) (bool, error)) (ir.Value, error)) value.Family {
	return func(args []*value.Type, result *value.Type) value.Evaluator {
		if args[0].Elem == nil || args[0].Elem.Equality() == value.NoEquality {
			return nil
		}
		return ofArray(func(elems, a []ir.Value) (ir.Value, error) { return f(elems, a, args[0].Elem.Equal) })(args, result)
	}
}

func init() {
	length := ofArray(func(elems, a []ir.Value) (ir.Value, error) {
		if len(elems) == 0 || a[1].I != 1 {
			return ir.Null, nil
		}
		return ir.Int(int64(len(elems))), nil
	})
	value.DefineFamilies(map[string]value.Family{
		"array_length(anyarray,int4)": length,
		"array_upper(anyarray,int4)":  length,
		"array_lower(anyarray,int4)": ofArray(func(elems, a []ir.Value) (ir.Value, error) {
			if len(elems) == 0 || a[1].I != 1 {
				return ir.Null, nil
			}
			return ir.Int(1), nil
		}),
		"array_ndims(anyarray)": ofArray(func(elems, _ []ir.Value) (ir.Value, error) {
			if len(elems) == 0 {
				return ir.Null, nil
			}
			return ir.Int(1), nil
		}),
		"array_dims(anyarray)": ofArray(func(elems, _ []ir.Value) (ir.Value, error) {
			if len(elems) == 0 {
				return ir.Null, nil
			}
			return ir.Text(fmt.Sprintf("[1:%d]", len(elems))), nil
		}),
		"cardinality(anyarray)": ofArray(func(elems, _ []ir.Value) (ir.Value, error) { return ir.Int(int64(len(elems))), nil }),
		"trim_array(anyarray,int4)": ofArray(func(elems, a []ir.Value) (ir.Value, error) {
			n := int64(len(elems)) - a[1].I
			if a[1].I < 0 || n < 0 {
				return ir.Null, value.Failure("2202E", "number of elements to trim must be between 0 and %d", len(elems))
			}
			return ir.Array(elems[:n]), nil
		}),
		"array_append(anycompatiblearray,anycompatible)":                arrayAppend,
		"array_prepend(anycompatible,anycompatiblearray)":               arrayPrepend,
		"array_cat(anycompatiblearray,anycompatiblearray)":              arrayCat,
		"array_fill(anyelement,_int4)":                                  func([]*value.Type, *value.Type) value.Evaluator { return arrayFill },
		"array_fill(anyelement,_int4,_int4)":                            func([]*value.Type, *value.Type) value.Evaluator { return arrayFill },
		"array_position(anycompatiblearray,anycompatible)":              ofEqual(arrayPosition),
		"array_position(anycompatiblearray,anycompatible,int4)":         ofEqual(arrayPosition),
		"array_positions(anycompatiblearray,anycompatible)":             ofEqual(arrayPositions),
		"array_remove(anycompatiblearray,anycompatible)":                ofEqual(arrayReplace),
		"array_replace(anycompatiblearray,anycompatible,anycompatible)": ofEqual(arrayReplace),
		"arraycontains(anyarray,anyarray)":                              arraySets(false, true),
		"arraycontained(anyarray,anyarray)":                             arraySets(true, true),
		"arrayoverlap(anyarray,anyarray)":                               arraySets(false, false),
		"array_to_string(anyarray,text)":                                arrayToString,
		"array_to_string(anyarray,text,text)":                           arrayToString,
		"width_bucket(anycompatible,anycompatiblearray)":                thresholds,
		"num_nulls(any)":    func([]*value.Type, *value.Type) value.Evaluator { return countNulls(true) },
		"num_nonnulls(any)": func([]*value.Type, *value.Type) value.Evaluator { return countNulls(false) },
	})
	value.Define(map[string]value.Evaluator{
		"string_to_array(text,text)":      stringToArray,
		"string_to_array(text,text,text)": stringToArray,
	})
}

// countNulls is num_nulls or num_nonnulls.
func countNulls(null bool) value.Evaluator {
	return value.Pure(func(a []ir.Value) ir.Value {
		n := int64(0)
		for _, v := range a {
			if v.IsNull() == null {
				n++
			}
		}
		return ir.Int(n)
	})
}

func arrayAppend(args []*value.Type, _ *value.Type) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) { return value.NewArray(append(elemsOrNone(args[0], a[0]), a[1])) }
}

func arrayPrepend(args []*value.Type, _ *value.Type) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		return value.NewArray(append([]ir.Value{a[0]}, elemsOrNone(args[1], a[1])...))
	}
}

// elemsOrNone gives the elements of an array; NULL has none.
func elemsOrNone(t *value.Type, v ir.Value) []ir.Value {
	if v.IsNull() {
		return nil
	}
	return t.Elems(v)
}

func arrayCat(args []*value.Type, _ *value.Type) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		if a[0].IsNull() && a[1].IsNull() {
			return ir.Null, nil
		}
		return value.NewArray(append(elemsOrNone(args[0], a[0]), elemsOrNone(args[1], a[1])...))
	}
}

// arrayFill makes an array of equal elements.
func arrayFill(a []ir.Value) (ir.Value, error) {
	if value.AnyNull(a[1:]) {
		return ir.Null, value.Failure("22004", "dimension array or low bound array cannot be null")
	}
	dims := a[1].Elems(ir.KindInt)
	if len(a) > 2 && (a[2] != ir.Array([]ir.Value{ir.Int(1)}) || len(dims) == 0) || len(dims) > 1 {
		return ir.Null, ir.ErrNotKnown
	}
	n := int64(0)
	if len(dims) == 1 {
		n = dims[0].I
	}
	if n < 0 || n > value.MaxElements {
		return ir.Null, ir.ErrNotKnown
	}
	return value.NewArray(slices.Repeat([]ir.Value{a[0]}, int(n)))
}

func arrayPosition(elems, a []ir.Value, equal func(a, b ir.Value) (bool, error)) (ir.Value, error) {
	if len(elems) == 0 || a[1].IsNull() {
		return ir.Null, nil
	}
	from := int64(1)
	if len(a) > 2 {
		if a[2].IsNull() {
			return ir.Null, value.Failure("22004", "initial position must not be null")
		}
		from = a[2].I
	}
	for i, e := range elems {
		if same, err := equal(e, a[1]); err != nil {
			return ir.Null, err
		} else if same && int64(i+1) >= from {
			return ir.Int(int64(i + 1)), nil
		}
	}
	return ir.Null, nil
}

func arrayPositions(elems, a []ir.Value, equal func(a, b ir.Value) (bool, error)) (ir.Value, error) {
	out := []ir.Value{}
	for i, e := range elems {
		if a[1].IsNull() {
			break
		}
		if same, err := equal(e, a[1]); err != nil {
			return ir.Null, err
		} else if same {
			out = append(out, ir.Int(int64(i+1)))
		}
	}
	return ir.Array(out), nil
}

// arrayReplace replaces elements by another one, or removes them.
func arrayReplace(elems, a []ir.Value, equal func(a, b ir.Value) (bool, error)) (ir.Value, error) {
	out := []ir.Value{}
	for _, e := range elems {
		same := false
		if !a[1].IsNull() {
			var err error
			if same, err = equal(e, a[1]); err != nil {
				return ir.Null, err
			}
		}
		switch {
		case !same:
			out = append(out, e)
		case len(a) > 2:
			out = append(out, a[2])
		}
	}
	return value.NewArray(out)
}

// arraySets tells whether all elements of one array are in the other one, or some
// are.
func arraySets(swap, all bool) value.Family {
	return func(args []*value.Type, _ *value.Type) value.Evaluator {
		elem := args[0].Elem
		if elem == nil || elem.Equality() == value.NoEquality {
			return nil
		}
		return func(a []ir.Value) (ir.Value, error) {
			outer, inner := args[0].Elems(a[0]), args[1].Elems(a[1])
			if swap {
				outer, inner = inner, outer
			}
			if len(outer)*len(inner) > maxPairs {
				return ir.Null, ir.ErrNotKnown
			}
			for _, e := range inner {
				found := false
				for _, o := range outer {
					same, err := elem.Equal(e, o)
					if err != nil {
						return ir.Null, err
					}
					found = found || same
				}
				if found != all {
					return ir.Bool(!all), nil
				}
			}
			return ir.Bool(all), nil
		}
	}
}

// arrayToString joins what the output function gives for the elements.
func arrayToString(args []*value.Type, _ *value.Type) value.Evaluator {
	if args[0].Elem == nil {
		return nil
	}
	return func(a []ir.Value) (ir.Value, error) {
		if value.AnyNull(a[:2]) {
			return ir.Null, nil
		}
		var parts []string
		for _, e := range args[0].Elems(a[0]) {
			s, known := args[0].Elem.Output(e)
			if !known {
				return ir.Null, ir.ErrNotKnown
			}
			parts = append(parts, s)
		}
		return value.NewText(strings.Join(parts, a[1].S))
	}
}

// stringToArray splits a text at a separator, or where that is NULL into characters.
// A part that is the third argument is NULL.
func stringToArray(a []ir.Value) (ir.Value, error) {
	if a[0].IsNull() {
		return ir.Null, nil
	}
	parts := []string{a[0].S}
	switch {
	case a[0].S == "":
		parts = nil
	case a[1].IsNull():
		parts = strings.Split(a[0].S, "")
	case a[1].S != "":
		parts = strings.Split(a[0].S, a[1].S)
	}
	out := []ir.Value{}
	for _, p := range parts {
		if len(a) > 2 && !a[2].IsNull() && p == a[2].S {
			return ir.Null, ir.ErrNotKnown // an array with NULL
		}
		out = append(out, ir.Text(p))
	}
	return value.NewArray(out)
}

// thresholds is width_bucket with an array of lower bounds, in which it searches.
func thresholds(args []*value.Type, _ *value.Type) value.Evaluator {
	compare := args[0].Order()
	if compare == nil || args[1].Elem == nil {
		return nil
	}
	return func(a []ir.Value) (ir.Value, error) {
		list := args[1].Elems(a[1])
		left, right := 0, len(list)
		for left < right {
			mid := (left + right) / 2
			c, err := compare(a[0], list[mid])
			if err != nil {
				return ir.Null, err
			}
			if c < 0 {
				right = mid
			} else {
				left = mid + 1
			}
		}
		return ir.Int(int64(left)), nil
	}
}
