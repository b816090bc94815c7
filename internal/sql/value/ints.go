package value

import (
	"fmt"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/txrobust/robust/ir"
)

// integers are the integer types: by the name that functions of operators have for
// them, the number of their bits.
var integers = []struct {
	digit, name string
	bits        uint
}{{"2", "int2", 16}, {"4", "int4", 32}, {"8", "int8", 64}}

func init() {
	for _, x := range integers {
		for _, y := range integers {
			prefix, args := "int"+x.digit+y.digit, "("+x.name+","+y.name+")"
			if x == y {
				prefix = "int" + x.digit
			}
			width := max(x.bits, y.bits)
			comparisons(prefix, args, plain)
			define(map[string]evaluator{
				prefix + "pl" + args:  intArith(width, (*big.Int).Add),
				prefix + "mi" + args:  intArith(width, (*big.Int).Sub),
				prefix + "mul" + args: intArith(width, (*big.Int).Mul),
				prefix + "div" + args: intDiv(width),
			})
		}
		integerFunctions(x.digit, x.name, x.bits)
	}
	integerCasts()
	comparisons("oid", "(oid,oid)", plain)
	define(map[string]evaluator{
		"oidlarger(oid,oid)":           pick(1, plain),
		"oidsmaller(oid,oid)":          pick(-1, plain),
		"booland_statefunc(bool,bool)": predicate(func(a []ir.Value) bool { return a[0].IsTrue() && a[1].IsTrue() }),
		"boolor_statefunc(bool,bool)":  predicate(func(a []ir.Value) bool { return a[0].IsTrue() || a[1].IsTrue() }),
	})
	comparisons("bool", "(bool,bool)", plain)
}

// integerFunctions adds the functions of one integer type.
func integerFunctions(digit, name string, width uint) {
	prefix, one, two := "int"+digit, "("+name+")", "("+name+","+name+")"
	bitwise := func(f func(x, y int64) int64) evaluator {
		return pure(func(a []ir.Value) ir.Value { return ir.Int(f(a[0].I, a[1].I)) })
	}
	abs := intArith1(width, (*big.Int).Abs)
	mod := intMod()
	define(map[string]evaluator{
		prefix + "um" + one:               intArith1(width, (*big.Int).Neg),
		prefix + "up" + one:               pure(func(a []ir.Value) ir.Value { return a[0] }),
		prefix + "abs" + one:              abs,
		"abs" + one:                       abs,
		prefix + "mod" + two:              mod,
		"mod" + two:                       mod,
		prefix + "and" + two:              bitwise(func(x, y int64) int64 { return x & y }),
		prefix + "or" + two:               bitwise(func(x, y int64) int64 { return x | y }),
		prefix + "xor" + two:              bitwise(func(x, y int64) int64 { return x ^ y }),
		prefix + "not" + one:              pure(func(a []ir.Value) ir.Value { return ir.Int(^a[0].I) }),
		prefix + "larger" + two:           pick(1, plain),
		prefix + "smaller" + two:          pick(-1, plain),
		prefix + "shl(" + name + ",int4)": pure(func(a []ir.Value) ir.Value { return ir.Int(shiftLeft(a[0].I, a[1].I, width)) }),
		prefix + "shr(" + name + ",int4)": pure(func(a []ir.Value) ir.Value { return ir.Int(shiftRight(a[0].I, a[1].I, width)) }),
	})
	if width == 16 {
		return
	}
	define(map[string]evaluator{
		prefix + "inc" + one: intArith1(width, func(z, x *big.Int) *big.Int { return z.Add(x, big.NewInt(1)) }),
		"gcd" + two: func(a []ir.Value) (ir.Value, error) {
			return intResult(gcd(big.NewInt(a[0].I), big.NewInt(a[1].I)), widthOf(a, width))
		},
		"lcm" + two: func(a []ir.Value) (ir.Value, error) {
			x, y := big.NewInt(a[0].I), big.NewInt(a[1].I)
			if x.Sign() == 0 || y.Sign() == 0 {
				return ir.Int(0), nil
			}
			x.Quo(x, gcd(x, y))
			return intResult(x.Abs(x.Mul(x, y)), widthOf(a, width))
		},
		"to_hex" + one: pure(func(a []ir.Value) ir.Value {
			return ir.Text(strconv.FormatUint(uint64(a[0].I)<<(64-width)>>(64-width), 16))
		}),
	})
}

