package value

import (
	"github.com/txrobust/robust/ir"
)

// Range is a range. A NULL bound is none. The zero bounds of an empty one do not count.
type Range struct {
	Elem          *Type
	Low, High     ir.Value
	LowIn, HighIn bool
	Empty         bool
}

// rangeError is the error of a range that there is none of.
func rangeError(what string) error { return failure("22000", "%s", what) }

// normal gives the form that the server has: [) for ranges of integers and days,
// and empty ones alike.
func (r Range) normal() (Range, error) {
	r.LowIn = r.LowIn && !r.Low.IsNull()
	r.HighIn = r.HighIn && !r.High.IsNull()
	if r.Empty = r.Empty || r.none(); r.Empty {
		return Range{Elem: r.Elem, Empty: true}, nil
	}
	if step := discrete(r.Elem); step > 0 {
		var err error
		if !r.Low.IsNull() && !r.LowIn && !(step == day && infinite(r.Low.I)) {
			r.Low, err = r.Elem.next(r.Low, step)
			r.LowIn = true
		}
		if err == nil && r.HighIn && !(step == day && infinite(r.High.I)) {
			r.High, err = r.Elem.next(r.High, step)
			r.HighIn = false
		}
		if err != nil {
			return r, err
		}
		if r.none() {
			return Range{Elem: r.Elem, Empty: true}, nil
		}
	}
	return r, nil
}

// none reports whether no value lies between the bounds.
func (r Range) none() bool {
	if r.Low.IsNull() || r.High.IsNull() {
		return false
	}
	c := ir.Compare(r.Low, r.High)
	return c > 0 || c == 0 && !(r.LowIn && r.HighIn)
}

// next gives the value that follows an integer or a day.
func (t *Type) next(v ir.Value, step int64) (ir.Value, error) {
	if step == day {
		return dateValue(v.I/day + 1)
	}
	if _, hi, _ := IntRange(t.Name); v.I >= hi {
		return ir.Null, outOfRange()
	}
	return ir.Int(v.I + step), nil
}

// Value is the value of the IR: what the server prints.
func (r Range) Value() (ir.Value, error) {
	r, err := r.normal()
	if err != nil {
		return ir.Null, err
	}
	if r.Empty {
		return ir.Opaque("empty"), nil
	}
	left, right := "(", ")"
	if r.LowIn {
		left = "["
	}
	if r.HighIn {
		right = "]"
	}
	return ir.Opaque(left + r.bound(r.Low) + "," + r.bound(r.High) + right), nil
}

// discrete gives the distance of two neighbours, 0 where there are none.
func discrete(elem *Type) int64 {
	switch elem.Name {
	case "int4", "int8":
		return 1
	case "date":
		return day
	}
	return 0
}

// RangeOf reads a value of a range type.
func RangeOf(t *Type, v ir.Value) (Range, bool) {
	r, err := t.readRange(v.S)
	return r, err == nil
}

// bound is one end of a range: a value, or none, which is at infinity.
type bound struct {
	value    ir.Value
	in, high bool
}

func (r Range) low() bound  { return bound{r.Low, r.LowIn, false} }
func (r Range) high() bound { return bound{r.High, r.HighIn, true} }

// compare orders ends by where the values on their inner side begin or end.
func (x bound) compare(y bound) int {
	infinite := func(b bound) int {
		switch {
		case !b.value.IsNull():
			return 0
		case b.high:
			return 1
		}
		return -1
	}
	if i, j := infinite(x), infinite(y); i != 0 || j != 0 {
		return i - j
	}
	if c := ir.Compare(x.value, y.value); c != 0 {
		return c
	}
	// An end that leaves its value out is behind a beginning, or before an end, with it.
	side := func(b bound) int {
		switch {
		case b.in:
			return 0
		case b.high:
			return -1
		}
		return 1
	}
	return side(x) - side(y)
}

// rangeOrder compares by the lower bounds, then by the upper ones; empty ranges come
// first.
func rangeOrder(t *Type) order {
	return func(a, b ir.Value) (int, error) {
		x, ok := RangeOf(t, a)
		y, ok2 := RangeOf(t, b)
		switch {
		case !ok || !ok2:
			return 0, ir.ErrNotKnown
		case x.Empty && y.Empty:
			return 0, nil
		case x.Empty:
			return -1, nil
		case y.Empty:
			return 1, nil
		}
		if c := x.low().compare(y.low()); c != 0 {
			return c, nil
		}
		return x.high().compare(y.high()), nil
	}
}

