package movers

import (
	"math/rand"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/internal/walk"
)

// proverOf makes a prover of p without facts.
func proverOf(t *testing.T, p *ir.Program) *prover {
	opt := Options{Engine: engine.Postgres(), maxSteps: symbolic.MaxSteps, Limit: 2_000_000, each: true}
	lanes := newLanes(opt)
	t.Cleanup(func() {
		for _, l := range lanes {
			l.close()
		}
	})
	pr := newAttempt(p, nil, opt, symbolic.ByRow, lanes).prover(lanes[0])
	pr.left = 10_000
	return pr
}

// TestPresumed: a piece is presumed to be possible after one of templates that differ in the
// names of tables, and not after one of other templates or of an element elsewhere.
func TestPresumed(t *testing.T) {
	pr := proverOf(t, ring(t, 6))
	elems := func(list ...int) (out []elem) {
		for _, v := range list {
			out = append(out, elem{v, walk.Atomic})
		}
		return out
	}
	asked := piece{t0: 0, elems: elems(5, 4)}
	a := pr.ask(t.Context(), asked)
	if a.res != smt.Sat {
		t.Fatalf("%v, want a piece that is possible", a.res)
	}
	pr.learn(asked, a)
	before := pr.left
	for _, tc := range []struct {
		q    piece
		want bool
	}{
		{piece{t0: 1, elems: elems(0, 5)}, true},
		{piece{t0: 3, elems: elems(2, 1)}, true},
		{piece{t0: 3, elems: elems(2, 1)}, true}, // counts once
		{piece{t0: 1, elems: elems(0, 5), first: true}, false},
		{piece{t0: 1, elems: []elem{{0, walk.Atomic}, {5, walk.Issued}}}, false},
		{piece{t0: 1, elems: elems(0, 4)}, false},
		{piece{t0: 1, elems: elems(2, 3)}, false},
		{asked, false}, // its answer is known
	} {
		if got := pr.presumed(tc.q); got != tc.want {
			t.Errorf("%s presumed: %t, want %t", tc.q.key(), got, tc.want)
		}
	}
	if n := before - pr.left; n != 2 {
		t.Errorf("two presumed pieces count as %d questions", n)
	}
}

// TestPresumedAnswers: what is presumed of pieces of generated applications is what the
// solver says of them.
func TestPresumedAnswers(t *testing.T) {
	const seed = 21
	t.Logf("seed %d", seed)
	pr := proverOf(t, progen.Application(rand.New(rand.NewSource(seed)), 40, 8))
	presumed, wrong := 0, 0
	for t0 := range pr.nodes {
		for _, v := range pr.near.affecting[t0] {
			for _, w := range pr.near.meeting[v] {
				q := piece{t0: t0, elems: []elem{{v, walk.Atomic}, {w, walk.Atomic}}}
				was := pr.presumed(q)
				a := pr.ask(t.Context(), q)
				pr.learn(q, a)
				if was {
					presumed++
				}
				if was && a.res == smt.Unsat {
					wrong++
					t.Logf("%s is impossible", q.key())
				}
			}
		}
	}
	t.Logf("%d pieces were presumed to be possible, %d of which are not", presumed, wrong)
	if presumed < 10 || wrong > presumed/20 {
		t.Errorf("of %d presumed pieces %d are impossible", presumed, wrong)
	}
}
