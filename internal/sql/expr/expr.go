package expr

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irwords"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
)

// Val is a translated expression.
type Val struct {
	Expr ir.Expr
	Type schema.Type
	// NotNull says that it is never NULL.
	NotNull bool
	// Fields are those of a row or record; e is nil then.
	Fields []Column
	Record bool
	// Given says that it is a parameter for which a client program gives the value:
	// the place where it stands decides the type.
	Given bool
	// Digits is 1 more than the digits that a number can have after the point, 0 if
	// that is not known.
	Digits int
}

// Spot is where an expression stands.
type Spot struct {
	App *Application
	// Draft and Frame are nil outside of transactions: in constraints and invariants.
	Draft *Draft
	Frame *Frame
	Text  *syntax.Text
	// Levels are the queries around the expression, innermost last.
	Levels []*Level
	// Queries translates the queries in the expression.
	Queries Queries
	// PerRow says that the expression is evaluated for each row of a query,
	// Conditional that it may not be evaluated at all.
	PerRow      bool
	Conditional bool
	// Sure, if not nil, takes the locks of subqueries that run if a row is written.
	Sure any
	// inTurn says that the fields of a row are computed as far as a comparison comes to them.
	inTurn bool
	// Tid says that the expression is compared with the ctid of a row.
	Tid bool
	// Guard, if not nil, is under which condition the expression is.
	Guard ir.Expr
	depth int
}

// Queries translates the queries in expressions. Spots are those of the expressions.
type Queries interface {
	// Subquery translates a subquery that is a value.
	Subquery(x *Spot, e *pg.SubLink) Val
	// Condition translates a subquery that is a condition, nil if it is to be translated as a
	// value.
	Condition(x *Spot, e *pg.SubLink, m Mode) ir.Expr
	// ArrayCondition translates a comparison with the elements of ARRAY (SELECT …) as that with
	// the rows, nil if it is another one.
	ArrayCondition(x *Spot, e *pg.A_Expr, m Mode) ir.Expr
	// Aggregate and Window translate the calls of aggregates and window functions.
	Aggregate(x *Spot, e *pg.FuncCall, name string) Val
	Window(x *Spot, e *pg.FuncCall, name string) Val
	// Derived reports whether the expression belongs to a derivation.
	Derived() bool
	// Alone is the same for an expression that is no part of the query around it.
	Alone() Queries
}

// Fail refuses the input for a fault at an offset of the text.
func (x *Spot) Fail(loc int32, format string, args ...any) {
	x.App.Fail(x.Text.Pos(int(loc)), format, args...)
}

// Pos gives the place of an offset of the text.
func (x *Spot) Pos(loc int32) ir.Pos { return x.Text.Pos(int(loc)) }

// Unmodelled stops the translation of the statement.
func (x *Spot) Unmodelled(format string, args ...any) { x.Draft.Unmodelled(format, args...) }

// At gives the place where a tree starts.
func (x *Spot) At(n *pg.Node) int32 { return int32(max(pg.Start(n), 0)) }

// maxExprDepth bounds the nesting of expressions.
const maxExprDepth = 2000

// Mode says what becomes of NULL in a condition.
type Mode uint8

const (
	Exact    Mode = iota // NULL stays
	Truth                // NULL counts as false
	NonFalse             // NULL counts as true
)

// Boolean translates a condition.
func (x *Spot) Boolean(n *pg.Node, m Mode) ir.Expr {
	switch e := pg.Inner(n).(type) {
	case *pg.BoolExpr:
		return x.boolExpr(e, m)
	case *pg.SubLink:
		if c := x.Queries.Condition(x, e, m); c != nil {
			return c
		}
	case *pg.A_Expr:
		if c := x.Queries.ArrayCondition(x, e, m); c != nil {
			return c
		}
	}
	v := x.Expr(n)
	if v.Type.Name == schema.NAny {
		v = retype(v, schema.TBool)
	}
	switch {
	case x.App.In.MySQL:
		v = x.App.Dialect.Condition(x, v)
	case v.Type.Name == schema.NUnknown:
		v = x.Literal(v, schema.TBool, x.At(n))
	}
	if v.Given && v.Type.Name != schema.NBool {
		v = x.Fit(v, schema.TBool)
	}
	if v.Type.Name != schema.NBool || v.Record {
		x.Fail(x.At(n), "this must be a condition, but it has type %s", v.Type)
	}
	return v.Expr
}

