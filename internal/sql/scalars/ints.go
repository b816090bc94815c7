package scalars

import (
	"math/big"
	"math/bits"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

// Integers are the integer types: by the name that functions of operators have for
// them, the number of their bits.
var Integers = []struct {
	Digit, Name string
	Bits        uint
}{{"2", "int2", 16}, {"4", "int4", 32}, {"8", "int8", 64}}

func init() {
	for _, x := range Integers {
		for _, y := range Integers {
			prefix, args := "int"+x.Digit+y.Digit, "("+x.Name+","+y.Name+")"
			if x == y {
				prefix = "int" + x.Digit
			}
			width := max(x.Bits, y.Bits)
			Comparisons(prefix, args, value.Plain)
			value.Define(map[string]value.Evaluator{
				prefix + "pl" + args:  intArith(width, (*big.Int).Add),
				prefix + "mi" + args:  intArith(width, (*big.Int).Sub),
				prefix + "mul" + args: intArith(width, (*big.Int).Mul),
				prefix + "div" + args: intDiv(width),
			})
		}
		integerFunctions(x.Digit, x.Name, x.Bits)
	}
	integerCasts()
	Comparisons("oid", "(oid,oid)", value.Plain)
	value.Define(map[string]value.Evaluator{
		"oidlarger(oid,oid)":           Pick(1, value.Plain),
		"oidsmaller(oid,oid)":          Pick(-1, value.Plain),
		"booland_statefunc(bool,bool)": Predicate(func(a []ir.Value) bool { return a[0].IsTrue() && a[1].IsTrue() }),
		"boolor_statefunc(bool,bool)":  Predicate(func(a []ir.Value) bool { return a[0].IsTrue() || a[1].IsTrue() }),
	})
	Comparisons("bool", "(bool,bool)", value.Plain)
}

// integerFunctions adds the functions of one integer type.
func integerFunctions(digit, name string, width uint) {
	prefix, one, two := "int"+digit, "("+name+")", "("+name+","+name+")"
	bitwise := func(f func(x, y int64) int64) value.Evaluator {
		return value.Pure(func(a []ir.Value) ir.Value { return ir.Int(f(a[0].I, a[1].I)) })
	}
	abs := intArith1(width, (*big.Int).Abs)
	mod := intMod()
	value.Define(map[string]value.Evaluator{
		prefix + "um" + one:               intArith1(width, (*big.Int).Neg),
		prefix + "up" + one:               value.Pure(func(a []ir.Value) ir.Value { return a[0] }),
		prefix + "abs" + one:              abs,
		"abs" + one:                       abs,
		prefix + "mod" + two:              mod,
		"mod" + two:                       mod,
		prefix + "and" + two:              bitwise(func(x, y int64) int64 { return x & y }),
		prefix + "or" + two:               bitwise(func(x, y int64) int64 { return x | y }),
		prefix + "xor" + two:              bitwise(func(x, y int64) int64 { return x ^ y }),
		prefix + "not" + one:              value.Pure(func(a []ir.Value) ir.Value { return ir.Int(^a[0].I) }),
		prefix + "larger" + two:           Pick(1, value.Plain),
		prefix + "smaller" + two:          Pick(-1, value.Plain),
		prefix + "shl(" + name + ",int4)": value.Pure(func(a []ir.Value) ir.Value { return ir.Int(shiftLeft(a[0].I, a[1].I, width)) }),
		prefix + "shr(" + name + ",int4)": value.Pure(func(a []ir.Value) ir.Value { return ir.Int(shiftRight(a[0].I, a[1].I, width)) }),
	})
	if width == 16 {
		return
	}
	value.Define(map[string]value.Evaluator{
		prefix + "inc" + one: intArith1(width, func(z, x *big.Int) *big.Int { return z.Add(x, big.NewInt(1)) }),
		"gcd" + two: func(a []ir.Value) (ir.Value, error) {
			return IntResult(gcd(big.NewInt(a[0].I), big.NewInt(a[1].I)), widthOf(a, width))
		},
		"lcm" + two: func(a []ir.Value) (ir.Value, error) {
			x, y := big.NewInt(a[0].I), big.NewInt(a[1].I)
			if x.Sign() == 0 || y.Sign() == 0 {
				return ir.Int(0), nil
			}
			x.Quo(x, gcd(x, y))
			return IntResult(x.Abs(x.Mul(x, y)), widthOf(a, width))
		},
		"to_hex" + one: value.Pure(func(a []ir.Value) ir.Value {
			return ir.Text(strconv.FormatUint(uint64(a[0].I)<<(64-width)>>(64-width), 16))
		}),
	})
}

// gcd is the greatest common divisor, which is not negative.
func gcd(x, y *big.Int) *big.Int {
	return new(big.Int).GCD(nil, nil, new(big.Int).Abs(x), new(big.Int).Abs(y))
}

// DivisionByZero is the error of a division by zero.
func DivisionByZero() error { return value.Failure("22012", "division by zero") }

// IntResult gives an integer if it fits the width of its type.
func IntResult(x *big.Int, width uint) (ir.Value, error) {
	if !x.IsInt64() || x.Int64()>>(width-1) != x.Int64()>>63 {
		return ir.Null, value.OutOfRange()
	}
	return ir.Int(x.Int64()), nil
}

// intArith is an operation on two integers whose result has a width.
func intArith(width uint, f func(z, x, y *big.Int) *big.Int) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		width := widthOf(a, width)
		return IntResult(f(new(big.Int), big.NewInt(a[0].I), big.NewInt(a[1].I)), width)
	}
}

