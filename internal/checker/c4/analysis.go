package c4

import (
	"context"
	"slices"
	"sync"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/anomalies"
)

// analysis is what is known about a history under one choice of the writes that
// reads of duplicate values come from.
type analysis struct {
	ctx      context.Context
	h        *history.History
	src      *history.Sources
	w        *history.Writers
	workers  int
	memory   int64
	assigned map[site]history.Txn
	// free are keys whose reads may all come from the initial transaction, for it
	// is not known what they held.
	free map[history.Key]bool

	live   []bool // of transactions: it took effect
	first  []int32
	reads  []read // from first[t] to first[t+1] those of t
	wFirst []int32
	wTxns  []history.Txn // from wFirst[k] to wFirst[k+1] the live writers of k, sorted
	lists  []listOrder
	tails  []tail

	bad       []checker.Violation // of single reads
	open      []choice
	loads     []load
	unsettled bool // a read of a list with duplicate elements was left out
	sets      bool // reads of sets or counters were left out

	// cut are reads whose WR edges lie on cycles of session order and WR; nil if
	// there are none.
	cut map[int32]bool

	// byKey are the reads, from kFirst[k] to kFirst[k+1] those of k.
	kFirst []int32
	byKey  []int32
}

// load is a read of a value that nobody wrote, of a key whose initial value is
// not known.
type load struct {
	key   history.Key
	value history.Value
	op    history.Op
}

// loaded tells whether it is not known what a key was initially.
func (a *analysis) loaded(k history.Key) bool { return a.h.Value(history.Op(k)) == history.NoValue }

// readAll judges all reads by themselves and finds their sources.
func (a *analysis) readAll() error {
	n := history.Txn(a.h.NumTxns())
	passes := make([]*readPass, a.workers)
	bounds := a.stretches()
	parallel(a.workers, func(i int) {
		part := *a // the columns are shared, what is collected is not
		passes[i] = &readPass{analysis: &part}
		passes[i].txns(bounds[i], bounds[i+1])
	})
	if err := a.ctx.Err(); err != nil {
		return err
	}
	a.live = make([]bool, n)
	for t := range n {
		a.live[t] = a.h.Status(t) == history.Committed
	}
	a.first = make([]int32, n+1)
	total := 0
	for _, p := range passes {
		total += len(p.reads)
	}
	if len(passes) == 1 {
		a.reads = passes[0].reads
	} else {
		a.reads = make([]read, 0, total)
	}
	var lists []listRead
	t := history.Txn(0)
	for _, p := range passes {
		base := int32(len(a.reads))
		if len(passes) == 1 {
			base = 0
		} else {
			a.reads = append(a.reads, p.reads...)
			p.reads = nil
		}
		for _, c := range p.count {
			a.first[t+1] = a.first[t] + c
			t++
		}
		for _, l := range p.lists {
			l.at += base
			lists = append(lists, l)
		}
		a.bad = append(a.bad, p.bad...)
		a.open = append(a.open, p.open...)
		a.loads = append(a.loads, p.loads...)
		a.sets = a.sets || p.sets
		for _, u := range p.unknown {
			a.live[u] = true
		}
	}
	a.settleLists(lists)
	a.settleLoads()
	if len(lists) > 0 || len(a.loads) > 0 {
		a.compact()
	}
	for _, r := range a.reads {
		if a.h.Status(r.from) == history.Unknown {
			a.live[r.from] = true
		}
	}
	a.indexWriters()
	a.settleTails()
	return nil
}

// stretches divides the transactions among the workers, by operations.
func (a *analysis) stretches() []history.Txn {
	n := history.Txn(a.h.NumTxns())
	bounds := []history.Txn{0}
	t := history.Txn(0)
	for i := 1; i < a.workers; i++ {
		for ; t < n; t++ {
			if first, _ := a.h.Ops(t); int64(first) >= int64(a.h.NumOps())*int64(i)/int64(a.workers) {
				break
			}
		}
		bounds = append(bounds, t)
	}
	return append(bounds, n)
}

