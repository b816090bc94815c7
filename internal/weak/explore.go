package weak

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// Options bound and direct Explore.
type Options struct {
	// AnyOrder lets serial orders permute the transactions of one session.
	AnyOrder bool
	// MaxExecutions bounds the executions that are judged, and MaxTxns the transactions of
	// each; 0 is no bound.
	MaxExecutions, MaxTxns int
	// Visit, if not nil, is given each execution, which it must not keep, and whether its
	// outcome is that of no serial order. Exploration goes on with what is anomalous until it
	// returns false.
	Visit func(x *interp.Execution, anomalous bool) bool
}

// maxTxns bounds the transactions of an execution: they are bits of a set.
const maxTxns = 20

// Explore goes through all executions of the sessions in a model, from the state init, in
// which any sessions may stop early, and compares each with the serial orders of its
// transactions. In Result.Anomaly the transactions come in the order of arbitration, and
// Versions has the states that the first of them make.
func Explore(ctx context.Context, p *ir.Program, model Model, sessions []interp.Session, init *interp.DB, opt Options) interp.Result {
	e := &explorer{ctx: ctx, p: p, m: interp.NewMachine(p, engine.SI()), model: model, sessions: sessions, opt: opt, serial: map[string]*outcomes{},
		progress: make([]int, len(sessions)), regs: make([]map[string]ir.Value, len(sessions)), snapshots: map[uint64]*interp.DB{}}
	e.x.Versions = []*interp.DB{init}
	n := 0
	for _, s := range sessions {
		n += len(s)
	}
	if n > maxTxns {
		return interp.Result{Verdict: interp.Undecided, Reason: fmt.Sprintf("%d transactions are too many", n)}
	}
	e.explore()
	switch {
	case e.result.Anomaly != nil:
		e.result.Verdict = interp.Anomalous
	case e.result.Reason != "":
		e.result.Verdict = interp.Undecided
	}
	return e.result
}

type explorer struct {
	ctx      context.Context
	p        *ir.Program
	m        *interp.Machine
	model    Model
	sessions []interp.Session
	opt      Options
	result   interp.Result

	x        interp.Execution
	sees     []uint64 // per transaction of x, the ones that it sees
	progress []int
	regs     []map[string]ir.Value
	serial   map[string]*outcomes
	// snapshots are the states that sets of the transactions of x make.
	snapshots map[uint64]*interp.DB
}

// outcomes are those of serial orders. missing is why there may be more, or "".
type outcomes struct {
	set     map[string]bool
	missing string
}

// explore tries every next transaction of the arbitration. It returns false to stop.
func (e *explorer) explore() bool {
	n := len(e.x.Txns)
	if n == e.opt.MaxTxns && n > 0 {
		return true
	}
	all := uint64(1)<<n - 1
	for s, list := range e.sessions {
		if e.progress[s] == len(list) {
			continue
		}
		for seen := all; ; seen = e.smaller(seen) {
			if e.allowed(s, seen) {
				for _, run := range e.m.Runs(list[e.progress[s]], e.snapshot(seen), e.regs[s], seen == all) {
					e.result.Reason = cmp.Or(e.result.Reason, run.Inconclusive())
					if !e.commit(s, seen, run) {
						return false
					}
				}
			}
			if seen == 0 {
				break
			}
		}
	}
	return true
}

// smaller gives the next set that a transaction may see.
func (e *explorer) smaller(seen uint64) uint64 {
	if e.model.prefix() {
		return seen >> 1
	}
	return seen - 1
}

// allowed reports whether the next transaction of a session may see a set of those before it,
// as far as that does not depend on what it writes.
func (e *explorer) allowed(s int, seen uint64) bool {
	if e.model.prefix() && seen&(seen+1) != 0 {
		return false
	}
	for k := range e.x.Txns {
		in := seen>>k&1 != 0
		if in && e.sees[k]&^seen != 0 || !in && e.x.Txns[k].Session == s {
			return false
		}
	}
	return true
}

// setOf is the set of the transactions that one sees.
func setOf(c *interp.Committed) uint64 {
	var out uint64
	for k, yes := range c.Sees {
		if yes {
			out |= 1 << k
		}
	}
	return out
}

// snapshot is the state that a set of transactions makes.
func (e *explorer) snapshot(seen uint64) *interp.DB {
	if seen == uint64(1)<<len(e.x.Txns)-1 {
		return e.x.Last()
	}
	db := e.snapshots[seen]
	if db == nil {
		db = apply(e.p, e.x.Versions[0], among(&e.x, seen))
		e.snapshots[seen] = db
	}
	return db
}

// among gives the runs of a set of transactions.
func among(x *interp.Execution, set uint64) []*interp.Run {
	var out []*interp.Run
	for k := range x.Txns {
		if set>>k&1 != 0 {
			out = append(out, x.Txns[k].Run)
		}
	}
	return out
}

// extend adds a transaction to an execution, or reports that the model does not allow it.
func extend(p *ir.Program, model Model, x *interp.Execution, c interp.Committed, seen uint64) bool {
	n := len(x.Txns)
	if c.Run.Blocked != "" {
		return false
	}
	for k := range x.Txns {
		if model.excludes() && seen>>k&1 == 0 && rivals(c.Run, x.Txns[k].Run) {
			return false
		}
	}
	c.Snapshot, c.Sees = n, make([]bool, n)
	for k := range c.Sees {
		c.Sees[k] = seen>>k&1 != 0
	}
	x.Versions = append(x.Versions, apply(p, x.Last(), []*interp.Run{c.Run}))
	x.Txns = append(x.Txns, c)
	return true
}