func (x *Spot) boolExpr(e *pg.BoolExpr, m Mode) ir.Expr {
	if e.Boolop == pg.BoolNot {
		inner := m
		switch m {
		case Truth:
			inner = NonFalse
		case NonFalse:
			inner = Truth
		}
		return ir.NotE(x.Boolean(e.Args[0], inner))
	}
	undo := func() {}
	if x.Draft != nil {
		undo = x.Draft.mark()
	}
	decides := ir.Bool(e.Boolop == pg.BoolOr)
	var parts []ir.Expr
	for i, a := range e.Args {
		part := func() { parts = append(parts, x.Boolean(a, m)) }
		if i == 0 {
			part()
		} else {
			x.Maybe(part)
		}
		if c, is := parts[i].(*ir.Const); is && c.Value == decides && isConstant(a) && !x.App.In.MySQL {
			undo() // the planner does not compute the others
			return c
		}
	}
	if e.Boolop == pg.BoolAnd {
		return ir.AndE(parts...)
	}
	return ir.OrE(parts...)
}

// Expr translates an expression.
func (x *Spot) Expr(n *pg.Node) Val {
	if x.depth++; x.depth > maxExprDepth {
		x.Fail(x.At(n), "the expression is nested too deep")
	}
	var undo func()
	if x.Draft != nil && besideNull(x, n) {
		undo = x.Draft.mark()
	}
	v := x.expr1(n)
	if x.depth--; undo != nil && v.IsNull() {
		undo()
	}
	if x.Draft != nil && !v.Record && v.Expr != nil {
		if name := Failing(v.Expr); name != "" && !isGivenRange(x, v) {
			x.Draft.Fallible = append(x.Draft.Fallible, name)
		}
	}
	return v
}

// One translates an expression that must not be a row.
func (x *Spot) One(n *pg.Node) Val {
	v := x.Expr(n)
	x.NoRow(v)
	return v
}

// NoRow stops at a row in a place for a single value.
func (x *Spot) NoRow(v Val) {
	if v.Record {
		panic(schema.Unmodelled{Reason: "a row in this place"})
	}
}

func (x *Spot) expr1(n *pg.Node) Val {
	switch e := pg.Inner(n).(type) {
	case *pg.A_Const:
		return x.Constant(e)
	case *pg.ColumnRef:
		return x.columnRef(e)
	case *pg.ParamRef:
		return x.paramRef(e)
	case *pg.A_Expr:
		return x.aExpr(e)
	case *pg.BoolExpr:
		return Val{Expr: x.boolExpr(e, Exact), Type: schema.TBool}
	case *pg.SubLink:
		return x.Queries.Subquery(x, e)
	case *pg.NullTest:
		return x.nullTest(e)
	case *pg.BooleanTest:
		return x.boolTest(e)
	case *pg.FuncCall:
		return x.Call(e)
	case *pg.TypeCast:
		return x.typeCast(e)
	case *pg.CaseExpr:
		return x.caseExpr(e)
	case *pg.CoalesceExpr:
		return x.coalesce(e)
	case *pg.MinMaxExpr:
		return x.minMax(e)
	case *pg.SQLValueFunction:
		return x.valueFunction(e)
	case *pg.A_ArrayExpr:
		return x.arrayExpr(e)
	case *pg.A_Indirection:
		return x.indirection(e)
	case *pg.RowExpr:
		var fields []Column
		for i, a := range x.Expanded(e.Args) {
			var v Val
			if x.inTurn && i > 0 {
				x.Maybe(func() { v = x.One(a) })
			} else {
				v = x.One(a)
			}
			fields = append(fields, Column{Name: "f" + strconv.Itoa(i+1), Expr: v.Expr, Type: v.Type, NotNull: v.NotNull})
		}
		return Val{Type: schema.TRecord, Fields: fields, Record: true}
	case *pg.CollateClause:
		// Another collation is another order of the same strings.
		v := x.DefaultType(x.One(e.Arg))
		name := syntax.Qualified(syntax.Names(e.Collname))
		if x.App.In.MySQL {
			return x.App.Dialect.Collated(v, syntax.LastPart(name))
		}
		if x.App.Collations[syntax.LastPart(name)] {
			v.Type = x.App.Collated(v.Type, name)
			return v
		}
		return Val{Expr: &ir.Call{Name: "collate " + name, Args: []ir.Expr{v.Expr}, Type: ir.TextType}, Type: schema.TText, NotNull: v.NotNull}
	case *pg.SetToDefault:
		x.Fail(e.Location, "DEFAULT is not allowed here")
	case nil:
		x.Fail(0, "an expression is missing here")
	}
	x.unsupported(n)
	return Val{}
}

