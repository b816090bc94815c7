package elle

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// registers are what is known of the version orders of registers: pairs of
// versions, each named by the operation that wrote it. The initial version of a
// key comes before all others without a pair.
type registers struct {
	// pairs are sorted. first is, for each operation, where the pairs begin in
	// which its version comes first.
	pairs []pair
	first []int32
	// roots are for each key the final writes that no pair has second, except
	// with the initial version; of key k from rootsFirst[k] on.
	roots      []history.Op
	rootsFirst []int
	// cyclic are the keys whose versions go round: their pairs are dropped.
	cyclic map[history.Key]bool
}

// pair says that one version comes before another.
type pair struct {
	before, after history.Op
	// linear: because the key is linearizable. Otherwise one transaction read
	// the first and wrote the second.
	linear bool
}

func comparePairs(p, q pair) int {
	if c := cmp.Or(cmp.Compare(p.before, q.before), cmp.Compare(p.after, q.after)); c != 0 {
		return c
	}
	if p.linear == q.linear {
		return 0
	}
	if q.linear {
		return -1
	}
	return 1
}

// sources gives what a register read may come from, nothing if it is not known.
func (a *analysis) sources(o history.Op) []history.Op {
	if a.h.Kind(o) != history.Read || !a.h.Known(o) {
		return nil
	}
	return a.of(o)
}

// registerTransaction looks at a register read by itself, and in the light of
// what its transaction did before.
func (a *analysis) registerTransaction(o history.Op) {
	h, k, t := a.h, a.h.Key(o), a.h.TxnOf(o)
	ws := a.of(o)
	if w := a.lastBefore(o, func(p history.Op) bool { return h.Kind(p).Writes() }); w >= 0 && !a.same(w, o) {
		kind := isolation.Anomaly(anomalies.NotMyOwnWrite)
		if len(ws) == 1 && h.TxnOf(ws[0]) == t && ws[0] < o {
			kind = anomalies.NotMyLastWrite
		}
		a.report(kind, o, k, []history.Txn{t}, func() string {
			return fmt.Sprintf("%s wrote %s to key %s, but then read %s", a.full(t), a.value(w), a.key(k), a.value(o))
		})
	}
	if p := a.lastKnown(o); p >= 0 && h.Kind(p).Reads() && !a.same(p, o) {
		a.report(anomalies.NonRepeatableRead, o, k, []history.Txn{t}, func() string {
			return fmt.Sprintf("%s read key %s as %s, and then, without a write of its own, as %s", a.full(t), a.key(k), a.value(p), a.value(o))
		})
	}
	a.readVersion(o, k, ws)
}

// lastKnown gives the last write or known read of a key by the transaction of o
// before o, or -1.
func (a *analysis) lastKnown(o history.Op) history.Op {
	return a.lastBefore(o, func(p history.Op) bool { return a.h.Kind(p).Writes() || a.h.Known(p) })
}

// lastBefore gives the last operation of some on a key by the transaction of o
// before o, or -1.
func (a *analysis) lastBefore(o history.Op, some func(p history.Op) bool) history.Op {
	for p := a.previous[o]; p >= 0; p = a.previous[p] {
		if some(p) {
			return p
		}
	}
	return -1
}

// same tells whether two operations on a register are about the same version, as
// far as the recording identifies versions, or else the same value.
func (a *analysis) same(p, o history.Op) bool {
	if v, w := a.h.Version(p), a.h.Version(o); v != history.NoValue && w != history.NoValue {
		return v == w
	}
	return a.h.Value(p) == a.h.Value(o)
}

