package check

import (
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/findings"
	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/schedules"
	"github.com/txrobust/robust/internal/weak"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// distributed decides about the program in a model of distributed stores: by all executions of
// a finite program, or else by a proof, or else by a search.
func (c *check) distributed() error {
	model, ok := weak.Parse(c.opt.Isolation)
	if !ok {
		panic("check: unknown model " + c.opt.Isolation)
	}
	c.rep.EngineTitle = "a store with " + model.Long()
	switch why := c.beyondModel(); {
	case why != "":
		c.unknownIn(why, "a check at snapshot isolation (-isolation si), where it has a meaning")
		return nil
	case c.finite():
		if decided, err := c.allIn(model); decided || err != nil {
			return err
		}
	}
	opt := weak.ProveOptions{SessionOrder: c.opt.SessionOrder}
	proof := weak.Prove(c.p, model, opt)
	if proof.Robust {
		c.decide(report.Robust)
		c.rep.Proof = &report.Proof{Method: fmt.Sprintf("no closed walk along %d possible dependencies has the shape of a cycle of %s (docs/soundness.md, 11)", proof.Dependencies, model.Long()), Facts: []string{}}
		c.unordered()
		return nil
	}
	if len(c.p.Processes) > 0 {
		c.unknownIn("there are more processes or values than can be interpreted", "a program with processes that run a known number of times")
		return nil
	}
	c.opt.Progress(0, 0, "searching an execution at "+model.Long())
	found, executions, why := weak.Find(c.ctx, c.p, model, weak.FindOptions{ProveOptions: opt, Init: c.opt.Init, Txns: c.opt.Helpers + 1, MaxExecutions: c.opt.MaxExecutions})
	c.rep.Stats.States += executions
	if found != nil {
		return c.foundIn(model, found)
	}
	if why != "" {
		c.bounds = append(c.bounds, why)
	}
	c.leaveOpen()
	if c.ctx.Err() == nil {
		c.rep.Open.Reason = fmt.Sprintf("no proof excludes the cycles below at %s, and no execution of up to %d transactions that was tried shows one", model.Long(), min(c.opt.Helpers+1, schedules.MaxCalls))
		for _, b := range c.bounds {
			c.rep.Open.Reason += "; " + b
		}
	}
	var cycle []string
	for _, t := range proof.Cycle {
		cycle = append(cycle, t.Name)
	}
	c.rep.Open.Cycles, c.rep.Open.Settle = [][]string{cycle}, []string{}
	return nil
}

// explainModel says what decided in a model of distributed stores.
func (c *check) explainModel(e *report.Explanation) {
	switch c.rep.Verdict {
	case report.Robust:
		e.Summary = "What decided is: " + c.rep.Proof.Method
	case report.NotRobust:
		e.Summary = "The execution was found by going through all that small sets of transactions may see of each other, from small rows"
	case report.Unknown:
		e.Summary = "Neither the proof nor the search at " + levels.Model(c.opt.Isolation) + " decided"
	}
}

// beyondModel says why nothing can be said about the program in a model of distributed stores,
// or gives "".
func (c *check) beyondModel() string {
	switch {
	case c.opt.Engine.Name != engine.SI().Name:
		return fmt.Sprintf("%s is a database, and no store of %s", c.opt.Engine.Title, levels.Model(c.opt.Isolation))
	case c.opt.Classic:
		return "what counts at " + levels.Model(c.opt.Isolation) + " are outcomes, and not dependencies whatever the values"
	case len(c.opt.Levels) > 0:
		return "all transactions run at " + levels.Model(c.opt.Isolation)
	}
	return weak.Beyond(c.p)
}

// unknownIn records that a model has no verdict.
func (c *check) unknownIn(why, settle string) {
	c.rep.Verdict = report.Unknown
	c.rep.Open = &report.Open{Cycles: [][]string{}, Reason: why, Settle: []string{settle}}
}

// allIn goes through all executions of a finite program.
func (c *check) allIn(model weak.Model) (decided bool, err error) {
	c.opt.Progress(0, 0, "interpreting all executions")
	rows, sessions := c.initialRows(), interp.Sessions(c.p, 1)
	r := weak.Explore(c.ctx, c.p, model, sessions, interp.NewDB(c.p, rows), weak.Options{AnyOrder: c.anyOrder(), MaxExecutions: c.opt.MaxExecutions})
	c.rep.Stats.States += r.Executions
	switch r.Verdict {
	case interp.Serializable:
		c.byExecutions(fmt.Sprintf("exhaustive interpretation of all %d executions at %s", r.Executions, model.Long()))
		return true, nil
	case interp.Anomalous:
		return true, c.foundIn(model, &weak.Found{Rows: rows, Sessions: sessions, Execution: r.Anomaly})
	case interp.Undecided:
		c.bounds = append(c.bounds, "exhaustive interpretation stopped: "+r.Reason)
		return false, nil
	}
	panic(fmt.Sprintf("check: unknown verdict %d", r.Verdict))
}

// foundIn confirms what was found in a model, and reports it.
func (c *check) foundIn(model weak.Model, f *weak.Found) error {
	w, judged, err := f.Confirm(context.WithoutCancel(c.ctx), c.p, model, c.anyOrder(), c.opt.Judges)
	if err != nil {
		return notConfirmed(err)
	}
	var calls []*ir.Txn
	for i := range f.Execution.Txns {
		calls = append(calls, f.Execution.Txns[i].Run.Inst.Txn)
	}
	found := findings.NewFinding(w, schedules.Opaque(calls), c.opt.Sources)
	found.Validation = judged
	for _, t := range w.Transactions {
		for _, h := range t.Havocs {
			if h.Of != "" && !slices.Contains(found.Depends, h.Of) {
				found.Depends = append(found.Depends, h.Of)
			}
		}
	}
	c.rep.Findings = append(c.rep.Findings, found)
	c.decide(report.NotRobust)
	return nil
}
