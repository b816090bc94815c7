package sqlmodel

import (
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
)

// call translates a function call.
func (x *ex) call(e *pg.FuncCall) val {
	name := qualified(names(e.Funcname))
	if e.Over != nil {
		return x.windowCall(e, name)
	}
	if fns := x.l.lookup(name); len(fns) > 0 {
		return x.callUser(e, name, fns)
	}
	b, known := builtins[name]
	if !known {
		if x.b == nil {
			panic(unmodelled{"the function " + name})
		}
		x.unmodelled("the function %s, which is not declared here", name)
	}
	switch b.kind {
	case aggFunc:
		return x.aggregate(e, name)
	case windowFunc:
		x.unmodelled("a window function")
	case setFunc:
		x.unmodelled("the set-returning function %s in this place", name)
	case unsafeFunc:
		x.unmodelled("the function %s", name)
	case nowFunc:
		return x.fromSession(name, scalarTypes[b.result])
	}
	if x.b == nil && b.kind != pureFunc {
		panic(unmodelled{"the function " + name})
	}
	if strings.HasPrefix(name, "pg_advisory_") && !strings.Contains(name, "unlock") || strings.HasPrefix(name, "pg_try_advisory_") {
		x.b.emit(&ir.Dropped{At: at(x.pos(e.Location)), Kind: ir.ByAdvisoryLock, What: "the advisory lock of " + name})
	}
	var args []val
	for _, n := range e.Args {
		if named, ok := pg.Inner(n).(*pg.NamedArgExpr); ok {
			n = named.Arg
		}
		args = append(args, x.expr(n))
	}
	switch b.kind {
	case sessionFunc:
		if name == "currval" || name == "lastval" {
			if seq := sequenceName(e.Args); seq != "" {
				return val{e: ir.V(x.b.sequence(seq)), t: tInt}
			}
			return val{e: ir.V(x.b.sequence("lastval")), t: tInt}
		}
		if name == "current_setting" {
			key := literalSuffix(args)
			if key == "" || x.l.sets {
				v := x.b.local(name, tText)
				x.b.havoc(x.pos(e.Location), v)
				return val{e: ir.V(v), t: tText}
			}
			name += key
		}
		return x.fromSession(name, scalarTypes[b.result])
	case volatileFunc:
		return x.volatile(name, scalarTypes[b.result], x.pos(e.Location))
	case freshFunc:
		return x.fresh(name, e)
	case idleFunc:
		return val{e: ir.C(ir.Opaque("")), t: tVoid, nn: true}
	}
	v := x.pureCall(name, args)
	x.noteRange(name, args, v, e.Location)
	return v
}

// pureCall applies a function of the system that reads nothing but its arguments.
func (x *ex) pureCall(name string, args []val) val {
	if v, ok := x.knownFunction(name, args); ok {
		return v
	}
	return x.opaqueCall(name, args, x.resultType(builtins[name].result, args))
}

// literalSuffix makes a part of a name from a literal argument.
func literalSuffix(args []val) string {
	if len(args) > 0 {
		if s, ok := args[0].literalText(); ok {
			return " " + s
		}
	}
	return ""
}

// opaqueCall applies a function of which nothing is known but that equal
// arguments give equal results.
func (x *ex) opaqueCall(name string, args []val, t typ) val {
	if ir.Functions[name] != nil {
		name = "sql " + name
	}
	c := &ir.Call{Name: name, Type: localType(t)}
	for _, a := range args {
		if !a.record {
			c.Args = append(c.Args, x.defaultType(a).e)
			continue
		}
		for _, f := range a.fields {
			c.Args = append(c.Args, f.e)
		}
	}
	return val{e: c, t: t}
}

// resultType reads builtin.result.
func (x *ex) resultType(result string, args []val) typ {
	arg := func(i int) typ {
		if i < len(args) && !args[i].record {
			return x.defaultType(args[i]).t
		}
		return tAny
	}
	switch result {
	case "1":
		if t := arg(0); t.name != nUnknown {
			return t
		}
		return arg(1)
	case "2":
		return arg(1)
	case "number":
		if arg(0).name == nFloat {
			return tFloat
		}
		return tNumeric
	case "array":
		return arrayOf(arg(0))
	case "element":
		if t := arg(0); t.name == nArray {
			return t.element()
		}
		return tAny
	case nAny:
		return tAny
	}
	if elem, ok := strings.CutSuffix(result, "[]"); ok {
		return arrayOf(scalarTypes[elem])
	}
	if t, ok := scalarTypes[result]; ok {
		return t
	}
	return opaque(result)
}

