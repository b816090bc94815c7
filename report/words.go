package report

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/isolation"
)

// Answer is the verdict with what it means, as the end of a sentence: robust: every
// execution at snapshot isolation has the outcome of a serial one.
func (r *Report) Answer() string {
	words := map[Verdict]string{
		Robust:    "robust: every execution at snapshot isolation has the outcome of a serial one",
		NotRobust: "NOT ROBUST: at snapshot isolation there are executions that no serial order explains",
		Unknown:   "UNKNOWN: neither proved nor refuted",
	}
	if r.Classic && r.Verdict == Robust {
		words[Robust] = "robust: no execution at snapshot isolation has a cycle of dependencies"
	}
	if r.Classic && r.Verdict == NotRobust {
		words[NotRobust] = "NOT ROBUST: at snapshot isolation there are executions whose dependencies have a cycle"
	}
	r.atLevels(words)
	if a := r.Assuming(); a != "" {
		words[Robust] = strings.Replace(words[Robust], "robust:", "robust, "+a+":", 1)
	}
	if len(r.Findings) == 0 && len(r.Suppressed) > 0 {
		words[NotRobust] = "NOT ROBUST, but all findings are suppressed"
		if r.Rest == Unknown {
			words[NotRobust] += "; what is left is UNKNOWN"
		}
	}
	return words[r.Verdict]
}

// Title names a finding in a line.
func (f *Finding) Title() string {
	kind := string(f.Kind)
	if f.Kind == witness.Other {
		kind = "anomaly"
	}
	if f.Status == Suspected {
		kind = "suspected " + kind
	}
	return kind + ": " + strings.Join(f.Cycle, " -> ") + " [" + f.Code + "]"
}

// ConfirmedBy says in a sentence which checkers of histories confirm a finding, or is "".
func (f *Finding) ConfirmedBy() string {
	if len(f.Validation) == 0 {
		return ""
	}
	var decided, undecided []string
	for _, j := range f.Validation {
		switch {
		case j.Verdict == isolation.Unknown.String():
			undecided = append(undecided, j.Checker+" ("+j.Level+")")
		case !slices.Contains(decided, j.Checker):
			decided = append(decided, j.Checker)
		}
	}
	s := "Confirmed by the checkers of histories " + strings.Join(decided, ", ")
	if undecided != nil {
		s += "; unknown to " + strings.Join(undecided, ", ")
	}
	return s + "."
}

// Replayed says in sentences what a server did with a finding, or is "".
func (f *Finding) Replayed() string {
	if f.Replay == nil {
		return ""
	}
	s := f.Replay.String()
	return strings.ToUpper(s[:1]) + s[1:] + "." + aside(f.Replay)
}

// Uncertain says in sentences what of a finding only the database decides, unless a server
// has done it.
func (f *Finding) Uncertain() []string {
	if f.Done() {
		return nil
	}
	var out, what []string
	for _, of := range f.Depends {
		if given := givenBy(f.Witness, of); given != "" {
			of += " (" + given + ")"
		}
		what = append(what, of)
	}
	if len(what) > 0 {
		out = append(out, "It depends on what only the database decides: "+strings.Join(what, "; ")+". Run it on a server (-replay) to be certain.")
	}
	if len(f.Opaque) > 0 {
		out = append(out, "What is known of "+strings.Join(f.Opaque, ", ")+" is only that equal arguments give equal results. Run it on a server (-replay) to be certain.")
	}
	return out
}
