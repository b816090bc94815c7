package symbolic

import (
	"slices"
	"strconv"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
)

// write adds a write to the run and applies it to the own view.
func (e *exec) write(x *Write) { e.writeBehind(x, len(e.run.Locks)) }

// writeBehind is write, of which locks of the run's locks are taken before.
func (e *exec) writeBehind(x *Write, locks int) {
	if !e.w.Engine.EqualWrites && x.Kind == Update {
		x = e.w.onlyChanges(x)
	}
	x.locks = locks
	e.run.Writes = append(e.run.Writes, x)
	e.run.Uses = append(e.run.Uses, Use{x.Table, ir.RowExclusive, e.live})
	before := e.st
	e.st = x.apply(e.w, before)
	e.run.log = append(e.run.log, logged{write: x, undone: e.w.B.False(), before: before, after: e.st})
}

// onlyChanges restricts an update to rows in which some value becomes another.
func (w *World) onlyChanges(x *Write) *Write {
	return x.when(w, func(wr write) *smt.Term {
		same := w.B.True()
		for c := range x.Cols {
			if x.Cols[c] {
				same = w.B.And(same, w.same(wr.val(c), wr.old(c)))
			}
		}
		return w.B.Not(same)
	})
}

// rowOK is what a written row must satisfy alone; cols limits it to columns
// that change.
func (e *exec) rowOK(t *ir.Table, vals []Val, cols []bool) *smt.Term {
	w := e.w
	ok := w.B.True()
	touched := false
	for c, v := range vals {
		if cols != nil && !cols[c] {
			continue
		}
		touched = true
		if t.Columns[c].NotNull {
			ok = w.B.And(ok, w.B.Not(v.Null))
		}
		ok = w.B.And(ok, w.inDomain(v))
	}
	if touched {
		ok = w.B.And(ok, w.checksHold(t, valueRow{t, vals}))
	}
	return ok
}

func (e *exec) insert(s *ir.Insert) {
	w := e.w
	if len(s.Moved) > 0 { // nothing happens if there is nothing to move
		live := e.live
		e.live = w.B.And(live, e.moving.guard)
		defer func() { e.live = live }()
	}
	t := w.Table(s.Table)
	vals := make([]Val, len(s.Table.Columns))
	for c := range vals {
		vals[c] = w.null(s.Table.Columns[c].Type)
	}
	for i, c := range s.Cols {
		vals[c] = w.convert(e.eval(s.Values[i]), s.Table.Columns[c].Type)
	}
	if s.Table.Rowid {
		vals[0] = e.choose(s, "rowid ", ir.IntType, false)
		e.draw(vals[0], w.code.Classes.Find(prepare.Column{Table: s.Table, Col: 0}), "")
	}
	e.require(e.rowOK(s.Table, vals, nil))
	key := make(Key, len(s.Table.Key))
	for i, c := range s.Table.Key {
		key[i] = vals[c].T
	}
	inserts := e.live // where a row is inserted
	done := w.B.True()
	if s.Conflict != nil {
		inserts, done = e.onConflict(s, t, vals)
	}
	// Outside of ON CONFLICT, a key that the own view shows.
	exists := e.anyClash(e.st, t, s.Table.Keys(), valueRow{s.Table, vals})
	if w.Engine.KeyFromSnapshot {
		e.run.OK = w.B.And(e.run.OK, w.B.Not(w.B.And(inserts, exists)))
	} else if e.info.ReadLater[s] {
		// On this engine the key may be freed by others before the insertion,
		// and later reads would show both rows.
		e.observed(inserts, []Val{w.Truth(exists)})
	}
	value := func(c int) Val { return vals[c] }
	old := value
	moved := s.Table.Mask(s.Moved)
	var before []Val
	if m := e.moving; moved != nil {
		old = func(c int) Val { return m.st.Col(t, c, m.key) }
		before = m.st.rowVals(t, m.key)
		m.write.renamed = w.B.False()
		for c := range engine.KeyColumns(s.Table) {
			m.write.renamed = w.B.Or(m.write.renamed, w.B.Not(w.same(before[c], vals[c])))
		}
	}
	e.write(&Write{Stmt: s, Table: t, Kind: Insert, moved: moved, at: func([]Key, Key) write {
		return write{inserts, key, value, old}
	}})
	e.lockParents(s.Table, inserts, vals, moved, before) // it may be its own parent
	if s.Done != "" {
		e.set(s.Done, w.Truth(done))
	}
}

