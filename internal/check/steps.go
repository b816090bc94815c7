package check

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/commits"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/walk"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/reach"
	"github.com/txrobust/robust/report"
)

// attempt is what an attempt to prove leaves for a search.
type attempt struct {
	walks  []*walk.Walk
	facts  []*ir.Invariant
	result *movers.Result // nil if nothing was tried
	bounds []movers.Bound // that ran out
}

// finite reports whether the program has finitely many sessions that start
// from known rows, so that all executions can be interpreted. Whether the
// values are finite too shows when they are needed.
func (c *check) finite() bool {
	// Stated invariants are checked by the proof.
	if len(c.p.Processes) == 0 || len(c.p.Invariants) > 0 || c.opt.Init == schedules.AnyRows {
		return false
	}
	for _, pr := range c.p.Processes {
		for _, t := range pr.Txns {
			if pr.Copies == ir.Any || len(t.Params) > 0 {
				return false
			}
		}
	}
	return len(c.rep.Havocs) == 0
}

// initialRows gives the rows of a program that starts from known ones.
func (c *check) initialRows() [][][]ir.Value {
	rows := make([][][]ir.Value, len(c.p.Tables))
	for i, t := range c.p.Tables {
		if t.Var || c.opt.Init == schedules.FileRows {
			rows[i] = t.Rows
		}
	}
	return rows
}

// exhaustive decides finite programs: by the instrumentation of CAV'19 in the
// model that it is exact for, else by interpreting all executions.
func (c *check) exhaustive() (bool, error) {
	if c.instrumented() {
		return true, nil
	}
	if !c.finite() {
		return false, nil
	}
	c.opt.Progress(0, 0, "interpreting all executions")
	rows := c.initialRows()
	sessions := interp.Sessions(c.p, 1)
	r := c.explore(sessions, rows, false)
	if r.Verdict == interp.Anomalous && len(c.rep.Dropped) > 0 {
		if certain := c.explore(sessions, rows, true); certain.Verdict == interp.Anomalous {
			r = certain
		}
	}
	switch r.Verdict {
	case interp.Serializable:
		c.byExecutions(fmt.Sprintf("exhaustive interpretation of all %d executions", r.Executions))
		return true, nil
	case interp.Anomalous:
		return c.found(witness.Evidence{Rows: rows, Sessions: sessions, Execution: r.Anomaly, Classic: c.opt.Classic}, nil)
	case interp.Undecided:
		c.bounds = append(c.bounds, "exhaustive interpretation stopped: "+r.Reason)
		return false, nil
	}
	panic(fmt.Sprintf("check: unknown verdict %d", r.Verdict))
}

func (c *check) explore(sessions []interp.Session, rows [][][]ir.Value, certain bool) interp.Result {
	m := interp.NewMachine(c.p, c.opt.Engine)
	r := m.Explore(c.ctx, sessions, interp.NewDB(c.p, rows), interp.Options{Classic: c.opt.Classic, AnyOrder: c.anyOrder(), MaxExecutions: c.opt.MaxExecutions, Certain: certain})
	c.rep.Stats.States += r.Executions
	return r
}

// instrumented decides programs over shared variables in the classic model, for
// any number of sessions: the instrumented program reaches its error state
// under serializability exactly when the program is not robust (CAV'19,
// theorem 2).
func (c *check) instrumented() bool {
	if !c.opt.Classic || c.opt.Engine.Name != engine.SI().Name || len(c.p.Processes) == 0 || c.opt.Init == schedules.AnyRows || !simple(c.p) {
		return false
	}
	c.opt.Progress(0, 0, "exploring the instrumented program")
	q, err := instrument.Rewrite(c.p, instrument.Options{Engine: c.opt.Engine, Classic: true})
	if err != nil {
		return false
	}
	r := reach.Explore(c.ctx, q, reach.Options{MaxStates: c.opt.MaxExecutions})
	c.rep.Stats.States += r.States
	switch r.Verdict {
	case reach.Unreachable:
		c.byExecutions(fmt.Sprintf("instrumentation (CAV'19, theorem 2): none of the %d reachable states of the instrumented program is the error state", r.States))
		return true
	case reach.Reached, reach.BoundHit:
		// The execution itself comes from the interpretation that follows.
		return false
	}
	panic(fmt.Sprintf("check: unknown verdict %d", r.Verdict))
}

