package movers

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/cache"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/internal/walk"
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
	// MaxEffort bounds the questions about all delayed transactions together, by
	// the terms that they have, if it is not 0. Each of those that are not
	// settled by a few questions gets the same share.
	MaxEffort int
	// MaxWalks bounds the walks that are reported for each delayed
	// transaction.
	MaxWalks int
	// Limit and Timeout bound each question (smt.Solver).
	Limit   uint
	Timeout time.Duration
	// AtCommit, if not nil, says which transactions do what they would do with a snapshot right
	// before their commit, whatever their level: they need not be delayed.
	AtCommit func(*ir.Txn) bool
	// Initially, if not nil, says whether a guessed fact holds in the initial
	// state; otherwise that is an assumption.
	Initially func(*ir.Invariant) bool
	// Suspect, if not nil, is given each walk whose windows are possible, with
	// the facts that were used: true, for an anomaly found, ends the attempt
	// with the verdict Suspicious. That takes less than asking about the walk
	// as a whole. It may be called by several goroutines at once, but for the
	// same delayed transaction, and its answer must not depend on their order.
	Suspect func(ctx context.Context, w *walk.Walk, facts []*ir.Invariant) bool
	// Scout is Suspect for likely walks of which nothing was asked yet: it should take
	// less than to ask about them.
	Scout func(ctx context.Context, w *walk.Walk, facts []*ir.Invariant) bool
	// All goes on behind an anomaly, with the other delayed transactions.
	All bool
	// Progress, if not nil, is told what is being done, by one goroutine at a time.
	Progress func(done, total int, what string)
	// Explain finds out what each refutation needs, and Scripts keeps it as an
	// SMT-LIB script; both take more time.
	Explain, Scripts bool
	// Cache, if not nil, has answers of earlier runs, and keeps those of this
	// one.
	Cache *cache.Dir
	// each asks about every template, also about those that are alike, see nodes: a
	// proof that is written names them all.
	each bool
	// maxSteps bounds the statements that are executed to state a question.
	maxSteps int
	// naive is the rule of CAV'19, theorem 4: every helper is atomic, and
	// constraints are those of the snapshot. It is wrong for rows and values,
	// which the tests show.
	naive bool
	// eager asks with all constraints of all tables, for comparison.
	eager bool
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
	Walks []*walk.Walk
	// Reason is why the verdict is Unknown, and Bounds are those that ran out
	// on the way to the verdict.
	Reason string
	Bounds []Bound
	// Refuted counts the pieces of walks that a proof needs to be impossible.
	Refuted int
	// Evidence is what the verdict rests on; nil where a certificate does.
	Evidence *Evidence
	Stats    Stats
	anomaly  bool // Suspect ended the attempt
	// attempt is what a Survey goes on with, and kept why facts are kept.
	attempt *attempt
	kept    []Kept
}

// prover asks about the walks of one delayed node.
type prover struct {
	*attempt
	code  *prepare.Code
	lane  *lane
	memo  map[string]answer
	order []piece // the keys of memo, as they came
	// presumption has the pieces that a survey presumes to be possible, by their keys.
	presumption map[string]bool
	steady      []int   // the node, if it is steady
	bounds      []Bound // that ran out
	stats       Stats
	left        int // questions that may still be asked
	spent       int // questions that a solver was needed for, now or earlier
	effort      int // the sum of the terms of those that were asked
	// memory has the answers of earlier runs, or is nil; recalled says that it
	// was opened.
	memory   *memory
	recalled bool
	// plain asks without the facts: they make questions larger, and most do
	// not need them. It is nil where there are none.
	plain *prover
	// anomaly is the walk with which Suspect ended the attempt, or nil.
	anomaly *walk.Walk
	// atomic says that a chain of atomic elements closes, as far as was asked.
	atomic bool
	// walks and reason are what was found; proved says that it is nothing.
	found  []*walk.Walk
	reason string
	proved bool
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
	if opt.Limit == 0 {
		opt.Limit = 2000000
	}
	if opt.maxSteps == 0 {
		opt.maxSteps = symbolic.MaxSteps
	}
	opt.each = opt.each || opt.Scripts || opt.Explain || opt.AtCommit != nil
	lanes := newLanes(opt)
	defer func() {
		for _, l := range lanes {
			l.close()
		}
	}()
	finish := func(res *Result) *Result {
		res.Stats.Solver = solved(lanes)
		return res
	}
	plain := newAttempt(p, nil, opt, symbolic.ByRow, lanes)
	if len(p.Invariants) == 0 {
		if c := certificate(p, opt); c != "" && unprovable(p) == "" {
			return &Result{Verdict: Robust, Certificate: c}, nil
		}
		// Without facts about the data first: most programs need none, and
		// they cost time. Then with those about counters, which are few.
		plain.opt.MaxQuestions, plain.opt.MaxWalks, plain.opt.MaxWindow = min(opt.MaxQuestions, quickQuestions), 1, 2
		plain.quick = true
		res := plain.run(ctx)
		if res.Verdict == Robust {
			res.Evidence.need(nil, nil, nil)
			return finish(res), nil
		}
		if facts, kept, err := induct(ctx, p, opt, lanes, counters(p)); err == nil && len(facts) > 0 {
			if res := prove(ctx, plain, facts, kept); res.Verdict == Robust {
				return finish(res), nil
			}
		}
		plain.opt, plain.quick = opt, false
	}
	facts, kept, err := induct(ctx, p, opt, lanes, guess(p))
	if err != nil {
		return nil, err
	}
	return finish(prove(ctx, plain, facts, kept)), nil
}

