package movers

import (
	"cmp"
	"fmt"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
)

// unprovable says why nothing is proved of a program, whatever its transactions do, or "".
func unprovable(p *ir.Program) string { return cmp.Or(revived(p), refused(p)) }

// refused says which template may be refused for a value that depends on what it has read.
func refused(p *ir.Program) string {
	for _, t := range p.Txns {
		reads, why := false, ""
		ir.Walk(t.Body, func(s ir.Stmt) {
			_, unmodelled := s.(*ir.Unmodelled)
			reads = reads || unmodelled || len(ir.Reads(s)) > 0
			if d, ok := s.(*ir.Dropped); ok && why == "" && d.Observes && d.Tables == nil {
				why = fmt.Sprintf("%s: %s may be refused, or go on otherwise, for %s, which is not modelled and may depend on what it has read", s.Position(), t.Name, d.What)
			}
		})
		if reads && why != "" {
			return why
		}
	}
	return ""
}

// revived says which template inserts a row and reads its table afterwards, where another
// one may delete rows, "" if none does. If the snapshot has a row with the key, and
// another transaction has deleted it since, the insertion succeeds, and the transaction
// sees both rows (internal/sqlgen/testdata/cases/key_of_a_deleted_row.sql). A FRESH key
// was never there.
func revived(p *ir.Program) string {
	deleted := map[*ir.Table]bool{}
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			switch s := s.(type) {
			case *ir.Delete:
				deleted[s.Table] = true
			case *ir.Cascade:
				deleted[s.Table] = true
			}
		})
	}
	for _, t := range p.Txns {
		if why := revives(t, deleted); why != "" {
			return why
		}
	}
	return ""
}

func revives(t *ir.Txn, deleted map[*ir.Table]bool) string {
	inserted := map[*ir.Table]*ir.Insert{}
	why := ""
	step := func(s ir.Stmt) {
		for _, src := range showingDeleted(s) {
			if i := inserted[src.Table]; i != nil && why == "" {
				why = fmt.Sprintf("%s: %s inserts a row of %s at %s and looks at the table afterwards: where another transaction has deleted the row with its key since the snapshot, it sees both rows; RETURNING gives the row that was inserted",
					s.Position(), t.Name, src.Table.Name, i.Position())
			}
		}
		if i, ok := s.(*ir.Insert); ok && deleted[i.Table] && !prepare.GivesFresh(t, i, i.Table.Key) {
			inserted[i.Table] = i
		}
	}
	ir.Walk(t.Body, step)
	looped := false
	ir.Walk(t.Body, func(s ir.Stmt) {
		switch s.(type) {
		case *ir.While, *ir.Foreach, *ir.ForRange:
			looped = true
		}
	})
	if looped { // what stands before an insertion may come after it
		ir.Walk(t.Body, step)
	}
	return why
}

// showingDeleted gives the sources of s where a row that another transaction has deleted
// changes what s does. An UPDATE or DELETE stops at such a row, RETURNING gives what was
// written, and a cascade acts on the rows that are there at the commit.
func showingDeleted(s ir.Stmt) []ir.Source {
	sources := ir.Reads(s)
	switch s := s.(type) {
	case *ir.Select:
		if s.Written {
			return sources[len(s.Query.From):]
		}
	case *ir.Update, *ir.Delete:
		return sources[1:]
	case *ir.Cascade:
		return nil
	}
	return sources
}
