package checker

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// TxnName is what a message calls a transaction: by the number that the recording
// gives it, or else by its session and place therein, from 1. The initial one is
// T⊥.
func TxnName(h *history.History, t history.Txn) string {
	if t == history.InitialTxn {
		return "T⊥"
	}
	if n, ok := h.Number(t); ok {
		return fmt.Sprintf("T%d", n)
	}
	return fmt.Sprintf("S%s.%d", SessionName(h, h.SessionOf(t)), h.Position(t)+1)
}

// SessionName is what a message calls a session.
func SessionName(h *history.History, s history.Session) string {
	if n := h.SessionName(s); n.Kind != history.NilName {
		return n.String()
	}
	return fmt.Sprint(s)
}

// OpWords prints an operation: "read x = 1", "append 2 to y", …
func OpWords(h *history.History, o history.Op) string {
	kind := h.Kind(o)
	if kind == history.ReadRange {
		if !h.Known(o) {
			return "read a range"
		}
		r := h.Range(o)
		return fmt.Sprintf("read %s to %s", h.ValueName(r.Low), h.ValueName(r.High))
	}
	k := h.KeyName(h.Key(o))
	switch kind {
	case history.Read, history.ReadCounter:
		return fmt.Sprintf("read %s = %s", k, value(h, o))
	case history.ReadList, history.ReadSet:
		return fmt.Sprintf("read %s = %s", k, listWords(h, o))
	case history.Write:
		return fmt.Sprintf("write %s = %s", k, value(h, o))
	case history.Append, history.Add:
		return fmt.Sprintf("%s %s to %s", kind, value(h, o), k)
	case history.Increment:
		return fmt.Sprintf("increment %s by %s", k, value(h, o))
	case history.Insert:
		return fmt.Sprintf("insert %s = %s", k, value(h, o))
	case history.Delete:
		return fmt.Sprintf("delete %s", k)
	}
	panic(fmt.Sprintf("checker: unknown kind of operation %d", uint8(kind)))
}

func value(h *history.History, o history.Op) string {
	if !h.Known(o) {
		return "?"
	}
	return h.ValueName(h.Value(o)).String()
}

// longList is how many elements of a list a message shows.
const longList = 12

func listWords(h *history.History, o history.Op) string {
	if !h.Known(o) {
		return "?"
	}
	var words []string
	list := h.List(o)
	if skip := len(list) - longList; skip > 0 {
		words = append(words, "…")
		list = list[skip:]
	}
	for _, v := range list {
		words = append(words, h.ValueName(v).String())
	}
	return "[" + strings.Join(words, " ") + "]"
}

// Words is a sentence that says why the edge exists.
func (e Edge) Words(h *history.History) string {
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
		return fmt.Sprintf("%s (%s) reads what %s wrote.", to, OpWords(h, e.Read), from)
	case isolation.RW:
		return fmt.Sprintf("%s overwrites the version of %s that %s read.", to, h.KeyName(e.Key), from)
	case isolation.WW:
		return e.order(h)
	}
	panic(fmt.Sprintf("checker: unknown dependency %d", uint8(e.Dependency)))
}

// order is a sentence that says why a WW edge exists.
func (e Edge) order(h *history.History) string {
	from, to := TxnName(h, e.From), TxnName(h, e.To)
	claim := fmt.Sprintf("%s wrote %s before %s", from, h.KeyName(e.Key), to)
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
			TxnName(h, first.From), h.KeyName(e.Key), TxnName(h, first.To), pathWords(h, rest), claim)
	case first.Dependency == isolation.WR && len(rest) > 0 && rest[len(rest)-1].To == first.To:
		later := TxnName(h, rest[0].From)
		return fmt.Sprintf("%s (%s) reads the version of %s, although it comes after %s (%s), which writes %s, too: so %s.",
			TxnName(h, first.To), OpWords(h, first.Read), TxnName(h, first.From), later, pathWords(h, rest), h.KeyName(e.Key), claim)
	}
	return fmt.Sprintf("%s comes before %s (%s), and both write %s: so %s.",
		TxnName(h, first.From), TxnName(h, e.Because[len(e.Because)-1].To), pathWords(h, e.Because), h.KeyName(e.Key), claim)
}

// pathWords prints a path: "T1 –WR x→ T2 –SO→ T3".
func pathWords(h *history.History, path []Edge) string {
	var b strings.Builder
	for i, e := range path {
		if i == 0 {
			b.WriteString(TxnName(h, e.From))
		}
		b.WriteString(" –" + e.Dependency.String())
		if e.Key >= 0 {
			b.WriteString(" " + h.KeyName(e.Key).String())
		}
		b.WriteString("→ " + TxnName(h, e.To))
	}
	return b.String()
}

// Words tells a violation: what it is, the read, and a sentence per edge, after those
// for the WW edges that it follows from.
func (v Violation) Words(h *history.History) []string {
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
			head += fmt.Sprintf(", the writer %s", TxnName(h, h.TxnOf(v.Source)))
		}
		head += ")."
	}
	out = append(out, head)
	said := map[string]bool{}
	say := func(e Edge) {
		if words := e.Words(h); !said[words] {
			said[words] = true
			out = append(out, words)
		}
	}
	var reasons func(e Edge)
	reasons = func(e Edge) {
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
