package polysi

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/checker/internal/acyclic"
	"github.com/txrobust/robust/history"
)

// pair is two chains of a key of which it is not known which one is first.
type pair struct {
	x, y chain
	at   int32 // where to begin, in the guessed order
}

// encoder makes a problem of what saturation left open.
type encoder struct {
	*polygraph
	problem *acyclic.Problem
	guess   []int32 // of nodes: the place in an order that may be right
	pairs   []pair
	// pairVars say of each pair that its first chain comes first. They are all variables if
	// there are no open reads.
	pairVars []acyclic.Var
	// Of keys with open reads: the literal that says that the chain of one head is
	// before that of another.
	before map[[2]int32]acyclic.Lit
	// candidate tells from which versions open reads may come.
	candidate []bool
	happened  map[history.Txn]acyclic.Var // of transactions that maybe took effect
	held      map[held]acyclic.Lit
	heldBy    map[history.Key][]acyclic.Lit
}

// loaded tells whether it is not known what a key held initially.
func (e *encoder) loaded(k history.Key) bool { return e.h.Value(history.Op(k)) == history.NoValue }

// pairBytes is about what a pair takes while it is searched.
const pairBytes = 400

// encode makes the problem. It is nil if there are too many pairs.
func (p *polygraph) encode() *encoder {
	e := &encoder{
		polygraph: p, before: map[[2]int32]acyclic.Lit{}, candidate: make([]bool, len(p.v.txn)), happened: map[history.Txn]acyclic.Var{},
		held: map[held]acyclic.Lit{}, heldBy: map[history.Key][]acyclic.Lit{},
	}
	uncertain := make([]bool, len(p.chains))
	for _, x := range p.open {
		uncertain[x.key] = true
		for _, t := range x.from {
			e.candidate[p.v.of(x.key, t)] = true
		}
	}
	if !e.undecided() {
		return nil
	}
	e.problem = acyclic.NewProblem(len(p.txnOf))
	for i := range p.edges {
		e.problem.Edge(p.edges[i].from, p.edges[i].to)
	}
	if len(e.pairs) == 0 && len(p.open) == 0 && len(p.initials) == 0 {
		return e
	}
	e.guess = p.guessOrder()
	for i := range e.pairs {
		x := &e.pairs[i]
		x.at = min(e.guess[p.beginOf(x.x.head)], e.guess[p.beginOf(x.y.head)])
	}
	choices := e.variables()
	for i, x := range e.pairs {
		v := e.pairVars[i]
		e.order(v.True(), x.x, x.y)
		e.order(v.False(), x.y, x.x)
		if uncertain[p.v.key[x.x.head]] {
			e.before[[2]int32{x.x.head, x.y.head}] = v.True()
			e.before[[2]int32{x.y.head, x.x.head}] = v.False()
		}
	}
	e.maybes()
	for i, x := range p.open {
		e.choice(x, choices[i])
	}
	for _, x := range p.initials {
		if e.loaded(x.key) {
			e.problem.Clause(e.initially(x))
		}
	}
	return e
}

// variables makes the variables of pairs, and gives those of the writers of open reads:
// first what seems to come first.
func (e *encoder) variables() [][]acyclic.Lit {
	slices.SortStableFunc(e.pairs, func(a, b pair) int { return cmp.Compare(a.at, b.at) })
	choices := make([][]acyclic.Lit, len(e.open))
	var reads []int
	for i := range e.open {
		reads = append(reads, i)
	}
	at := func(i int) int32 { return e.guess[e.begin[e.h.TxnOf(e.open[i].op)]] }
	slices.SortStableFunc(reads, func(i, j int) int { return cmp.Compare(at(i), at(j)) })
	for _, x := range e.pairs {
		for ; len(reads) > 0 && at(reads[0]) <= x.at; reads = reads[1:] {
			choices[reads[0]] = e.writersOf(e.open[reads[0]])
		}
		e.pairVars = append(e.pairVars, e.problem.Var(e.first(x.x, x.y)))
	}
	for _, i := range reads {
		choices[i] = e.writersOf(e.open[i])
	}
	return choices
}

// writersOf makes the variables of an open read: one for each of its writers. The first
// one to try is the last that seems to be before the reader.
func (e *encoder) writersOf(x openRead) []acyclic.Lit {
	reader := e.guess[e.begin[e.h.TxnOf(x.op)]]
	last := x.from[0]
	for _, t := range x.from {
		if at, best := e.guess[e.commit[t]], e.guess[e.commit[last]]; at < reader && (at > best || best > reader) {
			last = t
		}
	}
	var out []acyclic.Lit
	for _, t := range x.from {
		out = append(out, e.problem.Var(t == last).True())
	}
	return out
}

// undecided collects the pairs. It is false if they are too many.
func (e *encoder) undecided() bool {
	for _, chains := range e.chains {
		for i, x := range chains {
			for _, y := range chains[i+1:] {
				if e.free(x) && e.free(y) || e.polygraph.before(x, y) || e.polygraph.before(y, x) {
					continue
				}
				if e.pairs = append(e.pairs, pair{x: x, y: y}); int64(len(e.pairs))*pairBytes > e.o.Memory/2 {
					return false
				}
			}
			if i&255 == 255 && e.ctx.Err() != nil {
				return false
			}
		}
	}
	return true
}

