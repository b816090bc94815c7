package value

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/ir"
)

// Format is the part of a type of MySQL that says which values a column holds, and what it makes of others when it stores
// them.
type Format struct {
	// Name is the type in SQL.
	Name string
	// Kind is that of the values; where All, each of them is one of the type.
	Kind ir.Kind
	All  bool
	// Lo and Hi are the bounds of integers.
	Lo, Hi int64
	// Length is how many characters a text has at most; Pads says that blanks at its end go. Labels are the texts of an ENUM.
	Length int
	Pads   bool
	Labels []string
	// Digits is how many digits stand before the point of a decimal, Scale how many behind it, or behind the seconds of a
	// time. Unsigned says that a number is not negative.
	Digits, Scale int
	Unsigned      bool
}

// Binary is the collation of texts that are equal only if their bytes are, and Mixed that of results of functions, which
// depends on the arguments in ways that are not known.
const (
	Binary = "binary"
	Mixed  = "mixed"
)

// fits reports whether a value that is not NULL is one of a column.
func (f *Format) fits(v ir.Value) bool {
	if v.Kind != f.Kind || f.All {
		return v.Kind == f.Kind
	}
	switch f.Kind {
	case ir.KindInt:
		return v.I >= f.Lo && v.I <= f.Hi
	case ir.KindNum:
		r := v.Rat()
		digits, exact := r.FloatPrec()
		limit := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(f.Digits)), nil))
		return exact && digits <= f.Scale && (!f.Unsigned || r.Sign() >= 0) && new(big.Rat).Abs(r).Cmp(limit) < 0
	case ir.KindText:
		if f.Labels != nil {
			return slices.Contains(f.Labels, v.S)
		}
		return len([]rune(v.S)) <= f.Length && !(f.Pads && strings.HasSuffix(v.S, " "))
	case ir.KindTime:
		return v.I%int64(math.Pow10(6-min(f.Scale, 6))) == 0
	}
	return true
}

// sample gives values that differ.
func (f *Format) sample(i int) (ir.Value, bool) {
	if i < 0 || i > 20 {
		return ir.Null, false
	}
	v := ir.Null
	switch f.Kind {
	case ir.KindInt:
		v = ir.Int(int64(i))
	case ir.KindNum:
		v = ir.Num(big.NewRat(int64(i), 1))
	case ir.KindText:
		switch {
		case f.Labels != nil && i >= len(f.Labels):
			return ir.Null, false
		case f.Labels != nil:
			v = ir.Text(f.Labels[i])
		default:
			v = ir.Text(string(rune('a' + i)))
		}
	case ir.KindTime:
		v = ir.Time(time.Date(2024, 1, 1+i, 0, 0, 0, 0, time.UTC).UnixMicro())
	}
	return v, f.fits(v)
}

// literal writes a value in SQL.
func (f *Format) literal(v ir.Value) string {
	switch v.Kind {
	case ir.KindNull:
		return "NULL"
	case ir.KindInt:
		return strconv.FormatInt(v.I, 10)
	case ir.KindNum:
		return v.Rat().FloatString(f.Scale)
	case ir.KindTime:
		return "'" + time.UnixMicro(v.I).UTC().Format("2006-01-02 15:04:05.999999") + "'"
	}
	return "'" + strings.NewReplacer(`\`, `\\`, "'", "''").Replace(v.S) + "'"
}

// read reads what a server prints.
func (f *Format) read(s string) (ir.Value, bool) {
	v, ok := ir.Text(s), true
	switch f.Kind {
	case ir.KindInt:
		i, err := strconv.ParseInt(s, 10, 64)
		v, ok = ir.Int(i), err == nil
	case ir.KindNum:
		r, isNumber := new(big.Rat).SetString(s)
		if !isNumber {
			return ir.Null, false
		}
		v = ir.Num(r)
	case ir.KindTime:
		at, err := time.Parse("2006-01-02 15:04:05.999999", s)
		if err != nil {
			at, err = time.Parse("2006-01-02", s)
		}
		v, ok = ir.Time(at.UnixMicro()), err == nil
	}
	return v, ok && f.fits(v)
}

var errNoLabel = errors.New("a text that is no value of an ENUM")

// Kept is the function by which a column stores a value of its kind that it can hold, but not as it is: it rounds decimals,
// cuts times and blanks, and writes values of an ENUM as they are declared. It is nil where every value stays.
func (f *Format) Kept() *ir.Function {
	known := func(name string, eval func(v ir.Value) (ir.Value, error)) *ir.Function {
		return &ir.Function{Name: name, Params: []ir.Kind{f.Kind}, Result: f.Kind, Strict: true,
			Eval: func(args []ir.Value, _ ir.Type) (ir.Value, error) { return eval(args[0]) }}
	}
	switch {
	case f.All:
		return nil
	case f.Kind == ir.KindNum:
		return known("mysql round "+strconv.Itoa(f.Scale), func(v ir.Value) (ir.Value, error) {
			r, _ := new(big.Rat).SetString(v.Rat().FloatString(f.Scale)) // half away from zero
			return ir.Num(r), nil
		})
	case f.Kind == ir.KindTime: // which of the two depends on the version
		return &ir.Function{Name: "mysql cut or round " + strconv.Itoa(f.Scale), Strict: true}
	case f.Labels != nil:
		return known("mysql as "+f.Name, func(v ir.Value) (ir.Value, error) {
			for _, l := range f.Labels {
				if strings.EqualFold(l, strings.TrimRight(v.S, " ")) {
					return ir.Text(l), nil
				}
			}
			return ir.Null, errNoLabel
		})
	case f.Pads:
		return known("mysql without blanks", func(v ir.Value) (ir.Value, error) { return ir.Text(strings.TrimRight(v.S, " ")), nil })
	}
	return nil
}
