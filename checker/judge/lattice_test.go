package judge

import (
	"context"
	"testing"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/isolation"
)

// consistent makes sure that a result does not contradict itself: what an anomaly violates
// is rejected, with all levels that imply it, and verdicts follow the lattice.
func consistent(t *testing.T, name string, r *Result) {
	t.Helper()
	if len(r.Conflicts) > 0 {
		t.Errorf("%s: %v", name, r.Conflicts)
	}
	for _, a := range r.Anomalies {
		if len(a.Violates) == 0 {
			t.Errorf("%s: %s violates nothing", name, a.Kind)
		}
		for _, j := range r.Judgements {
			for _, l := range a.Violates {
				if j.Level.Implies(l) && j.Verdict != isolation.Reject {
					t.Errorf("%s: %s is %s (%s), with %s by %s, which violates %s", name, j.Level, j.Verdict, j.Why, a.Kind, a.Checker, l)
				}
			}
		}
	}
	for _, j := range r.Judgements {
		for _, k := range r.Judgements {
			switch {
			case !j.Level.Implies(k.Level):
			case j.Verdict == isolation.Accept && k.Verdict != isolation.Accept, k.Verdict == isolation.Reject && j.Verdict != isolation.Reject:
				t.Errorf("%s: %s is %s, and %s, which it implies, is %s", name, j.Level, j.Verdict, k.Level, k.Verdict)
			}
		}
	}
}

// TestOneLattice: no result about a recorded history contradicts itself.
func TestOneLattice(t *testing.T) {
	most := 4000
	if testing.Short() {
		most = 400
	}
	n, unknown := 0, 0
	for _, rec := range historytest.Recordings(t) {
		if rec.Polygraph {
			continue
		}
		h := rec.Read(t)
		if h.NumOps() > most {
			continue
		}
		n++
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		r, err := Check(ctx, h, Options{})
		cancel()
		if err != nil {
			t.Fatalf("%s: %v", rec.Path, err)
		}
		consistent(t, rec.Path, r)
		unknown += len(r.With(isolation.Unknown))
		for _, a := range r.Anomalies {
			for _, l := range a.Kind.ExcludedBy() {
				if j := r.Judgement(l); unambiguous(h) && j.Verdict == isolation.Unknown {
					t.Errorf("%s: %s is unknown (%s), with %s by %s", rec.Path, l, j.Why, a.Kind, a.Checker)
				}
			}
		}
	}
	t.Logf("%d histories, %d unknown verdicts", n, unknown)
}

// unambiguous tells whether it is known where every read comes from.
func unambiguous(h *history.History) bool { return !h.Sources().Duplicates() }