// unsupported stops at a kind of expression that is not modelled.
func (x *Spot) unsupported(n *pg.Node) {
	name := strings.TrimPrefix(syntax.TypeName(pg.Inner(n)), "*ast.")
	if x.Draft == nil {
		panic(schema.Unmodelled{Reason: "an expression of kind " + name})
	}
	x.Unmodelled("an expression of kind %s", name)
}

// Constant translates a literal.
func (x *Spot) Constant(c *pg.A_Const) Val {
	if c.Isnull {
		return Val{Expr: ir.C(ir.Null), Type: schema.TUnknown}
	}
	switch k := c.Val.(type) {
	case *pg.A_ConstInt:
		return Integer(int64(k.Ival.Ival))
	case *pg.A_ConstFloat:
		s := k.Fval.Fval
		if i, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 0, 64); err == nil {
			return Integer(i)
		}
		r, ok := value.Rational(s)
		if !ok {
			x.Fail(c.Location, "%s is no number that can be read", s)
		}
		return Val{Expr: ir.C(ir.Num(r)), Type: schema.TNumeric, NotNull: true}
	case *pg.A_ConstBool:
		return Val{Expr: ir.C(ir.Bool(k.Boolval.Boolval)), Type: schema.TBool, NotNull: true}
	case *pg.A_ConstText:
		return Val{Expr: ir.C(ir.Text(k.Sval.Sval)), Type: schema.TUnknown, NotNull: true}
	}
	t := schema.ValuesOf("bit")
	return Val{Expr: ConstantOf(strings.TrimPrefix(c.GetBsval().GetBsval(), "b"), t), Type: t, NotNull: true}
}

// Integer is a constant of the smallest type that has it, from int4 on.
func Integer(i int64) Val {
	t := schema.TInt
	if i > math.MaxInt32 || i < math.MinInt32 {
		t = schema.TBigint
	}
	return Val{Expr: ir.C(ir.Int(i)), Type: t, NotNull: true}
}

// IsNull reports whether v is the literal NULL.
func (v Val) IsNull() bool {
	c, ok := v.Expr.(*ir.Const)
	return ok && c.Value.IsNull()
}

// LiteralText gives the text of a quoted literal that has no type yet.
func (v Val) LiteralText() (string, bool) {
	if c, ok := v.Expr.(*ir.Const); ok && v.Type.Name == schema.NUnknown && c.Value.Kind == ir.KindText {
		return c.Value.S, true
	}
	return "", false
}

