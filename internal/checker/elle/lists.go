package elle

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// lists are the version orders of lists, which their reads show: a list that
// reads [1 2 3] was [], [1] and [1 2] before.
type lists struct {
	// longest is, for each key, the longest read; the first of several; or -1.
	longest []history.Op
	// trusted is for each key how much of the longest read no other one
	// contradicts: the elements whose order is known.
	trusted []int32
	// unlike are the reads that are no prefix of the longest one, with the
	// index of the first difference; -1 for those that do not show the own
	// appends as they should.
	unlike map[history.Op]int

	// source is for each element of the longest reads the append that it must
	// come from, or -1; those of key k begin at sourceFirst[k].
	source      []history.Op
	sourceFirst []int

	// The trusted elements of key k begin at first[k].
	first []int
	// writer is the transaction that appended an element; -1 if there is no
	// single one, or it aborted.
	writer []history.Txn
	op     []history.Op
	// place is for each append 1 + the index of its element; 0 if it was not
	// observed, -1 if it is not clear which of several appends was.
	place []int32
	// unread are for each key the appends that have happened but are in no
	// trusted place: they come after the trusted ones, nobody knows in which
	// order. Those of key k begin at unreadFirst[k].
	unread      []history.Op
	unreadFirst []int
}

// prefix tells whether a read of a list is a prefix of the longest one.
func (l *lists) prefix(o history.Op) bool {
	if len(l.unlike) == 0 {
		return true
	}
	_, bad := l.unlike[o]
	return !bad
}

// of gives the trusted elements of a key: the transactions that appended them.
func (l *lists) of(k history.Key) []history.Txn { return l.writer[l.first[k]:l.first[k+1]] }

// pending gives the appends to a key that were not observed.
func (l *lists) pending(k history.Key) []history.Op {
	return l.unread[l.unreadFirst[k]:l.unreadFirst[k+1]]
}

// external gives what a list read shows of others: all but the appends that its
// transaction had made itself, which have to come last. ok is whether they do.
func (a *analysis) external(o history.Op) (list []history.Value, ok bool) {
	h := a.h
	list = h.List(o)
	for p := a.previous[o]; p >= 0; p = a.previous[p] {
		if h.Kind(p) != history.Append {
			continue
		}
		if len(list) == 0 || list[len(list)-1] != h.Value(p) {
			return nil, false
		}
		list = list[:len(list)-1]
	}
	return list, true
}

// longest finds the longest reads, and how far the others agree.
func (a *analysis) longest() {
	h, l := a.h, &a.lists
	l.longest = make([]history.Op, h.NumKeys())
	l.trusted = make([]int32, h.NumKeys())
	l.unlike = map[history.Op]int{}
	for k := range l.longest {
		l.longest[k] = -1
	}
	if !a.types[history.List] {
		return
	}
	for o := range history.Op(h.NumOps()) {
		if h.Kind(o) != history.ReadList || !a.says(o) {
			continue
		}
		k := h.Key(o)
		if list, ok := a.external(o); ok && (l.longest[k] < 0 || int32(len(list)) > l.trusted[k]) {
			l.longest[k], l.trusted[k] = o, int32(len(list))
		}
	}
	compared := make([][]history.Value, h.NumKeys())
	for o := range history.Op(h.NumOps()) {
		if h.Kind(o) != history.ReadList || !a.says(o) {
			continue
		}
		k := h.Key(o)
		list, ok := a.external(o)
		if !ok {
			l.unlike[o] = -1
			continue
		}
		long := h.List(l.longest[k])
		if n := difference(list, long, compared[k]); n >= 0 {
			l.unlike[o] = n
			l.trusted[k] = min(l.trusted[k], int32(n))
		} else if len(list) > len(compared[k]) {
			compared[k] = list
		}
	}
}

