package judge

import (
	"fmt"

	"github.com/txrobust/robust/history"
)

// ambiguity says of how many reads it is open which write they come from, and how that can be
// avoided; empty if there is none.
func ambiguity(h *history.History) string {
	src := h.Sources()
	if !src.Duplicates() {
		return ""
	}
	n, most := 0, 0
	for o := range history.Op(h.NumOps()) {
		if h.Kind(o) != history.Read || !h.Known(o) || h.Status(h.TxnOf(o)) == history.Aborted {
			continue
		}
		if from := len(src.Of(o)); from > 1 {
			n, most = n+1, max(most, from)
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" Values were written again: of %d reads it is open which of up to %d writes they come from, and choices have to be tried. "+
		"Record unique values, or a shorter history.", n, most)
}
