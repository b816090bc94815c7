package sqlmodel

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// val is a translated expression.
type val struct {
	e ir.Expr
	t schema.Type
	// nn says that it is never NULL.
	nn bool
	// fields are those of a row or record; e is nil then.
	fields []colDef
	record bool
	// given says that it is a parameter for which a client program gives the value:
	// the place where it stands decides the type.
	given bool
	// digits is 1 more than the digits that a number can have after the point, 0 if
	// that is not known.
	digits int
}

// ex translates expressions in one place of a program.
type ex struct {
	l *Application
	// b and f are nil outside of transactions: in constraints and invariants.
	b    *Draft
	f    *frame
	text *syntax.Text
	// levels are the queries around the expression, innermost last.
	levels []*level
	// inTurn says that the fields of a row are computed as far as a comparison comes to them.
	inTurn bool
	// agg, if not nil, takes the aggregate calls.
	agg aggregator
	// d is the derivation that the expression belongs to, if it belongs to one,
	// win what its window functions look at, ctes the WITH queries in scope, and
	// queries the number of queries around.
	d       *deriver
	win     *window
	ctes    *ctes
	queries int
	// perRow says that the expression is evaluated for each row of a query,
	// conditional that it may not be evaluated at all.
	perRow      bool
	conditional bool
	// writes says that the WITH queries are those of a statement that writes.
	writes bool
	// parts is what the WITH queries of the statement write, nil if they write nothing.
	parts *parts
	// tid says that the expression is compared with the ctid of a row.
	tid bool
	// guard, if not nil, is under which condition it is.
	guard ir.Expr
	// sure, if not nil, takes the locks of subqueries that run if a row is written.
	sure *[]sureLocks
	// pushed is the lock that a query around this one puts on its rows. held says that
	// that one sees to all locks. viewing are the views in the definitions of which it is.
	pushed  ir.LockMode
	fetched fetched
	held    bool
	viewing []*schema.View
	depth   int
}

// aggregator takes the aggregate calls of a query: over sees the rows, aggregate
// gives what stands for the result.
type aggregator interface {
	over() *ex
	aggregate(agg ir.Agg, base string, t schema.Type) ir.Expr
}

// aggCall is an aggregate with the local that will hold its result.
type aggCall struct {
	agg   ir.Agg
	local string
}

func (x *ex) fail(loc int32, format string, args ...any) {
	x.l.Fail(x.text.Pos(int(loc)), format, args...)
}

func (x *ex) pos(loc int32) ir.Pos { return x.text.Pos(int(loc)) }

func (x *ex) unmodelled(format string, args ...any) { x.b.unmodelled(format, args...) }

// at gives the place where a tree starts.
func (x *ex) at(n *pg.Node) int32 { return int32(max(pg.Start(n), 0)) }

// maxExprDepth bounds the nesting of expressions.
const maxExprDepth = 2000

// mode says what becomes of NULL in a condition.
type mode uint8

const (
	exact    mode = iota // NULL stays
	truth                // NULL counts as false
	nonFalse             // NULL counts as true
)

// boolean translates a condition.
func (x *ex) boolean(n *pg.Node, m mode) ir.Expr {
	switch e := pg.Inner(n).(type) {
	case *pg.BoolExpr:
		return x.boolExpr(e, m)
	case *pg.SubLink:
		if c := x.subCondition(e, m); c != nil {
			return c
		}
	case *pg.A_Expr:
		if s := arrayQuery(e); s != nil && skipsLocked(s) && m == truth && x.d == nil && x.b != nil {
			return x.anySkipping(x.expr(e.Lexpr), s, e.Location, m, true)
		} else if s != nil && limited(s) { // the rows are the same as those of IN
			link := &pg.SubLink{SubLinkType: pg.SubAny, Testexpr: e.Lexpr, OperName: e.Name, Subselect: pg.Inner(e.Rexpr).(*pg.SubLink).Subselect, Location: e.Location}
			return x.subCondition(link, m)
		}
	}
	v := x.expr(n)
	if v.t.Name == schema.NAny {
		v = retype(v, schema.TBool)
	}
	if v.t.Name == schema.NUnknown {
		v = x.literal(v, schema.TBool, x.at(n))
	}
	if v.given && v.t.Name != schema.NBool || x.l.In.MySQL && v.t.Name == schema.NInt {
		v = x.fit(v, schema.TBool)
	}
	if v.t.Name != schema.NBool || v.record {
		x.fail(x.at(n), "this must be a condition, but it has type %s", v.t)
	}
	return v.e
}

