package c4

import (
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// listRead is a read of a list, without the elements that the reader appended
// itself before.
type listRead struct {
	op   history.Op
	key  history.Key
	list []history.Value
	// at is where the read belongs among the other reads of the transaction.
	at int32
}

// listOrder is a WW edge: two transactions wrote consecutive elements of a list.
type listOrder struct {
	from, to history.Txn
	key      history.Key
	read     history.Op
}

// list takes a read of a list: it checks the own elements, and leaves the others
// for when all reads of the key are known.
func (p *readPass) list(t history.Txn, o history.Op) {
	h := p.h
	k := h.Key(o)
	list := h.List(o)
	if _, ok := p.ownBefore(k); ok {
		var own []history.Value
		for w := p.first; w < o; w++ {
			if h.Kind(w).Writes() && h.Key(w) == k {
				own = append(own, h.Value(w))
			}
		}
		rest := len(list) - len(own)
		if rest < 0 || !slices.Equal(list[rest:], own) {
			anomaly, source := isolation.Anomaly(anomalies.NotMyOwnWrite), history.Op(-1)
			if n := len(list); n > 0 {
				for _, w := range p.src.Element(o, n-1) {
					source = w
					if p.first <= w && w < o {
						anomaly = anomalies.NotMyLastWrite
						break
					}
				}
			}
			p.wrong(anomaly, o, k, source)
			if own, _ := p.ownBefore(k); anomaly == anomalies.NotMyOwnWrite {
				p.twice(own, o, k, source)
			}
			return
		}
		list = list[:rest]
	}
	p.lists = append(p.lists, listRead{o, k, list, int32(len(p.reads))})
	p.reads = append(p.reads, read{o, k, noSource}) // to be settled
}

const noSource history.Txn = -1

// settleLists finds the sources of reads of lists: the longest list that was
// read of a key tells the order of its versions.
func (a *analysis) settleLists(reads []listRead) {
	slices.SortStableFunc(reads, func(x, y listRead) int { return int(x.key) - int(y.key) })
	for len(reads) > 0 {
		n := 1
		for n < len(reads) && reads[n].key == reads[0].key {
			n++
		}
		a.settleList(reads[:n])
		reads = reads[n:]
	}
}

func (a *analysis) settleList(reads []listRead) {
	if a.loaded(reads[0].key) {
		a.unsettled = true
		return
	}
	longest := reads[0]
	for _, r := range reads {
		if len(r.list) > len(longest.list) {
			longest = r
		}
	}
	c := a.chain(longest)
	for _, r := range reads {
		n := len(r.list)
		wrong := func(an isolation.Anomaly, source history.Op) {
			a.bad = append(a.bad, checker.Violation{Anomaly: an, Level: weakest(an), Read: r.op, Key: r.key, Source: source})
		}
		reader := a.h.TxnOf(r.op)
		switch {
		case !startsWith(longest.list, r.list):
			if i := a.unsourced(r); i >= 0 {
				wrong(anomalies.ThinAirRead, -1)
			} else {
				wrong(anomalies.IncompatibleOrder, -1)
			}
		case n > c.good && c.settled:
			an, source := c.anomaly, c.source
			if source >= 0 && a.h.TxnOf(source) == reader {
				an = anomalies.FutureRead
			}
			wrong(an, source)
		case n > c.good:
			a.unsettled = true
		case n == 0:
			a.reads[r.at].from = history.InitialTxn
		case c.writer[n-1] == reader:
			wrong(anomalies.FutureRead, c.append[n-1])
		case !c.complete[n-1]:
			wrong(anomalies.G1b, c.append[n-1])
		default:
			a.reads[r.at].from = c.writer[n-1]
		}
	}
	a.order(longest, c)
}

// unsourced gives the first element of a list that nobody appended, or -1.
func (a *analysis) unsourced(r listRead) int {
	for i := range r.list {
		if len(a.src.Element(r.op, i)) == 0 {
			return i
		}
	}
	return -1
}

// startsWith tells whether a list is a prefix of another. Most share memory.
func startsWith(long, list []history.Value) bool {
	if len(list) == 0 || len(list) <= len(long) && &long[0] == &list[0] {
		return true
	}
	return len(list) <= len(long) && slices.Equal(long[:len(list)], list)
}

// chain is the order of versions that a list shows: for every element who
// appended it, and whether the version that ends with it is that of its
// transaction.
type chain struct {
	writer   []history.Txn
	append   []history.Op
	complete []bool
	// good is how many elements are right; if settled, anomaly says what is wrong
	// with the next one, and source whose it is.
	good    int
	settled bool
	anomaly isolation.Anomaly
	source  history.Op
}

func (a *analysis) chain(r listRead) *chain {
	h := a.h
	c := &chain{settled: true, source: -1}
	fail := func(an isolation.Anomaly, source history.Op) *chain {
		c.anomaly, c.source = an, source
		return c
	}
	seen := map[history.Op]bool{}
	for i := range r.list {
		all := a.src.Element(r.op, i)
		w := history.Op(-1)
		n := 0
		for _, x := range all {
			if h.Status(h.TxnOf(x)) != history.Aborted {
				w, n = x, n+1
			}
		}
		switch {
		case len(all) == 0:
			return fail(anomalies.ThinAirRead, -1)
		case n == 0:
			return fail(anomalies.G1a, all[0])
		case n > 1:
			c.settled = false
			return c
		case seen[w]:
			return fail(anomalies.DuplicateElements, w)
		}
		seen[w] = true
		t := h.TxnOf(w)
		// The elements of a transaction are together, in its order, and all
		// there before those of the next one.
		last := i > 0 && c.writer[i-1] == t
		if i > 0 && !last && !c.complete[i-1] {
			return fail(anomalies.G1b, c.append[i-1])
		}
		if before, ok := a.previousAppend(w); ok != last || ok && before != c.append[i-1] {
			return fail(anomalies.G1b, w)
		}
		c.writer = append(c.writer, t)
		c.append = append(c.append, w)
		c.complete = append(c.complete, a.w.Final(w))
		c.good++
	}
	return c
}

// previousAppend is the write of the same key before w in its transaction.
func (a *analysis) previousAppend(w history.Op) (history.Op, bool) {
	first, _ := a.h.Ops(a.h.TxnOf(w))
	for o := w - 1; o >= first; o-- {
		if a.h.Kind(o).Writes() && a.h.Key(o) == a.h.Key(w) {
			return o, true
		}
	}
	return 0, false
}

// order adds the WW edges that a list shows.
func (a *analysis) order(r listRead, c *chain) {
	var last history.Txn
	for i := range c.good {
		t := c.writer[i]
		if a.h.Status(t) == history.Unknown {
			a.live[t] = true // its element is there
		}
		if i > 0 && c.writer[i-1] != t {
			a.lists = append(a.lists, listOrder{c.writer[i-1], t, r.key, r.op})
		}
		last = t
	}
	if c.good == len(r.list) && c.good > 0 && c.complete[c.good-1] {
		a.tails = append(a.tails, tail{last, r, c.writer})
	}
}

// tail is the end of the longest list that was read: whatever else was appended
// comes later.
type tail struct {
	last history.Txn
	read listRead
	seen []history.Txn
}

// settleTails adds the WW edges to transactions whose elements nobody read.
func (a *analysis) settleTails() {
	for _, t := range a.tails {
		seen := map[history.Txn]bool{}
		for _, u := range t.seen {
			seen[u] = true
		}
		for _, u := range a.writersOf(t.read.key) {
			if !seen[u] {
				a.lists = append(a.lists, listOrder{t.last, u, t.read.key, t.read.op})
			}
		}
	}
}
