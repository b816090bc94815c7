package verify

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
)

// execution is the state after some transactions of the order.
type execution struct {
	h *history.History
	// Of keys: the operation that wrote the version of a register, the number of the
	// last transaction that wrote (-1 if it is the initial one), and the elements of
	// a list.
	register []history.Op
	written  []int
	list     [][]history.Value
	// Of keys of which it is not known what they held initially: what was read.
	initial []history.Value
	own     []history.Op // the last write in the transaction so far
	// Of sessions: the number of the last transaction, -1 if there is none, and its
	// position.
	last, position []int
}

func newExecution(h *history.History) *execution {
	keys := h.NumKeys()
	e := &execution{
		h: h, register: make([]history.Op, keys), written: make([]int, keys), list: make([][]history.Value, keys),
		initial: make([]history.Value, keys), own: make([]history.Op, keys), last: make([]int, h.NumSessions()), position: make([]int, h.NumSessions()),
	}
	for k := range keys {
		e.register[k], e.written[k], e.initial[k] = history.Op(k), -1, h.Value(history.Op(k))
	}
	for s := range e.last {
		e.last[s] = -1
	}
	return e
}

// write makes the writes of a transaction that commits as number i be there.
func (e *execution) write(t history.Txn, i int) {
	h := e.h
	for o, end := h.Ops(t); o < end; o++ {
		k := h.Key(o)
		if !h.Kind(o).Writes() {
			continue
		}
		e.register[k], e.written[k] = o, i
		if h.Kind(o) == history.Append {
			e.list[k] = append(e.list[k], h.Value(o))
		}
	}
	s := h.SessionOf(t)
	e.last[s], e.position[s] = i, h.Position(t)
}

// read makes sure of the reads of a transaction that begins now.
func (e *execution) read(t history.Txn) error {
	h := e.h
	first, end := h.Ops(t)
	for o := first; o < end; o++ {
		kind := h.Kind(o)
		if kind.Writes() {
			e.own[h.Key(o)] = o
			continue
		}
		if !h.Known(o) {
			continue
		}
		ok := false
		switch kind {
		case history.Read:
			ok = e.returns(first, o, h.Key(o), h.Value(o), h.Version(o))
		case history.ReadList:
			ok = e.returnsList(first, o)
		case history.ReadRange:
			ok = e.returnsRange(first, o)
		default:
			return fmt.Errorf("%s cannot be verified", kind)
		}
		if !ok {
			return fmt.Errorf("transaction %d: %s does not return what it should", t, h.Words(o))
		}
	}
	return nil
}

// returns tells whether a read of a register returns what it should.
func (e *execution) returns(first, o history.Op, k history.Key, v, version history.Value) bool {
	w := e.register[k]
	if own := e.own[k]; own >= first && own < o {
		w = own
	}
	if version != history.NoValue {
		return e.h.Version(w) == version
	}
	if w != history.Op(k) {
		return e.h.Value(w) == v
	}
	if e.initial[k] == history.NoValue {
		e.initial[k] = v
	}
	return e.initial[k] == v
}

// returnsList tells whether a read of a list returns it, with the own appends at its end.
func (e *execution) returnsList(first, o history.Op) bool {
	h := e.h
	k := h.Key(o)
	list := h.List(o)
	n := len(e.list[k])
	if len(list) < n || !slices.Equal(list[:n], e.list[k]) {
		return false
	}
	for w := first; w < o; w++ {
		if h.Kind(w) != history.Append || h.Key(w) != k {
			continue
		}
		if n == len(list) || list[n] != h.Value(w) {
			return false
		}
		n++
	}
	return n == len(list)
}

// returnsRange tells whether a read of a range returns all keys of it that are not
// initial.
func (e *execution) returnsRange(first, o history.Op) bool {
	h := e.h
	r := h.Range(o)
	listed := map[history.Key]bool{}
	for i, k := range r.LiveKeys {
		listed[k] = true
		if !e.returns(first, o, k, r.LiveValues[i], history.NoValue) {
			return false
		}
	}
	for i, k := range r.DeadKeys {
		listed[k] = true
		if !e.returns(first, o, k, r.DeadRows[i], history.NoValue) {
			return false
		}
	}
	for k := range history.Key(h.NumKeys()) {
		own := e.own[k] >= first && e.own[k] < o
		if !listed[k] && h.Type(k) == history.Register && h.Between(k, r) && (own || e.register[k] != history.Op(k)) {
			return false
		}
	}
	return true
}
