package witness

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/quote"
)

// planner makes the Plan of a witness.
type planner struct {
	b    *builder
	p    *Plan
	soft softValues
}

// plan gives the Plan of the witness that is being built.
func (b *builder) plan() *Plan {
	p, soft := b.bare()
	if p.NotRun == "" {
		p.Depends = b.depends(p, soft.depends)
	}
	return p
}

// searchPath gives the search path of the sessions of the witness, or why there is none.
func (b *builder) searchPath() (path []string, why string) {
	for i := range b.x.Txns {
		own := b.e.Program.SearchPath
		if t := b.x.Txns[i].Run.Inst.Txn; t.SearchPath != nil {
			own = t.SearchPath
		}
		if i > 0 && !slices.Equal(own, path) {
			return nil, "its transactions run with different search paths"
		}
		path = own
	}
	return path, ""
}

// schemas writes a search path in SQL.
func schemas(path []string) string {
	if len(path) == 0 {
		return "''"
	}
	list := make([]string, len(path))
	for i, name := range path {
		list[i] = quote.Ident(name)
	}
	return strings.Join(list, ", ")
}

// bare gives the Plan without what it depends on.
func (b *builder) bare() (*Plan, softValues) {
	p := b.e.Program
	out := &Plan{Dialect: Postgres, Level: levelSQL[b.isolation()], Schema: []Declaration{}, Setup: b.setup(), Tables: []PlanTable{}, Serial: []Run{}}
	out.Levels = b.levels(out.Level)
	if p.MySQL {
		out.Dialect = MySQL
		out.Newest = b.e.Engine.InnoDB && b.e.Engine.Weaker != ""
	}
	if !p.MySQL { // a function may name what comes later
		out.Schema = append(out.Schema, Declaration{SQL: "SET check_function_bodies = off", Optional: true})
	}
	for _, d := range p.Schema {
		if p.MySQL && mysqlTrigger.MatchString(d.Text) { // Setup makes it
			continue
		}
		out.Schema = append(out.Schema, Declaration{position(d.Pos), d.Text, d.Optional})
	}
	path, why := b.searchPath()
	if path != nil && !p.MySQL && !slices.Equal(path, []string{"$user", "public"}) {
		out.Session = []string{"SET search_path = " + schemas(path)}
	}
	for _, t := range b.planTables() {
		pt := PlanTable{Name: t.Name, Columns: []string{}}
		if t.Qualified != "" && !p.MySQL {
			pt.Name = t.Qualified
		}
		for c := range t.Columns {
			if visible(t, c) {
				pt.Columns = append(pt.Columns, t.Columns[c].Name)
			}
		}
		out.Tables = append(out.Tables, pt)
	}
	pl := &planner{b: b, p: out, soft: newSoftValues()}
	for i := range b.x.Txns {
		pl.soft.add(b.x.Txns[i].Run)
	}
	switch {
	case why != "":
	case len(p.Processes) > 0:
		why = "the program is not one whose transactions are told in SQL"
	case b.split() != nil:
		out.Execution, why = pl.interrupted()
	default:
		out.Execution, why = pl.concurrent()
	}
	if why == "" && !b.e.Classic {
		why = pl.serial()
	}
	if why != "" {
		out = &Plan{NotRun: why}
	}
	return out, pl.soft
}

// levelSQL are the isolation levels of Witness.Isolation as SQL has them.
var levelSQL = map[string]string{"si": "REPEATABLE READ", "rc": "READ COMMITTED", InnoDB: "REPEATABLE READ"}

// planTables are the tables that a database has, without those of which nothing is known but that they may have rows:
// a materialized view is one.
func (b *builder) planTables() []*ir.Table {
	return slices.DeleteFunc(slices.Clone(b.e.Program.Tables), func(t *ir.Table) bool {
		return t.Mutex || t.Rowid && len(t.Columns) == 1 && len(b.x.Versions[0].Rows(b.index[t])) == 0
	})
}

// session adds the steps of one transaction.
type session struct {
	label  string
	number int
	list   []placed
	steps  *[]Step
}

func (s *session) step(kind StepKind, c *Command) {
	*s.steps = append(*s.steps, Step{Transaction: s.label, Session: s.number, Kind: kind, Command: c})
}

// next sends the commands up to number to.
func (s *session) next(from, to int) {
	for _, c := range s.list[from:to] {
		s.step(StepCommand, c.Command)
	}
}

// session gives the commands of the transaction in place i, as run runs it.
func (pl *planner) session(i int, run *interp.Run, out *Run) (*session, string) {
	list, why := commandsOf(run, pl.soft, pl.b.e.Program.MySQL)
	out.Shown = append(out.Shown, shown(run, pl.b.labels[i], list, pl.soft)...)
	return &session{pl.b.labels[i], pl.b.x.Txns[i].Session + 1, list, &out.Steps}, why
}

