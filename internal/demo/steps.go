package demo

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/witness"
)

// step is something that one session does, with what comes of it.
type step struct {
	label string // of the transaction
	text  string
	// answers are what comes back, and notes what nobody sees who does not know the other sessions.
	answers, notes []string
	commit         bool
}

// steps tells the execution of a witness: what clients send if it can be sent, or else what
// happens.
func steps(w *witness.Witness) []step {
	if w.Plan == nil || w.Plan.NotRun != "" {
		return eventSteps(w)
	}
	b := &stepper{w: w, next: map[string]int{}}
	for i := range w.Plan.Execution.Steps {
		b.add(&w.Plan.Execution.Steps[i])
	}
	return b.out
}

// eventSteps are the events of a witness that no client can bring about.
func eventSteps(w *witness.Witness) []step {
	var out []step
	for _, e := range w.Schedule {
		s := step{label: e.Transaction, text: e.Text, commit: e.Kind == witness.CommitIt}
		if e.Now != "" {
			s.notes = append(s.notes, "by now "+e.Now)
		}
		out = append(out, s)
	}
	return out
}

// stepper makes steps of those of a plan.
type stepper struct {
	w    *witness.Witness
	out  []step
	next map[string]int // events of each transaction that were told
	done []string       // labels of those that have committed
}

func (b *stepper) add(st *witness.Step) {
	s := step{label: st.Transaction}
	switch st.Kind {
	case witness.StepBegin:
		s.text = "BEGIN;"
	case witness.StepSnapshot:
		s.text, s.answers = "SELECT 1;", []string{"takes the snapshot"}
	case witness.StepCommit:
		s.commit, s.text = true, "COMMIT;"
		b.done = append(b.done, st.Transaction)
		s.notes = b.outdated(st.Transaction)
	case witness.StepRollback:
		s.text = "ROLLBACK;"
	case witness.StepCommand:
		s.text = strings.TrimSuffix(strings.TrimSpace(st.Command.SQL()), ";") + ";"
		b.command(&s, st.Command)
		if st.Waits {
			s.notes = append(s.notes, "It waits for the transaction that commits next, and goes on then.")
		}
	}
	b.out = append(b.out, s)
}

// command adds what comes back from a command.
func (b *stepper) command(s *step, c *witness.Command) {
	s.answers = append(s.answers, answer(c)...)
	for _, e := range b.events(s.label, c.Position) {
		switch {
		case e.Kind == witness.Write:
			s.answers = append(s.answers, e.Text)
		case e.Kind == witness.Read && e.Now != "" && len(b.done) > 0:
			if note := "This is the old state: by now " + e.Now + "."; !slices.Contains(s.notes, note) {
				s.notes = append(s.notes, note)
			}
		}
	}
}

// events takes the next events of a transaction that happen at a place.
func (b *stepper) events(label string, at witness.Position) []witness.Event {
	var own []witness.Event
	for _, e := range b.w.Schedule {
		if e.Transaction == label && e.Kind != witness.Begin && e.Kind != witness.CommitIt {
			own = append(own, e)
		}
	}
	if b.calls(label) == 1 { // a function does all of it
		return own
	}
	from := b.next[label]
	for from < len(own) && own[from].Position.Line < at.Line {
		from++ // of statements that only the client runs
	}
	to := from
	for to < len(own) && own[to].Position.Line == at.Line {
		to++
	}
	b.next[label] = to
	return own[from:to]
}

// calls counts the commands of a transaction.
func (b *stepper) calls(label string) int {
	n := 0
	for _, st := range b.w.Plan.Execution.Steps {
		if st.Transaction == label && st.Kind == witness.StepCommand {
			n++
		}
	}
	return n
}

// outdated says which reads of others the writes of a transaction that commits make out of
// date.
func (b *stepper) outdated(label string) []string {
	var out []string
	for _, e := range b.w.Cycle {
		if e.Type == "RW" && e.To == label && !slices.Contains(b.done, e.From) {
			out = append(out, "Out of date now: "+e.Text+".")
		}
	}
	return out
}

// answer is what a client sees of a command.
func answer(c *witness.Command) []string {
	switch {
	case len(c.Want.Rows) > 0 && len(c.Want.Rows[0]) > 0:
		var out []string
		for _, row := range c.Want.Rows {
			var cells []string
			for i, cell := range row {
				cells = append(cells, named(c.Columns, i, cell))
			}
			out = append(out, strings.Join(cells, ", "))
		}
		return out
	case c.Want.Count != nil:
		return []string{counted(*c.Want.Count)}
	case c.Want.Rows != nil:
		return []string{counted(0)}
	}
	return nil
}

func counted(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// named is a value with the name of its column.
func named(columns []string, i int, c *witness.Cell) string {
	text := "…"
	if c != nil {
		if text = c.Text; c.Kind == "null" {
			text = "NULL"
		}
	}
	if text == "" {
		text = "''"
	}
	if i < len(columns) && columns[i] != "" {
		return columns[i] + " = " + text
	}
	return text
}
