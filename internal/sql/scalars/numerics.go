package scalars

import (
	"math"
	"math/big"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// maxBits bounds the size of numerics that functions make.
const maxBits = 16_000

// Numeric gives a result, whose size is bounded.
func Numeric(r *big.Rat) (ir.Value, error) {
	if r.Num().BitLen() > maxBits || r.Denom().BitLen() > maxBits {
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Num(r), nil
}

// exact1 and exact2 are functions of one and two numerics that are always exact.
func exact1(f func(z, x *big.Rat) *big.Rat) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) { return Numeric(f(new(big.Rat), a[0].Rat())) }
}

func exact2(f func(z, x, y *big.Rat) *big.Rat) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) { return Numeric(f(new(big.Rat), a[0].Rat(), a[1].Rat())) }
}

func init() {
	Comparisons("numeric_", "(numeric,numeric)", value.Plain)
	abs, mod, div := exact1((*big.Rat).Abs), numericMod, numericDivTrunc
	ceil := roundedNumeric(func(r *big.Rat) *big.Int { return ceiling(r) })
	sqrt, power, exp, ln := numericSqrt, numericPower, numericExp, numericLog(nil)
	log10 := numericLog(big.NewRat(10, 1))
	value.Define(map[string]value.Evaluator{
		"numeric_add(numeric,numeric)": exact2((*big.Rat).Add),
		"numeric_sub(numeric,numeric)": exact2((*big.Rat).Sub),
		"numeric_mul(numeric,numeric)": exact2((*big.Rat).Mul),
		"numeric_uminus(numeric)":      exact1((*big.Rat).Neg),
		"numeric_uplus(numeric)":       value.Pure(func(a []ir.Value) ir.Value { return a[0] }),
		"numeric_inc(numeric)":         exact1(func(z, x *big.Rat) *big.Rat { return z.Add(x, big.NewRat(1, 1)) }),
		"numeric_abs(numeric)":         abs, "abs(numeric)": abs,
		"numeric_mod(numeric,numeric)": mod, "mod(numeric,numeric)": mod,
		"numeric_div_trunc(numeric,numeric)": div, "div(numeric,numeric)": div,
		"numeric_larger(numeric,numeric)":  Pick(1, value.Plain),
		"numeric_smaller(numeric,numeric)": Pick(-1, value.Plain),
		"ceil(numeric)":                    ceil, "ceiling(numeric)": ceil,
		"floor(numeric)": roundedNumeric(floor),
		"sign(numeric)":  value.Pure(func(a []ir.Value) ir.Value { return ir.Num(big.NewRat(int64(a[0].Rat().Sign()), 1)) }),
		"round(numeric)": exact1(func(_, x *big.Rat) *big.Rat { return value.RoundTo(x, 0) }),
		"round(numeric,int4)": func(a []ir.Value) (ir.Value, error) {
			return Numeric(value.RoundTo(a[0].Rat(), int(max(-2000, min(2000, a[1].I)))))
		},
		"trunc(numeric)": exact1(func(_, x *big.Rat) *big.Rat { return truncTo(x, 0) }),
		"trunc(numeric,int4)": func(a []ir.Value) (ir.Value, error) {
			return Numeric(truncTo(a[0].Rat(), int(max(-2000, min(2000, a[1].I)))))
		},
		"trim_scale(numeric)":  value.Pure(func(a []ir.Value) ir.Value { return a[0] }),
		"min_scale(numeric)":   value.Pure(func(a []ir.Value) ir.Value { return ir.Int(int64(ScaleOf(a[0].Rat()))) }),
		"gcd(numeric,numeric)": exact2(func(z, x, y *big.Rat) *big.Rat { return z.Set(rationalGCD(x, y)) }),
		"lcm(numeric,numeric)": exact2(func(z, x, y *big.Rat) *big.Rat {
			if x.Sign() == 0 || y.Sign() == 0 {
				return z
			}
			return z.Abs(z.Mul(z.Quo(x, rationalGCD(x, y)), y))
		}),
		"factorial(int8)": factorial,
		"sqrt(numeric)":   sqrt, "numeric_sqrt(numeric)": sqrt,
		"power(numeric,numeric)": power, "pow(numeric,numeric)": power, "numeric_power(numeric,numeric)": power,
		"exp(numeric)": exp, "numeric_exp(numeric)": exp,
		"ln(numeric)": ln, "numeric_ln(numeric)": ln, "log(numeric)": log10, "log10(numeric)": log10,
		"log(numeric,numeric)": logToBase, "numeric_log(numeric,numeric)": logToBase,
		"width_bucket(numeric,numeric,numeric,int4)": numericBucket,
	})
	value.DefineFamilies(map[string]value.Family{
		"numeric_div(numeric,numeric)": func(args []*value.Type, _ *value.Type) value.Evaluator {
			return func(a []ir.Value) (ir.Value, error) {
				if a[1].Rat().Sign() == 0 {
					return ir.Null, DivisionByZero()
				}
				if args[0].Precision == 0 || args[1].Precision == 0 { // values may show more digits than they have
					return ir.Null, ir.ErrNotKnown
				}
				return Numeric(Quotient(a[0].Rat(), a[1].Rat(), max(DeclaredScale(args[0]), DeclaredScale(args[1]))))
			}
		},
		"scale(numeric)": func(args []*value.Type, _ *value.Type) value.Evaluator {
			if args[0].Precision == 0 {
				return nil
			}
			return value.Pure(func([]ir.Value) ir.Value { return ir.Int(int64(DeclaredScale(args[0]))) })
		},
	})
	numericCasts()
}

