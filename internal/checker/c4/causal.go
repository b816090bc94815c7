package c4

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/history"
)

// clocks tell for every transaction which others are in its causal past: one
// entry per session, the last transaction of it. Sessions without writes need no
// entry. Only those of some columns are in memory at a time.
type clocks struct {
	*analysis
	order   []history.Txn // causal, predecessors first
	column  []int32       // of sessions, -1 without one
	session []history.Session
	from    int // the columns in memory: from, …, from+width-1
	width   int
	rows    []history.Txn
}

func newClocks(a *analysis, order []history.Txn) *clocks {
	c := &clocks{analysis: a, order: order, column: make([]int32, a.h.NumSessions())}
	for s := range c.column {
		c.column[s] = -1
	}
	for _, t := range a.wTxns {
		if s := a.h.SessionOf(t); c.column[s] < 0 {
			c.column[s] = 0
		}
	}
	for s := range c.column {
		if c.column[s] == 0 {
			c.column[s] = int32(len(c.session))
			c.session = append(c.session, history.Session(s))
		}
	}
	return c
}

// load computes the columns from a number on, as many as fit into the memory.
func (c *clocks) load(from int) {
	n := c.h.NumTxns()
	c.from = from
	c.width = min(len(c.session)-from, int(max(1, c.memory/4/int64(n))))
	if len(c.rows) < n*c.width {
		c.rows = make([]history.Txn, n*c.width)
	} else {
		clear(c.rows)
	}
	// Every worker does some of the columns, for all transactions.
	workers := max(1, min(c.workers, c.width/4))
	parallel(workers, func(i int) { c.compute(c.width*i/workers, c.width*(i+1)/workers) })
}

func (c *clocks) compute(lo, hi int) {
	h := c.h
	for n, t := range c.order {
		if n&0xfffff == 0 && c.ctx.Err() != nil {
			return
		}
		row := c.rows[int(t)*c.width+lo : int(t)*c.width+hi]
		join := func(p history.Txn) {
			past := c.rows[int(p)*c.width+lo : int(p)*c.width+hi]
			for j, u := range past[:len(row)] {
				row[j] = max(row[j], u)
			}
			if j := int(c.column[h.SessionOf(p)]) - c.from - lo; 0 <= j && j < len(row) {
				row[j] = max(row[j], p)
			}
		}
		if h.Position(t) > 0 {
			join(t - 1)
		}
		for i := c.first[t]; i < c.first[t+1]; i++ {
			if p := c.reads[i].from; p != history.InitialTxn && !c.cut[i] {
				join(p)
			}
		}
	}
}

// row gives the columns of a transaction: the last of each session in its causal
// past, which does not contain itself.
func (c *clocks) row(t history.Txn) []history.Txn {
	return c.rows[int(t)*c.width : int(t+1)*c.width]
}

// sees tells whether t is in the causal past of u, known if its session has a
// column in memory.
func (c *clocks) sees(u, t history.Txn) (yes, known bool) {
	if t == history.InitialTxn {
		return u != t, true
	}
	j := int(c.column[c.h.SessionOf(t)]) - c.from
	if c.column[c.h.SessionOf(t)] < 0 || j < 0 || j >= c.width {
		return false, false
	}
	return c.row(u)[j] >= t, true
}

// overwritten is a read of a version that another one replaced in the causal
// past of the reader: by itself a violation of CC.
type overwritten struct {
	key    history.Key
	source history.Txn // what was read
	newer  history.Txn // causally after it, and before the readers
}

