package movers

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
)

// attempt is one try to prove a program, for all delayed nodes: with one
// granularity, and with or without facts.
type attempt struct {
	prog  *ir.Program // with the facts
	opt   Options
	gran  symbolic.Granularity
	facts []*ir.Invariant
	nodes []*node
	near  neighbours
	lanes []*lane
	// quick leaves it at questions; walks are not tried as executions.
	quick   bool
	provers []*prover // by delayed node, nil where nothing was tried
	plain   *attempt  // without the facts; nil where there are none
	// share bounds the effort for each delayed node, if it is not 0.
	share int
	mu    *sync.Mutex
}

// A quick attempt asks at most quickQuestions about each delayed transaction, and
// no more when those that it has asked have quickEffort terms together: where
// questions are large, facts are found sooner than another way around them. None
// of them makes more instances when it has quickTerms terms.
const (
	quickQuestions = 48
	quickEffort    = 5000
	quickTerms     = 10000
)

func newAttempt(p *ir.Program, facts []*ir.Invariant, opt Options, gran symbolic.Granularity, lanes []*lane) *attempt {
	list := nodes(p, !opt.each)
	footprints(p, list, opt)
	return &attempt{prog: withFacts(p, facts), opt: opt, gran: gran, facts: facts, nodes: list, near: newNeighbours(list),
		lanes: lanes, provers: make([]*prover, len(list)), mu: &sync.Mutex{}}
}

// with is an attempt with facts, which takes over what this one, without any,
// has proved.
func (a *attempt) with(facts []*ir.Invariant) *attempt {
	out := *a
	out.prog, out.facts, out.plain = withFacts(a.prog, facts), facts, a
	out.provers = make([]*prover, len(a.nodes))
	for i, p := range a.provers {
		if p != nil && (p.proved || p.anomaly != nil) {
			out.provers[i] = p
		}
	}
	return &out
}

// prover makes one for a delayed node.
func (a *attempt) prover(l *lane) *prover {
	return &prover{attempt: a, code: l.code(a.prog), lane: l, memo: map[string]answer{}}
}

// remember opens the memory of a prover, when it is first needed.
func (p *prover) remember(t0 int) *memory {
	if !p.recalled {
		p.memory = p.lane.recall(p.opt, p.code, fmt.Sprint("delayed ", p.gran, len(p.facts)), p.template(t0))
		p.recalled = true
	}
	return p.memory
}

// run tries all delayed nodes that are not proved yet.
func (a *attempt) run(ctx context.Context) *Result {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// When an anomaly is found, those after its delayed node need not go on.
	first := len(a.nodes)
	stop := make([]context.CancelFunc, len(a.nodes))
	parallel(ctx, len(a.nodes), a.lanes, func(ctx context.Context, t0 int, l *lane) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		a.mu.Lock()
		stop[t0] = cancel
		if p := a.provers[t0]; p != nil && (p.proved || p.anomaly != nil) || t0 > first {
			a.mu.Unlock()
			return
		}
		p := a.ready(t0, l)
		a.mu.Unlock()
		a.progress(t0, a.nodes[t0].txn.Name+" delayed")
		p.try(ctx, t0)
		a.mu.Lock()
		defer a.mu.Unlock()
		if p.anomaly != nil && t0 < first && !a.opt.All {
			first = t0
			for _, c := range stop[t0+1:] {
				if c != nil {
					c()
				}
			}
		}
	})
	return a.result(ctx, first)
}

// progress says what is being done about a delayed node.
func (a *attempt) progress(t0 int, what string) {
	if a.opt.Progress != nil {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.opt.Progress(t0, len(a.nodes), what)
	}
}

// proves tries a single delayed node.
func (a *attempt) proves(ctx context.Context, t0 int) bool {
	p := a.ready(t0, a.lanes[t0%len(a.lanes)])
	p.try(ctx, t0)
	return p.proved
}

// ready gives the prover of a delayed node, which it makes if there is none.
func (a *attempt) ready(t0 int, l *lane) *prover {
	p := a.provers[t0]
	if p == nil {
		p = a.prover(l)
		a.provers[t0] = p
		if a.plain != nil {
			if p.plain = a.plain.provers[t0]; p.plain == nil {
				p.plain = a.plain.prover(l)
			}
		}
	}
	return p
}

// try looks for the walks of a delayed node.
func (p *prover) try(ctx context.Context, t0 int) {
	p.found, p.reason = p.walks(ctx, t0)
	for q := p; q != nil; q = q.plain {
		q.memory.save()
	}
	p.proved = len(p.found) == 0 && p.reason == ""
}

// open gives the delayed nodes of which nothing is known yet.
func (a *attempt) open() (out []int) {
	for t0, p := range a.provers {
		if p == nil || !p.proved && p.anomaly == nil {
			out = append(out, t0)
		}
	}
	return out
}

// atomic reports whether a walk of atomic elements was left. The two granularities differ in
// what excludes, and ByCell excludes less: what is possible on a walk of atomic elements with
// ByRow is possible with ByCell.
func (a *attempt) atomic() bool {
	return slices.ContainsFunc(a.provers, func(p *prover) bool { return p != nil && !p.proved && p.atomic })
}