// anyClash is: one of the keys keeps the given row from being there beside some
// row of the state.
func (e *exec) anyClash(s *State, t int, keys []ir.PairConstraint, given row) *smt.Term {
	out := e.w.B.False()
	for _, k := range keys {
		out = e.w.B.Or(out, e.w.clashes(s, t, k, given, nil))
	}
	return out
}

// clashes is: some row of the state, other than the one with key skip (nil:
// none), cannot be there beside the given row.
func (w *World) clashes(s *State, t int, u ir.PairConstraint, given row, skip Key) *smt.Term {
	if k, ok := w.primary(t, u, given); ok {
		if skip != nil {
			return w.B.False()
		}
		return s.Alive(t, k)
	}
	return w.Exists([]domain{tableDomain(t)}, func(tuple []Key) *smt.Term {
		hit := w.clash(s, t, u, tuple[0], given, w.B.True())
		if skip != nil {
			hit = w.B.And(hit, w.B.Not(w.sameKey(skip, tuple[0])))
		}
		return hit
	})
}

// onConflict handles an ON CONFLICT clause: it gives the condition under which
// the row is inserted after all, and whether anything is written.
func (e *exec) onConflict(s *ir.Insert, t int, vals []Val) (inserts, done *smt.Term) {
	w := e.w
	c := s.Conflict
	before := e.live
	keys := slices.DeleteFunc(s.Table.Keys(), func(k ir.PairConstraint) bool { return !c.Arbitrates(k) })
	given := valueRow{s.Table, vals}
	conflict := e.anyClash(e.st, t, keys, given)
	if e.observe != nil {
		e.observed(before, []Val{w.Truth(e.anyClash(e.observe, t, keys, given))})
	}
	st := e.st
	e.run.Reads = append(e.run.Reads, &Read{Table: t, Cols: allColumns(s.Table),
		match: func(_ []Key, s *State, k Key) *smt.Term {
			hit := w.B.False()
			for _, u := range keys {
				hit = w.B.Or(hit, w.clash(s, t, u, k, given, before))
			}
			return hit
		}})
	if !w.Engine.KeyFromSnapshot {
		// The row of the snapshot may be deleted by others before the
		// statement runs; it then inserts. The commit needs the key free.
		late := e.inst.choose(e.place(s, "late "), smt.Bool, e.rounds)
		conflict = w.B.And(conflict, w.B.Not(w.B.And(late, e.anyClash(e.entry, t, keys, given))))
	}
	inserts = w.B.And(before, w.B.Not(conflict))
	if c.Sets == nil {
		return inserts, w.B.Not(conflict)
	}
	// The existing row: one that the instance chooses among those that clash.
	old := make(Key, len(s.Table.Key))
	for i, kc := range s.Table.Key {
		old[i] = e.inst.choose(e.place(s, "existing ")+"."+strconv.Itoa(i), sortOf(s.Table.Columns[kc].Type), e.rounds)
	}
	if len(keys) == 1 {
		if _, ok := w.primary(t, keys[0], given); ok {
			for i, kc := range s.Table.Key {
				old[i] = vals[kc].T
			}
		}
	}
	isOld := w.B.False()
	for _, u := range keys {
		isOld = w.B.Or(isOld, w.clash(st, t, u, old, given, w.B.True()))
	}
	e.live = w.B.And(before, conflict)
	e.require(isOld)
	en := e.env().bind(c.Row, tableRow{st, t, old}).bind(ir.Excluded, given)
	guard := e.live
	e.run.Locks = append(e.run.Locks, &RowLock{Table: t, Mode: max(ir.ForNoKeyUpdate, c.Lock),
		at: func([]Key, Key) (*smt.Term, Key) { return guard, old }})
	if c.Where != nil {
		e.live = w.B.And(e.live, w.isTrue(w.convert(en.eval(c.Where), ir.BoolType)))
	}
	updates := e.live
	e.change(s, s.Table, c.Sets, func([]Key, Key) (*smt.Term, Key, *env) { return updates, old, en }, false)
	e.live = before
	return inserts, w.B.Or(w.B.Not(conflict), updates)
}

