package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/distributed"
	"github.com/txrobust/robust/internal/draws"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/internal/walk"
	"github.com/txrobust/robust/internal/weak"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// Options direct Check. Fields that package robust has, too, mean what they mean there.
type Options struct {
	Engine                               *engine.Profile
	Init                                 schedules.Init
	SessionOrder, Classic, Strict, First bool
	Beside, Shared                       bool
	// Isolation is one of levels.AtSnapshot ("" is the same), levels.AtCode and so on, and
	// Levels has the levels of single transactions.
	Isolation                  string
	Levels                     map[string]levels.Level
	Helpers, Window, Questions int
	MaxExecutions              int
	QueryLimit                 uint
	QueryTimeout               time.Duration
	Explain, Graph             bool
	// Advise tries what may settle what is open, with Explain.
	Advise   bool
	Progress func(done, total int, what string)
	Sources  findings.Sources
	Baseline *report.Baseline
	Replay   func(context.Context, *witness.Witness) (*witness.Replay, error)
	// Keep, if not nil, is given what a proof rests on, if there is one.
	Keep func(*proof.Proof)
	// Apart are notes about writes that rest on what another transaction has read, nil
	// if none were looked for. They go to the Report, with the comments that accept
	// them.
	Apart []report.Apart
	// Judges are the checkers of histories that each finding is shown to; nil is all of
	// them.
	Judges []crosscheck.Judge
	// While says for GaveUp what was being done when the time ran out, if that is known.
	While string
	// Cache, if not nil, has answers of earlier runs. It changes no verdict.
	Cache *cache.Dir
	// Tried, if not nil, has what became of walks of the same program, with the same options
	// but for the levels, that were tried as executions. It changes no verdict.
	Tried *Tried
	// Solverless lets Check go on where there is no Z3. It searches executions then, and
	// proves nothing.
	Solverless bool
}

// What Options have where they say nothing.
const (
	Helpers    = 4
	Window     = 4
	Questions  = 2000
	QueryLimit = 2_000_000
)

// all is Check, without regard to what is accepted. A part of it that ends in a fault of
// this program is left out, and c.faults has the fault.
func (c *check) all() (*report.Report, error) {
	c.guarded("the look at tables without rows", c.impossible)
	if model, ok := weak.Parse(c.opt.Isolation); ok && model != weak.SI {
		var err error
		if !c.guarded("the check at "+model.Long(), func() { err = c.distributed(model) }) && !c.foundBefore() {
			c.leaveOpen()
		}
		c.unordered()
		return c.done(), err
	}
	if c.opt.Engine.InnoDB && !c.opt.Classic {
		err := c.guardedInnoDB()
		c.unordered()
		return c.done(), err
	}
	if c.levels != nil {
		err := c.guardedLevels()
		c.unordered()
		return c.done(), err
	}
	err := c.atSnapshot()
	if err == nil && c.opt.Engine.Beyond(c.p) == "" {
		c.guarded("the search at READ COMMITTED", func() { err = c.besides() })
	}
	return c.done(), err
}

// distributed decides about the program in a model of distributed stores.
func (c *check) distributed(model weak.Model) error {
	return distributed.Decide(c.ctx, c.p, distributed.Options{Model: model, Engine: c.opt.Engine, Classic: c.opt.Classic, Mixed: len(c.opt.Levels) > 0, Finite: c.finite(), Rows: c.initialRows(), Init: c.opt.Init,
		SessionOrder: c.opt.SessionOrder, AnyOrder: c.anyOrder(), Txns: c.opt.Helpers + 1, MaxExecutions: c.opt.MaxExecutions,
		Judges: c.opt.Judges, Sources: c.opt.Sources, Progress: c.opt.Progress}, c.rep)
}

// atSnapshot decides about the program with all transactions at snapshot isolation.
func (c *check) atSnapshot() error {
	if why := c.opt.Engine.Beyond(c.p); why != "" {
		c.rep.Verdict = report.Unknown
		c.rep.Open = &report.Open{Cycles: [][]string{}, Reason: c.opt.Engine.Title + ": " + why,
			Settle: []string{c.otherEngine()}}
		return nil
	}
	for _, s := range []step{{"the interpretation of all executions", c.exhaustive}, {"the proof", c.prove}, {"the search of an execution", c.search}} {
		if decided, err := c.try(s); err != nil {
			return err
		} else if decided {
			break
		}
	}
	if c.proved = c.rep.Verdict == report.Robust; !c.proved {
		if err := c.more(); err != nil {
			return err
		}
	}
	if c.rep.Verdict == "" {
		c.leaveOpen()
	}
	c.stricter()
	c.unordered()
	return nil
}

