package check

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/movers"
)

// helpersFlag is the flag of the search for an execution.
const helpersFlag = "-helpers"

// largerBound is a bound that may have kept a check from a verdict.
type largerBound struct {
	flag, text string
	set        func(*Options)
}

// larger gives larger bounds in place of those that ran out.
func (c *check) larger() []largerBound {
	o := c.opt
	out := []largerBound{{helpersFlag, fmt.Sprintf("a search with more transactions (%s %d)", helpersFlag, o.Helpers+2), func(n *Options) { n.Helpers = o.Helpers + 2 }}}
	for _, b := range []movers.Bound{movers.BoundWindow, movers.BoundQuestions, movers.BoundSolver} {
		if !slices.Contains(c.tried.bounds, b) {
			continue
		}
		switch b {
		case movers.BoundWindow:
			out = append(out, largerBound{"-window", fmt.Sprintf("questions about more transactions of a walk at once (-window %d)", o.Window+2), func(n *Options) { n.Window = o.Window + 2 }})
		case movers.BoundQuestions:
			out = append(out, largerBound{"-questions", fmt.Sprintf("more questions about each transaction (-questions %d)", 4*o.Questions), func(n *Options) { n.Questions = 4 * o.Questions }})
		case movers.BoundSolver:
			more := fmt.Sprintf("-query-limit %d", 4*o.QueryLimit)
			if o.QueryTimeout > 0 {
				more += fmt.Sprintf(", -query-timeout %v", 4*o.QueryTimeout)
			}
			out = append(out, largerBound{"-query-limit", "more effort of the solver for each question (" + more + ")", func(n *Options) {
				n.QueryLimit, n.QueryTimeout = 4*o.QueryLimit, 4*o.QueryTimeout
			}})
		}
	}
	return out
}
