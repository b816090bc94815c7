package readcommitted

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// together reports whether two statements are of one command, and see one snapshot.
func together(x, y ir.Stmt) bool {
	return x.Command() == y.Command() && x.Snapshot() == y.Snapshot() && x.Snapshot() >= 0
}

// returns reports whether a query gives what the UPDATE or DELETE that is sent returns, or
// how many rows it has. A subquery of it does not: after a wait it is not computed again.
func (a *flow) returns(s ir.Stmt, t *ir.Table) bool {
	x, one := s.(*ir.Select)
	rows, several := s.(*ir.EmitRows)
	if one && x.Returned || several && rows.Returned {
		return true
	}
	c := a.sent
	if c == nil || !together(c, s) || c.Table != t || c.Verb != ir.Updates && c.Verb != ir.Deletes {
		return false
	}
	for _, name := range ir.Assigned(s) {
		if name != c.Found && name != c.Count && !slices.Contains(c.Into, name) {
			return false
		}
	}
	return true
}

// foundByWrite reports whether a query tells what an UPDATE or DELETE of its command finds: it
// tells then whether the row is there that this one locks.
func (a *flow) foundByWrite(s ir.Stmt, q *ir.Query) bool {
	if q == nil || len(q.From) != 1 || a.plain[s] {
		return false
	}
	src := q.From[0]
	row := conditionsOf(src.Table, src.Row, ir.Conjuncts(q.Where))
	return a.written(s, src, q.Where) != ir.NoLock && (a.returns(s, src.Table) || a.existence(s, row, src))
}

// existence reports whether a query tells only whether there is a row, and what never changes of it. Before
// an UPDATE that asks for the same rows it gives what that finds: where the two differ after a wait, the
// UPDATE finds nothing, and a subquery of it is not used.
func (a *flow) existence(s ir.Stmt, row equals, src ir.Source) bool {
	switch s := s.(type) {
	case *ir.Assign:
		_, is := s.Expr.(*ir.Exists)
		return is
	case *ir.Select:
		_, one := row.fixed(src.Table)
		changes := func(e ir.Expr) bool {
			c, column := e.(*ir.Col)
			_, constant := e.(*ir.Const)
			return !constant && !(column && c.Row == src.Row && !a.code.Updated[src.Table][src.Table.Column(c.Col)])
		}
		return one && !slices.ContainsFunc(s.Aggs, func(g ir.Agg) bool { return g.Fn != "count" || g.Arg != nil }) && !slices.ContainsFunc(s.Cols, changes)
	default:
		return false
	}
}

// allIn reports whether each part of one condition is a part of another. The rows that MySQL counts as changed are those that an UPDATE
// finds, and locks, and to which it gives another value.
func allIn(cond, other ir.Expr) bool {
	var there []string
	for _, c := range ir.Conjuncts(other) {
		there = append(there, text(c))
	}
	return !slices.ContainsFunc(ir.Conjuncts(cond), func(c ir.Expr) bool { return !slices.Contains(there, text(c)) })
}

// written gives the mode in which an UPDATE or DELETE that follows a query in its command
// locks the same rows: what it returns, and how many rows there are, is computed before.
func (a *flow) written(s ir.Stmt, src ir.Source, where ir.Expr) ir.LockMode {
	used := namesIn(where)
	changed := func(s ir.Stmt) bool {
		return slices.ContainsFunc(ir.Assigned(s), func(n string) bool { return slices.Contains(used, n) })
	}
	same := func(next ir.Stmt, table *ir.Table, row string, cond ir.Expr) bool {
		return together(next, s) && table == src.Table && row == src.Row && (text(cond) == text(where) || a.code.Program.MySQL && allIn(cond, where))
	}
	if s.Command() == 0 || changed(s) {
		return ir.NoLock
	}
	for _, next := range a.rest {
		switch w := next.(type) {
		case *ir.Update:
			if same(w, w.Table, w.Row, w.Where) {
				return ir.ForNoKeyUpdate
			}
			return ir.NoLock
		case *ir.Delete:
			if same(w, w.Table, w.Row, w.Where) {
				return ir.ForUpdate
			}
			return ir.NoLock
		case *ir.Assign, *ir.Havoc, *ir.Dropped:
			if x, ok := next.(*ir.Assign); ok && ir.HasExists(x.Expr) {
				q := firstQuery(x)
				if _, is := x.Expr.(*ir.Exists); is && len(q.From) == 1 && same(next, q.From[0].Table, q.From[0].Row, q.Where) {
					break
				}
			}
			if len(ir.Reads(next)) > 0 {
				return ir.NoLock
			}
		case *ir.Select, *ir.EmitRows:
			_, q := ir.LocksOf(next)
			if len(q.From) != 1 || !same(next, q.From[0].Table, q.From[0].Row, q.Where) {
				return ir.NoLock
			}
		default:
			return ir.NoLock
		}
		if changed(next) {
			return ir.NoLock
		}
	}
	return ir.NoLock
}
