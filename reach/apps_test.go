package reach

import (
	"context"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/instrument"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/testprog"
)

// TestApplications searches the SQL applications and traps on PostgreSQL, in a
// small scope: no rows or one row per table, two values per parameter, four
// transactions. Nothing is found in a robust one, and in the others all that
// such a scope has.
func TestApplications(t *testing.T) {
	if testing.Short() {
		t.Skip("several seconds")
	}
	missed := map[string]string{
		"tpcc-all":            "needs two districts",
		"tpcc-extended-name":  "needs customers of one name",
		"tpcc-extended-stock": "needs more states than the bound",
		"s1-columns":          "needs two delayed transactions",
		"s1-values":           "needs two delayed transactions",
		"s2-lock":             "needs amounts above the limit",
	}
	found := 0
	for _, a := range testprog.Apps(t) {
		if !a.Whole() || strings.HasPrefix(a.Folder, "s3-cascade") || strings.HasPrefix(a.Folder, "s3-move") {
			continue // what a foreign key does at the commit is not instrumented
		}
		trace := ""
		for rows := 0; rows < 2 && trace == ""; rows++ {
			trace = small(t, a.Dir(t), rows)
		}
		switch want := !a.Robust() && missed[a.Folder] == ""; {
		case trace != "" && !want:
			t.Errorf("%s: found %s, but it is %s %s", a.Folder, trace, a.Verdict, missed[a.Folder])
		case trace == "" && want:
			t.Errorf("%s: nothing found", a.Folder)
		case want:
			found++
		}
	}
	t.Logf("%d anomalies", found)
}

// small searches one application, and gives the trace of an anomaly, if any.
func small(t *testing.T, dir string, rows int) string {
	p := testprog.WithRows(testprog.Load(t, dir), rows)
	inst, err := instrument.Instrument(p, instrument.Options{Engine: engine.Postgres()})
	if err != nil {
		t.Fatal(err)
	}
	m := interp.NewMachine(p, engine.Postgres())
	r := Explore(context.Background(), inst.Program, Options{MaxTxns: 4, MaxStates: 500, Values: testprog.Samples,
		Accept: func(trace []Step) bool { return confirmed(m, inst, p, trace, false) }})
	if r.Verdict == Unreachable {
		t.Errorf("%s: exhausted, though only some values were tried", dir)
	}
	return names(r.Trace)
}