// DeclaredScale is the s of numeric(p,s), 0 where there is none.
func DeclaredScale(t *value.Type) int {
	if t.Name == "numeric" && t.Precision > 0 {
		return max(t.Scale, 0)
	}
	return 0
}

// numericCasts adds the casts between numeric and integers.
func numericCasts() {
	for _, x := range Integers {
		value.Define(map[string]value.Evaluator{
			"numeric(" + x.Name + ")": value.Pure(func(a []ir.Value) ir.Value { return ir.Num(a[0].Rat()) }),
			// Halves go away from 0.
			x.Name + "(numeric)": func(a []ir.Value) (ir.Value, error) { return IntResult(value.RoundTo(a[0].Rat(), 0).Num(), x.Bits) },
		})
	}
}

func floor(r *big.Rat) *big.Int {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int)) // the remainder is not negative
	_ = m
	return q
}

func ceiling(r *big.Rat) *big.Int { return new(big.Int).Neg(floor(new(big.Rat).Neg(r))) }

func roundedNumeric(f func(r *big.Rat) *big.Int) value.Evaluator {
	return exact1(func(z, x *big.Rat) *big.Rat { return z.SetInt(f(x)) })
}

// truncTo cuts the digits after a number of digits behind the point, which may be
// negative.
func truncTo(r *big.Rat, digits int) *big.Rat {
	unit := value.Power10(digits)
	x := new(big.Rat).Mul(r, unit)
	return x.Quo(new(big.Rat).SetInt(new(big.Int).Quo(x.Num(), x.Denom())), unit)
}

// ScaleOf is the number of digits after the point that show a number.
func ScaleOf(r *big.Rat) int {
	n, exact := r.FloatPrec()
	if !exact {
		return 1000 // no numeric is such a number
	}
	return n
}

func numericMod(a []ir.Value) (ir.Value, error) {
	x, y := a[0].Rat(), a[1].Rat()
	if y.Sign() == 0 {
		return ir.Null, DivisionByZero()
	}
	q := truncTo(new(big.Rat).Quo(x, y), 0)
	return Numeric(x.Sub(x, q.Mul(q, y)))
}

func numericDivTrunc(a []ir.Value) (ir.Value, error) {
	x, y := a[0].Rat(), a[1].Rat()
	if y.Sign() == 0 {
		return ir.Null, DivisionByZero()
	}
	return Numeric(truncTo(x.Quo(x, y), 0))
}

// leading gives the position and the value of the first digit to the base 10000 that
// is not 0; the digit before the point has position 0.
func leading(r *big.Rat) (weight int, digit int64) {
	if r.Sign() == 0 {
		return 0, 0
	}
	x := new(big.Rat).Abs(r)
	weight = int(math.Floor(math.Floor(log10Of(x)) / 4))
	for {
		d := floor(new(big.Rat).Quo(x, value.Power10(4*weight)))
		switch {
		case d.Sign() == 0:
			weight--
		case d.Cmp(big.NewInt(10000)) >= 0:
			weight++
		default:
			return weight, d.Int64()
		}
	}
}

// log10Of is about the logarithm of a number above 0.
func log10Of(x *big.Rat) float64 {
	return float64(x.Num().BitLen()-x.Denom().BitLen()) * math.Log10(2)
}

const (
	minSignificant = 16
	maxDisplay     = 1000
)

// Quotient divides as the server does: rounded so that at least 16 digits of the
// result count, or as many after the point as one of the operands shows, which is
// at least scale.
func Quotient(x, y *big.Rat, scale int) *big.Rat {
	return value.RoundTo(new(big.Rat).Quo(x, y), QuotientScale(x, y, scale))
}

// QuotientScale is the number of digits after the point that the server computes of x / y, at least scale.
func QuotientScale(x, y *big.Rat, scale int) int {
	weightX, digitX := leading(x)
	weightY, digitY := leading(y)
	weight := weightX - weightY
	if digitX <= digitY {
		weight--
	}
	return min(max(minSignificant-4*weight, ScaleOf(x), ScaleOf(y), scale), maxDisplay)
}

func rationalGCD(x, y *big.Rat) *big.Rat {
	unit := value.Power10(max(ScaleOf(x), ScaleOf(y)))
	whole := func(r *big.Rat) *big.Int { return new(big.Rat).Mul(r, unit).Num() }
	return new(big.Rat).Quo(new(big.Rat).SetInt(gcd(whole(x), whole(y))), unit)
}

