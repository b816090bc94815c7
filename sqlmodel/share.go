package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// shareable is the size beyond which an expression that is needed twice gets
// a local.
const shareable = 12

// shared gives an expression that may be used twice without doubling the size
// of the program at each level of nesting.
func (x *ex) shared(e ir.Expr, t schema.Type) ir.Expr {
	if exprSize(e, 4*shareable) <= shareable {
		return e
	}
	if x.b == nil || !rowFree(e, map[string]bool{}) || x.conditional && ir.MayFail(e) {
		if exprSize(e, maxExprSize) >= maxExprSize {
			panic(schema.Unmodelled{Reason: "an expression that is too large"})
		}
		return e
	}
	v := x.b.local("tmp", t)
	x.b.emit(&ir.Assign{At: at(x.b.cur), Var: v, Expr: e})
	return ir.V(v)
}

// maxExprSize bounds expressions that are copied.
const maxExprSize = 2000

// exprSize counts the nodes of e, up to limit.
func exprSize(e ir.Expr, limit int) int {
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

// rowFree reports whether e refers to no row variable outside of bound.
func rowFree(e ir.Expr, bound map[string]bool) bool {
	switch e := e.(type) {
	case nil, *ir.Const, *ir.Var:
		return true
	case *ir.Col:
		return bound[e.Row]
	case *ir.Unary:
		return rowFree(e.X, bound)
	case *ir.Binary:
		return rowFree(e.X, bound) && rowFree(e.Y, bound)
	case *ir.Cond:
		return rowFree(e.If, bound) && rowFree(e.Then, bound) && rowFree(e.Else, bound)
	case *ir.Call:
		if e.IsOpen() { // it may refer to any
			return false
		}
		for _, a := range e.Args {
			if !rowFree(a, bound) {
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
		return rowFree(e.Query.Where, inner)
	}
	return false
}
