package witness

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// Evidence is an execution as a search or an exhaustive interpretation finds
// it.
type Evidence struct {
	Program *ir.Program // structured
	Engine  *engine.Profile
	// Rows are the initial rows, a list per table.
	Rows [][][]ir.Value
	// Sessions hold the instances; the transactions of Execution refer to them
	// by session and index.
	Sessions []interp.Session
	// Execution gives the order of commits, the snapshots, and what each
	// transaction computed.
	Execution *interp.Execution
	// Levels are the isolation levels of templates, by name and in the words of SQL, where
	// they run at other ones than the execution is one of.
	Levels map[string]string
	// AnyOrder lets serial orders permute the transactions of one session.
	AnyOrder bool
	// Classic judges value-blind dependencies instead of outcomes.
	Classic bool

	// opaque, if not nil, changes what functions without a known meaning give.
	opaque func(name string, v ir.Value) ir.Value
}

// Machine makes an interpreter for the evidence.
func (e *Evidence) Machine() *interp.Machine {
	m := interp.NewMachine(e.Program, e.Engine)
	m.Levels = e.Levels
	if e.opaque != nil {
		m.Opaque = func(c *ir.Call, _ []ir.Value, v ir.Value) ir.Value { return e.opaque(c.Name, v) }
	}
	return m
}

// instance gives the i-th transaction to commit.
func (e *Evidence) instance(i int) *interp.Instance {
	t := &e.Execution.Txns[i]
	return e.Sessions[t.Session][t.Index]
}

// committed cuts the sessions to the transactions of the execution.
func (e *Evidence) committed() []interp.Session {
	out := make([]interp.Session, len(e.Sessions))
	for s := range out {
		n := 0
		for i := range e.Execution.Txns {
			if t := &e.Execution.Txns[i]; t.Session == s {
				n = max(n, t.Index+1)
			}
		}
		out[s] = e.Sessions[s][:n]
	}
	return out
}

// Replay executes the evidence again, on m, which traces it. The error says
// which transaction does not commit or computes something else.
func (e *Evidence) Replay(m *interp.Machine) (*interp.Execution, error) {
	m.Trace = true
	x, err := e.replay(m, sameEffect(e))
	if err != nil {
		return nil, fmt.Errorf("witness: the replay fails: %w", err)
	}
	return x, nil
}

// replay executes the transactions again, on m, with the same snapshots and in
// the same order. Where a run has a choice, the first one that accept takes is
// used.
func (e *Evidence) replay(m *interp.Machine, accept func(i int, run *interp.Run) bool) (*interp.Execution, error) {
	x := &interp.Execution{Versions: []*interp.DB{interp.NewDB(e.Program, e.Rows)}}
	regs := make([]map[string]ir.Value, len(e.Sessions))
	if n := len(e.Execution.Txns); n > 0 && e.Execution.Txns[n-1].Split != nil {
		return e.replaySplit(m, x.Versions[0], accept)
	}
	for i, t := range e.Execution.Txns {
		in := e.instance(i)
		why := "its values are not those of the witness"
		done := false
		for _, run := range m.Runs(in, x.Versions[t.Snapshot], regs[t.Session], t.Snapshot == i) {
			if !accept(i, run) {
				continue
			}
			if reason := m.Extend(x, interp.Committed{Run: run, Session: t.Session, Index: t.Index, Snapshot: t.Snapshot}); reason != "" {
				why = reason
				continue
			}
			done = true
			regs[t.Session] = run.Keep(regs[t.Session])
			break
		}
		if !done {
			return nil, fmt.Errorf("%s does not commit: %s", in, why)
		}
	}
	return x, nil
}

// effect is a text that is equal for runs with the same outputs and writes.
func effect(r *interp.Run) string {
	var b strings.Builder
	b.WriteString(r.Outputs)
	for i := range r.Ops {
		op := &r.Ops[i]
		if op.Action != nil {
			continue // the commit decides
		}
		fmt.Fprintf(&b, "%d %d %q %v\n", op.Kind, op.Table, op.Key, op.New)
	}
	return b.String()
}

// readings is a text that is equal for runs that read the same rows.
func readings(r *interp.Run) string {
	var b strings.Builder
	for i := range r.Reads {
		fmt.Fprintf(&b, "%d %q\n", r.Reads[i].Table, slices.Sorted(maps.Keys(r.Reads[i].Keys)))
	}
	return b.String()
}

// starts gives the order of first events, as places in the order of commits.
// At one state the delayed transactions begin before the others, those that
// commit last first: windows are nested where they can be.
func starts(x *interp.Execution) []int {
	out := make([]int, len(x.Txns))
	for i := range out {
		out[i] = i
	}
	sort.SliceStable(out, func(i, j int) bool {
		a, b := out[i], out[j]
		if s, t := x.Txns[a].Snapshot, x.Txns[b].Snapshot; s != t {
			return s < t
		}
		return a > b
	})
	return out
}

// label is A, B, …, Z, A1, B1, ….
func label(i int) string {
	s := string(rune('A' + i%26))
	if i >= 26 {
		s += fmt.Sprint(i / 26)
	}
	return s
}

// replaySplit executes transactions at READ COMMITTED again: the last one is
// interrupted where it was, and the others run there.
func (e *Evidence) replaySplit(m *interp.Machine, init *interp.DB, accept func(i int, run *interp.Run) bool) (*interp.Execution, error) {
	last := len(e.Execution.Txns) - 1
	var others []*interp.Instance
	for i := range last {
		others = append(others, e.instance(i))
	}
	var found *interp.Execution
	split := e.Execution.Txns[last].Split
	same := func(x *interp.Execution) bool {
		for i := range x.Txns {
			t := &e.Execution.Txns[i]
			x.Txns[i].Session, x.Txns[i].Index = t.Session, t.Index
			if !accept(i, x.Txns[i].Run) {
				return true
			}
		}
		found = x
		return false
	}
	if split.Waits {
		m.Wait(e.instance(last), others[0], init, split.Cut, same)
	} else {
		m.Interrupt(e.instance(last), others, init, split.Cut, same)
	}
	if found == nil {
		return nil, fmt.Errorf("%s does not commit around the others with the values of the witness", e.instance(last))
	}
	return found, nil
}
