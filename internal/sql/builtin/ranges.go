package builtin

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// ofRange is a function whose argument n is a range.
func ofRange(n int, f func(r value.Range, a []ir.Value) (ir.Value, error)) value.Family {
	return func(args []*value.Type, _ *value.Type) value.Evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			r, ok := value.RangeOf(args[n], a[n])
			if !ok {
				return ir.Null, ir.ErrNotKnown
			}
			return f(r, a)
		}
	}
}

// ofRanges is a function of two ranges.
func ofRanges(f func(x, y value.Range) (ir.Value, error)) value.Family {
	return func(args []*value.Type, _ *value.Type) value.Evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			x, ok := value.RangeOf(args[0], a[0])
			y, ok2 := value.RangeOf(args[1], a[1])
			if !ok || !ok2 {
				return ir.Null, ir.ErrNotKnown
			}
			return f(x, y)
		}
	}
}

func init() {
	is := func(f func(r value.Range) bool) value.Family {
		return ofRange(0, func(r value.Range, _ []ir.Value) (ir.Value, error) { return ir.Bool(f(r)), nil })
	}
	related := func(f func(x, y value.Range) bool) value.Family {
		return ofRanges(func(x, y value.Range) (ir.Value, error) { return ir.Bool(f(x, y)), nil })
	}
	made := func(f func(x, y value.Range) (value.Range, error)) value.Family {
		return ofRanges(func(x, y value.Range) (ir.Value, error) {
			r, err := f(x, y)
			if err != nil {
				return ir.Null, err
			}
			return r.Value()
		})
	}
	value.DefineFamilies(map[string]value.Family{
		"lower(anyrange)":                              ofRange(0, func(r value.Range, _ []ir.Value) (ir.Value, error) { return r.Low, nil }),
		"upper(anyrange)":                              ofRange(0, func(r value.Range, _ []ir.Value) (ir.Value, error) { return r.High, nil }),
		"isempty(anyrange)":                            is(func(r value.Range) bool { return r.Empty }),
		"lower_inc(anyrange)":                          is(func(r value.Range) bool { return r.LowIn }),
		"upper_inc(anyrange)":                          is(func(r value.Range) bool { return r.HighIn }),
		"lower_inf(anyrange)":                          is(func(r value.Range) bool { return !r.Empty && r.Low.IsNull() }),
		"upper_inf(anyrange)":                          is(func(r value.Range) bool { return !r.Empty && r.High.IsNull() }),
		"range_contains_elem(anyrange,anyelement)":     ofRange(0, func(r value.Range, a []ir.Value) (ir.Value, error) { return ir.Bool(r.Holds(a[1])), nil }),
		"elem_contained_by_range(anyelement,anyrange)": ofRange(1, func(r value.Range, a []ir.Value) (ir.Value, error) { return ir.Bool(r.Holds(a[0])), nil }),
		"range_contains(anyrange,anyrange)":            related(value.Range.Contains),
		"range_contained_by(anyrange,anyrange)":        related(func(x, y value.Range) bool { return y.Contains(x) }),
		"range_overlaps(anyrange,anyrange)":            related(value.Range.Overlaps),
		"range_before(anyrange,anyrange)":              related(value.Range.Before),
		"range_after(anyrange,anyrange)":               related(func(x, y value.Range) bool { return y.Before(x) }),
		"range_adjacent(anyrange,anyrange)":            related(value.Range.Adjacent),
		"range_overleft(anyrange,anyrange)":            related(func(x, y value.Range) bool { return !x.Empty && !y.Empty && x.HighBound().Compare(y.HighBound()) <= 0 }),
		"range_overright(anyrange,anyrange)":           related(func(x, y value.Range) bool { return !x.Empty && !y.Empty && x.LowBound().Compare(y.LowBound()) >= 0 }),
		"range_union(anyrange,anyrange)":               made(value.Range.Union),
		"range_intersect(anyrange,anyrange)":           made(func(x, y value.Range) (value.Range, error) { return x.Common(y), nil }),
		"range_minus(anyrange,anyrange)":               made(value.Range.Minus),
		"range_merge(anyrange,anyrange)":               made(func(x, y value.Range) (value.Range, error) { return x.Hull(y), nil }),
	})
	for name, elem := range value.RangeElems {
		value.Define(map[string]value.Evaluator{
			name + "(" + elem + "," + elem + ")":      newRange(elem),
			name + "(" + elem + "," + elem + ",text)": newRange(elem),
		})
	}
}

// newRange makes a range of two bounds and the marks that say whether they belong to
// it.
func newRange(elem string) value.Evaluator {
	t := value.Of(elem)
	return func(a []ir.Value) (ir.Value, error) {
		marks := "[)"
		if len(a) > 2 {
			if a[2].IsNull() {
				return ir.Null, value.RangeError("range constructor flags argument must not be null")
			}
			marks = a[2].S
		}
		switch marks {
		case "[]", "[)", "(]", "()":
		default:
			return ir.Null, value.Failure("42601", "invalid range bound flags")
		}
		if !a[0].IsNull() && !a[1].IsNull() && ir.Compare(a[0], a[1]) > 0 {
			return ir.Null, value.RangeError("range lower bound must be less than or equal to range upper bound")
		}
		return value.Range{Elem: t, Low: a[0], High: a[1], LowIn: marks[0] == '[', HighIn: marks[1] == ']'}.Value()
	}
}
