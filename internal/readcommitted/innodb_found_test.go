package readcommitted_test

import (
	"context"
	"math/rand"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// TestInnoDBFound: what a check finds in random programs at random levels happens on a real server as it is shown, and the checkers
// of histories agree with it.
func TestInnoDBFound(t *testing.T) {
	srv := replaytest.Open(t, witness.MySQL)
	findings, verdicts := 0, map[report.Verdict]int{}
	for seed := *innodbSeed; seed < *innodbSeed+int64(*innodbRuns); seed++ {
		r := rand.New(rand.NewSource(seed))
		c := newInnoDBCase(t, r, 2, func(string) bool { return true })
		if c == nil {
			continue
		}
		levels := map[string]string{}
		for name, l := range c.levels {
			levels[name] = map[string]string{"REPEATABLE READ": "rr", "READ COMMITTED": "rc", "SERIALIZABLE": "serializable"}[l]
		}
		e := []*engine.Profile{engine.MySQL(), engine.MariaDB()}[r.Intn(2)]
		rep, err := robust.Check(t.Context(), c.program, robust.Options{Question: robust.Question{Engine: e, Isolation: "rr", Levels: levels}, Budget: robust.Budget{Helpers: 1, Questions: 20},
			Replay: func(ctx context.Context, w *witness.Witness) (*witness.Replay, error) { return srv.Replay(ctx, w.Plan) }})
		if err != nil {
			t.Errorf("seed %d, %s, %v: %v\n%s\n%v", seed, e.Name, c.levels, err, c.tables, c.sent)
			continue
		}
		verdicts[rep.Verdict]++
		for _, f := range rep.Findings {
			if findings++; f.Status == report.Confirmed && f.Replay.Outcome != witness.AsShown {
				t.Errorf("seed %d, %s, %v: %s %s\n%s\n%v", seed, e.Name, c.levels, f.Kind, f.Replay, c.tables, c.sent)
			}
		}
		if len(rep.Refused) > 0 {
			t.Errorf("seed %d, %s, %v: %d refused\n%s\n%v", seed, e.Name, c.levels, len(rep.Refused), c.tables, c.sent)
		}
	}
	t.Logf("%v, %d findings", verdicts, findings)
	if findings == 0 {
		t.Error("nothing was found")
	}
}
