package follow

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/txrobust/robust/history"
)

// need is a version of a key that a transaction has to find when it begins: 0 is that of
// the closed past, 1+n that of the node n; of a list it is the number of elements.
type need struct {
	key, version int32
}

// making is what a transaction does to a key when it commits.
type making struct {
	key int32
	// elements are how many it appends to a list; 0 for a register.
	elements int32
	// at is where reads show them in the list, -1 if no read shows them.
	at int32
}

// node is a transaction to be put in order.
type node struct {
	txn         *txn
	needs       []need
	makes       []making
	pred        int32 // the node before in the session, -1 if there is none
	began       int   // how many had committed before
	begun, done bool
}

// scheduler puts transactions in an order in which each one finds what it read: it executes
// them, in the order of the stream as far as that goes.
type scheduler struct {
	nodes []*node
	// snapshots lets a transaction begin before others that commit before it: SI instead
	// of SER.
	snapshots bool
	// strict: who writes a key commits in the order of the stream.
	strict bool

	writers   map[int32][]int32 // of keys: who has not committed, in the order of the stream
	state     map[int32]int32   // of keys: the version now
	shown     map[int32]int32   // of lists: how many elements reads show
	holes     map[need]bool     // of lists: elements whose writer is not recorded yet
	waiting   map[need]int      // how many still have to begin at a version
	needers   map[need][]int32
	makers    map[int32]int // of keys: who began and will write it
	committed map[int32]int // of keys: when it was written last
	commits   int
	wakeNode  map[int32][]int32
	wakeKey   map[int32][]int32
	ready     queue
	order     []*txn
}

// schedule looks for an order of the transactions for SER, or for SI if snapshots is set. It
// may fail where there is one.
func (j *Judge) schedule(live []*txn, snapshots bool) (order []*txn, ok bool) {
	// Whose write comes last is a guess where nobody read it: the order of the stream is the best.
	if order, ok = j.scheduleBy(live, snapshots, true); !ok {
		order, ok = j.scheduleBy(live, snapshots, false)
	}
	return order, ok
}

func (j *Judge) scheduleBy(live []*txn, snapshots, strict bool) (order []*txn, ok bool) {
	s := &scheduler{snapshots: snapshots, strict: strict, writers: map[int32][]int32{}, state: map[int32]int32{}, shown: map[int32]int32{}, holes: map[need]bool{}, waiting: map[need]int{},
		needers: map[need][]int32{}, makers: map[int32]int{}, committed: map[int32]int{}, wakeNode: map[int32][]int32{}, wakeKey: map[int32][]int32{}}
	effective := j.effective(live)
	defer func() {
		for _, t := range effective {
			t.node = -1
		}
	}()
	last := map[int32]int32{}
	for i, t := range effective {
		t.node = int32(i)
		n := &node{txn: t, pred: -1}
		if p, ok := last[t.session]; ok {
			n.pred = p
		}
		last[t.session] = t.node
		s.nodes = append(s.nodes, n)
	}
	longest, ok := j.longest(effective)
	if !ok {
		return nil, false
	}
	places := map[version]int32{}
	for k, list := range longest {
		s.shown[k] = int32(len(list))
		for i, e := range list {
			v := version{k, e}
			places[v] = int32(i)
			if j.writers[v] == nil {
				s.holes[need{k, int32(i)}] = true
			}
		}
	}
	for _, n := range s.nodes {
		if !j.demands(n) || !n.makeAll(j, places) {
			return nil, false
		}
		for _, d := range n.needs {
			s.waiting[d]++
			s.needers[d] = append(s.needers[d], n.txn.node)
		}
		for _, m := range n.makes {
			s.writers[m.key] = append(s.writers[m.key], n.txn.node)
		}
	}
	return s.order, s.run()
}

