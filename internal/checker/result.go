package checker

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// Verdict says whether a history satisfies a level.
type Verdict uint8

const (
	// Unknown: the checker cannot tell; Answer.Why says why.
	Unknown Verdict = iota
	Satisfied
	Violated
)

func (v Verdict) String() string {
	switch v {
	case Unknown:
		return "unknown"
	case Satisfied:
		return "satisfied"
	case Violated:
		return "violated"
	}
	panic(fmt.Sprintf("checker: unknown verdict %d", uint8(v)))
}

// Answer is the verdict about one level.
type Answer struct {
	Level   isolation.Level
	Verdict Verdict
	// Why is a sentence that says why the verdict is Unknown, or what else there is
	// to know about it.
	Why string
	// Order is the witness of Satisfied, where the method gives one: the
	// transactions that took effect in a commit order that the level needs,
	// without the initial one.
	Order []history.Txn
	// Snapshots says for levels of snapshots how many of Order each transaction of
	// it had before it began: those are what it read from. It is nil where the method
	// does not give it.
	Snapshots []int32
}

// Result is what a checker found out.
type Result struct {
	// Answers are in the order in which the levels were asked for.
	Answers []Answer
	// Violations are sorted by level, anomaly and place. They are all that the
	// checker lists, and Counts says how many there are.
	Violations []Violation
	Counts     map[isolation.Anomaly]int
}

// Answer is the answer about a level; an Unknown one if it was not asked for.
func (r *Result) Answer(l isolation.Level) Answer {
	for _, a := range r.Answers {
		if a.Level == l {
			return a
		}
	}
	return Answer{Level: l, Why: "It was not checked."}
}

// Verdict is the verdict about a level.
func (r *Result) Verdict(l isolation.Level) Verdict { return r.Answer(l).Verdict }

// Anomalies gives the kinds of violations, sorted.
func (r *Result) Anomalies() []isolation.Anomaly {
	var out []isolation.Anomaly
	for a := range r.Counts {
		out = append(out, a)
	}
	slices.Sort(out)
	return out
}

// Violation is one reason why a history violates a level.
type Violation struct {
	Anomaly isolation.Anomaly
	// Level is the weakest level that it violates.
	Level isolation.Level
	// Read is the operation that went wrong, or -1 if it is not one read.
	Read history.Op
	// Key is its key, or that of the versions in the wrong order; -1 if none.
	Key history.Key
	// Source is the write that the operation read, or -1.
	Source history.Op
	// Cycle is a smallest cycle of reasons: every edge ends where the next one
	// begins, and the last one where the first begins. Empty where one read
	// is wrong by itself.
	Cycle []Edge
	// OneChoice: it is a violation under one choice of the writes that reads come from, or
	// of outcomes, where all choices violate Level. Another choice may satisfy a weaker
	// level that excludes the anomaly.
	OneChoice bool
	// Others are transactions that it needs, though no edge ends at them: they wrote what was
	// read, or overwrote it.
	Others []history.Txn
}

// Txns gives the transactions of a violation, sorted.
func (v Violation) Txns(h *history.History) []history.Txn {
	var out []history.Txn
	add := func(t history.Txn) {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	if v.Read >= 0 {
		add(h.TxnOf(v.Read))
	}
	if v.Source >= 0 {
		add(h.TxnOf(v.Source))
	}
	var walk func(es []Edge)
	walk = func(es []Edge) {
		for _, e := range es {
			add(e.From)
			add(e.To)
			walk(e.Because)
		}
	}
	walk(v.Cycle)
	for _, t := range v.Others {
		add(t)
	}
	slices.Sort(out)
	return out
}

// Edge is a reason why one transaction is before another.
type Edge struct {
	Dependency isolation.Dependency
	From, To   history.Txn
	// Key is that of both, except for SO and RT, where it is -1.
	Key history.Key
	// Read is the read of WR, or of the list that shows WW; otherwise -1.
	Read history.Op
	// Because says how WW was concluded, where it is not a list that shows it:
	//
	//   - the first edge is WR, To was read of Key; the others lead from From to the
	//     same reader, which should have read From or later;
	//   - or a path from From to To;
	//   - or the opposite, a WW edge without Because, and a cycle that there would be
	//     then, which begins with it if it is on it.
	//
	// Where From or To updated a version that others had updated before, or the
	// other way round, it may be one of these others that a path begins or ends with:
	// nothing can come between them. A WW edge without Because and Read is one that
	// is supposed. Of RW it is the WW edge from the version that was read, where that
	// had to be concluded.
	Because []Edge
}
