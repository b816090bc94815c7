package sqlmodel

import (
	"strconv"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// derivedFrom is FROM or USING of an UPDATE or DELETE where that is more than
// tables that are joined, or where RETURNING may name them: whether a row is written,
// the values that it gets and those of RETURNING are derivations, in which the row
// that is written is free. Each row must match one row of FROM at most.
func (b *Writer) derivedFrom(y *query.Place, row *query.RowSource, from []*pg.Node, where *pg.Node, set []*pg.Node, ret *pg.ReturningClause) (*writeQuery, []assignment) {
	if len(from) == 0 {
		b.Unmodelled("an expression in a write")
	}
	z := *y
	z.Deriver, z.PerRow, z.Fetched, z.Sure = y.NewDeriver(), true, query.FetchedSome, nil
	z.Deriver.Rows[row.Row] = true
	q := &query.Query{Place: z.Inner(), AtMost: -1}
	q.Level = q.Place.Levels[len(q.Place.Levels)-1]
	var tree ir.From
	for _, n := range from {
		f := q.FromTree(n)
		if tree == nil {
			tree = f
		} else {
			tree = &ir.Join{L: tree, R: f}
		}
	}
	var inside, own ir.Expr // conditions with the rows of FROM, and without
	if where != nil {
		for _, n := range syntax.Conjuncts(where) {
			c := q.Place.Boolean(n, query.Truth)
			if query.About(c, row.Row) {
				own = ir.AndE(own, c)
			} else {
				inside = ir.AndE(inside, c)
			}
		}
	}
	list := b.sets(q.Place, row, set)
	returned := b.targetsOf(q, withValues(row, list), q.Level.Sources, ret)
	if len(list)+len(returned) > 0 && !z.Deriver.OneEach(tree, inside, row.Row) {
		b.Unmodelled("an UPDATE or RETURNING of rows that may match several rows of FROM or USING")
	}
	z.Deriver.Restrict(tree, inside)
	for _, n := range q.Nested {
		n.Settle(&z, tree, &ir.Project{Where: inside})
	}
	all := &ir.Project{From: tree, Where: inside}
	for i, a := range list {
		all.Cols = append(all.Cols, ir.Item{Name: strconv.Itoa(i), Type: query.LocalType(a.v.Type), Expr: a.v.Expr})
	}
	for i, c := range returned {
		all.Cols = append(all.Cols, ir.Item{Name: strconv.Itoa(len(list) + i), Type: query.LocalType(c.Type), Expr: c.Expr})
	}
	z.Deriver.Read(all)
	typeOf := func(e ir.Expr) ir.Type { return z.Deriver.TypeOf(y, e) }
	match := &query.Derived{Rel: &ir.Project{From: tree, Where: inside}, TypeOf: typeOf}
	y.Succeeds(&query.Derived{Rel: all, Single: true, TypeOf: typeOf}, false)
	value := func(i int, e ir.Expr, t schema.Type) ir.Expr {
		if query.RowFree(e, map[string]bool{row.Row: true}) {
			return e
		}
		one := &query.Derived{Rel: &ir.Project{From: tree, Where: inside, Cols: all.Cols[i : i+1]}, TypeOf: typeOf}
		return one.Call(ir.WantValue, query.LocalType(t))
	}
	for i, a := range list {
		list[i].v.Expr = value(i, a.v.Expr, a.v.Type)
	}
	for i, c := range returned {
		returned[i].Expr = value(len(list)+i, c.Expr, c.Type)
	}
	return &writeQuery{in: y, where: ir.AndE(own, match.Call(ir.WantAny, ir.BoolType)), returned: returned}, list
}

// targetsOf translates RETURNING over a row as a write leaves it and over the rows of
// FROM or USING, which x sees; nil is no RETURNING.
func (b *Writer) targetsOf(q *query.Query, after *query.RowSource, from []*query.RowSource, ret *pg.ReturningClause) []query.Column {
	if ret == nil {
		return nil
	}
	if len(ret.Options) > 0 {
		b.Unmodelled("RETURNING WITH")
	}
	x := *q.Place
	x.Levels = append(append([]*query.Level{}, x.Levels[:len(x.Levels)-1]...), &query.Level{Sources: append([]*query.RowSource{after}, from...)})
	rq := &query.Query{Place: &x, Level: x.Levels[len(x.Levels)-1], AtMost: -1}
	for _, n := range ret.Exprs {
		rq.AddTarget(pg.Inner(n).(*pg.ResTarget))
	}
	for i, c := range rq.Targets {
		if c.Type.Name == schema.NUnknown {
			rq.Targets[i].Type = schema.TText
		}
	}
	return rq.Targets
}
