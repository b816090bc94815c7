package judge

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/internal/checker/elle"
	"github.com/txrobust/robust/internal/checker/explain"
	"github.com/txrobust/robust/isolation"
)

// Anomaly is something that some level excludes.
type Anomaly struct {
	Kind    isolation.Anomaly
	Checker string
	// Violates are the weakest levels that it violates. Most often they are those
	// of the kind (isolation.Anomaly.ExcludedBy).
	Violates []isolation.Level
	// Read is the read that shows it, or -1.
	Read history.Op
	// Txns take part: those of the cycle in its order, then others.
	Txns []history.Txn
	// Keys are those of the versions, in the order of their numbers.
	Keys []history.Key
	// Cycle is empty where one transaction or read is wrong by itself.
	Cycle []Edge
	// Text says in a sentence what is wrong. Of a cycle its edges say it.
	Text string
	// sure: the levels are violated whatever the choices of the checker.
	sure bool
}

// Edge is a dependency of a cycle, or what it was concluded from.
type Edge struct {
	Dependency isolation.Dependency
	From, To   history.Txn
	Key        history.Key // -1 for SO and RT
	// Why is a sentence.
	Why string
	// Because are the edges from which WW was concluded.
	Because []Edge
}

// ofViolation takes a violation as checkers in general have it.
func ofViolation(h *history.History, name string, v checker.Violation) Anomaly {
	a := Anomaly{Kind: v.Anomaly, Checker: name, Read: v.Read, Violates: weakest(h, v), sure: !v.OneChoice && !h.Sources().Duplicates() && !h.UnknownInitials()}
	var edges func(es []checker.Edge) []Edge
	edges = func(es []checker.Edge) []Edge {
		var out []Edge
		for _, e := range es {
			out = append(out, Edge{Dependency: e.Dependency, From: e.From, To: e.To, Key: e.Key, Why: explain.Edge(h, e), Because: edges(e.Because)})
		}
		return out
	}
	a.Cycle = edges(v.Cycle)
	a.addKey(v.Key)
	for _, e := range a.Cycle {
		a.addTxn(e.From)
	}
	a.walk()
	for _, t := range v.Txns(h) {
		a.addTxn(t)
	}
	if len(a.Cycle) == 0 {
		a.Text = explain.Read(h, v)
	}
	slices.Sort(a.Keys)
	return a
}

// ofElle takes an anomaly of elle, with its explanations.
func ofElle(e elle.Anomaly) Anomaly {
	a := Anomaly{Kind: e.Form, Checker: "elle", Read: e.Read, Txns: e.Txns, Violates: e.Form.ExcludedBy(), sure: true}
	a.addKey(e.Key)
	for i, s := range e.Steps {
		a.Cycle = append(a.Cycle, Edge{Dependency: s.Kind, From: e.Txns[i], To: e.Txns[(i+1)%len(e.Txns)], Key: s.Key, Why: sentence(s.Why)})
	}
	a.walk()
	if len(a.Cycle) == 0 {
		a.Text = e.Text + "." // it begins with a place
	}
	slices.Sort(a.Keys)
	return a
}

func (a *Anomaly) addKey(k history.Key) {
	if k >= 0 && !slices.Contains(a.Keys, k) {
		a.Keys = append(a.Keys, k)
	}
}

func (a *Anomaly) addTxn(t history.Txn) {
	if !slices.Contains(a.Txns, t) {
		a.Txns = append(a.Txns, t)
	}
}

// walk adds the keys of the cycle.
func (a *Anomaly) walk() {
	for _, e := range a.Cycle {
		a.addKey(e.Key)
	}
}

// Sentences explain the anomaly: what it is, or a sentence for every edge.
func (a Anomaly) Sentences() []string {
	if len(a.Cycle) == 0 {
		return []string{a.Text}
	}
	var out []string
	for _, e := range a.Cycle {
		out = append(out, e.Why)
	}
	return out
}

// Path prints the cycle: "T1 –WW x→ T2 –RW y→ T1", or the transactions.
func (a Anomaly) Path(h *history.History) string {
	if len(a.Cycle) == 0 {
		var names []string
		for _, t := range a.Txns {
			names = append(names, explain.TxnName(h, t))
		}
		return strings.Join(names, ", ")
	}
	var b strings.Builder
	for _, e := range a.Cycle {
		b.WriteString(explain.TxnName(h, e.From) + explain.Arrow(h, e.Dependency, e.Key))
	}
	return b.String() + explain.TxnName(h, a.Cycle[0].From)
}

