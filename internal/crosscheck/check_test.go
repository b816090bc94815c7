package crosscheck_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/isolation"
)

// evidence finds the anomaly of a litmus program by exhaustive interpretation.
func evidence(t *testing.T, p *ir.Program, on *engine.Profile) (witness.Evidence, *witness.Witness) {
	t.Helper()
	e := witness.Evidence{Program: p, Engine: on, Sessions: interp.Sessions(p, 1)}
	for _, table := range p.Tables {
		e.Rows = append(e.Rows, table.Rows)
	}
	r := interp.NewMachine(p, e.Engine).Explore(t.Context(), e.Sessions, interp.InitialDB(p), interp.Options{})
	if r.Verdict != interp.Anomalous {
		t.Fatalf("%s: %s", p.Name, r.Verdict)
	}
	e.Execution = r.Anomaly
	e = e.Simplify()
	w, err := witness.Build(e)
	if err != nil {
		t.Fatal(err)
	}
	return e, w
}

func litmus(t *testing.T, file string) *ir.Program {
	return testprog.ParseFile(t, testprog.Path(t, "litmus", file))
}

func newTrace(t *testing.T, e witness.Evidence, w *witness.Witness) *crosscheck.Trace {
	t.Helper()
	trace, err := crosscheck.NewTrace(e, w)
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// lines gives the operations of a trace, a transaction a line.
func lines(t *crosscheck.Trace) string {
	var b strings.Builder
	for _, x := range t.Txns {
		b.WriteString(x.Label + ":")
		for _, o := range x.Ops {
			kind := "read"
			switch {
			case o.Write:
				kind = "write"
			case o.Late:
				kind = "late"
			}
			fmt.Fprintf(&b, " %s %s=%s;", kind, t.Objects[o.Object].Name, t.Objects[o.Object].Versions[o.Version].Text)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// TestTrace: which versions are read and written.
func TestTrace(t *testing.T) {
	for file, want := range map[string]string{
		"fig1-write-skew.litmus": `B: read y=0; write x=1 by B;
A: read x=0; write y=1 by A;
`,
		// What was deleted and what is inserted later are two rows, and only the
		// constraint sees that the first is gone.
		"s3-key.litmus": "late",
		// A phantom is read as a row that is not there.
		"booking.litmus": "absent",
	} {
		e, w := evidence(t, litmus(t, file), engine.Postgres())
		got := lines(newTrace(t, e, w))
		if strings.Contains(want, "\n") && got != want || !strings.Contains(got, want) {
			t.Errorf("%s:\n%swant\n%s", file, got, want)
		}
	}
}

// fake is a witness of any execution, for the tests of those that are none.
func fake(x *interp.Execution) *witness.Witness {
	w := &witness.Witness{Isolation: "si"}
	for i := range x.Txns {
		w.Transactions = append(w.Transactions, witness.Transaction{Label: string(rune('A' + i)), Name: x.Txns[i].Run.Inst.Txn.Name, Commit: i})
	}
	return w
}

// TestSerial: if serial executions are passed off as witnesses, every judge that is
// asked about SER contradicts.
func TestSerial(t *testing.T) {
	seed := flags.Seed(t)
	tried := 0
	for i := range flags.Runs() {
		r := rand.New(rand.NewSource(seed + int64(i)))
		e := witness.Evidence{Engine: engine.Postgres(), Program: progen.Accesses(r, progen.All), AnyOrder: true}
		wellformed.Structure(e.Program)
		e.Rows = progen.Rows(r, e.Program, 3)
		e.Sessions = progen.Instances(r, e.Program, 3)
		interp.NewMachine(e.Program, e.Engine).Serial(e.Sessions, interp.NewDB(e.Program, e.Rows), true, func(x *interp.Execution) bool {
			e.Execution = x.Clone()
			return false
		})
		if e.Execution == nil {
			continue
		}
		tried++
		w := fake(e.Execution)
		judged, err := crosscheck.Check(t.Context(), w, newTrace(t, e, w), crosscheck.Judges())
		var d *crosscheck.Disagreement
		if !errors.As(err, &d) {
			t.Errorf("seed %d: %v", seed+int64(i), err)
		}
		for k := range judged {
			if j := &judged[k]; j.Verdict != isolation.Accept.String() {
				t.Errorf("seed %d: %s\n%s", seed+int64(i), j, e.Program)
			}
		}
	}
	if t.Logf("%d serial executions", tried); tried == 0 && flags.Runs() >= 400 {
		t.Error("there is none")
	}
}

// TestCorrupted: a witness of which any one read is another version is caught, and
// so is one whose reads are swapped.
func TestCorrupted(t *testing.T) {
	for _, file := range []string{"fig1-write-skew.litmus", "read-only-anomaly.litmus"} {
		e, w := evidence(t, litmus(t, file), engine.Postgres())
		trace := newTrace(t, e, w)
		if _, err := crosscheck.Check(t.Context(), w, trace, crosscheck.Judges()); err != nil {
			t.Fatal(err)
		}
		var changed []*crosscheck.Op
		for i := range trace.Txns {
			for k := range trace.Txns[i].Ops {
				if o := &trace.Txns[i].Ops[k]; !o.Write {
					changed = append(changed, o)
				}
			}
		}
		wrong := func(what string, o ...*crosscheck.Op) {
			_, err := crosscheck.Check(t.Context(), w, trace, crosscheck.Judges())
			var d *crosscheck.Disagreement
			if !errors.As(err, &d) || d.Witness != w || len(d.Judgements) == 0 {
				t.Errorf("%s: %s: %v", file, what, err)
			}
		}
		for i, o := range changed {
			old := o.Version
			for v := range trace.Objects[o.Object].Versions {
				if o.Version = v; v != old {
					wrong("another version", o)
				}
			}
			o.Version = old
			for _, p := range changed[:i] {
				if o.Object == p.Object && o.Version != p.Version {
					o.Version, p.Version = p.Version, o.Version
					wrong("swapped", o, p)
					o.Version, p.Version = p.Version, o.Version
				}
			}
		}
		if len(changed) == 0 {
			t.Errorf("%s: nothing is read", file)
		}
	}
}

// TestWrongExecution: what a run read has to be what the writes before it left.
func TestWrongExecution(t *testing.T) {
	e, w := evidence(t, litmus(t, "read-only-anomaly.litmus"), engine.Postgres())
	x := e.Execution.Clone()
	e.Execution = x
	for i := range x.Txns {
		x.Txns[i].Snapshot = 0
	}
	_, err := crosscheck.NewTrace(e, w)
	var d *crosscheck.Disagreement
	if !errors.As(err, &d) || d.Trace != nil || !strings.Contains(err.Error(), "has no history") {
		t.Errorf("an execution with other snapshots has a trace: %v", err)
	}
}

// TestFaulty: judges that are wrong, fail, or know nothing.
func TestFaulty(t *testing.T) {
	e, w := evidence(t, litmus(t, "fig1-write-skew.litmus"), engine.Postgres())
	trace := newTrace(t, e, w)
	judge := func(v checker.Verdict, err error) crosscheck.Judge {
		return crosscheck.Judge{Name: "faulty", Forms: []crosscheck.Form{crosscheck.Registers}, Levels: []isolation.Level{isolation.SI, isolation.SER},
			Check: func(context.Context, *history.History, isolation.Level) (crosscheck.Opinion, error) {
				return crosscheck.Opinion{Answer: checker.Answer{Verdict: v, Why: "no reason"}}, err
			}}
	}
	silent := judge(checker.Violated, nil)
	silent.Explains = true
	small := judge(checker.Violated, nil)
	small.MaxTxns = 2
	for _, tc := range []struct {
		what string
		crosscheck.Judge
		wrong int
		say   string
	}{
		{"accepts all", judge(checker.Satisfied, nil), 1, "accept SER"},
		{"rejects all", judge(checker.Violated, nil), 1, "reject SI"},
		{"knows nothing", judge(checker.Unknown, nil), 0, "no reason"},
		{"fails", judge(checker.Unknown, errors.New("broken")), 2, "broken"},
		{"has no time", judge(checker.Unknown, context.DeadlineExceeded), 0, "the time ran out"},
		{"rejects without a reason", silent, 2, "does not say"},
		{"is for small histories", small, 0, "3 transactions"},
	} {
		judged, err := crosscheck.Check(t.Context(), w, trace, []crosscheck.Judge{tc.Judge})
		wrong, said := 0, false
		for i := range judged {
			if !judged[i].Agrees() {
				wrong++
			}
			said = said || strings.Contains(judged[i].String(), tc.say)
		}
		var d *crosscheck.Disagreement
		if len(judged) != 2 || wrong != tc.wrong || errors.As(err, &d) != (wrong > 0) || !said {
			t.Errorf("%s: %v, %v", tc.what, judged, err)
		}
		if wrong > 0 && !strings.Contains(err.Error(), "faulty") {
			t.Errorf("%s: %v", tc.what, err)
		}
	}
}

// TestTable: every judge is asked about something that every witness has.
func TestTable(t *testing.T) {
	e, w := evidence(t, litmus(t, "fig1-write-skew.litmus"), engine.Postgres())
	judged, err := crosscheck.Check(t.Context(), w, newTrace(t, e, w), crosscheck.Judges())
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range crosscheck.Judges() {
		if !slices.ContainsFunc(judged, func(x crosscheck.Judgement) bool { return x.Checker == j.Name && x.Verdict == x.Expected }) {
			t.Errorf("%s has no part in it", j.Name)
		}
	}
	for _, want := range []string{"polysi: accept SI", "c4: accept CC", "polysi: reject SER", "elle: reject SER (lists), write-skew of "} {
		if !slices.ContainsFunc(judged, func(j crosscheck.Judgement) bool { return strings.HasPrefix(j.String(), want) }) {
			t.Errorf("there is no %q in %v", want, judged)
		}
	}
}

// TestFiles: what is written reads back with the same verdicts, in every format that
// can hold it.
func TestFiles(t *testing.T) {
	for _, file := range []string{"read-only-anomaly.litmus", "s3-key.litmus"} {
		e, w := evidence(t, litmus(t, file), engine.Postgres())
		trace := newTrace(t, e, w)
		files, err := crosscheck.Files(t.Context(), trace)
		if err != nil {
			t.Fatal(err)
		}
		dir := filepath.Join(t.TempDir(), "w")
		for range 2 { // the second replaces the first
			if err := w.Write(dir, files); err != nil {
				t.Fatal(err)
			}
		}
		if len(trace.Forms()) != 3 && file == "s3-key.litmus" {
			t.Errorf("%s: forms %v", file, trace.Forms())
		}
		for _, form := range trace.Forms() {
			for _, name := range codec.Names(true) {
				path := filepath.Join(dir, "history", string(form), name)
				_, err := os.Stat(path)
				h, fault := trace.History(form)
				if fault != nil {
					t.Fatal(fault)
				}
				if _, _, why := codec.Files(t.Context(), h, codec.Format(name)); (why == nil) != (err == nil) {
					t.Errorf("%s: %s as %s: written %v, possible %v", file, form, name, err, why)
				}
				if err == nil {
					reread(t, path, form, name)
				}
			}
		}
	}
}

// reread judges a history that was written.
func reread(t *testing.T, path string, form crosscheck.Form, format string) {
	t.Helper()
	h, as, err := codec.Read(t.Context(), []string{path}, codec.Options{Strict: true})
	if err != nil {
		t.Fatal(err)
	}
	if string(as) != format {
		t.Errorf("%s is read as %s", path, as)
	}
	want := map[isolation.Level]isolation.Verdict{isolation.SER: isolation.Reject}
	if form == crosscheck.Registers {
		// Only a constraint may show that there is no serial order.
		want = map[isolation.Level]isolation.Verdict{isolation.CC: isolation.Accept, isolation.SI: isolation.Accept}
	}
	r, err := judge.Check(t.Context(), h, judge.Options{Cross: true, Levels: slices.Collect(maps.Keys(want))})
	if err != nil {
		t.Fatal(err)
	}
	for l, v := range want {
		if got := r.Judgement(l); got.Verdict != v || len(r.Conflicts) > 0 {
			t.Errorf("%s: %s is %s by %s, want %s %v", path, l, got.Verdict, got.Checker, v, r.Conflicts)
		}
	}
}
