package viper

import (
	"cmp"
	"context"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
	"github.com/txrobust/robust/isolation"
)

// source is a version that a read may come from: that of a transaction.
type source struct {
	txn history.Txn
	// value is what the initial version then was, where that is not known and the
	// read tells it; otherwise NoValue.
	value history.Value
}

// read is what a transaction found out about one key before it wrote that key.
type read struct {
	txn  history.Txn
	key  history.Key
	op   history.Op
	from source
	// choice is the place in choices, if there are several sources, and -1 if there is
	// one.
	choice int32
}

// facts are what a history says, whatever the level: who reads what from whom.
type facts struct {
	h *history.History
	// reads are those of committed transactions, by reader: those of t are
	// reads[firstRead[t]:firstRead[t+1]].
	reads     []read
	firstRead []int32
	choices   [][]source
	// bad are reads that are wrong by themselves.
	bad []checker.Violation
	// unjudged says what there is that the method does not judge.
	unjudged string

	// present tells which transactions took effect or may have: of those of unknown
	// outcome the ones that somebody may have read from. optional are those of which
	// nobody must have.
	present, optional []bool
	// versions are the writers of each key, those of k from firstVersion[k] on, in the
	// order of their numbers. The initial one is not there.
	versions     []history.Txn
	firstVersion []int32
	// keyOf is the key of each version, and made are the versions of each transaction:
	// those of t are made[firstMade[t]:firstMade[t+1]].
	keyOf           []history.Key
	made, firstMade []int32
	// comesFrom is the version that each read comes from, -1 if there are several.
	comesFrom []int32

	ordered []history.Key // of registers that somebody writes: in their order, for ranges

	// Of the transaction whose reads are collected: its last write of a key so far,
	// and the read of it.
	own    []history.Op
	seenAt []int32
	now    history.Txn
	start  int // where its reads begin
}

// collect finds out who reads from whom. Reads with several sources are given one of
// them where fixed has it, by transaction and key.
func collect(ctx context.Context, h *history.History, fixed map[place]source) (*facts, error) {
	f := &facts{
		h: h, firstRead: make([]int32, h.NumTxns()+1), present: make([]bool, h.NumTxns()), optional: make([]bool, h.NumTxns()),
		own: make([]history.Op, h.NumKeys()), seenAt: make([]int32, h.NumKeys()),
	}
	f.sortKeys()
	for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
		if t&1023 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		f.firstRead[t] = int32(len(f.reads))
		if h.Status(t) == history.Committed {
			f.present[t] = true
			f.txn(t)
		}
	}
	f.firstRead[h.NumTxns()] = int32(len(f.reads))
	f.initials()
	f.number(fixed)
	f.index()
	return f, ctx.Err()
}

// place is where a read is: what its transaction found out about a key.
type place struct {
	txn history.Txn
	key history.Key
}

