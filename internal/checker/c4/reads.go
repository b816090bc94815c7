package c4

import (
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// read is one that comes from another transaction, the final writer of a key.
type read struct {
	op   history.Op
	key  history.Key
	from history.Txn
}

// choice is a read that may come from several transactions.
type choice struct {
	op    history.Op
	key   history.Key
	value history.Value
	from  []history.Txn
}

// site is what a choice is about.
type site struct {
	op  history.Op
	key history.Key
}

// readPass judges the reads of a stretch of transactions each by itself, and
// finds out where they come from.
type readPass struct {
	*analysis
	own     []history.Op // of keys: the last write in the transaction so far
	first   history.Op   // of the transaction
	reads   []read
	count   []int32 // reads of each transaction
	bad     []checker.Violation
	open    []choice
	loads   []load
	sets    bool
	lists   []listRead
	unknown []history.Txn // of unknown outcome, and read
}

// txns goes over the transactions from t to end.
func (p *readPass) txns(t, end history.Txn) {
	h := p.h
	p.own = make([]history.Op, h.NumKeys())
	p.count = make([]int32, 0, end-t)
	for ; t < end; t++ {
		n := len(p.reads)
		if h.Status(t) == history.Committed {
			p.txn(t)
		}
		p.count = append(p.count, int32(len(p.reads)-n))
		if t&0xffff == 0 && p.ctx.Err() != nil {
			return
		}
	}
}

func (p *readPass) txn(t history.Txn) {
	h := p.h
	first, end := h.Ops(t)
	p.first = first
	for o := first; o < end; o++ {
		kind := h.Kind(o)
		if kind.Writes() {
			p.own[h.Key(o)] = o
			continue
		}
		if !h.Known(o) {
			continue
		}
		switch kind {
		case history.Read:
			if w, ok := p.src.One(o); ok {
				p.one(t, o, h.Key(o), h.Value(o), w)
			} else {
				p.several(t, o, h.Key(o), h.Value(o), p.src.Of(o))
			}
		case history.ReadList:
			p.list(t, o)
		case history.ReadRange:
			p.rows(t, o)
		default:
			p.sets = true
		}
	}
}

// ownBefore gives the last write of a key in the transaction so far.
func (p *readPass) ownBefore(k history.Key) (history.Op, bool) { return p.own[k], p.own[k] >= p.first }

// one takes a read that comes from one write.
func (p *readPass) one(t history.Txn, o history.Op, k history.Key, v history.Value, w history.Op) {
	from := p.h.TxnOf(w)
	if own, ok := p.ownBefore(k); ok {
		if w != own {
			p.several(t, o, k, v, []history.Op{w})
		}
		return
	}
	if from == history.InitialTxn || from != t && p.readable(w, from) && !p.free[k] {
		p.take(o, k, from)
		return
	}
	p.several(t, o, k, v, []history.Op{w})
}

func (p *readPass) readable(w history.Op, from history.Txn) bool {
	return p.h.Status(from) != history.Aborted && p.w.Final(w)
}

func (p *readPass) take(o history.Op, k history.Key, from history.Txn) {
	p.reads = append(p.reads, read{o, k, from})
	if p.h.Status(from) == history.Unknown {
		p.unknown = append(p.unknown, from)
	}
}

// several takes a read of the value v of a register that may come from any of some
// writes.
func (p *readPass) several(t history.Txn, o history.Op, k history.Key, v history.Value, sources []history.Op) {
	h := p.h
	if len(sources) == 0 && p.loaded(k) {
		// What the key was initially is not known: this, unless another read says
		// something else.
		if _, own := p.ownBefore(k); !own {
			p.loads = append(p.loads, load{k, v, o})
			p.take(o, k, history.InitialTxn)
			return
		}
	}
	if len(sources) == 0 {
		p.wrong(anomalies.ThinAirRead, o, k, -1)
		return
	}
	if own, ok := p.ownBefore(k); ok {
		if slices.Contains(sources, own) {
			return
		}
		anomaly, source := isolation.Anomaly(anomalies.NotMyOwnWrite), sources[0]
		for _, w := range sources {
			switch {
			case p.first <= w && w < o:
				anomaly, source = anomalies.NotMyLastWrite, w
			case h.TxnOf(w) == t && anomaly != anomalies.NotMyLastWrite:
				anomaly, source = anomalies.FutureRead, w
			}
		}
		p.wrong(anomaly, o, k, source)
		if anomaly == anomalies.NotMyOwnWrite {
			p.twice(own, o, k, source)
		}
		return
	}
	var from []history.Txn
	for _, w := range sources {
		if u := h.TxnOf(w); u == history.InitialTxn || u != t && p.readable(w, u) {
			from = append(from, u)
		}
	}
	free := p.free[k] && (h.Kind(o) != history.Read || h.Version(o) == history.NoValue)
	if free && !slices.Contains(from, history.InitialTxn) {
		from = append(from, history.InitialTxn)
	}
	if len(from) > 1 || free {
		if u, ok := p.assigned[site{o, k}]; ok {
			p.take(o, k, u)
			return
		}
		p.open = append(p.open, choice{o, k, v, from})
		return
	}
	switch len(from) {
	case 0:
		anomaly, source := isolation.Anomaly(anomalies.FutureRead), sources[0]
		for _, w := range sources {
			switch u := h.TxnOf(w); {
			case u == t:
			case h.Status(u) == history.Aborted:
				if anomaly == anomalies.FutureRead {
					anomaly, source = anomalies.G1a, w
				}
			default:
				anomaly, source = anomalies.G1b, w
			}
		}
		p.wrong(anomaly, o, k, source)
	case 1:
		p.take(o, k, from[0])
	}
}

// twice adds that a read differs from one before, if there is one since the own
// write.
func (p *readPass) twice(own, o history.Op, k history.Key, source history.Op) {
	for q := own + 1; q < o; q++ {
		if p.h.Kind(q).Reads() && p.h.Key(q) == k && p.h.Known(q) {
			p.wrong(anomalies.NonRepeatableRead, o, k, source)
			return
		}
	}
}

func (p *readPass) wrong(a isolation.Anomaly, o history.Op, k history.Key, source history.Op) {
	p.bad = append(p.bad, checker.Violation{Anomaly: a, Level: weakest(a), Read: o, Key: k, Source: source})
}

// weakest is the weakest level that this checker decides and that excludes an
// anomaly.
func weakest(a isolation.Anomaly) isolation.Level {
	for _, l := range Levels() {
		if l.Excludes(a) {
			return l
		}
	}
	panic("c4: no level excludes " + a.String())
}

// rows takes a read of a range: of every key in it.
func (p *readPass) rows(t history.Txn, o history.Op) {
	h := p.h
	r := h.Range(o)
	row := func(i int, k history.Key, v history.Value) {
		sources := p.src.Row(o, i)
		if len(sources) == 1 {
			p.one(t, o, k, v, sources[0])
		} else {
			p.several(t, o, k, v, sources)
		}
	}
	listed := map[history.Key]bool{}
	for i, k := range r.LiveKeys {
		listed[k] = true
		row(i, k, r.LiveValues[i])
	}
	for i, k := range r.DeadKeys {
		listed[k] = true
		row(len(r.LiveKeys)+i, k, r.DeadRows[i])
	}
	for k := range history.Key(h.NumKeys()) {
		if !listed[k] && h.Type(k) == history.Register && h.Between(k, r) {
			p.one(t, o, k, history.NoValue, history.Op(k)) // its initial version
		}
	}
}
