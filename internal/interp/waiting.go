package interp

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// waiting is what one snapshot of a run shows that has to wait for another transaction: rows as they were before that
// one committed, but the newest version of each row that the statement finds and writes or locks, if its condition is true of that,
// too (EvalPlanQual). ON CONFLICT meets the newest rows.
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
	// looked are the rows of which it has looked at the newest version, by table and key.
	looked map[int]map[string]bool
}

// notFollowed is why a wait is given up.
const notFollowed = "what is seen after the wait is not followed"

// snapshot is called before each statement that has to do with the database. A statement with another snapshot than the one
// before is a place at which the run may have to wait.
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
			c.wait = &waiting{cmd: cmd, snap: snap, old: c.start, newest: c.x.Last(), other: c.x.Txns[0].Run, ran: map[ir.Stmt]bool{st: true}}
		}
	}
}

// Wait executes in at READ COMMITTED on a committed state, with another transaction that has run but for its COMMIT when in takes its
// snapshot number at. In that snapshot in comes to a row or number that the other one has locked; the other one commits, and in goes
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
		r := f.run
		ops, locks, met, dropped := len(r.Ops), len(r.Locks), len(r.Met), len(r.Dropped)
		w.mode, w.sorted, w.looked = mode, sorted, map[int]map[string]bool{}
		var c control
		if newest {
			c = run(f)
		} else {
			w.before(f, func() { c = run(f) })
		}
		w.meets(f, ops, locks, met, dropped)
		return c
	}
}

// before runs what sees the snapshot.
func (w *waiting) before(f *frame, do func()) {
	f.db, f.stale = overlay(w.old, f.run.Ops), true
	do()
	f.db, f.stale = overlay(w.newest, f.run.Ops), false
}

// head runs the head of a statement with others inside.
func (w *waiting) head(f *frame, st ir.Stmt, do func()) {
	locks, _ := ir.LocksOf(st)
	if _, again := st.(*ir.While); again || len(locks) > 0 {
		panic(stop{reason: notFollowed})
	}
	w.mode = ir.NoLock
	w.before(f, do)
}

// again is what a statement goes on with of the rows that it has found: their newest versions, as far as they match.
func (f *frame) again(q *query, found []binding) []binding {
	w := f.waiting()
	if w == nil || w.mode == ir.NoLock {
		return found
	}
	var out []binding
	for _, b := range found {
		keep := true
		for i, src := range q.from {
			now, changed := w.newestOf(f, src.table, b.rows[i])
			if !changed {
				continue
			}
			t := q.src.From[i].Table
			if len(q.from) > 1 || w.sorted || ir.HasExists(q.src.Where) && now != nil && readsChanged(f.cur, t, b.rows[i], now) {
				panic(stop{reason: notFollowed})
			}
			if w.looked[src.table] == nil {
				w.looked[src.table] = map[string]bool{}
			}
			w.looked[src.table][KeyOf(t, b.rows[i])] = true
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

// readsChanged reports whether a statement reads a column of a table that differs in two versions of a row.
func readsChanged(st ir.Stmt, t *ir.Table, a, b []ir.Value) bool {
	is := false
	ir.ReadColumns(st, func(of *ir.Table, col string) { is = is || of == t && a[t.Column(col)] != b[t.Column(col)] })
	return is
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
func (w *waiting) meets(f *frame, ops, locks, met, dropped int) {
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
		}) ||
		slices.ContainsFunc(r.Dropped[dropped:], func(d DroppedAt) bool {
			return d.Stmt.Kind == ir.ByAdvisoryLock && d.Number != nil && !slices.Contains(d.Number, ir.Null) && slices.ContainsFunc(o.Dropped, func(e DroppedAt) bool {
				return e.Stmt.Kind == ir.ByAdvisoryLock && slices.Equal(e.Number, d.Number) && !(d.Stmt.Shared && e.Stmt.Shared)
			})
		})
}

// reads tells apart what a statement has read in the snapshot and what it has looked at once more.
func (w *waiting) reads(f *frame, list []Read) []Read {
	var out []Read
	for _, r := range list {
		looked, matches := w.looked[r.Table], r.matches
		t := f.m.Program.Tables[r.Table]
		if !r.Stale || len(looked) == 0 {
			out = append(out, r)
			continue
		}
		late := r
		late.Stale, late.Keys = false, map[string]bool{}
		late.matches = func(vals []ir.Value) bool { return looked[KeyOf(t, vals)] && matches(vals) }
		r.matches = func(vals []ir.Value) bool { return !looked[KeyOf(t, vals)] && matches(vals) }
		for _, x := range w.newest.Tabs[r.Table].Rows {
			if late.matches(x.Vals) {
				late.Keys[x.Key] = true
			}
		}
		maps.DeleteFunc(r.Keys, func(key string, _ bool) bool { return looked[key] })
		out = append(out, r, late)
	}
	return out
}
