package interp

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/rowvalues"
)

// checkRow enforces what one row can break alone: types' domain, NOT NULL and
// CHECK. It stops the run.
func (s *scope) checkRow(t *ir.Table) func(f *frame, vals []ir.Value) {
	in := s.open([]ir.Source{{Table: t, Row: t.Name}})
	slot := len(s.rows)
	checks := make([]eval, len(t.Checks))
	for i, c := range t.Checks {
		checks[i] = in.expr(c.Expr)
	}
	return func(f *frame, vals []ir.Value) {
		for i, v := range vals {
			if v.IsNull() && t.Columns[i].NotNull {
				panic(stop{reason: "null in column " + t.Name + "." + t.Columns[i].Name})
			}
			if d := f.m.Program.Domain; d != nil && v.Kind == ir.KindInt && (v.I < d.Lo || v.I > d.Hi) && v.I < ir.FirstFresh {
				panic(stop{reason: "a value leaves the domain"})
			}
			if d := t.Columns[i].Domain; d != nil && !fits(d, v) {
				panic(stop{reason: "a value does not fit column " + t.Name + "." + t.Columns[i].Name})
			}
		}
		old := f.rows[slot]
		f.rows[slot] = vals
		for i, c := range checks {
			if v := c(f); !v.IsNull() && !v.IsTrue() {
				panic(stop{reason: "check " + t.Checks[i].Name + " is violated"})
			}
		}
		f.rows[slot] = old
	}
}

// fits reports whether a value belongs to a domain. FRESH numbers do: a server draws
// others, which are small.
func fits(d ir.Domain, v ir.Value) bool {
	return v.Kind == ir.KindInt && v.I >= ir.FirstFresh || ir.Fits(d, v)
}

// checkParents makes sure that the parents of a row are visible, and locks
// them. cols limits it to foreign keys that use one of these columns, nil does not.
func (f *frame) checkParents(t *ir.Table, vals []ir.Value, cols []bool) {
	for i := range t.ForeignKeys {
		fk := &t.ForeignKeys[i]
		if cols != nil && !touches(fk.Columns, cols) {
			continue
		}
		ref := f.m.index[fk.Ref]
		parent, ok := parentRow(f.db, ref, fk, vals)
		if !ok {
			continue
		}
		if parent == nil {
			panic(stop{reason: "foreign key " + fk.Name + " is violated"})
		}
		f.lock(ref, KeyOf(fk.Ref, parent), f.m.Engine.ParentLock)
		f.use(ref, ir.RowShare)
	}
}

func touches(list []int, cols []bool) bool {
	for _, c := range list {
		if cols[c] {
			return true
		}
	}
	return false
}

// parentRow finds the row that vals refer to by fk; ok is false when a column
// is NULL, so that there need be none.
func parentRow(db *DB, ref int, fk *ir.ForeignKey, vals []ir.Value) (parent []ir.Value, ok bool) {
	for _, c := range fk.Columns {
		if vals[c].IsNull() {
			return nil, false
		}
	}
next:
	for _, r := range db.Tabs[ref].Rows {
		for i, c := range fk.RefColumns {
			if r.Vals[c] != vals[fk.Columns[i]] {
				continue next
			}
		}
		return r.Vals, true
	}
	return nil, true
}

// key is a compiled constraint on pairs of rows of a table. covers says whether
// a row can have part in a clash, nil that every row can.
type key struct {
	of     ir.PairConstraint
	covers func(vals []ir.Value) bool
	rivals func(a, b []ir.Value) bool
}

// compileKeys prepares the keys and exclusions of every table.
func (m *Machine) compileKeys() {
	m.keys = make([][]key, len(m.Program.Tables))
	for i, t := range m.Program.Tables {
		for _, of := range t.Keys() {
			k := key{of: of}
			switch of := of.(type) {
			case *ir.Unique:
				covers := func([]ir.Value) bool { return true }
				if of.Where != nil {
					where := m.condition(of.Where, ir.Source{Table: t, Row: t.Name})
					covers = func(vals []ir.Value) bool { return where(vals) }
				}
				k.covers = func(vals []ir.Value) bool {
					return !slices.ContainsFunc(of.Columns, func(c int) bool { return vals[c].IsNull() }) && covers(vals)
				}
				k.rivals = func(a, b []ir.Value) bool { return rowvalues.EqualOn(a, b, of.Columns) && covers(b) }
			case *ir.Exclusion:
				k.rivals = m.Excluded(t, of)
			default:
				panic(fmt.Sprintf("interp: unknown constraint %T", of))
			}
			m.keys[i] = append(m.keys[i], k)
		}
	}
}

