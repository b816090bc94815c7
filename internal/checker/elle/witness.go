package elle

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/txrobust/robust/history"
)

// order gives the begins (2t) and commits (2t+1) of the transactions that
// happened in an order of some edges: if the layout is split transactions may
// overlap, otherwise each is alone. It is nil if there is none, or none was found.
//
// Among those that may come next, commits go first, or without a split those that
// only read, for they can do no harm; and then what ended first: so databases that
// are linearizable need no luck where the version order of a register is not known.
func (a *analysis) order(kinds edges, lay layout, exclusive bool) []int32 {
	g := &a.g
	n := g.nodes
	if lay.split {
		n *= 2
	}
	in := make([]int32, n)
	each := func(v int32, visit func(w int32)) {
		f := frame{v, -1}
		for {
			w, ok := g.step(&f, kinds, lay)
			if !ok {
				return
			}
			visit(w)
		}
	}
	for v := range n {
		each(v, func(w int32) { in[w]++ })
	}
	q := newQueue(a, lay.split)
	for v := range n {
		if in[v] == 0 {
			heap.Push(q, v)
		}
	}
	var events []int32
	held, readers := newHolder(a, lay.split && exclusive), newReaders(a, lay.split)
	done := int32(0)
	for q.Len() > 0 {
		v := heap.Pop(q).(int32)
		if !readers.may(v) || !held.may(v) {
			continue // until those that hold it are done
		}
		done++
		t := v
		if lay.split {
			t /= 2
		}
		if !g.hub(t) && a.in[t] && t != 0 {
			if lay.split {
				events = append(events, v)
			} else {
				events = append(events, 2*v, 2*v+1)
			}
		}
		each(v, func(w int32) {
			if in[w]--; in[w] == 0 {
				heap.Push(q, w)
			}
		})
		for _, w := range append(held.released(v), readers.done(v)...) {
			heap.Push(q, w)
		}
	}
	if done < n {
		return nil
	}
	return events
}

// holder keeps transactions from beginning while another one is open that wrote
// one of the lists whose last appends nobody observed: their order is free, but
// under snapshot isolation they cannot overlap.
type holder struct {
	a       *analysis
	split   bool
	open    map[history.Key]int32 // the transaction
	waiting map[int32][]int32     // begins that wait for a transaction
}

func newHolder(a *analysis, split bool) *holder {
	return &holder{a, split, map[history.Key]int32{}, map[int32][]int32{}}
}

// may tells whether an event may happen now, and if so makes it happen.
func (d *holder) may(v int32) bool {
	if !d.split || d.a.g.hub(v/2) || v&1 == 1 || !d.a.in[v/2] {
		return true
	}
	h := d.a.h
	first, end := h.Ops(history.Txn(v / 2))
	if v/2 == 0 {
		return true
	}
	for o := first; o < end; o++ {
		if h.Kind(o).Writes() {
			if by, ok := d.open[h.Key(o)]; ok {
				d.waiting[by] = append(d.waiting[by], v)
				return false
			}
		}
	}
	for o := first; o < end; o++ {
		if h.Kind(o).Writes() {
			d.open[h.Key(o)] = v / 2
		}
	}
	return true
}

// released gives the begins that may be tried again after an event.
func (d *holder) released(v int32) []int32 {
	if !d.split || v&1 == 0 || d.a.g.hub(v/2) || !d.a.in[v/2] || v/2 == 0 {
		return nil
	}
	h := d.a.h
	first, end := h.Ops(history.Txn(v / 2))
	for o := first; o < end; o++ {
		if h.Kind(o).Writes() {
			delete(d.open, h.Key(o))
		}
	}
	w := d.waiting[v/2]
	delete(d.waiting, v/2)
	return w
}

// ranks gives every transaction its place by its end, and where that is not
// known by its place in its session.
func (a *analysis) ranks() []int32 {
	h := a.h
	order := make([]history.Txn, h.NumTxns())
	for t := range order {
		order[t] = history.Txn(t)
	}
	slices.SortFunc(order, func(t, u history.Txn) int {
		return cmp.Or(cmp.Compare(h.End(t), h.End(u)), cmp.Compare(h.Begin(t), h.Begin(u)), cmp.Compare(h.Position(t), h.Position(u)), cmp.Compare(t, u))
	})
	rank := make([]int32, len(order))
	for i, t := range order {
		rank[t] = int32(i)
	}
	return rank
}

