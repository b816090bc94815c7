package contract

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history/codec"
	"github.com/txrobust/robust/isolation"
)

// TestWeak compares what links say of RC, RA and CC with the checkers about the whole history, of histories
// that satisfy stronger levels, too.
func TestWeak(t *testing.T) {
	seed := random.Seed(t)
	dir := t.TempDir()
	seen := map[string]int{}
	for i := range random.Runs(10_000, 500) {
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
			if v != isolation.Unknown && w != isolation.Unknown && v != w {
				t.Fatalf("history %d: links say %v %v, the whole is judged %v", i, l, v, w)
			}
		}
	}
	t.Logf("verdicts: %v", seen)
	for _, l := range Levels()[:3] {
		open, decided := seen[fmt.Sprint(l, " ", isolation.Unknown)], seen[fmt.Sprint(l, " ", isolation.Accept)]+seen[fmt.Sprint(l, " ", isolation.Reject)]
		if 20*open > decided {
			t.Errorf("%v: links decide %d histories and leave %d open, expected a twentieth of them at most", l, decided, open)
		}
	}
}