// asked counts the questions of all provers.
func (a *attempt) asked() (out Stats) {
	for _, p := range a.provers {
		for q := p; q != nil; q = q.plain {
			out.Queries += q.stats.Queries
			out.Syntactic += q.stats.Syntactic
		}
	}
	return out
}

// result puts together what was found up to a delayed node.
func (a *attempt) result(ctx context.Context, last int) *Result {
	res := &Result{Stats: a.asked()}
	var bounds []Bound
	for t0, p := range a.provers {
		if p == nil {
			continue
		}
		if t0 > last {
			continue
		}
		res.Walks = append(res.Walks, p.found...)
		if p.reason != "" && res.Reason == "" {
			res.Reason = p.reason
		}
		res.anomaly = res.anomaly || p.anomaly != nil
		bounds = append(bounds, p.bounds...)
	}
	if err := ctx.Err(); err != nil && !res.anomaly {
		res.Reason = err.Error()
	}
	for _, w := range res.Walks {
		if w.Unknown == "" {
			res.Verdict = Suspicious
		} else if res.Reason == "" {
			res.Reason = "whether " + w.String() + " is possible is not known: " + w.Unknown
		}
	}
	if res.Reason == "" {
		res.Reason = unprovable(a.prog)
	}
	if res.Verdict != Suspicious && res.Reason != "" {
		res.Verdict = Unknown
	}
	a.conclude(res, bounds)
	return res
}

// conclude completes a result with what it rests on. A proof is looked at a
// second time, by code of its own.
func (a *attempt) conclude(res *Result, bounds []Bound) {
	res.Evidence = a.evidence()
	for _, x := range res.Evidence.Asked {
		if x.Result == smt.Unknown && x.Reason != symbolic.TooLarge { // the solver was asked
			bounds = append(bounds, BoundSolver)
		}
	}
	for _, b := range []Bound{BoundWindow, BoundQuestions, BoundSolver} {
		for _, c := range bounds {
			if b == c {
				res.Bounds = append(res.Bounds, b)
				break
			}
		}
	}
	if res.Verdict == Robust && !a.opt.naive {
		if v := res.Evidence.conclude(); v >= 0 {
			res.Verdict, res.Reason = Unknown, "a fault of this program, please report it: the search ended, but a walk of "+a.nodes[v].txn.Name+" remains"
		}
	}
	for _, x := range res.Evidence.Asked {
		if x.Needed {
			res.Refuted++
		}
	}
}

// lane is a solver with what is prepared for it. Nothing passes between lanes,
// so that what one answers depends on its own questions only, and not on how
// many of them run at the same time.
type lane struct {
	limit   uint
	timeout time.Duration
	s       *smt.Solver
	codes   map[*ir.Program]*prepare.Code
	// contexts and templates are digests for the cache.
	contexts  map[*prepare.Code]string
	templates map[templateID]string
	shapes    *shapes // nil until they are needed
}

// laneCount is the number of lanes, on every machine.
const laneCount = 4

func newLanes(opt Options) []*lane {
	out := make([]*lane, laneCount)
	for i := range out {
		out[i] = &lane{limit: opt.Limit, timeout: opt.Timeout}
	}
	return out
}

// solver gives the solver, which is made when it is needed: that takes longer
// than some proofs.
func (l *lane) solver() *smt.Solver {
	if l.s == nil {
		l.s = smt.NewSolver()
		l.s.Limit, l.s.Timeout = l.limit, l.timeout
	}
	return l.s
}

func (l *lane) forget() {
	if l.s != nil {
		l.s.Forget()
	}
}

func (l *lane) close() {
	if l.s != nil {
		l.s.Close()
		l.s = nil
	}
}

// code gives a program prepared for symbolic execution.
func (l *lane) code(p *ir.Program) *prepare.Code {
	c, ok := l.codes[p]
	if !ok {
		c = prepare.Of(p)
		if l.codes == nil {
			l.codes = map[*ir.Program]*prepare.Code{}
		}
		l.codes[p] = c
	}
	return c
}

// solved sums what the solvers did.
func solved(lanes []*lane) (out smt.Stats) {
	for _, l := range lanes {
		if l.s != nil {
			out.Add(l.s.Stats)
		}
	}
	return out
}

// parallel does n things, each on the lane of its number, on as many processors
// as there are. It returns when all are done, or with the context.
func parallel(ctx context.Context, n int, lanes []*lane, do func(ctx context.Context, i int, l *lane)) {
	var group sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	var first *fault.Fault
	var once sync.Once
	for k, l := range lanes {
		slots <- struct{}{} // the first ones begin first
		group.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					f := fault.Of("", r)
					once.Do(func() { first = f })
				}
				<-slots
			}()
			for i := k; i < n && ctx.Err() == nil; i += len(lanes) {
				do(ctx, i, l)
			}
		})
	}
	group.Wait()
	if first != nil {
		panic(first)
	}
}
