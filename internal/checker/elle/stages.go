package elle

import "github.com/txrobust/robust/history"

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
