package elle

import (
	"cmp"
	"context"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// graph has the transactions as its first nodes. Others are hubs: an edge from t
// to a hub and one from there to u stand for one edge from t to u, so that n
// edges from each of m transactions take n + m.
type graph struct {
	txns  int32
	nodes int32
	// What leaves node v is at first[v] to first[v+1].
	first []int32
	to    []int32
	kind  []edges
}

// emitter takes the edges, twice: to count and to keep them.
type emitter struct {
	g     *graph
	hubs  int32
	count bool
	at    []int32
}

// hub makes a hub.
func (e *emitter) hub() int32 {
	e.hubs++
	if e.count {
		e.at = append(e.at, 0)
	}
	return e.g.txns + e.hubs - 1
}

func (e *emitter) edge(from, to int32, kind edges) {
	if e.count {
		e.at[from]++
		return
	}
	i := e.at[from]
	e.at[from]++
	e.g.to[i], e.g.kind[i] = to, kind
}

// build makes the graph of the edges that a function emits, which must be the
// same at each call.
func (g *graph) build(ctx context.Context, txns int, emit func(*emitter)) {
	g.txns = int32(txns)
	e := &emitter{g: g, count: true, at: make([]int32, txns)}
	emit(e)
	if ctx.Err() != nil {
		return
	}
	g.nodes = g.txns + e.hubs
	g.first = make([]int32, g.nodes+1)
	for v, n := range e.at {
		g.first[v+1] = g.first[v] + n
	}
	g.to = make([]int32, g.first[g.nodes])
	g.kind = make([]edges, g.first[g.nodes])
	e.count, e.hubs = false, 0
	copy(e.at, g.first)
	emit(e)
}

// toAll emits edges of one kind from a transaction to all that made some writes,
// to which the hub leads. A hub that leads back to its transaction would look like a
// cycle: that is avoided while it costs little.
func (a *analysis) toAll(e *emitter, t history.Txn, kind edges, hub int32, writes []history.Op) {
	if len(writes) == 0 {
		return
	}
	if !a.writesOne(t, writes) && len(writes) > 1 || len(writes) > 64 {
		e.edge(int32(t), hub, kind)
		return
	}
	for _, w := range writes {
		if u := a.h.TxnOf(w); u != t {
			e.edge(int32(t), int32(u), kind)
		}
	}
}

// writesOne tells whether one of some writes, which are sorted, is by t.
func (a *analysis) writesOne(t history.Txn, writes []history.Op) bool {
	_, ok := slices.BinarySearchFunc(writes, t, func(w history.Op, t history.Txn) int { return cmp.Compare(a.h.TxnOf(w), t) })
	return ok
}

// hub tells whether a node is not a transaction.
func (g *graph) hub(v int32) bool { return v >= g.txns }

// connectSessions emits the order of sessions. It leads through transactions
// that did not happen, too, which have no other edges.
func (a *analysis) connectSessions(e *emitter) {
	h := a.h
	if !a.sessions() {
		return
	}
	for s := range history.Session(h.NumSessions()) {
		first, end := h.Txns(s)
		for t := first; t+1 < end; t++ {
			e.edge(int32(t), int32(t+1), so)
		}
	}
}

// sessions tells whether the order of sessions counts.
func (a *analysis) sessions() bool {
	return slices.ContainsFunc(a.o.Levels, isolation.Level.NeedsSessions)
}

// timed tells whether real time is known and counts.
func (a *analysis) timed() bool {
	return a.h.Order() != history.NoOrder && slices.ContainsFunc(a.o.Levels, isolation.Level.NeedsRealTime)
}

// connectTime emits the real-time order, through a chain of hubs: one for each
// transaction that ended, which leads to those that began after it.
func (a *analysis) connectTime(e *emitter) {
	h := a.h
	if !a.timed() {
		return
	}
	if e.count { // the second time they are known
		a.sortStamps()
	}
	hub, n := int32(-1), 0
	for _, t := range a.begun {
		for ; n < len(a.ended) && h.End(a.ended[n]) < h.Begin(t); n++ {
			next := e.hub()
			if hub >= 0 {
				e.edge(hub, next, rt)
			}
			hub = next
			e.edge(int32(a.ended[n]), hub, rt)
		}
		if hub >= 0 {
			e.edge(hub, int32(t), rt)
		}
	}
}

// sortStamps finds begun and ended.
func (a *analysis) sortStamps() {
	h := a.h
	for t := history.Txn(1); t < history.Txn(h.NumTxns()); t++ {
		if !a.in[t] {
			continue
		}
		if h.Begin(t) != history.NoBegin {
			a.begun = append(a.begun, t)
		}
		if h.End(t) != history.NoEnd {
			a.ended = append(a.ended, t)
		}
	}
	byStamp(a.begun, h.Begin)
	byStamp(a.ended, h.End)
}

// byStamp sorts transactions by a stamp, those with the same one by their number,
// in which they are. Stamps that are lines of a file are so dense that counting
// them is faster than comparing.
func byStamp(txns []history.Txn, stamp func(history.Txn) int64) {
	if len(txns) == 0 {
		return
	}
	least, most := stamp(txns[0]), stamp(txns[0])
	for _, t := range txns {
		least, most = min(least, stamp(t)), max(most, stamp(t))
	}
	width := uint64(most) - uint64(least) // of any two stamps
	if width > 8*uint64(len(txns)) {
		slices.SortStableFunc(txns, func(t, u history.Txn) int { return cmp.Compare(stamp(t), stamp(u)) })
		return
	}
	at := make([]int32, width+2)
	for _, t := range txns {
		at[stamp(t)-least+1]++
	}
	for i := range width {
		at[i+1] += at[i]
	}
	out := make([]history.Txn, len(txns))
	for _, t := range txns {
		i := stamp(t) - least
		out[at[i]] = t
		at[i]++
	}
	copy(txns, out)
}

// layout says what the nodes of a search are. If it is not split they are those
// of the graph. If it is, every transaction t is two: 2t is its begin, 2t+1 its
// commit; begins lead to their commits, dependencies and orders from a commit to a
// begin, or to a commit if they are late, and anti-dependencies from a begin to a
// commit. What goes round there is a cycle without two adjacent
// anti-dependencies: what snapshot isolation excludes. Hub v is 2v.
type layout struct {
	split bool
	late  edges
}

// strong gives the strongly connected components of the edges of some kinds
// that have several transactions, each sorted; and an order of all nodes in
// which edges lead forward except within components.
func (g *graph) strong(ctx context.Context, kinds edges, lay layout) (components [][]int32, order []int32) {
	n := g.nodes
	if lay.split {
		n *= 2
	}
	const unseen = 0
	var (
		index = make([]int32, n) // 1 + order of visit; 0 if not yet
		low   = make([]int32, n)
		on    = make([]bool, n)
		stack []int32
		path  []frame
		next  int32
		txns  []int32
	)
	order = make([]int32, 0, n)
	for root := range n {
		if index[root] != unseen {
			continue
		}
		if root&0xffff == 0 && ctx.Err() != nil {
			return nil, nil
		}
		path = append(path, frame{root, -1})
		next++
		index[root], low[root], on[root] = next, next, true
		stack = append(stack, root)
		for len(path) > 0 {
			f := &path[len(path)-1]
			v := f.node
			w, ok := g.step(f, kinds, lay)
			if ok {
				if index[w] == unseen {
					next++
					index[w], low[w], on[w] = next, next, true
					stack = append(stack, w)
					path = append(path, frame{w, -1})
				} else if on[w] {
					low[v] = min(low[v], index[w])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				p := path[len(path)-1].node
				low[p] = min(low[p], low[v])
			}
			if low[v] != index[v] {
				continue
			}
			txns = txns[:0]
			for {
				w := stack[len(stack)-1]
				stack = stack[:len(stack)-1]
				on[w] = false
				order = append(order, w)
				if t := w; lay.split {
					if t /= 2; !g.hub(t) {
						txns = append(txns, t)
					}
				} else if !g.hub(t) {
					txns = append(txns, t)
				}
				if w == v {
					break
				}
			}
			if len(txns) > 1 {
				slices.Sort(txns)
				if c := slices.Compact(txns); len(c) > 1 {
					components = append(components, slices.Clone(c))
				}
			}
		}
	}
	slices.Reverse(order)
	slices.SortFunc(components, func(x, y []int32) int { return cmp.Compare(x[0], y[0]) })
	return components, order
}

// frame is a node on the path of a depth-first search, and the edge that it
// follows next, counted from first; -1 before the edge from a begin to its
// commit.
type frame struct{ node, edge int32 }

// step gives the next successor of a node.
func (g *graph) step(f *frame, kinds edges, lay layout) (int32, bool) {
	v := f.node
	if lay.split {
		v /= 2
	}
	if f.edge < 0 {
		f.edge = g.first[v]
		if lay.split && !g.hub(v) && f.node&1 == 0 {
			return f.node + 1, true
		}
	}
	for f.edge < g.first[v+1] {
		i := f.edge
		f.edge++
		k := g.kind[i]
		if k&kinds == 0 {
			continue
		}
		w := g.to[i]
		if !lay.split {
			return w, true
		}
		begin := f.node&1 == 0
		if !g.hub(v) && begin != (k == rw) {
			continue
		}
		switch {
		case g.hub(w):
			return 2 * w, true
		case k == rw || lay.late&k != 0:
			return 2*w + 1, true
		}
		return 2 * w, true
	}
	return 0, false
}
