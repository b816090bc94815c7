package instrument

import (
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir/irtext"
)

var random = testprog.RandomFlags(100)

// TestRandomPrograms: whatever the program, the result is sound (Rewrite checks
// that itself), reads back from its printed form, and the input is as before.
func TestRandomPrograms(t *testing.T) {
	r := random.Source(t)
	for i := range random.Runs() {
		o := progen.All
		o.Vars, o.Actions, o.Moves = i%4 == 0, false, false
		p := progen.Program(r, o)
		before := p.String()
		for _, opt := range []Options{{Classic: true}, {}, {Engine: engine.Postgres()}, {Engine: strict(), Attacker: p.Txns[0].Name}} {
			q, err := Rewrite(p, opt)
			if err != nil {
				t.Fatalf("%v\n%s", err, before)
			}
			text := q.String()
			back, err := irtext.Parse("printed", text)
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if back.String() != text {
				t.Fatalf("printed and read back it is another program:\n%s", text)
			}
		}
		if p.String() != before {
			t.Fatalf("Rewrite changed its input:\n%s", before)
		}
	}
}

// strict is an engine where locks exclude like writes, and a write that changes
// nothing is none.
func strict() *engine.Profile {
	e := engine.Postgres()
	e.LockWrites, e.EqualWrites, e.InsertExcludes = true, false, true
	return e
}
