package interp

import (
	"maps"
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

// waiting is what one snapshot of a run shows that has to wait for another transaction: rows as they were before that one committed, but the
// newest version of each row that the statement finds and writes or locks, if its condition is true of that, too (EvalPlanQual).
type waiting struct {
	cmd, snap   int
	old, newest *DB // what is committed before the other one and after it
	other       *Run
	ran         map[ir.Stmt]bool // a second time, a statement may have another snapshot
	over        bool             // a later snapshot was taken
	waited      bool             // it has come to a lock that the other one holds
	// mode is the weakest lock of the statement that runs, NoLock if it takes none; sorted says that it takes rows in an order.
	mode   ir.LockMode
	sorted bool
	// looked are the rows of which it has looked at the newest version. plain and tested are rows that the other one has changed, and that
	// statements have only read with the snapshot, or looked at again.
	looked, plain, tested map[string]bool
}

// rowID names a row of a table.
func rowID(table int, key string) string { return string(rune(table)) + key }

// notFollowed is why a wait is given up.
const notFollowed = "what is seen after the wait is not followed"

// snapshot is called before each statement that has to do with the database. Where a snapshot begins, the run may have to wait.
func (c *cutter) snapshot(f *frame, st ir.Stmt, last int) {
	cmd, snap := st.Command(), st.Snapshot()
	again, same := cmd == last && c.snaps[snap], cmd == last && snap == c.snap
	if cmd != last || c.snaps == nil {
		c.snaps = map[int]bool{}
	}
	c.snap, c.snaps[snap] = snap, true
	switch w := c.wait; {
	case w != nil && (cmd == 0 || snap < 0 || f.pinned > 0) && !w.over, w != nil && last == w.cmd && again && (!same || w.over || w.ran[st]):
		panic(stop{reason: notFollowed})
	case w != nil:
		w.over = w.over || !same
		w.ran[st] = true
	case cmd == 0 || snap < 0 || f.pinned > 0 || again || same:
	default:
		if c.seen++; c.seen == c.at {
			c.interrupt(f, st)
			c.split.Waits = true
			c.wait = &waiting{cmd: cmd, snap: snap, old: c.start, newest: c.x.Last(), other: c.x.Txns[0].Run, ran: map[ir.Stmt]bool{st: true}, plain: map[string]bool{}, tested: map[string]bool{}}
		}
	}
}

// Wait executes in at READ COMMITTED on a committed state, with another transaction that has run but for its COMMIT when in takes its
// snapshot number at. In that snapshot in comes to a row that the other one has locked; the other one commits, and in goes
// on. Otherwise it is as Interrupt.
func (m *Machine) Wait(in, other *Instance, start *DB, at int, yield func(*Execution) bool) (more bool, undecided string) {
	return m.interrupted(in, cutter{at: at, others: []*Instance{other}, start: start, waits: true}, yield)
}

// waiting is the wait that the run is in, or nil.
func (f *frame) waiting() *waiting {
	if f.cut == nil || f.cut.wait == nil || f.cut.wait.over {
		return nil
	}
	return f.cut.wait
}

// late gives the execution of a statement that may be in a snapshot which waits. The heads of those with others inside are
// executed by headed.
func (s *scope) late(st ir.Stmt, run exec) exec {
	if s.c.m.Engine.InnoDB || len(ir.Children(st)) > 0 {
		return run
	}
	mode, sorted, returned, follows := ir.NoLock, false, false, true
	locks, _ := ir.LocksOf(st)
	for _, l := range locks {
		if mode == ir.NoLock || l.Mode < mode {
			mode = l.Mode
		}
	}
	switch st := st.(type) {
	case *ir.Update:
		returned = true
	case *ir.Delete:
		returned, follows = true, !st.Moved
	case *ir.Insert:
		follows = st.Moved == nil && !slices.ContainsFunc(ir.Exprs(st), ir.HasExists)
	case *ir.Select:
		sorted, follows, returned = len(st.Order) > 0, st.Skips == ir.NoLock, st.Returned
	case *ir.EmitRows:
		sorted, returned = len(st.Order) > 0, st.Returned
	case *ir.Cascade, *ir.Savepoint, *ir.LockTable, *ir.CopyTable:
		follows = false
	default: // it reads, or locks
	}
	if returned {
		mode = ir.ForNoKeyUpdate
	}
	_, newest := st.(*ir.Insert)
	return func(f *frame) control {
		w := f.waiting()
		if w == nil {
			return run(f)
		}
		if !follows {
			panic(stop{reason: notFollowed})
		}
		ops, locks, met := len(f.run.Ops), len(f.run.Locks), len(f.run.Met)
		w.mode, w.sorted, w.looked = mode, sorted, map[string]bool{}
		var c control
		if newest {
			c = run(f)
		} else {
			w.before(f, func() { c = run(f) })
		}
		w.meets(f, ops, locks, met)
		return c
	}
}

// sees notes that rows which the other one has changed are only read. What is read of a row that is looked at again may be what comes of that.
func (w *waiting) sees(is func(*Op) bool) {
	for i := range w.other.Ops {
		o := &w.other.Ops[i]
		id := rowID(o.Table, o.Key)
		if w.plain[id] = w.plain[id] || is(o); w.plain[id] && w.tested[id] {
			panic(stop{reason: notFollowed})
		}
	}
}

// before runs what sees the snapshot.
func (w *waiting) before(f *frame, do func()) {
	if w.mode == ir.NoLock && slices.ContainsFunc(ir.Exprs(f.cur), ir.HasExists) {
		sources := ir.Reads(f.cur)
		w.sees(func(o *Op) bool {
			return slices.ContainsFunc(sources, func(src ir.Source) bool { return f.m.index[src.Table] == o.Table })
		})
	}
	f.db, f.stale = overlay(w.old, f.run.Ops), true
	do()
	f.db, f.stale = overlay(w.newest, f.run.Ops), false
}

// head runs the head of a statement with others inside.
func (w *waiting) head(f *frame, st ir.Stmt, do func()) {
	locks, _ := ir.LocksOf(st)
	if _, loops := st.(*ir.While); loops || len(locks) > 0 {
		panic(stop{reason: notFollowed})
	}
	w.mode = ir.NoLock
	w.before(f, do)
}

// again is what a statement goes on with of the rows that it has found: their newest versions, as far as they match.
func (f *frame) again(q *query, found []binding) []binding {
	w := f.waiting()
	if w == nil {
		return found
	}
	var out []binding
	for _, b := range found {
		keep := true
		for i, src := range q.from {
			t := q.src.From[i].Table
			id := rowID(src.table, KeyOf(t, b.rows[i]))
			if w.mode == ir.NoLock {
				w.sees(func(o *Op) bool { return rowID(o.Table, o.Key) == id && !o.Void })
				continue
			}
			now, changed := w.newestOf(f, src.table, b.rows[i])
			if !changed {
				continue
			}
			if w.plain[id] || len(q.from) > 1 || w.sorted || ir.HasExists(q.src.Where) && now != nil {
				panic(stop{reason: notFollowed})
			}
			w.looked[id], w.tested[id] = true, true
			f.rows[src.slot], b.rows[i] = now, now
			keep = now != nil && q.holds(f, i)
		}
		if keep {
			out = append(out, b)
		}
	}
	w.waited = w.waited || len(found) > len(out) && (len(out) == 0 || ir.Written(f.cur) != nil)
	return out
}

// newestOf is what the other transaction has made of a row, nil if it has deleted that, if it has changed it at all.
func (w *waiting) newestOf(f *frame, table int, vals []ir.Value) (now []ir.Value, changed bool) {
	key := KeyOf(f.m.Program.Tables[table], vals)
	if f.ownRow(table, key) {
		return nil, false
	}
	for i := range w.other.Ops {
		op := &w.other.Ops[i]
		switch {
		case !op.touches(table, key):
		case op.Moved != nil || op.Action != nil || !ir.LocksConflict(f.m.strength(op), w.mode):
			panic(stop{reason: notFollowed})
		case changed && now == nil: // it has put another row there: a history has nothing between the two
			panic(stop{reason: notFollowed})
		default:
			now, changed = op.New, true
		}
	}
	return now, changed
}

// meets notes that the run has come to a lock of the other one, in what it has done since it had so many writes and locks.
func (w *waiting) meets(f *frame, ops, locks, met int) {
	r, o := f.run, w.other
	held := func(table int, key string, mode ir.LockMode) bool {
		return slices.ContainsFunc(o.Ops, func(a Op) bool {
			return a.touches(table, key) && a.Kind != OpInsert && ir.LocksConflict(f.m.strength(&a), mode)
		}) || slices.ContainsFunc(o.Locks, func(l RowLock) bool {
			return l.Table == table && l.Key == key && !l.Own && ir.LocksConflict(l.Mode, mode)
		})
	}
	w.waited = w.waited ||
		slices.ContainsFunc(r.Ops[ops:], func(a Op) bool { return a.Kind != OpInsert && held(a.Table, a.Key, f.m.strength(&a)) }) ||
		slices.ContainsFunc(r.Locks[locks:], func(l RowLock) bool { return held(l.Table, l.Key, l.Mode) }) ||
		slices.ContainsFunc(r.Met[met:], func(a Op) bool {
			return slices.ContainsFunc(o.Ops, func(b Op) bool { return b.touches(a.Table, a.Key) })
		})
}

// reads tells apart what a statement has read in the snapshot and what it has looked at once more.
func (w *waiting) reads(f *frame, list []Read) []Read {
	var out []Read
	for _, r := range list {
		t, matches, rows := f.m.Program.Tables[r.Table], r.matches, w.looked
		looked := func(vals []ir.Value) bool { return rows[rowID(r.Table, KeyOf(t, vals))] }
		if !r.Stale || len(w.looked) == 0 {
			out = append(out, r)
			continue
		}
		late := r
		late.Stale, late.Keys = false, map[string]bool{}
		late.matches = func(vals []ir.Value) bool { return looked(vals) && matches(vals) }
		r.matches = func(vals []ir.Value) bool { return !looked(vals) && matches(vals) }
		for _, x := range w.newest.Tabs[r.Table].Rows {
			if late.matches(x.Vals) {
				late.Keys[x.Key] = true
			}
		}
		maps.DeleteFunc(r.Keys, func(key string, _ bool) bool { return w.looked[rowID(r.Table, key)] })
		out = append(out, r, late)
	}
	return out
}
