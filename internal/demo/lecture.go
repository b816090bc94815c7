package demo

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/folder"
	"github.com/txrobust/robust/internal/witness"
	"github.com/txrobust/robust/report"
)

// The files of a lecture.
const (
	handoutFile   = "handout.md"
	solutionsFile = "solutions.md"
)

var lectures = folder.Kind{Mark: handoutFile, Ours: func(name string) bool { return name == handoutFile || name == solutionsFile }}

// Replaceable reports an error unless a lecture may be written to dir.
func Replaceable(dir string) error { return lectures.Replaceable(dir) }

// Lecture writes a handout with exercises, and their solutions, to the folder dir.
func Lecture(dir string, scenes []*Performance) error {
	handout := &pageWriter{}
	handout.line("# Transactions that are not serializable")
	handout.para("Each scene has transactions that are right one by one. At the isolation level of the scene they can meet in a way that no serial order explains.")
	solutions := &pageWriter{}
	solutions.line("# Solutions")
	for _, p := range scenes {
		p.handout(handout)
		p.solutions(solutions)
	}
	return lectures.Write(dir, func(put folder.Put) error {
		if err := put(handoutFile, []byte(handout.b.String())); err != nil {
			return err
		}
		return put(solutionsFile, []byte(solutions.b.String()))
	})
}

// pageWriter writes Markdown.
type pageWriter struct {
	b strings.Builder
	// number is that of the last exercise of a scene.
	number int
}

func (w *pageWriter) line(s string) { w.b.WriteString(s + "\n") }

// para writes a paragraph.
func (w *pageWriter) para(s string) { w.line("\n" + s) }

// code writes a block of code, within a fence that its text does not have.
func (w *pageWriter) code(language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	w.para(fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence)
}

// exercise begins the next exercise.
func (w *pageWriter) exercise(s string) {
	w.number++
	w.para(fmt.Sprintf("**%d.** %s", w.number, s))
}

// escape makes a text stand for itself in Markdown.
var escape = strings.NewReplacer(`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, "[", `\[`, "|", `\|`, "#", `\#`).Replace

// handout writes the story, the program and the exercises.
func (p *Performance) handout(w *pageWriter) {
	w.number = 0
	w.para("## " + p.Scene.Title)
	w.para(p.Scene.Story)
	for _, f := range p.Scene.Files {
		w.para("`" + filepath.Base(f.Name) + "`:")
		w.code("sql", f.Text)
	}
	w.para(fmt.Sprintf("All transactions run at %s:", p.Scene.Level))
	w.line("")
	for _, s := range p.who() {
		w.line("* " + escape(s))
	}
	w.para("### Exercises")
	w.exercise("The sessions run in this order. Write down what comes back, and what the tables hold in the end.")
	p.schedule(w, false)
	if n := p.found.witness.Orders; n == 2 {
		w.exercise("Run the transactions one after the other, in both orders. What is different?")
	} else {
		w.exercise(fmt.Sprintf("Run the transactions one after the other. Choose three of the %d orders. What is different?", n))
	}
	w.exercise("Which transaction has to come before which other one, and why? Draw an arrow for each such pair. Is there a cycle?")
	if len(p.changes) > 0 {
		w.exercise("Which of these changes help? Why do the others not?")
		for i := range p.changes {
			c := &p.changes[i]
			w.para(fmt.Sprintf("(%c) %s", 'a'+i, c.Title))
			if c.Level != p.Scene.Level {
				w.code("diff", fmt.Sprintf("-BEGIN ISOLATION LEVEL %s\n+BEGIN ISOLATION LEVEL %s", p.Scene.Level, c.Level))
			}
			for _, d := range p.diffs(c) {
				w.code("diff", d)
			}
		}
	}
	if p.Scene.Exercise != "" {
		w.exercise(p.Scene.Exercise)
	}
}

// solutions writes what the exercises ask for.
func (p *Performance) solutions(w *pageWriter) {
	w.number = 0
	x := p.found.witness
	w.para("## " + p.Scene.Title)
	w.exercise("What comes back:")
	p.schedule(w, true)
	w.para("The rows in the end:")
	for _, t := range x.Final {
		w.final(&t)
	}
	w.exercise("No serial order does that:")
	w.line("")
	for _, o := range x.Serial {
		w.line("* " + strings.Join(o.Order, ", ") + ": " + escape(strings.Join(o.Differs, "; ")))
	}
	w.exercise("Every transaction below has to come before the next one, and the last before the first:")
	w.line("")
	for _, e := range x.Cycle {
		w.line("* " + escape(e.Text))
	}
	if p.Scene.Why != "" {
		w.para(p.Scene.Why)
	}
	if len(p.changes) > 0 {
		w.exercise("What becomes of the changes:")
		for i := range p.changes {
			c := &p.changes[i]
			word := map[report.Verdict]string{report.Robust: "yes", report.NotRobust: "no", report.Unknown: "not known"}[c.helps()]
			w.para(fmt.Sprintf("(%c) %s: **%s**. %s", 'a'+i, c.Title, word, c.Story))
			w.line("")
			for _, s := range p.outcome(c) {
				w.line("* " + escape(strings.TrimPrefix(s, "- ")))
			}
		}
	}
	if p.Scene.Exercise != "" {
		w.exercise(p.Scene.Solution)
	}
}

// schedule writes the execution as a table, with what comes back or room for it.
func (p *Performance) schedule(w *pageWriter, solved bool) {
	var labels []string
	for _, t := range p.found.witness.Transactions {
		labels = append(labels, t.Label)
	}
	w.para("| | " + strings.Join(labels, " | ") + " |")
	w.line("|--:|" + strings.Repeat("---|", len(labels)))
	for i, s := range p.steps {
		cells := make([]string, len(labels))
		text := cell(s.text)
		if solved {
			for _, a := range s.answers {
				text += "<br>→ " + escape(a)
			}
			for _, n := range s.notes {
				text += "<br>*" + escape(n) + "*"
			}
		} else if len(s.answers) > 0 {
			text += "<br>→ …"
		}
		cells[slices.Index(labels, s.label)] = text
		w.line(fmt.Sprintf("| %d | %s |", i+1, strings.Join(cells, " | ")))
	}
}

// cell is code in a cell of a table.
func cell(sql string) string {
	return "`" + strings.NewReplacer("|", `\|`, "`", "'").Replace(strings.Join(strings.Fields(sql), " ")) + "`"
}

// final writes the rows of a table.
func (w *pageWriter) final(t *witness.TableRows) {
	var names []string
	for _, c := range t.Columns {
		names = append(names, escape(c))
	}
	w.para("`" + t.Table + "`:")
	w.para("| " + strings.Join(names, " | ") + " |")
	w.line("|" + strings.Repeat("---|", len(names)))
	for _, r := range t.Rows {
		var cells []string
		for _, v := range t.Shown(r) {
			cells = append(cells, escape(v))
		}
		w.line("| " + strings.Join(cells, " | ") + " |")
	}
}
