package expr

import (
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/plpgsql"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
)

// Call translates a function call.
func (x *Spot) Call(e *pg.FuncCall) Val {
	name := syntax.Qualified(syntax.Names(e.Funcname))
	e.Args = wholeRows(e.Args)
	if e.Over != nil {
		return x.Queries.Window(x, e, syntax.PlainName(name))
	}
	if fns := x.Functions(name); len(fns) > 0 {
		return x.callUser(e, name, fns)
	}
	return x.systemCall(e, x.App.SystemName(name))
}

// concatAll is concat(a, b, …), which leaves NULLs out.
func (x *Spot) concatAll(args []Val) Val {
	var out ir.Expr = ir.C(ir.Text(""))
	for i, a := range args {
		if a.Record {
			x.Unmodelled("concat of a row")
		}
		if !a.NotNull {
			a.Expr = x.Shared(a.Expr, a.Type)
		}
		e := shown(x, a)
		if !a.NotNull {
			e = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: a.Expr}, Then: ir.C(ir.Text("")), Else: e}
		}
		if i == 0 {
			out = e
			continue
		}
		out = &ir.Call{Name: "concat", Args: []ir.Expr{out, e}, Type: ir.TextType}
	}
	return Val{Expr: out, Type: schema.TText, NotNull: true}
}

// shown is the text of a value as it is printed. That of char(n) has the blanks at its end, which a cast to text
// takes away.
func shown(x *Spot, v Val) ir.Expr {
	if v.Type.SQL == nil || v.Type.SQL.Name != "bpchar" || x.App.In.MySQL {
		return x.Cast(v, schema.TText, 0).Expr
	}
	n := v.Type.SQL.Length
	if n == 0 {
		x.Refuse("the blanks at the end of a char without a length")
	}
	return x.apply(value.Function("rpad(text,int4)", true), schema.TText, v.Expr, ir.C(ir.Int(int64(n))))
}

// Volatile is any value at each evaluation. For a query it is a function of
// the row and of a seed.
func (x *Spot) Volatile(name string, t schema.Type, pos ir.Pos) Val {
	if x.Draft == nil {
		panic(schema.Unmodelled{Reason: "the function " + name})
	}
	if !x.PerRow {
		v := x.Draft.Local(name, t)
		x.Draft.Emit(&ir.Havoc{At: At(pos), Var: v, NotNull: true, Of: name + "()"})
		return Val{Expr: ir.V(v), Type: t, NotNull: true}
	}
	if x.Queries.Derived() {
		x.Unmodelled("the function %s, together with grouping, outer joins and the like", name)
	}
	seed := x.Draft.Local(name+"_seed", schema.TAny)
	x.Draft.Emit(&ir.Havoc{At: At(pos), Var: seed, Of: name + "()"})
	args := x.RowKeys()
	if name == schema.HoleFunc { // the program's condition, which looks at the row
		args = x.rowColumns()
	}
	c := &ir.Call{Name: name, Args: append([]ir.Expr{ir.V(seed)}, args...), Type: t.IR}
	return Val{Expr: c, Type: t}
}

// rowColumns gives all columns of the rows of all queries around an expression.
func (x *Spot) rowColumns() []ir.Expr {
	var out []ir.Expr
	for _, lv := range x.Levels {
		for _, s := range lv.Sources {
			if s.Table == nil || s.Row == "" {
				x.Unmodelled("a condition that is not known, on rows that are no table's")
			}
			for _, c := range s.Table.IR.Columns {
				out = append(out, &ir.Col{Row: s.Row, Col: c.Name})
			}
		}
	}
	return out
}

// RowKeys gives the keys of the rows of all queries around an expression.
func (x *Spot) RowKeys() []ir.Expr {
	var out []ir.Expr
	for _, lv := range x.Levels {
		for _, s := range lv.Sources {
			if s.Table != nil && s.Row != "" {
				for _, k := range s.Table.IR.Key {
					out = append(out, &ir.Col{Row: s.Row, Col: s.Table.IR.Columns[k].Name})
				}
			}
		}
	}
	return out
}

