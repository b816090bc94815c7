package query

import (
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// UnusedRows is why a query is not modelled that is run for its errors.
const UnusedRows = "what may fail, in a query of which nobody uses the rows"

// Whole translates a query whose rows are used once, before the statement, as far as they
// are fetched.
func (x *Place) Whole(s *pg.SelectStmt, rows fetched) *Derived {
	y := x.Copy()
	y.Fetched = rows
	if x.Conditional || x.PerRow {
		y.Fetched = FetchedSome
	}
	d := y.derivation(s)
	x.Succeeds(d, false)
	return d
}

// Succeeds says that computing a derivation does not end in an error, such as a
// division by zero or, for a value, a second row. Whether it does depends on
// rows that the result does not show.
func (x *Place) Succeeds(d *Derived, value bool) {
	fails, several := x.Draft.RelMayFail(d.Rel), value && !d.Single
	if x.Deriver != nil || !fails && !several {
		return
	}
	if !d.alone() {
		x.Unmodelled("a correlated subquery that may fail or have several rows")
	}
	if several && !fails && !x.Conditional && !x.PerRow {
		x.Draft.Require(x.Draft.Cur, ir.NotE(d.Call(ir.WantMany, ir.BoolType)), expr.Cardinality)
		return
	}
	c := &ir.Call{Name: irnames.SucceedsFn, Type: ir.BoolType, Args: d.Call(ir.WantAny, ir.BoolType).Args}
	x.Draft.Emit(&ir.Assume{At: expr.At(x.Draft.Cur), Cond: c})
}

// RowsLocal puts the rows of a derivation in a local, as what is wanted says.
func RowsLocal(b *expr.Draft, d *Derived, want ir.Want, pos ir.Pos) ir.Expr {
	t := ir.ArrayType(ir.KindOpaque)
	local := b.IRLocal("rows", t)
	b.Emit(&ir.Assign{At: expr.At(pos), Var: local, Expr: d.Call(want, t)})
	return ir.V(local)
}

// Fields gives the columns of a row value.
func (d *Derived) Fields(row ir.Expr) []expr.Column {
	out := append([]expr.Column{}, d.Cols...)
	for i, c := range out {
		out[i].Expr = &ir.Call{Name: irnames.FieldFn(i), Args: []ir.Expr{row}, Type: expr.LocalType(c.Type)}
	}
	return out
}

// AsLoop translates a query whose rows are gone through one by one, to the last if all
// says so: ir.WantList where the order may matter, ir.WantRows where it does not.
func (x *Place) AsLoop(s *pg.SelectStmt, want ir.Want, pos ir.Pos, all bool) (q *Query) {
	x.Choose(x.Form(s, syntax.Use{}), func() { q = x.Locking(s, false) }, func() {
		rows := FetchedSome
		if all {
			rows = FetchedAll
		}
		d := x.Whole(s, rows)
		loop := SetLoop{Array: RowsLocal(x.Draft, d, want, pos), Elem: x.Draft.IRLocal("element", ir.OpaqueType)}
		q = &Query{Place: x.Inner(), AtMost: -1, Loops: []SetLoop{loop}, Targets: d.Fields(ir.V(loop.Elem)), Whole: d}
	})
	return q
}

// Repeats says that two rows of a derivation agree in some columns, none of which is
// NULL.
func (d *Derived) Repeats(cols []int) ir.Expr {
	const from, grouped = "given", "grouped"
	shape := ir.Columns(d.Rel)
	g := &ir.Group{From: &ir.Leaf{Row: from, Rel: d.Rel}, Aggs: []ir.NamedAgg{{Name: "n", Agg: ir.Agg{Fn: "count", Type: ir.IntType}}}}
	many := ir.Op(ir.Gt, &ir.Col{Row: grouped, Col: "n"}, ir.C(ir.Int(1)))
	for i, c := range cols {
		e := &ir.Col{Row: from, Col: shape[c].Name}
		g.Where = ir.AndE(g.Where, expr.IsNotNull(e))
		g.Keys = append(g.Keys, ir.Item{Name: "k" + strconv.Itoa(i+1), Type: shape[c].Type, Expr: e})
	}
	again := &Derived{Rel: &ir.Project{From: &ir.Leaf{Row: grouped, Rel: g}, Where: many}, TypeOf: d.TypeOf}
	return again.Call(ir.WantAny, ir.BoolType)
}

// derivedAny is x op ANY (subquery).
func (x *Place) derivedAny(e *pg.SubLink, s *pg.SelectStmt, op string, m expr.Mode) ir.Expr {
	v := x.Expr(e.Testexpr)
	y := x.Copy()
	if y.Deriver == nil {
		v = x.withoutQueries(v)
		y.Deriver = x.NewDeriver()
	}
	y.PerRow = true
	d := y.settled(s)
	src := y.leafSource("", y.RowName("member"), d)
	c := y.Binary(op, v, x.members(v, src.Cols, e.Location), e.Location)
	y.complete(x, d, x.Pos(e.Location))
	x.Succeeds(d, false)
	x.once(d)
	return anyRow(c, m, func(cond ir.Expr) ir.Expr {
		p := &ir.Project{From: &ir.Leaf{Row: src.Row, Rel: d.Rel}, Where: cond}
		return (&Derived{Rel: p, TypeOf: d.TypeOf}).Call(ir.WantAny, ir.BoolType)
	})
}

// withoutQueries makes a value fit to stand in a derivation, which reads no tables by
// itself: what a query of the IR says is computed before.
func (x *Place) withoutQueries(v expr.Val) expr.Val {
	aside := func(e ir.Expr, t schema.Type) ir.Expr {
		if !ir.HasExists(e) {
			return e
		}
		if !expr.RowFree(e, map[string]bool{}) || x.Conditional {
			x.Unmodelled("a condition on a query that is compared with the rows of another one")
		}
		local := x.Draft.Local("tmp", t)
		x.Draft.Emit(&ir.Assign{At: expr.At(x.Draft.Cur), Var: local, Expr: e})
		return ir.V(local)
	}
	if !v.Record {
		v.Expr = aside(v.Expr, v.Type)
		return v
	}
	v.Fields = slices.Clone(v.Fields)
	for i, c := range v.Fields {
		v.Fields[i].Expr = aside(c.Expr, c.Type)
	}
	return v
}

// once lets the rows of a derivation be chosen before the statement, where LIMIT leaves them open and they do not depend on
// the rows around it: the server has the same ones for each of those.
func (x *Place) once(d *Derived) {
	if x.Deriver != nil || x.Draft == nil || !leavesOpen(d.Rel) || !d.alone() {
		return
	}
	local := RowsLocal(x.Draft, d, ir.WantRows, x.Draft.Cur).(*ir.Var)
	d.Rel = &ir.Given{Param: local.Name, Cols: ir.Columns(d.Rel)}
}

// alone reports whether a derivation does not depend on rows around it.
func (d *Derived) alone() bool {
	return !slices.ContainsFunc(d.Call(ir.WantRows, ir.ArrayType(ir.KindOpaque)).Args, func(a ir.Expr) bool {
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
func (x *Place) derivedValue(e *pg.SubLink, s *pg.SelectStmt) expr.Val {
	y := x.Copy()
	y.Fetched = FetchedAll
	if x.Conditional || x.PerRow {
		y.Fetched = FetchedSome
	}
	d := y.derivation(s)
	if x.Deriver != nil {
		x.settle(d)
	}
	if len(d.Cols) != 1 {
		x.Fail(e.Location, "a subquery used as a value must have one column, not %d", len(d.Cols))
	}
	c := d.Cols[0]
	if e.SubLinkType == pg.SubArray {
		x.Succeeds(d, false)
		x.once(d)
		t := schema.ArrayOf(c.Type)
		return expr.Val{Expr: d.Call(ir.WantArray, t.IR), Type: t, NotNull: true}
	}
	x.Succeeds(d, true)
	x.once(d)
	return expr.Val{Expr: d.Call(ir.WantValue, expr.LocalType(c.Type)), Type: c.Type, NotNull: c.NotNull && d.nonEmpty}
}