// Label is the type of an edge, and its key.
func (e Edge) Label(h *history.History) string {
	return explain.Label(h, e.Dependency, e.Key)
}

// same tells whether two anomalies are one that two checkers found: the same read
// is wrong, or the cycle has the same edges.
func same(a, b Anomaly) bool {
	if a.Kind != b.Kind || len(a.Cycle) != len(b.Cycle) || !slices.Equal(a.Violates, b.Violates) {
		return false
	}
	if len(a.Cycle) == 0 && a.Read >= 0 {
		return a.Read == b.Read && slices.Equal(a.Keys, b.Keys)
	}
	for _, e := range a.Cycle {
		if !slices.ContainsFunc(b.Cycle, func(f Edge) bool {
			return e.Dependency == f.Dependency && e.From == f.From && e.To == f.To && e.Key == f.Key
		}) {
			return false
		}
	}
	return len(a.Cycle) > 0 || slices.Equal(a.Txns, b.Txns)
}

// merge adds the anomalies of one checker to those of the others. The first one that
// told it explains it. What an anomaly violates is violated.
func (p *panel) merge(f *finding, spent time.Duration) {
	for _, a := range f.anomalies {
		p.reject(a, spent)
		if !slices.ContainsFunc(p.Anomalies, func(b Anomaly) bool { return b.Checker != a.Checker && same(a, b) }) {
			p.Anomalies = append(p.Anomalies, a)
		}
	}
	for kind, n := range f.counts {
		p.Counts[kind] = max(p.Counts[kind], n)
	}
}

// reject notes the levels that an anomaly violates, and about which nothing is known.
func (p *panel) reject(a Anomaly, spent time.Duration) {
	if !a.sure {
		return
	}
	for _, l := range a.Violates {
		known := slices.ContainsFunc(p.found, func(d direct) bool { return d.Verdict == checker.Violated && p.implies(l, d.Level) })
		if !known {
			p.found = append(p.found, direct{checker.Answer{Level: l, Verdict: checker.Violated, Why: "Shown by " + a.Kind.String()}, a.Checker, spent})
		}
	}
}

// keepRelevant keeps the anomalies that violate some level that was asked for.
func (p *panel) keepRelevant() {
	asked := func(levels []isolation.Level) bool {
		return slices.ContainsFunc(p.asked, func(l isolation.Level) bool { return slices.ContainsFunc(levels, l.Implies) })
	}
	p.Anomalies = slices.DeleteFunc(p.Anomalies, func(a Anomaly) bool { return !asked(a.Violates) })
	for i := range p.Anomalies {
		p.amend(&p.Anomalies[i])
	}
	listed := map[isolation.Anomaly]int{}
	for _, a := range p.Anomalies {
		listed[a.Kind]++
	}
	for kind := range p.Counts {
		if listed[kind] == 0 && !asked(kind.ExcludedBy()) {
			delete(p.Counts, kind)
			continue
		}
		p.Counts[kind] = max(p.Counts[kind], listed[kind])
	}
	slices.SortStableFunc(p.Anomalies, func(a, b Anomaly) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), slices.Compare(a.Txns, b.Txns), cmp.Compare(a.Read, b.Read), slices.Compare(a.Keys, b.Keys))
	})
}

// amend corrects which levels an anomaly violates. Where values were written twice
// it is one of those of one choice of the writes that reads come from, and another choice
// may satisfy the level that excludes it.
func (p *panel) amend(a *Anomaly) {
	var left, rejected []isolation.Level
	for _, l := range a.Violates {
		if v, _ := p.verdict(l); v == isolation.Reject {
			left = append(left, l)
		}
	}
	if len(left) > 0 {
		a.Violates = left
		return
	}
	for _, j := range p.Judgements {
		if j.Verdict == isolation.Reject && slices.ContainsFunc(a.Violates, j.Level.Implies) {
			rejected = append(rejected, j.Level)
		}
	}
	a.Violates = isolation.Weakest(rejected)
}
