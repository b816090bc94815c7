package c4

import (
	"slices"

	"github.com/txrobust/robust/history"
)

// inferred is a WW edge that RC or RA demand: from is before to, because a
// transaction read a key from to and saw from, which wrote it, too.
type inferred struct {
	from, to history.Txn
	key      history.Key
	read     int32 // of key, from to
	via      int32 // the read from from; -1 if from is before in the session
	rc       bool  // RC demands it: via is before read
	both     bool  // the reader read key from both
}

func (e inferred) level() int {
	if e.rc {
		return rc
	}
	return ra
}

// weakEdges are the edges of RC, and those that RA adds.
type weakEdges struct {
	in [2][]*inEdges
	// direct: some edge leads to the initial transaction, which is a violation.
	direct [2]bool
}

// weakEdges concludes WW edges from what RC and RA make visible: who was read from
// before, who was read from at all, and who is before in the session. For every
// writer and key the next read is enough. max is the level up to which edges are
// asked for.
func (a *analysis) weakEdges(max int) weakEdges {
	passes := a.weakPasses(max, nil)
	var out weakEdges
	for _, p := range passes {
		for level := rc; level <= min(max, ra); level++ {
			out.in[level] = append(out.in[level], p.in[level])
			out.direct[level] = out.direct[level] || p.direct[level]
		}
	}
	return out
}

// weakOnes gives the edges of a kind one by one, in the order of their readers.
func (a *analysis) weakOnes(max int, keep func(e inferred) bool) []inferred {
	var out []inferred
	for _, p := range a.weakPasses(max, keep) {
		out = append(out, p.kept...)
	}
	return out
}

func (a *analysis) weakPasses(max int, keep func(e inferred) bool) []*weakPass {
	bounds := a.stretches()
	passes := make([]*weakPass, a.workers)
	parallel(a.workers, func(i int) {
		p := &weakPass{
			analysis: a, max: max, keep: keep,
			stamp: make([]history.Txn, a.h.NumKeys()), firstRead: make([]int32, a.h.NumKeys()),
			last: make([]history.Txn, a.h.NumKeys()), seen: make([]history.Txn, a.h.NumTxns()),
		}
		for level := rc; keep == nil && level <= min(max, ra); level++ {
			p.in[level] = newInEdges(a.h.NumTxns())
		}
		p.txns(bounds[i], bounds[i+1])
		passes[i] = p
	})
	return passes
}

// weakPass concludes the edges of RC and RA for a stretch of transactions.
type weakPass struct {
	*analysis
	max    int
	in     [2]*inEdges
	direct [2]bool
	// keep tells which edges are asked for; if it is nil, all are, as a graph.
	keep func(e inferred) bool
	kept []inferred

	// Of the transaction: its reads of a key are linked from firstRead on.
	stamp     []history.Txn // of keys
	firstRead []int32
	next      []int32       // of its reads
	seen      []history.Txn // of transactions that it read from
	last      []history.Txn // of keys: the last writer so far in a session
}

func (p *weakPass) txns(t, end history.Txn) {
	start := t
	if p.max >= ra && t < end && t != history.InitialTxn { // what the session wrote before
		start, _ = p.h.Txns(p.h.SessionOf(t))
	}
	for u := start; u < end; u++ {
		if u >= t {
			p.txn(u)
		}
		if p.max >= ra && u != history.InitialTxn && p.live[u] {
			for o, end := p.h.Ops(u); o < end; o++ {
				if p.h.Kind(o).Writes() {
					p.last[p.h.Key(o)] = u
				}
			}
		}
		if u&0xffff == 0 && p.ctx.Err() != nil {
			return
		}
	}
}

func (p *weakPass) emit(e inferred) {
	switch {
	case e.level() > p.max:
	case p.h.SessionOf(e.from) == p.h.SessionOf(e.to) && e.from < e.to:
		// Session order says the same.
	case p.keep != nil:
		if p.keep(e) {
			p.kept = append(p.kept, e)
		}
	case e.to == history.InitialTxn:
		p.direct[e.level()] = true
	default:
		p.in[e.level()].add(e.to, e.key, e.from)
	}
}

func (p *weakPass) txn(t history.Txn) {
	lo, hi := p.first[t], p.first[t+1]
	if lo == hi {
		return
	}
	p.next = slices.Grow(p.next[:0], int(hi-lo))[:hi-lo]
	for i := hi - 1; i >= lo; i-- {
		k := p.reads[i].key
		if p.next[i-lo] = -1; p.stamp[k] == t {
			p.next[i-lo] = p.firstRead[k]
		}
		p.stamp[k], p.firstRead[k] = t, i
	}
	start, _ := p.h.Txns(p.h.SessionOf(t))
	for i := lo; i < hi; i++ {
		r := p.reads[i]
		if u := p.last[r.key]; u >= start && u != r.from && !p.again(i, lo) {
			// The last one in the session that wrote the key is before its source.
			p.emit(inferred{from: u, to: r.from, key: r.key, read: i, via: -1})
		}
		if hi-lo == 1 || r.from == history.InitialTxn || p.seen[r.from] == t {
			continue
		}
		p.seen[r.from] = t
		first, end := p.h.Ops(r.from)
		if int(end-first) <= 4*int(hi-lo) {
			for o := first; o < end; o++ {
				if k := p.h.Key(o); k >= 0 && p.stamp[k] == t && p.h.Kind(o).Writes() && p.w.Final(o) {
					p.overlap(i, lo, k)
				}
			}
			continue
		}
		for j := lo; j < hi; j++ {
			if k := p.reads[j].key; p.firstRead[k] == j && p.wrote(r.from, k) {
				p.overlap(i, lo, k)
			}
		}
	}
}

// again tells whether the transaction read the same version before.
func (p *weakPass) again(i, lo int32) bool {
	r := p.reads[i]
	for j := p.firstRead[r.key]; j < i; j = p.next[j-lo] {
		if p.reads[j].from == r.from {
			return true
		}
	}
	return false
}

// overlap takes a key that the source of read i wrote, and that the reader read.
func (p *weakPass) overlap(i, lo int32, k history.Key) {
	r := p.reads[i]
	any, later, both := int32(-1), int32(-1), false
	for j := p.firstRead[k]; j >= 0; j = p.next[j-lo] {
		q := p.reads[j]
		if q.from == r.from {
			both = true
			continue
		}
		if any < 0 {
			any = j
		}
		if later < 0 && q.op > r.op {
			later = j
		}
	}
	if later >= 0 {
		p.emit(inferred{r.from, p.reads[later].from, k, later, i, true, both})
	}
	if any >= 0 && any != later {
		p.emit(inferred{r.from, p.reads[any].from, k, any, i, false, both})
	}
}