// queue has the nodes that may come next: hubs, then commits or what only reads,
// then the rest.
type queue struct {
	a     *analysis
	split bool
	rank  []int32
	// reads are the transactions that only read, and harmlessly, if there is no
	// split.
	reads []bool
	nodes []int32
}

func newQueue(a *analysis, split bool) *queue {
	q := &queue{a: a, split: split, rank: a.ranks(), reads: make([]bool, a.h.NumTxns())}
	for t := range q.reads {
		q.reads[t] = !split
	}
	for o := range history.Op(a.h.NumOps()) {
		q.reads[a.h.TxnOf(o)] = q.reads[a.h.TxnOf(o)] && a.harmless(o)
	}
	return q
}

// harmless tells whether an operation may as well happen as soon as everything has
// that it depends on: a read whose place between the writes is known.
func (a *analysis) harmless(o history.Op) bool {
	return a.h.Kind(o).Reads() && (a.h.Kind(o) != history.Read || !a.says(o) || len(a.of(o)) == 1)
}

func (q *queue) place(v int32) (int32, int32) {
	t := v
	if q.split {
		t /= 2
	}
	switch {
	case q.a.g.hub(t):
		return 0, t
	case q.split && v&1 == 1 || q.reads[t]:
		return 1, q.rank[t]
	}
	return 2, q.rank[t]
}

func (q *queue) Len() int { return len(q.nodes) }
func (q *queue) Less(i, j int) bool {
	x, m := q.place(q.nodes[i])
	y, n := q.place(q.nodes[j])
	return cmp.Or(cmp.Compare(x, y), cmp.Compare(m, n)) < 0
}
func (q *queue) Swap(i, j int) { q.nodes[i], q.nodes[j] = q.nodes[j], q.nodes[i] }
func (q *queue) Push(x any)    { q.nodes = append(q.nodes, x.(int32)) }
func (q *queue) Pop() any {
	v := q.nodes[len(q.nodes)-1]
	q.nodes = q.nodes[:len(q.nodes)-1]
	return v
}

// serialEvents makes begins and commits of an order of nodes.
func (a *analysis) serialEvents(nodes []int32) []int32 {
	var events []int32
	for _, v := range nodes {
		if !a.g.hub(v) && v != 0 && a.in[v] {
			events = append(events, 2*v, 2*v+1)
		}
	}
	return events
}

// replay executes begins and commits under snapshot isolation, and tells whether
// every read returns what it did: the witness of an accepted level. It knows
// nothing of how the order was found. A serial order is one in which every
// transaction commits right after its begin.
type replay struct {
	h         *history.History
	in        []bool
	exclusive bool // concurrent writes of one key are an error

	now     int32
	began   []int32 // when transactions began; 0 before
	changed []int32 // when keys were written last

	register []history.Op
	list     [][]history.Value
	compared [][]history.Value // a prefix of list that was read, by its memory
	set      []map[history.Value]bool
	sum      []int64
	base     []bool // the amount of a counter is known
}

func newReplay(h *history.History, in []bool, exclusive bool) *replay {
	n := h.NumKeys()
	r := &replay{h: h, in: in, exclusive: exclusive, began: make([]int32, h.NumTxns()), changed: make([]int32, n),
		register: make([]history.Op, n), list: make([][]history.Value, n), compared: make([][]history.Value, n),
		set: make([]map[history.Value]bool, n), sum: make([]int64, n), base: make([]bool, n)}
	for k := range n {
		r.register[k] = history.Op(k)
		if v := h.Value(history.Op(k)); v != history.NoValue {
			r.sum[k], r.base[k] = first(h.Amount(v)), true
		}
	}
	return r
}

func first(n int64, _ bool) int64 { return n }

// run tells whether the events are an execution.
func (r *replay) run(events []int32) bool {
	for _, e := range events {
		r.now++
		if t := history.Txn(e / 2); e&1 == 0 {
			if r.began[t] != 0 || !r.begin(t) {
				return false
			}
			r.began[t] = r.now
		} else if r.began[t] <= 0 || !r.commit(t) {
			return false
		} else {
			r.began[t] = -r.now
		}
	}
	for t := 1; t < len(r.in); t++ {
		if r.in[t] != (r.began[t] < 0) {
			return false
		}
	}
	return true
}

