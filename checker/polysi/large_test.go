package polysi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/checker"
	"github.com/txrobust/robust/checker/internal/simdb"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// added is operations that are added to a transaction: a value of 0 reads the initial one.
type added struct {
	write bool
	key   string
	value int64
}

// mutations are anomalies on keys of their own, as operations of some transactions, with
// the weakest level that excludes them.
var mutations = []struct {
	name  string
	txns  [][]added
	level isolation.Level
}{
	{"lost update", [][]added{{{false, "p", 0}, {true, "p", 1}}, {{false, "p", 0}, {true, "p", 2}}}, isolation.PLSI},
	{"long fork", [][]added{
		{{true, "p", 1}}, {{true, "q", 1}}, {{false, "p", 1}, {false, "q", 0}}, {{false, "p", 0}, {false, "q", 1}},
	}, isolation.PLSI},
	{"G1c", [][]added{{{true, "p", 1}, {false, "q", 1}}, {{true, "q", 1}, {false, "p", 1}}}, isolation.PLSI},
	{"G-SIb", [][]added{{{true, "p", 1}, {true, "q", 1}}, {{false, "p", 1}, {false, "q", 0}}}, isolation.PLSI},
	{"write skew", [][]added{{{false, "p", 0}, {true, "q", 1}}, {{false, "q", 0}, {true, "p", 1}}}, isolation.PL3},
}

// mutate adds operations to transactions, or to new ones in sessions of their own.
func mutate(h *history.History, r *rand.Rand, txns [][]added, inside bool) *history.History {
	b := history.NewBuilder()
	where := map[history.Txn][]added{}
	if inside {
		for i, t := range r.Perm(h.NumTxns() - 1)[:len(txns)] {
			where[history.Txn(t+1)] = txns[i]
		}
	}
	put := func(ops []added) {
		for _, o := range ops {
			k := b.Key(history.String(o.key))
			switch {
			case o.write:
				b.Write(k, b.IntValue(o.value))
			case o.value == 0:
				b.Read(k, history.Initial)
			default:
				b.Read(k, b.IntValue(o.value))
			}
		}
	}
	for s := range history.Session(h.NumSessions()) {
		session := b.Session(h.SessionName(s))
		for t, end := h.Txns(s); t < end; t++ {
			b.Txn(session, h.Status(t))
			for o, end := h.Ops(t); o < end; o++ {
				k := b.Key(h.KeyName(h.Key(o)))
				b.Op(h.Kind(o), k, b.Value(h.ValueName(h.Value(o))))
			}
			put(where[t])
		}
	}
	if !inside {
		for i, ops := range txns {
			b.Txn(b.Session(history.String(fmt.Sprint("new", i))), history.Committed)
			put(ops)
		}
	}
	out, err := b.Build()
	if err != nil {
		panic(err)
	}
	return out
}

// TestLarge: histories of simulated databases of SI and SER are accepted, with
// witnesses, and those with an anomaly added are rejected by the levels that exclude it.
func TestLarge(t *testing.T) {
	sizes := []int{200, 600, 2000}
	if testing.Short() {
		sizes = sizes[:2]
	}
	seed := *randomSeed
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	ctx := context.Background()
	checks, unknown := 0, 0
	for i, size := range sizes {
		for _, level := range []isolation.Level{isolation.SI, isolation.SER} {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			h := simdb.Generate(simdb.Options{
				Seed: seed + uint64(i), Level: level, Sessions: 8, Txns: size, Ops: 6, Keys: 20 + size/10, Reads: 0.5 + 0.2*r.Float64(), Lag: 20,
				Aborts: 0.05, Unknowns: 0.02, Losses: 0.02,
			})
			// Whether a history of SI is serializable may take very long to decide.
			accepts := slices.DeleteFunc(Levels(), func(l isolation.Level) bool { return !level.Implies(l) })
			got, err := Check(ctx, h, Options{Levels: accepts, Conflicts: largeConflicts})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range accepts {
				checks++
				if got.Verdict(l) == checker.Unknown {
					unknown++
				} else if got.Verdict(l) != checker.Satisfied {
					t.Errorf("-polysi.seed %d: %d transactions of %s: %s is %s\n%s", seed, size, level, l, got.Verdict(l), tell(h, got))
				}
			}
			verifyAll(t, h, got)
			for _, m := range mutations {
				inside := m.level == isolation.PLSI
				bad := mutate(h, r, m.txns, inside)
				if inside && h.Status(0) == history.Committed && touchesAborted(h, bad) {
					continue // the anomaly needs the transactions to have committed
				}
				rejects := slices.DeleteFunc(Levels(), func(l isolation.Level) bool { return !l.Implies(m.level) })
				got, err := Check(ctx, bad, Options{Levels: rejects, Conflicts: largeConflicts})
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range rejects {
					if got.Verdict(l) != checker.Violated {
						t.Errorf("-polysi.seed %d: %d transactions of %s with a %s: %s is %s\n%s", seed, size, level, m.name, l, got.Verdict(l), tell(bad, got))
					}
				}
				verifyAll(t, bad, got)
			}
		}
	}
	t.Logf("%d of %d are unknown", unknown, checks)
	if 2*unknown > checks {
		t.Errorf("%d of %d are unknown", unknown, checks)
	}
}

