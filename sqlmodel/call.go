package sqlmodel

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
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
	return x.systemCall(e, x.l.SystemName(name))
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
		e := x.cast(a, schema.TText, 0).e
		if !a.nn {
			e = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: a.e}, Then: ir.C(ir.Text("")), Else: e}
		}
		if i == 0 {
			out = e
			continue
		}
		out = &ir.Call{Name: "concat", Args: []ir.Expr{out, e}, Type: ir.TextType}
	}
	return val{e: out, t: schema.TText, nn: true}
}

// volatile is any value at each evaluation. For a query it is a function of
// the row and of a seed.
func (x *ex) volatile(name string, t schema.Type, pos ir.Pos) val {
	if x.b == nil {
		panic(schema.Unmodelled{Reason: "the function " + name})
	}
	if !x.perRow {
		v := x.b.local(name, t)
		x.b.emit(&ir.Havoc{At: at(pos), Var: v, NotNull: true, Of: name + "()"})
		return val{e: ir.V(v), t: t, nn: true}
	}
	if x.d != nil {
		x.unmodelled("the function %s, together with grouping, outer joins and the like", name)
	}
	seed := x.b.local(name+"_seed", schema.TAny)
	x.b.emit(&ir.Havoc{At: at(pos), Var: seed, Of: name + "()"})
	args := x.rowKeys()
	if name == schema.HoleFunc { // the program's condition, which looks at the row
		args = x.rowColumns()
	}
	c := &ir.Call{Name: name, Args: append([]ir.Expr{ir.V(seed)}, args...), Type: t.IR}
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
			for _, c := range s.table.IR.Columns {
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
				for _, k := range s.table.IR.Key {
					out = append(out, &ir.Col{Row: s.row, Col: s.table.IR.Columns[k].Name})
				}
			}
		}
	}
	return out
}

// fresh is a value that was never used before.
func (x *ex) fresh(name string, t schema.Type, e *pg.FuncCall) val {
	if x.perRow { // as good as any value: a row's value cannot be told fresh
		v := x.volatile(name, t, x.pos(e.Location))
		v.nn = true
		return v
	}
	base, seq := name, ""
	if name == "nextval" {
		seq = x.l.SequenceName(e.Args, x.text)
	} else if t.Name == "uuid" {
		base = "uuid"
	}
	return val{e: x.b.nextval(x.pos(e.Location), seq, base, t), t: t, nn: true}
}

