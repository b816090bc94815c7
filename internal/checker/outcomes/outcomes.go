// Package outcomes lets a checker decide histories with conditional transactions
// that itself decides histories without.
//
// A transaction of unknown outcome either took no effect, or it committed and its reads
// returned what was recorded: a compare-and-set that found its expected value is one.
// Checkers ignore what transactions of unknown outcome read. So they ask for less than
// the level does: what they reject is violated, but what they accept need not be
// satisfied.
//
// Check first takes for committed what the reads show to be (history.Settled). That leaves
// the transactions that reads of values written twice may come from. If the witness of an
// accepted level holds with their reads, the level is satisfied. Otherwise Check asks about
// both outcomes of one of them, and so on. It gives up after a number of
// questions: the verdict is then unknown.
package outcomes

import (
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/verify"
	"github.com/txrobust/robust/isolation"
)

// questions bounds how often a checker is asked about one level.
const questions = 200

// Ask is a checker that ignores the reads of transactions of unknown outcome.
type Ask func(ctx context.Context, h *history.History, levels []isolation.Level) (*checker.Result, error)

// Check decides levels of a history.
func Check(ctx context.Context, h *history.History, levels []isolation.Level, ask Ask) (*checker.Result, error) {
	h = h.Settled()
	r, err := ask(ctx, h, levels)
	if r == nil || len(h.Conditional()) == 0 {
		return r, err
	}
	for i := range r.Answers {
		a := &r.Answers[i]
		if a.Verdict != checker.Satisfied || holds(h, *a) {
			continue
		}
		s := &search{ctx: ctx, ask: ask, level: a.Level, left: questions}
		if err == nil {
			*a, err = s.decide(h, *a)
		} else { // what was accepted does not hold by itself
			*a = checker.Answer{Level: a.Level, Why: "There was no more time."}
		}
		if a.Verdict == checker.Violated {
			r.Violations = append(r.Violations, s.violations...)
			for _, v := range s.violations {
				r.Counts[v.Anomaly]++
			}
		}
	}
	return r, err
}

// holds tells whether the witness of an answer holds with the reads of those
// transactions of unknown outcome that are in it.
func holds(h *history.History, a checker.Answer) bool {
	if a.Snapshots != nil {
		return verify.Witness(h, a.Level, a.Order, a.Snapshots) == nil
	}
	return a.Order != nil && !slices.ContainsFunc(h.Conditional(), func(t history.Txn) bool { return slices.Contains(a.Order, t) })
}

// search looks for outcomes under which a level is satisfied.
type search struct {
	ctx   context.Context
	ask   Ask
	level isolation.Level
	left  int // questions
	// violations are those under the outcomes that were tried last.
	violations []checker.Violation
}

// decide goes on from an answer that ignores the conditions.
func (s *search) decide(h *history.History, a checker.Answer) (checker.Answer, error) {
	t, ok := undecided(h, a)
	if !ok {
		return a, nil
	}
	open := ""
	for _, outcome := range []history.Status{history.Committed, history.Aborted} {
		if s.left--; s.left < 0 {
			return checker.Answer{Level: s.level, Why: fmt.Sprintf("Of %d conditional transactions the outcome is open, which are too many to try.", len(h.Conditional()))}, nil
		}
		g := h.WithOutcome(t, outcome).Settled()
		r, err := s.ask(s.ctx, g, []isolation.Level{s.level})
		if err != nil {
			return checker.Answer{Level: s.level, Why: "There was no more time."}, err
		}
		b := r.Answer(s.level)
		if b.Verdict == checker.Violated {
			s.violated(r.Violations)
		}
		if b.Verdict == checker.Satisfied && !holds(g, b) {
			if b, err = s.decide(g, b); err != nil {
				return b, err
			}
		}
		switch b.Verdict {
		case checker.Satisfied:
			return b, nil
		case checker.Unknown:
			open = b.Why
		}
	}
	if open != "" {
		return checker.Answer{Level: s.level, Why: open}, nil
	}
	return checker.Answer{Level: s.level, Verdict: checker.Violated, Why: "Whatever the outcome of conditional transactions, the level is violated; the violation shown is that of one outcome."}, nil
}

// violated keeps the violations of one outcome. They violate the level, but another
// outcome may satisfy weaker ones.
func (s *search) violated(all []checker.Violation) {
	s.violations = nil
	for _, v := range all {
		if s.level.Implies(v.Level) {
			v.Level, v.OneChoice = s.level, true
			s.violations = append(s.violations, v)
		}
	}
}

// undecided gives a conditional transaction on whose outcome the answer may depend: one
// that is in the order, if there is one.
func undecided(h *history.History, a checker.Answer) (history.Txn, bool) {
	open := h.Conditional()
	for _, t := range open {
		if slices.Contains(a.Order, t) {
			return t, true
		}
	}
	if len(open) == 0 {
		return 0, false
	}
	return open[0], true
}