// guardedLevels is atLevels. If it ends in a fault of this program, only the findings that the
// levels allow count.
func (c *check) guardedLevels() (err error) {
	if c.guarded("the check of the levels", func() { err = c.atLevels() }) {
		return err
	}
	c.rep.Findings = slices.DeleteFunc(c.rep.Findings, func(f report.Finding) bool { return !c.allowed(&f) })
	if !c.foundBefore() {
		c.leaveOpen()
	}
	return nil
}

// step is a part of a check that may decide it.
type step struct {
	name string
	do   func() (decided bool, err error)
}

// try does a step. One that ends in a fault of this program decides nothing but by the
// findings that were confirmed before.
func (c *check) try(s step) (decided bool, err error) {
	if c.guarded(s.name, func() { decided, err = s.do() }) {
		return decided, err
	}
	return c.foundBefore(), nil
}

// foundBefore decides by the confirmed findings alone, and forgets what else was concluded.
func (c *check) foundBefore() bool {
	c.rep.Verdict, c.rep.Proof, c.evidence, c.rep.Initially, c.proved = "", nil, nil, []string{}, false
	return len(c.rep.Confirmed()) > 0 && c.decide(report.NotRobust)
}

// guarded does a part of the work, and reports whether it came to its end.
func (c *check) guarded(part string, do func()) bool {
	f := fault.Guard(part, do)
	if f != nil {
		c.fails(f)
	}
	return f == nil
}

// fails records a fault of this program.
func (c *check) fails(f *fault.Fault) {
	c.faults = append(c.faults, f)
	c.bounds = append(c.bounds, f.Error())
	c.rep.Notes = append(c.rep.Notes, report.Note{Text: f.Error() + "; what this part would have found is missing"})
}

// otherEngine says with which database there may be a verdict.
func (c *check) otherEngine() string {
	if p := engine.ByName(c.opt.Engine.Instead); p != nil {
		return fmt.Sprintf("a check for a database at snapshot isolation: %s (-engine %s)", p.Title, p.Name)
	}
	return "a check for another engine (-engine)"
}

// impossible notes the tables that can have no row: whatever is proved of them says nothing.
func (c *check) impossible() {
	if c.ctx.Err() != nil || len(c.p.Invariants) == 0 && !slices.ContainsFunc(c.p.Tables, func(t *ir.Table) bool { return len(t.Checks) > 0 }) {
		return
	}
	solver := smt.NewSolver()
	defer solver.Close()
	solver.Limit = c.opt.QueryLimit
	for _, t := range symbolic.Impossible(c.ctx, prepare.Of(c.p), solver, c.opt.Engine) {
		at := t.Pos
		if len(t.Checks) > 0 {
			at = t.Checks[0].Pos
		} else if i := slices.IndexFunc(c.p.Invariants, t.Stated); i >= 0 {
			at = c.p.Invariants[i].Pos
		}
		c.rep.Notes = append(c.rep.Notes, report.Note{File: at.File, Line: at.Line, Col: at.Col,
			Text: "no row of " + t.Name + " can satisfy all that is declared and stated of it: the verdict is about an empty table"})
	}
}

// stricter takes back a verdict where the engine excludes more than the profile says:
// what was found need not be an execution of the engine, unless a server has done it.
func (c *check) stricter() {
	if c.opt.Engine.Stricter == "" || c.rep.Verdict != report.NotRobust {
		return
	}
	done := slices.DeleteFunc(slices.Clone(c.rep.Findings), func(f report.Finding) bool { return !f.Done() })
	if len(done) > 0 {
		c.rep.Findings = done
		return
	}
	settle := findings.ByReplay
	if c.opt.Engine.Documented != "" {
		settle = "run the schedule on the database by hand"
	}
	for i := range c.rep.Findings {
		findings.SuspectEngine(&c.rep.Findings[i], c.opt.Engine.Title+" may exclude it: "+c.opt.Engine.Stricter, settle)
	}
	c.rep.Verdict = report.Unknown
	c.rep.Open = c.doubtful()
}

