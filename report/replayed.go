package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/witness"
)

// replayed says what a server did with a finding.
func (t *text) replayed(f *Finding) {
	r := f.Replay
	if r == nil {
		return
	}
	t.line("")
	t.para("   ", f.Replayed())
	if t.opt.Verbose {
		for _, l := range r.Log {
			t.para("   | ", l)
		}
	}
}

// aside is what the server did with the serial orders, and at SERIALIZABLE.
func aside(r *witness.Replay) string {
	if r.Outcome != witness.AsShown {
		return ""
	}
	s := ""
	switch {
	case r.OrdersTried == 0:
	case r.OrdersTried < r.Orders:
		s = fmt.Sprintf(" The serial orders that were tried there, %d of %d, do what the model says: something else.", r.OrdersTried, r.Orders)
	default:
		s = fmt.Sprintf(" All serial orders (%d) do what the model says there: something else.", r.Orders)
	}
	if r.Serializable != "" {
		s += " " + strings.ToUpper(r.Serializable[:1]) + r.Serializable[1:] + "."
	}
	return s
}

// refused lists what a server does not do.
func (t *text) refused(r *Report) {
	t.notDone(r, Confirmed)
	t.notDone(r, Suspected)
}

// notDone lists the executions of a status that a server does not do.
func (t *text) notDone(r *Report, status Status) {
	list := slices.DeleteFunc(slices.Clone(r.Refused), func(f Finding) bool { return f.Status != status })
	if len(list) == 0 {
		return
	}
	t.line("")
	switch {
	case status == Suspected:
		t.para("", "Suspected by the model, which leaves out what is named, and not done by the server (no part of the verdict):")
	case r.Stricter:
		t.para("", "Found by the model, which allows more than this database, and not done by the server (no part of the verdict):")
	default:
		t.para("", "Found by the model, but not done by the server, which is a fault of this program (no part of the verdict):")
	}
	for i := range list {
		f := &list[i]
		t.para("- ", fmt.Sprintf("%s: %s [%s]: %s", f.Kind, strings.Join(f.Cycle, " -> "), f.Code, f.Replay))
		for _, d := range f.Doubts {
			t.para("  - ", d.Text)
		}
	}
}

// Replayed is what a server did with the witness of a folder.
type Replayed struct {
	Witness string          `json:"witness"`
	Replay  *witness.Replay `json:"replay"`
}

// ReplayedText writes what a server did with witnesses, for people.
func ReplayedText(w io.Writer, list []Replayed, verbose bool) error {
	t := &text{}
	for _, r := range list {
		s := r.Replay.String()
		t.para("", r.Witness+": "+s+"."+aside(r.Replay))
		if verbose {
			for _, l := range r.Replay.Log {
				t.para("| ", l)
			}
		}
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}
