package sqlmodel

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// A subquery with LIMIT or OFFSET that does not depend on the rows around it gives the same rows each time that the
// server runs it, since a statement has one snapshot: they are chosen before the statement. Where the order leaves open
// which ones they are, the instance chooses: as many as there are, up to the limit, so that none that is left
// comes before one that is taken. It chooses among the rows that match, or else the transaction does not go on.

// limited reports whether a query has LIMIT or OFFSET, and does not skip rows.
func limited(s *pg.SelectStmt) bool {
	return (s.LimitCount != nil || s.LimitOffset != nil) && !skipsLocked(s) && s.LimitOption != pg.LimitWithTies
}

// chosen translates a query with LIMIT or OFFSET that is run once, before the statement: its condition says which of its
// rows are chosen.
func (x *ex) chosen(s *pg.SelectStmt, pos ir.Pos) (*query, picked) {
	if x.b == nil || x.d != nil || len(s.FromClause) == 0 {
		panic(schema.Unmodelled{Reason: "LIMIT in this place"})
	}
	count, offset := s.LimitCount, s.LimitOffset
	s.LimitCount, s.LimitOffset = nil, nil
	defer func() { s.LimitCount, s.LimitOffset = count, offset }()
	q := x.uncorrelated(s)
	if len(q.aggs) > 0 || len(q.from) == 0 {
		x.unmodelled("LIMIT of aggregates")
	}
	outer := *x
	outer.levels = nil // no column is visible in LIMIT
	number := func(n *pg.Node, what string) ir.Expr {
		if n == nil {
			return nil
		}
		v := outer.expr(n)
		if v.isNull() {
			return nil
		}
		return x.shared(x.convert(v, schema.TInt, x.at(n), what), schema.TInt)
	}
	kept := x.b.kept(q, number(count, "LIMIT"), number(offset, "OFFSET"), pos)
	if kept != nil {
		q.where = ir.AndE(q.where, kept(q.from))
	}
	return q, kept
}

// tie lets the instance decide which rows of a derivation LIMIT, OFFSET or DISTINCT ON leave where its order does not: two
// transactions that see the same rows may have different ones.
func (x *ex) tie(p *ir.Project, targets []colDef) {
	shown := func(c colDef) bool { // by the order: rows that agree in all columns are as good as each other
		return slices.ContainsFunc(p.Order, func(o ir.Order) bool { return ir.ExprString(o.Expr) == ir.ExprString(c.e) })
	}
	if p.Limit == nil && p.Offset == nil && p.On == nil || x.d.total(p) || !slices.ContainsFunc(targets, func(c colDef) bool { return !shown(c) }) {
		return
	}
	p.Order = append(p.Order, ir.Order{Expr: &ir.Call{Name: anyOrder, Args: []ir.Expr{x.b.seed("any_order", x.b.cur)}, Type: ir.NumType}})
}

// anyOrder names the function that stands for an order which the server chooses.
const anyOrder = "any order"

// seed is a value that the instance chooses.
func (b *Draft) seed(name string, pos ir.Pos) ir.Expr {
	v := b.local(name, schema.TAny)
	b.havoc(pos, v)
	return ir.V(v)
}

// total reports whether the order of a query tells any two of its rows apart: it has the keys of a grouping or of a
// table.
func (d *deriver) total(p *ir.Project) bool {
	leaf, ok := p.From.(*ir.Leaf)
	if !ok {
		return p.From == nil
	}
	var keys []string
	if t := d.tableOf(leaf); t != nil {
		for _, k := range t.IR.Key {
			keys = append(keys, t.IR.Columns[k].Name)
		}
	} else if g, ok := leaf.Rel.(*ir.Group); ok {
		for _, k := range g.Keys {
			keys = append(keys, k.Name)
		}
	} else {
		return false
	}
	return !slices.ContainsFunc(keys, func(name string) bool {
		return !slices.ContainsFunc(p.Order, func(o ir.Order) bool {
			c, ok := o.Expr.(*ir.Col)
			return ok && c.Row == leaf.Row && c.Col == name
		})
	})
}

// chosenFrom is chosen for a query of a FROM list or of WITH, where its rows are those of a statement that writes. Elsewhere a
// derivation says which ones they are.
func (x *ex) chosenFrom(s *pg.SelectStmt, pos ir.Pos) picked {
	q, kept := x.tidOf().chosen(s, pos)
	if kept == nil && q.atMost != 1 {
		x.unmodelled("LIMIT in FROM")
	}
	if kept == nil {
		return func([]ir.Source) ir.Expr { return nil }
	}
	return kept
}