func (x *Spot) nullTest(e *pg.NullTest) Val {
	v := x.Expr(e.Arg)
	not := e.Nulltesttype == pg.IsNotNull
	if x.App.In.MySQL && v.NotNull && !v.Record { // it is not computed
		return Val{Expr: ir.C(ir.Bool(not)), Type: schema.TBool, NotNull: true}
	}
	if v.Record { // a row IS NULL when all its fields are, IS NOT NULL when none is
		var parts []ir.Expr
		for _, f := range v.Fields {
			var p ir.Expr = &ir.Unary{Op: ir.IsNull, X: f.Expr}
			if not {
				p = ir.NotE(p)
			}
			parts = append(parts, p)
		}
		if len(parts) == 0 {
			x.Unmodelled("a test of a record whose fields are not known")
		}
		return Val{Expr: ir.AndE(parts...), Type: schema.TBool, NotNull: true}
	}
	var out ir.Expr = &ir.Unary{Op: ir.IsNull, X: v.Expr}
	if not {
		out = ir.NotE(out)
	}
	return Val{Expr: out, Type: schema.TBool, NotNull: true}
}

func (x *Spot) boolTest(e *pg.BooleanTest) Val {
	c := x.Boolean(e.Arg, Exact)
	is := func(v ir.Value) ir.Expr { return ir.Op(ir.Is, c, ir.C(v)) }
	var out ir.Expr
	switch e.Booltesttype {
	case pg.TestTrue:
		out = is(ir.Bool(true))
	case pg.TestNotTrue:
		out = ir.NotE(is(ir.Bool(true)))
	case pg.TestFalse:
		out = is(ir.Bool(false))
	case pg.TestNotFalse:
		out = ir.NotE(is(ir.Bool(false)))
	case pg.TestUnknown:
		out = &ir.Unary{Op: ir.IsNull, X: c}
	default:
		out = IsNotNull(c)
	}
	return Val{Expr: out, Type: schema.TBool, NotNull: true}
}

func (x *Spot) caseExpr(e *pg.CaseExpr) Val {
	var subject *Val
	if e.Arg != nil {
		v := x.Expr(e.Arg)
		subject = &v
	}
	var conds []ir.Expr
	var results []Val
	var before ir.Expr // no case before applies
	for i, n := range e.Args {
		w := pg.Inner(n).(*pg.CaseWhen)
		condition := func() {
			if subject == nil {
				conds = append(conds, x.Boolean(w.Expr, Truth))
				return
			}
			conds = append(conds, x.Compare("=", *subject, x.Expr(w.Expr), w.Location).Expr)
		}
		if i == 0 {
			condition()
		} else {
			x.when(before, condition)
		}
		applies := ir.Op(ir.Is, conds[i], ir.C(ir.Bool(true)))
		x.when(ir.AndE(before, applies), func() { results = append(results, x.Expr(w.Result)) })
		before = ir.AndE(before, ir.NotE(applies))
	}
	last := Val{Expr: ir.C(ir.Null), Type: schema.TUnknown}
	if e.Defresult != nil {
		x.when(before, func() { last = x.Expr(e.Defresult) })
	}
	results = append(results, last)
	results, t, nn := x.unify(results, e.Location, "CASE")
	out := results[len(results)-1].Expr
	for i := len(conds) - 1; i >= 0; i-- {
		out = &ir.Cond{If: conds[i], Then: results[i].Expr, Else: out}
	}
	return Val{Expr: out, Type: t, NotNull: nn, Digits: results[0].Digits}
}

// unify gives the values one type (manual, section 10.5); nn says that none is ever
// NULL, and digits is val.digits of all.
func (x *Spot) unify(vs []Val, loc int32, what string) (out []Val, t schema.Type, nn bool) {
	nn = true
	var types []string
	for _, v := range vs {
		nn = nn && v.NotNull
		if v.Record {
			x.Refuse("rows as results of %s", what)
		}
		if v.Type.Name != schema.NAny && v.ArgType() != catalog.Untold || len(vs) == 1 {
			types = append(types, v.ArgType())
		}
	}
	if x.App.In.MySQL {
		return x.App.Dialect.Unify(x, vs, loc, what)
	}
	t = x.CommonType(vs, types, loc, what)
	digits, known := 0, t.Name == schema.NNumeric
	for _, v := range vs {
		d, ok := v.Scale()
		known = known && (ok || v.IsNull())
		digits = max(digits, d)
	}
	for _, v := range vs {
		if t.Name != schema.NUnknown {
			v.Expr = x.Convert(v, t, loc, what)
			v.Type = t
		}
		if v.Digits = 0; known {
			v.Digits = digits + 1
		}
		out = append(out, v)
	}
	return out, t, nn
}

