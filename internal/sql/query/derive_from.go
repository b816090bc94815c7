package query

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// FromTree translates an item of the FROM list of a derivation, whose row
// variables it brings into scope.
func (q *Query) FromTree(n *pg.Node) ir.From {
	x := q.Place
	switch f := pg.Inner(n).(type) {
	case *pg.RangeVar:
		return q.fromName(f)
	case *pg.JoinExpr:
		return q.joinTree(f)
	case *pg.RangeSubselect:
		sel, ok := pg.Inner(f.Subquery).(*pg.SelectStmt)
		if !ok {
			x.Unmodelled("this kind of FROM item")
		}
		y := x.Copy()
		if !f.Lateral {
			y.Levels = y.Levels[:len(y.Levels)-1]
		}
		alias := ""
		if f.Alias != nil {
			alias = f.Alias.Aliasname
		}
		held, see := q.hold(y, sel, alias, "a subquery in FROM", false, x.At(n))
		d := held.relation(sel)
		y.settle(d)
		return q.leaf(d, alias, f.Alias, x.At(n), see)
	case *pg.RangeFunction:
		return q.functionTree(f)
	}
	x.Unmodelled("this kind of FROM item")
	return nil
}

// leaf brings a relation into scope.
func (q *Query) leaf(d *Derived, alias string, a *pg.Alias, loc int32, see func(*expr.RowSource)) ir.From {
	base := alias
	if base == "" {
		base = "derived"
	}
	src := q.Place.leafSource(alias, q.Place.RowName(base), d)
	q.Name(src, a, loc)
	see(src)
	return &ir.Leaf{Row: src.Row, Rel: d.Rel}
}

// fromName is a table, a view or a WITH query.
func (q *Query) fromName(r *pg.RangeVar) ir.From {
	x := q.Place
	if c := x.Ctes.find(r.Relname); c != nil && r.Schemaname == "" {
		if c.query == nil {
			return q.leaf(c.make(x), syntax.AliasOf(r), r.Alias, r.Location, func(src *expr.RowSource) { src.Unlockable = "a WITH query" })
		}
		in := x.Copy()
		in.Ctes, in.Levels = c.up, c.levels
		_, see := q.hold(in, c.query, syntax.AliasOf(r), "a WITH query", true, r.Location)
		return q.leaf(c.make(x), syntax.AliasOf(r), r.Alias, r.Location, see)
	}
	if v := x.viewOf(r); v != nil {
		held, see := q.hold(x.InView(v), v.Query, syntax.AliasOf(r), "view "+syntax.RangeName(r), false, r.Location)
		return q.leaf(held.ViewRows(v), syntax.AliasOf(r), r.Alias, r.Location, see)
	}
	t := x.TableOf(r)
	alias := syntax.AliasOf(r)
	row := x.RowName(alias)
	src := x.source(t, alias, row)
	x.Deriver.register(src)
	q.Name(src, r.Alias, r.Location)
	sup := &support{table: t, row: row, given: &ir.Given{}, pos: x.Pos(r.Location)}
	x.Deriver.supports = append(x.Deriver.supports, sup)
	return &ir.Leaf{Row: row, Rel: sup.given}
}

// ViewRows translates the query of a view, in which x stands.
func (y *Place) ViewRows(v *schema.View) *Derived {
	if y.Depth > maxQueryDepth {
		y.Unmodelled("views nested more than %d deep", maxQueryDepth)
	}
	d := y.relation(v.Query)
	y.settle(d)
	rename(d, v.Cols)
	for i := range d.Cols {
		d.Cols[i].Name = v.Column(d.Cols[i].Name)
	}
	return d
}

