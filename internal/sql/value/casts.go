package value

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/ir"
)

// builtin is the catalog of the server alone.
var builtin = &catalog.Catalog{Scope: catalog.None{}}

// Convert gives the conversion of a value from one type to another one, by a cast of
// the server or an extension, or by way of the text form; nil where the value stays as
// it is. The modifier and the check of the target type are part of it. explicit says
// that the program writes the cast: see Coerce.
//
// The cast by a function of the catalog is that function. Casts by way of the text
// form have names of their own, such as "uuid<-text".
func Convert(from, to *Type, explicit bool) *ir.Function {
	convert, coerce := conversion(from, to), Coerce(to, explicit)
	switch {
	case convert == nil:
		return coerce
	case coerce == nil:
		return convert
	case convert.Eval == nil:
		return convert
	}
	name := convert.Name + " " + coerce.Name
	f := &ir.Function{Name: name, Strict: true, Settings: convert.Settings, FailsOn: convert.FailsOn, Eval: func(a []ir.Value, t ir.Type) (ir.Value, error) {
		v, err := convert.Eval(a, t)
		if err != nil || v.IsNull() {
			return v, err
		}
		return coerce.Eval([]ir.Value{v}, t)
	}}
	if to.checks() {
		f.FailsOn = []int{0}
		return f
	}
	return interned(name, func() *ir.Function { return f })
}

// checks reports whether a domain demands something of values of the type.
func (t *Type) checks() bool { return t.Check != nil || t.Elem != nil && t.Elem.checks() }

// base is the type without its modifier and check.
func (t *Type) base() *Type {
	b := Of(t.Name)
	b.Labels, b.Shown = t.Labels, t.Shown
	if t.Elem != nil {
		b.Elem = t.Elem.base()
	}
	return b
}

// conversion gives the conversion between base types; nil if the value stays as it is.
func conversion(from, to *Type) *ir.Function {
	length := to.Length
	if to = to.base(); from.base().key() == to.key() {
		return nil
	}
	k := builtin.Cast(from.Name, to.Name)
	switch {
	case k != nil && k.Method == 'f' && k.Args == "2":
		return integerToBits(from, length)
	case from.Elem != nil && to.Elem != nil:
		return arrayCast(from, to)
	case k != nil && k.Method == 'f':
		return castFunction(from, to, k)
	case k != nil && k.Method == 'b':
		return relabeled(from, to)
	}
	return throughText(from, to)
}