// byExecutions records that all executions were gone through.
func (c *check) byExecutions(method string) {
	c.decide(report.Robust)
	c.rep.Proof = &report.Proof{Method: method, Facts: []string{}}
	if c.opt.Keep != nil {
		c.evidence = c.written(proof.ByExecutions, method)
	}
}

// simple reports whether the transactions only read and write shared variables,
// which is the model of CAV'19.
func simple(p *ir.Program) bool {
	for _, t := range p.Tables {
		if !t.Var {
			return false
		}
	}
	plain := true
	for _, t := range p.Txns {
		plain = plain && len(t.Params) == 0
		ir.Walk(t.Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Unmodelled, *ir.Cascade, *ir.Savepoint, *ir.RollbackTo, *ir.LockTable:
				plain = false
			case *ir.Select:
				plain = plain && s.IsVarRead()
			case *ir.Update:
				plain = plain && s.Where == nil
			default:
				plain = plain && len(ir.Reads(s)) == 0
			}
		})
	}
	return plain
}

// prove tries the theory of movers, and tries each walk that it cannot exclude
// as an execution. It leaves some time to a longer search.
func (c *check) prove() (bool, error) {
	ctx, cancel := c.share(0.7)
	defer cancel()
	opt := c.moverOptions()
	opt.Cache, opt.All = c.opt.Cache, c.opt.Shared && !c.opt.First
	opt.AtCommit = c.atCommit
	opt.Scripts, opt.Explain = c.opt.Keep != nil, c.opt.Explain
	opt.MaxWindow, opt.MaxQuestions = c.opt.Window, c.opt.Questions
	if c.opt.Shared {
		opt.MaxEffort = c.opt.Questions * questionEffort
	}
	opt.Limit, opt.Timeout = c.opt.QueryLimit, c.opt.QueryTimeout
	opt.Progress = func(done, total int, what string) { c.opt.Progress(done, total, "proving: "+what) }
	t := &trials{c: c, found: map[*walk.Walk]*report.Finding{}, tried: map[string]bool{}}
	c.trials = t
	opt.Suspect = func(ctx context.Context, w *walk.Walk, facts []*ir.Invariant) bool {
		return t.run(ctx, w, facts, false)
	}
	opt.Scout = func(ctx context.Context, w *walk.Walk, facts []*ir.Invariant) bool { return t.run(ctx, w, facts, true) }
	var r *movers.Result
	var err error
	if !c.guarded("the proof", func() { r, err = movers.Prove(ctx, c.p, opt) }) {
		walks := slices.SortedFunc(maps.Keys(t.found), func(a, b *walk.Walk) int { return strings.Compare(a.String(), b.String()) })
		return c.foundOn(walks, t.found), nil
	}
	if t.unconfirmed != nil {
		return true, t.unconfirmed
	}
	if err != nil {
		if ctx.Err() != nil {
			return false, nil
		}
		return false, err
	}
	c.rep.Stats.Queries += r.Stats.Queries
	c.rep.Stats.SolverMS += r.Stats.Solver.Time.Milliseconds()
	c.tried = attempt{r.Walks, r.Facts, r, r.Bounds}
	if c.foundOn(r.Walks, t.found) {
		return true, nil
	}
	switch r.Verdict {
	case movers.Robust:
		c.rep.Proof = &report.Proof{Method: method(r), Refuted: r.Refuted, Facts: []string{}, Invariants: r.Facts}
		for _, f := range r.Facts {
			c.rep.Proof.Facts = append(c.rep.Proof.Facts, movers.FactString(f))
			if opt.Initially == nil {
				c.rep.Initially = append(c.rep.Initially, movers.FactString(f))
				c.rep.Assumptions = append(c.rep.Assumptions, initially(f))
			}
		}
		if c.opt.Keep != nil {
			if c.evidence, err = c.fromGraph(r); err != nil {
				return true, err
			}
		}
		return c.decide(report.Robust), nil
	case movers.Suspicious:
		return false, nil
	case movers.Unknown:
		if ctx.Err() == nil {
			c.bounds = append(c.bounds, "the proof stopped: "+r.Reason)
		}
		return false, nil
	}
	panic(fmt.Sprintf("check: unknown verdict %d", r.Verdict))
}

// questionEffort is the effort for each of Options.Questions, in terms, where
// there may be many templates.
const questionEffort = 150