// resolve finds the appends of the elements of the longest reads: key by key, which
// is several times faster than the index of all elements of all reads, and most
// histories need no more.
func (a *analysis) resolve() {
	h, l := a.h, &a.lists
	if !a.types[history.List] {
		return
	}
	l.sourceFirst = make([]int, h.NumKeys()+1)
	var table []history.Op // 1 + append; open addressing by value
	for k := range history.Key(h.NumKeys()) {
		l.sourceFirst[k] = len(l.source)
		if l.longest[k] < 0 {
			continue
		}
		appends := a.writers.Of(k)[1:]
		size := bits.Len(uint(2 * len(appends)))
		if 1<<size > len(table) {
			table = make([]history.Op, 1<<size)
		}
		clear(table[:1<<size])
		var twice map[history.Value]bool // elements that were appended several times
		find := func(v history.Value) *history.Op {
			i := int(uint64(v) * 0x9e3779b97f4a7c15 >> (64 - size))
			for table[i] != 0 && h.Value(table[i]-1) != v {
				i = (i + 1) & (1<<size - 1)
			}
			return &table[i]
		}
		for _, w := range appends {
			if slot := find(h.Value(w)); *slot == 0 {
				*slot = w + 1
			} else {
				if twice == nil {
					twice = map[history.Value]bool{}
				}
				twice[h.Value(w)] = true
			}
		}
		for _, v := range h.List(l.longest[k]) {
			w := *find(v) - 1
			if twice[v] {
				w = -1
			}
			l.source = append(l.source, w)
		}
	}
	l.sourceFirst[h.NumKeys()] = len(l.source)
}

// element gives the writes that element i of what a read of a list or a set
// returned may come from.
func (a *analysis) element(o history.Op, i int) []history.Op {
	l := &a.lists
	if a.h.Kind(o) == history.ReadList {
		k := a.h.Key(o)
		at := l.sourceFirst[k] + i
		if at < l.sourceFirst[k+1] && l.source[at] >= 0 && a.h.List(o)[i] == a.h.List(l.longest[k])[i] {
			return l.source[at : at+1 : at+1]
		}
	}
	return a.h.Sources().Element(o, i)
}

// difference gives the index at which a list differs from a longer one, or -1.
// A list that shares the memory of either that one, or of another that was found
// to be a prefix of it, needs no look at its elements.
func difference(short, long, compared []history.Value) int {
	if len(short) == 0 || &short[0] == &long[0] {
		return -1
	}
	if len(compared) >= len(short) && &short[0] == &compared[0] {
		return -1
	}
	for i, v := range short {
		if v != long[i] {
			return i
		}
	}
	return -1
}

// orderLists makes the version orders of lists, and reports what they show.
func (a *analysis) orderLists() {
	h, l := a.h, &a.lists
	keys := history.Key(h.NumKeys())
	l.first = make([]int, keys+1)
	l.unreadFirst = make([]int, keys+1)
	if !a.types[history.List] {
		return
	}
	total := 0
	for _, n := range l.trusted {
		total += int(n)
	}
	l.writer = make([]history.Txn, 0, total)
	l.op = make([]history.Op, 0, total)
	l.place = make([]int32, h.NumOps())
	for k := range keys {
		l.first[k] = len(l.writer)
		o := l.longest[k]
		if o < 0 {
			continue
		}
		for i := range int(l.trusted[k]) {
			ws := a.element(o, i)
			t, w := a.writer(ws), history.Op(-1)
			if len(ws) == 1 {
				w = ws[0]
				if l.place[w] != 0 {
					// An element that is there twice: what the order after
					// it means, nobody knows.
					l.trusted[k] = int32(i)
					break
				}
				l.place[w] = int32(i) + 1
			}
			for _, v := range ws {
				if len(ws) > 1 {
					l.place[v] = -1
				}
			}
			l.writer, l.op = append(l.writer, t), append(l.op, w)
		}
		a.readElements(o, 0)
	}
	l.first[keys] = len(l.writer)
	a.skippedAppends()
	for _, o := range slices.Sorted(maps.Keys(l.unlike)) {
		if n := l.unlike[o]; n >= 0 {
			a.incompatible(o, n)
		}
		a.readElements(o, max(0, l.unlike[o]))
	}
	a.unobserved()
}

