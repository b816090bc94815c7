package schedules

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/guesses"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
)

// size is the size of the closed world. With each, a table has a row for each of the
// calls that touch it, if that is more.
type size struct {
	slots, rounds int
	each          bool
}

// sizes gives the sizes to try, small ones first, and large ones too only if
// that is asked for.
func (s *search) sizes(large bool) []size {
	if s.opt.Slots > 0 || s.opt.Rounds > 0 {
		return []size{{slots: max(s.opt.Slots, 1), rounds: max(s.opt.Rounds, 1)}}
	}
	list := []size{{slots: 1, rounds: 1}, {slots: 2, rounds: 1}, {slots: 2, rounds: 2}}
	if large {
		list = append(list, size{slots: 3, rounds: 2}, size{slots: 4, rounds: 3})
	}
	switch s.opt.Init {
	case NoRows:
		list = []size{{rounds: 1}, {rounds: 2}}
	case FileRows:
		n := 0
		for _, t := range s.program.Tables {
			n = max(n, len(t.Rows))
		}
		list = []size{{slots: n, rounds: 1}, {slots: n, rounds: 2}}
	}
	if !s.loops() {
		for i := range list {
			list[i].rounds = 1
		}
		list = slices.Compact(list)
	}
	return list
}

// loops reports whether some transaction has a loop that is unrolled.
func (s *search) loops() bool {
	return s.have(func(st ir.Stmt) bool {
		switch st.(type) {
		case *ir.While, *ir.ForRange, *ir.Foreach:
			return true
		}
		return false
	})
}

// have reports whether some statement of the calls is so.
func (s *search) have(is func(ir.Stmt) bool) bool {
	found := false
	for _, c := range s.calls {
		ir.Walk(c.Txn.Body, func(st ir.Stmt) { found = found || is(st) })
	}
	return found
}

// symbolic is the symbolic search.
func (s *search) symbolic() *found {
	if why := s.inexpressible(); why != "" {
		s.stats.bounded(why)
		return nil
	}
	s.startSolver()
	sizes := s.sizes(!s.opt.Quick)
	if s.opt.Quick {
		sizes = slices.DeleteFunc(sizes, func(z size) bool { return z.rounds > 1 })
	}
	if s.rowsOf = s.meetings(); len(s.rowsOf) > 0 {
		sizes = append(sizes, size{slots: 1, rounds: 1, each: true})
	}
	for _, z := range sizes {
		for _, x := range s.q.Expected {
			if f := s.solve(x.after(s.builders), z); f != nil {
				return f
			}
		}
	}
	if s.opt.Orders < 0 {
		return nil
	}
	session, kind := make([]int, len(s.calls)), make([]int, len(s.calls))
	for i, c := range s.calls {
		session[i], kind[i] = c.Session, slices.Index(s.program.Txns, c.Txn)
	}
	list, complete := orders(session, kind, s.builders, s.opt.Orders)
	if !complete {
		s.stats.bounded("orders of snapshots and commits were left out")
	}
	for _, z := range s.sizes(false) {
		for _, o := range list {
			if s.ctx.Err() != nil {
				return nil
			}
			if f := s.solve(o, z); f != nil {
				return f
			}
		}
	}
	return nil
}

// inexpressible says what of the query the symbolic search cannot express.
func (s *search) inexpressible() string {
	for _, list := range s.q.Sessions {
		for _, t := range list {
			if len(list) > 1 && slices.ContainsFunc(t.Locals, func(l ir.Local) bool { return l.Kept }) {
				return "registers that pass from one transaction to the next are searched concretely only"
			}
		}
	}
	return ""
}

const baseName = "s0"

// encoding is an order of snapshots and commits as terms.
type encoding struct {
	s     *search
	o     Order
	w     *symbolic.World
	base  *symbolic.State
	insts []*symbolic.Instance // by call
	runs  []*symbolic.Run      // by call
	final *symbolic.State
	terms []*smt.Term
	// serial are the serial orders that were spelled out, as a tree.
	serial *node
	spelt  map[string]bool
}

// node is a prefix of serial orders.
type node struct {
	state *symbolic.State
	// bad is: somewhere on the way here a transaction failed, or observed
	// something else.
	bad  *smt.Term
	next map[int]*node
}

// maxQuickTerms bounds the terms of an encoding in a quick search.
const maxQuickTerms = 60_000

// encode builds the terms for: the calls all commit in this order, from a state
// that may be, and no delay is in vain. stopped says why it did not come to the end.
func (s *search) encode(o Order, z size) (e *encoding, stopped string) {
	e = s.initialState(z)
	e.o = o
	most := max(1, s.opt.Effort-s.stats.Terms)
	e.w.MaxStated = most
	if s.opt.Quick {
		most = min(most, maxQuickTerms)
		e.w.MaxStated = min(most, cmp.Or(s.opt.Terms, most))
	}
	stopped = e.w.Within(s.ctx, 0, e.execution)
	e.w.MaxStated = most // with the serial orders that are spelled out later
	return e, stopped
}