// Fresh is a value that was never used before.
func (x *Spot) Fresh(name string, t schema.Type, e *pg.FuncCall) Val {
	if x.PerRow { // as good as any value: a row's value cannot be told fresh
		v := x.Volatile(name, t, x.Pos(e.Location))
		v.NotNull = true
		return v
	}
	base, seq := name, ""
	if name == "nextval" {
		seq = x.App.SequenceName(e.Args, x.Text)
	} else if t.Name == "uuid" {
		base = "uuid"
	}
	return Val{Expr: x.Draft.nextval(x.Pos(e.Location), seq, base, t), Type: t, NotNull: true}
}

// callUser translates a call of a function of the program.
func (x *Spot) callUser(e *pg.FuncCall, name string, fns []*schema.Function) Val {
	if x.Draft == nil {
		panic(schema.Unmodelled{Reason: "the function " + name})
	}
	f, args := x.Arguments(e, name, fns)
	if f == nil {
		return x.systemCall(e, x.App.SystemName(name))
	}
	if v, ok := x.expressionFunction(f, args); ok {
		return v
	}
	if f.SetOf {
		x.Unmodelled("the set-returning function %s in this place", name)
	}
	if x.PerRow || x.Conditional {
		eff := x.App.EffectOfCall([]*schema.Function{f})
		x.Draft.Mix(f, eff)
		if x.PerRow && !f.Stable && x.App.Draws(f, map[*schema.Function]bool{}) {
			x.Unmodelled("a call of %s for each row, whose value may differ for each", name)
		}
		if eff.Writes || eff.All || eff.Locks || x.App.MayAbort(f, map[*schema.Function]bool{}) {
			x.Unmodelled("a call of %s in a place where it may run several times or not at all", name)
		}
		for _, a := range args {
			for _, c := range a.Columns() {
				if !RowFree(c.Expr, map[string]bool{}) {
					if v, ok := x.computed(f, args); ok {
						return v
					}
					x.Unmodelled("a call of %s for each row of a query", name)
				}
			}
		}
	}
	x.Draft.CheckVolatility(f)
	return x.Draft.Runs.Inline(x.Pos(e.Location), f, args)
}

// Columns gives a value as a list of columns: one, or the fields of a row.
func (v Val) Columns() []Column {
	if v.Record {
		return v.Fields
	}
	return []Column{{Expr: v.Expr, Type: v.Type, NotNull: v.NotNull}}
}

// Arguments chooses among overloaded functions and orders the arguments. No
// function means the system's function of that name, which the program's overload.
func (x *Spot) Arguments(e *pg.FuncCall, name string, fns []*schema.Function) (*schema.Function, []Val) {
	var positional []Val
	named := map[string]Val{}
	var given []catalog.Arg
	for _, n := range e.Args {
		if a, ok := pg.Inner(n).(*pg.NamedArgExpr); ok {
			named[a.Name] = x.Expr(a.Arg)
			given = append(given, catalog.Arg{Type: named[a.Name].ArgType(), Name: a.Name})
		} else {
			v := x.Expr(n)
			positional = append(positional, v)
			given = append(given, catalog.Arg{Type: v.ArgType()})
		}
	}
	candidates := make([]*catalog.Function, 0, len(fns))
	for _, f := range fns {
		candidates = append(candidates, x.App.Signature(f))
	}
	candidates = append(candidates, x.App.Beside(name, candidates)...)
	calls, _ := x.App.Catalog().Among(candidates, given, e.FuncVariadic)
	var f *schema.Function
	switch {
	case len(calls) == 1 && calls[0].Program == nil:
		return nil, positional
	case len(calls) == 1:
		f = calls[0].Program.(*schema.Function)
	case len(calls) == 0 && len(fns) == 1:
		x.Fail(e.Location, "%s is called with %d arguments that do not fit its declaration %s", name, len(e.Args), fns[0].Signature())
	default:
		x.Unmodelled("a call of %s, which is declared %d times", name, len(fns))
	}
	if !f.HasBody() {
		x.Unmodelled("the function %s, which is written in %s", name, f.Language)
	}
	if n := len(f.Inputs()) - 1; f.HasVariadic() && !e.FuncVariadic && len(positional) > n {
		elem := x.App.SignatureType(f.Inputs()[n].T, f.Text).Element()
		for i, v := range positional[n:] {
			positional[n+i] = Val{Expr: x.Convert(v, elem, e.Location, "parameter "+f.Inputs()[n].Name), Type: elem, NotNull: v.NotNull}
		}
		positional = append(positional[:n:n], x.array(positional[n:], e.Location))
	}
	var args []Val
	for i, p := range f.Inputs() {
		v, isNamed := named[p.Name]
		switch {
		case i < len(positional):
			v = positional[i]
		case !isNamed:
			y := &Spot{App: x.App, Draft: x.Draft, Text: f.Text, Queries: x.App.Queries}
			v = y.Expr(p.Def)
		}
		args = append(args, v)
	}
	return f, args
}

