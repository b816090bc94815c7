package ddl

import (
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Index takes over CREATE UNIQUE INDEX; of other indexes what they compute matters, and in
// MySQL's dialect the columns.
func (l *Definer) Index(s *pg.IndexStmt, t *syntax.Text) {
	pos := t.Pos(int(s.Relation.Location))
	tab := l.Changed(s.Relation, t, false)
	taken := l.IndexNames[s.Idxname] || l.Sees(t).Relation(s.Idxname) != nil
	if s.Idxname != "" {
		l.IndexNames[s.Idxname] = true
	}
	switch {
	case tab == nil: // of a partition, or a materialized view
		if s.Unique {
			k := &schema.UniqueKey{Pos: pos, Name: s.Idxname}
			for _, n := range s.IndexParams {
				k.Columns = append(k.Columns, pg.Inner(n).(*pg.IndexElem).Name)
			}
			if s.WhereClause != nil {
				k.Columns = nil
			}
			l.keyOfPartition(s.Relation, k, t)
		}
		return
	case s.IfNotExists && taken && !l.In.MySQL:
		l.Note(pos, "there is something of the name %s already: this index is not made", s.Idxname)
		return
	case !s.Unique && !l.In.MySQL:
		var list []*pg.Node
		for _, n := range s.IndexParams {
			list = append(list, pg.Inner(n).(*pg.IndexElem).Expr)
		}
		for _, n := range append(list, s.WhereClause) {
			if n != nil {
				tab.Computed = append(tab.Computed, &schema.IndexExpr{Pos: pos, Name: syntax.NameOr(s.Idxname, "on "+tab.Rel.Own()), Expr: schema.SQLExpr{Node: n, Text: t}})
			}
		}
		return
	case !s.Unique:
		tab.LookedUp = append(tab.LookedUp, indexedColumns(s)...)
		return
	}
	name := tab.Rel.Own()
	if s.IfNotExists && slices.ContainsFunc(tab.Uniques, func(u *schema.UniqueKey) bool { return u.Name == s.Idxname }) {
		return
	}
	u := &schema.UniqueKey{Pos: pos, Name: s.Idxname, Partitions: openPartitions(tab, s.Relation)}
	hidden := syntax.NameOr(s.Idxname, "index "+strconv.Itoa(len(tab.Uniques)+1)+" of "+name)
	for _, n := range s.IndexParams {
		e := pg.Inner(n).(*pg.IndexElem)
		u.Parts = append(u.Parts, indexPart(e))
		if e.Name == "" {
			x := &schema.Column{Pos: pos, Name: hidden + " " + strconv.Itoa(len(u.Columns)+1), Generated: &schema.SQLExpr{Node: e.Expr, Text: t}, Index: true}
			tab.Indexed = append(tab.Indexed, x)
			u.Columns = append(u.Columns, x.Name)
			continue
		}
		u.Columns = append(u.Columns, e.Name)
	}
	for _, n := range s.IndexParams {
		if e := pg.Inner(n).(*pg.IndexElem); e.Name != "" {
			l.CheckColumns(tab, pos, []string{e.Name})
		}
	}
	u.Name = syntax.NameOr(u.Name, nameOfUnique(tab, u))
	u.Nulls = s.NullsNotDistinct
	if s.WhereClause != nil {
		u.Where = &schema.SQLExpr{Node: s.WhereClause, Text: t}
	}
	tab.Uniques = append(tab.Uniques, u)
}

// dropUnused takes away what no unique index of a table computes any more.
func dropUnused(tab *schema.Table) {
	tab.Indexed = schema.Without(tab.Indexed, func(c *schema.Column) bool {
		return !slices.ContainsFunc(tab.Uniques, func(u *schema.UniqueKey) bool { return slices.Contains(u.Columns, c.Name) })
	})
}

// indexedColumns gives the columns that an index is over, by themselves or in expressions.
func indexedColumns(s *pg.IndexStmt) []string {
	var out []string
	for _, n := range s.IndexParams {
		e := pg.Inner(n).(*pg.IndexElem)
		if e.Name != "" {
			out = append(out, e.Name)
			continue
		}
		pg.Walk(e.Expr, func(x any) bool {
			if c, ok := x.(*pg.ColumnRef); ok {
				out = append(out, syntax.Names(c.Fields)...)
			}
			return true
		})
	}
	return out
}

// indexPart is what the name that PostgreSQL makes for an index has for a column or expression.
func indexPart(e *pg.IndexElem) string {
	if e.Name != "" {
		return e.Name
	}
	if name := syntax.ExprName(e.Expr); name != "?column?" {
		return name
	}
	return "expr"
}
