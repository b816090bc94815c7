package prepare

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// KeyUpdated reports whether a template changes a column of a key of rows that are there.
func (c *Code) KeyUpdated(t *ir.Table) bool {
	return Touches(t.Key, c.Updated[t]) || slices.ContainsFunc(t.Uniques, func(u ir.Unique) bool { return Touches(u.Columns, c.Updated[t]) })
}

// KeyFreed reports whether a key of a row may become free: the table loses
// rows or a column of a key changes.
func (c *Code) KeyFreed(t *ir.Table) bool { return c.Deleted[t] || c.KeyUpdated(t) }

// FreshKeys are the tables whose rows are all inserted with a primary key that was never
// there before.
func (c *Code) FreshKeys() map[*ir.Table]bool {
	out := map[*ir.Table]bool{}
	for _, t := range c.Program.Tables {
		out[t] = true
	}
	for _, txn := range c.Program.Txns {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Insert:
				out[s.Table] = out[s.Table] && GivesFresh(txn, s, s.Table.Key)
			case *ir.Unmodelled:
				for t := range out {
					out[t] = out[t] && (s.ReadOnly || s.Tables != nil && !slices.Contains(s.Tables, t))
				}
			default: // inserts nothing
			}
		})
	}
	return out
}

// GivesFresh reports whether an INSERT gives a column of a key a value that was never there.
func GivesFresh(txn *ir.Txn, s *ir.Insert, key []int) bool {
	if s.Table.Rowid && ir.SameColumns(key, s.Table.Key) {
		return true
	}
	for i, col := range s.Cols {
		if v, ok := s.Values[i].(*ir.Var); ok && slices.Contains(key, col) && onlyFresh(txn, v.Name) {
			return true
		}
	}
	return false
}

// onlyFresh reports whether a local has nothing but fresh values.
func onlyFresh(txn *ir.Txn, name string) bool {
	only := true
	for _, p := range txn.Params {
		only = only && (p.Name != name || p.Fresh)
	}
	ir.Walk(txn.Body, func(s ir.Stmt) {
		for _, set := range ir.Assigned(s) {
			if h, ok := s.(*ir.Havoc); set == name && (!ok || !h.Fresh) {
				only = false
			}
		}
	})
	return only
}