// ArgType is the type of a value as the catalog names it.
func (v Val) ArgType() string {
	switch {
	case v.Record:
		return schema.NRecord
	case v.Given: // the server finds the type of a parameter as that of a literal
		return catalog.Unknown
	}
	return v.Type.PgName()
}

// expressionFunction expands a LANGUAGE sql function whose body is one
// expression, which may then stand in a query.
func (x *Spot) expressionFunction(f *schema.Function, args []Val) (Val, bool) {
	if f.Language != "sql" || f.SetOf || f.Strict || len(f.Outputs()) > 0 || x.Draft.Active(f) {
		return Val{}, false
	}
	s, t := f.OnlySelect()
	if s == nil || s.WithClause != nil || len(s.FromClause) > 0 || s.WhereClause != nil || len(s.TargetList) != 1 || syntax.HasAggregates(s.TargetList) {
		return Val{}, false
	}
	for _, a := range args {
		for _, c := range a.Columns() {
			if ExprSize(c.Expr, Shareable+1) > Shareable {
				return Val{}, false
			}
			// A query in the body must not capture the rows of the caller.
			if !RowFree(c.Expr, map[string]bool{}) && hasSubquery(s.TargetList[0]) {
				return Val{}, false
			}
		}
	}
	g := &Frame{Func: f, Text: t, SQLLang: true, Scope: &Scope{Label: f.Name, Vars: map[string]*Variable{}}}
	for i, p := range f.Inputs() {
		v, ok := x.bound(p, x.App.SignatureType(p.T, f.Text), args[i])
		if !ok {
			return Val{}, false
		}
		g.Inputs = append(g.Inputs, v)
		if p.Name != "" {
			g.Scope.Vars[p.Name] = v
		}
	}
	y := *x
	y.Frame, y.Text, y.Queries, y.Levels = g, t, x.Queries.Alone(), nil // the rows around the call are not visible in the body
	x.Draft.Mix(f, x.App.EffectOfCall([]*schema.Function{f}))
	x.Draft.Calls = append(x.Draft.Calls, f)
	leave := x.Draft.Enter(f)
	v := y.Expr(pg.TargetValue(s.TargetList[0]))
	leave()
	x.Draft.Calls = x.Draft.Calls[:len(x.Draft.Calls)-1]
	if v.Record {
		return Val{}, false
	}
	x.Draft.growBy(ExprSize(v.Expr, MaxSize+1))
	ret := x.App.SignatureType(f.Ret, f.Text)
	if ret.Name == schema.NVoid {
		return Val{}, false
	}
	return x.Assigned(v, ret, 0), true
}

// bound is a parameter of a function that stands for the value of an argument; ok is false where
// the value is a row of another kind than the parameter's.
func (x *Spot) bound(p schema.Param, t schema.Type, arg Val) (v *Variable, ok bool) {
	shape := x.App.FieldsOf(t.Name)
	switch {
	case t.Name == schema.NRecord || arg.Record != (len(shape) > 0) || arg.Record && len(shape) != len(arg.Fields):
		return nil, false
	case !arg.Record:
		return &Variable{Name: p.Name, Bound: x.Convert(arg, t, 0, "parameter "+p.Name), Type: t, NotNull: arg.NotNull}, true
	}
	v = &Variable{Name: p.Name, Type: t, IsRecord: true, Fixed: true}
	for i, c := range arg.Fields {
		if c.Name != shape[i].Name || c.Type.IR != shape[i].T.IR || c.Type.Name != shape[i].T.Name {
			return nil, false
		}
		v.Fields = append(v.Fields, Field{Name: c.Name, bound: c.Expr, NotNull: c.NotNull, Type: c.Type, Domain: shape[i].Domain, Within: shape[i].Within})
	}
	return v, true
}

