package schedules

import (
	"context"
	"math/rand"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
)

// TestAgreeing compares the search for one serial order with the list of the outcomes of
// all of them, on executions of random programs.
func TestAgreeing(t *testing.T) {
	r := rand.New(rand.NewSource(random.Seed(t)))
	some, none := 0, 0
	for n := 0; n < random.Runs(); n++ {
		p := progen.Program(r, progen.All)
		q := Query{Program: p, Engine: engine.SI()}
		for i := 0; i < 2+r.Intn(3); i++ {
			q.Sessions = append(q.Sessions, []*ir.Txn{p.Txns[r.Intn(len(p.Txns))]})
		}
		q.Options.AnyOrder = r.Intn(2) == 0
		s, err := newSearch(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		each := make([]int, len(s.calls))
		for i := range each {
			each[i] = i
		}
		list, _ := orders(each, each, 0, 40)
		for range 20 {
			sit := s.draw(r)
			if !s.possible(sit) {
				continue
			}
			j := s.judge(sit)
			j.serialOutcomes()
			if j.undecided != "" {
				continue
			}
			last := j.init // of another execution: mostly no outcome
			for _, o := range list {
				j.replay(o, func(e *interp.Execution) bool {
					outputs := make([]string, len(j.instances))
					for i, x := range e.Txns {
						outputs[o.Commits[i]] = x.Run.Outputs
					}
					for _, final := range []*interp.DB{e.Last(), last} {
						want := j.serial[outcome(outputs, final)] != nil
						if got := j.agreeing(outputs, final) != nil; got != want {
							t.Fatalf("a serial order with an outcome: %v, found: %v\n%s\ncommits %v after snapshots %v", want, got, p, o.Commits, o.Snapshots)
						}
						if want {
							some++
						} else {
							none++
						}
					}
					last = e.Last()
					return true
				})
			}
		}
		s.close()
	}
	t.Logf("%d outcomes are those of serial orders, %d are not", some, none)
	if some == 0 || none == 0 {
		t.Error("the outcomes are all of one kind")
	}
}
