package movers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/smt"
	"github.com/txrobust/robust/symbolic"
)

// Verdict is the answer of Prove.
type Verdict uint8

const (
	// Robust: there is no closed walk; a proof.
	Robust Verdict = iota
	// Suspicious: a closed walk is possible.
	Suspicious
	// Unknown: the bounds ran out before either.
	Unknown
)

func (v Verdict) String() string { return [...]string{"robust", "suspicious", "unknown"}[v] }

// Bound is a bound of Options.
type Bound string

const (
	BoundWindow    Bound = "window"    // MaxWindow
	BoundQuestions Bound = "questions" // MaxQuestions
	BoundSolver    Bound = "solver"    // Limit or Timeout, for some question
)

// Options direct Prove.
type Options struct {
	Engine *engine.Profile
	// Classic selects value-blind dependencies (CAV'19, theorem 2).
	Classic bool
	// SessionOrder makes the order within sessions a dependency where
	// sessions run any templates; for processes it always is one.
	SessionOrder bool
	// MaxWindow bounds the edges that are asked as one question.
	MaxWindow int
	// MaxQuestions bounds the pieces of walks that the solver is asked about
	// for each delayed transaction.
	MaxQuestions int
	// MaxWalks bounds the walks that are reported for each delayed
	// transaction.
	MaxWalks int
	// Limit and Timeout bound each question (smt.Solver).
	Limit   uint
	Timeout time.Duration
	// Initially, if not nil, says whether a guessed fact holds in the initial
	// state; otherwise that is an assumption.
	Initially func(*ir.Invariant) bool
	// Suspect, if not nil, is given each walk whose windows are possible, with
	// the facts that were used: true, for an anomaly found, ends the attempt
	// with the verdict Suspicious. That takes less than asking about the walk
	// as a whole.
	Suspect func(w *Walk, facts []*ir.Invariant) bool
	// Progress, if not nil, is told what is being done.
	Progress func(done, total int, what string)
	// Explain finds out what each refutation needs, and Scripts keeps it as an
	// SMT-LIB script; both take more time.
	Explain, Scripts bool
	// naive is the rule of CAV'19, theorem 4: every helper is atomic, and
	// constraints are those of the snapshot. It is wrong for rows and values,
	// which the tests show.
	naive bool
}

// Stats counts what a proof took.
type Stats struct {
	// Queries reached the solver, Syntactic ones did not need it.
	Queries, Syntactic int
	Solver             smt.Stats
}

// Result is what Prove found.
type Result struct {
	Verdict Verdict
	// Certificate names the fast certificate that applied, or is "".
	Certificate string
	// Mode is the granularity of exclusion of the proof.
	Mode symbolic.Granularity
	// Facts are the inductive facts that a proof needs, or else that could be
	// used, beyond the program's own invariants.
	Facts []*ir.Invariant
	// Walks are the closed walks that remain, possible or not known to be.
	Walks []*Walk
	// Reason is why the verdict is Unknown, and Bounds are those that ran out
	// on the way to the verdict.
	Reason string
	Bounds []Bound
	// Refuted counts the pieces of walks that a proof needs to be impossible.
	Refuted int
	// Evidence is what the verdict rests on; nil where a certificate does.
	Evidence *Evidence
	Stats    Stats
}

type prover struct {
	opt    Options
	code   *symbolic.Code
	nodes  []*node
	gran   symbolic.Granularity
	solver *smt.Solver
	memo   map[string]answer
	order  []piece // the keys of memo, as they came
	steady []int   // nodes that are steady
	bounds []Bound // that ran out
	stats  *Stats
	left   int // questions that may still be asked for this transaction
	// quick makes the first transaction that is not proved end the run.
	quick bool
	facts []*ir.Invariant
	// plain asks without the facts: they make questions larger, and most do
	// not need them. It is nil where there are none.
	plain *prover
	// anomaly is the walk with which Suspect ended the attempt, or nil.
	anomaly *Walk
}

// quickQuestions bounds the questions for one delayed transaction in the first
// attempt.
const quickQuestions = 16

func newProver(p *ir.Program, opt Options, gran symbolic.Granularity, solver *smt.Solver, stats *Stats) *prover {
	return &prover{opt: opt, code: symbolic.Prepare(p), nodes: nodes(p), gran: gran, solver: solver, stats: stats, memo: map[string]answer{}}
}

