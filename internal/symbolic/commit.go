package symbolic

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
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
			after := l.write.made(before).apply(w, before)
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
				after = kept[k].made(after).apply(w, after)
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
	if x.on != nil {
		y.on = func(s *State) *Write { return x.on(s).when(w, cond) }
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

// breaks is: the write violates a constraint between rows, or it is an action
// on a row that the own view did not show as one to act on.
func (x *Write) breaks(w *World, before, after *State) *smt.Term {
	if x.Kind == Unknown {
		return w.B.False() // an unmodelled statement chooses whether it succeeds
	}
	if x.each != nil {
		return x.each.breaks(w, before, after)
	}
	t := w.Program.Tables[x.Table]
	var tests []func(wr write) *smt.Term
	if x.on != nil {
		seen := x
		x = x.made(before)
		tests = append(tests, func(wr write) *smt.Term { return w.B.Not(seen.at(nil, wr.key).guard) })
	}
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
		for _, u := range t.PairConstraints() {
			if x.Cols == nil || prepare.Decides(t, u, x.Cols) {
				tests = append(tests, func(wr write) *smt.Term {
					return w.clashes(after, x.Table, u, valueRow{t, vals(wr)}, wr.key)
				})
			}
		}
		for i := range t.ForeignKeys {
			fk := &t.ForeignKeys[i]
			if x.refers(fk) {
				tests = append(tests, func(wr write) *smt.Term {
					return w.B.Not(w.parentExists(after, fk, valueRow{t, vals(wr)}))
				})
			}
		}
	}
	for _, ref := range w.code.References[t] {
		if !x.orphansMany(ref.Fk) {
			continue
		}
		tests = append(tests, func(wr write) *smt.Term { return w.orphans(after, x, ref, wr) })
	}
	if len(tests) == 0 {
		return w.B.False()
	}
	doms, parts := members(x.Table, x.loops, x.scan)
	return w.Exists(doms, func(tuple []Key) *smt.Term {
		wr := x.at(parts(tuple))
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

// refers reports whether the rows written may have other parents than before.
func (x *Write) refers(fk *ir.ForeignKey) bool {
	if x.moved != nil {
		return prepare.Touches(fk.Columns, x.moved)
	}
	return x.Cols == nil || prepare.Touches(fk.Columns, x.Cols)
}

// orphansMany reports whether rows may lose their parent by a write, with no
// action that follows.
func (x *Write) orphansMany(fk *ir.ForeignKey) bool {
	switch {
	case x.moved != nil: // checked when both halves are done
		return x.Kind == Insert && prepare.Touches(fk.RefColumns, x.moved) && fk.OnUpdate == ir.NoAction
	case x.Kind == Insert:
		return false
	case x.Kind == Update:
		return prepare.Touches(fk.RefColumns, x.Cols)
	}
	return fk.OnDelete == ir.NoAction
}

// orphans is: a child row still refers to the row that was deleted, or to the
// values that it had before an update or a move, and no other row has these.
func (w *World) orphans(s *State, x *Write, ref prepare.Reference, wr write) *smt.Term {
	child := w.Table(ref.Child)
	old := make([]Val, len(ref.Fk.RefColumns))
	changed := w.B.False()
	for i, c := range ref.Fk.RefColumns {
		old[i] = wr.old(c)
		if w.keyCols[x.Table][c] && x.Kind != Insert {
			old[i] = s.Col(x.Table, c, wr.key)
		} else if x.Kind == Update {
			changed = w.B.Or(changed, w.B.Not(w.same(old[i], wr.val(c))))
		}
	}
	if x.Kind != Update {
		changed = w.B.True()
	}
	return w.B.And(changed, w.Exists([]domain{tableDomain(child)}, func(tuple []Key) *smt.Term {
		alive := s.Alive(child, tuple[0])
		if alive.IsFalse() {
			return alive
		}
		lost := w.B.And(alive, w.hasValues(s, child, tuple[0], ref.Fk.Columns, old))
		if x.Kind != Delete && !lost.IsFalse() {
			lost = w.B.And(lost, w.B.Not(w.parentExists(s, ref.Fk, tableRow{s, child, tuple[0]})))
		}
		return lost
	}))
}
