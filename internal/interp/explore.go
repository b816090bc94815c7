package interp

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/clock"
	"github.com/txrobust/robust/internal/ir"
)

// Session is a sequence of instances that one client runs one after another.
type Session []*Instance

// Verdict is the answer of Explore.
type Verdict uint8

const (
	// Serializable: every execution has the outcome of a serial one.
	Serializable Verdict = iota
	// Anomalous: an execution has an outcome that no serial order has.
	Anomalous
	// Undecided: the bounds ran out, or something cannot be executed.
	Undecided
)

func (v Verdict) String() string {
	return [...]string{"serializable", "anomalous", "undecided"}[v]
}

// Result is what Explore found.
type Result struct {
	Verdict Verdict
	// Anomaly is the execution without a serial equivalent.
	Anomaly *Execution
	// Reason is why the verdict is Undecided.
	Reason string
	// Executions counts the committed prefixes that were judged.
	Executions int
}

// Options bound and direct Explore.
type Options struct {
	// Classic judges by cycles of value-blind dependencies (CAV'19, theorem 1)
	// instead of by outcomes.
	Classic bool
	// AnyOrder lets serial orders permute the transactions of one session.
	AnyOrder bool
	// MaxExecutions bounds the prefixes judged; 0 is no bound.
	MaxExecutions int
	// Certain leaves out executions that the database may refuse (Machine.Doubts).
	Certain bool
	// Refused, if not nil, says which executions the database refuses besides: they are left
	// out, with what goes on from them.
	Refused func(*Execution) bool
	// Apart, if not nil, says which templates run with nobody's commit between snapshot and
	// commit.
	Apart func(*ir.Txn) bool
}

// Explore goes through all executions of the sessions at the machine's level
// from the state init, in which any sessions may stop early, and judges each.
func (m *Machine) Explore(ctx context.Context, sessions []Session, init *DB, opt Options) Result {
	e := &explorer{ctx: clock.Yielding(ctx), m: m, sessions: sessions, opt: opt, serial: map[string]*outcomes{},
		progress: make([]int, len(sessions)), last: make([]int, len(sessions)), regs: make([]map[string]ir.Value, len(sessions))}
	if opt.Classic && !m.Trace {
		m.Trace = true
		defer func() { m.Trace = false }()
	}
	e.x.Versions = []*DB{init}
	e.explore()
	switch {
	case e.result.Anomaly != nil:
		e.result.Verdict = Anomalous
	case e.result.Reason != "":
		e.result.Verdict = Undecided
	}
	return e.result
}

type explorer struct {
	ctx      context.Context
	m        *Machine
	sessions []Session
	opt      Options
	result   Result

	x        Execution
	progress []int // per session, how many committed
	last     []int // per session, the version its last commit made
	regs     []map[string]ir.Value
	serial   map[string]*outcomes
}

// outcomes are those of the serial orders of some transactions. missing is why
// there may be more, or "".
type outcomes struct {
	set     map[string]bool
	missing string
}

// undecided records the first reason, if any, why the answer may be unknown.
func (e *explorer) undecided(why string) {
	e.result.Reason = cmp.Or(e.result.Reason, why)
}

// explore tries every next commit. It returns false to stop.
func (e *explorer) explore() bool {
	for s, list := range e.sessions {
		if e.progress[s] == len(list) {
			continue
		}
		now := len(e.x.Versions) - 1
		first := e.last[s]
		if e.opt.Apart != nil && e.opt.Apart(list[e.progress[s]].Txn) {
			first = now
		}
		for snap := now; snap >= first; snap-- {
			for _, run := range e.m.Runs(list[e.progress[s]], e.x.Versions[snap], e.regs[s], snap == now) {
				e.undecided(run.Inconclusive())
				if !e.commit(s, snap, run) {
					return false
				}
			}
		}
	}
	return true
}

func (e *explorer) commit(s, snap int, run *Run) bool {
	if e.m.Extend(&e.x, Committed{Run: run, Session: s, Index: e.progress[s], Snapshot: snap}) != "" {
		return true
	}
	if e.opt.Certain && len(e.m.Doubts(&e.x)) > 0 || e.opt.Refused != nil && e.opt.Refused(&e.x) {
		e.x.Retract()
		return true
	}
	oldLast, oldRegs := e.last[s], e.regs[s]
	e.progress[s]++
	e.last[s], e.regs[s] = len(e.x.Txns), run.Keep(oldRegs)
	more := e.judge() && e.explore()
	e.x.Retract()
	e.progress[s]--
	e.last[s], e.regs[s] = oldLast, oldRegs
	return more
}

// judge compares the execution so far with the serial ones.
func (e *explorer) judge() bool {
	e.result.Executions++
	if e.opt.MaxExecutions > 0 && e.result.Executions > e.opt.MaxExecutions {
		e.result.Reason = "too many executions"
		return false
	}
	if e.result.Executions%256 == 0 && e.ctx.Err() != nil {
		e.result.Reason = e.ctx.Err().Error()
		return false
	}
	bad := false
	if e.opt.Classic {
		bad = Cycle(len(e.x.Txns), e.m.Dependencies(&e.x, !e.opt.AnyOrder, true)) != nil
	} else {
		serial := e.serialOutcomes()
		bad = !serial.set[e.x.Outcome()]
		if bad && serial.missing != "" {
			e.undecided("a serial order cannot be followed: " + serial.missing)
			return true // perhaps that order has the outcome
		}
	}
	if bad {
		e.result.Anomaly = e.x.Clone()
	}
	return !bad
}

