package movers_test

import (
	"testing"

	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/movers"
)

// TestProve compares the verdicts on litmus programs with the known ones: a program that is
// not robust is never proved, and one that is suspicious has a walk of its transactions.
func TestProve(t *testing.T) {
	proved, walks := 0, 0
	for _, l := range testprog.LitmusPrograms(t) {
		p := l.Program(t)
		res, err := movers.Prove(t.Context(), p, movers.Options{Classic: true})
		if err != nil {
			t.Fatalf("%s: %v", l.File, err)
		}
		switch res.Verdict {
		case movers.Robust:
			proved++
			if l.Want["classic"] != "robust" || len(res.Walks) > 0 {
				t.Errorf("%s is %s, but is proved; walks: %d", l.File, l.Want["classic"], len(res.Walks))
			}
		case movers.Suspicious:
			if len(res.Walks) == 0 {
				t.Errorf("%s is suspicious for no reason", l.File)
			}
		case movers.Unknown:
			if res.Reason == "" {
				t.Errorf("%s is not decided for no reason", l.File)
			}
		}
		for _, w := range res.Walks {
			walks++
			for _, x := range append([]*ir.Txn{w.Delayed}, w.Helpers...) {
				if p.Txn(x.Name) == nil {
					t.Errorf("%s: the walk has the transaction %s, which the program does not have", l.File, x.Name)
				}
			}
			if len(w.Helpers) == 0 || len(w.Running) != len(w.Helpers) {
				t.Errorf("%s: the walk of %s has %d helpers, and says of %d whether they are running", l.File, w.Delayed.Name, len(w.Helpers), len(w.Running))
			}
		}
	}
	if proved < 5 || walks < 5 {
		t.Errorf("the test says little: %d proofs, %d walks", proved, walks)
	}
}