// skippedAppends reports elements that are in the order of a list without, or
// before, an element that the same transaction had appended earlier.
func (a *analysis) skippedAppends() {
	h, l := a.h, &a.lists
	for k := range history.Key(h.NumKeys()) {
		for i, w := range l.op[l.first[k]:l.first[k+1]] {
			if w < 0 {
				continue
			}
			p := a.previous[w]
			for p >= 0 && h.Kind(p) != history.Append {
				p = a.previous[p]
			}
			if p < 0 || l.place[p] < 0 || 0 < l.place[p] && l.place[p] <= int32(i) {
				continue
			}
			t, u := h.TxnOf(w), h.TxnOf(l.longest[k])
			a.report(anomalies.IncompatibleOrder, l.longest[k], k, []history.Txn{t, u}, func() string {
				return fmt.Sprintf("%s appended %s to key %s before %s, but %s read %s, without %s before %s", a.full(t), a.value(p), a.key(k), a.value(w), a.full(u), a.value(l.longest[k]), a.value(p), a.value(w))
			})
			a.complete = false
		}
	}
}

// unobserved collects the appends that are in no trusted place.
func (a *analysis) unobserved() {
	h, l := a.h, &a.lists
	unread := func(o history.Op) bool {
		return h.Kind(o) == history.Append && l.place[o] == 0 && a.in[h.TxnOf(o)]
	}
	for o := range history.Op(h.NumOps()) {
		if unread(o) {
			l.unreadFirst[h.Key(o)+1]++
		}
	}
	for k := range h.NumKeys() {
		l.unreadFirst[k+1] += l.unreadFirst[k]
	}
	l.unread = make([]history.Op, l.unreadFirst[h.NumKeys()])
	at := append([]int(nil), l.unreadFirst...)
	for o := range history.Op(h.NumOps()) {
		if unread(o) {
			l.unread[at[h.Key(o)]] = o
			at[h.Key(o)]++
		}
	}
}

// readElements looks at the elements of a read, from one on, for those that
// should not be there.
func (a *analysis) readElements(o history.Op, from int) {
	h, k, t := a.h, a.h.Key(o), a.h.TxnOf(o)
	list, ok := a.external(o)
	if !ok {
		list = h.List(o)
	}
	seen := repetitions{read: o, list: list}
	aborted := -1
	for i := from; i < len(list); i++ {
		v := list[i]
		ws := a.element(o, i)
		if j, twice := seen.at(a, i, ws); twice && len(ws) < 2 {
			a.report(anomalies.DuplicateElements, o, k, []history.Txn{t}, func() string {
				return fmt.Sprintf("%s read key %s as %s: the element %s is in it twice, at %d and at %d", a.full(t), a.key(k), a.value(o), a.name(v), j, i)
			})
			continue
		}
		switch {
		case len(ws) == 0:
			a.report(anomalies.ThinAirRead, o, k, []history.Txn{t}, func() string {
				return fmt.Sprintf("%s read the element %s of key %s, which nobody appended", a.full(t), a.name(v), a.key(k))
			})
			a.complete = false
		case len(ws) > 1:
			a.note("An element was appended twice to one list: which append is which cannot be known.")
			a.complete = false
		case h.Status(h.TxnOf(ws[0])) == history.Aborted:
			w := h.TxnOf(ws[0])
			a.report(anomalies.G1a, o, k, []history.Txn{w, t}, func() string {
				return fmt.Sprintf("%s read key %s as %s, with the element %s that %s appended, which aborted", a.full(t), a.key(k), a.value(o), a.name(v), a.full(w))
			})
			aborted = i
		case aborted >= 0 && h.TxnOf(ws[0]) != t:
			w, x := h.TxnOf(ws[0]), h.TxnOf(a.element(o, aborted)[0])
			u := list[aborted]
			a.report(anomalies.DirtyUpdate, o, k, []history.Txn{x, w}, func() string {
				return fmt.Sprintf("%s appended %s to key %s after the element %s, which is of the aborted %s", a.full(w), a.name(v), a.key(k), a.name(u), a.full(x))
			})
			aborted = -1
		}
	}
}

