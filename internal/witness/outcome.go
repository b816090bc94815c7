package witness

import "strings"

// Replay is what a real server did with a Plan.
type Replay struct {
	// Server and Version say what ran it, such as PostgreSQL and 15.18.
	Server  string  `json:"server"`
	Version string  `json:"version"`
	Outcome Outcome `json:"outcome"`
	// Difference is the first difference, or why it was not run. It is "" where the
	// execution happened as shown.
	Difference string `json:"difference,omitempty"`
	// Orders is how many serial orders there are, OrdersTried how many of them the server
	// ran.
	Orders      int `json:"orders"`
	OrdersTried int `json:"orders_tried"`
	// Serializable says what happens to the execution at SERIALIZABLE, or is "".
	Serializable string `json:"serializable,omitempty"`
	// Log is what was sent and came back, in order.
	Log []string `json:"log"`
}

// Outcome is how a replay ended.
type Outcome string

const (
	// AsShown: the server did what the witness says, and no serial order that it ran has
	// the same outcome.
	AsShown Outcome = "as-shown"
	// Refused: the server does not let it happen: it ends a transaction, or lets one wait,
	// or does not take the rows to start with.
	Refused Outcome = "refused"
	// OtherOutcome: it gives something else.
	OtherOutcome Outcome = "other"
	// NotRun: clients cannot run it, or cannot make the server choose what it depends on.
	NotRun Outcome = "not-run"
)

// Stands reports whether a finding is still one after the replay.
func (r *Replay) Stands() bool { return r.Outcome == AsShown || r.Outcome == NotRun }

// String is the outcome in a line: replayed on PostgreSQL 15.18: as shown.
func (r *Replay) String() string {
	who := strings.TrimSpace(r.Server + " " + r.Version)
	switch r.Outcome {
	case AsShown:
		return "replayed on " + who + ": as shown"
	case Refused:
		return "replayed on " + who + ": refused: " + r.Difference
	case OtherOutcome:
		return "replayed on " + who + ": other outcome: " + r.Difference
	case NotRun:
		return "not replayed: " + r.Difference
	}
	panic("witness: unknown outcome " + string(r.Outcome))
}
