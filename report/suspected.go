package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/witness"
)

// Done reports whether a server has done what the finding says, with all that it says.
func (f *Finding) Done() bool {
	return f.Replay != nil && f.Replay.Outcome == witness.AsShown && f.Status != Suspected
}

// OnlyLevels reports whether the levels alone make a finding suspected.
func (f *Finding) OnlyLevels() bool {
	return !slices.ContainsFunc(f.Doubts, func(d Doubt) bool { return d.Kind != "level" })
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
	why := "the database may refuse it"
	switch {
	case f.OnlyLevels():
		why = "its transactions may run at other levels"
	case !slices.ContainsFunc(f.Doubts, func(d Doubt) bool { return d.Kind != ir.ByValue.String() }):
		why = "the program may not have these values"
	}
	t.line("   Suspected only, since %s:", why)
	for _, d := range f.Doubts {
		who := ""
		if d.Transaction != "" {
			who = f.Witness.Who(d.Transaction) + ", " + d.Position.Short() + ": "
		}
		t.para("   - ", who+d.Text+"; to settle it, "+d.Settle)
	}
}

// decided says what of a finding only the database decides, unless a server has done it.
func (t *text) decided(f *Finding) {
	for _, s := range f.Uncertain() {
		t.para("   ", s)
	}
}

// givenBy gives the values that something of the database gives in a witness: A: 8, B: 8.
func givenBy(w *witness.Witness, of string) string {
	var out []string
	for _, x := range w.Transactions {
		for _, h := range x.Havocs {
			if h.Of == of && h.Value.Kind != ir.KindOpaque {
				out = append(out, x.Label+": "+h.Shown())
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
		if r.Levels != nil && d.Kind != ir.ByError.String() {
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
