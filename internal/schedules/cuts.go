package schedules

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// Cuts looks for anomalies at READ COMMITTED: a transaction stops between two of
// its commands, others run there, and it goes on; or it waits for another one in a command. Small rows and parameters are drawn
// at random, or proposed by the solver; the interpreter goes through the cuts.
type Cuts struct {
	s *search
	// noWait says that something in the schema may not wait for a lock.
	noWait bool
}

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
	noWait := slices.ContainsFunc(s.program.Schema, func(d ir.Declaration) bool { return noWaits.MatchString(d.Text) })
	return &Cuts{s, noWait}, nil
}

// Close frees what the Cuts hold. They must not be used any more.
func (c *Cuts) Close() { c.s.close() }

// Find searches an execution in which the others run at a cut of a transaction,
// with an outcome of no serial order. It gives nil when there is none among what
// it tries. Places are statements of the interrupted one with which commands begin: the solver is
// asked about cuts before them. The error is that of the context.
func (c *Cuts) Find(ctx context.Context, places []ir.Stmt, interrupted *ir.Txn, others ...*ir.Txn) (*Anomaly, Stats, error) {
	var calls []*Call
	for i, t := range append([]*ir.Txn{interrupted}, others...) {
		calls = append(calls, &Call{Txn: t, Session: i})
	}
	return c.find(ctx, calls, c.s.cuts, func() *found { return c.s.solvedCuts(places) })
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
		f, _ := c.s.cutsOf(sit)
		return f
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
	if f == nil && len(calls) == 2 && c.mayWait() {
		s.waits = true
		defer func() { s.waits = false }()
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
	return s.have(func(st ir.Stmt) bool {
		d, ok := st.(*ir.Dropped)
		return ok && (d.Kind == ir.ByError || d.Kind == ir.ByValue)
	})
}

// noWaits is what tells that somebody may not wait for a lock, which the IR does not have.
var noWaits = regexp.MustCompile(`(?i)\bnowait\b`)

// mayWait reports whether a call waits where it comes to a lock of another one: InnoDB has other rules, and NOWAIT ends the transaction.
func (c *Cuts) mayWait() bool {
	return !c.s.q.Engine.InnoDB && !c.noWait && !c.s.have(func(st ir.Stmt) bool {
		send, is := st.(*ir.Send)
		return is && slices.ContainsFunc(send.Text, noWaits.MatchString)
	})
}

// cuts tries random situations, each with every cut.
func (s *search) cuts() *found {
	most := s.opt.Tries
	if s.fixed() {
		most = 1
	}
	return s.drawn(most, func(sit *situation) *found {
		f, _ := s.cutsOf(sit)
		return f
	})
}

// solvedCuts lets the solver propose situations in which the first call stops at one of the places, the others commit one by one,
// it goes on with what they left before its eyes, and the outcome is of no serial order that was spelled out so far. On InnoDB a command may see
// an older state than that, and in a loop the call stops once: so all cuts of a proposal are tried.
func (s *search) solvedCuts(places []ir.Stmt) *found {
	if s.fixed() || s.opt.Orders < 0 {
		return nil
	}
	s.startSolver()
	for _, z := range s.sizes(false) {
		for _, cut := range places {
			if s.ctx.Err() != nil || s.stats.Terms > s.opt.Effort {
				return nil
			}
			if f := s.solvedCut(z, cut); f != nil {
				return f
			}
		}
	}
	return nil
}

func (s *search) solvedCut(z size, cut ir.Stmt) *found {
	e := s.initialState(z)
	defer s.forget(e)
	e.w.MaxStated = max(1, s.opt.Effort-s.stats.Terms)
	if why := e.w.Within(s.ctx, 0, func() { e.split(cut) }); why != "" {
		s.stats.bounded(why)
		return nil
	}
	f, _ := s.propose(e, s.cutsOf, func(*situation) *found { return nil })
	return f
}

// split asserts that the first call stops before a statement, and that the others commit there.
func (e *encoding) split(cut ir.Stmt) {
	state := e.base
	for i, in := range e.insts[1:] {
		run := in.Run(state)
		next, ok := run.Commit(state)
		e.runs[1+i], state = run, next
		e.assert(run.OK)
		e.assert(ok)
	}
	first := e.insts[0]
	first.Cut, first.After = cut, state
	run := first.Run(e.base)
	first.Cut, first.After = nil, nil
	final, ok := run.Commit(state)
	e.runs[0], e.final = run, final
	e.assert(run.OK)
	e.assert(ok)
	e.serial = &node{state: e.base, bad: e.w.B.False(), next: map[int]*node{}}
}

// cutsOf tries all cuts of a situation. Where none shows an anomaly, the serial orders are those that agree with them.
func (s *search) cutsOf(sit *situation) (f *found, agree [][]int) {
	j := s.judge(sit)
	for cut := 1; cut <= maxCuts; cut++ {
		o := OneDelayed(len(sit.calls))
		o.Cut, o.Waits = cut, s.waits
		v, _, ser := j.decide(o)
		if v == anomalous {
			return &found{sit, o, "random"}, nil
		}
		if ser != nil {
			agree = append(agree, ser)
		}
		if j.noCut {
			return nil, agree
		}
	}
	s.stats.bounded(fmt.Sprintf("cuts after the first %d of a run are left out", maxCuts))
	return nil, agree
}

// firstCut moves the cut to the first place that shows the same.
func (s *search) firstCut(f *found) {
	if g, _ := s.cutsOf(f.sit); g != nil {
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
	last, each := j.instances[o.Commits[n]], func(x *interp.Execution) bool { return j.refused(x) || f(x) }
	var more bool
	var undecided string
	if o.Waits {
		more, undecided = j.s.machine.Wait(last, others[0], j.init, o.Cut, each)
	} else {
		more, undecided = j.s.machine.Interrupt(last, others, j.init, o.Cut, each)
	}
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
