package viper

import (
	"math"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/acyclic"
	"github.com/txrobust/robust/isolation"
)

// demands are what a level demands.
type demands struct {
	// sessions: who comes later in a session begins after the commits before.
	sessions bool
	// serial: transactions begin where they commit.
	serial bool
	// realTime: commits are in the order of real time.
	realTime bool
	// recent: who begins after an end in real time begins after that commit.
	recent bool
}

var levels = map[isolation.Level]demands{
	isolation.PLSI:     {},
	isolation.PL3:      {serial: true},
	isolation.SI:       {sessions: true},
	isolation.SER:      {sessions: true, serial: true},
	isolation.GSI:      {realTime: true},
	isolation.SSSI:     {sessions: true, realTime: true},
	isolation.StrongSI: {sessions: true, realTime: true, recent: true},
	isolation.SSER:     {sessions: true, realTime: true, serial: true},
}

// always is the condition of edges that are there in any case.
const always acyclic.Lit = -1

// edge is one of the polygraph, with its reason.
type edge struct {
	from, to int32
	when     acyclic.Lit
	// inside: it leads from a begin to its commit, or goes on from a node that is none of
	// a transaction. What it stands for is said by the edge before.
	inside bool
	dep    isolation.Dependency
	key    history.Key // -1 for SO and RT
	op     history.Op  // the read of WR and RW, or -1
	// of is for RW the transaction whose version was read.
	of history.Txn
}

// pair is two transactions that write one key, whose order is a variable: true if the
// first, which has the lower number, comes first.
type pair struct {
	a, b history.Txn
	v    acyclic.Var
}

// reference is a source of a read that has several.
type reference struct {
	read int32
	lit  acyclic.Lit
}

// polygraph is a BC-polygraph of one level. Its constraints are the pairs that were
// opened, and the choices of the sources of reads.
type polygraph struct {
	*facts
	d     demands
	nodes int32
	base  int32 // the nodes from here on are none of transactions
	edges []edge
	// first is what to try first, of each variable.
	first   []bool
	clauses [][]acyclic.Lit
	pairs   []pair
	pairOf  map[[2]history.Txn]int32
	// Of choices, the literals of their sources; of optional transactions, that they took
	// effect.
	chosen [][]acyclic.Lit
	effect map[history.Txn]acyclic.Lit
	// Readers of versions: of v readers[firstReader[v]:firstReader[v+1]], and those
	// that have other sources, too.
	readers     []int32
	firstReader []int32
	references  map[int32][]reference
}

func newPolygraph(f *facts, l isolation.Level, drift int64) *polygraph {
	p := &polygraph{facts: f, d: levels[l], pairOf: map[[2]history.Txn]int32{}, effect: map[history.Txn]acyclic.Lit{}, references: map[int32][]reference{}}
	p.nodes = int32(f.h.NumTxns())
	if !p.d.serial {
		p.nodes *= 2
	}
	p.base = p.nodes
	p.sortReaders()
	for t := history.Txn(1); int(t) < f.h.NumTxns(); t++ {
		if p.present[t] && !p.d.serial {
			p.add(edge{from: p.begin(t), to: p.commit(t), inside: true})
		}
		if p.optional[t] {
			p.effect[t] = p.variable(false).True()
		}
	}
	if p.d.sessions {
		p.sessionOrder()
	}
	if p.d.realTime {
		p.realTimeOrder(max(0, drift))
	}
	p.sourcesOfReads()
	p.initialReads()
	p.updates()
	return p
}

// begin and commit are the nodes of a transaction: one if the level is serial.
func (p *polygraph) begin(t history.Txn) int32 {
	if p.d.serial {
		return int32(t)
	}
	return 2 * int32(t)
}

func (p *polygraph) commit(t history.Txn) int32 {
	if p.d.serial {
		return int32(t)
	}
	return 2*int32(t) + 1
}

// txnOf is the transaction of a node, -1 if it is of none.
func (p *polygraph) txnOf(n int32) history.Txn {
	switch {
	case n >= p.base:
		return -1
	case p.d.serial:
		return history.Txn(n)
	}
	return history.Txn(n / 2)
}

func (p *polygraph) node() int32 {
	p.nodes++
	return p.nodes - 1
}

// add adds an edge that is there in any case.
func (p *polygraph) add(e edge) {
	e.when = always
	p.edges = append(p.edges, e)
}

// when adds an edge that is there if a literal is true.
func (p *polygraph) when(l acyclic.Lit, e edge) {
	e.when = l
	p.edges = append(p.edges, e)
}

func (p *polygraph) variable(first bool) acyclic.Var {
	p.first = append(p.first, first)
	return acyclic.Var(len(p.first) - 1)
}

