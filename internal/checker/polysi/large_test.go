package polysi

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/internal/checker/simdb"
	"github.com/txrobust/robust/isolation"
)

// TestLarge: histories of simulated databases of SI and SER are accepted, with
// witnesses, and those with an anomaly added are rejected by the levels that exclude it.
func TestLarge(t *testing.T) {
	sizes := []int{200, 600, 2000}
	if testing.Short() {
		sizes = sizes[:2]
	}
	seed := random.Seed(t)
	ctx := context.Background()
	checks, unknown := 0, 0
	for i, size := range sizes {
		for _, level := range []isolation.Level{isolation.SI, isolation.SER} {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			h := simdb.Generate(simdb.Large(seed+uint64(i), level, size, r))
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
			for _, m := range historytest.Mutations() {
				bad := m.Beside(h)
				if m.Level == isolation.PLSI {
					bad = m.Into(h, r)
				}
				rejects := slices.DeleteFunc(Levels(), func(l isolation.Level) bool { return !l.Implies(m.Level) })
				got, err := Check(ctx, bad, Options{Levels: rejects, Conflicts: largeConflicts})
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range rejects {
					if got.Verdict(l) != checker.Violated {
						t.Errorf("-polysi.seed %d: %d transactions of %s with a %s: %s is %s\n%s", seed, size, level, m.Name, l, got.Verdict(l), tell(bad, got))
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
		{Options{Memory: 1 << 16}, "more than 64 KB"},
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
