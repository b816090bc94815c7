package witness

import (
	"github.com/txrobust/robust/internal/interp"
)

// Simplify leaves out transactions that the anomaly does not need, and lets as
// few transactions as possible be delayed: whoever can commit right after its
// snapshot does. The result is evidence of the same kind; what cannot be
// replayed is returned as it is, and so is an execution at READ COMMITTED, of which
// nothing can be left out.
func (e Evidence) Simplify() Evidence {
	if n := len(e.Execution.Txns); n > 0 && e.Execution.Txns[n-1].Split != nil {
		return e
	}
	m := e.Machine()
	m.Trace = e.Classic
	x, err := e.replay(m, sameEffect(&e))
	if err != nil {
		return e
	}
	e.Execution = x
	commits := func(_ int, r *interp.Run) bool { return r.Blocked == "" }
	for i := len(e.Execution.Txns) - 1; i >= 0; i = min(i, len(e.Execution.Txns)) - 1 {
		if e.last(i) {
			e = e.better(e.without(i), commits)
		}
	}
	for again := true; again; {
		again = false
		for i := range e.Execution.Txns {
			before := delayed(e.Execution)
			if e.Execution.Txns[i].Snapshot == i {
				continue
			}
			next := e
			next.Execution = earlier(e.Execution, i)
			if delayed(next.Execution) >= before {
				continue
			}
			if next = e.better(next, sameEffect(&next)); next.Execution != e.Execution {
				e, again = next, true
				break
			}
		}
	}
	return e
}

// sameEffect accepts runs with the effect that those of the execution have. Of classic
// evidence they also read the same rows, where the execution says which: what is read
// counts there, and not only what comes of it.
func sameEffect(e *Evidence) func(int, *interp.Run) bool {
	want, read := make([]string, len(e.Execution.Txns)), make([]string, len(e.Execution.Txns))
	for i := range want {
		want[i] = effect(e.Execution.Txns[i].Run)
		if e.Classic {
			read[i] = readings(e.Execution.Txns[i].Run)
		}
	}
	return func(i int, r *interp.Run) bool {
		return effect(r) == want[i] && (read[i] == "" || readings(r) == read[i])
	}
}

// better gives next as it is replayed if it is still an anomaly, else e.
func (e Evidence) better(next Evidence, accept func(int, *interp.Run) bool) Evidence {
	m := e.Machine()
	m.Trace = e.Classic
	x, err := next.replay(m, accept)
	if err != nil {
		return e
	}
	next.Execution = x
	if next.serializable(m) {
		return e
	}
	return next
}

// serializable judges the execution of e, which m has made (with a trace, for
// classic evidence).
func (e Evidence) serializable(m *interp.Machine) bool {
	if e.Classic {
		return interp.Cycle(len(e.Execution.Txns), m.Dependencies(e.Execution, !e.AnyOrder, true)) == nil
	}
	return e.Machine().Serialized(e.committed(), e.Execution, e.AnyOrder) // a serial order that cannot be followed may be the one
}

// last reports whether the i-th transaction is the last one of its session.
func (e Evidence) last(i int) bool {
	t := &e.Execution.Txns[i]
	for k := range e.Execution.Txns {
		if o := &e.Execution.Txns[k]; o.Session == t.Session && o.Index > t.Index {
			return false
		}
	}
	return true
}

// without leaves the i-th transaction out.
func (e Evidence) without(i int) Evidence {
	x := &interp.Execution{}
	for k, t := range e.Execution.Txns {
		if k == i {
			continue
		}
		if t.Snapshot > i {
			t.Snapshot--
		}
		x.Txns = append(x.Txns, t)
	}
	e.Execution = x
	return e
}

// earlier lets the i-th transaction commit right after its snapshot. Those
// that took theirs in between then see it.
func earlier(x *interp.Execution, i int) *interp.Execution {
	out := &interp.Execution{}
	moved := x.Txns[i]
	at := moved.Snapshot
	for k, t := range x.Txns {
		if k == at {
			out.Txns = append(out.Txns, moved)
		}
		if k == i {
			continue
		}
		if t.Snapshot > at && t.Snapshot <= i {
			t.Snapshot++
		}
		out.Txns = append(out.Txns, t)
	}
	return out
}

func delayed(x *interp.Execution) int {
	n := 0
	for i := range x.Txns {
		if x.Txns[i].Snapshot < i {
			n++
		}
	}
	return n
}
