package elle

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/isolation"
)

var (
	bruteSeeds = flag.Uint64("elle.seeds", 150, "how many seeds of each kind of random history to compare with the definitions")
	bruteFirst = flag.Uint64("elle.first", 0, "the first of these seeds")
)

// TestBrute compares with the definitions on small random histories: what is
// violated here is violated there, what is satisfied here is satisfied there,
// with the same commit order.
func TestBrute(t *testing.T) {
	decided := map[string]int{}
	seeds := *bruteSeeds
	if testing.Short() {
		seeds = min(seeds, 20)
	}
	for db := range numDatabases {
		for i, ts := range types {
			for n := range seeds {
				seed := *bruteFirst + n
				rng := rand.New(rand.NewPCG(seed, uint64(i)<<8|uint64(db)))
				w := workload{sessions: 1 + rng.IntN(3), txns: 2 + rng.IntN(5), ops: 1 + rng.IntN(4), keys: 1 + rng.IntN(3),
					types: ts, stamped: seed%2 == 0, aborts: 10, unknown: 10}
				h := simulate(t, rng, db, w)
				name := fmt.Sprintf("%s, %v, seed %d", db, ts, seed)
				compare(t, name, h, decided)
				if t.Failed() {
					return
				}
			}
		}
	}
	for _, typ := range []history.Type{history.List, history.Register} {
		for n := range 20 * seeds {
			seed := *bruteFirst + n
			h := randomHistory(t, rand.New(rand.NewPCG(seed, uint64(typ))), typ)
			compare(t, fmt.Sprintf("random %s, seed %d", typ, seed), h, decided)
			if t.Failed() {
				return
			}
		}
	}
	for _, what := range []string{"violated→violated", "satisfied→satisfied"} {
		if decided[what] == 0 {
			t.Errorf("nothing is %s", what)
		}
	}
	t.Logf("-elle.first %d -elle.seeds %d: %v", *bruteFirst, seeds, decided)
}

func compare(t *testing.T, name string, h *history.History, decided map[string]int) {
	t.Helper()
	got, err := Check(t.Context(), h, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := brute.Check(t.Context(), h, brute.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range want.Answers {
		if a.Verdict == checker.Unknown {
			continue
		}
		g := got.Verdict(a.Level)
		decided[fmt.Sprintf("%v→%v", a.Verdict, g)]++
		if g == checker.Unknown {
			continue
		}
		if (g == checker.Satisfied) != (a.Verdict == checker.Satisfied) {
			t.Errorf("%s: %s is %s, but by definition %s", name, a.Level, g, a.Verdict)
			for _, an := range got.Anomalies {
				t.Log(an.Kind, an.Text)
			}
			show(t, h)
			return
		}
		if g == checker.Satisfied {
			for _, x := range got.Answers {
				if x.Level == a.Level && (x.Order != nil || !isolation.PL299.Implies(a.Level) && !isolation.PL2Plus.Implies(a.Level)) {
					if err := brute.Verify(h, a.Level, x.Order); err != nil {
						t.Errorf("%s: %s: %v: %v", name, a.Level, x.Order, err)
						show(t, h)
						return
					}
				}
			}
		}
	}
}

func show(t *testing.T, h *history.History) {
	a := &analysis{h: h}
	for txn := history.Txn(1); txn < history.Txn(h.NumTxns()); txn++ {
		t.Logf("%d: session %d %s [%d, %d] %s", txn, h.SessionOf(txn), h.Status(txn), h.Begin(txn), h.End(txn), a.full(txn))
	}
}
