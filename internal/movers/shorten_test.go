package movers

import (
	"context"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/symbolic"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/walk"
)

// ring is n templates, each of which reads the table that the one before it writes.
func ring(t testing.TB, n int) *ir.Program {
	var b strings.Builder
	b.WriteString("program ring\n")
	for i := range n {
		fmt.Fprintf(&b, "table r%d (k int not null, v int not null, key (k))\n", i)
	}
	for i := range n {
		fmt.Fprintf(&b, "txn t%d (p int not null) {\nlocal x int;\n(x) := select r.v from r%d r where r.k == p order by r.k;\nupdate r%d r set v = x + 1 where r.k == p;\n}\n", i, i, (i+1)%n)
	}
	return testprog.Parse(t, b.String())
}

// TestSurveyOfRing: where an anomaly has all transactions, little is asked about the other
// walks, and what is refuted as a whole is refuted by a shorter piece.
func TestSurveyOfRing(t *testing.T) {
	p := ring(t, 7)
	res := mustProve(t, p, Options{Engine: engine.Postgres(), All: true, Suspect: func(context.Context, *walk.Walk, []*ir.Invariant) bool { return true }})
	s := res.Survey(t.Context(), SurveyOptions{Known: [][]*ir.Txn{p.Txns}, Effort: 300_000,
		Suspect: func(context.Context, *walk.Walk, []*ir.Invariant) []*ir.Txn { return nil }})
	t.Logf("%d questions, %d open walks", s.Stats.Queries, len(s.Open))
	if most := len(p.Txns) * 2 * surveySettled; s.Stats.Queries > most { // each with facts and without
		t.Errorf("%d questions, want at most %d", s.Stats.Queries, most)
	}
	for _, w := range s.Open {
		t.Errorf("%s is open", w)
	}
	long, short := 0, 0
	for _, pr := range res.attempt.provers {
		for _, q := range pr.order {
			switch {
			case pr.memo[q.key()].res != smt.Unsat:
			case q.first && q.last && len(q.elems) > surveyWindow:
				long++
			case len(q.elems) > surveyWindow:
				short++
			}
		}
	}
	t.Logf("of the long pieces that are refuted %d are walks, %d parts of walks", long, short)
	if short == 0 {
		t.Error("no shorter piece was looked for")
	}
}

// TestGranularities: pieces of atomic elements that are impossible with exclusion by cell are
// impossible with exclusion by row, so that a walk of them that is left is left with both.
func TestGranularities(t *testing.T) {
	r := rand.New(rand.NewSource(random.Seed(t)))
	opt := Options{Engine: engine.Postgres(), Limit: 200_000, maxSteps: symbolic.MaxSteps}
	asked, refuted := 0, 0
	for range max(random.Runs()/25, 1) {
		p := progen.Accesses(r, progen.Options{Locks: true, Keys: true, Actions: true, Exclusions: true, Nulls: true, Txns: 3, Stmts: 2})
		lanes := newLanes(opt)
		var by [2]*prover
		for i, gran := range []symbolic.Granularity{symbolic.ByRow, symbolic.ByCell} {
			by[i] = newAttempt(p, nil, opt, gran, lanes).prover(lanes[i])
			by[i].quick = true
		}
		for range 12 {
			n := len(by[0].nodes)
			q := piece{t0: r.Intn(n), first: r.Intn(2) == 0, last: r.Intn(2) == 0}
			for range 1 + r.Intn(2) {
				q.elems = append(q.elems, elem{r.Intn(n), walk.Atomic})
			}
			row, cell := by[0].ask(t.Context(), q), by[1].ask(t.Context(), q)
			asked++
			if cell.res != smt.Unsat {
				continue
			}
			refuted++
			if row.res == smt.Sat && row.reason == "" {
				t.Errorf("%s is impossible by cell, and possible by row\n%s", q.question(), p)
			}
		}
		for _, l := range lanes {
			l.close()
		}
	}
	t.Logf("of %d pieces %d are impossible by cell", asked, refuted)
	if refuted == 0 {
		t.Error("no piece is impossible: the test says little")
	}
}
