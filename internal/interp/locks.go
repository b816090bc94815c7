package interp

import (
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/choices"
	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/rowvalues"
)

// target is a source of a query whose rows are locked.
type target struct {
	table, slot int
	mode        ir.LockMode
}

func (q *query) targets(locks ir.Locks) []target {
	var out []target
	for i, src := range q.src.From {
		if m := locks.Of(src.Row); m != ir.NoLock {
			out = append(out, target{q.from[i].table, q.from[i].slot, m})
		}
	}
	return out
}

// locked gives the lock on the row that is bound in the frame.
func (f *frame) locked(t target) RowLock {
	key := KeyOf(f.m.Program.Tables[t.table], f.rows[t.slot])
	return RowLock{t.table, key, t.mode, f.cur, f.inserted(t.table, key)}
}

// locker gives a function that locks the rows bound in the frame.
func (s *scope) locker(q *query, locks ir.Locks) func(f *frame) {
	targets := q.targets(locks)
	return func(f *frame) {
		for _, t := range targets {
			f.must(t.table, f.rows[t.slot])
			f.run.Locks = append(f.run.Locks, f.locked(t))
			f.use(t.table, ir.RowShare)
		}
	}
}

func (f *frame) lock(table int, key string, mode ir.LockMode) {
	if mode != ir.NoLock {
		f.run.Locks = append(f.run.Locks, RowLock{table, key, mode, f.cur, f.inserted(table, key)})
	}
}

func (s *scope) lockRows(st *ir.LockRows) exec {
	q := s.query(&st.Query)
	in := s.open(st.Query.From)
	order, desc := in.order(st.Order)
	lock := s.locker(q, st.Locks)
	base := len(s.rows)
	limit := s.limit(st.Limit)
	return func(f *frame) control {
		q.use(f)
		list := q.bindings(f, base, order, desc)
		f.read(readNote{q: q, scope: in, order: st.Order, found: len(list) > 0})
		n := limit(f, len(list))
		for i := range n {
			if n < len(list) {
				// Rows that ORDER BY does not tell apart come in any order.
				k := i + f.choose(tied(list, i, desc)-i)
				list[i], list[k] = list[k], list[i]
			}
			f.bind(base, list[i])
			lock(f)
		}
		return control{}
	}
}

// tied gives the end of the rows that come with number i in any order.
func tied(list []binding, i int, desc []bool) int {
	end := i + 1
	for end < len(list) && rowvalues.Compare(list[i].keys, list[end].keys, desc) == 0 {
		end++
	}
	return end
}

// limit gives how many of n rows a LIMIT leaves, which may be nil.
func (s *scope) limit(e ir.Expr) func(f *frame, n int) int {
	if e == nil {
		return func(_ *frame, n int) int { return n }
	}
	limit := s.expr(e)
	return func(f *frame, n int) int {
		v := limit(f)
		switch {
		case v.IsNull():
			return n
		case v.I < 0:
			panic(stop{reason: "LIMIT must not be negative"})
		}
		return int(min(int64(n), v.I))
	}
}

// DroppedAt is an execution of a Dropped.
type DroppedAt struct {
	Stmt *ir.Dropped
	// Locks are the row locks that may be taken, where Stmt has a query for them.
	Locks []RowLock
	// First says that nothing before it took the snapshot.
	First bool
	// Number are the values of Stmt.Number, nil if they are not known.
	Number []ir.Value
}

// unlock takes back the locks that may have been taken after the first n things that were
// dropped, but those of numbers, which may outlive the transaction.
func (r *Run) unlock(n int) {
	later := slices.DeleteFunc(slices.Clone(r.Dropped[n:]), func(d DroppedAt) bool {
		return d.Stmt.Kind == ir.ByRowLock || d.Stmt.Kind == ir.ByTableLock
	})
	r.Dropped = append(r.Dropped[:n:n], later...)
}

// numbers computes values, or gives nil where one is not known.
func (f *frame) numbers(list []eval) []ir.Value {
	var out []ir.Value
	for _, e := range list {
		v := f.known(e)
		if v == nil {
			return nil
		}
		out = append(out, *v)
	}
	return out
}

