package check

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// besides looks for what is an anomaly at READ COMMITTED only, beside a verdict on
// snapshot isolation: of all transactions where that is asked for, else of those
// that the source runs at READ COMMITTED. It takes at most half of the time left.
func (c *check) besides() error {
	level := func(t *ir.Txn) bool { return strings.EqualFold(t.Level, "read committed") }
	if c.opt.Beside {
		level = nil
	} else if !slices.ContainsFunc(c.p.Txns, level) {
		return nil
	}
	if c.opt.Classic || readcommitted.Supported(c.opt.Engine) != "" || c.ctx.Err() != nil {
		return nil
	}
	ctx, cancel := c.share(0.5)
	defer cancel()
	findings, err := c.committed(ctx, true, level)
	if err == nil && c.rep.ReadCommitted != nil {
		c.rep.ReadCommitted.Findings = findings
	}
	return err
}

// committed searches at READ COMMITTED and confirms what is found. The transactions
// that are interrupted are those that level accepts.
func (c *check) committed(ctx context.Context, only bool, level func(*ir.Txn) bool) ([]report.Finding, error) {
	out, sum, err := c.interrupted(ctx, readcommitted.Query{Only: only, Interrupts: level})
	if sum == nil {
		sum = &report.ReadCommitted{Findings: []report.Finding{}, LeftOut: []report.Gap{}}
	}
	c.rep.ReadCommitted = sum
	return out, err
}

// interrupted searches executions in which others run between two commands of a transaction,
// and confirms what is found. What was searched is nil if the search could not begin.
func (c *check) interrupted(ctx context.Context, q readcommitted.Query) ([]report.Finding, *report.ReadCommitted, error) {
	q.Program, q.Engine, q.Init, q.AnyOrder, q.Progress = c.p, c.opt.Engine, c.opt.Init, c.anyOrder(), c.opt.Progress
	r, err := readcommitted.Search(ctx, q)
	out := []report.Finding{}
	if r == nil {
		return out, nil, err
	}
	sum := &report.ReadCommitted{Findings: []report.Finding{}, LeftOut: []report.Gap{}, Pairs: r.Pairs}
	for _, l := range r.LeftOut {
		g := report.Gap{Reason: l.Reason}
		for _, t := range l.Txns {
			g.Transactions = append(g.Transactions, t.Name)
		}
		sum.LeftOut = append(sum.LeftOut, g)
	}
	switch {
	case err != nil && ctx.Err() == nil:
		return out, sum, err
	case errors.Is(err, context.DeadlineExceeded):
		sum.LeftOut = append(sum.LeftOut, report.Gap{Transactions: []string{}, Reason: "the time ran out before all pairs were searched"})
	case err != nil:
		sum.LeftOut = append(sum.LeftOut, report.Gap{Transactions: []string{}, Reason: "the search was interrupted"})
	}
	c.count(r.Stats)
	for _, a := range r.Anomalies {
		f, err := c.finding(witness.Evidence{Rows: a.Rows, Sessions: a.Sessions, Execution: a.Execution}, a.Opaque)
		if err != nil {
			return out, sum, err
		}
		if !c.refused(f) {
			out = append(out, f)
		}
	}
	return out, sum, nil
}
