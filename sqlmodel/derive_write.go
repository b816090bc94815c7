package sqlmodel

import (
	"strconv"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// derivedFrom is FROM or USING of an UPDATE or DELETE where that is more than
// tables that are joined, or where RETURNING may name them: whether a row is written,
// the values that it gets and those of RETURNING are derivations, in which the row
// that is written is free. Each row must match one row of FROM at most.
func (b *builder) derivedFrom(y *ex, row *rowSource, from []*pg.Node, where *pg.Node, set []*pg.Node, ret *pg.ReturningClause) (*writeQuery, []assignment) {
	if len(from) == 0 {
		b.unmodelled("an expression in a write")
	}
	z := *y
	z.d, z.perRow, z.fetched, z.sure = y.newDeriver(), true, fetchedSome, nil
	z.d.rows[row.row] = true
	q := &query{in: z.inner(), atMost: -1}
	q.level = q.in.levels[len(q.in.levels)-1]
	var tree ir.From
	for _, n := range from {
		f := q.fromTree(n)
		if tree == nil {
			tree = f
		} else {
			tree = &ir.Join{L: tree, R: f}
		}
	}
	var inside, own ir.Expr // conditions with the rows of FROM, and without
	if where != nil {
		for _, n := range syntax.Conjuncts(where) {
			c := q.in.boolean(n, truth)
			if about(c, row.row) {
				own = ir.AndE(own, c)
			} else {
				inside = ir.AndE(inside, c)
			}
		}
	}
	list := b.sets(q.in, row, set)
	returned := b.targetsOf(q, withValues(row, list), q.level.sources, ret)
	if len(list)+len(returned) > 0 && !z.d.oneEach(tree, inside, row.row) {
		b.unmodelled("an UPDATE or RETURNING of rows that may match several rows of FROM or USING")
	}
	z.d.restrict(tree, inside)
	for _, n := range q.nested {
		n.settle(&z, tree, &ir.Project{Where: inside})
	}
	all := &ir.Project{From: tree, Where: inside}
	for i, a := range list {
		all.Cols = append(all.Cols, ir.Item{Name: strconv.Itoa(i), Type: localType(a.v.t), Expr: a.v.e})
	}
	for i, c := range returned {
		all.Cols = append(all.Cols, ir.Item{Name: strconv.Itoa(len(list) + i), Type: localType(c.t), Expr: c.e})
	}
	z.d.read(all)
	typeOf := func(e ir.Expr) ir.Type { return z.d.typeOf(y, e) }
	match := &derived{rel: &ir.Project{From: tree, Where: inside}, typeOf: typeOf}
	y.succeeds(&derived{rel: all, single: true, typeOf: typeOf}, false)
	value := func(i int, e ir.Expr, t schema.Type) ir.Expr {
		if rowFree(e, map[string]bool{row.row: true}) {
			return e
		}
		one := &derived{rel: &ir.Project{From: tree, Where: inside, Cols: all.Cols[i : i+1]}, typeOf: typeOf}
		return one.call(ir.WantValue, localType(t))
	}
	for i, a := range list {
		list[i].v.e = value(i, a.v.e, a.v.t)
	}
	for i, c := range returned {
		returned[i].e = value(len(list)+i, c.e, c.t)
	}
	return &writeQuery{in: y, where: ir.AndE(own, match.call(ir.WantAny, ir.BoolType)), returned: returned}, list
}

// targetsOf translates RETURNING over a row as a write leaves it and over the rows of
// FROM or USING, which x sees; nil is no RETURNING.
func (b *builder) targetsOf(q *query, after *rowSource, from []*rowSource, ret *pg.ReturningClause) []colDef {
	if ret == nil {
		return nil
	}
	if len(ret.Options) > 0 {
		b.unmodelled("RETURNING WITH")
	}
	x := *q.in
	x.levels = append(append([]*level{}, x.levels[:len(x.levels)-1]...), &level{sources: append([]*rowSource{after}, from...)})
	rq := &query{in: &x, level: x.levels[len(x.levels)-1], atMost: -1}
	for _, n := range ret.Exprs {
		rq.addTarget(pg.Inner(n).(*pg.ResTarget))
	}
	for i, c := range rq.targets {
		if c.t.Name == schema.NUnknown {
			rq.targets[i].t = schema.TText
		}
	}
	return rq.targets
}

// oneEach reports whether at most one row of a FROM list matches each row of
// the table that is written: conditions fix a key of it.
func (d *deriver) oneEach(from ir.From, where ir.Expr, target string) bool {
	leaf, ok := from.(*ir.Leaf)
	if !ok {
		return false
	}
	fixed := fixedColumns(leaf.Row, where, map[string]bool{target: true})
	if t := d.tableOf(leaf); t != nil {
		all := true
		for _, k := range t.IR.Key {
			all = all && fixed[t.IR.Columns[k].Name]
		}
		return all
	}
	p, ok := leaf.Rel.(*ir.Project)
	if !ok {
		return false
	}
	inner, ok := p.From.(*ir.Leaf)
	if !ok {
		return false
	}
	g, ok := inner.Rel.(*ir.Group)
	if !ok {
		return false
	}
	keys := map[string]bool{}
	for _, i := range p.Cols {
		if c, ok := i.Expr.(*ir.Col); ok && c.Row == inner.Row && fixed[i.Name] {
			keys[c.Col] = true
		}
	}
	for _, k := range g.Keys {
		if !keys[k.Name] {
			return false
		}
	}
	return true
}
