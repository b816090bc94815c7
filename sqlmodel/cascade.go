package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/ir"
)

// looksBack reports whether a transaction has to do with the children that an
// action took, after it. What it sees then are the rows of the snapshot, but for
// those that it has deleted, and it has not deleted those that somebody else had
// taken away: the own view of the IR is another one.
func looksBack(body []ir.Stmt) bool {
	taken := map[*ir.Table]bool{}
	acting, found := false, false
	ir.Walk(body, func(s ir.Stmt) {
		if c, ok := s.(*ir.Cascade); ok {
			found = found || !acting && taken[c.Table]
			taken[c.Table], acting = true, true
			return
		}
		acting = false
		if len(taken) == 0 {
			return
		}
		for _, src := range ir.Reads(s) {
			found = found || taken[src.Table]
		}
		switch s := s.(type) {
		case *ir.Unmodelled:
			found = found || s.Tables == nil || slices.ContainsFunc(s.Tables, func(t *ir.Table) bool { return taken[t] })
		default:
			if t := ir.Written(s); t != nil {
				found = found || taken[t]
				for _, fk := range t.ForeignKeys {
					found = found || taken[fk.Ref]
				}
			}
		}
	})
	return found
}
