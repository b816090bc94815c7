package witness

import (
	"errors"
	"strings"

	"github.com/txrobust/robust/internal/interp"
)

// BuildIn describes an execution of a model of package weak, which has been replayed with a
// trace and compared with all serial orders. snapshots are the states that its transactions
// read, in the order of arbitration. The error says that a serial order has its outcome.
func BuildIn(isolation string, e Evidence, snapshots []*interp.DB) (*Witness, error) {
	b := e.builderOf(e.Machine(), e.Execution)
	if e.serializable(b.m) {
		return nil, errors.New("witness: not confirmed: a serial order has the outcome")
	}
	b.w = &Witness{Isolation: isolation, Engine: e.Engine.Name, Rows: b.rows(b.x.Versions[0]), Final: b.rows(b.x.Last())}
	for i := range b.x.Txns {
		t, sees := b.transaction(i), "nobody"
		for k, yes := range b.x.Txns[i].Sees {
			if yes {
				t.Sees = append(t.Sees, b.labels[k])
			}
		}
		if t.Snapshot = len(t.Sees); t.Snapshot > 0 {
			sees = strings.Join(t.Sees, ", ")
		}
		b.w.Transactions = append(b.w.Transactions, t)
		b.w.Schedule = append(b.w.Schedule, b.event(i, Begin, "BEGIN, sees "+sees))
		v := b.view(i)
		v.snap, v.now = snapshots[i], snapshots[i]
		v.steps(len(v.run.Steps), len(v.run.Reads))
		for _, m := range v.events {
			b.w.Schedule = append(b.w.Schedule, m.Event)
		}
		b.w.Schedule = append(b.w.Schedule, b.event(i, CommitIt, "COMMIT"))
	}
	cycle := b.cycle()
	b.w.Kind = b.kind(cycle)
	if b.w.Kind == LongCycle && forks(cycle) {
		b.w.Kind = LongFork
	}
	b.w.Cycle = b.edges(cycle)
	s := b.newSerial()
	if s.next(); s.out == nil {
		s.out = []SerialOrder{}
	}
	b.w.Serial, b.w.Orders = s.out, orders(b.x, e.AnyOrder)
	return b.w, nil
}

// forks reports whether a cycle has several RW, and before each of them a WR or the order of a
// session.
func forks(cycle []dependency) bool {
	n := 0
	for i, d := range cycle {
		if d.kind != depRW {
			continue
		}
		n++
		if before := cycle[(i+len(cycle)-1)%len(cycle)].kind; before != depWR && before != depSO {
			return false
		}
	}
	return n > 1
}

// older reports whether an RW is none: who reads does not see the write, but a later one of the
// same row.
func (b *builder) older(d interp.Dependency) bool {
	reader := &b.x.Txns[d.From]
	if d.Kind != interp.RW || reader.Sees == nil {
		return false
	}
	for k := d.To + 1; k < d.From; k++ {
		for i := range b.x.Txns[k].Run.Ops {
			op := &b.x.Txns[k].Run.Ops[i]
			if reader.Sees[k] && op.Table == d.Table && op.Key == d.Key && covers(op, d.Cols) {
				return true
			}
		}
	}
	return false
}

// covers reports whether a write writes columns, or the existence of the row if there are none.
func covers(op *interp.Op, cols []int) bool {
	if op.Kind != interp.OpUpdate {
		return true
	}
	for _, c := range cols {
		if op.Cols != nil && !op.Cols[c] {
			return false
		}
	}
	return len(cols) > 0
}