// execution asserts that the order is one.
func (e *encoding) execution() {
	w, o := e.w, e.o
	states := []*symbolic.State{e.base}
	for i, c := range o.Commits {
		run := e.insts[c].Run(states[o.Snapshots[i]])
		run.Late = o.Snapshots[i] < i
		e.runs[c] = run
		e.assert(run.OK)
		for _, d := range o.Commits[o.Snapshots[i]:i] {
			e.assert(w.B.Not(w.Excludes(run, e.runs[d], symbolic.ByRow, false)))
		}
		next, ok := run.Commit(states[i])
		e.assert(ok)
		states = append(states, next)
	}
	e.final = states[len(states)-1]
	for i, c := range o.Commits {
		if o.Snapshots[i] < i {
			e.needed(states, i, c)
		}
	}
	e.serial = &node{state: e.base, bad: w.B.False(), next: map[int]*node{}}
}

// initialState makes the terms for the state at the beginning and for what the
// calls choose.
func (s *search) initialState(z size) *encoding {
	w := symbolic.NewWorld(s.code, smt.NewBuilder(), s.machine.Engine)
	w.Closed, w.Slots, w.Rounds, w.Empty = true, z.slots, z.rounds, s.empty
	if z.each {
		w.RowsOf = s.rowsOf
	}
	e := &encoding{s: s, w: w, runs: make([]*symbolic.Run, len(s.calls)), spelt: map[string]bool{}}
	e.base = w.Base(baseName)
	e.initially()
	for i, c := range s.calls {
		in := w.NewInstance(s.twin[c.Txn], "c"+strconv.Itoa(i))
		w.Unused(e.base, in)
		for _, l := range c.Txn.Locals {
			if l.Kept {
				e.assert(w.Same(in.Register(l), w.Constant(l.Type.Zero(), l.Type)))
			}
		}
		e.insts = append(e.insts, in)
	}
	return e
}

func (e *encoding) assert(t *smt.Term) { e.terms = append(e.terms, t) }

// dead reports whether the terms contradict each other without a solver.
func (e *encoding) dead() bool { return e.w.B.And(e.terms...).IsFalse() }

// needed asserts that the window of a delayed call cannot be made shorter:
// otherwise there is an equivalent execution with a shorter one, and that order
// has its own turn. At its beginning, with a snapshot that sees one commit more
// it does something else. At its end, committing before an atomic neighbour
// changes what that one does, or fails.
func (e *encoding) needed(states []*symbolic.State, i, c int) {
	B := e.w.B
	run := e.runs[c]
	moved := e.insts[c].Run(states[e.o.Snapshots[i]+1])
	e.assert(B.Or(B.Not(moved.OK), e.differ(run, moved, true)))
	z := e.o.Commits[i-1]
	if e.o.Snapshots[i-1] < i-1 || slices.Contains(e.o.Snapshots[i+1:], i) {
		return
	}
	before, ok := run.Commit(states[i-1])
	last := e.insts[z].Run(before)
	_, commits := last.Commit(before)
	e.assert(B.Or(B.Not(ok), B.Not(last.OK), B.Not(commits), e.differ(e.runs[z], last, false)))
}

// differ is: the second run does not do the same as the first; it is true where
// that cannot be told. later is as in symbolic.Run.Differ.
func (e *encoding) differ(a, b *symbolic.Run, later bool) *smt.Term {
	if !a.Comparable(b) {
		return e.w.B.True()
	}
	return a.Differ(b, later)
}

// initially asserts the rows of the file, or none.
func (e *encoding) initially() {
	w := e.w
	if e.s.opt.Init == AnyRows {
		return
	}
	for i, t := range e.s.program.Tables {
		if t.Var {
			e.assert(w.Same(e.base.Col(i, 0, symbolic.Key{}), w.Constant(t.Rows[0][0], t.Columns[0].Type)))
			continue
		}
		for r, k := range w.SlotKeys(baseName, i) {
			if e.s.opt.Init == NoRows || r >= len(t.Rows) {
				e.assert(w.B.Not(e.base.Alive(i, k)))
				continue
			}
			e.assert(e.base.Alive(i, k))
			for c, col := range t.Columns {
				e.assert(w.Same(e.base.Col(i, c, k), w.Constant(t.Rows[r][c], col.Type)))
			}
		}
	}
}

