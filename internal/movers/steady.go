package movers

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
)

// steady reports whether a transaction, if it commits, would have done the same
// with a snapshot taken at that moment, for a reason that needs no solver: all
// that it reads is in rows that it writes, so that nobody else did meanwhile,
// or is never written. Such a transaction need not be delayed. Exclusion must
// be by row.
func steady(code *prepare.Code, t *ir.Txn, opt Options) bool {
	if opt.Classic || opt.naive || !opt.Engine.EqualWrites {
		return false
	}
	ok := true
	ir.Walk(t.Body, func(s ir.Stmt) {
		ok = ok && steadyStmt(code, s)
		for _, x := range ir.Exprs(s) {
			ir.WalkExpr(x, func(x ir.Expr) {
				if sub, is := x.(*ir.Exists); is {
					ok = ok && constant(code, &sub.Query, nil)
				}
			})
		}
	})
	return ok
}

func steadyStmt(code *prepare.Code, s ir.Stmt) bool {
	switch s := s.(type) {
	case *ir.Assign, *ir.Havoc, *ir.Send, *ir.Emit, *ir.If, *ir.Block, *ir.While, *ir.ForRange,
		*ir.Break, *ir.Continue, *ir.Return, *ir.Assume, *ir.Abort, *ir.LockTable, *ir.Dropped:
		return true
	case *ir.Select:
		return constant(code, &s.Query, ir.Exprs(s))
	case *ir.EmitRows:
		return constant(code, &s.Query, ir.Exprs(s))
	case *ir.Foreach:
		return constant(code, &s.Query, ir.Exprs(s))
	case *ir.LockRows:
		return constant(code, &s.Query, ir.Exprs(s))
	case *ir.Update:
		return sameRows(code, s.Table, s.Row, s.Where)
	case *ir.Delete:
		return sameRows(code, s.Table, s.Row, s.Where)
	case *ir.Insert:
		// Whether the key was there is decided once and for all, or by two
		// insertions of which one fails.
		if code.KeyFreed(s.Table) || slices.ContainsFunc(s.Table.Uniques, func(u ir.Unique) bool { return u.Where != nil }) ||
			slices.ContainsFunc(s.Table.Exclusions, func(x ir.Exclusion) bool { return code.Released(s.Table, &x) }) {
			return false
		}
		return s.Conflict == nil || s.Conflict.Where == nil
	}
	return false
}

// sameRows reports whether the rows of a table that satisfy a condition, which
// are all written, stay the same but for those that others write.
func sameRows(code *prepare.Code, t *ir.Table, row string, where ir.Expr) bool {
	return !code.Inserted[t] && unchanged(code, []ir.Source{{Table: t, Row: row}}, []ir.Expr{where})
}

// constant reports whether no transaction changes what a query finds. exprs are
// those in which its rows occur, beyond its condition.
func constant(code *prepare.Code, q *ir.Query, exprs []ir.Expr) bool {
	for _, src := range q.From {
		if code.Inserted[src.Table] || code.Deleted[src.Table] {
			return false
		}
	}
	return unchanged(code, q.From, append(slices.Clone(exprs), q.Where))
}

// unchanged reports whether no transaction updates a column of the sources
// that occurs in the expressions.
func unchanged(code *prepare.Code, from []ir.Source, exprs []ir.Expr) bool {
	ok := true
	for _, src := range from {
		for _, x := range exprs {
			ir.WalkExpr(x, func(x ir.Expr) {
				if c, is := x.(*ir.Col); is && c.Row == src.Row {
					ok = ok && !code.Updated[src.Table][src.Table.Column(c.Col)]
				}
			})
		}
	}
	return ok
}
