package schedules

import (
	"context"
	"flag"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/walk"
)

var fullFlag = flag.Bool("full", false, "prove and search all of testdata")

// TestFromWalks refutes the applications and traps from the walks that the
// proof leaves, without knowing the cycle. A robust one must not be refuted.
func TestFromWalks(t *testing.T) {
	for _, l := range testprog.Apps(t) {
		t.Run(l.String(), func(t *testing.T) {
			if !*fullFlag && (l.Robust() || strings.HasPrefix(l.Folder, "tpcc")) {
				t.Skip("it takes long: run it with -full")
			}
			ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
			defer cancel()
			p := l.Load(t)
			start := time.Now()
			res, err := movers.Prove(ctx, p, movers.Options{Engine: engine.Postgres()})
			if err != nil {
				t.Fatal(err)
			}
			proof := time.Since(start).Round(time.Millisecond)
			start = time.Now()
			base := Query{Program: p, Engine: engine.Postgres(), Options: Options{Invariants: res.Facts}}
			queries := FromWalks(base, res.Walks, WalkOptions{})
			a, stats, err := FindAny(ctx, queries)
			t.Logf("%s after %v; %d walks, %d queries in %v; %s", res.Verdict, proof, len(res.Walks), len(queries), time.Since(start).Round(time.Millisecond), describeStats(stats))
			for _, w := range res.Walks {
				t.Log(w)
			}
			switch {
			case err != nil:
				t.Fatal(err)
			case l.Robust() && a != nil:
				t.Fatalf("an anomaly of a robust program:\n%s", describe(p, a))
			case !l.Robust() && a == nil && res.Verdict != movers.Robust && !strings.Contains(stats.Bounded, "not modelled"):
				t.Error("no anomaly is found")
			}
		})
	}
}

// TestFromWalksMakes checks the orders and sessions of queries.
func TestFromWalksMakes(t *testing.T) {
	p := testprog.ParseFile(t, testprog.Path(t, "litmus", "s1-columns.litmus"))
	p.Processes = nil
	a, b, c := p.Txns[0], p.Txns[1], p.Txns[2]
	w := &walk.Walk{Delayed: a, Helpers: []walk.Helper{{Txn: b, Kind: walk.Atomic}, {Txn: c, Kind: walk.Issued}}}
	qs := FromWalks(Query{Program: p}, []*walk.Walk{w}, WalkOptions{SessionOrder: true})
	if len(qs) < 3 {
		t.Fatalf("only %d queries", len(qs))
	}
	if len(qs[0].Sessions) != 3 || len(qs[0].Expected) != 1 {
		t.Fatalf("the walk is not the first query: %+v", qs[0])
	}
	o := qs[0].Expected[0]
	if got, want := [6]int{o.Commits[0], o.Commits[1], o.Commits[2], o.Snapshots[0], o.Snapshots[1], o.Snapshots[2]}, [6]int{1, 0, 2, 0, 0, 1}; got != want {
		t.Errorf("the expected order is %v, it should be %v", got, want)
	}
	if s := qs[1].Sessions; len(s) != 2 || len(s[1]) != 2 {
		t.Errorf("the helpers do not share a session: %v", s)
	}
	for _, q := range qs {
		if len(q.Sessions) > 5 {
			t.Errorf("%d sessions", len(q.Sessions))
		}
	}
}

// TestBetween checks the orders with one more call.
func TestBetween(t *testing.T) {
	// 0 is delayed around 1; 2 is issued after 1 and commits last.
	o := Order{Commits: []int{1, 0, 2}, Snapshots: []int{0, 0, 1}}
	want := []Order{
		{Commits: []int{1, 0, 2, 3}, Snapshots: []int{0, 0, 1, 3}},
		{Commits: []int{1, 0, 3, 2}, Snapshots: []int{0, 0, 2, 1}},
		{Commits: []int{1, 3, 0, 2}, Snapshots: []int{0, 1, 0, 1}},
		{Commits: []int{3, 1, 0, 2}, Snapshots: []int{0, 1, 0, 2}},
	}
	got := between(o)
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the orders are %v, they should be %v", got, want)
	}
}
