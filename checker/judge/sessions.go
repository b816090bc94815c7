package judge

import (
	"context"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// timed tells whether a history has times.
func timed(h *history.History) (bool, string) { return h.Order() != history.NoOrder, "" }

// runSessions looks for sessions that go backwards: a transaction that follows another
// one, although it had ended before that one began. The clocks of a recording that
// were set back look like that. The snapshot of the later one should contain the
// other, and commits be in the order of time, so that no order fits.
func runSessions(ctx context.Context, h *history.History, levels []isolation.Level, o Options) (*finding, error) {
	f := &finding{counts: map[isolation.Anomaly]int{}}
	for s := range history.Session(h.NumSessions()) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		latest := history.Txn(-1) // of those so far, by its begin
		for t, end := h.Txns(s); t < end; t++ {
			if h.Status(t) != history.Committed {
				continue
			}
			if latest >= 0 && h.Precedes(t, latest) {
				f.counts[anomalies.BackwardSession]++
				if len(f.anomalies) < o.Limit {
					f.anomalies = append(f.anomalies, backward(h, latest, t))
				}
			}
			if latest < 0 || h.Begin(t) > h.Begin(latest) {
				latest = t
			}
		}
	}
	for _, l := range levels {
		a := checker.Answer{Level: l}
		if len(f.anomalies) > 0 {
			a.Verdict, a.Why = checker.Violated, "A session goes backwards in time."
		}
		f.answers = append(f.answers, a)
	}
	return f, nil
}

// backward is the anomaly that t is before u in their session, and after it in time.
func backward(h *history.History, t, u history.Txn) Anomaly {
	so := checker.Edge{Dependency: isolation.SO, From: t, To: u, Key: -1, Read: -1}
	rt := checker.Edge{Dependency: isolation.RT, From: u, To: t, Key: -1, Read: -1}
	return ofViolation(h, "sessions", checker.Violation{
		Anomaly: anomalies.BackwardSession, Level: isolation.SSSI, Read: -1, Key: -1, Source: -1, Cycle: []checker.Edge{so, rt},
	})
}
