package schema

import (
	"slices"

	"github.com/txrobust/robust/ir"
)

// childKey is a foreign key with the table that has it.
type childKey struct {
	*ForeignKey
	Child *Table
}

// KeysTo gives the foreign keys that refer to t.
func (l *Schema) KeysTo(t *Table) []childKey {
	var out []childKey
	for _, child := range l.Order {
		for _, f := range child.Foreign {
			if f.Parent() == t {
				out = append(out, childKey{f, child})
			}
		}
	}
	return out
}

// Action gives what the foreign key of the IR does.
func (k childKey) Action() ir.Action {
	if k.Number < 0 {
		return ir.NoAction
	}
	return k.Child.Ir.ForeignKeys[k.Number].OnDelete
}

// SelfKey gives a foreign key from t to t itself, or nil.
func (t *Table) SelfKey() *ForeignKey {
	for _, f := range t.Foreign {
		if f.Parent() == t {
			return f
		}
	}
	return nil
}

// RefColumns gives the columns of the parent that a foreign key refers to.
func (l *Schema) RefColumns(f childKey) []string {
	if len(f.ForeignKey.refColumns) > 0 {
		return f.ForeignKey.refColumns
	}
	if parent := f.Parent(); parent != nil && parent.Key != nil {
		return parent.Key.Columns
	}
	return nil
}

// Watched reports whether something beyond the IR follows some kind of write: a
// trigger, or a constraint that the ir.Table does not have.
func (t *Table) Watched(event int32) bool {
	for _, g := range t.Triggers {
		if g.Events&event != 0 {
			return true
		}
	}
	return slices.ContainsFunc(t.Unseen, func(k *Unseen) bool { return k.On&event != 0 })
}

func (t *Table) Nullable(cols []int) bool {
	return !slices.ContainsFunc(cols, func(c int) bool { return t.Ir.Columns[c].NotNull })
}

// Free reports whether columns may become NULL, or change, whatever is in the
// others: no trigger, primary key, check, partial index or generated column is
// about them, and no action follows.
func (l *Schema) Free(t *Table, cols []int) bool {
	if len(t.Ir.Checks)+len(t.Unproven)+len(t.Unchecked) > 0 || t.Watched(OnUpdate) {
		return false
	}
	for _, c := range cols {
		if t.Ir.IsKey(c) {
			return false
		}
		for _, f := range l.KeysTo(t) {
			if f.OnUpdate.Changes() && slices.Contains(l.RefColumns(f), t.Ir.Columns[c].Name) {
				return false
			}
		}
	}
	for _, c := range t.Ir.Columns {
		if c.Generated != nil {
			return false
		}
	}
	for _, x := range t.Ir.Exclusions {
		if slices.ContainsFunc(x.Columns(t.Ir), func(c int) bool { return slices.Contains(cols, c) }) {
			return false
		}
	}
	return !slices.ContainsFunc(t.Ir.Uniques, func(u ir.Unique) bool { return u.Where != nil })
}

// SoleKey reports whether no column is part of several foreign keys.
func (t *Table) SoleKey(cols []int) bool {
	for _, c := range cols {
		n := 0
		for _, f := range t.Foreign {
			if slices.Contains(f.Columns, t.Ir.Columns[c].Name) {
				n++
			}
		}
		if n != 1 {
			return false
		}
	}
	return true
}

// ActionsOf gives the foreign keys whose actions a deletion from t causes, the
// parents' before the children's.
func (l *Schema) ActionsOf(t *Table) []childKey {
	var out []childKey
	queue := []*Table{t}
	for len(queue) > 0 {
		for _, f := range l.KeysTo(queue[0]) {
			if f.Action() == ir.NoAction || slices.Contains(out, f) {
				continue
			}
			if out = append(out, f); f.Action() == ir.CascadeDelete {
				queue = append(queue, f.Child)
			}
		}
		queue = queue[1:]
	}
	return out
}
