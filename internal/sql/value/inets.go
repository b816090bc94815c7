package value

import (
	"math"
	"math/big"
	"net/netip"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
)

// Address is an inet or cidr: an address with the number of bits of its network.
type Address struct {
	Addr netip.Addr
	Bits int
}

// AddressOf reads a value of type inet or cidr.
func AddressOf(v ir.Value) (Address, bool) {
	p, err := netip.ParsePrefix(v.S)
	return Address{p.Addr(), p.Bits()}, err == nil
}

// Value is the value of type inet or cidr.
func (x Address) Value() ir.Value { return ir.Opaque(x.Addr.String() + "/" + strconv.Itoa(x.Bits)) }

// Network is the address with the bits behind the mask 0.
func (x Address) Network() Address {
	return Address{netip.PrefixFrom(x.Addr, x.Bits).Masked().Addr(), x.Bits}
}

// Family is 4 or 6.
func (x Address) Family() int64 {
	if x.Addr.Is4() {
		return 4
	}
	return 6
}

// ByAddress compares by family, common bits of the networks, length of the mask, and
// all bits.
func ByAddress(a, b ir.Value) (int, error) {
	x, ok := AddressOf(a)
	y, ok2 := AddressOf(b)
	if !ok || !ok2 {
		return 0, ir.ErrNotKnown
	}
	if x.Family() != y.Family() {
		return int(x.Family() - y.Family()), nil
	}
	common := min(x.Bits, y.Bits)
	if c := (Address{x.Addr, common}).Network().Addr.Compare(Address{y.Addr, common}.Network().Addr); c != 0 {
		return c, nil
	}
	if x.Bits != y.Bits {
		return x.Bits - y.Bits, nil
	}
	return x.Addr.Compare(y.Addr), nil
}

// Within reports whether the network of x lies in that of y, where it is strictly
// smaller if strict.
func (x Address) Within(y Address, strict bool) bool {
	if x.Family() != y.Family() || x.Bits < y.Bits || strict && x.Bits == y.Bits {
		return false
	}
	return Address{x.Addr, y.Bits}.Network().Addr == y.Network().Addr
}

// Mapped applies an operation to all bytes of an address and those of others.
func (x Address) Mapped(f func(i int, b byte) byte) Address {
	bytes := x.Addr.AsSlice()
	for i, b := range bytes {
		bytes[i] = f(i, b)
	}
	addr, _ := netip.AddrFromSlice(bytes)
	return Address{addr, x.Bits}
}

// Mask has the first bits set.
func (x Address) Mask() []byte {
	out := make([]byte, x.Addr.BitLen()/8)
	for i := range out {
		n := min(max(x.Bits-8*i, 0), 8)
		out[i] = byte(0xff << (8 - n))
	}
	return out
}

// Plus adds a number to an address, or subtracts it (sign -1).
func (x Address) Plus(n, sign int64) (ir.Value, error) {
	if n == math.MinInt64 { // the server does not compute it
		return ir.Null, ir.ErrNotKnown
	}
	sum := new(big.Int).SetBytes(x.Addr.AsSlice())
	if sum.Add(sum, big.NewInt(sign*n)); sum.Sign() < 0 || sum.BitLen() > x.Addr.BitLen() {
		return ir.Null, OutOfRange()
	}
	addr, _ := netip.AddrFromSlice(sum.FillBytes(make([]byte, x.Addr.BitLen()/8)))
	return Address{addr, x.Bits}.Value(), nil
}

// SetMask gives another mask; -1 is the whole address.
func (x Address) SetMask(n int64) (Address, error) {
	if n == -1 {
		n = int64(x.Addr.BitLen())
	}
	if n < 0 || n > int64(x.Addr.BitLen()) {
		return Address{}, Failure("22023", "invalid mask length: %d", n)
	}
	return Address{x.Addr, int(n)}, nil
}
