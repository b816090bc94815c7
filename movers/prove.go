package movers

import (
	"context"
	"fmt"
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
	// Suspicious: a closed walk is possible as far as the solver can tell.
	Suspicious
	// Unknown: the bounds ran out before either.
	Unknown
)

func (v Verdict) String() string { return [...]string{"robust", "suspicious", "unknown"}[v] }

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
	// MaxQuestions bounds the pieces of walks that are asked for each delayed
	// transaction.
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
	// Observe, if not nil, is given every question with its answer.
	Observe func(name string, asserts []*smt.Term, res smt.Result)
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
	// Facts are the inductive facts that were used, beyond the program's own
	// invariants.
	Facts []*ir.Invariant
	// Walks are the closed walks that remain.
	Walks []*Walk
	// Reason is why the verdict is Unknown.
	Reason string
	// Refuted counts the pieces of walks that were proved impossible.
	Refuted int
	Stats   Stats
}

type prover struct {
	opt    Options
	code   *symbolic.Code
	nodes  []*node
	gran   symbolic.Granularity
	solver *smt.Solver
	memo   map[string]answer
	stats  Stats
	left   int // questions that may still be asked for this transaction
	// quick makes the first transaction that is not proved end the run.
	quick bool
	facts []*ir.Invariant
	// plain asks without the facts: they make questions larger, and most do
	// not need them. It is nil where there are none.
	plain *prover
	// stopped is set when Suspect ended the attempt.
	stopped bool
}

// quickQuestions bounds the questions for one delayed transaction in the first
// attempt.
const quickQuestions = 16

func newProver(p *ir.Program, opt Options, gran symbolic.Granularity, solver *smt.Solver) *prover {
	return &prover{opt: opt, code: symbolic.Prepare(p), nodes: nodes(p), gran: gran, solver: solver, memo: map[string]answer{}}
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
	var facts []*ir.Invariant
	if len(p.Invariants) > 0 {
		found, err := induct(ctx, p, opt, solver)
		if err != nil {
			return nil, err
		}
		facts = found
	} else if c := certificate(p, opt); c != "" {
		return &Result{Verdict: Robust, Certificate: c}, nil
	}
	var stats Stats
	if len(p.Invariants) == 0 {
		// Without facts about the data first: most programs need none, and
		// they cost time.
		quick := opt
		quick.MaxQuestions, quick.MaxWalks = min(opt.MaxQuestions, quickQuestions), 1
		quick.MaxWindow = 2
		pr := newProver(p, quick, symbolic.ByRow, solver)
		pr.quick = true
		res := pr.run(ctx)
		stats = pr.stats
		if res.Verdict == Robust {
			res.Stats = stats
			res.Stats.Solver = solver.Stats
			return res, nil
		}
		found, err := induct(ctx, p, opt, solver)
		if err != nil {
			return nil, err
		}
		facts = found
	}
	res := prove(ctx, p, facts, opt, solver)
	res.Stats.Queries += stats.Queries
	res.Stats.Syntactic += stats.Syntactic
	res.Facts = facts
	res.Stats.Solver = solver.Stats
	return res, nil
}

// withFacts gives the program with more invariants.
func withFacts(p *ir.Program, facts []*ir.Invariant) *ir.Program {
	q := *p
	q.Invariants = append(append([]*ir.Invariant{}, p.Invariants...), facts...)
	return &q
}

// prove tries the two granularities of exclusion; a proof with either is one.
func prove(ctx context.Context, p *ir.Program, facts []*ir.Invariant, opt Options, solver *smt.Solver) *Result {
	var best *Result
	var stats Stats
	for _, gran := range []symbolic.Granularity{symbolic.ByRow, symbolic.ByCell} {
		pr := newProver(withFacts(p, facts), opt, gran, solver)
		pr.facts = facts
		if len(facts) > 0 {
			pr.plain = newProver(p, opt, gran, solver)
		}
		res := pr.run(ctx)
		stats.Queries += pr.stats.Queries
		stats.Syntactic += pr.stats.Syntactic
		if pr.plain != nil {
			stats.Queries += pr.plain.stats.Queries
			stats.Syntactic += pr.plain.stats.Syntactic
		}
		res.Mode = gran
		if best == nil || res.Verdict == Robust {
			best = res
		}
		if res.Verdict == Robust || opt.Classic || pr.stopped || ctx.Err() != nil {
			break
		}
	}
	best.Stats = stats
	return best
}