// ownCast is a function of a cast that the catalog has no function for.
func ownCast(from, to *Type, f evaluator) *ir.Function {
	name := to.key() + "<-" + from.key()
	return interned(name, func() *ir.Function {
		return &ir.Function{Name: name, Eval: evalOf(f, []*Type{from}), Strict: true, Settings: from.written() || to.written(), Canonical: to.canonicalFrom(from),
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

// castFunction gives the cast by a function of the catalog.
func castFunction(from, to *Type, k *catalog.Cast) *ir.Function {
	arg := from.Name
	if arg == "cidr" {
		arg = "inet"
	}
	if to.Name == "oid" && from.Name == "int2" {
		return relabeled(from, to)
	}
	return FunctionOf(k.Function+"("+arg+")", true, []*Type{from}, to)
}

// integerToBits gives the cast of an integer to bit(n), which takes the lowest bits.
func integerToBits(from *Type, n int) *ir.Function {
	to := &Type{Name: "bit", Length: max(n, 1)}
	return ownCast(from, to, func(a []ir.Value) (ir.Value, error) {
		return evaluators["bit("+from.Name+",int4)"]([]ir.Value{a[0], ir.Int(int64(to.Length))})
	})
}

// relabeled gives the cast between types that the server stores alike.
func relabeled(from, to *Type) *ir.Function {
	switch {
	case to.Name == "bpchar":
		return ownCast(from, to, func(a []ir.Value) (ir.Value, error) { return parsePadded(to, a[0].S) })
	case to.Name == "oid":
		return ownCast(from, to, pure(func(a []ir.Value) ir.Value { return ir.Int(int64(uint32(a[0].I))) }))
	case from.Name == "oid" && to.Name == "int4":
		return ownCast(from, to, pure(func(a []ir.Value) ir.Value { return ir.Int(int64(int32(a[0].I))) }))
	case from.IR() == to.IR():
		return nil
	}
	return ownCast(from, to, nil)
}

// throughText gives the cast by the output function of one type and the input
// function of the other one.
func throughText(from, to *Type) *ir.Function {
	if from.class().print == nil || to.class().parse == nil {
		return ownCast(from, to, nil)
	}
	return ownCast(from, to, func(a []ir.Value) (ir.Value, error) {
		s, known := from.output(a[0])
		if !known || len(s) > maxSize {
			return ir.Null, ir.ErrNotKnown
		}
		return to.Parse(s)
	})
}

// arrayCast casts each element.
func arrayCast(from, to *Type) *ir.Function {
	f := conversion(from.Elem, to.Elem)
	switch {
	case f == nil:
		return nil
	case f.Eval == nil:
		return ownCast(from, to, nil)
	}
	return ownCast(from, to, func(a []ir.Value) (ir.Value, error) {
		return mapped(from, a[0], func(e ir.Value) (ir.Value, error) { return f.Eval([]ir.Value{e}, to.Elem.IR()) })
	})
}

// mapped applies a function to each element of an array.
func mapped(t *Type, v ir.Value, f func(e ir.Value) (ir.Value, error)) (ir.Value, error) {
	elems := t.elems(v)
	for i, e := range elems {
		var err error
		if elems[i], err = f(e); err != nil {
			return ir.Null, err
		}
	}
	return newArray(elems)
}

// Coerce gives the conversion of a value of the base type of t to t: to numeric(p,s),
// varchar(n), char(n), bit(n), timestamp(n) and the like, and to a domain, whose check
// must hold; nil where every value stays as it is. An explicit cast cuts texts and bit
// strings that are too long; to store them is an error, but for blanks at the end.
func Coerce(t *Type, explicit bool) *ir.Function {
	if !t.coerces() {
		return nil
	}
	name := "stored as " + t.key()
	if explicit {
		name = "as " + t.key()
	}
	f := &ir.Function{Name: name, Strict: true, Eval: evalOf(func(a []ir.Value) (ir.Value, error) {
		return t.coerced(a[0], explicit)
	}, []*Type{t.base()})}
	if t.Name == "bit" {
		f.FailsOn = []int{0}
	}
	if t.checks() { // which types with one name have in different programs
		f.FailsOn = []int{0}
		return f
	}
	return interned(name, func() *ir.Function { return f })
}

// coerces reports whether the type has a modifier or check that may matter.
func (t *Type) coerces() bool {
	return t.Elem != nil && t.Elem.coerces() || t.Check != nil || t.Length > 0 || t.Name == "numeric" && t.Precision > 0 ||
		temporal(t.Name) && t.Precision >= 0 && t.Precision < 6
}

// coerced is what Coerce computes.
func (t *Type) coerced(v ir.Value, explicit bool) (ir.Value, error) {
	v, err := t.modified(v, explicit)
	if err == nil && t.Check != nil && !t.Check(v) {
		return ir.Null, failure("23514", "value for domain %s violates its check constraint", t)
	}
	return v, err
}

// modified brings a value into the form of the type's modifier.
func (t *Type) modified(v ir.Value, explicit bool) (ir.Value, error) {
	switch {
	case t.Elem != nil:
		return mapped(t, v, func(e ir.Value) (ir.Value, error) { return t.Elem.coerced(e, explicit) })
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
			return ir.Null, failure("22026", "bit string length %d does not match type %s", len(v.S), t)
		}
		return parseBits(t, v.S)
	case t.Name == "varbit" && t.Length > 0:
		if !explicit && len(v.S) > t.Length {
			return ir.Null, failure("22001", "bit string too long for type %s", t)
		}
		return parseBits(t, v.S)
	case temporal(t.Name) && t.Precision >= 0:
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
		return "", failure("22001", "value too long for type %s", t)
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
		z, ok := zonedTimeOf(v)
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		z.clock = roundFrom(0, z.clock, t.Precision)
		return z.value(), nil
	case "time":
		return ir.Time(roundFrom(0, v.I, t.Precision)), nil
	}
	if infinite(v.I) {
		return v, nil
	}
	days, clock := floorDiv(roundFrom(daysTo2000*day, v.I, t.Precision), day)
	return stampValue(stamp(days, clock))
}

// rounded rounds to a number of digits of a second; -1 is all digits.
func (i Interval) rounded(digits int) (ir.Value, error) {
	if max(i.Micros, -i.Micros) > math.MaxInt64-second || i.Micros == math.MinInt64 {
		return ir.Null, ir.ErrNotKnown // the server's sum overflows
	}
	i.Micros = roundFrom(0, i.Micros, digits)
	return i.Value(), nil
}

// roundFrom rounds the distance from an origin to a number of digits of a second;
// halves go away from the origin, and -1 is all digits.
func roundFrom(origin, us int64, digits int) int64 {
	if digits < 0 || digits >= 6 || infinite(us) {
		return us
	}
	unit := int64(math.Pow10(6 - digits))
	if us >= origin {
		return origin + (us-origin+unit/2)/unit*unit
	}
	return origin - (origin-us+unit/2)/unit*unit
}
