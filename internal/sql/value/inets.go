package value

import (
	"math"
	"math/big"
	"net/netip"
	"strconv"
	"strings"

	"github.com/txrobust/robust/ir"
)

// address is an inet or cidr: an address with the number of bits of its network.
type address struct {
	addr netip.Addr
	bits int
}

// addressOf reads a value of type inet or cidr.
func addressOf(v ir.Value) (address, bool) {
	p, err := netip.ParsePrefix(v.S)
	return address{p.Addr(), p.Bits()}, err == nil
}

// value is the value of type inet or cidr.
func (x address) value() ir.Value { return ir.Opaque(x.addr.String() + "/" + strconv.Itoa(x.bits)) }

// network is the address with the bits behind the mask 0.
func (x address) network() address {
	return address{netip.PrefixFrom(x.addr, x.bits).Masked().Addr(), x.bits}
}

// family is 4 or 6.
func (x address) family() int64 {
	if x.addr.Is4() {
		return 4
	}
	return 6
}

// ofAddress is a function whose first argument is an inet or cidr.
func ofAddress(f func(x address, a []ir.Value) (ir.Value, error)) evaluator {
	return func(a []ir.Value) (ir.Value, error) {
		x, ok := addressOf(a[0])
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		return f(x, a)
	}
}

// ofAddresses is a function of two.
func ofAddresses(f func(x, y address) (ir.Value, error)) evaluator {
	return ofAddress(func(x address, a []ir.Value) (ir.Value, error) {
		y, ok := addressOf(a[1])
		if !ok {
			return ir.Null, ir.ErrNotKnown
		}
		return f(x, y)
	})
}

// byAddress compares by family, common bits of the networks, length of the mask, and
// all bits.
func byAddress(a, b ir.Value) (int, error) {
	x, ok := addressOf(a)
	y, ok2 := addressOf(b)
	if !ok || !ok2 {
		return 0, ir.ErrNotKnown
	}
	if x.family() != y.family() {
		return int(x.family() - y.family()), nil
	}
	common := min(x.bits, y.bits)
	if c := (address{x.addr, common}).network().addr.Compare(address{y.addr, common}.network().addr); c != 0 {
		return c, nil
	}
	if x.bits != y.bits {
		return x.bits - y.bits, nil
	}
	return x.addr.Compare(y.addr), nil
}

// within reports whether the network of x lies in that of y, where it is strictly
// smaller if strict.
func (x address) within(y address, strict bool) bool {
	if x.family() != y.family() || x.bits < y.bits || strict && x.bits == y.bits {
		return false
	}
	return address{x.addr, y.bits}.network().addr == y.network().addr
}

// mapped applies an operation to all bytes of an address and those of others.
func (x address) mapped(f func(i int, b byte) byte) address {
	bytes := x.addr.AsSlice()
	for i, b := range bytes {
		bytes[i] = f(i, b)
	}
	addr, _ := netip.AddrFromSlice(bytes)
	return address{addr, x.bits}
}

// mask has the first bits set.
func (x address) mask() []byte {
	out := make([]byte, x.addr.BitLen()/8)
	for i := range out {
		n := min(max(x.bits-8*i, 0), 8)
		out[i] = byte(0xff << (8 - n))
	}
	return out
}

// plus adds a number to an address, or subtracts it (sign -1).
func (x address) plus(n, sign int64) (ir.Value, error) {
	if n == math.MinInt64 { // the server does not compute it
		return ir.Null, ir.ErrNotKnown
	}
	sum := new(big.Int).SetBytes(x.addr.AsSlice())
	if sum.Add(sum, big.NewInt(sign*n)); sum.Sign() < 0 || sum.BitLen() > x.addr.BitLen() {
		return ir.Null, outOfRange()
	}
	addr, _ := netip.AddrFromSlice(sum.FillBytes(make([]byte, x.addr.BitLen()/8)))
	return address{addr, x.bits}.value(), nil
}

// setMask gives another mask; -1 is the whole address.
func (x address) setMask(n int64) (address, error) {
	if n == -1 {
		n = int64(x.addr.BitLen())
	}
	if n < 0 || n > int64(x.addr.BitLen()) {
		return address{}, failure("22023", "invalid mask length: %d", n)
	}
	return address{x.addr, int(n)}, nil
}

