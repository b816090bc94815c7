// Package summary writes what checks found as a summary for a pull request, in Markdown.
package summary

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// Write writes reports: a table of the programs, then the
// findings, each with its schedule and repairs folded away.
func Write(w io.Writer, reports []*report.Report) error {
	m := &markdown{}
	m.line("### Robustness of transactions")
	m.line("")
	m.summary(reports)
	for _, r := range reports {
		m.program(r, len(reports) > 1)
	}
	_, err := io.WriteString(w, m.b.String())
	return err
}

type markdown struct{ b strings.Builder }

// line writes one line of Markdown.
func (m *markdown) line(format string, args ...any) { fmt.Fprintf(&m.b, format+"\n", args...) }

// summary is a table with a row for each program.
func (m *markdown) summary(reports []*report.Report) {
	m.line("| program | verdict | transactions | findings | accepted |")
	m.line("|---|---|---|---|---|")
	for _, r := range reports {
		found := fmt.Sprint(len(r.Confirmed()))
		if n := len(r.Findings) - len(r.Confirmed()); n > 0 {
			found += fmt.Sprintf(" and %d suspected", n)
		}
		verdict := map[report.Verdict]string{report.Robust: "robust", report.NotRobust: "**not robust**", report.Unknown: "unknown"}[r.Verdict]
		m.line("| %s | %s | %d | %s | %d |", quote.Markdown(r.Program), verdict, len(r.Transactions), found, len(r.Suppressed))
	}
}

// program writes what is said of one program.
func (m *markdown) program(r *report.Report, several bool) {
	if several {
		m.line("")
		m.line("#### %s", quote.Markdown(r.Program))
	}
	m.line("")
	said := r.Program + " is " + r.Answer() + "."
	if r.Headline != "" {
		said += " " + strings.ToUpper(r.Headline[:1]) + r.Headline[1:] + "."
	}
	m.line("%s", quote.Markdown(said))
	m.findings(r.Findings)
	if r.Open != nil {
		items := []string{"Why: " + r.Open.Reason + "."}
		for _, c := range r.Open.Cycles {
			items = append(items, "open: "+strings.Join(c, " -> "))
		}
		for _, s := range r.Open.Settle {
			items = append(items, "may settle it (not tried): "+s)
		}
		m.list("What is undecided", items)
	}
	if r.Explanation != nil {
		m.explanation(r.Explanation, r.Verdict == report.Robust)
	}
	var apart []string
	for i := range r.Apart {
		if a := &r.Apart[i]; a.Accepted == nil {
			apart = append(apart, fmt.Sprintf("%s: %s. %s [%s]", a.Write.Short(), a.Text, a.Repair, a.Code))
		}
	}
	m.list("Not in one transaction", apart)
	var left []string
	for _, h := range r.Havocs {
		left = append(left, fmt.Sprintf("%s:%d: in %s: %s", h.File, h.Line, h.Transaction, h.Reason))
	}
	m.list("Not modelled exactly", slices.Compact(left))
	var notes []string
	for _, n := range r.Notes {
		at := ""
		if n.File != "" {
			at = ir.Pos{File: n.File, Line: n.Line, Col: n.Col}.String() + ": "
		}
		notes = append(notes, at+n.Text)
	}
	m.list("Notes on the input", notes)
	var accepted []string
	for i := range r.Suppressed {
		accepted = append(accepted, r.Suppressed[i].Describe())
	}
	for _, e := range r.Stale {
		accepted = append(accepted, "found no more: "+e.Describe())
	}
	m.list("Accepted", accepted)
	if r.Verdict == report.Robust {
		m.list("Assumptions", r.Assumptions)
	}
}

// findings writes findings, each folded to its title.
func (m *markdown) findings(list []report.Finding) {
	for i := range list {
		f := &list[i]
		at := ""
		if p, ok := f.Pivot(); ok {
			at = ", " + p.Short()
		}
		m.line("")
		m.line("<details><summary><b>%s</b>%s</summary>", quote.HTML(f.Title()), quote.HTML(at))
		m.line("")
		if c, ok := codes.ByID(f.Code); ok {
			m.line("%s", quote.Markdown(c.Summary))
			m.line("")
		}
		m.b.WriteString(quote.Fence("text", f.Execution()))
		repairs := f.InWords()
		if c, ok := codes.ByID(f.Code); ok && len(repairs) == 0 {
			repairs = []string{c.Repair}
		}
		if len(repairs) > 0 {
			m.line("")
			m.line("Repair:")
			m.line("")
		}
		for _, s := range repairs {
			m.line("- %s", quote.Markdown(s))
		}
		for _, r := range f.Proved {
			if r.Diff != "" {
				m.line("")
				m.b.WriteString(quote.Fence("diff", r.Diff))
			}
		}
		for _, s := range append(f.Uncertain(), f.ConfirmedBy(), f.Replayed()) {
			if s != "" {
				m.line("")
				m.line("%s", quote.Markdown(s))
			}
		}
		m.line("")
		m.line("</details>")
	}
}

// list writes plain items folded to a title.
func (m *markdown) list(title string, items []string) {
	marked := make([]string, len(items))
	for i, s := range items {
		marked[i] = quote.Markdown(s)
	}
	m.items(title, marked)
}

// items writes items, which are Markdown, folded to a title.
func (m *markdown) items(title string, items []string) {
	if len(items) == 0 {
		return
	}
	m.line("")
	m.line("<details><summary>%s (%d)</summary>", quote.HTML(title), len(items))
	m.line("")
	for _, s := range items {
		m.line("- %s", s)
	}
	m.line("")
	m.line("</details>")
}
