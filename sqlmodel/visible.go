package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/ir"
)

// What a part of a statement sees of the rows that the statement itself writes:
//
//   - subqueries, conditions and everything else that stands in the statement see none of them;
//   - a STABLE or IMMUTABLE function sees what the statement sees that calls it, in its own statements, too, and may not write;
//   - each statement of a VOLATILE function sees all that was written so far, by the statement around it, too.
//
// So a STABLE function that is called from a VOLATILE one sees what the statement sees in which that calls it.

// refuses writes the error of a command that a function which is not VOLATILE may not run, and reports whether it is one.
func (b *Routine) refuses(f *query.Frame, tree any, pos ir.Pos) bool {
	if f.Func == nil || !f.Func.Stable || f.Func.Script != nil || f.Func.Program != nil || readsOnly(tree) {
		return false
	}
	b.Fails(pos, "0A000")
	return true
}

// readsOnly reports whether a command neither writes nor locks rows.
func readsOnly(tree any) bool {
	s, ok := tree.(*pg.SelectStmt)
	if !ok {
		return false
	}
	reads := true
	pg.Walk(s, func(tree any) bool {
		switch tree := tree.(type) {
		case *pg.LockingClause, *pg.InsertStmt, *pg.UpdateStmt, *pg.DeleteStmt, *pg.MergeStmt:
			reads = false
		case *pg.SelectStmt:
			reads = reads && tree.IntoClause == nil
		}
		return reads
	})
	return reads
}
