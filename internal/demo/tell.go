package demo

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ansi"
	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/sql/input"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// Tell plays a scene in words: the story, the execution step by step, the serial orders,
// and what becomes of the changes.
func (p *Performance) Tell(ctx context.Context, stage Stage) error {
	t := &teller{Stage: stage, ctx: ctx}
	p.opening(t)
	t.pause()
	p.play(t)
	t.pause()
	p.orders(t)
	for i := range p.changes {
		t.pause()
		p.change(t, &p.changes[i])
	}
	for i := range p.stores {
		t.pause()
		p.stores[i].tell(t)
	}
	t.score()
	return t.err
}

// opening tells the story, and shows the files.
func (p *Performance) opening(t *teller) {
	t.print(ansi.Bold, "%s", clean(p.Scene.Title))
	t.print(ansi.Bold, "%s", strings.Repeat("=", quote.Columns(p.Scene.Title)))
	t.print("", "")
	t.prose(p.Scene.Story)
	for _, f := range p.Scene.Files {
		t.heading(filepath.Base(f.Name))
		t.listing(f.Text)
	}
}

// who are the transactions of the execution: A: deposit(owner 'Carol', amount 10).
func (p *Performance) who() []string {
	var out []string
	for i := range p.found.witness.Transactions {
		out = append(out, call(&p.found.witness.Transactions[i]))
	}
	return out
}

// call is a transaction with the names and values of its parameters.
func call(x *witness.Transaction) string {
	var args []string
	for _, a := range x.Params {
		args = append(args, paramName(a.Name)+" "+a.Shown())
	}
	return x.Label + ": " + x.Name + "(" + strings.Join(args, ", ") + ")"
}

// minLane is the least width of the lane of a session. With less, all sessions share one.
const minLane = 22

// lanes place the steps of sessions beside each other.
type lanes struct {
	labels []string
	width  int
	single bool
}

// gutter is for the numbers of steps.
const gutter = 4

func newLanes(labels []string, width int) lanes {
	l := lanes{labels: labels, width: (width-gutter)/len(labels) - 2}
	if l.width < minLane {
		l.single, l.width = true, width-gutter-4
	}
	return l
}

// indent is what stands before the text of a session.
func (l *lanes) indent(label string) string {
	if l.single {
		return ""
	}
	return strings.Repeat(" ", slices.Index(l.labels, label)*(l.width+2))
}

// heads writes the transactions above the lanes.
func (t *teller) heads(l *lanes, who []string) {
	if l.single {
		for i, w := range who {
			t.para(ansi.Sessions[i%len(ansi.Sessions)], strings.Repeat(" ", gutter), w)
		}
		t.print("", "")
		return
	}
	cells := make([][]string, len(who))
	n := 0
	for i, w := range who {
		cells[i] = quote.Wrap(clean(w), l.width)
		n = max(n, len(cells[i]))
	}
	for k := range n + 1 {
		row := strings.Repeat(" ", gutter)
		for _, c := range cells {
			switch {
			case k == n:
				row += strings.Repeat("-", l.width) + "  "
			case k < len(c):
				row += pad(c[k], l.width) + "  "
			default:
				row += pad("", l.width) + "  "
			}
		}
		t.print("", "%s", row)
	}
}

// said writes what a session sends or gets into its lane. number is 0 in further lines of
// a step.
func (t *teller) said(l *lanes, number int, label, text string) {
	c := ansi.Sessions[max(0, slices.Index(l.labels, label))%len(ansi.Sessions)]
	first := strings.Repeat(" ", gutter)
	if number > 0 {
		first = fmt.Sprintf("%2d  ", number)
	}
	if l.single {
		mark := label + "   "
		if number == 0 {
			mark = "    "
		}
		first += mark[:4]
	}
	rest := strings.Repeat(" ", quote.Columns(first))
	for _, line := range quote.Wrap(clean(strings.Join(strings.Fields(text), " ")), l.width) {
		t.print(c, "%s%s%s", first, l.indent(label), line)
		first = rest
	}
}

// play shows the execution step by step.
func (p *Performance) play(t *teller) {
	t.heading(fmt.Sprintf("What can happen at %s", p.Scene.Level))
	w := p.found.witness
	var labels []string
	for _, x := range w.Transactions {
		labels = append(labels, x.Label)
	}
	l := newLanes(labels, width)
	t.heads(&l, p.who())
	interesting := p.interesting()
	for i, s := range p.steps {
		if i > 0 {
			t.pause()
		}
		if i == interesting {
			t.ask(p.question(), true, "The database has no reason to refuse any of them at "+string(p.Scene.Level)+".")
		}
		t.said(&l, i+1, s.label, s.text)
		for _, a := range s.answers {
			t.said(&l, 0, s.label, "-> "+a)
		}
		for _, n := range s.notes {
			t.para(ansi.Yellow, "  ! ", n)
		}
	}
	t.heading("The rows in the end")
	t.tables(w.Final)
}

// question is asked before the interesting step.
func (p *Performance) question() string {
	if len(p.found.witness.Transactions) == 2 {
		return "Will both commit?"
	}
	return fmt.Sprintf("Will all %d commit?", len(p.found.witness.Transactions))
}

// interesting is the place of the step before which a quiz asks: what the last transaction
// to commit does after the commit before.
func (p *Performance) interesting() int {
	last, at := 0, len(p.steps)-1
	for i, s := range p.steps {
		if s.commit {
			last, at = at, i
		}
	}
	return min(last+1, at)
}

