package interp

import (
	"iter"
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/choices"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/pieces"
	"github.com/txrobust/robust/internal/rowstore"
)

// Instance is one execution of a template: its parameters and everything else
// that does not depend on the database.
type Instance struct {
	Txn *ir.Txn
	// Params gives a value per parameter, in order.
	Params []ir.Value
	// ID distinguishes the FRESH values of instances.
	ID int
	// Havoc gives the value of the n-th execution (from 0) of a Havoc that is
	// not Fresh; ok is false when it was not fixed. Nil fixes none.
	Havoc func(site *ir.Havoc, n int) (v ir.Value, ok bool)
}

func (in *Instance) String() string {
	s := in.Txn.Name + "("
	for i, v := range in.Params {
		if i > 0 {
			s += ", "
		}
		s += v.String()
	}
	return s + ")"
}

// OpKind is what an Op does to its row.
type OpKind uint8

const (
	OpInsert OpKind = iota
	OpUpdate
	OpDelete
)

func (k OpKind) String() string { return [...]string{"insert", "update", "delete"}[k] }

// Op is one write of one row.
type Op struct {
	Kind  OpKind
	Table int // index in Program.Tables
	Key   string
	// Old and New are the row before and after, nil where there is none. Old
	// is what the transaction saw.
	Old, New []ir.Value
	// Cols marks the columns that an update sets, whatever the values; nil
	// stands for all.
	Cols []bool
	Stmt ir.Stmt
	// Own says that the transaction itself inserted the row before, and Locked that it
	// has locked it FOR UPDATE before, where that counts (engine.Profile.LockStrengthens);
	// Apart, that a savepoint may be between the two.
	Own, Locked, Apart bool
	// Action is the foreign key whose action it is, or nil. Void says that the
	// commit found nothing to do: somebody else had deleted the row, or given it
	// another parent.
	Action *ir.ForeignKey
	Void   bool
	// Moved marks the columns that change where a row gets another key: of the
	// row that is inserted, or those of the key of the one that is deleted. Nil
	// is no move. Becomes is the row that the deleted one becomes.
	Moved   []bool
	Becomes []ir.Value
	// statement counts the executed statements, since constraints are checked
	// at the end of each.
	statement int
}

// RowLock is a row lock that a run took.
type RowLock struct {
	Table int
	Key   string
	Mode  ir.LockMode
	Stmt  ir.Stmt
	Own   bool // as in Op
}

// Run is the first event of a transaction: what it computed from a snapshot.
type Run struct {
	Inst *Instance
	// Blocked is why the run cannot commit (an assumption, an abort, a broken
	// constraint), or "".
	Blocked string
	// Unordered says that it is an error of a condition, which a server that computes
	// conditions in another order may not come to.
	Unordered bool
	// Outputs is a canonical form of all that was observed.
	Outputs string
	Ops     []Op
	Locks   []RowLock
	// Dropped are the places on its way where the database may refuse more.
	Dropped []DroppedAt
	// Regs are the kept registers at the end, by name.
	Regs map[string]ir.Value
	// Failed says that the run reached ir.Fail, the error state.
	Failed bool
	// Unmodelled is the first statement that the interpreter cannot execute,
	// or nil. Such a run says nothing.
	Unmodelled *ir.Unmodelled
	// Reads and Steps are filled when the machine traces.
	Reads []Read
	Steps []Step
	// Opaque are the values that functions without a known meaning gave, with the names
	// of these, and what was computed from such values and from those that the database
	// chooses (ir.Havoc.Of), also filled when the machine traces.
	Opaque map[ir.Value]string
	// chosen are the values that the database chooses, with what they are.
	chosen map[ir.Value]string
	// Chosen are the statements that took one of several rows or orders, where any was
	// allowed; filled when the machine traces.
	Chosen []ir.Stmt
	// Met are the insertions for which an ON CONFLICT found a row of the snapshot, with
	// the table and the key of that row: a database that looks at the current rows finds
	// it as long as nobody has changed it.
	Met []Op
	// After is the transaction's own view of the database at its end.
	After *DB

	// claims are what the run has locked besides, on InnoDB.
	claims []pieces.Claim
	// table locks taken before the snapshot, and table modes used at all
	preLocks []tableUse
	uses     []tableUse
	// moving is the last deletion, in Ops, which an insertion with Moved completes;
	// it is -1 if there was nothing to delete.
	moving int
	// undone is what was rolled back to savepoints.
	undone []undone
}