// effective gives the transactions that took effect: of unknown outcome are those from which
// others read.
func (j *Judge) effective(live []*txn) []*txn {
	open := []*txn{}
	in := map[*txn]bool{}
	take := func(t *txn) {
		if !in[t] && t.status != history.Aborted {
			in[t] = true
			open = append(open, t)
		}
	}
	unknown := false
	for _, t := range live {
		if t.status == history.Committed {
			take(t)
		}
		unknown = unknown || t.status == history.Unknown
	}
	for i := 0; unknown && i < len(open); i++ {
		t := open[i]
		for at := range t.ops {
			if o := &t.ops[at]; !o.writes() {
				s := j.sourceOf(t, at)
				if s.txn != nil && !s.txn.closed {
					take(s.txn)
				}
				for _, e := range s.elements {
					if w := j.writers[version{o.key, e}]; w != nil && !w.txn.closed {
						take(w.txn)
					}
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(live), func(t *txn) bool { return !in[t] })
}

// longest gives for each list the longest of its reads, without what the closed past left
// there; ok is false if another read is no beginning of it.
func (j *Judge) longest(effective []*txn) (lists map[int32][]history.Name, ok bool) {
	lists = map[int32][]history.Name{}
	var reads []source
	var keys []int32
	for _, t := range effective {
		for i := range t.ops {
			o := &t.ops[i]
			if o.writes() || j.keys[o.key].kind != history.List {
				continue
			}
			s := j.sourceOf(t, i)
			if len(s.elements) > len(lists[o.key]) {
				lists[o.key] = s.elements
			}
			reads, keys = append(reads, s), append(keys, o.key)
		}
	}
	for i, s := range reads {
		if !slices.Equal(s.elements, lists[keys[i]][:len(s.elements)]) {
			return nil, false
		}
	}
	return lists, true
}

// demands finds what a node needs; it is false if no order can give it that.
func (j *Judge) demands(n *node) bool {
	find := func(d need) bool {
		for _, had := range n.needs {
			if had.key == d.key {
				return had == d
			}
		}
		n.needs = append(n.needs, d)
		return true
	}
	t := n.txn
	for i := range t.ops {
		o := &t.ops[i]
		if o.writes() {
			if t.guarded && !find(need{o.key, 0}) {
				return false
			}
			continue
		}
		s := j.sourceOf(t, i)
		d := need{key: o.key, version: int32(len(s.elements))}
		switch s.origin {
		case fromNowhere, fromSelf:
			continue
		case fromPending:
			if s.elements == nil {
				continue
			}
		case fromBase:
		case fromLive:
			if s.txn.node < 0 {
				return false
			}
			if s.elements == nil {
				d.version = 1 + s.txn.node
			}
		default:
			return false
		}
		if !find(d) {
			return false
		}
	}
	return true
}

// makeAll finds what a node writes; it is false if a list shows its elements in no order that
// it could have given them.
func (n *node) makeAll(j *Judge, places map[version]int32) bool {
	for i := range n.txn.ops {
		o := &n.txn.ops[i]
		if !o.writes() {
			continue
		}
		at := slices.IndexFunc(n.makes, func(m making) bool { return m.key == o.key })
		if at < 0 {
			at = len(n.makes)
			n.makes = append(n.makes, making{key: o.key, at: -1})
		}
		m := &n.makes[at]
		if o.kind != history.Append {
			continue
		}
		place, shown := places[version{o.key, o.value}]
		switch {
		case m.elements == 0 && shown:
			m.at = place
		case m.elements > 0 && shown && (m.at < 0 || place != m.at+m.elements):
			return false
		case m.elements > 0 && !shown && m.at >= 0:
			return false
		}
		m.elements++
	}
	return true
}

// run executes all nodes, and tells whether it could.
func (s *scheduler) run() bool {
	for i := range s.nodes {
		s.ready.push(int32(i))
	}
	for len(s.ready.nodes) > 0 {
		i := s.ready.pop()
		if n := s.nodes[i]; !n.done && !s.try(i, n) {
			return false
		}
	}
	return len(s.order) == len(s.nodes)
}

// now is the version of a key, behind elements whose writers are not recorded yet.
func (s *scheduler) now(k int32) int32 {
	v := s.state[k]
	for s.holes[need{k, v}] && s.waiting[need{k, v}] == 0 {
		v++
		s.state[k] = v
	}
	return v
}

// try executes a node if it can, or remembers what it waits for. It is false if the node can
// never be executed.
func (s *scheduler) try(i int32, n *node) bool {
	if n.pred >= 0 && !s.nodes[n.pred].done {
		s.wakeNode[n.pred] = append(s.wakeNode[n.pred], i)
		return true
	}
	if !n.begun {
		for _, d := range n.needs {
			if s.now(d.key) != d.version {
				s.wakeKey[d.key] = append(s.wakeKey[d.key], i)
				return true
			}
		}
	}
	for _, m := range n.makes {
		wait, never := s.inTheWay(i, n, m)
		if never {
			return false
		}
		if wait {
			s.wakeKey[m.key] = append(s.wakeKey[m.key], i)
			return true
		}
	}
	if !n.begun {
		s.begin(n)
	}
	s.commit(i, n)
	return true
}

// inTheWay tells whether a node that is about to write a key has to wait, or can never.
func (s *scheduler) inTheWay(i int32, n *node, m making) (wait, never bool) {
	v := s.now(m.key)
	switch {
	case n.begun && s.committed[m.key] > n.began:
		return false, true // the first to commit wins
	case m.elements > 0 && m.at >= 0 && v != m.at, m.elements > 0 && m.at < 0 && v < s.shown[m.key]:
		return true, false
	}
	if s.strict && s.writers[m.key][0] != i {
		return true, false
	}
	others := s.makers[m.key]
	if n.begun {
		others--
	}
	if others > 0 {
		return true, false
	}
	d := need{m.key, v}
	left := s.waiting[d]
	if !n.begun && slices.Contains(n.needs, d) {
		left--
	}
	if left == 0 {
		return false, false
	}
	if !s.snapshots {
		return true, false
	}
	for _, u := range s.needers[d] {
		if other := s.nodes[u]; u != i && !other.begun && !s.beginEarly(other, m.key) {
			return true, false
		}
	}
	return false, false
}

// beginEarly gives a transaction its snapshot before it commits, unless it writes the key.
func (s *scheduler) beginEarly(n *node, key int32) bool {
	if n.pred >= 0 && !s.nodes[n.pred].done || slices.ContainsFunc(n.makes, func(m making) bool { return m.key == key }) {
		return false
	}
	for _, d := range n.needs {
		if s.now(d.key) != d.version {
			return false
		}
	}
	s.begin(n)
	return true
}

func (s *scheduler) begin(n *node) {
	n.begun, n.began = true, s.commits
	for _, d := range n.needs {
		if s.waiting[d]--; s.waiting[d] == 0 {
			s.wake(s.wakeKey, d.key)
		}
	}
	for _, m := range n.makes {
		s.makers[m.key]++
	}
}

func (s *scheduler) commit(i int32, n *node) {
	n.done = true
	s.commits++
	for _, m := range n.makes {
		if m.elements > 0 {
			s.state[m.key] += m.elements
		} else {
			s.state[m.key] = 1 + i
		}
		s.makers[m.key]--
		if s.strict {
			s.writers[m.key] = s.writers[m.key][1:]
		}
		s.committed[m.key] = s.commits
		s.wake(s.wakeKey, m.key)
	}
	s.order = append(s.order, n.txn)
	s.wake(s.wakeNode, i)
}

// wake makes nodes that wait for something try again.
func (s *scheduler) wake(waiting map[int32][]int32, what int32) {
	for _, i := range waiting[what] {
		s.ready.push(i)
	}
	delete(waiting, what)
}

// queue holds nodes, of which it gives the first one of the stream.
type queue struct{ nodes []int32 }

func (q *queue) push(i int32) { heap.Push((*numbers)(&q.nodes), i) }
func (q *queue) pop() int32   { return heap.Pop((*numbers)(&q.nodes)).(int32) }

type numbers []int32

func (n numbers) Len() int           { return len(n) }
func (n numbers) Less(i, j int) bool { return cmp.Less(n[i], n[j]) }
func (n numbers) Swap(i, j int)      { n[i], n[j] = n[j], n[i] }
func (n *numbers) Push(x any)        { *n = append(*n, x.(int32)) }
func (n *numbers) Pop() any {
	last := (*n)[len(*n)-1]
	*n = (*n)[:len(*n)-1]
	return last
}
