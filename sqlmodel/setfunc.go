package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// function adds a function of the FROM list: one of the program that gives
// one row, or a set-returning one of PostgreSQL, which becomes a loop.
func (q *query) function(f *pg.RangeFunction) {
	x := q.in
	call, name, alias := x.calledInFrom(f)
	if f.Lateral {
		x.unmodelled("this form of a function in FROM")
	}
	if q.names(call) {
		x.unmodelled("a function in FROM of the rows before it")
	}
	src := &rowSource{alias: alias, unlockable: "a function"}
	outer := *x
	outer.levels = x.levels[:len(x.levels)-1]
	outer.perRow = len(outer.levels) > 0
	switch {
	case len(x.functions(name)) > 0:
		eff := x.l.EffectOfCall(x.functions(name))
		q.writer = q.writer || eff.Writes
		v := outer.call(call)
		src.cols = v.columns()
		if !v.record {
			src.cols[0].name = alias
		}
		if f.Ordinality {
			src.cols = append(src.cols, colDef{name: "ordinality", e: ir.C(ir.Int(1)), t: schema.TInt, nn: true})
		}
	case x.l.Builtin(name).Set:
		src.cols = q.setFunction(&outer, call, x.l.SystemName(name), alias, f.Ordinality)
	default:
		x.unmodelled("the function %s in FROM", name)
	}
	q.name(src, f.Alias, call.Location)
}

// calledInFrom gives the call of a function in FROM, and what the function and the
// rows are called.
func (x *ex) calledInFrom(f *pg.RangeFunction) (call *pg.FuncCall, name, alias string) {
	if f.IsRowsfrom || len(f.Functions) != 1 || len(f.Coldeflist) > 0 {
		x.unmodelled("this form of a function in FROM")
	}
	item, ok := pg.Inner(f.Functions[0]).(*pg.List)
	if !ok || len(item.Items) == 0 {
		x.unmodelled("this form of a function in FROM")
	}
	call, ok = pg.Inner(item.Items[0]).(*pg.FuncCall)
	if !ok {
		x.unmodelled("this form of a function in FROM")
	}
	alias = syntax.ExprName(item.Items[0])
	if f.Alias != nil {
		alias = f.Alias.Aliasname
	}
	return call, syntax.Qualified(syntax.Names(call.Funcname)), alias
}

// names reports whether a call names columns of the query's own sources.
func (q *query) names(call *pg.FuncCall) bool {
	found := false
	pg.Walk(call, func(tree any) bool {
		c, ok := tree.(*pg.ColumnRef)
		if !ok {
			return true
		}
		parts := syntax.Names(c.Fields)
		for _, s := range q.level.sources {
			if len(parts) == 1 && s.col(parts[0]) != nil || len(parts) > 1 && s.called(parts[:len(parts)-1]) {
				found = true
			}
		}
		return true
	})
	return found
}

// setFunction makes the loop of a set-returning function and gives its
// columns.
func (q *query) setFunction(x *ex, call *pg.FuncCall, name, alias string, ordinality bool) []colDef {
	if len(x.levels) > 0 {
		x.unmodelled("a set-returning function in a subquery")
	}
	var args []val
	for _, a := range call.Args {
		args = append(args, x.expr(a))
	}
	pos := x.pos(call.Location)
	loop := setLoop{}
	var cols []colDef
	switch {
	case name == "generate_series" && len(args) == 2 && args[0].t.Name == schema.NInt && args[1].t.Name == schema.NInt:
		null := ir.Expr(nil)
		for _, a := range args {
			if !a.nn {
				null = ir.OrE(null, &ir.Unary{Op: ir.IsNull, X: a.e})
			}
		}
		loop.from, loop.to = args[0].e, args[1].e
		if null != nil { // no rows then
			if !args[0].nn {
				loop.from = &ir.Cond{If: null, Then: ir.C(ir.Int(1)), Else: loop.from}
			}
			loop.to = &ir.Cond{If: null, Then: ir.Op(ir.Sub, loop.from, ir.C(ir.Int(1))), Else: loop.to}
		}
		loop.elem = x.b.local(alias, schema.TInt)
		cols = []colDef{{name: alias, e: ir.V(loop.elem), t: schema.TInt, nn: true}}
	case name == "unnest" && len(args) == 1 && args[0].t.Name == schema.NArray:
		cols = q.overArray(x, &loop, args[0], alias, pos)
	case len(args) > 0 && name != "unnest" && name != "generate_series":
		t := x.setResult(name, args)
		rows := x.opaqueCall(name, args, schema.ArrayOf(t))
		cols = q.overArray(x, &loop, rows, alias, pos)
	default:
		x.unmodelled("the set-returning function %s with these arguments", name)
	}
	if ordinality {
		loop.ordinal = x.b.local("ordinality", schema.TInt)
		cols = append(cols, colDef{name: "ordinality", e: ir.V(loop.ordinal), t: schema.TInt, nn: true})
	}
	q.loops = append(q.loops, loop)
	return cols
}