func (s *scope) dropped(st *ir.Dropped) exec {
	if len(st.Query.From) == 0 {
		number := s.exprs(st.Number)
		return func(f *frame) control {
			f.run.Dropped = append(f.run.Dropped, DroppedAt{Stmt: st, First: !f.snapshot, Number: f.numbers(number)})
			return control{}
		}
	}
	q := s.query(&st.Query)
	in := s.open(st.Query.From)
	order, desc := in.order(st.Order)
	targets := q.targets(st.Locks)
	base := len(s.rows)
	limit := s.limit(st.Limit)
	return func(f *frame) control {
		d := DroppedAt{Stmt: st, First: !f.snapshot}
		list := q.bindings(f, base, order, desc)
		if n := limit(f, len(list)); n > 0 && n < len(list) {
			list = list[:tied(list, n-1, desc)]
		} else {
			list = list[:n]
		}
		if len(list) == 0 {
			return control{}
		}
		for _, b := range list {
			f.bind(base, b)
			for _, t := range targets {
				d.Locks = append(d.Locks, f.locked(t))
			}
		}
		f.run.Dropped = append(f.run.Dropped, d)
		return control{}
	}
}

func (m *Machine) changesKey(o *Op) bool {
	row := o.New
	if o.Kind == OpDelete {
		if row = o.Becomes; row == nil {
			return true
		}
	}
	for c := range engine.KeyColumns(m.Program.Tables[o.Table]) {
		if o.Old[c] != row[c] {
			return true
		}
	}
	return false
}

// taken reports whether the writes of others, in the order of their commits, exclude who
// locks a row with a lock of the class on an older snapshot.
func (m *Machine) taken(table int, key string, class engine.WriteClass, since []*Run) bool {
	first := true
	for _, other := range since {
		for i := range other.Ops {
			o := &other.Ops[i]
			if !o.touches(table, key) {
				continue
			}
			if o.Kind != OpInsert && (class == engine.AnyWrite || class == engine.KeyChange && (m.changesKey(o) || o.strengthened(first))) {
				return true
			}
			first = false
		}
	}
	return false
}

// strengthened reports whether an update counts as a change of the key because of a lock
// (engine.Profile.LockStrengthens). A lock of another subtransaction counts for the version
// of the snapshot alone, which the first update replaces.
func (o *Op) strengthened(first bool) bool {
	return o.Locked && (first || !o.Apart)
}

// keepsOut reports whether a lock fails on what others wrote since the snapshot.
func (m *Machine) keepsOut(l RowLock, since []*Run) bool {
	return !l.Own && m.taken(l.Table, l.Key, m.Engine.LockExcludes[l.Mode], since)
}

// metGone reports whether an ON CONFLICT would have to find a row that is gone. An insertion
// before it takes the key of a row that others delete, and so waits for their commit. By then
// the row that ON CONFLICT meets is deleted, too.
func (m *Machine) metGone(run *Run, since []*Run) bool {
	for i := range run.Met {
		met := &run.Met[i]
		gone := slices.IndexFunc(since, func(other *Run) bool {
			return slices.ContainsFunc(other.Ops, func(o Op) bool { return o.Kind == OpDelete && o.touches(met.Table, met.Key) })
		})
		if gone < 0 {
			continue
		}
		for k := range run.Ops {
			op := &run.Ops[k]
			if op.Kind == OpInsert && op.statement < met.statement && slices.ContainsFunc(since[gone:], func(other *Run) bool { return m.Frees(other, op) }) {
				return true
			}
		}
	}
	return false
}

// Frees reports whether a run deletes a row beside which another one cannot be inserted.
func (m *Machine) Frees(run *Run, insert *Op) bool {
	return slices.ContainsFunc(run.Ops, func(o Op) bool {
		return o.Kind == OpDelete && o.Table == insert.Table && !o.Void && m.rivals(insert, &o)
	})
}

// firstMet gives the first of others, in the order of their commits, whose writes would make
// statements that were rolled back fail, and these statements. It gives -1 if there is none.
func (m *Machine) firstMet(u *undone, since []*Run) (n int, stmts []ir.Stmt) {
	if m.Engine.LockExcludes[ir.ForUpdate] == engine.NoWrite {
		return -1, nil // the profile has no moments within a transaction
	}
	first := len(since)
	for n := range since {
		for _, l := range u.held {
			if m.keepsOut(l, since[:n+1]) {
				stmts, first = append(stmts, l.Stmt), min(first, n)
			}
		}
		for i := range u.ops {
			op := &u.ops[i]
			if !op.Own && slices.ContainsFunc(since[n].Ops, func(o Op) bool {
				return o.touches(op.Table, op.Key) && (op.Kind != OpInsert || o.Kind == OpInsert)
			}) {
				stmts, first = append(stmts, op.Stmt), min(first, n)
			}
		}
	}
	if len(stmts) == 0 {
		return -1, nil
	}
	return first, stmts
}

