package query

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/ir"
)

// StaysAway reports whether the body of a loop over a cursor writes no row that
// the cursor locks, other than the one that it is at: the cursor passes over
// rows that have been changed before it comes to them.
func StaysAway(c *expr.Cursor, q *Query, body []ir.Stmt) bool {
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
				ok = ok && (s.Table != src.Table || p.Is(s.Table, s.Row, s.Where, changed))
			case *ir.Delete:
				ok = ok && (s.Table != src.Table || p.Is(s.Table, s.Row, s.Where, changed))
			case *ir.Insert:
				ok = ok && (s.Table != src.Table || s.Conflict == nil || len(s.Conflict.Sets) == 0)
			}
		})
	}
	return ok
}
