package report

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/quote"
)

// readCommitted is the section on READ COMMITTED.
func (t *text) readCommitted(r *Report) {
	c := r.ReadCommitted
	if c == nil {
		return
	}
	if r.Levels == nil {
		t.line("")
		t.line("Only at READ COMMITTED (no part of the verdict):")
		switch {
		case c.Accepted > 0:
			t.line("(findings that are accepted: %d)", c.Accepted)
		case len(c.Findings) == 0:
			t.para("- ", fmt.Sprintf("nothing was found in %s of transactions, which proves nothing", quote.Count(c.Pairs, "combination")))
		}
		for i := range c.Findings {
			t.finding(i+1, &c.Findings[i])
		}
	}
	if len(c.LeftOut) > 0 && (t.opt.Verbose || r.Verdict == Unknown && r.Levels != nil) {
		t.line("")
		t.line("Not searched at READ COMMITTED:")
		for _, g := range c.LeftOut {
			who := ""
			if len(g.Transactions) > 0 {
				who = strings.Join(g.Transactions, ", interrupted by ") + ": "
			}
			t.para("- ", who+g.Reason)
		}
	}
}