// parallel runs f(0), …, f(n-1) at the same time.
func parallel(n int, f func(i int)) {
	if n == 1 {
		f(0)
		return
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// compact drops reads that have no source.
func (a *analysis) compact() {
	out := a.reads[:0]
	from := int32(0)
	for t := range len(a.first) - 1 {
		end := a.first[t+1]
		for _, r := range a.reads[from:end] {
			if r.from != noSource {
				out = append(out, r)
			}
		}
		from = end
		a.first[t+1] = int32(len(out))
	}
	a.reads = out
}

// indexWriters lists for every key the transactions that took effect and wrote it.
func (a *analysis) indexWriters() {
	h := a.h
	keys := h.NumKeys()
	a.wFirst = make([]int32, keys+1)
	each := func(f func(k history.Key, t history.Txn)) {
		for t := history.Txn(1); int(t) < h.NumTxns(); t++ {
			if !a.live[t] {
				continue
			}
			for o, end := h.Ops(t); o < end; o++ {
				if h.Kind(o).Writes() && a.w.Final(o) {
					f(h.Key(o), t)
				}
			}
		}
	}
	each(func(k history.Key, _ history.Txn) { a.wFirst[k+1]++ })
	for k := range keys {
		a.wFirst[k+1] += a.wFirst[k]
	}
	a.wTxns = make([]history.Txn, a.wFirst[keys])
	at := slices.Clone(a.wFirst[:keys])
	each(func(k history.Key, t history.Txn) { a.wTxns[at[k]] = t; at[k]++ })
}

// writersOf gives the transactions that took effect and wrote a key, sorted,
// without the initial one.
func (a *analysis) writersOf(k history.Key) []history.Txn { return a.wTxns[a.wFirst[k]:a.wFirst[k+1]] }

// lastUpTo gives the last of some sorted transactions that is at most t, or 0.
func lastUpTo(txns []history.Txn, t history.Txn) history.Txn {
	lo, hi := 0, len(txns)
	for lo < hi {
		if m := int(uint(lo+hi) >> 1); txns[m] <= t {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo == 0 {
		return 0
	}
	return txns[lo-1]
}

// wrote tells whether a transaction is a live writer of a key.
func (a *analysis) wrote(t history.Txn, k history.Key) bool {
	return t != history.InitialTxn && lastUpTo(a.writersOf(k), t) == t
}

// indexReads sorts the reads by key.
func (a *analysis) indexReads() {
	if a.kFirst != nil {
		return
	}
	keys := a.h.NumKeys()
	a.kFirst = make([]int32, keys+1)
	for _, r := range a.reads {
		a.kFirst[r.key+1]++
	}
	for k := range keys {
		a.kFirst[k+1] += a.kFirst[k]
	}
	a.byKey = make([]int32, len(a.reads))
	at := slices.Clone(a.kFirst[:keys])
	for i, r := range a.reads {
		a.byKey[at[r.key]] = int32(i)
		at[r.key]++
	}
}

// cutCycles leaves the WR edges that lie on a cycle out of the causal order. The
// reads still say which versions were seen.
func (a *analysis) cutCycles(c *components) {
	a.cut = map[int32]bool{}
	for i, r := range a.reads {
		if r.from != history.InitialTxn && c.same(r.from, a.h.TxnOf(r.op)) {
			a.cut[int32(i)] = true
		}
	}
}

// settleLoads makes the first value of a key that nobody wrote the initial one,
// if that is not known; others are out of thin air.
func (a *analysis) settleLoads() {
	initial := map[history.Key]history.Value{}
	for _, l := range a.loads {
		if v, ok := initial[l.key]; !ok {
			initial[l.key] = l.value
		} else if v != l.value {
			a.bad = append(a.bad, checker.Violation{Anomaly: anomalies.ThinAirRead, Level: weakest(anomalies.ThinAirRead), Read: l.op, Key: l.key, Source: -1})
			t := a.h.TxnOf(l.op)
			for i := a.first[t]; i < a.first[t+1]; i++ {
				if a.reads[i].op == l.op && a.reads[i].key == l.key {
					a.reads[i].from = noSource
				}
			}
		}
	}
}
