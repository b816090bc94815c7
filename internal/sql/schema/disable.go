package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
)

// switchTriggers turns triggers of a table off or on: one, all that users make, or all,
// among which are those that check its foreign keys and those to it. It reports whether
// the command does that.
func (l *Schema) switchTriggers(tab *Table, c *pg.AlterTableCmd) bool {
	is := func(g *Trigger) bool { return g.Name == c.Name }
	off := false
	switch c.Subtype {
	case pg.AlterDisableTrigger, pg.AlterReplicaTrigger: // the latter fires where changes are replayed
		off = true
	case pg.AlterDisableTriggers, pg.AlterDisableUserTrigger:
		off, is = true, func(*Trigger) bool { return true }
	case pg.AlterEnableTrigger, pg.AlterAlwaysTrigger:
	case pg.AlterEnableTriggers, pg.AlterEnableUserTrigger:
		is = func(*Trigger) bool { return true }
	default:
		return false
	}
	from, to := &tab.disabled, &tab.Triggers
	if off {
		from, to = to, from
	}
	for _, g := range slices.Clone(*from) {
		if is(g) {
			*from = Without(*from, func(o *Trigger) bool { return o == g })
			*to = append(*to, g)
		}
	}
	slices.SortStableFunc(tab.Triggers, func(a, b *Trigger) int { return strings.Compare(a.Name, b.Name) })
	if c.Subtype == pg.AlterDisableTriggers || c.Subtype == pg.AlterEnableTriggers {
		tab.unguarded = off
	}
	return true
}

// unguarded reports whether the triggers of a foreign key of t are turned off, on either
// side.
func (l *Schema) unguarded(t *Table, f *foreignKey) bool {
	ref := f.Parent()
	return t.unguarded || ref != nil && ref.unguarded
}
