package check

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// Structures prepares the search for dangerous structures as a check with these options does.
// unknown says why SERIALIZABLE of some transactions settles nothing, or is "".
func Structures(p *ir.Program, opt Options) (s *movers.Structures, unknown string) {
	if why := levels.Unserialized(p); why != "" {
		return nil, "the database does not follow all that SERIALIZABLE would have to: " + why
	}
	return movers.NewStructures(p, movers.Options{Engine: opt.Engine, Limit: opt.QueryLimit, Timeout: opt.QueryTimeout, Progress: opt.Progress})
}

// refusesAll decides about a program of which some transactions run at SERIALIZABLE, and the
// others at REPEATABLE READ or settled at READ COMMITTED: it is robust if the database refuses
// every dangerous structure (docs/soundness.md, 9.4).
func (c *check) refusesAll(settled map[*ir.Txn]readcommitted.Settled) (decided bool) {
	serializable := c.at(levels.Serializable)
	if !slices.ContainsFunc(c.p.Txns, serializable) || c.unserialized() != "" {
		return false
	}
	var pivots []*ir.Txn
	for _, t := range c.p.Txns {
		switch s, committed := settled[t]; {
		case committed && s.Standing == readcommitted.Unsettled:
			return false
		case !committed || s.Standing != readcommitted.Atomic:
			pivots = append(pivots, t)
		}
	}
	ctx, cancel := c.share(0.5)
	defer cancel()
	c.guarded("the look for dangerous structures", func() {
		s, unknown := Structures(c.p, c.opt)
		if unknown != "" {
			return
		}
		defer s.Close()
		s.Find(ctx, pivots)
		for _, t := range pivots {
			if _, ok := s.Protected(t, serializable); !ok {
				return
			}
		}
		decided = true
	})
	if !decided {
		return false
	}
	n := 0
	for _, t := range c.p.Txns {
		if serializable(t) {
			n++
		}
	}
	c.rep.Proof = &report.Proof{Method: fmt.Sprintf("every dangerous structure (Fekete et al. 2005) is of the %d transactions at SERIALIZABLE alone, of which PostgreSQL refuses it", n), Facts: []string{}}
	if settled != nil {
		c.rep.Proof.Method += "; " + standingText(settled)
	}
	return c.decide(report.Robust)
}