// change is the writing half of an UPDATE. row gives, for a member, the
// condition that it is updated, its key, and the environment of the new
// values.
func (e *exec) change(s ir.Stmt, table *ir.Table, sets []ir.Set, row func(loop []Key, k Key) (*smt.Term, Key, *env), scan bool) {
	w := e.w
	t := w.Table(table)
	seen := e.st
	cols := make([]bool, len(table.Columns))
	for _, set := range sets {
		cols[set.Col] = true
	}
	newVals := func(k Key, en *env) []Val {
		vals := seen.rowVals(t, k)
		for _, set := range sets {
			vals[set.Col] = w.convert(en.eval(set.Expr), table.Columns[set.Col].Type)
		}
		return vals
	}
	// Requirements on the new rows.
	breaks := func(k Key) *smt.Term {
		g, key, en := row(nil, k)
		if g.IsFalse() {
			return g
		}
		vals := newVals(key, en)
		ok := e.rowOK(table, vals, cols)
		return w.B.And(g, w.B.Not(w.B.And(ok, w.parentsVisible(seen, table, vals, cols))))
	}
	doms := []domain{}
	if scan {
		doms = append(doms, tableDomain(t))
	}
	e.run.OK = w.B.And(e.run.OK, w.B.Not(w.Exists(doms, func(tuple []Key) *smt.Term {
		if scan {
			return breaks(tuple[0])
		}
		return breaks(nil)
	})))
	e.lockParentsOf(table, cols, scan, func(k Key) (*smt.Term, []Val, []Val) {
		g, key, en := row(nil, k)
		if g.IsFalse() {
			return g, nil, nil
		}
		return g, newVals(key, en), seen.rowVals(t, key)
	})
	e.write(&Write{Stmt: s, Table: t, Kind: Update, Cols: cols, scan: scan, at: func(loop []Key, k Key) write {
		g, key, en := row(loop, k)
		old := func(c int) Val { return seen.Col(t, c, key) }
		return write{g, key, func(c int) Val {
			for _, set := range sets {
				if set.Col == c {
					return w.convert(en.eval(set.Expr), table.Columns[c].Type)
				}
			}
			return old(c)
		}, old}
	}})
}

func (e *exec) update(s *ir.Update) {
	w := e.w
	q := e.info.Query(s)
	en := e.env()
	p := w.plan(q, en)
	var cols []ir.Expr
	for _, set := range s.Sets {
		cols = append(cols, set.Expr)
	}
	e.noteQuery(en, q, cols)
	e.sharedExprs(p, en, s.Row, cols)
	st, live := e.st, e.live
	scan := len(p.doms) > 0
	e.change(s, s.Table, s.Sets, func(_ []Key, k Key) (*smt.Term, Key, *env) {
		var tuple []Key
		if scan {
			tuple = []Key{k}
		}
		g, in := p.match(en, st, tuple)
		return w.B.And(live, g), in.key(s.Row), in
	}, scan)
}

