package check_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/fault"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/isolation"
	"github.com/txrobust/robust/report"
)

// skewed has a write skew that the proof meets, and transactions of its own.
const skewed = `program skew
table a (k int, n int, key (k))
table b (k int, n int, key (k))
txn x (p int, q int) { local i int; (i) := select r.n from a r where r.k = p; update a r set n = i where r.k = q }
txn y (p int, q int) { local i int; (i) := select r.n from b r where r.k = p; update b r set n = i where r.k = q }
`

// harmless is robust.
const harmless = `program harmless
table a (k int, n int, key (k))
table b (k int, n int, key (k))
txn w (p int) { update a r set n = 1 where r.k = p }
txn x (p int, q int) { local i int; (i) := select r.n from a r where r.k = p; update b r set n = i where r.k = q }
`

// TestFaultInPart: a panic in a part of a check is an error with its stack. What the other
// parts found stays, and nothing is proved by a part that did not come to its end.
func TestFaultInPart(t *testing.T) {
	panics := func(in string) func(int, int, string) {
		return func(_, _ int, what string) {
			if strings.HasPrefix(what, in) {
				panic("wanted by the test")
			}
		}
	}
	for _, tc := range []struct {
		name, src, in string
		want          report.Verdict
		part          string // "" is no fault
	}{
		{"none", skewed, "nowhere", report.NotRobust, ""},
		{"none, proved", harmless, "nowhere", report.Robust, ""},
		{"the proof, of a program that is robust", harmless, "proving", report.Unknown, "the proof"},
		{"the proof, and the search finds what it would have", skewed, "proving", report.NotRobust, "the proof"},
	} {
		p := testprog.Parse(t, tc.src)
		rep, err := check.Check(t.Context(), p, check.Options{Progress: panics(tc.in)})
		faults := fault.All(err)
		if tc.part == "" {
			if err != nil || rep.Verdict != tc.want {
				t.Errorf("%s: %v, %v", tc.name, rep.Verdict, err)
			}
			continue
		}
		if len(faults) == 0 || faults[0].Part != tc.part || !strings.Contains(faults[0].Stack, "fault_test.go") || rep == nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if rep.Verdict != tc.want || rep.Proof != nil {
			t.Errorf("%s: the verdict is %v, with proof %v", tc.name, rep.Verdict, rep.Proof)
		}
	}
}

// TestFaultKeepsFindings: a panic that comes after a finding leaves it.
func TestFaultKeepsFindings(t *testing.T) {
	both, err := check.Check(t.Context(), testprog.Parse(t, skewed), check.Options{Shared: true})
	if err != nil || len(both.Findings) != 2 {
		t.Fatalf("without a fault: %d findings, %v", len(both.Findings), err)
	}
	var mu sync.Mutex
	seen := map[*history.History]bool{}
	second := crosscheck.Judge{Name: "second", Forms: crosscheck.Forms()[:1], Levels: []isolation.Level{isolation.SER},
		Check: func(_ context.Context, h *history.History, l isolation.Level) (crosscheck.Opinion, error) {
			mu.Lock()
			defer mu.Unlock()
			if seen[h] = true; len(seen) > 1 {
				panic("wanted by the test")
			}
			return crosscheck.Opinion{Answer: checker.Answer{Level: l, Verdict: checker.Violated}}, nil
		}}
	one, err := check.Check(t.Context(), testprog.Parse(t, skewed), check.Options{Shared: true, Judges: append(crosscheck.Judges(), second)})
	if len(fault.All(err)) == 0 || one == nil || one.Verdict != report.NotRobust || len(one.Findings) != 1 {
		t.Errorf("%+v, %v", one, err)
	}
}
