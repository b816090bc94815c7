package interp

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/internal/choices"
	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/pieces"
	"github.com/txrobust/robust/internal/rowstore"
)

// Split says where a transaction was interrupted, at READ COMMITTED: it stopped
// between two of its commands (or before its COMMIT), others ran from begin to end,
// and then it went on with what they had committed before its eyes. Nobody waited
// for anybody, so that PostgreSQL never had to look at a row a second time: with a
// snapshot per command, this is exactly what it does.
type Split struct {
	// Cut is the number of the place, from 1, and Stmt what comes after it, nil at
	// the end.
	Cut  int
	Stmt ir.Stmt
	// Ops, Reads and Steps are how many of the run come before.
	Ops, Reads, Steps int
	// Waits says that what comes next took its snapshot before the only other transaction committed, and waited for it (Wait).
	Waits bool
}

// NotExact is Run.Blocked of a run at READ COMMITTED that the interpreter cannot
// follow exactly.
const NotExact = "a rollback to a savepoint beside other transactions is not followed at READ COMMITTED"

// cutter stops a run before its at-th cut, and lets others run there.
type cutter struct {
	at     int
	others []*Instance
	// start is the committed state at the beginning.
	start *DB

	last, seen int    // the command before, and the cuts so far
	undecided  string // why nothing is known of what the others do there
	split      *Split // where the run was interrupted, or nil
	x          *Execution
	after      *DB // what the run sees when it goes on

	// waits says that at is the number of a snapshot with which the run waits; wait is that, once it has come.
	// snap is the snapshot of the statement before, snaps are those of its command so far.
	waits bool
	wait  *waiting
	snap  int
	snaps map[int]bool
}

// before is called before each statement that has to do with the database.
// Between two statements of different commands is a cut; where the command of one
// is not known there is none.
func (c *cutter) before(f *frame, st ir.Stmt) {
	last := c.last
	if c.last = st.Command(); c.waits {
		c.snapshot(f, st, last)
		return
	}
	if last == 0 || c.last == 0 || last == c.last || f.pinned > 0 {
		return
	}
	if c.seen++; c.seen == c.at {
		c.interrupt(f, st)
	}
}

// end is called before the commit, which is another command than all before.
func (c *cutter) end(f *frame) {
	if c.waits {
		return
	}
	if c.seen++; c.seen == c.at {
		c.interrupt(f, nil)
	}
}

// notThen are the reasons why nothing happens at a cut.
const (
	waits    = "another transaction would wait for this one"
	notThere = "another transaction does not commit there"
)

// interrupt runs the others on what is committed, and shows it to the run.
func (c *cutter) interrupt(f *frame, st ir.Stmt) {
	m, run := f.m, f.run
	split := &Split{Cut: c.at, Stmt: st, Ops: len(run.Ops), Reads: len(run.Reads), Steps: len(run.Steps)}
	x := &Execution{Versions: []*DB{c.start}}
	m.mustHold(c.start, run.Ops, 0)
	for i, in := range c.others {
		other := m.runCut(in, x.Last(), nil, f.ch, true, &cutter{}) // without a cut
		if c.undecided = inexact(other); c.undecided != "" {
			panic(stop{reason: c.undecided})
		}
		if m.waits(run, other, x.Txns) {
			panic(stop{reason: waits})
		}
		if why := m.Extend(x, Committed{Run: other, Session: 1 + i, Snapshot: i}); why != "" {
			panic(stop{reason: notThere + ": " + why})
		}
	}
	f.db = m.mustHold(x.Last(), run.Ops, 0)
	for name, p := range f.points {
		p.db = m.mustHold(x.Last(), run.Ops[:p.ops], 0)
		f.points[name] = p
	}
	c.split, c.x, c.after = split, x, f.db
}

// mustHold applies the writes of a run from number from on, and stops the run if a
// constraint does not hold at the end of a statement.
func (m *Machine) mustHold(db *DB, ops []Op, from int) *DB {
	failed := ""
	db = m.replay(db, slices.Clone(ops[from:]), nil, func(_ int, why string) bool { failed = why; return false })
	if failed != "" {
		panic(stop{reason: failed})
	}
	return db
}

// Interrupt executes in at READ COMMITTED on a committed state, with others running
// at its cut number cut, with every choice as far as MaxRuns lets it, until yield returns false. The execution
// has the others in their order and in as the last one, with a Split. more is false
// if in has no such cut, with any choice. undecided is why there may be other
// executions, or "".
func (m *Machine) Interrupt(in *Instance, others []*Instance, start *DB, cut int, yield func(*Execution) bool) (more bool, undecided string) {
	return m.interrupted(in, cutter{at: cut, others: others, start: start}, yield)
}

