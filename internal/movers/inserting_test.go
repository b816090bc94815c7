package movers

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
)

// turnover makes a program in which some transactions free keys and parents, and others take them:
// by insertions alone, or with reads beside them.
func turnover(t testing.TB, r *rand.Rand) *ir.Program {
	of := func(list ...string) string { return list[r.Intn(len(list))] }
	unique := of("", "", ", unique t_v (v)", ", unique t_v (v) where t.w == 0")
	var b strings.Builder
	fmt.Fprintf(&b, "program turnover\ntable t (k int not null, v int not null, w int not null, key (k)%s)\ntable x (k int not null, v int not null, key (k))\ntable c (k int not null, p int, key (k)", unique)
	if r.Intn(2) == 0 {
		b.WriteString(", foreign c_p (p) references t (k)")
	}
	b.WriteString(")\nrow x (0, 0)\nrow x (1, 0)\n")
	for k := range 2 {
		if r.Intn(3) > 0 {
			fmt.Fprintf(&b, "row t (%d, %d, 0)\n", k, k)
		}
	}
	key := func() string { return of("0", "0", "1", "q") }
	insert := func() string {
		switch r.Intn(6) {
		case 0:
			return fmt.Sprintf("insert c (k, p) values (%s, %s); ", key(), key())
		case 1:
			return fmt.Sprintf("insert x (k, v) values (%s, 1); ", of("2", "q"))
		case 2:
			return fmt.Sprintf("f := fresh; insert t (k, v, w) values (f, %s, 0); ", key())
		}
		return fmt.Sprintf("insert t (k, v, w) values (%s, %s, %s); ", key(), of("0", "1", "2", "q"), of("0", "0", "1"))
	}
	other := func() string {
		switch r.Intn(11) {
		case 0, 1:
			return fmt.Sprintf("delete t r where r.k == %s; ", key())
		case 2:
			return fmt.Sprintf("delete t r where r.v == %s; ", key())
		case 3, 4:
			return fmt.Sprintf("update x r set v = r.v + 1 where r.k == %s; ", key())
		case 5, 6:
			return fmt.Sprintf("(v) := select r.v from x r where r.k == %s; emit v; ", key())
		case 7:
			return fmt.Sprintf("w := exists (from t r where r.%s == %s); emit w; ", of("k", "v"), key())
		case 8:
			return fmt.Sprintf("update t r set %s = 1 where r.k == %s; ", of("v", "w", "w"), key())
		case 9:
			return fmt.Sprintf("foreach (v) := select r.k from t r where r.v == %s order by r.k { insert c (k, p) values (v, v) }; ", key())
		}
		return fmt.Sprintf("insert t (k, v, w) values (%s, 1, 0) on conflict (k) do nothing; ", key())
	}
	for i := range 2 + r.Intn(3) {
		fmt.Fprintf(&b, "txn t%d(q int not null) { local v int; local w bool; local f int; ", i)
		plain := i == 0 || r.Intn(4) == 0
		if !plain {
			fmt.Fprintf(&b, "(v) := select r.v from x r where r.k == %d; emit v; ", i%2)
		}
		for range 1 + r.Intn(2) {
			if plain || r.Intn(6) == 0 {
				b.WriteString(insert())
			} else {
				b.WriteString(other())
			}
		}
		if !plain && r.Intn(3) > 0 {
			fmt.Fprintf(&b, "update x r set v = r.v + 1 where r.k == %d; ", (i+1)%2)
		}
		b.WriteString("}\n")
	}
	p := testprog.Parse(t, b.String())
	wellformed.Structure(p)
	return p
}

// TestInserting: where SERIALIZABLE settles a program, no execution is an anomaly that a model of what
// PostgreSQL refuses at least lets pass, although keys are freed and taken (docs/soundness.md, 9.3).
func TestInserting(t *testing.T) {
	r := random.Source(t)
	settled, taken, refused := 0, 0, 0
	for range max(random.Runs(), 1) {
		p := turnover(t, r)
		if levels.Unserialized(p) != "" {
			continue
		}
		alone := levels.Unserialized(reading(t, p)) != ""
		if alone {
			taken++
		}
		o := ssi{func(*ir.Txn) bool { return true }, r.Intn(2) == 0}
		for range 3 {
			sessions := progen.Instances(r, p, 3)
			settled++
			if anomalous(t, p, sessions, o.refuses) {
				t.Fatalf("an anomaly that SERIALIZABLE lets pass:\n%s", p)
			}
			if alone && anomalous(t, p, sessions, nil) {
				refused++
			}
		}
	}
	t.Logf("%d explorations of what is settled; of %d programs by what insertions alone take, in which %d anomalies were refused", settled, taken, refused)
	if random.Runs() > 50 && (taken == 0 || refused == 0) {
		t.Error("one of the cases never came up: the test says little")
	}
}

// reading is the program with a read in each transaction: then none of them inserts alone.
func reading(t testing.TB, p *ir.Program) *ir.Program {
	return testprog.Parse(t, strings.ReplaceAll(p.String(), "local f int;", "local f int;\n  emit select x.v from x where x.k == 77;"))
}
