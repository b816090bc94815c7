package sqlmodel

import "github.com/txrobust/robust/ir"

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
	conditional, outer := x.conditional, x.guard
	x.conditional, x.guard = true, guard
	f()
	x.conditional, x.guard = conditional, outer
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
	if x.perRow || x.guard == nil || !told || len(q.locks) == 0 {
		x.b.looseLocks(q, pos, "which may not run")
		return
	}
	x.b.emit(&ir.If{At: at(pos), Cond: x.guard, Then: x.b.collect(func() { x.b.lockRows(q, pos) })})
}
