package elle

import (
	"context"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

// broken is a history with anomalies of many kinds.
func broken(t testing.TB, txns int) *history.History {
	return simulate(t, rand.New(rand.NewPCG(7, 7)), stale, workload{sessions: 8, txns: txns, ops: 5, keys: 20,
		types: []history.Type{history.List, history.Register}, stamped: true, aborts: 5, unknown: 5})
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := Check(ctx, broken(t, 200), Options{}); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("result %v, error %v", r, err)
	}
}

// TestExhausted: who stops the search early learns less, but nothing wrong.
func TestExhausted(t *testing.T) {
	stopped := false
	for _, h := range []*history.History{broken(t, 30), broken(t, 300)} {
		full, err := Check(t.Context(), h, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for steps := int64(1); steps < 1e6; steps *= 3 {
			r, err := Check(t.Context(), h, Options{Steps: steps})
			if err != nil {
				t.Fatal(err)
			}
			stopped = stopped || len(r.Notes) > len(full.Notes)
			for _, l := range isolation.Levels() {
				if got, want := r.Verdict(l), full.Verdict(l); got != checker.Unknown && want != checker.Unknown && got != want {
					t.Errorf("%d steps: %s is %s, with more %s", steps, l, got, want)
				}
			}
		}
	}
	if !stopped {
		t.Error("the search never ran out of steps")
	}
}

// TestDeterministic: two runs give the same, to the letter.
func TestDeterministic(t *testing.T) {
	h := broken(t, 300)
	a, err := Check(t.Context(), h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	b, err := Check(t.Context(), h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Error("two runs differ")
	}
	if len(a.Anomalies) == 0 || len(a.Violations) != len(a.Anomalies) {
		t.Errorf("%d anomalies, %d violations", len(a.Anomalies), len(a.Violations))
	}
}

// TestLevels: a verdict does not depend on which other levels are asked for, and
// a satisfied level has no anomaly that it excludes.
func TestLevels(t *testing.T) {
	for seed := range uint64(100) {
		h := simulate(t, rand.New(rand.NewPCG(seed, 3)), database(seed%uint64(numDatabases)), workload{sessions: 3, txns: 12, ops: 4, keys: 3,
			types: types[seed%uint64(len(types))], stamped: seed%3 > 0, aborts: 5, unknown: 5})
		all, err := Check(t.Context(), h, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range isolation.Levels() {
			r, err := Check(t.Context(), h, Options{Levels: []isolation.Level{l}})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Answers) != 1 || r.Answers[0].Level != l {
				t.Fatalf("seed %d: answers %v", seed, r.Answers)
			}
			got, want := r.Verdict(l), all.Verdict(l)
			if got != want && got != checker.Unknown && want != checker.Unknown || got == checker.Violated != (want == checker.Violated) {
				t.Errorf("seed %d: %s is %s alone, and %s with the others", seed, l, got, want)
			}
			if len(r.Anomalies) > 0 != (got == checker.Violated) {
				t.Errorf("seed %d: %s is %s with %d anomalies", seed, l, got, len(r.Anomalies))
			}
		}
		for _, an := range all.Anomalies {
			for _, a := range all.Answers {
				if a.Verdict == checker.Satisfied && a.Level.Excludes(an.Form) {
					t.Errorf("seed %d: %s is satisfied, with %s", seed, a.Level, an.Form)
				}
			}
		}
	}
}

// TestInstances: anomalies beyond the bound are counted.
func TestInstances(t *testing.T) {
	r, err := Check(t.Context(), broken(t, 300), Options{Instances: 2})
	if err != nil {
		t.Fatal(err)
	}
	shown := map[isolation.Anomaly]int{}
	for _, an := range r.Anomalies {
		shown[an.Kind]++
	}
	more := false
	for a, n := range r.Counts {
		more = more || n > 2
		if shown[a] != min(n, 2) {
			t.Errorf("%d of %d %s are shown", shown[a], n, a)
		}
	}
	if !more {
		t.Errorf("too few anomalies: %v", r.Counts)
	}
}
