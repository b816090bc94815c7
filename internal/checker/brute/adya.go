package brute

import (
	"slices"

	"github.com/txrobust/robust/history"
)

// phenomenon is a kind of cycle that one of Adya's levels excludes, besides those of
// read and write dependencies alone.
type phenomenon uint8

const (
	nothing    phenomenon = iota // PL-2
	gMonotonic                   // PL-2L
	gSingle                      // PL-2+
	g2Item                       // PL-2.99
)

// serialization is a direct serialization graph, as far as the version orders of the
// keys are chosen. Nodes are transactions, 0 is the initial one.
type serialization struct {
	s *search
	// order has the writers of each key in the version order, the initial one
	// first; nil if it is not chosen.
	order map[history.Key][]history.Txn
	reads []read
}

// adya looks for version orders of all keys, and sources of all reads, whose graph does
// not have what the level excludes. It gives an order of the transactions that contains
// the read and write dependencies.
func (s *search) adya() ([]history.Txn, bool) {
	g := &serialization{s: s, order: map[history.Key][]history.Txn{}}
	var keys []history.Key
	for k := range history.Key(s.h.NumKeys()) {
		keys = append(keys, k)
	}
	return g.choose(keys)
}

// choose chooses the version orders of keys, and the sources of their reads.
func (g *serialization) choose(keys []history.Key) ([]history.Txn, bool) {
	if g.s.ctx.Err() != nil {
		return nil, false
	}
	order, ok := g.allowed()
	if !ok || len(keys) == 0 {
		return order, ok // more edges only add cycles
	}
	k := keys[0]
	var writers []history.Txn
	for _, t := range g.s.txns {
		if g.s.writes(t, k) {
			writers = append(writers, t)
		}
	}
	defer delete(g.order, k)
	return permutations(writers, func(versions []history.Txn) ([]history.Txn, bool) {
		if g.s.fixed != nil && !slices.IsSortedFunc(versions, func(t, u history.Txn) int { return place(g.s.fixed, t) - place(g.s.fixed, u) }) {
			return nil, false
		}
		g.order[k] = append([]history.Txn{history.InitialTxn}, versions...)
		return g.sources(k, g.observations(k), func() ([]history.Txn, bool) { return g.choose(keys[1:]) })
	})
}

// permutations gives f all orders of some transactions until it succeeds.
func permutations(txns []history.Txn, f func([]history.Txn) ([]history.Txn, bool)) ([]history.Txn, bool) {
	var extend func(first, rest []history.Txn) ([]history.Txn, bool)
	extend = func(first, rest []history.Txn) ([]history.Txn, bool) {
		if len(rest) == 0 {
			return f(first)
		}
		for i, t := range rest {
			left := slices.Concat(rest[:i], rest[i+1:])
			if out, ok := extend(append(slices.Clip(first), t), left); ok {
				return out, true
			}
		}
		return nil, false
	}
	return extend(nil, txns)
}

func (g *serialization) observations(k history.Key) []read {
	var out []read
	for _, t := range g.s.txns {
		for _, r := range g.s.reads[t] {
			if r.key == k {
				out = append(out, read{observation: r, reader: t})
			}
		}
	}
	return out
}

// sources chooses the versions of a key that its reads come from.
func (g *serialization) sources(k history.Key, open []read, then func() ([]history.Txn, bool)) ([]history.Txn, bool) {
	if len(open) == 0 {
		return then()
	}
	r := open[0]
	state := g.s.initialCell(k)
	for i, t := range g.order[k] {
		if i > 0 {
			state = g.s.after(state, t, k)
		}
		if t == r.reader || !r.matches(g.s.h, state) {
			continue
		}
		r.source = t
		g.reads = append(g.reads, r)
		out, ok := g.sources(k, open[1:], then)
		g.reads = g.reads[:len(g.reads)-1]
		if ok {
			return out, true
		}
	}
	return nil, false
}

// relation is a set of edges between transactions.
type relation [][]bool

func (g *serialization) relation() relation {
	r := make(relation, g.s.h.NumTxns())
	for t := range r {
		r[t] = make([]bool, len(r))
	}
	return r
}

// close adds all paths.
func (r relation) close() {
	for via := range r {
		for t := range r {
			for u := range r {
				r[t][u] = r[t][u] || r[t][via] && r[via][u]
			}
		}
	}
}

// dependencies gives the paths of read and write dependencies.
func (g *serialization) dependencies() relation {
	d := g.relation()
	for t := range d {
		d[history.InitialTxn][t] = history.Txn(t) != history.InitialTxn
	}
	for _, versions := range g.order {
		for i, t := range versions[1:] {
			d[versions[i]][t] = true
		}
	}
	for _, r := range g.reads {
		d[r.source][r.reader] = true
	}
	d.close()
	return d
}

// missed is an anti-dependency: the reader read the version before the one that next
// wrote.
type missed struct {
	read
	next history.Txn
}

// antiDependencies gives those that are known.
func (g *serialization) antiDependencies() []missed {
	var out []missed
	for _, r := range g.reads {
		versions := g.order[r.key]
		i := place(versions, r.source) + 1
		if i < len(versions) && versions[i] != r.reader {
			out = append(out, missed{r, versions[i]})
		}
	}
	return out
}

// allowed tells whether the graph has no cycle that the level excludes. If so it gives
// the transactions in an order of the read and write dependencies.
func (g *serialization) allowed() ([]history.Txn, bool) {
	d := g.dependencies()
	for t := range d {
		if d[t][t] {
			return nil, false // G1c, or G0
		}
	}
	antis := g.antiDependencies()
	all := g.relation()
	for t := range all {
		copy(all[t], d[t])
	}
	for _, a := range antis {
		all[a.reader][a.next] = true
	}
	all.close()
	for _, a := range antis {
		cyclic := false
		switch g.s.excludes {
		case nothing:
		case gMonotonic:
			cyclic = g.monotonic(d, a)
		case gSingle:
			cyclic = d[a.next][a.reader]
		case g2Item:
			cyclic = !a.unlisted && all[a.next][a.reader]
		}
		if cyclic {
			return nil, false
		}
	}
	return g.linear(d)
}

// monotonic tells whether the reader of an anti-dependency had depended on the next
// version already: a path of dependencies leads from it to what the reader read or
// wrote up to that read.
func (g *serialization) monotonic(d relation, a missed) bool {
	follows := func(t history.Txn) bool { return t == a.next || d[a.next][t] }
	for _, r := range g.reads {
		if r.reader == a.reader && r.op <= a.op && follows(r.source) {
			return true
		}
	}
	h := g.s.h
	for w, _ := h.Ops(a.reader); w < a.op; w++ {
		if !h.Kind(w).Writes() || !h.Writers().Final(w) {
			continue
		}
		if versions := g.order[h.Key(w)]; versions != nil && follows(versions[place(versions, a.reader)-1]) {
			return true
		}
	}
	return false
}

// linear gives the transactions in an order that contains a relation without cycles.
func (g *serialization) linear(d relation) ([]history.Txn, bool) {
	if f := g.s.fixed; f != nil {
		for i, t := range f {
			for _, u := range f[:i] {
				if d[t][u] {
					return nil, false
				}
			}
		}
		return f, true
	}
	order := slices.Clone(g.s.txns)
	slices.SortStableFunc(order, func(t, u history.Txn) int { return count(d, t) - count(d, u) })
	return order, true
}

// count is how many transactions are before t.
func count(d relation, t history.Txn) int {
	n := 0
	for u := range d {
		if d[u][t] {
			n++
		}
	}
	return n
}
