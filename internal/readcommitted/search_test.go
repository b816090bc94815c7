package readcommitted

import (
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/testprog"
)

// TestSearch: which pairs are searched, and what is said to be left out.
func TestSearch(t *testing.T) {
	const loses = "txn a { r := x; x := r + 1 }\ntxn b { r := x; x := r + 2 }\n"
	for _, c := range []struct {
		name, txns       string
		anomalies, pairs int
		leftOut          string // a part of the only reason, "" for none
	}{
		{"each loses what the others write", loses, 3, 3, ""},
		{"neither reads", "txn a { x := 1 }\ntxn b { x := 2 }\n", 0, 0, ""},
		{"what is read is one value", "txn a { r := x; emit r }\ntxn b { x := 1 }\n", 0, 1, ""},
		{"it has many commands", "txn a { " + strings.Repeat("r := x; ", 50) + "y := 1 }\ntxn b { x := 1 }\n", 0, 7, "cuts after the first"},
		{"somebody may wait", "txn a { dropped advisory lock 'the lock' *; r := x; emit r }\ntxn b { x := 1 }\n", 0, 1, "may wait for the lock"},
		{"something may fail", "txn a { dropped error 'the check' (x); r := x; emit r }\ntxn b { x := 1 }\n", 0, 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := testprog.Parse(t, "program p\nvar x = 0, y = 0\n"+c.txns)
			res, err := Search(t.Context(), Query{Program: p, Engine: engine.Postgres(), Init: schedules.FileRows})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Anomalies) != c.anomalies || res.Pairs != c.pairs {
				t.Errorf("%d anomalies of %d pairs, want %d of %d", len(res.Anomalies), res.Pairs, c.anomalies, c.pairs)
			}
			if c.leftOut == "" && len(res.LeftOut) > 0 || c.leftOut != "" && (len(res.LeftOut) != 1 || !strings.Contains(res.LeftOut[0].Reason, c.leftOut)) {
				t.Errorf("left out: %v, want %q", res.LeftOut, c.leftOut)
			}
		})
	}
}

// TestOnly: what is an anomaly at snapshot isolation, too, may be left out.
func TestOnly(t *testing.T) {
	for _, c := range []struct {
		name, txns string
		all, only  int
	}{
		{"each loses what the other writes", "txn a { r := x; x := r + 1 }\ntxn b { x := 5 }\n", 2, 2},
		{"each reads what the other writes", "txn a { r := x; y := r + 1 }\ntxn b { r := y; x := r + 1 }\n", 1, 0},
	} {
		p := testprog.Parse(t, "program p\nvar x = 0, y = 0\n"+c.txns)
		for only, want := range map[bool]int{false: c.all, true: c.only} {
			res, err := Search(t.Context(), Query{Program: p, Engine: engine.Postgres(), Init: schedules.FileRows, Only: only})
			if err != nil {
				t.Fatal(err)
			}
			if len(res.Anomalies) != want {
				t.Errorf("%s, only those of READ COMMITTED: %t: %d anomalies, want %d", c.name, only, len(res.Anomalies), want)
			}
		}
	}
}

// TestSupported: READ COMMITTED is that of PostgreSQL; on InnoDB each level is searched in the
// same way, and on other engines none.
func TestSupported(t *testing.T) {
	p := testprog.Parse(t, "program p\nvar x = 0\ntxn a { r := x; x := r + 1 }\n")
	for _, e := range engine.All() {
		_, err := Search(t.Context(), Query{Program: p, Engine: e})
		postgres := e.Name == engine.Postgres().Name
		if (err == nil) != (postgres || e.InnoDB) || (Supported(e) == "") != postgres {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}
