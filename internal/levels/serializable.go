package levels

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
)

// Unserialized says why a program all of whose transactions run at SERIALIZABLE need not be
// serializable on PostgreSQL, or gives "". The database follows what they read and
// write; keys and references it checks on the current rows, past the snapshot, and does not
// follow that. So nobody may free a key that another one takes, nor take a child
// away from a parent that another one deletes (docs/soundness.md, 9.3).
func Unserialized(p *ir.Program) string {
	code := prepare.Of(p)
	for _, t := range p.Txns {
		if why := beyondReads(t); why != "" {
			return why
		}
	}
	for _, t := range p.Tables {
		if why := freed(p, code, t); why != "" {
			return why
		}
	}
	return ""
}

// beyondReads says what of a transaction the database does not follow.
func beyondReads(t *ir.Txn) string {
	why := ""
	if t.Subtransactions {
		why = t.Name + " has subtransactions, which may go on after an error that SERIALIZABLE does not follow"
	}
	ir.Walk(t.Body, func(s ir.Stmt) {
		if why != "" {
			return
		}
		switch s := s.(type) {
		case *ir.Unmodelled:
			why = fmt.Sprintf("%s: a statement is not modelled", s.Pos)
		case *ir.Savepoint, *ir.RollbackTo:
			why = fmt.Sprintf("%s: a savepoint may go on after an error that SERIALIZABLE does not follow", s.Position())
		case *ir.Cascade:
			why = fmt.Sprintf("%s: the action of a foreign key passes over rows that others have taken away", s.Pos)
		case *ir.Insert:
			if s.Moved != nil {
				why = fmt.Sprintf("%s: an UPDATE changes a key", s.Pos)
			}
		default: // the database follows what it reads and writes
		}
	})
	return why
}

// freed says how a key or a parent of a table may be freed for another transaction.
func freed(p *ir.Program, code *prepare.Code, t *ir.Table) string {
	keys := append([]ir.Unique{{Columns: t.Key}}, t.Uniques...)
	for i, k := range keys {
		changed := i > 0 && prepare.Touches(ranges(t, k), code.Updated[t])
		if (changed || code.Deleted[t]) && (changed || given(p, t, k)) {
			return "a key of " + t.Name + " may be freed by one transaction and taken by another one, whatever their snapshots"
		}
	}
	if excludes := len(t.Exclusions)+len(t.Late) > 0; excludes && (code.Deleted[t] || slices.Contains(code.Updated[t], true)) {
		return "what an exclusion constraint of " + t.Name + " keeps out may be let in by another transaction"
	}
	for i := range t.ForeignKeys {
		fk := &t.ForeignKeys[i]
		leaves := code.Deleted[t] || prepare.Touches(fk.Columns, code.Updated[t])
		if leaves && (code.Deleted[fk.Ref] || prepare.Touches(fk.RefColumns, code.Updated[fk.Ref])) {
			return "a row of " + fk.Ref.Name + " may be deleted after its last row of " + t.Name + " went, whatever the snapshot"
		}
	}
	return ""
}

// ranges are the columns that decide which rows have a key, and which value of it.
func ranges(t *ir.Table, k ir.Unique) []int {
	out := slices.Clone(k.Columns)
	ir.WalkExpr(k.Where, func(e ir.Expr) {
		if c, ok := e.(*ir.Col); ok {
			out = append(out, t.Column(c.Col))
		}
	})
	return out
}

// given reports whether a template inserts rows with a key that may have been there
// before: with none of its columns fresh. One that reads nothing has no snapshot that could be
// older than the end of the row that had the key.
func given(p *ir.Program, t *ir.Table, k ir.Unique) bool {
	found := false
	for _, txn := range p.Txns {
		if onlyInserts(txn) {
			continue
		}
		ir.Walk(txn.Body, func(s ir.Stmt) {
			in, ok := s.(*ir.Insert)
			found = found || ok && in.Table == t && (in.Conflict != nil || !prepare.GivesFresh(txn, in, k.Columns))
		})
	}
	return found
}

// onlyInserts reports whether a template reads no rows, and changes none that are there.
func onlyInserts(t *ir.Txn) bool {
	ok := true
	ir.Walk(t.Body, func(s ir.Stmt) {
		in, inserts := s.(*ir.Insert)
		locks, _ := ir.LocksOf(s)
		_, table := s.(*ir.LockTable)
		d, dropped := s.(*ir.Dropped)
		ok = ok && len(ir.Reads(s)) == 0 && len(locks) == 0 && !table && !(dropped && (d.Observes || len(d.Query.From) > 0)) &&
			(ir.Written(s) == nil || inserts && in.Conflict == nil && in.Moved == nil)
	})
	return ok
}
