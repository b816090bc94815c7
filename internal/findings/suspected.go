package findings

import (
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// settles says what to do about what the model leaves out.
var settles = map[ir.Refusal]string{
	ir.ByRowLock:      "write the lock as a statement of its own (SELECT … FOR UPDATE of the rows that are meant), or run the schedule on a server (-replay)",
	ir.ByTableLock:    "run the schedule on a server (-replay)",
	ir.BySessionLock:  "take a lock of a row that all of them update instead, which is modelled; a schedule on a server does not take the session's lock",
	ir.ByAdvisoryLock: "run the schedule on a server (-replay); a lock of a row that all of them update is modelled",
	ir.ByError:        "run the schedule on a server (-replay)",
	ir.ByValue:        "look at whether the program can come there with these values, or write inside the loop over the rows, which is followed; a schedule on a server does not compute them",
}

// Suspect adds what the model leaves out on the way of the execution of a finding.
func Suspect(f *report.Finding, doubts []interp.Doubt) {
	for _, d := range doubts {
		label := ""
		for _, t := range f.Witness.Transactions {
			if t.Commit == d.Txn {
				label = t.Label
			}
		}
		s := d.Dropped
		doubt(f, report.Doubt{Transaction: label, Kind: s.Kind.String(), Text: s.What, Tables: tableNames(s.Tables), Settle: settles[s.Kind],
			Position: witness.Position{File: s.Pos.File, Line: s.Pos.Line, Col: s.Pos.Col}})
	}
}

// ByReplay settles what a server can tell.
const ByReplay = "run the schedule on the database (-replay)"

// SuspectEngine adds that the database may refuse more than its profile says, and what settles it.
func SuspectEngine(f *report.Finding, why, settle string) {
	doubt(f, report.Doubt{Kind: "engine", Text: why, Tables: []string{}, Settle: settle})
}

// byLevel is the kind of a doubt about the level at which a transaction runs.
const byLevel = "level"

// SuspectLevel adds that a transaction, by its label in the witness, may run at other levels than
// the one that it is shown at.
func SuspectLevel(f *report.Finding, label, why string) {
	for _, t := range f.Witness.Transactions {
		if t.Label == label {
			doubt(f, report.Doubt{Transaction: label, Kind: byLevel, Text: why, Tables: []string{}, Position: t.Position,
				Settle: "say which level it has (//robust:assume level LEVEL before the function, -level NAME=LEVEL, or -isolation)"})
		}
	}
}

func doubt(f *report.Finding, d report.Doubt) {
	f.Status, f.Doubts = report.Suspected, append(f.Doubts, d)
}

// stays are the kinds of doubts that no replay settles.
var stays = []string{ir.BySessionLock.String(), ir.ByValue.String(), byLevel}

// Replayed adds what a server did with the witness, or nil. A server that has done it
// leaves no doubt, but for locks that sessions take before: a replay does not. Nor does it tell at
// which levels the program runs, or what it computes.
func Replayed(f *report.Finding, r *witness.Replay) {
	f.Replay = r
	if r == nil || r.Outcome != witness.AsShown {
		return
	}
	f.Doubts = slices.DeleteFunc(f.Doubts, func(d report.Doubt) bool { return !slices.Contains(stays, d.Kind) })
	if len(f.Doubts) == 0 {
		f.Status, f.Doubts = report.Confirmed, nil
	}
}
