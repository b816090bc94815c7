package explain

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/history"
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

// KeyName is what a message calls a key. Histories of one object have a key without a name: it
// is called by its type.
func KeyName(h *history.History, k history.Key) string {
	n := h.KeyName(k)
	switch {
	case n.Kind != history.NilName:
		return n.String()
	case h.Type(k) == history.Untyped:
		return "the object"
	}
	return "the " + h.Type(k).String()
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
	k := KeyName(h, h.Key(o))
	switch kind {
	case history.Read, history.ReadCounter, history.ReadList, history.ReadSet:
		return fmt.Sprintf("read %s = %s", k, Value(h, o))
	case history.Write:
		return fmt.Sprintf("write %s = %s", k, Value(h, o))
	case history.Append, history.Add:
		return fmt.Sprintf("%s %s to %s", kind, Value(h, o), k)
	case history.Increment:
		return fmt.Sprintf("increment %s by %s", k, Value(h, o))
	case history.Insert:
		return fmt.Sprintf("insert %s = %s", k, Value(h, o))
	case history.Delete:
		return fmt.Sprintf("delete %s", k)
	}
	panic(fmt.Sprintf("explain: unknown kind of operation %d", uint8(kind)))
}

// Value prints what an operation that is no read of a range reads or writes: "?" where that
// is not known, and a list with its last elements.
func Value(h *history.History, o history.Op) string {
	if !h.Known(o) {
		return "?"
	}
	switch h.Kind(o) {
	case history.ReadList, history.ReadSet:
		return list(h, h.List(o))
	}
	return h.ValueName(h.Value(o)).String()
}

// longList is how many elements of a list a message shows.
const longList = 12

func list(h *history.History, elements []history.Value) string {
	var words []string
	if skip := len(elements) - longList; skip > 0 {
		words = append(words, "…")
		elements = elements[skip:]
	}
	for _, v := range elements {
		words = append(words, h.ValueName(v).String())
	}
	return "[" + strings.Join(words, " ") + "]"
}
