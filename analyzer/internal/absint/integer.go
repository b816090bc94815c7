package absint

import (
	"go/token"
	"go/types"

	"github.com/txrobust/robust/analyzer/internal/memory"
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// integers is what a type of integers holds: bits, and whether there are negative ones.
type integers struct {
	bits   int
	signed bool
}

// integersOf gives the integers of a type; ok is false for other types.
func integersOf(t types.Type) (n integers, ok bool) {
	b, isBasic := t.Underlying().(*types.Basic)
	if !isBasic {
		return n, false
	}
	n, ok = map[types.BasicKind]integers{
		types.Int8: {8, true}, types.Int16: {16, true}, types.Int32: {32, true}, types.Int64: {64, true}, types.Int: {64, true},
		types.Uint8: {8, false}, types.Uint16: {16, false}, types.Uint32: {32, false}, types.Uint64: {64, false}, types.Uint: {64, false}, types.Uintptr: {64, false},
	}[b.Kind()]
	return n, ok
}

// in reports whether all integers of n are in m, as far as that is looked at: what is
// converted to 32 bits fits, but for what is negative and must not be.
func (n integers) in(m integers) bool {
	if n.signed && !m.signed {
		return false
	}
	return m.bits >= 32 || n.bits < m.bits || n.bits == m.bits && n.signed == m.signed
}

// wrappedInt is what an integer becomes where only those of n fit.
func (in *interp) wrappedInt(s memory.Scalar, n integers) memory.Scalar {
	low, high := int64(0), int64(1)<<min(n.bits, 62)-1
	if n.signed {
		low, high = -(int64(1) << (n.bits - 1)), int64(1)<<(n.bits-1)-1
	}
	wide := n.bits == 64 // which is only looked at for what is negative
	if c, ok := s.E.(*client.Const); ok && c.Value.Kind == ir.KindInt && c.Value.I >= low && (wide || c.Value.I <= high) {
		return s
	}
	v := in.Temp("wrapped", client.Int, false)
	in.Set(v, s.E)
	x := client.V(v)
	outside := memory.Op("<", x, memory.ConstInt(low))
	if !wide {
		outside = client.Or(outside, memory.Op(">", x, memory.ConstInt(high)))
	}
	then := client.Expr(&client.Call{Name: "wrapped to 64 bits", Args: []client.Expr{x}, Kind: client.Int})
	if n.bits < 64 { // ((x - low) mod 2^bits) + low
		size := memory.ConstInt(int64(1) << n.bits)
		rest := memory.Op("%", memory.Op("-", x, memory.ConstInt(low)), size)
		then = memory.Op("+", memory.Op("%", memory.Op("+", rest, size), size), memory.ConstInt(low))
	}
	in.Emit(&client.If{At: in.At(), Cond: outside, Then: []client.Stmt{&client.Assign{At: in.At(), Var: v, Expr: then}}})
	return memory.Of(client.V(v), client.Int)
}

// convertInt is a conversion from one type of integers to another.
func (in *interp) convertInt(s memory.Scalar, from, to types.Type) memory.Scalar {
	n, ok := integersOf(from)
	m, also := integersOf(to)
	if !ok || !also || n.in(m) {
		return s
	}
	return in.wrappedInt(s, m)
}

// computedInt is the result of an operator on integers of a type.
func (in *interp) computedInt(s memory.Scalar, o token.Token, t types.Type) memory.Scalar {
	n, ok := integersOf(t)
	if !ok {
		return s
	}
	switch o {
	case token.SUB:
		if n.bits == 64 && n.signed {
			return s
		}
	case token.ADD, token.MUL:
		if n.bits == 64 {
			return s
		}
	default:
		return s
	}
	return in.wrappedInt(s, n)
}
