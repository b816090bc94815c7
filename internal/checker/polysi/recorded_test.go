package polysi

import (
	"context"
	"testing"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/brute"
	"github.com/txrobust/robust/internal/checker/definitions"
	"github.com/txrobust/robust/internal/checker/historytest"
)

// TestRecorded compares with all verdicts about SI and SER that come with recorded
// histories. A history that violates a weak level violates these.
func TestRecorded(t *testing.T) {
	n, verdicts := 0, 0
	for _, r := range historytest.Recordings(t) {
		if len(r.Levels) == 0 {
			continue
		}
		t.Run(r.Path, func(t *testing.T) {
			h := r.Read(t)
			if !historytest.Only(h, history.Register) || testing.Short() && h.NumTxns() > 3000 {
				return // it is of lists, or large
			}
			n++
			got, err := Check(context.Background(), h, Options{Levels: Levels()})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range Levels() {
				v, listed := r.Levels[l]
				if !listed {
					continue
				}
				verdicts++
				if got.Verdict(l) != v {
					t.Errorf("%s is %s, the list says %s\n%s", l, got.Verdict(l), v, tell(h, got))
				}
			}
			verifyAll(t, h, got)
			if h.NumTxns() > 9 {
				return
			}
			same, err := brute.Check(context.Background(), h, brute.Options{Levels: Levels()})
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range same.Answers {
				if a.Verdict != got.Answers[i].Verdict && got.Answers[i].Verdict != checker.Unknown {
					t.Errorf("%s is %s, by brute force %s", a.Level, got.Answers[i].Verdict, a.Verdict)
				}
			}
		})
	}
	t.Logf("%d verdicts about %d histories", verdicts, n)
	if n < historytest.Least(100, 200) {
		t.Errorf("only %d histories have verdicts", n)
	}
}

// verifyAll makes sure of all witnesses, and of the edges of all violations.
func verifyAll(t *testing.T, h *history.History, r *checker.Result) {
	t.Helper()
	definitions.Witnesses(t, h, r)
	if err := checkViolations(h, r); err != nil {
		t.Error(err)
	}
}
