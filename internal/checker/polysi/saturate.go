package polysi

import (
	"slices"

	"github.com/txrobust/robust/history"
)

// saturate concludes edges until there are no more: of two chains one is before the
// other, and where one way would close a cycle the other one holds. It is false if
// what is known has a cycle.
func (p *polygraph) saturate() (bool, error) {
	for {
		if !p.sort() {
			return false, nil
		}
		p.tick()
		p.round++
		before := len(p.edges)
		hope := p.settleOpen()
		if hope && p.clocks != nil {
			for k := range p.chains {
				p.sweep(p.chains[k])
			}
		}
		if p.stopped() {
			return true, p.ctx.Err()
		}
		if !hope || len(p.edges) == before {
			return true, nil
		}
	}
}

// stopped tells whether the time is over. It may be called often.
func (p *polygraph) stopped() bool {
	if p.calls++; p.calls&7 == 0 && !p.over {
		p.over = p.ctx.Err() != nil
	}
	return p.over
}

// before tells whether chain y has to be before chain x, for in the other order
// there would be a cycle: y begins before x ends, or who reads the end of x
// knows the begin of y.
func (p *polygraph) before(y, x chain) bool {
	if p.reaches(p.beginOf(y.head), p.commitOf(x.tail)) {
		return true
	}
	head := p.commitOf(y.head)
	return !p.readers(x.tail, func(i int32) bool {
		t := p.reader(i)
		return t == p.v.txn[y.head] || !p.reaches(head, p.begin[t])
	})
}

// sweep looks for chains of a key that have to be before others. For every chain and
// every strand only the last one is of interest, and only if it is not before the
// chain's own predecessor in its strand, too: the other edges follow.
func (p *polygraph) sweep(chains []chain) {
	for from := 0; from < len(chains); {
		to := p.stretch(chains, from)
		for i := from; i < to && !p.stopped(); i++ {
			if i > from {
				p.put(chains[i-1], chains[i])
			}
			if i+1 < to && p.before(chains[i+1], chains[i]) {
				p.put(chains[i+1], chains[i])
			}
		}
		for start := 0; start < len(chains); {
			end := p.stretch(chains, start)
			if start != from {
				p.sweepStrands(chains[start:end], chains[from:to])
			}
			start = end
		}
		from = to
	}
}

// stretch gives the end of the chains whose heads are in one strand.
func (p *polygraph) stretch(chains []chain, from int) int {
	to := from + 1
	for to < len(chains) && p.strand[p.beginOf(chains[to].head)] == p.strand[p.beginOf(chains[from].head)] {
		to++
	}
	return to
}

// sweepStrands takes the chains of one strand that have to be before those of
// another.
func (p *polygraph) sweepStrands(earlier, later []chain) {
	j := 0
	for _, x := range later {
		if p.stopped() {
			return
		}
		old := j
		for j < len(earlier) && p.before(earlier[j], x) {
			j++
		}
		if j > old {
			p.put(earlier[j-1], x)
		}
	}
}

// put adds the edges by which chain y is before chain x, as far as they are not
// known: WW, and RW from the readers of the end of y.
func (p *polygraph) put(y, x chain) {
	if from, to := p.commitOf(y.tail), p.beginOf(x.head); !p.reaches(from, to) {
		p.add(from, to, ordered, y.tail, x.head)
	}
	to := p.commitOf(x.head)
	p.readers(y.tail, func(i int32) bool {
		if from := p.begin[p.reader(i)]; p.reader(i) != p.v.txn[x.head] && !p.reaches(from, to) {
			p.add(from, to, overtaken, i, x.head)
		}
		return true
	})
}

// settleOpen leaves out writers that open reads cannot come from. What has one left is
// definite. It is false if a read has none left, which the search finds again.
func (p *polygraph) settleOpen() bool {
	if p.clocks == nil {
		return true
	}
	left := p.open[:0]
	for i, x := range p.open {
		if p.stopped() {
			p.open = append(left, p.open[i:]...)
			return true
		}
		from := p.possible(x)
		x.from = from
		switch {
		case len(from) == 0:
			p.open = append(left, p.open[i:]...)
			p.hopeless = true
			return false
		case len(from) == 1 && p.reads.live[from[0]]:
			if from[0] == history.InitialTxn {
				p.initials = append(p.initials, x)
			}
			p.list = append(p.list, read{x.op, x.key, from[0]})
			n := int32(len(p.list) - 1)
			p.addReader(n, p.v.of(x.key, from[0]))
			p.readEdges(n, p.list[n])
		default:
			left = append(left, x)
		}
	}
	p.open = left
	return true
}

// possible gives the transactions from which an open read may come, as far as is known: those that are
// not after the reader, nor overwritten before it.
func (p *polygraph) possible(x openRead) []history.Txn {
	t := p.h.TxnOf(x.op)
	reader := p.begin[t]
	// The last chains before the reader of each strand; those before them say nothing more.
	var seen []chain
	for _, c := range p.chains[x.key] {
		if p.v.txn[c.head] == t || !p.reaches(p.commitOf(c.head), reader) {
			continue
		}
		if n := len(seen); n > 0 && p.strand[p.beginOf(seen[n-1].head)] == p.strand[p.beginOf(c.head)] {
			seen[n-1] = c
		} else {
			seen = append(seen, c)
		}
	}
	out := make([]history.Txn, 0, len(x.from))
	for _, from := range x.from {
		if p.mayRead(x, from, seen) {
			out = append(out, from)
		}
	}
	if len(out) == len(x.from) {
		return x.from // which may be shared
	}
	return slices.Clip(out)
}

// mayRead tells whether an open read may come from a transaction, as far as is known, where
// some chains were written before it.
func (p *polygraph) mayRead(x openRead, from history.Txn, seen []chain) bool {
	t := p.h.TxnOf(x.op)
	reader := p.begin[t]
	if p.reaches(reader, p.commit[from]) {
		return false
	}
	w := p.v.of(x.key, from)
	if p.reads.maybe[from] {
		return true
	}
	if u := p.v.next[w]; u >= 0 {
		return p.v.txn[u] == t || !p.reaches(p.commitOf(u), reader)
	}
	for _, c := range seen {
		if c.tail != w && p.reaches(p.commit[from], p.beginOf(c.head)) {
			return false
		}
	}
	return true
}
