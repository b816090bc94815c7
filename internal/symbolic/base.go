package symbolic

import (
	"fmt"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
)

// constrain keeps what holds of every committed state: the domain, CHECKs,
// keys, foreign keys and the program's invariants.
//
// The keys and references of tables that the question is not about do not
// matter to it: rows that are only there because others refer to them can be
// there, with values of their own.
func (w *World) constrain(s *State) {
	defer w.about(w.Topic)
	for i, t := range w.Program.Tables {
		w.about(TopicTable + t.Name)
		if t.Var {
			w.Define(w.inDomain(s.Col(i, 0, Key{})))
			continue
		}
		one := []domain{tableDomain(i)}
		if len(t.Checks) > 0 || w.Program.Domain != nil {
			w.always(one, func(tuple []Key) *smt.Term {
				return w.B.Implies(s.Alive(i, tuple[0]), w.rowHolds(s, i, tuple[0]))
			})
		}
		for f := range t.ForeignKeys {
			fk := &t.ForeignKeys[f]
			w.alwaysIn(scope{funcs: []string{s.rowsFunc(w.Table(fk.Ref))}}, one, func(tuple []Key) *smt.Term {
				return w.B.Implies(s.Alive(i, tuple[0]), w.parentExists(s, fk, tableRow{s, i, tuple[0]}))
			})
		}
		for _, u := range t.PairConstraints() {
			all := w.alwaysIn(s.pairScope(i, u), []domain{tableDomain(i), tableDomain(i)}, func(tuple []Key) *smt.Term {
				a, b := tuple[0], tuple[1]
				return w.B.Or(w.sameKey(a, b), w.B.Not(w.clash(s, i, u, a, tableRow{s, i, b}, s.Alive(i, b))))
			})
			if key, ok := u.(*ir.Unique); ok && all != nil {
				all.values = func(k Key) (*smt.Term, []*smt.Term) { return w.uniqueValues(s, i, key, k) }
			}
		}
	}
	for k := range w.Program.Invariants {
		inv := w.Program.Invariants[k]
		w.about(TopicInvariant + strconv.Itoa(k))
		doms, prop := w.invariant(s, inv)
		w.always(doms, prop)
	}
}

// uniqueValues gives the values of a row for a unique key, if it has any for it.
func (w *World) uniqueValues(s *State, i int, u *ir.Unique, k Key) (has *smt.Term, vals []*smt.Term) {
	r := tableRow{s, i, k}
	has = s.Alive(i, k)
	if u.Where != nil {
		has = w.B.And(has, w.isTrue(w.rowEnv(s).bind(w.Program.Tables[i].Name, r).eval(u.Where)))
	}
	for _, v := range pick(r, u.Columns) {
		has = w.B.And(has, w.B.Not(v.Null))
		vals = append(vals, v.T)
	}
	return has, vals
}

// pairScope is that of a constraint on pairs of rows. A unique key says nothing
// as long as one of its columns is not spoken of, which then has other values in
// all rows.
func (s *State) pairScope(i int, u ir.PairConstraint) scope {
	key, ok := u.(*ir.Unique)
	if !ok {
		return scope{}
	}
	var out scope
	for _, c := range key.Columns {
		if col := s.w.Program.Tables[i].Columns[c]; !s.w.keyCols[i][c] && col.Type.Kind != ir.KindBool {
			out.funcs = append(out.funcs, s.columnFunc(i, c))
		}
	}
	return out
}

// always asserts a universal: later in the open world, now in the closed one.
func (w *World) always(doms []domain, prop func(tuple []Key) *smt.Term) {
	w.alwaysIn(scope{}, doms, prop)
}

// alwaysIn is always for questions of a scope. It gives the universal, if that
// is kept for later.
func (w *World) alwaysIn(in scope, doms []domain, prop func(tuple []Key) *smt.Term) *universal {
	switch {
	case w.Closed:
		w.tuples(doms, func(tuple []Key) { w.Define(prop(tuple)) })
	case len(doms) == 0:
		w.define(in, prop(nil))
	default:
		return w.forall(in, doms, prop)
	}
	return nil
}

// invariant gives an invariant as a universal about a state.
func (w *World) invariant(s *State, inv *ir.Invariant) ([]domain, func(tuple []Key) *smt.Term) {
	doms := make([]domain, len(inv.From))
	for i, src := range inv.From {
		doms[i] = tableDomain(w.Table(src.Table))
	}
	return doms, func(tuple []Key) *smt.Term {
		en := w.rowEnv(s)
		alive := w.B.True()
		for i, src := range inv.From {
			t := w.Table(src.Table)
			alive = w.B.And(alive, s.Alive(t, tuple[i]))
			en = en.bind(src.Row, tableRow{s, t, tuple[i]})
		}
		if alive.IsFalse() {
			return w.B.True()
		}
		return w.B.Or(w.B.Not(alive), w.B.Not(w.isFalse(en.eval(inv.Expr))))
	}
}

// Holds is: the invariant holds in the state, as a positive condition.
func (w *World) Holds(s *State, inv *ir.Invariant) *smt.Term {
	doms, prop := w.invariant(s, inv)
	return w.Never(doms, func(tuple []Key) *smt.Term { return w.B.Not(prop(tuple)) })
}