// undone is what was rolled back to a savepoint. The constraints of its writes count
// all the same: it fails unless each statement could run at some moment, that
// of the snapshot or that of the commit.
type undone struct {
	after, locks int // how many of Run.Ops and Run.Locks come before
	ops          []Op
	held         []RowLock
	broken       map[int]bool // the statements that fail in the own view
	end          ir.Stmt      // what rolled back
}

type tableUse struct {
	table int
	mode  ir.TableLock
}

// Step is one executed statement with its values, for witnesses. Each round of a
// Foreach begins with one.
type Step struct {
	Stmt ir.Stmt
	// Locals are the locals that the statement set, with their values.
	Locals []Binding
	// Ops is what it wrote, as a range of Run.Ops.
	OpsFrom, OpsTo int
	// Reads is what it read, as a range of Run.Reads. Reads between the ranges
	// are those of loops and conditions, which are no steps.
	ReadsFrom, ReadsTo int
	// Emitted are the rows returned to the client, if it is an emit. Counted says
	// that there is only their number: which rows come is not determined.
	Emitted [][]ir.Value
	Counted bool
	// Sent are the values that an ir.Send is sent with, nil for one that is not known.
	Sent []*ir.Value
}

// Binding is a local and its value.
type Binding struct {
	Name  string
	Value ir.Value
}

// Read is one execution of a query, for the dependencies of a history.
type Read struct {
	Stmt  ir.Stmt
	Table int
	// Cols marks the columns that are returned, Tested those in conditions.
	Cols, Tested []bool
	// Keys are the rows of the table that took part.
	Keys map[string]bool
	// matches says whether a version of a row takes part.
	matches func(vals []ir.Value) bool
	// OwnOps is how many writes the transaction had made before, those that it
	// rolled back later included.
	OwnOps int
	// Alone says that it depends on nothing but a row whether that takes part.
	Alone bool
	// Current says that it is of what was there at the commit.
	Current bool
	// Stale says that it is of the snapshot, although the transaction was interrupted before it.
	Stale bool
}

// Matches reports whether the row version takes part in what was read. For a
// SELECT that takes one row, only rows that would come before it do.
func (r *Read) Matches(vals []ir.Value) bool { return vals != nil && r.matches(vals) }

// choose takes one of n rows or orders that the statement leaves open.
func (f *frame) choose(n int) int {
	if n > 1 && f.m.Trace && f.run != nil {
		f.run.Chosen = append(f.run.Chosen, f.cur)
	}
	return f.pick(n)
}

// pick takes one of n alternatives. Where an expression is computed outside of a run, as a
// CHECK of a row is, nobody goes through the others: its value is not known.
func (f *frame) pick(n int) int {
	if n > 1 && f.ch == nil {
		panic(stop{reason: "the value depends on a choice that nothing decides"})
	}
	if n <= 1 {
		return 0
	}
	return f.ch.Choose(n)
}

// frame is the state of a running transaction.
type frame struct {
	m      *Machine
	inst   *Instance
	snap   *DB // the snapshot
	db     *DB // the snapshot with the transaction's own writes
	locals []ir.Value
	rows   [][]ir.Value
	run    *Run
	ch     *choices.Script
	serial bool // nobody commits between snapshot and commit

	out      []byte
	steps    int // executed statements
	budget   int
	havocs   map[*ir.Havoc]int
	fresh    int
	snapshot bool    // the snapshot was taken
	cut      *cutter // what happens inside of the run, or nil
	// pieces, if not nil, say what the run sees at which moment (InnoDB). base is then the
	// committed state that plain SELECTs see, nil as long as there was none; baseCut says that it is
	// one after the cut, baseUnsure that it may be another one. stale says that what
	// is read now is older than the newest committed rows.
	pieces                     *pieces.Level
	base                       *DB
	baseCut, baseUnsure, stale bool
	pinned                     int // loops around that lock the rows of their query one by one
	points                     map[string]point
	npoints                    int // how many savepoints were set
	cur                        ir.Stmt
	statement                  int
	// gone are the rows, by their first value, that the snapshot shows and that are
	// deleted by now, since the run has inserted others with their keys. It sees both.
	gone map[*ir.Value]bool
	// unordered says that what is computed now may be left out by a server.
	unordered bool
}