// moverOptions are the options that decide what a proof claims.
func (c *check) moverOptions() movers.Options {
	opt := movers.Options{Engine: c.opt.Engine, Classic: c.opt.Classic, SessionOrder: c.opt.SessionOrder}
	switch {
	case c.opt.Init != schedules.AnyRows:
		opt.Initially = c.initially
	case c.opt.Strict:
		opt.Initially = func(*ir.Invariant) bool { return false }
	}
	return opt
}

// method says in words why a proof holds.
func method(r *movers.Result) string {
	if r.Certificate != "" {
		return "certificate: " + r.Certificate
	}
	return fmt.Sprintf("no cycle in the commutativity dependency graph (CAV'19, section 6); %s of cycles refuted, by the solver or by syntax", pieces(r.Refuted))
}

func pieces(n int) string {
	if n == 1 {
		return "1 piece"
	}
	return fmt.Sprintf("%d pieces", n)
}

// share gives a context for a part of the time that is left.
func (c *check) share(part float64) (context.Context, context.CancelFunc) {
	deadline, ok := c.ctx.Deadline()
	if !ok {
		return context.WithCancel(c.ctx)
	}
	return context.WithTimeout(c.ctx, time.Duration(part*float64(time.Until(deadline))))
}

// initially evaluates a fact on the rows that the program starts from, by a
// transaction that assumes it.
func (c *check) initially(f *ir.Invariant) bool {
	q := *c.p
	probe := &ir.Txn{Name: "initially", Body: []ir.Stmt{&ir.Assume{
		Cond: ir.NotE(&ir.Exists{Query: ir.Query{From: f.From, Where: ir.NotE(f.Expr)}})}}}
	q.Txns = []*ir.Txn{probe}
	m := interp.NewMachine(&q, c.opt.Engine)
	return m.Run(&interp.Instance{Txn: probe}, interp.NewDB(&q, c.initialRows()), nil).Blocked == ""
}

// search looks for an execution that no serial order explains.
func (c *check) search() (bool, error) {
	if c.ctx.Err() != nil || c.opt.Solverless && len(c.tried.walks) > 0 {
		return false, nil // without Z3 the walks were tried as well as they can be
	}
	walks := c.tried.walks
	if len(walks) == 0 {
		walks = c.pairs()
	}
	walks, instead := executable(walks)
	queries := c.queries(walks, c.tried.facts, false)
	others := c.queries(instead, c.tried.facts, false)
	for _, q := range others[:min(len(others), len(instead))] { // the walks themselves come first
		q.Options.Effort = insteadEffort
		queries = append(queries, q)
	}
	if len(queries) == 0 {
		return false, nil
	}
	c.opt.Progress(0, 0, "searching an execution")
	a, stats, err := c.find(queries)
	if err != nil {
		return false, err
	}
	if a != nil {
		c.known = append(c.known, a)
		return c.found(witness.Evidence{Rows: a.Rows, Sessions: a.Sessions, Execution: a.Execution}, a.Opaque)
	}
	if stats.Bounded != "" {
		c.bounds = append(c.bounds, "the search stopped: "+stats.Bounded)
		c.guesses = stats.Guesses
	}
	if len(c.rep.Dropped) == 0 || len(c.rep.Findings) > 0 {
		return false, nil
	}
	for i := range queries {
		queries[i].Options.Doubtful, queries[i].Options.Quick = true, true
	}
	a, _, err = c.find(queries)
	if err != nil || a == nil {
		return false, err
	}
	c.known = append(c.known, a)
	return c.found(witness.Evidence{Rows: a.Rows, Sessions: a.Sessions, Execution: a.Execution}, a.Opaque)
}

// find searches executions. Where the context has ended, there is no error.
func (c *check) find(queries []schedules.Query) (*schedules.Anomaly, schedules.Stats, error) {
	a, stats, err := schedules.FindAny(c.ctx, queries)
	c.count(stats)
	if err != nil && c.ctx.Err() != nil {
		return nil, schedules.Stats{}, nil
	}
	return a, stats, err
}

// queries are what to search for given walks.
func (c *check) queries(walks []*walk.Walk, facts []*ir.Invariant, quick bool) []schedules.Query {
	base := schedules.Query{Program: c.p, Engine: c.opt.Engine,
		Options: schedules.Options{Init: c.opt.Init, Invariants: facts, AnyOrder: c.anyOrder(), Quick: quick}}
	return schedules.FromWalks(base, walks, schedules.WalkOptions{Helpers: c.opt.Helpers, SessionOrder: c.opt.SessionOrder})
}

