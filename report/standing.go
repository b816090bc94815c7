package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
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
			t.para(fmt.Sprintf("%d. ", i+1), f.title()+t.also(f))
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

// title names a finding in a line.
func (f *Finding) title() string {
	kind := string(f.Kind)
	if f.Kind == witness.Other {
		kind = "anomaly"
	}
	if f.Status == Suspected {
		kind = "suspected " + kind
	}
	return kind + ": " + strings.Join(f.Cycle, " -> ") + " [" + f.Code + "]"
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

// cause is a reason why transactions are undecided.
type cause struct {
	text string
	who  []string
}

// undecided lists what keeps transactions undecided, what concerns most of them first.
func (t *text) undecided(r *Report) {
	var causes []cause
	add := func(text, who string) {
		i := slices.IndexFunc(causes, func(c cause) bool { return c.text == text })
		if i < 0 {
			i = len(causes)
			causes = append(causes, cause{text: text})
		}
		causes[i].who = append(causes[i].who, who)
	}
	for _, x := range r.Transactions {
		if x.Standing != codes.Undecided {
			continue
		}
		for _, n := range x.Because {
			add(ir.Pos{File: n.File, Line: n.Line, Col: n.Col}.String()+": "+n.Text, x.Name)
		}
		if len(x.Because) == 0 {
			add(x.Why, x.Name)
		}
	}
	if causes == nil {
		return
	}
	slices.SortStableFunc(causes, func(a, b cause) int { return cmp.Compare(len(b.who), len(a.who)) })
	t.line("")
	t.line("Undecided:")
	t.some(len(causes), "reason", func(i int) { t.para("- ", someOf(causes[i].who)+": "+causes[i].text) })
}
