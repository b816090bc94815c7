package boogie

import (
	"testing"

	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/reach"
)

var random = testprog.RandomFlags(8)

// TestRandomPrograms: Boogie and reach agree on instrumented random programs,
// over rows with all kinds of constraints and over shared variables.
func TestRandomPrograms(t *testing.T) {
	have(t)
	r := random.Source(t)
	reached, decided := 0, 0
	for i := range random.Runs() {
		o := progen.Options{Keys: true, Exclusions: true, Nulls: true, Txns: 2, Stmts: 3}
		var p *ir.Program
		switch i % 4 {
		case 0:
			o.Vars, o.Loops = true, true
			p = progen.Program(r, o)
		case 1:
			p = progen.Program(r, o)
		default:
			p = progen.Accesses(r, o)
		}
		if !o.Vars {
			for j, rows := range progen.Rows(r, p, 2) {
				p.Tables[j].Rows = rows
			}
		}
		q, err := instrument.Rewrite(p, modes[i%len(modes)].opt)
		if err != nil {
			t.Fatal(err)
		}
		found, ok, _, _ := agree(t, modes[i%len(modes)].name, q, 3, Options{Rows: 4}, reach.Options{MaxStates: 30000})
		if t.Failed() {
			t.Fatalf("the program:\n%s", p)
		}
		if found {
			reached++
		}
		if ok {
			decided++
		}
	}
	t.Logf("%d programs, %d decided, %d with an error state", random.Runs(), decided, reached)
}