// setResult is the type of the rows of a set-returning function of one column, whose
// values depend on the arguments alone.
func (x *ex) setResult(name string, args []val) schema.Type {
	var given []catalog.Arg
	for _, a := range args {
		given = append(given, catalog.Arg{Type: a.argType()})
	}
	calls, outcome := x.l.Catalog().Function(name, given, false)
	if outcome != catalog.Found || !calls[0].Set || catalog.EffectOf(calls[0].Function) != catalog.Pure || len(calls[0].Out) > 1 {
		x.unmodelled("the set-returning function %s with these arguments", name)
	}
	t := x.l.ResultType(calls[0].Returns)
	if t.SQL == nil {
		x.unmodelled("the set-returning function %s", name)
	}
	return t
}

// overArray fills a loop over the elements of an array.
func (q *query) overArray(x *ex, loop *setLoop, a val, alias string, pos ir.Pos) []colDef {
	if _, isVar := a.e.(*ir.Var); isVar {
		loop.array = a.e
	} else {
		v := x.b.local("array", a.t)
		x.b.emit(&ir.Assign{At: at(pos), Var: v, Expr: a.e})
		loop.array = ir.V(v)
	}
	t := a.t.Element()
	loop.elem = x.b.local(alias, t)
	elem := val{e: ir.V(loop.elem), t: t}
	if fields := x.l.FieldsOf(t.Name); len(fields) > 0 {
		var cols []colDef
		for _, f := range fields {
			cols = append(cols, colDef{name: f.Name, e: accessor(elem, f), t: f.T})
		}
		return cols
	}
	return []colDef{{name: alias, e: elem.e, t: t}}
}

// each runs body inside the loops of the set-returning functions of q; it is
// for body to go over the tables of q, if there are any. exit and next are the
// labels of the outermost and of the innermost loop, "" where none is needed.
func (b *builder) each(q *query, pos ir.Pos, exit, next string, body func()) {
	b.eachLoop(q, pos, 0, exit, next, body)
}

func (b *builder) eachLoop(q *query, pos ir.Pos, i int, exit, next string, body func()) {
	if i == len(q.loops) {
		b.out = append(b.out, q.body...)
		if q.where != nil && len(q.from) == 0 {
			b.emit(&ir.If{At: at(pos), Cond: q.where, Then: b.collect(body)})
			return
		}
		body()
		return
	}
	l := q.loops[i]
	label := ""
	if i == 0 {
		label = exit
	}
	if i == len(q.loops)-1 && next != "" {
		label = next
	}
	loop := &ir.ForRange{At: at(pos), Label: label, Var: l.elem, From: l.from, To: l.to}
	if l.array != nil {
		loop.Var = b.local("i", schema.TInt)
		loop.From = ir.C(ir.Int(1))
		n := &ir.Call{Name: "len", Args: []ir.Expr{l.array}, Type: ir.IntType}
		loop.To = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: l.array}, Then: ir.C(ir.Int(0)), Else: n}
	}
	loop.Body = b.collect(func() {
		if l.array != nil {
			t := b.typeOfLocal(l.elem)
			b.emit(&ir.Assign{At: at(pos), Var: l.elem, Expr: &ir.Call{Name: "elem", Args: []ir.Expr{l.array, ir.V(loop.Var)}, Type: t}})
		}
		if l.ordinal != "" {
			e := ir.V(loop.Var)
			if l.array == nil {
				e = ir.Op(ir.Add, ir.Op(ir.Sub, e, l.from), ir.C(ir.Int(1)))
			}
			b.emit(&ir.Assign{At: at(pos), Var: l.ordinal, Expr: e})
		}
		b.eachLoop(q, pos, i+1, exit, next, body)
	})
	b.emit(loop)
}
