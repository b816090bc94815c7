package report

import (
	"fmt"
)

// Apart is a note about a write that rests on what an earlier transaction has read. It counts neither for the verdict nor for the exit code.
type Apart struct {
	Code        string `json:"code"`
	Fingerprint string `json:"fingerprint"`
	Class       Class  `json:"class"`
	Kind        string `json:"kind"`
	// Function is the one that does both, in transactions of its own.
	Function string `json:"function"`
	Table    string `json:"table"`
	// Columns are those that the write rests on; none where it rests on whether there
	// are rows.
	Columns []string   `json:"columns"`
	Write   ApartPlace `json:"write"`
	Read    ApartPlace `json:"read"`
	// Text says it in a sentence, Repair what helps.
	Text   string `json:"text"`
	Repair string `json:"repair"`
	// Accepted is why the source accepts it, or nil.
	Accepted *Accepted `json:"accepted,omitempty"`
}

// ApartPlace is one of the two statements.
type ApartPlace struct {
	Position
	// Function is the one that sends it.
	Function string `json:"function"`
}

// Accepted is a comment that accepts a note.
type Accepted struct {
	Reason   string   `json:"reason"`
	Position Position `json:"position"`
}

// apart lists the notes about what is not in one transaction.
func (t *text) apart(r *Report) {
	if len(r.Apart) == 0 {
		return
	}
	t.line("")
	t.para("", "Not in one transaction, which no isolation level makes right (it is no part of the verdict):")
	for _, a := range r.Apart {
		by := ""
		if a.Accepted != nil {
			by = fmt.Sprintf(" (accepted, %s: %s)", a.Accepted.Position, a.Accepted.Reason)
		}
		t.para("- ", fmt.Sprintf("%s: %s [%s]%s", a.Kind, a.Text, a.Code, by))
	}
	t.para("  ", "Use one transaction, or one statement that looks again: robust help CODE says more.")
}