// incompatible reports a read that contradicts the longest one.
func (a *analysis) incompatible(o history.Op, n int) {
	k := a.h.Key(o)
	other := a.lists.longest[k]
	t, u := a.h.TxnOf(o), a.h.TxnOf(other)
	a.report(anomalies.IncompatibleOrder, o, k, []history.Txn{t, u}, func() string {
		return fmt.Sprintf("%s read key %s as %s, but %s as %s: from element %d on they differ, so that neither was the other before", a.full(t), a.key(k), a.value(o), a.full(u), a.value(other), n)
	})
	a.complete = false
}

// listTransaction looks at a list read in the light of what its transaction did
// before.
func (a *analysis) listTransaction(o history.Op) {
	h, k, t := a.h, a.h.Key(o), a.h.TxnOf(o)
	list, ok := a.external(o)
	if !ok {
		a.report(anomalies.NotMyOwnWrite, o, k, []history.Txn{t}, func() string {
			return fmt.Sprintf("%s read key %s as %s, which does not end with its own appends before", a.full(t), a.key(k), a.value(o))
		})
		return
	}
	a.ownTwice(o, list)
	own := false
	for p := a.previous[o]; p >= 0; p = a.previous[p] {
		if h.Kind(p) == history.Append {
			own = true
			continue
		}
		if !h.Known(p) {
			continue
		}
		old, ok := a.external(p)
		if !ok || slices.Equal(old, list) {
			return
		}
		kind := isolation.Anomaly(anomalies.NonRepeatableRead)
		if own {
			kind = anomalies.Internal
		}
		a.report(kind, o, k, []history.Txn{t}, func() string {
			return fmt.Sprintf("%s read key %s as %s, and then, apart from its own appends, as %s", a.full(t), a.key(k), a.value(p), a.value(o))
		})
		return
	}
}

// futureAppend reports an append that its own transaction had read before.
func (a *analysis) futureAppend(w history.Op) {
	h, k, t := a.h, a.h.Key(w), a.h.TxnOf(w)
	i := int(a.lists.place[w]) - 1
	if i < 0 {
		return
	}
	for r := a.previous[w]; r >= 0; r = a.previous[r] {
		if h.Kind(r) != history.ReadList || !h.Known(r) {
			continue
		}
		if list := h.List(r); i < len(list) && list[i] == h.Value(w) {
			a.report(anomalies.FutureRead, r, k, []history.Txn{t}, func() string {
				return fmt.Sprintf("%s read key %s as %s, with the element %s that it appended only later", a.full(t), a.key(k), a.value(r), a.name(h.Value(w)))
			})
			return
		}
	}
}

// intermediate tells whether a read of a list ends with an element that its
// appender followed with another.
func (a *analysis) intermediate(o history.Op) {
	h, k, t := a.h, a.h.Key(o), a.h.TxnOf(o)
	list, ok := a.external(o)
	if !ok || len(list) == 0 {
		return
	}
	if n := len(list); n < len(a.lists.of(k)) && a.lists.of(k)[n-1] != a.lists.of(k)[n] && a.lists.of(k)[n] >= 0 && a.lists.prefix(o) {
		return // usual: another transaction appended next; if its writer did later, too, that is G0
	}
	ws := a.element(o, len(list)-1)
	if len(ws) != 1 || h.TxnOf(ws[0]) == t || a.writers.Final(ws[0]) {
		return
	}
	u := h.TxnOf(ws[0])
	a.report(anomalies.G1b, o, k, []history.Txn{u, t}, func() string {
		return fmt.Sprintf("%s read key %s as %s, which ends with %s, but that was not the last append of %s", a.full(t), a.key(k), a.value(o), a.name(list[len(list)-1]), a.full(u))
	})
}

