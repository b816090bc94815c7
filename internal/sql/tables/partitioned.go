package tables

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/schema"
)

// Newer gives the foreign keys, by table and name, to partitioned tables whose keys some transaction
// gives or takes. PostgreSQL looks for such a parent in a snapshot that it takes for
// the check (engine.Postgres, fact 9a). Where the keys of the parents stay, that is
// the same as looking in the snapshot of the transaction.
func (l *Completer) Newer() [][2]string {
	var out [][2]string
	for _, t := range l.Order {
		for _, f := range t.Foreign {
			if f.Number < 0 || !f.Parent().Partitioned {
				continue
			}
			key := &t.IR.ForeignKeys[f.Number]
			if slices.ContainsFunc(l.Prog.Txns, func(txn *ir.Txn) bool { return changesKeys(txn, key) }) {
				out = append(out, [2]string{t.Name, f.Name})
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

// openKeys sees to the unique keys of partitioned tables that are declared for them ONLY, so that not
// all partitions have an index for them: they are constraints that are not seen.
func (l *Completer) openKeys(t *schema.Table) {
	if k := t.Key; k != nil && k.Open() {
		t.Odd = "a primary key that partitions may not have"
		l.Note(k.Pos, "primary key %s is declared ONLY for the partitioned table and has no index of each partition: no statement on %s is modelled; write ALTER INDEX … ATTACH PARTITION, or leave out ONLY", k.Name, t.Name)
	}
	t.Uniques = schema.Without(t.Uniques, func(u *schema.UniqueKey) bool {
		if u.Open() {
			t.Hide(&schema.Unseen{Pos: u.Pos, Name: u.Name, What: "unique index " + u.Name + ", which is declared ONLY for a partitioned table and has no index of each partition (ALTER INDEX … ATTACH PARTITION)",
				Key: true, On: schema.OnInsert | schema.OnUpdate, Tables: []string{t.Name}})
		}
		return u.Open()
	})
	for _, k := range t.PartitionKeys {
		if t.Key != nil && keepsApart(t.Key, k) || slices.ContainsFunc(t.Uniques, func(u *schema.UniqueKey) bool { return keepsApart(u, k) }) {
			continue
		}
		t.Hide(&schema.Unseen{Pos: k.Pos, Name: k.Name, What: "a unique key of one partition", Key: true, On: schema.OnInsert | schema.OnUpdate, Tables: []string{t.Name}})
	}
}

// keepsApart reports whether a key of the partitioned table keeps the rows of a partition apart as its
// own does, or is made of that.
func keepsApart(u, k *schema.UniqueKey) bool {
	missing := func(c string) bool { return !slices.Contains(k.Columns, c) }
	return !u.Open() && (k.Name != "" && slices.Contains(u.Joined, k.Name) || k.Columns != nil && u.Where == nil && !slices.ContainsFunc(u.Columns, missing))
}
