package explain

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

// Edge is a sentence that says why an edge exists.
func Edge(h *history.History, e checker.Edge) string {
	from, to := TxnName(h, e.From), TxnName(h, e.To)
	switch e.Dependency {
	case isolation.SO:
		if e.From == history.InitialTxn {
			return "The initial transaction T⊥ comes before all others."
		}
		return fmt.Sprintf("%s comes before %s in session %s.", from, to, SessionName(h, h.SessionOf(e.To)))
	case isolation.RT:
		return fmt.Sprintf("%s had ended before %s began.", from, to)
	case isolation.WR:
		return fmt.Sprintf("%s (%s) reads what %s wrote%s.", to, OpWords(h, e.Read), from, others(h, e.Read, e.Key, e.From))
	case isolation.RW:
		return fmt.Sprintf("%s overwrites the version of %s that %s read%s.", to, KeyName(h, e.Key), from, candidates(h, e.Read, e.Key))
	case isolation.WW:
		return order(h, e)
	}
	panic(fmt.Sprintf("explain: unknown dependency %d", uint8(e.Dependency)))
}

// order is a sentence that says why a WW edge exists.
func order(h *history.History, e checker.Edge) string {
	from, to := TxnName(h, e.From), TxnName(h, e.To)
	claim := fmt.Sprintf("%s wrote %s before %s", from, KeyName(h, e.Key), to)
	switch {
	case len(e.Because) == 0 && e.Read < 0:
		return fmt.Sprintf("Suppose that %s.", claim)
	case len(e.Because) == 0:
		return fmt.Sprintf("%s (%s) shows that %s.", TxnName(h, h.TxnOf(e.Read)), OpWords(h, e.Read), claim)
	}
	first, rest := e.Because[0], e.Because[1:]
	switch {
	case first.Dependency == isolation.WW && first.Read < 0 && len(first.Because) == 0 && len(rest) > 0:
		if rest[0].From == first.To {
			rest = e.Because
		}
		return fmt.Sprintf("If %s had written %s before %s there would be a cycle (%s): so %s.",
			TxnName(h, first.From), KeyName(h, e.Key), TxnName(h, first.To), pathWords(h, rest), claim)
	case first.Dependency == isolation.WR && len(rest) > 0 && rest[len(rest)-1].To == first.To:
		later := TxnName(h, rest[0].From)
		return fmt.Sprintf("%s (%s) reads the version of %s, although it comes after %s (%s), which writes %s, too: so %s.",
			TxnName(h, first.To), OpWords(h, first.Read), TxnName(h, first.From), later, pathWords(h, rest), KeyName(h, e.Key), claim)
	}
	return fmt.Sprintf("%s comes before %s (%s), and both write %s: so %s.",
		TxnName(h, first.From), TxnName(h, e.Because[len(e.Because)-1].To), pathWords(h, e.Because), KeyName(h, e.Key), claim)
}

// pathWords prints a path: "T1 –WR x→ T2 –SO→ T3".
func pathWords(h *history.History, path []checker.Edge) string {
	text := TxnName(h, path[0].From)
	for _, e := range path {
		text += Arrow(h, e.Dependency, e.Key) + TxnName(h, e.To)
	}
	return text
}

// Arrow leads from one transaction to the next in a path or cycle: " –WR x→ ".
func Arrow(h *history.History, d isolation.Dependency, k history.Key) string {
	return " –" + Label(h, d, k) + "→ "
}

// Label is what an edge is called in a path or a graph: the type, and the key if it has one.
func Label(h *history.History, d isolation.Dependency, k history.Key) string {
	if k < 0 {
		return d.String()
	}
	return d.String() + " " + KeyName(h, k)
}

// Read says which read of a violation is wrong by itself, and where its value is from.
func Read(h *history.History, v checker.Violation) string {
	text := fmt.Sprintf("%s: %s", TxnName(h, h.TxnOf(v.Read)), OpWords(h, v.Read))
	if v.Source >= 0 {
		text += fmt.Sprintf(", which is of %s (%s)%s", TxnName(h, h.TxnOf(v.Source)), OpWords(h, v.Source), others(h, v.Read, v.Key, h.TxnOf(v.Source)))
	}
	return text + "."
}

// Violation tells a violation: what it is, the read, and a sentence per edge, after those
// for the WW edges that it follows from.
func Violation(h *history.History, v checker.Violation) []string {
	var out []string
	head := fmt.Sprintf("%s: %s.", v.Anomaly, v.Anomaly.What())
	if v.Read >= 0 {
		t := h.TxnOf(v.Read)
		head = fmt.Sprintf("%s: %s: %s.", v.Anomaly, OpWords(h, v.Read), v.Anomaly.What())
		if at := h.Locate(h.Place(t)); at != "" {
			head = at + ": " + head
		}
		head = strings.TrimSuffix(head, ".") + fmt.Sprintf(" (the reader is %s", TxnName(h, t))
		if v.Source >= 0 {
			head += fmt.Sprintf(", the writer %s%s", TxnName(h, h.TxnOf(v.Source)), others(h, v.Read, v.Key, h.TxnOf(v.Source)))
		}
		head += ")."
	}
	out = append(out, head)
	said := map[string]bool{}
	say := func(e checker.Edge) {
		if words := Edge(h, e); !said[words] {
			said[words] = true
			out = append(out, words)
		}
	}
	var reasons func(e checker.Edge)
	reasons = func(e checker.Edge) {
		for _, b := range e.Because {
			if reasons(b); b.Dependency == isolation.WW && len(b.Because) > 0 {
				say(b)
			}
		}
	}
	for _, e := range v.Cycle {
		reasons(e)
		say(e)
	}
	return out
}
