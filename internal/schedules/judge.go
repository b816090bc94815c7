package schedules

import (
	"cmp"
	"strings"

	"github.com/txrobust/robust/internal/interp"
)

// judge executes one situation in any orders.
type judge struct {
	s         *search
	sit       *situation
	instances []*interp.Instance
	init      *interp.DB
	// serial gives a serial order for every outcome that one has; undecided
	// is why these may not be all.
	serial    map[string][]int
	undecided string
	// noCut says that the last order had a cut that there is not, atSnapshot what
	// the calls are at snapshot isolation, once that was asked.
	noCut      bool
	atSnapshot *interp.Verdict
}

func (s *search) judge(sit *situation) *judge {
	return &judge{s: s, sit: sit, instances: s.instances(sit.calls), init: interp.NewDB(s.program, sit.rows)}
}

// serialOutcomes goes through all serial orders and choices.
func (j *judge) serialOutcomes() {
	if j.serial != nil {
		return
	}
	j.serial = map[string][]int{}
	n := len(j.instances)
	outputs := make([]string, n)
	done := make([]bool, n)
	var trail []int
	seen := map[string]bool{}
	var rec func(db *interp.DB, regs registers)
	rec = func(db *interp.DB, regs registers) {
		if err := j.s.ctx.Err(); err != nil {
			j.undecided = err.Error()
			return
		}
		if len(trail) == n {
			o := outcome(outputs, db)
			if j.serial[o] == nil {
				j.serial[o] = append([]int(nil), trail...)
			}
			return
		}
		// Two ways to one state with the same outputs go on in the same way.
		var key strings.Builder
		for i := range outputs {
			if done[i] {
				key.WriteByte(1)
				key.WriteString(outputs[i])
			}
			key.WriteByte(0xfb)
		}
		key.WriteString(db.String())
		if seen[key.String()] {
			return
		}
		seen[key.String()] = true
		for i, c := range j.sit.calls {
			if done[i] || !j.s.opt.AnyOrder && j.waits(i, done) {
				continue
			}
			for _, run := range j.s.machine.Runs(j.instances[i], db, regs[c.Session], true) {
				j.undecided = cmp.Or(j.undecided, run.Inconclusive())
				next, why := j.s.machine.Commit(run, db, nil)
				if why != "" {
					continue
				}
				done[i], outputs[i] = true, run.Outputs
				trail = append(trail, i)
				rec(next, regs.after(c.Session, run))
				trail = trail[:len(trail)-1]
				done[i], outputs[i] = false, ""
			}
		}
	}
	rec(j.init, registers{})
}

// agreeing gives a serial order that has an outcome, or nil.
func (j *judge) agreeing(outputs []string, final *interp.DB) []int {
	a := &agreeing{ctx: j.s.ctx, program: j.s.program, machine: j.s.machine, calls: j.sit.calls, instances: j.instances, outputs: outputs, final: final,
		waits: func(i int, done []bool) bool { return !j.s.opt.AnyOrder && j.waits(i, done) }}
	order := a.search(j.init)
	j.undecided = cmp.Or(j.undecided, a.undecided)
	j.s.followed += a.followed
	return order
}

// waits reports whether a call of the same session comes before call i.
func (j *judge) waits(i int, done []bool) bool {
	for k := 0; k < i; k++ {
		if j.sit.calls[k].Session == j.sit.calls[i].Session && !done[k] {
			return true
		}
	}
	return false
}

// replay executes the calls in an order, with every choice, until f returns
// false.
func (j *judge) replay(o Order, f func(*interp.Execution) bool) {
	if o.Cut > 0 {
		j.interrupt(o, f)
		return
	}
	x := &interp.Execution{Versions: []*interp.DB{j.init}}
	var rec func(regs registers) bool
	rec = func(regs registers) bool {
		i := len(x.Txns)
		if i == len(o.Commits) {
			return f(x)
		}
		c, snap := o.Commits[i], o.Snapshots[i]
		session := j.sit.calls[c].Session
		for _, run := range j.s.machine.Runs(j.instances[c], x.Versions[snap], regs[session], snap == i) {
			if j.s.machine.Extend(x, interp.Committed{Run: run, Session: session, Snapshot: snap}) != "" {
				continue
			}
			more := j.refused(x) || rec(regs.after(session, run))
			x.Retract()
			if !more {
				return false
			}
		}
		return true
	}
	rec(registers{})
}

// refused reports whether the database may refuse an execution, and such ones are left
// out.
func (j *judge) refused(x *interp.Execution) bool {
	return !j.s.opt.Doubtful && len(j.s.machine.Doubts(x)) > 0
}

// verdict is what an order is.
type verdict uint8

const (
	// impossible: the calls do not all commit in this order.
	impossible verdict = iota
	// harmless: every outcome is one of a serial order.
	harmless
	// open: some outcome is of no serial order as far as they can be executed.
	open
	// anomalous: some outcome is of no serial order.
	anomalous
)

// decide executes the calls in an order and compares with all serial orders. A
// harmless one comes with a serial order that agrees.
func (j *judge) decide(o Order) (v verdict, x *interp.Execution, agrees []int) {
	j.replay(o, func(e *interp.Execution) bool {
		outputs := make([]string, len(j.instances))
		for i, t := range e.Txns {
			outputs[o.Commits[i]] = t.Run.Outputs
		}
		var ser []int
		if len(j.instances) > maxSpelled {
			ser = j.agreeing(outputs, e.Last())
		} else {
			j.serialOutcomes()
			ser = j.serial[outcome(outputs, e.Last())]
		}
		if ser != nil {
			v, agrees = max(v, harmless), ser
			return true
		}
		if j.undecided != "" {
			v = open
			j.s.stats.bounded(j.undecided)
			return true
		}
		if o.Cut > 0 && j.s.opt.OnlyCuts && !j.harmlessAtSnapshot() {
			v = max(v, harmless)
			return true
		}
		v = anomalous
		x = e.Clone()
		return false
	})
	return v, x, agrees
}
