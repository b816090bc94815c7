package syntax

import "github.com/txrobust/robust/internal/sql/pg"

// NamesTable counts the places of FROM lists in a tree that have a name without a schema.
func NamesTable(root pg.Message, name string) int {
	n := 0
	pg.Walk(root, func(tree any) bool {
		if r, ok := tree.(*pg.RangeVar); ok && r.Schemaname == "" && r.Relname == name {
			n++
		}
		return true
	})
	return n
}

// OddRecursion says why a query of WITH RECURSIVE that names itself has not the form that is modelled, "" if it has: a query, UNION, and a
// query without grouping, order and the like, in whose FROM list the name stands once, and not where an outer join adds rows.
func OddRecursion(c *pg.CommonTableExpr, s *pg.SelectStmt) string {
	switch r := s.Rarg; {
	case c.SearchClause != nil || c.CycleClause != nil:
		return "with SEARCH or CYCLE"
	case s.Op != pg.SetOpUnion:
		return "without UNION"
	case !wholeUnion(s):
		return "with WITH, ORDER BY, LIMIT or FOR UPDATE around UNION"
	case NamesTable(s.Larg, c.Ctename) > 0:
		return "that names itself before UNION"
	case NamesTable(r, c.Ctename) != 1:
		return "that names itself several times"
	case r.Op != pg.SetOpNone && r.Op != 0 || !wholeUnion(r) || len(r.DistinctClause) > 0 || len(r.GroupClause) > 0 || r.HavingClause != nil || HasAggregates(r.TargetList) || HasWindows(r.TargetList):
		return "that does more after UNION than to join and to choose rows"
	case !joins(r.FromClause, c.Ctename):
		return "that names itself in a subquery or an outer join"
	}
	return ""
}

// wholeUnion reports whether nothing is around a query.
func wholeUnion(s *pg.SelectStmt) bool {
	return s.WithClause == nil && len(s.SortClause) == 0 && s.LimitCount == nil && s.LimitOffset == nil && len(s.LockingClause) == 0 && s.IntoClause == nil
}

// joins reports whether a name stands in a FROM list where each row of the result has a row of it.
func joins(list []*pg.Node, name string) bool {
	for _, n := range list {
		switch f := pg.Inner(n).(type) {
		case *pg.RangeVar:
			if f.Schemaname == "" && f.Relname == name {
				return true
			}
		case *pg.JoinExpr:
			if (f.Jointype == pg.JoinInner || f.Jointype == pg.JoinLeft) && joins([]*pg.Node{f.Larg}, name) ||
				(f.Jointype == pg.JoinInner || f.Jointype == pg.JoinRight) && joins([]*pg.Node{f.Rarg}, name) {
				return true
			}
		}
	}
	return false
}
