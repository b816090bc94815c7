package sqlmodel

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// call translates a function call.
func (x *ex) call(e *pg.FuncCall) val {
	name := syntax.Qualified(syntax.Names(e.Funcname))
	e.Args = wholeRows(e.Args)
	if e.Over != nil {
		return x.windowCall(e, syntax.PlainName(name))
	}
	if fns := x.functions(name); len(fns) > 0 {
		return x.callUser(e, name, fns)
	}
	return x.systemCall(e, x.l.systemName(name))
}

// concatAll is concat(a, b, …), which leaves NULLs out.
func (x *ex) concatAll(args []val) val {
	var out ir.Expr = ir.C(ir.Text(""))
	for i, a := range args {
		if a.record {
			x.unmodelled("concat of a row")
		}
		if !a.nn {
			a.e = x.shared(a.e, a.t)
		}
		e := x.cast(a, tText, 0).e
		if !a.nn {
			e = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: a.e}, Then: ir.C(ir.Text("")), Else: e}
		}
		if i == 0 {
			out = e
			continue
		}
		out = &ir.Call{Name: "concat", Args: []ir.Expr{out, e}, Type: ir.TextType}
	}
	return val{e: out, t: tText, nn: true}
}

// volatile is any value at each evaluation. For a query it is a function of
// the row and of a seed.
func (x *ex) volatile(name string, t typ, pos ir.Pos) val {
	if x.b == nil {
		panic(unmodelled{"the function " + name})
	}
	if !x.perRow {
		v := x.b.local(name, t)
		x.b.emit(&ir.Havoc{At: at(pos), Var: v, NotNull: true, Of: name + "()"})
		return val{e: ir.V(v), t: t, nn: true}
	}
	if x.d != nil {
		x.unmodelled("the function %s, together with grouping, outer joins and the like", name)
	}
	seed := x.b.local(name+"_seed", tAny)
	x.b.emit(&ir.Havoc{At: at(pos), Var: seed, Of: name + "()"})
	args := x.rowKeys()
	if name == holeFunc { // the program's condition, which looks at the row
		args = x.rowColumns()
	}
	c := &ir.Call{Name: name, Args: append([]ir.Expr{ir.V(seed)}, args...), Type: t.ir}
	return val{e: c, t: t}
}

// rowColumns gives all columns of the rows of all queries around an expression.
func (x *ex) rowColumns() []ir.Expr {
	var out []ir.Expr
	for _, lv := range x.levels {
		for _, s := range lv.sources {
			if s.table == nil || s.row == "" {
				x.unmodelled("a condition that is not known, on rows that are no table's")
			}
			for _, c := range s.table.ir.Columns {
				out = append(out, &ir.Col{Row: s.row, Col: c.Name})
			}
		}
	}
	return out
}

// rowKeys gives the keys of the rows of all queries around an expression.
func (x *ex) rowKeys() []ir.Expr {
	var out []ir.Expr
	for _, lv := range x.levels {
		for _, s := range lv.sources {
			if s.table != nil && s.row != "" {
				for _, k := range s.table.ir.Key {
					out = append(out, &ir.Col{Row: s.row, Col: s.table.ir.Columns[k].Name})
				}
			}
		}
	}
	return out
}

// fresh is a value that was never used before.
func (x *ex) fresh(name string, t typ, e *pg.FuncCall) val {
	if x.perRow { // as good as any value: a row's value cannot be told fresh
		v := x.volatile(name, t, x.pos(e.Location))
		v.nn = true
		return v
	}
	base, seq := name, ""
	if name == "nextval" {
		seq = x.l.sequenceName(e.Args, x.text)
	} else if t.name == "uuid" {
		base = "uuid"
	}
	return val{e: x.b.nextval(x.pos(e.Location), seq, base, t), t: t, nn: true}
}

// callUser translates a call of a function of the program.
func (x *ex) callUser(e *pg.FuncCall, name string, fns []*function) val {
	if x.b == nil {
		panic(unmodelled{"the function " + name})
	}
	f, args := x.arguments(e, name, fns)
	if f == nil {
		return x.systemCall(e, x.l.systemName(name))
	}
	if v, ok := x.expressionFunction(f, args); ok {
		return v
	}
	if f.setOf {
		x.unmodelled("the set-returning function %s in this place", name)
	}
	if x.perRow || x.conditional {
		eff := x.l.effectOfCall([]*function{f})
		if x.perRow && !f.stable && x.l.draws(f, map[*function]bool{}) {
			x.unmodelled("a call of %s for each row, whose value may differ for each", name)
		}
		if eff.writes || eff.all || eff.locks || x.l.mayAbort(f, map[*function]bool{}) {
			x.unmodelled("a call of %s in a place where it may run several times or not at all", name)
		}
		for _, a := range args {
			for _, c := range a.columns() {
				if !rowFree(c.e, map[string]bool{}) {
					x.unmodelled("a call of %s for each row of a query", name)
				}
			}
		}
	}
	x.b.checkVolatility(f)
	return x.b.inline(x.pos(e.Location), f, args)
}