// doubtful is what is open where executions were found that the database may refuse.
func (c *check) doubtful() *report.Open {
	open := &report.Open{Cycles: [][]string{}, Settle: []string{},
		Reason: "no proof excludes the execution above, and whether the database refuses it depends on what is left out of the model"}
	if !slices.ContainsFunc(c.rep.Findings, func(f report.Finding) bool { return !f.OnlyLevels() }) {
		open.Reason = "no proof excludes the execution above, and whether it is possible depends on the levels at which its transactions run"
	}
	for _, f := range c.rep.Findings {
		for _, d := range f.Doubts {
			if !slices.Contains(open.Settle, d.Settle) {
				open.Settle = append(open.Settle, d.Settle)
			}
		}
	}
	return open
}

// unordered takes back a proof where the program compares values of a sequence, or times,
// by their order: transactions draw them in one order and may commit in another one, and
// the proof knows nothing of the first.
func (c *check) unordered() {
	if c.rep.Verdict != report.Robust || len(c.compared) == 0 {
		return
	}
	c.rep.Verdict, c.rep.Proof, c.evidence, c.rep.Initially = report.Unknown, nil, nil, []string{}
	c.rep.Open = &report.Open{Cycles: [][]string{}, Settle: []string{"numbers that grow in the order of the commits, such as those of a row that each transaction updates (UPDATE … RETURNING)"}}
	var at []string
	for _, n := range c.compared {
		at = append(at, fmt.Sprintf("%s: %s", n.Pos, n.Text))
	}
	c.rep.Open.Reason = strings.Join(at, "; ") + "; a transaction that draws early and commits late is missed by those that look in between, and whether that matters is not decided"
}

// check is one run of Check.
type check struct {
	ctx   context.Context
	p     *ir.Program
	opt   Options
	start time.Time
	rep   *report.Report
	// evidence is what the proof rests on, if it is to be kept.
	evidence *proof.Proof
	tried    attempt // what the attempt to prove left
	// compared says where values that transactions draw are compared by their order.
	compared []ir.Note
	// bounds say what ran out, in the order of the steps.
	bounds []string
	// levels are those of the transactions, nil where all are taken to run at snapshot
	// isolation.
	levels map[*ir.Txn]levels.Assigned
	// unserialized says why SERIALIZABLE alone does not settle the program, or gives "".
	unserialized func() string
	// atCommit is movers.Options.AtCommit.
	atCommit func(*ir.Txn) bool
	// guesses says that the search of executions had to guess what some expressions give.
	guesses bool
	faults  []error // each a *fault.Fault
	// trials are the walks that were tried as executions.
	trials *trials
	// proved says that the program is proved at snapshot isolation, and left what is left
	// of its walks else, nil where nobody looked.
	proved bool
	left   *movers.Survey
	// known are the executions that were found at snapshot isolation.
	known []*schedules.Anomaly
}

func newCheck(ctx context.Context, p *ir.Program, opt Options) *check {
	if opt.Engine == nil {
		opt.Engine = engine.SI()
	}
	opt.Helpers = cmp.Or(opt.Helpers, Helpers)
	if opt.Solverless {
		opt.Helpers = min(opt.Helpers, schedules.MaxCalls-1)
	}
	opt.Window = cmp.Or(opt.Window, Window)
	opt.Questions = cmp.Or(opt.Questions, Questions)
	opt.QueryLimit = cmp.Or(opt.QueryLimit, QueryLimit)
	opt.MaxExecutions = cmp.Or(opt.MaxExecutions, 300_000)
	if opt.Judges == nil {
		opt.Judges = crosscheck.Judges()
	}
	if opt.Progress == nil {
		opt.Progress = func(int, int, string) {}
	}
	wellformed.Structure(p)
	compared, premises := draws.Order(p)
	c := &check{ctx: ctx, p: p, opt: opt, start: time.Now(), rep: findings.New(p), compared: compared}
	c.rep.Apart = append(c.rep.Apart, opt.Apart...)
	findings.Assume(c.rep, premises)
	c.assign()
	c.rep.Engine, c.rep.EngineTitle, c.rep.Classic, c.rep.Stricter = opt.Engine.Name, opt.Engine.Title, opt.Classic, opt.Engine.Stricter != ""
	c.rep.Assumptions = append(c.rep.Assumptions, c.assumptions()...)
	return c
}