// withFacts gives the program with more invariants.
func withFacts(p *ir.Program, facts []*ir.Invariant) *ir.Program {
	q := *p
	q.Invariants = append(append([]*ir.Invariant{}, p.Invariants...), facts...)
	return &q
}

// prove tries the two granularities of exclusion; a proof with either is one. A
// quick attempt tries the first. plain is what was tried without facts.
func prove(ctx context.Context, plain *attempt, facts []*ir.Invariant, kept []Kept) *Result {
	var best *Result
	var left []int // delayed nodes that the first granularity has not proved
	var stays bool // a walk of theirs is one with the second, too
	for _, gran := range []symbolic.Granularity{symbolic.ByRow, symbolic.ByCell} {
		a := plain
		if gran != plain.gran {
			a = newAttempt(plain.prog, nil, plain.opt, gran, plain.lanes)
		}
		if len(facts) > 0 {
			a = a.with(facts)
		}
		if best == nil && !a.quick && a.scout(ctx) {
			res := a.result(ctx, len(a.nodes))
			res.Mode, res.Facts, res.attempt, res.kept = gran, facts, a, kept
			res.Evidence.need(plain.prog.Invariants, facts, kept)
			return res
		}
		if n := len(a.open()); n > 0 && a.opt.MaxEffort > 0 {
			a.share = max(a.opt.MaxEffort/n, quickEffort)
		}
		if best != nil && (stays || len(left) > 0 && !a.proves(ctx, left[0])) {
			more := a.asked() // then this is no proof of all
			best.Stats.Queries += more.Queries
			best.Stats.Syntactic += more.Syntactic
			break
		}
		res := a.run(ctx)
		left, stays = a.open(), a.atomic()
		res.Mode, res.Facts, res.attempt, res.kept = gran, facts, a, kept
		res.Evidence.need(plain.prog.Invariants, facts, kept)
		if res.Verdict == Robust {
			res.Facts = nil
			for _, f := range res.Evidence.Facts {
				if f.Needed && !f.Stated {
					res.Facts = append(res.Facts, f.Invariant)
				}
			}
		}
		if best != nil {
			res.Stats.Queries += best.Stats.Queries
			res.Stats.Syntactic += best.Stats.Syntactic
			best.Stats = res.Stats
		}
		if best == nil || res.Verdict == Robust {
			best = res
		}
		if res.Verdict == Robust || plain.quick || plain.opt.Classic || res.anomaly || ctx.Err() != nil {
			break
		}
	}
	return best
}

// sessionOrder reports whether u always comes before v.
func (p *attempt) sessionOrder(u, v int) bool {
	a, b := p.nodes[u], p.nodes[v]
	if a.process != nil {
		return a.process == b.process && a.index < b.index
	}
	return p.opt.SessionOrder
}

// possible excludes elements for reasons of sessions: v may follow the chain.
func (p *attempt) possible(t0 int, chain []elem, v elem) bool {
	n, d := p.nodes[v.node], p.nodes[t0]
	if n.process == nil {
		return true
	}
	if n.process == d.process && n.process.Copies == 1 {
		return false // one session does one thing at a time
	}
	for _, e := range chain {
		m := p.nodes[e.node]
		if m.process == n.process && n.single() && (m.index >= n.index || e.kind == walk.Issued) {
			return false
		}
	}
	return true
}

// ran says what decides, besides the newest elements, which elements may follow
// a chain: what each process of which there is one has run, and whether that
// was issued.
func (p *attempt) ran(chain []elem) string {
	newest := map[string]string{}
	for _, e := range chain {
		if n := p.nodes[e.node]; n.single() {
			newest[n.process.Name] = fmt.Sprintf(" %q:%d%s", n.process.Name, n.index, e.kind)
		}
	}
	return strings.Join(slices.Sorted(maps.Values(newest)), "")
}