// begin checks the reads of a transaction, all on the snapshot that it takes now,
// with its own writes on top.
func (r *replay) begin(t history.Txn) bool {
	h := r.h
	start, end := h.Ops(t)
	for o := start; o < end; o++ {
		if h.Kind(o).Writes() || !h.Known(o) {
			continue
		}
		k := h.Key(o)
		ok := false
		switch h.Kind(o) {
		case history.Read:
			w := r.register[k]
			for p := start; p < o; p++ {
				if h.Key(p) == k && h.Kind(p).Writes() {
					w = p
				}
			}
			ok = h.Value(w) == h.Value(o)
			if v, x := h.Version(w), h.Version(o); v != history.NoValue && x != history.NoValue {
				ok = v == x
			}
		case history.ReadList:
			ok = r.reads(start, o)
		case history.ReadSet:
			own := map[history.Value]bool{}
			for p := start; p < o; p++ {
				if h.Key(p) == k && h.Kind(p) == history.Add && !r.set[k][h.Value(p)] {
					own[h.Value(p)] = true
				}
			}
			n := 0
			ok = true
			seen := map[history.Value]bool{}
			for _, v := range h.List(o) {
				ok = ok && (r.set[k][v] || own[v]) && !seen[v]
				seen[v] = true
				n++
			}
			ok = ok && n == len(r.set[k])+len(own)
		case history.ReadCounter:
			n, isInt := h.Amount(h.Value(o))
			for p := start; p < o; p++ {
				if h.Key(p) == k && h.Kind(p) == history.Increment {
					m, _ := h.Amount(h.Value(p))
					n -= m
				}
			}
			if !r.base[k] {
				r.base[k], r.sum[k] = true, n
			}
			ok = isInt && n == r.sum[k]
		}
		if !ok {
			return false // also of ranges, whose keys have no order here
		}
	}
	return true
}

// reads tells whether a list read shows the list and then the own appends.
func (r *replay) reads(start, o history.Op) bool {
	h, k := r.h, r.h.Key(o)
	list, state := h.List(o), r.list[k]
	if len(list) < len(state) {
		return false
	}
	if p := list[:len(state)]; len(p) > 0 && !(len(r.compared[k]) >= len(p) && &r.compared[k][0] == &p[0]) {
		if !slices.Equal(p, state) {
			return false
		}
		r.compared[k] = p
	}
	list = list[len(state):]
	for p := start; p < o; p++ {
		if h.Key(p) != k || h.Kind(p) != history.Append {
			continue
		}
		if len(list) == 0 || list[0] != h.Value(p) {
			return false
		}
		list = list[1:]
	}
	return len(list) == 0
}

// commit installs the writes of a transaction, unless somebody wrote one of their
// keys since it began.
func (r *replay) commit(t history.Txn) bool {
	h := r.h
	start, end := h.Ops(t)
	for o := start; o < end; o++ {
		if k := h.Key(o); r.exclusive && h.Kind(o).Writes() && r.changed[k] > r.began[t] {
			return false
		}
	}
	for o := start; o < end; o++ {
		k := h.Key(o)
		if !h.Kind(o).Writes() {
			continue
		}
		r.changed[k] = r.now
		switch h.Kind(o) {
		case history.Append:
			r.list[k] = append(r.list[k], h.Value(o))
		case history.Add:
			if r.set[k] == nil {
				r.set[k] = map[history.Value]bool{}
			}
			r.set[k][h.Value(o)] = true
		case history.Increment:
			n, _ := h.Amount(h.Value(o))
			r.sum[k] += n
		case history.Write, history.Insert, history.Delete:
			r.register[k] = o
		default:
			panic("elle: an unknown kind of write")
		}
	}
	return true
}

// keeps tells whether the events respect the order of sessions, and real time
// between a commit and later begins (recent) or commits (late).
func keeps(h *history.History, events []int32, sessions, recent, late bool) bool {
	end := int64(history.NoEnd)                // the least one of those that commit later
	later := map[history.Session]history.Txn{} // the first that commits later
	for _, e := range slices.Backward(events) {
		t := history.Txn(e / 2)
		s := h.SessionOf(t)
		u, ok := later[s]
		if e&1 == 1 {
			if late && end < h.Begin(t) {
				return false
			}
			end = min(end, h.End(t))
			if !ok || t < u {
				later[s] = t
			}
			continue
		}
		if recent && end < h.Begin(t) || sessions && ok && u < t {
			return false
		}
	}
	return true
}
