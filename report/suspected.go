package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/ir"
)

// settles says what to do about what the model leaves out.
var settles = map[ir.Refusal]string{
	ir.ByRowLock:      "write the lock as a statement of its own (SELECT … FOR UPDATE of the rows that are meant), or run the schedule on a server (-replay)",
	ir.ByTableLock:    "run the schedule on a server (-replay)",
	ir.BySessionLock:  "take a lock of a row that all of them update instead, which is modelled; a schedule on a server does not take the session's lock",
	ir.ByAdvisoryLock: "run the schedule on a server (-replay); a lock of a row that all of them update is modelled",
	ir.ByError:        "run the schedule on a server (-replay)",
}

// Suspect adds what the model leaves out on the way of the finding's execution.
func (f *Finding) Suspect(doubts []interp.Doubt) {
	for _, d := range doubts {
		label := ""
		for _, t := range f.Witness.Transactions {
			if t.Commit == d.Txn {
				label = t.Label
			}
		}
		s := d.Dropped
		f.doubt(Doubt{Transaction: label, Kind: s.Kind.String(), Text: s.What, Tables: tableNames(s.Tables), Settle: settles[s.Kind],
			Position: witness.Position{File: s.Pos.File, Line: s.Pos.Line, Col: s.Pos.Col}})
	}
}

// SuspectEngine adds that the database refuses more than its profile says.
func (f *Finding) SuspectEngine(why string) {
	f.doubt(Doubt{Kind: "engine", Text: why, Tables: []string{}, Settle: "run the schedule on the database (-replay)"})
}

func (f *Finding) doubt(d Doubt) {
	f.Status, f.Doubts = Suspected, append(f.Doubts, d)
}

// Replayed adds what a server did with the witness, or nil. A server that has done it
// leaves no doubt, but for locks that sessions take before: a replay does not.
func (f *Finding) Replayed(r *witness.Replay) {
	f.Replay = r
	if r == nil || r.Outcome != witness.AsShown {
		return
	}
	f.Doubts = slices.DeleteFunc(f.Doubts, func(d Doubt) bool { return d.Kind != ir.BySessionLock.String() })
	if len(f.Doubts) == 0 {
		f.Status, f.Doubts = Confirmed, nil
	}
}

// Done reports whether a server has done what the finding says, with all that it says.
func (f *Finding) Done() bool {
	return f.Replay != nil && f.Replay.Outcome == witness.AsShown && f.Status != Suspected
}

// Confirmed gives the findings that are certain.
func (r *Report) Confirmed() []Finding {
	return slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return f.Status != Confirmed })
}

// suspected says why a finding is no verdict.
func (t *text) suspected(f *Finding) {
	if f.Status == Confirmed {
		return
	}
	t.line("")
	t.line("   Suspected only, since the database may refuse it:")
	for _, d := range f.Doubts {
		who := ""
		if d.Transaction != "" {
			who = f.Witness.Who(d.Transaction) + ", " + short(d.Position) + ": "
		}
		t.para("   - ", who+d.Text+"; to settle it, "+d.Settle)
	}
}

// decided says what of a finding only the database decides, unless a server has done it.
func (t *text) decided(f *Finding) {
	if f.Done() {
		return
	}
	var what []string
	for _, of := range f.Depends {
		if given := givenBy(f.Witness, of); given != "" {
			of += " (" + given + ")"
		}
		what = append(what, of)
	}
	if len(what) > 0 {
		t.para("   ", "It depends on what only the database decides: "+strings.Join(what, "; ")+". Run it on a server (-replay) to be certain.")
	}
	if len(f.Opaque) > 0 {
		t.para("   ", "What is known of "+strings.Join(f.Opaque, ", ")+" is only that equal arguments give equal results. Run it on a server (-replay) to be certain.")
	}
}

// givenBy gives the values that something of the database gives in a witness: A: 8, B: 8.
func givenBy(w *witness.Witness, of string) string {
	var out []string
	for _, x := range w.Transactions {
		for _, h := range x.Havocs {
			if h.Of == of && h.Value.Kind != ir.KindOpaque {
				out = append(out, x.Label+": "+h.Value.String())
			}
		}
	}
	return strings.Join(out, ", ")
}

// dropped lists what the model leaves out.
func (t *text) dropped(r *Report) {
	if !t.opt.Verbose && r.Verdict != Unknown {
		return
	}
	var list []place
	for _, d := range r.Dropped {
		if r.Isolation == AtReadCommitted && d.Kind != ir.ByError.String() {
			continue // it is not searched, which is said there
		}
		list = append(list, place{d.File, d.Line, d.Col, d.Transaction, fmt.Sprintf("%s (%s)", d.Text, tableList(d.Tables))})
	}
	if len(list) > 0 {
		t.line("")
		t.para("", "Left out, so that an execution that the database may refuse for it is suspected only:")
		t.places("- ", list)
	}
}
