package findings

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// NewApart describes a note. verb says what the write does: "updates", "deletes
// from" or "inserts into", lock what became of the lock of the read, "" if there was none.
func NewApart(code, function, table string, columns []string, write, read report.ApartPlace, verb, lock string, src Sources) report.Apart {
	c, ok := codes.ByID(code)
	if !ok {
		panic("findings: there is no code " + code)
	}
	a := report.Apart{Code: code, Class: report.NotInOneTransaction, Kind: c.Name, Function: function, Table: table, Columns: append([]string{}, columns...),
		Write: write, Read: read, Repair: c.Repair}
	what := "whether there are such rows"
	if len(columns) > 0 {
		what = few(columns)
	}
	because := map[string]string{codes.StaleWrite: "with values made of " + what, codes.StaleCheck: "because of " + what, codes.StaleInsert: "because of " + what}[code]
	a.Text = fmt.Sprintf("%s %s %s (%s) %s, which an earlier transaction of %s has read (%s)",
		write.Function, verb, table, write.Short(), because, function, read.Short())
	if lock != "" {
		a.Text += "; " + lock
	}
	h := sha256.New()
	fmt.Fprintf(h, "%q\n", []string{codes.FingerprintVersion, a.Kind, function, table, strings.Join(columns, ","), write.Function, read.Function,
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

// Accept notes the comment that accepts a note, and reports whether one
// does: it names the code, or none, and stands at one of the two statements or at
// a function around one.
func Accept(a *report.Apart, g *ir.Ignore) bool {
	if g.Code != "" && g.Code != a.Code {
		return false
	}
	for _, p := range []witness.Position{a.Write.Position, a.Read.Position} {
		if g.Covers(ir.Pos{File: p.File, Line: p.Line, Col: p.Col}) {
			a.Accepted = &report.Accepted{Reason: g.Reason, Position: witness.Position{File: g.Pos.File, Line: g.Pos.Line, Col: g.Pos.Col}}
			return true
		}
	}
	return false
}
