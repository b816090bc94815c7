package witness

import (
	"fmt"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// builder makes a Witness from a traced replay.
type builder struct {
	e      *Evidence
	m      *interp.Machine
	x      *interp.Execution
	index  map[*ir.Table]int
	labels []string // by place in the order of commits
	start  []int    // places in the order of commits, by first event
	// where has the conditions of reads with their values, by place and
	// statement.
	where map[int]map[ir.Stmt]string
	// blind lets dependencies count whatever the values.
	blind bool
	// snapshots are the states that the transactions read, nil where these are versions of the
	// execution.
	snapshots []*interp.DB
	// watching keeps what transactions see at each event.
	watching bool
	w        *Witness
}

// Build replays the evidence on a fresh interpreter and describes it. The
// error says that the evidence is none: a transaction does not commit, or
// computes something else, or a serial order has the same outcome.
func Build(e Evidence) (*Witness, error) {
	b, err := newBuilder(&e)
	if err != nil {
		return nil, err
	}
	b.w = &Witness{Isolation: b.isolation(), Engine: e.Engine.Name, Classic: e.Classic,
		Rows: b.rows(b.x.Versions[0]), Final: b.rows(b.x.Last())}
	for _, i := range b.start {
		b.w.Transactions = append(b.w.Transactions, b.transaction(i))
	}
	b.w.Plan = b.plan()
	b.w.Setup = b.setup()
	b.w.Play = b.play(false)
	b.w.Schedule = b.w.Play.Events
	cycle := b.cycle()
	if cycle == nil && b.split() != nil {
		// What is written over may have the same value by chance.
		b.blind = true
		cycle = b.cycle()
	}
	if b.w.Kind = b.kind(cycle); b.split() != nil && (len(b.x.Txns) == 2 || !b.e.Engine.InnoDB) {
		if k := b.committedKind(cycle); k != Other || !b.e.Engine.InnoDB {
			b.w.Kind = k
		}
	}
	b.w.Cycle = b.edges(cycle)
	if err := Confirm(e, b.w); err != nil {
		return nil, err
	}
	if b.w.Serial, b.w.Orders = b.serial(); b.w.Serial == nil {
		b.w.Serial = []SerialOrder{}
	}
	return b.w, nil
}

func newBuilder(e *Evidence) (*builder, error) {
	m := e.Machine()
	x, err := e.Replay(m)
	if err != nil {
		return nil, err
	}
	return e.builderOf(m, x), nil
}

// builderOf makes a builder for the execution of the evidence, which m has traced.
func (e *Evidence) builderOf(m *interp.Machine, x *interp.Execution) *builder {
	b := &builder{e: e, m: m, x: x, index: map[*ir.Table]int{}, where: map[int]map[ir.Stmt]string{}}
	for i, t := range e.Program.Tables {
		b.index[t] = i
	}
	b.start = starts(x)
	b.labels = make([]string, len(x.Txns))
	for n, i := range b.start {
		b.labels[i] = label(n)
	}
	return b
}

// rows gives the rows of a state; tables without rows are left out.
func (b *builder) rows(db *interp.DB) []TableRows { return b.shown(db.Rows) }

// shown gives the rows of all tables, as something has them.
func (b *builder) shown(of func(table int) [][]ir.Value) []TableRows {
	out := []TableRows{}
	for i, t := range b.e.Program.Tables {
		if t.Mutex {
			continue
		}
		rows := of(i)
		if len(rows) == 0 {
			continue
		}
		tr := TableRows{Table: t.Name, Variable: t.Var}
		for _, r := range rows {
			tr.Keys = append(tr.Keys, keyOf(t, r))
		}
		shown := make([][]ir.Value, len(rows))
		for c := range t.Columns {
			if !visible(t, c) {
				continue
			}
			tr.Columns, tr.domains = append(tr.Columns, t.Columns[c].Name), append(tr.domains, t.Columns[c].Domain)
			for i, r := range rows {
				shown[i] = append(shown[i], r[c])
			}
		}
		for _, r := range shown {
			tr.Rows = append(tr.Rows, values(r))
		}
		out = append(out, tr)
	}
	return out
}

func (b *builder) transaction(i int) Transaction {
	c := &b.x.Txns[i]
	txn := c.Run.Inst.Txn
	out := Transaction{Label: b.labels[i], Name: txn.Name, Level: b.e.Levels[txn.Name], Position: position(txn.Pos), Session: c.Session + 1,
		Params: []Named{}, Snapshot: c.Snapshot, Commit: i}
	for k, p := range txn.Params {
		out.Params = append(out.Params, Named{Name: p.Name, Value: Value{c.Run.Inst.Params[k].Convert(p.Type)}, domain: p.Domain})
	}
	for _, s := range c.Run.Steps {
		if h, ok := s.Stmt.(*ir.Havoc); ok {
			for _, l := range s.Locals {
				out.Havocs = append(out.Havocs, Named{Name: fmt.Sprintf("%s at %s", l.Name, position(h.Pos)), Value: Value{l.Value}, Of: h.Of})
			}
		}
	}
	list, _ := commandsOf(c.Run, newSoftValues(), b.e.Program.MySQL)
	for _, cmd := range list {
		out.Commands = append(out.Commands, terminated(cmd.SQL(), ";"))
	}
	if ir.CallOf(txn) != nil && len(list) == 1 {
		out.Call, out.Commands = out.Commands[0], nil
	}
	return out
}

// schedule gives all events in order.
func (b *builder) schedule() []moment {
	if b.split() != nil {
		return b.interrupted()
	}
	var out []moment
	views := make([]*view, len(b.x.Txns))
	begun := 0
	for i := range b.x.Txns {
		for begun < len(b.start) && b.x.Txns[b.start[begun]].Snapshot <= i {
			k := b.start[begun]
			out = append(out, b.begins(k, "BEGIN, snapshot", b.x.Versions[b.x.Txns[k].Snapshot]))
			views[k] = b.view(k)
			out = append(out, views[k].early(b.undone(k), b.x.Versions[i])...)
			begun++
		}
		v := views[i]
		v.steps(len(v.run.Steps), len(v.run.Reads))
		out = append(out, v.events...)
		out = append(out, b.commits(i))
	}
	return out
}

// undone gives the statements of the transaction in place k that were rolled back and have to
// come before the others.
func (b *builder) undone(k int) []ir.Stmt {
	var since []*interp.Run
	for _, other := range b.x.Txns[b.x.Txns[k].Snapshot:k] {
		since = append(since, other.Run)
	}
	return b.m.Early(b.x.Txns[k].Run, since)
}

// early gives what comes up to the last of some statements, where now is the newest committed state.
func (v *view) early(stmts []ir.Stmt, now *interp.DB) []moment {
	last := 0
	for n := range v.run.Steps {
		if slices.Contains(stmts, v.run.Steps[n].Stmt) {
			last = n + 1
		}
	}
	later := v.now
	v.now = now
	if last > 0 {
		v.steps(last, v.run.Steps[last-1].ReadsTo)
	}
	v.now = later
	out := v.events
	v.events = nil
	return out
}

// view is what one transaction sees while it runs: its snapshot and its own
// writes, and its locals.
type view struct {
	b      *builder
	run    *interp.Run
	snap   *interp.DB
	now    *interp.DB // the newest committed state
	own    map[int]map[string][]ir.Value
	locals map[string]ir.Value
	// conditions of the reads, with values
	conditions map[ir.Stmt]string
	events     []moment
	label      string
	// how many of the run's steps and reads are in events
	nsteps, nreads int
}

// statements gives the reads, writes and results of a transaction.
func (b *builder) statements(i int) []moment {
	v := b.view(i)
	v.steps(len(v.run.Steps), len(v.run.Reads))
	return v.events
}

// view begins to go through a transaction.
func (b *builder) view(i int) *view {
	c := &b.x.Txns[i]
	v := &view{b: b, run: c.Run, snap: b.snapshot(i), now: b.x.Versions[i], label: b.labels[i],
		own: map[int]map[string][]ir.Value{}, locals: map[string]ir.Value{}, conditions: map[ir.Stmt]string{}}
	b.where[i] = v.conditions
	for k, p := range c.Run.Inst.Txn.Params {
		v.locals[p.Name] = c.Run.Inst.Params[k].Convert(p.Type)
	}
	return v
}

// steps goes on to a number of the run's steps and reads.
func (v *view) steps(steps, reads int) {
	for ; v.nsteps < steps; v.nsteps++ {
		step := &v.run.Steps[v.nsteps]
		for ; v.nreads < step.ReadsFrom; v.nreads++ {
			v.read(&v.run.Reads[v.nreads])
		}
		ops := v.ops(step)
		if len(ops) == 0 || ir.Written(step.Stmt) == nil {
			for ; v.nreads < step.ReadsTo; v.nreads++ {
				v.read(&v.run.Reads[v.nreads])
			}
		}
		v.nreads = step.ReadsTo
		for _, op := range ops {
			v.write(op)
		}
		for _, l := range step.Locals {
			v.locals[l.Name] = l.Value
		}
		v.emit(step)
	}
	for ; v.nreads < reads; v.nreads++ {
		v.read(&v.run.Reads[v.nreads])
	}
}

// ops gives what a step wrote and was not rolled back since.
func (v *view) ops(step *interp.Step) []*interp.Op {
	var out []*interp.Op
	for i := step.OpsFrom; i < step.OpsTo && i < len(v.run.Ops); i++ {
		if op := &v.run.Ops[i]; op.Stmt == step.Stmt && !op.Void {
			out = append(out, op)
		}
	}
	return out
}

func (v *view) add(kind EventKind, table, text string, at ir.Stmt) *Event {
	v.events = append(v.events, moment{Event: Event{Transaction: v.label, Kind: kind, Table: table, Text: text, Position: position(at.Position())}, sees: v.sees()})
	return &v.events[len(v.events)-1].Event
}

func (v *view) local(name string) (ir.Value, bool) {
	val, ok := v.locals[name]
	return val, ok
}

// seen gives the rows of a table as the transaction sees them.
func (v *view) seen(table int) [][]ir.Value {
	t := v.b.e.Program.Tables[table]
	own := v.own[table]
	var out [][]ir.Value
	for _, r := range v.snap.Rows(table) {
		if _, written := own[keyOf(t, r)]; !written {
			out = append(out, r)
		}
	}
	for _, k := range slices.Sorted(maps.Keys(own)) {
		if own[k] != nil {
			out = append(out, own[k])
		}
	}
	return out
}

// returned gives the columns of a read that are looked at: those returned, or
// else, for the message, none.
func returned(r *interp.Read) []int {
	var out []int
	for c, yes := range r.Cols {
		if yes {
			out = append(out, c)
		}
	}
	return out
}

func (v *view) read(r *interp.Read) {
	if r.Current || r.Stmt.Position() == v.run.Inst.Txn.Pos {
		return // not of the snapshot, or of no statement of the source
	}
	if next := v.nreads + 1; r.Stale && len(r.Keys) == 0 && next < len(v.run.Reads) && v.run.Reads[next].Stmt == r.Stmt && !v.run.Reads[next].Stale {
		return // the next one is what it has come to
	}
	if r.Stale {
		newest := v.snap
		v.snap = v.b.x.Versions[0]
		defer func() { v.snap = newest }()
	}
	t := v.b.e.Program.Tables[r.Table]
	cols := returned(r)
	var found []string
	keys := map[string][]ir.Value{}
	for _, row := range v.seen(r.Table) {
		if r.Matches(row) {
			found = append(found, cells(t, row, cols))
			keys[keyOf(t, row)] = row
		}
	}
	where := v.where(r)
	if where != "" {
		v.conditions[r.Stmt] = where
	}
	text := "read " + list(found, 3)
	if len(found) == 0 {
		text = "found no row in " + t.Name
		if where != "" {
			text += " where " + where
		}
	}
	if m := lockMode(r.Stmt, t); m != ir.NoLock && len(found) > 0 {
		text += " (locked " + m.String() + ")"
	}
	if _, is := r.Stmt.(*ir.Update); is && len(found) > 0 && !v.b.e.Engine.EqualWrites {
		text += ", and leave it as it is"
	}
	v.add(Read, t.Name, text, r.Stmt).Now = v.since(r, t, cols, keys)
}

// where is the condition of a read of one table, with values.
func (v *view) where(r *interp.Read) string {
	for _, q := range ir.Queries(r.Stmt) {
		if len(q.From) == 1 && v.b.index[q.From[0].Table] == r.Table && q.Where != nil {
			return predicate(q.Where, v.local)
		}
	}
	return ""
}

// since says how the newest committed state differs from what was read.
func (v *view) since(r *interp.Read, t *ir.Table, cols []int, seen map[string][]ir.Value) string {
	var out []string
	here := map[string]bool{}
	for _, row := range v.now.Rows(r.Table) {
		k := keyOf(t, row)
		if v.own[r.Table][k] != nil {
			continue
		}
		here[k] = true
		old, was := seen[k]
		switch matches := r.Matches(row); {
		case !was && matches:
			out = append(out, rowName(t, row)+" is there")
		case was && !matches:
			out = append(out, rowName(t, row)+" no longer matches")
		case was:
			for _, c := range cols {
				if old[c] != row[c] {
					now := readable(t, c, row[c])
					switch {
					case len(seen) > 1: // which of the rows that were read
						now = rowName(t, old) + "." + t.Columns[c].Name + " = " + now
					case len(cols) > 1:
						now = t.Columns[c].Name + " = " + now
					}
					out = append(out, now)
				}
			}
		}
	}
	for _, k := range slices.Sorted(maps.Keys(seen)) {
		if !here[k] && v.own[r.Table][k] == nil {
			out = append(out, rowName(t, seen[k])+" is gone")
		}
	}
	return list(out, 2)
}

func (v *view) write(op *interp.Op) {
	t := v.b.e.Program.Tables[op.Table]
	row := op.New
	if row == nil {
		row = op.Old
	}
	if v.own[op.Table] == nil {
		v.own[op.Table] = map[string][]ir.Value{}
	}
	v.own[op.Table][keyOf(t, row)] = op.New
	all := make([]int, len(t.Columns))
	for c := range all {
		all[c] = c
	}
	var text string
	switch op.Kind {
	case interp.OpUpdate:
		if t.Mutex {
			text = "hold the " + t.Name
			break
		}
		var set []int
		for c := range t.Columns {
			if op.Cols == nil || op.Cols[c] {
				set = append(set, c)
			}
		}
		text = "write " + changes(t, op.Old, op.New, set)
	case interp.OpInsert:
		text = "insert " + cells(t, op.New, all)
	case interp.OpDelete:
		text = "delete " + rowName(t, op.Old)
	default:
		panic(fmt.Sprintf("witness: unknown write %d", op.Kind))
	}
	v.add(Write, t.Name, text, op.Stmt)
}

func (v *view) emit(step *interp.Step) {
	switch step.Stmt.(type) {
	case *ir.Emit:
		for _, r := range step.Emitted {
			v.add(Return, "", "return "+tuple(r), step.Stmt)
		}
	case *ir.EmitRows:
		text := "return no rows"
		if step.Counted {
			text = "return " + tuple(step.Emitted[0]) + " of several rows"
		} else if len(step.Emitted) > 0 {
			rows := make([]string, len(step.Emitted))
			for i, r := range step.Emitted {
				rows[i] = tuple(r)
			}
			text = "return " + list(rows, 3)
		}
		v.add(Return, "", text, step.Stmt)
	}
}

// tuple is a row of values; a single value stands alone.
func tuple(row []ir.Value) string {
	if len(row) == 1 {
		return Readable(nil, row[0])
	}
	s := "("
	for i, v := range row {
		if i > 0 {
			s += ", "
		}
		s += Readable(nil, v)
	}
	return s + ")"
}

// lockMode gives the strongest lock that a statement takes on rows of a table.
func lockMode(s ir.Stmt, t *ir.Table) ir.LockMode {
	locks, q := ir.LocksOf(s)
	mode := ir.NoLock
	if len(locks) > 0 {
		for _, src := range q.From {
			if src.Table == t {
				mode = max(mode, locks.Of(src.Row))
			}
		}
	}
	return mode
}
