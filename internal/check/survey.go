package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/movers"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/walk"
	"github.com/txrobust/robust/report"
)

// more looks for all findings, and for the transactions that are safe, where a program
// was not proved at snapshot isolation.
func (c *check) more() error {
	r := c.tried.result
	if c.opt.First || r == nil || c.rep.Verdict == report.Robust {
		return nil
	}
	var mu sync.Mutex
	var known [][]*ir.Txn
	for _, f := range c.rep.Findings {
		known = append(known, c.templates(f.Cycle))
	}
	var found []report.Finding
	note := func(f *report.Finding) []*ir.Txn {
		if f == nil {
			return nil
		}
		mu.Lock()
		defer mu.Unlock()
		found = append(found, *f)
		return c.templates(f.Cycle)
	}
	opt := movers.SurveyOptions{Known: known, Effort: c.opt.Questions * questionEffort, NoFacts: len(c.unsettled()) > 0,
		Progress: func(done, total int, what string) { c.opt.Progress(done, total, "looking for more: "+what) },
		Suspect: func(ctx context.Context, w *walk.Walk, facts []*ir.Invariant) []*ir.Txn {
			return note(c.along(ctx, w, facts))
		},
		Scout: func(ctx context.Context, w *walk.Walk, facts []*ir.Invariant) []*ir.Txn {
			return note(c.tryWalk(ctx, w, facts, true))
		}}
	c.guarded("the look for more findings", func() { c.left = r.Survey(c.ctx, opt) })
	if c.trials.unconfirmed != nil {
		return c.trials.unconfirmed
	}
	findings.Rank(found) // they were found in any order
	for _, f := range found {
		if !slices.ContainsFunc(c.rep.Findings, func(o report.Finding) bool { return sameSet(o.Cycle, f.Cycle) }) {
			c.rep.Findings = append(c.rep.Findings, f)
		}
	}
	findings.Rank(c.rep.Findings)
	if c.left == nil {
		return nil
	}
	c.rep.Stats.Queries += c.left.Stats.Queries
	c.rep.Stats.SolverMS += c.left.Stats.Solver.Time.Milliseconds()
	if len(c.rep.Confirmed()) > 0 {
		c.decide(report.NotRobust)
		c.openBeside()
	}
	return nil
}

// along tries a walk as an execution, and if it is none, with one of its transactions
// twice in a row: short walks often lack a second instance.
func (c *check) along(ctx context.Context, w *walk.Walk, facts []*ir.Invariant) *report.Finding {
	if f := c.tryWalk(ctx, w, facts, false); f != nil {
		return f
	}
	if len(w.Helpers) > 2 {
		return nil
	}
	for i, h := range w.Helpers {
		if h.Kind != walk.Atomic {
			continue
		}
		twice := *w
		twice.Helpers = slices.Insert(slices.Clone(w.Helpers), i, h)
		if f := c.tryWalk(ctx, &twice, facts, true); f != nil {
			return f
		}
	}
	return nil
}

// tryWalk gives what was found on a walk, nil if nothing was.
func (c *check) tryWalk(ctx context.Context, w *walk.Walk, facts []*ir.Invariant, likely bool) *report.Finding {
	c.trials.run(ctx, w, facts, likely)
	c.trials.mu.Lock()
	defer c.trials.mu.Unlock()
	return c.trials.found[w]
}

// openBeside says which walks are open beside findings.
func (c *check) openBeside() {
	var open [][]string
	for _, w := range c.left.Open {
		open = append(open, names(w))
	}
	if c.rep.Open = nil; len(open) == 0 {
		return
	}
	c.rep.Open = &report.Open{Cycles: sortedCycles(open), Settle: []string{},
		Reason: "no proof excludes the cycles below, and no execution that shows one was found"}
}

// templates gives those of names.
func (c *check) templates(list []string) []*ir.Txn {
	var out []*ir.Txn
	for _, name := range list {
		if t := c.p.Txn(name); t != nil {
			out = append(out, t)
		}
	}
	return out
}

// unsettled are the transactions at READ COMMITTED that are not settled.
func (c *check) unsettled() []*ir.Txn {
	var out []*ir.Txn
	for _, l := range c.rep.Levels {
		if !l.Proved {
			out = append(out, c.p.Txn(l.Transaction))
		}
	}
	return out
}

// stand says how each transaction stands, at the end.
func (c *check) stand() {
	why := c.unsafe()
	undecided := func(name string) *findings.Doubtful {
		if c.rep.Verdict == report.Robust {
			return nil
		}
		return why(c.p.Txn(name))
	}
	findings.Stand(c.rep, undecided)
	if c.takeForGranted() {
		findings.Stand(c.rep, undecided) // the headline names it
	}
}

// takeForGranted adds what the safe transactions need of the initial rows, where there is
// no proof of the whole, and reports whether that is something.
func (c *check) takeForGranted() bool {
	safe := func(t report.Transaction) bool { return t.Standing == codes.Safe }
	if c.left == nil || c.rep.Verdict == report.Robust || c.opt.Init != schedules.AnyRows || c.opt.Strict || !slices.ContainsFunc(c.rep.Transactions, safe) {
		return false
	}
	for _, f := range c.left.Facts {
		c.rep.Initially = append(c.rep.Initially, movers.FactString(f))
		c.rep.Assumptions = append(c.rep.Assumptions, initially(f))
	}
	return len(c.left.Facts) > 0
}

