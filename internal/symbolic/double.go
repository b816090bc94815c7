package symbolic

import "github.com/txrobust/robust/internal/smt"

// double applies a function of numbers of 64 bits as if it did not round: in the
// closed world, where answers are candidates that the interpreter confirms or not. It
// is nil for other functions.
func (w *World) double(name string, args []Val) *smt.Term {
	B := w.B
	number := func(i int) *smt.Term {
		if t := args[i].T; t.Sort() == smt.Int {
			return B.ToReal(t)
		}
		return args[i].T
	}
	zero := w.zero(smt.Real)
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
		return B.ToReal(w.floor(number(0)))
	case "double ceil":
		return B.Sub(zero, B.ToReal(w.floor(B.Sub(zero, number(0)))))
	case "double trunc":
		return B.ToReal(w.trunc(number(0)))
	case "double int":
		return w.trunc(number(0))
	}
	return nil
}

// floor is the largest integer that is not above x.
func (w *World) floor(x *smt.Term) *smt.Term {
	B := w.B
	n := B.App(B.Func("floor", smt.Int, smt.Real), x)
	w.Define(B.And(B.Le(B.ToReal(n), x), B.Lt(x, B.ToReal(B.Add(n, B.IntConst(1))))))
	return n
}

// trunc is x without what is behind the point.
func (w *World) trunc(x *smt.Term) *smt.Term {
	B := w.B
	zero := w.zero(smt.Real)
	return B.Ite(B.Le(zero, x), w.floor(x), B.Sub(B.IntConst(0), w.floor(B.Sub(zero, x))))
}

// octetsOf is the number of bytes of a text.
func (w *World) octetsOf(text *smt.Term) *smt.Term {
	w.octets = true
	return w.B.App(w.B.Func("octets of", smt.Int, smt.Int), text)
}

// Octets is the number of bytes of the text that a number stands for, nil if the
// question is not about such numbers.
func (w *World) Octets(text int64) *smt.Term {
	if !w.octets {
		return nil
	}
	return w.octetsOf(w.B.IntConst(text))
}
