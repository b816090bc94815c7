package symbolic

import (
	"math/big"
	"slices"

	"github.com/txrobust/robust/internal/doubles"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
)

// Val is a symbolic SQL value: T, unless Null is true. Text, arrays and opaque
// values are integers that stand for them.
type Val struct {
	Null *smt.Term
	T    *smt.Term
	Type ir.Type
}

// Truth makes a Val of a truth value.
func (w *World) Truth(t *smt.Term) Val { return Val{w.B.False(), t, ir.BoolType} }

func (w *World) null(t ir.Type) Val { return Val{w.B.True(), w.zero(sortOf(t)), t} }

func (w *World) zero(s smt.Sort) *smt.Term {
	switch s {
	case smt.Bool:
		return w.B.False()
	case smt.Int:
		return w.B.IntConst(0)
	}
	return w.B.RealConst(new(big.Rat))
}

// Constant makes a Val of a concrete value of type t.
func (w *World) Constant(v ir.Value, t ir.Type) Val {
	v = v.Convert(t)
	out := Val{Null: w.B.False(), Type: t}
	switch v.Kind {
	case ir.KindNull:
		return w.null(t)
	case ir.KindBool:
		out.T = w.B.BoolConst(v.IsTrue())
	case ir.KindInt, ir.KindTime:
		out.T = w.B.IntConst(v.I)
	case ir.KindNum:
		out.T = w.B.RealConst(v.Rat())
	default:
		out.T = w.textConst(v)
	}
	return out
}

// isTrue is: v is true, neither false nor NULL.
func (w *World) isTrue(v Val) *smt.Term { return w.B.And(w.B.Not(v.Null), v.T) }

// isFalse is: v is false, neither true nor NULL.
func (w *World) isFalse(v Val) *smt.Term { return w.B.And(w.B.Not(v.Null), w.B.Not(v.T)) }

// same is: both NULL, or equal.
func (w *World) same(a, b Val) *smt.Term {
	if a == b {
		return w.B.True()
	}
	x, y := w.unify(a, b)
	return w.B.And(w.B.Eq(x.Null, y.Null), w.B.Or(x.Null, w.B.Eq(x.T, y.T)))
}

// allSame compares lists.
func (w *World) allSame(a, b []Val) *smt.Term {
	out := w.B.True()
	for i := range a {
		out = w.B.And(out, w.same(a[i], b[i]))
	}
	return out
}

// unify gives two values one sort: integers become rationals where they meet
// some, and NULL literals take the other's sort.
func (w *World) unify(a, b Val) (Val, Val) {
	sa, sb := a.T.Sort(), b.T.Sort()
	if sa == sb {
		return a, b
	}
	switch {
	case a.Null.IsTrue():
		return w.null(b.Type), b
	case b.Null.IsTrue():
		return a, w.null(a.Type)
	}
	return w.convert(a, ir.NumType), w.convert(b, ir.NumType)
}

// convert gives v the type t, which must accept v's.
func (w *World) convert(v Val, t ir.Type) Val {
	switch {
	case v.Type.Kind == ir.KindNull, v.Null.IsTrue():
		return w.null(t)
	case t.Kind == ir.KindNum && v.T.Sort() == smt.Int:
		return Val{v.Null, w.B.ToReal(v.T), t}
	}
	v.Type = t
	return v
}

// ite is: if c then a else b.
func (w *World) ite(c *smt.Term, a, b Val) Val {
	if c.IsTrue() {
		return a
	}
	if c.IsFalse() {
		return b
	}
	x, y := w.unify(a, b)
	t := x.Type
	if t.Kind == ir.KindNull {
		t = y.Type
	}
	return Val{w.B.Ite(c, x.Null, y.Null), w.B.Ite(c, x.T, y.T), t}
}

// keyTerm is the term of a non-NULL value as a component of a key of type t.
func (w *World) keyTerm(v Val, t ir.Type) *smt.Term { return w.convert(v, t).T }

// sameKey compares keys.
func (w *World) sameKey(a, b Key) *smt.Term {
	out := w.B.True()
	for i := range a {
		out = w.B.And(out, w.B.Eq(a[i], b[i]))
	}
	return out
}

// binary applies an operator to values. partial is a condition without which
// the operator fails (a divisor that is not zero).
func (w *World) binary(op ir.BinaryOp, a, b Val, t ir.Type) (v Val, partial *smt.Term) {
	B := w.B
	partial = B.True()
	null := B.Or(a.Null, b.Null)
	switch op {
	case ir.And:
		yes := B.And(w.isTrue(a), w.isTrue(b))
		no := B.Or(w.isFalse(a), w.isFalse(b))
		return Val{B.And(B.Not(yes), B.Not(no), null), yes, ir.BoolType}, partial
	case ir.Or:
		yes := B.Or(w.isTrue(a), w.isTrue(b))
		no := B.And(w.isFalse(a), w.isFalse(b))
		return Val{B.And(B.Not(yes), B.Not(no), null), yes, ir.BoolType}, partial
	case ir.Is:
		return w.Truth(w.same(a, b)), partial
	}
	x, y := w.unify(a, b)
	out := Val{Null: null, Type: ir.BoolType}
	switch op {
	case ir.Eq, ir.Ne:
		if out.T = B.Eq(x.T, y.T); op == ir.Ne {
			out.T = B.Not(out.T)
		}
		return out, partial
	case ir.Lt, ir.Le, ir.Gt, ir.Ge:
		if x.T.Sort() == smt.Bool {
			x.T, y.T = B.Ite(x.T, B.IntConst(1), B.IntConst(0)), B.Ite(y.T, B.IntConst(1), B.IntConst(0))
		}
		if op == ir.Gt || op == ir.Ge {
			x, y = y, x
		}
		if out.T = B.Lt(x.T, y.T); op == ir.Le || op == ir.Ge {
			out.T = B.Le(x.T, y.T)
		}
		return out, partial
	}
	out.Type = t
	switch op {
	case ir.Add:
		out.T = B.Add(x.T, y.T)
	case ir.Sub:
		out.T = B.Sub(x.T, y.T)
	case ir.Mul:
		out.T = w.product(x.T, y.T)
	case ir.Div, ir.Mod:
		partial = B.Or(null, B.Not(B.Eq(y.T, w.zero(y.T.Sort()))))
		out.T = w.quotient(op, x.T, y.T)
	default:
		panic("symbolic: unknown operator " + op.String())
	}
	return out, partial
}