// done completes the report.
func (c *check) done() *report.Report {
	c.withoutSolver()
	c.guarded("the explanation", c.explain)
	if c.opt.Keep != nil && c.evidence != nil {
		c.opt.Keep(c.evidence)
	}
	c.rep.Stats.TotalMS = time.Since(c.start).Milliseconds()
	return c.rep
}

// anyOrder reports whether serial orders may permute the transactions of a
// session.
func (c *check) anyOrder() bool { return len(c.p.Processes) == 0 && !c.opt.SessionOrder }

// assumptions says what every verdict rests on.
func (c *check) assumptions() []string {
	out := []string{fmt.Sprintf("every transaction runs at the snapshot isolation of the engine profile %s (%s)", c.opt.Engine.Name, c.opt.Engine.Title)}
	if model := levels.Model(c.opt.Isolation); model != "" {
		out = []string{"every transaction runs in a store with " + model + ", where the last write in one order for all wins, per column of a row"}
	} else if c.levels != nil {
		out = c.levelAssumptions()
	} else {
		out = append(out, c.otherLevels()...)
	}
	if manual := c.opt.Engine.Documented; manual != "" {
		out = append(out, "what that database excludes is as documented, and was not tried on one ("+manual+")")
	}
	if len(c.p.Processes) == 0 {
		out = append(out, "only the transactions listed write the tables; each runs in a database transaction of its own")
	} else {
		out = append(out, "exactly the processes of the program run, each in its order")
	}
	if p := c.p.SearchPath; len(p) > 0 && !slices.Equal(p, []string{"$user", "public"}) {
		out = append(out, "the sessions have the search path "+strings.Join(p, ", ")+": names without a schema are looked for there")
	}
	out = append(out, "values fit the types of columns, and those of variables, results and casts that hold six digits or characters and more; numbers and times are finite, and elements of arrays are not NULL")
	out = append(out, c.mutexes()...)
	switch c.opt.Init {
	case schedules.AnyRows:
		out = append(out, "the initial rows satisfy the declared constraints and the stated invariants, and are otherwise any")
	case schedules.NoRows:
		out = append(out, "the tables are empty initially")
	case schedules.FileRows:
		out = append(out, "the initial rows are those of the input")
	default:
		panic(fmt.Sprintf("check: unknown initial rows %d", c.opt.Init))
	}
	return out
}

// mutexes says which transactions are taken to come one after the other.
func (c *check) mutexes() []string {
	var out []string
	for _, m := range c.p.Tables {
		if !m.Mutex {
			continue
		}
		var holders []string
		for _, t := range c.p.Txns {
			if slices.ContainsFunc(t.Body, func(s ir.Stmt) bool { u, ok := s.(*ir.Update); return ok && u.Table == m }) {
				holders = append(holders, t.Name)
			}
		}
		out = append(out, "all of these run in one process, which holds the "+m.Name+" from before they begin until they have ended: "+strings.Join(holders, ", "))
	}
	return out
}

// otherLevels says which transactions ask for another level than the one that they
// are taken to run at. Executions at SERIALIZABLE are ones of snapshot isolation,
// too; at the weaker levels there are others.
func (c *check) otherLevels() []string {
	var weaker, serializable []string
	for _, t := range c.p.Txns {
		switch t.Level {
		case "read uncommitted", "read committed":
			weaker = append(weaker, t.Name)
		case "serializable":
			serializable = append(serializable, t.Name)
		}
	}
	var out []string
	if len(weaker) > 0 {
		out = append(out, "these ask for READ COMMITTED or less, and the verdict is about them at snapshot isolation all the same: "+strings.Join(weaker, ", "))
	}
	switch {
	case len(serializable) == 0:
	case len(serializable) == len(c.p.Txns):
		out = append(out, "every transaction asks for SERIALIZABLE, where nothing can be found: the verdict is about them at snapshot isolation")
	default:
		out = append(out, "these ask for SERIALIZABLE, which protects them from each other, but not from the other transactions; they are taken to run at snapshot isolation: "+strings.Join(serializable, ", "))
	}
	return out
}

// decide records a verdict.
func (c *check) decide(v report.Verdict) bool {
	c.rep.Verdict = v
	return true
}

