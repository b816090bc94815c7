package elle

import "github.com/txrobust/robust/history"

// readers keeps transactions from overwriting a version of a register as long as
// others are still to read it. An order that goes on to its end with that returns
// every read, whatever the order of versions that nobody can see. But it may come to a
// stop where another one would not: which of several writes comes first is a guess.
type readers struct {
	a     *analysis
	split bool
	of    map[history.Op]int32 // how many transactions read a version
	// current are the versions of keys, and left how many of their readers are to
	// come.
	current []history.Op
	left    []int32
	waiting map[history.Key][]int32 // nodes that would overwrite the version
}

func newReaders(a *analysis, split bool) *readers {
	keys := a.h.NumKeys()
	r := &readers{a: a, split: split, of: map[history.Op]int32{}, waiting: map[history.Key][]int32{},
		current: make([]history.Op, keys), left: make([]int32, keys)}
	if !a.types[history.Register] {
		return r
	}
	for t := range history.Txn(a.h.NumTxns()) {
		r.reads(t, func(_ history.Key, w history.Op) { r.of[w]++ })
	}
	for k := range keys {
		r.current[k], r.left[k] = history.Op(k), r.of[history.Op(k)]
	}
	return r
}

// reads gives the versions of others that a transaction must have seen.
func (r *readers) reads(t history.Txn, f func(k history.Key, w history.Op)) {
	h := r.a.h
	for o, end := h.Ops(t); o < end; o++ {
		if h.Kind(o) != history.Read || !r.a.says(o) || r.a.lastKnown(o) >= 0 {
			continue
		}
		if ws := r.a.of(o); len(ws) == 1 && h.TxnOf(ws[0]) != t {
			f(h.Key(o), ws[0])
		}
	}
}

// node tells of which transaction a node has the reads, or the writes.
func (r *readers) node(v int32) (t history.Txn, reads, writes bool) {
	reads, writes = true, true
	if r.split {
		v, reads, writes = v/2, v&1 == 0, v&1 == 1
	}
	if !r.a.types[history.Register] || r.a.g.hub(v) || v == 0 || !r.a.in[v] {
		return 0, false, false
	}
	return history.Txn(v), reads, writes
}

// may tells whether a node overwrites nothing that others are to read.
func (r *readers) may(v int32) bool {
	t, reads, writes := r.node(v)
	if !writes {
		return true
	}
	own := map[history.Key]int32{}
	if reads {
		r.reads(t, func(k history.Key, w history.Op) {
			if r.current[k] == w {
				own[k] = 1
			}
		})
	}
	h := r.a.h
	for o, end := h.Ops(t); o < end; o++ {
		if k := h.Key(o); r.a.finalWrite(o) && r.left[k] > own[k] {
			r.waiting[k] = append(r.waiting[k], v)
			return false
		}
	}
	return true
}

// done makes a node happen, and gives those that it kept waiting.
func (r *readers) done(v int32) (released []int32) {
	t, reads, writes := r.node(v)
	release := func(k history.Key) {
		if r.left[k] <= 1 { // which may be the one that waits
			released = append(released, r.waiting[k]...)
			delete(r.waiting, k)
		}
	}
	if reads {
		r.reads(t, func(k history.Key, w history.Op) {
			if r.current[k] == w {
				r.left[k]--
				release(k)
			}
		})
	}
	if writes {
		h := r.a.h
		for o, end := h.Ops(t); o < end; o++ {
			if k := h.Key(o); r.a.finalWrite(o) {
				r.current[k], r.left[k] = o, r.of[o]
				release(k)
			}
		}
	}
	return released
}
