package symbolic

import (
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/smt"
)

// Commit is the second event of a run on a current state: the state after it,
// and the condition that no constraint between rows stands in the way.
// Exclusions are apart (Excludes).
//
// The writes are those that the run computed on its snapshot; keys and
// references are checked on the current state with the run's own writes.
func (r *Run) Commit(cur *State) (*State, *smt.Term) {
	w := r.Inst.w
	ok := w.B.True()
	states := []*State{cur} // before each step
	kept := make([]*Write, len(r.log))
	for i, l := range r.log {
		before := states[i]
		if !l.rollback {
			kept[i] = l.write
			after := l.write.apply(w, before)
			bad := l.write.breaks(w, before, after)
			if !l.undone.IsFalse() && !bad.IsFalse() {
				// What is rolled back anyway may also have run at the moment of
				// the snapshot.
				bad = w.B.And(bad, w.B.Or(w.B.Not(l.undone), l.write.breaks(w, l.before, l.after)))
			}
			ok = w.B.And(ok, w.B.Not(bad))
			states = append(states, after)
			continue
		}
		after := states[l.to]
		for k := l.to; k < i; k++ {
			if kept[k] != nil {
				kept[k] = kept[k].when(w, func(write) *smt.Term { return w.B.Not(l.undone) })
				after = kept[k].apply(w, after)
			}
		}
		states = append(states, after)
	}
	return states[len(states)-1], ok
}

// when is the write where the condition holds as well, which is asked only
// where the write may happen.
func (x *Write) when(w *World, cond func(wr write) *smt.Term) *Write {
	y := *x
	y.at = func(loop []Key, k Key) write {
		wr := x.at(loop, k)
		if !wr.guard.IsFalse() {
			wr.guard = w.B.And(wr.guard, cond(wr))
		}
		return wr
	}
	if x.each != nil {
		y.each = x.each.when(w, cond)
	}
	return &y
}

// when is the lock where the condition holds as well.
func (l *RowLock) when(w *World, cond func(k Key) *smt.Term) *RowLock {
	m := *l
	m.at = func(loop []Key, k Key) (*smt.Term, Key) {
		g, key := l.at(loop, k)
		if !g.IsFalse() {
			g = w.B.And(g, cond(key))
		}
		return g, key
	}
	if l.each != nil {
		m.each = l.each.when(w, cond)
	}
	return &m
}

// Feasible is: the run, made and committed on its snapshot with nobody in
// between, succeeds.
func (r *Run) Feasible() *smt.Term {
	_, ok := r.Commit(r.In)
	return r.Inst.w.B.And(r.OK, ok)
}

// breaks is: the write violates a constraint between rows.
func (x *Write) breaks(w *World, before, after *State) *smt.Term {
	if x.Kind == Unknown {
		return w.B.False() // an unmodelled statement chooses whether it succeeds
	}
	if x.each != nil {
		return x.each.breaks(w, before, after)
	}
	t := w.Program.Tables[x.Table]
	var tests []func(wr write) *smt.Term
	if x.Kind == Insert {
		tests = append(tests, func(wr write) *smt.Term { return before.Alive(x.Table, wr.key) })
	}
	if x.Kind != Delete {
		vals := func(wr write) []Val {
			out := make([]Val, len(t.Columns))
			for c := range out {
				out[c] = wr.val(c)
				if w.keyCols[x.Table][c] {
					out[c] = after.Col(x.Table, c, wr.key)
				}
			}
			return out
		}
		for i := range t.Uniques {
			u := &t.Uniques[i]
			if x.Cols == nil || touches(u.Columns, x.Cols) || u.Where != nil {
				tests = append(tests, func(wr write) *smt.Term {
					return w.clashes(after, x.Table, u, vals(wr), wr.key)
				})
			}
		}
		for i := range t.ForeignKeys {
			fk := &t.ForeignKeys[i]
			if x.Cols == nil || touches(fk.Columns, x.Cols) {
				tests = append(tests, func(wr write) *smt.Term {
					return w.B.Not(w.parentExists(after, fk, vals(wr)))
				})
			}
		}
	}
	if x.Kind != Insert {
		for _, ref := range w.code.references[t] {
			if x.Kind == Update && !touches(ref.fk.RefColumns, x.Cols) {
				continue
			}
			tests = append(tests, func(wr write) *smt.Term { return w.orphans(after, x, ref, wr) })
		}
	}
	if len(tests) == 0 {
		return w.B.False()
	}
	doms := append([]domain{}, x.loops...)
	if x.scan {
		doms = append(doms, tableDomain(x.Table))
	}
	n := len(x.loops)
	return w.Exists(doms, func(tuple []Key) *smt.Term {
		var k Key
		if x.scan {
			k = tuple[n]
		}
		wr := x.at(tuple[:n], k)
		if wr.guard.IsFalse() {
			return wr.guard
		}
		bad := w.B.False()
		for _, test := range tests {
			bad = w.B.Or(bad, test(wr))
		}
		return w.B.And(wr.guard, bad)
	})
}