func factorial(a []ir.Value) (ir.Value, error) {
	switch n := a[0].I; {
	case n < 0 || n > 32177:
		return ir.Null, value.OutOfRange()
	case n > 1000:
		return ir.Null, ir.ErrNotKnown
	default:
		return Numeric(new(big.Rat).SetInt(new(big.Int).MulRange(1, max(n, 1))))
	}
}

// numericSqrt rounds the square root to the scale that the server chooses.
func numericSqrt(a []ir.Value) (ir.Value, error) {
	x := a[0].Rat()
	if x.Sign() < 0 {
		return ir.Null, value.Failure("2201F", "cannot take square root of a negative number")
	}
	if x.Sign() == 0 {
		return a[0], nil
	}
	return Numeric(SquareRoot(x, rootScale(x)))
}

// rootScale is the number of digits after the point that sqrt(numeric) gives.
func rootScale(x *big.Rat) int {
	weight, _ := leading(x)
	return min(max(minSignificant-((weight+1)*4/2-1), ScaleOf(x), 0), maxDisplay)
}

// SquareRoot is the square root, rounded to a scale.
func SquareRoot(x *big.Rat, scale int) *big.Rat {
	unit := value.Power10(scale + 1)
	scaled := floor(new(big.Rat).Mul(x, new(big.Rat).Mul(unit, unit)))
	// The digits that are cut off never make a half of more than it.
	return value.RoundTo(new(big.Rat).Quo(new(big.Rat).SetInt(new(big.Int).Sqrt(scaled)), unit), scale)
}

// numericPower is known where the result is exact.
func numericPower(a []ir.Value) (ir.Value, error) {
	x, y := a[0].Rat(), a[1].Rat()
	if v, err := plainPower(x, y); !value.NotKnown(err) {
		return v, err
	}
	if !y.IsInt() || !y.Num().IsInt64() {
		return ir.Null, ir.ErrNotKnown
	}
	r, ok := rationalPower(x, y.Num().Int64(), maxBits)
	if !ok {
		return ir.Null, ir.ErrNotKnown
	}
	if n, exact := r.FloatPrec(); !exact || n > minSignificant {
		return ir.Null, ir.ErrNotKnown
	}
	return Numeric(r)
}

func numericExp(a []ir.Value) (ir.Value, error) {
	if a[0].Rat().Sign() != 0 {
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Num(big.NewRat(1, 1)), nil
}

// numericLog is the logarithm to a base, which is known where it is an integer; the
// natural one for nil.
func numericLog(base *big.Rat) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) { return logOf(base, a[0].Rat()) }
}

func logToBase(a []ir.Value) (ir.Value, error) {
	base := a[0].Rat()
	if _, err := logOf(nil, base); err != nil && !value.NotKnown(err) {
		return ir.Null, err
	}
	if _, err := logOf(nil, a[1].Rat()); err != nil && !value.NotKnown(err) {
		return ir.Null, err
	}
	if base.Cmp(big.NewRat(1, 1)) == 0 {
		return ir.Null, DivisionByZero()
	}
	return logOf(base, a[1].Rat())
}

func logOf(base, x *big.Rat) (ir.Value, error) {
	one := big.NewRat(1, 1)
	switch {
	case x.Sign() <= 0:
		return ir.Null, value.Failure("2201E", "cannot take logarithm of a number that is not positive")
	case x.Cmp(one) == 0:
		return ir.Num(new(big.Rat)), nil
	case base == nil || base.Cmp(one) <= 0:
		return ir.Null, ir.ErrNotKnown
	}
	// The logarithm that an exact power would have.
	n := int64(math.Round(log10Of(x) / math.Max(log10Of(base), 0.1)))
	for _, n := range []int64{n - 1, n, n + 1} {
		if n == 0 {
			continue
		}
		if p, ok := rationalPower(base, n, maxBits); ok && p.Cmp(x) == 0 {
			return ir.Num(big.NewRat(n, 1)), nil
		}
	}
	return ir.Null, ir.ErrNotKnown
}

// numericBucket is width_bucket. The server divides with rounding.
func numericBucket(a []ir.Value) (ir.Value, error) {
	x, low, high, count := a[0].Rat(), a[1].Rat(), a[2].Rat(), a[3].I
	if err := bucketError(count, low.Cmp(high) == 0); err != nil {
		return ir.Null, err
	}
	if low.Cmp(high) > 0 {
		x.Neg(x)
		low.Neg(low)
		high.Neg(high)
	}
	switch {
	case x.Cmp(low) < 0:
		return ir.Int(0), nil
	case x.Cmp(high) >= 0:
		return IntResult(new(big.Int).Add(big.NewInt(count), big.NewInt(1)), 32)
	}
	part := new(big.Rat).Mul(x.Sub(x, low), new(big.Rat).SetInt64(count))
	n := floor(Quotient(part, high.Sub(high, low), 0)).Int64()
	if n >= count { // versions of the server differ
		return ir.Null, ir.ErrNotKnown
	}
	return ir.Int(n + 1), nil
}
