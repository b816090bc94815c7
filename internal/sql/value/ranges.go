package value

import "github.com/txrobust/robust/internal/ir"

// Range is a range. A NULL bound is none. The zero bounds of an empty one do not count.
type Range struct {
	Elem          *Type
	Low, High     ir.Value
	LowIn, HighIn bool
	Empty         bool
}

// RangeError is the error of a range that there is none of.
func RangeError(what string) error { return Failure("22000", "%s", what) }

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
		if !r.Low.IsNull() && !r.LowIn && !(step == Day && Infinite(r.Low.I)) {
			r.Low, err = r.Elem.next(r.Low, step)
			r.LowIn = true
		}
		if err == nil && r.HighIn && !(step == Day && Infinite(r.High.I)) {
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
	if step == Day {
		return DateValue(v.I/Day + 1)
	}
	if _, hi, _ := IntRange(t.Name); v.I >= hi {
		return ir.Null, OutOfRange()
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
		return Day
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

// LowBound and HighBound are the ends of the range.
func (r Range) LowBound() bound { return bound{r.Low, r.LowIn, false} }

// HighBound is the upper end of the range.
func (r Range) HighBound() bound { return bound{r.High, r.HighIn, true} }

// Compare orders ends by where the values on their inner side begin or end.
func (x bound) Compare(y bound) int {
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
func rangeOrder(t *Type) Order {
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
		if c := x.LowBound().Compare(y.LowBound()); c != 0 {
			return c, nil
		}
		return x.HighBound().Compare(y.HighBound()), nil
	}
}

// Contains reports whether all of y lies in x.
func (r Range) Contains(y Range) bool {
	return y.Empty || !r.Empty && r.LowBound().Compare(y.LowBound()) <= 0 && r.HighBound().Compare(y.HighBound()) >= 0
}

// Holds reports whether a value lies in the range.
func (r Range) Holds(v ir.Value) bool {
	return !r.Empty && r.LowBound().Compare(bound{v, true, false}) <= 0 && r.HighBound().Compare(bound{v, true, true}) >= 0
}

// Before reports whether x ends before y begins.
func (r Range) Before(y Range) bool {
	return !r.Empty && !y.Empty && r.HighBound().Compare(y.LowBound()) < 0
}

// Overlaps reports whether two ranges have something in common.
func (r Range) Overlaps(y Range) bool {
	return !r.Empty && !y.Empty && r.HighBound().Compare(y.LowBound()) >= 0 && y.HighBound().Compare(r.LowBound()) >= 0
}

// Adjacent reports whether x ends where y begins or the other way round.
func (r Range) Adjacent(y Range) bool {
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
	return !r.Empty && !y.Empty && (meets(r.HighBound(), y.LowBound()) || meets(y.HighBound(), r.LowBound()))
}

// Hull is the smallest range that holds both.
func (r Range) Hull(y Range) Range {
	if r.Empty {
		return y
	}
	if y.Empty {
		return r
	}
	low, high := r.LowBound(), r.HighBound()
	if y.LowBound().Compare(low) < 0 {
		low = y.LowBound()
	}
	if y.HighBound().Compare(high) > 0 {
		high = y.HighBound()
	}
	return Range{Elem: r.Elem, Low: low.value, LowIn: low.in, High: high.value, HighIn: high.in}
}

// Common is what lies in both.
func (r Range) Common(y Range) Range {
	if !r.Overlaps(y) {
		return Range{Elem: r.Elem, Empty: true}
	}
	low, high := r.LowBound(), r.HighBound()
	if y.LowBound().Compare(low) > 0 {
		low = y.LowBound()
	}
	if y.HighBound().Compare(high) < 0 {
		high = y.HighBound()
	}
	return Range{Elem: r.Elem, Low: low.value, LowIn: low.in, High: high.value, HighIn: high.in}
}

// Union is what lies in one of them, which must be one range.
func (r Range) Union(y Range) (Range, error) {
	if !r.Empty && !y.Empty && !r.Overlaps(y) && !r.Adjacent(y) {
		return r, RangeError("result of range union would not be contiguous")
	}
	return r.Hull(y), nil
}

// Minus is what lies in x alone, which must be one range.
func (r Range) Minus(y Range) (Range, error) {
	if !r.Overlaps(y) {
		return r, nil
	}
	first, last := r.LowBound().Compare(y.LowBound()) < 0, r.HighBound().Compare(y.HighBound()) > 0
	switch {
	case first && last:
		return r, RangeError("result of range difference would not be contiguous")
	case first:
		return Range{Elem: r.Elem, Low: r.Low, LowIn: r.LowIn, High: y.Low, HighIn: !y.LowIn}, nil
	case last:
		return Range{Elem: r.Elem, Low: y.High, LowIn: !y.HighIn, High: r.High, HighIn: r.HighIn}, nil
	}
	return Range{Elem: r.Elem, Empty: true}, nil
}
