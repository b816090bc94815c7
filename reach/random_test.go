package reach

import (
	"context"
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/ir/irtext"
)

var (
	random = testprog.RandomFlags(3000)
	show   = flag.String("show", "", "print the anomalies missed in this mode, such as classic si")
)

// decides fails unless the instrumentation and exhaustive interpretation agree
// on the classic robustness of p at si, and gives what they say.
func decides(t *testing.T, p *ir.Program) interp.Verdict {
	t.Helper()
	m := interp.NewMachine(p, engine.SI())
	want := m.Explore(context.Background(), interp.Sessions(p, 1), interp.InitialDB(p), interp.Options{Classic: true, MaxExecutions: 20000})
	if want.Verdict == interp.Undecided {
		return interp.Undecided
	}
	got := Explore(context.Background(), rewrite(t, p, instrument.Options{Classic: true}), Options{MaxStates: 50000})
	if got.Verdict == BoundHit {
		return interp.Undecided
	}
	if (want.Verdict == interp.Anomalous) != (got.Verdict == Reached) {
		t.Fatalf("interpretation says %v %v, reachability %v %v:\n%s", want.Verdict, execution(want.Anomaly), got.Verdict, got.Trace, p)
	}
	return want.Verdict
}

// execution shows each transaction with the version that it read.
func execution(x *interp.Execution) []string {
	var out []string
	if x != nil {
		for _, c := range x.Txns {
			out = append(out, fmt.Sprintf("%s@%d", c.Run.Inst, c.Snapshot))
		}
	}
	return out
}

// TestRandomVariables: over shared variables, at si, value-blind, the
// instrumentation decides robustness (CAV'19, theorem 2).
func TestRandomVariables(t *testing.T) {
	r := random.Source(t)
	verdicts := map[interp.Verdict]int{}
	for i := 0; i < random.Runs(); i++ {
		verdicts[decides(t, progen.Program(r, progen.Options{Vars: true, Loops: true, Txns: 3, Stmts: 4}))]++
	}
	t.Logf("%d programs: %v", random.Runs(), verdicts)
}

// TestRandomAccesses is the same for programs that are little more than
// accesses, many of which are not robust.
func TestRandomAccesses(t *testing.T) {
	r := random.Source(t)
	verdicts := map[interp.Verdict]int{}
	for i := 0; i < random.Runs(); i++ {
		verdicts[decides(t, accesses(t, r))]++
	}
	t.Logf("%d programs: %v", random.Runs(), verdicts)
}

// accesses makes a program of reads and writes of a few variables.
func accesses(t *testing.T, r *rand.Rand) *ir.Program {
	names := []string{"x", "y", "z"}[:2+r.Intn(2)]
	pick := func() string { return names[r.Intn(len(names))] }
	var b strings.Builder
	b.WriteString("program accesses\ndomain 0..3\nvar " + strings.Join(names, ", ") + "\n")
	left := 2 + r.Intn(3)
	for i := 0; left > 0; i++ {
		fmt.Fprintf(&b, "process p%d {\n", i)
		for k := 0; k == 0 || left > 0 && r.Intn(3) == 0; k++ {
			fmt.Fprintf(&b, "txn t%d_%d {\n", i, k)
			statement := func() {
				switch r.Intn(8) {
				case 0, 1, 2:
					fmt.Fprintf(&b, "r%d := %s\n", r.Intn(2), pick())
				case 3, 4:
					fmt.Fprintf(&b, "%s := %d\n", pick(), r.Intn(2))
				case 5:
					x := pick()
					fmt.Fprintf(&b, "r0 := %s; %s := r0 + 1\n", x, x)
				case 6:
					fmt.Fprintf(&b, "r1 := %s; if r1 == %d { %s := r1 + 1 }\n", pick(), r.Intn(2), pick())
				case 7:
					fmt.Fprintf(&b, "savepoint s; r1 := %s; %s := 1; if r1 == %d { rollback to s }\n", pick(), pick(), r.Intn(2))
				}
			}
			for n := 1 + r.Intn(3); n > 0; n-- {
				statement()
			}
			b.WriteString("}\n")
			left--
		}
		b.WriteString("}\n")
	}
	p, err := irtext.Parse("accesses", b.String())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	return p
}
