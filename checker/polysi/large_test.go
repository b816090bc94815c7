package polysi

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

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
	for i, size := range sizes {
		for _, level := range []isolation.Level{isolation.SI, isolation.SER} {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			h := simdb.Generate(simdb.Options{
				Seed: seed + uint64(i), Level: level, Sessions: 8, Txns: size, Ops: 6, Keys: 20 + size/10, Reads: 0.3 + 0.4*r.Float64(), Lag: 20,
				Aborts: 0.05, Unknowns: 0.02, Losses: 0.02,
			})
			got, err := Check(ctx, h, Options{Levels: Levels()})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range Levels() {
				if level.Implies(l) && got.Verdict(l) != checker.Satisfied {
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
				got, err := Check(ctx, bad, Options{Levels: Levels()})
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range Levels() {
					excluded := l.Implies(m.level)
					if excluded && got.Verdict(l) != checker.Violated || !excluded && level.Implies(l) && got.Verdict(l) != checker.Satisfied {
						t.Errorf("-polysi.seed %d: %d transactions of %s with a %s: %s is %s\n%s", seed, size, level, m.name, l, got.Verdict(l), tell(bad, got))
					}
				}
				verifyAll(t, bad, got)
			}
		}
	}
}

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

// hostile makes a history of transactions that all write one key. What they read,
// if they do, is a write of another that no order explains easily.
func hostile(txns int, reads bool, seed uint64) *history.History {
	r := rand.New(rand.NewPCG(seed, 0))
	b := history.NewBuilder()
	x, y := b.IntKey(0), b.IntKey(1)
	sessions := txns / 5
	for i := range txns {
		b.Txn(b.Session(history.Int(int64(i%sessions))), history.Committed)
		if reads && i >= sessions {
			b.Read(y, b.IntValue(int64(i-sessions+r.IntN(sessions/2))))
		}
		b.Write(x, b.IntValue(int64(i)))
		b.Write(y, b.IntValue(int64(i)))
	}
	h, err := b.Build()
	if err != nil {
		panic(err)
	}
	return h
}

// TestBlindWrites: writes that nobody reads need no order, however many there are.
func TestBlindWrites(t *testing.T) {
	h := hostile(5000, false, 1)
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
	h := hostile(3000, true, 1)
	ctx, stop := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer stop()
	r, err := Check(ctx, h, Options{Levels: []isolation.Level{isolation.SER}})
	if v := r.Verdict(isolation.SER); err == nil && v == checker.Unknown || err != nil && (v != checker.Unknown || !errors.Is(err, context.DeadlineExceeded)) {
		t.Errorf("after the time: %v, %v", r.Answers, err)
	}
	for _, o := range []Options{{Memory: 1 << 20}, {Conflicts: 1}} {
		o.Levels = []isolation.Level{isolation.SER}
		h := hostile(60, true, 1)
		if o.Memory != 0 {
			h = hostile(3000, true, 1)
		}
		r, err := Check(context.Background(), h, o)
		if err != nil {
			t.Fatal(err)
		}
		if a := r.Answer(isolation.SER); a.Verdict == checker.Unknown && a.Why == "" {
			t.Errorf("%+v: unknown without a reason", o)
		} else {
			t.Logf("%+v: %s %s", o, a.Verdict, a.Why)
		}
	}
}
