package report

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
)

// excerpts shows the statements that depend on each other, or without Verbose the one that a
// finding is shown at.
func (t *text) excerpts(w *witness.Witness) {
	switch {
	case t.opt.Excerpt == nil || len(w.Cycle) == 0:
		return
	case !t.opt.Verbose:
		t.pivot(pivot(w.Cycle))
		return
	}
	var shown []Position
	for _, e := range w.Cycle {
		for _, p := range []Position{e.FromPosition, e.ToPosition} {
			if slices.Contains(shown, p) {
				continue
			}
			lines := t.opt.Excerpt(p)
			if lines == "" {
				continue
			}
			if len(shown) == 0 {
				t.line("")
				t.line("   The statements:")
			}
			shown = append(shown, p)
			t.line("   %s", p)
			t.indented(lines)
		}
	}
}

// pivot shows the line of the statement that an edge leads from, with a caret and what is read there.
func (t *text) pivot(e witness.Edge) {
	lines := strings.TrimSuffix(t.opt.Excerpt(e.FromPosition), "\n")
	if lines == "" {
		return
	}
	if says := " " + e.From + " reads what " + e.To + " changes"; e.Type == "RW" && quote.Columns(lines[strings.LastIndex(lines, "\n")+1:]+says) <= width-3 {
		lines += says
	}
	t.indented(lines)
}

func (t *text) indented(lines string) {
	for line := range strings.Lines(lines) {
		t.line("   %s", strings.TrimSuffix(line, "\n"))
	}
}

// pivot is the first edge of a cycle from a read to what overwrites it, or else its first edge.
func pivot(cycle []witness.Edge) witness.Edge {
	return cycle[max(slices.IndexFunc(cycle, func(e witness.Edge) bool { return e.Type == "RW" }), 0)]
}
