package syntax

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
)

// Use says what is made of the rows of a SELECT.
type Use struct {
	// Nested says that it is a subquery of an expression, Once that it runs once, before the
	// statement that it is in.
	Nested, Once bool
	// Whether says that only the existence of a row matters.
	Whether bool
	// Distinct says that it does not matter how often a row comes, Limited that LIMIT and
	// OFFSET are seen to elsewhere.
	Distinct, Limited bool
}

// Shape says what a SELECT does, outside of FROM, beyond choosing rows and computing columns of
// them, "" if it does nothing else.
func Shape(s *pg.SelectStmt, use Use) string {
	switch {
	case s.Op != pg.SetOpNone && s.Op != 0:
		return strings.TrimPrefix(s.Op.String(), "SETOP_")
	case len(s.ValuesLists) > 0:
		return "VALUES as a query"
	case len(s.GroupClause) > 0:
		return "GROUP BY"
	case s.HavingClause != nil:
		return "HAVING"
	case len(s.WindowClause) > 0:
		return "a window function"
	case len(s.DistinctClause) > 0 && !use.Whether && !use.Distinct:
		return "DISTINCT"
	case s.LimitOption == pg.LimitWithTies:
		return "WITH TIES"
	case s.IntoClause != nil:
		return "SELECT INTO a new table"
	case s.LimitOffset != nil && !use.Limited && !isZero(s.LimitOffset):
		return "OFFSET"
	}
	return ""
}

// isZero reports whether an expression is the number 0.
func isZero(n *pg.Node) bool {
	c, ok := pg.Inner(n).(*pg.A_Const)
	return ok && c.GetIval() != nil && c.GetIval().Ival == 0
}

// IsFlat reports whether a query in FROM only chooses rows, apart from what its own FROM does.
// picked says that LIMIT is seen to.
func IsFlat(s *pg.SelectStmt, picked bool) bool {
	return Shape(s, Use{Limited: true}) == "" && s.WithClause == nil && len(s.FromClause) > 0 &&
		(picked || s.LimitCount == nil && s.LimitOffset == nil) && !HasAggregates(s.TargetList)
}

// Computes reports whether the output columns of a query are computed: EXISTS does so where it
// cannot do without them (simplify_EXISTS_query of PostgreSQL).
func Computes(s *pg.SelectStmt, use Use) bool {
	return !use.Whether || len(s.LockingClause) > 0 || s.LimitOffset != nil
}

// IsLimited reports whether a query has LIMIT or OFFSET, and does not skip rows.
func IsLimited(s *pg.SelectStmt) bool {
	return (s.LimitCount != nil || s.LimitOffset != nil) && !SkipsLocked(s) && s.LimitOption != pg.LimitWithTies
}

// SkipsLocked reports whether a query has SKIP LOCKED.
func SkipsLocked(s *pg.SelectStmt) bool {
	for _, n := range s.LockingClause {
		if pg.Inner(n).(*pg.LockingClause).WaitPolicy == pg.LockWaitSkip {
			return true
		}
	}
	return false
}

// ArrayQuery gives the query of v = ANY (ARRAY(SELECT …)), nil for something
// else.
func ArrayQuery(e *pg.A_Expr) *pg.SelectStmt {
	l, ok := pg.Inner(e.Rexpr).(*pg.SubLink)
	if op := Names(e.Name); e.Kind != pg.ExprOpAny || !ok || l.SubLinkType != pg.SubArray || op[len(op)-1] != "=" {
		return nil
	}
	s, _ := pg.Inner(l.Subselect).(*pg.SelectStmt)
	return s
}

// OperatorOf gives the operator before ANY; IN has none.
func OperatorOf(e *pg.SubLink) string {
	if ops := Names(e.OperName); len(ops) > 0 {
		return ops[len(ops)-1]
	}
	return "="
}

// SortKeys gives the expressions of ORDER BY.
func SortKeys(s *pg.SelectStmt) []*pg.Node {
	var out []*pg.Node
	for _, n := range s.SortClause {
		out = append(out, pg.Inner(n).(*pg.SortBy).Node)
	}
	return out
}