// point is what a savepoint remembers.
type point struct {
	db *DB
	// What the transaction had written, locked and dropped.
	ops, locks, dropped int
	uses, preLocks      int
	set                 int // when it was set: a rollback to it ends those set later
}

// Machine executes the transactions of one program on one engine. It is not
// safe for concurrent use.
type Machine struct {
	Program *ir.Program
	Engine  *engine.Profile
	// Trace makes runs record Reads and Steps.
	Trace bool
	// Opaque, if not nil, changes the value v that a function or aggregate without a known
	// meaning gives.
	Opaque func(c *ir.Call, args []ir.Value, v ir.Value) ir.Value
	// Lenient gives NULL for what cannot be computed, as where a server does not come to
	// compute it. Such a run shows what may be, and proves nothing.
	Lenient bool
	// Levels are the isolation levels of templates, by name and in the words of SQL, where
	// the engine has several (engine.Profile.InnoDB); "" is its default.
	Levels map[string]string
	// MaxSteps bounds the statements of one run; a longer run is Blocked with
	// TooLong.
	MaxSteps int
	// MaxRuns bounds the runs that the choices of one instance give, at one place. Where
	// there are more, the last one is Blocked with TooMany.
	MaxRuns int

	index map[*ir.Table]int
	code  map[*ir.Txn]*code
	refs  [][]reference // by referenced table
	keys  [][]key       // by table
}

// reference is a foreign key seen from the table it refers to.
type reference struct {
	child int
	fk    *ir.ForeignKey
}

// TooLong is Run.Blocked of a run that exceeded Machine.MaxSteps, or made a text of
// more than maxText bytes.
const TooLong = "the run exceeds the step bound"

// NotAssumed is Run.Blocked of a run in which an ir.Assume is not true.
const NotAssumed = "an assumption does not hold"

// TooMany is Run.Blocked of what stands for the runs beyond Machine.MaxRuns.
const TooMany = "the statements leave open too many rows and orders"

// maxText bounds the texts that functions give, in bytes.
const maxText = 1 << 20

// NewMachine prepares p, whose transactions must be structured.
func NewMachine(p *ir.Program, e *engine.Profile) *Machine {
	m := &Machine{Program: p, Engine: e, MaxSteps: 10000, MaxRuns: 10000,
		index: map[*ir.Table]int{}, code: map[*ir.Txn]*code{}, refs: make([][]reference, len(p.Tables))}
	for i, t := range p.Tables {
		m.index[t] = i
	}
	for i, t := range p.Tables {
		for k := range t.ForeignKeys {
			ref := m.index[t.ForeignKeys[k].Ref]
			m.refs[ref] = append(m.refs[ref], reference{i, &t.ForeignKeys[k]})
		}
	}
	m.compileKeys()
	return m
}

// Run executes one instance on a snapshot. regs are the registers that its
// session kept so far. Choices are resolved by taking the first alternative;
// Runs goes through all.
func (m *Machine) Run(in *Instance, snap *DB, regs map[string]ir.Value) *Run {
	return m.run(in, snap, regs, &choices.Script{}, false)
}

// Runs gives the runs for every resolution of the choices, as far as MaxRuns lets it.
// With serial, choices that need a concurrent transaction are left out.
func (m *Machine) Runs(in *Instance, snap *DB, regs map[string]ir.Value, serial bool) []*Run {
	return slices.Collect(m.EachRun(in, snap, regs, serial))
}

// EachRun is Runs, one after the other.
func (m *Machine) EachRun(in *Instance, snap *DB, regs map[string]ir.Value, serial bool) iter.Seq[*Run] {
	return func(yield func(*Run) bool) {
		ch := &choices.Script{}
		for range m.MaxRuns {
			ch.Restart()
			if !yield(m.run(in, snap, regs, ch, serial)) || !ch.Next() {
				return
			}
		}
		yield(&Run{Inst: in, Blocked: TooMany, After: snap})
	}
}

func (m *Machine) run(in *Instance, snap *DB, regs map[string]ir.Value, ch *choices.Script, serial bool) (run *Run) {
	return m.runCut(in, snap, regs, ch, serial, nil)
}

