package value

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
)

// FromText is the function that reads a text as a value of a type: its input
// function, as an explicit cast calls it. It fails for texts that are none.
func FromText(t *Type) *ir.Function {
	return converter(t.String()+"<-text", func(v ir.Value) (ir.Value, error) { return t.Parse(v.S) })
}

// ToText is the function that gives the text of a value in a cast.
func ToText(t *Type) *ir.Function {
	f := func(v ir.Value) (ir.Value, error) { return ir.Text(t.Print(v)), nil }
	switch {
	case t.class().print == nil || t.Name == "numeric" && t.Precision == 0:
		f = nil // the digits after the last one that is not 0 are not known
	case t.Name == "bpchar": // without its padding
		f = func(v ir.Value) (ir.Value, error) { return ir.Text(v.S), nil }
	case t.Name == "inet": // with the length
		f = func(v ir.Value) (ir.Value, error) { return ir.Text(v.S), nil }
	}
	return converter("text<-"+t.String(), f)
}

// Stored is the function that makes a value of the same type, without a modifier,
// fit its modifier, as an assignment does: numbers and times are rounded, texts that
// are too long are an error unless blanks are too many.
func Stored(t *Type) *ir.Function {
	return converter("stored "+t.String(), func(v ir.Value) (ir.Value, error) { return t.fit(v, false) })
}

// Cast is the function that makes a value of the same type, without a modifier, fit
// its modifier, as an explicit cast does: texts that are too long are cut.
func Cast(t *Type) *ir.Function {
	return converter("cast "+t.String(), func(v ir.Value) (ir.Value, error) { return t.fit(v, true) })
}

func (t *Type) fit(v ir.Value, cut bool) (ir.Value, error) {
	switch {
	case t.Name == "numeric" && t.Precision > 0:
		return t.Round(v.Rat())
	case v.Kind == ir.KindTime:
		return ir.Time(roundTime(v.I, t.Precision)), nil
	case t.Length > 0 && (t.Name == "varchar" || t.Name == "bpchar"):
		r := []rune(v.S)
		if len(r) > t.Length {
			if !cut && strings.Trim(string(r[t.Length:]), " ") != "" {
				return ir.Null, tooLong(t)
			}
			r = r[:t.Length]
		}
		if t.Name == "bpchar" {
			return ir.Text(strings.TrimRight(string(r), " ")), nil
		}
		return ir.Text(string(r)), nil
	case t.Length > 0 && !cut && (t.Name == "bit" && len(v.S) != t.Length || len(v.S) > t.Length):
		return ir.Null, tooLong(t)
	}
	return t.Parse(t.Print(v))
}

func tooLong(t *Type) error { return fmt.Errorf("the value is too long for type %s", t) }

// Padded is the function that takes the padding of char(n) away, which is no part of
// its values.
var Padded = &ir.Function{Name: "bpchar<-text", Strict: true, Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) {
	return ir.Text(strings.TrimRight(a[0].S, " ")), nil
}}

// Rank is the function that gives the place of a label in its enum, from 0.
func Rank(t *Type) *ir.Function {
	return converter("rank "+t.String(), func(v ir.Value) (ir.Value, error) {
		i := slices.Index(t.Labels, v.S)
		if i < 0 {
			return ir.Null, invalid(t, v.S)
		}
		return ir.Int(int64(i)), nil
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

// converter makes a strict function of one argument. Equal names are one function.
func converter(name string, f func(v ir.Value) (ir.Value, error)) *ir.Function {
	fn := &ir.Function{Name: name, Strict: true}
	if f != nil {
		fn.Eval = func(a []ir.Value, _ ir.Type) (ir.Value, error) { return f(a[0]) }
	}
	return fn
}
