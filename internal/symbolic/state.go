package symbolic

import (
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
)

// State is an immutable symbolic database state.
type State struct {
	w    *World
	name string // of a base state, else ""
	tabs []*tabState
}

// tabState is one table: a chain of layers per column, and one for which rows
// are there.
type tabState struct {
	alive *layer
	cols  []*layer
}

// layer computes a value for every key; the layers of a chain refer to the
// ones below.
type layer struct {
	id   int
	read func(k Key) Val
	memo map[string]Val
}

func (w *World) layer(read func(k Key) Val) *layer {
	w.layers++
	return &layer{id: w.layers, read: read}
}

func (l *layer) at(k Key) Val {
	id := k.id()
	v, ok := l.memo[id]
	if !ok {
		v = l.read(k)
		if l.memo == nil {
			l.memo = map[string]Val{}
		}
		l.memo[id] = v
	}
	return v
}

// Alive is: table t has a row with key k.
func (s *State) Alive(t int, k Key) *smt.Term { return s.tabs[t].alive.at(k).T }

// Col is the value of column c of the row with key k.
func (s *State) Col(t, c int, k Key) Val {
	table := s.w.Program.Tables[t]
	if s.w.keyCols[t][c] {
		for i, kc := range table.Key {
			if kc == c {
				return Val{s.w.B.False(), k[i], table.Columns[c].Type}
			}
		}
	}
	return s.tabs[t].cols[c].at(k)
}

// version identifies what the state says of some columns of a table (nil:
// all) and of its rows, for memo keys.
func (s *State) version(t int, cols []bool) string {
	b := strconv.AppendInt(nil, int64(s.tabs[t].alive.id), 36)
	for c, l := range s.tabs[t].cols {
		if cols == nil || cols[c] {
			b = append(b, ',')
			b = strconv.AppendInt(b, int64(l.id), 36)
		}
	}
	return string(b)
}

func (s *State) with(t int, ts *tabState) *State {
	out := &State{w: s.w, tabs: append([]*tabState(nil), s.tabs...)}
	out.tabs[t] = ts
	return out
}

// overlay changes a table: rows for which cond is true are alive or not as
// alive says (nil: unchanged) and get new values in the columns of vals. val
// is called only for keys for which cond is not false.
func (s *State) overlay(t int, cond func(k Key) *smt.Term, alive *smt.Term, cols []bool, val func(c int, k Key) Val) *State {
	old := s.tabs[t]
	ts := &tabState{alive: old.alive, cols: append([]*layer(nil), old.cols...)}
	mix := func(below *layer, above func(k Key) Val) *layer {
		return s.w.layer(func(k Key) Val {
			c := cond(k)
			if c.IsFalse() {
				return below.at(k)
			}
			if c.IsTrue() {
				return above(k)
			}
			return s.w.ite(c, above(k), below.at(k))
		})
	}
	if alive != nil {
		v := s.w.Truth(alive)
		ts.alive = mix(old.alive, func(Key) Val { return v })
	}
	for c := range cols {
		if cols[c] && !s.w.keyCols[t][c] {
			ts.cols[c] = mix(old.cols[c], func(k Key) Val { return val(c, k) })
		}
	}
	return s.with(t, ts)
}

// rowVals gives all columns of a row.
func (s *State) rowVals(t int, k Key) []Val {
	out := make([]Val, len(s.w.Program.Tables[t].Columns))
	for c := range out {
		out[c] = s.Col(t, c, k)
	}
	return out
}

// Base makes a new state about which nothing is known but the constraints and
// invariants of the program. Its name must be unique.
func (w *World) Base(name string) *State {
	s := &State{w: w, name: name, tabs: make([]*tabState, len(w.Program.Tables))}
	for i, t := range w.Program.Tables {
		if w.Closed {
			s.tabs[i] = w.slots(name, i, t)
		} else {
			s.tabs[i] = w.functions(s, i, t)
		}
	}
	w.bases = append(w.bases, s)
	w.constrain(s)
	return s
}

// nullSuffix ends the name of the function that says where a column is NULL.
const nullSuffix = "?"

