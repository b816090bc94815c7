package adya

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

var random = historytest.RandomFlags("adya")

func TestKnown(t *testing.T) {
	for _, c := range []struct {
		name, text             string
		pl2, pl2l, plus, pl299 bool
	}{
		{"serial", "w(1,1,0,0) r(1,1,1,1) w(1,2,1,1) r(1,2,0,2)", true, true, true, true},
		{"write skew", "r(1,0,0,0) r(2,0,0,0) w(1,1,0,0) r(1,0,1,1) r(2,0,1,1) w(2,1,1,1)", true, true, true, false},
		{"lost update", "r(1,0,0,0) w(1,1,0,0) r(1,0,1,1) w(1,2,1,1)", true, true, false, false},
		{"long fork", "w(1,1,0,0) w(2,1,1,1) r(1,1,2,2) r(2,0,2,2) r(1,0,3,3) r(2,1,3,3)", true, true, true, false},
		{"read skew", "w(1,1,0,0) w(2,1,0,0) r(1,0,1,1) r(2,1,1,1)", true, true, false, false},
		{"read skew, new first", "w(1,1,0,0) w(2,1,0,0) r(2,1,1,1) r(1,0,1,1)", true, false, false, false},
		{"non-repeatable read", "w(1,1,0,0) r(1,0,1,1) r(1,1,1,1)", true, true, false, false},
		{"circular information flow", "r(1,1,0,0) w(2,1,0,0) r(2,1,1,1) w(1,1,1,1)", false, false, false, false},
		{"a write depends on what is missed", "r(1,0,0,0) w(1,1,0,0) w(2,1,0,0) r(1,1,1,1) w(1,2,1,1) r(2,0,1,1)", true, false, false, false},
		{"aborted read", "w(1,1,0,-1) r(1,1,1,1)", false, false, false, false},
		{"intermediate read", "w(1,1,0,0) w(1,2,0,0) r(1,1,1,1)", false, false, false, false},
		{"own write missed", "w(1,1,0,0) w(1,2,1,1) r(1,1,1,1)", false, false, false, false},
		{"sessions do not count", "w(1,1,0,0) r(1,0,0,1)", true, true, true, true},
		{"two values of two writers", "w(1,1,0,0) w(2,1,0,0) w(1,1,1,1) w(2,2,1,1) r(2,2,2,2) r(1,1,2,2)", true, true, true, true},
	} {
		r, err := Check(t.Context(), historytest.Parse(t, c.text), Options{})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []bool{c.pl2, c.pl2l, c.plus, c.pl299} {
			if got := r.Answers[i]; got.Verdict == checker.Unknown || (got.Verdict == checker.Satisfied) != want {
				t.Errorf("%s: %s is %s, want satisfied %t", c.name, got.Level, got.Verdict, want)
			}
		}
	}
}

// randomHistory has a few transactions on few keys with few values, mostly nonsense.
func randomHistory(r *rand.Rand) *history.History {
	b := history.NewBuilder()
	keys, values := 1+r.IntN(3), 2+r.IntN(8)
	unique, ranges, next := r.IntN(2) == 0, r.IntN(3) == 0, int64(0)
	sessions := 1 + r.IntN(4)
	for range 2 + r.IntN(5) {
		status := []history.Status{history.Committed, history.Committed, history.Committed, history.Committed, history.Aborted, history.Unknown}[r.IntN(6)]
		b.Txn(b.Session(history.Int(int64(r.IntN(sessions)))), status)
		for range 1 + r.IntN(4) {
			k := b.IntKey(int64(r.IntN(keys)))
			v := b.IntValue(int64(1 + r.IntN(values)))
			switch n := r.IntN(10); {
			case n < 4:
				if unique {
					next++
					v = b.IntValue(next)
				}
				b.Write(k, v)
			case n < 8 || !ranges:
				if r.IntN(4) == 0 {
					v = history.Initial
				}
				b.Read(k, v)
			default:
				g := history.Range{Low: b.IntValue(0), High: b.IntValue(int64(r.IntN(keys)))}
				if r.IntN(2) == 0 {
					g.LiveKeys, g.LiveValues = []history.Key{b.IntKey(0)}, []history.Value{v}
				}
				b.Range(g)
			}
		}
	}
	h, err := b.Build()
	if err != nil {
		panic(err)
	}
	return h
}