// readVersion looks at one version that was read: of a register, or of a row.
func (a *analysis) readVersion(o history.Op, k history.Key, ws []history.Op) {
	h, t := a.h, a.h.TxnOf(o)
	if a.unknownInitial(k) {
		a.note("What a register held at first is not known: reads of it say nothing about order.")
		a.complete = false
		return
	}
	if len(ws) == 0 {
		a.report(anomalies.ThinAirRead, o, k, []history.Txn{t}, func() string {
			return fmt.Sprintf("%s read key %s as %s, which nobody wrote", a.full(t), a.key(k), a.value(o))
		})
		a.complete = false
		return
	}
	if len(ws) > 1 {
		a.note("A value was written twice to one key: which write was read cannot be known.")
		a.complete = false
	}
	// With several possible sources, all must be bad. The mildest counts.
	aborted, intermediate, future := 0, 0, 0
	for _, w := range ws {
		switch u := h.TxnOf(w); {
		case u == t && w > o:
			future++
		case u == t:
		case h.Status(u) == history.Aborted:
			aborted++
		case !a.writers.Final(w):
			intermediate++
		}
	}
	if aborted+intermediate+future < len(ws) {
		return
	}
	for _, w := range ws {
		u := h.TxnOf(w)
		switch {
		case intermediate > 0 && (u == t || h.Status(u) == history.Aborted):
		case intermediate > 0:
			a.report(anomalies.G1b, o, k, []history.Txn{u, t}, func() string {
				return fmt.Sprintf("%s read key %s as %s, which %s wrote, but then overwrote itself", a.full(t), a.key(k), a.value(o), a.full(u))
			})
			return
		case aborted > 0 && u == t:
		case aborted > 0:
			a.report(anomalies.G1a, o, k, []history.Txn{u, t}, func() string {
				return fmt.Sprintf("%s read key %s as %s, which %s wrote, which aborted", a.full(t), a.key(k), a.value(o), a.full(u))
			})
			return
		default:
			a.report(anomalies.FutureRead, o, k, []history.Txn{t}, func() string {
				return fmt.Sprintf("%s read key %s as %s, which it wrote only later", a.full(t), a.key(k), a.value(o))
			})
			return
		}
	}
}

// finalWrite tells whether an operation installs a version of a register.
func (a *analysis) finalWrite(o history.Op) bool {
	h := a.h
	switch h.Kind(o) {
	case history.Write, history.Insert, history.Delete:
		return h.Type(h.Key(o)) == history.Register && a.in[h.TxnOf(o)] && a.writers.Final(o)
	}
	return false
}

// orderRegisters finds which versions come before which, and reports what that
// shows.
func (a *analysis) orderRegisters() {
	h, r := a.h, &a.regs
	r.cyclic = map[history.Key]bool{}
	if !a.types[history.Register] {
		return
	}
	for w := range history.Op(h.NumOps()) {
		if h.TxnOf(w) == history.InitialTxn || !a.finalWrite(w) || h.Status(h.TxnOf(w)) != history.Committed {
			continue
		}
		// Writes follow reads: of those before its first write.
		first := w
		for p := a.previous[w]; p >= 0; p = a.previous[p] {
			if h.Kind(p).Writes() {
				first = p
			}
		}
		for p := a.previous[first]; p >= 0; p = a.previous[p] {
			ws := a.sources(p)
			if len(ws) == 1 && a.finalWrite(ws[0]) && ws[0] != w {
				r.pairs = append(r.pairs, pair{before: ws[0], after: w})
			}
		}
	}
	if a.o.LinearizableKeys && h.Order() == history.RealTime {
		a.linearize()
	}
	slices.SortFunc(r.pairs, comparePairs)
	r.pairs = slices.Compact(r.pairs)
	a.lostWrites()
	a.dropCyclic()
	r.first = make([]int32, h.NumOps()+1)
	later := make([]bool, h.NumOps())
	for _, p := range r.pairs {
		r.first[p.before+1]++
		later[p.after] = later[p.after] || h.TxnOf(p.before) != history.InitialTxn
	}
	for o := range h.NumOps() {
		r.first[o+1] += r.first[o]
	}
	r.rootsFirst = make([]int, h.NumKeys()+1)
	for k := range history.Key(h.NumKeys()) {
		r.rootsFirst[k] = len(r.roots)
		for _, w := range a.writers.Of(k)[1:] {
			if !later[w] && !r.cyclic[k] && a.finalWrite(w) {
				r.roots = append(r.roots, w)
			}
		}
	}
	r.rootsFirst[h.NumKeys()] = len(r.roots)
}

// rootsOf gives the versions of a key that may come first, after the initial one.
func (r *registers) rootsOf(k history.Key) []history.Op {
	return r.roots[r.rootsFirst[k]:r.rootsFirst[k+1]]
}

// next gives the pairs in which a version comes first.
func (r *registers) next(o history.Op) []pair { return r.pairs[r.first[o]:r.first[o+1]] }

// lostWrites reports transactions that read the same version and then wrote the
// next.
func (a *analysis) lostWrites() {
	last := pair{before: -1}
	for _, p := range a.regs.pairs {
		if p.linear {
			continue
		}
		if p.before == last.before && last.after != p.after {
			a.lost(a.readOf(last), a.readOf(p))
			continue // the first one stands for all
		}
		last = p
	}
}