func (x *ex) boolExpr(e *pg.BoolExpr, m mode) ir.Expr {
	if e.Boolop == pg.BoolNot {
		inner := m
		switch m {
		case truth:
			inner = nonFalse
		case nonFalse:
			inner = truth
		}
		return ir.NotE(x.boolean(e.Args[0], inner))
	}
	undo := func() {}
	if x.b != nil {
		undo = x.b.mark()
	}
	decides := ir.Bool(e.Boolop == pg.BoolOr)
	var parts []ir.Expr
	for i, a := range e.Args {
		part := func() { parts = append(parts, x.boolean(a, m)) }
		if i == 0 {
			part()
		} else {
			x.maybe(part)
		}
		if c, is := parts[i].(*ir.Const); is && c.Value == decides && isConstant(a) && !x.l.In.MySQL {
			undo() // the planner does not compute the others
			return c
		}
	}
	if e.Boolop == pg.BoolAnd {
		return ir.AndE(parts...)
	}
	return ir.OrE(parts...)
}

// expr translates an expression.
func (x *ex) expr(n *pg.Node) val {
	if x.depth++; x.depth > maxExprDepth {
		x.fail(x.at(n), "the expression is nested too deep")
	}
	var undo func()
	if x.b != nil && x.besideNull(n) {
		undo = x.b.mark()
	}
	v := x.expr1(n)
	if undo != nil && v.isNull() {
		undo()
	}
	x.depth--
	if x.b != nil && !v.record && v.e != nil {
		if name := failing(v.e); name != "" && !x.isGivenRange(v) {
			x.b.fallible = append(x.b.fallible, name)
		}
	}
	return v
}

// one translates an expression that must not be a row.
func (x *ex) one(n *pg.Node) val {
	v := x.expr(n)
	x.noRow(v)
	return v
}

// noRow stops at a row in a place for a single value.
func (x *ex) noRow(v val) {
	if v.record {
		panic(schema.Unmodelled{Reason: "a row in this place"})
	}
}

func (x *ex) expr1(n *pg.Node) val {
	switch e := pg.Inner(n).(type) {
	case *pg.A_Const:
		return x.constant(e)
	case *pg.ColumnRef:
		return x.columnRef(e)
	case *pg.ParamRef:
		return x.paramRef(e)
	case *pg.A_Expr:
		return x.aExpr(e)
	case *pg.BoolExpr:
		return val{e: x.boolExpr(e, exact), t: schema.TBool}
	case *pg.SubLink:
		return x.subLink(e)
	case *pg.NullTest:
		return x.nullTest(e)
	case *pg.BooleanTest:
		return x.boolTest(e)
	case *pg.FuncCall:
		return x.call(e)
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
		var fields []colDef
		for i, a := range x.expanded(e.Args) {
			var v val
			if x.inTurn && i > 0 {
				x.maybe(func() { v = x.one(a) })
			} else {
				v = x.one(a)
			}
			fields = append(fields, colDef{name: "f" + strconv.Itoa(i+1), e: v.e, t: v.t, nn: v.nn})
		}
		return val{t: schema.TRecord, fields: fields, record: true}
	case *pg.CollateClause:
		// Another collation is another order of the same strings.
		v := x.defaultType(x.one(e.Arg))
		if name := syntax.Qualified(syntax.Names(e.Collname)); x.l.Collations[syntax.LastPart(name)] {
			v.t = x.l.Collated(v.t, name)
			return v
		}
		return val{e: &ir.Call{Name: "collate " + syntax.Qualified(syntax.Names(e.Collname)), Args: []ir.Expr{v.e}, Type: ir.TextType}, t: schema.TText, nn: v.nn}
	case *pg.SetToDefault:
		x.fail(e.Location, "DEFAULT is not allowed here")
	case nil:
		x.fail(0, "an expression is missing here")
	}
	x.unsupported(n)
	return val{}
}

