package elle

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/anomalies"
)

// maxSetEdges bounds the edges that sets make: every read of a set says of every
// element whether it was there.
const maxSetEdges = 50e6

// setTransaction looks at a read of a set by itself, and in the light of what its
// transaction did before.
func (a *analysis) setTransaction(o history.Op) {
	h, k, t := a.h, a.h.Key(o), a.h.TxnOf(o)
	list := h.List(o)
	has := make(map[history.Value]bool, len(list))
	for i, v := range list {
		if has[v] {
			a.report(anomalies.DuplicateElements, o, k, []history.Txn{t}, func() string {
				return fmt.Sprintf("%s read the set %s as %s: the element %s is in it twice", a.full(t), a.key(k), a.value(o), a.name(v))
			})
			continue
		}
		has[v] = true
		a.setElement(o, v, a.element(o, i))
	}
	own := map[history.Value]bool{}
	before := history.Op(-1)
	for p := a.previous[o]; p >= 0; p = a.previous[p] {
		if h.Kind(p) == history.Add {
			if before < 0 {
				own[h.Value(p)] = true
			}
			if !has[h.Value(p)] {
				a.report(anomalies.NotMyOwnWrite, o, k, []history.Txn{t}, func() string {
					return fmt.Sprintf("%s added %s to key %s, but then read %s", a.full(t), a.name(h.Value(p)), a.key(k), a.value(o))
				})
				return
			}
		} else if h.Known(p) && before < 0 {
			before = p
		}
	}
	if before < 0 {
		return
	}
	for _, v := range h.List(before) {
		own[v] = true
	}
	if len(own) != len(has) || slices.ContainsFunc(list, func(v history.Value) bool { return !own[v] }) {
		a.report(anomalies.Internal, o, k, []history.Txn{t}, func() string {
			return fmt.Sprintf("%s read the set %s as %s, and then as %s, which is not that and its own elements", a.full(t), a.key(k), a.value(before), a.value(o))
		})
	}
}

// setElement looks at one element that a read of a set has.
func (a *analysis) setElement(o history.Op, v history.Value, ws []history.Op) {
	h, k, t := a.h, a.h.Key(o), a.h.TxnOf(o)
	if len(ws) == 0 {
		a.report(anomalies.ThinAirRead, o, k, []history.Txn{t}, func() string {
			return fmt.Sprintf("%s read the element %s of the set %s, which nobody added", a.full(t), a.name(v), a.key(k))
		})
		return
	}
	later := false
	for _, w := range ws {
		switch u := h.TxnOf(w); {
		case u == t && w > o:
			later = true
		case h.Status(u) != history.Aborted:
			return
		}
	}
	if later {
		a.report(anomalies.FutureRead, o, k, []history.Txn{t}, func() string {
			return fmt.Sprintf("%s read the element %s of the set %s, which it added only later", a.full(t), a.name(v), a.key(k))
		})
		return
	}
	u := h.TxnOf(ws[0])
	a.report(anomalies.G1a, o, k, []history.Txn{u, t}, func() string {
		return fmt.Sprintf("%s read the element %s of the set %s, which %s added, which aborted", a.full(t), a.name(v), a.key(k), a.full(u))
	})
}

// connectSets emits the edges that sets show: an element that was read was added
// before, one that was not was added after.
func (a *analysis) connectSets(e *emitter) {
	h := a.h
	if !a.types[history.Set] {
		return
	}
	added := make([][]history.Op, h.NumKeys())
	for o := range history.Op(h.NumOps()) {
		if h.Kind(o) == history.Add && a.in[h.TxnOf(o)] {
			added[h.Key(o)] = append(added[h.Key(o)], o)
		}
	}
	edges := 0
	for o := range history.Op(h.NumOps()) {
		if h.Kind(o) != history.ReadSet || !a.says(o) {
			continue
		}
		k, t := h.Key(o), h.TxnOf(o)
		list := h.List(o)
		if edges += len(list) + len(added[k]); edges > maxSetEdges {
			a.note("Reads of sets were left out: they are too many, or too large.")
			return
		}
		has := make(map[history.Value]bool, len(list))
		for i, v := range list {
			has[v] = true
			if u := a.writer(a.element(o, i)); u >= 0 && u != t {
				e.edge(int32(u), int32(t), wr)
			}
		}
		for _, w := range added[k] {
			if u := h.TxnOf(w); u != t && !has[h.Value(w)] {
				e.edge(int32(t), int32(u), rw)
			}
		}
	}
}

// counterTransaction looks at a read of a counter in the light of what its
// transaction did before.
func (a *analysis) counterTransaction(o history.Op) {
	h, k, t := a.h, a.h.Key(o), a.h.TxnOf(o)
	v, ok := h.Amount(h.Value(o))
	if !ok {
		return
	}
	own := int64(0)
	for p := a.previous[o]; p >= 0; p = a.previous[p] {
		n, ok := h.Amount(h.Value(p))
		if h.Kind(p) == history.Increment {
			own += n
		} else if h.Known(p) && ok {
			if v != n+own {
				a.report(anomalies.Internal, o, k, []history.Txn{t}, func() string {
					return fmt.Sprintf("%s read the counter %s as %d, and then, after adding %d, as %d", a.full(t), a.key(k), n, own, v)
				})
			}
			return
		}
	}
}

