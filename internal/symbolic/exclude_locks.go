package symbolic

import (
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
)

// locks is the rule for the row locks of the owner (Profile.LockExcludes; facts 4 and 5 of
// PostgreSQL): the other must not have written a locked row in a way that the lock excludes.
func (e *exclusion) locks() {
	w, owner, other := e.w, e.owner, e.other
	for _, l := range owner.Locks {
		class := w.Engine.LockExcludes[l.Mode]
		if class == engine.NoWrite {
			continue
		}
		for _, b := range other.Writes {
			if b.Table != l.Table || b.Kind == Insert || b.Kind == Unknown || !e.acts(b, other.Late) {
				continue
			}
			if class == engine.KeyChange && b.Kind == Update && !w.setsKey(b) && !other.mayStrengthen(b) {
				continue
			}
			if class == engine.KeyChange && b.moved != nil {
				// The rounds of a loop have terms of their own.
				if known := b.renamed != nil && len(b.loops) == 0; known {
					renamed := b.renamed
					moved := b
					b = b.when(w, func(wr write) *smt.Term {
						return w.B.Or(renamed, other.strengthens(moved, nil, wr.key, e.positive))
					})
				} else if !e.positive {
					continue
				}
			}
			e.add(w.lockMeets(owner.lockOfSnapshot(l), b, class, e.some, func(loop []Key, k Key) *smt.Term {
				return other.strengthens(b, loop, k, e.positive)
			}))
		}
	}
}

// lockedWrites is the rule for the row locks of the other where they count as writes
// (Profile.LockWrites): the owner must not write a row that the other has locked.
func (e *exclusion) lockedWrites() {
	if !e.w.Engine.LockWrites {
		return
	}
	for _, a := range e.owner.Writes {
		for _, l := range e.other.Locks {
			if a.Table == l.Table && a.Kind != Insert && a.Kind != Unknown && e.acts(a, true) {
				e.add(e.w.lockMeets(l, a, engine.AnyWrite, e.some, nil))
			}
		}
	}
}

// tableLocks is the rule for the tables that the owner locks before its snapshot
// (Profile.TableLocks; fact 1 of PostgreSQL): the other must not have used one in a
// conflicting way.
func (e *exclusion) tableLocks() {
	if !e.w.Engine.TableLocks {
		return
	}
	for _, l := range e.owner.PreLocks {
		for _, u := range e.other.Uses {
			if u.Table == l.Table && l.Mode.Conflicts(u.Mode) {
				e.add(e.w.B.And(l.Guard, u.Guard))
			}
		}
	}
}

// lockMeets is: a write of the class touches a locked row. strengthened says when an update
// that changes no key counts as one that does.
func (w *World) lockMeets(l *RowLock, b *Write, class engine.WriteClass, some somewhere, strengthened func(loop []Key, k Key) *smt.Term) *smt.Term {
	return pair(l.Table, l.loops, b.loops, l.scan && b.scan, some, func(ll, lb []Key, k Key) *smt.Term {
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
			changed := strengthened(lb, y.key)
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

// mayStrengthen reports whether the run may lock a row that b writes FOR UPDATE before.
func (r *Run) mayStrengthen(b *Write) bool {
	return r.Inst.w.Engine.LockStrengthens && slices.ContainsFunc(r.Locks[:b.locks], func(l *RowLock) bool {
		return l.Table == b.Table && l.Mode == ir.ForUpdate
	})
}

// strengthens is: the run locks the row with a key FOR UPDATE before b writes it, in the
// rounds loop of the loops around b. Where it is not known, because of a lock in another
// loop or of subtransactions, the answer is positive's.
func (r *Run) strengthens(b *Write, loop []Key, k Key, positive bool) *smt.Term {
	w := r.Inst.w
	out := w.B.False()
	if !r.mayStrengthen(b) {
		return out
	}
	apart := w.code.InfoOf(r.Inst.Txn).Parted
	for _, l := range r.Locks[:b.locks] {
		n := len(l.loops)
		switch {
		case l.Table != b.Table || l.Mode != ir.ForUpdate:
			continue
		case apart, l.each != nil && b.each == nil, n > len(b.loops) || !slices.Equal(l.loops, b.loops[:n]):
			if positive {
				return w.B.True()
			}
			continue
		}
		g, locked := l.at(loop[:n], k)
		out = w.B.Or(out, w.B.And(g, w.sameKey(locked, k)))
	}
	return out
}

// setsKey reports whether an update sets a column of a key.
func (w *World) setsKey(b *Write) bool {
	for c := range engine.KeyColumns(w.Program.Tables[b.Table]) {
		if b.Cols[c] {
			return true
		}
	}
	return false
}