// contains reports whether all of y lies in x.
func (r Range) contains(y Range) bool {
	return y.Empty || !r.Empty && r.low().compare(y.low()) <= 0 && r.high().compare(y.high()) >= 0
}

// holds reports whether a value lies in the range.
func (r Range) holds(v ir.Value) bool {
	return !r.Empty && r.low().compare(bound{v, true, false}) <= 0 && r.high().compare(bound{v, true, true}) >= 0
}

// before reports whether x ends before y begins.
func (r Range) before(y Range) bool {
	return !r.Empty && !y.Empty && r.high().compare(y.low()) < 0
}

func (r Range) overlaps(y Range) bool {
	return !r.Empty && !y.Empty && r.high().compare(y.low()) >= 0 && y.high().compare(r.low()) >= 0
}

// adjacent reports whether x ends where y begins or the other way round.
func (r Range) adjacent(y Range) bool {
	meets := func(end, begin bound) bool {
		if end.value.IsNull() || begin.value.IsNull() {
			return false
		}
		if c := ir.Compare(end.value, begin.value); c != 0 {
			if c > 0 || discrete(r.Elem) == 0 {
				return false
			}
			gap, err := Range{Elem: r.Elem, Low: end.value, High: begin.value, LowIn: !end.in, HighIn: !begin.in}.normal()
			return err == nil && gap.Empty
		}
		return end.in != begin.in
	}
	return !r.Empty && !y.Empty && (meets(r.high(), y.low()) || meets(y.high(), r.low()))
}

// hull is the smallest range that holds both.
func (r Range) hull(y Range) Range {
	if r.Empty {
		return y
	}
	if y.Empty {
		return r
	}
	low, high := r.low(), r.high()
	if y.low().compare(low) < 0 {
		low = y.low()
	}
	if y.high().compare(high) > 0 {
		high = y.high()
	}
	return Range{Elem: r.Elem, Low: low.value, LowIn: low.in, High: high.value, HighIn: high.in}
}

// common is what lies in both.
func (r Range) common(y Range) Range {
	if !r.overlaps(y) {
		return Range{Elem: r.Elem, Empty: true}
	}
	low, high := r.low(), r.high()
	if y.low().compare(low) > 0 {
		low = y.low()
	}
	if y.high().compare(high) < 0 {
		high = y.high()
	}
	return Range{Elem: r.Elem, Low: low.value, LowIn: low.in, High: high.value, HighIn: high.in}
}

// union is what lies in one of them, which must be one range.
func (r Range) union(y Range) (Range, error) {
	if !r.Empty && !y.Empty && !r.overlaps(y) && !r.adjacent(y) {
		return r, rangeError("result of range union would not be contiguous")
	}
	return r.hull(y), nil
}

// minus is what lies in x alone, which must be one range.
func (r Range) minus(y Range) (Range, error) {
	if !r.overlaps(y) {
		return r, nil
	}
	first, last := r.low().compare(y.low()) < 0, r.high().compare(y.high()) > 0
	switch {
	case first && last:
		return r, rangeError("result of range difference would not be contiguous")
	case first:
		return Range{Elem: r.Elem, Low: r.Low, LowIn: r.LowIn, High: y.Low, HighIn: !y.LowIn}, nil
	case last:
		return Range{Elem: r.Elem, Low: y.High, LowIn: !y.HighIn, High: r.High, HighIn: r.HighIn}, nil
	}
	return Range{Elem: r.Elem, Empty: true}, nil
}

// ofRange is a function whose argument n is a range.
func ofRange(n int, f func(r Range, a []ir.Value) (ir.Value, error)) family {
	return func(args []*Type, _ *Type) evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			r, ok := RangeOf(args[n], a[n])
			if !ok {
				return ir.Null, ir.ErrNotKnown
			}
			return f(r, a)
		}
	}
}

// ofRanges is a function of two ranges.
func ofRanges(f func(x, y Range) (ir.Value, error)) family {
	return func(args []*Type, _ *Type) evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			x, ok := RangeOf(args[0], a[0])
			y, ok2 := RangeOf(args[1], a[1])
			if !ok || !ok2 {
				return ir.Null, ir.ErrNotKnown
			}
			return f(x, y)
		}
	}
}

