package session

import (
	"slices"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Trace is what a function sends to the database in all its transactions, as if
// they were one: it shows how values go from one of them to the next.
type Trace struct {
	Name string
	Pos  ir.Pos
	// Body has the statements. The place of a statement is no place in the source but
	// names one of Sent: its line is the index and one more.
	Body *client.Txn
	Sent []Sent
	// Steps is the number of instructions that were interpreted: a function has more of
	// them than each that it calls.
	Steps int
}

// Sent is a statement of a trace.
type Sent struct {
	Pos ir.Pos
	// Unit tells the transactions of a trace apart. Statements of the unit Outer may
	// be in the transaction of a caller, or not.
	Unit string
	// Alone says that the statement is a transaction by itself.
	Alone bool
	// Func is the function that sends it.
	Func string
}

// Outer is the unit of statements that are sent through what may be a transaction.
const Outer = "outer"

// TraceFile is the file in the places of the statements of traces.
const TraceFile = "trace"

// Everything is the site of a trace: all transactions are written.
const Everything = "*"

// Several reports whether a trace has several units.
func (t *Trace) Several() bool {
	return slices.ContainsFunc(t.Sent, func(s Sent) bool { return s.Unit != t.Sent[0].Unit })
}

// At gives the statement that a place in a trace names.
func (t *Trace) At(pos ir.Pos) (Sent, bool) {
	if pos.File != TraceFile || pos.Line < 1 || pos.Line > len(t.Sent) {
		return Sent{}, false
	}
	return t.Sent[pos.Line-1], true
}
