package schema

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// TakeLimit takes ORDER BY and LIMIT of an UPDATE or DELETE, which only MySQL has,
// out of its condition, where mysql.Postgres has put them.
func (l *Schema) TakeLimit(tree any) {
	var where **pg.Node
	switch s := tree.(type) {
	case *pg.UpdateStmt:
		where = &s.WhereClause
	case *pg.DeleteStmt:
		where = &s.WhereClause
	default:
		return
	}
	if *where == nil {
		return
	}
	n := *where
	and, ok := pg.Inner(n).(*pg.BoolExpr)
	if ok && and.Boolop == pg.BoolAnd {
		n = and.Args[len(and.Args)-1]
	}
	link, isLink := pg.Inner(n).(*pg.SubLink)
	if !isLink {
		return
	}
	s, isSelect := pg.Inner(link.Subselect).(*pg.SelectStmt)
	if !isSelect || len(s.TargetList) != 1 || len(s.FromClause) > 0 {
		return
	}
	c, isColumn := pg.Inner(pg.Inner(s.TargetList[0]).(*pg.ResTarget).Val).(*pg.ColumnRef)
	if !isColumn || !slices.Equal(syntax.Names(c.Fields), []string{mysql.LimitWord}) {
		return
	}
	switch {
	case !ok:
		*where = nil
	case len(and.Args) == 2:
		*where = and.Args[0]
	default:
		and.Args = and.Args[:len(and.Args)-1]
	}
	if l.Limited == nil {
		l.Limited = map[any]*pg.SelectStmt{}
	}
	l.Limited[tree] = s
}
