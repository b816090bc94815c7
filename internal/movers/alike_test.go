package movers

import (
	"context"
	"testing"

	"github.com/txrobust/robust/internal/commits"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
)

// twins gives a program with one more of each template that is asked about once,
// and two of a template that is not modelled, without which it gives the program. It
// also counts what there is twice.
func twins(t *testing.T, p *ir.Program, unmodelled bool) (q *ir.Program, twice int) {
	q = progen.Copy(p)
	if unmodelled {
		for i, name := range []string{"one", "another"} {
			q.Txns = append(q.Txns, &ir.Txn{Name: name, Body: []ir.Stmt{&ir.Unmodelled{Tables: q.Tables[:1], Reason: name}}})
			twice += i
		}
	}
	text := q.String()
	for _, txn := range p.Txns {
		if !commits.Of(txn).Writing {
			again := *txn
			again.Name += "_again"
			text += again.String()
			twice++
		}
	}
	return testprog.Parse(t, text), twice
}

// TestAlike: templates that differ in their names only are asked about once, which
// changes no verdict.
func TestAlike(t *testing.T) {
	r := random.Source(t)
	all := sources(t)
	verdicts := map[[2]Verdict]int{}
	for i := range random.Runs() / 200 {
		p := all[1+i%3].make(r)
		if len(p.Processes) > 0 {
			continue
		}
		m := modes[1+r.Intn(2)]
		q, twice := twins(t, p, r.Intn(3) == 0)
		if got := len(nodes(q, false)) - len(nodes(q, true)); got != twice {
			t.Fatalf("%d templates are left out, expected %d\n%s", got, twice, q)
		}
		var got [2]Verdict
		for k, each := range []bool{false, true} {
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			res, err := Prove(ctx, q, Options{Engine: m.engine, Classic: m.classic, MaxWindow: 2, MaxQuestions: 12, MaxWalks: 1, Limit: 60000, each: each})
			cancel()
			if err != nil {
				t.Fatalf("%v\n%s", err, q)
			}
			got[k] = res.Verdict
		}
		verdicts[got]++
		if got[0] == Robust && got[1] == Suspicious {
			t.Errorf("%s: %v, with each template %v\n%s", m.name, got[0], got[1], q)
		}
	}
	t.Logf("verdicts without and with those that are alike: %v", verdicts)
}