// leaveOpen records that neither a proof nor an execution was found.
func (c *check) leaveOpen() {
	c.rep.Verdict = report.Unknown
	if len(c.rep.Findings) > 0 {
		c.rep.Open = c.doubtful()
		return
	}
	open := &report.Open{Cycles: [][]string{}, Settle: []string{}}
	c.rep.Open = open
	for _, w := range c.tried.walks {
		open.Cycles = append(open.Cycles, names(w))
	}
	open.Cycles = sortedCycles(open.Cycles)
	while := ""
	if c.opt.While != "" {
		while = " while this was done: " + c.opt.While
	}
	opaque := len(c.tried.walks) > 0 && !slices.ContainsFunc(c.tried.walks, func(w *walk.Walk) bool { return !inexecutable(w) })
	switch err := c.ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		open.Reason = "the time ran out" + while
		open.Settle = append(open.Settle, "more time (-timeout)")
	case err != nil:
		open.Reason = "the check was interrupted" + while
		open.Settle = append(open.Settle, "letting it run to its end")
	case opaque:
		open.Reason = "no proof excludes the cycles below; each goes through a statement that is not modelled, of which no execution can be shown"
	case len(open.Cycles) > 0:
		open.Reason = fmt.Sprintf("no proof excludes the cycles below, and no execution of up to %d transactions shows one", c.opt.Helpers+1)
	default:
		open.Reason = "neither a proof nor an execution was found"
	}
	for _, b := range c.bounds {
		open.Reason += "; " + b
	}
	if len(c.rep.Refused) > 0 {
		open.Reason += "; of what was found, a server does not do: " + refusals(c.rep.Refused)
	}
	if c.guesses {
		open.Settle = append(open.Settle, "comparisons and arithmetic in place of what the solver has to guess, or the value as a parameter")
	}
	if len(open.Cycles) > 0 && !opaque {
		open.Settle = append(open.Settle,
			"a fact about the rows that rules such a cycle out, stated as -- invariant: … in the schema",
			"an update of one common row in the first two transactions of a cycle, which excludes it"+c.meetings())
	}
	for _, b := range c.larger() {
		if !slices.Contains(open.Settle, b.text) && (b.flag != helpersFlag || len(open.Cycles) > 0 && !opaque) {
			open.Settle = append(open.Settle, b.text)
		}
	}
	if len(c.rep.Havocs) > 0 {
		open.Settle = append(open.Settle, "statements that can be modelled in place of those listed as not modelled")
	}
}

// maxMeetings bounds how many places the report on what is open names.
const maxMeetings = 4

// meetings says where the first two transactions of the open cycles touch the same, or is empty.
func (c *check) meetings() string {
	var list []string
	for _, w := range c.tried.walks {
		if len(w.Helpers) == 0 || inexecutable(w) {
			continue
		}
		for _, m := range findings.Meetings(c.p, w.Delayed, w.Helpers[0].Txn) {
			what := m.Table
			if len(m.Columns) > 0 {
				what += " (" + strings.Join(m.Columns, ", ") + ")"
			}
			what += fmt.Sprintf(" at %s:%d", m.From, m.From.Col)
			if m.To != m.From {
				what += fmt.Sprintf(" and %s:%d", m.To, m.To.Col)
			}
			if !slices.Contains(list, what) {
				list = append(list, what)
			}
		}
	}
	if len(list) == 0 {
		return ""
	}
	if rest := len(list) - maxMeetings; rest > 0 {
		list = append(list[:maxMeetings], fmt.Sprintf("%d other places", rest))
	}
	return "; they meet in " + strings.Join(list, ", ")
}

// refusals says what a server did with findings that are none.
func refusals(list []report.Finding) string {
	var out []string
	for _, f := range list {
		out = append(out, fmt.Sprintf("%s (%s)", strings.Join(f.Cycle, " -> "), f.Replay))
	}
	return strings.Join(out, "; ")
}

// names gives the templates of a walk.
func names(w *walk.Walk) []string {
	var out []string
	for _, t := range w.Templates() {
		out = append(out, t.Name)
	}
	return out
}

// sortedCycles puts cycles in order, short ones first, each once.
func sortedCycles(list [][]string) [][]string {
	slices.SortFunc(list, func(a, b []string) int {
		if len(a) != len(b) {
			return len(a) - len(b)
		}
		return slices.Compare(a, b)
	})
	return slices.CompactFunc(list, slices.Equal)
}
