package reportpage

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/proof"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/report"
)

// text is what the page says of one report (body). Lines are escaped as far as they cannot be printed.
type text struct {
	Number   int
	Program  string
	Verdict  string // accept, reject or unknown, as the style has it
	Word     string
	Answer   string
	Headline string
	Database string
	Findings int
	Mapped   bool

	Transactions []row
	Levels       bool
	Proof        *obligations
	Open         *open
	// Rest is what the verdict rests on, and what was noted.
	Rest []section
}

// row is a transaction in the table.
type row struct {
	Name, Place, Level, Standing, Why string
	Findings                          []int
	Reads, Writes                     string
}

// obligations are the parts of a proof.
type obligations struct {
	Method  string
	Summary string
	Never   []string
	Pieces  []piece
	Facts   []fact
}

type piece struct {
	Text, Question, By string
	Needs              []string
}

type fact struct {
	Text   string
	Source string
	For    []string
	Keeps  string
}

type open struct {
	Reason         string
	Cycles, Settle []string
	Walks          []walk
}

type walk struct{ Text, Example string }

// section is a list with a title.
type section struct {
	Title string
	Lines []string
}

func newText(n int, r *report.Report) *text {
	t := &text{Number: n, Program: quote.Line(r.Program), Answer: quote.Line(r.Answer()), Database: quote.Line(r.EngineTitle), Mapped: r.Graph != nil}
	switch r.Verdict {
	case report.Robust:
		t.Verdict, t.Word = "accept", "robust"
	case report.NotRobust:
		t.Verdict, t.Word = "reject", "not robust"
	case report.Unknown:
		t.Verdict, t.Word = "unknown", "unknown"
	}
	// The verdict itself stands before it. What is assumed of the rows is a part of it.
	given := quote.Line(r.Assuming())
	if rest, ok := strings.CutPrefix(t.Answer, "robust, "+given+": "); ok && given != "" {
		t.Answer = given + ": " + rest
	} else if _, rest, ok := strings.Cut(t.Answer, ": "); ok {
		t.Answer = rest
	}
	t.Answer = sentence(t.Answer)
	if r.Headline != "" && r.Verdict != report.Robust {
		t.Headline = sentence(quote.Line(r.Headline))
	}
	t.Findings = len(r.Findings)
	t.transactions(r)
	t.proved(r)
	t.undecided(r)
	t.rest(r)
	return t
}

// sentence begins with a capital and ends with a full stop.
func sentence(s string) string {
	if s == "" {
		return ""
	}
	_, n := utf8.DecodeRuneInString(s)
	return strings.ToUpper(s[:n]) + s[n:] + "."
}

func (t *text) transactions(r *report.Report) {
	t.Levels = len(r.Levels) > 0
	for _, x := range r.Transactions {
		y := row{Name: quote.Line(x.Name), Standing: strings.ReplaceAll(x.Standing, "-", " "), Why: quote.Line(x.Why), Reads: listed(x.Reads), Writes: listed(x.Writes)}
		if x.Line > 0 {
			y.Place = quote.Line(report.Position{File: x.File, Line: x.Line}.Short())
		}
		if y.Standing == "" && r.Verdict == report.Robust {
			y.Standing = codes.Safe
		}
		for i := range r.Findings {
			if slices.Contains(r.Findings[i].Cycle, x.Name) {
				y.Findings = append(y.Findings, i+1)
			}
		}
		for _, l := range r.Levels {
			if l.Transaction == x.Name {
				y.Level = strings.Join(append([]string{l.Level}, l.Above...), " or ") + map[string]string{"code": " (the source)", "default": " (the default)"}[l.Source]
				if !l.Proved && l.Reason != "" && r.Verdict != report.Robust {
					y.Why = strings.TrimPrefix(y.Why+"; "+quote.Line(l.Reason), "; ")
				}
			}
		}
		t.Transactions = append(t.Transactions, y)
	}
}

