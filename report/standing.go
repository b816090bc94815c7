package report

import (
	"cmp"
	"fmt"
	"iter"
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
			t.line("… and %s%s", quote.Count(n-i, "other "+what), t.flag(" (-v lists them)"))
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

// Causes gives the reasons why transactions are undecided, with the transactions: what
// concerns most of them first. A reason without a position is about all that they do.
func (r *Report) Causes() iter.Seq2[Note, string] {
	type cause struct {
		Note
		who []string
	}
	var causes []cause
	add := func(n Note, who string) {
		i := slices.IndexFunc(causes, func(c cause) bool { return c.Note == n })
		if i < 0 {
			i = len(causes)
			causes = append(causes, cause{Note: n})
		}
		causes[i].who = append(causes[i].who, who)
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
	slices.SortStableFunc(causes, func(a, b cause) int { return cmp.Compare(len(b.who), len(a.who)) })
	return func(yield func(Note, string) bool) {
		for _, c := range causes {
			if !yield(c.Note, someOf(c.who)) {
				return
			}
		}
	}
}

// undecided lists what keeps transactions undecided.
func (t *text) undecided(r *Report) {
	var list []string
	for n, who := range r.Causes() {
		if n.File != "" {
			who += ": " + ir.Pos{File: n.File, Line: n.Line, Col: n.Col}.String()
		}
		list = append(list, who+": "+n.Text)
	}
	if list == nil {
		return
	}
	t.line("")
	t.line("Undecided:")
	t.some(len(list), "reason", func(i int) { t.para("- ", list[i]) })
}