// apart refuses a statement that reads tables and calls a function that writes
// some: its own reads do not see those writes, but the statements that take
// their place would. target is the table of an INSERT, which is not read.
func (b *builder) apart(root pg.Message, target *pg.RangeVar) {
	reads := false
	pg.Walk(root, func(tree any) bool {
		r, ok := tree.(*pg.RangeVar)
		reads = reads || ok && r != target
		return true
	})
	writer := ""
	for _, name := range slices.Sorted(maps.Keys(b.l.calls(b.refsOf(root)))) {
		fns := b.l.lateFunctions(name)
		if len(fns) == 0 {
			continue
		}
		e := b.l.effectOfCall(fns)
		if e.writes || e.all {
			writer = name
		}
		for _, f := range fns {
			reads = reads || f.stable && len(e.tables) > 0
		}
	}
	if reads && writer != "" {
		b.unmodelled("a call of %s, which writes, in a statement that reads", writer)
	}
}

// draws reports whether a function, or one that it calls, uses values that differ from call to call.
func (l *Schema) draws(f *function, seen map[*function]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	for name := range l.calls(f.refs) {
		if b := l.builtin(name); (b.effect == catalog.AnyValue || b.effect == catalog.Fresh) && len(l.lateFunctions(name)) == 0 {
			return true
		}
	}
	return slices.ContainsFunc(l.callees(f), func(g *function) bool { return l.draws(g, seen) })
}

// columns gives a value as a list of columns: one, or the fields of a row.
func (v val) columns() []colDef {
	if v.record {
		return v.fields
	}
	return []colDef{{e: v.e, t: v.t, nn: v.nn}}
}

// arguments chooses among overloaded functions and orders the arguments. No
// function means the system's function of that name, which the program's overload.
func (x *ex) arguments(e *pg.FuncCall, name string, fns []*function) (*function, []val) {
	var positional []val
	named := map[string]val{}
	var given []catalog.Arg
	for _, n := range e.Args {
		if a, ok := pg.Inner(n).(*pg.NamedArgExpr); ok {
			named[a.Name] = x.expr(a.Arg)
			given = append(given, catalog.Arg{Type: named[a.Name].argType(), Name: a.Name})
		} else {
			v := x.expr(n)
			positional = append(positional, v)
			given = append(given, catalog.Arg{Type: v.argType()})
		}
	}
	if e.FuncVariadic {
		x.unmodelled("VARIADIC in a call")
	}
	candidates := make([]*catalog.Function, 0, len(fns))
	for _, f := range fns {
		candidates = append(candidates, x.l.signature(f))
	}
	candidates = append(candidates, x.l.beside(name, candidates)...)
	calls, _ := x.l.catalog().Among(candidates, given, false)
	var f *function
	switch {
	case len(calls) == 1 && calls[0].Program == nil:
		return nil, positional
	case len(calls) == 1:
		f = calls[0].Program.(*function)
	case len(calls) == 0 && len(fns) == 1 && !fns[0].hasVariadic():
		x.fail(e.Location, "%s is called with %d arguments that do not fit its declaration %s", name, len(e.Args), fns[0].signature())
	default:
		x.unmodelled("a call of %s, which is declared %d times", name, len(fns))
	}
	if !f.hasBody() {
		x.unmodelled("the function %s, which is written in %s", name, f.language)
	}
	if f.hasVariadic() {
		x.unmodelled("a call of %s, whose last parameter is VARIADIC", name)
	}
	var args []val
	for i, p := range f.inputs() {
		v, isNamed := named[p.name]
		switch {
		case i < len(positional):
			v = positional[i]
		case !isNamed:
			y := &ex{l: x.l, b: x.b, text: f.text}
			v = y.expr(p.def)
		}
		args = append(args, v)
	}
	return f, args
}

// argType is the type of a value as the catalog names it.
func (v val) argType() string {
	switch {
	case v.record:
		return nRecord
	case v.given: // the server finds the type of a parameter as that of a literal
		return catalog.Unknown
	}
	return v.t.pgName()
}

// ArgNames gives the names of the parameters.
func (f *function) ArgNames() []string {
	var out []string
	for _, p := range f.inputs() {
		out = append(out, p.name)
	}
	return out
}

