package robust_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir/irtext"
	"github.com/txrobust/robust/report"
)

// twoSkews is a program with two anomalies that have nothing to do with each other.
const twoSkews = `program p
table a (k int, v int, key (k))
table b (k int, v int, key (k))
txn f(p int) { local n int; (n) := select agg count(*) int from a x where x.v == 0; if n > 1 { update a set v = 1 where a.k == p; } }
txn g(p int) { local n int; (n) := select agg count(*) int from b x where x.v == 0; if n > 1 { update b set v = 1 where b.k == p; } }
`

// TestFallback: a finding that a server does not do is none. The verdict rests on the
// others, or is unknown; what was not run still counts.
func TestFallback(t *testing.T) {
	outcome := func(o witness.Outcome) *witness.Replay {
		return &witness.Replay{Server: "Server", Version: "1", Outcome: o, Difference: "so it is", Log: []string{}}
	}
	for _, tc := range []struct {
		name    string
		replay  func(w *witness.Witness) (*witness.Replay, error)
		want    report.Verdict
		refused bool
		text    string
	}{
		{"as shown", func(*witness.Witness) (*witness.Replay, error) { return outcome(witness.AsShown), nil }, robust.NotRobust, false, "Replayed on Server 1: as shown."},
		{"all are refused", func(*witness.Witness) (*witness.Replay, error) { return outcome(witness.Refused), nil }, robust.Unknown, true, "refused: so it is"},
		{"all are others", func(*witness.Witness) (*witness.Replay, error) { return outcome(witness.OtherOutcome), nil }, robust.Unknown, true, "other outcome: so it is"},
		{"not run", func(*witness.Witness) (*witness.Replay, error) { return outcome(witness.NotRun), nil }, robust.NotRobust, false, "Not replayed: so it is."},
		{"no server", func(*witness.Witness) (*witness.Replay, error) { return nil, errors.New("the server ended") }, robust.NotRobust, false, "Not replayed: the server ended."},
		{"one is refused", func(w *witness.Witness) (*witness.Replay, error) {
			if w.Transactions[0].Name == "f" {
				return outcome(witness.Refused), nil
			}
			return outcome(witness.AsShown), nil
		}, robust.NotRobust, true, "g -> g"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := irtext.Parse("p", twoSkews)
			if err != nil {
				t.Fatal(err)
			}
			rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.Postgres()}, Replay: func(_ context.Context, w *witness.Witness) (*witness.Replay, error) { return tc.replay(w) }})
			if err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			if err := report.Text(&out, rep, report.TextOptions{}); err != nil {
				t.Fatal(err)
			}
			text := strings.Join(strings.Fields(out.String()), " ")
			if rep.Verdict != tc.want || (len(rep.Refused) > 0) != tc.refused || !strings.Contains(text, tc.text) {
				t.Errorf("%s with %d refused\n%s", rep.Verdict, len(rep.Refused), out.String())
			}
			if (rep.Verdict == robust.NotRobust) != (len(rep.Findings) > 0) || rep.Open == nil && rep.Verdict == robust.Unknown || rep.Open != nil && rep.Verdict != robust.Unknown && !tc.refused {
				t.Errorf("%d findings, %+v", len(rep.Findings), rep.Open)
			}
			for i, f := range rep.Refused {
				for _, o := range rep.Refused[:i] {
					if o.Fingerprint == f.Fingerprint {
						t.Errorf("%v was refused twice", f.Cycle)
					}
				}
			}
		})
	}
}

// TestStricterReplayed: for an engine that excludes more than its profile says, what a
// server has done is a finding, what it does not do is none, and what no server has run
// is one if the locks of InnoDB allow it.
func TestStricterReplayed(t *testing.T) {
	for outcome, want := range map[witness.Outcome]report.Verdict{witness.AsShown: robust.NotRobust, witness.Refused: robust.Unknown, witness.NotRun: robust.NotRobust} {
		p := testprog.Parse(t, twoSkews)
		rep, err := robust.Check(t.Context(), p, robust.Options{Question: robust.Question{Engine: engine.MariaDB(), Init: robust.AnyRows}, Replay: func(context.Context, *witness.Witness) (*witness.Replay, error) {
			return &witness.Replay{Server: "MariaDB", Outcome: outcome, Log: []string{}}, nil
		}})
		if err != nil {
			t.Fatal(err)
		}
		if rep.Verdict != want || (len(rep.Findings) > 0) != (outcome != witness.Refused) {
			t.Errorf("%s: %s with %d findings", outcome, rep.Verdict, len(rep.Findings))
		}
		for _, f := range rep.Findings {
			if f.Status == report.Suspected {
				t.Errorf("%s: a finding is %s", outcome, f.Status)
			}
		}
	}
}
