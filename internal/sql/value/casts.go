package value

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
)

// Builtin is the catalog of the server alone.
var Builtin = &catalog.Catalog{Scope: catalog.None{}}

// Checks reports whether a domain demands something of values of the type.
func (t *Type) Checks() bool { return t.Check != nil || t.Elem != nil && t.Elem.Checks() }

// Base is the type without its modifier and check.
func (t *Type) Base() *Type {
	b := Of(t.Name)
	b.Labels, b.Shown = t.Labels, t.Shown
	if t.Elem != nil {
		b.Elem = t.Elem.Base()
	}
	return b
}

// OwnCast is a function of a cast that the catalog has no function for.
func OwnCast(from, to *Type, f Evaluator) *ir.Function {
	name := to.Identifier() + "<-" + from.Identifier()
	return Interned(name, func() *ir.Function {
		return &ir.Function{Name: name, Eval: EvalOf(f, []*Type{from}), Strict: true, Settings: from.written() || to.written(), Canonical: to.canonicalFrom(from),
			FailsOn: castFails(from, to)}
	})
}

// canonicalFrom reports whether texts, which from has, are left as they are where they
// are those of values of the type.
func (t *Type) canonicalFrom(from *Type) bool {
	if from.Name != "text" || t.Name == "text" || t.IR().Kind != ir.KindText && t.IR().Kind != ir.KindOpaque {
		return false
	}
	v, ok := t.Sample(0)
	if !ok {
		return false
	}
	got, err := t.Parse(v.S)
	return err == nil && got == v
}

// Relabeled gives the cast between types that the server stores alike.
func Relabeled(from, to *Type) *ir.Function {
	switch {
	case to.Name == "bpchar":
		return OwnCast(from, to, func(a []ir.Value) (ir.Value, error) { return ParsePadded(to, a[0].S) })
	case to.Name == "oid":
		return OwnCast(from, to, Pure(func(a []ir.Value) ir.Value { return ir.Int(int64(uint32(a[0].I))) }))
	case from.Name == "oid" && to.Name == "int4":
		return OwnCast(from, to, Pure(func(a []ir.Value) ir.Value { return ir.Int(int64(int32(a[0].I))) }))
	case from.IR() == to.IR():
		return nil
	}
	return OwnCast(from, to, nil)
}

// ThroughText gives the cast by the output function of one type and the input
// function of the other one.
func ThroughText(from, to *Type) *ir.Function {
	if from.Class().Print == nil || to.Class().parse == nil {
		return OwnCast(from, to, nil)
	}
	return OwnCast(from, to, func(a []ir.Value) (ir.Value, error) {
		s, known := from.Output(a[0])
		if !known || len(s) > MaxSize {
			return ir.Null, ir.ErrNotKnown
		}
		return to.Parse(s)
	})
}

// Mapped applies a function to each element of an array.
func Mapped(t *Type, v ir.Value, f func(e ir.Value) (ir.Value, error)) (ir.Value, error) {
	elems := t.Elems(v)
	for i, e := range elems {
		var err error
		if elems[i], err = f(e); err != nil {
			return ir.Null, err
		}
	}
	return NewArray(elems)
}

// Coerce gives the conversion of a value of the base type of t to t: to numeric(p,s),
// varchar(n), char(n), bit(n), timestamp(n) and the like, and to a domain, whose check
// must hold; nil where every value stays as it is. An explicit cast cuts texts and bit
// strings that are too long; to store them is an error, but for blanks at the end.
func Coerce(t *Type, explicit bool) *ir.Function {
	if !t.coerces() {
		return nil
	}
	name := "stored as " + t.Identifier()
	if explicit {
		name = "as " + t.Identifier()
	}
	f := &ir.Function{Name: name, Strict: true, Eval: EvalOf(func(a []ir.Value) (ir.Value, error) {
		return t.coerced(a[0], explicit)
	}, []*Type{t.Base()})}
	if t.Name == "bit" {
		f.FailsOn = []int{0}
	}
	if t.Checks() { // which types with one name have in different programs
		f.FailsOn = []int{0}
		return f
	}
	return Interned(name, func() *ir.Function { return f })
}

// coerces reports whether the type has a modifier or check that may matter.
func (t *Type) coerces() bool {
	return t.Elem != nil && t.Elem.coerces() || t.Check != nil || t.Length > 0 || t.Name == "numeric" && t.Precision > 0 ||
		Temporal(t.Name) && t.Precision >= 0 && t.Precision < 6
}

// coerced is what Coerce computes.
func (t *Type) coerced(v ir.Value, explicit bool) (ir.Value, error) {
	v, err := t.modified(v, explicit)
	if err == nil && t.Check != nil && !t.Check(v) {
		return ir.Null, Failure("23514", "value for domain %s violates its check constraint", t)
	}
	return v, err
}

