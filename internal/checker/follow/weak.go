package follow

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// weakOrder looks for a commit order for RC, RA or CC of transactions that come after the
// closed ones: whoever reads a version must not see another one that is later. It may fail
// where there is one.
type weakOrder struct {
	j     *Judge
	level isolation.Level
	nodes []*txn // effective and not closed
	after [][]int32
	in    []int // edges that lead to each node and whose source is not in order yet
	// last is the last transaction of a session so far that wrote a key.
	last map[placed]*txn
	// For CC: the writers of each key by session, the sessions with writers of a key, and
	// the position of the last transaction of each session that each node sees.
	writers map[placed][]*txn
	of      map[int32][]int32
	sees    []map[int32]int32
}

// placed is a key in a session.
type placed struct{ session, key int32 }

// weak looks for a commit order of a level.
func (j *Judge) weak(live []*txn, level isolation.Level) (order []*txn, ok bool) {
	w := &weakOrder{j: j, level: level, nodes: j.effective(live), last: map[placed]*txn{}}
	defer func() {
		for _, t := range w.nodes {
			t.node = -1
		}
	}()
	w.after, w.in = make([][]int32, len(w.nodes)), make([]int, len(w.nodes))
	ends := map[int32]int32{}
	for i, t := range w.nodes {
		t.node = int32(i)
		if p, ok := ends[t.session]; ok {
			w.edge(w.nodes[p], t)
		}
		ends[t.session] = t.node
	}
	lists, ok := j.longest(w.nodes)
	if !ok || !w.chains(lists) || level == isolation.CC && !w.past() {
		return nil, false
	}
	for _, t := range w.remembered() {
		if !t.closed && !w.txn(t) {
			return nil, false
		}
		for i := range t.ops {
			if o := &t.ops[i]; o.writes() {
				w.last[placed{t.session, o.key}] = t
			}
		}
	}
	return w.sorted()
}

// remembered are the transactions that took effect, closed ones too, in the order of the
// stream.
func (w *weakOrder) remembered() []*txn {
	var out []*txn
	for _, t := range w.j.recent {
		if t.node >= 0 || t.closed && t.effective {
			out = append(out, t)
		}
	}
	return out
}

func (w *weakOrder) edge(from, to *txn) {
	if from != to {
		w.after[from.node] = append(w.after[from.node], to.node)
		w.in[to.node]++
	}
}

// chains adds the order that list reads show.
func (w *weakOrder) chains(lists map[int32][]history.Name) bool {
	ends := map[int32]*txn{}
	shown := map[version]bool{}
	for k, list := range lists {
		var before *txn
		for _, e := range list {
			shown[version{k, e}] = true
			by := w.j.writers[version{k, e}]
			if by == nil {
				continue
			}
			if by.txn.node < 0 {
				return false
			}
			if before != nil {
				w.edge(before, by.txn)
			}
			before = by.txn
		}
		ends[k] = before
	}
	for _, t := range w.nodes {
		for i := range t.ops {
			if o := &t.ops[i]; o.kind == history.Append && ends[o.key] != nil && !shown[version{o.key, o.value}] {
				if ends[o.key] == t {
					return false
				}
				w.edge(ends[o.key], t)
			}
		}
	}
	return true
}

// txn adds what the reads of a transaction demand; it is false if the closed past would have
// to be in another order.
func (w *weakOrder) txn(t *txn) bool {
	var reads []read
	for i := range t.ops {
		o := &t.ops[i]
		if o.writes() {
			continue
		}
		s := w.j.sourceOf(t, i)
		switch s.origin {
		case fromNowhere, fromSelf:
			continue
		case fromPending:
			if s.elements == nil {
				continue
			}
			s.txn = nil
		case fromLive:
			if s.txn.node < 0 {
				return false
			}
			w.edge(s.txn, t)
		case fromForgotten, fromSeveral:
			return false
		}
		if w.level == isolation.RC {
			for _, r := range reads {
				if r.txn != nil && writesKey(r.txn, o.key) && !w.before(r.txn, o.key, s) {
					return false
				}
			}
			if s.origin == fromInitial && slices.ContainsFunc(reads, func(r read) bool { return r.origin == fromBase }) {
				return false // who wrote the version that was read before may be forgotten
			}
		}
		reads = append(reads, read{o.key, s})
	}
	return w.level == isolation.RC || w.all(t, reads)
}

// read is a read of a key.
type read struct {
	key int32
	source
}