// largeConflicts bounds the search: a few histories of any kind are hard.
const largeConflicts = 2000

// touchesAborted tells whether operations were added to a transaction that is not
// committed.
func touchesAborted(h, mutated *history.History) bool {
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		a, b := h.Ops(t)
		c, d := mutated.Ops(t)
		if b-a != d-c && h.Status(t) != history.Committed {
			return true
		}
	}
	return false
}

// TestBlindWrites: writes that nobody reads need no order, however many there are.
func TestBlindWrites(t *testing.T) {
	h := simdb.Generate(simdb.Options{Seed: 1, Level: isolation.SER, Sessions: 100, Txns: 3000, Ops: 1, Keys: 1})
	got, err := Check(context.Background(), h, Options{Levels: Levels()})
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range got.Answers {
		if a.Verdict != checker.Satisfied {
			t.Errorf("%s is %s: %s", a.Level, a.Verdict, a.Why)
		}
	}
	verifyAll(t, h, got)
}

// TestBounds: what cannot be decided within the bounds is Unknown, with a reason, or
// ends with the context.
func TestBounds(t *testing.T) {
	h := simdb.Generate(simdb.Options{Seed: 1, Level: isolation.SI, Sessions: 50, Txns: 600, Ops: 4, Keys: 5, Reads: 0.3, Lag: 20})
	for _, c := range []struct {
		Options
		want string
	}{
		{Options{Memory: 1 << 16}, "more pairs"},
		{Options{Conflicts: 1}, "gave up after 1"},
	} {
		c.Levels = []isolation.Level{isolation.SI}
		r, err := Check(context.Background(), h, c.Options)
		if err != nil {
			t.Fatal(err)
		}
		if a := r.Answer(isolation.SI); a.Verdict != checker.Unknown || !strings.Contains(a.Why, c.want) {
			t.Errorf("%+v: %s %s", c.Options, a.Verdict, a.Why)
		}
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	r, err := Check(ctx, h, Options{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
	for _, a := range r.Answers {
		if a.Verdict != checker.Unknown || a.Why == "" {
			t.Errorf("after the end: %s is %s: %s", a.Level, a.Verdict, a.Why)
		}
	}
}

// TestDeterministic: the answer does not depend on the number of workers.
func TestDeterministic(t *testing.T) {
	h := simdb.Generate(simdb.Options{Seed: 2, Level: isolation.SI, Sessions: 20, Txns: 300, Ops: 4, Keys: 20, Reads: 0.5, Lag: 20})
	var want string
	for workers := 1; workers < 4; workers++ {
		r, err := Check(context.Background(), h, Options{Levels: Levels(), Workers: workers})
		if err != nil {
			t.Fatal(err)
		}
		if got := tell(h, r); want == "" {
			want = got
		} else if got != want {
			t.Errorf("%d workers:\n%s\nwant:\n%s", workers, got, want)
		}
	}
}