// CommonType is the type of values of these types; those of values of which it is not
// known are left out.
func (x *Spot) CommonType(vs []Val, types []string, loc int32, what string) schema.Type {
	for _, v := range vs { // one that the values have as it is, with its modifier
		all := v.Type.SQL != nil || v.Type.Name == schema.NRecord
		for _, o := range vs {
			all = all && o.Type.Same(v.Type)
		}
		if all {
			return v.Type.Plain()
		}
	}
	if len(types) == 0 {
		for _, v := range vs {
			if v.Type.Name != schema.NAny {
				return v.Type.Plain()
			}
		}
		return schema.TAny
	}
	name, ok := x.App.Catalog().Common(types)
	switch {
	case !ok && x.App.In.MySQL:
		return x.App.CatalogType(types[0])
	case !ok:
		x.Fail(loc, "%s has values of types that have none in common (%s); add a cast", what, TypesOf(vs))
	case name == catalog.Untold:
		return schema.TAny
	case name == "text":
		allNull := true
		for _, v := range vs {
			allNull = allNull && v.IsNull()
		}
		if allNull {
			return schema.TUnknown
		}
	}
	return x.App.CatalogType(name)
}

func (x *Spot) coalesce(e *pg.CoalesceExpr) Val {
	var vs []Val
	var before ir.Expr // all before are NULL
	for i, a := range e.Args {
		if i == 0 {
			vs = append(vs, x.Expr(a))
		} else {
			x.when(before, func() { vs = append(vs, x.Expr(a)) })
		}
		if v := vs[i]; v.Expr != nil {
			before = ir.AndE(before, &ir.Unary{Op: ir.IsNull, X: v.Expr})
		}
	}
	nn := false
	for _, v := range vs {
		nn = nn || v.NotNull
	}
	vs, t, _ := x.unify(vs, e.Location, "COALESCE")
	digits := vs[0].Digits
	out := vs[len(vs)-1].Expr
	for i := len(vs) - 2; i >= 0; i-- {
		a := x.Shared(vs[i].Expr, t)
		out = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: a}, Then: out, Else: a}
	}
	return Val{Expr: out, Type: t, NotNull: nn, Digits: digits}
}

func (x *Spot) minMax(e *pg.MinMaxExpr) Val {
	var vs []Val
	for _, a := range e.Args {
		vs = append(vs, x.Expr(a))
	}
	name, op := "least", ir.Lt
	if e.Op == pg.MinMaxGreatest {
		name, op = "greatest", ir.Gt
	}
	nn := false
	for _, v := range vs {
		nn = nn || v.NotNull
	}
	vs, t, _ := x.unify(vs, e.Location, strings.ToUpper(name))
	if !t.Ordered() {
		var args []ir.Expr
		for _, v := range vs {
			args = append(args, v.Expr)
		}
		return Val{Expr: &ir.Call{Name: name, Args: args, Type: LocalType(t)}, Type: t, NotNull: nn}
	}
	out := vs[0].Expr
	if x.App.In.MySQL {
		return x.App.Dialect.MinMax(x, vs, t, op)
	}
	for _, v := range vs[1:] { // NULLs do not take part
		a, c := x.Shared(out, t), x.Shared(v.Expr, t)
		out = &ir.Cond{If: ir.OrE(&ir.Unary{Op: ir.IsNull, X: a}, ir.Op(op, c, a)), Then: c, Else: a}
	}
	return Val{Expr: out, Type: t, NotNull: nn, Digits: vs[0].Digits}
}