// Active reports whether f is being inlined.
func (b *Draft) Active(f *schema.Function) bool {
	return slices.Contains(b.Calls, f)
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

// attributeCall is r.f as the call of a function with the row; ok is false if there is none.
func (x *Spot) attributeCall(row *pg.Node, name string, loc int32) (v Val, ok bool) {
	if !x.App.OfRows(name) {
		return Val{}, false
	}
	if _, plain := pg.Inner(row).(*pg.ColumnRef); !plain {
		x.Unmodelled("the function %s of a row, written as its field", name)
	}
	if !x.Expr(row).Record {
		x.Unmodelled("the function %s of a row that has the name of a column", name)
	}
	return x.Call(&pg.FuncCall{Funcname: []*pg.Node{pg.StringNode(name)}, Args: []*pg.Node{row}, Location: loc}), true
}

// attributeOf is a name of several parts as a call, if the row has no such column or field.
func (x *Spot) attributeOf(parts []string, loc int32) (v Val, ok bool) {
	n := len(parts) - 1
	if n < 1 || !x.App.OfRows(parts[n]) {
		return Val{}, false
	}
	if s := x.SourceNamed(parts[:n]); s != nil {
		if s.Col(parts[n]) != nil {
			return Val{}, false
		}
	} else if x.Frame == nil || !x.Frame.SQLLang { // PL/pgSQL takes (r).f only
		return Val{}, false
	} else if r, field := x.Frame.Scope.Find(parts); r == nil || field != nil || !r.IsRecord || r.Lost || len(r.Fields) == 0 || parts[n] == r.Name {
		return Val{}, false
	}
	return x.attributeCall(pg.ColumnNode(slices.Clone(parts[:n]), loc), parts[n], loc)
}

// wholeRows gives arguments where r.* stands for the row r.
func wholeRows(args []*pg.Node) []*pg.Node {
	out := slices.Clone(args)
	for i, n := range out {
		if c, ok := pg.Inner(n).(*pg.ColumnRef); ok && len(c.Fields) > 1 && syntax.IsStar(c.Fields[len(c.Fields)-1]) {
			out[i] = pg.ColumnNode(syntax.Names(c.Fields), c.Location)
		}
	}
	return out
}

// Functions gives the functions of the program that a call may mean.
func (x *Spot) Functions(name string) []*schema.Function {
	in := x.App.Sees(x.Text)
	fns, sure := in.Functions(name)
	if !sure {
		panic(schema.Unmodelled{Reason: "a call of " + name + ", which depends on the search_path"})
	}
	in.Tell(name, fns)
	return fns
}

// ItemsOf gives output columns names of their own.
func ItemsOf(cols []Column) []ir.Item {
	out := make([]ir.Item, len(cols))
	taken := map[string]int{}
	for i, c := range cols {
		name := c.Name
		if n := taken[c.Name]; n > 0 {
			name = c.Name + "#" + strconv.Itoa(n)
		}
		taken[c.Name]++
		out[i] = ir.Item{Name: name, Type: LocalType(c.Type), Expr: c.Expr}
	}
	return out
}

// RelMayFail reports whether computing a relation may end in an error.
func (b *Draft) RelMayFail(r ir.Rel) bool {
	found := false
	ir.WalkRel(r, func(e ir.Expr) { found = found || failure.MayFail(e) })
	ir.EachRel(r, func(r ir.Rel) {
		if p, ok := r.(*ir.Project); ok {
			found = found || b.MaybeNegative(p.Limit) || b.MaybeNegative(p.Offset)
		}
	})
	return found
}

// MaybeNegative reports whether LIMIT or OFFSET may be a negative number, which is an error,
// depending on other things than the parameters of the template.
func (b *Draft) MaybeNegative(e ir.Expr) bool {
	if e == nil {
		return false
	}
	return !b.isGiven(e)
}

// isGiven reports whether a value depends on nothing but the parameters of the template.
func (b *Draft) isGiven(e ir.Expr) bool {
	given := true
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Var:
			given = given && slices.ContainsFunc(b.Txn.Params, func(p ir.Param) bool { return p.Name == e.Name })
		case *ir.Call:
			given = given && e.Def == nil
		case *ir.Col, *ir.Exists:
			given = false
		}
	})
	return given
}

