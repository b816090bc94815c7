package polysi

import (
	"container/heap"
	"slices"

	"github.com/txrobust/robust/history"
)

// clash is two versions of a key that a schedule got wrong: a reader of the first one was still to
// come when the second one was written, or their writers were concurrent.
type clash struct{ first, second int32 }

// schedule is an execution, step by step.
type schedule struct {
	order   []int32 // nodes, without those of transactions that took no effect
	place   []int32 // of nodes: where they are in the order, -1 if nowhere
	clashes []clash
	// wrong are open reads that found nothing that they may come from, or come after the last of it.
	wrong []int32
}

// right tells whether the execution is one of the level.
func (s *schedule) right() bool { return len(s.clashes) == 0 && len(s.wrong) == 0 }

// scheduler looks for an execution: of the transactions that can go on it takes one that takes
// away nothing that is still to be read. If there is none, it goes on with what is wrong.
type scheduler struct {
	*plan
	schedule
	next    lists   // of nodes: what comes after them
	missing []int32 // how much has to come before
	left    int     // nodes to come
	unread  []int32 // of versions: transactions to come that read them
	current []int32 // of keys: the version, -1 if there is none
	holder  []int32 // of keys: the version whose writer has begun and not ended, or -1
	ready   nodes
	// waiting are for each key the nodes that could go on but for it, and what is left there of
	// those that do not wait any more; waitsFor is what nodes wait for, or -1. locked are the keys
	// for which some waited.
	waiting  []nodes
	waitsFor []history.Key
	locked   []history.Key
	woken    []history.Key // of nodes: for which key they waited before, or -1

	// Of open reads that are not chosen: how many versions are not gone that they may come from, and the
	// last one, or -1 if there are more.
	alive, due []int32
	gone       []bool  // versions
	parked     []bool  // nodes that wait for a version of an open read
	parkedList []int32 // and some that did
	idle       []int32 // nodes of transactions that maybe took effect, which could go on
	held       map[history.Key]history.Value
}

// schedule executes with some more edges than those that are known. It ends early when some number
// of clashes is reached.
func (q *plan) schedule(more [][2]int32, limit int) (*schedule, error) {
	s := q.newScheduler(more)
	for steps := 0; s.left > 0 && len(s.clashes)+len(s.wrong) < limit; steps++ {
		if steps&255 == 0 && q.ctx.Err() != nil {
			return nil, q.ctx.Err()
		}
		if s.ready.Len() == 0 {
			if !s.useIdle() {
				s.force()
			}
			continue
		}
		i := heap.Pop(&s.ready).(int32)
		before := s.woken[i]
		s.woken[i] = -1
		k := s.step(i)
		if before >= 0 && before != k {
			s.wake(before)
		}
	}
	return &s.schedule, nil
}

func (q *plan) newScheduler(more [][2]int32) *scheduler {
	n, keys := len(q.txnOf), len(q.chains)
	s := &scheduler{
		plan: q, schedule: schedule{place: filled(n)}, missing: make([]int32, n), left: n, unread: slices.Clone(q.pending),
		current: filled(keys), holder: filled(keys), waiting: make([]nodes, keys), waitsFor: make([]history.Key, n), woken: make([]history.Key, n),
		alive: make([]int32, len(q.open)), due: filled(len(q.open)), gone: make([]bool, len(q.v.txn)), parked: make([]bool, n),
		held: map[history.Key]history.Value{},
	}
	for k, v := range q.held {
		s.held[k] = v
	}
	for i, x := range q.open {
		s.alive[i] = int32(len(x.from))
	}
	known := len(q.edges)
	at := func(i int) (from, to int32) {
		if i < known {
			return q.edges[i].from, q.edges[i].to
		}
		return more[i-known][0], more[i-known][1]
	}
	s.next = newLists(n, known+len(more), func(i int) int { from, _ := at(i); return int(from) }, func(i int) int32 { _, to := at(i); return to })
	for _, m := range s.next.all {
		s.missing[m]++
	}
	s.ready.priority = q.priority
	for i := range int32(n) {
		s.woken[i], s.waitsFor[i] = -1, -1
		if s.missing[i] == 0 {
			s.ready.list = append(s.ready.list, i)
		}
	}
	heap.Init(&s.ready)
	return s
}