// sharedExprs evaluates, for what may fail in them where a row is found, the
// expressions that do not depend on the row.
func (e *exec) sharedExprs(p *plan, en *env, row string, exprs []ir.Expr) {
	w, st := e.w, e.st
	shared := e.env()
	shared.fail = func(ok *smt.Term) {
		e.require(w.B.Implies(p.found(en, st), ok))
	}
	for _, x := range exprs {
		uses := false
		ir.WalkExpr(x, func(x ir.Expr) {
			if c, ok := x.(*ir.Col); ok && c.Row == row {
				uses = true
			}
		})
		if !uses {
			shared.eval(x)
		}
	}
}

func (e *exec) delete(s *ir.Delete) {
	w := e.w
	t := w.Table(s.Table)
	q := e.info.Query(s)
	en := e.env()
	p := w.plan(q, en)
	e.noteQuery(en, q, nil)
	st, live := e.st, e.live
	scan := len(p.doms) > 0
	x := &Write{Stmt: s, Table: t, Kind: Delete, scan: scan, at: func(_ []Key, k Key) write {
		var tuple []Key
		if scan {
			tuple = []Key{k}
		}
		g, in := p.match(en, st, tuple)
		key := in.key(s.Row)
		old := func(c int) Val { return st.Col(t, c, key) }
		return write{w.B.And(live, g), key, old, old}
	}}
	if s.Moved {
		if scan {
			panic("symbolic: a row moves whose key is not told")
		}
		g, in := p.match(en, st, nil)
		x.moved = s.Table.Mask(s.Table.Key)
		e.moving = &moving{st, w.B.And(live, g), in.key(s.Row), x}
	}
	e.write(x)
}

// cascade is the action of a foreign key on the rows that have no parent in the
// own view, and at the commit on those of that moment.
func (e *exec) cascade(s *ir.Cascade) {
	w, live, fk := e.w, e.live, s.ForeignKey()
	t := w.Table(s.Table)
	if len(e.loops) > 0 || len(e.rounds) > 0 {
		w.Unsupported = "rows are deleted in a round of a loop, and a foreign key acts on their children"
	}
	kind, cols := Delete, []bool(nil)
	parent := make([]Val, len(s.Table.Columns)) // the new values
	if !s.Deletes() {
		kind, cols = Update, s.Table.Mask(fk.Columns)
		for i, c := range fk.Columns {
			parent[c] = w.null(s.Table.Columns[c].Type)
			if len(s.Values) > 0 {
				parent[c] = w.convert(e.eval(s.Values[i]), s.Table.Columns[c].Type)
			}
		}
	}
	x := e.run.acted(s, e.st, live, t, kind, cols, parent)
	if kind == Update {
		e.run.OK = w.B.And(e.run.OK, w.B.Not(w.Exists([]domain{tableDomain(t)}, func(tuple []Key) *smt.Term {
			wr := x.at(nil, tuple[0])
			vals := make([]Val, len(s.Table.Columns))
			for c := range vals {
				vals[c] = wr.val(c)
			}
			return w.B.And(wr.guard, w.B.Not(e.rowOK(s.Table, vals, cols)))
		})))
	}
	e.write(x)
}

// acted is the write of an action on a state.
func (r *Run) acted(s *ir.Cascade, st *State, live *smt.Term, t int, kind Kind, cols []bool, parent []Val) *Write {
	w, fk := r.Inst.w, s.ForeignKey()
	x := &Write{Stmt: s, Table: t, Kind: kind, Cols: cols, scan: true, firm: w.code.Firm(s.Table, fk)}
	x.on = func(st *State) *Write { return r.acted(s, st, live, t, kind, cols, parent) }
	x.at = func(_ []Key, k Key) write {
		old := func(c int) Val { return st.Col(t, c, k) }
		val := old
		if kind == Update {
			val = func(c int) Val {
				if cols[c] {
					return parent[c]
				}
				return old(c)
			}
		}
		alive := st.Alive(t, k)
		if alive.IsFalse() {
			return write{alive, k, val, old}
		}
		return write{w.B.And(live, alive, w.B.Not(w.parentExists(st, fk, tableRow{st, t, k}))), k, val, old}
	}
	return x
}