// unsupported stops at a kind of expression that is not modelled.
func (x *ex) unsupported(n *pg.Node) {
	name := strings.TrimPrefix(syntax.TypeName(pg.Inner(n)), "*ast.")
	if x.b == nil {
		panic(schema.Unmodelled{Reason: "an expression of kind " + name})
	}
	x.unmodelled("an expression of kind %s", name)
}

func (x *ex) constant(c *pg.A_Const) val {
	if c.Isnull {
		return val{e: ir.C(ir.Null), t: schema.TUnknown}
	}
	switch k := c.Val.(type) {
	case *pg.A_ConstInt:
		return integer(int64(k.Ival.Ival))
	case *pg.A_ConstFloat:
		s := k.Fval.Fval
		if i, err := strconv.ParseInt(strings.ReplaceAll(s, "_", ""), 0, 64); err == nil {
			return integer(i)
		}
		r, ok := value.Rational(s)
		if !ok {
			x.fail(c.Location, "%s is no number that can be read", s)
		}
		return val{e: ir.C(ir.Num(r)), t: schema.TNumeric, nn: true}
	case *pg.A_ConstBool:
		return val{e: ir.C(ir.Bool(k.Boolval.Boolval)), t: schema.TBool, nn: true}
	case *pg.A_ConstText:
		return val{e: ir.C(ir.Text(k.Sval.Sval)), t: schema.TUnknown, nn: true}
	}
	t := schema.ValuesOf("bit")
	return val{e: constantOf(strings.TrimPrefix(c.GetBsval().GetBsval(), "b"), t), t: t, nn: true}
}

// integer is a constant of the smallest type that has it, from int4 on.
func integer(i int64) val {
	t := schema.TInt
	if i > math.MaxInt32 || i < math.MinInt32 {
		t = schema.TBigint
	}
	return val{e: ir.C(ir.Int(i)), t: t, nn: true}
}

// isNull reports whether v is the literal NULL.
func (v val) isNull() bool {
	c, ok := v.e.(*ir.Const)
	return ok && c.Value.IsNull()
}

// literalText gives the text of a quoted literal that has no type yet.
func (v val) literalText() (string, bool) {
	if c, ok := v.e.(*ir.Const); ok && v.t.Name == schema.NUnknown && c.Value.Kind == ir.KindText {
		return c.Value.S, true
	}
	return "", false
}

func (x *ex) nullTest(e *pg.NullTest) val {
	v := x.expr(e.Arg)
	not := e.Nulltesttype == pg.IsNotNull
	if v.record { // a row IS NULL when all its fields are, IS NOT NULL when none is
		var parts []ir.Expr
		for _, f := range v.fields {
			var p ir.Expr = &ir.Unary{Op: ir.IsNull, X: f.e}
			if not {
				p = ir.NotE(p)
			}
			parts = append(parts, p)
		}
		if len(parts) == 0 {
			x.unmodelled("a test of a record whose fields are not known")
		}
		return val{e: ir.AndE(parts...), t: schema.TBool, nn: true}
	}
	var out ir.Expr = &ir.Unary{Op: ir.IsNull, X: v.e}
	if not {
		out = ir.NotE(out)
	}
	return val{e: out, t: schema.TBool, nn: true}
}

