package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/quote"
)

// TransactionLevel is the isolation level at which a transaction runs, and what is known
// of it there.
type TransactionLevel struct {
	Transaction string `json:"transaction"`
	// Level is the level in the words of SQL, and Source who says so: "code", "default"
	// (of the database) or "option" (whoever asks). Where it may be one of several, it is the
	// lowest, and Above has the others.
	Level  string   `json:"level"`
	Above  []string `json:"above,omitempty"`
	Source string   `json:"source"`
	// Proved says that all that it does at this level it can do at snapshot isolation as
	// well: a proof there is one here. Reason says why, or why not, and Position where.
	Proved   bool      `json:"proved"`
	Reason   string    `json:"reason,omitempty"`
	Position *Position `json:"position,omitempty"`
}

// asks says which levels the source of a transaction asks for, if any.
func (x *Transaction) asks() string {
	if x.Level == "" && len(x.Above) == 0 {
		return ""
	}
	var levels []string
	for _, l := range append([]string{x.Level}, x.Above...) {
		levels = append(levels, cmp.Or(strings.ToUpper(l), "the default"))
	}
	return ", asks for " + strings.Join(levels, " or ")
}

// At names the levels of the transactions, as a part of a sentence, or gives "".
func (r *Report) At() string {
	if model := levels.Model(r.Isolation); model != "" {
		return model
	}
	var out []string
	for _, l := range levels.All() {
		if slices.ContainsFunc(r.Levels, func(x TransactionLevel) bool { return x.Level == string(l) }) {
			out = append(out, string(l))
		}
	}
	return quote.And(out)
}

// atLevels puts the levels of the transactions into the words for the verdicts.
func (r *Report) atLevels(words map[Verdict]string) {
	if at := r.At(); at != "" {
		words[Robust] = "robust: every execution at " + at + " has the outcome of a serial one"
		words[NotRobust] = "NOT ROBUST: at " + at + " there are executions that no serial order explains"
		words[Unknown] = "UNKNOWN: at " + at + " neither proved nor refuted"
	}
}

// At names the levels of the transactions of a finding: "at READ COMMITTED", or with more
// of them "at READ COMMITTED (pay) and SERIALIZABLE (ship)".
func (f *Finding) At() string {
	if f.Witness == nil || len(f.Witness.Transactions) == 0 || f.Witness.Transactions[0].Level == "" {
		if f.Class == ReadCommittedOnly {
			return "at READ COMMITTED"
		}
		if f.Witness != nil && levels.Model(f.Witness.Isolation) != "" {
			return "at " + levels.Model(f.Witness.Isolation)
		}
		return "at snapshot isolation"
	}
	var at, with []string
	for _, l := range levels.All() {
		var who []string
		for _, x := range f.Witness.Transactions {
			if x.Level == string(l) && !slices.Contains(who, x.Name) {
				who = append(who, x.Name)
			}
		}
		if who != nil {
			at, with = append(at, string(l)), append(with, string(l)+" ("+strings.Join(who, ", ")+")")
		}
	}
	if len(at) == 1 {
		return "at " + at[0]
	}
	return "at " + quote.And(with)
}

// atLevels says at which levels the transactions of a finding run, where that was asked about.
func (t *text) atLevels(f *Finding) {
	if w := f.Witness; w != nil && len(w.Transactions) > 0 && w.Transactions[0].Level != "" {
		t.para("   ", f.At())
	}
}

// levels says at which levels the transactions run, and what is not proved of them there.
func (t *text) levels(r *Report) {
	if len(r.Levels) == 0 {
		return
	}
	from := map[levels.Source]string{levels.ByCode: "by the source", levels.ByDefault: "by default", levels.ByOption: "as asked for"}
	names := map[string][]string{}
	for _, x := range r.Levels {
		group := strings.Join(append([]string{x.Level}, x.Above...), " or ") + " " + from[levels.Source(x.Source)]
		names[group] = append(names[group], x.Transaction)
	}
	var parts []string
	for _, l := range levels.All() {
		for _, group := range slices.Sorted(maps.Keys(names)) {
			if strings.HasPrefix(group, string(l)) {
				parts = append(parts, group+": "+someOf(names[group]))
			}
		}
	}
	t.para("", "Levels: "+strings.Join(parts, "; ")+".")
	if r.Verdict == Robust && !t.opt.Verbose {
		return
	}
	var list []place
	for _, x := range r.Levels {
		if !x.Proved && x.Position != nil {
			list = append(list, place{x.Position.File, x.Position.Line, x.Position.Col, x.Transaction, x.Reason})
		}
	}
	if list != nil && (r.Verdict == Unknown || t.opt.Verbose) {
		t.line("")
		t.line("Not proved at the level that it runs at:")
		t.places("- ", list)
	}
}

// readCommitted is the section on READ COMMITTED.
func (t *text) readCommitted(r *Report) {
	c := r.ReadCommitted
	if c == nil {
		return
	}
	if r.Levels == nil {
		t.line("")
		t.line("Only at READ COMMITTED (no part of the verdict):")
		switch {
		case c.Accepted > 0:
			t.line("(findings that are accepted: %d)", c.Accepted)
		case len(c.Findings) == 0:
			t.para("- ", fmt.Sprintf("nothing was found in %s of transactions, which proves nothing", quote.Count(c.Pairs, "combination")))
		}
		for i := range c.Findings {
			t.finding(i+1, &c.Findings[i])
		}
	}
	if len(c.LeftOut) > 0 && (t.opt.Verbose || r.Verdict == Unknown && r.Levels != nil) {
		t.line("")
		t.line("Not searched at READ COMMITTED:")
		for _, g := range c.LeftOut {
			who := ""
			if len(g.Transactions) > 0 {
				who = strings.Join(g.Transactions, ", interrupted by ") + ": "
			}
			t.para("- ", who+g.Reason)
		}
	}
}
