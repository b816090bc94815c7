package check_test

import (
	"slices"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/report"
)

// TestKnownAtReadCommitted: an execution of snapshot isolation leads to one at READ COMMITTED with the same
// rows and values, also where that takes three transactions. The repaired twins have none.
func TestKnownAtReadCommitted(t *testing.T) {
	const batches = `program batches
table control (id int not null, batch int not null, key (id))
table receipt (id int not null, batch int not null, key (id))
txn close { update control c set batch = c.batch + 1 where c.id == 1 }
txn report { (b) := select c.batch from control c where c.id == 1; if exists (from receipt r where r.batch == b - 1) { emit b } }
`
	for _, c := range []struct {
		name, program string
		cycle         []string // nil: none is found
		code          string
	}{
		{"a reader sees that one came before the other", batches + `
txn add(i int not null) { (b) := select c.batch from control c where c.id == 1; insert receipt (id, batch) values (i, b) }
`, []string{"add", "close", "report"}, "RB1109"},
		{"what decides is locked", batches + `
txn add(i int not null) { (b) := select c.batch from control c where c.id == 1 for share; insert receipt (id, batch) values (i, b) }
`, nil, ""},
		{"three in a circle", `program circle
table t (k int not null, v int not null, key (k))
txn a { (r) := select t.v from t where t.k == 1; update t set v = r + 1 where t.k == 2 }
txn b { (r) := select t.v from t where t.k == 2; update t set v = r + 1 where t.k == 3 }
txn c { (r) := select t.v from t where t.k == 3; update t set v = r + 1 where t.k == 1 }
`, []string{"a", "c", "b"}, "RB1108"},
		{"three in a circle who lock", `program circle
table t (k int not null, v int not null, key (k))
txn a { (r) := select t.v from t where t.k == 1 for share; update t set v = r + 1 where t.k == 2 }
txn b { (r) := select t.v from t where t.k == 2 for share; update t set v = r + 1 where t.k == 3 }
txn c { (r) := select t.v from t where t.k == 3 for share; update t set v = r + 1 where t.k == 1 }
`, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rep, err := check.Check(t.Context(), testprog.Parse(t, c.program), check.Options{Engine: engine.Postgres(), Isolation: levels.AtReadCommitted})
			if err != nil {
				t.Fatal(err)
			}
			found := func(f report.Finding) bool {
				cycle := slices.Clone(f.Cycle)
				slices.Sort(cycle)
				want := slices.Clone(c.cycle)
				slices.Sort(want)
				return slices.Equal(cycle, want) && f.Code == c.code && f.Status == report.Confirmed
			}
			switch {
			case c.cycle == nil && len(rep.Findings) > 0:
				t.Errorf("found %v", rep.Findings[0].Cycle)
			case c.cycle != nil && (rep.Verdict != report.NotRobust || !slices.ContainsFunc(rep.Findings, found)):
				t.Errorf("%s with %d findings, want one of %v with %s", rep.Verdict, len(rep.Findings), c.cycle, c.code)
			}
		})
	}
}
