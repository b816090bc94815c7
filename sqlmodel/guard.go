package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/ir"
)

// lockSurely takes locks where rows are written, and says that they may be taken where
// none are.
func (b *Writer) lockSurely(list []query.SureLocks, row *query.RowSource, w *writeQuery) {
	if len(list) == 0 {
		return
	}
	s := &ir.If{At: query.At(b.Cur), Cond: &ir.Exists{Query: ir.Query{From: append([]ir.Source{row.IrSource()}, w.other...), Where: w.where}}}
	for _, l := range list {
		s.Then = append(s.Then, b.Collect(func() { own := *l.Q; b.LockRows(&own, l.Pos) })...)
		s.Else = append(s.Else, b.Collect(func() { b.LooseLocks(l.Q, l.Pos, "which may not run") })...)
	}
	b.Emit(s)
}