// callUser translates a call of a function of the program.
func (x *ex) callUser(e *pg.FuncCall, name string, fns []*schema.Function) val {
	if x.b == nil {
		panic(schema.Unmodelled{Reason: "the function " + name})
	}
	f, args := x.arguments(e, name, fns)
	if f == nil {
		return x.systemCall(e, x.l.SystemName(name))
	}
	if v, ok := x.expressionFunction(f, args); ok {
		return v
	}
	if f.SetOf {
		x.unmodelled("the set-returning function %s in this place", name)
	}
	if x.perRow || x.conditional {
		eff := x.l.EffectOfCall([]*schema.Function{f})
		if x.perRow && !f.Stable && x.l.Draws(f, map[*schema.Function]bool{}) {
			x.unmodelled("a call of %s for each row, whose value may differ for each", name)
		}
		if eff.Writes || eff.All || eff.Locks || x.l.MayAbort(f, map[*schema.Function]bool{}) {
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
	return x.b.runs.inline(x.pos(e.Location), f, args)
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
	for _, name := range slices.Sorted(maps.Keys(b.l.Calls(b.refsOf(root)))) {
		fns := b.l.LateFunctions(name)
		if len(fns) == 0 {
			continue
		}
		e := b.l.EffectOfCall(fns)
		if e.Writes || e.All {
			writer = name
		}
		for _, f := range fns {
			reads = reads || f.Stable && len(e.Tables) > 0
		}
	}
	if reads && writer != "" {
		b.unmodelled("a call of %s, which writes, in a statement that reads", writer)
	}
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
func (x *ex) arguments(e *pg.FuncCall, name string, fns []*schema.Function) (*schema.Function, []val) {
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
		candidates = append(candidates, x.l.Signature(f))
	}
	candidates = append(candidates, x.l.Beside(name, candidates)...)
	calls, _ := x.l.Catalog().Among(candidates, given, false)
	var f *schema.Function
	switch {
	case len(calls) == 1 && calls[0].Program == nil:
		return nil, positional
	case len(calls) == 1:
		f = calls[0].Program.(*schema.Function)
	case len(calls) == 0 && len(fns) == 1 && !fns[0].HasVariadic():
		x.fail(e.Location, "%s is called with %d arguments that do not fit its declaration %s", name, len(e.Args), fns[0].Signature())
	default:
		x.unmodelled("a call of %s, which is declared %d times", name, len(fns))
	}
	if !f.HasBody() {
		x.unmodelled("the function %s, which is written in %s", name, f.Language)
	}
	if f.HasVariadic() {
		x.unmodelled("a call of %s, whose last parameter is VARIADIC", name)
	}
	var args []val
	for i, p := range f.Inputs() {
		v, isNamed := named[p.Name]
		switch {
		case i < len(positional):
			v = positional[i]
		case !isNamed:
			y := &ex{l: x.l, b: x.b, text: f.Text}
			v = y.expr(p.Def)
		}
		args = append(args, v)
	}
	return f, args
}

// argType is the type of a value as the catalog names it.
func (v val) argType() string {
	switch {
	case v.record:
		return schema.NRecord
	case v.given: // the server finds the type of a parameter as that of a literal
		return catalog.Unknown
	}
	return v.t.PgName()
}

// expressionFunction expands a LANGUAGE sql function whose body is one
// expression, which may then stand in a query.
func (x *ex) expressionFunction(f *schema.Function, args []val) (val, bool) {
	if f.Language != "sql" || f.SetOf || f.Strict || len(f.Outputs()) > 0 || x.b.active(f) {
		return val{}, false
	}
	s, t := f.OnlySelect()
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
	g := &frame{fn: f, text: t, sqlLang: true, scope: &scope{label: f.Name, vars: map[string]*variable{}}}
	for i, p := range f.Inputs() {
		pt := x.l.SignatureType(p.T, f.Text)
		v, ok := x.bound(p, pt, args[i])
		if !ok {
			return val{}, false
		}
		g.inputs = append(g.inputs, v)
		if p.Name != "" {
			g.scope.vars[p.Name] = v
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
	ret := x.l.SignatureType(f.Ret, f.Text)
	if ret.Name == schema.NVoid {
		return val{}, false
	}
	return x.assigned(v, ret, 0), true
}

// bound is a parameter of a function that stands for the value of an argument; ok is false where
// the value is a row of another kind than the parameter's.
func (x *ex) bound(p schema.Param, t schema.Type, arg val) (v *variable, ok bool) {
	shape := x.l.FieldsOf(t.Name)
	switch {
	case t.Name == schema.NRecord || arg.record != (len(shape) > 0) || arg.record && len(shape) != len(arg.fields):
		return nil, false
	case !arg.record:
		return &variable{name: p.Name, bound: x.convert(arg, t, 0, "parameter "+p.Name), t: t, nn: arg.nn}, true
	}
	v = &variable{name: p.Name, t: t, isRecord: true, fixed: true}
	for i, c := range arg.fields {
		if c.name != shape[i].Name || c.t.IR != shape[i].T.IR || c.t.Name != shape[i].T.Name {
			return nil, false
		}
		v.fields = append(v.fields, field{name: c.name, bound: c.e, nn: c.nn, t: c.t, domain: shape[i].Domain, within: shape[i].Within})
	}
	return v, true
}

// active reports whether f is being inlined.
func (b *Draft) active(f *schema.Function) bool {
	for _, g := range b.calls {
		if g == f {
			return true
		}
	}
	return false
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