// Violated is: the invariant does not hold in the state, as a positive
// condition.
func (w *World) Violated(s *State, inv *ir.Invariant) *smt.Term {
	doms, prop := w.invariant(s, inv)
	return w.Witness(doms, func(tuple []Key) *smt.Term { return w.B.Not(prop(tuple)) })
}

// rowHolds is what a row must satisfy by itself: domain and CHECKs.
func (w *World) rowHolds(s *State, i int, k Key) *smt.Term {
	t := w.Program.Tables[i]
	ok := w.checksHold(t, tableRow{s, i, k})
	if w.Program.Domain != nil {
		for c := range t.Columns {
			ok = w.B.And(ok, w.inDomain(s.Col(i, c, k)))
		}
	}
	return ok
}

// checksHold is: the CHECKs of the table do not reject the row.
func (w *World) checksHold(t *ir.Table, r row) *smt.Term {
	ok := w.B.True()
	for _, c := range t.Checks {
		en := w.rowEnv(nil).bind(t.Name, r)
		ok = w.B.And(ok, w.B.Not(w.isFalse(en.eval(c.Expr))))
	}
	return ok
}

// inDomain is: an integer lies in the program's domain.
func (w *World) inDomain(v Val) *smt.Term {
	d := w.Program.Domain
	if d == nil || v.Type.Kind != ir.KindInt {
		return w.B.True()
	}
	for _, in := range w.instances {
		for _, f := range in.fresh {
			if f.val.T == v.T {
				return w.B.True()
			}
		}
	}
	return w.B.Or(v.Null, w.B.And(w.B.Le(w.B.IntConst(d.Lo), v.T), w.B.Le(v.T, w.B.IntConst(d.Hi))))
}

// parentExists is: some column of the foreign key is NULL, or the row that it
// names is there.
func (w *World) parentExists(s *State, fk *ir.ForeignKey, child row) *smt.Term {
	ref := w.Table(fk.Ref)
	null := w.B.False()
	refVals := pick(child, fk.Columns)
	for _, v := range refVals {
		null = w.B.Or(null, v.Null)
	}
	if null.IsTrue() {
		return null
	}
	if k, ok := w.keyFrom(fk.Ref, fk.RefColumns, refVals); ok {
		return w.B.Or(null, s.Alive(ref, k))
	}
	return w.B.Or(null, w.Exists([]domain{tableDomain(ref)}, func(tuple []Key) *smt.Term {
		return w.B.And(s.Alive(ref, tuple[0]), w.hasValues(s, ref, tuple[0], fk.RefColumns, refVals))
	}))
}

// keyFrom orders values of columns as a primary key, if they are one.
func (w *World) keyFrom(t *ir.Table, cols []int, vals []Val) (Key, bool) {
	if !ir.SameColumns(cols, t.Key) {
		return nil, false
	}
	k := make(Key, len(t.Key))
	for i, kc := range t.Key {
		for j, c := range cols {
			if c == kc {
				k[i] = w.keyTerm(vals[j], t.Columns[kc].Type)
			}
		}
	}
	return k, true
}

// hasValues is: the row has these values, none of them NULL, in the columns.
func (w *World) hasValues(s *State, t int, k Key, cols []int, vals []Val) *smt.Term {
	ok := w.B.True()
	for i, c := range cols {
		v, _ := w.binary(ir.Eq, s.Col(t, c, k), vals[i], ir.BoolType)
		ok = w.B.And(ok, w.isTrue(v))
	}
	return ok
}

// primary gives the primary key of a row, if that is what the constraint is
// about.
func (w *World) primary(t int, u ir.PairConstraint, r row) (Key, bool) {
	key, ok := u.(*ir.Unique)
	if !ok || key.Where != nil {
		return nil, false
	}
	return w.keyFrom(w.Program.Tables[t], key.Columns, pick(r, key.Columns))
}

func pick(r row, cols []int) []Val {
	out := make([]Val, len(cols))
	for i, c := range cols {
		out[i] = r.at(c)
	}
	return out
}

// clash is: the row with key k is there, and the constraint does not allow it
// beside the given row, which is there if present.
func (w *World) clash(s *State, t int, u ir.PairConstraint, k Key, given row, present *smt.Term) *smt.Term {
	cond := w.B.And(present, s.Alive(t, k))
	if cond.IsFalse() {
		return cond
	}
	table := w.Program.Tables[t]
	there := tableRow{s, t, k}
	switch u := u.(type) {
	case *ir.Unique:
		cond = w.B.And(cond, w.hasValues(s, t, k, u.Columns, pick(given, u.Columns)))
		if u.Where != nil && !cond.IsFalse() {
			en := w.rowEnv(s)
			cond = w.B.And(cond, w.isTrue(en.bind(table.Name, given).eval(u.Where)), w.isTrue(en.bind(table.Name, there).eval(u.Where)))
		}
		return cond
	case *ir.Exclusion:
		return w.B.And(cond, w.excludedRows(u, given, there))
	default:
		panic(fmt.Sprintf("symbolic: unknown constraint %T", u))
	}
}

// excludedRows is: an exclusion does not allow one row beside the other.
func (w *World) excludedRows(x *ir.Exclusion, a, b row) *smt.Term {
	return w.isTrue(w.rowEnv(nil).bind(x.Rows[0], a).bind(x.Rows[1], b).eval(x.Expr))
}
