package weak

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// Beyond says what of a program has no meaning in these models, with its place, or gives "".
// Neither a proof nor an execution says anything about such a program. A constraint between rows
// has a meaning where what a transaction sees of it stays so: no row of a unique key comes or
// changes, and parents stay.
func Beyond(p *ir.Program) string {
	w := map[*ir.Table]*changes{}
	for _, t := range p.Tables {
		w[t] = &changes{sets: map[int]bool{}}
	}
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) { change(w, s) })
	}
	for _, t := range p.Tables {
		if what := broken(t, w); what != "" {
			return fmt.Sprintf("%s: %s has no meaning where no state is the current one", t.Pos, what)
		}
	}
	for _, t := range p.Txns {
		why := ""
		ir.Walk(t.Body, func(s ir.Stmt) {
			if what := unmodelled(s); what != "" && why == "" {
				why = fmt.Sprintf("%s: in %s: %s", s.Position(), t.Name, what)
			}
		})
		if why != "" {
			return why
		}
	}
	return ""
}

// changes are what the transactions of a program do to a table.
type changes struct {
	inserts, deletes bool
	sets             map[int]bool
}

// change adds what a statement does.
func change(w map[*ir.Table]*changes, s ir.Stmt) {
	sets := func(t *ir.Table, list []ir.Set) {
		for _, set := range list {
			w[t].sets[set.Col] = true
		}
	}
	switch s := s.(type) {
	case *ir.Insert:
		w[s.Table].inserts = true
		if s.Conflict != nil {
			sets(s.Table, s.Conflict.Sets)
		}
	case *ir.Delete:
		w[s.Table].deletes = true
	case *ir.Update:
		sets(s.Table, s.Sets)
	default: // it writes nothing
	}
}

// broken names a constraint of a table that transactions may break together, or is "".
func broken(t *ir.Table, w map[*ir.Table]*changes) string {
	own := w[t]
	sets := func(of *changes, cols []int) bool {
		return slices.ContainsFunc(cols, func(c int) bool { return of.sets[c] })
	}
	switch {
	case t.Mutex:
		return "the mutex " + t.Name
	case len(t.Exclusions)+len(t.Late) > 0 && (own.inserts || len(own.sets) > 0):
		return "the exclusion of " + t.Name
	}
	for _, u := range t.Uniques {
		if own.inserts || sets(own, u.Columns) || u.Where != nil && len(own.sets) > 0 {
			return "the unique key of " + t.Name
		}
	}
	for _, fk := range t.ForeignKeys {
		if parent := w[fk.Ref]; parent.deletes || sets(parent, fk.RefColumns) {
			return "the foreign key of " + t.Name + ", whose parents go or change,"
		}
	}
	for i := range t.Checks {
		if ir.HasExists(t.Checks[i].Expr) {
			return "the CHECK of " + t.Name + ", which looks at other rows,"
		}
	}
	return ""
}

// unmodelled says what of a statement has no meaning, or gives "".
func unmodelled(s ir.Stmt) string {
	if locks, _ := ir.LocksOf(s); len(locks) > 0 {
		return "a row lock has no meaning where nobody waits for others"
	}
	switch s := s.(type) {
	case *ir.Havoc:
		if s.Fresh && s.Source() != "" {
			return s.Of + " is drawn from a sequence, which all would have to share"
		}
	case *ir.LockRows, *ir.LockTable:
		return "a lock has no meaning where nobody waits for others"
	case *ir.Cascade:
		return "the action of a foreign key has no meaning where no state is the current one"
	case *ir.Dropped:
		return "what the database may refuse is not known: " + s.What
	case *ir.Unmodelled:
		return "a statement is not modelled: " + s.Reason
	case *ir.Savepoint, *ir.RollbackTo:
		return "savepoints are not followed"
	case *ir.CopyTable, *ir.Fail:
		return "the statement is one of the instrumentation"
	case *ir.Select:
		if s.Skips != ir.NoLock {
			return "SKIP LOCKED has no meaning where nobody waits for others"
		}
	default: // it has a meaning
	}
	return ""
}