func (p *prover) run(ctx context.Context) *Result {
	res := &Result{}
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
		if p.stopped || p.quick && (len(walks) > 0 || reason != "") {
			break
		}
	}
	switch {
	case len(res.Walks) > 0:
		res.Verdict = Suspicious
	case res.Reason != "":
		res.Verdict = Unknown
	}
	for _, a := range p.memo {
		if a.res == smt.Unsat {
			res.Refuted++
		}
	}
	return res
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

// walks finds the closed walks of a delayed node. Windows grow until no walk
// is left, or one is possible as a whole.
func (p *prover) walks(ctx context.Context, t0 int) (found []*Walk, reason string) {
	if p.gran == symbolic.ByRow && steady(p.code, p.nodes[t0].txn, p.opt) || p.ask(ctx, piece{t0: t0}).res == smt.Unsat {
		return nil, "" // it never writes, or may as well begin when it commits
	}
	p.left = p.opt.MaxQuestions
	window := 1
	if p.finite() {
		window = len(p.nodes)
	}
	for ; ; window++ {
		closed, complete := p.search(ctx, t0, window)
		if p.stopped {
			return []*Walk{p.walk(t0, closed[len(closed)-1], answer{})}, ""
		}
		if err := ctx.Err(); err != nil {
			return nil, err.Error()
		}
		if len(closed) == 0 && complete {
			return nil, ""
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
			return nil, fmt.Sprintf("walks around %s remain after %d questions", p.nodes[t0].txn.Name, p.opt.MaxQuestions)
		}
		if window >= p.opt.MaxWindow && !p.finite() {
			return nil, fmt.Sprintf("walks around %s remain after windows of %d transactions", p.nodes[t0].txn.Name, window)
		}
		if p.finite() {
			return nil, fmt.Sprintf("too many walks around %s", p.nodes[t0].txn.Name)
		}
	}
}

func (p *prover) walk(t0 int, chain []elem, a answer) *Walk {
	w := &Walk{Delayed: p.nodes[t0].txn}
	for _, e := range chain {
		w.Helpers = append(w.Helpers, Helper{p.nodes[e.node].txn, e.kind})
	}
	if a.res == smt.Unknown {
		w.Unknown = a.reason
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

// search goes breadth-first through chains of which only the last window
// elements are remembered, and gives chains that close. complete is false when
// there may be more.
func (p *prover) search(ctx context.Context, t0, window int) (closed [][]elem, complete bool) {
	type state struct {
		chain []elem // the whole chain, for the report
		tail  int    // how many of its last elements are remembered
		whole bool   // the tail is the chain
	}
	complete = true
	seen := map[string]bool{}
	var queue []state
	push := func(s state) {
		k := piece{t0, s.chain[len(s.chain)-s.tail:], s.whole, false}.key()
		if !seen[k] {
			seen[k] = true
			queue = append(queue, s)
		}
	}
	for v := range p.nodes {
		e := elem{v, Atomic} // an issued one commutes with the snapshot
		if p.possible(t0, nil, e) && p.ask(ctx, piece{t0, []elem{e}, true, false}).res != smt.Unsat {
			push(state{[]elem{e}, 1, true})
		}
	}
	for len(queue) > 0 {
		if p.left <= 0 || ctx.Err() != nil {
			return closed, false
		}
		s := queue[0]
		queue = queue[1:]
		tail := s.chain[len(s.chain)-s.tail:]
		if p.ask(ctx, piece{t0, tail, s.whole, true}).res != smt.Unsat {
			closed = append(closed, s.chain)
			if !p.quick && p.opt.Suspect != nil && p.opt.Suspect(p.walk(t0, s.chain, answer{}), p.facts) {
				p.stopped = true
				return closed, false
			}
			if len(closed) == p.opt.MaxWalks {
				return closed, false
			}
		}
		for v := range p.nodes {
			for _, kind := range []Kind{Atomic, Issued} {
				e := elem{v, kind}
				last := tail[len(tail)-1]
				if kind == Issued && (last.kind == Issued || p.opt.naive) || !p.possible(t0, s.chain, e) {
					continue
				}
				// Cheap questions first: the edge alone, then with what is
				// remembered.
				if p.ask(ctx, piece{t0, []elem{last, e}, false, false}).res == smt.Unsat {
					continue
				}
				next := append(append([]elem{}, tail...), e)
				if p.ask(ctx, piece{t0, next, s.whole, false}).res == smt.Unsat {
					continue
				}
				t := state{append(append([]elem{}, s.chain...), e), s.tail + 1, s.whole}
				if t.tail > window {
					t.tail, t.whole = window, false
				}
				push(t)
			}
		}
	}
	return closed, complete
}
