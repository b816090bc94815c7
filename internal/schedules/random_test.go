package schedules

import (
	"context"
	"errors"
	"math/rand"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
)

var random = testprog.RandomFlags(60)

// TestSearchesAgree lets the two searches look for anomalies of random
// programs: what the concrete one finds is within the bounds of the symbolic
// one, which must find something too, but for what it cannot express.
func TestSearchesAgree(t *testing.T) {
	seed := random.Seed(t)
	r := rand.New(rand.NewSource(seed))
	both, onlyRandom, onlySolver, neither := 0, 0, 0, 0
	for n := 0; n < random.Runs(); n++ {
		p := progen.Program(r, progen.All)
		q := Query{Program: p, Engine: engine.ByName([]string{"postgres", "si"}[r.Intn(2)])}
		for i := 0; i < 2+r.Intn(2); i++ {
			q.Sessions = append(q.Sessions, []*ir.Txn{p.Txns[r.Intn(len(p.Txns))]})
		}
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		q.Options = Options{Orders: -1, Tries: 300, Seed: seed}
		a, _, err := Find(ctx, q)
		if errors.Is(err, context.DeadlineExceeded) {
			t.Logf("no answer in time\n%s", p)
			cancel()
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		// A part of the sessions may be what the random search used.
		q.Options = Options{Slots: 2, Rounds: 3, Tries: -1}
		if a != nil {
			q.Sessions = nil
			for _, c := range a.Calls {
				q.Sessions = append(q.Sessions, []*ir.Txn{c.Txn})
			}
		}
		b, stats, err := Find(ctx, q)
		cancel()
		switch {
		case errors.Is(err, context.DeadlineExceeded):
			t.Logf("no answer in time\n%s", p)
		case err != nil:
			t.Fatal(err)
		case a != nil && b != nil:
			both++
		case a != nil:
			onlyRandom++
			t.Logf("only found at random (%s), on %s\n%s\n%s", describeStats(stats), q.Engine.Name, p, describe(p, a))
		case b != nil:
			onlySolver++
		default:
			neither++
		}
	}
	t.Logf("anomalies found by both %d, only at random %d, only by the solver %d, by none %d", both, onlyRandom, onlySolver, neither)
	if both == 0 {
		t.Error("no program has an anomaly: the test says little")
	}
	if onlyRandom > 2+both/5 {
		t.Error("the symbolic search misses too much")
	}
}