// interrupted executes in with what is to happen inside of it.
func (m *Machine) interrupted(in *Instance, where cutter, yield func(*Execution) bool) (more bool, undecided string) {
	ch := &choices.Script{}
	for range m.MaxRuns {
		ch.Restart()
		once := where
		c := &once
		run := m.runCut(in, c.start, nil, ch, true, c)
		more = more || c.seen >= c.at
		undecided = cmp.Or(undecided, c.undecided, inexact(run))
		if run.Blocked == "" && c.split != nil && (c.wait == nil || c.wait.waited) {
			if last, ok := m.finish(run, c); ok {
				c.x.Versions = append(c.x.Versions, last)
				c.x.Txns = append(c.x.Txns, Committed{Run: run, Split: c.split})
				if !yield(c.x) {
					return more, undecided
				}
			}
		}
		if !ch.Next() {
			return more, undecided
		}
	}
	return more, cmp.Or(undecided, in.String()+": "+TooMany)
}

// inexact is why a run at READ COMMITTED says nothing about its program, or "".
func inexact(run *Run) string {
	if run.Blocked == NotExact || run.Blocked == NotTold {
		return run.Inst.String() + ": " + run.Blocked
	}
	return run.Inconclusive()
}

// finish applies what an interrupted run wrote after the cut.
func (m *Machine) finish(run *Run, c *cutter) (db *DB, ok bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, is := r.(stop); !is {
				panic(r)
			}
			db, ok = nil, false
		}
	}()
	// The writes before the cut are part of the state, and of the list, since a
	// statement looks only at its own.
	return m.mustHold(c.after, run.Ops, c.split.Ops), true
}

// On InnoDB a transaction sees committed rows piece by piece: plain SELECTs see those of one
// snapshot, writing and locking commands the newest ones, of which they lock all that they look at.

// piece is what a statement reads and locks on InnoDB, compiled.
type piece struct {
	st     ir.Stmt
	kind   pieces.Kind
	reads  []int // tables
	scans  []scanner
	insert int // the table into which it inserts, or -1
	// silent says that it is a plain SELECT none of whose reads are left.
	silent bool
	// doubt says that it is not known which of its reads see the newest rows.
	doubt bool
}

// scanner finds out what a statement locks of one table.
type scanner struct {
	table int
	mode  ir.LockMode
	key   []eval // of the primary key, if the statement looks for one row by it
	kinds []ir.Kind
	whole bool // all rows and gaps, at every level
	gap   bool // also at levels without gaps
}

// piece compiles what a statement reads and locks.
func (s *scope) piece(st ir.Stmt) *piece {
	c := s.c
	if !c.m.Engine.InnoDB {
		return nil
	}
	if c.kinds == nil {
		c.kinds, c.reading = pieces.Kinds(c.txn)
	}
	p := &piece{st: st, kind: pieces.KindOf(st), insert: -1}
	if n := st.Command(); n != 0 {
		p.kind = c.kinds[n]
	}
	if send, is := st.(*ir.Send); is {
		p.silent = p.kind == pieces.ReadsPlain && !send.Apart && !c.reading[st.Command()]
		return p
	}
	for _, src := range ir.Reads(st) {
		p.reads = append(p.reads, c.tableIndex(src.Table))
	}
	locks, q := ir.LocksOf(st)
	p.doubt = p.kind == pieces.ReadsBoth && (len(locks) == 0 && !pieces.LockedBefore(c.txn, st) || slices.ContainsFunc(ir.Exprs(st), ir.HasExists))
	switch st := st.(type) {
	case *ir.Update:
		p.scans = append(p.scans, s.scanner(ir.Source{Table: st.Table, Row: st.Row}, st.Where, ir.ForUpdate))
	case *ir.Delete:
		p.scans = append(p.scans, s.scanner(ir.Source{Table: st.Table, Row: st.Row}, st.Where, ir.ForUpdate))
		p.scans = append(p.scans, s.children(st.Table)...)
	case *ir.Insert:
		p.insert = c.tableIndex(st.Table)
		if st.Conflict != nil {
			p.scans = append(p.scans, scanner{table: p.insert, mode: ir.ForUpdate, gap: true})
		}
	case *ir.Cascade:
		p.scans = append(p.scans, scanner{table: c.tableIndex(st.Table), mode: ir.ForUpdate, whole: true})
	default: // it locks what its queries look at
	}
	if q != nil {
		for _, src := range q.From {
			mode := locks.Of(src.Row)
			if mode == ir.NoLock && len(locks) > 0 {
				continue
			}
			p.scans = append(p.scans, s.scanner(src, q.Where, max(mode, ir.ForShare)))
		}
	}
	for _, e := range ir.Exprs(st) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if x, ok := e.(*ir.Exists); ok {
				for _, src := range x.Query.From {
					p.scans = append(p.scans, scanner{table: c.tableIndex(src.Table), mode: ir.ForShare, whole: true})
				}
			}
		})
	}
	return p
}

