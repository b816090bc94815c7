package ddl

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/schema"
)

// withKeys makes a change that may drop keys of a table. The foreign keys that refer to these are
// dropped as well (CASCADE): without the word the server refuses the change.
func (l *Definer) withKeys(tab *schema.Table, change func()) {
	refers := func(f *schema.ForeignKey) bool {
		is := func(u *schema.UniqueKey, cols []string) bool {
			return u != nil && u.Where == nil && sameNames(u.Columns, cols)
		}
		switch {
		case f.Parent() != tab:
			return false
		case len(f.RefColumns) == 0:
			return tab.Key != nil
		}
		return is(tab.Key, f.RefColumns) || slices.ContainsFunc(tab.Uniques, func(u *schema.UniqueKey) bool { return is(u, f.RefColumns) })
	}
	var before []*schema.ForeignKey
	for _, t := range l.Order {
		for _, f := range t.Foreign {
			if refers(f) {
				before = append(before, f)
			}
		}
	}
	change()
	for _, t := range l.Order {
		t.Foreign = schema.Without(t.Foreign, func(f *schema.ForeignKey) bool { return slices.Contains(before, f) && !refers(f) })
	}
}

// sameNames reports whether two lists have the same names, in any order.
func sameNames(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// dropType drops a type, and the columns that are of it (CASCADE).
func (l *Definer) dropType(u *schema.UserType) {
	u.Gone = l.Clock
	is := func(t schema.Type) bool { return t.Name == u.Key || t.PgName() == u.Key }
	for _, tab := range l.Order {
		for _, c := range slices.Clone(tab.Columns) {
			if is(c.T) || is(c.T.Element()) || slices.Contains(c.Within, u) {
				l.withKeys(tab, func() { tab.DropColumn(c.Name) })
			}
		}
	}
}

// dropSequence takes the default of the columns away that take their values from a sequence.
func (l *Definer) dropSequence(name string) {
	for _, tab := range l.Order {
		for _, c := range tab.Columns {
			if c.Sequence == name {
				c.Fresh, c.Sequence = false, ""
			}
		}
	}
}
