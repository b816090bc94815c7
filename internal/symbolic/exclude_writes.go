package symbolic

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// write is the rule for a write of the owner: the other must not have written the same row, or
// cell (CAV'19, rule com; facts 3 and 6 of PostgreSQL). Where an insertion only needs its key
// to be free at the commit (Profile.InsertExcludes), two insertions exclude each other if
// nobody can free the key of the first one (facts 7 and 8).
func (e *exclusion) write(a *Write) {
	w := e.w
	for _, b := range e.other.Writes {
		w.look()
		if a.Table != b.Table || a.Kind == Unknown || b.Kind == Unknown {
			continue // whether an unmodelled statement writes is not known
		}
		if !e.acts(a, true) || !e.acts(b, e.other.Late) {
			continue
		}
		if a.Kind == Insert && !w.Engine.InsertExcludes {
			if b.Kind == Insert {
				e.add(w.rivalInserts(a, b, e.some))
			}
			continue
		}
		if e.gran == ByCell && !shareCells(a, b) {
			continue
		}
		e.add(w.meet(e.owner.ofSnapshot(a), b, e.some))
	}
}

// parent is the rule for a deletion of the owner (Profile.ParentLock; fact 9 of PostgreSQL): a
// child that the other has inserted stays, and refers to the parent that the owner deletes.
func (e *exclusion) parent(a *Write) {
	w := e.w
	if a.Kind != Delete || !e.acts(a, true) {
		return
	}
	for _, ref := range w.code.References[w.Program.Tables[a.Table]] {
		if w.code.ReferenceFreed(ref) || a.moved != nil && !ir.SameColumns(ref.Fk.RefColumns, ref.Fk.Ref.Key) {
			continue // a row that moves may keep the values of other columns
		}
		for _, b := range e.other.Writes {
			if w.Program.Tables[b.Table] == ref.Child && b.Kind == Insert {
				e.add(w.refers(a, b, ref, e.some))
			}
		}
	}
}

// shareCells reports whether two writes of one row touch one cell of it.
func shareCells(a, b *Write) bool {
	return a.Cols == nil || b.Cols == nil || share(a.Cols, b.Cols)
}

// meet is: two writes touch one row. If only one goes through all keys, it is
// asked about the other's.
func (w *World) meet(a, b *Write, some somewhere) *smt.Term {
	return pair(a.Table, a.loops, b.loops, a.scan && b.scan, some, func(la, lb []Key, k Key) *smt.Term {
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

// rivalInserts is: a key, primary or unique, or an exclusion does not allow two
// insertions beside each other, and nobody can take the first one out of the way.
func (w *World) rivalInserts(a, b *Write, some somewhere) *smt.Term {
	t := w.Program.Tables[a.Table]
	var uniques []*ir.Unique
	if !w.code.KeyFreed(t) {
		for i := range t.Uniques {
			if u := &t.Uniques[i]; u.Where == nil { // leaving an exclusion out is safe
				uniques = append(uniques, u)
			}
		}
	}
	var exclusions []*ir.Exclusion
	for i := range t.Exclusions {
		if x := &t.Exclusions[i]; !w.code.Released(t, x) {
			exclusions = append(exclusions, x)
		}
	}
	if w.code.KeyFreed(t) && len(exclusions) == 0 {
		return w.B.False()
	}
	return pair(a.Table, a.loops, b.loops, false, some, func(la, lb []Key, _ Key) *smt.Term {
		x, y := a.at(la, nil), b.at(lb, nil)
		g := w.B.And(x.guard, y.guard)
		if g.IsFalse() {
			return g
		}
		same := w.B.False()
		if !w.code.KeyFreed(t) {
			same = w.sameKey(x.key, y.key)
		}
		val := func(wr write, c int) Val {
			for i, k := range t.Key {
				if k == c {
					return Val{w.B.False(), wr.key[i], t.Columns[c].Type}
				}
			}
			return wr.val(c)
		}
		for _, u := range uniques {
			equal := w.B.True()
			for _, c := range u.Columns {
				p, q := val(x, c), val(y, c)
				equal = w.B.And(equal, w.B.Not(p.Null), w.B.Not(q.Null), w.B.Eq(p.T, q.T))
			}
			same = w.B.Or(same, equal)
		}
		row := func(wr write) row {
			vals := make([]Val, len(t.Columns))
			for c := range vals {
				vals[c] = val(wr, c)
			}
			return valueRow{t, vals}
		}
		for _, u := range exclusions {
			same = w.B.Or(same, w.excludedRows(u, row(x), row(y)))
		}
		return w.B.And(g, same)
	})
}

// refers is: the row that b inserts is a child of the row that a deletes.
func (w *World) refers(a, b *Write, ref prepare.Reference, some somewhere) *smt.Term {
	t := w.Program.Tables[a.Table]
	return pair(a.Table, a.loops, b.loops, a.scan, some, func(la, lb []Key, k Key) *smt.Term {
		x, y := a.at(la, k), b.at(lb, nil)
		g := w.B.And(x.guard, y.guard)
		if g.IsFalse() {
			return g
		}
		for i, rc := range ref.Fk.RefColumns {
			parent := x.old(rc)
			for j, kc := range t.Key {
				if kc == rc {
					parent = Val{w.B.False(), x.key[j], t.Columns[rc].Type}
				}
			}
			child := y.val(ref.Fk.Columns[i])
			for j, kc := range ref.Child.Key {
				if kc == ref.Fk.Columns[i] {
					child = Val{w.B.False(), y.key[j], ref.Child.Columns[kc].Type}
				}
			}
			eq, _ := w.binary(ir.Eq, parent, child, ir.BoolType)
			g = w.B.And(g, w.isTrue(eq))
		}
		return g
	})
}