// orphans is: a child row still refers to the row that was deleted, or to the
// values that it had before an update.
func (w *World) orphans(s *State, x *Write, ref reference, wr write) *smt.Term {
	child := w.Table(ref.child)
	old := make([]Val, len(ref.fk.RefColumns))
	changed := w.B.False()
	for i, c := range ref.fk.RefColumns {
		old[i] = wr.old(c)
		if w.keyCols[x.Table][c] {
			old[i] = s.Col(x.Table, c, wr.key)
		} else if x.Kind == Update {
			changed = w.B.Or(changed, w.B.Not(w.same(old[i], wr.val(c))))
		}
	}
	if x.Kind == Delete {
		changed = w.B.True()
	}
	return w.B.And(changed, w.Exists([]domain{tableDomain(child)}, func(tuple []Key) *smt.Term {
		alive := s.Alive(child, tuple[0])
		if alive.IsFalse() {
			return alive
		}
		return w.B.And(alive, w.hasValues(s, child, tuple[0], ref.fk.Columns, old))
	}))
}

// Granularity is what two writes must share to exclude each other.
type Granularity uint8

const (
	// ByRow: a row.
	ByRow Granularity = iota
	// ByCell: a column of a row, or the existence of the row. It is weaker
	// than what engines do, so that it allows more executions.
	ByCell
)

// Excludes is: the owner cannot commit because the other run committed after
// the owner's snapshot. Where it is asserted not to hold, instances of
// universals left out make the question weaker; where it is asserted to hold,
// it has a witness.
//
// positive says in which position the result will stand: true where it is
// claimed, false where it is denied (the caller negates it).
func (w *World) Excludes(owner, other *Run, gran Granularity, positive bool) *smt.Term {
	out := w.B.False()
	some := func(doms []domain, prop func([]Key) *smt.Term) *smt.Term {
		if positive {
			return w.Witness(doms, prop)
		}
		return w.B.Not(w.Never(doms, prop))
	}
	for _, a := range owner.Writes {
		for _, b := range other.Writes {
			if a.Table != b.Table || a.Kind == Unknown || b.Kind == Unknown {
				continue // whether an unmodelled statement writes is not known
			}
			if a.Kind == Insert && !w.Engine.InsertExcludes {
				if b.Kind == Insert && !w.code.KeyFreed(w.Program.Tables[a.Table]) {
					out = w.B.Or(out, w.sameUnique(a, b, some))
				}
				continue
			}
			if gran == ByCell && !shareCells(a, b) {
				continue
			}
			out = w.B.Or(out, w.meet(owner.ofSnapshot(a), b, some))
		}
		// A child inserted by the other stays, and refers to the parent that
		// the owner deletes.
		if a.Kind == Delete {
			for _, ref := range w.code.references[w.Program.Tables[a.Table]] {
				if w.code.referenceFreed(ref) {
					continue
				}
				for _, b := range other.Writes {
					if w.Program.Tables[b.Table] == ref.child && b.Kind == Insert {
						out = w.B.Or(out, w.refers(a, b, ref, some))
					}
				}
			}
		}
	}
	for _, l := range owner.Locks {
		class := w.Engine.LockExcludes[l.Mode]
		if class == engine.NoWrite {
			continue
		}
		for _, b := range other.Writes {
			if b.Table != l.Table || b.Kind == Insert || b.Kind == Unknown {
				continue
			}
			if class == engine.KeyChange && b.Kind == Update && !w.setsKey(b) {
				continue
			}
			out = w.B.Or(out, w.lockMeets(owner.lockOfSnapshot(l), b, class, some))
		}
	}
	if w.Engine.LockWrites {
		for _, a := range owner.Writes {
			for _, l := range other.Locks {
				if a.Table == l.Table && a.Kind != Insert && a.Kind != Unknown {
					out = w.B.Or(out, w.lockMeets(l, a, engine.AnyWrite, some))
				}
			}
		}
	}
	if w.Engine.TableLocks {
		for _, l := range owner.PreLocks {
			for _, u := range other.Uses {
				if u.Table == l.Table && engine.TableLockConflict(l.Mode, u.Mode) {
					out = w.B.Or(out, w.B.And(l.Guard, u.Guard))
				}
			}
		}
	}
	return out
}

