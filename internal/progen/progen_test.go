package progen

import (
	"math/rand"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
)

var random = testprog.RandomFlags(300)

// TestPrograms: what is generated is well-formed, parses back to itself, and
// depends on nothing but the seed.
func TestPrograms(t *testing.T) {
	s := random.Seed(t)
	changed, runs := 0, random.Runs()
	for i := range int64(runs) {
		make := func() (*ir.Program, *ir.Program) {
			r := rand.New(rand.NewSource(s + i))
			var p *ir.Program
			switch i % 3 {
			case 0:
				p = Program(r, All)
			case 1:
				p = Program(r, Options{Vars: true, Loops: true, Txns: 3, Stmts: 4})
			case 2:
				p = Accesses(r, All)
			}
			return p, Mutant(r, p)
		}
		p, q := make()
		for _, x := range []*ir.Program{p, q} {
			if err := wellformed.Check(x); err != nil {
				t.Fatalf("%v\n%s", err, x)
			}
			if back := Copy(x).String(); back != x.String() {
				t.Fatalf("printed and parsed back, it is another program:\n%s\n%s", x, back)
			}
		}
		if p.String() != q.String() {
			changed++
		}
		if p2, q2 := make(); p2.String() != p.String() || q2.String() != q.String() {
			t.Fatalf("two programs with one seed:\n%s\n%s", p, p2)
		}
	}
	if changed < 2*runs/3 {
		t.Errorf("only %d of %d mutants differ from what they come from", changed, runs)
	}
}
