package adya

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
)

// read is what an operation says about a key that its transaction did not write before.
type read struct {
	op   history.Op
	txn  history.Txn
	key  history.Key
	from []history.Txn // that it may come from
	// predicate: it is of a key that a range does not list.
	predicate bool
}

// facts are what a history says, whatever the level.
type facts struct {
	h       *history.History
	reads   []read
	of      [][]int32       // reads of each transaction
	writers [][]history.Txn // of each key; all that may have taken effect
	// wrong: a read is wrong whatever the orders.
	wrong    bool
	unjudged string
}

func collect(h *history.History) *facts {
	f := &facts{h: h, of: make([][]int32, h.NumTxns()), writers: make([][]history.Txn, h.NumKeys())}
	if n := h.NumTxns() - 1; n > MaxTxns {
		f.unjudged = fmt.Sprintf("The history has %d transactions, and %d are the most of which the orders of versions are searched.", n, MaxTxns)
	}
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		if h.Status(t) == history.Committed {
			f.txn(t)
		}
	}
	for i, r := range f.reads {
		f.of[r.txn] = append(f.of[r.txn], int32(i))
		if len(r.from) == 0 {
			f.wrong = true
		}
	}
	for k := range history.Key(h.NumKeys()) {
		for _, w := range h.Writers().Of(k) {
			if t := h.TxnOf(w); t != history.InitialTxn && h.Status(t) != history.Aborted && h.Writers().Final(w) {
				f.writers[k] = append(f.writers[k], t)
			}
		}
	}
	return f
}

// txn collects what a transaction read.
func (f *facts) txn(t history.Txn) {
	h, src := f.h, f.h.Sources()
	own := map[history.Key]history.Op{}
	see := func(o history.Op, k history.Key, from []history.Op, same func(w history.Op) bool) {
		if w, ok := own[k]; ok {
			f.wrong = f.wrong || !same(w)
			return
		}
		f.see(o, k, from)
	}
	for o, end := h.Ops(t); o < end; o++ {
		k := h.Key(o)
		switch kind := h.Kind(o); {
		case kind.Writes():
			own[k] = o
		case !h.Known(o):
		case kind == history.Read:
			see(o, k, src.Of(o), func(w history.Op) bool { return slices.Contains(src.Of(o), w) })
		case kind == history.ReadRange:
			r := h.Range(o)
			listed := map[history.Key]bool{}
			for i, k := range slices.Concat(r.LiveKeys, r.DeadKeys) {
				listed[k] = true
				see(o, k, src.Row(o, i), func(w history.Op) bool { return slices.Contains(src.Row(o, i), w) })
			}
			for k := range history.Key(h.NumKeys()) {
				if !listed[k] && h.Type(k) == history.Register && h.Between(k, r) {
					n := len(f.reads)
					see(o, k, []history.Op{history.Op(k)}, func(history.Op) bool { return false })
					if len(f.reads) > n {
						f.reads[n].predicate = true
					}
				}
			}
		default:
			f.unjudged = "This method does not judge reads of lists, sets and counters."
		}
	}
}

// see adds a read of a key.
func (f *facts) see(o history.Op, k history.Key, from []history.Op) {
	h := f.h
	r := read{op: o, txn: h.TxnOf(o), key: k}
	if h.Value(history.Op(k)) == history.NoValue {
		f.unjudged = "It is not known what some keys held initially."
	}
	for _, w := range from {
		if t := h.TxnOf(w); t != r.txn && h.Status(t) != history.Aborted && h.Writers().Final(w) && !slices.Contains(r.from, t) {
			r.from = append(r.from, t)
		}
	}
	f.reads = append(f.reads, r)
}

// start gives what is known before any guess.
func (f *facts) start() *state {
	h := f.h
	n := h.NumTxns()
	s := &state{facts: f, present: newSet(n), source: make([]history.Txn, len(f.reads)), paths: make([]set, n)}
	for t := range history.Txn(n) {
		s.paths[t] = newSet(n)
		if h.Status(t) == history.Committed {
			s.present.add(t)
		}
	}
	for t := range history.Txn(n) {
		if t != history.InitialTxn {
			s.paths[history.InitialTxn].add(t)
		}
	}
	for i := range s.source {
		s.source[i] = open
	}
	for i, r := range f.reads {
		if len(r.from) == 1 {
			s.assign(i, r.from[0])
		}
	}
	return s
}