// Prove tries to prove that p is robust. An error is a fault of the input: an
// invariant that is not inductive.
func Prove(ctx context.Context, p *ir.Program, opt Options) (*Result, error) {
	if opt.MaxWindow == 0 {
		opt.MaxWindow = 4
	}
	if opt.MaxQuestions == 0 {
		opt.MaxQuestions = 2000
	}
	if opt.MaxWalks == 0 {
		opt.MaxWalks = 6
	}
	solver := smt.NewSolver()
	if opt.Limit == 0 {
		opt.Limit = 2000000
	}
	solver.Limit, solver.Timeout = opt.Limit, opt.Timeout
	stats := &Stats{}
	if len(p.Invariants) == 0 {
		if c := certificate(p, opt); c != "" {
			return &Result{Verdict: Robust, Certificate: c}, nil
		}
		// Without facts about the data first: most programs need none, and
		// they cost time.
		quick := opt
		quick.MaxQuestions, quick.MaxWalks = min(opt.MaxQuestions, quickQuestions), 1
		quick.MaxWindow = 2
		pr := newProver(p, quick, symbolic.ByRow, solver, stats)
		pr.quick = true
		if res := pr.run(ctx); res.Verdict == Robust {
			res.Evidence.need(nil, nil, nil)
			res.Stats = *stats
			res.Stats.Solver = solver.Stats
			return res, nil
		}
	}
	facts, kept, err := induct(ctx, p, opt, solver)
	if err != nil {
		return nil, err
	}
	return prove(ctx, p, facts, kept, opt, solver, stats), nil
}

// withFacts gives the program with more invariants.
func withFacts(p *ir.Program, facts []*ir.Invariant) *ir.Program {
	q := *p
	q.Invariants = append(append([]*ir.Invariant{}, p.Invariants...), facts...)
	return &q
}

// prove tries the two granularities of exclusion; a proof with either is one.
func prove(ctx context.Context, p *ir.Program, facts []*ir.Invariant, kept []Kept, opt Options, solver *smt.Solver, stats *Stats) *Result {
	var best *Result
	for _, gran := range []symbolic.Granularity{symbolic.ByRow, symbolic.ByCell} {
		pr := newProver(withFacts(p, facts), opt, gran, solver, stats)
		pr.facts = facts
		if len(facts) > 0 {
			pr.plain = newProver(p, opt, gran, solver, stats)
		}
		res := pr.run(ctx)
		res.Mode, res.Facts = gran, facts
		res.Evidence.need(p.Invariants, facts, kept)
		if res.Verdict == Robust {
			res.Facts = nil
			for _, f := range res.Evidence.Facts {
				if f.Needed && !f.Stated {
					res.Facts = append(res.Facts, f.Invariant)
				}
			}
		}
		if best == nil || res.Verdict == Robust {
			best = res
		}
		if res.Verdict == Robust || opt.Classic || pr.anomaly != nil || ctx.Err() != nil {
			break
		}
	}
	best.Stats = *stats
	best.Stats.Solver = solver.Stats
	return best
}

func (p *prover) run(ctx context.Context) *Result {
	res := &Result{}
	defer func() { p.conclude(res) }()
	for t0 := range p.nodes {
		if p.opt.Progress != nil {
			p.opt.Progress(t0, len(p.nodes), p.nodes[t0].txn.Name)
		}
		if err := ctx.Err(); err != nil {
			res.Verdict, res.Reason = Unknown, err.Error()
			return res
		}
		walks, reason := p.walks(ctx, t0)
		res.Walks = append(res.Walks, walks...)
		if reason != "" && res.Reason == "" {
			res.Reason = reason
		}
		if p.anomaly != nil || p.quick && (len(walks) > 0 || reason != "") {
			break
		}
	}
	for _, w := range res.Walks {
		if w.Unknown == "" {
			res.Verdict = Suspicious
		} else if res.Reason == "" {
			res.Reason = "whether " + w.String() + " is possible is not known: " + w.Unknown
		}
	}
	if res.Verdict != Suspicious && res.Reason != "" {
		res.Verdict = Unknown
	}
	return res
}

// conclude completes a result with what it rests on. A proof is looked at a
// second time, by code of its own.
func (p *prover) conclude(res *Result) {
	res.Evidence = p.evidence()
	for _, a := range res.Evidence.Asked {
		if a.Result == smt.Unknown {
			p.bound(BoundSolver)
		}
	}
	res.Bounds = p.bounds
	if res.Verdict == Robust && !p.opt.naive {
		if v := res.Evidence.conclude(); v >= 0 {
			res.Verdict, res.Reason = Unknown, "a fault of this program, please report it: the search ended, but a walk of "+p.nodes[v].txn.Name+" remains"
		}
	}
	for _, a := range res.Evidence.Asked {
		if a.Needed {
			res.Refuted++
		}
	}
}

