package query

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/ir"
)

// Cursor is a query that a cursor variable is bound to. It gives the rows as they
// were when it was opened.
type Cursor struct {
	Query plpgsql.Span
	Scope *Scope // what its query sees
	// At is the row that the loop over the cursor is at, by table.
	At map[*ir.Table]*Position
}

// Position is the key of a row: the locals with each column, of which the first
// is the loop's own.
type Position struct{ Key [][]string }

// Copy gives a scope as it is now.
func (s *Scope) Copy() *Scope {
	out := *s
	out.Vars = maps.Clone(s.Vars)
	return &out
}

// StaysAway reports whether the body of a loop over a cursor writes no row that
// the cursor locks, other than the one that it is at: the cursor passes over
// rows that have been changed before it comes to them.
func StaysAway(c *Cursor, q *Query, body []ir.Stmt) bool {
	ok := true
	changed := map[string]bool{}
	ir.Walk(body, func(s ir.Stmt) {
		for _, name := range ir.Assigned(s) {
			changed[name] = true
		}
	})
	for _, src := range q.From {
		if q.Locks.Of(src.Row) == ir.NoLock {
			continue
		}
		p := c.At[src.Table]
		if len(q.From) > 1 { // the row may come again
			p = nil
		}
		ir.Walk(body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Unmodelled:
				ok = ok && (s.ReadOnly || s.Tables != nil && !slices.Contains(s.Tables, src.Table))
			case *ir.Update:
				ok = ok && (s.Table != src.Table || p.is(s.Table, s.Row, s.Where, changed))
			case *ir.Delete:
				ok = ok && (s.Table != src.Table || p.is(s.Table, s.Row, s.Where, changed))
			case *ir.Insert:
				ok = ok && (s.Table != src.Table || s.Conflict == nil || len(s.Conflict.Sets) == 0)
			}
		})
	}
	return ok
}

// is reports whether a condition fixes the row at p; changed are locals that
// have other values by then.
func (p *Position) is(t *ir.Table, row string, where ir.Expr, changed map[string]bool) bool {
	if p == nil {
		return false
	}
	conds := ir.Conjuncts(where)
	for i, k := range t.Key {
		fixed := func(c ir.Expr) bool {
			eq, ok := c.(*ir.Binary)
			if !ok || eq.Op != ir.Eq {
				return false
			}
			col, ok1 := eq.X.(*ir.Col)
			v, ok2 := eq.Y.(*ir.Var)
			return ok1 && ok2 && col.Row == row && col.Col == t.Columns[k].Name && slices.Contains(p.Key[i], v.Name) && !changed[v.Name]
		}
		if !slices.ContainsFunc(conds, fixed) {
			return false
		}
	}
	return true
}
