package expr

import (
	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/schema"
)

// Shareable is the size beyond which an expression that is needed twice gets
// a local.
const Shareable = 12

// Shared gives an expression that may be used twice without doubling the size
// of the program at each level of nesting.
func (x *Spot) Shared(e ir.Expr, t schema.Type) ir.Expr {
	if ExprSize(e, 4*Shareable) <= Shareable {
		return e
	}
	if x.Draft == nil || !RowFree(e, map[string]bool{}) || x.Conditional && failure.MayFail(e) {
		if ExprSize(e, maxExprSize) >= maxExprSize {
			panic(schema.Unmodelled{Reason: "an expression that is too large"})
		}
		return e
	}
	v := x.Draft.Local("tmp", t)
	x.Draft.Emit(&ir.Assign{At: At(x.Draft.Cur), Var: v, Expr: e})
	return ir.V(v)
}

// maxExprSize bounds expressions that are copied.
const maxExprSize = 2000

// ExprSize counts the nodes of e, up to limit.
func ExprSize(e ir.Expr, limit int) int {
	n := 0
	var count func(e ir.Expr)
	count = func(e ir.Expr) {
		if n++; e == nil || n >= limit {
			return
		}
		switch e := e.(type) {
		case *ir.Unary:
			count(e.X)
		case *ir.Binary:
			count(e.X)
			count(e.Y)
		case *ir.Cond:
			count(e.If)
			count(e.Then)
			count(e.Else)
		case *ir.Call:
			for _, a := range e.Args {
				count(a)
			}
		case *ir.Exists:
			count(e.Query.Where)
		}
	}
	count(e)
	return n
}

// RowFree reports whether e refers to no row variable outside of bound.
func RowFree(e ir.Expr, bound map[string]bool) bool {
	switch e := e.(type) {
	case nil, *ir.Const, *ir.Var:
		return true
	case *ir.Col:
		return bound[e.Row]
	case *ir.Unary:
		return RowFree(e.X, bound)
	case *ir.Binary:
		return RowFree(e.X, bound) && RowFree(e.Y, bound)
	case *ir.Cond:
		return RowFree(e.If, bound) && RowFree(e.Then, bound) && RowFree(e.Else, bound)
	case *ir.Call:
		if e.IsOpen() { // it may refer to any
			return false
		}
		for _, a := range e.Args {
			if !RowFree(a, bound) {
				return false
			}
		}
		return true
	case *ir.Exists:
		inner := map[string]bool{}
		for k := range bound {
			inner[k] = true
		}
		for _, s := range e.Query.From {
			inner[s.Row] = true
		}
		return RowFree(e.Query.Where, inner)
	}
	return false
}
