package repair

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/report"
)

// Cost is what a repair costs.
func (r *Repair) Cost() report.RepairCost {
	out := report.RepairCost{Waits: [][2]string{}, Retries: []string{}}
	for _, c := range r.Changes {
		for _, other := range c.Blocks {
			if pair := [2]string{min(c.by, other), max(c.by, other)}; !slices.Contains(out.Waits, pair) {
				out.Waits = append(out.Waits, pair)
			}
		}
		out.Statements += c.statements
		out.Writes += c.writes
		for _, name := range slices.Sorted(maps.Keys(c.Levels)) {
			if !slices.Contains(out.Retries, name) {
				out.Retries = append(out.Retries, name)
			}
		}
	}
	return out
}

// Proved gives the repairs as reports have them. It is never nil.
func (res *Result) Proved() []report.ProvedRepair {
	out := []report.ProvedRepair{}
	for i := range res.Repairs {
		r := &res.Repairs[i]
		var kinds, texts []string
		for _, c := range r.Changes {
			kinds, texts = append(kinds, string(c.Kind)), append(texts, c.Text)
		}
		out = append(out, report.ProvedRepair{Kind: strings.Join(kinds, "+"), Text: strings.Join(texts, "; "), Diff: r.Diff, Verdict: r.Verdict, Cost: r.Cost()})
	}
	return out
}