// free tells whether a chain can be anywhere among others like it: it is one write
// at one time, which nobody reads.
func (e *encoder) free(c chain) bool {
	return c.head == c.tail && e.v.lastReader[c.tail] < 0 && !e.candidate[c.tail] && e.beginOf(c.head) == e.commitOf(c.head)
}

// first tells whether chain x is before y in the guessed order.
func (e *encoder) first(x, y chain) bool {
	return e.guess[e.beginOf(x.head)] < e.guess[e.beginOf(y.head)]
}

// order adds the edges by which chain x is before y, if a literal holds.
func (e *encoder) order(l acyclic.Lit, x, y chain) {
	e.eachOrder(x, y, func(from, to int32) { e.when(l, from, to) })
}

// eachOrder calls f with the edges by which chain x is before y: WW, and RW from those who
// read the end of x.
func (p *polygraph) eachOrder(x, y chain, f func(from, to int32)) {
	f(p.commitOf(x.tail), p.beginOf(y.head))
	p.readers(x.tail, func(i int32) bool {
		if t := p.reader(i); t != p.v.txn[y.head] {
			f(p.begin[t], p.commitOf(y.head))
		}
		return true
	})
}

// when adds an edge, unless a path is known.
func (e *encoder) when(l acyclic.Lit, from, to int32) {
	if from == to || !e.reaches(from, to) {
		e.problem.When(l, from, to)
	}
}

// maybes adds the transactions that maybe took effect. If one did, its versions are
// before or after all others of the same key.
func (e *encoder) maybes() {
	for k := range e.chains {
		for v := e.v.first[k]; v < e.v.first[k+1]; v++ {
			t := e.v.txn[v]
			if !e.reads.maybe[t] {
				continue
			}
			happened := e.happens(t).False()
			x := chain{v, v}
			for _, y := range e.chains[k] {
				e.either(x, y, happened)
			}
			for w := v + 1; w < e.v.first[k+1]; w++ {
				if u := e.v.txn[w]; e.reads.maybe[u] {
					e.either(x, chain{w, w}, happened, e.happens(u).False())
				}
			}
		}
	}
}

// happens is the variable that says that a transaction took effect.
func (e *encoder) happens(t history.Txn) acyclic.Var {
	v, ok := e.happened[t]
	if !ok {
		v = e.problem.Var(false)
		e.happened[t] = v
	}
	return v
}

// either adds that one of two chains is before the other, or one of some literals
// holds.
func (e *encoder) either(x, y chain, or ...acyclic.Lit) {
	first := e.first(x, y)
	p, q := e.problem.Var(first).True(), e.problem.Var(!first).True()
	e.before[[2]int32{x.head, y.head}], e.before[[2]int32{y.head, x.head}] = p, q
	e.order(p, x, y)
	e.order(q, y, x)
	e.problem.Clause(append([]acyclic.Lit{p, q}, or...)...)
}

// choice adds an open read: it comes from one of its writers, and then from no
// version that was overwritten.
func (e *encoder) choice(x openRead, writers []acyclic.Lit) {
	reader := e.h.TxnOf(x.op)
	for i, t := range x.from {
		l := writers[i]
		switch {
		case t != history.InitialTxn:
			e.problem.When(l, e.commit[t], e.begin[reader])
		case e.loaded(x.key):
			e.problem.Clause(l.Not(), e.initially(x))
		}
		if e.reads.maybe[t] {
			e.problem.Clause(l.Not(), e.happens(t).True())
		}
		e.overwritten(l, reader, e.v.of(x.key, t))
	}
	e.problem.Clause(writers...)
}

// overwritten adds that a reader is before whoever overwrites the version that it reads if a
// literal holds.
func (e *encoder) overwritten(l acyclic.Lit, reader history.Txn, version int32) {
	k := e.v.key[version]
	if u := e.v.next[version]; u >= 0 {
		if e.v.txn[u] != reader {
			e.problem.When(l, e.begin[reader], e.commitOf(u))
		}
		return
	}
	own := chain{version, version} // unless it ends a longer one
	for _, c := range e.chains[k] {
		if c.tail == version {
			own = c
		}
	}
	later := func(y chain) {
		if y.tail == version || e.v.txn[y.head] == reader {
			return
		}
		to := e.commitOf(y.head)
		order, open := e.before[[2]int32{own.head, y.head}]
		switch {
		case open:
			both := e.problem.Var(false).True()
			e.problem.Clause(l.Not(), order.Not(), both)
			e.problem.When(both, e.begin[reader], to)
		case e.polygraph.before(own, y):
			e.problem.When(l, e.begin[reader], to)
		}
	}
	for _, y := range e.chains[k] {
		later(y)
	}
	for w := e.v.first[k]; w < e.v.first[k+1]; w++ {
		if e.reads.maybe[e.v.txn[w]] {
			later(chain{w, w})
		}
	}
}

// initially is the literal that says that a key of which that is not known held
// initially what a read returned. It held one value.
func (e *encoder) initially(x openRead) acyclic.Lit {
	held := held{x.key, x.value}
	l, ok := e.held[held]
	if !ok {
		l = e.problem.Var(false).True()
		for _, m := range e.heldBy[x.key] {
			e.problem.Clause(l.Not(), m.Not())
		}
		e.held[held] = l
		e.heldBy[x.key] = append(e.heldBy[x.key], l)
	}
	return l
}

// held is a value that a key may have held initially.
type held struct {
	key   history.Key
	value history.Value
}