func init() {
	comparisons("network_", "(inet,inet)", byAddress)
	within := func(f func(x, y address) bool) evaluator {
		return ofAddresses(func(x, y address) (ir.Value, error) { return ir.Bool(f(x, y)), nil })
	}
	combine := func(f func(x, y byte) byte) evaluator {
		return ofAddresses(func(x, y address) (ir.Value, error) {
			if x.family() != y.family() {
				return ir.Null, failure("22023", "cannot combine inet values of different sizes")
			}
			other := y.addr.AsSlice()
			x.bits = max(x.bits, y.bits)
			return x.mapped(func(i int, b byte) byte { return f(b, other[i]) }).value(), nil
		})
	}
	whole := func(f func(x address) address) evaluator {
		return ofAddress(func(x address, _ []ir.Value) (ir.Value, error) { return f(x).value(), nil })
	}
	text := func(f func(x address) string) evaluator {
		return ofAddress(func(x address, _ []ir.Value) (ir.Value, error) { return ir.Text(f(x)), nil })
	}
	number := func(f func(x address) int64) evaluator {
		return ofAddress(func(x address, _ []ir.Value) (ir.Value, error) { return ir.Int(f(x)), nil })
	}
	define(map[string]evaluator{
		"network_larger(inet,inet)":   pick(1, byAddress),
		"network_smaller(inet,inet)":  pick(-1, byAddress),
		"network_sub(inet,inet)":      within(func(x, y address) bool { return x.within(y, true) }),
		"network_subeq(inet,inet)":    within(func(x, y address) bool { return x.within(y, false) }),
		"network_sup(inet,inet)":      within(func(x, y address) bool { return y.within(x, true) }),
		"network_supeq(inet,inet)":    within(func(x, y address) bool { return y.within(x, false) }),
		"network_overlap(inet,inet)":  within(func(x, y address) bool { return x.within(y, false) || y.within(x, false) }),
		"inet_same_family(inet,inet)": within(func(x, y address) bool { return x.family() == y.family() }),
		"inetand(inet,inet)":          combine(func(x, y byte) byte { return x & y }),
		"inetor(inet,inet)":           combine(func(x, y byte) byte { return x | y }),
		"inetnot(inet)":               whole(func(x address) address { return x.mapped(func(_ int, b byte) byte { return ^b }) }),
		"family(inet)":                number(address.family),
		"masklen(inet)":               number(func(x address) int64 { return int64(x.bits) }),
		"host(inet)":                  text(func(x address) string { return x.addr.String() }),
		"text(inet)":                  text(func(x address) string { return x.value().S }),
		"abbrev(inet)":                text(func(x address) string { return printInet(nil, x.value()) }),
		"network(inet)":               ofAddress(func(x address, _ []ir.Value) (ir.Value, error) { return x.network().value(), nil }),
		"cidr(inet)":                  ofAddress(func(x address, _ []ir.Value) (ir.Value, error) { return x.network().value(), nil }),
		"broadcast(inet)": whole(func(x address) address {
			m := x.mask()
			return x.mapped(func(i int, b byte) byte { return b | ^m[i] })
		}),
		"netmask(inet)": whole(func(x address) address {
			m := x.mask()
			x = x.mapped(func(i int, _ byte) byte { return m[i] })
			return address{x.addr, x.addr.BitLen()}
		}),
		"hostmask(inet)": whole(func(x address) address {
			m := x.mask()
			x = x.mapped(func(i int, _ byte) byte { return ^m[i] })
			return address{x.addr, x.addr.BitLen()}
		}),
		"inetpl(inet,int8)":      ofAddress(func(x address, a []ir.Value) (ir.Value, error) { return x.plus(a[1].I, 1) }),
		"inetmi_int8(inet,int8)": ofAddress(func(x address, a []ir.Value) (ir.Value, error) { return x.plus(a[1].I, -1) }),
		"int8pl_inet(int8,inet)": func(a []ir.Value) (ir.Value, error) {
			x, ok := addressOf(a[1])
			if !ok {
				return ir.Null, ir.ErrNotKnown
			}
			return x.plus(a[0].I, 1)
		},
		"inetmi(inet,inet)": ofAddresses(func(x, y address) (ir.Value, error) {
			if x.family() != y.family() {
				return ir.Null, failure("22023", "cannot subtract inet values of different sizes")
			}
			d := new(big.Int).SetBytes(x.addr.AsSlice())
			return intResult(d.Sub(d, new(big.Int).SetBytes(y.addr.AsSlice())), 64)
		}),
		"set_masklen(inet,int4)": ofAddress(func(x address, a []ir.Value) (ir.Value, error) {
			y, err := x.setMask(a[1].I)
			if err != nil {
				return ir.Null, err
			}
			return y.value(), nil
		}),
		"set_masklen(cidr,int4)": ofAddress(func(x address, a []ir.Value) (ir.Value, error) {
			y, err := x.setMask(a[1].I)
			if err != nil {
				return ir.Null, err
			}
			return y.network().value(), nil
		}),
		"inet_merge(inet,inet)": ofAddresses(func(x, y address) (ir.Value, error) {
			if x.family() != y.family() {
				return ir.Null, failure("22023", "cannot merge addresses from different families")
			}
			n := min(x.bits, y.bits)
			for n > 0 && (address{x.addr, n}).network().addr != (address{y.addr, n}).network().addr {
				n--
			}
			return address{x.addr, n}.network().value(), nil
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
	value := func(n int64) ir.Value {
		s := strconv.FormatInt(n&(1<<48-1)|1<<48, 16)[1:]
		v, _ := parseMAC(Of("macaddr"), s)
		return v
	}
	define(map[string]evaluator{
		"macaddr_and(macaddr,macaddr)": pure(func(a []ir.Value) ir.Value { return value(number(a[0]) & number(a[1])) }),
		"macaddr_or(macaddr,macaddr)":  pure(func(a []ir.Value) ir.Value { return value(number(a[0]) | number(a[1])) }),
		"macaddr_not(macaddr)":         pure(func(a []ir.Value) ir.Value { return value(math.MaxInt64 ^ number(a[0])) }),
		"trunc(macaddr)":               pure(func(a []ir.Value) ir.Value { return value(number(a[0]) &^ (1<<24 - 1)) }),
	})
}
