package report

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
)

// Codes of these notes.
const (
	CodeStaleWrite  = "RB4001"
	CodeStaleCheck  = "RB4002"
	CodeStaleInsert = "RB4003"
)

// Apart is such a note. It counts neither for the verdict nor for the exit code.
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
	witness.Position
	// Function is the one that sends it.
	Function string `json:"function"`
}

// Accepted is a comment that accepts a note.
type Accepted struct {
	Reason   string           `json:"reason"`
	Position witness.Position `json:"position"`
}

// NewApart describes a note. verb says what the write does: "updates", "deletes
// from" or "inserts into".
func NewApart(code, function, table string, columns []string, write, read ApartPlace, verb string, src Sources) Apart {
	c, ok := CodeByID(code)
	if !ok {
		panic("report: there is no code " + code)
	}
	a := Apart{Code: code, Class: NotInOneTransaction, Kind: c.Name, Function: function, Table: table, Columns: append([]string{}, columns...),
		Write: write, Read: read, Repair: c.Repair}
	what := "whether there are such rows"
	if len(columns) > 0 {
		what = few(columns)
	}
	because := map[string]string{CodeStaleWrite: "with values made of " + what, CodeStaleCheck: "because of " + what, CodeStaleInsert: "because of " + what}[code]
	a.Text = fmt.Sprintf("%s %s %s (%s) %s, which an earlier transaction of %s has read (%s)",
		write.Function, verb, table, short(write.Position), because, function, short(read.Position))
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", []string{fingerprintVersion, a.Kind, function, table, strings.Join(columns, ","), write.Function, read.Function,
		textAt(write.Position, src), textAt(read.Position, src)})
	a.Fingerprint = hex.EncodeToString(h.Sum(nil)[:16])
	return a
}

// maxColumns is how many columns a sentence names.
const maxColumns = 4

// few names some of a list of columns.
func few(columns []string) string {
	if n := len(columns) - maxColumns; n > 0 {
		return fmt.Sprintf("%s and %d other columns", strings.Join(columns[:maxColumns], ", "), n)
	}
	return strings.Join(columns, ", ")
}

// textAt gives the statement at a place of the source, "" if it is not known.
func textAt(p witness.Position, read Sources) string {
	if read == nil || p.Line == 0 {
		return ""
	}
	text, _ := read(p.File)
	return statementAt(text, p)
}

// Accept takes note of the comment that accepts a note, and reports whether one
// does: it names the code, or none, and stands at one of the two statements or at
// a function around one.
func (a *Apart) Accept(g *ir.Ignore) bool {
	if g.Code != "" && g.Code != a.Code {
		return false
	}
	for _, p := range []witness.Position{a.Write.Position, a.Read.Position} {
		if g.Covers(ir.Pos{File: p.File, Line: p.Line, Col: p.Col}) {
			a.Accepted = &Accepted{Reason: g.Reason, Position: witness.Position{File: g.Pos.File, Line: g.Pos.Line, Col: g.Pos.Col}}
			return true
		}
	}
	return false
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