func (x *Spot) arrayExpr(e *pg.A_ArrayExpr) Val {
	var vs []Val
	for _, n := range e.Elements {
		vs = append(vs, x.Expr(n))
	}
	return x.array(vs, e.Location)
}

// indirection is a[i], (row).field and combinations of them.
func (x *Spot) indirection(e *pg.A_Indirection) Val {
	v := x.Expr(e.Arg)
	for step, n := range e.Indirection {
		switch i := pg.Inner(n).(type) {
		case *pg.A_Indices:
			if k, ok := x.triggerArgument(e.Arg, i); ok {
				v = k
				continue
			}
			v = x.subscript(v, i, x.At(e.Arg))
		case *pg.String:
			if !x.hasField(v, i.Sval) && step == 0 {
				if c, ok := x.attributeCall(e.Arg, i.Sval, x.At(e.Arg)); ok {
					v = c
					continue
				}
			}
			v = x.fieldOf(v, i.Sval, x.At(e.Arg))
		default:
			x.Unmodelled("a whole row as a value")
		}
	}
	return v
}

func (x *Spot) subscript(v Val, i *pg.A_Indices, loc int32) Val {
	if v.Type.Name != schema.NArray {
		if v.Type.Name == schema.NJSON || v.Type.Name == schema.NAny {
			k := x.One(i.Uidx)
			return Val{Expr: &ir.Call{Name: "subscript", Args: []ir.Expr{v.Expr, x.DefaultType(k).Expr}, Type: ir.OpaqueType}, Type: v.Type}
		}
		x.Fail(loc, "only arrays have subscripts, but this has type %s", v.Type)
	}
	if i.IsSlice {
		args := []ir.Expr{v.Expr}
		for _, n := range []*pg.Node{i.Lidx, i.Uidx} {
			if n == nil {
				args = append(args, ir.C(ir.Null))
			} else {
				args = append(args, x.Convert(x.Expr(n), schema.TInt, x.At(n), "a subscript"))
			}
		}
		return Val{Expr: &ir.Call{Name: "slice", Args: args, Type: v.Type.IR}, Type: v.Type}
	}
	k := x.Convert(x.Expr(i.Uidx), schema.TInt, x.At(i.Uidx), "a subscript")
	t := v.Type.Element()
	return Val{Expr: &ir.Call{Name: "elem", Args: []ir.Expr{v.Expr, k}, Type: t.IR}, Type: t}
}

// fieldOf is a field of a row, or of a value of a composite type.
func (x *Spot) fieldOf(v Val, name string, loc int32) Val {
	if v.Record {
		for _, f := range v.Fields {
			if f.Name == name {
				return Val{Expr: f.Expr, Type: f.Type, NotNull: f.NotNull}
			}
		}
		x.Fail(loc, "this row has no field %s", name)
	}
	for _, f := range x.App.FieldsOf(v.Type.Name) {
		if f.Name == name {
			return Val{Expr: Accessor(v, f), Type: f.T}
		}
	}
	x.Fail(loc, "a value of type %s has no field %s", v.Type, name)
	return Val{}
}

// hasField reports whether a row has a field.
func (x *Spot) hasField(v Val, name string) bool {
	if v.Record {
		return slices.ContainsFunc(v.Fields, func(f Column) bool { return f.Name == name })
	}
	return slices.ContainsFunc(x.App.FieldsOf(v.Type.Name), func(f schema.FieldDef) bool { return f.Name == name })
}

// Accessor takes a field out of a value of a composite type.
func Accessor(v Val, f schema.FieldDef) ir.Expr {
	return &ir.Call{Name: "field " + irwords.Ident(v.Type.Name) + "." + irwords.Ident(f.Name), Args: []ir.Expr{v.Expr}, Type: LocalType(f.T)}
}
