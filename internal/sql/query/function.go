package query

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/trace"
)

// function is a function of the FROM list: one of the program, or a set-returning one of
// PostgreSQL. Plainly the former gives one row and the latter becomes a loop.
func (q *Query) function(f *pg.RangeFunction) Item {
	x := q.Place
	call, name, alias := x.calledInFrom(f)
	if !q.derived && f.Lateral {
		x.Unmodelled(lateralFunction)
	}
	if !q.derived && q.names(call) {
		x.Unmodelled("a function in FROM of the rows before it")
	}
	fns := x.Functions(name)
	name = x.App.SystemName(name)
	src := &expr.RowSource{Alias: alias, Unlockable: "a function"}
	outer := x.Copy()
	outer.Levels = x.Levels[:len(x.Levels)-1]
	outer.PerRow = len(outer.Levels) > 0
	switch set := len(fns) == 0 && x.App.Builtin(name).Set; {
	case len(fns) > 0 && q.derived:
		if f.Ordinality {
			x.Unmodelled("WITH ORDINALITY of the function %s", name)
		}
		return Item{Tree: q.tableFunction(call, name, alias, fns, f.Alias)}
	case len(fns) > 0:
		q.Writer = q.Writer || x.App.EffectOfCall(fns).Writes
		v := outer.Call(call)
		src.Cols = v.Columns()
		if !v.Record {
			src.Cols[0].Name = alias
		}
		if f.Ordinality {
			src.Cols = append(src.Cols, expr.Column{Name: "ordinality", Expr: ir.C(ir.Int(1)), Type: schema.TInt, NotNull: true})
		}
	case !set:
		x.Unmodelled("the function %s in FROM", name)
	case q.derived: // it may refer to the items before it
		d := x.elements(x.series(call, name), name, alias)
		if !f.Ordinality {
			d.Cols = d.Cols[:1]
		}
		return Item{Tree: q.leaf(d, alias, f.Alias, call.Location, func(src *expr.RowSource) { src.Unlockable = "a function" })}
	case len(outer.Levels) > 0:
		x.Unmodelled(noSet)
	default:
		src.Cols = q.loop(outer, outer.series(call, name), alias, x.Pos(call.Location), f.Ordinality)
	}
	q.Name(src, f.Alias, call.Location)
	return Item{}
}

// series is what a set-returning function gives: the elements of an array, or the numbers from
// lo to hi.
type series struct {
	array, lo, hi expr.Val
	t             schema.Type
}

// series translates a call of unnest, generate_series, or another set-returning function of
// one column.
func (x *Place) series(call *pg.FuncCall, name string) series {
	var args []expr.Val
	for _, a := range call.Args {
		args = append(args, x.Expr(a))
	}
	switch {
	case name == "generate_series" && len(args) == 2 && args[0].Type.Name == schema.NInt && args[1].Type.Name == schema.NInt:
		return series{lo: args[0], hi: args[1], t: schema.TInt}
	case name == "unnest" && len(args) == 1 && args[0].Type.Name == schema.NArray:
		return series{array: args[0], t: args[0].Type.Element()}
	case len(args) > 0 && name != "unnest" && name != "generate_series":
		t := x.setResult(name, args)
		return series{array: x.OpaqueCall(name, args, schema.ArrayOf(t)), t: t}
	}
	x.Unmodelled("the set-returning function %s with these arguments", name)
	return series{}
}

// elements is a series as a relation.
func (x *Place) elements(s series, name, alias string) *Derived {
	if len(x.App.FieldsOf(s.t.Name)) > 0 {
		x.Unmodelled("the set-returning function %s of rows, together with grouping, outer joins and the like", name)
	}
	r := &ir.Elems{Array: s.array.Expr, Lo: s.lo.Expr, Hi: s.hi.Expr, Type: expr.LocalType(s.t)}
	row := x.RowName(alias)
	cols := []expr.Column{{Name: alias, Expr: &ir.Col{Row: row, Col: "elem"}, Type: s.t, NotNull: r.Array == nil}, {Name: "ordinality", Expr: &ir.Col{Row: row, Col: "ordinality"}, Type: schema.TInt, NotNull: true}}
	x.Deriver.register(&expr.RowSource{Row: row, Cols: cols})
	return &Derived{Rel: &ir.Project{From: &ir.Leaf{Row: row, Rel: r}, Cols: expr.ItemsOf(cols)}, Cols: cols}
}

