package check

import (
	"fmt"

	"github.com/txrobust/robust/report"
)

// withoutSolver says what a check without Z3 can say of a program in which it has found
// nothing. It takes back what seems to be proved: that needs no solver in simple programs
// only, and whoever reads the answer cannot see which ones are simple.
func (c *check) withoutSolver() {
	found := c.rep.Verdict == report.NotRobust || c.rep.Verdict != report.Robust && len(c.rep.Findings) > 0
	if !c.opt.Solverless || found {
		return
	}
	c.proved, c.evidence = false, nil
	c.rep.Verdict, c.rep.Proof, c.rep.Initially = report.Unknown, nil, []string{}
	open := c.rep.Open
	if open == nil {
		open = &report.Open{Cycles: [][]string{}}
		c.rep.Open = open
	}
	if c.ctx.Err() == nil {
		open.Reason = fmt.Sprintf("no anomaly was found among the executions of up to %d transactions that were tried; nothing is proved, since there is no Z3 here", c.opt.Helpers+1)
	}
	open.Settle = []string{"robust check, which asks Z3: it proves the program, or shows what is wrong"}
}