func (x *ex) boolTest(e *pg.BooleanTest) val {
	c := x.boolean(e.Arg, exact)
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
		out = isNotNull(c)
	}
	return val{e: out, t: schema.TBool, nn: true}
}

func (x *ex) caseExpr(e *pg.CaseExpr) val {
	var subject *val
	if e.Arg != nil {
		v := x.expr(e.Arg)
		subject = &v
	}
	var conds []ir.Expr
	var results []val
	var before ir.Expr // no case before applies
	for i, n := range e.Args {
		w := pg.Inner(n).(*pg.CaseWhen)
		condition := func() {
			if subject == nil {
				conds = append(conds, x.boolean(w.Expr, truth))
				return
			}
			conds = append(conds, x.compare("=", *subject, x.expr(w.Expr), w.Location).e)
		}
		if i == 0 {
			condition()
		} else {
			x.when(before, condition)
		}
		applies := ir.Op(ir.Is, conds[i], ir.C(ir.Bool(true)))
		x.when(ir.AndE(before, applies), func() { results = append(results, x.expr(w.Result)) })
		before = ir.AndE(before, ir.NotE(applies))
	}
	last := val{e: ir.C(ir.Null), t: schema.TUnknown}
	if e.Defresult != nil {
		x.when(before, func() { last = x.expr(e.Defresult) })
	}
	results = append(results, last)
	results, t, nn := x.unify(results, e.Location, "CASE")
	out := results[len(results)-1].e
	for i := len(conds) - 1; i >= 0; i-- {
		out = &ir.Cond{If: conds[i], Then: results[i].e, Else: out}
	}
	return val{e: out, t: t, nn: nn, digits: results[0].digits}
}

// unify gives the values one type (manual, section 10.5); nn says that none is ever
// NULL, and digits is val.digits of all.
func (x *ex) unify(vs []val, loc int32, what string) (out []val, t schema.Type, nn bool) {
	nn = true
	var types []string
	for _, v := range vs {
		nn = nn && v.nn
		if v.record {
			x.refuse("rows as results of %s", what)
		}
		if v.t.Name != schema.NAny && v.argType() != catalog.Untold || len(vs) == 1 {
			types = append(types, v.argType())
		}
	}
	t = x.commonType(vs, types, loc, what)
	digits, known := 0, t.Name == schema.NNumeric
	for _, v := range vs {
		d, ok := v.scale()
		known = known && (ok || v.isNull())
		digits = max(digits, d)
	}
	for _, v := range vs {
		if t.Name != schema.NUnknown {
			v.e = x.convert(v, t, loc, what)
			v.t = t
		}
		if v.digits = 0; known {
			v.digits = digits + 1
		}
		out = append(out, v)
	}
	return out, t, nn
}

// CommonType is the type of values of these types; those of values of which it is not
// known are left out.
func (x *ex) commonType(vs []val, types []string, loc int32, what string) schema.Type {
	for _, v := range vs { // one that the values have as it is, with its modifier
		all := v.t.SQL != nil || v.t.Name == schema.NRecord
		for _, o := range vs {
			all = all && o.t.Same(v.t)
		}
		if all {
			return v.t.Plain()
		}
	}
	if len(types) == 0 {
		for _, v := range vs {
			if v.t.Name != schema.NAny {
				return v.t.Plain()
			}
		}
		return schema.TAny
	}
	name, ok := x.l.Catalog().Common(types)
	switch {
	case !ok && x.l.In.MySQL:
		return x.l.CatalogType(types[0])
	case !ok:
		x.fail(loc, "%s has values of types that have none in common (%s); add a cast", what, typesOf(vs))
	case name == catalog.Untold:
		return schema.TAny
	case name == "text":
		allNull := true
		for _, v := range vs {
			allNull = allNull && v.isNull()
		}
		if allNull {
			return schema.TUnknown
		}
	}
	return x.l.CatalogType(name)
}