// walks finds the closed walks of a delayed node. Windows grow until no walk
// is left, or one is possible as a whole.
func (p *prover) walks(ctx context.Context, t0 int) (found []*walk.Walk, reason string) {
	p.bounds = nil
	if len(p.near.affecting[t0]) == 0 {
		return nil, "" // nothing can be first in its window
	}
	if txn := p.nodes[t0].txn; p.gran == symbolic.ByRow && steady(p.code, txn, p.opt) || p.opt.AtCommit != nil && p.opt.AtCommit(txn) {
		p.steady = []int{t0}
		return nil, ""
	}
	p.effort = 0
	switch a := p.ask(ctx, piece{t0: t0}); {
	case a.res == smt.Unsat:
		return nil, "" // it never writes, or may as well begin when it commits
	case a.large:
		return nil, "walks around " + p.nodes[t0].txn.Name + " remain: " + a.reason // all others are larger
	}
	p.left = p.opt.MaxQuestions
	window := 1
	if p.finite() {
		window = len(p.nodes)
	}
	for ; ; window++ {
		closed, none := p.explore(ctx, t0, window)
		if p.anomaly != nil {
			return []*walk.Walk{p.anomaly}, ""
		}
		if none {
			return nil, ""
		}
		if err := ctx.Err(); err != nil {
			return nil, err.Error()
		}
		p.atomic = slices.ContainsFunc(closed, allAtomic)
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
		if p.exhausted() {
			p.bound(BoundQuestions)
			return nil, fmt.Sprintf("walks around %s remain after %d questions", p.nodes[t0].txn.Name, p.opt.MaxQuestions-p.left)
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

// explore searches from both ends of walks in turns. It gives the chains that
// close, or none when one of the searches finds that there are none.
func (p *prover) explore(ctx context.Context, t0, window int) (closed [][]elem, none bool) {
	var turns []*search
	for _, back := range p.directions() {
		turns = append(turns, p.search(t0, window, back))
	}
	for len(turns) > 0 {
		s := turns[0]
		turns = turns[1:]
		s.advance(ctx)
		if !s.done && p.anomaly == nil {
			turns = append(turns, s)
			continue
		}
		if s.complete && len(s.closed) == 0 {
			return nil, true
		}
		if p.anomaly != nil {
			return nil, false
		}
		for _, chain := range s.closed {
			if !slices.ContainsFunc(closed, func(c []elem) bool { return slices.Equal(c, chain) }) {
				closed = append(closed, chain)
			}
		}
	}
	return closed, false
}

// exhausted reports whether no more may be asked.
func (p *prover) exhausted() bool {
	effort := quickEffort
	if len(p.facts) > 0 {
		effort *= 4 // there is more hope
	}
	return p.left <= 0 || p.quick && p.effort >= effort || !p.quick && p.share > 0 && p.effort >= p.share
}

// bound records that a bound ran out.
func (p *prover) bound(b Bound) {
	if !slices.Contains(p.bounds, b) {
		p.bounds = append(p.bounds, b)
	}
}

// suspect gives a chain to Options.Suspect, and reports whether that ends the
// attempt.
func (p *prover) suspect(ctx context.Context, t0 int, chain []elem) bool {
	if p.opt.Suspect == nil || p.quick {
		return false
	}
	w := p.walk(t0, chain, answer{})
	p.progress(t0, w.String())
	if ctx.Err() == nil && p.opt.Suspect(ctx, w, p.facts) {
		p.anomaly = w
	}
	return p.anomaly != nil
}

// doubled tries a chain with one element twice in a row, and reports whether that ends
// the attempt: the shortest walk, whose windows do not know of each other, often lacks a
// second instance of one of its templates, and to find that out by longer windows takes
// long.
func (p *prover) doubled(ctx context.Context, t0 int, chain []elem) bool {
	for i, e := range chain {
		if e.kind == walk.Atomic && p.suspect(ctx, t0, slices.Insert(slices.Clone(chain), i, e)) {
			return true
		}
	}
	return false
}

func (p *attempt) walk(t0 int, chain []elem, a answer) *walk.Walk {
	w := &walk.Walk{Delayed: p.nodes[t0].txn, Unknown: a.reason, Example: a.example}
	for _, e := range chain {
		w.Helpers = append(w.Helpers, walk.Helper{Txn: p.nodes[e.node].txn, Kind: e.kind})
	}
	return w
}

// finite reports whether every node runs at most once, so that chains are
// bounded and can be asked as a whole.
func (p *attempt) finite() bool {
	for _, n := range p.nodes {
		if !n.single() {
			return false
		}
	}
	return len(p.nodes) > 0
}