// early is how many commands a transaction sends before the others have their turn:
// those that take no snapshot, and the one that takes it, if that only reads. taken
// says that it does.
func (s *session) early() (n int, taken bool) {
	for n < len(s.list) && s.list[n].send.Apart {
		n++
	}
	if n < len(s.list) && s.list[n].send.Reads {
		return n + 1, true
	}
	return n, false
}

// concurrent is the execution of the witness at snapshot isolation: each transaction
// takes its snapshot where the schedule has its BEGIN, and sends what is left just
// before its COMMIT.
func (pl *planner) concurrent() (Run, string) {
	b := pl.b
	var out Run
	all, sent := map[int]*session{}, map[int]int{}
	for i := range b.x.Txns {
		s, why := pl.session(i, b.x.Txns[i].Run, &out)
		if why != "" {
			return out, why
		}
		all[i] = s
	}
	begun := 0
	for i := range b.x.Txns {
		for begun < len(b.start) && b.x.Txns[b.start[begun]].Snapshot <= i {
			k := b.start[begun]
			s := all[k]
			s.step(StepBegin, nil)
			if k != i { // somebody else comes first
				n, taken := s.early()
				if must := pl.mustBeEarly(k, s.list); must > n {
					n, taken = must, true
					at, late := pl.mustBeLate(k, s.list[:n])
					if !late && pl.inTheWay(k, s.list[n-1].to) {
						at, late = s.list[n-1].send.Position(), true
					}
					if late {
						return out, fmt.Sprintf("the others commit between two statements of %s, where a client cannot stop it (%s)", b.x.Txns[k].Run.Inst.Txn.Name, position(at))
					}
				}
				s.next(0, n)
				if sent[k] = n; !taken {
					s.step(StepSnapshot, nil)
				}
			}
			begun++
		}
		all[i].next(sent[i], len(all[i].list))
		all[i].step(StepCommit, nil)
		out.Order = append(out.Order, b.labels[i])
	}
	out.Final = pl.rows(b.x.Last())
	return out, ""
}

// inTheWay reports whether the others would wait for what the transaction in place k has done
// in its first steps.
func (pl *planner) inTheWay(k, steps int) bool {
	t := &pl.b.x.Txns[k]
	return slices.ContainsFunc(pl.b.x.Txns[t.Snapshot:k], func(other interp.Committed) bool { return pl.b.m.WaitsFor(other.Run, t.Run, steps) })
}

// mustBeEarly is how many commands of the transaction in place k have to run before the
// others do: those that meet a row which another one changes meanwhile. An ON CONFLICT
// looks at the rows that are there when it runs, and what is rolled back to a savepoint
// would fail on what the others have written.
func (pl *planner) mustBeEarly(k int, list []placed) int {
	t := &pl.b.x.Txns[k]
	early := 0
	undone := pl.b.undone(k)
	for n := range list {
		meets := func(s interp.Step) bool { return slices.Contains(undone, s.Stmt) }
		if slices.ContainsFunc(t.Run.Steps[list[n].from:list[n].to], meets) {
			early = n + 1
		}
	}
	for i := range t.Run.Met {
		met := &t.Run.Met[i]
		changed := false
		for j := t.Snapshot; j < k; j++ {
			for _, op := range pl.b.x.Txns[j].Run.Ops {
				changed = changed || op.Table == met.Table && op.Key == met.Key && op.Kind != interp.OpInsert
			}
		}
		for n := range list {
			for at := list[n].from; changed && at < list[n].to; at++ {
				if t.Run.Steps[at].Stmt == met.Stmt {
					early = max(early, n+1)
				}
			}
		}
	}
	return early
}

// mustBeLate reports whether commands of the transaction in place k insert a row that the
// others have to make room for before, and where.
func (pl *planner) mustBeLate(k int, list []placed) (ir.Pos, bool) {
	t := &pl.b.x.Txns[k]
	for _, c := range list {
		for _, step := range t.Run.Steps[c.from:c.to] {
			for i := step.OpsFrom; i < step.OpsTo; i++ {
				op := &t.Run.Ops[i]
				frees := func(other interp.Committed) bool { return pl.b.m.Frees(other.Run, op) }
				if op.Kind == interp.OpInsert && slices.ContainsFunc(pl.b.x.Txns[t.Snapshot:k], frees) {
					return step.Stmt.Position(), true
				}
			}
		}
	}
	return ir.Pos{}, false
}

