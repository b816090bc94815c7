package explain

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/history"
)

// mostNamed is how many transactions that a read may come from a sentence names.
const mostNamed = 5

// writers gives the transactions that a read of a key may come from: all that wrote what it
// read and did not abort. None where nothing is known about that.
func writers(h *history.History, o history.Op, k history.Key) []history.Txn {
	if o < 0 || !h.Known(o) {
		return nil
	}
	var from []history.Op
	switch h.Kind(o) {
	case history.Read:
		from = h.Sources().Of(o)
	case history.ReadRange:
		r := h.Range(o)
		if i := slices.Index(slices.Concat(r.LiveKeys, r.DeadKeys), k); i >= 0 {
			from = h.Sources().Row(o, i)
		}
	}
	var out []history.Txn
	for _, w := range from {
		if t := h.TxnOf(w); h.Status(t) != history.Aborted && t != h.TxnOf(o) && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// others says which other transactions a read may come from than the one that is named.
func others(h *history.History, o history.Op, k history.Key, named history.Txn) string {
	rest := slices.DeleteFunc(writers(h, o, k), func(t history.Txn) bool { return t == named })
	if len(rest) == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s wrote the same value, so that this is one of %d choices)", txnNames(h, rest), len(rest)+1)
}

// candidates says which transactions a read may come from, if there are several.
func candidates(h *history.History, o history.Op, k history.Key) string {
	all := writers(h, o, k)
	if len(all) < 2 {
		return ""
	}
	return fmt.Sprintf(" (that of one of %s, which all wrote the same value)", txnNames(h, all))
}

func txnNames(h *history.History, txns []history.Txn) string {
	var names []string
	for _, t := range txns[:min(len(txns), mostNamed)] {
		names = append(names, TxnName(h, t))
	}
	if more := len(txns) - mostNamed; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	if n := len(names); n > 1 {
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return names[0]
}
