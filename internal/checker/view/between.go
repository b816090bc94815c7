package view

import (
	"slices"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/isolation"
)

// between gives what is drawn between the transactions of an anomaly that is no cycle: who
// read what from whom where one read is wrong, who overwrote what the other one had read
// where an update is lost, and else that they have to do with each other.
func (rep *Report) between(a *judge.Anomaly) []Edge {
	h := rep.h
	var out []Edge
	add := func(from, to history.Txn, d isolation.Dependency, k history.Key, read history.Op) {
		e := Edge{From: txnName(h, from), To: txnName(h, to), Type: d.String(), Key: quote.Line(explain.KeyName(h, k))}
		e.Explanation = quote.Line(explain.Edge(h, checker.Edge{Dependency: d, From: from, To: to, Key: k, Read: read}))
		out = append(out, e)
	}
	if a.Read >= 0 {
		if w := source(h, h.Sources(), a.Read); w >= 0 && h.TxnOf(w) != h.TxnOf(a.Read) && slices.Contains(a.Txns, h.TxnOf(w)) {
			add(h.TxnOf(w), h.TxnOf(a.Read), isolation.WR, h.Key(a.Read), a.Read)
		}
	}
	for _, t := range a.Txns {
		for _, u := range a.Txns {
			for _, k := range a.Keys {
				if read := reads(h, t, k); a.Kind == anomalies.LostUpdate && t != u && read >= 0 && writes(h, u, k) {
					add(t, u, isolation.RW, k, read)
				}
			}
		}
	}
	for i, t := range a.Txns {
		name := txnName(h, t)
		if len(a.Txns) > 1 && !slices.ContainsFunc(out, func(e Edge) bool { return e.From == name || e.To == name }) {
			out = append(out, rep.common(t, a.Txns[(i+1)%len(a.Txns)], a.Keys))
		}
	}
	return out
}

// common says that two transactions have to do with the same key, if they do, or just with
// each other.
func (rep *Report) common(t, u history.Txn, keys []history.Key) Edge {
	h, e := rep.h, Edge{From: txnName(rep.h, t), To: txnName(rep.h, u)}
	for _, k := range keys {
		if (reads(h, t, k) >= 0 || writes(h, t, k)) && (reads(h, u, k) >= 0 || writes(h, u, k)) {
			e.Key = quote.Line(explain.KeyName(h, k))
			break
		}
	}
	return e
}

// reads gives the first operation of a transaction that reads a key, or -1.
func reads(h *history.History, t history.Txn, k history.Key) history.Op {
	first, end := h.Ops(t)
	for o := first; o < end; o++ {
		if h.Key(o) == k && h.Kind(o).Reads() {
			return o
		}
	}
	return -1
}

// writes reports whether a transaction writes a key.
func writes(h *history.History, t history.Txn, k history.Key) bool {
	first, end := h.Ops(t)
	for o := first; o < end; o++ {
		if h.Key(o) == k && h.Kind(o).Writes() {
			return true
		}
	}
	return false
}