// step executes a node if it can go on, and otherwise puts it aside. It gives the key that it
// waits for, or -1.
func (s *scheduler) step(i int32) history.Key {
	t := s.txnOf[i]
	if s.polygraph.reads.maybe[t] && !s.real[t] {
		s.idle = append(s.idle, i)
		return -1
	}
	if k := s.blocked(i); k >= 0 {
		if s.waiting[k].priority == nil {
			s.waiting[k].priority = s.priority
			s.locked = append(s.locked, k)
		}
		s.waitsFor[i] = k
		heap.Push(&s.waiting[k], i)
		return k
	}
	if i == s.begin[t] && len(s.starved(t)) > 0 {
		s.parked[i] = true
		s.parkedList = append(s.parkedList, i)
		return -1
	}
	s.execute(i)
	return -1
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

// lost is how many transactions to come read the current version of a key, when one overwrites
// it, without this one.
func (s *scheduler) lost(t history.Txn, k history.Key) int32 {
	v := s.current[k]
	if v < 0 || s.unread[v] <= 0 {
		return 0
	}
	n := s.unread[v]
	if s.begin[t] != s.commit[t] {
		return n
	}
	if slices.Contains(s.reads(t), v) {
		n--
	}
	for _, x := range s.opens.at(int(t)) {
		if s.due[x] == v {
			n--
		}
	}
	return n
}

// starved gives the open reads of a transaction that would not find what they returned.
func (s *scheduler) starved(t history.Txn) []int32 {
	var out []int32
	for n, i := range s.opens.at(int(t)) {
		x := s.open[i]
		v := s.current[x.key]
		found := v >= 0
		if found {
			_, found = slices.BinarySearch(x.from, s.v.txn[v])
		}
		if found && s.v.txn[v] == history.InitialTxn && s.loaded(x.key) {
			old, ok := s.held[x.key]
			found = ok && old == x.value || !ok && !slices.ContainsFunc(s.opens.at(int(t))[:n], func(j int32) bool {
				return s.open[j].key == x.key && s.open[j].value != x.value
			})
		}
		if !found {
			out = append(out, i)
		}
	}
	return out
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
	s.place[i] = int32(len(s.order))
	s.order = append(s.order, i)
	if i == s.begin[t] {
		s.start(t)
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
		if v := s.current[k]; v >= 0 {
			s.lose(v)
		}
		s.current[k] = w
		for _, x := range s.readers.at(int(w)) {
			if n := s.begin[s.h.TxnOf(s.open[x].op)]; s.parked[n] {
				s.parked[n] = false
				heap.Push(&s.ready, n)
			}
		}
		s.wake(k)
	}
	s.pass(i)
}

// start lets a transaction read.
func (s *scheduler) start(t history.Txn) {
	got := func(v int32) {
		if s.unread[v]--; s.unread[v] <= 1 && s.current[s.v.key[v]] == v {
			s.wake(s.v.key[v])
		}
	}
	for i, v := range s.reads(t) {
		if !slices.Contains(s.reads(t)[:i], v) {
			got(v)
		}
	}
	for _, x := range s.opens.at(int(t)) {
		if s.due[x] >= 0 {
			got(s.due[x])
		}
		o := s.open[x]
		if v := s.current[o.key]; v >= 0 && s.v.txn[v] == history.InitialTxn && s.loaded(o.key) {
			s.held[o.key] = o.value
		}
	}
}

// pass lets those go on that come after a node.
func (s *scheduler) pass(i int32) {
	s.left--
	for _, m := range s.next.at(int(i)) {
		if s.missing[m]--; s.missing[m] == 0 {
			heap.Push(&s.ready, m)
		}
	}
}

// lose notes that a version is gone. Open reads may have one left then, which becomes what they
// have to read.
func (s *scheduler) lose(v int32) {
	s.gone[v] = true
	for _, i := range s.readers.at(int(v)) {
		x := s.open[i]
		if s.isChosen[i] || s.place[s.begin[s.h.TxnOf(x.op)]] >= 0 {
			continue
		}
		if s.alive[i]--; s.alive[i] != 1 {
			continue
		}
		for _, t := range x.from {
			if w := s.v.of(x.key, t); !s.gone[w] {
				s.due[i] = w
				s.unread[w]++
			}
		}
	}
}

// useIdle takes a transaction that maybe took effect: one that an open read waits for, or else lets one pass
// that others wait for, as one without effect. It is false if there is none.
func (s *scheduler) useIdle() bool {
	wanted := func(i int32) bool {
		return s.blocked(i) < 0 && slices.ContainsFunc(s.writes(s.txnOf[i]), func(w int32) bool {
			return slices.ContainsFunc(s.readers.at(int(w)), func(x int32) bool { return !s.isChosen[x] && s.parked[s.begin[s.h.TxnOf(s.open[x].op)]] })
		})
	}
	at := slices.IndexFunc(s.idle, wanted)
	if at >= 0 {
		i := s.idle[at]
		s.idle = slices.Delete(s.idle, at, at+1)
		s.execute(i)
		return true
	}
	if at = slices.IndexFunc(s.idle, func(i int32) bool { return len(s.next.at(int(i))) > 0 || s.left == len(s.idle) }); at < 0 {
		return false
	}
	i := s.idle[at]
	s.idle = slices.Delete(s.idle, at, at+1)
	for _, w := range s.writes(s.txnOf[i]) {
		s.lose(w)
	}
	s.pass(i)
	return true
}

// force executes a node that cannot go on, the one with which least goes wrong: of those that are
// first to wait for a key, and those that wait for what an open read returned.
func (s *scheduler) force() {
	best, least := int32(-1), int32(0)
	try := func(i, cost int32) {
		if best < 0 || cost < least {
			best, least = i, cost
		}
	}
	for _, k := range s.locked {
		if i := s.first(k); i >= 0 {
			try(i, s.cost(i))
		}
	}
	s.parkedList = slices.DeleteFunc(s.parkedList, func(i int32) bool { return !s.parked[i] })
	for _, i := range s.parkedList {
		try(i, s.hunger(s.txnOf[i]))
	}
	if best < 0 {
		panic("polysi: the edges to follow have a cycle")
	}
	t := s.txnOf[best]
	s.waitsFor[best], s.parked[best] = -1, false
	for _, w := range s.writes(t) {
		k := s.v.key[w]
		if h := s.holder[k]; best == s.begin[t] && h >= 0 {
			s.clashes = append(s.clashes, clash{h, w})
		}
		if best == s.commit[t] && s.lost(t, k) > 0 {
			s.clashes = append(s.clashes, clash{s.current[k], w})
			s.tooLate(s.current[k], t)
		}
	}
	if best == s.begin[t] {
		s.wrong = append(s.wrong, s.starved(t)...)
	}
	s.execute(best)
}

// tooLate notes the open reads to come that have only a version to read that is overwritten.
func (s *scheduler) tooLate(v int32, by history.Txn) {
	for _, i := range s.readers.at(int(v)) {
		if t := s.h.TxnOf(s.open[i].op); s.due[i] == v && t != by && s.place[s.begin[t]] < 0 {
			s.wrong = append(s.wrong, i)
		}
	}
}

// cost is how much a waiting node would take away.
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

// hunger is how many open reads of a transaction find nothing, without those for which there will
// be nothing any more.
func (s *scheduler) hunger(t history.Txn) int32 {
	n := int32(0)
	for _, i := range s.starved(t) {
		if s.alive[i] > 0 {
			n++
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
