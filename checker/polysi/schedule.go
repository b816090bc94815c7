package polysi

import (
	"container/heap"
	"slices"

	"github.com/txrobust/robust/history"
)

// plan is what a scheduler needs to know of a polygraph, whatever the order.
type plan struct {
	*polygraph
	// priority is a time at which a node may have been, or -1 for those that keep nobody
	// from going on: transactions that write nothing that is read, and ends of others.
	priority []float64
	// Of transaction t: the versions that it read, read[firstRead[t]:firstRead[t+1]], and those
	// that it wrote.
	firstRead, read   []int32
	firstWrite, wrote []int32
	// pending is how many reads versions have.
	pending []int32
}

func (p *polygraph) newPlan() *plan {
	n := p.h.NumTxns()
	q := &plan{polygraph: p, priority: p.times(), pending: make([]int32, len(p.v.txn))}
	q.firstRead, q.firstWrite = make([]int32, n+1), make([]int32, n+1)
	for _, x := range p.list {
		q.firstRead[p.h.TxnOf(x.op)+1]++
	}
	for _, t := range p.v.txn {
		q.firstWrite[t+1]++
	}
	for t := range n {
		q.firstRead[t+1] += q.firstRead[t]
		q.firstWrite[t+1] += q.firstWrite[t]
	}
	q.read, q.wrote = make([]int32, len(p.list)), make([]int32, len(p.v.txn))
	at := append([]int32(nil), q.firstRead...)
	for _, x := range p.list {
		t, w := p.h.TxnOf(x.op), p.v.of(x.key, x.from)
		if slices.Contains(q.read[q.firstRead[t]:at[t]], w) {
			w = -1 // once is enough
		} else {
			q.pending[w]++
		}
		q.read[at[t]] = w
		at[t]++
	}
	at = append(at[:0], q.firstWrite...)
	for w, t := range p.v.txn {
		q.wrote[at[t]] = int32(w)
		at[t]++
	}
	for i, t := range p.txnOf {
		if q.harmless(int32(i), t) {
			q.priority[i] = -1
		}
	}
	return q
}

func (q *plan) reads(t history.Txn) []int32  { return q.read[q.firstRead[t]:q.firstRead[t+1]] }
func (q *plan) writes(t history.Txn) []int32 { return q.wrote[q.firstWrite[t]:q.firstWrite[t+1]] }

// harmless tells whether a node can only help others to go on as soon as it can itself.
func (q *plan) harmless(n int32, t history.Txn) bool {
	if q.begin[t] != q.commit[t] {
		return n == q.commit[t]
	}
	for _, w := range q.writes(t) {
		if q.pending[w] > 0 {
			return false
		}
	}
	return true
}

// clash is two versions of a key that an order got wrong: a reader of the first one was still to
// come when the second one was written, or their writers were concurrent.
type clash struct{ first, second int32 }

// scheduler looks for an execution step by step: of the transactions that can go on it
// takes one that takes away nothing that is still to be read. If there is none, it goes on with
// a clash.
type scheduler struct {
	*plan
	firstNext, next []int32 // of nodes: what comes after them
	missing         []int32 // how much has to come before
	unread          []int32 // of versions: reads that are still to come
	current         []int32 // of keys: the version, -1 if there is none
	holder          []int32 // of keys: the version whose writer has begun and not ended, or -1
	// waiting are for each key the nodes that could go on but for it, and what is left there of
	// those that do not wait any more; waitsFor is what nodes wait for, or -1. locked are the keys
	// for which some waited.
	waiting  []nodes
	waitsFor []history.Key
	locked   []history.Key
	woken    []history.Key // of nodes: for which key they waited before, or -1
	ready    nodes
	order    []int32
	clashes  []clash
}

// schedule executes with some more edges than those that are known. It ends early after
// some clashes.
func (q *plan) schedule(more [][2]int32, maxClashes int) (order []int32, clashes []clash, err error) {
	n := len(q.txnOf)
	s := &scheduler{
		plan: q, missing: make([]int32, n), unread: append([]int32(nil), q.pending...), current: filled(len(q.chains)),
		holder: filled(len(q.chains)), waiting: make([]nodes, len(q.chains)), woken: make([]history.Key, n), waitsFor: make([]history.Key, n), order: make([]int32, 0, n),
	}
	s.link(more)
	for i := range s.woken {
		s.woken[i], s.waitsFor[i] = -1, -1
	}
	s.ready.priority = q.priority
	for i := range int32(n) {
		if s.missing[i] == 0 {
			s.ready.list = append(s.ready.list, i)
		}
	}
	heap.Init(&s.ready)
	for steps := 0; len(s.order) < n && len(s.clashes) < maxClashes; steps++ {
		if steps&1023 == 0 && q.ctx.Err() != nil {
			return nil, nil, q.ctx.Err()
		}
		if s.ready.Len() == 0 {
			i, ok := s.force()
			if !ok {
				panic("polysi: the edges to follow have a cycle")
			}
			s.execute(i)
			continue
		}
		i := heap.Pop(&s.ready).(int32)
		before := s.woken[i]
		s.woken[i] = -1
		if k := s.blocked(i); k >= 0 {
			s.wait(i, k)
		} else {
			s.execute(i)
		}
		if before >= 0 {
			s.wake(before)
		}
	}
	return s.order, s.clashes, nil
}

