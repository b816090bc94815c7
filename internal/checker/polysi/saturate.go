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
			p.sweep()
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
			p.fresh[x.key] = true
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