// likelyEffort is the effort for a walk that is likely, but of which nothing was asked
// yet, in terms, and likelyTerms that for its order with a number of rows.
const (
	likelyEffort = 25_000
	likelyTerms  = 10_000
)

// quick tries a single walk, with little effort, while the proof goes on; with less if it
// is only likely.
func (c *check) quick(ctx context.Context, w *walk.Walk, facts []*ir.Invariant, likely bool) (*schedules.Anomaly, schedules.Stats) {
	if inexecutable(w) {
		return nil, schedules.Stats{}
	}
	queries := c.queries([]*walk.Walk{w}, facts, true)
	if len(queries) == 0 {
		return nil, schedules.Stats{}
	}
	if a, known := c.opt.Tried.get(w, facts, likely); known {
		return a, schedules.Stats{}
	}
	q := queries[0] // the walk itself
	if likely {
		q.Options.Effort, q.Options.Terms = likelyEffort, likelyTerms
		if len(w.Helpers) > 2 { // of few transactions random rows are simpler than what the solver gives
			q.Options.Tries = -1
		}
	}
	a, stats, err := schedules.Find(ctx, q)
	if err != nil {
		return nil, stats // the search proper meets it again
	}
	c.opt.Tried.put(w, facts, likely, a)
	return a, stats
}

// insteadEffort is the effort for the search along walks that come instead of others,
// in terms.
const insteadEffort = 100_000

// executable gives the walks along which there may be an execution that can be
// confirmed, and instead of the others those of their delayed transactions with
// themselves: more walks of them may be possible than were looked for.
func executable(walks []*walk.Walk) (out, instead []*walk.Walk) {
	alone := map[*ir.Txn]bool{}
	for _, w := range walks {
		if !inexecutable(w) {
			out = append(out, w)
			continue
		}
		self := &walk.Walk{Delayed: w.Delayed, Helpers: []walk.Helper{{Txn: w.Delayed}}}
		if !alone[w.Delayed] && !inexecutable(self) {
			instead = append(instead, self)
		}
		alone[w.Delayed] = true
	}
	return out, instead
}

// inexecutable reports whether no execution along a walk could be confirmed, since a
// transaction of it never commits without a statement that is not modelled.
func inexecutable(w *walk.Walk) bool {
	return slices.ContainsFunc(w.Templates(), func(t *ir.Txn) bool { return commits.Of(t).Never() })
}

func (c *check) count(stats schedules.Stats) {
	c.rep.Stats.Queries += stats.Questions
	c.rep.Stats.SolverMS += stats.Solver.Time.Milliseconds()
	c.rep.Stats.States += stats.Tries
}

// suspected confirms what was found on a walk. It is nil if the database does not do it.
func (c *check) suspected(a *schedules.Anomaly) (*report.Finding, error) {
	if c.serialized(a.Execution) {
		return nil, nil
	}
	c.known = append(c.known, a)
	f, err := c.finding(witness.Evidence{Rows: a.Rows, Sessions: a.Sessions, Execution: a.Execution}, a.Opaque)
	if err != nil || c.contradicted(f) {
		return nil, err
	}
	return &f, nil
}

// contradicted is refused for an execution of snapshot isolation. What the levels of its transactions
// do not allow, a server at these levels need not do.
func (c *check) contradicted(f report.Finding) bool {
	return (c.levels == nil || c.allowed(&f)) && c.refused(f)
}

// refused puts a finding that a server does not do aside, and reports whether it is
// one.
func (c *check) refused(f report.Finding) bool {
	if f.Replay == nil || f.Replay.Stands() {
		return false
	}
	if !slices.ContainsFunc(c.rep.Refused, func(o report.Finding) bool { return o.Fingerprint == f.Fingerprint }) {
		c.rep.Refused = append(c.rep.Refused, f)
	}
	return true
}