// knownFunction translates the functions whose meaning the IR has.
func (x *ex) knownFunction(name string, args []val) (val, bool) {
	nn := true
	for i := range args {
		args[i] = x.defaultType(args[i])
		nn = nn && args[i].nn && !args[i].record
	}
	is := func(i int, pred func(typ) bool) bool {
		return i < len(args) && !args[i].record && (pred(args[i].t) || args[i].isNull())
	}
	textual := func(t typ) bool { return t.textual() }
	integer := func(t typ) bool { return t.name == nInt }
	known := func(fn string, t typ) (val, bool) {
		c := &ir.Call{Name: fn, Type: t.ir}
		for _, a := range args {
			c.Args = append(c.Args, a.e)
		}
		return val{e: c, t: t, nn: nn}, true
	}
	switch {
	case len(args) == 1 && is(0, textual):
		switch name {
		case "lower", "upper":
			return known(name, tText)
		case "length", "char_length", "character_length":
			return known("length", tInt)
		}
	case len(args) == 2 && name == "left" && is(0, textual) && is(1, integer):
		return known("left", tText)
	case len(args) == 2 && name == "mod" && is(0, integer) && is(1, integer):
		return val{e: ir.Op(ir.Mod, args[0].e, args[1].e), t: tInt, nn: nn}, true
	}
	switch {
	case name == "abs" && len(args) == 1 && (args[0].t.name == nInt || args[0].t.name == nNumeric):
		a := x.shared(args[0].e, args[0].t)
		return val{e: &ir.Cond{If: ir.Op(ir.Lt, a, ir.C(ir.Int(0))), Then: &ir.Unary{Op: ir.Neg, X: a}, Else: a}, t: args[0].t, nn: nn}, true
	case name == "cardinality" && len(args) == 1 && args[0].t.name == nArray:
		return known("len", tInt)
	case (name == "array_length" || name == "array_upper") && len(args) == 2 && args[0].t.name == nArray && isInt(args[1].e, 1):
		n := &ir.Call{Name: "len", Args: []ir.Expr{x.shared(args[0].e, args[0].t)}, Type: ir.IntType}
		return val{e: &ir.Cond{If: ir.Op(ir.Eq, n, ir.C(ir.Int(0))), Then: ir.C(ir.Null), Else: n}, t: tInt}, true
	case name == "concat":
		return x.concatAll(args), true
	}
	return val{}, false
}