func (e *explorer) commit(s int, seen uint64, run *interp.Run) bool {
	n := len(e.x.Txns)
	if e.again(s, seen, run) || !extend(e.p, e.model, &e.x, interp.Committed{Run: run, Session: s, Index: e.progress[s]}, seen) {
		return true
	}
	e.sees = append(e.sees, seen)
	old := e.regs[s]
	e.regs[s] = run.Keep(old)
	e.progress[s]++
	more := e.judge() && e.explore()
	e.progress[s]--
	e.regs[s] = old
	e.sees = e.sees[:n]
	e.x.Retract()
	for set := range e.snapshots { // the place of the transaction is free again
		if set>>n != 0 {
			delete(e.snapshots, set)
		}
	}
	return more
}

// again reports whether the next transaction and the one before it may change places, so that
// the execution with the other order is explored instead: neither sees the other, they write
// no common row, and nobody sees a prefix.
func (e *explorer) again(s int, seen uint64, run *interp.Run) bool {
	n := len(e.x.Txns) - 1
	return n >= 0 && !e.model.prefix() && seen>>n&1 == 0 && s < e.x.Txns[n].Session && !rivals(run, e.x.Txns[n].Run)
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
	serial := e.serialOutcomes()
	bad := !serial.set[e.x.Outcome()]
	if bad && serial.missing != "" {
		e.result.Reason = cmp.Or(e.result.Reason, "a serial order cannot be followed: "+serial.missing)
		bad = false // perhaps that order has the outcome
	}
	if bad && e.result.Anomaly == nil {
		e.result.Anomaly = e.x.Clone()
	}
	if e.opt.Visit != nil {
		return e.opt.Visit(&e.x, bad)
	}
	return !bad
}

// serialOutcomes gives the outcomes of all serial orders of the transactions of the execution.
func (e *explorer) serialOutcomes() *outcomes {
	key := fmt.Sprint(e.progress)
	out := e.serial[key]
	if out == nil {
		out = serialOf(e.m, e.sessions, e.progress, e.x.Versions[0], e.opt.AnyOrder)
		e.serial[key] = out
	}
	return out
}

// serialOf gives the outcomes of all serial orders of the first transactions of sessions.
func serialOf(m *interp.Machine, sessions []interp.Session, progress []int, init *interp.DB, anyOrder bool) *outcomes {
	var todo []interp.Session
	for s, n := range progress {
		todo = append(todo, sessions[s][:n])
	}
	out := &outcomes{set: map[string]bool{}}
	out.missing = m.Serial(todo, init, anyOrder, func(x *interp.Execution) bool {
		out.set[x.Outcome()] = true
		return true
	})
	return out
}

// Traced executes an execution of a model again, on a machine of its own that traces it: in the
// same order, with each transaction seeing the same ones. The error says what is not as it was.
func Traced(p *ir.Program, model Model, was *interp.Execution) (*interp.Execution, error) {
	m := interp.NewMachine(p, engine.SI())
	m.Trace = true
	e := &explorer{p: p, m: m, model: model, snapshots: map[uint64]*interp.DB{}}
	e.x.Versions = []*interp.DB{was.Versions[0]}
	regs := map[int]map[string]ir.Value{}
	progress := map[int]int{}
	for i := range was.Txns {
		t := &was.Txns[i]
		seen := setOf(t)
		if t.Index != progress[t.Session] || !e.allowed(t.Session, seen) {
			return nil, fmt.Errorf("weak: %s does not allow what %s sees", model.Long(), t.Run.Inst)
		}
		runs := m.Runs(t.Run.Inst, apply(p, e.x.Versions[0], among(&e.x, seen)), regs[t.Session], seen == uint64(1)<<i-1)
		k := slices.IndexFunc(runs, func(r *interp.Run) bool { return r.Blocked == "" && r.Outputs == t.Run.Outputs && sameOps(r, t.Run) })
		if k < 0 || !extend(p, model, &e.x, interp.Committed{Run: runs[k], Session: t.Session, Index: t.Index}, seen) {
			return nil, fmt.Errorf("weak: %s does not commit with the values that it had", t.Run.Inst)
		}
		e.sees = append(e.sees, seen)
		regs[t.Session] = runs[k].Keep(regs[t.Session])
		progress[t.Session]++
	}
	return &e.x, nil
}

// Replay is Traced, which then compares the outcome with all serial orders of the
// transactions: an error also says that one of them has it.
func Replay(p *ir.Program, model Model, sessions []interp.Session, was *interp.Execution, anyOrder bool) (*interp.Execution, error) {
	x, err := Traced(p, model, was)
	if err != nil {
		return nil, err
	}
	progress := make([]int, len(sessions))
	for i := range x.Txns {
		progress[x.Txns[i].Session]++
	}
	switch serial := serialOf(interp.NewMachine(p, engine.SI()), sessions, progress, x.Versions[0], anyOrder); {
	case serial.missing != "":
		return nil, fmt.Errorf("weak: a serial order cannot be followed: %s", serial.missing)
	case serial.set[x.Outcome()]:
		return nil, fmt.Errorf("weak: a serial order has the outcome")
	}
	return x, nil
}

// sameOps reports whether two runs write the same.
func sameOps(a, b *interp.Run) bool {
	return slices.EqualFunc(a.Ops, b.Ops, func(x, y interp.Op) bool {
		return x.Kind == y.Kind && x.Table == y.Table && x.Key == y.Key && slices.Equal(x.New, y.New) && slices.Equal(x.Cols, y.Cols)
	})
}