// condition compiles a condition over nothing but rows, which must not fail.
func (m *Machine) condition(e ir.Expr, rows ...ir.Source) func(vals ...[]ir.Value) bool {
	in := (&scope{c: &compiler{m: m}}).open(rows)
	test := in.expr(e)
	f := &frame{m: m, rows: make([][]ir.Value, len(rows))}
	return func(vals ...[]ir.Value) bool {
		copy(f.rows, vals)
		return test(f).IsTrue()
	}
}

// clash finds a row of table number t that cannot be there beside vals, other
// than the one with the primary key skip.
func (k *key) clash(db *DB, t int, vals []ir.Value, skip string) *row {
	if k.covers != nil && !k.covers(vals) {
		return nil
	}
	for i := range db.Tabs[t].Rows {
		if r := &db.Tabs[t].Rows[i]; r.Key != skip && k.rivals(vals, r.Vals) {
			return r
		}
	}
	return nil
}

// broken says that a row of t clashes with another.
func (k *key) broken(t *ir.Table) string {
	if x, ok := k.of.(*ir.Exclusion); ok {
		return "exclusion " + x.Name + " is violated"
	}
	return "a row with this key exists in " + t.Name
}

// Excluded gives a test of whether an exclusion of t does not allow two rows
// beside each other.
func (m *Machine) Excluded(t *ir.Table, x *ir.Exclusion) func(a, b []ir.Value) bool {
	test := m.condition(x.Expr, x.Sources(t)...)
	return func(a, b []ir.Value) bool { return test(a, b) }
}

func (f *frame) log(op Op) {
	op.Stmt = f.cur
	op.statement = f.statement
	op.Own = op.Kind != OpInsert && f.inserted(op.Table, op.Key)
	op.Locked = f.m.Engine.LockStrengthens && op.Kind != OpInsert && slices.ContainsFunc(f.run.Locks, func(l RowLock) bool {
		return l.Mode == ir.ForUpdate && l.Table == op.Table && l.Key == op.Key
	})
	op.Apart = f.npoints > 0 || f.run.Inst.Txn.Subtransactions
	f.run.Ops = append(f.run.Ops, op)
	f.use(op.Table, ir.RowExclusive)
}

// ownRow reports whether the row with this key in the transaction's view was
// written by the transaction itself.
func (f *frame) ownRow(t int, key string) bool {
	for i := len(f.run.Ops) - 1; i >= 0; i-- {
		if op := &f.run.Ops[i]; op.Table == t && op.Key == key {
			return op.Kind != OpDelete
		}
	}
	return false
}

// keep leaves a row of the snapshot visible beside the one with its key that is
// inserted next: it has been deleted since, or the insertion fails.
func (f *frame) keep(t int, key string, vals []ir.Value) {
	vals = slices.Clone(vals)
	if f.gone == nil {
		f.gone = map[*ir.Value]bool{}
	}
	f.gone[&vals[0]] = true
	f.db = f.db.Put(t, row{Key: key + "gone", Vals: vals})
}

// must stops the run if it writes or locks a row that is gone.
func (f *frame) must(t int, vals []ir.Value) {
	if f.gone[&vals[0]] {
		panic(stop{reason: "row of " + f.m.Program.Tables[t].Name + " was written concurrently"})
	}
}

// inserted reports whether the transaction inserted the row with this key.
func (f *frame) inserted(t int, key string) bool {
	for i := range f.run.Ops {
		if op := &f.run.Ops[i]; op.Table == t && op.Key == key && op.Kind == OpInsert {
			return true
		}
	}
	return false
}