// link finds what follows each node.
func (s *scheduler) link(more [][2]int32) {
	n := len(s.txnOf)
	s.firstNext = make([]int32, n+1)
	for i := range s.edges {
		s.firstNext[s.edges[i].from+1]++
		s.missing[s.edges[i].to]++
	}
	for _, e := range more {
		s.firstNext[e[0]+1]++
		s.missing[e[1]]++
	}
	for i := range n {
		s.firstNext[i+1] += s.firstNext[i]
	}
	s.next = make([]int32, s.firstNext[n])
	at := append([]int32(nil), s.firstNext[:n]...)
	for i := range s.edges {
		e := &s.edges[i]
		s.next[at[e.from]] = e.to
		at[e.from]++
	}
	for _, e := range more {
		s.next[at[e[0]]] = e[1]
		at[e[0]]++
	}
}

// blocked gives a key because of which a node cannot be executed without a clash, -1 if
// there is none.
func (s *scheduler) blocked(i int32) history.Key {
	t := s.txnOf[i]
	for _, w := range s.writes(t) {
		if k := s.v.key[w]; i == s.begin[t] && s.holder[k] >= 0 || i == s.commit[t] && s.lost(t, k) > 0 {
			return k
		}
	}
	return -1
}

// lost is how many reads of the current version of a key are still to come when a transaction
// overwrites it, without its own.
func (s *scheduler) lost(t history.Txn, k history.Key) int32 {
	v := s.current[k]
	if v < 0 || s.unread[v] <= 0 {
		return 0
	}
	if s.begin[t] == s.commit[t] && slices.Contains(s.reads(t), v) {
		return s.unread[v] - 1
	}
	return s.unread[v]
}

// wait puts a node aside until a key is free.
func (s *scheduler) wait(i int32, k history.Key) {
	if s.waiting[k].priority == nil {
		s.waiting[k].priority = s.priority
		s.locked = append(s.locked, k)
	}
	s.waitsFor[i] = k
	heap.Push(&s.waiting[k], i)
}

// first gives the first node that waits for a key, -1 if there is none.
func (s *scheduler) first(k history.Key) int32 {
	for q := &s.waiting[k]; q.Len() > 0; heap.Pop(q) {
		if i := q.list[0]; s.waitsFor[i] == k {
			return i
		}
	}
	return -1
}

// wake lets the first node go on that waits for a key, if the key is free. When it has
// been looked at, the next one is.
func (s *scheduler) wake(k history.Key) {
	if s.holder[k] >= 0 {
		return
	}
	i := int32(-1)
	switch v := s.current[k]; {
	case v < 0 || s.unread[v] <= 0:
		i = s.first(k)
	case s.unread[v] == 1 && s.v.next[v] >= 0: // which may be the read of who updates it
		if n := s.commitOf(s.v.next[v]); s.waitsFor[n] == k {
			i = n
		}
	}
	if i >= 0 {
		s.waitsFor[i], s.woken[i] = -1, k
		heap.Push(&s.ready, i)
	}
}

// execute executes a node.
func (s *scheduler) execute(i int32) {
	t := s.txnOf[i]
	s.order = append(s.order, i)
	if i == s.begin[t] {
		for _, v := range s.reads(t) {
			if v < 0 {
				continue
			}
			if s.unread[v]--; s.unread[v] <= 1 && s.current[s.v.key[v]] == v {
				s.wake(s.v.key[v])
			}
		}
	}
	for _, w := range s.writes(t) {
		k := s.v.key[w]
		if i != s.commit[t] {
			s.holder[k] = w
			continue
		}
		if h := s.holder[k]; h < 0 || s.v.txn[h] == t {
			s.holder[k] = -1
		}
		s.current[k] = w
		s.wake(k)
	}
	for _, m := range s.next[s.firstNext[i]:s.firstNext[i+1]] {
		if s.missing[m]--; s.missing[m] == 0 {
			heap.Push(&s.ready, m)
		}
	}
}

// force takes the waiting node that clashes least, of those that are the first to wait for a
// key.
func (s *scheduler) force() (node int32, ok bool) {
	best, least := int32(-1), int32(0)
	for _, k := range s.locked {
		i := s.first(k)
		if i < 0 {
			continue
		}
		if c := s.cost(i); best < 0 || c < least {
			best, least = i, c
		}
	}
	if best < 0 {
		return 0, false
	}
	i := best
	s.waitsFor[i] = -1
	t := s.txnOf[i]
	for _, w := range s.writes(t) {
		k := s.v.key[w]
		if h := s.holder[k]; i == s.begin[t] && h >= 0 {
			s.clashes = append(s.clashes, clash{h, w})
		}
		if i == s.commit[t] && s.lost(t, k) > 0 {
			s.clashes = append(s.clashes, clash{s.current[k], w})
		}
	}
	return i, true
}

// cost is how much a node would take away.
func (s *scheduler) cost(i int32) int32 {
	t := s.txnOf[i]
	n := int32(0)
	for _, w := range s.writes(t) {
		k := s.v.key[w]
		if i == s.begin[t] && s.holder[k] >= 0 {
			n++
		}
		if i == s.commit[t] {
			n += s.lost(t, k)
		}
	}
	return n
}

// nodes is a heap of nodes, the one with the least priority first.
type nodes struct {
	list     []int32
	priority []float64
}

func (g *nodes) Len() int      { return len(g.list) }
func (g *nodes) Swap(i, j int) { g.list[i], g.list[j] = g.list[j], g.list[i] }
func (g *nodes) Push(x any)    { g.list = append(g.list, x.(int32)) }
func (g *nodes) Less(i, j int) bool {
	a, b := g.list[i], g.list[j]
	return g.priority[a] < g.priority[b] || g.priority[a] == g.priority[b] && a < b
}

func (g *nodes) Pop() any {
	x := g.list[len(g.list)-1]
	g.list = g.list[:len(g.list)-1]
	return x
}
