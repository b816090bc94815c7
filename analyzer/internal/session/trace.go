package session

import (
	"slices"
	"strconv"
	"strings"

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
	// Units are the transactions one of which it belongs to; none where that is not known, such as
	// where it may be that of a caller.
	Units []string
	// Func is the function that sends it.
	Func string
}

// own names the transaction that the statement with an index is, if it is one by itself.
func own(index int) string { return ownPrefix + strconv.Itoa(index) }

const ownPrefix = "statement "

// Alone reports whether the statement is a transaction by itself.
func (s Sent) Alone() bool { return len(s.Units) == 1 && strings.HasPrefix(s.Units[0], ownPrefix) }

// TraceFile is the file in the places of the statements of traces.
const TraceFile = "trace"

// Everything is the site of a trace: all transactions are written.
const Everything = "*"

// Several reports whether a trace may have several transactions.
func (t *Trace) Several() bool {
	return slices.ContainsFunc(t.Sent, func(s Sent) bool { return !slices.Equal(s.Units, t.Sent[0].Units) })
}

// At gives the statement that a place in a trace names.
func (t *Trace) At(pos ir.Pos) (Sent, bool) {
	if pos.File != TraceFile || pos.Line < 1 || pos.Line > len(t.Sent) {
		return Sent{}, false
	}
	return t.Sent[pos.Line-1], true
}
