package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// takeLimit takes ORDER BY and LIMIT of an UPDATE or DELETE, which only MySQL has,
// out of its condition, where mysql.Postgres has put them.
func (l *Schema) takeLimit(tree any) {
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
	if l.limited == nil {
		l.limited = map[any]*pg.SelectStmt{}
	}
	l.limited[tree] = s
}

// limit restricts a write to as many rows as its LIMIT allows, the first ones in
// its order, or any. A key that the condition fixes makes it one row at most.
func (b *builder) limit(w *writeQuery, row *rowSource, tree any, pos ir.Pos) {
	s := b.l.limited[tree]
	if s == nil {
		return
	}
	if len(w.other) > 0 {
		b.unmodelled("LIMIT in a write of several tables")
	}
	q := &query{in: w.in, level: w.in.levels[len(w.in.levels)-1], from: []ir.Source{row.irSource()}, where: w.where, atMost: -1}
	outer := *w.in
	outer.levels = outer.levels[:len(outer.levels)-1]
	q.limits(&outer, s)
	switch {
	case q.limit == nil || q.atMost > 0 && b.singleRow(q.ir()):
		return
	case q.atMost == 1:
		q.sort(s)
		w.where = b.firstOf(q, pos)(q.from)
		return
	}
	q.sort(s)
	w.where = ir.AndE(q.where, b.kept(q, q.limit, nil, pos)(q.from))
}
