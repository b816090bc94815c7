package symbolic

import (
	"slices"

	"github.com/txrobust/robust/internal/smt"
)

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
	e := &exclusion{w: w, owner: owner, other: other, gran: gran, positive: positive, out: w.B.False()}
	for _, a := range owner.Writes {
		e.write(a)
		e.parent(a)
	}
	e.locks()
	e.lockedWrites()
	e.tableLocks()
	return e.out
}

// exclusion collects what the rules say of two runs: one for each fact of the engine about
// what excludes what.
type exclusion struct {
	w            *World
	owner, other *Run
	gran         Granularity
	positive     bool
	out          *smt.Term // what the rules so far say
}

func (e *exclusion) add(t *smt.Term) { e.out = e.w.B.Or(e.out, t) }

func (e *exclusion) some(doms []domain, prop func([]Key) *smt.Term) *smt.Term {
	if e.positive {
		return e.w.Witness(doms, prop)
	}
	return e.w.B.Not(e.w.Never(doms, prop))
}

// acts reports whether a write counts. An action passes over rows that others take away from
// it, also after they have changed them; one that commits late may not have acted.
func (e *exclusion) acts(x *Write, late bool) bool {
	return e.positive || x.on == nil || x.firm || !late
}

// ofSnapshot restricts a write to rows that the snapshot has, where only these
// exclude: nobody else sees a row that the transaction itself inserted.
func (r *Run) ofSnapshot(x *Write) *Write {
	w := r.Inst.w
	if w.Engine.InsertExcludes || x.Kind == Insert {
		return x
	}
	before := r.Writes
	if i := slices.Index(r.Writes, x); i >= 0 {
		before = r.Writes[:i]
	}
	return x.when(w, func(wr write) *smt.Term { return r.sees(before, x.Table, wr.key) })
}

// lockOfSnapshot does the same for a lock.
func (r *Run) lockOfSnapshot(l *RowLock) *RowLock {
	return l.when(r.Inst.w, func(k Key) *smt.Term { return r.sees(r.Writes, l.Table, k) })
}

// sees is: the row of the own view with a key is for sure that of the snapshot. It need
// not be if writes have inserted one: the row of the snapshot was deleted by the run
// itself, which excludes by that, or by others, who freed the key.
func (r *Run) sees(writes []*Write, table int, k Key) *smt.Term {
	w := r.Inst.w
	out := r.In.Alive(table, k)
	if !w.code.KeyFreed(w.Program.Tables[table]) {
		return out
	}
	for _, x := range writes {
		switch {
		case x.Table != table || x.Kind != Insert:
		case len(x.loops) > 0 || x.scan: // which rounds insert is not told
			return w.B.False()
		default:
			wr := x.at(nil, k)
			out = w.B.And(out, w.B.Not(w.B.And(wr.guard, w.sameKey(wr.key, k))))
		}
	}
	return out
}

type somewhere func(doms []domain, prop func([]Key) *smt.Term) *smt.Term

// members gives the domains that a statement goes through, the rounds of its
// loops and, if scan, the keys of a table; parts divides a member. The key is
// nil if not scan.
func members(table int, loops []domain, scan bool) (doms []domain, parts func(tuple []Key) (loop []Key, k Key)) {
	doms = slices.Clone(loops)
	if scan {
		doms = append(doms, tableDomain(table))
	}
	n := len(loops)
	return doms, func(tuple []Key) ([]Key, Key) {
		if scan {
			return tuple[:n], tuple[n]
		}
		return tuple, nil
	}
}

// pair goes through the members of two statements, and if scan the keys of the
// table: f gets the members' loop rounds and the key.
func pair(table int, aLoops, bLoops []domain, scan bool, some somewhere, f func(aLoop, bLoop []Key, k Key) *smt.Term) *smt.Term {
	doms, parts := members(table, slices.Concat(aLoops, bLoops), scan)
	n := len(aLoops)
	return some(doms, func(tuple []Key) *smt.Term {
		loops, k := parts(tuple)
		return f(loops[:n], loops[n:], k)
	})
}
