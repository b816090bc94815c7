package ddl

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// beforeRow is a bit of CreateTrigStmt.Timing.
const beforeRow = 1 << 1

// createTrigger records a trigger.
func (l *Definer) createTrigger(s *pg.CreateTrigStmt, t *syntax.Text, pos ir.Pos) {
	tab := l.Changed(s.Relation, t, false)
	onPart := false
	if tab == nil {
		tab = l.partitioned(s.Relation, t)
		onPart = tab != nil
	}
	if tab == nil {
		g := &schema.Trigger{Fn: syntax.Qualified(syntax.Names(s.Funcname)), Names: schema.DeclaredNames(t)}
		l.guard(s.Relation, t, "triggers", g.Refs())
		l.Note(pos, "trigger %s on a view is left out: writes of the view are not modelled", s.Trigname)
		return
	}
	g := &schema.Trigger{Pos: pos, Name: s.Trigname, Fn: syntax.Qualified(syntax.Names(s.Funcname)), Names: schema.DeclaredNames(t), Events: s.Events, Before: s.Timing&beforeRow != 0, Row: s.Row}
	if len(s.Columns) > 0 {
		g.Columns = syntax.Names(s.Columns)
	}
	if s.WhenClause != nil {
		g.When = &schema.SQLExpr{Node: s.WhenClause, Text: t}
	}
	g.Args = syntax.Names(s.Args)
	switch {
	case onPart:
		g.Odd = "is on one partition"
	case s.Initdeferred || s.Deferrable:
		g.Odd = "runs at commit"
	case len(s.TransitionRels) > 0:
		g.Odd = "reads transition tables"
	}
	tab.Triggers = schema.Without(tab.Triggers, func(o *schema.Trigger) bool { return s.Replace && o.Name == s.Trigname })
	tab.Triggers = append(tab.Triggers, g)
	tab.SortTriggers()
}

// partitioned gives the table that a partition belongs to, nil if the name is that of none.
func (l *Definer) partitioned(r *pg.RangeVar, t *syntax.Text) *schema.Table {
	o := l.Sees(t).Relation(syntax.RangeName(r))
	for o != nil && o.View != nil && len(o.View.Of) == 1 {
		if o = o.View.Of[0]; o.Table != nil && o.Table.Partitions != nil {
			return o.Table
		}
	}
	return nil
}

// switchTriggers turns triggers of a table off or on: one, all that users make, or all,
// among which are those that check its foreign keys and those to it. It reports whether
// the command does that.
func (l *Definer) switchTriggers(tab *schema.Table, c *pg.AlterTableCmd) bool {
	is := func(g *schema.Trigger) bool { return g.Name == c.Name }
	off := false
	switch c.Subtype {
	case pg.AlterDisableTrigger, pg.AlterReplicaTrigger: // the latter fires where changes are replayed
		off = true
	case pg.AlterDisableTriggers, pg.AlterDisableUserTrigger:
		off, is = true, func(*schema.Trigger) bool { return true }
	case pg.AlterEnableTrigger, pg.AlterAlwaysTrigger:
	case pg.AlterEnableTriggers, pg.AlterEnableUserTrigger:
		is = func(*schema.Trigger) bool { return true }
	default:
		return false
	}
	from, to := &tab.Disabled, &tab.Triggers
	if off {
		from, to = to, from
	}
	for _, g := range slices.Clone(*from) {
		if is(g) {
			*from = schema.Without(*from, func(o *schema.Trigger) bool { return o == g })
			*to = append(*to, g)
		}
	}
	slices.SortStableFunc(tab.Triggers, func(a, b *schema.Trigger) int { return strings.Compare(a.Name, b.Name) })
	if c.Subtype == pg.AlterDisableTriggers || c.Subtype == pg.AlterEnableTriggers {
		tab.Unguarded = off
	}
	return true
}
