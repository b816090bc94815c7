package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// each runs body inside the loops of the set-returning functions of q; it is
// for body to go over the tables of q, if there are any. exit and next are the
// labels of the outermost and of the innermost loop, "" where none is needed.
func (b *Writer) each(q *query.Query, pos ir.Pos, exit, next string, body func()) {
	b.eachLoop(q, pos, 0, exit, next, body)
}

func (b *Writer) eachLoop(q *query.Query, pos ir.Pos, i int, exit, next string, body func()) {
	if i == len(q.Loops) {
		b.Out = append(b.Out, q.Body...)
		if q.Where != nil && len(q.From) == 0 {
			b.Emit(&ir.If{At: query.At(pos), Cond: q.Where, Then: b.Collect(body)})
			return
		}
		body()
		return
	}
	l := q.Loops[i]
	label := ""
	if i == 0 {
		label = exit
	}
	if i == len(q.Loops)-1 && next != "" {
		label = next
	}
	loop := &ir.ForRange{At: query.At(pos), Label: label, Var: l.Elem, From: l.From, To: l.To}
	if l.Array != nil {
		loop.Var = b.Local("i", schema.TInt)
		loop.From = ir.C(ir.Int(1))
		n := &ir.Call{Name: "len", Args: []ir.Expr{l.Array}, Type: ir.IntType}
		loop.To = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: l.Array}, Then: ir.C(ir.Int(0)), Else: n}
	}
	loop.Body = b.Collect(func() {
		if l.Array != nil {
			t := b.TypeOfLocal(l.Elem)
			b.Emit(&ir.Assign{At: query.At(pos), Var: l.Elem, Expr: &ir.Call{Name: "elem", Args: []ir.Expr{l.Array, ir.V(loop.Var)}, Type: t}})
		}
		if l.Ordinal != "" {
			e := ir.V(loop.Var)
			if l.Array == nil {
				e = ir.Op(ir.Add, ir.Op(ir.Sub, e, l.From), ir.C(ir.Int(1)))
			}
			b.Emit(&ir.Assign{At: query.At(pos), Var: l.Ordinal, Expr: e})
		}
		b.eachLoop(q, pos, i+1, exit, next, body)
	})
	b.Emit(loop)
}
