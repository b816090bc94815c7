package check

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// explainFindings says of each finding which reads are stale, and why no serial order has its results.
func (c *check) explainFindings() {
	if c.rep.Explanation == nil {
		return
	}
	for i := range c.rep.Findings {
		f := &c.rep.Findings[i]
		if f.Witness != nil {
			explainFinding(f)
		}
	}
}

func explainFinding(f *report.Finding) {
	w := f.Witness
	var chain, why []string
	for _, e := range w.Cycle {
		chain = append(chain, w.Who(e.From))
		if e.Type == "RW" {
			f.Stale = append(f.Stale, stale(w, e))
		}
	}
	if len(chain) > 0 {
		why = append(why, "each has to come before the next, and none is the first: "+strings.Join(append(chain, chain[0]), ", then "))
	}
	if w.Orders > 0 {
		why = append(why, "every serial order was played, and gives another result or other rows at the end")
	}
	f.NoOrder = strings.Join(why, "; ")
}

// stale describes a read of what another transaction changes.
func stale(w *witness.Witness, e witness.Edge) report.Note {
	reader, writer := w.Transaction(e.From), w.Transaction(e.To)
	what := e.Table
	if len(e.Columns) > 0 {
		what += " (" + strings.Join(e.Columns, ", ") + ")"
	}
	text := fmt.Sprintf("%s reads %s at %s:%d, and does not see what %s writes at %s:%d", w.Who(e.From), what, e.FromPosition, e.FromPosition.Col, w.Who(e.To), e.ToPosition, e.ToPosition.Col)
	if writer.Commit < reader.Commit {
		text += ": that commits first, so that the read is stale when " + w.Who(e.From) + " commits"
	} else {
		text += ", since " + w.Who(e.From) + " commits first"
	}
	at := e.FromPosition
	return report.Note{File: at.File, Line: at.Line, Col: at.Col, Text: text}
}
