package commute

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
	// Steps is how many steps the search for one kind of order makes; defaultSteps if 0.
	Steps int
}

const defaultSteps = 2_000_000

// maxLanes is how many sessions may run beside each other.
const maxLanes = 1000

// Levels are those that an order can show.
func Levels() []isolation.Level {
	return slices.DeleteFunc(isolation.Levels(), func(l isolation.Level) bool {
		return !isolation.SSER.Implies(l) && !isolation.StrongSI.Implies(l)
	})
}

// Check looks for orders of a history. The error is that of ctx.
func Check(ctx context.Context, h *history.History, o Options) (*checker.Result, error) {
	why := unfit(h)
	found := isolation.Level(0)
	for _, l := range []isolation.Level{isolation.SSER, isolation.StrongSI} {
		if why != "" || !slices.ContainsFunc(o.Levels, l.Implies) || found.Implies(l) {
			continue
		}
		s := newSearch(ctx, h, l == isolation.SSER, cmp.Or(o.Steps, defaultSteps))
		if s.run() {
			found = l
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	r := &checker.Result{}
	for _, l := range o.Levels {
		a := checker.Answer{Level: l, Why: cmp.Or(why, "No order in real time was found.")}
		if found != 0 && found.Implies(l) {
			a.Verdict, a.Why = checker.Satisfied, fmt.Sprintf("An order as %s demands it fits all reads.", found)
		}
		r.Answers = append(r.Answers, a)
	}
	return r, nil
}

// Fits tells whether a history is one of sets and counters.
func Fits(h *history.History) bool { return unfit(h) == "" }

const notJudged = "This method judges sets and counters only."

// unfit says why a history cannot be judged, if so.
func unfit(h *history.History) string {
	for k := range history.Key(h.NumKeys()) {
		initial := h.Value(history.Op(k))
		switch h.Type(k) {
		case history.Untyped:
		case history.Set:
			if initial != history.Initial {
				return "A set is not empty initially."
			}
		case history.Counter:
			if _, ok := h.Amount(initial); !ok {
				return "It is not known what a counter was initially."
			}
		default:
			return notJudged
		}
	}
	seen := map[history.Value]bool{}
	for o := history.Op(h.NumKeys()); o < history.Op(h.NumOps()); o++ { // behind those of the initial transaction
		switch kind := h.Kind(o); {
		case kind == history.Add, kind == history.Increment, kind == history.ReadCounter, !h.Known(o):
			continue
		case kind != history.ReadSet: // such as one of a range, which has no key
			return notJudged
		}
		clear(seen)
		for _, v := range h.List(o) {
			if seen[v] {
				return "A read shows an element of a set twice."
			}
			seen[v] = true
		}
	}
	if h.NumSessions() > maxLanes {
		return fmt.Sprintf("There are more than %d sessions.", maxLanes)
	}
	return ""
}