// signature is a function of the program as the catalog has functions.
func (l *Schema) signature(f *function) *catalog.Function {
	out := &catalog.Function{Name: f.name, Kind: 'f', Volatility: 'v', Strict: f.strict, Set: f.setOf, Program: f}
	for _, p := range f.inputs() {
		t := l.signatureType(p.t, f.text)
		name := t.pgName()
		if p.vari {
			out.Variadic = true
			if t.name != nArray {
				name = arrayOf(t).pgName()
			}
		}
		if p.def != nil {
			out.Defaults++
		}
		out.Args = append(out.Args, name)
	}
	return out
}

func (f *function) hasVariadic() bool {
	for _, p := range f.params {
		if p.vari {
			return true
		}
	}
	return false
}

// expressionFunction expands a LANGUAGE sql function whose body is one
// expression, which may then stand in a query.
func (x *ex) expressionFunction(f *function, args []val) (val, bool) {
	if f.language != "sql" || f.setOf || f.strict || len(f.outputs()) > 0 || x.b.active(f) {
		return val{}, false
	}
	s, t := f.onlySelect()
	if s == nil || s.WithClause != nil || len(s.FromClause) > 0 || s.WhereClause != nil || len(s.TargetList) != 1 || syntax.HasAggregates(s.TargetList) {
		return val{}, false
	}
	for _, a := range args {
		for _, c := range a.columns() {
			if exprSize(c.e, shareable+1) > shareable {
				return val{}, false
			}
			// A query in the body must not capture the rows of the caller.
			if !rowFree(c.e, map[string]bool{}) && hasSubquery(s.TargetList[0]) {
				return val{}, false
			}
		}
	}
	g := &frame{fn: f, text: t, sqlLang: true, scope: &scope{label: f.name, vars: map[string]*variable{}}}
	for i, p := range f.inputs() {
		pt := x.l.signatureType(p.t, f.text)
		v, ok := x.bound(p, pt, args[i])
		if !ok {
			return val{}, false
		}
		g.inputs = append(g.inputs, v)
		if p.name != "" {
			g.scope.vars[p.name] = v
		}
	}
	y := *x
	y.f, y.text, y.agg, y.win = g, t, nil, nil
	y.levels = nil // the rows around the call are not visible in the body
	x.b.calls = append(x.b.calls, f)
	leave := x.b.enter(f)
	v := y.expr(pg.TargetValue(s.TargetList[0]))
	leave()
	x.b.calls = x.b.calls[:len(x.b.calls)-1]
	if v.record {
		return val{}, false
	}
	x.b.growBy(exprSize(v.e, maxSize+1))
	ret := x.l.signatureType(f.ret, f.text)
	if ret.name == nVoid {
		return val{}, false
	}
	return x.assigned(v, ret, 0), true
}

// bound is a parameter of a function that stands for the value of an argument; ok is false where
// the value is a row of another kind than the parameter's.
func (x *ex) bound(p param, t typ, arg val) (v *variable, ok bool) {
	shape := x.l.fieldsOf(t.name)
	switch {
	case t.name == nRecord || arg.record != (len(shape) > 0) || arg.record && len(shape) != len(arg.fields):
		return nil, false
	case !arg.record:
		return &variable{name: p.name, bound: x.convert(arg, t, 0, "parameter "+p.name), t: t, nn: arg.nn}, true
	}
	v = &variable{name: p.name, t: t, isRecord: true, fixed: true}
	for i, c := range arg.fields {
		if c.name != shape[i].name || c.t.ir != shape[i].t.ir || c.t.name != shape[i].t.name {
			return nil, false
		}
		v.fields = append(v.fields, field{name: c.name, bound: c.e, nn: c.nn, t: c.t, domain: shape[i].domain, within: shape[i].within})
	}
	return v, true
}

// active reports whether f is being inlined.
func (b *builder) active(f *function) bool {
	for _, g := range b.calls {
		if g == f {
			return true
		}
	}
	return false
}

// onlySelect gives the SELECT that is all of an SQL function's body.
func (f *function) onlySelect() (*pg.SelectStmt, *syntax.Text) {
	s, t := f.onlyQuery()
	if s == nil || s.Op > pg.SetOpNone || len(s.ValuesLists) > 0 {
		return nil, nil
	}
	return s, t
}

// onlyQuery is onlySelect for queries of any form.
func (f *function) onlyQuery() (*pg.SelectStmt, *syntax.Text) {
	list, t := f.sqlStatements()
	if len(list) != 1 {
		return nil, nil
	}
	s, _ := list[0].Tree.(*pg.SelectStmt)
	return s, t
}

func hasSubquery(n *pg.Node) bool {
	found := false
	pg.Walk(n, func(tree any) bool {
		_, is := tree.(*pg.SubLink)
		found = found || is
		return !found
	})
	return found
}
