package allocate

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/levels"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/report"
)

// Options direct how a Result is written.
type Options struct {
	// Golang says that the program is in Go, so that its levels of today are known.
	Golang bool
	// Alone are transactions of Go programs that are single statements, which no BeginTx begins.
	Alone []string
	// Verbose writes all of what is shortened otherwise.
	Verbose bool
	// Version is that of the program, for SARIF.
	Version string
}

const (
	width = 80
	// maxListed bounds the lists of a text that is not verbose.
	maxListed = 12
)

type text struct {
	b   strings.Builder
	opt Options
}

// Text writes a result for people, in lines of at most 80 columns.
func Text(w io.Writer, r *Result, opt Options) error {
	t := &text{opt: opt}
	t.para("", r.Program+": "+r.Headline()+".")
	if s := r.minimal(); s != "" {
		t.para("", s)
	}
	t.para("", fmt.Sprintf("(%s; %s)", r.Report.EngineTitle, quote.Count(len(r.Rows), "transaction")))
	t.table(r)
	t.list(opt.Golang, "Other levels than those of today:", opt.texts(r.changes()))
	if list := howTo(r.changes()); opt.Golang && list != nil {
		t.list(true, "How a transaction asks for its level:", list)
	}
	t.obstacles(r)
	t.foundation(r)
	_, err := io.WriteString(w, t.b.String())
	return err
}

// texts writes changes.
func (o *Options) texts(list []change) []string {
	var out []string
	for _, c := range list {
		s := c.String()
		if slices.Contains(o.Alone, c.row.Transaction) {
			s += "; it is a single statement, which needs a transaction around it, or another default of its session"
		}
		out = append(out, s)
	}
	return out
}

func (t *text) line(s string) { t.b.WriteString(strings.TrimRight(quote.Line(s), " ") + "\n") }

// para writes a paragraph, whose first line begins with first.
func (t *text) para(first, s string) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(first))
	for _, l := range quote.Wrap(quote.Line(strings.Join(strings.Fields(s), " ")), width-len(indent)) {
		t.line(first + l)
		first = indent
	}
}

// list writes a list with a title, of a long one the first items.
func (t *text) list(wanted bool, title string, items []string) {
	if !wanted || len(items) == 0 {
		return
	}
	t.line("")
	t.line(title)
	for i, s := range items {
		if i == maxListed && len(items) > maxListed+1 && !t.opt.Verbose {
			t.line(fmt.Sprintf("… and %d others (-v lists them)", len(items)-i))
			return
		}
		t.para("- ", s)
	}
}

// table writes the transactions and what is known of them at each level.
func (t *text) table(r *Result) {
	if len(r.Rows) == 0 {
		return
	}
	const cells = 8 + 9 + 14 + 15 + 4
	name := len("transaction")
	for i := range r.Rows {
		name = max(name, utf8.RuneCountInString(r.Rows[i].Transaction))
	}
	name = min(name, width-cells)
	t.line("")
	t.line(fmt.Sprintf("%-*s  %-8s  %-8s  %-12s  %s", name, "transaction", "RC", "RR", "SERIALIZABLE", "recommended"))
	for i := range r.Rows {
		row := &r.Rows[i]
		first := row.Transaction
		if utf8.RuneCountInString(first) > name {
			t.line(first)
			first = ""
		}
		var at []any
		for _, l := range levels.All() {
			at = append(at, row.Cells[l].Answer)
		}
		level := string(row.Level)
		if r.Verdict != report.Robust {
			level = "undecided"
		}
		t.line(fmt.Sprintf("%-*s  %-8s  %-8s  %-12s  %s", append(append([]any{name, first}, at...), level)...))
	}
}

// obstacles says what a lower level of each transaction would need.
func (t *text) obstacles(r *Result) {
	var items []string
	for _, o := range r.obstacles() {
		s := o.String() + "."
		if len(o.cell.Repairs) > 0 {
			s += " Repair: " + o.cell.Repairs[0]
		}
		items = append(items, s)
	}
	t.list(true, "What stands in the way of lower levels:", items)
}

// foundation says what the recommendation rests on.
func (t *text) foundation(r *Result) {
	if r.Verdict != report.Robust {
		if o := r.Report.Open; o != nil {
			t.line("")
			t.para("", "With all at SERIALIZABLE: "+o.Reason+".")
		}
		return
	}
	t.line("")
	t.para("Proof: ", r.Report.Proof.Method+".")
	t.list(true, "Assumptions:", r.Report.Assumptions)
}
