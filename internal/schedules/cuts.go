package schedules

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/ir"
)

// Cuts looks for anomalies at READ COMMITTED: a transaction stops between two of
// its commands, others run there, and it goes on. Small rows and parameters are drawn
// at random, or proposed by the solver; the interpreter goes through the cuts.
type Cuts struct{ s *search }

// maxCuts bounds the cuts of one run.
const maxCuts = 40

// NewCuts prepares a search. Sessions of the query do not count.
func NewCuts(ctx context.Context, q Query) (*Cuts, error) {
	if len(q.Program.Txns) == 0 {
		return nil, fmt.Errorf("schedules: the program has no transactions")
	}
	q.Sessions, q.Expected = nil, nil
	s, err := build(ctx, q)
	if err != nil {
		return nil, err
	}
	s.writers = 1
	return &Cuts{s}, nil
}

// Close frees what the Cuts hold. They must not be used any more.
func (c *Cuts) Close() { c.s.close() }

// Find searches an execution in which the others run at a cut of a transaction,
// with an outcome of no serial order. It gives nil when there is none among what
// it tries. The error is that of the context.
func (c *Cuts) Find(ctx context.Context, interrupted *ir.Txn, others ...*ir.Txn) (*Anomaly, Stats, error) {
	var calls []*Call
	for i, t := range append([]*ir.Txn{interrupted}, others...) {
		calls = append(calls, &Call{Txn: t, Session: i})
	}
	return c.find(ctx, calls, c.s.cuts, c.s.solvedCuts)
}

// At tries the rows and calls of an anomaly, with one of the calls interrupted by the others in their
// order. It gives nil where that is impossible, or a serial order has the same outcome.
func (c *Cuts) At(ctx context.Context, known *Anomaly, interrupted int) (*Anomaly, Stats, error) {
	sit := (&situation{known.Rows, known.Calls}).clone()
	one := sit.calls[interrupted]
	sit.calls = slices.Insert(slices.Delete(sit.calls, interrupted, interrupted+1), 0, one)
	for i, call := range sit.calls {
		call.Session = i
	}
	return c.find(ctx, sit.calls, func() *found {
		if !c.s.possible(sit) {
			return nil
		}
		return c.s.cutsOf(sit)
	}, func() *found { return nil })
}

// find searches cuts of the first of some calls: quickly, then with the solver, and then quickly where
// a call may fail by an error that is left out.
func (c *Cuts) find(ctx context.Context, calls []*Call, quick, solved func() *found) (*Anomaly, Stats, error) {
	s := c.s
	s.ctx, s.stats = ctx, Stats{}
	s.take(calls)
	start := time.Now()
	f := quick()
	if f == nil {
		f = solved()
	}
	if f == nil && s.mayFail() {
		s.opt.Doubtful = true
		defer func() { s.opt.Doubtful = false }()
		f = quick()
	}
	s.stats.Search = time.Since(start)
	if f == nil {
		return nil, s.stats, ctx.Err()
	}
	if s.solver != nil {
		s.stats.Solver = s.solver.Stats
	}
	s.stats.Found = f.by
	start = time.Now()
	if !s.opt.KeepLarge {
		s.shrink(f)
		s.firstCut(f)
	}
	a := s.anomaly(f)
	s.stats.Shrink = time.Since(start)
	return a, s.stats, nil
}

// mayFail reports whether a call comes to an error that is left out.
func (s *search) mayFail() bool {
	found := false
	for _, c := range s.calls {
		ir.Walk(c.Txn.Body, func(st ir.Stmt) {
			d, ok := st.(*ir.Dropped)
			found = found || ok && d.Kind == ir.ByError
		})
	}
	return found
}

// cutOrder has the first of n calls interrupted at a cut.
func cutOrder(n, cut int) Order {
	o := Order{Snapshots: make([]int, n), Cut: cut}
	for i := 1; i < n; i++ {
		o.Commits = append(o.Commits, i)
		o.Snapshots[i-1] = i - 1
	}
	o.Commits = append(o.Commits, 0)
	return o
}

// cuts tries random situations, each with every cut.
func (s *search) cuts() *found {
	most := s.opt.Tries
	if s.fixed() {
		most = 1
	}
	return s.drawn(most, s.cutsOf)
}

