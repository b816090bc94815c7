package follow

import (
	"hash/maphash"
	"slices"

	"github.com/txrobust/robust/history"
)

// origin says where a read comes from.
type origin uint8

const (
	fromNowhere   origin = iota // the read says nothing, or what it says holds for ever
	fromSelf                    // an own write
	fromBase                    // the last version of the closed past, or the initial one if that wrote none
	fromLive                    // a transaction that is not closed
	fromClosed                  // a closed one that is remembered, and not the last
	fromForgotten               // what is not remembered
	fromInitial                 // what the key held before the closed past wrote it
	fromPending                 // nobody who was recorded so far
	fromSeveral                 // what no order explains, or more than one write
)

// source is where a read comes from.
type source struct {
	origin origin
	txn    *txn // fromLive, fromClosed; fromBase where the writer is remembered
	// elements are those of a list read behind the closed past that are not own ones.
	elements []history.Name
}

// writer is who wrote a version.
type writer struct {
	txn   *txn // the last of them, nil if it is forgotten and others are not
	op    int32
	count int32 // how many remembered operations wrote it
}

// wrote tells who wrote a version, and whether it is their last of the key, or an element.
func (j *Judge) wrote(v version) (w *writer, usable bool) {
	w = j.writers[v]
	if w == nil {
		return nil, false
	}
	if w.count > 1 || w.txn == nil || w.txn.status == history.Aborted {
		return w, false
	}
	if w.txn.ops[w.op].kind == history.Write {
		for i := int(w.op) + 1; i < len(w.txn.ops); i++ {
			if o := &w.txn.ops[i]; o.writes() && o.key == v.key {
				return w, false
			}
		}
	}
	return w, true
}

// sourceOf tells where the read at a place of a transaction comes from. If the version was
// written again by a forgotten transaction, it may come from there as well: for an order that
// explains all reads one choice is enough.
func (j *Judge) sourceOf(t *txn, at int) source {
	o := &t.ops[at]
	if o.asked != j.epoch {
		o.asked, o.from = j.epoch, j.findSource(t, at)
	}
	return o.from
}

func (j *Judge) findSource(t *txn, at int) source {
	o := &t.ops[at]
	if o.unknown || o.settled {
		return source{}
	}
	if j.keys[o.key].kind == history.List {
		return j.listSource(t, at)
	}
	for i := at - 1; i >= 0; i-- {
		if w := &t.ops[i]; w.writes() && w.key == o.key {
			if w.value == o.value {
				return source{origin: fromSelf}
			}
			return source{origin: fromSeveral}
		}
	}
	k := &j.keys[o.key]
	v := version{o.key, o.value}
	w, usable := j.wrote(v)
	base := k.written && k.base == o.value || !k.written && o.value.Kind == history.NilName
	switch {
	case w == nil && base:
		return source{origin: fromBase}
	case w == nil && o.value.Kind == history.NilName && !j.seen.has(v):
		return source{origin: fromInitial}
	case w == nil && o.value.Kind == history.NilName:
		return source{origin: fromForgotten}
	case w == nil: // or a forgotten one, which will be given up, too
		return source{origin: fromPending}
	case !usable || w.txn == t || o.value.Kind == history.NilName || base && !w.txn.closed:
		return source{origin: fromSeveral}
	case base:
		return source{origin: fromBase, txn: w.txn}
	case w.txn.closed && !w.txn.effective:
		return source{origin: fromForgotten}
	case w.txn.closed:
		return source{origin: fromClosed, txn: w.txn}
	}
	return source{origin: fromLive, txn: w.txn}
}

// listSource is sourceOf for a key with a list.
func (j *Judge) listSource(t *txn, at int) source {
	o := &t.ops[at]
	list, ok := j.after(o)
	if o.kind == history.Read { // of nil: an empty list
		list, ok = nil, j.keys[o.key].length == 0
	}
	if !ok {
		return source{origin: fromForgotten}
	}
	var own []history.Name
	for i := range at {
		if w := &t.ops[i]; w.writes() && w.key == o.key {
			own = append(own, w.value)
		}
	}
	if n := len(list) - len(own); n < 0 || !slices.Equal(list[n:], own) {
		return source{origin: fromSeveral}
	} else if list = list[:n]; n == 0 {
		return source{origin: fromBase}
	}
	s := source{origin: fromLive, elements: list}
	for _, e := range list {
		v := version{o.key, e}
		w, usable := j.wrote(v)
		switch {
		case w == nil:
			s.origin = fromPending
		case !usable || w.txn == t || w.txn.closed:
			return source{origin: fromSeveral}
		default:
			s.txn = w.txn
		}
	}
	return s
}

// digest stands for the elements of a list: two hashes with random seeds.
type digest [2]uint64

// listSum adds elements to a digest.
func (j *Judge) listSum(sum digest, elements []history.Name) digest {
	type step struct {
		before uint64
		name   history.Name
	}
	for _, e := range elements {
		for i, seed := range j.seeds {
			sum[i] = maphash.Comparable(seed, step{sum[i], e})
		}
	}
	return sum
}

// taints tells for each transaction that is not closed whether what it saw is not known yet:
// a write that it read is still to be recorded, by itself or in its causal past.
func (j *Judge) taints(live []*txn) map[*txn]bool {
	tainted := map[*txn]bool{}
	holes := map[int32]int{} // of lists: from where on an element has no writer
	for _, t := range live {
		for i := range t.ops {
			o := &t.ops[i]
			if o.writes() {
				continue
			}
			s := j.sourceOf(t, i)
			if s.origin != fromPending {
				continue
			}
			tainted[t] = true
			for n, e := range s.elements {
				if had, ok := holes[o.key]; j.writers[version{o.key, e}] == nil && (!ok || n < had) {
					holes[o.key] = n
				}
			}
		}
	}
	if len(tainted) == 0 {
		return nil
	}
	for _, t := range live {
		for i := range t.ops {
			if _, hole := holes[t.ops[i].key]; hole && t.ops[i].writes() {
				tainted[t] = true
			}
		}
	}
	return j.spread(live, tainted)
}

// spread adds to a set of transactions those that follow in their sessions or read from them.
func (j *Judge) spread(live []*txn, tainted map[*txn]bool) map[*txn]bool {
	for changed := true; changed; {
		changed = false
		sessions := map[int32]bool{}
		for _, t := range live {
			if !tainted[t] {
				from := sessions[t.session]
				for i := 0; i < len(t.ops) && !from; i++ {
					if !t.ops[i].writes() {
						s := j.sourceOf(t, i)
						from = s.txn != nil && tainted[s.txn]
					}
				}
				if !from {
					continue
				}
				tainted[t], changed = true, true
			}
			sessions[t.session] = true
		}
	}
	return tainted
}