func init() {
	is := func(f func(r Range) bool) family {
		return ofRange(0, func(r Range, _ []ir.Value) (ir.Value, error) { return ir.Bool(f(r)), nil })
	}
	related := func(f func(x, y Range) bool) family {
		return ofRanges(func(x, y Range) (ir.Value, error) { return ir.Bool(f(x, y)), nil })
	}
	made := func(f func(x, y Range) (Range, error)) family {
		return ofRanges(func(x, y Range) (ir.Value, error) {
			r, err := f(x, y)
			if err != nil {
				return ir.Null, err
			}
			return r.Value()
		})
	}
	defineFamilies(map[string]family{
		"lower(anyrange)":                              ofRange(0, func(r Range, _ []ir.Value) (ir.Value, error) { return r.Low, nil }),
		"upper(anyrange)":                              ofRange(0, func(r Range, _ []ir.Value) (ir.Value, error) { return r.High, nil }),
		"isempty(anyrange)":                            is(func(r Range) bool { return r.Empty }),
		"lower_inc(anyrange)":                          is(func(r Range) bool { return r.LowIn }),
		"upper_inc(anyrange)":                          is(func(r Range) bool { return r.HighIn }),
		"lower_inf(anyrange)":                          is(func(r Range) bool { return !r.Empty && r.Low.IsNull() }),
		"upper_inf(anyrange)":                          is(func(r Range) bool { return !r.Empty && r.High.IsNull() }),
		"range_contains_elem(anyrange,anyelement)":     ofRange(0, func(r Range, a []ir.Value) (ir.Value, error) { return ir.Bool(r.holds(a[1])), nil }),
		"elem_contained_by_range(anyelement,anyrange)": ofRange(1, func(r Range, a []ir.Value) (ir.Value, error) { return ir.Bool(r.holds(a[0])), nil }),
		"range_contains(anyrange,anyrange)":            related(Range.contains),
		"range_contained_by(anyrange,anyrange)":        related(func(x, y Range) bool { return y.contains(x) }),
		"range_overlaps(anyrange,anyrange)":            related(Range.overlaps),
		"range_before(anyrange,anyrange)":              related(Range.before),
		"range_after(anyrange,anyrange)":               related(func(x, y Range) bool { return y.before(x) }),
		"range_adjacent(anyrange,anyrange)":            related(Range.adjacent),
		"range_overleft(anyrange,anyrange)":            related(func(x, y Range) bool { return !x.Empty && !y.Empty && x.high().compare(y.high()) <= 0 }),
		"range_overright(anyrange,anyrange)":           related(func(x, y Range) bool { return !x.Empty && !y.Empty && x.low().compare(y.low()) >= 0 }),
		"range_union(anyrange,anyrange)":               made(Range.union),
		"range_intersect(anyrange,anyrange)":           made(func(x, y Range) (Range, error) { return x.common(y), nil }),
		"range_minus(anyrange,anyrange)":               made(Range.minus),
		"range_merge(anyrange,anyrange)":               made(func(x, y Range) (Range, error) { return x.hull(y), nil }),
	})
	for name, elem := range rangeElems {
		define(map[string]evaluator{
			name + "(" + elem + "," + elem + ")":      newRange(elem),
			name + "(" + elem + "," + elem + ",text)": newRange(elem),
		})
	}
}

// newRange makes a range of two bounds and the marks that say whether they belong to
// it.
func newRange(elem string) evaluator {
	t := Of(elem)
	return func(a []ir.Value) (ir.Value, error) {
		marks := "[)"
		if len(a) > 2 {
			if a[2].IsNull() {
				return ir.Null, rangeError("range constructor flags argument must not be null")
			}
			marks = a[2].S
		}
		switch marks {
		case "[]", "[)", "(]", "()":
		default:
			return ir.Null, failure("42601", "invalid range bound flags")
		}
		if !a[0].IsNull() && !a[1].IsNull() && ir.Compare(a[0], a[1]) > 0 {
			return ir.Null, rangeError("range lower bound must be less than or equal to range upper bound")
		}
		return Range{Elem: t, Low: a[0], High: a[1], LowIn: marks[0] == '[', HighIn: marks[1] == ']'}.Value()
	}
}
