package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// fromTree translates an item of the FROM list of a derivation, whose row
// variables it brings into scope.
func (q *query) fromTree(n *pg.Node) ir.From {
	x := q.in
	switch f := pg.Inner(n).(type) {
	case *pg.RangeVar:
		return q.fromName(f)
	case *pg.JoinExpr:
		return q.joinTree(f)
	case *pg.RangeSubselect:
		sel, ok := pg.Inner(f.Subquery).(*pg.SelectStmt)
		if !ok {
			x.unmodelled("this kind of FROM item")
		}
		y := *x
		if !f.Lateral {
			y.levels = y.levels[:len(y.levels)-1]
		}
		alias := ""
		if f.Alias != nil {
			alias = f.Alias.Aliasname
		}
		held, see := q.hold(&y, sel, alias, "a subquery in FROM", false, x.at(n))
		d := held.relation(sel)
		y.settle(d)
		return q.leaf(d, alias, f.Alias, x.at(n), see)
	case *pg.RangeFunction:
		return q.functionTree(f)
	}
	x.unmodelled("this kind of FROM item")
	return nil
}

// leaf brings a relation into scope.
func (q *query) leaf(d *derived, alias string, a *pg.Alias, loc int32, see func(*rowSource)) ir.From {
	base := alias
	if base == "" {
		base = "derived"
	}
	src := q.in.leafSource(alias, q.in.rowName(base), d)
	q.name(src, a, loc)
	see(src)
	return &ir.Leaf{Row: src.row, Rel: d.rel}
}

// fromName is a table, a view or a WITH query.
func (q *query) fromName(r *pg.RangeVar) ir.From {
	x := q.in
	if c := x.ctes.find(r.Relname); c != nil && r.Schemaname == "" {
		if c.query == nil {
			return q.leaf(c.make(x), syntax.AliasOf(r), r.Alias, r.Location, func(src *rowSource) { src.unlockable = "a WITH query" })
		}
		in := *x
		in.ctes, in.levels = c.up, c.levels
		_, see := q.hold(&in, c.query, syntax.AliasOf(r), "a WITH query", true, r.Location)
		return q.leaf(c.make(x), syntax.AliasOf(r), r.Alias, r.Location, see)
	}
	if v := x.viewOf(r); v != nil {
		held, see := q.hold(x.inView(v), v.Query, syntax.AliasOf(r), "view "+syntax.RangeName(r), false, r.Location)
		return q.leaf(held.viewRows(v), syntax.AliasOf(r), r.Alias, r.Location, see)
	}
	t := x.tableOf(r)
	alias := syntax.AliasOf(r)
	row := x.rowName(alias)
	src := x.source(t, alias, row)
	x.d.register(src)
	q.name(src, r.Alias, r.Location)
	sup := &support{table: t, row: row, given: &ir.Given{}, pos: x.pos(r.Location)}
	x.d.supports = append(x.d.supports, sup)
	return &ir.Leaf{Row: row, Rel: sup.given}
}

// viewRows translates the query of a view, in which x stands.
func (y *ex) viewRows(v *schema.View) *derived {
	if y.queries > maxQueryDepth {
		y.unmodelled("views nested more than %d deep", maxQueryDepth)
	}
	d := y.relation(v.Query)
	y.settle(d)
	rename(d, v.Cols)
	for i := range d.cols {
		d.cols[i].name = v.Column(d.cols[i].name)
	}
	return d
}

// inView gives the translator for the query of a view, which sees nothing of
// the place where the view is used.
func (x *ex) inView(v *schema.View) *ex {
	if slices.Contains(x.viewing, v) {
		x.unmodelled("view %s, which reads itself", v.Name)
	}
	y := *x
	y.text, y.levels, y.ctes, y.agg, y.win = v.Text, nil, nil, nil, nil
	y.f = &frame{fn: x.f.fn, text: v.Text, sqlLang: true, scope: &scope{vars: map[string]*variable{}}}
	y.queries++
	y.viewing = append(slices.Clone(x.viewing), v)
	return &y
}