// sessionOrder reports whether u always comes before v.
func (p *prover) sessionOrder(u, v int) bool {
	a, b := p.nodes[u], p.nodes[v]
	if a.process != nil {
		return a.process == b.process && a.index < b.index
	}
	return p.opt.SessionOrder
}

// possible excludes elements for reasons of sessions: v may follow the chain.
func (p *prover) possible(t0 int, chain []elem, v elem) bool {
	n, d := p.nodes[v.node], p.nodes[t0]
	if n.process == nil {
		return true
	}
	if n.process == d.process && n.process.Copies == 1 {
		return false // one session does one thing at a time
	}
	for _, e := range chain {
		m := p.nodes[e.node]
		if m.process == n.process && n.single() && (m.index >= n.index || e.kind == Issued) {
			return false
		}
	}
	return true
}

// ran says what decides, besides the newest elements, which elements may follow
// a chain: what each process of which there is one has run, and whether that
// was issued.
func (p *prover) ran(chain []elem) string {
	newest := map[string]string{}
	for _, e := range chain {
		if n := p.nodes[e.node]; n.single() {
			newest[n.process.Name] = fmt.Sprintf(" %s:%d%s", n.process.Name, n.index, e.kind)
		}
	}
	return strings.Join(slices.Sorted(maps.Values(newest)), "")
}

// walks finds the closed walks of a delayed node. Windows grow until no walk
// is left, or one is possible as a whole.
func (p *prover) walks(ctx context.Context, t0 int) (found []*Walk, reason string) {
	if p.gran == symbolic.ByRow && steady(p.code, p.nodes[t0].txn, p.opt) {
		p.steady = append(p.steady, t0)
		return nil, ""
	}
	if p.ask(ctx, piece{t0: t0}).res == smt.Unsat {
		return nil, "" // it never writes, or may as well begin when it commits
	}
	p.left = p.opt.MaxQuestions
	window := 1
	if p.finite() {
		window = len(p.nodes)
	}
	for ; ; window++ {
		var closed [][]elem
		for _, back := range p.directions() {
			list, complete := p.search(ctx, t0, window, back)
			if window == 1 && p.anomaly == nil && ctx.Err() == nil {
				p.doubled(t0, list)
			}
			if p.anomaly != nil {
				return []*Walk{p.anomaly}, ""
			}
			if err := ctx.Err(); err != nil {
				return nil, err.Error()
			}
			if len(list) == 0 && complete {
				return nil, ""
			}
			for _, chain := range list {
				if !slices.ContainsFunc(closed, func(c []elem) bool { return slices.Equal(c, chain) }) {
					closed = append(closed, chain)
				}
			}
		}
		for _, chain := range closed {
			if ctx.Err() != nil {
				break
			}
			whole := p.ask(ctx, piece{t0, chain, true, true})
			if whole.res == smt.Unsat {
				continue
			}
			found = append(found, p.walk(t0, chain, whole))
		}
		if len(found) > 0 {
			return found, ""
		}
		if p.left <= 0 {
			p.bound(BoundQuestions)
			return nil, fmt.Sprintf("walks around %s remain after %d questions", p.nodes[t0].txn.Name, p.opt.MaxQuestions)
		}
		if window >= p.opt.MaxWindow && !p.finite() {
			p.bound(BoundWindow)
			return nil, fmt.Sprintf("walks around %s remain after windows of %d transactions", p.nodes[t0].txn.Name, window)
		}
		if p.finite() {
			return nil, fmt.Sprintf("too many walks around %s", p.nodes[t0].txn.Name)
		}
	}
}

// bound records that a bound ran out.
func (p *prover) bound(b Bound) {
	if !slices.Contains(p.bounds, b) {
		p.bounds = append(p.bounds, b)
	}
}

// suspect gives a chain to Options.Suspect, and reports whether that ends the
// attempt.
func (p *prover) suspect(t0 int, chain []elem) bool {
	if p.opt.Suspect == nil || p.quick {
		return false
	}
	w := p.walk(t0, chain, answer{})
	if p.opt.Suspect(w, p.facts) {
		p.anomaly = w
	}
	return p.anomaly != nil
}