// counterBounds reports reads of counters that no increments explain: those that
// differ more from the initial amount, or if that is not known from the least one
// read, than all increments together allow.
func (a *analysis) counterBounds() {
	h := a.h
	if !a.types[history.Counter] {
		return
	}
	falls, grows := make([]int64, h.NumKeys()), make([]int64, h.NumKeys())
	least := make([]int64, h.NumKeys())
	for k := range least {
		least[k] = math.MaxInt64
	}
	for o := range history.Op(h.NumOps()) {
		k := h.Key(o)
		n, ok := h.Amount(h.Value(o))
		switch {
		case h.Kind(o) == history.Increment && h.Status(h.TxnOf(o)) != history.Aborted:
			falls[k] += min(n, 0)
			grows[k] += max(n, 0)
		case h.Kind(o) == history.ReadCounter && a.says(o) && ok:
			least[k] = min(least[k], n)
		}
	}
	for o := range history.Op(h.NumOps()) {
		if h.Kind(o) != history.ReadCounter || !a.says(o) {
			continue
		}
		k, t := h.Key(o), h.TxnOf(o)
		n, ok := h.Amount(h.Value(o))
		low, high := least[k], least[k]+grows[k]-falls[k]
		if v := h.Value(history.Op(k)); v != history.NoValue {
			initial, _ := h.Amount(v)
			low, high = initial+falls[k], initial+grows[k]
		}
		if ok && low <= n && n <= high {
			continue
		}
		a.report(anomalies.ThinAirRead, o, k, []history.Txn{t}, func() string {
			return fmt.Sprintf("%s read the counter %s as %s, but all increments together, and what others read, allow %d to %d", a.full(t), a.key(k), a.value(o), low, high)
		})
	}
}

// connectCounters emits the edges that counters show that only grow, or only
// fall: who read less came before who read more, for somebody incremented
// in between. Reads of transactions that increment the counter say less, and
// are left out.
func (a *analysis) connectCounters(e *emitter) {
	h := a.h
	if !a.types[history.Counter] {
		return
	}
	sign := make([]uint8, h.NumKeys()) // 1: some grow, 2: some fall
	for o := range history.Op(h.NumOps()) {
		if h.Kind(o) != history.Increment || h.Status(h.TxnOf(o)) == history.Aborted {
			continue
		}
		switch n, _ := h.Amount(h.Value(o)); {
		case n > 0:
			sign[h.Key(o)] |= 1
		case n < 0:
			sign[h.Key(o)] |= 2
		}
	}
	type reading struct {
		n int64
		t history.Txn
	}
	read := map[history.Key][]reading{}
	for o := range history.Op(h.NumOps()) {
		k := h.Key(o)
		if h.Kind(o) != history.ReadCounter || !a.says(o) || sign[k] == 3 || sign[k] == 0 || a.increments(o) {
			continue
		}
		if n, ok := h.Amount(h.Value(o)); ok {
			if sign[k] == 2 {
				n = -n
			}
			read[k] = append(read[k], reading{n, h.TxnOf(o)})
		}
	}
	for k := range history.Key(h.NumKeys()) {
		rs := read[k]
		slices.SortFunc(rs, func(x, y reading) int { return cmp.Or(cmp.Compare(x.n, y.n), cmp.Compare(x.t, y.t)) })
		above := int32(-1) // leads to all that read more than what comes now
		for i := len(rs); i > 0; {
			j := i - 1
			for j > 0 && rs[j-1].n == rs[i-1].n {
				j--
			}
			if above >= 0 {
				for _, r := range rs[j:i] {
					e.edge(int32(r.t), above, rw)
				}
			}
			if j > 0 {
				hub := e.hub()
				for _, r := range rs[j:i] {
					e.edge(hub, int32(r.t), rw)
				}
				if above >= 0 {
					e.edge(hub, above, rw)
				}
				above = hub
			}
			i = j
		}
	}
}

// increments tells whether the transaction of a read increments the same key.
func (a *analysis) increments(o history.Op) bool {
	first, end := a.h.Ops(a.h.TxnOf(o))
	for p := first; p < end; p++ {
		if a.h.Kind(p) == history.Increment && a.h.Key(p) == a.h.Key(o) {
			return true
		}
	}
	return false
}

// conserved reports transactions that read all counters with a different sum than
// another did, although every transaction moves amounts between counters only: one
// of the two saw a part of a transfer. Bank tests are such.
func (a *analysis) conserved() {
	h := a.h
	if !a.types[history.Counter] {
		return
	}
	var counters int
	for k := range history.Key(h.NumKeys()) {
		if h.Type(k) == history.Counter {
			counters++
		}
	}
	type reading struct {
		t   history.Txn
		sum int64
	}
	var readings []reading
	for t := history.Txn(1); t < history.Txn(h.NumTxns()); t++ {
		if h.Status(t) == history.Aborted {
			continue
		}
		moved, writes := int64(0), false
		read := map[history.Key]int64{}
		first, end := h.Ops(t)
		for o := first; o < end; o++ {
			n, ok := h.Amount(h.Value(o))
			switch {
			case h.Kind(o) == history.Increment:
				moved, writes = moved+n, true
			case h.Kind(o) == history.ReadCounter && a.says(o) && ok:
				read[h.Key(o)] = n
			}
		}
		if moved != 0 {
			return
		}
		if len(read) == counters && !writes {
			r := reading{t: t}
			for _, n := range read {
				r.sum += n
			}
			readings = append(readings, r)
		}
	}
	for _, r := range readings {
		if f := readings[0]; r.sum != f.sum {
			a.report(anomalies.ReadSkew, -1, -1, []history.Txn{f.t, r.t}, func() string {
				return fmt.Sprintf("%s read %d in all counters together, %s read %d; but transactions only move amounts from one to another, so that one of the two saw a part of one", a.full(f.t), f.sum, a.full(r.t), r.sum)
			})
		}
	}
}
