package weak

import (
	"fmt"

	"github.com/txrobust/robust/ir"
)

// Beyond says what of a program has no meaning in these models, with its place, or gives "".
// Neither a proof nor an execution says anything about such a program.
func Beyond(p *ir.Program) string {
	for _, t := range p.Tables {
		what := ""
		switch {
		case t.Mutex:
			what = "the mutex " + t.Name
		case len(t.Uniques) > 0:
			what = "the unique key of " + t.Name
		case len(t.Exclusions)+len(t.Late) > 0:
			what = "the exclusion of " + t.Name
		case len(t.ForeignKeys) > 0:
			what = "the foreign key of " + t.Name
		}
		for i := range t.Checks {
			if ir.HasExists(t.Checks[i].Expr) {
				what = "the CHECK of " + t.Name + ", which looks at other rows,"
			}
		}
		if what != "" {
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

// unmodelled says what of a statement has no meaning, or gives "".
func unmodelled(s ir.Stmt) string {
	if locks, _ := ir.LocksOf(s); len(locks) > 0 {
		return "a row lock has no meaning where nobody waits for others"
	}
	switch s := s.(type) {
	case *ir.Havoc:
		if s.Of != "" {
			return s.Of + " is chosen by a database, of which there is not one alone"
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
	case *ir.Send:
		return "what is sent elsewhere is not followed"
	case *ir.CopyTable, *ir.Fail:
		return "the statement is one of the instrumentation"
	case *ir.Select:
		if s.Skips != ir.NoLock {
			return "SKIP LOCKED has no meaning where nobody waits for others"
		}
	}
	return ""
}