// TestRandom compares with the definitions, and makes sure of the orders.
func TestRandom(t *testing.T) {
	runs, seed := random.Runs(3000, 600), random.Seed(t)
	counts := map[string]int{}
	for i := range runs {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		h := randomHistory(r)
		if i%2 == 0 {
			h = simdb.Generate(simdb.Options{
				Seed: seed + uint64(i), Level: simdb.Levels()[r.IntN(len(simdb.Levels()))], Sessions: 2 + r.IntN(4), Txns: 3 + r.IntN(4), Ops: 2 + r.IntN(3), Keys: 1 + r.IntN(3),
				Reads: 0.6, Lag: 3 + r.IntN(6), Duplicates: r.IntN(3) == 0, Aborts: 0.1, Unknowns: 0.1, Losses: 0.1, Faults: 0.15 * float64(r.IntN(3)),
			})
		}
		got, err := Check(t.Context(), h, Options{Guesses: 100000})
		if err != nil {
			t.Fatal(err)
		}
		want, err := brute.Check(t.Context(), h, brute.Options{Levels: Levels()})
		if err != nil {
			t.Fatal(err)
		}
		for j, a := range got.Answers {
			counts[fmt.Sprintf("%s %s", a.Level, a.Verdict)]++
			if a.Verdict != want.Answers[j].Verdict {
				t.Fatalf("-adya.seed %d, history %d: %s is %s (%s), by definition %s\n%s", seed, i, a.Level, a.Verdict, a.Why, want.Answers[j].Verdict, show(h))
			}
			if a.Verdict == checker.Satisfied {
				if err := brute.Verify(h, a.Level, a.Order); err != nil {
					t.Fatalf("-adya.seed %d, history %d: %s: %v\n%s", seed, i, a.Level, err, show(h))
				}
			}
		}
	}
	t.Log(counts)
	for _, l := range Levels() {
		if counts[l.String()+" satisfied"] == 0 || counts[l.String()+" violated"] == 0 {
			t.Errorf("%s has one verdict: %v", l, counts)
		}
	}
}

func show(h *history.History) string {
	out := ""
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		out += fmt.Sprintf("%d, session %d, %s:", t, h.SessionOf(t), h.Status(t))
		for o, end := h.Ops(t); o < end; o++ {
			out += " " + explain.OpWords(h, o) + ";"
		}
		out += "\n"
	}
	return out
}

// TestLarge: simulated databases keep the levels that they promise, also with an anomaly
// beside that excludes stronger ones, and the search decides nearly all in few guesses.
func TestLarge(t *testing.T) {
	decided, open := 0, 0
	for i := range 20 {
		l := []isolation.Level{isolation.SI, isolation.SER}[i%2]
		h := simdb.Generate(simdb.Options{Seed: uint64(i), Level: l, Sessions: 6, Txns: 50, Ops: 4, Keys: 6, Reads: 0.5, Lag: 5})
		promised := func(m isolation.Level) bool { return l.Implies(m) }
		if i%3 > 0 {
			m := historytest.Mutations()[i%len(historytest.Mutations())]
			h = m.Beside(h)
			promised = func(n isolation.Level) bool { return l.Implies(n) && n == isolation.PL2 && m.Name != "G1c" }
		}
		r, err := Check(t.Context(), h, Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range r.Answers {
			if a.Verdict == checker.Unknown {
				open++
				t.Logf("seed %d: %s, %s", i, a.Level, a.Why)
			} else {
				decided++
			}
			if promised(a.Level) && a.Verdict == checker.Violated {
				t.Errorf("seed %d, a history of %s: %s is %s: %s", i, l, a.Level, a.Verdict, a.Why)
			}
		}
	}
	if open > decided/10 {
		t.Errorf("%d verdicts, and %d unknown", decided, open)
	}
}

// TestLimits: what cannot be decided within the bounds is unknown, with a reason.
func TestLimits(t *testing.T) {
	b := history.NewBuilder()
	b.Txn(b.Session(history.Int(0)), history.Committed)
	b.Op(history.Append, b.IntKey(1), b.IntValue(1))
	b.List(history.ReadList, b.IntKey(1), []history.Value{b.IntValue(1)})
	lists, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	many := simdb.Generate(simdb.Options{Seed: 1, Level: isolation.SER, Sessions: 4, Txns: MaxTxns + 50, Ops: 2, Keys: 5, Reads: 0.5})
	skewed := historytest.Parse(t, "r(1,0,0,0) w(1,1,0,0) r(1,0,1,1) w(1,2,1,1)")
	for name, c := range map[string]struct {
		h *history.History
		o Options
	}{"lists": {lists, Options{}}, "many transactions": {many, Options{}}, "few guesses": {skewed, Options{Levels: []isolation.Level{isolation.PL2Plus}, Guesses: 1}}} {
		r, err := Check(t.Context(), c.h, c.o)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range r.Answers {
			if a.Verdict != checker.Unknown || a.Why == "" {
				t.Errorf("%s: %s is %s because %q", name, a.Level, a.Verdict, a.Why)
			}
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, skewed, Options{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}
