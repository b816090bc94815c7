package symbolic

import (
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// Affects is: the writer's effect is value-blind read by the reader: it writes a column that its
// queries return or test, in a row that matches before or after. It holds in positive positions only.
func (w *World) Affects(writer, reader *Run) *smt.Term {
	return w.matched(writer, reader, writer.In, writer.Post, func(x *Write, r *Read) bool { return x.Kind != Update || share(x.Cols, r.Cols) })
}

// Reaches is: the writer writes a row, in whichever columns, that takes part in a query of the
// reader, but for foreign keys, in a state s. It holds in positive positions only.
func (w *World) Reaches(writer, reader *Run, s *State) *smt.Term {
	return w.matched(writer, reader, s, s, func(_ *Write, r *Read) bool { return !r.parent })
}

// matched is: a write is of a row that takes part in a query in one of two states, and they count.
func (w *World) matched(writer, reader *Run, s, o *State, count func(*Write, *Read) bool) *smt.Term {
	out := w.B.False()
	for _, x := range writer.Writes {
		for _, r := range reader.Reads {
			if x.Table == r.Table && count(x, r) {
				out = w.B.Or(out, pair(x.Table, x.loops, r.loops, x.scan, w.Witness, func(lx, lr []Key, k Key) *smt.Term {
					wr := x.at(lx, k)
					if wr.guard.IsFalse() {
						return wr.guard
					}
					return w.B.And(wr.guard, w.B.Or(r.match(lr, s, wr.key), r.match(lr, o, wr.key)))
				}))
			}
		}
	}
	return out
}

// share reports whether two sets of columns have one in common.
func share(a, b []bool) bool {
	for c := range a {
		if a[c] && b[c] {
			return true
		}
	}
	return false
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
			if t := x.Table; !done[t] {
				done[t] = true
				u.add([]domain{tableDomain(t)}, func(tuple []Key) *smt.Term { return w.rowsDiffer(s, o, t, tuple[0]) })
			}
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

// item is something that a run does, possibly once for every member of some
// domains: at gives the condition that it does it, and the values concerned.
type item struct {
	doms []domain
	at   func(tuple []Key) (guard *smt.Term, vals []Val)
}

// asItem gives a write as something to compare between runs.
func (x *Write) asItem(w *World) item {
	if x.each != nil {
		return x.each.asItem(w)
	}
	doms, parts := members(x.Table, x.loops, x.scan)
	return item{doms, func(tuple []Key) (*smt.Term, []Val) {
		wr := x.at(parts(tuple))
		var vals []Val
		if wr.guard.IsFalse() {
			return wr.guard, nil
		}
		for _, t := range wr.key {
			vals = append(vals, Val{w.B.False(), t, ir.NullType})
		}
		if x.Kind == Unknown && !w.Program.Tables[x.Table].Var {
			vals = append(vals, wr.val(prepare.AliveCol))
		}
		if x.Kind != Delete {
			for c := range w.Program.Tables[x.Table].Columns {
				if (x.Cols == nil || x.Cols[c]) && !w.keyCols[x.Table][c] {
					vals = append(vals, wr.val(c))
				}
			}
		}
		return wr.guard, vals
	}}
}

// differ adds: the two items, of one place in two runs of one instance, are not
// the same.
func (u *union) differ(a, b item) { u.add(a.doms, u.w.difference(a, b)) }

// difference is: two items, of one place in two runs of one instance, are not
// the same for a member.
func (w *World) difference(a, b item) func(tuple []Key) *smt.Term {
	return func(tuple []Key) *smt.Term {
		ga, va := a.at(tuple)
		gb, vb := b.at(tuple)
		diff := w.B.Not(w.B.Eq(ga, gb))
		if !ga.IsFalse() && !gb.IsFalse() {
			diff = w.B.Or(diff, w.B.And(ga, gb, w.B.Not(w.allSame(va, vb))))
		}
		return diff
	}
}

// Differ is: two runs of one instance differ in what is observed or in what
// they would write; later says that o only takes its snapshot later than r, and
// both commit on the same state, which then decides what actions do. It holds in
// positive positions only.
func (r *Run) Differ(o *Run, later bool) *smt.Term {
	w := r.Inst.w
	if !r.comparable(o) {
		return w.B.True()
	}
	u := w.union()
	for i := range r.obs {
		u.differ(r.obs[i], o.obs[i])
	}
	for i := range r.Writes {
		if !later || r.Writes[i].on == nil {
			u.differ(r.Writes[i].asItem(w), o.Writes[i].asItem(w))
		}
	}
	// Locks are no observation, but who may commit depends on them.
	for i := range r.Locks {
		if w.Engine.LockExcludes[r.Locks[i].Mode] != engine.NoWrite || w.Engine.LockWrites {
			u.differ(r.Locks[i].asItem(w), o.Locks[i].asItem(w))
		}
	}
	if w.Engine.TableLocks && w.code.TableLocks {
		for i := range r.Uses {
			u.out = w.B.Or(u.out, w.B.Not(w.B.Eq(r.Uses[i].Guard, o.Uses[i].Guard)))
		}
	}
	return u.out
}

// comparable reports whether the items of two runs correspond. In the closed
// world a loop over rows leaves out those that cannot match, so that the
// rounds of two runs may not be the same rows.
func (r *Run) comparable(o *Run) bool {
	if r.Inst != o.Inst {
		panic("symbolic: runs of different instances compared")
	}
	same := len(r.obs) == len(o.obs) && len(r.Writes) == len(o.Writes) &&
		len(r.Locks) == len(o.Locks) && len(r.Uses) == len(o.Uses)
	if !same && !r.Inst.w.Closed && r.Inst.w.Unsupported == "" {
		panic("symbolic: two runs of " + r.Inst.Name + " do not correspond")
	}
	return same
}

// asItem gives a lock as something to compare between runs.
func (l *RowLock) asItem(w *World) item {
	if l.each != nil {
		return l.each.asItem(w)
	}
	doms, parts := members(l.Table, l.loops, l.scan)
	return item{doms, func(tuple []Key) (*smt.Term, []Val) {
		g, key := l.at(parts(tuple))
		var vals []Val
		for _, t := range key {
			vals = append(vals, Val{w.B.False(), t, ir.NullType})
		}
		return g, vals
	}}
}

// Acts is: when the run commits matters, and not only what it read. It writes
// some row, or it wrote one before a rollback: that, too, had to pass the
// constraints as they were at that moment.
func (r *Run) Acts() *smt.Term {
	w := r.Inst.w
	u := w.union()
	writes := append([]*Write{}, r.Writes...)
	for _, l := range r.log {
		if l.undoable {
			writes = append(writes, l.write)
		}
	}
	for _, x := range writes {
		it := x.asItem(w)
		u.add(it.doms, func(tuple []Key) *smt.Term {
			g, _ := it.at(tuple)
			return g
		})
	}
	return u.out
}

// Agrees is: two runs of one instance are the same in what is observed and in
// what they would write, but for actions, whose rows others may change. It holds in positive positions only.
func (r *Run) Agrees(o *Run) *smt.Term {
	w := r.Inst.w
	out := w.B.True()
	if !r.comparable(o) {
		return out
	}
	agree := func(a, b item) {
		out = w.B.And(out, w.Never(a.doms, w.difference(a, b)))
	}
	for i := range r.obs {
		agree(r.obs[i], o.obs[i])
	}
	for i := range r.Writes {
		if r.Writes[i].on != nil {
			continue
		}
		agree(r.Writes[i].asItem(w), o.Writes[i].asItem(w))
	}
	return out
}
