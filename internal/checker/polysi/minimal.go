package polysi

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/isolation"
)

// minimal leaves transactions out of a violation as long as those that are left violate the level by
// themselves. Any of what remains is needed: without it, and the reads that come from it, the
// others satisfy the level. For what satisfies a level does so without some transactions, too, each has to be
// tried only once. It is not sure that the result is minimal if the time is over, or a part of the violation is too
// hard.
func (p *polygraph) minimal(v *checker.Violation) (least *checker.Violation, sure bool) {
	if len(v.Cycle) == 0 {
		return v, true // it is a single read
	}
	txns := p.needed(v)
	least, sure = p.among(txns)
	if least == nil {
		return v, false
	}
	for more := p.needed(least); len(more) < len(txns); more = p.needed(least) {
		smaller, _ := p.among(more)
		if smaller == nil {
			break // the explanation does not say all
		}
		txns, least = more, smaller
	}
	for size := (len(txns) + 1) / 2; size > 0; size /= 2 {
		for at := 0; at < len(txns); {
			rest := slices.Concat(txns[:at], txns[min(at+size, len(txns)):])
			switch smaller, decided := p.among(rest); {
			case smaller != nil:
				txns, least = rest, smaller
			default:
				sure = sure && (decided || size > 1)
				at += size
			}
		}
	}
	mentioned := least.Txns(p.h)
	least.Others = slices.DeleteFunc(txns, func(t history.Txn) bool { return slices.Contains(mentioned, t) })
	return least, sure
}

// needed gives the transactions of a violation without the initial one, and those of the chains that
// its edges are about.
func (p *polygraph) needed(v *checker.Violation) []history.Txn {
	in := map[history.Txn]bool{}
	for _, t := range v.Txns(p.h) {
		in[t] = true
	}
	chain := func(k history.Key, t history.Txn) {
		w := p.v.of(k, t)
		if w < 0 {
			return
		}
		in[p.v.txn[w]] = true
		// The chain of a cycle may be closed.
		u := p.v.next[w]
		for ; u >= 0 && u != w; u = p.v.next[u] {
			in[p.v.txn[u]] = true
		}
		for x := w; x >= 0 && u != w; x = p.v.prev[x] {
			in[p.v.txn[x]] = true
		}
	}
	var walk func(es []checker.Edge)
	walk = func(es []checker.Edge) {
		for _, e := range es {
			if e.Key >= 0 {
				chain(e.Key, e.From)
				chain(e.Key, e.To)
			}
			if e.Dependency == isolation.RW {
				chain(e.Key, p.sourceOf(e.Read, e.Key))
			}
			walk(e.Because)
		}
	}
	walk(v.Cycle)
	// The initial one is always there, and those that only maybe took effect show nothing.
	maps.DeleteFunc(in, func(t history.Txn, _ bool) bool { return t == history.InitialTxn || !p.reads.live[t] })
	return slices.Sorted(maps.Keys(in))
}

// minimalConflicts bounds the search in a part of a violation.
const minimalConflicts = 10_000

// among gives a violation of the level by some transactions alone, with those reads that come from one of them or
// the initial version; nil if there is none, which may not be decided.
func (p *polygraph) among(txns []history.Txn) (v *checker.Violation, decided bool) {
	r := &reads{
		h: p.h, src: p.reads.src, writers: p.reads.writers, live: make([]bool, len(p.reads.live)), maybe: make([]bool, len(p.reads.maybe)),
	}
	r.live[history.InitialTxn] = p.reads.live[history.InitialTxn]
	for _, t := range txns {
		r.live[t] = true
	}
	for _, x := range p.list {
		if r.live[x.from] && r.live[p.h.TxnOf(x.op)] {
			r.list = append(r.list, x)
		}
	}
	o := p.o
	o.Conflicts = minimalConflicts
	a, v, err := newPolygraph(p.ctx, p.h, r, o, p.level).judge()
	if v != nil && len(p.list) > len(p.reads.list) {
		v.Level, v.Anomaly = p.level, explain.General(p.level) // as some reads were settled by what the level demands
	}
	return v, err == nil && a.Verdict != checker.Unknown && (v != nil || a.Verdict == checker.Satisfied)
}
