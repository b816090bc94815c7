package report

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/witness"
)

// excerpts shows the statements that depend on each other.
func (t *text) excerpts(w *witness.Witness) {
	if !t.opt.Verbose || t.opt.Excerpt == nil {
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
			for line := range strings.Lines(lines) {
				t.line("   %s", strings.TrimSuffix(line, "\n"))
			}
		}
	}
}