// Early gives the statements of a run that were rolled back and have to come before the commits
// of others, which wrote the same rows since its snapshot, with those that roll them back.
func (m *Machine) Early(run *Run, since []*Run) []ir.Stmt {
	var out []ir.Stmt
	for i := range run.undone {
		if n, stmts := m.firstMet(&run.undone[i], since); n >= 0 {
			out = append(append(out, stmts...), run.undone[i].end)
		}
	}
	return out
}

// tooEarly reports whether what a run keeps is in the way of others that have to wait for what
// it rolled back later. Until those commit, it holds the rows that it has written or locked before.
func (m *Machine) tooEarly(run *Run, since []*Run) bool {
	for i := range run.undone {
		u := &run.undone[i]
		n, _ := m.firstMet(u, since)
		if n < 0 {
			continue
		}
		for _, other := range since[n:] {
			for _, l := range other.Locks {
				held := func(k RowLock) bool { return k.Table == l.Table && k.Key == l.Key && ir.LocksConflict(k.Mode, l.Mode) }
				written := func(o Op) bool { return o.touches(l.Table, l.Key) && ir.LocksConflict(m.strength(&o), l.Mode) }
				if slices.ContainsFunc(run.Locks[:u.locks], held) || slices.ContainsFunc(run.Ops[:u.after], written) {
					return true
				}
			}
		}
	}
	return false
}

// excluded says why a transaction cannot commit, or is "".
func (m *Machine) excluded(run *Run, since []*Run) string {
	e := m.Engine
	if !e.KeyFromSnapshot && m.metGone(run, since) {
		return "the row that ON CONFLICT met had been deleted"
	}
	if m.tooEarly(run, since) {
		return "what was rolled back to a savepoint had to wait for others, which waited for what was kept"
	}
	for n, other := range since {
		for i := range run.Ops {
			op := &run.Ops[i]
			if (op.Kind == OpInsert || op.Own) && !e.InsertExcludes || op.Action != nil {
				continue
			}
			for k := range other.Ops {
				if other.Ops[k].touches(op.Table, op.Key) {
					return "row of " + m.Program.Tables[op.Table].Name + " was written concurrently"
				}
			}
			if e.LockWrites {
				for _, l := range other.Locks {
					if l.Table == op.Table && l.Key == op.Key {
						return "row of " + m.Program.Tables[op.Table].Name + " was locked concurrently"
					}
				}
			}
		}
		for _, l := range run.Locks {
			if m.keepsOut(l, since[:n+1]) {
				return "locked row of " + m.Program.Tables[l.Table].Name + " was written concurrently"
			}
		}
		if e.TableLocks {
			for _, l := range run.preLocks {
				for _, u := range other.uses {
					if u.table == l.table && l.mode.Conflicts(u.mode) {
						return "table " + m.Program.Tables[l.table].Name + " was locked"
					}
				}
			}
		}
	}
	return ""
}

// readNote is what a statement knows of a query that it has just run.
type readNote struct {
	q     *query
	scope *scope    // with the query's row variables
	cols  []ir.Expr // what is returned
	order []ir.Order
	found bool
	// take: one row was taken, pick, or there was none
	take bool
	pick *binding
	// aggregates and their results
	aggs    []ir.Agg
	results []ir.Value
}

