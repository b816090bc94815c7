package builtin

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/value"
)

// ofAddress is a function whose first argument is an inet or cidr.
func ofAddress(f func(x value.Address, a []ir.Value) (ir.Value, error)) value.Evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		x, ok := value.AddressOf(a[0])
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		return f(x, a)
	}
}

// ofAddresses is a function of two.
func ofAddresses(f func(x, y value.Address) (ir.Value, error)) value.Evaluator {
	return ofAddress(func(x value.Address, a []ir.Value) (ir.Value, error) {
		y, ok := value.AddressOf(a[1])
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		return f(x, y)
	})
}

func init() {
	scalars.Comparisons("network_", "(inet,inet)", value.ByAddress)
	within := func(f func(x, y value.Address) bool) value.Evaluator {
		return ofAddresses(func(x, y value.Address) (ir.Value, error) { return ir.Bool(f(x, y)), nil })
	}
	combine := func(f func(x, y byte) byte) value.Evaluator {
		return ofAddresses(func(x, y value.Address) (ir.Value, error) {
			if x.Family() != y.Family() {
				return ir.Null, value.Failure("22023", "cannot combine inet values of different sizes")
			}
			other := y.Addr.AsSlice()
			x.Bits = max(x.Bits, y.Bits)
			return x.Mapped(func(i int, b byte) byte { return f(b, other[i]) }).Value(), nil
		})
	}
	whole := func(f func(x value.Address) value.Address) value.Evaluator {
		return ofAddress(func(x value.Address, _ []ir.Value) (ir.Value, error) { return f(x).Value(), nil })
	}
	text := func(f func(x value.Address) string) value.Evaluator {
		return ofAddress(func(x value.Address, _ []ir.Value) (ir.Value, error) { return ir.Text(f(x)), nil })
	}
	number := func(f func(x value.Address) int64) value.Evaluator {
		return ofAddress(func(x value.Address, _ []ir.Value) (ir.Value, error) { return ir.Int(f(x)), nil })
	}
	value.Define(map[string]value.Evaluator{
		"network_larger(inet,inet)":   scalars.Pick(1, value.ByAddress),
		"network_smaller(inet,inet)":  scalars.Pick(-1, value.ByAddress),
		"network_sub(inet,inet)":      within(func(x, y value.Address) bool { return x.Within(y, true) }),
		"network_subeq(inet,inet)":    within(func(x, y value.Address) bool { return x.Within(y, false) }),
		"network_sup(inet,inet)":      within(func(x, y value.Address) bool { return y.Within(x, true) }),
		"network_supeq(inet,inet)":    within(func(x, y value.Address) bool { return y.Within(x, false) }),
		"network_overlap(inet,inet)":  within(func(x, y value.Address) bool { return x.Within(y, false) || y.Within(x, false) }),
		"inet_same_family(inet,inet)": within(func(x, y value.Address) bool { return x.Family() == y.Family() }),
		"inetand(inet,inet)":          combine(func(x, y byte) byte { return x & y }),
		"inetor(inet,inet)":           combine(func(x, y byte) byte { return x | y }),
		"inetnot(inet)":               whole(func(x value.Address) value.Address { return x.Mapped(func(_ int, b byte) byte { return ^b }) }),
		"family(inet)":                number(value.Address.Family),
		"masklen(inet)":               number(func(x value.Address) int64 { return int64(x.Bits) }),
		"host(inet)":                  text(func(x value.Address) string { return x.Addr.String() }),
		"text(inet)":                  text(func(x value.Address) string { return x.Value().S }),
		"abbrev(inet)":                text(func(x value.Address) string { return value.PrintInet(nil, x.Value()) }),
		"network(inet)":               ofAddress(func(x value.Address, _ []ir.Value) (ir.Value, error) { return x.Network().Value(), nil }),
		"cidr(inet)":                  ofAddress(func(x value.Address, _ []ir.Value) (ir.Value, error) { return x.Network().Value(), nil }),
		"broadcast(inet)": whole(func(x value.Address) value.Address {
			m := x.Mask()
			return x.Mapped(func(i int, b byte) byte { return b | ^m[i] })
		}),
		"netmask(inet)": whole(func(x value.Address) value.Address {
			m := x.Mask()
			x = x.Mapped(func(i int, _ byte) byte { return m[i] })
			return value.Address{Addr: x.Addr, Bits: x.Addr.BitLen()}
		}),
		"hostmask(inet)": whole(func(x value.Address) value.Address {
			m := x.Mask()
			x = x.Mapped(func(i int, _ byte) byte { return ^m[i] })
			return value.Address{Addr: x.Addr, Bits: x.Addr.BitLen()}
		}),
		"inetpl(inet,int8)":      ofAddress(func(x value.Address, a []ir.Value) (ir.Value, error) { return x.Plus(a[1].I, 1) }),
		"inetmi_int8(inet,int8)": ofAddress(func(x value.Address, a []ir.Value) (ir.Value, error) { return x.Plus(a[1].I, -1) }),
		"int8pl_inet(int8,inet)": func(a []ir.Value) (ir.Value, error) {
			x, ok := value.AddressOf(a[1])
			if !ok {
				return ir.Null, ir.ErrNotKnown
			}
			return x.Plus(a[0].I, 1)
		},
		"inetmi(inet,inet)": ofAddresses(func(x, y value.Address) (ir.Value, error) {
			if x.Family() != y.Family() {
				return ir.Null, value.Failure("22023", "cannot subtract inet values of different sizes")
			}
			d := new(big.Int).SetBytes(x.Addr.AsSlice())
			return scalars.IntResult(d.Sub(d, new(big.Int).SetBytes(y.Addr.AsSlice())), 64)
		}),
		"set_masklen(inet,int4)": ofAddress(func(x value.Address, a []ir.Value) (ir.Value, error) {
			y, err := x.SetMask(a[1].I)
			if err != nil {
				return ir.Null, err
			}
			return y.Value(), nil
		}),
		"set_masklen(cidr,int4)": ofAddress(func(x value.Address, a []ir.Value) (ir.Value, error) {
			y, err := x.SetMask(a[1].I)
			if err != nil {
				return ir.Null, err
			}
			return y.Network().Value(), nil
		}),
		"inet_merge(inet,inet)": ofAddresses(func(x, y value.Address) (ir.Value, error) {
			if x.Family() != y.Family() {
				return ir.Null, value.Failure("22023", "cannot merge addresses from different families")
			}
			n := min(x.Bits, y.Bits)
			for n > 0 && (value.Address{Addr: x.Addr, Bits: n}).Network().Addr != (value.Address{Addr: y.Addr, Bits: n}).Network().Addr {
				n--
			}
			return value.Address{Addr: x.Addr, Bits: n}.Network().Value(), nil
		}),
	})
	macaddrFunctions()
}

// macaddrFunctions adds the functions of hardware addresses.
func macaddrFunctions() {
	number := func(v ir.Value) int64 {
		n, _ := strconv.ParseInt(strings.ReplaceAll(v.S, ":", ""), 16, 64)
		return n
	}
	valueName := func(n int64) ir.Value {
		s := strconv.FormatInt(n&(1<<48-1)|1<<48, 16)[1:]
		v, _ := value.ParseMAC(value.Of("macaddr"), s)
		return v
	}
	value.Define(map[string]value.Evaluator{
		"macaddr_and(macaddr,macaddr)": value.Pure(func(a []ir.Value) ir.Value { return valueName(number(a[0]) & number(a[1])) }),
		"macaddr_or(macaddr,macaddr)":  value.Pure(func(a []ir.Value) ir.Value { return valueName(number(a[0]) | number(a[1])) }),
		"macaddr_not(macaddr)":         value.Pure(func(a []ir.Value) ir.Value { return valueName(math.MaxInt64 ^ number(a[0])) }),
		"trunc(macaddr)":               value.Pure(func(a []ir.Value) ir.Value { return valueName(number(a[0]) &^ (1<<24 - 1)) }),
	})
}
