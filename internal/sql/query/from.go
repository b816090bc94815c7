package query

import (
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// function adds a function of the FROM list: one of the program that gives
// one row, or a set-returning one of PostgreSQL, which becomes a loop.
func (q *Query) function(f *pg.RangeFunction) {
	x := q.Place
	call, name, alias := x.calledInFrom(f)
	if f.Lateral {
		x.Unmodelled("this form of a function in FROM")
	}
	if q.names(call) {
		x.Unmodelled("a function in FROM of the rows before it")
	}
	src := &expr.RowSource{Alias: alias, Unlockable: "a function"}
	outer := x.Copy()
	outer.Levels = x.Levels[:len(x.Levels)-1]
	outer.PerRow = len(outer.Levels) > 0
	switch {
	case len(x.Functions(name)) > 0:
		eff := x.App.EffectOfCall(x.Functions(name))
		q.Writer = q.Writer || eff.Writes
		v := outer.Call(call)
		src.Cols = v.Columns()
		if !v.Record {
			src.Cols[0].Name = alias
		}
		if f.Ordinality {
			src.Cols = append(src.Cols, expr.Column{Name: "ordinality", Expr: ir.C(ir.Int(1)), Type: schema.TInt, NotNull: true})
		}
	case x.App.Builtin(name).Set:
		src.Cols = q.setFunction(outer, call, x.App.SystemName(name), alias, f.Ordinality)
	default:
		x.Unmodelled("the function %s in FROM", name)
	}
	q.Name(src, f.Alias, call.Location)
}

// calledInFrom gives the call of a function in FROM, and what the function and the
// rows are called.
func (x *Place) calledInFrom(f *pg.RangeFunction) (call *pg.FuncCall, name, alias string) {
	if f.IsRowsfrom || len(f.Functions) != 1 || len(f.Coldeflist) > 0 {
		x.Unmodelled("this form of a function in FROM")
	}
	item, ok := pg.Inner(f.Functions[0]).(*pg.List)
	if !ok || len(item.Items) == 0 {
		x.Unmodelled("this form of a function in FROM")
	}
	call, ok = pg.Inner(item.Items[0]).(*pg.FuncCall)
	if !ok {
		x.Unmodelled("this form of a function in FROM")
	}
	alias = syntax.ExprName(item.Items[0])
	if f.Alias != nil {
		alias = f.Alias.Aliasname
	}
	return call, syntax.Qualified(syntax.Names(call.Funcname)), alias
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

// setFunction makes the loop of a set-returning function and gives its
// columns.
func (q *Query) setFunction(x *Place, call *pg.FuncCall, name, alias string, ordinality bool) []expr.Column {
	if len(x.Levels) > 0 {
		x.Unmodelled("a set-returning function in a subquery")
	}
	var args []expr.Val
	for _, a := range call.Args {
		args = append(args, x.Expr(a))
	}
	pos := x.Pos(call.Location)
	loop := SetLoop{}
	var cols []expr.Column
	switch {
	case name == "generate_series" && len(args) == 2 && args[0].Type.Name == schema.NInt && args[1].Type.Name == schema.NInt:
		null := ir.Expr(nil)
		for _, a := range args {
			if !a.NotNull {
				null = ir.OrE(null, &ir.Unary{Op: ir.IsNull, X: a.Expr})
			}
		}
		loop.From, loop.To = args[0].Expr, args[1].Expr
		if null != nil { // no rows then
			if !args[0].NotNull {
				loop.From = &ir.Cond{If: null, Then: ir.C(ir.Int(1)), Else: loop.From}
			}
			loop.To = &ir.Cond{If: null, Then: ir.Op(ir.Sub, loop.From, ir.C(ir.Int(1))), Else: loop.To}
		}
		loop.Elem = x.Draft.Local(alias, schema.TInt)
		cols = []expr.Column{{Name: alias, Expr: ir.V(loop.Elem), Type: schema.TInt, NotNull: true}}
	case name == "unnest" && len(args) == 1 && args[0].Type.Name == schema.NArray:
		cols = q.overArray(x, &loop, args[0], alias, pos)
	case len(args) > 0 && name != "unnest" && name != "generate_series":
		t := x.setResult(name, args)
		rows := x.OpaqueCall(name, args, schema.ArrayOf(t))
		cols = q.overArray(x, &loop, rows, alias, pos)
	default:
		x.Unmodelled("the set-returning function %s with these arguments", name)
	}
	if ordinality {
		loop.Ordinal = x.Draft.Local("ordinality", schema.TInt)
		cols = append(cols, expr.Column{Name: "ordinality", Expr: ir.V(loop.Ordinal), Type: schema.TInt, NotNull: true})
	}
	q.Loops = append(q.Loops, loop)
	return cols
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
func (q *Query) overArray(x *Place, loop *SetLoop, a expr.Val, alias string, pos ir.Pos) []expr.Column {
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

// fromQuery is a query of a FROM list: a subquery, a view or a WITH query.
type fromQuery struct {
	s     *pg.SelectStmt
	alias string
	as    *pg.Alias
	// cols are names for its first columns; rename, if not nil, changes those of all.
	cols   []string
	rename func(string) string
	loc    int32
	// picked, if not nil, stands for SKIP LOCKED and LIMIT.
	picked picked
	// what says what it is. fenced says that it is computed by itself, whatever is
	// asked of its rows: a WITH query.
	what   string
	fenced bool
}

// hiddenSources gives the sources of a query without their names and columns.
func hiddenSources(lv *expr.Level) []*expr.RowSource {
	var out []*expr.RowSource
	for _, s := range lv.Sources {
		if s.Row != "" {
			out = append(out, &expr.RowSource{Alias: expr.HiddenAlias + s.Row, Row: s.Row, Table: s.Table})
		}
	}
	return out
}