// loop makes the loop of a series and gives its columns.
func (q *Query) loop(x *Place, s series, alias string, pos ir.Pos, ordinality bool) []expr.Column {
	loop := SetLoop{}
	var cols []expr.Column
	if s.array.Expr != nil {
		cols = overArray(x, &loop, s.array, alias, pos)
	} else {
		null := ir.Expr(nil)
		for _, a := range []expr.Val{s.lo, s.hi} {
			if !a.NotNull {
				null = ir.OrE(null, &ir.Unary{Op: ir.IsNull, X: a.Expr})
			}
		}
		loop.From, loop.To = s.lo.Expr, s.hi.Expr
		if null != nil { // no rows then
			if !s.lo.NotNull {
				loop.From = &ir.Cond{If: null, Then: ir.C(ir.Int(1)), Else: loop.From}
			}
			loop.To = &ir.Cond{If: null, Then: ir.Op(ir.Sub, loop.From, ir.C(ir.Int(1))), Else: loop.To}
		}
		loop.Elem = x.Draft.Local(alias, schema.TInt)
		cols = []expr.Column{{Name: alias, Expr: ir.V(loop.Elem), Type: schema.TInt, NotNull: true}}
	}
	if ordinality {
		loop.Ordinal = x.Draft.Local("ordinality", schema.TInt)
		cols = append(cols, expr.Column{Name: "ordinality", Expr: ir.V(loop.Ordinal), Type: schema.TInt, NotNull: true})
	}
	x.Draft.Applied(trace.LoopSeries, pos)
	q.Loops = append(q.Loops, loop)
	return cols
}

// names reports whether a call names columns of the query's own sources.
func (q *Query) names(call *pg.FuncCall) bool {
	found := false
	pg.Walk(call, func(tree any) bool {
		c, ok := tree.(*pg.ColumnRef)
		if !ok {
			return true
		}
		parts := syntax.Names(c.Fields)
		for _, s := range q.Level.Sources {
			if len(parts) == 1 && s.Col(parts[0]) != nil || len(parts) > 1 && s.Called(parts[:len(parts)-1]) {
				found = true
			}
		}
		return true
	})
	return found
}

// setResult is the type of the rows of a set-returning function of one column, whose
// values depend on the arguments alone.
func (x *Place) setResult(name string, args []expr.Val) schema.Type {
	var given []catalog.Arg
	for _, a := range args {
		given = append(given, catalog.Arg{Type: a.ArgType()})
	}
	calls, outcome := x.App.Catalog().Function(name, given, false)
	if outcome != catalog.Found || !calls[0].Set || catalog.EffectOf(calls[0].Function) != catalog.Pure || len(calls[0].Out) > 1 {
		x.Unmodelled("the set-returning function %s with these arguments", name)
	}
	t := x.App.ResultType(calls[0].Returns)
	if t.SQL == nil {
		x.Unmodelled("the set-returning function %s", name)
	}
	return t
}

// overArray fills a loop over the elements of an array.
func overArray(x *Place, loop *SetLoop, a expr.Val, alias string, pos ir.Pos) []expr.Column {
	if _, isVar := a.Expr.(*ir.Var); isVar {
		loop.Array = a.Expr
	} else {
		v := x.Draft.Local("array", a.Type)
		x.Draft.Emit(&ir.Assign{At: expr.At(pos), Var: v, Expr: a.Expr})
		loop.Array = ir.V(v)
	}
	t := a.Type.Element()
	loop.Elem = x.Draft.Local(alias, t)
	elem := expr.Val{Expr: ir.V(loop.Elem), Type: t}
	if fields := x.App.FieldsOf(t.Name); len(fields) > 0 {
		var cols []expr.Column
		for _, f := range fields {
			cols = append(cols, expr.Column{Name: f.Name, Expr: expr.Accessor(elem, f), Type: f.T})
		}
		return cols
	}
	return []expr.Column{{Name: alias, Expr: elem.Expr, Type: t}}
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
	x.Draft.Applied(trace.ExpandTable, x.Pos(call.Location))
	held, see := q.hold(y, s, alias, "function "+name, true, call.Location)
	x.Draft.Mix(f, x.App.EffectOfCall([]*schema.Function{f}))
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
