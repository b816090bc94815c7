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

// overwrites reports whether the two transactions of a cycle have both read a row, and both
// write it.
func (b *builder) overwrites(cycle []dependency) bool {
	a, o := cycle[0], cycle[1]
	return a.kind == depRW && o.kind == depRW && a.Table == o.Table && a.Key == o.Key
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

// untaken gives the dependencies of who inserts a row on who inserts it as well, and is not seen:
// it has found the key free.
func (b *builder) untaken() []dependency {
	var out []dependency
	for i := range b.x.Txns {
		for k := range b.x.Txns {
			first, second := &b.x.Txns[i], &b.x.Txns[k]
			if i == k || first.Sees == nil || k < i && first.Sees[k] {
				continue
			}
			for _, p := range first.Run.Ops {
				for _, q := range second.Run.Ops {
					if p.Kind == interp.OpInsert && q.Kind == interp.OpInsert && p.Table == q.Table && p.Key == q.Key {
						t := b.e.Program.Tables[p.Table]
						out = append(out, dependency{kind: depCO, words: b.who(i) + " found the key of " + RowName(t, p.New) + " free before " + b.who(k) + " took it",
							Dependency: interp.Dependency{From: i, To: k, Table: p.Table, Key: p.Key, Read: p.Stmt, Write: q.Stmt, Old: q.Old, New: q.New}})
					}
				}
			}
		}
	}
	return out
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