// ofSnapshot restricts a write to rows that the snapshot has, where only these
// exclude: nobody else sees a row that the transaction itself inserted.
func (r *Run) ofSnapshot(x *Write) *Write {
	w := r.Inst.w
	if w.Engine.InsertExcludes || x.Kind == Insert {
		return x
	}
	return x.when(w, func(wr write) *smt.Term { return r.In.Alive(x.Table, wr.key) })
}

// lockOfSnapshot does the same for a lock.
func (r *Run) lockOfSnapshot(l *RowLock) *RowLock {
	return l.when(r.Inst.w, func(k Key) *smt.Term { return r.In.Alive(l.Table, k) })
}

// shareCells reports whether two writes of one row touch one cell of it.
func shareCells(a, b *Write) bool {
	if a.Cols == nil || b.Cols == nil {
		return true
	}
	for c := range a.Cols {
		if a.Cols[c] && b.Cols[c] {
			return true
		}
	}
	return false
}

type somewhere func(doms []domain, prop func([]Key) *smt.Term) *smt.Term

// pair goes through the members of two writing or locking statements that
// concern one row: f gets the members' loop rounds and the key. If neither
// statement goes through all keys, the key is nil and f compares.
func pair(w *World, table int, aLoops, bLoops []domain, aScan, bScan bool, some somewhere, f func(aLoop, bLoop []Key, k Key) *smt.Term) *smt.Term {
	doms := append(append([]domain{}, aLoops...), bLoops...)
	n, m := len(aLoops), len(aLoops)+len(bLoops)
	if aScan && bScan {
		doms = append(doms, tableDomain(table))
	}
	return some(doms, func(tuple []Key) *smt.Term {
		var k Key
		if aScan && bScan {
			k = tuple[m]
		}
		return f(tuple[:n], tuple[n:m], k)
	})
}

// meet is: two writes touch one row.
func (w *World) meet(a, b *Write, some somewhere) *smt.Term {
	return pair(w, a.Table, a.loops, b.loops, a.scan, b.scan, some, func(la, lb []Key, k Key) *smt.Term {
		var x, y write
		switch {
		case a.scan && b.scan:
			x, y = a.at(la, k), b.at(lb, k)
		case a.scan:
			y = b.at(lb, nil)
			x = a.at(la, y.key)
		default:
			x = a.at(la, nil)
			y = b.at(lb, x.key)
		}
		g := w.B.And(x.guard, y.guard)
		if g.IsFalse() {
			return g
		}
		return w.B.And(g, w.sameKey(x.key, y.key))
	})
}

// lockMeets is: a write of the class touches a locked row.
func (w *World) lockMeets(l *RowLock, b *Write, class engine.WriteClass, some somewhere) *smt.Term {
	return pair(w, l.Table, l.loops, b.loops, l.scan, b.scan, some, func(ll, lb []Key, k Key) *smt.Term {
		var g *smt.Term
		var lk Key
		var y write
		switch {
		case l.scan && !b.scan:
			y = b.at(lb, nil)
			g, lk = l.at(ll, y.key)
		default:
			g, lk = l.at(ll, k)
			y = b.at(lb, lk)
		}
		g = w.B.And(g, y.guard)
		if g.IsFalse() {
			return g
		}
		if class == engine.KeyChange && b.Kind == Update {
			changed := w.B.False()
			for c := range engine.KeyColumns(w.Program.Tables[b.Table]) {
				if b.Cols[c] {
					changed = w.B.Or(changed, w.B.Not(w.same(y.old(c), y.val(c))))
				}
			}
			g = w.B.And(g, changed)
		}
		return w.B.And(g, w.sameKey(lk, y.key))
	})
}

func (w *World) setsKey(b *Write) bool {
	for c := range engine.KeyColumns(w.Program.Tables[b.Table]) {
		if b.Cols[c] {
			return true
		}
	}
	return false
}