// reads turns the note into a Read per source.
func (n readNote) reads(f *frame) []Read {
	db := f.db
	locals := append([]ir.Value(nil), f.locals...)
	outer := append([][]ir.Value(nil), f.rows...)
	var out []Read
	for i, src := range n.q.from {
		t := n.q.src.From[i].Table
		r := Read{Stmt: f.cur, Table: src.table, Keys: map[string]bool{}, OwnOps: len(f.run.Ops), Alone: n.alone(),
			Cols: make([]bool, len(t.Columns)), Tested: make([]bool, len(t.Columns))}
		name := n.q.src.From[i].Row
		mark(r.Tested, t, name, n.q.src.Where)
		for _, e := range append(ir.Conjuncts(n.q.src.Where), orderExprs(n.order)...) {
			if failure.MayFail(e) { // a value that changes may end the reader
				mark(r.Cols, t, name, e)
			}
		}
		for _, e := range n.cols {
			mark(r.Cols, t, name, e)
		}
		for _, o := range n.order {
			mark(r.Tested, t, name, o.Expr)
		}
		within := n.within()
		quiet := *f.m
		quiet.Trace = false
		// Run the query on the state of then, with source i ranging over the
		// given version only. A version of which the condition has no value, because of
		// an error, takes part: the reader would have failed.
		r.matches = func(vals []ir.Value) (takesPart bool) {
			defer func() {
				if fault := recover(); fault != nil {
					if _, is := fault.(stop); !is {
						panic(fault)
					}
					takesPart = true
				}
			}()
			pf := &frame{m: &quiet, inst: f.inst, db: db, locals: locals,
				rows: append([][]ir.Value(nil), outer...), run: &Run{}, ch: &choices.Script{}} // of rows that LIMIT leaves open, the first ones
			hit := false
			only := []row{{Key: KeyOf(t, vals), Vals: vals}}
			n.q.level(pf, 0, func(k int) []row {
				if k == i {
					return only
				}
				return db.Tabs[n.q.from[k].table].Rows
			}, func() bool {
				hit = within(pf)
				return !hit
			})
			return hit
		}
		for _, x := range db.Tabs[src.table].Rows {
			if r.matches(x.Vals) {
				r.Keys[KeyOf(t, x.Vals)] = true
			}
		}
		out = append(out, r)
	}
	return out
}

// alone reports whether the query has one source, and no other query in its
// condition.
func (n readNote) alone() bool { return len(n.q.from) == 1 && !ir.HasExists(n.q.src.Where) }

func orderExprs(list []ir.Order) []ir.Expr {
	var out []ir.Expr
	for _, o := range list {
		out = append(out, o.Expr)
	}
	return out
}

func mark(cols []bool, t *ir.Table, row string, e ir.Expr) {
	ir.WalkExpr(e, func(e ir.Expr) {
		if c, ok := e.(*ir.Col); ok && c.Row == row {
			cols[t.Column(c.Col)] = true
		}
	})
}

// within gives the test whether a matching combination of rows, bound in the
// frame, lies in the footprint: everything, except for a SELECT that took one
// row, where it is the row taken and all that would have come before it, and
// for MIN and MAX, where it is all that is at least as extreme as the result.
func (n readNote) within() func(pf *frame) bool {
	if n.take && n.pick != nil {
		order, desc := n.scope.order(n.order)
		pick := *n.pick
		base := len(n.scope.rows) - len(n.q.from)
		return func(pf *frame) bool {
			same := true
			for i := range pick.rows {
				same = same && KeyOf(n.q.src.From[i].Table, pf.rows[base+i]) == KeyOf(n.q.src.From[i].Table, pick.rows[i])
			}
			if same || len(order) == 0 {
				return same
			}
			keys := make([]ir.Value, len(order))
			for i, o := range order {
				keys[i] = o(pf)
			}
			return rowvalues.Compare(keys, pick.keys, desc) < 0
		}
	}
	extreme := len(n.aggs) > 0
	for i, a := range n.aggs {
		extreme = extreme && (a.Fn == "min" || a.Fn == "max") && !n.results[i].IsNull()
	}
	if !extreme {
		return func(*frame) bool { return true }
	}
	args := make([]eval, len(n.aggs))
	for i, a := range n.aggs {
		args[i] = n.scope.expr(a.Arg)
	}
	return func(pf *frame) bool {
		for i, a := range n.aggs {
			v := args[i](pf)
			if v.IsNull() {
				continue
			}
			if c := ir.Compare(v, n.results[i]); a.Fn == "min" && c <= 0 || a.Fn == "max" && c >= 0 {
				return true
			}
		}
		return false
	}
}

// noteConflict records that ON CONFLICT saw an existing row.
func (f *frame) noteConflict(st *ir.Insert, t int, old *row) {
	if !f.m.Trace {
		return
	}
	key := old.Key
	cols := make([]bool, len(st.Table.Columns))
	for i := range cols {
		cols[i] = true
	}
	f.run.Reads = append(f.run.Reads, Read{Stmt: st, Table: t, Keys: map[string]bool{key: true}, Cols: cols, Tested: cols, OwnOps: len(f.run.Ops), Alone: true,
		matches: func(vals []ir.Value) bool { return KeyOf(st.Table, vals) == key }})
}
