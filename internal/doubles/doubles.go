// Package doubles tells a solver what functions of numbers of 64 bits compute, as if they
// did not round. Answers that rest on it are candidates, which an interpreter confirms or not.
package doubles

import (
	"math/big"

	"github.com/txrobust/robust/internal/smt"
)

// arithmetic makes terms, and conditions that every question needs.
type arithmetic struct {
	*smt.Builder
	define func(*smt.Term)
}

// Apply applies the function of that name. It is nil for other functions.
func Apply(b *smt.Builder, define func(*smt.Term), name string, args []*smt.Term) *smt.Term {
	B := arithmetic{b, define}
	number := func(i int) *smt.Term {
		if args[i].Sort() == smt.Int {
			return B.ToReal(args[i])
		}
		return args[i]
	}
	zero := B.RealConst(new(big.Rat))
	switch name {
	case "double +":
		return B.Add(number(0), number(1))
	case "double -":
		return B.Sub(number(0), number(1))
	case "double *":
		return B.Mul(number(0), number(1))
	case "double /":
		return B.Quo(number(0), number(1))
	case "double max":
		return B.Ite(B.Le(number(0), number(1)), number(1), number(0))
	case "double min":
		return B.Ite(B.Le(number(0), number(1)), number(0), number(1))
	case "double abs":
		return B.Ite(B.Le(zero, number(0)), number(0), B.Sub(zero, number(0)))
	case "double floor":
		return B.ToReal(B.floor(number(0)))
	case "double ceil":
		return B.Sub(zero, B.ToReal(B.floor(B.Sub(zero, number(0)))))
	case "double trunc":
		return B.ToReal(B.trunc(number(0)))
	case "double int":
		return B.trunc(number(0))
	}
	return nil
}

// floor is the largest integer that is not above x.
func (B arithmetic) floor(x *smt.Term) *smt.Term {
	n := B.App(B.Func("floor", smt.Int, smt.Real), x)
	B.define(B.And(B.Le(B.ToReal(n), x), B.Lt(x, B.ToReal(B.Add(n, B.IntConst(1))))))
	return n
}

// trunc is x without what is behind the point.
func (B arithmetic) trunc(x *smt.Term) *smt.Term {
	zero := B.RealConst(new(big.Rat))
	return B.Ite(B.Le(zero, x), B.floor(x), B.Sub(B.IntConst(0), B.floor(B.Sub(zero, x))))
}
