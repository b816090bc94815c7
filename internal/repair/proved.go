package repair

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/report"
)

// AddTo adds the repairs to the confirmed findings of a report of the program: each of them removes all.
func (res *Result) AddTo(rep *report.Report) {
	for i := range rep.Findings {
		f := &rep.Findings[i]
		if f.Status != report.Confirmed {
			continue
		}
		f.Searched()
		for k := range res.Repairs {
			res.Repairs[k].addTo(f)
		}
	}
}

func (r *Repair) addTo(f *report.Finding) {
	waits, retries := [][2]string{}, []string{}
	var kinds, texts []string
	statements, writes := 0, 0
	for _, c := range r.Changes {
		for _, other := range c.Blocks {
			if pair := [2]string{min(c.by, other), max(c.by, other)}; !slices.Contains(waits, pair) {
				waits = append(waits, pair)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(c.Levels)) {
			if !slices.Contains(retries, name) {
				retries = append(retries, name)
			}
		}
		kinds, texts = append(kinds, string(c.Kind)), append(texts, c.Text)
		statements += c.statements
		writes += c.writes
	}
	f.Repaired(strings.Join(kinds, "+"), strings.Join(texts, "; "), r.Diff, r.Verdict, waits, statements, writes, retries)
}
