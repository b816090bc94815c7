package sqlmodel

import "github.com/txrobust/robust/ir"

// limit restricts a write to as many rows as its LIMIT allows, the first ones in
// its order, or any. A key that the condition fixes makes it one row at most.
func (b *builder) limit(w *writeQuery, row *rowSource, tree any, pos ir.Pos) {
	s := b.l.Limited[tree]
	if s == nil {
		return
	}
	if len(w.other) > 0 {
		b.unmodelled("LIMIT in a write of several tables")
	}
	q := &query{in: w.in, level: w.in.levels[len(w.in.levels)-1], from: []ir.Source{row.irSource()}, where: w.where, atMost: -1}
	outer := *w.in
	outer.levels = outer.levels[:len(outer.levels)-1]
	q.limits(&outer, s)
	switch {
	case q.limit == nil || q.atMost > 0 && b.singleRow(q.ir()):
		return
	case q.atMost == 1:
		q.sort(s)
		w.where = b.firstOf(q, pos)(q.from)
		return
	}
	q.sort(s)
	w.where = ir.AndE(q.where, b.kept(q, q.limit, nil, pos)(q.from))
}
