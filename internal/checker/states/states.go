package states

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

// Options say what to check.
type Options struct {
	// Levels are among Levels().
	Levels []isolation.Level
	// Steps is how many steps are tried, for all levels together; defaultSteps if 0.
	Steps int
}

const defaultSteps = 20_000_000

// demands are what a level demands of an execution. All demand the order of sessions.
type demands struct {
	serial    bool // the snapshot is all that committed before
	exclusive bool // of two that write one key, one is in the snapshot of the other
	realTime  bool // commits are in real time
	recent    bool // snapshots are, too
}

var levels = map[isolation.Level]demands{
	isolation.PC:       {},
	isolation.SI:       {exclusive: true},
	isolation.SER:      {exclusive: true, serial: true},
	isolation.SSSI:     {exclusive: true, realTime: true},
	isolation.StrongSI: {exclusive: true, realTime: true, recent: true},
	isolation.SSER:     {exclusive: true, serial: true, realTime: true},
}

// Levels are those that this method decides, weaker ones first.
func Levels() []isolation.Level {
	return slices.DeleteFunc(isolation.Levels(), func(l isolation.Level) bool { _, ok := levels[l]; return !ok })
}

// Fits tells whether this method judges a history.
func Fits(h *history.History) bool { return unfit(h) == "" }

// Check decides levels of a history, from the strongest to the weakest. The error is that of ctx.
func Check(ctx context.Context, h *history.History, o Options) (*checker.Result, error) {
	tried := slices.Clone(o.Levels)
	if !slices.Contains(tried, isolation.SER) && slices.ContainsFunc(tried, isolation.SER.Implies) {
		tried = append(tried, isolation.SER) // fewer states
	}
	why, steps, left := unfit(h), cmp.Or(o.Steps, defaultSteps), len(tried)
	answers := map[isolation.Level]checker.Answer{}
	for _, l := range slices.Backward(Levels()) {
		if !slices.Contains(tried, l) {
			continue
		}
		if why != "" {
			answers[l] = checker.Answer{Level: l, Why: why}
			continue
		}
		a, ok := implied(h, answers, l)
		if !ok {
			var unused int
			a, unused = decide(ctx, h, l, steps/max(left, 1))
			steps -= steps/max(left, 1) - unused
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		answers[l] = a
		left--
	}
	r := &checker.Result{}
	for _, l := range o.Levels {
		r.Answers = append(r.Answers, answers[l])
	}
	return r, nil
}

// implied gives the answer that follows from that about a stronger level.
func implied(h *history.History, answers map[isolation.Level]checker.Answer, l isolation.Level) (checker.Answer, bool) {
	for _, m := range Levels() {
		a, ok := answers[m]
		if !ok {
			continue
		}
		if m.Implies(l) && a.Verdict == checker.Satisfied || h.Order() == history.NoOrder && timeless(m) == timeless(l) {
			a.Level = l
			return a, true
		}
	}
	return checker.Answer{}, false
}

// timeless are the demands that are left where there are no times.
func timeless(l isolation.Level) demands {
	d := levels[l]
	d.realTime, d.recent = false, false
	return d
}

// decide decides one level in so many steps, and gives how many it left.
func decide(ctx context.Context, h *history.History, l isolation.Level, steps int) (checker.Answer, int) {
	a := checker.Answer{Level: l}
	d := levels[l]
	if d.realTime && endsOfUnknown(h) {
		a.Why = "A transaction of unknown outcome has an end, which this method does not look at."
		return a, steps
	}
	p := newProblem(h, d)
	if p.never {
		a.Verdict, a.Why = checker.Violated, "A transaction read what no state explains."
		return a, steps
	}
	guesses := []func(){func() { p.rank(aligned(ctx, p, evenly(h))) }, func() { p.rank(evenly(h)) }}
	if h.Order() != history.NoOrder {
		guesses = append([]func(){func() { p.rank(h.End) }}, guesses...)
	}
	for i, guess := range guesses {
		guess()
		s := &search{ctx: ctx, problem: p, steps: steps / (len(guesses) - i)}
		steps -= s.steps
		done := s.run()
		steps += max(s.steps, 0)
		switch {
		case ctx.Err() != nil:
			return a, steps
		case done:
			a.Verdict = checker.Satisfied
			a.Order, a.Snapshots = s.witness()
			if p.commuting {
				a.Snapshots = nil // verify knows registers and lists
			}
			return a, steps
		case s.cut, s.steps <= 0:
			a.Why = s.why()
		default:
			a.Verdict = checker.Violated
			a.Why = fmt.Sprintf("No execution fits what was read: all of the %d states that the database may have been in were tried.", len(s.nodes))
			return a, steps
		}
	}
	return a, steps
}

// endsOfUnknown tells whether a transaction of unknown outcome has an end.
func endsOfUnknown(h *history.History) bool {
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		if h.Status(t) == history.Unknown && h.End(t) != history.NoEnd {
			return true
		}
	}
	return false
}

// evenly ranks the transactions as if all sessions took the same time.
func evenly(h *history.History) func(history.Txn) int64 {
	return func(t history.Txn) int64 {
		first, end := h.Txns(h.SessionOf(t))
		return (int64(t-first)*2 + 1) << 30 / int64(end-first)
	}
}