// rowsFunc and columnFunc name the functions of a base state that say which rows
// a table has, and what is in a column of it, for scopes.
func (s *State) rowsFunc(t int) string { return s.name + "." + smt.Word(s.w.Program.Tables[t].Name) }

func (s *State) columnFunc(t, c int) string {
	return s.rowsFunc(t) + "." + smt.Word(s.w.Program.Tables[t].Columns[c].Name)
}

// functions makes a table of uninterpreted functions.
func (w *World) functions(s *State, i int, t *ir.Table) *tabState {
	B := w.B
	sorts := w.keySorts(t)
	ts := &tabState{cols: make([]*layer, len(t.Columns))}
	if t.Var {
		ts.alive = w.layer(func(Key) Val { return w.Truth(B.True()) })
	} else {
		ts.alive = w.layer(func(k Key) Val {
			w.mention(tableDomain(i), k)
			return w.Truth(B.App(B.Func(s.rowsFunc(i), smt.Bool, sorts...), k...))
		})
	}
	for c := range t.Columns {
		if w.keyCols[i][c] {
			continue
		}
		col := &t.Columns[c]
		// Most columns are in no question: their functions are made when read.
		ts.cols[c] = w.layer(func(k Key) Val {
			w.mention(tableDomain(i), k)
			v := Val{B.False(), B.App(B.Func(s.columnFunc(i, c), sortOf(col.Type), sorts...), k...), col.Type}
			if !col.NotNull && w.mayBeNull(t) {
				v.Null = B.App(B.Func(s.columnFunc(i, c)+nullSuffix, smt.Bool, sorts...), k...)
			}
			return v
		})
	}
	for c := range t.Columns {
		if ts.cols[c] == nil {
			ts.cols[c] = ts.alive // never read: Col answers from the key
		}
	}
	return ts
}

// slotsOf is the number of rows that may be in a table of the closed world.
func (w *World) slotsOf(t *ir.Table) int {
	switch {
	case t.Var:
		return 1
	case w.Empty[t]:
		return 0
	}
	return max(w.Slots, w.RowsOf[t])
}

// slots makes a table of the closed world: some rows that may be there, with
// different keys.
func (w *World) slots(name string, i int, t *ir.Table) *tabState {
	B := w.B
	n := w.slotsOf(t)
	prefix := name + "." + smt.Word(t.Name)
	keys := make([]Key, n)
	alive := make([]*smt.Term, n)
	for r := range keys {
		keys[r] = Key{}
		for _, c := range t.Key {
			keys[r] = append(keys[r], B.Var(prefix+"."+smt.Word(t.Columns[c].Name)+"#"+strconv.Itoa(r), sortOf(t.Columns[c].Type)))
		}
		alive[r] = B.True()
		if !t.Var {
			alive[r] = B.Var(prefix+"#"+strconv.Itoa(r), smt.Bool)
		}
		for q := 0; q < r; q++ {
			w.Define(B.Not(w.sameKey(keys[q], keys[r])))
			w.Define(B.Implies(alive[r], alive[q])) // rows fill the slots in order
		}
		w.mention(tableDomain(i), keys[r])
	}
	pick := func(k Key, none Val, of func(r int) Val) Val {
		v := none
		for r := n - 1; r >= 0; r-- {
			v = w.ite(w.sameKey(k, keys[r]), of(r), v)
		}
		return v
	}
	ts := &tabState{cols: make([]*layer, len(t.Columns))}
	ts.alive = w.layer(func(k Key) Val {
		return pick(k, w.Truth(B.False()), func(r int) Val { return w.Truth(alive[r]) })
	})
	for c := range t.Columns {
		col := &t.Columns[c]
		ts.cols[c] = w.layer(func(k Key) Val {
			return pick(k, w.null(col.Type), func(r int) Val {
				id := prefix + "." + smt.Word(col.Name) + "#" + strconv.Itoa(r)
				v := Val{B.False(), B.Var(id, sortOf(col.Type)), col.Type}
				if !col.NotNull && w.mayBeNull(t) {
					v.Null = B.Var(id+"?", smt.Bool)
				}
				return v
			})
		})
	}
	return ts
}
