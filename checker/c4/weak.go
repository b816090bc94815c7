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

// weakPass concludes the edges of RC and RA for a stretch of transactions.
type weakPass struct {
	*analysis
	out []inferred
	// Of the transaction: its reads of a key are linked from firstRead on.
	stamp     []history.Txn // of keys
	firstRead []int32
	next      []int32       // of its reads
	seen      []history.Txn // of transactions that it read from
}

// weakEdges concludes WW edges from what RC and RA make visible: who was read from
// before, who was read from at all, and who is before in the session. For every
// writer and key the next read is enough.
func (a *analysis) weakEdges() []inferred {
	bounds := a.stretches()
	parts := make([][]inferred, a.workers)
	parallel(a.workers, func(i int) {
		p := &weakPass{
			analysis: a, stamp: make([]history.Txn, a.h.NumKeys()), firstRead: make([]int32, a.h.NumKeys()),
			seen: make([]history.Txn, a.h.NumTxns()),
		}
		for t := bounds[i]; t < bounds[i+1]; t++ {
			p.txn(t)
			if t&0xffff == 0 && a.ctx.Err() != nil {
				return
			}
		}
		parts[i] = p.out
	})
	return slices.Concat(parts...)
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
	session := p.h.SessionOf(t)
	start, _ := p.h.Txns(session)
	for i := lo; i < hi; i++ {
		r := p.reads[i]
		if t > start {
			// The last one in the session that wrote the key is before its source.
			if u := lastUpTo(p.writersOf(r.key), t-1); u >= start && u != r.from && (p.h.SessionOf(r.from) != session || r.from < u) {
				p.out = append(p.out, inferred{from: u, to: r.from, key: r.key, read: i, via: -1})
			}
		}
		if r.from == history.InitialTxn || p.seen[r.from] == t {
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

// overlap takes a key that the source of read i wrote, and that the reader read.
func (p *weakPass) overlap(i, lo int32, k history.Key) {
	r := p.reads[i]
	anyRead, later, both := int32(-1), int32(-1), false
	for j := p.firstRead[k]; j >= 0; j = p.next[j-lo] {
		q := p.reads[j]
		if q.from == r.from {
			both = true
			continue
		}
		if anyRead < 0 {
			anyRead = j
		}
		if later < 0 && q.op > r.op {
			later = j
		}
	}
	if later >= 0 {
		p.out = append(p.out, inferred{r.from, p.reads[later].from, k, later, i, true, both})
	}
	if anyRead >= 0 && anyRead != later {
		p.out = append(p.out, inferred{r.from, p.reads[anyRead].from, k, anyRead, i, false, both})
	}
}