// all adds what RA and CC demand of the reads of a transaction together.
func (w *weakOrder) all(t *txn, reads []read) bool {
	for _, r := range reads {
		switch {
		case r.origin == fromPending:
			continue
		case r.origin == fromInitial, r.origin == fromClosed && w.level == isolation.CC:
			return false // what the transaction sees of the closed past is not known
		}
		for _, q := range reads {
			if q.txn != nil && writesKey(q.txn, r.key) && !w.before(q.txn, r.key, r.source) {
				return false
			}
		}
		if u := w.last[placed{t.session, r.key}]; u != nil && !w.before(u, r.key, r.source) {
			return false
		}
		if w.level == isolation.CC && !w.causal(t, r.key, r.source) {
			return false
		}
	}
	return true
}

// before demands that a visible writer of a key comes before the source of a read of it.
func (w *weakOrder) before(u *txn, key int32, s source) bool {
	switch {
	case u == s.txn:
		return true
	case s.origin == fromLive:
		if !u.closed {
			w.edge(u, s.txn)
		}
		return true
	case !u.closed:
		return false
	case s.origin == fromBase:
		return true // the last of the closed past
	case s.origin == fromClosed:
		return u.pos < s.txn.pos
	}
	return s.origin == fromPending
}

// past computes which nodes each node sees; it is false if there is a cycle. A path from one
// to another has no closed transaction on it, for these come before all of them.
func (w *weakOrder) past() bool {
	w.writers, w.of = map[placed][]*txn{}, map[int32][]int32{}
	causes, next := make([][]int32, len(w.nodes)), make([][]int32, len(w.nodes))
	last := map[int32]*txn{}
	for i, t := range w.nodes {
		cause := func(u *txn) {
			if u != nil && u != t && u.node >= 0 {
				causes[i], next[u.node] = append(causes[i], u.node), append(next[u.node], int32(i))
			}
		}
		cause(last[t.session])
		last[t.session] = t
		for at := range t.ops {
			o := &t.ops[at]
			if !o.writes() {
				cause(w.j.sourceOf(t, at).txn)
				continue
			}
			p := placed{t.session, o.key}
			if list := w.writers[p]; len(list) == 0 {
				w.of[o.key] = append(w.of[o.key], t.session)
				w.writers[p] = []*txn{t}
			} else if list[len(list)-1] != t {
				w.writers[p] = append(list, t)
			}
		}
	}
	left, open := make([]int, len(w.nodes)), []int32{}
	for i := range causes {
		if left[i] = len(causes[i]); left[i] == 0 {
			open = append(open, int32(i))
		}
	}
	w.sees = make([]map[int32]int32, len(w.nodes))
	for n := 0; n < len(open); n++ {
		i := open[n]
		w.sees[i] = w.union(causes[i])
		for _, u := range next[i] {
			if left[u]--; left[u] == 0 {
				open = append(open, u)
			}
		}
	}
	return len(open) == len(w.nodes)
}

// union gives what nodes see, and themselves: the last transaction of each session.
func (w *weakOrder) union(nodes []int32) map[int32]int32 {
	sees := map[int32]int32{}
	add := func(session, at int32) {
		if had, ok := sees[session]; !ok || at > had {
			sees[session] = at
		}
	}
	for _, p := range nodes {
		for s, at := range w.sees[p] {
			add(s, at)
		}
		add(w.nodes[p].session, w.nodes[p].position)
	}
	return sees
}

// causal demands that what a transaction sees of a key comes before what it read.
func (w *weakOrder) causal(t *txn, key int32, s source) bool {
	for _, session := range w.of[key] {
		sees, ok := w.sees[t.node][session]
		if !ok {
			continue
		}
		list := w.writers[placed{session, key}]
		n, _ := slices.BinarySearchFunc(list, sees+1, func(u *txn, at int32) int { return cmp.Compare(u.position, at) })
		if n > 0 && !w.before(list[n-1], key, s) {
			return false
		}
	}
	return true
}

// sorted gives the nodes in an order in which all edges lead forward, in the order of the
// stream as far as that goes; ok is false if there is a cycle.
func (w *weakOrder) sorted() (order []*txn, ok bool) {
	var ready queue
	for i := range w.nodes {
		if w.in[i] == 0 {
			ready.push(int32(i))
		}
	}
	for len(ready.nodes) > 0 {
		i := ready.pop()
		order = append(order, w.nodes[i])
		for _, next := range w.after[i] {
			if w.in[next]--; w.in[next] == 0 {
				ready.push(next)
			}
		}
	}
	return order, len(order) == len(w.nodes)
}

func writesKey(t *txn, key int32) bool {
	return slices.ContainsFunc(t.ops, func(o op) bool { return o.writes() && o.key == key })
}
