package isolation

// Verdict is the answer to the question whether a history satisfies a level.
type Verdict uint8

const (
	// Unknown: neither was shown, within the bounds or with what was recorded.
	Unknown Verdict = iota
	Accept
	Reject
)

// String is the verdict as the command prints it: unknown, accept or reject.
func (v Verdict) String() string { return [...]string{"unknown", "accept", "reject"}[v] }
