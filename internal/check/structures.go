package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/findings"
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
		case !committed || s.Standing != readcommitted.Atomic || c.several(t):
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

// refusable makes findings suspected that SERIALIZABLE may refuse.
func (c *check) refusable() {
	for _, f := range slices.Concat(pointers(c.rep.Findings), pointers(c.rep.Refused)) {
		var who, perhaps []int
		for k, t := range f.Witness.Transactions {
			switch l := c.levels[c.p.Txn(t.Name)]; {
			case l.Level == levels.Serializable:
				who = append(who, k)
			case l.May(levels.Serializable):
				perhaps = append(perhaps, k)
			}
		}
		switch {
		case c.mayRefuse(f, who):
			if !f.Done() {
				findings.SuspectEngine(f, strings.Join(labels(f, who), " and ")+" run at SERIALIZABLE, which may keep them apart")
			}
		case c.mayRefuse(f, slices.Concat(who, perhaps)):
			for _, label := range labels(f, perhaps) {
				findings.SuspectLevel(f, label, "it may run at SERIALIZABLE instead, as another one does or may do, which may keep them apart")
			}
		}
	}
	if c.rep.Verdict == report.NotRobust && len(c.rep.Confirmed()) == 0 {
		c.rep.Verdict, c.rep.Open = report.Unknown, c.doubtful()
	}
}

// pointers gives those to findings.
func pointers(list []report.Finding) (out []*report.Finding) {
	for i := range list {
		out = append(out, &list[i])
	}
	return out
}

// labels are those of some transactions of a witness.
func labels(f *report.Finding, of []int) []string {
	var out []string
	for _, k := range of {
		out = append(out, f.Witness.Transactions[k].Label)
	}
	return out
}

// mayRefuse reports whether some transactions of an execution of snapshot isolation may be a
// dangerous structure in the eyes of the database, which may follow reads of whole tables
// instead of rows. The others it does not follow (docs/soundness.md, 9.3).
func (c *check) mayRefuse(f *report.Finding, who []int) bool {
	list := f.Witness.Transactions
	conflict := func(i, k int) bool {
		a, b := &list[i], &list[k]
		concurrent := i != k && a.Snapshot <= b.Commit && b.Snapshot <= a.Commit
		return concurrent && movers.Overwrites(c.p, c.p.Txn(a.Name), c.p.Txn(b.Name))
	}
	return slices.ContainsFunc(who, func(pivot int) bool {
		return slices.ContainsFunc(who, func(in int) bool { return conflict(in, pivot) }) && slices.ContainsFunc(who, func(out int) bool { return conflict(pivot, out) })
	})
}
