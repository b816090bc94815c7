package history

import "slices"

// Settled gives the history whose transactions of unknown outcome are Committed
// where the reads show that they committed, if any of these have known results of
// reads: from then on these count. What a transaction that took effect must have read
// from took effect, too. Where a read may come from several transactions, it shows
// nothing about any of them.
//
// It is the history itself if nothing changes.
func (h *History) Settled() *History {
	if !slices.ContainsFunc(h.undecided(), func(t Txn) bool { return h.observes(t) }) {
		return h
	}
	out := h.withStatus(h.shown())
	if slices.Equal(out.status, h.status) {
		return h
	}
	return out
}

// WithOutcome gives the history in which a transaction ended in another way.
func (h *History) WithOutcome(t Txn, s Status) *History {
	status := slices.Clone(h.status)
	status[t] = s
	return h.withStatus(status)
}

// Conditional gives the transactions of unknown outcome that took effect only if what
// they read was there, and of which it is open whether they did: each has known
// results of reads, and somebody may have read from it.
func (h *History) Conditional() []Txn {
	var out []Txn
	for _, t := range h.undecided() {
		if h.observes(t) {
			out = append(out, t)
		}
	}
	if out == nil {
		return nil
	}
	seen := make([]bool, h.NumTxns())
	for o := range Op(h.NumOps()) {
		if h.status[h.txn[o]] == Aborted {
			continue
		}
		h.eachSource(o, func(from []Op) {
			for _, w := range from {
				if h.txn[w] != h.txn[o] {
					seen[h.txn[w]] = true
				}
			}
		})
	}
	return slices.DeleteFunc(out, func(t Txn) bool { return !seen[t] && !h.increments(t) })
}

func (h *History) withStatus(status []Status) *History {
	out := &History{columns: h.columns}
	out.status = status
	// Neither index depends on outcomes.
	out.sourcesOnce.Do(func() { out.sources = h.Sources() })
	out.writersOnce.Do(func() { out.writers = h.Writers() })
	return out
}

// undecided gives the transactions of unknown outcome.
func (h *History) undecided() []Txn {
	var out []Txn
	for t, s := range h.status {
		if s == Unknown {
			out = append(out, Txn(t))
		}
	}
	return out
}

// observes tells whether the result of a read of the transaction is known.
func (h *History) observes(t Txn) bool {
	for o := h.first[t]; o < h.first[t+1]; o++ {
		if h.kind[o].Reads() && h.Known(o) {
			return true
		}
	}
	return false
}

// increments tells whether a transaction changes a counter: no read identifies that.
func (h *History) increments(t Txn) bool {
	return slices.Contains(h.kind[h.first[t]:h.first[t+1]], Increment)
}

// shown gives the outcomes that the reads show.
func (h *History) shown() []Status {
	status := slices.Clone(h.status)
	var open []Txn
	for t, s := range status {
		if s == Committed {
			open = append(open, Txn(t))
		}
	}
	for len(open) > 0 {
		t := open[len(open)-1]
		open = open[:len(open)-1]
		for o := h.first[t]; o < h.first[t+1]; o++ {
			h.eachSource(o, func(from []Op) {
				if u, ok := h.onlyWriter(from); ok && status[u] == Unknown {
					status[u] = Committed
					open = append(open, u)
				}
			})
		}
	}
	return status
}

// onlyWriter gives the transaction that must have written what is read: the one of
// all writes, unless the key may have held the value initially.
func (h *History) onlyWriter(from []Op) (t Txn, ok bool) {
	if len(from) == 0 || h.types[h.key[from[0]]] == Register && h.value[h.key[from[0]]] == NoValue {
		return 0, false
	}
	t = h.txn[from[0]]
	return t, !slices.ContainsFunc(from, func(w Op) bool { return h.txn[w] != t })
}

// eachSource gives f the writes that each result of a read may come from.
func (h *History) eachSource(o Op, f func(from []Op)) {
	if !h.kind[o].Reads() || !h.Known(o) {
		return
	}
	src := h.Sources()
	switch h.kind[o] {
	case Read:
		f(src.Of(o))
	case ReadList, ReadSet:
		for i := range h.List(o) {
			f(src.Element(o, i))
		}
	case ReadRange:
		r := h.ranges[h.value[o]]
		for i := range int(r.live + r.dead) {
			f(src.Row(o, i))
		}
	}
}
