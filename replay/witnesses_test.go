package replay_test

import (
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/testprog"
	"github.com/txrobust/robust/replay"
	"github.com/txrobust/robust/witness"
)

func TestTry(t *testing.T) {
	s, err := replay.Open(t.Context(), replay.Options{Dialect: witness.Postgres})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, path := range [][]string{{"apps", "smallbank"}, {"apps", "courseware"}, {"apps", "auction-nickname"}, {"apps", "booking"}, {"apps", "courseware-lock"}, {"traps", "s1-columns"}, {"traps", "s3-key"}, {"traps", "s3-parent"}, {"traps", "s3-cascade"}, {"traps", "s3-move"}, {"traps", "s3-exclude"}, {"traps", "s3-unique"}, {"traps", "s2-lock"}, {"scripts", "oncall"}} {
		for _, rc := range []bool{false, true} {
			p := testprog.Load(t, testprog.Path(t, path...))
			rep, err := robust.Check(t.Context(), p, robust.Options{Engine: engine.Postgres(), ReadCommitted: rc})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range rep.Findings {
				r, err := s.Replay(t.Context(), f.Witness.Plan)
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s rc=%v: %s; %d of %d; %s", path[1], rc, r, r.OrdersTried, r.Orders, r.Serializable)
				if r.Outcome != witness.AsShown {
					for _, l := range r.Log {
						t.Log("   ", l)
					}
				}
			}
		}
	}
}
