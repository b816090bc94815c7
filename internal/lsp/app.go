package lsp

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// App finds, checks and repairs applications. Paths are full ones.
type App interface {
	// Of gives the application that a file belongs to: a folder, or "" if the file is
	// not of one.
	Of(file string) string
	// Check checks an application, and says what it does. An *ir.Error is a fault of a
	// file.
	Check(ctx context.Context, app string, say func(what string)) (*Result, error)
	// Repairs gives proved repairs of an application, the cheapest first.
	Repairs(ctx context.Context, app string) ([]Repair, error)
}

// Result is what is known of an application. The places in reports are relative to Dir.
type Result struct {
	Dir     string
	Reports []*report.Report
	// Text gives the text of a file, by its name in reports, as it was checked.
	Text func(file string) (string, bool)
}

// Repair is a proved change of files.
type Repair struct {
	Title string
	Files []Change
}

// Change is a file before and after a repair.
type Change struct{ Path, Before, After string }

// path gives the full path of a file of reports.
func (r *Result) path(file string) string {
	if filepath.IsAbs(file) {
		return filepath.Clean(file)
	}
	return filepath.Join(r.Dir, file)
}

// location is a place in a file.
func (r *Result) location(file string, line, col int) location {
	text, _ := r.Text(file)
	return location{uriOf(r.path(file)), rest(file, text, line, col)}
}

// diagnostics gives what reports say, by the URIs of files.
func (r *Result) diagnostics() map[string][]diagnostic {
	out := map[string][]diagnostic{}
	add := func(at location, d diagnostic) {
		d.Range, d.Source = at.Range, "robust"
		out[at.URI] = append(out[at.URI], d)
	}
	for _, rep := range r.Reports {
		for i := range rep.Findings {
			f := &rep.Findings[i]
			p, ok := f.Pivot()
			if !ok {
				continue
			}
			add(r.location(p.File, p.Line, p.Col), r.finding(f))
		}
		for i := range rep.Apart {
			if a := &rep.Apart[i]; a.Accepted == nil {
				read := related{r.location(a.Read.File, a.Read.Line, a.Read.Col), a.Read.Function + " reads " + a.Table}
				add(r.location(a.Write.File, a.Write.Line, a.Write.Col), diagnostic{Severity: severityInformation, Code: a.Code, Message: a.Text + ". " + a.Repair, Related: []related{read}})
			}
		}
		for _, h := range rep.Havocs {
			add(r.location(h.File, h.Line, h.Col), diagnostic{Severity: severityHint, Code: codes.Havoc, Message: "Not modelled exactly: " + h.Reason + "."})
		}
		for _, n := range rep.Notes {
			if n.File != "" {
				add(r.location(n.File, n.Line, n.Col), diagnostic{Severity: severityInformation, Message: n.Text + "."})
			}
		}
		for _, x := range rep.Transactions {
			if x.Standing == codes.Undecided {
				add(r.location(x.File, x.Line, 1), diagnostic{Severity: severityInformation, Code: codes.Unknown, Message: x.Name + " is neither proved nor refuted: " + undecided(rep, x) + "."})
			}
		}
	}
	return out
}

// undecided says why a transaction is undecided.
func undecided(r *report.Report, x report.Transaction) string {
	switch {
	case x.Why != "":
		return x.Why
	case r.Open != nil:
		return r.Open.Reason
	}
	return "what was found stands in the way"
}

// finding is the diagnostic of a finding, but for its place.
func (r *Result) finding(f *report.Finding) diagnostic {
	d := diagnostic{Severity: severityError, Code: f.Code, Message: f.Title()}
	if f.Status == report.Suspected {
		d.Severity = severityInformation
	}
	if c, ok := codes.ByID(f.Code); ok {
		d.Message += "\n" + c.Summary + "\nRepair: " + c.Repair
	}
	for _, e := range f.Edges {
		for _, p := range []report.Position{e.FromPosition, e.ToPosition} {
			at := related{r.location(p.File, p.Line, p.Col), e.Text}
			if p.Line > 0 && !slices.Contains(d.Related, at) {
				d.Related = append(d.Related, at)
			}
		}
	}
	return d
}

// hover says what is known of the transaction that a line is in: the last one that is
// declared before it.
func (r *Result) hover(path string, line int) string {
	var at *report.Transaction
	var of *report.Report
	for _, rep := range r.Reports {
		for i := range rep.Transactions {
			if x := &rep.Transactions[i]; r.path(x.File) == path && x.Line <= line && (at == nil || x.Line > at.Line) {
				at, of = x, rep
			}
		}
	}
	if at == nil {
		return ""
	}
	var b strings.Builder
	words := map[string]string{codes.Undecided: "undecided", codes.Safe: "safe", codes.InFindings: "in findings"}
	fmt.Fprintf(&b, "**%s**: %s\n", quote.Markdown(at.Name), cmp.Or(words[at.Standing], at.Standing))
	for i := range of.Levels {
		if l := &of.Levels[i]; l.Transaction == at.Name {
			fmt.Fprintf(&b, "\nLevel: %s\n", quote.Markdown(l.Level))
		}
	}
	for i := range of.Findings {
		if f := &of.Findings[i]; slices.Contains(at.InFindings, f.Fingerprint) {
			fmt.Fprintf(&b, "\n- %s", quote.Markdown(f.Title()))
		}
	}
	if at.Standing == codes.Undecided {
		fmt.Fprintf(&b, "\n%s\n", quote.Markdown(undecided(of, *at)))
	}
	for _, l := range []struct {
		what string
		list []string
	}{{"reads", at.Reads}, {"writes", at.Writes}} {
		if len(l.list) > 0 {
			fmt.Fprintf(&b, "\n%s: %s\n", l.what, quote.Markdown(strings.Join(l.list, ", ")))
		}
	}
	return b.String()
}

// fault is the diagnostic of an error in a file, by the file's URI.
func fault(e *ir.Error, text string) map[string][]diagnostic {
	at := rest(e.Pos.File, text, max(e.Pos.Line, 1), e.Pos.Col)
	return map[string][]diagnostic{uriOf(e.Pos.File): {{Range: at, Severity: severityError, Source: "robust", Message: e.Msg}}}
}
