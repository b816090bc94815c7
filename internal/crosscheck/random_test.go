package crosscheck_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/internal/witness"
)

var flags = testprog.RandomFlags(400)

// trial is a random execution: a program with instances of its templates on rows.
type trial struct {
	witness.Evidence
	source string
}

// newTrial makes a random program and picks instances.
func newTrial(r *rand.Rand, litmus []*ir.Program) trial {
	engines := []*engine.Profile{engine.SI(), engine.Postgres(), engine.Postgres(), engine.MariaDB()}
	x := trial{Evidence: witness.Evidence{Engine: engines[r.Intn(len(engines))]}}
	switch kind := r.Intn(3); kind {
	case 0:
		x.source = "mutants"
		x.Program = litmus[r.Intn(len(litmus))]
		for range 1 + r.Intn(4) {
			x.Program = progen.Mutant(r, x.Program)
		}
	default:
		o := progen.All
		o.Stmts, o.Loops, o.Derived = 3, r.Intn(4) == 0, r.Intn(3) == 0
		x.source, x.Program = "programs", nil
		if kind == 2 {
			x.source, x.Program = "accesses", progen.Accesses(r, o)
		} else {
			x.Program = progen.Program(r, o)
		}
	}
	wellformed.Structure(x.Program)
	x.pick(r)
	return x
}

// pick picks instances and rows.
func (x *trial) pick(r *rand.Rand) {
	x.Classic = r.Intn(4) == 0
	x.Rows = nil
	if len(x.Program.Processes) > 0 {
		x.Sessions = interp.Sessions(x.Program, 2)
		for _, t := range x.Program.Tables {
			x.Rows = append(x.Rows, t.Rows)
		}
		return
	}
	x.AnyOrder = r.Intn(3) > 0
	x.Rows = progen.Rows(r, x.Program, 3)
	x.Sessions = progen.Instances(r, x.Program, 2+r.Intn(3))
}

// anomaly looks for an execution without a serial equivalent: at snapshot isolation,
// or at READ COMMITTED, where the last session is interrupted by the others.
func (x *trial) anomaly(t *testing.T, r *rand.Rand) bool {
	m := interp.NewMachine(x.Program, x.Engine)
	m.MaxSteps = 200
	several := slices.ContainsFunc(x.Sessions, func(s interp.Session) bool { return len(s) > 1 })
	if x.Engine.Name == engine.Postgres().Name && !several && r.Intn(2) == 0 {
		x.Classic, x.AnyOrder = false, true
		return x.interrupted(m, 1+r.Intn(4))
	}
	res := m.Explore(t.Context(), x.Sessions, interp.NewDB(x.Program, x.Rows),
		interp.Options{Classic: x.Classic, AnyOrder: x.AnyOrder, MaxExecutions: 3000})
	x.Execution = res.Anomaly
	return res.Verdict == interp.Anomalous
}

func (x *trial) interrupted(m *interp.Machine, cut int) bool {
	var others []*interp.Instance
	for _, s := range x.Sessions[1:] {
		others = append(others, s[0])
	}
	delayed := x.Sessions[0]
	x.Sessions = append(x.Sessions[1:len(x.Sessions):len(x.Sessions)], delayed)
	init := interp.NewDB(x.Program, x.Rows)
	set := map[string]bool{}
	if m.Serial(x.Sessions, init, true, func(s *interp.Execution) bool { set[s.Outcome()] = true; return true }) != "" {
		return false
	}
	_, undecided := m.Interrupt(delayed[0], others, init, cut, func(e *interp.Execution) bool {
		for i := range e.Txns {
			e.Txns[i].Session = i
		}
		if !set[e.Outcome()] {
			x.Execution = e
		}
		return x.Execution == nil
	})
	return x.Execution != nil && undecided == ""
}

// TestRandom: whatever the interpreter finds to be an anomaly of a random program,
// every checker says what it should of its history.
func TestRandom(t *testing.T) {
	var litmus []*ir.Program
	for _, l := range testprog.LitmusPrograms(t) {
		litmus = append(litmus, l.Program(t))
	}
	seed := flags.Seed(t)
	counts, kinds, named := map[string]int{}, map[string]int{}, map[string]int{}
	for i := range flags.Runs() {
		r := rand.New(rand.NewSource(seed + int64(i)))
		x := newTrial(r, litmus)
		found := x.anomaly(t, r)
		for range 4 {
			if !found && len(x.Program.Processes) == 0 {
				x.pick(r)
				found = x.anomaly(t, r)
			}
		}
		if !found {
			continue
		}
		e := x.Evidence.Simplify()
		w, err := witness.Build(e)
		if err != nil {
			t.Errorf("seed %d (%s, %s): %v\n%s%v", seed+int64(i), x.source, e.Engine.Name, err, e.Program, e.Rows)
			continue
		}
		judged := checked(t, e, w, func() string {
			return fmt.Sprintf("seed %d (%s, %s)\n%s%v", seed+int64(i), x.source, e.Engine.Name, e.Program, e.Rows)
		})
		counts[x.source]++
		counts["judgements"] += len(judged)
		kinds[w.Isolation+" "+string(w.Kind)]++
		note(named, w, judged)
		if slices.ContainsFunc(judged, func(j crosscheck.Judgement) bool { return j.History == crosscheck.Constraints }) {
			counts["with late constraints"]++
		}
	}
	if len(kinds) == 0 && flags.Runs() >= 400 {
		t.Error("no anomaly was found")
	}
	t.Logf("%v\n%v\n%v", counts, kinds, pretty(named))
}

// cycle gives the labels of the cycle of a witness.
func cycle(w *witness.Witness) []string {
	var out []string
	for _, e := range w.Cycle {
		out = append(out, e.From)
	}
	return out
}

// checked cross-validates a witness. Of what is wrong show tells the rest.
func checked(t *testing.T, e witness.Evidence, w *witness.Witness, show func() string) []crosscheck.Judgement {
	t.Helper()
	trace, err := crosscheck.NewTrace(e, w)
	if err != nil {
		t.Errorf("%v\n%s", err, show())
		return nil
	}
	judged, err := crosscheck.Check(t.Context(), w, trace, crosscheck.Judges())
	var d *crosscheck.Disagreement
	switch {
	case errors.As(err, &d):
		t.Errorf("%v\n%s\n%s", err, w.Summary(), show())
		for i := range w.Schedule {
			t.Logf("%s %s", w.Schedule[i].Transaction, w.Schedule[i].Text)
		}
	case err != nil:
		t.Errorf("%v\n%s", err, show())
	}
	for i := range judged {
		if j := &judged[i]; j.Verdict == "unknown" {
			t.Errorf("%s\n%s", j, show())
		}
	}
	return judged
}

// note counts what elle calls a witness of some kind.
func note(into map[string]int, w *witness.Witness, judged []crosscheck.Judgement) {
	for _, j := range judged {
		if j.Checker != "elle" {
			continue
		}
		same := "other transactions"
		if slices.Equal(slices.Sorted(slices.Values(j.Transactions)), slices.Sorted(slices.Values(cycle(w)))) {
			same = "the same transactions"
		}
		into[fmt.Sprintf("%s %s: %s of %s", w.Isolation, w.Kind, j.Anomaly, same)]++
	}
}

func pretty(m map[string]int) string {
	var b strings.Builder
	for _, k := range slices.Sorted(maps.Keys(m)) {
		fmt.Fprintf(&b, "%s: %d\n", k, m[k])
	}
	return b.String()
}
