package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/walk"
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
	if !slices.ContainsFunc(c.p.Txns, serializable) {
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
				findings.SuspectEngine(f, strings.Join(labels(f, who), " and ")+" run at SERIALIZABLE, which may keep them apart", findings.ByReplay)
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

// rotations looks for executions along the cycle of a finding in which another one of its
// transactions is delayed around the others, until the callback is satisfied. Levels may allow one
// of them and not another one, since each has other transactions that are concurrent.
func (c *check) rotations(ctx context.Context, f *report.Finding, until func(*report.Finding) bool) error {
	around := c.templates(f.Cycle)
	for k := 1; k < len(around) && ctx.Err() == nil; k++ {
		w := &walk.Walk{Delayed: around[k]}
		for _, t := range slices.Concat(around[k+1:], around[:k]) {
			w.Helpers = append(w.Helpers, walk.Helper{Txn: t})
		}
		a, stats := c.quick(ctx, w, c.tried.facts, false)
		c.count(stats)
		if a == nil {
			continue
		}
		g, err := c.suspected(a)
		if err != nil {
			return err
		}
		if g != nil && until(g) {
			return nil
		}
	}
	return nil
}

// rearrange puts other executions of the same cycles in the place of those that the levels do not
// allow, or of which SERIALIZABLE may refuse a transaction.
func (c *check) rearrange() error {
	var serializable []*ir.Txn
	for _, t := range c.p.Txns {
		if c.levels[t].May(levels.Serializable) {
			serializable = append(serializable, t)
		}
	}
	stands := func(f *report.Finding) bool {
		var who []int
		for k, t := range f.Witness.Transactions {
			if slices.Contains(serializable, c.p.Txn(t.Name)) {
				who = append(who, k)
			}
		}
		return f.Status == report.Confirmed && c.allowed(f) && !c.mayRefuse(f, who)
	}
	for i := range c.rep.Findings {
		f := &c.rep.Findings[i]
		if f.Done() || stands(f) {
			continue
		}
		err := c.rotations(c.ctx, f, func(g *report.Finding) bool {
			is := stands(g)
			if is {
				*f = *g
			}
			return is
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// Rotations gives further executions of snapshot isolation along the cycle of a finding, each with
// another transaction that is delayed.
func Rotations(ctx context.Context, p *ir.Program, opt Options, f *report.Finding) (out []report.Finding, err error) {
	c := newCheck(ctx, p, opt)
	err = c.rotations(ctx, f, func(g *report.Finding) bool {
		out = append(out, *g)
		return false
	})
	return out, err
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