// InView gives the translator for the query of a view, which sees nothing of
// the place where the view is used.
func (x *Place) InView(v *schema.View) *Place {
	if slices.Contains(x.viewing, v) {
		x.Unmodelled("view %s, which reads itself", v.Name)
	}
	y := x.Copy()
	y.Text, y.Levels, y.Ctes, y.agg, y.win = v.Text, nil, nil, nil, nil
	y.Frame = &expr.Frame{Func: x.Frame.Func, Text: v.Text, SQLLang: true, Scope: &expr.Scope{Vars: map[string]*expr.Variable{}}}
	y.Depth++
	y.viewing = append(slices.Clone(x.viewing), v)
	return y
}

// joinTree is a join, of any kind.
func (q *Query) joinTree(j *pg.JoinExpr) ir.From {
	x := q.Place
	if j.Alias != nil {
		x.Unmodelled("an alias of a join")
	}
	out := &ir.Join{}
	switch j.Jointype {
	case pg.JoinLeft:
		out.Kind = ir.Left
	case pg.JoinRight:
		out.Kind = ir.Right
	case pg.JoinFull:
		out.Kind = ir.Full
	}
	start := len(q.Level.Sources)
	out.L = q.FromTree(j.Larg)
	mid := len(q.Level.Sources)
	out.R = q.FromTree(j.Rarg)
	left, right := q.Level.Sources[start:mid:mid], slices.Clone(q.Level.Sources[mid:])
	using := syntax.Names(j.UsingClause)
	if j.IsNatural {
		using = common(left, right)
	}
	for _, name := range using {
		a, b := visible(left, name), visible(right, name)
		if a == nil || b == nil {
			x.Fail(int32(max(pg.Start(j), 0)), "USING (%s): both sides of the join need this column", name)
		}
		out.On = ir.AndE(out.On, x.Compare("=", a.Val(), b.Val(), 0).Expr)
		switch out.Kind {
		case ir.Right:
			hide(left, name)
		case ir.Full:
			x.Unmodelled("FULL JOIN with USING")
		default:
			hide(right, name)
		}
	}
	if j.Quals != nil {
		for _, c := range syntax.Conjuncts(j.Quals) {
			out.On = ir.AndE(out.On, x.Boolean(c, expr.Truth))
		}
	}
	// The columns of a side that may have no row may be NULL.
	nullable := func(list []*expr.RowSource) {
		for _, s := range list {
			for i := range s.Cols {
				s.Cols[i].NotNull = false
			}
		}
	}
	if out.Kind == ir.Left || out.Kind == ir.Full {
		nullable(right)
	}
	if out.Kind == ir.Right || out.Kind == ir.Full {
		nullable(left)
	}
	return out
}

// functionTree is a function of the FROM list: the elements of an array,
// numbers, or what a function of the program gives.
func (q *Query) functionTree(f *pg.RangeFunction) ir.From {
	x := q.Place
	call, name, alias := x.calledInFrom(f)
	if fns := x.Functions(name); len(fns) > 0 {
		if f.Ordinality {
			x.Unmodelled("WITH ORDINALITY of the function %s", name)
		}
		return q.tableFunction(call, name, alias, fns, f.Alias)
	}
	name = x.App.SystemName(name)
	if !x.App.Builtin(name).Set {
		x.Unmodelled("the function %s in FROM", name)
	}
	d := x.elements(call, name, alias)
	if !f.Ordinality {
		d.Cols = d.Cols[:1]
	}
	return q.leaf(d, alias, f.Alias, call.Location, func(src *expr.RowSource) { src.Unlockable = "a function" })
}

