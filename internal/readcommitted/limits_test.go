package readcommitted_test

import (
	"context"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/wellformed"
)

// TestLimits: a limit on a count or a sum is found to be broken, whatever the number and the comparison are; where all who
// look at it lock the table first, nothing is found.
func TestLimits(t *testing.T) {
	const (
		count = "(n) := select agg count(*) int from t where t.owner == o; "
		sum   = "(m) := select agg sum(t.n) int from t where t.owner == o; if m is null { n := 0; } else { n := m; } "
		add   = "insert t (id, owner, n) values (a, o, 1);"
		raise = "update t set n = t.n + 1 where t.id == a and t.owner == o;"
	)
	for _, body := range []string{
		count + "if n >= 10 { abort; } " + add,
		count + "if n > 10 { abort; } " + add,
		count + "if n + 1 > 40 { abort; } " + add,
		sum + "if n >= 5 { abort; } " + raise,
		sum + "if n >= 100 { abort; } " + raise,
		sum + "if n > 5000 { abort; } " + raise,
		sum + "if n >= 100 { abort; } " + add,
	} {
		for _, lock := range []string{"", "lock t in exclusive; "} {
			p := testprog.Parse(t, "program p\ntable t ( id int not null, owner int not null, n int not null, key (id) )\n"+
				"txn x(a int not null, o int not null) { local n int; local m int; "+lock+body+" }")
			wellformed.Structure(p)
			r, err := readcommitted.Search(context.Background(), readcommitted.Query{Program: p, Engine: engine.Postgres()})
			if err != nil {
				t.Fatal(err)
			}
			if found, want := len(r.Anomalies) > 0, lock == ""; found != want {
				t.Errorf("%s%s: found: %v, want %v", lock, body, found, want)
			}
		}
	}
}