// children are the locks of a deletion on the rows that may refer to what it deletes.
func (s *scope) children(t *ir.Table) []scanner {
	var out []scanner
	for _, ref := range s.c.m.refs[s.c.tableIndex(t)] {
		out = append(out, scanner{table: ref.child, mode: ir.ForShare, whole: true})
	}
	return out
}

// scanner finds out how a condition looks for the rows of a source.
func (s *scope) scanner(src ir.Source, where ir.Expr, mode ir.LockMode) scanner {
	t := src.Table
	out := scanner{table: s.c.tableIndex(t), mode: mode}
	for i, e := range pieces.Keyed(src, where, failure.RowFree) {
		out.key, out.kinds = append(out.key, s.expr(e)), append(out.kinds, t.Columns[t.Key[i]].Type.Kind)
	}
	return out
}

// claim is what a statement that is about to run locks of a table.
func (f *frame) claim(s *scanner) pieces.Claim {
	c := pieces.Claim{Table: s.table, Mode: s.mode, All: true, Gap: s.whole || s.gap || f.pieces.Gaps}
	if s.gap { // the rows are those that it meets
		c.All = false
		return c
	}
	if len(s.key) == 0 || s.whole {
		return c
	}
	var key []byte
	for i, e := range s.key {
		v := f.known(e)
		if v == nil || v.Kind != s.kinds[i] || v.Kind != ir.KindInt && v.Kind != ir.KindText {
			return c
		}
		key = rowstore.AppendValue(key, *v)
	}
	c.All, c.Key = false, string(key)
	c.Absent = f.db.Get(s.table, c.Key) == nil
	c.Gap = c.Gap && c.Absent
	return c
}

// step runs a statement on the rows that it sees, and notes what it locks.
func (p *piece) step(f *frame, run exec) control {
	plain := p.kind == pieces.ReadsPlain && f.pieces.Plain != pieces.Locked
	if p.silent && f.base == nil && f.pieces.Plain == pieces.Once {
		// It may read a table, or none: then it takes no snapshot.
		f.base, f.baseCut, f.baseUnsure = f.committed(), f.cut.split != nil, true
	}
	if f.pieces.Plain == pieces.Locked && f.base == nil {
		f.base, f.baseCut = f.committed(), f.cut.split != nil
	}
	if !plain {
		f.locks(p)
	}
	if p.doubt && f.pieces.Plain == pieces.Once {
		f.agree(p.reads)
	}
	if !plain || len(p.reads) == 0 {
		return run(f)
	}
	return f.plainly(p, func() control { return run(f) })
}

// plainly runs what reads on the rows that a plain SELECT sees. It must not write.
func (f *frame) plainly(p *piece, do func() control) control {
	if f.pieces.Plain != pieces.Once {
		return do()
	}
	if f.base == nil {
		f.base, f.baseCut = f.committed(), f.cut.split != nil
	}
	if f.baseUnsure {
		f.agree(p.reads)
	}
	if f.baseCut == (f.cut.split != nil) { // nobody has committed since
		return do()
	}
	newest := f.db
	f.db, f.stale = overlay(f.base, f.run.Ops), true
	c := do()
	f.db, f.stale = newest, false
	return c
}

// committed is the newest committed state.
func (f *frame) committed() *DB {
	switch {
	case f.cut.split != nil:
		return f.cut.x.Last()
	case f.cut.start != nil:
		return f.cut.start
	}
	return f.snap
}

// NotTold is Run.Blocked of a run of which it is not known what it sees.
const NotTold = "which of the reads of a command see the newest rows is not known"

// agree stops the run unless the snapshot and the newest rows of tables are the same.
func (f *frame) agree(tables []int) {
	if f.base == nil || f.baseCut == (f.cut.split != nil) {
		return
	}
	now := f.committed()
	for _, t := range tables {
		if f.base.Tabs[t] != now.Tabs[t] && f.base.Only(t).String() != now.Only(t).String() {
			panic(stop{reason: NotTold})
		}
	}
}

