package check_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/report"
)

// two has two write skews, one of which another transaction has with a as well, by the
// same read.
const two = `program two
table t (k int not null, v int not null, key (k))
table u (k int not null, v int not null, key (k))
table s (k int not null, v int not null, key (k))
txn a { (r) := select t.v from t where t.k == 1; update t set v = r + 1 where t.k == 2 }
txn b { (r) := select t.v from t where t.k == 2; update t set v = r + 2 where t.k == 1 }
txn also { (r) := select t.v from t where t.k == 2; update t set v = r + 3 where t.k == 1 }
txn c { (r) := select u.v from u where u.k == 1; update u set v = r + 1 where u.k == 2 }
txn d { (r) := select u.v from u where u.k == 2; update u set v = r + 2 where u.k == 1 }
txn reads(k int not null) { (r) := select u.v from u where u.k == 1; emit r }
txn counts(k int not null) { update s set v = s.v + 1 where s.k == k }
`

func standings(r *report.Report) string {
	var out []string
	for _, x := range r.Transactions {
		out = append(out, x.Name+" "+x.Standing)
	}
	return strings.Join(out, ", ")
}

// TestAllFindings: all are found, in one order, and what is in none is safe.
func TestAllFindings(t *testing.T) {
	var before string
	for range 2 {
		rep, err := check.Check(t.Context(), testprog.Parse(t, two), check.Options{Engine: engine.Postgres()})
		if err != nil {
			t.Fatal(err)
		}
		if len(rep.Findings) != 2 || len(rep.Findings[0].Also)+len(rep.Findings[1].Also) != 1 {
			t.Fatalf("findings: %+v", rep.Findings)
		}
		const want = "a in-findings, also in-findings, b in-findings, c in-findings, counts safe, d in-findings, reads safe"
		if got := standings(rep); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if want := "2 of 7 transactions are safe at snapshot isolation; 2 findings concern 5"; rep.Headline != want {
			t.Errorf("got  %s\nwant %s", rep.Headline, want)
		}
		now := fmt.Sprint(rep.Findings[0].Fingerprint, rep.Findings[0].Also, rep.Findings[1].Fingerprint, rep.Findings[1].Also)
		if before != "" && now != before {
			t.Errorf("other findings: %s and %s", before, now)
		}
		before = now
	}
}

// TestFirst: with First there is one finding, and nobody is called safe.
func TestFirst(t *testing.T) {
	rep, err := check.Check(t.Context(), testprog.Parse(t, two), check.Options{Engine: engine.Postgres(), First: true})
	if err != nil || len(rep.Findings) != 1 || rep.Verdict != report.NotRobust {
		t.Fatalf("%+v, %v", rep, err)
	}
	if strings.Contains(standings(rep), "safe") {
		t.Errorf("%s", standings(rep))
	}
}

// TestBaselineHasAll: what is shown in another finding is accepted with it.
func TestBaselineHasAll(t *testing.T) {
	p := testprog.Parse(t, two)
	rep, err := check.Check(t.Context(), p, check.Options{Engine: engine.Postgres()})
	if err != nil {
		t.Fatal(err)
	}
	base := &report.Baseline{}
	for _, f := range rep.Findings {
		base.Entries = append(append(base.Entries, report.BaselineEntry{Code: f.Code, Fingerprint: f.Fingerprint, Cycle: f.Cycle}), f.Also...)
	}
	rep, err = check.Check(t.Context(), p, check.Options{Engine: engine.Postgres(), Baseline: base})
	if err != nil || len(rep.Findings) > 0 || len(rep.Suppressed) != 3 || len(rep.Stale) > 0 {
		t.Fatalf("findings %+v, suppressed %d, stale %v, %v", rep.Findings, len(rep.Suppressed), rep.Stale, err)
	}
	if want := "2 of 7 transactions are safe at snapshot isolation; 3 accepted findings concern 5"; rep.Headline != want {
		t.Errorf("got  %s\nwant %s", rep.Headline, want)
	}
}

// TestStandingAtLevels: whoever is connected with a transaction that is not settled at READ
// COMMITTED is not safe, and the others are.
func TestStandingAtLevels(t *testing.T) {
	const reader = "txn looks(k int not null) { (r) := select u.v from u where u.k == k; emit r }\n"
	const program = `program levels
table s (k int not null, v int not null, key (k))
table u (k int not null, v int not null, key (k))
txn counts(k int not null) { update s set v = s.v + 1 where s.k == k }
txn twice(k int not null) { (r) := select u.v from u where u.k == k; (q) := select u.v from u where u.k == k; emit r, q }
` + reader
	for _, tc := range []struct{ more, want string }{
		{"", "counts safe, looks safe, twice safe"}, // nobody writes u
		{"txn sets(k int not null) { update u set v = 1 where u.k == k }\n", "counts safe, looks undecided, sets in-findings, twice in-findings"},
	} {
		rep, err := check.Check(t.Context(), testprog.Parse(t, program+tc.more), check.Options{Engine: engine.Postgres(), Isolation: levels.AtReadCommitted})
		if err != nil {
			t.Fatal(err)
		}
		if got := standings(rep); got != tc.want {
			t.Errorf("got  %s\nwant %s (%s)", got, tc.want, rep.Headline)
		}
		i := slices.IndexFunc(rep.Transactions, func(x report.Transaction) bool { return x.Name == "looks" })
		if x := rep.Transactions[i]; x.Standing == "undecided" && !strings.Contains(x.Why, "leads to twice") {
			t.Errorf("looks is undecided: %s", x.Why)
		}
	}
}

// TestStandingWithoutTime: a check that was not waited for calls nobody safe.
func TestStandingWithoutTime(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 0)
	defer cancel()
	rep := check.GaveUp(ctx, testprog.Parse(t, two), check.Options{Engine: engine.Postgres()})
	if strings.Contains(standings(rep), "safe") || rep.Transactions[0].Why != "the time ran out" {
		t.Errorf("%s: %s", standings(rep), rep.Transactions[0].Why)
	}
}

// TestStandingOfTwins: where a template is asked about in place of another one, what is
// undecided of it is undecided of both.
func TestStandingOfTwins(t *testing.T) {
	p := testprog.Parse(t, two)
	for _, name := range []string{"one", "another"} {
		p.Txns = append(p.Txns, &ir.Txn{Name: name, Body: []ir.Stmt{&ir.Unmodelled{At: ir.At{Pos: ir.Pos{File: "f.sql", Line: 3, Col: 1}}, Tables: p.Tables[:1], Reason: "it is not read"}}})
	}
	rep, err := check.Check(t.Context(), p, check.Options{Engine: engine.Postgres()})
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range rep.Transactions {
		if (x.Name == "one" || x.Name == "another") && (x.Standing != "undecided" || len(x.Because) != 1) {
			t.Errorf("%s is %s because of %v", x.Name, x.Standing, x.Because)
		}
		if x.Name == "counts" && x.Standing != "safe" {
			t.Errorf("%s is %s", x.Name, x.Standing)
		}
	}
}
