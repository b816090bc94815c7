package elle

import (
	"github.com/txrobust/robust/history"
	"github.com/txrobust/robust/internal/checker"
	"github.com/txrobust/robust/isolation"
)

// Result is what Check found. The Answers have a reason for every verdict, and a
// commit order for Satisfied, except for the levels of Adya below PL-SI, where it
// may be missing.
type Result struct {
	checker.Result
	// Anomalies are the Violations, each with its explanation.
	Anomalies []Anomaly
	// Notes say what was left out of account, in words.
	Notes []string
}

// Anomaly is something that some level excludes.
type Anomaly struct {
	Kind isolation.Anomaly
	// Form is the special case of the kind that it is: write skew, long fork;
	// or the kind itself.
	Form isolation.Anomaly
	// Read is the read that shows it, or -1.
	Read history.Op
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
	// Key is that of the versions, -1 for the order of sessions and real time;
	// Read is the read that shows it, or -1.
	Key  history.Key
	Read history.Op
}

// violation is the anomaly as checkers in general have it.
func (an Anomaly) violation() checker.Violation {
	v := checker.Violation{Anomaly: an.Form, Level: an.Form.ExcludedBy()[0], Read: an.Read, Key: an.Key, Source: -1}
	for i, s := range an.Steps {
		v.Cycle = append(v.Cycle, checker.Edge{
			Dependency: s.Kind, From: an.Txns[i], To: an.Txns[(i+1)%len(an.Txns)], Key: s.Key, Read: s.Read,
		})
	}
	return v
}
