package symbolic

import (
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/smt"
)

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
		rows := w.tie(s0.rowsFunc(i), s.rowsFunc(i))
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
	return s.w.tie(s0.columnFunc(table, c), s.columnFunc(table, c))
}

// tie is the scope of a condition that makes a function of a state equal to that of the
// snapshot. It says something of the function also where the snapshot is not spoken of, but
// another state that is tied to it.
func (w *World) tie(snapshot, f string) scope {
	l := w.chains[snapshot]
	if l == nil {
		l = &[]string{snapshot}
		w.chains[snapshot] = l
	}
	if !slices.Contains(*l, f) {
		*l = append(*l, f)
	}
	return scope{funcs: []string{f}, chain: l}
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
