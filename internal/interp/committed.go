package interp

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/ir"
)

// Split says where a transaction was interrupted, at READ COMMITTED: it stopped
// between two of its commands (or before its COMMIT), others ran from begin to end,
// and then it went on with what they had committed before its eyes. Nobody waited
// for anybody, so that PostgreSQL never had to look at a row a second time: with a
// snapshot per command, this is exactly what it does.
type Split struct {
	// Cut is the number of the place, from 1, and Stmt what comes after it, nil at
	// the end.
	Cut  int
	Stmt ir.Stmt
	// Ops, Reads and Steps are how many of the run come before.
	Ops, Reads, Steps int
}

// NotExact is Run.Blocked of a run at READ COMMITTED that the interpreter cannot
// follow exactly.
const NotExact = "a rollback to a savepoint beside other transactions is not followed at READ COMMITTED"

// cutter stops a run before its at-th cut, and lets others run there.
type cutter struct {
	at     int
	others []*Instance
	// start is the committed state at the beginning.
	start *DB

	last, seen int    // the command before, and the cuts so far
	undecided  string // why nothing is known of what the others do there
	split      *Split // where the run was interrupted, or nil
	x          *Execution
	after      *DB // what the run sees when it goes on
}

// before is called before each statement that has to do with the database.
// Between two statements of different commands is a cut; where the command of one
// is not known there is none.
func (c *cutter) before(f *frame, st ir.Stmt) {
	last := c.last
	c.last = st.Command()
	if last == 0 || c.last == 0 || last == c.last || f.pinned > 0 {
		return
	}
	if c.seen++; c.seen == c.at {
		c.interrupt(f, st)
	}
}

// end is called before the commit, which is another command than all before.
func (c *cutter) end(f *frame) {
	if c.seen++; c.seen == c.at {
		c.interrupt(f, nil)
	}
}

// notThen are the reasons why nothing happens at a cut.
const (
	waits    = "another transaction would wait for this one"
	notThere = "another transaction does not commit there"
)

// interrupt runs the others on what is committed, and shows it to the run.
func (c *cutter) interrupt(f *frame, st ir.Stmt) {
	m, run := f.m, f.run
	split := &Split{Cut: c.at, Stmt: st, Ops: len(run.Ops), Reads: len(run.Reads), Steps: len(run.Steps)}
	x := &Execution{Versions: []*DB{c.start}}
	m.mustHold(c.start, run.Ops, 0)
	for i, in := range c.others {
		other := m.runCut(in, x.Last(), nil, f.ch, true, &cutter{}) // without a cut
		if c.undecided = inexact(other); c.undecided != "" {
			panic(stop{reason: c.undecided})
		}
		if m.blocks(run, other) {
			panic(stop{reason: waits})
		}
		if why := m.Extend(x, Committed{Run: other, Session: 1 + i, Snapshot: i}); why != "" {
			panic(stop{reason: notThere + ": " + why})
		}
	}
	f.db = m.mustHold(x.Last(), run.Ops, 0)
	for name, p := range f.points {
		p.db = m.mustHold(x.Last(), run.Ops[:p.ops], 0)
		f.points[name] = p
	}
	c.split, c.x, c.after = split, x, f.db
}

// mustHold applies the writes of a run from number from on, and stops the run if a
// constraint does not hold at the end of a statement.
func (m *Machine) mustHold(db *DB, ops []Op, from int) *DB {
	failed := ""
	db = m.replay(db, slices.Clone(ops[from:]), nil, func(_ int, why string) bool { failed = why; return false })
	if failed != "" {
		panic(stop{reason: failed})
	}
	return db
}

// Interrupt executes in at READ COMMITTED on a committed state, with others running
// at its cut number cut, with every choice as far as MaxRuns lets it, until yield returns false. The execution
// has the others in their order and in as the last one, with a Split. more is false
// if in has no such cut, with any choice. undecided is why there may be other
// executions, or "".
func (m *Machine) Interrupt(in *Instance, others []*Instance, start *DB, cut int, yield func(*Execution) bool) (more bool, undecided string) {
	ch := &chooser{}
	for range m.MaxRuns {
		ch.pos = 0
		c := &cutter{at: cut, others: others, start: start}
		run := m.runCut(in, start, nil, ch, true, c)
		more = more || c.seen >= cut
		undecided = cmp.Or(undecided, c.undecided, inexact(run))
		if run.Blocked == "" && c.split != nil {
			if last, ok := m.finish(run, c); ok {
				c.x.Versions = append(c.x.Versions, last)
				c.x.Txns = append(c.x.Txns, Committed{Run: run, Split: c.split})
				if !yield(c.x) {
					return more, undecided
				}
			}
		}
		if !ch.next() {
			return more, undecided
		}
	}
	return more, cmp.Or(undecided, in.String()+": "+TooMany)
}

// inexact is why a run at READ COMMITTED says nothing about its program, or "".
func inexact(run *Run) string {
	if run.Blocked == NotExact {
		return run.Inst.String() + ": " + NotExact
	}
	return run.Inconclusive()
}

// finish applies what an interrupted run wrote after the cut.
func (m *Machine) finish(run *Run, c *cutter) (db *DB, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(stop); !is {
				panic(r)
			}
			db, ok = nil, false
		}
	}()
	// The writes before the cut are part of the state, and of the list, since a
	// statement looks only at its own.
	return m.mustHold(c.after, run.Ops, c.split.Ops), true
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
			if a.touches(l.Table, l.Key) && (a.Kind == OpInsert || locksExclude(m.strength(a), l.Mode)) {
				return true
			}
		}
	}
	for _, l := range run.Locks {
		for k := range other.Ops {
			if b := &other.Ops[k]; b.touches(l.Table, l.Key) && (b.Kind == OpInsert || locksExclude(l.Mode, m.strength(b))) {
				return true
			}
		}
		for _, o := range other.Locks {
			if o.Table == l.Table && o.Key == l.Key && locksExclude(l.Mode, o.Mode) {
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
	for _, u := range run.uses {
		if u.mode <= ir.RowExclusive {
			continue
		}
		named := map[*ir.Table]bool{}
		ir.Walk(other.Inst.Txn.Body, func(s ir.Stmt) {
			if t := ir.Written(s); t != nil {
				named[t] = true
				for _, fk := range t.ForeignKeys {
					named[fk.Ref] = true
				}
				for _, ref := range m.refs[m.index[t]] {
					named[m.Program.Tables[ref.child]] = true
				}
			}
			for _, src := range ir.Reads(s) {
				named[src.Table] = true
			}
			if k, ok := s.(*ir.LockTable); ok {
				named[k.Table] = true
			}
		})
		if named[m.Program.Tables[u.table]] {
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

// locksExclude reports whether two row locks conflict (PostgreSQL manual, table
// 13.3).
func locksExclude(a, b ir.LockMode) bool {
	if a > b {
		a, b = b, a
	}
	switch a {
	case ir.NoLock:
		return false
	case ir.ForKeyShare:
		return b == ir.ForUpdate
	case ir.ForShare:
		return b >= ir.ForNoKeyUpdate
	}
	return true
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