// gcd is the greatest common divisor, which is not negative.
func gcd(x, y *big.Int) *big.Int {
	return new(big.Int).GCD(nil, nil, new(big.Int).Abs(x), new(big.Int).Abs(y))
}

// outOfRange is the error of a number that its type cannot hold.
func outOfRange() error { return failure("22003", "the number is out of range") }

// divisionByZero is the error of a division by zero.
func divisionByZero() error { return failure("22012", "division by zero") }

// intResult gives an integer if it fits the width of its type.
func intResult(x *big.Int, width uint) (ir.Value, error) {
	if !x.IsInt64() || x.Int64()>>(width-1) != x.Int64()>>63 {
		return ir.Null, outOfRange()
	}
	return ir.Int(x.Int64()), nil
}

// intArith is an operation on two integers whose result has a width.
func intArith(width uint, f func(z, x, y *big.Int) *big.Int) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		width := widthOf(a, width)
		return intResult(f(new(big.Int), big.NewInt(a[0].I), big.NewInt(a[1].I)), width)
	}
}

// intArith1 is an operation on one integer.
func intArith1(width uint, f func(z, x *big.Int) *big.Int) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		return intResult(f(new(big.Int), big.NewInt(a[0].I)), widthOf(a, width))
	}
}

// widthOf is the width of a result that has some width at least: that of bigint where
// an argument, which comes of a FRESH value then, does not fit.
func widthOf(a []ir.Value, width uint) uint {
	for _, v := range a {
		if _, err := intResult(big.NewInt(v.I), width); err != nil {
			return 64
		}
	}
	return width
}

func intDiv(width uint) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		if a[1].I == 0 {
			return ir.Null, divisionByZero()
		}
		return intResult(new(big.Int).Quo(big.NewInt(a[0].I), big.NewInt(a[1].I)), widthOf(a, width))
	}
}

// intMod is the remainder, which has the sign of the dividend.
func intMod() evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		switch a[1].I {
		case 0:
			return ir.Null, divisionByZero()
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
	for _, to := range integers {
		for _, from := range integers {
			if to != from {
				define(map[string]evaluator{to.name + "(" + from.name + ")": func(a []ir.Value) (ir.Value, error) {
					if ir.StandsForFresh(a[0]) {
						return a[0], nil
					}
					return intResult(big.NewInt(a[0].I), to.bits)
				}})
			}
		}
	}
	define(map[string]evaluator{
		"int8(oid)": pure(func(a []ir.Value) ir.Value { return a[0] }),
		"oid(int8)": func(a []ir.Value) (ir.Value, error) {
			if bits.Len64(uint64(a[0].I)) > 32 {
				return ir.Null, outOfRange()
			}
			return a[0], nil
		},
		"int4(bool)": pure(func(a []ir.Value) ir.Value { return ir.Int(a[0].I) }),
		"bool(int4)": predicate(func(a []ir.Value) bool { return a[0].I != 0 }),
		"int4(char)": pure(func(a []ir.Value) ir.Value { return ir.Int(int64(int8(byteOf(a[0])))) }),
		"char(int4)": func(a []ir.Value) (ir.Value, error) {
			if a[0].I < -128 || a[0].I > 127 {
				return ir.Null, outOfRange()
			}
			return byteValue(byte(a[0].I)), nil
		},
	})
}

// byteOf is the byte of a "char"; the empty one is 0.
func byteOf(v ir.Value) byte {
	if b, ok := octal(v.S); ok {
		return b
	}
	return (v.S + "\x00")[0]
}

// byteValue is the "char" of a byte, which is shown in octal if it is no character.
func byteValue(b byte) ir.Value {
	switch {
	case b == 0:
		return ir.Text("")
	case b >= 128:
		return ir.Text(fmt.Sprintf(`\%03o`, b))
	}
	return ir.Text(string(rune(b)))
}

// octal reads a byte of the form \ooo.
func octal(s string) (byte, bool) {
	if len(s) != 4 || s[0] != '\\' {
		return 0, false
	}
	n, err := strconv.ParseUint(s[1:], 8, 16)
	return byte(n), err == nil
}