// elements is unnest, generate_series, or another set-returning function of
// one column. Functions in FROM may refer to the items before them.
func (x *Place) elements(call *pg.FuncCall, name, alias string) *Derived {
	var args []expr.Val
	for _, a := range call.Args {
		args = append(args, x.Expr(a))
	}
	r := &ir.Elems{Type: ir.IntType}
	t := schema.TInt
	switch {
	case name == "generate_series" && len(args) == 2 && args[0].Type.Name == schema.NInt && args[1].Type.Name == schema.NInt:
		r.Lo, r.Hi = args[0].Expr, args[1].Expr
	case name == "unnest" && len(args) == 1 && args[0].Type.Name == schema.NArray:
		t = args[0].Type.Element()
		r.Array = args[0].Expr
	case len(args) > 0 && name != "unnest" && name != "generate_series":
		t = x.setResult(name, args)
		r.Array = x.OpaqueCall(name, args, schema.ArrayOf(t)).Expr
	default:
		x.Unmodelled("the set-returning function %s with these arguments", name)
	}
	if len(x.App.FieldsOf(t.Name)) > 0 {
		x.Unmodelled("the set-returning function %s of rows, together with grouping, outer joins and the like", name)
	}
	r.Type = expr.LocalType(t)
	row := x.RowName(alias)
	cols := []expr.Column{{Name: alias, Expr: &ir.Col{Row: row, Col: "elem"}, Type: t, NotNull: r.Array == nil}, {Name: "ordinality", Expr: &ir.Col{Row: row, Col: "ordinality"}, Type: schema.TInt, NotNull: true}}
	x.Deriver.register(&expr.RowSource{Row: row, Cols: cols})
	return &Derived{Rel: &ir.Project{From: &ir.Leaf{Row: row, Rel: r}, Cols: expr.ItemsOf(cols)}, Cols: cols}
}

// tableFunction expands a LANGUAGE sql function that is one SELECT.
func (q *Query) tableFunction(call *pg.FuncCall, name, alias string, fns []*schema.Function, a *pg.Alias) ir.From {
	x := q.Place
	f, args := x.Arguments(call, name, fns)
	s, t := f.OnlyQuery()
	if f.Language != "sql" || s == nil || f.Strict || x.Draft.Active(f) {
		x.Unmodelled("the function %s in FROM, together with grouping, outer joins and the like", name)
	}
	y := x.InView(&schema.View{Text: t})
	y.Frame = &expr.Frame{Func: f, Text: t, SQLLang: true, Scope: &expr.Scope{Label: f.Name, Vars: map[string]*expr.Variable{}}}
	for i, p := range f.Inputs() {
		pt := x.App.SignatureType(p.T, f.Text)
		if args[i].Record || pt.Name == schema.NRecord || len(x.App.FieldsOf(pt.Name)) > 0 {
			x.Unmodelled("a row as an argument of %s", name)
		}
		v := &expr.Variable{Name: p.Name, Bound: x.Convert(args[i], pt, 0, "parameter "+p.Name), Type: pt, NotNull: args[i].NotNull}
		y.Frame.Inputs = append(y.Frame.Inputs, v)
		if p.Name != "" {
			y.Frame.Scope.Vars[p.Name] = v
		}
	}
	held, see := q.hold(y, s, alias, "function "+name, true, call.Location)
	x.Draft.Calls = append(x.Draft.Calls, f)
	leave := x.Draft.Enter(f)
	d := held.relation(s)
	leave()
	x.Draft.Calls = x.Draft.Calls[:len(x.Draft.Calls)-1]
	if !f.SetOf {
		x.Unmodelled("the function %s in FROM, together with grouping, outer joins and the like", name)
	}
	types := x.Draft.Runs.ResultTypes(y.Frame)
	if types != nil && len(types) != len(d.Cols) {
		x.App.Fail(f.Pos, "%s returns %d columns, but this gives %d", f.Name, len(types), len(d.Cols))
	}
	want := append([]expr.Column{}, d.Cols...)
	for i := range types {
		want[i].Type = types[i]
	}
	y.retype(d, want)
	y.settle(d)
	var list []string
	for _, o := range f.Outputs() {
		list = append(list, o.Name)
	}
	if len(list) == 0 {
		for _, fd := range x.App.FieldsOf(x.App.SignatureType(f.Ret, f.Text).Name) {
			list = append(list, fd.Name)
		}
	}
	if len(list) == 0 && len(d.Cols) == 1 {
		list = []string{alias}
	}
	rename(d, list)
	return q.leaf(d, alias, a, call.Location, see)
}
