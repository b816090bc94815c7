package engine

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/ir"
)

// Beyond says why nothing can be said about a program on the database, "" if
// something can.
func (e *Profile) Beyond(p *ir.Program) string {
	if e.Weaker != "" || e.Stricter == "" {
		return e.Weaker
	}
	why := ""
	if e.Skips {
		why = skipped(p)
	}
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Cascade:
				why = "what the actions of foreign keys do there is not modelled"
			case *ir.LockTable, *ir.Savepoint:
				why = "what LOCK TABLE and savepoints do there is not modelled"
			case *ir.Insert:
				if s.Conflict != nil {
					why = "what an INSERT that meets an existing key does there is not modelled"
				}
			}
		})
	}
	return why
}

// skipped says which statement may pass over rows that have left their place in an index,
// "" if none does (Profile.Skips): it writes or locks rows that it looks for by a
// column of an index other than the primary key, and another statement changes that column
// or deletes rows of the table.
func skipped(p *ir.Program) string {
	leaves := map[*ir.Table]map[int]bool{} // columns that change; nil for all, where rows are deleted
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Update:
				if cols, ok := leaves[s.Table]; !ok || cols != nil {
					if cols == nil {
						cols = map[int]bool{}
						leaves[s.Table] = cols
					}
					for _, set := range s.Sets {
						cols[set.Col] = true
					}
				}
			case *ir.Delete:
				leaves[s.Table] = nil
			}
		})
	}
	why := ""
	look := func(s ir.Stmt, t *ir.Table, row string, where ir.Expr) {
		changed, any := leaves[t]
		if !any || why != "" {
			return
		}
		ir.WalkExpr(where, func(e ir.Expr) {
			col, ok := e.(*ir.Col)
			if !ok || col.Row != row || why != "" {
				return
			}
			if i := t.Column(col.Col); i >= 0 && indexed(t, i) && (changed == nil || changed[i]) {
				why = fmt.Sprintf("%s looks for rows of %s by %s, which an index is over: it passes over a row that has left its place there since the snapshot, without an error; look for rows by the primary key alone", s.Position(), t.Name, col.Col)
			}
		})
	}
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Update:
				look(s, s.Table, s.Row, s.Where)
			case *ir.Delete:
				look(s, s.Table, s.Row, s.Where)
			}
			if locks, q := ir.LocksOf(s); q != nil && len(locks) > 0 {
				for _, src := range q.From {
					if locks.Of(src.Row) != ir.NoLock {
						look(s, src.Table, src.Row, q.Where)
					}
				}
			}
		})
	}
	return why
}

// indexed reports whether an index other than the primary key is over a column. MySQL
// makes one for each foreign key.
func indexed(t *ir.Table, col int) bool {
	below := false
	if g := t.Columns[col].Generated; g != nil { // a form of a column in which it is compared
		ir.WalkExpr(g, func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok {
				i := t.Column(c.Col)
				below = below || i >= 0 && i != col && indexed(t, i)
			}
		})
	}
	return below || t.Columns[col].Indexed ||
		slices.ContainsFunc(t.Uniques, func(u ir.Unique) bool { return slices.Contains(u.Columns, col) }) ||
		slices.ContainsFunc(t.ForeignKeys, func(f ir.ForeignKey) bool { return slices.Contains(f.Columns, col) })
}