func (x *ex) coalesce(e *pg.CoalesceExpr) val {
	var vs []val
	var before ir.Expr // all before are NULL
	for i, a := range e.Args {
		if i == 0 {
			vs = append(vs, x.expr(a))
		} else {
			x.when(before, func() { vs = append(vs, x.expr(a)) })
		}
		if v := vs[i]; v.e != nil {
			before = ir.AndE(before, &ir.Unary{Op: ir.IsNull, X: v.e})
		}
	}
	nn := false
	for _, v := range vs {
		nn = nn || v.nn
	}
	vs, t, _ := x.unify(vs, e.Location, "COALESCE")
	digits := vs[0].digits
	out := vs[len(vs)-1].e
	for i := len(vs) - 2; i >= 0; i-- {
		a := x.shared(vs[i].e, t)
		out = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: a}, Then: out, Else: a}
	}
	return val{e: out, t: t, nn: nn, digits: digits}
}

func (x *ex) minMax(e *pg.MinMaxExpr) val {
	var vs []val
	for _, a := range e.Args {
		vs = append(vs, x.expr(a))
	}
	name, op := "least", ir.Lt
	if e.Op == pg.MinMaxGreatest {
		name, op = "greatest", ir.Gt
	}
	nn := false
	for _, v := range vs {
		nn = nn || v.nn
	}
	vs, t, _ := x.unify(vs, e.Location, strings.ToUpper(name))
	if !t.Ordered() {
		var args []ir.Expr
		for _, v := range vs {
			args = append(args, v.e)
		}
		return val{e: &ir.Call{Name: name, Args: args, Type: localType(t)}, t: t, nn: nn}
	}
	out := vs[0].e
	for _, v := range vs[1:] { // NULLs do not take part
		a, c := x.shared(out, t), x.shared(v.e, t)
		out = &ir.Cond{If: ir.OrE(&ir.Unary{Op: ir.IsNull, X: a}, ir.Op(op, c, a)), Then: c, Else: a}
	}
	return val{e: out, t: t, nn: nn, digits: vs[0].digits}
}

func (x *ex) valueFunction(e *pg.SQLValueFunction) val {
	name, t := "session_user", schema.TText
	switch e.Op {
	case pg.ValueCurrentDate:
		name, t = "current_date", schema.TDate
	case pg.ValueCurrentTime, pg.ValueCurTimeN:
		name, t = "current_time", schema.ValuesOf("timetz")
	case pg.ValueLocalTime, pg.ValueLocalTimeN:
		name, t = "localtime", schema.TTime
	case pg.ValueTimestamp, pg.ValueTimestampN:
		name, t = "now", schema.TStamp
	case pg.ValueLocalStamp, pg.ValueLocalStampN:
		name, t = "now", schema.ValuesOf("timestamp")
	}
	return x.fromSession(name, t)
}

// fromSession is a value that stays the same all through the transaction.
func (x *ex) fromSession(name string, t schema.Type) val {
	if x.b == nil {
		panic(schema.Unmodelled{Reason: name})
	}
	switch name {
	case "transaction_timestamp", "current_timestamp", "localtimestamp", "now":
		return val{e: ir.V(x.b.sessionLocal("now", schema.TStamp)), t: t, nn: true}
	case "current_date", "current_time", "localtime":
		now := ir.V(x.b.sessionLocal("now", schema.TStamp))
		return val{e: x.castCall(now, schema.TStamp, t), t: t, nn: true}
	}
	return val{e: ir.V(x.b.sessionLocal(name, t)), t: t}
}

