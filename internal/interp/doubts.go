package interp

import (
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pieces"
)

// Doubt is a reason why the database may refuse an execution that the statements allow.
type Doubt struct {
	// Txn is the place of the transaction in the order of commits.
	Txn     int
	Dropped *ir.Dropped
}

// Doubts gives what the statements leave out on the way of an execution, as far as the
// database could refuse the execution for it. It is for snapshot isolation, and errors
// count at READ COMMITTED too; what may keep a transaction waiting there, Interrupt heeds.
func (m *Machine) Doubts(x *Execution) []Doubt {
	var out []Doubt
	for i := range x.Txns {
		t := &x.Txns[i]
		for k := range t.Run.Dropped {
			d := &t.Run.Dropped[k]
			seen := slices.ContainsFunc(out, func(o Doubt) bool { return o.Txn == i && o.Dropped == d.Stmt })
			if !seen && m.mayRefuse(x, i, d) {
				out = append(out, Doubt{i, d.Stmt})
			}
		}
	}
	return out
}

// mayRefuse reports whether what was dropped in transaction i of an execution could stop
// it, or another one.
func (m *Machine) mayRefuse(x *Execution, i int, d *DroppedAt) bool {
	if d.Stmt.Kind == ir.ByError || d.Stmt.Kind == ir.ByValue {
		return true
	}
	if x.Txns[len(x.Txns)-1].Split != nil {
		return false
	}
	t := &x.Txns[i]
	for j := range x.Txns {
		other := &x.Txns[j]
		inside := t.Snapshot <= j && j < i // other commits in the window of t
		around := other.Snapshot <= i && i < j
		var hit bool
		switch d.Stmt.Kind {
		case ir.ByRowLock:
			hit = inside && m.mayLock(d, other.Run) || around && m.Engine.LockWrites
		case ir.ByTableLock:
			hit = (inside || around) && m.Engine.TableLocks && m.uses(other.Run, d.Stmt)
		case ir.ByAdvisoryLock:
			// Whoever asks for the lock in its first statement has its snapshot by
			// then, and the lock before others that begin later.
			first := d.First && inside && t.Snapshot < other.Snapshot
			hit = first && other.Run.locksNumber(d)
		case ir.BySessionLock:
			hit = (inside || around) && other.Run.locksNumber(d)
		}
		if hit {
			return true
		}
	}
	return false
}

// locksNumber reports whether what was dropped of a run may lock a number so that nobody has
// the lock d beside it.
func (r *Run) locksNumber(d *DroppedAt) bool {
	return slices.ContainsFunc(r.Dropped, func(o DroppedAt) bool {
		if o.Stmt.Kind != ir.ByAdvisoryLock && o.Stmt.Kind != ir.BySessionLock || d.Stmt.Shared && o.Stmt.Shared {
			return false
		}
		if slices.Contains(d.Number, ir.Null) || slices.Contains(o.Number, ir.Null) { // a lock of NULL is none
			return false
		}
		return d.Number == nil || o.Number == nil || slices.Equal(d.Number, o.Number)
	})
}

// mayLock reports whether a lock that was dropped could fail on what another
// transaction wrote.
func (m *Machine) mayLock(d *DroppedAt, other *Run) bool {
	if len(d.Stmt.Query.From) > 0 {
		return slices.ContainsFunc(d.Locks, func(l RowLock) bool { return m.keepsOut(l, []*Run{other}) })
	}
	if m.Engine.LockExcludes[ir.ForUpdate] == engine.NoWrite {
		return false
	}
	return slices.ContainsFunc(other.Ops, func(o Op) bool { return o.Kind != OpInsert && m.about(d.Stmt, o.Table) })
}

// about reports whether what was dropped is about a table, by its number.
func (m *Machine) about(d *ir.Dropped, table int) bool {
	return d.Tables == nil || slices.Contains(d.Tables, m.Program.Tables[table])
}

// uses reports whether a run uses a table that something dropped is about.
func (m *Machine) uses(run *Run, d *ir.Dropped) bool {
	return slices.ContainsFunc(run.uses, func(u tableUse) bool { return m.about(d, u.table) })
}

