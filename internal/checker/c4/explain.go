package c4

import (
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

// loadClocks makes sure that there are clocks, of all sessions if they fit.
func (r *reporter) loadClocks() {
	if r.clocks.width == 0 && len(r.clocks.session) > 0 {
		r.clocks.load(0)
	}
}

// causally tells whether t is in the causal past of u.
func (r *reporter) causally(t, u history.Txn) bool {
	if yes, known := r.clocks.sees(u, t); known {
		return yes
	}
	return t != u && r.path(r.hb, t, u, nil) != nil
}

// around gives the way back of a cycle: a shortest path from one transaction to
// another, by session order and WR if they are causally ordered.
func (r *reporter) around(g *graph, c *components, from, to history.Txn, causal bool) []checker.Edge {
	if from == history.InitialTxn {
		return []checker.Edge{{Dependency: isolation.SO, From: from, To: to, Key: -1, Read: -1}}
	}
	if causal {
		return r.causalPath(from, to)
	}
	n := c.ofTxn(from)
	return r.path(g, from, to, func(t history.Txn) bool { return c.ofTxn(t) == n })
}

// causalPath is a shortest path of session order and WR.
func (r *reporter) causalPath(from, to history.Txn) []checker.Edge {
	return r.path(r.hb, from, to, func(t history.Txn) bool {
		yes, known := r.clocks.sees(t, from)
		return !known || yes || t == from
	})
}

// step is how a search came to a transaction: from the next one, over an edge.
type step struct {
	next history.Txn
	label
}

// path gives a shortest path in a graph, through transactions that are allowed;
// steps within a session count as one. It is nil if there is none.
func (r *reporter) path(g *graph, from, to history.Txn, allowed func(history.Txn) bool) []checker.Edge {
	steps := map[history.Txn]step{}
	inSession := map[history.Txn]bool{} // whose predecessors in the session were visited
	frontier := []history.Txn{to}
	for len(frontier) > 0 && r.ctx.Err() == nil {
		var next []history.Txn
		slices.Sort(frontier)
		for _, t := range frontier {
			visit := func(p history.Txn, l label) {
				if allowed != nil && !allowed(p) {
					return
				}
				if s, ok := steps[p]; ok {
					// The order of concluded edges depends on how the work was
					// divided; the smallest key does not.
					if s.next == t && s.read < 0 && s.key > l.key && l.key >= 0 {
						steps[p] = step{t, l}
					}
					return
				}
				steps[p] = step{t, l}
				next = append(next, p)
			}
			start, _ := r.h.Txns(r.h.SessionOf(t))
			for p := t - 1; p >= start && !inSession[p] && (allowed == nil || allowed(p)); p-- {
				inSession[p] = true
				visit(p, label{-1, -1})
			}
			c := cursor{t: t, stage: 1, pos: r.first[t]}
			for p, l := g.next(&c); p != history.InitialTxn; p, l = g.next(&c) {
				visit(p, l)
			}
		}
		if _, ok := steps[from]; ok {
			return r.edges(steps, from, to)
		}
		frontier = next
	}
	return nil
}

func (r *reporter) edges(steps map[history.Txn]step, from, to history.Txn) []checker.Edge {
	var out []checker.Edge
	for t := from; ; {
		s := steps[t]
		switch {
		case s.read >= 0:
			out = append(out, r.readEdge(s.read))
		case s.key >= 0:
			out = append(out, r.concluded(edgeKey{t, s.next, s.key}))
		default:
			out = append(out, checker.Edge{Dependency: isolation.SO, From: t, To: s.next, Key: -1, Read: -1})
		}
		if t = s.next; t == to {
			return out
		}
	}
}

// readEdge is the WR edge of a read.
func (r *reporter) readEdge(i int32) checker.Edge {
	read := r.reads[i]
	return checker.Edge{Dependency: isolation.WR, From: read.from, To: r.h.TxnOf(read.op), Key: read.key, Read: read.op}
}

// weakEdge is a WW edge that RC or RA demand.
func (r *reporter) weakEdge(i int) checker.Edge {
	e := r.weak[i]
	seen := checker.Edge{Dependency: isolation.SO, From: e.from, To: r.h.TxnOf(r.reads[e.read].op), Key: -1, Read: -1}
	if e.via >= 0 {
		seen = r.readEdge(e.via)
	}
	return checker.Edge{
		Dependency: isolation.WW, From: e.from, To: e.to, Key: e.key, Read: -1,
		Because: []checker.Edge{r.readEdge(e.read), seen},
	}
}

// causalEdge is a WW edge that CC demands because of a reader.
func (r *reporter) causalEdge(k edgeKey, reader history.Txn) checker.Edge {
	e := checker.Edge{Dependency: isolation.WW, From: k.from, To: k.to, Key: k.key, Read: -1}
	for i := r.first[reader]; i < r.first[reader+1]; i++ {
		if r.reads[i].key == k.key && r.reads[i].from == k.to {
			e.Because = []checker.Edge{r.readEdge(i)}
			break
		}
	}
	e.Because = append(e.Because, r.causalPath(k.from, reader)...)
	return e
}

// concluded says why there is a WW edge: a list shows it, RC or RA demand it, or
// else CC.
func (r *reporter) concluded(k edgeKey) checker.Edge {
	if r.listAt == nil {
		r.listAt = map[edgeKey]history.Op{}
		for _, l := range r.lists {
			r.listAt[edgeKey{l.from, l.to, l.key}] = l.read
		}
	}
	if read, ok := r.listAt[k]; ok {
		return checker.Edge{Dependency: isolation.WW, From: k.from, To: k.to, Key: k.key, Read: read}
	}
	if r.weakAt == nil {
		r.weakAt = map[edgeKey]int{}
		for i, e := range r.weak {
			at := edgeKey{e.from, e.to, e.key}
			if _, ok := r.weakAt[at]; !ok {
				r.weakAt[at] = i
			}
		}
	}
	if i, ok := r.weakAt[k]; ok {
		return r.weakEdge(i)
	}
	return r.causalEdge(k, r.readerOf(k))
}

// readersOf gives the transactions that read a version.
func (r *reporter) readersOf(k history.Key, from history.Txn) []history.Txn {
	var out []history.Txn
	for _, i := range r.byKey[r.kFirst[k]:r.kFirst[k+1]] {
		if t := r.h.TxnOf(r.reads[i].op); r.reads[i].from == from && (len(out) == 0 || out[len(out)-1] != t) {
			out = append(out, t)
		}
	}
	return out
}

// readerOf gives the first reader of the second transaction's version that has
// the first one in its past.
func (r *reporter) readerOf(k edgeKey) history.Txn {
	for _, t := range r.readersOf(k.key, k.to) {
		if r.causally(k.from, t) {
			return t
		}
	}
	panic("c4: an edge has no reader")
}

// lastSeen gives the last writer of a key in a session that is in the causal past
// of a transaction, or 0.
func (r *reporter) lastSeen(t history.Txn, k history.Key, s history.Session) history.Txn {
	start, end := r.h.Txns(s)
	limit := end - 1
	if j := int(r.clocks.column[s]) - r.clocks.from; j >= 0 && j < r.clocks.width {
		limit = r.clocks.row(t)[j]
	}
	for limit >= start {
		u := lastUpTo(r.writersOf(k), limit)
		if u < start {
			return 0
		}
		if r.causally(u, t) {
			return u
		}
		limit = u - 1
	}
	return 0
}

// writeOf gives the final write of a key by a transaction.
func (r *reporter) writeOf(t history.Txn, k history.Key) history.Op {
	if t == history.InitialTxn {
		return history.Op(k)
	}
	for o, end := r.h.Ops(t); o < end; o++ {
		if r.h.Kind(o).Writes() && r.h.Key(o) == k && r.w.Final(o) {
			return o
		}
	}
	return -1
}
