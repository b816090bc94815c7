package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
)

// Unseen is a constraint of a table that the ir.Table does not have. It cannot
// just be left out. That would allow more executions, but more serial ones as
// well: who frees a unique key, or deletes the last child of a parent, must
// come before who makes use of that, and only the constraint says so. So each
// write that it checks is followed by an ir.Unmodelled of the tables that the
// check looks at. A check of the row alone needs none: its outcome is the same
// wherever the transaction reads and writes the same.
type Unseen struct {
	Pos  ir.Pos
	Name string
	What string // for reasons
	Key  bool   // it says that rows differ: ON CONFLICT may meet it
	// On are the events that it checks; columns, if not nil, are those that an
	// UPDATE must set for that.
	On      int32
	Columns []string
	// Tables are those that the check looks at: t itself unless it is a foreign
	// key or a CHECK.
	Tables []string
	Calls  *Refs // what a CHECK calls
}

// unchecked is a check of a row alone that is left out. Nothing depends on other rows for
// it, but a write may fail, so that an ir.Dropped stands beside it.
type unchecked struct {
	pos  ir.Pos
	What string
	// Columns are those that an UPDATE must set for it to be checked, nil if any.
	Columns []string
}

// LeaveOut adds a check that is left out, with the columns that it is about. Where these are
// several, whether a change of one is refused depends on the others.
func (l *Schema) LeaveOut(t *Table, pos ir.Pos, what, why string, columns []string) {
	t.Unchecked = append(t.Unchecked, &unchecked{pos: pos, What: what + ", " + why, Columns: columns})
	l.Note(pos, "%s is left out: %s", what, why)
}

// Coarsen marks a check or a key that calls functions of which it is not known what they give: the
// interpreter takes them to give what it likes.
func (t *Table) Coarsen(pos ir.Pos, what string, e ir.Expr, columns []string) {
	var unknown []string
	ir.WalkExpr(e, func(e ir.Expr) {
		if c, ok := e.(*ir.Call); ok && !c.Known() {
			unknown = append(unknown, strings.TrimPrefix(c.Name, irnames.Symmetric))
		}
	})
	if unknown != nil {
		slices.Sort(unknown)
		unknown = slices.Compact(unknown)
		t.Unchecked = append(t.Unchecked, &unchecked{pos, what + ", of which it is not known what " + strings.Join(unknown, ", ") + " gives", columns})
	}
}

// Concerns reports whether writes of some kinds are checked; set is what an
// UPDATE sets.
func (k *Unseen) Concerns(events int32, set []string) bool {
	if k.On&events&^OnUpdate != 0 {
		return true
	}
	if k.On&events == 0 {
		return false
	}
	hit := k.Columns == nil || set == nil
	for _, column := range set {
		hit = hit || slices.Contains(k.Columns, column)
	}
	return hit
}

// UnseenNames gives the names of the constraints that are not seen.
func (t *Table) UnseenNames() []string {
	var out []string
	for _, k := range t.Unseen {
		out = append(out, k.Name)
	}
	return out
}

// Hide adds a constraint that is not seen.
func (t *Table) Hide(k *Unseen) { t.Unseen = append(t.Unseen, k) }

// hideForeignKey makes a foreign key from t to ref one that is not seen, for
// writes of both.
func (l *Schema) hideForeignKey(t, ref *Table, f *ForeignKey, refs []string, what string) {
	both := []string{t.Name, ref.Name}
	t.Hide(&Unseen{Pos: f.Pos, Name: f.Name, What: what, On: OnInsert | OnUpdate, Columns: f.Columns, Tables: both})
	ref.Hide(&Unseen{Pos: f.Pos, Name: f.Name, What: what, On: OnDelete | OnUpdate, Columns: refs, Tables: both})
}

// NoteUnseen tells of the constraints that are not seen.
func (l *Schema) NoteUnseen() {
	for _, t := range l.Order {
		for _, k := range t.Unseen {
			l.Note(k.Pos, "%s: writes of %s may depend on all that its check reads", k.What, t.Name)
		}
	}
}