// refute asserts that a serial order does not have the same outcome. It gives
// false if that was asserted before, or cannot be.
func (e *encoding) refute(ser []int) bool {
	key := fmt.Sprint(ser)
	if e.spelt[key] {
		return false
	}
	e.spelt[key] = true
	return e.w.Within(e.s.ctx, 0, func() { e.differs(ser) }) == ""
}

// refuteTurns refutes a serial order, and of many calls in sessions of their own those that begin elsewhere in it and go round, if
// there is room: along a ring each leaves out one dependency, so that the solver would propose one after the other.
func (e *encoding) refuteTurns(ser []int) bool {
	before, n := e.w.B.Size(), len(ser)
	learned := e.refute(ser)
	if size := e.w.B.Size(); n >= 5 && len(e.s.q.Sessions)+e.s.builders == n && size+n*(size-before) <= e.w.MaxStated/2 {
		for k := range n - 1 {
			e.refute(slices.Concat(ser[k+1:], ser[:k+1]))
		}
	}
	return learned
}

// differs asserts that the outcome of a serial order is another one.
func (e *encoding) differs(ser []int) {
	B := e.w.B
	n := e.serial
	for _, c := range ser {
		m := n.next[c]
		if m == nil {
			run := e.insts[c].Run(n.state)
			state, ok := run.Commit(n.state)
			m = &node{state: state, next: map[int]*node{},
				bad: B.Or(n.bad, B.Not(run.OK), B.Not(ok), e.runs[c].OutputsDiffer(run))}
			n.next[c] = m
		}
		n = m
	}
	e.assert(B.Or(n.bad, e.w.StatesDiffer(e.final, n.state, e.runs...)))
}

// solve searches rows and parameters for one order.
func (s *search) solve(o Order, z size) *found {
	if s.stats.Terms > s.opt.Effort {
		s.stats.bounded("the effort for the symbolic search is used up")
		return nil
	}
	e, stopped := s.encode(o, z)
	defer s.forget(e)
	if stopped != "" {
		s.stats.bounded(stopped)
		return nil
	}
	s.stats.Orders++
	f, surely := s.propose(e, func(sit *situation) (f *found, agree [][]int) {
		switch v, _, agrees := s.judge(sit).decide(o); v {
		case anomalous:
			f = &found{sit, o, "solver"}
		case harmless:
			agree = [][]int{agrees}
		case impossible, open:
			s.stats.Unconfirmed++
		}
		return f, agree
	}, s.near)
	if f == nil && !surely {
		txns := templates(s.calls)
		list := guesses.Of(txns)
		s.stats.Guesses = len(list) > 0
		s.stats.bounded(guesses.Unconfirmed(txns, list))
	}
	return f
}

func (s *search) startSolver() {
	if s.solver == nil {
		s.solver = smt.NewSolver()
		s.solver.Limit, s.solver.Timeout = s.opt.Limit, s.opt.Timeout
	}
}

func (s *search) forget(e *encoding) {
	s.solver.Forget()
	s.stats.Terms += e.w.B.Size()
}

// propose asks the solver for situations until one has an anomaly, there are none (surely), or too many are not what the interpreter
// finds. Without an anomaly, try gives serial orders that agree with what it executed; where that was known already, other
// is tried.
func (s *search) propose(e *encoding, try func(*situation) (*found, [][]int), other func(*situation) *found) (f *found, surely bool) {
	for spurious := 0; spurious < s.opt.Spurious; {
		if e.dead() {
			return nil, true
		}
		s.stats.Questions++
		ans := e.w.Ask(s.ctx, s.solver, e.terms...)
		switch ans.Result {
		case smt.Unsat:
			return nil, true
		case smt.Unknown:
			s.stats.bounded("the solver gave up: " + ans.Reason)
			return nil, true
		}
		s.stats.Candidates++
		sit, is := e.decode(ans.Model)
		var agree [][]int
		if s.possible(sit) {
			if f, agree = try(sit); f != nil {
				f.by = "solver"
				return f, true
			}
		} else {
			s.stats.Unconfirmed++
		}
		learned := false
		for _, ser := range agree {
			learned = e.refuteTurns(ser) || learned
		}
		if !learned { // the solver's picture is not the interpreter's here
			spurious++
			if f = other(sit); f != nil {
				return f, true
			}
			e.assert(e.w.B.Not(e.w.B.And(is...)))
		}
	}
	return nil, false
}

// near looks for another order in which the proposed values show an anomaly.
func (s *search) near(sit *situation) *found {
	if len(s.calls)-s.builders > MaxCalls || !s.possible(sit) {
		return nil
	}
	f, _ := s.explore(sit, maxExecutions)
	if f != nil {
		f.by = "solver"
	}
	return f
}
