package check

import (
	"context"
	"errors"

	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/smt"
	"github.com/txrobust/robust/report"
)

// Check does the work of robust.Check. It returns a *crosscheck.Disagreement if a
// checker of histories contradicts a finding, which is a fault of this program. A panic in a
// part of the work is a *fault.Fault: there is a Report with what the other parts found
// beside it, and several faults are joined.
//
// A finding that the program's Ignores or the Baseline accept is suppressed, and
// the check goes on with the program without its transactions: without the one
// that a comment stands at, or without each of them in turn. Report.Rest says what
// came of that.
func Check(ctx context.Context, p *ir.Program, opt Options) (*report.Report, error) {
	if opt.Sources == nil {
		opt.Sources = findings.Disk
	}
	if err := knownCodes(p); err != nil {
		return nil, err
	}
	if _, err := smt.Z3(); err == nil {
		opt.Solverless = false
	} else if !opt.Solverless {
		return nil, err
	}
	c := newCheck(ctx, p, opt)
	rep, err := c.all()
	if err == nil && (len(p.Ignores) > 0 || opt.Baseline != nil) {
		c.faults, err = suppress(ctx, p, opt, rep, c.faults)
	}
	if err == nil {
		rep.Findings = findings.Group(rep.Findings)
		c.stand()
		c.explainFindings()
		c.advise()
	}
	if err == nil {
		err = errors.Join(c.faults...)
	}
	return rep, err
}

// GaveUp is the report on a check that was not waited for, because ctx had
// ended.
func GaveUp(ctx context.Context, p *ir.Program, opt Options) *report.Report {
	c := newCheck(ctx, p, opt)
	c.leaveOpen()
	c.done()
	c.stand()
	return c.rep
}