// parentsVisible is: the rows that the foreign keys name are in a state, the own
// view.
func (w *World) parentsVisible(s *State, t *ir.Table, vals []Val, cols []bool) *smt.Term {
	ok := w.B.True()
	for i := range t.ForeignKeys {
		fk := &t.ForeignKeys[i]
		if cols == nil || prepare.Touches(fk.Columns, cols) {
			ok = w.B.And(ok, w.parentExists(s, fk, valueRow{t, vals}))
		}
	}
	return ok
}

// lockParents requires the parents of an inserted row and locks them. cols are
// the columns that change and old the values before, if the row moves.
func (e *exec) lockParents(t *ir.Table, guard *smt.Term, vals []Val, cols []bool, old []Val) {
	w := e.w
	e.run.OK = w.B.And(e.run.OK, w.B.Implies(guard, w.parentsVisible(e.st, t, vals, cols)))
	e.lockParentsOf(t, cols, false, func(Key) (*smt.Term, []Val, []Val) { return guard, vals, old })
}

// lockParentsOf locks the parents of written rows, as far as a foreign key
// refers to a primary key; a lock that is left out excludes nothing. row gives
// when the row is written, and its values after and before; those before are nil
// for a new row. The parent that the row has already is not locked again.
func (e *exec) lockParentsOf(t *ir.Table, cols []bool, scan bool, written func(k Key) (*smt.Term, []Val, []Val)) {
	w := e.w
	if scan {
		return
	}
	for i := range t.ForeignKeys {
		fk := &t.ForeignKeys[i]
		if cols != nil && !prepare.Touches(fk.Columns, cols) {
			continue
		}
		row := func(k Key) (*smt.Term, []Val) {
			g, vals, old := written(k)
			if g.IsFalse() || old == nil {
				return g, vals
			}
			same := w.B.True()
			for _, c := range fk.Columns {
				same = w.B.And(same, w.same(old[c], vals[c]))
			}
			return w.B.And(g, w.B.Not(same)), vals
		}
		ref := w.Table(fk.Ref)
		uses, vals := row(nil)
		for _, c := range fk.Columns {
			if !uses.IsFalse() {
				uses = w.B.And(uses, w.B.Not(vals[c].Null))
			}
		}
		e.run.Uses = append(e.run.Uses, Use{ref, ir.RowShare, uses})
		e.run.Reads = append(e.run.Reads, &Read{Table: ref, Cols: make([]bool, len(fk.Ref.Columns)), parent: true,
			match: func(_ []Key, s *State, k Key) *smt.Term {
				g, vals := row(nil)
				if g.IsFalse() {
					return g
				}
				want := make([]Val, len(fk.Columns))
				for j, c := range fk.Columns {
					want[j] = vals[c]
				}
				return w.B.And(g, s.Alive(ref, k), w.hasValues(s, ref, k, fk.RefColumns, want))
			}})
		if w.Engine.ParentLock == ir.NoLock || !ir.SameColumns(fk.RefColumns, fk.Ref.Key) {
			continue
		}
		e.run.Locks = append(e.run.Locks, &RowLock{Table: ref, Mode: w.Engine.ParentLock,
			at: func([]Key, Key) (*smt.Term, Key) {
				g, vals := row(nil)
				want := make([]Val, len(fk.Columns))
				for j, c := range fk.Columns {
					if g.IsFalse() {
						want[j] = w.null(t.Columns[c].Type)
					} else {
						want[j] = vals[c]
					}
					g = w.B.And(g, w.B.Not(want[j].Null))
				}
				k, _ := w.keyFrom(fk.Ref, fk.RefColumns, want)
				return g, k
			}})
	}
}