// modified brings a value into the form of the type's modifier.
func (t *Type) modified(v ir.Value, explicit bool) (ir.Value, error) {
	switch {
	case t.Elem != nil:
		return Mapped(t, v, func(e ir.Value) (ir.Value, error) { return t.Elem.coerced(e, explicit) })
	case t.Name == "numeric" && t.Precision > 0:
		return t.Round(v.Rat())
	case t.Name == "varchar" && t.Length > 0:
		s, err := cutTo(t, v.S, explicit)
		return ir.Text(s), err
	case t.Name == "bpchar" && t.Length > 0:
		s, err := cutTo(t, v.S, explicit)
		return ir.Text(strings.TrimRight(s, " ")), err
	case t.Name == "bit" && t.Length > 0:
		if !explicit && len(v.S) != t.Length {
			return ir.Null, Failure("22026", "bit string length %d does not match type %s", len(v.S), t)
		}
		return parseBits(t, v.S)
	case t.Name == "varbit" && t.Length > 0:
		if !explicit && len(v.S) > t.Length {
			return ir.Null, Failure("22001", "bit string too long for type %s", t)
		}
		return parseBits(t, v.S)
	case Temporal(t.Name) && t.Precision >= 0:
		return t.roundedTime(v)
	}
	return v, nil
}

// cutTo cuts a text that is longer than its type has it.
func cutTo(t *Type, s string, explicit bool) (string, error) {
	if utf8.RuneCountInString(s) <= t.Length {
		return s, nil
	}
	r := []rune(s)
	if !explicit && strings.Trim(string(r[t.Length:]), " ") != "" {
		return "", Failure("22001", "value too long for type %s", t)
	}
	return string(r[:t.Length]), nil
}

// roundedTime rounds to the digits of a second that the type has.
func (t *Type) roundedTime(v ir.Value) (ir.Value, error) {
	switch t.Name {
	case "interval":
		i, ok := IntervalOf(v)
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		return i.rounded(t.Precision)
	case "timetz":
		z, ok := ZonedTimeOf(v)
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		z.Clock = RoundFrom(0, z.Clock, t.Precision)
		return z.Value(), nil
	case "time":
		return ir.Time(RoundFrom(0, v.I, t.Precision)), nil
	}
	if Infinite(v.I) {
		return v, nil
	}
	days, clock := FloorDiv(RoundFrom(DaysTo2000*Day, v.I, t.Precision), Day)
	return StampValue(Stamp(days, clock))
}

// rounded rounds to a number of digits of a second; -1 is all digits.
func (i Interval) rounded(digits int) (ir.Value, error) {
	if max(i.Micros, -i.Micros) > math.MaxInt64-Second || i.Micros == math.MinInt64 {
		return ir.Null, ir.ErrNotKnown // the server's sum overflows
	}
	i.Micros = RoundFrom(0, i.Micros, digits)
	return i.Value(), nil
}

// FromText is the function that reads a text as a value of a type without its
// modifier: its input function. It fails for texts that are none.
func FromText(t *Type) *ir.Function { return ThroughText(Of("text"), t.Base()) }

// ToText is the function that gives the text of a value in a cast.
func ToText(t *Type) *ir.Function {
	return OwnCast(t, Of("text"), func(a []ir.Value) (ir.Value, error) {
		s, known := t.AsText(a[0])
		if !known {
			return ir.Null, ir.ErrNotKnown
		}
		return NewText(s)
	})
}

// Stored is the function that makes a value of the same type, without a modifier,
// fit its modifier, as an assignment does: numbers and times are rounded, texts that
// are too long are an error unless blanks are too many.
func Stored(t *Type) *ir.Function { return orSame(Coerce(t, false)) }

// Cast is the function that makes a value of the same type, without a modifier, fit
// its modifier, as an explicit cast does: texts that are too long are cut.
func Cast(t *Type) *ir.Function { return orSame(Coerce(t, true)) }

// same is the function that leaves a value as it is.
var same = &ir.Function{Name: "same", Strict: true, Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) { return a[0], nil }}

func orSame(f *ir.Function) *ir.Function {
	if f == nil {
		return same
	}
	return f
}

// Padded is the function that takes the padding of char(n) away, which is no part of
// its values.
var Padded = Relabeled(Of("text"), Of("bpchar"))

// Rank is the function that gives the place of a label in its enum, from 0.
func Rank(t *Type) *ir.Function {
	name := "rank " + t.Identifier()
	return Interned(name, func() *ir.Function {
		return &ir.Function{Name: name, Strict: true, Eval: EvalOf(Pure(func(a []ir.Value) ir.Value {
			return ir.Int(int64(slices.Index(t.Labels, a[0].S)))
		}), []*Type{t})}
	})
}

// Digits gives how many digits after the point a value of the type can have; false
// if that is not known.
func (t *Type) Digits() (int, bool) {
	if _, _, isInt := IntRange(t.Name); isInt {
		return 0, true
	}
	return t.Scale, t.Name == "numeric" && t.Precision > 0
}

// DigitsOf gives the digits after the point of a number; false if it has no end.
func DigitsOf(r *big.Rat) (int, bool) { return r.FloatPrec() }
