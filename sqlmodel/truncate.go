package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/ir"
)

// stale puts an ir.Unmodelled before each statement that reads a table which
// TRUNCATE may have emptied since the snapshot: then it sees no rows, which no
// statement on a snapshot does. It stands for a write as well, since with it the
// transaction depends on the moment at which it reads, both ways: a transaction
// that truncates the table cannot leave the time between its snapshot and its
// end.
//
// A transaction that locks the table before it takes its snapshot need not be
// told: nobody truncates it until it ends. Nor need one that only inserts, for
// that looks at what is there now.
func (b *builder) stale() {
	if len(b.App.Emptied) == 0 {
		return
	}
	locked := map[*ir.Table]bool{}
	for _, s := range b.Txn.Body {
		if k, ok := s.(*ir.LockTable); ok {
			locked[k.Table] = true
		} else if ir.TakesSnapshot(s) || len(ir.Children(s)) > 0 {
			break
		}
	}
	concerned := func(s ir.Stmt) []*ir.Table {
		read := map[*ir.Table]bool{}
		for _, src := range ir.Reads(s) {
			read[src.Table] = true
		}
		u, unmodelled := s.(*ir.Unmodelled)
		if unmodelled && u.ReadOnly {
			for _, t := range u.Tables {
				read[t] = true
			}
		}
		var out []*ir.Table
		for _, t := range b.App.Order {
			if b.App.Emptied[t.Name] && t.IR != nil && !locked[t.IR] && (read[t.IR] || unmodelled && u.ReadOnly && u.Tables == nil) {
				out = append(out, t.IR)
			}
		}
		return out
	}
	var walk func(list []ir.Stmt) []ir.Stmt
	walk = func(list []ir.Stmt) []ir.Stmt {
		var out []ir.Stmt
		for _, s := range list {
			if tables := concerned(s); len(tables) > 0 {
				out = append(out, &ir.Unmodelled{At: query.At(s.Position()), Tables: tables,
					Reason: "rows that TRUNCATE or ALTER TABLE may take away from an older snapshot, which DELETE does not"})
			}
			ir.EditChildren(s, walk)
			out = append(out, s)
		}
		return out
	}
	b.Txn.Body = walk(b.Txn.Body)
}
