package codes

// The standings of transactions.
const (
	// Safe: no closed walk that is left has the transaction.
	Safe = "safe"
	// InFindings: it takes part in a finding.
	InFindings = "in-findings"
	// Undecided: neither.
	Undecided = "undecided"
)
