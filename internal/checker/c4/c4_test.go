package c4

import (
	"context"
	"reflect"
	"slices"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

// TestWords has violations with all that is told about them.
func TestWords(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"own session", "w(1,1,0,0) r(1,0,0,1)", `
RA: test:2: fractured-read-co: read 1 = nil: one write of a transaction is read, and for another key that it wrote a version of its causal past (the reader is T1, the writer T⊥).
RA: T1 (read 1 = nil) reads the version of T⊥, although it comes after T0 (T0 –SO→ T1), which writes 1, too: so T0 wrote 1 before T⊥.
RA: The initial transaction T⊥ comes before all others.
`},
		{"causality", "w(1,1,0,0) r(1,1,1,1) w(2,1,1,1) r(2,1,2,2) r(1,0,2,3)", `
CC: test:5: co-conflict-ao: read 1 = nil: a version is read that was overwritten in the causal past of the reader (the reader is T3, the writer T⊥).
CC: T3 (read 1 = nil) reads the version of T⊥, although it comes after T0 (T0 –WR 1→ T1 –WR 2→ T2 –SO→ T3), which writes 1, too: so T0 wrote 1 before T⊥.
CC: The initial transaction T⊥ comes before all others.
`},
		{"two orders of concurrent writes", `w(1,1,0,0) w(2,1,0,0) w(1,2,1,1) w(3,1,1,1)
			r(2,1,2,2) r(3,1,2,3) r(1,1,2,4) r(3,1,3,5) r(2,1,3,6) r(1,2,3,7)`, `
CC: test:7: conflict-ao: read 1 = 1: the versions that causally consistent reads need are in no order (the reader is T4, the writer T0).
CC: T4 (read 1 = 1) reads the version of T0, although it comes after T1 (T1 –WR 3→ T3 –SO→ T4), which writes 1, too: so T1 wrote 1 before T0.
CC: T7 (read 1 = 2) reads the version of T1, although it comes after T0 (T0 –WR 2→ T6 –SO→ T7), which writes 1, too: so T0 wrote 1 before T1.
CC: test:10: conflict-ao: read 1 = 2: the versions that causally consistent reads need are in no order (the reader is T7, the writer T1).
CC: T7 (read 1 = 2) reads the version of T1, although it comes after T0 (T0 –WR 2→ T6 –SO→ T7), which writes 1, too: so T0 wrote 1 before T1.
CC: T4 (read 1 = 1) reads the version of T0, although it comes after T1 (T1 –WR 3→ T3 –SO→ T4), which writes 1, too: so T1 wrote 1 before T0.
`},
	} {
		h := historytest.Parse(t, c.text)
		r, err := Check(context.Background(), h, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := tell(h, r); got != c.want[1:] {
			t.Errorf("%s: got\n%swant%s", c.name, got, c.want)
		}
	}
}

// TestWorkers makes sure that the result does not depend on how the work is
// divided, nor on how much memory the clocks have.
func TestWorkers(t *testing.T) {
	for i, level := range []isolation.Level{isolation.RC, isolation.RA, isolation.CC} {
		h := simdb.Generate(simdb.Options{
			Seed: uint64(i), Level: level, Sessions: 9, Txns: 1000, Ops: 6, Keys: 40, Reads: 0.5, Lists: i == 1,
			Aborts: 0.05, Unknowns: 0.05, Faults: 0.002 * float64(i),
		})
		var want *checker.Result
		for _, o := range []Options{{Workers: 1}, {Workers: 2}, {Workers: 5}, {Workers: 2, Memory: 4 * 1001 * 2}} {
			o.Limit = 5
			got, err := Check(context.Background(), h, o)
			if err != nil {
				t.Fatal(err)
			}
			for j := range got.Answers {
				got.Answers[j].Order = nil // one of several, each as good
			}
			if want == nil {
				want = got
			}
			if !reflect.DeepEqual(got.Answers, want.Answers) {
				t.Errorf("%s, %+v: answers %v, want %v", level, o, got.Answers, want.Answers)
			}
			if o.Memory != 0 {
				continue // violations of CC are found in another order
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %+v: the violations differ: %v and %v", level, o, got.Counts, want.Counts)
			}
		}
		if len(want.Violations) == 0 {
			t.Errorf("%s: nothing was compared", level)
		}
	}
}

// TestOptions has limits, single levels, and others.
func TestOptions(t *testing.T) {
	h := simdb.Generate(simdb.Options{Seed: 1, Level: isolation.RC, Sessions: 5, Txns: 400, Ops: 6, Keys: 5, Reads: 0.6})
	check := func(o Options) *checker.Result {
		r, err := Check(context.Background(), h, o)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	all, some, one := check(Options{Limit: -1}), check(Options{Limit: 2}), check(Options{First: true})
	if !reflect.DeepEqual(all.Counts, some.Counts) {
		t.Errorf("a limit changes the counts from %v to %v", all.Counts, some.Counts)
	}
	total := 0
	for a, n := range all.Counts {
		total += n
		listed := 0
		for _, v := range some.Violations {
			if v.Anomaly == a {
				listed++
			}
		}
		if listed != min(2, n) {
			t.Errorf("%d of %d %s are listed", listed, n, a)
		}
	}
	if len(all.Violations) != total {
		t.Errorf("%d of %d violations are listed", len(all.Violations), total)
	}
	if len(one.Violations) != 1 {
		t.Errorf("%d violations, want the first", len(one.Violations))
	}
	if !slices.IsSortedFunc(all.Violations, func(v, w checker.Violation) int { return int(v.Level) - int(w.Level) }) {
		t.Error("violations are not sorted by level")
	}
	for _, r := range []*checker.Result{some, one} {
		for i, a := range r.Answers {
			if a.Verdict != all.Answers[i].Verdict {
				t.Errorf("%s is %s, then %s", a.Level, all.Answers[i].Verdict, a.Verdict)
			}
		}
	}
	for i, l := range Levels() {
		if v := check(Options{Levels: []isolation.Level{l}}).Verdict(l); v != all.Answers[i].Verdict {
			t.Errorf("%s alone is %s, with others %s", l, v, all.Answers[i].Verdict)
		}
	}
	if a := check(Options{Levels: []isolation.Level{isolation.SER}}).Answers[0]; a.Verdict != checker.Unknown || a.Why == "" {
		t.Errorf("SER is %s because %q", a.Verdict, a.Why)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, h, Options{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSets: what is not judged makes no history satisfy a level, and hides no
// violation.
func TestSets(t *testing.T) {
	for _, wrong := range []bool{false, true} {
		b := history.NewBuilder()
		b.Txn(b.Session(history.Int(0)), history.Committed)
		b.Op(history.Add, b.IntKey(1), b.IntValue(1))
		b.List(history.ReadSet, b.IntKey(1), []history.Value{b.IntValue(1)})
		if wrong {
			b.Read(b.IntKey(2), b.IntValue(1))
		}
		h, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		r, err := Check(context.Background(), h, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range r.Answers {
			if want := map[bool]checker.Verdict{false: checker.Unknown, true: checker.Violated}[wrong]; a.Verdict != want {
				t.Errorf("%s is %s, want %s", a.Level, a.Verdict, want)
			}
		}
	}
}
