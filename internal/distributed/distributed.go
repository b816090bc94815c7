// Package distributed decides whether a program is robust in a model of distributed stores
// (package weak): by all executions of a finite program, or else by a proof, or else by a
// search. What it finds is confirmed before it is reported.
package distributed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/crosscheck"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/weak"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// Options direct Decide.
type Options struct {
	Model  weak.Model
	Engine *engine.Profile
	// Classic says that dependencies count, and Mixed that transactions have levels of their own:
	// nothing is known of either in the models.
	Classic, Mixed bool
	// Finite says that the processes of the program are all that runs, from Rows.
	Finite bool
	Rows   [][][]ir.Value
	// Init says which rows there are initially, otherwise.
	Init schedules.Init
	// SessionOrder makes the order in sessions a dependency; AnyOrder lets serial orders permute
	// them.
	SessionOrder, AnyOrder bool
	// Txns bounds the transactions of an execution that is searched, MaxExecutions the
	// executions that are interpreted.
	Txns, MaxExecutions int
	Judges              []crosscheck.Judge
	Sources             findings.Sources
	Progress            func(done, total int, what string)
}

// decision is one run of Decide.
type decision struct {
	ctx    context.Context
	p      *ir.Program
	opt    Options
	rep    *report.Report
	bounds []string // that ran out
}

// Decide completes a report with the verdict in a model. The program must be structured. The
// error is a fault of this program: a finding is not confirmed.
func Decide(ctx context.Context, p *ir.Program, opt Options, rep *report.Report) error {
	d := &decision{ctx: ctx, p: p, opt: opt, rep: rep}
	rep.EngineTitle = "a store with " + opt.Model.Long()
	if why := d.beyond(); why != "" {
		d.open(why, nil, "a check at snapshot isolation (-isolation si), where it has a meaning")
		return nil
	}
	if opt.Finite {
		if decided, err := d.all(); decided || err != nil {
			return err
		}
	}
	return d.unbounded()
}

// beyond says why nothing can be said about the program, or gives "".
func (d *decision) beyond() string {
	switch {
	case d.opt.Engine.Name != engine.SI().Name:
		return fmt.Sprintf("%s is a database, and no store with %s", d.opt.Engine.Title, d.opt.Model.Long())
	case d.opt.Classic:
		return "at " + d.opt.Model.Long() + " outcomes count, and not dependencies whatever the values"
	case d.opt.Mixed:
		return "transactions with levels of their own are no transactions of a store with " + d.opt.Model.Long()
	}
	return weak.Beyond(d.p)
}

// open records that there is no verdict.
func (d *decision) open(why string, cycle []*ir.Txn, settle ...string) {
	d.rep.Verdict = report.Unknown
	d.rep.Open = &report.Open{Cycles: [][]string{}, Reason: why, Settle: append([]string{}, settle...)}
	if cycle != nil {
		var names []string
		for _, t := range cycle {
			names = append(names, t.Name)
		}
		d.rep.Open.Cycles = append(d.rep.Open.Cycles, names)
	}
	for _, b := range d.bounds {
		d.rep.Open.Reason += "; " + b
	}
}

// all goes through all executions of a finite program.
func (d *decision) all() (decided bool, err error) {
	d.opt.Progress(0, 0, "interpreting all executions")
	sessions := interp.Sessions(d.p, 1)
	explore := func(txns int) interp.Result {
		r := weak.Explore(d.ctx, d.p, d.opt.Model, sessions, interp.NewDB(d.p, d.opt.Rows), weak.Options{AnyOrder: d.opt.AnyOrder, MaxExecutions: d.opt.MaxExecutions, MaxTxns: txns})
		d.rep.Stats.States += r.Executions
		return r
	}
	r := explore(0)
	for n := 2; r.Verdict == interp.Anomalous && n < len(r.Anomaly.Txns); n++ { // fewer transactions are easier to follow
		if small := explore(n); small.Verdict == interp.Anomalous {
			r = small
		}
	}
	switch r.Verdict {
	case interp.Serializable:
		d.robust(fmt.Sprintf("exhaustive interpretation of all %d executions at %s", r.Executions, d.opt.Model.Long()))
		return true, nil
	case interp.Anomalous:
		return true, d.found(&weak.Found{Rows: d.opt.Rows, Sessions: sessions, Execution: r.Anomaly})
	case interp.Undecided:
		d.bounds = append(d.bounds, "exhaustive interpretation stopped: "+r.Reason)
		return false, nil
	}
	panic(fmt.Sprintf("distributed: unknown verdict %d", r.Verdict))
}

func (d *decision) robust(method string) {
	d.rep.Verdict = report.Robust
	d.rep.Proof = &report.Proof{Method: method, Facts: []string{}}
}

// unbounded proves, or searches.
func (d *decision) unbounded() error {
	model, opt := d.opt.Model, weak.ProveOptions{SessionOrder: d.opt.SessionOrder}
	proof := weak.Prove(d.p, model, opt)
	switch {
	case proof.Robust:
		d.robust(fmt.Sprintf("no closed walk along %d possible dependencies has the shape of a cycle of %s (docs/soundness.md, 11)", proof.Dependencies, model.Long()))
		return nil
	case len(d.p.Processes) > 0:
		d.open("no proof excludes the cycle below, and the processes cannot all be interpreted", proof.Cycle, "processes that run a known number of times, from known rows, without parameters")
		return nil
	}
	d.opt.Progress(0, 0, "searching an execution at "+model.Long())
	found, executions, why := weak.Find(d.ctx, d.p, model, weak.FindOptions{ProveOptions: opt, Init: d.opt.Init, Txns: d.opt.Txns, MaxExecutions: d.opt.MaxExecutions})
	d.rep.Stats.States += executions
	if found != nil {
		return d.found(found)
	}
	if why != "" {
		d.bounds = append(d.bounds, why)
	}
	switch err := d.ctx.Err(); {
	case errors.Is(err, context.DeadlineExceeded):
		d.open("the time ran out", proof.Cycle, "more time (-timeout)")
	case err != nil:
		d.open("the check was interrupted", proof.Cycle, "letting it run to its end")
	default:
		d.open(fmt.Sprintf("no proof excludes the cycle below at %s, and no execution of up to %d transactions that was tried shows one", model.Long(), min(d.opt.Txns, schedules.MaxCalls)), proof.Cycle)
	}
	return nil
}

// found confirms an execution, and reports it.
func (d *decision) found(f *weak.Found) error {
	w, judged, err := f.Confirm(context.WithoutCancel(d.ctx), d.p, d.opt.Model, d.opt.AnyOrder, d.opt.Judges)
	if err != nil {
		return fmt.Errorf("an execution was found but is not confirmed, which is a fault of this program; please report it: %w", err)
	}
	var calls []*ir.Txn
	for i := range f.Execution.Txns {
		calls = append(calls, f.Execution.Txns[i].Run.Inst.Txn)
	}
	found := findings.NewFinding(w, prepare.Opaque(calls), d.opt.Sources)
	found.Validation = judged
	for _, t := range w.Transactions {
		for _, h := range t.Havocs {
			if h.Of != "" && !slices.Contains(found.Depends, h.Of) {
				found.Depends = append(found.Depends, h.Of)
			}
		}
	}
	d.rep.Findings = append(d.rep.Findings, found)
	d.rep.Verdict = report.NotRobust
	return nil
}
