// Package arith computes with two values of a program, as a database does: exactly, and with an error where integers
// of 64 bits overflow.
package arith

import (
	"fmt"
	"math"
	"math/big"

	"github.com/txrobust/robust/internal/ir"
)

// Compare reports whether a comparison holds where ir.Compare gives c.
func Compare(op ir.BinaryOp, c int) bool {
	switch op {
	case ir.Eq:
		return c == 0
	case ir.Ne:
		return c != 0
	case ir.Lt:
		return c < 0
	case ir.Le:
		return c <= 0
	case ir.Gt:
		return c > 0
	case ir.Ge:
		return c >= 0
	}
	panic(fmt.Sprintf("arith: %s is no comparison", op))
}

// Compute computes with two numbers or points in time, one of which may be NULL; why says that it is an error.
func Compute(op ir.BinaryOp, a, b ir.Value) (v ir.Value, why string) {
	if a.IsNull() || b.IsNull() {
		return ir.Null, ""
	}
	if a.Kind == ir.KindNum || b.Kind == ir.KindNum {
		return rational(op, a.Rat(), b.Rat())
	}
	x, y := a.I, b.I
	kind := a.Kind
	if a.Kind == ir.KindTime && b.Kind == ir.KindTime {
		kind = ir.KindInt
	}
	var r int64
	overflow := false
	switch op {
	case ir.Add:
		r = x + y
		overflow = (x >= 0) == (y >= 0) && (r >= 0) != (x >= 0)
	case ir.Sub:
		r = x - y
		overflow = (x >= 0) != (y >= 0) && (r >= 0) != (x >= 0)
	case ir.Mul:
		r = x * y
		overflow = x != 0 && (r/x != y || x == -1 && y == math.MinInt64)
	case ir.Div, ir.Mod:
		if y == 0 {
			return ir.Null, "division by zero"
		}
		if r = x % y; op == ir.Div {
			r, overflow = x/y, x == math.MinInt64 && y == -1
		}
	default:
		panic(fmt.Sprintf("arith: %s is no arithmetic", op))
	}
	if overflow {
		return ir.Null, "integer overflow"
	}
	return ir.Value{Kind: kind, I: r}, ""
}

func rational(op ir.BinaryOp, a, b *big.Rat) (v ir.Value, why string) {
	r := new(big.Rat)
	switch op {
	case ir.Add:
		r.Add(a, b)
	case ir.Sub:
		r.Sub(a, b)
	case ir.Mul:
		r.Mul(a, b)
	case ir.Div, ir.Mod:
		if b.Sign() == 0 {
			return ir.Null, "division by zero"
		}
		r.Quo(a, b)
		if op == ir.Mod {
			q := new(big.Int).Quo(r.Num(), r.Denom())
			r.Sub(a, new(big.Rat).Mul(b, new(big.Rat).SetInt(q)))
		}
	default:
		panic(fmt.Sprintf("arith: %s is no arithmetic", op))
	}
	return ir.Num(r), ""
}
