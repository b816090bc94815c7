package elle

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

// judge gives the verdicts.
func (a *analysis) judge() *Result {
	r := &Result{Anomalies: a.anomalies, Notes: a.notes}
	slices.SortStableFunc(r.Anomalies, func(x, y Anomaly) int {
		return cmp.Or(cmp.Compare(x.Kind, y.Kind), slices.Compare(x.Txns, y.Txns))
	})
	r.Counts = a.count
	for _, an := range r.Anomalies {
		r.Violations = append(r.Violations, an.violation())
	}
	slices.SortStableFunc(r.Violations, func(v, w checker.Violation) int { return cmp.Compare(v.Level, w.Level) })
	violated := map[isolation.Level][]string{}
	for _, k := range isolation.Anomalies() {
		if a.count[k] == 0 && !a.forms[k] {
			continue
		}
		for _, l := range isolation.Levels() {
			if l.Excludes(k) {
				violated[l] = append(violated[l], k.String())
			}
		}
	}
	satisfied := map[isolation.Level]checker.Answer{}
	accept := func(l isolation.Level, why string, order []history.Txn) {
		for _, m := range isolation.Levels() {
			if _, ok := satisfied[m]; !ok && l.Implies(m) {
				satisfied[m] = checker.Answer{Verdict: checker.Satisfied, Why: why, Order: order}
			}
		}
	}
	open := func(l isolation.Level) bool {
		_, ok := satisfied[l]
		return !ok && len(violated[l]) == 0
	}
	useful := func(l isolation.Level) bool {
		return open(l) && slices.ContainsFunc(a.o.Levels, func(m isolation.Level) bool { return l.Implies(m) && open(m) })
	}
	for _, w := range witnesses {
		if a.ctx.Err() != nil {
			return nil
		}
		if !useful(w.level) || w.kinds&so != 0 && !a.sessions() || w.kinds&rt != 0 && !a.timed() && a.h.Order() != history.NoOrder {
			continue // or the graph does not have these orders
		}
		if order, ok := a.witnessed(w); ok {
			accept(w.level, w.why, order)
		}
	}
	for _, c := range arguments {
		if useful(c.level) && (c.order&so == 0 || a.sessions()) && !a.exhausted && c.ok(a) {
			accept(c.level, c.why, a.commits(a.order(c.order, layout{}, false)))
		}
	}
	for _, l := range isolation.Levels() {
		if !slices.Contains(a.o.Levels, l) {
			continue
		}
		answer, ok := satisfied[l]
		switch {
		case len(violated[l]) > 0:
			if ok {
				panic(fmt.Sprintf("elle: %s is violated by %s, but has a witness", l, strings.Join(violated[l], ", ")))
			}
			answer = checker.Answer{Verdict: checker.Violated, Why: strings.Join(violated[l], ", ")}
		case ok:
		case a.exhausted:
			answer.Why = "no anomaly of this level was found before the search ran out of steps"
		default:
			answer.Why = "no anomaly of this level was found, but the history does not show enough of the order of versions to exclude one"
		}
		answer.Level = l
		r.Answers = append(r.Answers, answer)
	}
	return r
}

// witness is a kind of order that shows a level.
type witness struct {
	level isolation.Level
	// serial is one transaction after the other. Otherwise there are snapshots,
	// which contain what the edges of some kinds ask for, except late ones.
	serial bool
	kinds  edges
	late   edges
	// exclusive: concurrent transactions write no common key.
	exclusive bool
	why       string
}