// connectLists emits the edges that lists show.
func (a *analysis) connectLists(e *emitter) {
	h, l := a.h, &a.lists
	if !a.types[history.List] {
		return
	}
	hubs, after := make([]int32, h.NumKeys()), make([]int32, h.NumKeys())
	for k := range history.Key(h.NumKeys()) {
		if h.Type(k) != history.List {
			continue
		}
		last := history.Txn(-1)
		for _, t := range l.of(k) {
			if t < 0 {
				continue
			}
			if last >= 0 && last != t {
				e.edge(int32(last), int32(t), ww)
			}
			last = t
		}
		if p := l.pending(k); len(p) > 0 {
			hubs[k], after[k] = e.hub(), e.hub()
			for _, w := range p {
				u := h.TxnOf(w)
				e.edge(hubs[k], int32(u), rw)
				e.edge(after[k], int32(u), based)
				if last >= 0 && last != u {
					e.edge(int32(last), int32(u), ww)
				}
			}
		}
	}
	for o := range history.Op(h.NumOps()) {
		if h.Kind(o) != history.ReadList || !a.says(o) {
			continue
		}
		k, t := h.Key(o), h.TxnOf(o)
		order := l.of(k)
		n, ok := a.trustedRead(o)
		if !ok {
			continue
		}
		i := n - 1
		for i >= 0 && (order[i] < 0 || order[i] == t) {
			i--
		}
		if i >= 0 {
			e.edge(int32(order[i]), int32(t), wr)
		}
		last := history.Txn(-1)
		if n > 0 {
			last = order[n-1]
		}
		j := n
		for j < len(order) && (order[j] < 0 || order[j] == last && last != t) {
			j++
		}
		if j == len(order) {
			p := l.pending(k)
			a.toAll(e, t, rw, hubs[k], p)
			if a.writesOne(t, p) {
				// Its own append comes right after what it read, unless it
				// lost one of the others.
				a.toAll(e, t, based, after[k], p)
			}
		} else if order[j] != t {
			e.edge(int32(t), int32(order[j]), rw)
		}
	}
}

// trustedRead gives the number of elements that a list read shows of others, if
// their order is known.
func (a *analysis) trustedRead(o history.Op) (n int, ok bool) {
	list, ok := a.external(o)
	return len(list), ok && len(list) <= len(a.lists.of(a.h.Key(o)))
}

// lostAppends reports transactions that appended to the same version of a list,
// having read it.
func (a *analysis) lostAppends() {
	h, l := a.h, &a.lists
	if !a.types[history.List] || !a.wants(anomalies.LostUpdate) {
		return
	}
	first := make([]history.Op, len(l.writer)+h.NumKeys())
	for w := range history.Op(h.NumOps()) {
		if h.Kind(w) != history.Append || !a.in[h.TxnOf(w)] {
			continue
		}
		r := a.previous[w]
		if r < 0 || h.Kind(r) != history.ReadList || !a.says(r) || a.ownBefore(r) {
			continue
		}
		k := h.Key(w)
		n, ok := a.trustedRead(r)
		if !ok {
			continue
		}
		slot := &first[l.first[k]+int(k)+n]
		if *slot == 0 {
			*slot = r
			continue
		}
		a.lost(*slot, r)
	}
}

// ownBefore tells whether the transaction of a read wrote its key before.
func (a *analysis) ownBefore(r history.Op) bool {
	for p := a.previous[r]; p >= 0; p = a.previous[p] {
		if a.h.Kind(p).Writes() {
			return true
		}
	}
	return false
}

// lost reports a lost update: two reads of one version, by transactions that both
// wrote the key.
func (a *analysis) lost(r, s history.Op) {
	t, u, k := a.h.TxnOf(r), a.h.TxnOf(s), a.h.Key(r)
	if t == u {
		return
	}
	a.report(anomalies.LostUpdate, s, k, []history.Txn{t, u}, func() string {
		return fmt.Sprintf("%s and %s both read key %s as %s, and both wrote it then: one update is lost", a.full(t), a.full(u), a.key(k), a.value(r))
	})
}