// readOf gives the read because of which a pair is one.
func (a *analysis) readOf(p pair) history.Op {
	for o := a.previous[p.after]; o >= 0; o = a.previous[o] {
		if ws := a.sources(o); len(ws) == 1 && ws[0] == p.before {
			return o
		}
	}
	panic("elle: a version follows another, but nobody read that")
}

// dropCyclic reports keys whose versions precede each other, and forgets the
// order of these.
func (a *analysis) dropCyclic() {
	r := &a.regs
	if len(r.pairs) == 0 {
		return
	}
	// Whatever cannot be peeled off at either end is on or between cycles.
	out := make(map[history.Op][]history.Op)
	back := make(map[history.Op][]history.Op)
	for _, p := range r.pairs {
		out[p.before] = append(out[p.before], p.after)
		back[p.after] = append(back[p.after], p.before)
	}
	forward := unpeeled(out, back)
	if len(forward) == 0 {
		return
	}
	backward := unpeeled(back, out)
	around := map[history.Key][]history.Op{}
	for o := range forward {
		if backward[o] {
			k := a.h.Key(o)
			around[k] = append(around[k], o)
		}
	}
	keys := make([]history.Key, 0, len(around))
	for k := range around {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		r.cyclic[k] = true
		slices.Sort(around[k])
		a.reportCyclic(k, around[k], out)
	}
	r.pairs = slices.DeleteFunc(r.pairs, func(p pair) bool { return r.cyclic[a.h.Key(p.after)] })
}

// unpeeled gives the versions that are left when those without a predecessor are
// taken away again and again. to has the successors of each, from the predecessors.
func unpeeled(to, from map[history.Op][]history.Op) map[history.Op]bool {
	in := map[history.Op]int{}
	for o, ps := range from {
		in[o] = len(ps)
	}
	var queue []history.Op
	for o := range to {
		if in[o] == 0 {
			queue = append(queue, o)
		}
	}
	for len(queue) > 0 {
		o := queue[len(queue)-1]
		queue = queue[:len(queue)-1]
		for _, p := range to[o] {
			if in[p]--; in[p] == 0 {
				queue = append(queue, p)
			}
		}
	}
	rest := map[history.Op]bool{}
	for o, n := range in {
		if n > 0 {
			rest[o] = true
		}
	}
	return rest
}

// reportCyclic reports versions of a key, sorted, that are on or between cycles of
// after: which versions follow each.
func (a *analysis) reportCyclic(k history.Key, versions []history.Op, after map[history.Op][]history.Op) {
	var txns []history.Txn
	for _, o := range versions {
		txns = append(txns, a.h.TxnOf(o))
	}
	slices.Sort(txns)
	a.report(anomalies.CyclicVersions, -1, k, slices.Compact(txns), func() string {
		text := fmt.Sprintf("the versions of key %s precede each other:", a.key(k))
		for i, o := range versions {
			if i == 6 {
				text += " …"
				break
			}
			for _, p := range after[o] {
				text += fmt.Sprintf(" %s before %s;", a.value(o), a.value(p))
			}
		}
		return text[:len(text)-1]
	})
	a.complete = false
}

