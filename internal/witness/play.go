package witness

import (
	"cmp"
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// Play is an execution step by step, with the rows that there are at each step.
type Play struct {
	Events []Event
	// States are those before the first event, and after each.
	States []State
}

// State is what there is at a moment: the committed rows, and the rows as each running
// transaction sees them, by its label.
type State struct {
	Committed []TableRows
	Seen      map[string][]TableRows
}

// moment is an event with what transactions see after it, as far as that changes.
type moment struct {
	Event
	sees map[string][]TableRows
}

// event is one that belongs to no statement.
func (b *builder) event(i int, kind EventKind, text string) Event {
	return Event{Transaction: b.labels[i], Kind: kind, Text: text, Position: position(b.x.Txns[i].Run.Inst.Txn.Pos)}
}

// begins is the begin of the transaction in place i, which sees db.
func (b *builder) begins(i int, text string, db *interp.DB) moment {
	m := moment{Event: b.event(i, Begin, text)}
	if b.watching {
		m.sees = map[string][]TableRows{b.labels[i]: b.rows(db)}
	}
	return m
}

// commits is the commit of the transaction in place i.
func (b *builder) commits(i int) moment {
	return moment{Event: b.event(i, CommitIt, "COMMIT"), sees: map[string][]TableRows{}}
}

// sees gives the rows as the transaction sees them, if somebody watches.
func (v *view) sees() map[string][]TableRows {
	if !v.b.watching {
		return nil
	}
	return map[string][]TableRows{v.label: v.b.shown(func(table int) [][]ir.Value {
		t, rows := v.b.e.Program.Tables[table], slices.Clone(v.seen(table))
		slices.SortFunc(rows, func(a, b []ir.Value) int { return cmp.Compare(keyOf(t, a), keyOf(t, b)) })
		return rows
	})}
}

// play goes through the execution of the builder, whose last transaction may be one that
// does not commit.
func (b *builder) play(stops bool) *Play {
	b.watching = true
	defer func() { b.watching = false }()
	return b.played(b.schedule(), stops)
}

// played adds the rows to events.
func (b *builder) played(events []moment, stops bool) *Play {
	p := &Play{States: []State{{Committed: b.rows(b.x.Versions[0])}}}
	commits, running := 0, map[string][]TableRows{}
	for _, m := range events {
		maps.Copy(running, m.sees)
		if m.Kind == CommitIt {
			delete(running, m.Transaction)
			if commits++; stops && commits == len(b.x.Versions) {
				m.Kind, m.Text = Rollback, "ROLLBACK"
				commits--
			}
		}
		p.Events = append(p.Events, m.Event)
		p.States = append(p.States, State{b.rows(b.x.Versions[commits]), maps.Clone(running)})
	}
	return p
}

// play gives what happens in the order that has been reached. The last run may be one
// that does not commit.
func (s *serial) play(failed *interp.Run) *Play {
	x := &interp.Execution{Versions: s.db}
	b := &builder{e: s.b.e, m: s.m, x: x, index: s.b.index, where: map[int]map[ir.Stmt]string{}}
	for k, i := range s.order {
		run := failed
		if k < len(s.runs) {
			run = s.runs[k]
		}
		if run == nil {
			break // nothing of it is known
		}
		x.Txns = append(x.Txns, interp.Committed{Run: run, Session: s.b.x.Txns[i].Session, Index: s.b.x.Txns[i].Index, Snapshot: k})
		b.labels, b.start = append(b.labels, s.b.labels[i]), append(b.start, k)
	}
	if len(x.Txns) == 0 {
		return nil
	}
	return b.play(failed != nil)
}