// outOf adds an edge that matters only if a transaction took effect.
func (p *polygraph) outOf(t history.Txn, e edge) {
	e.when = always
	if l, ok := p.effect[t]; ok {
		e.when = l
	}
	p.edges = append(p.edges, e)
}

func (p *polygraph) sortReaders() {
	p.firstReader = make([]int32, p.numVersions()+1)
	for _, v := range p.comesFrom {
		if v >= 0 {
			p.firstReader[v+1]++
		}
	}
	for v := range p.numVersions() {
		p.firstReader[v+1] += p.firstReader[v]
	}
	p.readers = make([]int32, p.firstReader[p.numVersions()])
	next := slices.Clone(p.firstReader)
	for i, v := range p.comesFrom {
		if v >= 0 {
			p.readers[next[v]] = int32(i)
			next[v]++
		}
	}
}

// readersOf gives the reads that have one source, which is a version.
func (p *polygraph) readersOf(version int32) []int32 {
	return p.readers[p.firstReader[version]:p.firstReader[version+1]]
}

// sessionOrder adds the edges of session order: from each commit to the next begin, along
// nodes beside the session where transactions may not have taken effect.
func (p *polygraph) sessionOrder() {
	h := p.h
	for s := range history.Session(h.NumSessions()) {
		first, end := h.Txns(s)
		aside := int32(-1)
		last := history.Txn(-1)
		beside := slices.Contains(p.optional[first:end], true)
		for t := first; t < end; t++ {
			if !p.present[t] {
				continue
			}
			so := edge{dep: isolation.SO, key: -1, op: -1}
			if !beside {
				if so.to = p.begin(t); last >= 0 {
					so.from = p.commit(last)
					p.add(so)
				}
				last = t
				continue
			}
			next := p.node()
			if aside >= 0 {
				p.add(edge{from: aside, to: p.begin(t), inside: true})
				p.add(edge{from: aside, to: next, inside: true})
			}
			so.from, so.to = p.commit(t), next
			p.outOf(t, so)
			aside = next
		}
	}
}

// realTimeOrder adds the edges of real time, along one node for each time at which
// somebody begins. Stamps that differ by no more than the drift of the clocks say nothing.
func (p *polygraph) realTimeOrder(drift int64) {
	h := p.h
	var txns []history.Txn
	var begins []int64
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		if p.present[t] && h.Begin(t) != history.NoBegin {
			txns = append(txns, t)
			begins = append(begins, h.Begin(t))
		}
	}
	slices.Sort(begins)
	begins = slices.Compact(begins)
	if len(begins) == 0 {
		return
	}
	nodeOf := p.nodes // of begins[0]; the others follow
	p.nodes += int32(len(begins))
	for i := range begins[1:] {
		p.add(edge{from: nodeOf + int32(i), to: nodeOf + int32(i) + 1, inside: true})
	}
	for _, t := range txns {
		i, _ := slices.BinarySearch(begins, h.Begin(t))
		to := p.commit(t)
		if p.d.recent {
			to = p.begin(t)
		}
		p.add(edge{from: nodeOf + int32(i), to: to, inside: true})
	}
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		end := h.End(t)
		if !p.present[t] || end == history.NoEnd || end > math.MaxInt64-1-drift {
			continue
		}
		if i, _ := slices.BinarySearch(begins, end+drift+1); i < len(begins) {
			p.outOf(t, edge{from: p.commit(t), to: nodeOf + int32(i), dep: isolation.RT, key: -1, op: -1})
		}
	}
}

// sourcesOfReads adds the edges to reads from what they read, and the choices.
func (p *polygraph) sourcesOfReads() {
	p.chosen = make([][]acyclic.Lit, len(p.choices))
	held := map[source]map[history.Key]acyclic.Lit{} // what a key held initially
	for i := range p.reads {
		r := &p.reads[i]
		wr := edge{to: p.begin(r.txn), dep: isolation.WR, key: r.key, op: r.op}
		if r.choice < 0 {
			if r.from.txn != history.InitialTxn {
				wr.from = p.commit(r.from.txn)
				p.add(wr)
			}
			continue
		}
		var lits []acyclic.Lit
		for _, s := range p.choices[r.choice] {
			l := p.variable(len(lits) == 0).True()
			lits = append(lits, l)
			v := p.version(s.txn, r.key)
			p.references[v] = append(p.references[v], reference{int32(i), l})
			if s.txn != history.InitialTxn {
				wr.from = p.commit(s.txn)
				p.when(l, wr)
				if e, ok := p.effect[s.txn]; ok {
					p.clauses = append(p.clauses, []acyclic.Lit{l.Not(), e})
				}
			} else if s.value != history.NoValue {
				p.clauses = append(p.clauses, []acyclic.Lit{l.Not(), p.initially(held, s, r.key)})
			}
		}
		p.chosen[r.choice] = lits
		p.clauses = append(p.clauses, lits)
	}
}

