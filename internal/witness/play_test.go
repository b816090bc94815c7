package witness

import (
	"fmt"
	"slices"
	"testing"
)

// rowsAt puts the rows of a moment in words.
func rowsAt(tables []TableRows) string {
	s := ""
	for _, t := range tables {
		for i, r := range t.Rows {
			if t.Keys[i] == "" && !t.Variable {
				return "a row without a key"
			}
			s += fmt.Sprint(t.Table, r, " ")
		}
	}
	return s
}

// sameRows compares rows that may be in different orders.
func sameRows(a, b []TableRows) bool {
	flat := func(tables []TableRows) []string {
		var out []string
		for _, t := range tables {
			for _, r := range t.Rows {
				out = append(out, fmt.Sprint(t.Table, r))
			}
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(flat(a), flat(b))
}

// checkPlay makes sure of what holds of every execution: commits alone change what is
// committed, a write changes what its own transaction sees and nothing else, and who has
// not begun, or has ended, sees nothing.
func checkPlay(t *testing.T, p *Play) {
	t.Helper()
	if len(p.States) != len(p.Events)+1 {
		t.Fatalf("%d states for %d events", len(p.States), len(p.Events))
	}
	for i, e := range p.Events {
		before, after := &p.States[i], &p.States[i+1]
		if e.Kind != CommitIt && rowsAt(before.Committed) != rowsAt(after.Committed) {
			t.Errorf("event %d, %s, changes what is committed", i+1, e.Text)
		}
		if seen, on := before.Seen[e.Transaction]; e.Kind == CommitIt && (!on || !sameRows(seen, after.Committed) && !overlaps(p.Events[:i], e.Transaction)) {
			t.Errorf("event %d: %s commits what it does not see: %s, then %s", i+1, e.Transaction, rowsAt(seen), rowsAt(after.Committed))
		}
		for l, rows := range after.Seen {
			if e.Kind == Write && (l == e.Transaction) == (rowsAt(rows) == rowsAt(before.Seen[l])) {
				t.Errorf("event %d, %s by %s: %s sees %s, before %s", i+1, e.Text, e.Transaction, l, rowsAt(rows), rowsAt(before.Seen[l]))
			}
		}
		_, runs := after.Seen[e.Transaction]
		if ended := e.Kind == CommitIt || e.Kind == Rollback; runs == ended {
			t.Errorf("event %d, %s: %s runs after it: %v", i+1, e.Text, e.Transaction, runs)
		}
	}
}

// overlaps reports whether somebody has committed since a transaction began.
func overlaps(events []Event, label string) bool {
	begun := false
	for _, e := range events {
		begun = begun || e.Transaction == label && e.Kind == Begin
		if begun && e.Kind == CommitIt {
			return true
		}
	}
	return false
}

// TestPlay: the rows of each step fit the events, in the execution and in all serial
// orders, which end with other rows or results.
func TestPlay(t *testing.T) {
	for _, s := range situations {
		w := build(t, s.explore(t))
		checkPlay(t, w.Play)
		if !sameRows(w.Play.States[0].Committed, w.Rows) || !sameRows(w.Play.States[len(w.Play.Events)].Committed, w.Final) {
			t.Errorf("%s: the rows at the start or the end are not those of the witness", s.folder)
		}
		stale := false
		for i := range w.Play.Events {
			for _, rows := range w.Play.States[i].Seen {
				stale = stale || !sameRows(rows, w.Play.States[i].Committed)
			}
		}
		if !stale {
			t.Errorf("%s: everybody always sees what is committed", s.folder)
		}
		for _, o := range w.Serial {
			checkPlay(t, o.Play)
			var order []string
			for _, e := range o.Play.Events {
				if len(order) == 0 || order[len(order)-1] != e.Transaction {
					order = append(order, e.Transaction)
				}
			}
			if !slices.Equal(order, o.Order) {
				t.Errorf("%s: the order %v is played as %v", s.folder, o.Order, order)
			}
		}
	}
}