// unsafe gives why a transaction that is in no finding is not called safe, or nil if it is
// (docs/soundness.md, 10).
func (c *check) unsafe() func(*ir.Txn) *findings.Doubtful {
	always := func(d *findings.Doubtful) func(*ir.Txn) *findings.Doubtful {
		return func(*ir.Txn) *findings.Doubtful { return d }
	}
	switch {
	case len(c.faults) > 0:
		return always(&findings.Doubtful{Why: "a part of the work ended in a fault of this program"})
	case c.opt.Solverless:
		return always(&findings.Doubtful{Why: "nothing is proved without Z3"})
	case c.opt.Engine.Weaker != "" && !c.opt.Classic:
		return always(&findings.Doubtful{Why: "which transactions are safe is not worked out on " + c.rep.EngineTitle})
	case c.opt.Engine.Beyond(c.p) != "":
		return always(&findings.Doubtful{Why: c.opt.Engine.Title + ": " + c.opt.Engine.Beyond(c.p)})
	case levels.Model(c.opt.Isolation) != "" && c.rep.Open != nil && len(c.rep.Open.Cycles) == 0:
		return always(&findings.Doubtful{Why: c.rep.Open.Reason})
	case levels.Model(c.opt.Isolation) != "":
		return always(&findings.Doubtful{Why: "which transactions are safe is not worked out at " + levels.Model(c.opt.Isolation)})
	case len(c.compared) > 0:
		d := &findings.Doubtful{Why: "values that transactions draw are compared by their order"}
		for _, n := range c.compared {
			d.Because = append(d.Because, report.Note{File: n.Pos.File, Line: n.Pos.Line, Col: n.Pos.Col, Text: n.Text})
		}
		return always(d)
	case !c.proved && c.left == nil && c.opt.First:
		return always(&findings.Doubtful{Why: "the check ended at the first finding (-first)"})
	case !c.proved && c.left == nil:
		return always(&findings.Doubtful{Why: c.unfinished("no attempt to prove came to its end")})
	case c.left != nil && c.left.Unprovable != "":
		return always(&findings.Doubtful{Why: c.left.Unprovable})
	}
	unsettled := c.unsettled()
	connected := movers.Connected(c.p, c.moverOptions(), unsettled)
	return func(t *ir.Txn) *findings.Doubtful {
		if u := connected[t]; u != nil {
			return c.unsettledDoubt(t, u)
		}
		if c.proved {
			if len(unsettled) > 0 && c.tried.result != nil && len(c.tried.result.Facts)+len(c.p.Invariants) > 0 {
				return c.unsettledDoubt(t, unsettled[0])
			}
			return nil
		}
		return c.leftDoubt(t)
	}
}

// unfinished is a reason, or that the time ran out.
func (c *check) unfinished(why string) string {
	switch err := c.ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		return "the time ran out"
	case err != nil:
		return "the check was interrupted"
	}
	return why
}

// unsettledDoubt is that of a transaction that is connected with one of which nothing is
// known at READ COMMITTED.
func (c *check) unsettledDoubt(t, u *ir.Txn) *findings.Doubtful {
	i := slices.IndexFunc(c.rep.Levels, func(l report.TransactionLevel) bool { return l.Transaction == u.Name })
	l := c.rep.Levels[i]
	d := &findings.Doubtful{Why: "it is not proved at " + string(levels.ReadCommitted) + ": " + l.Reason}
	if t != u {
		d.Why = fmt.Sprintf("what it touches leads to %s, which is not proved at %s", u.Name, levels.ReadCommitted)
	}
	if p := l.Position; p != nil {
		d.Because = []report.Note{{File: p.File, Line: p.Line, Col: p.Col, Text: u.Name + ": " + l.Reason}}
	}
	return d
}

// leftDoubt is that of a transaction that is in a set which covers walks, or on a walk that
// none covers; nil if it is safe.
func (c *check) leftDoubt(t *ir.Txn) *findings.Doubtful {
	if like := c.left.Like[t]; like != nil {
		t = like
	}
	for _, w := range c.left.Open {
		if slices.Contains(w.Templates(), t) {
			return c.openDoubt(w)
		}
	}
	for _, set := range c.left.Anomalies {
		if slices.Contains(set, t) {
			var list []string
			for _, x := range set {
				list = append(list, x.Name)
			}
			return &findings.Doubtful{Why: "snapshot isolation has an execution of " + strings.Join(list, " -> ") + "; whether it is one here is not known"}
		}
	}
	if d := c.left.Uncovered[t]; d != nil {
		return &findings.Doubtful{Why: c.unfinished("not all was asked about the walks around " + d.Name + " within the effort (-questions)")}
	}
	return nil
}

// openDoubt is that of the transactions of an open walk.
func (c *check) openDoubt(w *walk.Walk) *findings.Doubtful {
	on := names(w)
	d := &findings.Doubtful{Why: "no proof excludes " + strings.Join(append(slices.Clone(on), on[0]), " -> ") + ", and no execution of it was found"}
	for _, h := range c.rep.Havocs {
		n := report.Note{File: h.File, Line: h.Line, Col: h.Col, Text: h.Reason}
		if slices.Contains(on, h.Transaction) && !slices.Contains(d.Because, n) {
			d.Because = append(d.Because, n)
		}
	}
	return d
}