// mayWait reports whether other, which runs while the transaction of run is open at READ
// COMMITTED, could wait for it because of what one of them drops.
func (m *Machine) mayWait(run, other *Run) bool {
	return m.heldBack(run, other) || m.heldBack(other, run)
}

// heldBack reports whether something that a drops could stand in the way of b, or the
// other way round.
func (m *Machine) heldBack(a, b *Run) bool {
	for k := range a.Dropped {
		d := &a.Dropped[k]
		hit := false
		switch d.Stmt.Kind {
		case ir.ByRowLock:
			hit = m.meets(d, b)
		case ir.ByTableLock:
			hit = m.uses(b, d.Stmt)
		case ir.ByAdvisoryLock, ir.BySessionLock:
			hit = b.locksNumber(d)
		case ir.ByError, ir.ByValue: // nobody waits for it
		}
		if hit {
			return true
		}
	}
	return false
}

// meets reports whether row locks that were dropped are on rows that a run writes or
// locks.
func (m *Machine) meets(d *DroppedAt, run *Run) bool {
	any := len(d.Stmt.Query.From) == 0
	on := func(table int, key string) bool {
		return any && m.about(d.Stmt, table) ||
			slices.ContainsFunc(d.Locks, func(l RowLock) bool { return l.Table == table && l.Key == key })
	}
	return slices.ContainsFunc(run.Ops, func(o Op) bool { return on(o.Table, o.Key) }) ||
		slices.ContainsFunc(run.Locks, func(l RowLock) bool { return on(l.Table, l.Key) }) ||
		slices.ContainsFunc(run.Dropped, func(o DroppedAt) bool {
			return slices.ContainsFunc(o.Locks, func(l RowLock) bool { return on(l.Table, l.Key) }) ||
				o.Stmt.Kind == ir.ByRowLock && len(o.Stmt.Query.From) == 0 && (any || slices.ContainsFunc(d.Locks, func(l RowLock) bool { return m.about(o.Stmt, l.Table) }))
		})
}

// waits reports whether other would wait for the transaction of run, on the engine.
func (m *Machine) waits(run, other *Run, before []Committed) bool {
	if m.Engine.InnoDB {
		return m.blocksInnoDB(run, other, before)
	}
	return m.blocks(run, other)
}

// blocks reports whether other, which runs while the transaction of run is open,
// would wait for it: for a row, a key or a table. It may say so too often.
func (m *Machine) blocks(run, other *Run) bool {
	for i := range run.Ops {
		a := &run.Ops[i]
		for k := range other.Ops {
			b := &other.Ops[k]
			if a.touches(b.Table, b.Key) || a.Table == b.Table && m.rivals(a, b) {
				return true
			}
		}
		for k := range other.Met {
			if b := &other.Met[k]; a.touches(b.Table, b.Key) || a.Table == b.Table && m.rivals(a, b) {
				return true
			}
		}
		for _, l := range other.Locks {
			if a.touches(l.Table, l.Key) && (a.Kind == OpInsert || ir.LocksConflict(m.strength(a), l.Mode)) {
				return true
			}
		}
	}
	for _, l := range run.Locks {
		for k := range other.Ops {
			if b := &other.Ops[k]; b.touches(l.Table, l.Key) && (b.Kind == OpInsert || ir.LocksConflict(l.Mode, m.strength(b))) {
				return true
			}
		}
		for _, o := range other.Locks {
			if o.Table == l.Table && o.Key == l.Key && ir.LocksConflict(l.Mode, o.Mode) {
				return true
			}
		}
	}
	return m.locksOut(run, other) || m.locksOut(other, run) || m.mayWait(run, other)
}

