package symbolic

import (
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/ir"
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
	out := w.B.False()
	some := func(doms []domain, prop func([]Key) *smt.Term) *smt.Term {
		if positive {
			return w.Witness(doms, prop)
		}
		return w.B.Not(w.Never(doms, prop))
	}
	// An action takes no notice of rows that others take away from it, also after
	// they have changed them; one that commits late may not have acted.
	acts := func(x *Write, late bool) bool { return positive || x.on == nil || x.firm || !late }
	for _, a := range owner.Writes {
		for _, b := range other.Writes {
			w.look()
			if a.Table != b.Table || a.Kind == Unknown || b.Kind == Unknown {
				continue // whether an unmodelled statement writes is not known
			}
			if !acts(a, true) || !acts(b, other.Late) {
				continue
			}
			if a.Kind == Insert && !w.Engine.InsertExcludes {
				if b.Kind == Insert {
					out = w.B.Or(out, w.rivalInserts(a, b, some))
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
		if a.Kind == Delete && acts(a, true) {
			for _, ref := range w.code.References[w.Program.Tables[a.Table]] {
				if w.code.ReferenceFreed(ref) || a.moved != nil && !ir.SameColumns(ref.Fk.RefColumns, ref.Fk.Ref.Key) {
					continue // a row that moves may keep the values of other columns
				}
				for _, b := range other.Writes {
					if w.Program.Tables[b.Table] == ref.Child && b.Kind == Insert {
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
			if b.Table != l.Table || b.Kind == Insert || b.Kind == Unknown || !acts(b, other.Late) {
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
					b = b.when(w, func(wr write) *smt.Term { return w.B.Or(renamed, other.strengthens(moved, nil, wr.key, positive)) })
				} else if !positive {
					continue
				}
			}
			out = w.B.Or(out, w.lockMeets(owner.lockOfSnapshot(l), b, class, some, func(loop []Key, k Key) *smt.Term {
				return other.strengthens(b, loop, k, positive)
			}))
		}
	}
	if w.Engine.LockWrites {
		for _, a := range owner.Writes {
			for _, l := range other.Locks {
				if a.Table == l.Table && a.Kind != Insert && a.Kind != Unknown && acts(a, true) {
					out = w.B.Or(out, w.lockMeets(l, a, engine.AnyWrite, some, nil))
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

func (w *World) setsKey(b *Write) bool {
	for c := range engine.KeyColumns(w.Program.Tables[b.Table]) {
		if b.Cols[c] {
			return true
		}
	}
	return false
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

// Link asserts what carries over from the snapshot of a delayed run to a state
// inside its window, where only transactions committed that the run does not
// exclude: its rows (ByRow) or cells (ByCell) and the rows it locked are
// unchanged; so is what no template ever changes.
func (w *World) Link(owner *Run, s0, s *State, gran Granularity) {
	B := w.B
	defer w.about(w.Topic)
	w.about(TopicConstant)
	for i, t := range w.Program.Tables {
		d := []domain{tableDomain(i)}
		if t.Var {
			if !w.code.Updated[t][0] {
				w.Define(w.same(s0.Col(i, 0, Key{}), s.Col(i, 0, Key{})))
			}
			continue
		}
		rows := scope{funcs: []string{s.rowsFunc(i), s0.rowsFunc(i)}}
		if !w.code.Inserted[t] {
			w.alwaysIn(rows, d, func(k []Key) *smt.Term { return B.Implies(s.Alive(i, k[0]), s0.Alive(i, k[0])) })
		}
		if w.code.Deleted[t] {
			continue
		}
		w.alwaysIn(rows, d, func(k []Key) *smt.Term { return B.Implies(s0.Alive(i, k[0]), s.Alive(i, k[0])) })
		for c := range t.Columns {
			if !w.keyCols[i][c] && !w.code.Updated[t][c] {
				w.alwaysIn(sameColumn(s0, s, i, c), d, func(k []Key) *smt.Term {
					return B.Implies(s0.Alive(i, k[0]), w.same(s0.Col(i, c, k[0]), s.Col(i, c, k[0])))
				})
			}
		}
	}
	w.about(TopicWindow)
	for _, x := range owner.Writes {
		if x.Kind == Unknown || x.Kind == Insert && !w.Engine.InsertExcludes || x.on != nil && !x.firm {
			continue
		}
		cols := x.Cols
		if gran == ByRow || cols == nil {
			cols = allColumns(w.Program.Tables[x.Table])
		}
		// Even by cell the row stays: a deletion writes every cell of it.
		w.carry(s0, s, x.Table, cols, B.Eq, x.loops, x.scan, func(loop []Key, k Key) (*smt.Term, Key) {
			wr := owner.ofSnapshot(x).at(loop, k)
			return wr.guard, wr.key
		})
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
		w.carry(s0, s, l.Table, cols, B.Implies, l.loops, l.scan, owner.lockOfSnapshot(l).at)
	}
}

// sameColumn is the scope of an equality of a column in two base states.
func sameColumn(s0, s *State, table, c int) scope {
	return scope{funcs: []string{s0.columnFunc(table, c), s.columnFunc(table, c)}}
}

// carry asserts, for every row that a statement of the delayed transaction
// writes or locks on its snapshot s0, that it has the same values in the columns
// in a later state s, and what of its presence, as rows says.
func (w *World) carry(s0, s *State, table int, cols []bool, rows func(before, after *smt.Term) *smt.Term, loops []domain, scan bool, at func(loop []Key, k Key) (*smt.Term, Key)) {
	doms, parts := members(table, loops, scan)
	always := func(in scope, kept func(k Key) *smt.Term) {
		w.alwaysIn(in, doms, func(tuple []Key) *smt.Term {
			g, key := at(parts(tuple))
			if g.IsFalse() {
				return w.B.True()
			}
			return w.B.Implies(g, kept(key))
		})
	}
	always(scope{}, func(k Key) *smt.Term { return rows(s0.Alive(table, k), s.Alive(table, k)) })
	for c := range cols {
		if cols[c] && !w.keyCols[table][c] {
			always(sameColumn(s0, s, table, c), func(k Key) *smt.Term { return w.same(s0.Col(table, c, k), s.Col(table, c, k)) })
		}
	}
}