// tables writes rows as tables.
func (t *teller) tables(list []witness.TableRows) {
	if len(list) == 0 {
		t.print("", "    No table has a row.")
	}
	for i, table := range list {
		if i > 0 {
			t.print("", "")
		}
		rows := [][]string{}
		for _, r := range table.Rows {
			rows = append(rows, table.Shown(r))
		}
		t.table(table.Table, table.Columns, rows)
	}
}

// table writes one table.
func (t *teller) table(name string, columns []string, rows [][]string) {
	widths := make([]int, len(columns))
	all := append([][]string{columns}, rows...)
	for _, r := range all {
		for c := range r {
			r[c] = clean(r[c])
			widths[c] = max(widths[c], quote.Columns(r[c]))
		}
	}
	title := clean(name)
	for _, r := range all {
		line := pad(title, quote.Columns(clean(name)))
		for c := range r {
			line += "  " + pad(r[c], widths[c])
		}
		t.print("", "    %s", line)
		title = ""
	}
}

// orders shows all serial orders, and why none has the outcome.
func (p *Performance) orders(t *teller) {
	w := p.found.witness
	t.ask("Is there a serial order with the same results and rows?", false, "The transactions were run in every order.")
	t.heading(fmt.Sprintf("No serial order does that: %d were compared", w.Orders))
	for _, o := range w.Serial {
		t.para("", strings.Join(o.Order, ", ")+": ", strings.Join(o.Differs, "; "))
	}
	if len(w.Cycle) > 0 {
		t.heading("Why")
		t.para("", "", "Every transaction below has to come before the next one, and the last before the first:")
		for _, e := range w.Cycle {
			t.para("", "- ", e.Text)
		}
	}
	if p.Scene.Why != "" {
		t.print("", "")
		t.prose(p.Scene.Why)
	}
	t.print("", "")
	t.para("", "", "Confirmed by the checkers of histories "+strings.Join(p.found.confirmed, ", ")+".")
}

// change tells what becomes of a change. Its story comes after the question.
func (p *Performance) change(t *teller, j *judged) {
	t.heading("Does it help? " + j.Title)
	p.diff(t, j)
	robust := j.helps() == report.Robust
	t.print("", "")
	t.ask("Does it help?", robust, "")
	if j.Story != "" {
		t.prose(j.Story)
		t.print("", "")
	}
	for _, s := range p.outcome(j) {
		first := ""
		if item, ok := strings.CutPrefix(s, "- "); ok {
			first, s = "- ", item
		}
		t.para(map[bool]ansi.Color{true: ansi.Green, false: ansi.Yellow}[robust], first, s)
	}
}

// diff shows what a change changes.
func (p *Performance) diff(t *teller, j *judged) {
	if j.Level != p.Scene.Level {
		t.print(ansi.Red, "    -BEGIN ISOLATION LEVEL %s", p.Scene.Level)
		t.print(ansi.Green, "    +BEGIN ISOLATION LEVEL %s", j.Level)
	}
	for i, d := range p.diffs(j) {
		if i > 0 || j.Level != p.Scene.Level {
			t.print("", "")
		}
		for _, l := range strings.Split(strings.TrimRight(d, "\n"), "\n") {
			c := map[byte]ansi.Color{'-': ansi.Red, '+': ansi.Green}[(l + " ")[0]]
			t.print(c, "    %s", clean(l))
		}
	}
}

// diffs are those of the files that a change changes.
func (p *Performance) diffs(j *judged) []string {
	var out []string
	for _, f := range j.Files {
		i := slices.IndexFunc(p.Scene.Files, func(o input.File) bool { return filepath.Base(o.Name) == filepath.Base(f.Name) })
		old := ""
		if i >= 0 {
			old = p.Scene.Files[i].Text
		}
		if d := lineDiff(old, f.Text); d != "" {
			out = append(out, d)
		}
	}
	return out
}

// outcome says in sentences what becomes of a change.
func (p *Performance) outcome(j *judged) []string {
	var out []string
	switch j.helps() {
	case report.Robust:
		s := fmt.Sprintf("It helps. Proved: every execution at %s has the outcome of a serial one, for any rows, values and number of sessions", j.Level)
		if a := j.report.Assuming(); a != "" {
			s += ", " + a
		}
		out = append(out, s+".", "Proof: "+j.report.Proof.Method+".")
	case report.NotRobust:
		out = append(out, "It does not help.")
	default:
		out = append(out, "It was neither proved nor refuted that it helps.")
	}
	w := j.repeats
	switch {
	case w != nil:
		out = append(out, fmt.Sprintf("The same calls still have an execution that no serial order explains (%s):", w.Kind))
		for _, e := range w.Cycle {
			out = append(out, "- "+e.Text+".")
		}
	case j.report.Verdict == report.NotRobust && len(j.report.Findings) > 0:
		f := j.report.Findings[0]
		out = append(out, fmt.Sprintf("There is an execution that no serial order explains (%s: %s), with other calls.", f.Kind, strings.Join(f.Cycle, " -> ")))
	case j.refused != "" && j.why == "":
		out = append(out, "The schedule above cannot happen: whoever comes second waits until the table is free, and takes its snapshot after that. A statement before the lock, which takes it earlier, undoes the repair.")
	case j.refused != "":
		out = append(out, fmt.Sprintf("In the schedule above, %s cannot commit: %s.", p.found.witness.Who(j.refused), j.why))
	}
	if j.tried > 0 {
		out = append(out, fmt.Sprintf("All %d executions of the calls of this scene were tried, too.", j.tried))
	}
	return out
}