// interrupted is the execution of the witness at READ COMMITTED: the last transaction
// stops between two of its commands, and the others run there.
func (pl *planner) interrupted() (Run, string) {
	b := pl.b
	var out Run
	last := len(b.x.Txns) - 1
	s, why := pl.session(last, b.x.Txns[last].Run, &out)
	if why != "" {
		return out, why
	}
	cut, split := len(s.list), b.split()
	if split.Waits {
		cut = slices.IndexFunc(s.list, func(c placed) bool { return c.to > split.Steps })
		if cut < 0 {
			return out, "it is not known which command waits"
		}
	} else if st := split.Stmt; st != nil {
		if !b.x.Txns[last].Run.Inst.Txn.Script {
			return out, fmt.Sprintf("a client cannot stop the function %s between two of its commands (%s)", b.x.Txns[last].Run.Inst.Txn.Name, position(st.Position()))
		}
		for cut > 0 && s.list[cut-1].to > split.Steps && (s.list[cut-1].from >= split.Steps || s.list[cut-1].send.Cmd == st.Command()) {
			cut--
		}
	}
	s.step(StepBegin, nil)
	s.next(0, cut)
	for i := range last {
		o, why := pl.session(i, b.x.Txns[i].Run, &out)
		if why != "" {
			return out, why
		}
		o.step(StepBegin, nil)
		o.next(0, len(o.list))
		if split.Waits {
			s.next(cut, cut+1)
			out.Steps[len(out.Steps)-1].Waits = true
			cut++
		}
		o.step(StepCommit, nil)
		out.Order = append(out.Order, o.label)
	}
	s.next(cut, len(s.list))
	s.step(StepCommit, nil)
	out.Order = append(out.Order, s.label)
	out.Final = pl.rows(b.x.Last())
	return out, ""
}

// whole runs a transaction at a stretch.
func (s *session) whole() {
	s.step(StepBegin, nil)
	s.next(0, len(s.list))
	s.step(StepCommit, nil)
}

// serial adds the serial orders.
func (pl *planner) serial() (why string) {
	b := pl.b
	pl.p.Orders = orders(b.x, b.e.AnyOrder)
	var all []serialRun
	walk := b.newSerial()
	walk.visit = func(r serialRun) {
		all = append(all, r)
		for _, run := range r.runs {
			pl.soft.add(run)
		}
	}
	walk.next()
	for _, r := range sample(all) {
		run, w := pl.serialRun(r)
		if w != "" {
			return w
		}
		pl.p.Serial = append(pl.p.Serial, run)
	}
	return ""
}

// sample gives at most MaxSerial orders, evenly spread; runs of one order stay
// together.
func sample(all []serialRun) []serialRun {
	var starts []int
	for i := range all {
		if i == 0 || !slices.Equal(all[i].order, all[i-1].order) {
			starts = append(starts, i)
		}
	}
	if len(starts) <= MaxSerial {
		return all
	}
	var out []serialRun
	for k := range MaxSerial {
		n := k * len(starts) / MaxSerial
		to := len(all)
		if n+1 < len(starts) {
			to = starts[n+1]
		}
		out = append(out, all[starts[n]:to]...)
	}
	return out
}

// serialRun tells a serial order in steps.
func (pl *planner) serialRun(r serialRun) (Run, string) {
	out := Run{Stops: r.stops}
	for n, i := range r.order {
		s, why := pl.session(i, r.runs[n], &out)
		if why != "" {
			return out, why
		}
		out.Order = append(out.Order, s.label)
		if n == len(r.order)-1 && r.stops != "" {
			s.stopping(r.runs[n])
			return out, ""
		}
		s.whole()
	}
	out.Final = pl.rows(r.last)
	return out, ""
}

// stopping is a transaction that does not commit: the client rolls it back, or one of
// its commands fails, or its COMMIT does.
func (s *session) stopping(run *interp.Run) {
	s.step(StepBegin, nil)
	s.next(0, len(s.list))
	if clientStops(run, s.list) {
		s.step(StepRollback, nil)
		return
	}
	for i := range s.list {
		s.list[i].Want.MayFail = true
	}
	s.step(StepCommit, nil)
}

// clientStops reports whether it is the client that ends the transaction, and not a
// command that fails.
func clientStops(run *interp.Run, list []placed) bool {
	n := len(run.Steps)
	if run.Blocked == "" || n == 0 || !run.Inst.Txn.Script {
		return false
	}
	switch st := run.Steps[n-1].Stmt.(type) {
	case *ir.Abort, *ir.Assume:
		return len(list) == 0 || list[len(list)-1].send.Cmd != st.Command()
	}
	return false
}

// rows gives the rows of a state, by table.
func (pl *planner) rows(db *interp.DB) [][][]Cell {
	b := pl.b
	out := [][][]Cell{}
	for _, t := range b.planTables() {
		rows := [][]Cell{}
		for _, r := range db.Rows(b.index[t]) {
			cells := []Cell{}
			for c := range t.Columns {
				if visible(t, c) {
					cells = append(cells, pl.soft.cell(r[c]))
				}
			}
			rows = append(rows, cells)
		}
		out = append(out, rows)
	}
	return out
}