// witnesses are the levels that have orders of transactions as witnesses, each
// after those that imply it.
var witnesses = []witness{
	{isolation.SSER, true, so | rt | based, 0, true, "an order of all transactions, one after the other, that real time and sessions allow was replayed"},
	{isolation.SER, true, so | based, 0, true, "an order of all transactions, one after the other, that sessions allow was replayed"},
	{isolation.PL3, true, based, 0, true, "an order of all transactions, one after the other, was replayed"},
	{isolation.StrongSI, false, so | rt | based, 0, true, "an order of all snapshots and commits that real time and sessions allow was replayed"},
	{isolation.SSSI, false, so | rt | based, rt, true, "an order of all snapshots and commits that sessions, and for commits real time, allow was replayed"},
	{isolation.SI, false, so | based, 0, true, "an order of all snapshots and commits that sessions allow was replayed"},
	{isolation.GSI, false, rt | based, rt, true, "an order of all snapshots and commits that for commits real time allows was replayed"},
	{isolation.PLSI, false, based, 0, true, "an order of all snapshots and commits was replayed"},
	{isolation.PC, false, so, ww, false, "an order of all snapshots and commits that sessions allow was replayed, without a look at concurrent writes"},
}

// arguments are reasons for levels that do not need a replay.
var arguments = []struct {
	level isolation.Level
	ok    func(a *analysis) bool
	order edges // of the commits
	why   string
}{
	{isolation.PL2Plus, (*analysis).completeOrder, ww | wr, "the order of all versions is known, and no cycle has just one anti-dependency"},
	{isolation.CC, (*analysis).completeLists, ww | wr | so, "the order of all elements is known, and everybody sees the causal past"},
	{isolation.RA, (*analysis).completeLists, ww | wr | so, "the order of all elements is known, and nobody sees a part of a transaction"},
	{isolation.RC, (*analysis).completeLists, ww | wr | so, "the order of all elements is known, and nobody sees a part of a transaction after having read from it"},
	{isolation.PL2, (*analysis).completeReads, ww | wr, "writes and reads do not go round, so that versions can be ordered with them"},
	{isolation.PL1, (*analysis).completeReads, ww | wr, "writes do not go round, so that versions can be ordered with them"},
	{isolation.PL1, (*analysis).noLists, 0, "only lists show an order of versions to a level to which reads mean nothing, and there are none"},
}

// witnessed looks for an order of the kind, and replays it.
func (a *analysis) witnessed(w witness) ([]history.Txn, bool) {
	if a.ranges {
		return nil, false
	}
	check := func(events []int32) bool {
		return newReplay(a.h, a.in, w.exclusive).run(events) && keeps(a.h, events, w.kinds&so != 0, w.kinds&rt&^w.late != 0, w.kinds&rt != 0)
	}
	if w.serial && len(a.components) == 0 {
		if events := a.serialEvents(a.serial); check(events) {
			return a.commits(events), true // the order that the search for cycles made
		}
	}
	events := a.order(ww|wr|rw|w.kinds, layout{!w.serial, w.late}, w.exclusive)
	return a.commits(events), check(events)
}

// commits gives the transactions of events in the order of their commits.
func (a *analysis) commits(events []int32) []history.Txn {
	var out []history.Txn
	for _, e := range events {
		if e&1 == 1 {
			out = append(out, history.Txn(e/2))
		}
	}
	return out
}

// completeReads tells whether it is known where every read comes from, and that
// nothing else than the order of versions is open.
func (a *analysis) completeReads() bool {
	return a.complete && !a.ranges && !a.types[history.Set] && !a.types[history.Counter]
}

// completeLists tells whether there are only lists: then what is not known of the
// order of versions is that of elements nobody saw, which makes no difference
// to what a transaction should have seen.
func (a *analysis) completeLists() bool { return a.completeReads() && !a.types[history.Register] }

// noLists tells whether nothing orders versions for PL-1: one order of all transactions fits
// the versions of all keys.
func (a *analysis) noLists() bool { return !a.types[history.List] }

// completeOrder tells whether the order of all versions is known.
func (a *analysis) completeOrder() bool {
	if !a.completeLists() {
		return false
	}
	for k := range history.Key(a.h.NumKeys()) {
		if len(a.lists.pending(k)) > 1 {
			return false
		}
	}
	return true
}
