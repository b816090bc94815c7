package check_test

import (
	"context"
	"slices"
	"testing"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/check"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// TestContradicted: where transactions run at READ COMMITTED, a server that does not do an execution of
// snapshot isolation contradicts nothing. It does where they run at REPEATABLE READ.
func TestContradicted(t *testing.T) {
	for isolation, want := range map[string]bool{levels.AtReadCommitted: false, levels.AtRepeatableRead: true} {
		snapshots := 0
		replay := func(_ context.Context, w *witness.Witness) (*witness.Replay, error) {
			for _, x := range w.Transactions {
				if x.Snapshot != x.Commit {
					snapshots++
				}
			}
			return &witness.Replay{Outcome: witness.OtherOutcome}, nil
		}
		rep, err := check.Check(t.Context(), testprog.Parse(t, skewed), check.Options{Engine: engine.Postgres(), Isolation: isolation, Replay: replay})
		if err != nil || snapshots == 0 || rep.Verdict != report.Unknown {
			t.Fatalf("%s: %v, %d, %v", isolation, rep.Verdict, snapshots, err)
		}
		ofSnapshots := func(f report.Finding) bool { return f.Witness.Isolation == levels.AtSnapshot }
		if slices.ContainsFunc(rep.Refused, ofSnapshots) != want {
			t.Errorf("%s: contradicted are %+v", isolation, rep.Refused)
		}
	}
}