// intArith1 is an operation on one integer.
func intArith1(width uint, f func(z, x *big.Int) *big.Int) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		return IntResult(f(new(big.Int), big.NewInt(a[0].I)), widthOf(a, width))
	}
}

// widthOf is the width of a result that has some width at least: that of bigint where
// an argument, which comes of a FRESH value then, does not fit.
func widthOf(a []ir.Value, width uint) uint {
	for _, v := range a {
		if _, err := IntResult(big.NewInt(v.I), width); err != nil {
			return 64
		}
	}
	return width
}

func intDiv(width uint) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		if a[1].I == 0 {
			return ir.Null, DivisionByZero()
		}
		return IntResult(new(big.Int).Quo(big.NewInt(a[0].I), big.NewInt(a[1].I)), widthOf(a, width))
	}
}

// intMod is the remainder, which has the sign of the dividend.
func intMod() value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		switch a[1].I {
		case 0:
			return ir.Null, DivisionByZero()
		case -1:
			return ir.Int(0), nil
		}
		return ir.Int(a[0].I % a[1].I), nil
	}
}

// shiftLeft shifts as the server's machine does: by the lowest bits of the distance,
// of which there are 5 for int2 and int4.
func shiftLeft(x, n int64, width uint) int64 {
	n &= int64(max(width, 32) - 1)
	switch width {
	case 16:
		return int64(int16(int32(x) << n))
	case 32:
		return int64(int32(x) << n)
	}
	return x << n
}

func shiftRight(x, n int64, width uint) int64 { return x >> (n & int64(max(width, 32)-1)) }

// integerCasts adds the casts between integers, and those with bool and "char".
func integerCasts() {
	for _, to := range Integers {
		for _, from := range Integers {
			if to != from {
				value.Define(map[string]value.Evaluator{to.Name + "(" + from.Name + ")": func(a []ir.Value) (ir.Value, error) {
					if a[0].I >= ir.FirstFresh && a[0].I < ir.FirstFresh+1<<30 { // it stands for a FRESH one
						return a[0], nil
					}
					return IntResult(big.NewInt(a[0].I), to.Bits)
				}})
			}
		}
	}
	value.Define(map[string]value.Evaluator{
		"int8(oid)": value.Pure(func(a []ir.Value) ir.Value { return a[0] }),
		"oid(int8)": func(a []ir.Value) (ir.Value, error) {
			if bits.Len64(uint64(a[0].I)) > 32 {
				return ir.Null, value.OutOfRange()
			}
			return a[0], nil
		},
		"int4(bool)": value.Pure(func(a []ir.Value) ir.Value { return ir.Int(a[0].I) }),
		"bool(int4)": Predicate(func(a []ir.Value) bool { return a[0].I != 0 }),
		"int4(char)": value.Pure(func(a []ir.Value) ir.Value { return ir.Int(int64(int8(value.ByteOf(a[0])))) }),
		"char(int4)": func(a []ir.Value) (ir.Value, error) {
			if a[0].I < -128 || a[0].I > 127 {
				return ir.Null, value.OutOfRange()
			}
			return value.ByteValue(byte(a[0].I)), nil
		},
	})
}
