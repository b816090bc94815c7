package polysi

import (
	"cmp"
	"context"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// read is one of a committed transaction that comes from another one: a WR edge.
type read struct {
	op   history.Op
	key  history.Key
	from history.Txn
}

// openRead is one that may come from several transactions.
type openRead struct {
	op    history.Op
	key   history.Key
	value history.Value
	from  []history.Txn // sorted
}

// site is a read of a key; an operation that reads a range reads several.
type site struct {
	op  history.Op
	key history.Key
}

// reads is what the reads say, each by itself. That does not depend on the level.
type reads struct {
	h        *history.History
	src      *history.Sources
	writers  *history.Writers
	assigned map[site]history.Txn

	list []read
	open []openRead
	bad  []checker.Violation
	// live tells which transactions took effect, maybe which ones did if an open
	// read comes from them.
	live, maybe []bool
	// unjudged says why a history without a violation may yet have one.
	unjudged string

	own   []history.Op // of keys: the last write in the transaction so far
	first history.Op   // of the transaction
	// loaded is the first value of each key that is read and that nobody wrote, if
	// it is not known what the key held initially.
	loaded map[history.Key]history.Value
	// free are reads of such keys that somebody wrote, but which may be initial, too.
	free []openRead
	// shared are writers that reads of a value may come from. Most have the same ones.
	shared map[written][]history.Txn
}

// written is a value of a key.
type written struct {
	key   history.Key
	value history.Value
}

// newReads goes over all reads once. Of open reads some may be assigned to a writer. What it gives when the
// time is over is of no use.
func newReads(ctx context.Context, h *history.History, assigned map[site]history.Txn) *reads {
	r := &reads{
		h: h, src: h.Sources(), writers: h.Writers(), assigned: assigned, own: make([]history.Op, h.NumKeys()),
		live: make([]bool, h.NumTxns()), maybe: make([]bool, h.NumTxns()), loaded: map[history.Key]history.Value{},
		shared: map[written][]history.Txn{},
	}
	for t := range history.Txn(h.NumTxns()) {
		if t&63 == 0 && ctx.Err() != nil {
			return r
		}
		if h.Status(t) == history.Committed {
			r.live[t] = true
			r.txn(t)
		}
	}
	r.settleFree()
	for _, x := range r.list {
		r.live[x.from] = true
	}
	for _, o := range r.open {
		for _, t := range o.from {
			r.maybe[t] = !r.live[t]
		}
	}
	return r
}

func (r *reads) txn(t history.Txn) {
	h := r.h
	first, end := h.Ops(t)
	r.first = first
	for o := first; o < end; o++ {
		switch kind := h.Kind(o); {
		case kind.Writes():
			r.own[h.Key(o)] = o
		case !h.Known(o):
		case kind == history.Read:
			r.register(t, site{o, h.Key(o)}, h.Value(o), r.src.Of(o), h.Version(o) == history.NoValue)
		case kind == history.ReadRange:
			r.rows(t, o)
		default:
			r.unjudged = "This method does not judge reads of lists, sets and counters."
		}
	}
}

// rows takes a read of a range: of every key in it.
func (r *reads) rows(t history.Txn, o history.Op) {
	h := r.h
	x := h.Range(o)
	listed := map[history.Key]bool{}
	for i, k := range x.LiveKeys {
		listed[k] = true
		r.register(t, site{o, k}, x.LiveValues[i], r.src.Row(o, i), true)
	}
	for i, k := range x.DeadKeys {
		listed[k] = true
		r.register(t, site{o, k}, x.DeadRows[i], r.src.Row(o, len(x.LiveKeys)+i), true)
	}
	for k := range history.Key(h.NumKeys()) {
		if !listed[k] && h.Type(k) == history.Register && h.Between(k, x) {
			r.register(t, site{o, k}, history.NoValue, []history.Op{history.Op(k)}, false) // its initial version
		}
	}
}

// register takes a read of a register, and the writes that it may come from. byValue
// tells whether the value is what identifies them.
func (r *reads) register(t history.Txn, s site, v history.Value, sources []history.Op, byValue bool) {
	h := r.h
	if own := r.own[s.key]; own >= r.first && own < s.op {
		if !slices.Contains(sources, own) {
			r.notOwn(t, s, own, sources)
		}
		return
	}
	var from []history.Txn
	for _, w := range sources {
		if u := h.TxnOf(w); u == history.InitialTxn || u != t && h.Status(u) != history.Aborted && r.writers.Final(w) {
			from = append(from, u)
		}
	}
	if len(from) > 1 {
		if old := r.shared[written{s.key, v}]; slices.Equal(old, from) {
			from = old
		} else {
			r.shared[written{s.key, v}] = slices.Clip(from)
		}
	}
	free := byValue && h.Value(history.Op(s.key)) == history.NoValue
	switch u, ok := r.assigned[s]; {
	case ok:
		r.list = append(r.list, read{s.op, s.key, u})
	case free && len(sources) == 0:
		if old, ok := r.loaded[s.key]; ok && old != v {
			r.wrong(anomalies.ThinAirRead, s, -1)
			return
		}
		r.loaded[s.key] = v
		r.list = append(r.list, read{s.op, s.key, history.InitialTxn})
	case free:
		r.free = append(r.free, openRead{s.op, s.key, v, from})
	case len(from) == 1:
		r.list = append(r.list, read{s.op, s.key, from[0]})
	case len(from) > 1:
		r.open = append(r.open, openRead{s.op, s.key, v, from})
	default:
		r.noSource(t, s, sources)
	}
}

// settleFree decides which reads of keys whose initial value is not known may be of
// that: all, unless another read shows what it was.
func (r *reads) settleFree() {
	for _, o := range r.free {
		if len(o.from) > 0 {
			continue
		}
		// Its only writes are aborted ones and the like.
		if v, ok := r.loaded[o.key]; ok && v != o.value {
			r.noSource(r.h.TxnOf(o.op), site{o.op, o.key}, r.sourcesOf(o))
			continue
		}
		r.loaded[o.key] = o.value
		r.list = append(r.list, read{o.op, o.key, history.InitialTxn})
	}
	for _, o := range r.free {
		if len(o.from) == 0 {
			continue
		}
		if v, ok := r.loaded[o.key]; !ok || v == o.value {
			o.from = append([]history.Txn{history.InitialTxn}, o.from...)
		}
		if len(o.from) == 1 {
			r.list = append(r.list, read{o.op, o.key, o.from[0]})
		} else {
			r.open = append(r.open, o)
		}
	}
	slices.SortStableFunc(r.open, func(a, b openRead) int { return cmp.Or(cmp.Compare(a.op, b.op), cmp.Compare(a.key, b.key)) })
}

// sourcesOf gives the writes that a read may come from again.
func (r *reads) sourcesOf(o openRead) []history.Op {
	if r.h.Kind(o.op) == history.Read {
		return r.src.Of(o.op)
	}
	x := r.h.Range(o.op)
	if i := slices.Index(x.LiveKeys, o.key); i >= 0 {
		return r.src.Row(o.op, i)
	}
	return r.src.Row(o.op, len(x.LiveKeys)+slices.Index(x.DeadKeys, o.key))
}

// notOwn names a read of a key that does not return the last own write.
func (r *reads) notOwn(t history.Txn, s site, own history.Op, sources []history.Op) {
	if len(sources) == 0 {
		r.wrong(anomalies.ThinAirRead, s, -1)
		return
	}
	anomaly, source := isolation.Anomaly(anomalies.NotMyOwnWrite), sources[0]
	for _, w := range sources {
		switch {
		case r.first <= w && w < own:
			anomaly, source = anomalies.NotMyLastWrite, w
		case r.h.TxnOf(w) == t && anomaly == anomalies.NotMyOwnWrite:
			anomaly, source = anomalies.FutureRead, w
		}
	}
	r.wrong(anomaly, s, source)
}

// noSource names a read that comes from no write from which it may.
func (r *reads) noSource(t history.Txn, s site, sources []history.Op) {
	if len(sources) == 0 {
		r.wrong(anomalies.ThinAirRead, s, -1)
		return
	}
	anomaly, source := isolation.Anomaly(anomalies.FutureRead), sources[0]
	for _, w := range sources {
		switch u := r.h.TxnOf(w); {
		case u == t:
		case r.h.Status(u) == history.Aborted:
			if anomaly == anomalies.FutureRead {
				anomaly, source = anomalies.G1a, w
			}
		default:
			anomaly, source = anomalies.G1b, w
		}
	}
	r.wrong(anomaly, s, source)
}

// wrong notes a read that no level allows.
func (r *reads) wrong(a isolation.Anomaly, s site, source history.Op) {
	r.bad = append(r.bad, checker.Violation{Anomaly: a, Level: isolation.PLSI, Read: s.op, Key: s.key, Source: source})
}