// runCut is run with what happens inside of it, if cut is not nil.
func (m *Machine) runCut(in *Instance, snap *DB, regs map[string]ir.Value, ch *choices.Script, serial bool, cut *cutter) (run *Run) {
	c := m.compiled(in.Txn)
	run = &Run{Inst: in}
	f := &frame{m: m, inst: in, snap: snap, db: snap, run: run, ch: ch, serial: serial, budget: m.MaxSteps, cut: cut,
		locals: make([]ir.Value, c.nlocals), rows: make([][]ir.Value, c.slots)}
	if cut != nil && m.Engine.InnoDB {
		p := pieces.Of(m.Engine.Weaker == "", m.Levels[in.Txn.Name])
		f.pieces = &p
	}
	for i, p := range in.Txn.Params {
		f.locals[i] = in.Params[i].Convert(p.Type)
		switch {
		case p.NotNull && in.Params[i].IsNull():
			run.Blocked = "parameter " + p.Name + " is null"
		case p.Domain != nil && !fits(p.Domain, f.locals[i]):
			run.Blocked = "a value does not fit parameter " + p.Name
		}
	}
	for i, l := range in.Txn.Locals {
		if l.Kept {
			v, ok := regs[l.Name]
			if !ok {
				v = l.Type.Zero()
			}
			f.locals[len(in.Txn.Params)+i] = v
		}
	}
	if run.Blocked != "" {
		return run
	}
	defer func() {
		if r := recover(); r != nil {
			s, ok := r.(stop)
			if !ok {
				panic(r)
			}
			run.Blocked, run.Unordered = s.reason, s.unordered
		}
		run.Outputs = string(f.out)
		run.After = f.db
	}()
	c.body(f)
	if cut != nil {
		cut.end(f)
	}
	for i, l := range in.Txn.Locals {
		if l.Kept {
			if run.Regs == nil {
				run.Regs = map[string]ir.Value{}
			}
			v := f.locals[len(in.Txn.Params)+i]
			run.Regs[l.Name] = v
			f.out = rowstore.AppendValue(append(f.out, 'r'), v)
		}
	}
	return run
}

func (f *frame) freshValue(t ir.Type, d ir.Domain) ir.Value {
	f.fresh++
	return rowstore.Fresh(t, d, f.inst.ID, f.fresh)
}

// apply computes a call for concrete arguments.
func (f *frame) apply(c *ir.Call, args []ir.Value) ir.Value {
	v, known, err := c.Apply(args)
	switch {
	case err != nil:
		return f.fails(err.Error())
	case len(v.S) > maxText: // a loop makes texts longer and longer
		panic(stop{reason: TooLong})
	case known, c.Name == irnames.RowsAgg:
		f.derive(v, args...)
		return v
	}
	if f.m.Opaque != nil {
		v = f.m.Opaque(c, args, v)
	}
	if f.m.Trace && f.run != nil { // a check of a constraint belongs to no run
		f.run.unknown(v, c.Name)
	}
	return v
}

// fails is the value of what cannot be computed.
func (f *frame) fails(why string) ir.Value {
	if f.m.Lenient {
		return ir.Null
	}
	panic(stop{why, f.unordered})
}

// unknown records a value that depends on what the database chooses or computes in a
// way that is not known.
func (r *Run) unknown(v ir.Value, of string) {
	if r.Opaque == nil {
		r.Opaque = map[ir.Value]string{}
	}
	r.Opaque[v] = of
}

// derive records a value that is computed from one that the database chooses, or that
// itself is one of those. Truth values tell too little to be recognized.
func (f *frame) derive(v ir.Value, from ...ir.Value) {
	if !f.m.Trace || f.run == nil || v.IsNull() || v.Kind == ir.KindBool {
		return
	}
	for _, x := range from {
		if of := f.run.sourceOf(x); of != "" && x != v {
			f.run.unknown(v, of)
		}
	}
}

// sourceOf names what chose a value, "" if it is known.
func (r *Run) sourceOf(v ir.Value) string {
	if of := r.Opaque[v]; of != "" {
		return of
	}
	return r.chosen[v]
}

func (f *frame) read(n readNote) {
	if f.m.Trace {
		list := n.reads(f)
		for i := range list {
			list[i].Stale = f.stale
		}
		if w := f.waiting(); w != nil {
			list = w.reads(f, list)
		}
		f.run.Reads = append(f.run.Reads, list...)
	}
}
