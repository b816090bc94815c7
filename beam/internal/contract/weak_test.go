package contract

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/isolation"
)

// TestWeak compares what links say of RC, RA and CC with the checkers about the whole history, of histories
// that satisfy stronger levels, too.
func TestWeak(t *testing.T) {
	seed := random.Seed(t)
	dir := t.TempDir()
	seen := map[string]int{}
	open, decided := 0, 0
	for i := range random.Runs(1_500, 300) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		h := generate(seed, i, r)
		shards := divide(t, dir, h, 1+r.IntN(4), r.IntN(2) == 0, codec.Compact)
		d := newDriver(Local{}, shards, Options{Levels: Levels()[:3], Scratch: dir, Parts: 1 + r.IntN(4), Slices: r.IntN(4), Order: []Order{Auto, Merge}[r.IntN(2)]})
		if err := d.scan(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := d.arrange(t.Context()); err != nil {
			t.Fatal(err)
		}
		windows, err := d.suspect(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if len(windows) == 0 {
			continue
		}
		if err := d.weak(t.Context(), windows); err != nil {
			t.Fatal(err)
		}
		want, err := judge.Check(t.Context(), h, judge.Options{Levels: Levels()[:3]})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range Levels()[:3] {
			v, w := d.verdicts[l], want.Judgement(l).Verdict
			seen[fmt.Sprint(l, " ", v)]++
			if v != isolation.Unknown {
				decided++
			} else if !twice(h) {
				open++
			}
			if v != isolation.Unknown && w != isolation.Unknown && v != w {
				t.Fatalf("history %d: links say %v %v, the whole is judged %v", i, l, v, w)
			}
		}
	}
	t.Logf("verdicts: %v", seen)
	t.Logf("%d open, of histories without values that were written twice", open)
	if 100*open > decided {
		t.Errorf("links decide %d verdicts and leave %d open, expected a hundredth of them at most", decided, open)
	}
}

// twice tells whether a value was written twice to a key.
func twice(h *history.History) bool {
	type written struct {
		k history.Key
		v history.Value
	}
	seen := map[written]bool{}
	for o := history.Op(h.NumKeys()); int(o) < h.NumOps(); o++ {
		w := written{h.Key(o), h.Value(o)}
		if h.Kind(o).Writes() && seen[w] {
			return true
		}
		seen[w] = seen[w] || h.Kind(o).Writes()
	}
	return false
}
