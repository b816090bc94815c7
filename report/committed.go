package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/witness"
)

// readCommitted is the section on READ COMMITTED.
func (t *text) readCommitted(r *Report) {
	c := r.ReadCommitted
	if c == nil {
		return
	}
	if r.Isolation != AtReadCommitted {
		t.line("")
		t.line("Only at READ COMMITTED (no part of the verdict):")
		switch {
		case c.Accepted > 0:
			t.line("(findings that are accepted: %d)", c.Accepted)
		case len(c.Findings) == 0:
			t.para("- ", fmt.Sprintf("nothing was found in %s of transactions, which proves nothing", count(c.Pairs, "pair")))
		}
		for i := range c.Findings {
			t.finding(i+1, &c.Findings[i])
		}
	}
	if len(c.LeftOut) > 0 && (t.opt.Verbose || r.Verdict == Unknown && r.Isolation == AtReadCommitted) {
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

// repairs are changes that remove an anomaly at READ COMMITTED.
func repairs(w *witness.Witness) []string {
	who := w.Transactions[0].Name // it is the one that is interrupted
	retry := "running " + who + " at REPEATABLE READ, with another attempt after SQLSTATE 40001"
	at := ""
	for _, e := range w.Cycle {
		if e.From == w.Transactions[0].Label && e.Type == "RW" {
			at = " at " + short(e.FromPosition)
		}
	}
	lock := "FOR UPDATE in the SELECT" + at + " of " + who
	if other := w.Transactions[1].Name; other != who {
		lock += ", and in " + other + " where it reads before it writes"
	}
	switch w.Kind {
	case witness.LostUpdate:
		return []string{lock, "one UPDATE that computes the new value from the current one, in place of reading it" + at, retry}
	case witness.NonRepeatableRead:
		if !slices.ContainsFunc(w.Schedule, func(e witness.Event) bool { return e.Kind == witness.Write && e.Transaction == w.Transactions[0].Label }) {
			return []string{"one statement that reads all of it at once", retry}
		}
		return []string{lock, "one statement in place of two: the condition in the WHERE of the UPDATE", retry}
	case witness.PhantomRead, witness.ReadSkew:
		return []string{"one statement that reads all of it at once", retry}
	case witness.WriteSkew:
		return []string{lock, "running both at SERIALIZABLE"}
	case witness.PhantomWriteSkew:
		return []string{"a lock of one row that stands for the set (SELECT … FOR UPDATE), in both, before they read", "running both at SERIALIZABLE"}
	case witness.Other:
		return []string{"running both at SERIALIZABLE"}
	}
	panic("report: no repair for " + string(w.Kind) + " at READ COMMITTED")
}
