package report

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/quote"
	"github.com/txrobust/robust/internal/witness"
)

// width is that of a terminal.
const width = 80

// minColumn is the least width of a session's column; with less, the schedule
// is a list.
const minColumn = 15

// table is the schedule of a finding as it is drawn.
type table struct {
	file  string   // of all statements, or ""
	side  int      // the width of the places
	heads []string // what each session runs
	steps []step
}

// step is a row of the schedule.
type step struct {
	place   string
	session int
	label   string // of the transaction
	text    string
	// begins are the sessions whose transactions begin, if that is all that happens.
	begins []int
}

// maxSteps is how many lines a schedule takes, if it can be as short as that.
const maxSteps = 16

// changing leaves out the reads of tables that no event of the schedule changes, and names
// these tables.
func changing(events []witness.Event) (kept []witness.Event, leftOut []string) {
	changed := map[string]bool{}
	for _, e := range events {
		changed[e.Table] = changed[e.Table] || e.Kind != witness.Read
	}
	for _, e := range events {
		if e.Kind != witness.Read || e.Now != "" || changed[e.Table] {
			kept = append(kept, e)
		} else if !slices.Contains(leftOut, e.Table) {
			leftOut = append(leftOut, e.Table)
		}
	}
	return kept, leftOut
}

// onCycle keeps the beginnings, the ends, what the dependencies of a cycle are between, and with
// returns what is returned. Of the reads at one place, as in a loop, it keeps those of what has changed by now if there are any.
func onCycle(events []witness.Event, cycle []witness.Edge, returns bool) []witness.Event {
	type place struct {
		label string
		at    witness.Position
	}
	on, stale := map[place]bool{}, map[place]bool{}
	for _, e := range cycle {
		on[place{e.From, e.FromPosition}], on[place{e.To, e.ToPosition}] = true, true
	}
	for _, e := range events {
		if e.Now != "" {
			stale[place{e.Transaction, e.Position}] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(events), func(e witness.Event) bool {
		at := place{e.Transaction, e.Position}
		switch e.Kind {
		case witness.Begin, witness.CommitIt:
			return false
		case witness.Read:
			return e.Now == "" && (!on[at] || stale[at])
		case witness.Return:
			return !returns
		}
		return !on[at]
	})
}

// maxWrites is how many rows are shown of those that one statement writes, in a schedule that is
// too long.
const maxWrites = 2

// manyWrites keeps the first ones of the writes of one statement, and counts the others.
func manyWrites(events []witness.Event) []witness.Event {
	var out []witness.Event
	for i := 0; i < len(events); {
		e, n := events[i], 1
		for ; i+n < len(events) && e.Kind == witness.Write && events[i+n].Kind == e.Kind && events[i+n].Position == e.Position && events[i+n].Transaction == e.Transaction; n++ {
		}
		kept := n
		if n > maxWrites+1 {
			kept = maxWrites
		}
		out = append(out, events[i:i+kept]...)
		if kept < n {
			out[len(out)-1].Text += fmt.Sprintf("; … (%d rows)", n)
		}
		i += n
	}
	return out
}

// tabulate gives the rows of a schedule. Transactions that begin one after the other share a
// row, and so does a commit with what its transaction did last.
func tabulate(w *witness.Witness, events []witness.Event) *table {
	places, file := gutter(events)
	s := &table{file: file}
	sessions := map[int]int{}
	for _, x := range w.Transactions {
		head := x.Label + ": " + x.Invocation()
		if c, ok := sessions[x.Session]; ok {
			s.heads[c] += ", " + head
			continue
		}
		sessions[x.Session] = len(s.heads)
		s.heads = append(s.heads, head)
	}
	for i, e := range events {
		now := step{places[i], sessions[w.Transaction(e.Transaction).Session], e.Transaction, eventText(e), nil}
		s.side = max(s.side, quote.Columns(now.place))
		if e.Kind == witness.Begin {
			now.begins = []int{now.session}
		}
		if last := len(s.steps) - 1; last >= 0 {
			before := &s.steps[last]
			switch {
			case e.Kind == witness.Begin && before.text == now.text && before.begins != nil && !slices.Contains(before.begins, now.session):
				before.begins = append(before.begins, now.session)
				before.label += ", " + now.label
				continue
			case e.Kind == witness.CommitIt && before.label == now.label && before.begins == nil:
				before.text += "; " + now.text
				continue
			}
		}
		s.steps = append(s.steps, now)
	}
	return s
}

// list gives the schedule without columns, in lines.
func (s *table) list() []string {
	var out []string
	add := func(first, text string) {
		indent := strings.Repeat(" ", quote.Columns(first))
		for _, l := range quote.Wrap(quote.Line(text), width-len(indent)) {
			out = append(out, first+l)
			first = indent
		}
	}
	for _, h := range s.heads {
		add("   ", h)
	}
	for _, x := range s.steps {
		add(fmt.Sprintf("   %-*s  %s  ", s.side, x.place, x.label), x.text)
	}
	return out
}

// column is the width of a session's column.
func (s *table) column() int { return (width-3-s.side)/len(s.heads) - 2 }

// inColumns reports whether columns show the schedule best.
func (s *table) inColumns() bool {
	return s.column() >= minColumn && (len(s.heads) <= 2 && s.inCells() <= maxSteps || s.inCells() <= len(s.list()))
}

// inCells counts the lines of the schedule in columns.
func (s *table) inCells() int {
	lines, heads := 1, 0
	for _, h := range s.heads {
		heads = max(heads, len(quote.Wrap(quote.Line(h), s.column())))
	}
	for _, x := range s.steps {
		lines += len(quote.Wrap(quote.Line(x.text), s.column()))
	}
	return heads + lines
}

// height counts the lines of the schedule.
func (s *table) height() int {
	if s.inColumns() {
		return s.inCells()
	}
	return len(s.list())
}

// together puts values that a transaction returns one after the other into one
// event.
func together(list []witness.Event) []witness.Event {
	var out []witness.Event
	for _, e := range list {
		if n := len(out); n > 0 && e.Kind == witness.Return && out[n-1].Kind == witness.Return && out[n-1].Transaction == e.Transaction {
			out[n-1].Text += ", " + strings.TrimPrefix(e.Text, "return ")
			continue
		}
		out = append(out, e)
	}
	return out
}

// gutter gives the places of the events: line numbers and the file if all are in one, else
// file:line. Events that are no statements have none.
func gutter(events []witness.Event) (places []string, file string) {
	files := map[string]bool{}
	for _, e := range events {
		files[e.Position.File] = true
	}
	places = make([]string, len(events))
	for i, e := range events {
		switch {
		case e.Kind == witness.Begin || e.Kind == witness.CommitIt:
		case len(files) == 1:
			places[i] = fmt.Sprintf(":%d", e.Position.Line)
		default:
			places[i] = quote.Line(e.Position.Short())
		}
	}
	if len(files) == 1 {
		file = filepath.Base(events[0].Position.File)
	}
	return places, file
}

func eventText(e witness.Event) string {
	if e.Now != "" {
		return e.Text + " (by now " + e.Now + ")"
	}
	return e.Text
}
