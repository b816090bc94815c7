package polysi

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

// part is a history of some transactions of another one alone, without the reads that come from
// others.
func part(t *testing.T, h *history.History, txns []history.Txn) *history.History {
	t.Helper()
	in := func(u history.Txn) bool { return u == history.InitialTxn || slices.Contains(txns, u) }
	b := history.NewBuilder()
	for s := range history.Session(h.NumSessions()) {
		session := b.Session(h.SessionName(s))
		for u, end := h.Txns(s); u < end; u++ {
			if !in(u) {
				continue
			}
			b.Txn(session, history.Committed)
			for o, end := h.Ops(u); o < end; o++ {
				reads := h.Kind(o) == history.Read
				from := h.Sources().Of(o)
				if reads && (h.Status(u) != history.Committed || len(from) != 1 || !in(h.TxnOf(from[0]))) {
					continue
				}
				b.Op(h.Kind(o), b.Key(h.KeyName(h.Key(o))), b.Value(h.ValueName(h.Value(o))))
			}
		}
	}
	out, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// needsAll makes sure that the transactions of a violation violate a level by themselves, and do not any more
// without one of them.
func needsAll(t *testing.T, h *history.History, l isolation.Level, v checker.Violation) error {
	t.Helper()
	h = h.Settled() // whoever was read from took effect, and so did what it read
	txns := slices.DeleteFunc(v.Txns(h), func(u history.Txn) bool { return u == history.InitialTxn })
	verdict := func(txns []history.Txn) checker.Verdict {
		r, err := brute.Check(context.Background(), part(t, h, txns), brute.Options{Levels: []isolation.Level{l}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Verdict(l)
	}
	if got := verdict(txns); got != checker.Violated {
		return fmt.Errorf("%s is %s by %v alone", l, got, txns)
	}
	for i := range txns {
		rest := slices.Concat(txns[:i], txns[i+1:])
		if got := verdict(rest); got != checker.Satisfied {
			return fmt.Errorf("%s is %s by %v, without %d", l, got, rest, txns[i])
		}
	}
	return nil
}

// TestMinimal: no transaction can be left out of a violation, by definition. The histories are those in which each read comes
// from one write.
func TestMinimal(t *testing.T) {
	runs, seed := random.Runs(400, 100), random.Seed(t)
	sizes := map[int]int{}
	for i := range runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		h := randomHistory(r, shapes[r.IntN(3)])
		if i%2 == 0 {
			h = simdb.Generate(simdb.Options{
				Seed: seed + uint64(i), Level: simdb.Levels()[r.IntN(6)], Sessions: 4, Txns: 8 + r.IntN(60), Ops: 3, Keys: 2 + r.IntN(5), Reads: 0.6, Lag: 8,
				Aborts: 0.05, Unknowns: 0.05, Faults: 0.02 * float64(r.IntN(3)),
			})
		}
		for _, l := range Levels() {
			got, err := Check(context.Background(), h, Options{Levels: []isolation.Level{l}})
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range got.Violations {
				n := len(v.Txns(h))
				if len(v.Cycle) == 0 || n > 7 {
					continue
				}
				sizes[n]++
				if err := needsAll(t, h, l, v); err != nil || got.Answer(l).Why != "" {
					t.Errorf("-polysi.seed %d, history %d: %v\n%s%s", seed, i, err, show(h), tell(h, got))
				}
			}
		}
	}
	t.Logf("transactions of violations: %v", sizes)
	if sizes[2]+sizes[3]+sizes[4] < runs/3 {
		t.Error("there are too few violations")
	}
}
