package sqlmodel

import (
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// unusedRows is why a query is not modelled that is run for its errors.
const unusedRows = "what may fail, in a query of which nobody uses the rows"

// either runs plain, which translates a query as one of the IR, and where that
// cannot be done runs other, which makes a derivation of it.
func (x *ex) either(plain, other func()) {
	switch {
	case x.d != nil:
		other()
	case x.b == nil:
		plain()
	default:
		why, ok := x.b.attempt(plain)
		if ok {
			return
		}
		if other, ok := x.b.attempt(other); !ok {
			if other == unusedRows { // the form alone could be modelled
				why = other
			}
			x.unmodelled("%s", why)
		}
	}
}

// whole translates a query whose rows are used once, before the statement, as far as they
// are fetched.
func (x *ex) whole(s *pg.SelectStmt, rows fetched) *derived {
	y := *x
	y.fetched = rows
	if x.conditional || x.perRow {
		y.fetched = fetchedSome
	}
	d := y.derivation(s)
	x.succeeds(d, false)
	return d
}

// succeeds says that computing a derivation does not end in an error, such as a
// division by zero or, for a value, a second row. Whether it does depends on
// rows that the result does not show.
func (x *ex) succeeds(d *derived, value bool) {
	fails, several := x.b.relMayFail(d.rel), value && !d.single
	if x.d != nil || !fails && !several {
		return
	}
	if !d.alone() {
		x.unmodelled("a correlated subquery that may fail or have several rows")
	}
	if several && !fails && !x.conditional && !x.perRow {
		x.b.require(x.b.cur, ir.NotE(d.call(ir.WantMany, ir.BoolType)), cardinality)
		return
	}
	c := &ir.Call{Name: ir.SucceedsFn, Type: ir.BoolType, Args: d.call(ir.WantAny, ir.BoolType).Args}
	x.b.emit(&ir.Assume{At: at(x.b.cur), Cond: c})
}

// rowsLocal puts the rows of a derivation in a local, as what is wanted says.
func (b *Draft) rowsLocal(d *derived, want ir.Want, pos ir.Pos) ir.Expr {
	t := ir.ArrayType(ir.KindOpaque)
	local := b.irLocal("rows", t)
	b.emit(&ir.Assign{At: at(pos), Var: local, Expr: d.call(want, t)})
	return ir.V(local)
}

// fields gives the columns of a row value.
func (d *derived) fields(row ir.Expr) []colDef {
	out := append([]colDef{}, d.cols...)
	for i, c := range out {
		out[i].e = &ir.Call{Name: ir.FieldFn(i), Args: []ir.Expr{row}, Type: localType(c.t)}
	}
	return out
}

// derivedSelect is a SELECT statement that is a derivation.
func (b *builder) derivedSelect(f *frame, x *ex, s *pg.SelectStmt, pos ir.Pos, to sink) {
	oneGroup := len(s.GroupClause) == 0 && syntax.HasAggregates(s.TargetList)
	rows := fetchedAll
	if to.kind == intoLocals && !to.whole && !to.strict && !oneGroup {
		rows = fetchedFirst
	}
	d := x.whole(s, rows)
	found := func() ir.Expr { return d.call(ir.WantAny, ir.BoolType) }
	count := func() ir.Expr {
		if f.rowcount == "" {
			return nil
		}
		return d.call(ir.WantCount, ir.IntType)
	}
	switch {
	case to.kind == intoLocals:
		list, rest := to.dests(d.cols)
		b.setFound(f, pos, found(), nil)
		if to.strict {
			if !d.single {
				b.require(pos, ir.NotE(d.call(ir.WantMany, ir.BoolType)), tooManyRows)
			}
			b.strict(to, pos, found())
		}
		first := b.irLocal("first", ir.OpaqueType)
		b.emit(&ir.Assign{At: at(pos), Var: first, Expr: d.call(ir.WantFirst, ir.OpaqueType)})
		b.assignAll(x, pos, list, d.fields(ir.V(first)))
		b.setNull(pos, rest)
	case to.kind == toClient && f.result == nil:
		b.checkResult(f, pos, d.cols)
		b.emit(&ir.Emit{At: at(pos), Exprs: []ir.Expr{d.call(ir.WantRows, ir.ArrayType(ir.KindOpaque))}})
		b.setFound(f, pos, found(), count())
	default:
		switch {
		case !b.relMayFail(d.rel):
		case failsForRows(d.rel):
			b.rowsLocal(d, ir.WantRows, pos) // for its errors
		default:
			b.unmodelled(unusedRows)
		}
		b.setFound(f, pos, found(), count())
	}
}

// asLoop translates a query whose rows are gone through one by one, to the last if all
// says so: ir.WantList where the order may matter, ir.WantRows where it does not.
func (x *ex) asLoop(s *pg.SelectStmt, want ir.Want, pos ir.Pos, all bool) (q *query) {
	x.either(func() { q = x.locking(s, false) }, func() {
		rows := fetchedSome
		if all {
			rows = fetchedAll
		}
		d := x.whole(s, rows)
		loop := setLoop{array: x.b.rowsLocal(d, want, pos), elem: x.b.irLocal("element", ir.OpaqueType)}
		q = &query{in: x.inner(), atMost: -1, loops: []setLoop{loop}, targets: d.fields(ir.V(loop.elem)), whole: d}
	})
	return q
}

// repeats says that two rows of a derivation agree in some columns, none of which is
// NULL.
func (d *derived) repeats(cols []int) ir.Expr {
	const from, grouped = "given", "grouped"
	shape := ir.Columns(d.rel)
	g := &ir.Group{From: &ir.Leaf{Row: from, Rel: d.rel}, Aggs: []ir.NamedAgg{{Name: "n", Agg: ir.Agg{Fn: "count", Type: ir.IntType}}}}
	many := ir.Op(ir.Gt, &ir.Col{Row: grouped, Col: "n"}, ir.C(ir.Int(1)))
	for i, c := range cols {
		e := &ir.Col{Row: from, Col: shape[c].Name}
		g.Where = ir.AndE(g.Where, isNotNull(e))
		g.Keys = append(g.Keys, ir.Item{Name: "k" + strconv.Itoa(i+1), Type: shape[c].Type, Expr: e})
	}
	again := &derived{rel: &ir.Project{From: &ir.Leaf{Row: grouped, Rel: g}, Where: many}, typeOf: d.typeOf}
	return again.call(ir.WantAny, ir.BoolType)
}

// derivedCondition is EXISTS, IN, ANY or ALL of a derivation.
func (x *ex) derivedCondition(e *pg.SubLink, s *pg.SelectStmt, m mode) ir.Expr {
	switch e.SubLinkType {
	case pg.SubExists:
		d := x.derivation(s)
		x.succeeds(d, false)
		return d.call(ir.WantAny, ir.BoolType)
	case pg.SubAny:
		return x.derivedAny(e, s, operatorOf(e), m)
	case pg.SubAll:
		neg, inner := x.negation(e, m)
		return ir.NotE(x.derivedAny(e, s, neg, inner))
	}
	return nil
}

// derivedAny is x op ANY (subquery).
func (x *ex) derivedAny(e *pg.SubLink, s *pg.SelectStmt, op string, m mode) ir.Expr {
	v := x.expr(e.Testexpr)
	y := *x
	if y.d == nil {
		v = x.withoutQueries(v)
		y.d = x.newDeriver()
	}
	y.perRow = true
	d := y.relation(s)
	y.settle(d)
	src := y.leafSource("", y.rowName("member"), d)
	member := val{t: schema.TRecord, record: true, fields: src.cols}
	if len(src.cols) == 1 && !v.record {
		member = src.cols[0].val()
	} else if !v.record {
		x.fail(e.Location, "the subquery has %d columns, but one value is compared", len(src.cols))
	}
	c := y.binary(op, v, member, e.Location)
	if x.d == nil {
		y.d.read(d.rel)
		d.typeOf = func(e ir.Expr) ir.Type { return y.d.typeOf(x, e) }
	}
	x.succeeds(d, false)
	x.once(d)
	hit := func(cond ir.Expr) ir.Expr {
		p := &ir.Project{From: &ir.Leaf{Row: src.row, Rel: d.rel}, Where: cond}
		return (&derived{rel: p, typeOf: d.typeOf}).call(ir.WantAny, ir.BoolType)
	}
	isNull := &ir.Unary{Op: ir.IsNull, X: c.e}
	switch {
	case c.nn || m == truth:
		return hit(c.e)
	case m == nonFalse:
		return hit(ir.OrE(c.e, isNull))
	}
	return &ir.Cond{If: hit(c.e), Then: ir.C(ir.Bool(true)),
		Else: &ir.Cond{If: hit(isNull), Then: ir.C(ir.Null), Else: ir.C(ir.Bool(false))}}
}

// withoutQueries makes a value fit to stand in a derivation, which reads no tables by
// itself: what a query of the IR says is computed before.
func (x *ex) withoutQueries(v val) val {
	aside := func(e ir.Expr, t schema.Type) ir.Expr {
		if !ir.HasExists(e) {
			return e
		}
		if !rowFree(e, map[string]bool{}) || x.conditional {
			x.unmodelled("a condition on a query that is compared with the rows of another one")
		}
		local := x.b.local("tmp", t)
		x.b.emit(&ir.Assign{At: at(x.b.cur), Var: local, Expr: e})
		return ir.V(local)
	}
	if !v.record {
		v.e = aside(v.e, v.t)
		return v
	}
	v.fields = slices.Clone(v.fields)
	for i, c := range v.fields {
		v.fields[i].e = aside(c.e, c.t)
	}
	return v
}

// once lets the rows of a derivation be chosen before the statement, where LIMIT leaves them open and they do not depend on
// the rows around it: the server has the same ones for each of those.
func (x *ex) once(d *derived) {
	if x.d != nil || x.b == nil || !leavesOpen(d.rel) || !d.alone() {
		return
	}
	local := x.b.rowsLocal(d, ir.WantRows, x.b.cur).(*ir.Var)
	d.rel = &ir.Given{Param: local.Name, Cols: ir.Columns(d.rel)}
}

// alone reports whether a derivation does not depend on rows around it.
func (d *derived) alone() bool {
	return !slices.ContainsFunc(d.call(ir.WantRows, ir.ArrayType(ir.KindOpaque)).Args, func(a ir.Expr) bool {
		_, local := a.(*ir.Var)
		return !local
	})
}

// leavesOpen reports whether LIMIT or the like leaves open which rows a relation has.
func leavesOpen(r ir.Rel) bool {
	found := false
	ir.EachRel(r, func(r ir.Rel) {
		p, ok := r.(*ir.Project)
		found = found || ok && slices.ContainsFunc(p.Order, func(o ir.Order) bool { c, ok := o.Expr.(*ir.Call); return ok && c.Name == anyOrder })
	})
	return found
}

// derivedValue is a subquery as a value, or ARRAY of one.
func (x *ex) derivedValue(e *pg.SubLink, s *pg.SelectStmt) val {
	y := *x
	y.fetched = fetchedAll
	if x.conditional || x.perRow {
		y.fetched = fetchedSome
	}
	d := y.derivation(s)
	if x.d != nil {
		x.settle(d)
	}
	if len(d.cols) != 1 {
		x.fail(e.Location, "a subquery used as a value must have one column, not %d", len(d.cols))
	}
	c := d.cols[0]
	if e.SubLinkType == pg.SubArray {
		x.succeeds(d, false)
		x.once(d)
		t := schema.ArrayOf(c.t)
		return val{e: d.call(ir.WantArray, t.IR), t: t, nn: true}
	}
	x.succeeds(d, true)
	x.once(d)
	return val{e: d.call(ir.WantValue, localType(c.t)), t: c.t, nn: c.nn && d.nonEmpty}
}