// sameUnique is: two insertions have one key, primary or unique.
func (w *World) sameUnique(a, b *Write, some somewhere) *smt.Term {
	t := w.Program.Tables[a.Table]
	return pair(w, a.Table, a.loops, b.loops, false, false, some, func(la, lb []Key, _ Key) *smt.Term {
		x, y := a.at(la, nil), b.at(lb, nil)
		g := w.B.And(x.guard, y.guard)
		if g.IsFalse() {
			return g
		}
		same := w.sameKey(x.key, y.key)
		val := func(wr write, c int) Val {
			for i, k := range t.Key {
				if k == c {
					return Val{w.B.False(), wr.key[i], t.Columns[c].Type}
				}
			}
			return wr.val(c)
		}
		for _, u := range t.Uniques {
			if u.Where != nil {
				continue // leaving an exclusion out is safe
			}
			equal := w.B.True()
			for _, c := range u.Columns {
				p, q := val(x, c), val(y, c)
				equal = w.B.And(equal, w.B.Not(p.Null), w.B.Not(q.Null), w.B.Eq(p.T, q.T))
			}
			same = w.B.Or(same, equal)
		}
		return w.B.And(g, same)
	})
}

// refers is: the row that b inserts is a child of the row that a deletes.
func (w *World) refers(a, b *Write, ref reference, some somewhere) *smt.Term {
	t := w.Program.Tables[a.Table]
	doms := append(append([]domain{}, a.loops...), b.loops...)
	n, m := len(a.loops), len(a.loops)+len(b.loops)
	if a.scan {
		doms = append(doms, tableDomain(a.Table))
	}
	return some(doms, func(tuple []Key) *smt.Term {
		var k Key
		if a.scan {
			k = tuple[m]
		}
		x, y := a.at(tuple[:n], k), b.at(tuple[n:m], nil)
		g := w.B.And(x.guard, y.guard)
		if g.IsFalse() {
			return g
		}
		for i, rc := range ref.fk.RefColumns {
			parent := x.old(rc)
			for j, kc := range t.Key {
				if kc == rc {
					parent = Val{w.B.False(), x.key[j], t.Columns[rc].Type}
				}
			}
			child := y.val(ref.fk.Columns[i])
			for j, kc := range ref.child.Key {
				if kc == ref.fk.Columns[i] {
					child = Val{w.B.False(), y.key[j], ref.child.Columns[kc].Type}
				}
			}
			eq, _ := w.binary(ir.Eq, parent, child, ir.BoolType)
			g = w.B.And(g, w.isTrue(eq))
		}
		return g
	})
}

// Affects is: the writer's effect is value-blind read by the reader: it writes
// a column that the reader's queries return or test, in a row that matches
// before or after. It holds in positive positions only.
func (w *World) Affects(writer, reader *Run) *smt.Term {
	out := w.B.False()
	for _, x := range writer.Writes {
		for _, r := range reader.Reads {
			if x.Table != r.Table {
				continue
			}
			if x.Kind == Update {
				share := false
				for c := range x.Cols {
					share = share || x.Cols[c] && r.Cols[c]
				}
				if !share {
					continue
				}
			}
			doms := append(append([]domain{}, x.loops...), r.loops...)
			n, m := len(x.loops), len(x.loops)+len(r.loops)
			if x.scan {
				doms = append(doms, tableDomain(x.Table))
			}
			out = w.B.Or(out, w.Witness(doms, func(tuple []Key) *smt.Term {
				var k Key
				if x.scan {
					k = tuple[m]
				}
				wr := x.at(tuple[:n], k)
				if wr.guard.IsFalse() {
					return wr.guard
				}
				match := w.B.Or(r.match(tuple[n:m], writer.In, wr.key), r.match(tuple[n:m], writer.Post, wr.key))
				return w.B.And(wr.guard, match)
			}))
		}
	}
	return out
}

// WritesMeet is: the runs write one cell (ByCell) or one row (ByRow). It holds
// in positive positions only.
func (w *World) WritesMeet(a, b *Run, gran Granularity) *smt.Term {
	out := w.B.False()
	for _, x := range a.Writes {
		for _, y := range b.Writes {
			if x.Table == y.Table && (gran == ByRow || shareCells(x, y)) {
				out = w.B.Or(out, w.meet(x, y, w.Witness))
			}
		}
	}
	return out
}

// StatesDiffer is: two states differ in a row of one of the tables that the
// runs write. It holds in positive positions only.
func (w *World) StatesDiffer(s, o *State, runs ...*Run) *smt.Term {
	u := w.union()
	done := map[int]bool{}
	for _, r := range runs {
		for _, x := range r.Writes {
			if done[x.Table] {
				continue
			}
			done[x.Table] = true
			t := x.Table
			u.add([]domain{tableDomain(t)}, func(tuple []Key) *smt.Term { return w.rowsDiffer(s, o, t, tuple[0]) })
		}
	}
	return u.out
}