func isInt(e ir.Expr, i int64) bool {
	c, ok := e.(*ir.Const)
	return ok && c.Value == ir.Int(i)
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
		x.b.emit(&ir.Havoc{At: at(pos), Var: v, NotNull: true})
		return val{e: ir.V(v), t: t, nn: true}
	}
	if x.d != nil {
		x.unmodelled("the function %s, together with grouping, outer joins and the like", name)
	}
	seed := x.b.local(name+"_seed", tAny)
	x.b.havoc(pos, seed)
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
func (x *ex) fresh(name string, e *pg.FuncCall) val {
	t := scalarTypes[builtins[name].result]
	if x.perRow { // as good as any value: a row's value cannot be told fresh
		v := x.volatile(name, t, x.pos(e.Location))
		v.nn = true
		return v
	}
	base, seq := name, ""
	if name == "nextval" {
		seq = sequenceName(e.Args)
	} else if t.name == nText {
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
		return x.pureCall(name, args)
	}
	if v, ok := x.expressionFunction(f, args); ok {
		return v
	}
	if f.setOf {
		x.unmodelled("the set-returning function %s in this place", name)
	}
	if x.perRow || x.conditional {
		eff := x.l.effectOf(&refs{tables: map[string]bool{}, calls: map[string]bool{name: true}})
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
	for _, name := range slices.Sorted(maps.Keys(b.refsOf(root).calls)) {
		fns := b.l.lookup(name)
		if len(fns) == 0 {
			continue
		}
		e := b.l.effectOf(&refs{tables: map[string]bool{}, calls: map[string]bool{name: true}})
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

// columns gives a value as a list of columns: one, or the fields of a row.
func (v val) columns() []colDef {
	if v.record {
		return v.fields
	}
	return []colDef{{"", v.e, v.t, v.nn}}
}

// arguments chooses among overloaded functions and orders the arguments. No
// function means the system's function of that name, which the program's overload.
func (x *ex) arguments(e *pg.FuncCall, name string, fns []*function) (*function, []val) {
	var positional []val
	named := map[string]val{}
	for _, n := range e.Args {
		if a, ok := pg.Inner(n).(*pg.NamedArgExpr); ok {
			named[a.Name] = x.expr(a.Arg)
		} else {
			positional = append(positional, x.expr(n))
		}
	}
	if e.FuncVariadic {
		x.unmodelled("VARIADIC in a call")
	}
	var fits []*function
	for _, f := range fns {
		in := f.inputs()
		ok := len(positional)+len(named) <= len(in)
		for i, p := range in {
			_, isNamed := named[p.name]
			ok = ok && (i < len(positional) || isNamed || p.def != nil) && !p.vari
		}
		for n := range named {
			known := false
			for _, p := range in {
				known = known || p.name == n
			}
			ok = ok && known
		}
		for i, v := range positional {
			ok = ok && (i >= len(in) || v.record || v.given || assignable(v.t, x.l.typeOf(in[i].t, f.text)))
		}
		if ok {
			fits = append(fits, f)
		}
	}
	fits = x.closest(fits, positional)
	b, system := builtins[name]
	switch {
	case len(fits) == 0 && len(named) == 0 && system && b.kind == pureFunc:
		return nil, positional
	case len(fits) == 0 && len(fns) == 1 && !fns[0].hasVariadic():
		x.fail(e.Location, "%s is called with %d arguments that do not fit its declaration %s", name, len(e.Args), fns[0].signature())
	case len(fits) != 1:
		x.unmodelled("a call of %s, which is declared %d times", name, len(fns))
	}
	f := fits[0]
	if !f.hasBody() {
		x.unmodelled("the function %s, which is written in %s", name, f.language)
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

// closest keeps the functions with the most parameters of exactly the types
// of the arguments.
func (x *ex) closest(fits []*function, args []val) []*function {
	var best []*function
	most := -1
	for _, f := range fits {
		n := 0
		for i, v := range args {
			if x.l.typeOf(f.inputs()[i].t, f.text).String() == v.t.String() {
				n++
			}
		}
		if n > most {
			best, most = nil, n
		}
		if n == most {
			best = append(best, f)
		}
	}
	return best
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
	if s == nil || s.WithClause != nil || len(s.FromClause) > 0 || s.WhereClause != nil || len(s.TargetList) != 1 || hasAggregates(s.TargetList) {
		return val{}, false
	}
	for _, a := range args {
		if a.record || exprSize(a.e, shareable+1) > shareable {
			return val{}, false
		}
		// A query in the body must not capture the rows of the caller.
		if !rowFree(a.e, map[string]bool{}) && hasSubquery(s.TargetList[0]) {
			return val{}, false
		}
	}
	g := &frame{fn: f, text: t, sqlLang: true, scope: &scope{label: f.name, vars: map[string]*variable{}}}
	for i, p := range f.inputs() {
		pt := x.l.typeOf(p.t, f.text)
		if pt.name == nRecord || len(x.l.fieldsOf(pt.name)) > 0 {
			return val{}, false
		}
		v := &variable{name: p.name, bound: x.convert(args[i], pt, 0, "parameter "+p.name), t: pt, nn: args[i].nn}
		g.inputs = append(g.inputs, v)
		if p.name != "" {
			g.scope.vars[p.name] = v
		}
	}
	y := *x
	y.f, y.text, y.agg, y.win = g, t, nil, nil
	y.levels = nil // the rows around the call are not visible in the body
	x.b.calls = append(x.b.calls, f)
	v := y.expr(pg.TargetValue(s.TargetList[0]))
	x.b.calls = x.b.calls[:len(x.b.calls)-1]
	if v.record {
		return val{}, false
	}
	x.b.growBy(exprSize(v.e, maxSize+1))
	ret := x.l.typeOf(f.ret, f.text)
	if ret.name == nVoid {
		return val{}, false
	}
	return x.cast(v, ret, 0), true
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
func (f *function) onlySelect() (*pg.SelectStmt, *text) {
	s, t := f.onlyQuery()
	if s == nil || s.Op > pg.SetOpNone || len(s.ValuesLists) > 0 {
		return nil, nil
	}
	return s, t
}

// onlyQuery is onlySelect for queries of any form.
func (f *function) onlyQuery() (*pg.SelectStmt, *text) {
	list, t := f.sqlStatements()
	if len(list) != 1 {
		return nil, nil
	}
	s, _ := list[0].tree.(*pg.SelectStmt)
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
