package report

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ansi"
	"github.com/txrobust/robust/internal/codes"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/ir"
)

// TextOptions direct Text.
type TextOptions struct {
	// Verbose adds what each transaction touches, the facts and the counts, and the
	// assumptions of verdicts other than robust, too.
	Verbose bool
	// Colors are for a terminal that shows them.
	Colors bool
	// Excerpt, if not nil, gives the line of the source at a place, with a caret below it.
	Excerpt func(Position) string
}

// Text writes a report for people.
func Text(w io.Writer, r *Report, opt TextOptions) error {
	t := &text{opt: opt, txns: r.Transactions, repaired: map[string]int{}}
	t.head(r)
	for i := range r.Findings {
		t.finding(i+1, &r.Findings[i])
	}
	t.refused(r)
	t.readCommitted(r)
	t.suppressed(r)
	if r.Proof != nil {
		t.proof(r.Proof)
	}
	if r.Open != nil {
		t.open(r.Open)
	}
	if r.Explanation != nil {
		t.explain(r.Explanation)
	}
	t.apart(r)
	t.left(r)
	t.dropped(r)
	if r.Verdict == Robust || opt.Verbose { // a proof holds under them only
		t.assumptions(r)
	}
	if opt.Verbose {
		t.more(r)
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

type text struct {
	b   strings.Builder
	opt TextOptions
	// quoted is for readers who do not run the command: they are told of no flags.
	quoted bool
	// color is that of the lines that are written.
	color    ansi.Color
	txns     []Transaction
	repaired map[string]int // the numbers of findings, by their proved repairs
}

// line writes one line, whatever is in the arguments.
func (t *text) line(format string, args ...any) {
	text := quote.Line(fmt.Sprintf(format, args...))
	if t.opt.Colors {
		text = t.color.Paint(text)
	}
	t.b.WriteString(text + "\n")
}

// in writes in a color.
func (t *text) in(c ansi.Color, write func()) {
	t.color = c
	write()
	t.color = ""
}

// heading writes a line that says what follows.
func (t *text) heading(format string, args ...any) {
	t.in(ansi.Bold, func() { t.line(format, args...) })
}

// para writes a paragraph: first starts its first line, and as many spaces the
// others.
func (t *text) para(first, s string) {
	indent := strings.Repeat(" ", quote.Columns(first))
	for _, l := range quote.Wrap(quote.Line(strings.Join(strings.Fields(s), " ")), width-len(indent)) {
		t.line("%s%s", first, l)
		first = indent
	}
}

func (t *text) head(r *Report) {
	of := map[Verdict]ansi.Color{Robust: ansi.Green, NotRobust: ansi.Red, Unknown: ansi.Yellow}
	t.in(of[r.Verdict], func() { t.para("", r.Program+" is "+r.Answer()+".") })
	t.para("", fmt.Sprintf("(%s; %s)", r.EngineTitle, quote.Count(len(r.Transactions), "transaction")))
	t.standings(r)
	t.levels(r)
}

func (t *text) finding(n int, f *Finding) {
	t.line("")
	t.in(ansi.Bold, func() { t.para(fmt.Sprintf("%d. ", n), f.Title()) })
	t.helpers(f)
	t.execution(f)
	if f.Witness == nil {
		return
	}
	if len(f.Repairs) > 0 && len(f.Proved) == 0 {
		t.line("")
		t.line("   Any of these removes it:")
		for _, s := range f.Repairs {
			t.para("   - ", s)
		}
	}
	t.proved(n, f)
	t.decided(f)
	if c, ok := codes.ByID(f.Code); ok && len(f.Repairs)+len(f.Proved) == 0 {
		t.line("")
		t.para("   Repair: ", c.Repair)
	}
	t.validation(f)
	t.replayed(f)
}

// Execution tells the witness of a finding, and why no serial order explains it, in lines of 80
// columns.
func (f *Finding) Execution() string {
	t := &text{quoted: true}
	t.execution(f)
	return strings.Trim(t.b.String(), "\n")
}

// execution writes the witness of a finding, and why no serial order explains it.
func (t *text) execution(f *Finding) {
	w := f.Witness
	if w == nil {
		return
	}
	t.rows(w)
	t.schedule(w)
	t.why(w)
	t.reasons(f)
	t.others(f)
	t.suspected(f)
}

// helpers says which transactions of a finding are functions that others call.
func (t *text) helpers(f *Finding) {
	t.atLevels(f)
	for _, name := range distinct(f.Cycle) {
		i := slices.IndexFunc(t.txns, func(x Transaction) bool { return x.Name == name })
		if i < 0 || len(t.txns[i].CalledBy) == 0 {
			continue
		}
		x := t.txns[i]
		t.para("   ", fmt.Sprintf("%s is called by %s, and here by a client itself. If no client does that, write -- robust: helper before it (%s:%d).",
			name, listed(x.CalledBy), filepath.Base(x.File), x.Line))
	}
}

// listed joins names, of which there may be many.
func listed(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// distinct gives each name once.
func distinct(names []string) []string {
	var out []string
	for _, n := range names {
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// validation says which checkers of histories confirm a finding, or all that they
// say.
func (t *text) validation(f *Finding) {
	if len(f.Validation) == 0 {
		return
	}
	if t.opt.Verbose {
		t.line("")
		t.line("   What checkers of histories say of it:")
		for i := range f.Validation {
			t.para("   - ", fmt.Sprintf("%s; %.2f ms", &f.Validation[i], f.Validation[i].MS))
		}
		return
	}
	t.para("   ", f.ConfirmedBy())
}

// ExplainCode says what a code means; an id that is none is an error.
func ExplainCode(w io.Writer, id string) error {
	c, ok := codes.ByID(id)
	if !ok {
		return fmt.Errorf("%q is no code; robust help codes lists them", id)
	}
	t := &text{}
	t.para("", c.ID+" "+c.Name+": "+c.Summary)
	t.line("")
	t.para("", c.Text)
	t.line("")
	t.para("", c.Repair)
	_, err := io.WriteString(w, t.b.String())
	return err
}

// suppressed lists what is accepted, and what came of the rest.
func (t *text) suppressed(r *Report) {
	if len(r.Suppressed) > 0 {
		t.line("")
		t.heading("Suppressed:")
		for i := range r.Suppressed {
			t.para("- ", r.Suppressed[i].Describe())
		}
	}
	switch {
	case r.Rest == Robust:
		t.para("", "Without the transactions of these findings, the program is robust.")
	case r.Rest == Unknown && r.Open != nil:
		t.para("", "Without the transactions of these findings, the verdict is unknown.")
	}
	if len(r.Stale) > 0 {
		t.line("")
		t.heading("In the baseline, but found no more:")
		for _, e := range r.Stale {
			t.para("- ", e.Describe())
		}
	}
}

// Describe says what is suppressed, and why.
func (s *Suppressed) Describe() string {
	by := "baseline " + s.Position.File
	if s.By == codes.ByComment {
		by = fmt.Sprintf("%s: %s", s.Position, s.Reason)
	}
	return fmt.Sprintf("%s: %s [%s] (%s)", s.Finding.Kind, strings.Join(s.Finding.Cycle, " -> "), s.Finding.Code, by)
}

// Describe says what is to be done about a finding that is found no more.
func (e BaselineEntry) Describe() string {
	out := "[" + e.Code + "] "
	if c, ok := codes.ByID(e.Code); ok {
		out = c.Name + ": " + strings.Join(e.Cycle, " -> ") + " [" + e.Code + "] "
	}
	return out + "(" + e.Fingerprint + "): remove it from the baseline"
}

func (t *text) proof(p *Proof) {
	t.line("")
	t.para("Proof: ", p.Method+".")
	for _, f := range p.Facts {
		t.para("  uses: ", f)
	}
}

func (t *text) open(o *Open) {
	t.line("")
	t.para("Why: ", o.Reason+".")
	if len(o.Cycles) > 0 {
		t.heading("Suspicious cycles that no execution was found for:")
		for _, c := range o.Cycles {
			t.para("- ", strings.Join(c, " -> "))
		}
	}
	if len(o.Settle) > 0 {
		t.heading("What may settle it (not tried):")
		for _, s := range o.Settle {
			t.para("- ", s)
		}
	}
}

// left lists what was not modelled, or read in a way that a reader should know.
func (t *text) left(r *Report) {
	if len(r.Havocs) > 0 {
		t.line("")
		t.heading("Not modelled exactly; these statements may do anything to their tables:")
		t.havocs("- ", r.Havocs)
	}
	t.notes("Taken for granted:", r.Premises)
	t.notes("Notes on the input:", r.Notes)
}

// notes lists remarks on places.
func (t *text) notes(title string, list []Note) {
	if len(list) == 0 {
		return
	}
	t.line("")
	t.heading("%s", title)
	for _, n := range list {
		at := ""
		if n.File != "" {
			at = ir.Pos{File: n.File, Line: n.Line, Col: n.Col}.String() + ": "
		}
		t.para("- ", at+n.Text)
	}
}

// maxNamed is how many transactions are named of those that send the same statement.
const maxNamed = 3

// havocs lists statements that are taken to do anything, each once with the
// transactions that it is in.
func (t *text) havocs(first string, list []Havoc) {
	var out []place
	for _, h := range list {
		verb := "reads and writes "
		if h.ReadOnly {
			verb = "reads "
		}
		out = append(out, place{h.File, h.Line, h.Col, h.Transaction, fmt.Sprintf("%s (%s%s)", h.Reason, verb, tableList(h.Tables))})
	}
	t.places(first, out)
}

// place is something that is said of a place in a transaction.
type place struct {
	file              string
	line, col         int
	transaction, what string
}

// places lists what is said of places, each once with the transactions that it is in.
func (t *text) places(first string, list []place) {
	in := map[place][]string{}
	var order []place
	for _, p := range list {
		who := p.transaction
		p.transaction = ""
		if in[p] == nil {
			order = append(order, p)
		}
		in[p] = append(in[p], who)
	}
	for _, p := range order {
		t.para(first, fmt.Sprintf("%s:%d:%d: in %s: %s", p.file, p.line, p.col, someOf(in[p]), p.what))
	}
}

// someOf lists names, of many the first ones.
func someOf(names []string) string {
	if n := len(names); n > maxNamed+1 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:maxNamed], ", "), n-maxNamed)
	}
	return strings.Join(names, ", ")
}

func tableList(tables []string) string {
	if len(tables) == 0 {
		return "all tables"
	}
	return strings.Join(tables, ", ")
}

// assumptions says what the verdict rests on.
func (t *text) assumptions(r *Report) {
	t.line("")
	t.heading("Assumptions:")
	for _, a := range r.Assumptions {
		t.para("- ", a)
	}
}

// more is what Verbose adds.
func (t *text) more(r *Report) {
	t.line("")
	t.heading("Transactions:")
	for _, x := range r.Transactions {
		t.line("- %s (%s:%d)%s", x.Name, x.File, x.Line, x.asks())
		t.para("  reads  ", none(x.Reads))
		t.para("  writes ", none(x.Writes))
	}
	t.coverage(r.Coverage)
	t.line("")
	t.line("%s to the solver in %d ms, %s interpreted, %d ms in all",
		quote.Count(r.Stats.Queries, "question"), r.Stats.SolverMS, quote.Count(r.Stats.States, "state"), r.Stats.TotalMS)
	for _, p := range r.Stats.Phases {
		t.line("- %s: %d ms, %d MB at most", p.Name, p.MS, p.PeakMB)
	}
}

// coverage says how much of a client program is modelled, and why the rest is not.
func (t *text) coverage(c *Coverage) {
	if c == nil {
		return
	}
	t.line("")
	t.line("Statements: %d of %s modelled exactly.", c.Modelled, quote.Count(c.Places, "place"))
	for _, r := range c.Reasons {
		t.para("- ", fmt.Sprintf("%d: %s (such as %s:%d)", r.Places, r.Text, r.File, r.Line))
	}
}

func none(list []string) string {
	if len(list) == 0 {
		return "nothing"
	}
	return strings.Join(list, ", ")
}