// Seed is a value that the instance chooses.
func (b *Draft) Seed(name string, pos ir.Pos) ir.Expr {
	v := b.Local(name, schema.TAny)
	b.Havoc(pos, v)
	return ir.V(v)
}

// ofSessions are the words of SQL for values that depend on more than arguments and are no
// calls.
var ofSessions = map[string]bool{"current_date": true, "current_time": true, "current_timestamp": true, "localtime": true, "localtimestamp": true,
	"current_user": true, "session_user": true, "user": true, "current_role": true, "current_catalog": true, "current_schema": true}

// computes reports whether the value of a function in PL/pgSQL depends on its arguments alone.
func computes(a *Application, f *schema.Function, seen map[*schema.Function]bool) bool {
	if seen[f] {
		return true
	}
	seen[f] = true
	if f.Body == nil || f.SetOf || len(f.Outputs()) > 0 {
		return false
	}
	e := a.EffectOfCall([]*schema.Function{f})
	if e.All || e.Writes || e.Locks || len(e.Tables)+len(e.Parents)+len(e.Sequences) > 0 {
		return false
	}
	for name := range a.Calls(f.Refs) {
		if b := a.Builtin(name); len(a.LateFunctions(name)) == 0 && (!b.Known || b.Effect != catalog.Pure) {
			return false
		}
	}
	for _, g := range a.Callees(f) {
		if !computes(a, g, seen) {
			return false
		}
	}
	ok := true
	plpgsql.Walk([]plpgsql.Stmt{f.Body.Block}, func(s plpgsql.Stmt) {
		plpgsql.Spans(s, func(span plpgsql.Span, _ plpgsql.SpanKind) {
			ok = ok && !MentionsName(span.Text(f.Text.SQL), ofSessions)
		})
	})
	return ok
}

// computed is the call of a function whose value depends on its arguments alone: of that value
// nothing else is known. ok is false for other functions.
func (x *Spot) computed(f *schema.Function, args []Val) (v Val, ok bool) {
	t := x.App.SignatureType(f.Ret, f.Text)
	if !computes(x.App, f, map[*schema.Function]bool{}) || t.Name == schema.NVoid || t.Name == schema.NRecord || len(x.App.FieldsOf(t.Name)) > 0 {
		return Val{}, false
	}
	var given []Val
	fn := &ir.Function{Name: "function " + f.Signature(), Result: LocalType(t).Kind, Partial: true}
	for i, p := range f.Inputs() {
		pt := x.App.SignatureType(p.T, f.Text)
		if args[i].Record || pt.Name == schema.NRecord || len(x.App.FieldsOf(pt.Name)) > 0 {
			return Val{}, false
		}
		given = append(given, Val{Expr: x.Convert(args[i], pt, 0, "parameter "+p.Name), Type: pt, NotNull: args[i].NotNull})
		fn.FailsOn = append(fn.FailsOn, i)
	}
	v = x.OpaqueCall(fn.Name, given, t)
	v.Expr.(*ir.Call).Fn = fn
	return v, true
}

// array is an array of these elements.
func (x *Spot) array(vs []Val, loc int32) Val {
	constant := true
	vs, t, _ := x.unify(vs, loc, "ARRAY")
	if t.Name == schema.NUnknown {
		t = schema.TText
	}
	var elems []ir.Value
	var args []ir.Expr
	for _, v := range vs {
		c, ok := v.Expr.(*ir.Const)
		constant = constant && ok && !c.Value.IsNull() && c.Value.Kind == t.IR.Kind && t.IR.Kind != ir.KindArray
		if constant {
			elems = append(elems, c.Value)
		}
		args = append(args, v.Expr)
	}
	if t.Name == schema.NArray {
		t = schema.Opaque(t.String())
	}
	at := schema.ArrayOf(t)
	if constant {
		return Val{Expr: ir.C(ir.Array(elems)), Type: at, NotNull: true}
	}
	return Val{Expr: &ir.Call{Name: arrayOf.Name, Args: args, Type: at.IR, Fn: arrayOf}, Type: at, NotNull: true}
}
