package routine

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/query"
)

// staysAway reports whether the body of a loop over a cursor writes no row that
// the cursor locks, other than the one that it is at: the cursor passes over
// rows that have been changed before it comes to them.
func staysAway(c *expr.Cursor, q *query.Query, body []ir.Stmt) bool {
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
			if u, is := s.(*ir.Unmodelled); is {
				ok = ok && (u.ReadOnly || u.Tables != nil && !slices.Contains(u.Tables, src.Table))
			}
			if u, is := s.(*ir.Update); is {
				ok = ok && (u.Table != src.Table || p.Is(u.Table, u.Row, u.Where, changed))
			}
			if d, is := s.(*ir.Delete); is {
				ok = ok && (d.Table != src.Table || p.Is(d.Table, d.Row, d.Where, changed))
			}
			if i, is := s.(*ir.Insert); is {
				ok = ok && (i.Table != src.Table || i.Conflict == nil || len(i.Conflict.Sets) == 0)
			}
		})
	}
	return ok
}
