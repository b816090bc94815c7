package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/ir"
)

// limit restricts a write to as many rows as its LIMIT allows, the first ones in
// its order, or any. A key that the condition fixes makes it one row at most.
func (b *Writer) limit(w *writeQuery, row *query.RowSource, tree any, pos ir.Pos) {
	s := b.App.Limited[tree]
	if s == nil {
		return
	}
	if len(w.other) > 0 {
		b.Unmodelled("LIMIT in a write of several tables")
	}
	q := &query.Query{Place: w.in, Level: w.in.Levels[len(w.in.Levels)-1], From: []ir.Source{row.IrSource()}, Where: w.where, AtMost: -1}
	outer := *w.in
	outer.Levels = outer.Levels[:len(outer.Levels)-1]
	q.Limits(&outer, s)
	switch {
	case q.Limit == nil || q.AtMost > 0 && b.SingleRow(q.IR()):
		return
	case q.AtMost == 1:
		q.Sort(s)
		w.where = b.FirstOf(q, pos)(q.From)
		return
	}
	q.Sort(s)
	w.where = ir.AndE(q.Where, b.Kept(q, q.Limit, nil, pos)(q.From))
}
