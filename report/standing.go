package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/ir"
)

// maxSummary bounds the lines of each part of the summary, without Verbose.
const maxSummary = 6

// standings is the summary: the headline, a line for each finding where there are several,
// and what keeps transactions undecided.
func (t *text) standings(r *Report) {
	if r.Verdict == Robust || r.Headline == "" {
		return
	}
	t.para("", strings.ToUpper(r.Headline[:1])+r.Headline[1:]+".")
	if len(r.Findings) > 1 {
		t.line("")
		t.some(len(r.Findings), "finding", func(i int) {
			f := &r.Findings[i]
			t.para(fmt.Sprintf("%d. ", i+1), f.Title()+t.also(f))
		})
	}
	t.undecided(r)
}

// some writes the lines of a part of the summary, of many the first ones.
func (t *text) some(n int, what string, line func(i int)) {
	for i := range n {
		if i == maxSummary && n > maxSummary+1 && !t.opt.Verbose {
			t.line("… and %s (-v lists them)", quote.Count(n-i, "other "+what))
			return
		}
		line(i)
	}
}

// also counts the findings beside one that begin with the same read.
func (t *text) also(f *Finding) string {
	if len(f.Also) == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %s through the same read)", quote.Count(len(f.Also), "more cycle"))
}

// others lists the findings beside one that go through the same read.
func (t *text) others(f *Finding) {
	if len(f.Also) == 0 {
		return
	}
	t.line("")
	t.line("   The same read is part of these cycles:")
	t.some(len(f.Also), "cycle", func(i int) {
		t.para("   - ", strings.Join(f.Also[i].Cycle, " -> ")+" ["+f.Also[i].Code+"]")
	})
}

// Cause is a reason why transactions are undecided: a statement, or, without a position,
// something about all of them.
type Cause struct {
	Note
	Transactions []string
}

// String names the transactions and the reason.
func (c *Cause) String() string { return someOf(c.Transactions) + ": " + c.Text }

// Causes gives the reasons why transactions are undecided, what concerns most of them first.
func (r *Report) Causes() []Cause {
	var causes []Cause
	add := func(n Note, who string) {
		i := slices.IndexFunc(causes, func(c Cause) bool { return c.Note == n })
		if i < 0 {
			i = len(causes)
			causes = append(causes, Cause{Note: n})
		}
		causes[i].Transactions = append(causes[i].Transactions, who)
	}
	for _, x := range r.Transactions {
		if x.Standing != codes.Undecided {
			continue
		}
		for _, n := range x.Because {
			add(n, x.Name)
		}
		if len(x.Because) == 0 {
			add(Note{Text: x.Why}, x.Name)
		}
	}
	slices.SortStableFunc(causes, func(a, b Cause) int { return cmp.Compare(len(b.Transactions), len(a.Transactions)) })
	return causes
}

// undecided lists what keeps transactions undecided.
func (t *text) undecided(r *Report) {
	causes := r.Causes()
	if causes == nil {
		return
	}
	t.line("")
	t.line("Undecided:")
	t.some(len(causes), "reason", func(i int) {
		c := causes[i]
		if c.File != "" {
			c.Text = ir.Pos{File: c.File, Line: c.Line, Col: c.Col}.String() + ": " + c.Text
		}
		t.para("- ", c.String())
	})
}
