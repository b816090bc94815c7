package movers

import (
	"context"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/internal/testprog"
)

// TestMayBreak: a template that is not asked whether it keeps a fact keeps it,
// says the solver.
func TestMayBreak(t *testing.T) {
	r := random.Source(t)
	var list []*ir.Program
	for _, l := range testprog.LitmusPrograms(t) {
		list = append(list, l.Program(t))
	}
	for _, app := range testprog.Apps(t) {
		if app.Whole() {
			list = append(list, app.Load(t))
		}
	}
	all := sources(t)
	for i := range random.Runs() / 30 {
		list = append(list, all[1+i%3].make(r))
	}
	opt := Options{Engine: engine.Postgres()}
	asked, kept := 0, 0
	for _, p := range list {
		l := newLanes(opt)[0]
		for _, f := range guess(p) {
			q := withFacts(p, []*ir.Invariant{f})
			for _, txn := range p.Txns {
				if mayBreak(txn, f) {
					asked++
					continue
				}
				kept++
				if a := breaks(context.Background(), l.code(q), opt, l, txn, f, len(p.Invariants)); a.res == smt.Sat {
					t.Errorf("%s may break %s\n%s", txn.Name, FactString(f), p)
				}
			}
		}
	}
	t.Logf("%d facts and templates asked, %d not", asked, kept)
	if asked == 0 || kept == 0 {
		t.Error("one of the answers never came up: the test says little")
	}
}
