package view

import (
	"slices"

	"github.com/txrobust/robust/checker/judge"
	"github.com/txrobust/robust/history"
)

// maxShown is how many transactions the page draws.
const maxShown = 240

// chosen gives the transactions that the page draws, in order: all if they are few,
// otherwise those of anomalies with their neighbours in the sessions. left says how
// many are left out.
func chosen(h *history.History, anomalies []judge.Anomaly) (txns []history.Txn, left int) {
	in := make([]bool, h.NumTxns())
	room := maxShown
	add := func(t history.Txn) {
		if !in[t] && room > 0 {
			in[t] = true
			room--
		}
	}
	if h.NumTxns()-1 <= maxShown {
		for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
			add(t)
		}
	}
	for _, a := range anomalies {
		for _, t := range a.Txns {
			if t != history.InitialTxn {
				add(t)
			}
		}
	}
	for _, a := range anomalies {
		for _, t := range a.Txns {
			if t == history.InitialTxn {
				continue
			}
			first, end := h.Txns(h.SessionOf(t))
			for u := max(first, t-1); u <= min(end-1, t+1); u++ {
				add(u)
			}
		}
	}
	for t := history.Txn(1); int(t) < h.NumTxns() && len(anomalies) == 0; t++ {
		add(t) // nothing went wrong: the beginning has to do
	}
	initial := false
	for _, a := range anomalies {
		initial = initial || slices.Contains(a.Txns, history.InitialTxn)
	}
	if initial {
		txns = append(txns, history.InitialTxn)
	}
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		if in[t] {
			txns = append(txns, t)
		} else {
			left++
		}
	}
	return txns, left
}

// readFrom is that a transaction read a key from another one.
type readFrom struct {
	from, to history.Txn
	key      history.Key
}

// readsAmong gives who read from whom among some transactions, where the history
// shows it: sorted, each pair once, with the first key.
func readsAmong(h *history.History, txns []history.Txn) []readFrom {
	var out []readFrom
	sources := h.Sources()
	for _, t := range txns {
		if t == history.InitialTxn {
			continue
		}
		seen := map[history.Txn]bool{t: true}
		first, end := h.Ops(t)
		for o := first; o < end; o++ {
			w := source(h, sources, o)
			if w < 0 {
				continue
			}
			u := h.TxnOf(w)
			if _, shown := slices.BinarySearch(txns, u); shown && !seen[u] && u != history.InitialTxn {
				seen[u] = true
				out = append(out, readFrom{u, t, h.Key(o)})
			}
		}
	}
	return out
}

// source gives the write that a read of a register comes from, or that of the last
// element of a list; -1 if that is not known.
func source(h *history.History, sources *history.Sources, o history.Op) history.Op {
	switch h.Kind(o) {
	case history.Read:
		if w, ok := sources.One(o); ok {
			return w
		}
	case history.ReadList:
		if n := len(h.List(o)); n > 0 {
			if ws := sources.Element(o, n-1); len(ws) == 1 {
				return ws[0]
			}
		}
	}
	return -1
}

// columns places transactions from left to right, from 0: right of those before in
// the session, of those that they read from, and of those that ended before they began.
// Who is read from before that was placed does not count.
func columns(h *history.History, txns []history.Txn, reads []readFrom) []int {
	var order []int
	if h.Order() != history.NoOrder {
		order = byBegin(h, txns)
	} else {
		order = bySources(h, txns, reads)
	}
	place := map[history.Txn]int{}
	from := map[history.Txn][]history.Txn{}
	for _, r := range reads {
		from[r.to] = append(from[r.to], r.from)
	}
	next := map[history.Session]int{}
	out := make([]int, len(txns))
	for i, n := range order {
		t := txns[n]
		if t == history.InitialTxn {
			continue // at 0, in a lane of its own
		}
		at := next[h.SessionOf(t)]
		for _, u := range from[t] {
			if c, ok := place[u]; ok && h.Order() == history.NoOrder {
				at = max(at, c+1)
			}
		}
		for _, m := range order[:i] {
			if u := txns[m]; u != history.InitialTxn && h.Precedes(u, t) {
				at = max(at, place[u]+1)
			}
		}
		place[t], out[n] = at, at
		next[h.SessionOf(t)] = at + 1
	}
	return out
}

// byBegin gives the indexes of transactions in the order of their begins. Those
// without one follow their predecessor in the session.
func byBegin(h *history.History, txns []history.Txn) []int {
	begin := make([]int64, len(txns))
	order := make([]int, len(txns))
	for i, t := range txns {
		order[i], begin[i] = i, h.Begin(t)
		if i > 0 && begin[i] == history.NoBegin && h.SessionOf(t) == h.SessionOf(txns[i-1]) {
			begin[i] = begin[i-1]
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case begin[a] < begin[b]:
			return -1
		case begin[a] > begin[b]:
			return 1
		}
		return 0
	})
	return order
}

// bySources gives the indexes of transactions so that sessions are in order, and who
// is read from comes before who reads, as far as that goes.
func bySources(h *history.History, txns []history.Txn, reads []readFrom) []int {
	needs := make([][]int, len(txns))
	for _, r := range reads {
		i, _ := slices.BinarySearch(txns, r.to)
		j, _ := slices.BinarySearch(txns, r.from)
		needs[i] = append(needs[i], j)
	}
	for i := 1; i < len(txns); i++ {
		if h.SessionOf(txns[i]) == h.SessionOf(txns[i-1]) {
			needs[i] = append(needs[i], i-1)
		}
	}
	var order []int
	visited := make([]bool, len(txns))
	var visit func(i int)
	visit = func(i int) {
		if visited[i] {
			return
		}
		visited[i] = true
		for _, j := range needs[i] {
			visit(j)
		}
		order = append(order, i)
	}
	for i := range txns {
		visit(i)
	}
	return order
}
