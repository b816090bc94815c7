package findings

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// In gives the transactions of a finding that have to do with a part of the
// source: those that are declared there, and those that have a statement of the
// cycle there.
func In(f *report.Finding, covers func(ir.Pos) bool) []string {
	var out []string
	add := func(name string, p witness.Position) {
		if covers(ir.Pos{File: p.File, Line: p.Line, Col: p.Col}) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	for _, e := range f.Edges {
		add(e.FromName, e.FromPosition)
		add(e.ToName, e.ToPosition)
	}
	if f.Witness != nil {
		for _, t := range f.Witness.Transactions {
			add(t.Name, t.Position)
		}
	}
	slices.Sort(out)
	return out
}
