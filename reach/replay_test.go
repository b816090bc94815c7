package reach

import (
	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// replay gives the executions of the original program that a trace of the
// instrumented one stands for: the attacker reads where it stands, and commits
// after all others. There are several if choices were made. Yield returns
// false to stop.
func replay(m *interp.Machine, inst *instrument.Result, p *ir.Program, trace []Step, yield func(*interp.Execution) bool) {
	x := &interp.Execution{Versions: []*interp.DB{interp.InitialDB(p)}}
	regs := map[int]map[string]ir.Value{}
	var delayed []*interp.Run
	at, who := 0, Step{}
	commit := func(run *interp.Run, s Step, snapshot int) bool {
		return m.Extend(x, interp.Committed{Run: run, Session: s.Session, Index: s.Index, Snapshot: snapshot}) == ""
	}
	var from func(i int) bool
	from = func(i int) bool {
		if i == len(trace) {
			for _, run := range delayed {
				if commit(run, who, at) {
					more := yield(x)
					x.Retract()
					if !more {
						return false
					}
				}
			}
			return true
		}
		s := trace[i]
		in := *s.Run.Inst
		in.Txn, in.ID = p.Txn(in.Txn.Name), i
		values := havocs(s)
		in.Havoc = func(site *ir.Havoc, n int) (ir.Value, bool) {
			if n < len(values[site]) {
				return values[site][n], true
			}
			return ir.Value{}, false
		}
		if inst.Delayed(s.Run) {
			delayed, at, who = m.Runs(&in, x.Last(), regs[s.Session], false), len(x.Txns), s
			return from(i + 1)
		}
		for _, run := range m.Runs(&in, x.Last(), regs[s.Session], true) {
			if !commit(run, s, len(x.Txns)) {
				continue
			}
			old := regs[s.Session]
			regs[s.Session] = run.Keep(old)
			more := from(i + 1)
			regs[s.Session] = old
			x.Retract()
			if !more {
				return false
			}
		}
		return true
	}
	from(0)
}

// confirmed reports whether a trace stands for an anomaly: in the classic
// sense, a cycle of value-blind dependencies, or else an outcome that no serial
// order of the same transactions has.
func confirmed(m *interp.Machine, inst *instrument.Result, p *ir.Program, trace []Step, classic bool) bool {
	old := m.Trace
	m.Trace = classic
	defer func() { m.Trace = old }()
	found := false
	replay(m, inst, p, trace, func(x *interp.Execution) bool {
		if classic {
			found = interp.Cycle(len(x.Txns), m.Dependencies(x, true, true)) != nil
			return !found
		}
		var sessions []interp.Session
		for i, s := range trace {
			for s.Session >= len(sessions) {
				sessions = append(sessions, nil)
			}
			in := *s.Run.Inst
			in.Txn, in.ID = p.Txn(in.Txn.Name), i
			sessions[s.Session] = append(sessions[s.Session], &in)
		}
		outcome := x.Outcome()
		found = true
		m.Serial(sessions, x.Versions[0], false, func(y *interp.Execution) bool {
			found = y.Outcome() != outcome
			return found
		})
		return !found
	})
	return found
}

// havocs gives the values of the executions of each ir.Havoc that is not Fresh, in order.
func havocs(s Step) map[*ir.Havoc][]ir.Value {
	out := map[*ir.Havoc][]ir.Value{}
	for _, x := range s.Run.Steps {
		if h, ok := x.Stmt.(*ir.Havoc); ok && !h.Fresh {
			out[h] = append(out[h], x.Locals[0].Value)
		}
	}
	return out
}
