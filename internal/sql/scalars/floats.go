package scalars

import (
	"math"
	"math/big"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// FloatType is a type of floats: how many bits it has, and how it rounds.
type FloatType struct {
	Name, digit string
	Bits        int
	Round       func(f float64) float64
}

var (
	Float4 = FloatType{"float4", "4", 32, func(f float64) float64 { return float64(float32(f)) }}
	Float8 = FloatType{"float8", "8", 64, func(f float64) float64 { return f }}
)

// Result gives the value of an operation; zero says that it may be 0, where another
// 0 is an underflow.
func (t FloatType) Result(f float64, zero bool) (ir.Value, error) {
	switch f = t.Round(f); {
	case math.IsNaN(f):
		return ir.Null, ir.ErrNotKnown
	case math.IsInf(f, 0), f == 0 && !zero:
		return ir.Null, value.OutOfRange()
	}
	return value.Float(f), nil
}

func init() {
	for _, x := range []FloatType{Float4, Float8} {
		for _, y := range []FloatType{Float4, Float8} {
			prefix, wide := "float"+x.digit+y.digit, Float8
			if x.Name == y.Name {
				prefix, wide = "float"+x.digit, x
			}
			args := "(" + x.Name + "," + y.Name + ")"
			Comparisons(prefix, args, value.Plain)
			value.Define(map[string]value.Evaluator{
				prefix + "pl" + args:  wide.arith(func(x, y float64) (float64, bool) { return x + y, true }),
				prefix + "mi" + args:  wide.arith(func(x, y float64) (float64, bool) { return x - y, true }),
				prefix + "mul" + args: wide.arith(func(x, y float64) (float64, bool) { return x * y, x == 0 || y == 0 }),
				prefix + "div" + args: wide.divide,
			})
		}
		x.functions()
	}
	float8Functions()
	floatCasts()
}

// arith is an operation on two floats; f also says whether its result may be 0. A
// single float64 operation on two float32s rounds to float32 as the operation on
// float32s does.
func (t FloatType) arith(f func(x, y float64) (float64, bool)) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) { return t.Result(f(value.Double(a[0]), value.Double(a[1]))) }
}

func (t FloatType) divide(a []ir.Value) (ir.Value, error) {
	x, y := value.Double(a[0]), value.Double(a[1])
	if y == 0 {
		return ir.Null, DivisionByZero()
	}
	return t.Result(x/y, x == 0)
}

// functions adds the functions of one type of floats.
func (t FloatType) functions() {
	prefix, one, two := "float"+t.digit, "("+t.Name+")", "("+t.Name+","+t.Name+")"
	abs := value.Pure(func(a []ir.Value) ir.Value { return ir.Num(new(big.Rat).Abs(a[0].Rat())) })
	value.Define(map[string]value.Evaluator{
		prefix + "abs" + one:     abs,
		"abs" + one:              abs,
		prefix + "um" + one:      value.Pure(func(a []ir.Value) ir.Value { return ir.Num(new(big.Rat).Neg(a[0].Rat())) }),
		prefix + "up" + one:      value.Pure(func(a []ir.Value) ir.Value { return a[0] }),
		prefix + "larger" + two:  Pick(1, value.Plain),
		prefix + "smaller" + two: Pick(-1, value.Plain),
	})
}

// exactly is a function of one float whose result is known where it is a float.
func exactly(f func(x *big.Rat) (*big.Rat, error)) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		r, err := f(a[0].Rat())
		if err != nil {
			return ir.Null, err
		}
		if _, exact := r.Float64(); !exact {
			return ir.Null, ir.ErrNotKnown
		}
		return ir.Num(r), nil
	}
}

// rounded is a function that gives an integer as a float.
func rounded(f func(x float64) float64) value.Evaluator {
	return value.Pure(func(a []ir.Value) ir.Value { return value.Float(f(value.Double(a[0]))) })
}

