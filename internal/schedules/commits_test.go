package schedules

import (
	"math/rand"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/commits"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/progen"
	"github.com/txrobust/robust/internal/testprog"
)

// TestCommits: how runs of a template may commit, and what that means for a search.
func TestCommits(t *testing.T) {
	p := testprog.Parse(t, `program ways
table t (id int not null, x int not null, key (id))
txn writes(a int) { update t set x = 1 where t.id == a; }
txn looks(a int) { emit select t.x from t where t.id == a; }
txn stuck(a int) { update t set x = 1 where t.id == a; unmodelled (t) 'something'; }
txn gone(a int) { update t set x = 1 where t.id == a; abort; }
txn both(a int) { if a > 0 { update t set x = 1 where t.id == a; unmodelled (t) 'something'; } else { emit a; } }
txn early(a int) { block b { if a > 0 { break b; } unmodelled (t) 'something'; } update t set x = 1 where t.id == a; }
txn back(a int) { if a > 0 { return; } unmodelled (t) 'something'; update t set x = 1 where t.id == a; }
txn around(a int) { for i in 1..a { unmodelled (t) 'something'; } }
txn some(a int) { for i in 1..a { if i == 2 { unmodelled (t) 'something'; } update t set x = i where t.id == a; } }
txn next(a int) { for i in 1..a { if i == 2 { return; } update t set x = i where t.id == a; } unmodelled (t) 'something'; }
`)
	for name, want := range map[string]commits.Commits{
		"writes": {Writing: true},
		"looks":  {Reading: true},
		"stuck":  {},
		"gone":   {},
		"both":   {Reading: true},
		"early":  {Writing: true},
		"back":   {Reading: true},
		"around": {Reading: true},
		"some":   {Reading: true, Writing: true},
		"next":   {Reading: true, Writing: true},
	} {
		if got := commits.Of(p.Txn(name)); got != want {
			t.Errorf("%s: %+v, expected %+v", name, got, want)
		}
	}
	for _, c := range []struct {
		names    []string
		hopeless bool
	}{
		{[]string{"writes", "writes"}, false},
		{[]string{"writes", "looks"}, true},
		{[]string{"writes", "looks", "both"}, true},
		{[]string{"writes", "stuck", "looks"}, true},
		{[]string{"writes", "some", "looks"}, false},
	} {
		s, err := newSearch(t.Context(), Query{Program: p, Engine: engine.Postgres(), Sessions: sessions(t, p, c.names...)})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.hopeless(); got != c.hopeless {
			t.Errorf("%v: hopeless is %v", c.names, got)
		}
	}
}

// TestHopeless: where a search is given up at once, none finds an anomaly.
func TestHopeless(t *testing.T) {
	seed := random.Seed(t)
	r := rand.New(rand.NewSource(seed))
	hopeless := 0
	for range 5 * random.Runs() {
		p := progen.Program(r, progen.All)
		q := Query{Program: p, Engine: engine.ByName([]string{"postgres", "si"}[r.Intn(2)]), Options: Options{Seed: seed}}
		for range 2 + r.Intn(2) {
			q.Sessions = append(q.Sessions, []*ir.Txn{p.Txns[r.Intn(len(p.Txns))]})
		}
		s, err := newSearch(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !s.hopeless() {
			continue
		}
		hopeless++
		s.writers = 0
		if f := s.random(); f != nil {
			t.Fatalf("a search that was given up finds something on %s:\n%s\n%s", q.Engine.Name, p, describe(p, s.anomaly(f)))
		}
	}
	t.Logf("%d queries are hopeless", hopeless)
	if hopeless == 0 {
		t.Error("no query is hopeless: the test says little")
	}
}