// causalEdges concludes WW edges: t2 is before t1, where somebody read a key from
// t1 and has t2, which wrote it too, in its causal past. Of every session the last
// such t2 is enough, and none that is in the causal past of t1.
func (a *analysis) causalEdges(c *clocks) (edges []*inEdges, over []overwritten) {
	a.indexReads()
	bounds := a.keyStretches()
	parts := make([][]overwritten, a.workers)
	edges = make([]*inEdges, a.workers)
	for i := range edges {
		edges[i] = newInEdges(a.h.NumTxns())
	}
	for from := 0; from < len(c.session); from += c.width {
		c.load(from)
		if a.ctx.Err() != nil {
			return nil, nil
		}
		parallel(a.workers, func(i int) {
			p := &causalPass{clocks: c, out: edges[i], over: parts[i], latest: make([]history.Txn, c.width)}
			for k := bounds[i]; k < bounds[i+1] && a.ctx.Err() == nil; k++ {
				p.key(k)
			}
			parts[i] = p.over
		})
	}
	over = slices.Concat(parts...)
	slices.SortFunc(over, func(x, y overwritten) int {
		return cmp.Or(cmp.Compare(x.key, y.key), cmp.Compare(x.source, y.source), cmp.Compare(x.newer, y.newer))
	})
	return edges, over
}

// keyStretches divides the keys among the workers, by reads.
func (a *analysis) keyStretches() []history.Key {
	bounds := []history.Key{0}
	k := 0
	for i := 1; i < a.workers; i++ {
		for k < a.h.NumKeys() && int64(a.kFirst[k]) < int64(len(a.reads))*int64(i)/int64(a.workers) {
			k++
		}
		bounds = append(bounds, history.Key(k))
	}
	return append(bounds, history.Key(a.h.NumKeys()))
}

// causalPass does one key after the other.
type causalPass struct {
	*clocks
	out    *inEdges
	over   []overwritten
	pairs  []uint64
	groups []group
	latest []history.Txn
	found  []history.Txn
}

// group are the writers of a key in one session.
type group struct {
	column int
	txns   []history.Txn
}

func (p *causalPass) key(k history.Key) {
	h := p.h
	writers := p.writersOf(k)
	reads := p.byKey[p.kFirst[k]:p.kFirst[k+1]]
	if len(writers) == 0 || len(reads) == 0 {
		return
	}
	p.groups = p.groups[:0]
	for i := 0; i < len(writers); {
		s := h.SessionOf(writers[i])
		_, end := h.Txns(s)
		n := i + 1
		for n < len(writers) && writers[n] < end {
			n++
		}
		if j := int(p.column[s]) - p.from; 0 <= j && j < p.width {
			p.groups = append(p.groups, group{j, writers[i:n]})
		}
		i = n
	}
	p.pairs = p.pairs[:0]
	for _, i := range reads {
		r := p.reads[i]
		p.pairs = append(p.pairs, uint64(r.from)<<32|uint64(h.TxnOf(r.op)))
	}
	slices.Sort(p.pairs)
	for i := 0; i < len(p.pairs); {
		from := history.Txn(p.pairs[i] >> 32)
		latest := p.row(history.Txn(uint32(p.pairs[i])))
		if i++; i < len(p.pairs) && history.Txn(p.pairs[i]>>32) == from {
			copy(p.latest, latest)
			latest = p.latest
			for ; i < len(p.pairs) && history.Txn(p.pairs[i]>>32) == from; i++ {
				for j, t := range p.row(history.Txn(uint32(p.pairs[i]))) {
					latest[j] = max(latest[j], t)
				}
			}
		}
		p.version(k, from, latest)
	}
}

// version takes a version of a key and the last transactions that its readers
// have in their past.
func (p *causalPass) version(k history.Key, from history.Txn, latest []history.Txn) {
	var past []history.Txn
	own := -1
	if from != history.InitialTxn {
		past = p.row(from)
		own = int(p.column[p.h.SessionOf(from)]) - p.from
	}
	p.found = p.found[:0]
	for _, g := range p.groups {
		low := history.Txn(0)
		if past != nil {
			low = past[g.column]
		}
		if g.column == own {
			low = from
		}
		v := latest[g.column]
		if v <= low || v < g.txns[0] {
			continue
		}
		t := lastUpTo(g.txns, v)
		if t <= low {
			continue
		}
		if after, known := p.sees(t, from); known && after {
			p.over = append(p.over, overwritten{k, from, t})
			continue
		}
		p.found = append(p.found, t)
	}
	if len(p.found) > 0 {
		p.out.add(from, k, p.found...)
	}
}