// solvedCuts lets the solver propose situations in which the calls commit one by
// one on the initial state, and the first would fail or return something else after
// the others, or at least write something else: it can have seen what they change.
func (s *search) solvedCuts() *found {
	if s.fixed() || s.opt.Orders < 0 {
		return nil
	}
	if s.solver == nil {
		s.solver = smt.NewSolver()
		s.solver.Limit, s.solver.Timeout = s.opt.Limit, s.opt.Timeout
	}
	for _, z := range s.sizes(false) {
		for _, returns := range []bool{true, false} {
			f := s.proposed(z, returns)
			s.solver.Forget()
			if f != nil || s.stats.Terms > s.opt.Effort {
				return f
			}
		}
	}
	return nil
}

// proposed tries what the solver proposes in a world of a size: situations in which
// the first call fails or returns something else after the others, or those in which
// it writes something else.
func (s *search) proposed(z size, returns bool) *found {
	e := s.initialState(z)
	state := e.base
	for i := 1; i < len(e.insts); i++ {
		run := e.insts[i].Run(state)
		next, ok := run.Commit(state)
		e.assert(run.OK)
		e.assert(ok)
		state = next
	}
	before, after := e.insts[0].Run(e.base), e.insts[0].Run(state)
	e.assert(before.OK)
	if returns {
		e.assert(e.w.B.Or(e.w.B.Not(after.OK), before.OutputsDiffer(after)))
	} else {
		e.assert(after.OK)
		e.assert(e.differ(before, after, false))
	}
	f := s.propose(e)
	s.stats.Terms += e.w.B.Size()
	return f
}

// propose asks the solver for situations and tries their cuts.
func (s *search) propose(e *encoding) *found {
	for range s.opt.Spurious {
		if e.dead() || s.ctx.Err() != nil {
			return nil
		}
		s.stats.Questions++
		ans := e.w.Ask(s.ctx, s.solver, e.terms...)
		if ans.Result != smt.Sat {
			if ans.Result == smt.Unknown {
				s.stats.bounded("the solver gave up: " + ans.Reason)
			}
			return nil
		}
		s.stats.Candidates++
		sit, is := e.decode(ans.Model)
		if s.possible(sit) {
			if f := s.cutsOf(sit); f != nil {
				f.by = "solver"
				return f
			}
		}
		e.assert(e.w.B.Not(e.w.B.And(is...)))
	}
	return nil
}

// cutsOf tries all cuts of a situation.
func (s *search) cutsOf(sit *situation) *found {
	j := s.judge(sit)
	for cut := 1; cut <= maxCuts; cut++ {
		o := cutOrder(len(sit.calls), cut)
		v, _, _ := j.decide(o)
		if v == anomalous {
			return &found{sit, o, "random"}
		}
		if j.noCut {
			return nil
		}
	}
	s.stats.bounded(fmt.Sprintf("cuts after the first %d of a run are left out", maxCuts))
	return nil
}

// firstCut moves the cut to the first place that shows the same.
func (s *search) firstCut(f *found) {
	if g := s.cutsOf(f.sit); g != nil {
		f.o = g.o
	}
}

// interrupt executes the calls in an order with a cut, with every choice, until f
// returns false.
func (j *judge) interrupt(o Order, f func(*interp.Execution) bool) {
	n := len(o.Commits) - 1
	var others []*interp.Instance
	for _, c := range o.Commits[:n] {
		others = append(others, j.instances[c])
	}
	more, undecided := j.s.machine.Interrupt(j.instances[o.Commits[n]], others, j.init, o.Cut, func(x *interp.Execution) bool { return j.refused(x) || f(x) })
	j.noCut = !more
	if undecided != "" {
		j.s.stats.bounded(undecided)
	}
}

// harmlessAtSnapshot reports whether all executions of the calls at snapshot
// isolation have outcomes of serial orders.
func (j *judge) harmlessAtSnapshot() bool {
	if j.atSnapshot == nil {
		res := j.s.machine.Explore(j.s.ctx, bySession(j.sit.calls, j.instances), j.init, interp.Options{AnyOrder: j.s.opt.AnyOrder, MaxExecutions: maxExecutions})
		j.atSnapshot = &res.Verdict
	}
	return *j.atSnapshot == interp.Serializable
}
