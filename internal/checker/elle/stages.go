package elle

import (
	"fmt"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/anomalies"
)

// transactions reports what single transactions show, each in the light of what
// its operations should return, and who wrote that.
func (a *analysis) transactions() {
	h := a.h
	a.orderLists()
	a.counterBounds()
	a.conserved()
	for o := history.Op(h.NumKeys()); o < history.Op(h.NumOps()); o++ {
		if a.stopped(int(o)) {
			return
		}
		if h.Kind(o) == history.Append && h.Status(h.TxnOf(o)) == history.Committed {
			a.futureAppend(o)
		}
		if !a.says(o) {
			continue
		}
		switch h.Kind(o) {
		case history.Read:
			a.registerTransaction(o)
		case history.ReadList:
			a.listTransaction(o)
			a.intermediate(o)
		case history.ReadSet:
			a.setTransaction(o)
		case history.ReadCounter:
			a.counterTransaction(o)
		case history.ReadRange:
			r := h.Range(o)
			for i, k := range r.LiveKeys {
				a.readVersion(o, k, a.row(o, i))
			}
			for i, k := range r.DeadKeys {
				a.readVersion(o, k, a.row(o, len(r.LiveKeys)+i))
			}
		}
	}
}

// versions finds the version orders that reads alone do not show, and reports
// what these show.
func (a *analysis) versions() {
	a.lostAppends()
	a.orderRegisters()
}

// connect makes the graph.
func (a *analysis) connect() {
	a.g.build(a.ctx, a.h.NumTxns(), func(e *emitter) {
		a.connectLists(e)
		a.connectRegisters(e)
		a.connectSets(e)
		a.connectCounters(e)
		a.connectSessions(e)
		a.connectTime(e)
	})
}

// repetitions finds elements that a read has twice.
type repetitions struct {
	read history.Op
	list []history.Value
	seen map[history.Value]int // of the first elements, once it is needed
	n    int
}

// at tells whether the element i is there before, and where. If it was appended
// several times it may be. It is called with
// growing indexes.
func (r *repetitions) at(a *analysis, i int, ws []history.Op) (int, bool) {
	l := &a.lists
	if len(ws) == 1 && r.read == l.longest[a.h.Key(r.read)] && int(l.place[ws[0]]) == i+1 {
		return 0, false // the usual case, without a table
	}
	if r.seen == nil {
		r.seen = map[history.Value]int{}
	}
	for ; r.n < i; r.n++ {
		if _, ok := r.seen[r.list[r.n]]; !ok {
			r.seen[r.list[r.n]] = r.n
		}
	}
	j, ok := r.seen[r.list[i]]
	return j, ok
}

// ownTwice reports appends that a later read of the same transaction shows at the end of the list,
// and among the elements before them, too.
func (a *analysis) ownTwice(o history.Op, others []history.Value) {
	h, k, t := a.h, a.h.Key(o), a.h.TxnOf(o)
	for p := a.previous[o]; p >= 0; p = a.previous[p] {
		if h.Kind(p) != history.Append {
			continue
		}
		for i, v := range others {
			if v != h.Value(p) {
				continue
			}
			if ws := a.element(o, i); len(ws) == 1 {
				a.report(anomalies.DuplicateElements, o, k, []history.Txn{t}, func() string {
					return fmt.Sprintf("%s read key %s as %s: the element %s is in it twice, at %d and where the transaction had appended it", a.full(t), a.key(k), a.value(o), a.name(v), i)
				})
				break
			}
		}
	}
}