// initially gives the literal that a key held a value initially. No two of a key
// are true.
func (p *polygraph) initially(held map[source]map[history.Key]acyclic.Lit, s source, k history.Key) acyclic.Lit {
	if held[s] == nil {
		held[s] = map[history.Key]acyclic.Lit{}
	}
	if l, ok := held[s][k]; ok {
		return l
	}
	l := p.variable(false).True()
	var others []acyclic.Lit
	for _, m := range held {
		if o, ok := m[k]; ok {
			others = append(others, o)
		}
	}
	slices.Sort(others)
	for _, o := range others {
		p.clauses = append(p.clauses, []acyclic.Lit{l.Not(), o.Not()})
	}
	held[s][k] = l
	return l
}

// initialReads orders those who read an initial version before all who write the key,
// along one node for each key.
func (p *polygraph) initialReads() {
	for k := range history.Key(p.h.NumKeys()) {
		v := p.version(history.InitialTxn, k)
		writers := p.writersOf(k)
		if len(writers) == 0 || len(p.readersOf(v)) == 0 && len(p.references[v]) == 0 {
			continue
		}
		first := p.node()
		for _, w := range writers {
			p.add(edge{from: first, to: p.commit(w), inside: true})
		}
		updaters := 0
		before := func(i int32, l acyclic.Lit) {
			r := &p.reads[i]
			rw := edge{from: p.begin(r.txn), to: first, when: l, dep: isolation.RW, key: k, op: r.op}
			if !p.d.serial || p.version(r.txn, k) < 0 {
				p.edges = append(p.edges, rw)
				return
			}
			// It would come before itself. Two of them are a cycle already.
			if updaters++; updaters > 2 && l == always {
				return
			}
			for _, w := range writers {
				if rw.to = p.commit(w); w != r.txn {
					p.edges = append(p.edges, rw)
				}
			}
		}
		for _, i := range p.readersOf(v) {
			before(i, always)
		}
		for _, r := range p.references[v] {
			before(r.read, r.lit)
		}
	}
}

// updates orders those who read a version before who read it and wrote the next one:
// nothing can come between these. Two are enough to show that there is only one.
func (p *polygraph) updates() {
	for v := range int32(len(p.versions)) {
		readers := p.readersOf(v)
		updaters := 0
		for _, i := range readers {
			u := &p.reads[i]
			if p.version(u.txn, u.key) < 0 {
				continue
			}
			if updaters++; updaters > 2 {
				break
			}
			for _, j := range readers {
				if r := &p.reads[j]; r.txn != u.txn {
					p.add(edge{from: p.begin(r.txn), to: p.commit(u.txn), dep: isolation.RW, key: r.key, op: r.op, of: r.from.txn})
				}
			}
		}
	}
}

// open makes the order of two writers of a key a variable.
func (p *polygraph) open(a, b history.Txn) {
	if a > b {
		a, b = b, a
	}
	if _, ok := p.pairOf[[2]history.Txn{a, b}]; ok {
		return
	}
	v := p.variable(true)
	p.pairOf[[2]history.Txn{a, b}] = int32(len(p.pairs))
	p.pairs = append(p.pairs, pair{a, b, v})
	for _, k := range p.common(a, b) {
		p.ordered(k, a, b, v.True())
		p.ordered(k, b, a, v.False())
	}
}

// common gives the keys that two transactions write, in their order.
func (p *polygraph) common(a, b history.Txn) []history.Key {
	var out []history.Key
	for _, v := range p.madeBy(a) {
		if k := p.keyOf[v]; p.version(b, k) >= 0 {
			out = append(out, k)
		}
	}
	return out
}

// ordered adds the edges that are there if a literal says that a wrote a key before b.
func (p *polygraph) ordered(k history.Key, a, b history.Txn, l acyclic.Lit) {
	p.when(l, edge{from: p.commit(a), to: p.begin(b), dep: isolation.WW, key: k, op: -1})
	v := p.version(a, k)
	for _, i := range p.readersOf(v) {
		if r := &p.reads[i]; r.txn != b {
			p.when(l, edge{from: p.begin(r.txn), to: p.commit(b), dep: isolation.RW, key: k, op: r.op, of: a})
		}
	}
	for _, ref := range p.references[v] {
		if r := &p.reads[ref.read]; r.txn != b {
			both := p.variable(false).True()
			p.clauses = append(p.clauses, []acyclic.Lit{ref.lit.Not(), l.Not(), both})
			p.when(both, edge{from: p.begin(r.txn), to: p.commit(b), dep: isolation.RW, key: k, op: r.op, of: a})
		}
	}
}