func (s *scope) insert(st *ir.Insert) exec {
	t := s.c.tableIndex(st.Table)
	values := s.exprs(st.Values)
	check := s.checkRow(st.Table)
	keys := s.c.m.keys[t]
	done := func(*frame, ir.Value) {}
	if st.Done != "" {
		done = s.setter(st.Done)
	}
	upsert, targets := s.onConflict(st)
	moved := st.Table.Mask(st.Moved)
	return func(f *frame) control {
		if moved != nil {
			if f.run.moving < 0 {
				return control{}
			}
			f.statement = f.run.Ops[f.run.moving].statement // one statement with the deletion before it
		}
		vals := make([]ir.Value, len(st.Table.Columns))
		for i, c := range st.Cols {
			vals[c] = values[i](f).Convert(st.Table.Columns[c].Type)
		}
		if st.Table.Rowid {
			vals[0] = f.freshValue(ir.IntType, nil)
		}
		check(f, vals)
		if st.Conflict != nil {
			for _, k := range targets {
				old := k.clash(f.db, t, vals, "")
				if old == nil {
					continue
				}
				if !f.serial && !f.m.Engine.KeyFromSnapshot && !f.ownRow(t, old.Key) && f.pick(2) == 1 {
					// The row is deleted before this statement runs, though the
					// snapshot still shows it: nothing is in the way.
					break
				}
				f.noteConflict(st, t, old)
				f.run.Met = append(f.run.Met, Op{Kind: OpInsert, Table: t, Key: old.Key, New: vals, Stmt: st, statement: f.statement})
				changed := upsert(f, old, vals)
				done(f, ir.Bool(changed))
				return control{}
			}
		}
		key := KeyOf(st.Table, vals)
		for i := range keys {
			if old := keys[i].clash(f.db, t, vals, ""); old != nil &&
				(f.serial || f.m.Engine.KeyFromSnapshot || f.ownRow(t, old.Key)) {
				panic(stop{reason: keys[i].broken(st.Table)})
			}
		}
		if old := f.db.Get(t, key); old != nil {
			f.keep(t, key, old)
		}
		f.db = f.db.Put(t, row{Key: key, Vals: vals})
		var set []bool
		if moved != nil {
			from := &f.run.Ops[f.run.moving]
			set = changed(moved, from.Old, vals)
			from.Becomes = vals
		}
		f.log(Op{Kind: OpInsert, Table: t, Key: key, New: vals, Moved: moved})
		f.checkParents(st.Table, vals, set) // it may be its own parent
		done(f, ir.Bool(true))
		return control{}
	}
}

// onConflict compiles an ON CONFLICT clause: what to do with an existing row,
// and the keys that count.
func (s *scope) onConflict(st *ir.Insert) (upsert func(f *frame, old *row, vals []ir.Value) bool, targets []key) {
	if st.Conflict == nil {
		return nil, nil
	}
	c := st.Conflict
	for _, k := range s.c.m.keys[s.c.tableIndex(st.Table)] {
		if c.Arbitrates(k.of) {
			targets = append(targets, k)
		}
	}
	in := s.open([]ir.Source{{Table: st.Table, Row: c.Row}, {Table: st.Table, Row: ir.Excluded}})
	base := len(s.rows)
	var where eval
	if c.Where != nil {
		where = in.expr(c.Where)
	}
	change := s.change(st.Table, c.Sets, in)
	return func(f *frame, old *row, vals []ir.Value) bool {
		if c.Sets == nil {
			return false
		}
		f.rows[base], f.rows[base+1] = old.Vals, vals
		f.lock(s.c.tableIndex(st.Table), old.Key, max(ir.ForNoKeyUpdate, c.Lock))
		if where != nil && !where(f).IsTrue() {
			return false
		}
		if write := change(f, old); write != nil {
			write()
		}
		return true
	}, targets
}

// change compiles the assignments of an UPDATE. The row variables of in must
// be bound when it is called. What it gives writes the row, nil where that leaves the row as it is and writes nothing.
func (s *scope) change(t *ir.Table, sets []ir.Set, in *scope) func(f *frame, old *row) (write func()) {
	ti := s.c.tableIndex(t)
	values := make([]eval, len(sets))
	cols := make([]bool, len(t.Columns))
	for i, set := range sets {
		values[i] = in.expr(set.Expr)
		cols[set.Col] = true
	}
	check := s.checkRow(t)
	return func(f *frame, old *row) func() {
		f.must(ti, old.Vals)
		vals := append([]ir.Value(nil), old.Vals...)
		equal := true
		for i, set := range sets {
			vals[set.Col] = values[i](f).Convert(t.Columns[set.Col].Type)
			equal = equal && vals[set.Col] == old.Vals[set.Col]
		}
		check(f, vals)
		if equal && !f.m.Engine.EqualWrites {
			return nil
		}
		return func() {
			f.db = f.db.Put(ti, row{Key: old.Key, Vals: vals})
			f.log(Op{Kind: OpUpdate, Table: ti, Key: old.Key, Old: old.Vals, New: vals, Cols: cols})
			f.checkParents(t, vals, changed(cols, old.Vals, vals))
		}
	}
}