// product multiplies. In the open world the product of two unknowns is an
// uninterpreted, commutative function.
func (w *World) product(x, y *smt.Term) *smt.Term {
	_, cx := x.Const()
	_, cy := y.Const()
	if cx || cy || w.Closed {
		return w.B.Mul(x, y)
	}
	// The smaller value first: equal factors must give equal products,
	// whichever terms they are.
	ordered := w.B.Le(x, y)
	x, y = w.B.Ite(ordered, x, y), w.B.Ite(ordered, y, x)
	return w.B.App(w.B.Func("mul "+x.Sort().String(), x.Sort(), x.Sort(), x.Sort()), x, y)
}

// quotient divides: integers truncate towards zero, and Mod has the sign of
// the dividend.
func (w *World) quotient(op ir.BinaryOp, x, y *smt.Term) *smt.Term {
	B := w.B
	k, isConst := y.Const()
	if x.Sort() == smt.Real {
		if op == ir.Div && (isConst || w.Closed) {
			return B.Quo(x, y)
		}
		return B.App(B.Func("num "+op.String(), smt.Real, smt.Real, smt.Real), x, y)
	}
	if !w.Closed && (!isConst || k.Sign() == 0) {
		return B.App(B.Func("int "+op.String(), smt.Int, smt.Int, smt.Int), x, y)
	}
	zero := B.IntConst(0)
	abs := func(t *smt.Term) *smt.Term { return B.Ite(B.Le(zero, t), t, B.Sub(zero, t)) }
	if op == ir.Mod {
		m := B.Mod(abs(x), abs(y))
		return B.Ite(B.Le(zero, x), m, B.Sub(zero, m))
	}
	q := B.Div(abs(x), abs(y))
	return B.Ite(B.Eq(B.Le(zero, x), B.Le(zero, y)), q, B.Sub(zero, q))
}

// call applies a function.
func (w *World) call(c *ir.Call, args []Val) Val {
	B := w.B
	known := c.Function()
	if known != nil && !known.Strict {
		known = nil
	}
	null := B.False()
	terms := make([]*smt.Term, 0, 2*len(args))
	for _, a := range args {
		if known != nil {
			null = B.Or(null, a.Null)
			terms = append(terms, a.T)
		} else {
			// An opaque function may look at NULL.
			terms = append(terms, B.Ite(a.Null, w.zero(a.T.Sort()), a.T), a.Null)
		}
	}
	app := func(suffix string, result smt.Sort) *smt.Term {
		name := "fn " + smt.Word(c.Name) + suffix
		var params []smt.Sort
		for _, t := range terms {
			params = append(params, t.Sort())
			name += " " + t.Sort().String()
		}
		return B.App(B.Func(name, result, params...), terms...)
	}
	if known != nil && known.Eval != nil && !known.Settings && len(args) == 1 && (args[0].Type.Kind == ir.KindText || args[0].Type.Kind == ir.KindOpaque) && c.Type.Kind != ir.KindArray {
		w.ofText[c.Name] = ofText{c, args[0].Type.Kind}
	}
	out := Val{Type: c.Type}
	if w.Closed && known != nil && known.Canonical && terms[0].Sort() == sortOf(c.Type) {
		return Val{Null: null, T: terms[0], Type: c.Type}
	}
	switch {
	case known == nil:
		out.Null = app("?", smt.Bool)
	case c.Name == "elem":
		n := w.length(args[0].T)
		i := args[1].T
		out.Null = B.Or(null, B.Lt(i, B.IntConst(1)), B.Lt(n, i))
	case known.Partial:
		out.Null = B.Or(null, app("?", smt.Bool))
	default:
		out.Null = null
	}
	switch {
	case c.Name == "len":
		out.T = w.length(args[0].T)
		return out
	case c.Name == "octets of":
		out.T = w.octetsOf(args[0].T)
		w.Define(B.Le(B.IntConst(0), out.T))
		return out
	case w.Closed:
		numbers := make([]*smt.Term, len(args))
		for i, a := range args {
			numbers[i] = a.T
		}
		if t := doubles.Apply(B, w.Define, c.Name, numbers); t != nil {
			out.T = t
			return out
		}
	}
	out.T = app(" "+c.Type.String(), sortOf(c.Type))
	if c.Symmetric() {
		// Whatever the function, the two values together are symmetric, and
		// every symmetric one is of this kind.
		half := len(terms) / 2 // of NULLs are only those terms that matter
		terms = slices.Concat(terms[half:], terms[:half])
		if known == nil || known.Partial {
			out.Null = B.Or(out.Null, app("?", smt.Bool))
		}
		out.T = B.Or(out.T, app(" "+c.Type.String(), sortOf(c.Type)))
	}
	return out
}

// length is the number of elements of an array.
func (w *World) length(array *smt.Term) *smt.Term {
	n := w.B.App(w.B.Func("len", smt.Int, smt.Int), array)
	w.Define(w.B.Le(w.B.IntConst(0), n))
	return n
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