// locksOut reports whether a LOCK TABLE of a run stands in the way of the
// transaction of another one. A statement that finds no rows locks its table, too,
// so that all that the template names counts, with what foreign keys lead to.
func (m *Machine) locksOut(run, other *Run) bool {
	refers := func(a, b *ir.Table) bool {
		return slices.ContainsFunc(a.ForeignKeys, func(fk ir.ForeignKey) bool { return fk.Ref == b })
	}
	for _, u := range run.uses {
		t, named := m.Program.Tables[u.table], false
		if u.mode <= ir.RowExclusive {
			continue
		}
		ir.Walk(other.Inst.Txn.Body, func(s ir.Stmt) {
			w := ir.Written(s)
			k, is := s.(*ir.LockTable)
			named = named || w == t || is && k.Table == t || w != nil && (refers(w, t) || refers(t, w)) ||
				slices.ContainsFunc(ir.Reads(s), func(src ir.Source) bool { return src.Table == t })
		})
		if named {
			return true
		}
	}
	return false
}

// strength is the row lock that a write takes (PostgreSQL manual, 13.3.2).
func (m *Machine) strength(op *Op) ir.LockMode {
	if op.Kind == OpUpdate && !m.changesKey(op) {
		return ir.ForNoKeyUpdate
	}
	return ir.ForUpdate
}

// rivals reports whether a row that one write makes cannot be beside one that the
// other write makes or takes away.
func (m *Machine) rivals(a, b *Op) bool {
	clash := func(k *key, x, y []ir.Value) bool {
		return x != nil && y != nil && (k.covers == nil || k.covers(x)) && (k.rivals(x, y) || k.rivals(y, x))
	}
	for i := range m.keys[a.Table] {
		k := &m.keys[a.Table][i]
		if clash(k, a.New, b.New) || clash(k, b.New, a.Old) || clash(k, a.New, b.Old) {
			return true
		}
	}
	return false
}

// blocksInnoDB is blocks on InnoDB. before are those who ran after run was interrupted, and
// have committed.
func (m *Machine) blocksInnoDB(run, other *Run, before []Committed) bool {
	held, asked := run.demands(), other.demands()
	for i := range held {
		for k := range asked {
			if held[i].KeepsOut(&asked[k]) {
				return true
			}
		}
	}
	for k := range other.Ops {
		b := &other.Ops[k]
		if slices.ContainsFunc(run.Ops, func(a Op) bool { return a.Table == b.Table && m.rivals(&a, b) }) {
			return true
		}
		// A unique value that was freed a moment ago is still in the index: who takes it locks
		// what is next to it.
		freed := func(t Committed) bool {
			return slices.ContainsFunc(t.Run.Ops, func(o Op) bool { return o.Table == b.Table && o.Old != nil && m.rivals(b, &o) })
		}
		if b.New != nil && slices.ContainsFunc(before, freed) && slices.ContainsFunc(held, func(c pieces.Claim) bool { return c.Table == b.Table }) {
			return true
		}
	}
	return m.leavesOut(run, asked) || m.leavesOut(other, held) || m.mayWait(run, other)
}

// leavesOut reports whether row or table locks that are left out of a run may be on what
// another one claims.
func (m *Machine) leavesOut(run *Run, claims []pieces.Claim) bool {
	return slices.ContainsFunc(run.Dropped, func(d DroppedAt) bool {
		return (d.Stmt.Kind == ir.ByRowLock || d.Stmt.Kind == ir.ByTableLock) &&
			slices.ContainsFunc(claims, func(c pieces.Claim) bool { return m.about(d.Stmt, c.Table) })
	})
}

// WaitsFor reports whether other, which commits while a run is open, would wait for what the run
// has done in its first steps. It may say so too often.
func (m *Machine) WaitsFor(other, run *Run, steps int) bool {
	if steps == 0 {
		return false
	}
	early := func(st ir.Stmt) bool {
		return slices.ContainsFunc(run.Steps[:steps], func(s Step) bool { return s.Stmt == st })
	}
	part := &Run{Inst: run.Inst, Ops: run.Ops[:min(run.Steps[steps-1].OpsTo, len(run.Ops))]}
	for _, l := range run.Locks {
		if early(l.Stmt) {
			part.Locks = append(part.Locks, l)
		}
	}
	all := *other
	for i := range other.undone {
		u := &other.undone[i]
		all.Ops, all.Locks = slices.Concat(all.Ops, u.ops), slices.Concat(all.Locks, u.held)
	}
	return m.blocks(part, &all)
}
