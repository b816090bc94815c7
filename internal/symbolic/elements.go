package symbolic

import (
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/ir"
)

// elements says which elements an array has that an aggregate makes: the values of the rows,
// and, where these are keys of the rows, no other keys. Of no rows ARRAY (…) makes an empty array, and
// array_agg makes NULL.
func (w *World) elements(a *ir.Agg, p *plan, member func([]Key) (*smt.Term, Val), some *smt.Term, result *Val) {
	B := w.B
	if a.Fn == "array_agg" {
		result.Null = B.Not(some)
	}
	array := Val{B.False(), result.T, a.Type}
	in := scope{about: result.T}
	w.define(in, B.Eq(some, B.Not(B.Eq(w.length(result.T), B.IntConst(0)))))
	among := func(v Val) *smt.Term {
		return w.isTrue(w.call(&ir.Call{Name: "= any", Type: ir.BoolType}, []Val{{B.False(), v.T, v.Type}, array}))
	}
	only := false
	if col, ok := a.Arg.(*ir.Col); ok && len(p.steps) == 1 && len(p.doms) == 1 {
		t := p.steps[0].src.Table
		only = len(t.Key) == 1 && col.Row == p.steps[0].src.Row && t.IsKey(t.Column(col.Col))
	}
	w.alwaysIn(in, p.doms, func(tuple []Key) *smt.Term {
		g, v := member(tuple)
		if only {
			return B.Eq(g, among(Val{B.False(), tuple[0][0], v.Type}))
		}
		return B.Implies(g, among(v))
	})
}