func float8Functions() {
	// The other functions of an IEEE machine are known to the last digit, these are not.
	sqrt := func(a []ir.Value) (ir.Value, error) {
		x := value.Double(a[0])
		if x < 0 {
			return ir.Null, value.Failure("2201F", "cannot take square root of a negative number")
		}
		return Float8.Result(math.Sqrt(x), x == 0)
	}
	ln := exactly(func(x *big.Rat) (*big.Rat, error) { return logarithm(big.NewRat(1, 1), x) })
	log10 := exactly(func(x *big.Rat) (*big.Rat, error) { return logarithm(big.NewRat(10, 1), x) })
	exp := exactly(func(x *big.Rat) (*big.Rat, error) {
		if x.Sign() != 0 {
			return nil, ir.ErrNotKnown
		}
		return big.NewRat(1, 1), nil
	})
	trigonometry()
	round, trunc, ceil := rounded(math.RoundToEven), rounded(math.Trunc), rounded(math.Ceil)
	toRadians := 0.0174532925199432957692
	value.Define(map[string]value.Evaluator{
		"sqrt(float8)": sqrt, "dsqrt(float8)": sqrt,
		"ln(float8)": ln, "dlog1(float8)": ln, "log(float8)": log10, "log10(float8)": log10, "dlog10(float8)": log10,
		"exp(float8)": exp, "dexp(float8)": exp,
		"power(float8,float8)": floatPower, "pow(float8,float8)": floatPower, "dpow(float8,float8)": floatPower,
		"round(float8)": round, "dround(float8)": round, "trunc(float8)": trunc, "dtrunc(float8)": trunc,
		"ceil(float8)": ceil, "ceiling(float8)": ceil, "floor(float8)": rounded(math.Floor),
		"sign(float8)": value.Pure(func(a []ir.Value) ir.Value { return ir.Num(big.NewRat(int64(a[0].Rat().Sign()), 1)) }),
		"pi()":         value.Pure(func([]ir.Value) ir.Value { return value.Float(math.Pi) }),
		"degrees(float8)": func(a []ir.Value) (ir.Value, error) {
			x := value.Double(a[0])
			return Float8.Result(x/toRadians, x == 0)
		},
		"radians(float8)": func(a []ir.Value) (ir.Value, error) {
			x := value.Double(a[0])
			return Float8.Result(x*toRadians, x == 0)
		},
		"width_bucket(float8,float8,float8,int4)": floatBucket,
	})
}

// logarithm gives the logarithm of x if it is an integer, for the base 10, or 0.
// The base 1 stands for all.
func logarithm(base, x *big.Rat) (*big.Rat, error) {
	if x.Sign() <= 0 {
		return nil, value.Failure("2201E", "cannot take logarithm of a number that is not positive")
	}
	if x.Cmp(big.NewRat(1, 1)) == 0 {
		return new(big.Rat), nil
	}
	if base.Cmp(big.NewRat(10, 1)) == 0 {
		// Only these powers of 10 are floats.
		for n := range 23 {
			if x.Cmp(value.Power10(n)) == 0 {
				return big.NewRat(int64(n), 1), nil
			}
		}
	}
	return nil, ir.ErrNotKnown
}

