package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/plpgsql"
)

// Trigger is a trigger of a table. Its function is inlined where it fires.
type Trigger struct {
	Pos    ir.Pos
	Name   string
	Fn     string
	Names  *Resolver // of fn
	Events int32     // bits as in pg_trigger.h
	// Before says that it runs before the write, and may change it; row that it
	// runs for each row.
	Before, Row bool
	// Columns, if not nil, are those of UPDATE OF.
	Columns []string
	When    *SQLExpr
	Args    []string
	// Odd is what of it is not modelled, or "".
	Odd string
}

// Bits of Trigger.Events, as in CreateTrigStmt.Events.
const (
	OnInsert = 1 << 2
	OnDelete = 1 << 3
	OnUpdate = 1 << 4
)

// SortTriggers puts the triggers in the order in which they fire.
func (t *Table) SortTriggers() {
	slices.SortStableFunc(t.Triggers, func(a, b *Trigger) int { return strings.Compare(a.Name, b.Name) })
}

// Functions gives the function of the trigger, as a list; none if it is not declared.
func (g *Trigger) Functions() []*Function {
	fns, _ := g.Names.Functions(g.Fn)
	return Without(fns, func(f *Function) bool { return len(f.Inputs()) > 0 })
}

// Refs is what firing the trigger names.
func (g *Trigger) Refs() *Refs {
	return &Refs{Calls: map[string]bool{g.Fn: true}, Names: g.Names}
}

// Firing gives the triggers that some writes fire, in the order in which they
// do; set is what an UPDATE sets.
func (t *Table) Firing(events int32, before, row bool, set []string) []*Trigger {
	var out []*Trigger
	for _, g := range t.Triggers {
		if g.Events&events == 0 || g.Before != before || g.Row != row {
			continue
		}
		hit := g.Columns == nil || g.Events&events&^OnUpdate != 0
		for _, column := range set {
			hit = hit || slices.Contains(g.Columns, column)
		}
		if hit || g.Events&events != 0 && g.OfGenerated(t) && t.recomputes() {
			out = append(out, g)
		}
	}
	return out
}

// OfGenerated reports whether UPDATE OF of a trigger names a generated column of its table.
func (g *Trigger) OfGenerated(t *Table) bool {
	return slices.ContainsFunc(t.Columns, func(c *Column) bool { return c.Generated != nil && slices.Contains(g.Columns, c.Name) })
}

// recomputes reports whether each UPDATE sets all generated columns, as PostgreSQL takes it
// where a trigger could change the row before (ExecInitStoredGenerated).
func (t *Table) recomputes() bool {
	return slices.ContainsFunc(t.Triggers, func(g *Trigger) bool { return g.Before && g.Row && g.Events&OnUpdate != 0 })
}

// FiredBy gives what a trigger of t may touch.
func (t *Table) FiredBy(g *Trigger) *Refs {
	r := g.Refs()
	r.known, r.Writes = []*Table{t}, true
	return r
}

// Returns reports whether the body has a RETURN.
func (f *Function) Returns() bool {
	found := false
	plpgsql.Walk([]plpgsql.Stmt{f.Body.Block}, func(s plpgsql.Stmt) {
		_, is := s.(*plpgsql.Return)
		found = found || is
	})
	return found
}

// ReturnsNull reports whether some RETURN may give NULL; op is what fires.
func (f *Function) ReturnsNull(op string) bool {
	found := false
	plpgsql.Walk([]plpgsql.Stmt{f.Body.Block}, func(s plpgsql.Stmt) {
		if r, is := s.(*plpgsql.Return); is {
			switch strings.ToLower(strings.TrimSpace(r.Expr.Text(f.BodyText.SQL))) {
			case "null":
				found = true
			case "old":
				found = found || op == "INSERT"
			case "new":
				found = found || op == "DELETE"
			}
		}
	})
	return found
}

// Stable reports whether the function of the trigger is not VOLATILE, and calls none that is and looks at tables: it sees the tables as
// they were before the statement.
func (g *Trigger) Stable() bool {
	fns := g.Functions()
	if len(fns) != 1 || !fns[0].Stable || g.Odd != "" {
		return false
	}
	s := g.Names.l.SightOf(g.Refs())
	return !s.Now.All && len(s.Now.Tables) == 0
}

// MeetsEarlier reports whether an AFTER trigger looks at what BEFORE triggers of rows write, which have all run by then.
func (l *Schema) MeetsEarlier(t *Table, g *Trigger, e *Effect) bool {
	tr := l.Tracer()
	for _, o := range t.Triggers {
		if o.Before && o.Row && o.Events&g.Events != 0 {
			tr.Add(o.Refs())
		}
	}
	return tr.Writes && e.Meets(tr.Tables)
}

// unguarded reports whether the triggers of a foreign key of t are turned off, on either
// side.
func (l *Schema) unguarded(t *Table, f *ForeignKey) bool {
	ref := f.Parent()
	return t.Unguarded || ref != nil && ref.Unguarded
}
