package elle

import (
	"fmt"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/anomalies"
)

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