func (w *World) rowsDiffer(s, o *State, t int, k Key) *smt.Term {
	a, b := s.Alive(t, k), o.Alive(t, k)
	vals := w.B.True()
	for c := range w.Program.Tables[t].Columns {
		if !w.keyCols[t][c] {
			vals = w.B.And(vals, w.same(s.Col(t, c, k), o.Col(t, c, k)))
		}
	}
	return w.B.Or(w.B.Not(w.B.Eq(a, b)), w.B.And(a, b, w.B.Not(vals)))
}

// Link asserts what carries over from the snapshot of a delayed run to a state
// inside its window, where only transactions committed that the run does not
// exclude: its rows (ByRow) or cells (ByCell) and the rows it locked are
// unchanged; so is what no template ever changes.
func (w *World) Link(owner *Run, s0, s *State, gran Granularity) {
	B := w.B
	for i, t := range w.Program.Tables {
		d := []domain{tableDomain(i)}
		if t.Var {
			if !w.code.Updated[t][0] {
				w.Define(w.same(s0.Col(i, 0, Key{}), s.Col(i, 0, Key{})))
			}
			continue
		}
		if !w.code.Inserted[t] {
			w.always(d, func(k []Key) *smt.Term { return B.Implies(s.Alive(i, k[0]), s0.Alive(i, k[0])) })
		}
		if w.code.Deleted[t] {
			continue
		}
		w.always(d, func(k []Key) *smt.Term {
			same := B.True()
			for c := range t.Columns {
				if !w.keyCols[i][c] && !w.code.Updated[t][c] {
					same = B.And(same, w.same(s0.Col(i, c, k[0]), s.Col(i, c, k[0])))
				}
			}
			return B.Implies(s0.Alive(i, k[0]), B.And(s.Alive(i, k[0]), same))
		})
	}
	for _, x := range owner.Writes {
		if x.Kind == Unknown || x.Kind == Insert && !w.Engine.InsertExcludes {
			continue
		}
		cols := x.Cols
		if gran == ByRow || cols == nil {
			cols = allColumns(w.Program.Tables[x.Table])
		}
		kept := func(k Key) *smt.Term {
			// Even by cell the row stays: a deletion writes every cell of it.
			same := B.Eq(s0.Alive(x.Table, k), s.Alive(x.Table, k))
			for c := range cols {
				if cols[c] && !w.keyCols[x.Table][c] {
					same = B.And(same, w.same(s0.Col(x.Table, c, k), s.Col(x.Table, c, k)))
				}
			}
			return same
		}
		w.carry(x.Table, x.loops, x.scan, func(loop []Key, k Key) (*smt.Term, Key) {
			wr := owner.ofSnapshot(x).at(loop, k)
			return wr.guard, wr.key
		}, kept)
	}
	for _, l := range owner.Locks {
		class := w.Engine.LockExcludes[l.Mode]
		if class == engine.NoWrite {
			continue
		}
		cols := allColumns(w.Program.Tables[l.Table])
		if class == engine.KeyChange {
			for c := range cols {
				cols[c] = engine.KeyColumns(w.Program.Tables[l.Table])[c]
			}
		}
		w.carry(l.Table, l.loops, l.scan, owner.lockOfSnapshot(l).at, func(k Key) *smt.Term {
			same := B.Implies(s0.Alive(l.Table, k), s.Alive(l.Table, k))
			for c := range cols {
				if cols[c] && !w.keyCols[l.Table][c] {
					same = B.And(same, w.same(s0.Col(l.Table, c, k), s.Col(l.Table, c, k)))
				}
			}
			return same
		})
	}
}

// carry asserts that something is kept for every row that a statement of the
// owner touches.
func (w *World) carry(table int, loops []domain, scan bool, at func(loop []Key, k Key) (*smt.Term, Key), kept func(k Key) *smt.Term) {
	doms := append([]domain{}, loops...)
	if scan {
		doms = append(doms, tableDomain(table))
	}
	prop := func(tuple []Key) *smt.Term {
		var k Key
		if scan {
			k = tuple[len(loops)]
		}
		g, key := at(tuple[:len(loops)], k)
		if g.IsFalse() {
			return w.B.True()
		}
		return w.B.Implies(g, kept(key))
	}
	if len(doms) == 0 {
		w.Define(prop(nil))
		return
	}
	w.always(doms, prop)
}
