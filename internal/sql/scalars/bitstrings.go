package scalars

import (
	"math/big"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/value"
)

func init() {
	Comparisons("bit", "(bit,bit)", value.Plain)
	Comparisons("varbit", "(varbit,varbit)", value.Plain)
	both := func(f func(x, y bool) bool) value.Evaluator {
		return func(a []ir.Value) (ir.Value, error) {
			x, y := a[0].S, a[1].S
			if len(x) != len(y) {
				return ir.Null, value.Failure("22026", "cannot combine bit strings of different sizes")
			}
			out := make([]byte, len(x))
			for i := range out {
				out[i] = digit(f(x[i] == '1', y[i] == '1'))
			}
			return ir.Opaque(string(out)), nil
		}
	}
	size := func(f func(n int64) int64) value.Evaluator {
		return value.Pure(func(a []ir.Value) ir.Value { return ir.Int(f(int64(len(a[0].S)))) })
	}
	length := size(func(n int64) int64 { return n })
	value.Define(map[string]value.Evaluator{
		"bitand(bit,bit)": both(func(x, y bool) bool { return x && y }),
		"bitor(bit,bit)":  both(func(x, y bool) bool { return x || y }),
		"bitxor(bit,bit)": both(func(x, y bool) bool { return x != y }),
		"bitnot(bit)":     value.Pure(func(a []ir.Value) ir.Value { return ir.Opaque(strings.NewReplacer("0", "1", "1", "0").Replace(a[0].S)) }),
		"bitcat(varbit,varbit)": func(a []ir.Value) (ir.Value, error) {
			if len(a[0].S)+len(a[1].S) > value.MaxSize {
				return ir.Null, ir.ErrNotKnown
			}
			return ir.Opaque(a[0].S + a[1].S), nil
		},
		"bitshiftleft(bit,int4)":  value.Pure(func(a []ir.Value) ir.Value { return ir.Opaque(shiftBits(a[0].S, a[1].I)) }),
		"bitshiftright(bit,int4)": value.Pure(func(a []ir.Value) ir.Value { return ir.Opaque(shiftBits(a[0].S, -a[1].I)) }),
		"length(bit)":             length, "bit_length(bit)": length,
		"octet_length(bit)":        size(func(n int64) int64 { return (n + 7) / 8 }),
		"bit_count(bit)":           Count(func(s string) int { return strings.Count(s, "1") }),
		"position(bit,bit)":        value.Pure(func(a []ir.Value) ir.Value { return ir.Int(bitPosition(a[0].S, a[1].S)) }),
		"substring(bit,int4)":      substringBits,
		"substring(bit,int4,int4)": substringBits,
		"overlay(bit,bit,int4)":    overlayBits,
		"get_bit(bit,int4)": func(a []ir.Value) (ir.Value, error) {
			if a[1].I < 0 || a[1].I >= int64(len(a[0].S)) {
				return ir.Null, badIndex()
			}
			return ir.Int(int64(a[0].S[a[1].I] - '0')), nil
		},
		"set_bit(bit,int4,int4)": func(a []ir.Value) (ir.Value, error) {
			switch i, bit := a[1].I, a[2].I; {
			case i < 0 || i >= int64(len(a[0].S)):
				return ir.Null, badIndex()
			case bit != 0 && bit != 1:
				return ir.Null, value.Failure("22023", "new bit must be 0 or 1")
			default:
				return ir.Opaque(a[0].S[:i] + string(digit(bit == 1)) + a[0].S[i+1:]), nil
			}
		},
		"int4(bit)":      ofBits(32),
		"int8(bit)":      ofBits(64),
		"bit(int4,int4)": toBits(32),
		"bit(int8,int4)": toBits(64),

		"overlay(bit,bit,int4,int4)": overlayBits,
	})
}

func digit(one bool) byte {
	if one {
		return '1'
	}
	return '0'
}

// shiftBits shifts to the left, or to the right where n is negative.
func shiftBits(s string, n int64) string {
	k := int(min(max(n, -n), int64(len(s))))
	if n < 0 {
		return strings.Repeat("0", k) + s[:len(s)-k]
	}
	return s[k:] + strings.Repeat("0", k)
}

func bitPosition(s, part string) int64 {
	if s == "" { // also where the part is empty
		return 0
	}
	return int64(strings.Index(s, part) + 1)
}

func substringBits(a []ir.Value) (ir.Value, error) {
	from, to, err := span(len(a[0].S), a[1:])
	if err != nil {
		return ir.Null, err
	}
	return ir.Opaque(a[0].S[from:to]), nil
}

func overlayBits(a []ir.Value) (ir.Value, error) {
	b, err := overlaid([]byte(a[0].S), []byte(a[1].S), a[2:])
	if err != nil {
		return ir.Null, err
	}
	return ir.Opaque(string(b)), nil
}

// ofBits casts to an integer of a width, in two's complement.
func ofBits(width uint) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		if len(a[0].S) > int(width) {
			return ir.Null, value.OutOfRange()
		}
		n, _ := new(big.Int).SetString("0"+a[0].S, 2)
		if n.Bit(int(width)-1) == 1 {
			n.Sub(n, new(big.Int).Lsh(big.NewInt(1), width))
		}
		return ir.Int(n.Int64()), nil
	}
}

// toBits casts an integer of a width to a number of bits.
func toBits(width uint) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		n := a[1].I
		if n <= 0 {
			n = 1
		}
		if n > value.MaxSize {
			return ir.Null, ir.ErrNotKnown
		}
		out := make([]byte, n)
		for i := range out {
			k := min(uint(len(out)-1-i), width-1)
			out[i] = digit(a[0].I>>k&1 == 1)
		}
		return ir.Opaque(string(out)), nil
	}
}