// foundOn reports what was found on walks: the first one, or with Options.Shared one for
// each set of transactions. The other walks stay open.
func (c *check) foundOn(walks []*walk.Walk, found map[*walk.Walk]*report.Finding) (decided bool) {
	var with []*walk.Walk
	var open [][]string
	for _, w := range walks {
		f := found[w]
		if f == nil {
			open = append(open, names(w))
			continue
		}
		with = append(with, w)
		if !slices.ContainsFunc(c.rep.Findings, func(o report.Finding) bool { return sameSet(o.Cycle, f.Cycle) }) {
			c.rep.Findings = append(c.rep.Findings, *f)
		}
		if c.opt.First || !c.opt.Shared {
			break
		}
	}
	if len(with) == 0 {
		return false
	}
	c.decide(report.NotRobust)
	c.tried.walks = with
	if c.opt.Shared && len(open) > 0 {
		c.rep.Open = &report.Open{Cycles: sortedCycles(open), Settle: []string{},
			Reason: "no proof excludes the cycles below, and no execution that shows one was found"}
	}
	return true
}

// sameSet reports whether two lists have the same members.
func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// pairs stands for walks when the proof left none: any transaction delayed
// around any other.
func (c *check) pairs() []*walk.Walk {
	var out []*walk.Walk
	for _, a := range c.p.Txns {
		for _, b := range c.p.Txns {
			out = append(out, &walk.Walk{Delayed: a, Helpers: []walk.Helper{{Txn: b}}})
		}
	}
	return out
}

// found confirms an execution and reports it. decided is false where a server does not
// do it, and where the database may refuse it.
func (c *check) found(e witness.Evidence, opaque []string) (decided bool, err error) {
	if c.serialized(e.Execution) {
		return false, nil
	}
	f, err := c.finding(e, opaque)
	if err != nil {
		return true, err
	}
	if c.contradicted(f) {
		return false, nil
	}
	c.rep.Findings = append(c.rep.Findings, f)
	return f.Status == report.Confirmed && c.decide(report.NotRobust), nil
}

// finding confirms an execution, shows its history to the checkers of histories,
// and describes it.
func (c *check) finding(e witness.Evidence, opaque []string) (report.Finding, error) {
	e.Program, e.Engine, e.AnyOrder, e.Levels = c.p, c.opt.Engine, c.anyOrder(), c.levelNames()
	doubts := c.doubts(e)
	if simple := e.Simplify().Timed(); len(c.doubts(simple)) <= len(doubts) {
		e, doubts = simple, c.doubts(simple)
	}
	w, err := witness.Build(e)
	if err != nil {
		return report.Finding{}, notConfirmed(err)
	}
	trace, err := crosscheck.NewTrace(e, w)
	if err != nil {
		return report.Finding{}, err
	}
	// It takes milliseconds, and nothing is reported without it.
	judged, err := crosscheck.Check(context.WithoutCancel(c.ctx), w, trace, c.opt.Judges)
	if err != nil {
		return report.Finding{}, err
	}
	f := findings.NewFinding(w, opaque, c.opt.Sources)
	f.Validation, f.Trace = judged, trace
	findings.Suspect(&f, doubts)
	findings.Replayed(&f, c.replay(w))
	return f, nil
}

// doubts says why the database may refuse an execution.
func (c *check) doubts(e witness.Evidence) []interp.Doubt {
	if len(c.rep.Dropped) == 0 {
		return nil
	}
	m := e.Machine()
	x, err := e.Replay(m)
	if err != nil {
		return nil // Build says so
	}
	return m.Doubts(x)
}

// replay runs a witness on a server, if that is wanted. Where there is no time for that,
// or no server any more, it says so.
func (c *check) replay(w *witness.Witness) *witness.Replay {
	if c.opt.Replay == nil {
		return nil
	}
	c.opt.Progress(0, 0, "replaying")
	r, err := c.opt.Replay(c.ctx, w)
	switch {
	case err == nil:
		return r
	case errors.Is(c.ctx.Err(), context.DeadlineExceeded):
		return &witness.Replay{Outcome: witness.NotRun, Difference: "the time ran out", Log: []string{}}
	case c.ctx.Err() != nil:
		return &witness.Replay{Outcome: witness.NotRun, Difference: "the check was interrupted", Log: []string{}}
	}
	return &witness.Replay{Outcome: witness.NotRun, Difference: err.Error(), Log: []string{}}
}

// notConfirmed is the error of a fault of this program.
func notConfirmed(err error) error {
	return fmt.Errorf("an execution was found but is not confirmed, which is a fault of this program; please report it: %w", err)
}
