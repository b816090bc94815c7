package simdb_test

import (
	"flag"
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/internal/checker/workload"
	"github.com/txrobust/robust/isolation"
)

var params = workload.Params{Ops: 4, Keys: 12, Reads: 0.5, Dist: workload.Zipf}

func judged(t *testing.T, o simdb.Options, name string, anomaly *simdb.Anomaly) *judge.Result {
	t.Helper()
	w, err := workload.ByName(name)
	if err != nil {
		t.Fatal(err)
	}
	h, err := simdb.Run(t.Context(), o, w, params, anomaly)
	if err != nil {
		t.Fatal(err)
	}
	r, err := judge.Check(t.Context(), h, judge.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRun: every workload at every level gives a history of that level.
func TestRun(t *testing.T) {
	for _, l := range simdb.Levels() {
		for _, w := range workload.Names() {
			for seed := range uint64(3) {
				o := simdb.Options{Seed: seed, Level: l, Sessions: 4, Txns: 60, Aborts: 0.1, Unknowns: 0.05, Losses: 0.05}
				r := judged(t, o, w, nil)
				// Sets and counters, and prefix consistency of registers, are not always decided.
				decided := w == "list-append" || w == "register" && l != isolation.PC
				if v := r.Judgement(l).Verdict; v == isolation.Reject || v == isolation.Unknown && decided {
					t.Errorf("%s at %s, seed %d: %v: %s", w, l, seed, v, r.Judgement(l).Why)
				}
				for _, strong := range map[isolation.Level][]isolation.Level{isolation.SER: {isolation.SSER}, isolation.SI: {isolation.StrongSI, isolation.SSSI}}[l] {
					if v := r.Judgement(strong).Verdict; v == isolation.Reject {
						t.Errorf("%s at %s, seed %d: %s is violated", w, l, seed, strong)
					}
				}
			}
		}
	}
}

// TestPlanted: each anomaly violates what it is known to violate, and no weaker level.
func TestPlanted(t *testing.T) {
	type row struct{ fails, holds isolation.Level }
	want := map[string]row{
		"thin-air-read": {isolation.RC, isolation.PL1}, "aborted-read": {isolation.RC, isolation.PL1}, "intermediate-read": {isolation.RC, isolation.PL1},
		"circular-flow": {isolation.CC, isolation.PL1}, "non-repeatable-read": {isolation.RA, isolation.RC}, "read-skew": {isolation.RA, isolation.RC},
		"lost-own-write": {isolation.RA, isolation.RC}, "causality-violation": {isolation.CC, isolation.RA}, "lost-update": {isolation.SI, isolation.CC},
		"long-fork": {isolation.SI, isolation.CC}, "write-skew": {isolation.SER, isolation.SI}, "read-only-anomaly": {isolation.SER, isolation.SI},
		"stale-read": {isolation.SSER, isolation.SER},
	}
	for _, a := range simdb.Anomalies() {
		for seed := range uint64(5) {
			r := judged(t, simdb.Options{Seed: seed, Level: isolation.SER, Sessions: 3, Txns: 30}, "register", &a)
			w, known := want[a.Name]
			if !known {
				t.Errorf("%s: say what it violates", a.Name)
				break
			}
			if v := r.Judgement(w.fails).Verdict; v != isolation.Reject {
				t.Errorf("%s, seed %d: %s is %v", a.Name, seed, w.fails, v)
			}
			if v := r.Judgement(w.holds).Verdict; v != isolation.Accept {
				t.Errorf("%s, seed %d: %s is %v", a.Name, seed, w.holds, v)
			}
		}
	}
}

var (
	runs = flag.Int("simdb.runs", 300, "random histories in TestRandom")
	seed = flag.Uint64("simdb.seed", 1, "seed of TestRandom")
)

// TestRandom asks every checker about small histories of clients: they agree with each other,
// and with how the history was made.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(*seed, 0))
	all := simdb.Anomalies()
	for i := range *runs {
		o := simdb.Options{Seed: r.Uint64(), Level: simdb.Levels()[r.IntN(len(simdb.Levels()))], Sessions: 1 + r.IntN(4), Txns: 1 + r.IntN(7),
			Lag: 1 + r.IntN(5), Aborts: 0.2 * r.Float64(), Unknowns: 0.1 * r.Float64(), Losses: 0.1 * r.Float64(), Untimed: r.IntN(2) == 0}
		name := workload.Names()[r.IntN(len(workload.Names()))]
		p := workload.Params{Ops: 1 + r.IntN(4), Keys: 1 + r.IntN(4), Reads: r.Float64(), Dist: workload.Uniform}
		var planted *simdb.Anomaly
		if a := all[r.IntN(len(all)-1)]; r.IntN(3) == 0 { // the last one needs times
			planted = &a
		}
		w, err := workload.ByName(name)
		if err != nil {
			t.Fatal(err)
		}
		h, err := simdb.Run(t.Context(), o, w, p, planted)
		if err != nil {
			t.Fatal(err)
		}
		got, err := judge.Check(t.Context(), h, judge.Options{Cross: true})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Conflicts) > 0 {
			t.Errorf("seed %d, history %d: %s %+v: %v", *seed, i, name, o, got.Conflicts)
		}
		if planted == nil && got.Judgement(o.Level).Verdict == isolation.Reject {
			t.Errorf("seed %d, history %d: %s %+v: rejected", *seed, i, name, o)
		}
	}
}

// TestTimes: the format of Jepsen holds the times of a history, also of what was aborted.
func TestTimes(t *testing.T) {
	w, err := workload.ByName("register")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []isolation.Level{isolation.SER, isolation.SI, isolation.PC} {
		h, err := simdb.Run(t.Context(), simdb.Options{Seed: 1, Level: l, Sessions: 4, Txns: 300, Aborts: 0.2}, w, params, nil)
		if err != nil {
			t.Fatal(err)
		}
		if doubts, err := codec.EDN.Doubts(t.Context(), h); err != nil || len(doubts) > 0 {
			t.Error(l, doubts, err)
		}
	}
}
