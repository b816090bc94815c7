package write

import (
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Types binds a statement for the types of the parameters in it, and gives the columns that it returns.
func (b *Writer) Types(f *expr.Frame, t *syntax.Text, tree any) (cols []expr.Column) {
	x := b.Ex(f, t).Typing()
	x.TypesOfWith(syntax.WithOf(tree))
	switch s := tree.(type) {
	case *pg.SelectStmt:
		return x.Types(s)
	case *pg.InsertStmt:
		x.Bound(func() { cols = b.typesOfInsert(f, x, s) })
	case *pg.UpdateStmt:
		return b.typesOfRows(x, s, s.Relation, s.FromClause, s.WhereClause, s.TargetList, s.ReturningClause)
	case *pg.DeleteStmt:
		return b.typesOfRows(x, s, s.Relation, s.UsingClause, s.WhereClause, nil, s.ReturningClause)
	case *pg.MergeStmt:
		x.Bound(func() { b.typesOfMerge(f, x, s) })
	}
	return cols
}

// typesOfInsert is Types for INSERT behind its WITH queries.
func (b *Writer) typesOfInsert(f *expr.Frame, x *query.Place, s *pg.InsertStmt) []expr.Column {
	tab, through := x.InsertTarget(s.Relation)
	i := &inserter{b: b, f: f, x: x, s: s, tab: tab, through: through, early: map[int][]expr.Column{}}
	i.resolve()
	sel, _ := pg.Inner(s.SelectStmt).(*pg.SelectStmt)
	item := func(k int, n *pg.Node) {
		if _, isDefault := pg.Inner(n).(*pg.SetToDefault); !isDefault && k < len(i.cols) {
			x.Bound(func() { i.given(k, n) })
		}
	}
	switch {
	case sel == nil:
	case len(sel.ValuesLists) > 0:
		for _, row := range sel.ValuesLists {
			for k, n := range x.Expanded(pg.Inner(row).(*pg.List).Items) {
				item(k, n)
			}
		}
	default:
		q := &query.Query{Targets: x.Types(sel)}
		for k := range i.untyped(sel, q) {
			item(k, pg.TargetValue(sel.TargetList[k]))
		}
	}
	row := expr.TableSource(tab, tab.Name, "")
	if c := s.OnConflictClause; c != nil && c.Action == pg.ConflictUpdate {
		y, existing := x.Target(s.Relation)
		y.Levels[len(y.Levels)-1].Sources = append(y.Levels[len(y.Levels)-1].Sources, excludedRow(tab))
		b.typesOfSets(y, existing, c.TargetList)
		query.NewDerived(y).TypesOf(syntax.Conjuncts(c.WhereClause))
		row = existing
	}
	if s.ReturningClause == nil {
		return nil
	}
	return i.returned(row, row)
}

// typesOfSets is Types for SET.
func (b *Writer) typesOfSets(y *query.Place, row *expr.RowSource, list []*pg.Node) {
	for _, n := range list {
		y.Bound(func() { b.setList(y, row, []*pg.Node{n}) })
	}
}

// typesOfRows is Types for UPDATE and DELETE behind their WITH queries.
func (b *Writer) typesOfRows(x *query.Place, tree any, target *pg.RangeVar, from []*pg.Node, where *pg.Node, set []*pg.Node, ret *pg.ReturningClause) (cols []expr.Column) {
	var y *query.Place
	var row *expr.RowSource
	if !x.Bound(func() { y, row = x.WriteTarget(target) }) {
		return nil
	}
	q := query.NewDerived(y.Inner())
	q.Place.PerRow = false
	q.TypesOfFrom(from, where)
	b.typesOfSets(q.Place, row, set)
	if s := b.App.Limited[tree]; s != nil {
		q.TypesOfLimit(x, s)
	}
	x.Bound(func() { cols = b.targetsOf(q, row, q.Level.Sources, ret) })
	return cols
}

// typesOfMerge is Types for MERGE behind its WITH queries.
func (b *Writer) typesOfMerge(f *expr.Frame, x *query.Place, s *pg.MergeStmt) {
	y, row := x.Target(s.Relation)
	m := &merger{b: b, f: f, x: x, s: s, row: row}
	x.Bound(func() { m.source(y) })
	query.NewDerived(y).TypesOf(syntax.Conjuncts(s.JoinCondition))
	x.Bound(func() { m.clauses(y) })
}