// sortKeys puts the registers that a range may show into the order of ranges.
func (f *facts) sortKeys() {
	h := f.h
	ranges, written := false, make([]bool, h.NumKeys())
	for o := history.Op(h.NumKeys()); int(o) < h.NumOps(); o++ {
		ranges = ranges || h.Kind(o) == history.ReadRange
		if h.Kind(o).Writes() {
			written[h.Key(o)] = true
		}
	}
	if !ranges {
		return
	}
	for k := range history.Key(h.NumKeys()) {
		if h.Type(k) == history.Register && written[k] {
			f.ordered = append(f.ordered, k)
		}
	}
	slices.SortFunc(f.ordered, func(a, b history.Key) int {
		x, y := h.KeyName(a), h.KeyName(b)
		if (x.Kind == history.IntName) != (y.Kind == history.IntName) {
			if x.Kind == history.IntName {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(x.Int, y.Int), cmp.Compare(x.Text, y.Text))
	})
}

// txn collects what a committed transaction read.
func (f *facts) txn(t history.Txn) {
	h := f.h
	f.now, f.start = t, len(f.reads)
	sources := h.Sources()
	for o, end := h.Ops(t); o < end; o++ {
		kind := h.Kind(o)
		switch {
		case kind.Writes():
			f.own[h.Key(o)] = o
		case !h.Known(o):
		case kind == history.Read:
			f.see(o, h.Key(o), h.Value(o), sources.Of(o))
		case kind == history.ReadRange:
			f.span(o, sources)
		default:
			f.unjudged = "The history has reads of lists, sets or counters, which this method does not judge."
		}
	}
}

// span collects what a range shows: its rows, and that the other keys of it were not
// written.
func (f *facts) span(o history.Op, sources *history.Sources) {
	h := f.h
	r := h.Range(o)
	listed := map[history.Key]bool{}
	for i, k := range r.LiveKeys {
		listed[k] = true
		f.see(o, k, r.LiveValues[i], sources.Row(o, i))
	}
	for i, k := range r.DeadKeys {
		listed[k] = true
		f.see(o, k, r.DeadRows[i], sources.Row(o, len(r.LiveKeys)+i))
	}
	notBelow := history.Range{Low: r.Low, High: history.Initial}
	notAbove := history.Range{Low: history.Initial, High: r.High}
	low, _ := slices.BinarySearchFunc(f.ordered, notBelow, func(k history.Key, r history.Range) int {
		if h.Between(k, r) {
			return 1
		}
		return -1
	})
	for _, k := range f.ordered[low:] {
		if !h.Between(k, notAbove) {
			break
		}
		if !listed[k] {
			f.unwritten(o, k)
		}
	}
}

// see notes that the transaction read a value of a key, which some operations wrote.
func (f *facts) see(o history.Op, k history.Key, v history.Value, writes []history.Op) {
	h := f.h
	first, _ := h.Ops(f.now)
	if w := f.own[k]; w >= first {
		id := history.NoValue
		if h.Kind(o) == history.Read {
			id = h.Version(o)
		}
		if id != history.NoValue && h.Version(w) != id || id == history.NoValue && h.Value(w) != v {
			f.missedOwn(o, k, writes)
		}
		return
	}
	var out []source
	anomaly, wrong := isolation.Anomaly(anomalies.ThinAirRead), history.Op(-1)
	for _, w := range writes {
		switch t := h.TxnOf(w); {
		case t == f.now:
			if wrong < 0 {
				anomaly, wrong = anomalies.FutureRead, w
			}
		case h.Status(t) == history.Aborted:
			anomaly, wrong = anomalies.G1a, w
		case !h.Writers().Final(w):
			if anomaly != anomalies.G1a {
				anomaly, wrong = anomalies.G1b, w
			}
		default:
			out = append(out, source{t, history.NoValue})
		}
	}
	if h.Value(history.Op(k)) == history.NoValue && (h.Kind(o) != history.Read || h.Version(o) == history.NoValue) {
		out = append(out, source{history.InitialTxn, v})
	}
	if len(out) == 0 {
		f.wrong(anomaly, o, k, wrong)
		return
	}
	f.note(o, k, out)
}

// unwritten notes that a range does not show a key.
func (f *facts) unwritten(o history.Op, k history.Key) {
	if first, _ := f.h.Ops(f.now); f.own[k] >= first {
		f.wrong(anomalies.NotMyOwnWrite, o, k, -1)
		return
	}
	f.note(o, k, []source{{history.InitialTxn, history.NoValue}})
}

// missedOwn notes that a transaction did not read its own last write.
func (f *facts) missedOwn(o history.Op, k history.Key, writes []history.Op) {
	anomaly, from := isolation.Anomaly(anomalies.NotMyOwnWrite), history.Op(-1)
	for _, w := range writes {
		switch {
		case f.h.TxnOf(w) != f.now:
			if from < 0 {
				from = w
			}
		case w < o:
			f.wrong(anomalies.NotMyLastWrite, o, k, w)
			return
		default:
			anomaly, from = anomalies.FutureRead, w
		}
	}
	f.wrong(anomaly, o, k, from)
}

func (f *facts) wrong(a isolation.Anomaly, o history.Op, k history.Key, from history.Op) {
	f.bad = append(f.bad, checker.Violation{Anomaly: a, Level: isolation.PLSI, Read: o, Key: k, Source: from})
}

// note adds the sources of a read, or leaves those that the transaction may have read
// from before.
func (f *facts) note(o history.Op, k history.Key, sources []source) {
	i := f.seenAt[k]
	if int(i) < f.start || int(i) >= len(f.reads) || f.reads[i].txn != f.now || f.reads[i].key != k {
		f.seenAt[k] = int32(len(f.reads))
		f.reads = append(f.reads, read{txn: f.now, key: k, op: o, choice: -1})
		f.set(&f.reads[len(f.reads)-1], sources)
		return
	}
	r := &f.reads[i]
	var both []source
	for _, s := range f.of(r) {
		for _, u := range sources {
			if s.txn == u.txn && (s.value == u.value || s.value == history.NoValue || u.value == history.NoValue) {
				both = append(both, source{s.txn, max(s.value, u.value)}) // NoValue is the least
			}
		}
	}
	if len(both) == 0 {
		f.wrong(anomalies.NonRepeatableRead, o, k, -1)
		return
	}
	f.set(r, both)
}

// of gives the sources of a read.
func (f *facts) of(r *read) []source {
	if r.choice < 0 {
		return []source{r.from}
	}
	return f.choices[r.choice]
}

func (f *facts) set(r *read, sources []source) {
	if len(sources) == 1 {
		r.from, r.choice = sources[0], -1
		return
	}
	if r.choice < 0 {
		r.choice = int32(len(f.choices))
		f.choices = append(f.choices, nil)
	}
	f.choices[r.choice] = sources
}

// initials settles what keys held initially, where a read tells it, until nothing new
// follows.
func (f *facts) initials() {
	held := map[history.Key]read{}
	for again := true; again && len(f.bad) == 0; {
		again = false
		for i := range f.reads {
			r := &f.reads[i]
			if r.choice < 0 {
				if v := r.from.value; v == history.NoValue {
					continue
				} else if old, ok := held[r.key]; !ok {
					held[r.key], again = *r, true
				} else if old.from.value != v {
					f.wrong(anomalies.ThinAirRead, r.op, r.key, -1)
				}
				continue
			}
			old, ok := held[r.key]
			if !ok {
				continue
			}
			left := slices.DeleteFunc(slices.Clone(f.of(r)), func(s source) bool { return s.value != history.NoValue && s.value != old.from.value })
			if len(left) < len(f.of(r)) {
				f.set(r, left)
				again = true
			}
		}
	}
}

// number gives fixed choices their source, and the others new numbers.
func (f *facts) number(fixed map[place]source) {
	old := f.choices
	f.choices = nil
	for i := range f.reads {
		r := &f.reads[i]
		if r.choice < 0 {
			continue
		}
		sources := old[r.choice]
		r.choice = -1
		if s, ok := fixed[place{r.txn, r.key}]; ok {
			sources = []source{s}
		}
		f.set(r, sources)
	}
}

// index finds who took effect, and the versions of keys.
func (f *facts) index() {
	h := f.h
	for _, r := range f.reads {
		for _, s := range f.of(&r) {
			if h.Status(s.txn) != history.Unknown {
				continue
			}
			if !f.present[s.txn] || r.choice < 0 {
				f.present[s.txn], f.optional[s.txn] = true, r.choice >= 0
			}
		}
	}
	writers := h.Writers()
	f.firstVersion = make([]int32, h.NumKeys()+1)
	for k := range history.Key(h.NumKeys()) {
		for _, w := range writers.Of(k) {
			if t := h.TxnOf(w); t != history.InitialTxn && f.present[t] && writers.Final(w) {
				f.versions = append(f.versions, t)
			}
		}
		f.firstVersion[k+1] = int32(len(f.versions))
	}
	f.firstMade = make([]int32, h.NumTxns()+1)
	for _, t := range f.versions {
		f.firstMade[t+1]++
	}
	for t := range h.NumTxns() {
		f.firstMade[t+1] += f.firstMade[t]
	}
	f.made, f.keyOf = make([]int32, len(f.versions)), make([]history.Key, f.numVersions())
	next := slices.Clone(f.firstMade)
	for k := range history.Key(h.NumKeys()) {
		for v := f.firstVersion[k]; v < f.firstVersion[k+1]; v++ {
			t := f.versions[v]
			f.made[next[t]], f.keyOf[v] = v, k
			next[t]++
		}
		f.keyOf[f.version(history.InitialTxn, k)] = k
	}
	f.comesFrom = make([]int32, len(f.reads))
	for i := range f.reads {
		r := &f.reads[i]
		if f.comesFrom[i] = -1; r.choice < 0 {
			f.comesFrom[i] = f.version(r.from.txn, r.key)
		}
	}
}

// writersOf gives the transactions that write a key, in the order of their numbers.
func (f *facts) writersOf(k history.Key) []history.Txn {
	return f.versions[f.firstVersion[k]:f.firstVersion[k+1]]
}

// numVersions is the number of versions, the initial ones included.
func (f *facts) numVersions() int { return len(f.versions) + f.h.NumKeys() }

// version is the number of the version of a key that a transaction made: first those
// of versions, then the initial ones. It is -1 if it made none.
func (f *facts) version(t history.Txn, k history.Key) int32 {
	if t == history.InitialTxn {
		return int32(len(f.versions)) + int32(k)
	}
	if i, ok := slices.BinarySearch(f.writersOf(k), t); ok {
		return f.firstVersion[k] + int32(i)
	}
	return -1
}

// madeBy gives the versions that a transaction makes, in the order of their keys.
func (f *facts) madeBy(t history.Txn) []int32 { return f.made[f.firstMade[t]:f.firstMade[t+1]] }
