package checker

import (
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

func TestResult(t *testing.T) {
	r := Result{
		Answers: []Answer{{Level: isolation.RC, Verdict: Violated}},
		Counts:  map[isolation.Anomaly]int{anomalies.G1b: 1, anomalies.G1a: 2},
	}
	if got := r.Anomalies(); len(got) != 2 || got[0] != anomalies.G1a {
		t.Errorf("anomalies %v", got)
	}
	if r.Verdict(isolation.RC) != Violated || r.Verdict(isolation.RA) != Unknown || r.Answer(isolation.RA).Why == "" {
		t.Error("answers are mixed up")
	}
	b := history.NewBuilder()
	for range 2 {
		b.Txn(b.Session(history.String("a")), history.Committed)
	}
	h, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	v := Violation{Read: -1, Source: -1, Cycle: []Edge{{From: 2, To: 1, Because: []Edge{{From: 0, To: 2}}}}}
	if got := v.Txns(h); len(got) != 3 || got[0] != 0 || got[2] != 2 {
		t.Errorf("transactions %v", got)
	}
}
