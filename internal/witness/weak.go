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
	b.snapshots = snapshots
	if e.serializable(b.m) {
		return nil, errors.New("witness: not confirmed: a serial order has the outcome")
	}
	b.w = &Witness{Isolation: isolation, Engine: e.Engine.Name, Rows: b.rows(b.x.Versions[0]), Final: b.rows(b.x.Last())}
	b.watching = true
	var events []moment
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
		events = append(events, b.begins(i, "BEGIN, sees "+sees, snapshots[i]))
		v := b.view(i)
		v.now = v.snap // there is no newest state
		v.steps(len(v.run.Steps), len(v.run.Reads))
		events = append(append(events, v.events...), b.commits(i))
	}
	b.watching = false
	b.w.Play = b.played(events, false)
	b.w.Schedule = b.w.Play.Events
	cycle := b.cycle()
	switch b.w.Kind = b.kind(cycle); {
	case b.w.Kind == LongCycle && forks(cycle):
		b.w.Kind = LongFork
	case b.w.Kind == WriteSkew && b.overwrites(cycle):
		b.w.Kind = LostUpdate
	}
	b.w.Cycle = b.edges(cycle)
	s := b.newSerial()
	s.plays = true
	if s.next(); s.out == nil {
		s.out = []SerialOrder{}
	}
	b.w.Serial, b.w.Orders = s.out, orders(b.x, e.AnyOrder)
	return b.w, nil
}
