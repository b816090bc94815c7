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
			share := steps / max(left, 1)
			var unused int
			a, unused = decide(ctx, h, l, share)
			steps -= share - unused
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
	p := newProblem(h, d, h.Begin, h.End)
	if p.never {
		a.Verdict, a.Why = checker.Violated, "A transaction read what no state explains."
		return a, steps
	}
	if begin, end := moments(h); begin != nil && !d.realTime {
		s := inTime(ctx, h, d, begin, end, steps/2)
		steps -= steps/2 - max(s.steps, 0)
		if s.goal >= 0 {
			return s.satisfied(a), steps
		}
	}
	guesses := []func(){func() { p.rank(aligned(ctx, p, evenly(h))) }, func() { p.rank(evenly(h)) }}
	if h.Order() != history.NoOrder {
		guesses = append([]func(){func() { p.rank(h.End) }}, guesses...)
	}
	for i, guess := range guesses {
		guess()
		s := &search{ctx: ctx, problem: p, steps: 2 * steps / (len(guesses) - i + 1), width: minWidth}
		if d.realTime {
			s.width = timedWidth
		}
		steps -= s.steps
		done := s.run()
		steps += max(s.steps, 0)
		switch {
		case ctx.Err() != nil:
			return a, steps
		case done:
			return s.satisfied(a), steps
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

// satisfied is an answer with the execution that a search found.
func (s *search) satisfied(a checker.Answer) checker.Answer {
	a.Verdict = checker.Satisfied
	a.Order, a.Snapshots = s.witness()
	if s.commuting {
		a.Snapshots = nil // verify knows registers and lists
	}
	return a
}

// interleaved tells whether a file does not have one session after the other.
func interleaved(h *history.History) bool {
	last := history.Place(0)
	for s := range history.Session(h.NumSessions()) {
		first, end := h.Txns(s)
		if first == end {
			continue
		}
		if h.Place(first) < last {
			return true
		}
		last = h.Place(end - 1)
	}
	return false
}

// moments are when transactions began and ended, nil if it is not known. In a file without times it is taken that a
// transaction ended where it stands, and began when the one before it in its session ended.
func moments(h *history.History) (begin, end func(history.Txn) int64) {
	if h.Order() != history.NoOrder {
		return h.Begin, h.End
	}
	if !interleaved(h) {
		return nil, nil
	}
	all := make([]history.Txn, h.NumTxns())
	for i := range all {
		all[i] = history.Txn(i)
	}
	slices.SortStableFunc(all, func(t, u history.Txn) int { return cmp.Compare(h.Place(t), h.Place(u)) })
	begins, ends, last := make([]int64, len(all)), make([]int64, len(all)), map[history.Session]int64{}
	for i, t := range all {
		begins[t], ends[t] = last[h.SessionOf(t)], int64(2*i+1)
		last[h.SessionOf(t)] = ends[t] + 1
	}
	return func(t history.Txn) int64 { return begins[t] }, func(t history.Txn) int64 { return ends[t] }
}

// inTime searches for an execution in which snapshots and commits are in real time as well: there are few, and a database
// with one place for its data has one. It says nothing if there is none.
func inTime(ctx context.Context, h *history.History, d demands, begin, end func(history.Txn) int64, steps int) *search {
	d.realTime, d.recent = true, true
	p := newProblem(h, d, begin, end)
	p.rank(end)
	s := &search{ctx: ctx, problem: p, steps: steps, width: timedWidth}
	s.run()
	return s
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
