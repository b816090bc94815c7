package sqlmodel

import "github.com/txrobust/robust/ir"

// ROLLBACK TO gives back the locks of tables that were taken since the savepoint
// (manual, 13.3). As long as they are held they exclude others, which an execution may
// need; since it is not known who waited for them, they are marked as left out.

// givesBack leaves out the locks of tables that a rollback to a savepoint before them may
// give back.
func (b *builder) givesBack() {
	at := map[ir.Stmt]int{}
	set, rolled := map[string]int{}, map[string]int{}
	n := 0
	ir.Walk(b.txn.Body, func(s ir.Stmt) {
		n++
		at[s] = n
		switch s := s.(type) {
		case *ir.Savepoint:
			if set[s.Name] == 0 {
				set[s.Name] = n
			}
		case *ir.RollbackTo:
			rolled[s.Name] = n
		}
	})
	if len(rolled) == 0 {
		return
	}
	var edit func(list []ir.Stmt) []ir.Stmt
	edit = func(list []ir.Stmt) []ir.Stmt {
		for i, s := range list {
			ir.EditChildren(s, edit)
			lock, ok := s.(*ir.LockTable)
			if !ok {
				continue
			}
			for name, end := range rolled {
				if begin := set[name]; begin > 0 && begin < at[s] && at[s] < end {
					list[i] = &ir.Dropped{At: lock.At, Kind: ir.ByTableLock, What: "LOCK TABLE of " + lock.Table.Name + ", which a rollback to a savepoint gives back",
						Tables: []*ir.Table{lock.Table}}
				}
			}
		}
		return list
	}
	b.txn.Body = edit(b.txn.Body)
}
