package query

import (
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/ir"
)

// lockSub sees to the locks of q, a subquery used as a value, where it may not run at all:
// then it locks nothing. A lock that is lost excludes nobody, one too many hides
// executions.
func (x *Place) lockSub(q *Query, pos ir.Pos) {
	if x.Conditional || x.PerRow {
		x.lockWhen(q, pos, q.Limit == nil || x.Draft.SingleRow(q.IR()))
	}
}

// lockWhen locks the rows of q, a subquery that may not run, where it is known to run.
// told says that it is known which rows come.
func (x *Place) lockWhen(q *Query, pos ir.Pos, told bool) {
	if sure, ok := x.Sure.(*[]SureLocks); ok && told && len(q.Locks) > 0 && closed(q) {
		own := *q
		*sure = append(*sure, SureLocks{&own, pos})
		q.Locks, q.inner = nil, nil
		return
	}
	if x.PerRow || x.Guard == nil || !told || len(q.Locks) == 0 {
		LooseLocks(x.Draft, q, pos, "which may not run")
		return
	}
	x.Draft.Emit(&ir.If{At: expr.At(pos), Cond: x.Guard, Then: x.Draft.Collect(func() { LockRows(x.Draft, q, pos) })})
}

// SureLocks are the locks of a subquery that runs if a row is written, and perhaps
// otherwise: an index is asked for its value, and a scan comes to it with the first row.
type SureLocks struct {
	Q   *Query
	Pos ir.Pos
}

// Surely runs f for conditions and values of an UPDATE or DELETE.
func (x *Place) Surely(f func()) []SureLocks {
	if x.Conditional || x.App.In.MySQL {
		f()
		return nil
	}
	var out []SureLocks
	x.Sure = &out
	f()
	x.Sure = nil
	return out
}