// linearize adds the pairs that hold if every register is linearizable: who
// touches a key after another was done with it sees no earlier version.
func (a *analysis) linearize() {
	h := a.h
	type touch struct {
		begin, end int64
		in, out    history.Op // the versions at its first and last touch
	}
	touches := map[history.Key][]touch{}
	at := map[history.Key]int{}
	for t := history.Txn(1); t < history.Txn(h.NumTxns()); t++ {
		if h.Status(t) != history.Committed {
			continue
		}
		clear(at)
		first, end := h.Ops(t)
		for o := first; o < end; o++ {
			k := h.Key(o)
			if k < 0 || h.Type(k) != history.Register {
				continue
			}
			v := o
			if h.Kind(o).Reads() {
				ws := a.sources(o)
				if len(ws) != 1 || !a.in[h.TxnOf(ws[0])] {
					continue
				}
				v = ws[0]
			}
			if !a.finalWrite(v) {
				continue
			}
			i, ok := at[k]
			if !ok {
				i = len(touches[k])
				at[k] = i
				touches[k] = append(touches[k], touch{begin: h.Begin(t), end: h.End(t), in: v})
			}
			touches[k][i].out = v
		}
	}
	for k := range history.Key(h.NumKeys()) {
		ts := touches[k]
		slices.SortFunc(ts, func(x, y touch) int {
			return cmp.Or(cmp.Compare(x.begin, y.begin), cmp.Compare(x.end, y.end), cmp.Compare(x.in, y.in))
		})
		// done are those that ended before a begin, ended first; done that
		// ended before another done began are covered by that one.
		ended := slices.Clone(ts)
		slices.SortFunc(ended, func(x, y touch) int {
			return cmp.Or(cmp.Compare(x.end, y.end), cmp.Compare(x.begin, y.begin), cmp.Compare(x.in, y.in))
		})
		var frontier []touch
		e := 0
		for _, t := range ts {
			for ; e < len(ended) && ended[e].end < t.begin; e++ {
				d := ended[e]
				frontier = slices.DeleteFunc(frontier, func(f touch) bool { return f.end < d.begin })
				frontier = append(frontier, d)
			}
			for _, f := range frontier {
				if f.out != t.in && h.TxnOf(t.in) != history.InitialTxn {
					a.regs.pairs = append(a.regs.pairs, pair{f.out, t.in, true})
				} else if f.out != t.in {
					// Somebody sees the initial version after another one.
					a.regs.pairs = append(a.regs.pairs, pair{f.out, t.in, true}, pair{t.in, f.out, true})
				}
			}
		}
	}
}

// connectRegisters emits the edges that registers show.
func (a *analysis) connectRegisters(e *emitter) {
	h, r := a.h, &a.regs
	if !a.types[history.Register] {
		return
	}
	for _, p := range r.pairs {
		t, u := h.TxnOf(p.before), h.TxnOf(p.after)
		if p.linear && t != u {
			e.edge(int32(t), int32(u), ww)
		}
	}
	// What may follow a version, if it is more than one, is behind a hub.
	hubs := map[history.Op]int32{}
	hub := func(o history.Op) {
		if next := a.nextVersions(o); len(next) > 1 {
			hubs[o] = e.hub()
			for _, w := range next {
				e.edge(hubs[o], int32(h.TxnOf(w)), rw)
			}
		}
	}
	for k := range h.NumKeys() {
		hub(history.Op(k))
	}
	for i, p := range r.pairs {
		if i == 0 || p.before != r.pairs[i-1].before {
			if h.TxnOf(p.before) != history.InitialTxn {
				hub(p.before)
			}
		}
	}
	for o := range history.Op(h.NumOps()) {
		switch {
		case h.Kind(o) == history.Read && a.says(o):
			a.connectRead(e, h.TxnOf(o), a.of(o), hubs)
		case h.Kind(o) == history.ReadRange && a.says(o):
			g := h.Range(o)
			for i := range len(g.LiveKeys) + len(g.DeadKeys) {
				a.connectRead(e, h.TxnOf(o), a.row(o, i), hubs)
			}
		}
	}
}

func (a *analysis) connectRead(e *emitter, t history.Txn, ws []history.Op, hubs map[history.Op]int32) {
	u := a.writer(ws)
	if u < 0 || u == t {
		return
	}
	if u != history.InitialTxn {
		e.edge(int32(u), int32(t), wr)
	}
	w := ws[0]
	a.toAll(e, t, rw, hubs[w], a.nextVersions(w))
}

// nextVersions gives the writes of versions that are known to follow one, without
// those that follow another of these; sorted.
func (a *analysis) nextVersions(o history.Op) []history.Op {
	h, r := a.h, &a.regs
	if h.TxnOf(o) == history.InitialTxn {
		if h.Type(h.Key(o)) != history.Register {
			return nil
		}
		return r.rootsOf(h.Key(o))
	}
	var out []history.Op
	for _, p := range r.next(o) {
		if len(out) == 0 || out[len(out)-1] != p.after {
			out = append(out, p.after)
		}
	}
	return out
}

// laterVersions gives all writes of versions that are known to follow one.
func (a *analysis) laterVersions(o history.Op) []history.Op {
	var out []history.Op
	seen := map[history.Op]bool{}
	for queue := slices.Clone(a.nextVersions(o)); len(queue) > 0; queue = queue[1:] {
		if w := queue[0]; !seen[w] {
			seen[w] = true
			out = append(out, w)
			queue = append(queue, a.nextVersions(w)...)
		}
	}
	return out
}