// serialOutcomes gives the outcomes of all serial orders of the transactions
// that have committed.
func (e *explorer) serialOutcomes() *outcomes {
	var key []byte
	for _, p := range e.progress {
		key = append(key, byte(p))
	}
	out := e.serial[string(key)]
	if out == nil {
		var todo []Session
		for s, n := range e.progress {
			todo = append(todo, e.sessions[s][:n])
		}
		out = &outcomes{set: map[string]bool{}}
		out.missing = e.m.Serial(todo, e.x.Versions[0], e.opt.AnyOrder, func(x *Execution) bool {
			out.set[x.Outcome()] = true
			return true
		})
		e.serial[string(key)] = out
	}
	return out
}

// Serial calls yield with every serial execution of all transactions of the
// sessions, for every order (that respects the sessions, unless anyOrder) and
// every choice, until it returns false. The Execution is reused.
//
// The result is "", or why some serial executions may be missing: a transaction
// that exceeds a bound or cannot be executed in some order.
func (m *Machine) Serial(sessions []Session, init *DB, anyOrder bool, yield func(*Execution) bool) string {
	s := &serializer{m: m, anyOrder: anyOrder, yield: yield}
	return s.all(sessions, init)
}

// Serialized reports whether a serial order of all transactions of the sessions has the
// outcome of x, or may have it. Only orders are followed in which all output what they do in x.
func (m *Machine) Serialized(sessions []Session, x *Execution, anyOrder bool) bool {
	want, same := x.Outcome(), false
	s := &serializer{m: m, anyOrder: anyOrder, like: x, yield: func(s *Execution) bool {
		same = s.Outcome() == want
		return !same
	}}
	return s.all(sessions, x.Versions[0]) != "" || same
}

type serializer struct {
	m        *Machine
	sessions []Session
	anyOrder bool
	like     *Execution
	yield    func(*Execution) bool
	x        Execution
	done     [][]bool
	left     int
	regs     []map[string]ir.Value
	seen     map[string]bool
	missing  string
}

// all goes through the serial executions from a state, as Serial says.
func (s *serializer) all(sessions []Session, init *DB) string {
	s.sessions, s.regs, s.seen = sessions, make([]map[string]ir.Value, len(sessions)), map[string]bool{}
	for _, list := range sessions {
		s.left += len(list)
		s.done = append(s.done, make([]bool, len(list)))
	}
	s.x.Versions = []*DB{init}
	s.next()
	return s.missing
}

func (s *serializer) next() bool {
	if s.left == 0 {
		return s.yield(&s.x)
	}
	// Two ways to the same state with the same outputs go on in the same way.
	var key strings.Builder
	for i, d := range s.done {
		for k := range d {
			key.WriteByte('0')
			for _, t := range s.x.Txns {
				if t.Session == i && t.Index == k {
					key.WriteByte('1')
					key.WriteString(t.Run.Outputs)
				}
			}
		}
	}
	key.WriteByte(0xfb)
	key.WriteString(s.x.Last().String())
	if k := key.String(); s.seen[k] {
		return true
	} else {
		s.seen[k] = true
	}
	for i, list := range s.sessions {
		for k, in := range list {
			if s.done[i][k] {
				continue
			}
			if !s.step(i, k, in) {
				return false
			}
			if !s.anyOrder {
				break
			}
		}
	}
	return true
}

func (s *serializer) step(i, k int, in *Instance) bool {
	now := len(s.x.Versions) - 1
	oldRegs := s.regs[i]
	for _, run := range s.m.Runs(in, s.x.Versions[now], oldRegs, true) {
		s.missing = cmp.Or(s.missing, run.Inconclusive())
		differs := func(t Committed) bool { return t.Session == i && t.Index == k && t.Run.Outputs != run.Outputs }
		if s.like != nil && slices.ContainsFunc(s.like.Txns, differs) || s.m.Extend(&s.x, Committed{Run: run, Session: i, Index: k, Snapshot: now}) != "" {
			continue
		}
		s.done[i][k] = true
		s.left--
		s.regs[i] = run.Keep(oldRegs)
		more := s.next()
		s.regs[i] = oldRegs
		s.left++
		s.done[i][k] = false
		s.x.Retract()
		if !more {
			return false
		}
	}
	return true
}

// Sessions gives the sessions of the program's processes, with n copies of
// those that may have any number.
func Sessions(p *ir.Program, n int) []Session {
	var out []Session
	for _, pr := range p.Processes {
		copies := pr.Copies
		if copies == ir.Any {
			copies = n
		}
		for i := 0; i < copies; i++ {
			var s Session
			for _, t := range pr.Txns {
				s = append(s, &Instance{Txn: t, ID: len(out)*100 + len(s)})
			}
			out = append(out, s)
		}
	}
	return out
}
