package check

import (
	"context"
	"slices"

	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/readcommitted"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// Interrupted looks for an execution without a serial order in which a transaction at READ
// COMMITTED is interrupted by another one, which runs at a stretch: at any level. It is nil
// where none is found.
func Interrupted(ctx context.Context, p *ir.Program, opt Options, t *ir.Txn) (out *report.Finding, err error) {
	c := newCheck(ctx, p, opt)
	_, search := readcommitted.Search(ctx, readcommitted.Query{Program: p, Engine: c.opt.Engine, Init: c.opt.Init, AnyOrder: c.anyOrder(),
		Interrupts: func(x *ir.Txn) bool { return x == t },
		Until: func(a *schedules.Anomaly) bool {
			var f report.Finding
			f, err = c.finding(witness.Evidence{Rows: a.Rows, Sessions: a.Sessions, Execution: a.Execution}, a.Opaque)
			if err == nil && f.Status == report.Confirmed {
				out = &f
			}
			return err != nil || out != nil
		}})
	if err == nil && ctx.Err() == nil {
		err = search
	}
	return out, err
}

// Moved gives an execution of snapshot isolation as one at the levels of the options. It is nil
// where these do not allow it, and suspected where SERIALIZABLE may refuse it.
func Moved(ctx context.Context, p *ir.Program, opt Options, f *report.Finding) *report.Finding {
	c := newCheck(ctx, p, opt)
	g := *f
	w := *f.Witness
	w.Transactions = slices.Clone(w.Transactions)
	serializable := 0
	for i := range w.Transactions {
		l := c.levels[p.Txn(w.Transactions[i].Name)].Level
		w.Transactions[i].Level = string(l)
		if l == levels.Serializable {
			serializable++
		}
	}
	g.Witness, g.Doubts = &w, slices.Clone(f.Doubts)
	if serializable == len(w.Transactions) || !c.allowed(&g) {
		return nil
	}
	c.rep.Findings = []report.Finding{g}
	c.refusable()
	return &c.rep.Findings[0]
}