// changed restricts columns to those that get another value: for the others the
// server does not look for parents.
func changed(cols []bool, old, vals []ir.Value) []bool {
	out := slices.Clone(cols)
	for c := range out {
		out[c] = out[c] && old[c] != vals[c]
	}
	return out
}

// matching collects the rows of a query of one table.
func (f *frame) matching(q *query) []row {
	var out []row
	for _, b := range q.bindings(f, q.from[0].slot, nil, nil) {
		out = append(out, row{Key: KeyOf(q.src.From[0].Table, b.rows[0]), Vals: b.rows[0]})
	}
	return out
}

func (s *scope) update(st *ir.Update) exec {
	from := ir.Query{From: []ir.Source{{Table: st.Table, Row: st.Row}}, Where: st.Where}
	q := s.query(&from)
	in := s.open(from.From)
	slot := len(s.rows)
	change := s.change(st.Table, st.Sets, in)
	var reads []ir.Expr
	for _, set := range st.Sets {
		reads = append(reads, set.Expr)
	}
	return func(f *frame) control {
		list := f.matching(q)
		noted := len(f.run.Reads)
		f.read(readNote{q: q, scope: in, cols: reads, found: len(list) > 0})
		// All values are computed from the rows before.
		var writes []func()
		for i := range list {
			f.rows[slot] = list[i].Vals
			if write := change(f, &list[i]); write != nil {
				writes = append(writes, write)
			}
		}
		for i := noted; len(writes) < len(list) && i < len(f.run.Reads); i++ { // it has seen that they have these values
			for _, set := range st.Sets {
				f.run.Reads[i].Cols[set.Col] = true
			}
		}
		for _, write := range writes {
			write()
		}
		return control{}
	}
}

func (s *scope) delete(st *ir.Delete) exec {
	t := s.c.tableIndex(st.Table)
	var moved []bool
	if st.Moved {
		moved = st.Table.Mask(st.Table.Key)
	}
	from := ir.Query{From: []ir.Source{{Table: st.Table, Row: st.Row}}, Where: st.Where}
	q := s.query(&from)
	in := s.open(from.From)
	return func(f *frame) control {
		list := f.matching(q)
		f.read(readNote{q: q, scope: in, found: len(list) > 0})
		f.run.moving = -1
		for _, r := range list {
			f.must(t, r.Vals)
			f.db = f.db.Remove(t, r.Key)
			f.run.moving = len(f.run.Ops)
			f.log(Op{Kind: OpDelete, Table: t, Key: r.Key, Old: r.Vals, Moved: moved})
		}
		return control{}
	}
}

// copyTable replaces the rows of dst by those of src. It is logged row by row.
func (f *frame) copyTable(dst, src int) {
	for _, r := range f.db.Tabs[dst].Rows {
		f.db = f.db.Remove(dst, r.Key)
		f.log(Op{Kind: OpDelete, Table: dst, Key: r.Key, Old: r.Vals})
	}
	for _, r := range f.db.Tabs[src].Rows {
		f.db = f.db.Put(dst, r)
		f.log(Op{Kind: OpInsert, Table: dst, Key: r.Key, New: r.Vals})
	}
}

// Commit checks a run against the transactions that committed since its
// snapshot and applies it to the current state. It gives the new state, or
// why the transaction fails.
func (m *Machine) Commit(run *Run, cur *DB, since []*Run) (*DB, string) {
	db, _, why := m.commit(run, cur, since)
	return db, why
}

