package view

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/isolation"
)

// TextOptions direct Text.
type TextOptions struct {
	// Verbose adds times, what follows from what, and commit orders.
	Verbose bool
}

// maxOrder is how many transactions of a commit order are printed.
const maxOrder = 100

// Text writes a report for people.
func Text(w io.Writer, rep *Report, opt TextOptions) error {
	t := &text{rep: rep, opt: opt}
	t.head()
	t.levels()
	for i := range rep.Anomalies {
		t.anomaly(i)
	}
	t.uncounted()
	t.tail()
	_, err := io.WriteString(w, t.b.String())
	return err
}

// Findings writes the anomalies of a report alone, for people, numbered from a number on.
func Findings(w io.Writer, rep *Report, from int) error {
	t := &text{rep: rep, before: from - 1}
	for i := range rep.Anomalies {
		t.anomaly(i)
	}
	_, err := io.WriteString(w, t.b.String())
	return err
}

type text struct {
	b      strings.Builder
	rep    *Report
	opt    TextOptions
	before int // anomalies that others were told
}

// line writes one line, whatever is in the arguments.
func (t *text) line(format string, args ...any) {
	t.b.WriteString(quote.Line(fmt.Sprintf(format, args...)) + "\n")
}

// number prints a number of things: "1 key", "2 keys".
func number(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (t *text) head() {
	r := t.rep
	if r.h == nil {
		t.line("%s: not read", r.History)
		return
	}
	s := r.Stats
	var some []string
	if s.Aborted > 0 {
		some = append(some, fmt.Sprintf("%d aborted", s.Aborted))
	}
	if s.Unknown > 0 {
		some = append(some, fmt.Sprintf("%d of unknown outcome", s.Unknown))
	}
	of := ""
	if len(some) > 0 {
		of = " (" + strings.Join(some, ", ") + ")"
	}
	t.line("%s: %s%s in %s, %s on %s, read as %s", r.History, number(s.Transactions, "transaction"), of, number(s.Sessions, "session"),
		number(s.Operations, "operation"), number(s.Keys, "key"), r.Format)
}

// levels writes the table of verdicts, and why some are unknown.
func (t *text) levels() {
	t.line("")
	for _, j := range t.rep.r.Judgements {
		l := t.rep.Levels[j.Level.String()]
		row := fmt.Sprintf("  %-9s %-8s", j.Level, l.Verdict)
		if l.Checker != "" {
			row += " " + l.Checker
		}
		if t.opt.Verbose && l.Checker != "" {
			row += fmt.Sprintf(", %.1f ms", l.MS)
		}
		if l.Checker != "" && t.opt.Verbose {
			row += " " + l.Why
		}
		t.line("%s", strings.TrimRight(row, " "))
	}
	t.line("")
	strongest := "none of these"
	if len(t.rep.StrongestLevels) > 0 {
		strongest = strings.Join(t.rep.StrongestLevels, ", ")
	}
	t.line("strongest level that holds:  %s", strongest)
	if len(t.rep.WeakestViolated) > 0 {
		t.line("weakest level violated:      %s", strings.Join(t.rep.WeakestViolated, ", "))
	}
	t.open()
}

// open says why levels are unknown, those with the same reason together.
func (t *text) open() {
	var reasons []string
	of := map[string][]string{}
	for _, j := range t.rep.r.Judgements {
		if j.Verdict == isolation.Unknown {
			if of[j.Why] == nil {
				reasons = append(reasons, j.Why)
			}
			of[j.Why] = append(of[j.Why], j.Level.String())
		}
	}
	for _, why := range reasons {
		t.line("unknown:                     %s", strings.Join(of[why], ", "))
		t.line("  %s", why)
	}
}

func (t *text) anomaly(i int) {
	a := &t.rep.Anomalies[i]
	t.line("")
	t.line("%d. %s: %s", t.before+i+1, a.Name, a.What)
	if names := a.otherNames(); names != "" {
		t.line("   (%s)", names)
	}
	them := "it"
	if len(a.Violates) > 1 {
		them = "them"
	}
	t.line("   violates %s and all that imply %s", strings.Join(a.Violates, ", "), them)
	if len(a.Edges) > 0 {
		t.line("   %s", quote.Line(t.rep.r.Anomalies[i].Path(t.rep.h)))
	}
	for _, s := range strings.Split(a.Explanation, "\n") {
		t.line("   - %s", s)
	}
	for _, name := range a.Txns {
		at := slices.IndexFunc(t.rep.Transactions, func(x Txn) bool { return x.Name == name })
		t.transaction(&t.rep.Transactions[at])
	}
}

func (t *text) transaction(x *Txn) {
	ops := strings.Join(x.Operations, "; ")
	if x.Omitted > 0 {
		ops += fmt.Sprintf("; … (%d more)", x.Omitted)
	}
	place := ""
	if x.Place != "" {
		place = " (" + x.Place + ")"
	}
	for _, extra := range []string{x.Label, x.Status} {
		if extra != "" && extra != "committed" {
			place += ", " + extra
		}
	}
	if ops != "" {
		place += ": " + ops
	}
	t.line("     %s%s", x.Name, place)
}

// uncounted says how many anomalies are not shown.
func (t *text) uncounted() {
	shown := map[string]int{}
	for _, a := range t.rep.Anomalies {
		shown[a.Name]++
	}
	first := true
	for _, k := range isolation.Anomalies() {
		more := t.rep.Counts[k.String()] - shown[k.String()]
		if more <= 0 {
			continue
		}
		if first {
			t.line("")
			first = false
		}
		t.line("%d more of the kind %s", more, k)
	}
}

func (t *text) tail() {
	r := t.rep
	lines := []string{}
	for _, d := range r.Disagreements {
		lines = append(lines, "fault: "+d)
	}
	for _, n := range r.Notes {
		lines = append(lines, "note: "+n)
	}
	if t.opt.Verbose {
		lines = append(lines, t.order()...)
		for _, run := range r.Stats.Runs {
			lines = append(lines, fmt.Sprintf("%s: %.1f ms for %s", run.Checker, run.MS, strings.Join(run.Levels, ", ")))
		}
		lines = append(lines, fmt.Sprintf("reading: %.1f ms", r.Stats.ReadMS))
	}
	if len(lines) > 0 {
		t.line("")
		for _, l := range lines {
			t.line("%s", l)
		}
	}
}

// order gives the commit order of the strongest level that has one.
func (t *text) order() []string {
	for _, j := range slices.Backward(t.rep.r.Judgements) {
		if j.Verdict != isolation.Accept || len(j.Order) == 0 {
			continue
		}
		var names []string
		for i, x := range j.Order {
			if i == maxOrder {
				names = append(names, fmt.Sprintf("… (%d more)", len(j.Order)-i))
				break
			}
			names = append(names, txnName(t.rep.h, x))
		}
		return []string{fmt.Sprintf("commit order for %s: %s", j.From, strings.Join(names, " "))}
	}
	return nil
}