func listed(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return quote.Line(strings.Join(names, ", "))
}

func (t *text) proved(r *report.Report) {
	e := r.Explanation
	if r.Proof == nil {
		return
	}
	t.Proof = &obligations{Method: sentence(quote.Line(r.Proof.Method))}
	if e == nil {
		return
	}
	if method := strings.TrimPrefix(r.Proof.Method, "certificate: "); !strings.HasSuffix(e.Summary, method) { // it says no more
		t.Proof.Summary = sentence(quote.Line(e.Summary))
	}
	for _, b := range e.NeverDelayed {
		t.Proof.Never = append(t.Proof.Never, quote.Line(b.Transaction+" "+b.Text))
	}
	for _, p := range e.Refuted {
		by := "the solver"
		if p.By == proof.BySyntax {
			by = "what they touch"
		}
		t.Proof.Pieces = append(t.Proof.Pieces, piece{quote.Line(p.Text), quote.Line(p.Question), by, clean(p.Needs)})
	}
	for _, f := range e.Facts {
		source := "found, and assumed of the initial rows"
		if f.Stated {
			source = "stated in the input"
		}
		t.Proof.Facts = append(t.Proof.Facts, fact{quote.Line(f.Text), source, clean(f.For), listed(f.Keeps)})
	}
}

func (t *text) undecided(r *report.Report) {
	if r.Open == nil {
		return
	}
	t.Open = &open{Reason: sentence(quote.Line(r.Open.Reason)), Settle: clean(r.Open.Settle)}
	for _, c := range r.Open.Cycles {
		t.Open.Cycles = append(t.Open.Cycles, quote.Line(strings.Join(c, " → ")))
	}
	if r.Explanation == nil {
		return
	}
	for _, w := range r.Explanation.Walks {
		t.Open.Walks = append(t.Open.Walks, walk{quote.Line(w.Text), quote.Line(strings.Join(w.Example, "; "))})
	}
}

// rest collects what the verdict rests on, and the notes.
func (t *text) rest(r *report.Report) {
	add := func(title string, lines []string) {
		if len(lines) > 0 {
			t.Rest = append(t.Rest, section{title, lines})
		}
	}
	notes := func(list []report.Note) (out []string) {
		for _, n := range list {
			out = append(out, at(n.File, n.Line, n.Col)+quote.Line(n.Text))
		}
		return out
	}
	var havocs, dropped, apart []string
	for _, h := range r.Havocs {
		verb := "reads and writes "
		if h.ReadOnly {
			verb = "reads "
		}
		havocs = append(havocs, at(h.File, h.Line, h.Col)+quote.Line(fmt.Sprintf("in %s: %s (%s%s)", h.Transaction, h.Reason, verb, tablesOf(h.Tables))))
	}
	for _, d := range r.Dropped {
		dropped = append(dropped, at(d.File, d.Line, d.Col)+quote.Line(fmt.Sprintf("in %s: %s (%s)", d.Transaction, d.Text, tablesOf(d.Tables))))
	}
	for _, a := range r.Apart {
		if a.Accepted == nil {
			apart = append(apart, quote.Line(fmt.Sprintf("%s (%s). %s", a.Text, a.Code, a.Repair)))
		}
	}
	add("Not in one transaction (no part of the verdict)", apart)
	add("Not modelled exactly; these statements may do anything to their tables", havocs)
	add("Left out, so that an execution that the database may refuse for it is suspected only", dropped)
	add("Taken for granted", notes(r.Premises))
	add("Notes on the input", notes(r.Notes))
	add("Assumptions", clean(r.Assumptions))
}

// at is how a place begins a line, or "".
func at(file string, line, col int) string {
	if file == "" {
		return ""
	}
	return quote.Line(ir.Pos{File: file, Line: line, Col: col}.String()) + ": "
}

func tablesOf(names []string) string {
	if len(names) == 0 {
		return "all tables"
	}
	return strings.Join(names, ", ")
}
