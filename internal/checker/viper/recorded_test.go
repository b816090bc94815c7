package viper

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/definitions"
	"github.com/txrobust/robust/internal/checker/historytest"
	"github.com/txrobust/robust/isolation"
)

// recordedTime bounds how long one recorded history may take. What is not decided then
// is listed.
const recordedTime = 20 * time.Second

// TestRecorded compares with all verdicts about SI and SER that come with recorded
// histories, and makes sure of witnesses and violations of all levels.
func TestRecorded(t *testing.T) {
	histories, verdicts := 0, 0
	var open []string
	for _, r := range historytest.Recordings(t) {
		if r.Polygraph || len(r.Levels) == 0 && !strings.Contains(r.Path, "viper") {
			continue
		}
		t.Run(r.Path, func(t *testing.T) {
			h := r.Read(t)
			if !historytest.Only(h, history.Register) || testing.Short() && h.NumTxns() > 1000 {
				return // it is of lists, or large
			}
			histories++
			ctx, stop := context.WithTimeout(t.Context(), recordedTime)
			defer stop()
			levels := []isolation.Level{isolation.SI, isolation.SER}
			if !r.Foreign {
				levels = Levels()
			}
			got, err := Check(ctx, h, Options{Levels: levels})
			if err != nil && !errors.Is(err, context.DeadlineExceeded) {
				t.Fatal(err)
			}
			for _, l := range levels {
				v, listed := r.Levels[l]
				if !listed {
					continue
				}
				a := got.Answer(l)
				if a.Verdict == checker.Unknown {
					open = append(open, r.Path+" "+l.String()+": "+a.Why)
					continue
				}
				verdicts++
				if a.Verdict != v {
					t.Errorf("%s is %s, the list says %s\n%s", l, a.Verdict, v, tell(h, got))
				}
			}
			verifyAll(t, h, got)
		})
	}
	t.Logf("%d verdicts about %d histories; not decided:\n%s", verdicts, histories, strings.Join(open, "\n"))
	if histories < historytest.Least(100, 200) {
		t.Errorf("only %d histories", histories)
	}
	if 20*len(open) > verdicts {
		t.Errorf("%d verdicts are not decided", len(open))
	}
}

// verifyAll makes sure of all witnesses, and of the proofs of all violations.
func verifyAll(t *testing.T, h *history.History, r *checker.Result) {
	t.Helper()
	definitions.Witnesses(t, h, r)
	for _, v := range r.Violations {
		if v.Read >= 0 {
			continue
		}
		if err := proves(h, v, 0); err != nil {
			t.Errorf("the %s of %s: %v", v.Anomaly, v.Level, err)
		}
	}
}
