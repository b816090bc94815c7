package polysi

import (
	"slices"

	"github.com/txrobust/robust/history"
)

// plan is what a scheduler needs to know of a polygraph, and of choices of the writers that
// some open reads come from.
type plan struct {
	*polygraph
	// priority is a time at which a node may have been, or -1 for those that keep nobody
	// from going on: transactions that write nothing that is read, and ends of others.
	priority []float64
	// read are the versions that each transaction reads, without those of open reads that are
	// not chosen, and wrote those that it wrote.
	read, wrote lists
	// pending is how many transactions read each version.
	pending []int32
	// opens are the open reads of each transaction that are not chosen, and readers all that may come
	// from each version; isChosen tells which ones are.
	opens, readers lists
	isChosen       []bool
	// real are transactions that maybe took effect, and from which a chosen read comes.
	real []bool
	// held is what keys held initially of which that is not known, as far as reads say.
	held map[history.Key]history.Value
}

// newPlan makes the plan for choices: chosen(i) is from where open read i comes, -1 if that is left to the
// scheduler. The readers are openReaders, and times those of nodes.
func (p *polygraph) newPlan(times []float64, readers lists, chosen func(i int) history.Txn) *plan {
	n, versions := p.h.NumTxns(), len(p.v.txn)
	q := &plan{
		polygraph: p, priority: slices.Clone(times), pending: make([]int32, versions), real: make([]bool, n), held: map[history.Key]history.Value{},
		readers: readers, isChosen: make([]bool, len(p.open)),
	}
	definite := slices.Clip(p.list)
	var open []int32
	for _, x := range p.initials {
		q.held[x.key] = x.value
	}
	for i, x := range p.open {
		t := chosen(i)
		if t < 0 {
			open = append(open, int32(i))
			continue
		}
		definite = append(definite, read{x.op, x.key, t})
		q.real[t], q.isChosen[i] = true, true
		if t == history.InitialTxn {
			q.held[x.key] = x.value
		}
	}
	q.read = newLists(n, len(definite), func(i int) int { return int(p.h.TxnOf(definite[i].op)) }, func(i int) int32 {
		if i < len(p.list) {
			return p.v.read[i]
		}
		return p.v.of(definite[i].key, definite[i].from)
	})
	for t := range n {
		for i, v := range q.reads(history.Txn(t)) {
			if !slices.Contains(q.reads(history.Txn(t))[:i], v) {
				q.pending[v]++
			}
		}
	}
	q.wrote = newLists(n, versions, func(i int) int { return int(p.v.txn[i]) }, func(i int) int32 { return int32(i) })
	q.opens = newLists(n, len(open), func(i int) int { return int(p.h.TxnOf(p.open[open[i]].op)) }, func(i int) int32 { return open[i] })
	for i, t := range p.txnOf {
		if q.harmless(int32(i), t) {
			q.priority[i] = -1
		}
	}
	return q
}

// openReaders gives for each version the open reads that may come from it. These may be very many.
func (p *polygraph) openReaders() lists {
	n := len(p.v.txn)
	l := lists{first: make([]int32, n+1)}
	each := func(f func(version int32, reader int)) {
		for i, x := range p.open {
			w := p.v.first[x.key]
			for _, t := range x.from {
				for p.v.txn[w] != t {
					w++
				}
				f(w, i)
			}
		}
	}
	each(func(version int32, _ int) { l.first[version+1]++ })
	for i := range n {
		l.first[i+1] += l.first[i]
	}
	l.all = make([]int32, l.first[n])
	at := slices.Clone(l.first[:n])
	each(func(version int32, reader int) { l.all[at[version]] = int32(reader); at[version]++ })
	return l
}

func (q *plan) reads(t history.Txn) []int32  { return q.read.at(int(t)) }
func (q *plan) writes(t history.Txn) []int32 { return q.wrote.at(int(t)) }

// harmless tells whether a node can only help others to go on as soon as it can itself.
func (q *plan) harmless(n int32, t history.Txn) bool {
	if q.begin[t] != q.commit[t] {
		return n == q.commit[t]
	}
	for _, w := range q.writes(t) {
		if q.pending[w] > 0 || len(q.readers.at(int(w))) > 0 {
			return false
		}
	}
	return true
}

// times gives for each node a time when it may have been: the recorded one, or
// otherwise how many are known to be before it, or one as if all sessions went on evenly.
func (p *polygraph) times() []float64 {
	out := make([]float64, len(p.txnOf))
	timed := p.h.Order() != history.NoOrder
	if !timed && p.clocks != nil {
		return p.known()
	}
	for i, t := range p.txnOf {
		switch end := p.h.End(t); {
		case t == history.InitialTxn:
		case timed && end != history.NoEnd:
			out[i] = float64(end)
		case !timed:
			first, end := p.h.Txns(p.h.SessionOf(t))
			out[i] = (float64(t-first) + 0.5) / float64(end-first)
		}
	}
	return out
}

// known gives for each node how many nodes are known to be before it.
func (p *polygraph) known() []float64 {
	start := make([]int32, p.strands)
	for n := len(p.strand) - 1; n >= 0; n-- {
		start[p.strand[n]] = int32(n)
	}
	out := make([]float64, len(p.txnOf))
	for n := range out {
		before := int32(0)
		for s, last := range p.clocks[n*p.strands : (n+1)*p.strands] {
			before += max(0, last-start[s]+1)
		}
		out[n] = float64(before)
	}
	return out
}

// lists are a list for each of some numbers: that of n is all[first[n]:first[n+1]].
type lists struct{ first, all []int32 }

// newLists gives each of some values to the list that is its.
func newLists(n, values int, of func(i int) int, value func(i int) int32) lists {
	l := lists{make([]int32, n+1), make([]int32, values)}
	for i := range values {
		l.first[of(i)+1]++
	}
	for i := range n {
		l.first[i+1] += l.first[i]
	}
	at := slices.Clone(l.first[:n])
	for i := range values {
		k := of(i)
		l.all[at[k]] = value(i)
		at[k]++
	}
	return l
}

func (l *lists) at(n int) []int32 { return l.all[l.first[n]:l.first[n+1]] }