// commit gives the run as well, with the actions that turned out to be void.
func (m *Machine) commit(run *Run, cur *DB, since []*Run) (*DB, *Run, string) {
	if run.Blocked != "" {
		return nil, nil, run.Blocked
	}
	if why := m.excluded(run, since); why != "" {
		return nil, nil, why
	}
	if slices.ContainsFunc(run.Ops, func(op Op) bool { return op.Action != nil }) {
		c := *run
		c.Ops = slices.Clone(run.Ops)
		run = &c
	}
	db, failed := cur, ""
	fail := func(_ int, why string) bool { failed = why; return false }
	done := 0
	for _, u := range run.undone {
		if len(u.broken) == 0 {
			continue
		}
		db = m.replay(db, run.Ops[done:u.after], since, fail)
		done = u.after
		m.replay(db, slices.Clone(u.ops), since, func(statement int, why string) bool {
			if u.broken[statement] {
				failed = why
			}
			return true
		})
	}
	db = m.replay(db, run.Ops[done:], since, fail)
	if failed != "" {
		return nil, nil, failed
	}
	return db, run, ""
}

// touches reports whether the write has to do with a row.
func (o *Op) touches(table int, key string) bool { return o.Table == table && o.Key == key && !o.Void }

// replay applies writes and checks the constraints between rows at the end of
// each statement. It tells broken which fail, and stops if that returns false.
// since committed after the snapshot. Actions that are void become so in ops.
func (m *Machine) replay(db *DB, ops []Op, since []*Run, broken func(statement int, why string) bool) *DB {
	for i := range ops {
		op := &ops[i]
		why := ""
		if fk := op.Action; fk != nil {
			now := db.Get(op.Table, op.Key)
			op.Void = now == nil || !orphan(db, m.index[fk.Ref], fk, now)
			for _, other := range since {
				if !op.Void && slices.ContainsFunc(other.Ops, func(o Op) bool { return o.touches(op.Table, op.Key) }) {
					why = "row of " + m.Program.Tables[op.Table].Name + " was written concurrently"
				}
			}
			if !op.Void && why == "" && op.New != nil {
				why = m.parentLost(db, fk, op.New, since)
			}
		}
		switch {
		case op.Void:
		case op.Kind == OpInsert:
			if db.Get(op.Table, op.Key) != nil {
				why = "a row with this key exists in " + m.Program.Tables[op.Table].Name
			}
			db = db.Put(op.Table, row{Key: op.Key, Vals: op.New})
		case op.Kind == OpUpdate:
			db = db.Put(op.Table, row{Key: op.Key, Vals: op.New})
		default:
			db = db.Remove(op.Table, op.Key)
		}
		if why == "" && (i+1 == len(ops) || ops[i+1].statement != op.statement) {
			why = m.statementEnd(ops, i+1, db)
		}
		if why != "" && !broken(op.statement, why) {
			return db
		}
	}
	return db
}

// statementEnd checks the constraints between rows that the statement of the
// last of the first n writes may have broken.
func (m *Machine) statementEnd(ops []Op, n int, db *DB) string {
	for i := range ops[:n] {
		op := &ops[i]
		if op.statement != ops[n-1].statement || op.Void {
			continue
		}
		t := m.Program.Tables[op.Table]
		if op.New != nil {
			for _, k := range m.keys[op.Table][1:] {
				if k.clash(db, op.Table, op.New, op.Key) != nil {
					return k.broken(t)
				}
			}
		}
		if op.New != nil {
			for k := range t.ForeignKeys {
				fk := &t.ForeignKeys[k]
				if parent, ok := parentRow(db, m.index[fk.Ref], fk, op.New); ok && parent == nil &&
					(op.Kind == OpInsert && (op.Moved == nil || touches(fk.Columns, op.Moved)) ||
						op.Kind == OpUpdate && touches(fk.Columns, op.Cols)) {
					return "foreign key " + fk.Name + " is violated"
				}
			}
		}
		if op.Old == nil {
			continue
		}
		for _, ref := range m.refs[op.Table] {
			if op.New != nil && rowvalues.EqualOn(op.Old, op.New, ref.fk.RefColumns) {
				continue
			}
			for _, r := range db.Tabs[ref.child].Rows {
				if !orphan(db, op.Table, ref.fk, r.Vals) {
					continue
				}
				seen := func(o Op) bool { return o.Action == ref.fk && o.touches(ref.child, r.Key) }
				action := ref.fk.OnDelete
				if op.Moved != nil {
					action = ref.fk.OnUpdate
				}
				if op.Kind == OpDelete && action != ir.NoAction && slices.ContainsFunc(ops[n:], seen) {
					continue // it is dealt with next
				}
				return "foreign key " + ref.fk.Name + " is violated"
			}
		}
	}
	return ""
}