// joinTree is a join, of any kind.
func (q *query) joinTree(j *pg.JoinExpr) ir.From {
	x := q.in
	if j.Alias != nil {
		x.unmodelled("an alias of a join")
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
	start := len(q.level.sources)
	out.L = q.fromTree(j.Larg)
	mid := len(q.level.sources)
	out.R = q.fromTree(j.Rarg)
	left, right := q.level.sources[start:mid:mid], slices.Clone(q.level.sources[mid:])
	using := syntax.Names(j.UsingClause)
	if j.IsNatural {
		using = common(left, right)
	}
	for _, name := range using {
		a, b := visible(left, name), visible(right, name)
		if a == nil || b == nil {
			x.fail(int32(max(pg.Start(j), 0)), "USING (%s): both sides of the join need this column", name)
		}
		out.On = ir.AndE(out.On, x.compare("=", a.val(), b.val(), 0).e)
		switch out.Kind {
		case ir.Right:
			hide(left, name)
		case ir.Full:
			x.unmodelled("FULL JOIN with USING")
		default:
			hide(right, name)
		}
	}
	if j.Quals != nil {
		for _, c := range syntax.Conjuncts(j.Quals) {
			out.On = ir.AndE(out.On, x.boolean(c, truth))
		}
	}
	// The columns of a side that may have no row may be NULL.
	nullable := func(list []*rowSource) {
		for _, s := range list {
			for i := range s.cols {
				s.cols[i].nn = false
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
func (q *query) functionTree(f *pg.RangeFunction) ir.From {
	x := q.in
	call, name, alias := x.calledInFrom(f)
	if fns := x.functions(name); len(fns) > 0 {
		if f.Ordinality {
			x.unmodelled("WITH ORDINALITY of the function %s", name)
		}
		return q.tableFunction(call, name, alias, fns, f.Alias)
	}
	name = x.l.SystemName(name)
	if !x.l.Builtin(name).Set {
		x.unmodelled("the function %s in FROM", name)
	}
	d := x.elements(call, name, alias)
	if !f.Ordinality {
		d.cols = d.cols[:1]
	}
	return q.leaf(d, alias, f.Alias, call.Location, func(src *rowSource) { src.unlockable = "a function" })
}

// elements is unnest, generate_series, or another set-returning function of
// one column. Functions in FROM may refer to the items before them.
func (x *ex) elements(call *pg.FuncCall, name, alias string) *derived {
	var args []val
	for _, a := range call.Args {
		args = append(args, x.expr(a))
	}
	r := &ir.Elems{Type: ir.IntType}
	t := schema.TInt
	switch {
	case name == "generate_series" && len(args) == 2 && args[0].t.Name == schema.NInt && args[1].t.Name == schema.NInt:
		r.Lo, r.Hi = args[0].e, args[1].e
	case name == "unnest" && len(args) == 1 && args[0].t.Name == schema.NArray:
		t = args[0].t.Element()
		r.Array = args[0].e
	case len(args) > 0 && name != "unnest" && name != "generate_series":
		t = x.setResult(name, args)
		r.Array = x.opaqueCall(name, args, schema.ArrayOf(t)).e
	default:
		x.unmodelled("the set-returning function %s with these arguments", name)
	}
	if len(x.l.FieldsOf(t.Name)) > 0 {
		x.unmodelled("the set-returning function %s of rows, together with grouping, outer joins and the like", name)
	}
	r.Type = localType(t)
	row := x.rowName(alias)
	cols := []colDef{{name: alias, e: &ir.Col{Row: row, Col: "elem"}, t: t, nn: r.Array == nil}, {name: "ordinality", e: &ir.Col{Row: row, Col: "ordinality"}, t: schema.TInt, nn: true}}
	x.d.register(&rowSource{row: row, cols: cols})
	return &derived{rel: &ir.Project{From: &ir.Leaf{Row: row, Rel: r}, Cols: itemsOf(cols)}, cols: cols}
}

// tableFunction expands a LANGUAGE sql function that is one SELECT.
func (q *query) tableFunction(call *pg.FuncCall, name, alias string, fns []*schema.Function, a *pg.Alias) ir.From {
	x := q.in
	f, args := x.arguments(call, name, fns)
	s, t := f.OnlyQuery()
	if f.Language != "sql" || s == nil || f.Strict || x.b.active(f) {
		x.unmodelled("the function %s in FROM, together with grouping, outer joins and the like", name)
	}
	y := x.inView(&schema.View{Text: t})
	y.f = &frame{fn: f, text: t, sqlLang: true, scope: &scope{label: f.Name, vars: map[string]*variable{}}}
	for i, p := range f.Inputs() {
		pt := x.l.SignatureType(p.T, f.Text)
		if args[i].record || pt.Name == schema.NRecord || len(x.l.FieldsOf(pt.Name)) > 0 {
			x.unmodelled("a row as an argument of %s", name)
		}
		v := &variable{name: p.Name, bound: x.convert(args[i], pt, 0, "parameter "+p.Name), t: pt, nn: args[i].nn}
		y.f.inputs = append(y.f.inputs, v)
		if p.Name != "" {
			y.f.scope.vars[p.Name] = v
		}
	}
	held, see := q.hold(y, s, alias, "function "+name, true, call.Location)
	x.b.calls = append(x.b.calls, f)
	leave := x.b.enter(f)
	d := held.relation(s)
	leave()
	x.b.calls = x.b.calls[:len(x.b.calls)-1]
	if !f.SetOf {
		x.unmodelled("the function %s in FROM, together with grouping, outer joins and the like", name)
	}
	types := x.b.runs.resultTypes(y.f)
	if types != nil && len(types) != len(d.cols) {
		x.l.Fail(f.Pos, "%s returns %d columns, but this gives %d", f.Name, len(types), len(d.cols))
	}
	want := append([]colDef{}, d.cols...)
	for i := range types {
		want[i].t = types[i]
	}
	y.retype(d, want)
	y.settle(d)
	var list []string
	for _, o := range f.Outputs() {
		list = append(list, o.Name)
	}
	if len(list) == 0 {
		for _, fd := range x.l.FieldsOf(x.l.SignatureType(f.Ret, f.Text).Name) {
			list = append(list, fd.Name)
		}
	}
	if len(list) == 0 && len(d.cols) == 1 {
		list = []string{alias}
	}
	rename(d, list)
	return q.leaf(d, alias, a, call.Location, see)
}