func (x *ex) arrayExpr(e *pg.A_ArrayExpr) val {
	var vs []val
	constant := true
	for _, n := range e.Elements {
		v := x.expr(n)
		vs = append(vs, v)
	}
	vs, t, _ := x.unify(vs, e.Location, "ARRAY")
	if t.Name == schema.NUnknown {
		t = schema.TText
	}
	var elems []ir.Value
	var args []ir.Expr
	for _, v := range vs {
		c, ok := v.e.(*ir.Const)
		constant = constant && ok && !c.Value.IsNull() && c.Value.Kind == t.IR.Kind && t.IR.Kind != ir.KindArray
		if constant {
			elems = append(elems, c.Value)
		}
		args = append(args, v.e)
	}
	if t.Name == schema.NArray {
		t = schema.Opaque(t.String())
	}
	at := schema.ArrayOf(t)
	if constant {
		return val{e: ir.C(ir.Array(elems)), t: at, nn: true}
	}
	return val{e: &ir.Call{Name: "array", Args: args, Type: at.IR}, t: at, nn: true}
}

// indirection is a[i], (row).field and combinations of them.
func (x *ex) indirection(e *pg.A_Indirection) val {
	v := x.expr(e.Arg)
	for step, n := range e.Indirection {
		switch i := pg.Inner(n).(type) {
		case *pg.A_Indices:
			if k, ok := x.triggerArgument(e.Arg, i); ok {
				v = k
				continue
			}
			v = x.subscript(v, i, x.at(e.Arg))
		case *pg.String:
			if !x.hasField(v, i.Sval) && step == 0 {
				if c, ok := x.attributeCall(e.Arg, i.Sval, x.at(e.Arg)); ok {
					v = c
					continue
				}
			}
			v = x.fieldOf(v, i.Sval, x.at(e.Arg))
		default:
			x.unmodelled("a whole row as a value")
		}
	}
	return v
}

func (x *ex) subscript(v val, i *pg.A_Indices, loc int32) val {
	if v.t.Name != schema.NArray {
		if v.t.Name == schema.NJSON || v.t.Name == schema.NAny {
			k := x.one(i.Uidx)
			return val{e: &ir.Call{Name: "subscript", Args: []ir.Expr{v.e, x.defaultType(k).e}, Type: ir.OpaqueType}, t: v.t}
		}
		x.fail(loc, "only arrays have subscripts, but this has type %s", v.t)
	}
	if i.IsSlice {
		args := []ir.Expr{v.e}
		for _, n := range []*pg.Node{i.Lidx, i.Uidx} {
			if n == nil {
				args = append(args, ir.C(ir.Null))
			} else {
				args = append(args, x.convert(x.expr(n), schema.TInt, x.at(n), "a subscript"))
			}
		}
		return val{e: &ir.Call{Name: "slice", Args: args, Type: v.t.IR}, t: v.t}
	}
	k := x.convert(x.expr(i.Uidx), schema.TInt, x.at(i.Uidx), "a subscript")
	t := v.t.Element()
	return val{e: &ir.Call{Name: "elem", Args: []ir.Expr{v.e, k}, Type: t.IR}, t: t}
}

// fieldOf is a field of a row, or of a value of a composite type.
func (x *ex) fieldOf(v val, name string, loc int32) val {
	if v.record {
		for _, f := range v.fields {
			if f.name == name {
				return val{e: f.e, t: f.t, nn: f.nn}
			}
		}
		x.fail(loc, "this row has no field %s", name)
	}
	for _, f := range x.l.FieldsOf(v.t.Name) {
		if f.Name == name {
			return val{e: accessor(v, f), t: f.T}
		}
	}
	x.fail(loc, "a value of type %s has no field %s", v.t, name)
	return val{}
}

// hasField reports whether a row has a field.
func (x *ex) hasField(v val, name string) bool {
	if v.record {
		return slices.ContainsFunc(v.fields, func(f colDef) bool { return f.name == name })
	}
	return slices.ContainsFunc(x.l.FieldsOf(v.t.Name), func(f schema.FieldDef) bool { return f.Name == name })
}

// accessor takes a field out of a value of a composite type.
func accessor(v val, f schema.FieldDef) ir.Expr {
	return &ir.Call{Name: "field " + ir.Ident(v.t.Name) + "." + ir.Ident(f.Name), Args: []ir.Expr{v.e}, Type: localType(f.T)}
}