// doubled tries chains with one element twice in a row: the shortest walk, whose
// windows do not know of each other, often lacks a second instance of one of
// its templates, and to find that out by longer windows takes long.
func (p *prover) doubled(t0 int, chains [][]elem) {
	for _, chain := range chains {
		for i, e := range chain {
			if e.kind == Atomic && p.suspect(t0, slices.Insert(slices.Clone(chain), i, e)) {
				return
			}
		}
	}
}

func (p *prover) walk(t0 int, chain []elem, a answer) *Walk {
	w := &Walk{Delayed: p.nodes[t0].txn, Unknown: a.reason, Example: a.example}
	for _, e := range chain {
		w.Helpers = append(w.Helpers, Helper{p.nodes[e.node].txn, e.kind})
	}
	return w
}

// finite reports whether every node runs at most once, so that chains are
// bounded and can be asked as a whole.
func (p *prover) finite() bool {
	for _, n := range p.nodes {
		if !n.single() {
			return false
		}
	}
	return len(p.nodes) > 0
}

// directions gives the directions of the search: to prove that there is no
// walk, either is enough. Chains of processes grow forwards only, since what
// may follow depends on what is before.
func (p *prover) directions() []bool {
	if p.quick || len(p.nodes) > 0 && p.nodes[0].process != nil {
		return []bool{false}
	}
	return []bool{false, true}
}

// search goes breadth-first through chains of which only the last window
// elements are remembered, and gives chains that close. If back, chains grow
// from the end of walks, and the first elements are remembered. complete is
// false when there may be more.
func (p *prover) search(ctx context.Context, t0, window int, back bool) (closed [][]elem, complete bool) {
	type state struct {
		chain []elem // the whole chain, for the report
		known int    // how many of its newest elements are remembered
		whole bool   // these are the chain
	}
	// newest gives the n newest elements, and join makes a chain one longer.
	newest := func(chain []elem, n int) []elem {
		if back {
			return chain[:n]
		}
		return chain[len(chain)-n:]
	}
	join := func(chain []elem, e elem) []elem {
		if back {
			return append([]elem{e}, chain...)
		}
		return append(slices.Clone(chain), e)
	}
	// part is a piece that starts where the search does if whole, and ends at
	// the other end of the walk if closes.
	part := func(elems []elem, whole, closes bool) piece {
		if back {
			return piece{t0, elems, closes, whole}
		}
		return piece{t0, elems, whole, closes}
	}
	seen := map[string]bool{}
	var queue []state
	push := func(s state) {
		k := part(newest(s.chain, s.known), s.whole, false).key() + p.ran(s.chain)
		if !seen[k] {
			seen[k] = true
			queue = append(queue, s)
		}
	}
	kinds := []Kind{Atomic, Issued}
	for v := range p.nodes {
		for _, kind := range kinds {
			e := elem{v, kind}
			if kind == Issued && (!back || p.opt.naive) || !p.possible(t0, nil, e) {
				continue // an issued one commutes with the snapshot
			}
			if p.ask(ctx, part([]elem{e}, true, false)).res != smt.Unsat {
				push(state{[]elem{e}, 1, true})
			}
		}
	}
	for len(queue) > 0 {
		if p.left <= 0 || ctx.Err() != nil {
			return closed, false
		}
		s := queue[0]
		queue = queue[1:]
		known := newest(s.chain, s.known)
		end := newest(s.chain, 1)[0]
		if !(back && end.kind == Issued) && p.ask(ctx, part(known, s.whole, true)).res != smt.Unsat {
			closed = append(closed, s.chain)
			if p.suspect(t0, s.chain) || len(closed) == p.opt.MaxWalks {
				return closed, false
			}
		}
		for v := range p.nodes {
			for _, kind := range kinds {
				e := elem{v, kind}
				if kind == Issued && (end.kind == Issued || p.opt.naive) {
					continue
				}
				if back && !p.possible(t0, nil, e) || !back && !p.possible(t0, s.chain, e) {
					continue
				}
				// Cheap questions first: the edge alone, then with what is
				// remembered.
				if p.ask(ctx, piece{t0, join([]elem{end}, e), false, false}).res == smt.Unsat {
					continue
				}
				if p.ask(ctx, part(join(known, e), s.whole, false)).res == smt.Unsat {
					continue
				}
				t := state{join(s.chain, e), s.known + 1, s.whole}
				if t.known > window {
					t.known, t.whole = window, false
				}
				push(t)
			}
		}
	}
	return closed, true
}