// overlay shows the writes of a transaction on an older state: a row that it has written is as
// it left it.
func overlay(db *DB, ops []Op) *DB {
	for i := range ops {
		op := &ops[i]
		if op.New != nil {
			db = db.Put(op.Table, row{Key: op.Key, Vals: op.New})
		} else {
			db = db.Remove(op.Table, op.Key)
		}
	}
	return db
}

// locks notes what a statement that is about to run locks, and stops the run where that has
// changed since the snapshot and the database refuses it.
func (f *frame) locks(p *piece) {
	for i := range p.scans {
		c := f.claim(&p.scans[i])
		f.run.claims = append(f.run.claims, c)
		f.unchanged(func(o *Op) bool { return o.Table == c.Table && (c.All || o.Key == c.Key) })
	}
	if p.insert >= 0 {
		f.run.claims = append(f.run.claims, pieces.Claim{Table: p.insert, Insert: true})
	}
}

// refusable reports whether what has changed since the snapshot of a run must not be touched.
func (f *frame) refusable() bool {
	return f.pieces.Refuses && f.base != nil && !f.baseCut && f.cut.split != nil
}

// unchanged stops the run if the others have written what is to be locked now.
func (f *frame) unchanged(is func(*Op) bool) {
	if !f.refusable() {
		return
	}
	for i := range f.cut.x.Txns {
		for k := range f.cut.x.Txns[i].Run.Ops {
			if op := &f.cut.x.Txns[i].Run.Ops[k]; !op.Void && is(op) {
				panic(stop{reason: "row of " + f.m.Program.Tables[op.Table].Name + " has changed since the snapshot (error 1020)"})
			}
		}
	}
}

// touched stops the run if a statement has written, locked or met what has changed since the snapshot.
func (f *frame) touched(ops, locks, met int) {
	for i := range f.run.Ops[min(ops, len(f.run.Ops)):] {
		op := &f.run.Ops[ops+i]
		f.unchanged(func(o *Op) bool {
			return o.touches(op.Table, op.Key) || o.Table == op.Table && o.Kind == OpDelete && f.m.rivals(op, o)
		})
	}
	for _, l := range f.run.Locks[min(locks, len(f.run.Locks)):] {
		f.unchanged(func(o *Op) bool { return o.touches(l.Table, l.Key) })
	}
	for _, m := range f.run.Met[min(met, len(f.run.Met)):] {
		f.unchanged(func(o *Op) bool { return o.touches(m.Table, m.Key) })
	}
}

// demands is all that a run locks and asks for.
func (r *Run) demands() []pieces.Claim {
	out := slices.Clone(r.claims)
	for i := range r.Ops {
		op := &r.Ops[i]
		out = append(out, pieces.Claim{Table: op.Table, Key: op.Key, Mode: ir.ForUpdate})
	}
	for i := range r.Met {
		out = append(out, pieces.Claim{Table: r.Met[i].Table, Key: r.Met[i].Key, Mode: ir.ForUpdate})
	}
	for _, l := range r.Locks {
		out = append(out, pieces.Claim{Table: l.Table, Key: l.Key, Mode: l.Mode})
	}
	return out
}

// pieced gives the execution of a statement on InnoDB. A statement with others inside reads in
// its head only (headed).
func (s *scope) pieced(st ir.Stmt, run exec) exec {
	p := s.piece(st)
	if p == nil || len(ir.Children(st)) > 0 {
		return run
	}
	return func(f *frame) control {
		if f.pieces == nil {
			return run(f)
		}
		ops, locks, met := len(f.run.Ops), len(f.run.Locks), len(f.run.Met)
		c := p.step(f, run)
		f.touched(ops, locks, met)
		return c
	}
}

// headed lets the head of a statement with others inside read what it sees.
func (s *scope) headed(st ir.Stmt) func(f *frame, read func()) {
	p := s.piece(st)
	return func(f *frame, read func()) {
		if w := f.waiting(); w != nil {
			w.head(f, st, read)
			return
		}
		if f.pieces == nil || len(p.reads) == 0 {
			read()
			return
		}
		p.step(f, func(*frame) control { read(); return control{} })
	}
}

// head is the value of an expression in the head of a statement.
func (s *scope) head(st ir.Stmt, e ir.Expr) eval {
	in, x := s.headed(st), s.expr(e)
	return func(f *frame) (v ir.Value) {
		in(f, func() { v = x(f) })
		return v
	}
}
