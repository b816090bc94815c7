package elle

import (
	"context"
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// Options say what to look for.
type Options struct {
	// Levels are those to judge, all if empty. Only what is against one of them
	// is searched for.
	Levels []isolation.Level
	// LinearizableKeys says that the database claims every key to be
	// linearizable: who touches a register later, in real time, sees no earlier
	// version. Anomalies found with its help are against the claim or the level.
	LinearizableKeys bool
	// Steps bounds the search for cycles: how many edges it follows. 0 stands
	// for 400 million, some seconds.
	Steps int64
	// Instances bounds how many anomalies of each kind the result has; the
	// others are counted. 0 stands for 8.
	Instances int
}

// edges is a set of kinds of edges.
type edges uint8

const (
	ww edges = 1 << iota // the next wrote a later version
	wr                   // the next read a version
	rw                   // the next overwrote what was read
	so                   // session order
	rt                   // real-time order
	// based is ww because the first wrote right on top of a version, so that the
	// other would have lost its write in between: at levels that allow lost
	// updates that says nothing.
	based
)

// dependency is the kind of one edge.
func (e edges) dependency() isolation.Dependency {
	switch e {
	case ww, based:
		return isolation.WW
	case wr:
		return isolation.WR
	case rw, missed:
		return isolation.RW
	case so:
		return isolation.SO
	case rt:
		return isolation.RT
	}
	panic(fmt.Sprintf("elle: no kind of edge: %d", uint8(e)))
}

// Check looks for anomalies in a history, and judges levels. The error is that of
// the context: there are no others, whatever the history.
func Check(ctx context.Context, h *history.History, o Options) (*Result, error) {
	if o.Steps <= 0 {
		o.Steps = 400e6
	}
	if o.Instances <= 0 {
		o.Instances = 8
	}
	if len(o.Levels) == 0 {
		o.Levels = isolation.Levels()
	}
	h = h.Settled()
	a := &analysis{ctx: ctx, h: h, o: o, steps: o.Steps, count: map[isolation.Anomaly]int{}, forms: map[isolation.Anomaly]bool{}, complete: true}
	for _, stage := range []func(){
		a.index,        // who takes part
		a.transactions, // what one transaction shows by itself
		a.versions,     // version orders, and what they show by themselves
		a.connect,      // the graph
		a.cycles,
	} {
		stage()
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	r := a.judge()
	return r, ctx.Err()
}

// analysis is the state of one check.
type analysis struct {
	ctx context.Context
	h   *history.History
	o   Options

	writers *history.Writers
	// in tells which transactions have happened: those that committed, and those
	// of unknown outcome that somebody read from.
	in []bool
	// previous is the last operation of the same transaction on the same key
	// before an operation, or -1.
	previous []history.Op
	lists    lists
	regs     registers
	types    [history.Counter + 1]bool // data types that occur
	ranges   bool                      // range reads occur

	g graph
	// begun and ended are the transactions with a begin and an end, by these, for
	// connectTime.
	begun, ended []history.Txn
	components   [][]int32
	// serial has the nodes in an order of all edges, but within components.
	serial []int32

	anomalies []Anomaly
	count     map[isolation.Anomaly]int
	forms     map[isolation.Anomaly]bool // special cases of cycles
	notes     []string
	// complete is whether the graph has all that could be known about the
	// order of versions.
	complete bool
	// exhausted is whether the search ran out of steps.
	exhausted bool
	steps     int64
}

// wants tells whether some level asked for excludes anomalies of a kind.
func (a *analysis) wants(k isolation.Anomaly) bool {
	return slices.ContainsFunc(a.o.Levels, func(l isolation.Level) bool { return l.Excludes(k) })
}

// note adds something that was left out of account.
func (a *analysis) note(format string, args ...any) {
	n := fmt.Sprintf(format, args...)
	if !slices.Contains(a.notes, n) {
		a.notes = append(a.notes, n)
	}
}

// report adds an anomaly, of which text is called only if it is shown.
func (a *analysis) report(k isolation.Anomaly, read history.Op, key history.Key, txns []history.Txn, text func() string) {
	if !a.wants(k) {
		return
	}
	a.count[k]++
	if a.count[k] <= a.o.Instances {
		a.anomalies = append(a.anomalies, Anomaly{Kind: k, Form: k, Read: read, Key: key, Txns: txns, Text: text()})
	}
}

// stopped asks the context, now and then.
func (a *analysis) stopped(i int) bool { return i&0xffff == 0 && a.ctx.Err() != nil }

// index finds out who takes part.
func (a *analysis) index() {
	h := a.h
	a.writers = h.Writers()
	a.in = make([]bool, h.NumTxns())
	unknown := false
	for t := range a.in {
		s := h.Status(history.Txn(t))
		a.in[t] = s == history.Committed
		unknown = unknown || s == history.Unknown
	}
	for k := range history.Key(h.NumKeys()) {
		a.types[h.Type(k)] = true
	}
	a.link()
	a.longest()
	a.resolve()
	if unknown {
		a.observe()
	}
}

// link chains the operations of each transaction on each key.
func (a *analysis) link() {
	h := a.h
	a.previous = make([]history.Op, h.NumOps())
	last := make([]history.Op, h.NumKeys())
	for k := range last {
		last[k] = -1
	}
	for o := range history.Op(h.NumOps()) {
		k := h.Key(o)
		a.previous[o] = -1
		if k < 0 {
			a.ranges = true
			continue
		}
		if l := last[k]; l >= 0 && h.TxnOf(l) == h.TxnOf(o) {
			a.previous[o] = l
		}
		last[k] = o
	}
}

// observe adds the transactions of unknown outcome that somebody read from.
func (a *analysis) observe() {
	h := a.h
	see := func(ws []history.Op) {
		if len(ws) == 1 && h.Status(h.TxnOf(ws[0])) == history.Unknown {
			a.in[h.TxnOf(ws[0])] = true
		}
	}
	for o := range history.Op(h.NumOps()) {
		if !a.says(o) {
			continue
		}
		switch h.Kind(o) {
		case history.Read:
			see(a.of(o))
		case history.ReadList, history.ReadSet:
			if h.Kind(o) == history.ReadList && a.lists.prefix(o) && o != a.lists.longest[h.Key(o)] {
				continue // the longest read shows the same
			}
			for i := range h.List(o) {
				see(a.element(o, i))
			}
		case history.ReadRange:
			r := h.Range(o)
			for i := range len(r.LiveKeys) + len(r.DeadKeys) {
				see(a.row(o, i))
			}
		}
	}
}

// says tells whether an operation is a read that says something: one of a
// committed transaction, with a known result.
func (a *analysis) says(o history.Op) bool {
	return a.h.Kind(o).Reads() && a.h.Known(o) && a.h.Status(a.h.TxnOf(o)) == history.Committed
}

// writer is the transaction that must have written what ws may have: -1 if there
// is no or no single one, or it did not happen.
func (a *analysis) writer(ws []history.Op) history.Txn {
	if len(ws) != 1 {
		return -1
	}
	if t := a.h.TxnOf(ws[0]); a.in[t] {
		return t
	}
	return -1
}

// of gives the writes that a read may come from. What a register held at first,
// if that is not known, may be any value: then it gives none.
func (a *analysis) of(o history.Op) []history.Op {
	if a.unknownInitial(a.h.Key(o)) {
		return nil
	}
	return a.h.Sources().Of(o)
}

// row is the same for a row of a range.
func (a *analysis) row(o history.Op, i int) []history.Op {
	if ws := a.h.Sources().Row(o, i); len(ws) > 0 && a.unknownInitial(a.h.Key(ws[0])) {
		return nil
	}
	return a.h.Sources().Row(o, i)
}

// unknownInitial tells whether it is not known what a key held at first.
func (a *analysis) unknownInitial(k history.Key) bool {
	return a.h.Value(history.Op(k)) == history.NoValue
}