// kept chooses the rows of q that LIMIT and OFFSET leave, nil for all. What it gives does not imply the condition of q.
func (b *Draft) kept(q *query, limit, offset ir.Expr, pos ir.Pos) picked {
	if c, ok := offset.(*ir.Const); ok && c.Value == ir.Int(0) {
		offset = nil
	}
	c, constant := limit.(*ir.Const)
	single := b.singleRow(q.ir())
	switch {
	case limit == nil && offset == nil:
		return nil
	case constant && offset == nil && single && c.Value.I >= 1:
		q.atMost = 1
		return nil
	case constant && c.Value.I == 0:
		q.atMost = 0
		return func([]ir.Source) ir.Expr { return ir.C(ir.Bool(false)) }
	}
	for _, o := range q.order {
		if ir.MayFail(o.Expr) {
			b.unmodelled("LIMIT in an order that may fail")
		}
	}
	if constant && c.Value.I == 1 {
		q.atMost = 1
	}
	if q.atMost == 1 && offset == nil {
		return b.firstOf(q, pos)
	}
	if offset != nil { // NULL is none
		offset = orNumber(offset, ir.C(ir.Int(0)))
	}
	all := b.local("count", schema.TInt)
	b.emit(&ir.Select{At: at(pos), Into: []string{all}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}}, Query: q.ir()})
	var taken, passed picked
	if limit != nil {
		last := limit
		if offset != nil {
			last = ir.Op(ir.Add, orNumber(limit, ir.V(all)), offset)
		}
		taken = b.firstRows(q, last, ir.V(all), pos)
	}
	if offset == nil {
		return taken
	}
	passed = b.firstRows(q, offset, ir.V(all), pos)
	if taken == nil {
		return func(from []ir.Source) ir.Expr { return ir.NotE(passed(from)) }
	}
	b.emit(&ir.Assume{At: at(pos), Cond: ir.NotE(&ir.Exists{Query: ir.Query{From: q.from, Where: ir.AndE(q.where, passed(q.from), ir.NotE(taken(q.from)))}})})
	return func(from []ir.Source) ir.Expr { return ir.AndE(taken(from), ir.NotE(passed(from))) }
}

// orNumber is a number that counts as another one where it is NULL.
func orNumber(e, other ir.Expr) ir.Expr {
	if c, ok := e.(*ir.Const); ok && !c.Value.IsNull() {
		return e
	}
	return &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: e}, Then: other, Else: e}
}

// firstOf chooses the first row of q in its order, any if it has none.
func (b *Draft) firstOf(q *query, pos ir.Pos) picked {
	s := &ir.Select{At: at(pos), Query: q.ir(), Order: q.order, Found: b.local("was_found", schema.TBool), Cols: keysOf(q.from)}
	for _, src := range q.from {
		for _, k := range src.Table.Key {
			s.Into = append(s.Into, b.irLocal(src.Table.Columns[k].Name, src.Table.Columns[k].Type))
		}
	}
	b.emit(s)
	return func(from []ir.Source) ir.Expr {
		where := ir.Expr(ir.V(s.Found))
		for i, c := range keysOf(from) {
			where = ir.AndE(where, ir.Op(ir.Eq, c, ir.V(s.Into[i])))
		}
		return where
	}
}

// firstRows chooses the first n rows of q in its order, of which there are all; a variable that is NULL counts as
// all of them.
func (b *Draft) firstRows(q *query, n, all ir.Expr, pos ir.Pos) picked {
	among, count := b.someRows(q, pos)
	few := ir.Op(ir.Le, all, n)
	if _, variable := n.(*ir.Var); variable {
		few = ir.OrE(&ir.Unary{Op: ir.IsNull, X: n}, few)
	}
	b.emit(&ir.Assume{At: at(pos), Cond: ir.Op(ir.Eq, ir.V(count), &ir.Cond{If: few, Then: all, Else: n})})
	if len(q.order) == 0 {
		return among
	}
	// No row that is left comes before one that is taken.
	other := make([]ir.Source, len(q.from))
	renamed := func(e ir.Expr) ir.Expr {
		for i, src := range q.from {
			e = renameRow(e, src.Row, other[i].Row)
		}
		return e
	}
	names := map[string]bool{}
	for i, src := range q.from {
		name := q.in.rowName(src.Row)
		for k := 1; names[name]; k++ {
			name = fmt.Sprintf("%s_%d", src.Row, k)
		}
		names[name] = true
		other[i] = ir.Source{Table: src.Table, Row: name}
	}
	if q.where != nil && ir.HasExists(q.where) {
		b.unmodelled("LIMIT and ORDER BY of several rows, with a subquery in the condition")
	}
	left := ir.AndE(q.where, ir.NotE(among(q.from)))
	taken := ir.AndE(renamed(q.where), among(other))
	b.emit(&ir.Assume{At: at(pos), Cond: ir.NotE(&ir.Exists{Query: ir.Query{From: append(append([]ir.Source{}, q.from...), other...),
		Where: ir.AndE(left, taken, comesBefore(q.order, renamed))}})})
	return among
}

// comesBefore says that a row comes before another one, which other renames it to, in an order.
func comesBefore(order []ir.Order, other func(ir.Expr) ir.Expr) ir.Expr {
	var out, same ir.Expr
	for _, o := range order {
		a, b := o.Expr, other(o.Expr)
		if o.Desc {
			a, b = b, a
		}
		isNull := func(e ir.Expr) ir.Expr { return &ir.Unary{Op: ir.IsNull, X: e} }
		less := ir.OrE(ir.Op(ir.Is, ir.Op(ir.Lt, a, b), ir.C(ir.Bool(true))), ir.AndE(ir.NotE(isNull(a)), isNull(b))) // NULL is the greatest
		out = ir.OrE(out, ir.AndE(same, less))
		same = ir.AndE(same, ir.Op(ir.Is, o.Expr, other(o.Expr)))
	}
	return out
}
