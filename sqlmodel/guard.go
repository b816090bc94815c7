package sqlmodel

import (
	"github.com/txrobust/robust/ir"
)

// maybe runs f for something that may not be evaluated.
func (x *ex) maybe(f func()) { x.under(nil, f) }

// when runs f for something that is evaluated where a condition is true.
func (x *ex) when(cond ir.Expr, f func()) {
	if !x.conditional || x.guard != nil {
		cond = ir.AndE(x.guard, cond)
	} else {
		cond = nil // it is not known whether the condition is evaluated
	}
	x.under(cond, f)
}

func (x *ex) under(guard ir.Expr, f func()) {
	conditional, outer, sure := x.conditional, x.guard, x.sure
	x.conditional, x.guard, x.sure = true, guard, nil
	f()
	x.conditional, x.guard, x.sure = conditional, outer, sure
}

// lockSub sees to the locks of q, a subquery used as a value, where it may not run at all:
// then it locks nothing. A lock that is lost excludes nobody, one too many hides
// executions.
func (x *ex) lockSub(q *query, pos ir.Pos) {
	if x.conditional || x.perRow {
		x.lockWhen(q, pos, q.limit == nil || x.b.singleRow(q.ir()))
	}
}

// lockWhen locks the rows of q, a subquery that may not run, where it is known to run.
// told says that it is known which rows come.
func (x *ex) lockWhen(q *query, pos ir.Pos, told bool) {
	if x.sure != nil && told && len(q.locks) > 0 && closed(q) {
		own := *q
		*x.sure = append(*x.sure, sureLocks{&own, pos})
		q.locks, q.inner = nil, nil
		return
	}
	if x.perRow || x.guard == nil || !told || len(q.locks) == 0 {
		x.b.looseLocks(q, pos, "which may not run")
		return
	}
	x.b.emit(&ir.If{At: at(pos), Cond: x.guard, Then: x.b.collect(func() { x.b.lockRows(q, pos) })})
}

// sureLocks are the locks of a subquery that runs if a row is written, and perhaps
// otherwise: an index is asked for its value, and a scan comes to it with the first row.
type sureLocks struct {
	q   *query
	pos ir.Pos
}

// surely runs f for conditions and values of an UPDATE or DELETE.
func (x *ex) surely(f func()) []sureLocks {
	if x.conditional || x.l.In.MySQL {
		f()
		return nil
	}
	var out []sureLocks
	x.sure = &out
	f()
	x.sure = nil
	return out
}

// lockSurely takes locks where rows are written, and says that they may be taken where
// none are.
func (b *builder) lockSurely(list []sureLocks, row *rowSource, w *writeQuery) {
	if len(list) == 0 {
		return
	}
	s := &ir.If{At: at(b.cur), Cond: &ir.Exists{Query: ir.Query{From: append([]ir.Source{row.irSource()}, w.other...), Where: w.where}}}
	for _, l := range list {
		s.Then = append(s.Then, b.collect(func() { own := *l.q; b.lockRows(&own, l.pos) })...)
		s.Else = append(s.Else, b.collect(func() { b.looseLocks(l.q, l.pos, "which may not run") })...)
	}
	b.emit(s)
}
