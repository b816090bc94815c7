package schedules

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/testprog"
)

// ringText is the SQL of a ring: each transaction returns a row and writes a parameter to the next one.
func ringText(n int) string {
	var out strings.Builder
	out.WriteString("CREATE TABLE r (id int PRIMARY KEY, v int NOT NULL);\n")
	for i := range n {
		fmt.Fprintf(&out, "CREATE FUNCTION t%d(q int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN SELECT v INTO x FROM r WHERE id = %d; UPDATE r SET v = q WHERE id = %d; RETURN x; END $$;\n", i, i, (i+1)%n)
	}
	return out.String()
}

// TestTurns: the solver is asked few times about a ring, of which each turn of the serial order leaves out
// one dependency. Where two transactions are in one session, whose order serial ones keep, an anomaly is found, too. What is found is
// one among all executions of these calls from these rows.
func TestTurns(t *testing.T) {
	for _, c := range []struct {
		n, together int
		few         bool
	}{{4, 0, false}, {5, 0, true}, {5, 2, false}, {7, 0, true}, {9, 0, true}} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "ring.sql"), []byte(ringText(c.n)), 0o600); err != nil {
			t.Fatal(err)
		}
		p := testprog.Load(t, dir)
		var names []string
		for i := range c.n {
			names = append(names, fmt.Sprintf("t%d", (c.n-i)%c.n))
		}
		list := sessions(t, p, names...)
		if k := c.together; k > 0 {
			list = slices.Concat(list[:k], [][]*ir.Txn{slices.Concat(list[k], list[k+1])}, list[k+2:])
		}
		q := Query{Program: p, Engine: engine.Postgres(), Sessions: list, Expected: []Order{OneDelayed(c.n)},
			Options: Options{Tries: -1, Orders: -1, Slots: c.n, Rounds: 1}}
		a, stats := mustFind(t, q)
		if a == nil || stats.Found != "solver" || len(a.Calls) != c.n {
			t.Fatalf("%v: not found by the solver: %s", c, describeStats(stats))
		}
		if c.few && stats.Questions > 3 {
			t.Errorf("%v: %d questions", c, stats.Questions)
		}
		if c.n > 5 {
			continue // more executions than are listed
		}
		m := interp.NewMachine(p, engine.Postgres())
		if r := m.Explore(t.Context(), a.Sessions, a.Execution.Versions[0], interp.Options{MaxExecutions: 100_000}); r.Verdict != interp.Anomalous {
			t.Errorf("%v: all executions from the rows of the finding: %v", c, r.Verdict)
		}
	}
}
