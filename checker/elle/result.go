package elle

import (
	"fmt"

	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/isolation"
)

// Verdict says whether a history satisfies a level.
type Verdict uint8

const (
	// Unknown: neither could be shown; Answer.Why says why.
	Unknown Verdict = iota
	// Satisfied: a witness was found, and was checked.
	Satisfied
	// Violated: no history of the level has one of the anomalies found.
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
	panic(fmt.Sprintf("elle: unknown verdict %d", uint8(v)))
}

// Answer is the verdict about one level.
type Answer struct {
	Level   isolation.Level
	Verdict Verdict
	// Why says in words why the verdict is what it is.
	Why string
	// Order is the witness of Satisfied: the transactions that took effect, in a
	// commit order, without the initial one. Nil for the levels of Adya below
	// PL-2+ where only their graph was looked at.
	Order []history.Txn
}

// Result is what Check found.
type Result struct {
	// Answers has the levels that were asked for, weaker ones first.
	Answers []Answer
	// Anomalies are sorted by kind, then by transactions.
	Anomalies []Anomaly
	// Counts has the number of anomalies by kind, also of those that Anomalies
	// leaves out. Of cycles it counts at most one for each component.
	Counts map[isolation.Anomaly]int
	// Notes say what was left out of account, in words.
	Notes []string
}

// Verdict is the answer for one level, Unknown if it was not asked for.
func (r *Result) Verdict(l isolation.Level) Verdict {
	for _, a := range r.Answers {
		if a.Level == l {
			return a.Verdict
		}
	}
	return Unknown
}

// Anomaly is something that some level excludes.
type Anomaly struct {
	Kind isolation.Anomaly
	// Form is the special case of the kind that it is: write skew, long fork;
	// or the kind itself.
	Form isolation.Anomaly
	// Key is where it is, -1 for cycles.
	Key history.Key
	// Txns take part. Those of a cycle are in its order.
	Txns []history.Txn
	// Steps are the dependencies of a cycle: Steps[i] leads from Txns[i] to the
	// next. Nil for others.
	Steps []Step
	// Text explains it in words, in one or more lines.
	Text string
}

// Step is a dependency between two transactions.
type Step struct {
	Kind isolation.Dependency
	// Why explains it: "T1 did not observe T2's append of 8 to key 255".
	Why string
}