// floatPower is known where the exact result is a float.
func floatPower(a []ir.Value) (ir.Value, error) {
	x, y := a[0].Rat(), a[1].Rat()
	if v, err := plainPower(x, y); !value.NotKnown(err) {
		return v, err
	}
	if !y.IsInt() || !y.Num().IsInt64() || new(big.Int).Abs(y.Num()).Cmp(big.NewInt(1100)) > 0 {
		return ir.Null, ir.ErrNotKnown
	}
	r, ok := rationalPower(x, y.Num().Int64(), 4096)
	if !ok {
		return ir.Null, ir.ErrNotKnown
	}
	if f, exact := r.Float64(); !exact || f == 0 || math.IsInf(f, 0) {
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Num(r), nil
}

// plainPower is x to the y where no arithmetic is needed: errors, 0 and 1.
func plainPower(x, y *big.Rat) (ir.Value, error) {
	switch {
	case x.Sign() == 0 && y.Sign() < 0:
		return ir.Null, value.Failure("2201F", "zero raised to a negative power is undefined")
	case x.Sign() < 0 && !y.IsInt():
		return ir.Null, value.Failure("2201F", "a negative number raised to a non-integer power yields a complex result")
	case y.Sign() == 0 || x.Cmp(big.NewRat(1, 1)) == 0:
		return ir.Num(big.NewRat(1, 1)), nil
	case x.Sign() == 0:
		return ir.Num(new(big.Rat)), nil
	}
	return ir.Null, ir.ErrNotKnown
}

// rationalPower is x to the n, which is not 0; false if it has too many bits.
func rationalPower(x *big.Rat, n int64, limit int) (*big.Rat, bool) {
	count := n
	if n < 0 {
		count = -n
	}
	size := max(x.Num().BitLen(), x.Denom().BitLen()) - 1
	if count > 1 && size > 0 && count > int64(limit/size) {
		return nil, false
	}
	e := big.NewInt(count)
	r := new(big.Rat).SetFrac(new(big.Int).Exp(x.Num(), e, nil), new(big.Int).Exp(x.Denom(), e, nil))
	if n < 0 {
		r.Inv(r)
	}
	return r, true
}

// floatBucket is width_bucket, computed with floats.
func floatBucket(a []ir.Value) (ir.Value, error) {
	x, low, high, count := value.Double(a[0]), value.Double(a[1]), value.Double(a[2]), a[3].I
	if err := bucketError(count, low == high); err != nil {
		return ir.Null, err
	}
	if low > high {
		x, low, high = -x, -low, -high
	}
	switch {
	case x < low:
		return ir.Int(0), nil
	case x >= high:
		return IntResult(new(big.Int).Add(big.NewInt(count), big.NewInt(1)), 32)
	case math.IsInf(high-low, 0):
		return ir.Null, ir.ErrNotKnown
	}
	// Versions of the server differ in the order of the operations and at the last bucket.
	c, width := float64(count), high-low
	n, other := math.Floor(c*((x-low)/width)), math.Floor(c*(x-low)/width+1)-1
	if n != other || n >= c {
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Int(int64(n) + 1), nil
}

func bucketError(count int64, empty bool) error {
	switch {
	case count <= 0:
		return value.Failure("2201G", "count must be greater than zero")
	case empty:
		return value.Failure("2201G", "lower bound cannot equal upper bound")
	}
	return nil
}

// floatCasts adds the casts between floats and the other numbers.
func floatCasts() {
	for _, t := range []FloatType{Float4, Float8} {
		for _, x := range Integers {
			value.Define(map[string]value.Evaluator{
				t.Name + "(" + x.Name + ")": value.Pure(func(a []ir.Value) ir.Value { return ir.Num(t.nearest(a[0].Rat())) }),
				// Halves go to the even neighbour.
				x.Name + "(" + t.Name + ")": func(a []ir.Value) (ir.Value, error) {
					i, _ := new(big.Float).SetFloat64(math.RoundToEven(value.Double(a[0]))).Int(nil)
					return IntResult(i, x.Bits)
				},
			})
		}
		value.Define(map[string]value.Evaluator{
			"numeric(" + t.Name + ")": t.decimal,
			t.Name + "(numeric)":      t.OfNumeric,
		})
	}
	value.Define(map[string]value.Evaluator{
		"float8(float4)": value.Pure(func(a []ir.Value) ir.Value { return a[0] }),
		"float4(float8)": func(a []ir.Value) (ir.Value, error) {
			x := value.Double(a[0])
			return Float4.Result(x, x == 0)
		},
	})
}

// nearest rounds a rational to a float.
func (t FloatType) nearest(r *big.Rat) *big.Rat {
	if t.Bits == 32 {
		f, _ := r.Float32()
		return new(big.Rat).SetFloat64(float64(f))
	}
	f, _ := r.Float64()
	return new(big.Rat).SetFloat64(f)
}

// decimal casts to numeric, which takes 6 or 15 digits.
func (t FloatType) decimal(a []ir.Value) (ir.Value, error) {
	digits := 15
	if t.Bits == 32 {
		digits = 6
	}
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(value.Double(a[0]), 'e', digits-1, 64))
	if !ok {
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Num(r), nil
}

// OfNumeric converts a numeric.
func (t FloatType) OfNumeric(a []ir.Value) (ir.Value, error) {
	r := a[0].Rat()
	f, _ := r.Float64()
	if t.Bits == 32 {
		single, _ := r.Float32()
		f = float64(single)
	}
	return t.Result(f, r.Sign() == 0)
}

// trigonometry adds the functions whose value is known at 0 or 1 alone, with their
// domains.
func trigonometry() {
	at := func(point, valueName float64, domain func(x float64) bool) value.Evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			switch x := value.Double(a[0]); {
			case domain != nil && !domain(x):
				return ir.Null, value.OutOfRange()
			case x == point:
				return value.Float(valueName), nil
			}
			return ir.Null, ir.ErrNotKnown
		}
	}
	unit := func(x float64) bool { return x >= -1 && x <= 1 }
	for name, f := range map[string]value.Evaluator{
		"sin": at(0, 0, nil), "cos": at(0, 1, nil), "tan": at(0, 0, nil), "sinh": at(0, 0, nil), "cosh": at(0, 1, nil), "tanh": at(0, 0, nil),
		"asin": at(0, 0, unit), "acos": at(1, 0, unit), "atan": at(0, 0, nil), "asinh": at(0, 0, nil), "atanh": at(0, 0, unit),
		"acosh": at(1, 0, func(x float64) bool { return x >= 1 }),
		"sind":  at(30, 0.5, nil), "cosd": at(60, 0.5, nil), "tand": at(45, 1, nil), "asind": at(0.5, 30, unit), "acosd": at(0.5, 60, unit), "atand": at(1, 45, nil),
		"cbrt": at(1, 1, nil), "dcbrt": at(1, 1, nil),
	} {
		value.Define(map[string]value.Evaluator{name + "(float8)": f})
	}
}
