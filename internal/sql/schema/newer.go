package schema

import (
	"slices"

	"github.com/txrobust/robust/ir"
)

// Newer gives the foreign keys to partitioned tables whose keys some transaction
// gives or takes. PostgreSQL looks for such a parent in a snapshot that it takes for
// the check (engine.Postgres, fact 9a). Where the keys of the parents stay, that is
// the same as looking in the snapshot of the transaction.
func (l *Schema) Newer() []lateKey {
	var out []lateKey
	for _, t := range l.Order {
		for _, f := range t.Foreign {
			if f.Number < 0 || !f.Parent().Partitioned {
				continue
			}
			key := &t.IR.ForeignKeys[f.Number]
			if slices.ContainsFunc(l.Prog.Txns, func(txn *ir.Txn) bool { return changesKeys(txn, key) }) {
				out = append(out, lateKey{t.Name, f.Name})
			}
		}
	}
	return out
}

// changesKeys reports whether a transaction may give the table that a foreign key refers to a
// row with a new key, or take one away.
func changesKeys(txn *ir.Txn, key *ir.ForeignKey) bool {
	found := false
	ir.Walk(txn.Body, func(s ir.Stmt) {
		if u, ok := s.(*ir.Unmodelled); ok {
			found = found || !u.ReadOnly && (u.Tables == nil || slices.Contains(u.Tables, key.Ref))
			return
		}
		if ir.Written(s) != key.Ref {
			return
		}
		u, ok := s.(*ir.Update)
		found = found || !ok || slices.ContainsFunc(u.Sets, func(x ir.Set) bool { return slices.Contains(key.RefColumns, x.Col) })
	})
	return found
}
