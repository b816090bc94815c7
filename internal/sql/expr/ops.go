package expr

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
)

// aExpr translates an operator expression.
func (x *Spot) aExpr(e *pg.A_Expr) Val {
	ops := syntax.Names(e.Name)
	op := ""
	if len(ops) > 0 {
		op = ops[len(ops)-1]
	}
	if _, declared := x.App.Operators[ops[len(ops)-1]]; declared {
		panic(schema.Unmodelled{Reason: "the operator " + op + ", which is declared here"})
	}
	if _, compares := syntax.Comparisons[op]; compares && callsProgram(x, e) {
		y := *x
		y.inTurn = true
		x = &y
	}
	switch e.Kind {
	case pg.ExprOp:
		if e.Lexpr == nil {
			return x.Prefix(op, x.One(e.Rexpr), e.Location)
		}
		if v, ok := compareTids(x, op, e); ok {
			return v
		}
		l := x.Expr(e.Lexpr)
		if link, ok := pg.Inner(e.Rexpr).(*pg.SubLink); ok && l.Record && link.SubLinkType == pg.SubExpr {
			x.Unmodelled("a comparison of a row with a subquery")
		}
		return x.Binary(op, l, x.Expr(e.Rexpr), e.Location)
	case pg.ExprDistinct, pg.ExprSame:
		l := x.Expr(e.Lexpr)
		out := x.Compare("is", l, x.Expr(e.Rexpr), e.Location)
		if e.Kind == pg.ExprDistinct {
			out.Expr = ir.NotE(out.Expr)
		}
		return out
	case pg.ExprNullIf:
		l := x.One(e.Lexpr)
		r := x.One(e.Rexpr)
		if l.Type.Name == schema.NUnknown {
			l = x.Literal(l, r.Type, e.Location)
		}
		l.Expr = x.Shared(l.Expr, l.Type)
		return Val{Expr: &ir.Cond{If: x.Compare("=", l, r, e.Location).Expr, Then: ir.C(ir.Null), Else: l.Expr}, Type: l.Type}
	case pg.ExprIn:
		return x.inList(op, e)
	case pg.ExprOpAny, pg.ExprOpAll:
		return x.quantified(op, e)
	case pg.ExprLike, pg.ExprILike, pg.ExprSimilar:
		if !x.App.In.MySQL {
			l := x.Expr(e.Lexpr)
			return x.Binary(op, l, x.Expr(e.Rexpr), e.Location)
		}
		name := map[string]string{"~~": "like", "!~~": "like", "~~*": "ilike", "!~~*": "ilike", "~": "similar", "!~": "similar"}[op]
		l, r := x.DefaultType(x.One(e.Lexpr)), x.DefaultType(x.One(e.Rexpr))
		var out ir.Expr = &ir.Call{Name: x.App.Dialect.Pattern(name, l, r), Args: []ir.Expr{l.Expr, r.Expr}, Type: ir.BoolType}
		if strings.HasPrefix(op, "!") {
			out = ir.NotE(out)
		}
		return Val{Expr: out, Type: schema.TBool}
	case pg.ExprBetween, pg.ExprNotBetween, pg.ExprBetweenSym, pg.ExprNotBetwSym:
		return x.between(e)
	}
	x.Unmodelled("the operator %s", op)
	return Val{}
}

func (x *Spot) between(e *pg.A_Expr) Val {
	v := x.Expr(e.Lexpr)
	bounds := pg.Inner(e.Rexpr).(*pg.List)
	lo, hi := x.Expr(bounds.Items[0]), x.Expr(bounds.Items[1])
	if x.App.In.MySQL {
		vs := []Val{v, lo, hi}
		x.App.Dialect.Alike(x, vs)
		v, lo, hi = vs[0], vs[1], vs[2]
	}
	within := func(lo, hi Val) ir.Expr {
		return ir.AndE(x.Compare(">=", v, lo, e.Location).Expr, x.Compare("<=", v, hi, e.Location).Expr)
	}
	out := within(lo, hi)
	if e.Kind == pg.ExprBetweenSym || e.Kind == pg.ExprNotBetwSym {
		out = ir.OrE(out, within(hi, lo))
	}
	if e.Kind == pg.ExprNotBetween || e.Kind == pg.ExprNotBetwSym {
		out = ir.NotE(out)
	}
	return Val{Expr: out, Type: schema.TBool}
}

// inList is x IN (a, b, …), and NOT IN.
func (x *Spot) inList(op string, e *pg.A_Expr) Val {
	v := x.Expr(e.Lexpr)
	if !v.Record {
		v.Expr = x.Shared(v.Expr, v.Type)
	}
	list := pg.Inner(e.Rexpr).(*pg.List).Items
	if len(list) > syntax.MaxList {
		panic(schema.Unmodelled{Reason: fmt.Sprintf("IN with more than %d values", syntax.MaxList)})
	}
	vs := []Val{v}
	for _, n := range list {
		vs = append(vs, x.Expr(n))
	}
	if x.App.In.MySQL {
		x.App.Dialect.Alike(x, vs)
	}
	var parts []ir.Expr
	nn := true
	for i, n := range list {
		if isHoleCall(n) { // any values
			parts, nn = append(parts, vs[i+1].Expr), false
			continue
		}
		c := x.Compare("=", vs[0], vs[i+1], e.Location)
		parts = append(parts, c.Expr)
		nn = nn && c.NotNull
	}
	out := ir.OrE(parts...)
	if op == "<>" {
		out = ir.NotE(out)
	}
	return Val{Expr: out, Type: schema.TBool, NotNull: nn}
}

// quantified is x op ANY (array) and x op ALL (array).
func (x *Spot) quantified(op string, e *pg.A_Expr) Val {
	v := x.One(e.Lexpr)
	word := " any"
	if e.Kind == pg.ExprOpAll {
		word = " all"
	}
	if elems, ok := x.listedElements(e.Rexpr, v.Type); ok {
		if _, plain := pg.Inner(e.Rexpr).(*pg.A_ArrayExpr); plain {
			elems = textsByDefault(x, elems)
		}
		var parts []ir.Expr
		for _, el := range elems {
			parts = append(parts, x.Binary(op, v, el, e.Location).Expr)
		}
		switch {
		case len(parts) == 0:
			return Val{Expr: ir.C(ir.Bool(word == " all")), Type: schema.TBool, NotNull: true}
		case word == " all":
			return Val{Expr: ir.AndE(parts...), Type: schema.TBool}
		}
		return Val{Expr: ir.OrE(parts...), Type: schema.TBool}
	}
	a := x.One(e.Rexpr)
	if a.Type.Name == schema.NUnknown {
		a = x.Literal(a, schema.ArrayOf(v.Type), e.Location)
	}
	switch {
	case a.Type.Name == schema.NArray:
	case a.Given:
		a = x.Fit(a, schema.ArrayOf(v.Type))
	case a.Type.Name == schema.NAny:
		a = retype(a, schema.ArrayOf(v.Type))
	case a.Type.SQL != nil:
		x.Fail(e.Location, "ANY and ALL need an array, but this has type %s", a.Type)
	}
	if a.Type.Name == schema.NArray {
		elem := Val{Expr: ir.C(ir.Null), Type: a.Type.Element(), NotNull: true}
		v, _ = x.operands(op, v, elem, e.Location)
	}
	if (op == "=" && word == " any" || op == "<>" && word == " all") && a.Type.Name == schema.NArray && v.Type.IR == a.Type.Element().IR && x.byIdentity(v.Type) && x.byIdentity(a.Type.Element()) {
		c := x.inArray(v, a)
		if op == "<>" {
			c = ir.NotE(c)
		}
		return Val{Expr: c, Type: schema.TBool, NotNull: v.NotNull && a.NotNull}
	}
	if op == "<>" { // the same function as for =, so that the two exclude each other
		return Val{Expr: ir.NotE(scalars.Quantified("=", word == " any", v.NotNull, v.Type.SQL, a.Type.SQL, v.Expr, a.Expr)), Type: schema.TBool}
	}
	return Val{Expr: scalars.Quantified(op, word == " all", v.NotNull, v.Type.SQL, a.Type.SQL, v.Expr, a.Expr), Type: schema.TBool}
}

// textsByDefault gives the elements of ARRAY[…] the type of its elements, which is text if all are
// literals without one: what they are compared with does not count.
func textsByDefault(x *Spot, elems []Val) []Val {
	typed := func(v Val) bool { return v.Record || v.Given || v.Type.Name != schema.NUnknown }
	for i := 0; i < len(elems) && !slices.ContainsFunc(elems[i:], typed); i++ {
		elems[i] = x.DefaultType(elems[i])
	}
	return elems
}

// inArray is v = ANY (a). NULL is in no array, and not in an empty one.
func (x *Spot) inArray(v, a Val) ir.Expr {
	if !v.NotNull {
		v.Expr = x.Shared(v.Expr, v.Type)
		a.Expr = x.Shared(a.Expr, a.Type)
	}
	out := ir.Expr(&ir.Call{Name: "= any", Args: []ir.Expr{v.Expr, a.Expr}, Type: ir.BoolType})
	if v.NotNull {
		return out
	}
	n := &ir.Call{Name: "len", Args: []ir.Expr{a.Expr}, Type: ir.IntType}
	empty := ir.AndE(&ir.Unary{Op: ir.IsNull, X: v.Expr}, ir.Op(ir.Eq, n, ir.C(ir.Int(0))))
	return &ir.Cond{If: empty, Then: ir.C(ir.Bool(false)), Else: out}
}

// listedElements gives the elements of an array that is written out.
func (x *Spot) listedElements(n *pg.Node, elem schema.Type) ([]Val, bool) {
	switch a := pg.Inner(n).(type) {
	case *pg.A_ArrayExpr:
		if len(a.Elements) > syntax.MaxList {
			panic(schema.Unmodelled{Reason: fmt.Sprintf("an array of more than %d values", syntax.MaxList)})
		}
		var out []Val
		for _, el := range a.Elements {
			out = append(out, x.One(el))
		}
		return out, true
	case *pg.TypeCast:
		vs, ok := x.listedElements(a.Arg, elem)
		t := x.App.TypeOf(a.TypeName, x.Text)
		if !ok || t.Name != schema.NArray {
			return nil, false
		}
		for i := range vs {
			vs[i] = x.modify(x.Cast(vs[i], t.Element().Plain(), a.Location), t.Element())
		}
		return vs, true
	case *pg.A_Const:
		if elem.SQL == nil {
			return nil, false
		}
		v, err := schema.ArrayOf(elem).SQL.Parse(a.GetSval().GetSval())
		if err != nil {
			return nil, false
		}
		values := v.Elems(elem.IR.Kind)
		if len(values) > syntax.MaxList {
			panic(schema.Unmodelled{Reason: fmt.Sprintf("an array of more than %d values", syntax.MaxList)})
		}
		out := []Val{}
		for _, v := range values {
			out = append(out, Val{Expr: ir.C(v), Type: elem, NotNull: true})
		}
		return out, true
	}
	return nil, false
}

// Prefix translates an operator before its operand.
func (x *Spot) Prefix(op string, v Val, loc int32) Val {
	if x.App.In.MySQL && op == "-" {
		v = x.App.Dialect.Operand(x, v, v)
	}
	if op == "-" && (v.Type.Numeric() || v.Type.Name == schema.NUnknown) {
		if c, ok := v.Expr.(*ir.Const); ok {
			switch c.Value.Kind {
			case ir.KindInt:
				return Val{Expr: ir.C(ir.Int(-c.Value.I)), Type: v.Type, NotNull: true}
			case ir.KindNum:
				r := c.Value.Rat()
				return Val{Expr: ir.C(ir.Num(r.Neg(r))), Type: v.Type, NotNull: true}
			}
		}
		if v.Type.Name == schema.NUnknown {
			v = x.Literal(v, schema.TFloat, loc)
		}
		return Val{Expr: &ir.Unary{Op: ir.Neg, X: v.Expr}, Type: v.Type.Plain(), NotNull: v.NotNull, Digits: v.Digits}
	}
	if op == "+" && v.Type.Numeric() {
		return v
	}
	return x.operator(op, nil, v, loc)
}

// Binary applies an operator of two operands.
func (x *Spot) Binary(op string, l, r Val, loc int32) Val {
	if _, ok := syntax.Comparisons[op]; ok {
		return x.Compare(op, l, r, loc)
	}
	if l.Record || r.Record {
		x.Refuse("the operator %s on rows", op)
	}
	if x.App.In.MySQL && strings.Contains("+-*//%&|^<<>>", op) {
		return x.App.Dialect.Arithmetic(x, op, l, r)
	}
	if l.Type.Name == schema.NUnknown && r.Type.Name == schema.NUnknown && strings.Contains("+-*/%", op) && x.Draft != nil && (x.Draft.IsTyped(l.Expr) || x.Draft.IsTyped(r.Expr)) {
		l, r = x.Literal(l, schema.TNumeric, loc), x.Literal(r, schema.TNumeric, loc)
	}
	switch {
	case l.Given && r.Type.Numeric() && !l.Type.Numeric() && strings.Contains("+-*/%^", op):
		l = x.Fit(l, r.Type.Plain())
	case r.Given && l.Type.Numeric() && !r.Type.Numeric() && strings.Contains("+-*/%^", op):
		r = x.Fit(r, l.Type.Plain())
	}
	if op == "&&" {
		if v, ok := overlap(x, l, r, loc); ok {
			if ordered := inOrder(x, loc, l, r); ordered != nil {
				v.Expr = &ir.Cond{If: ordered, Then: v.Expr, Else: x.operator(op, &l, r, loc).Expr}
			}
			return v
		}
	}
	return x.operator(op, &l, r, loc)
}

// operator applies an operator of the system. l is nil for a prefix operator.
func (x *Spot) operator(op string, l *Val, r Val, loc int32) Val {
	if !catalog.HasOperator(op) {
		x.Refuse("the operator %s, which is not declared here", op)
	}
	args := []Val{r}
	var left *string
	if l != nil {
		t := l.ArgType()
		args, left = []Val{*l, r}, &t
	}
	calls, outcome := x.App.Catalog().Operator(op, left, r.ArgType())
	if outcome != catalog.Found && x.App.In.MySQL {
		return x.ofMySQL(op, args)
	}
	switch {
	case outcome == catalog.Found:
		return x.applied(op, calls[0], args, loc)
	case len(calls) > 0 && slices.Contains(argTypes(args), catalog.Untold):
		return x.OpaqueCall(op, args, x.App.CommonResult(op, calls))
	}
	x.Fail(loc, "the operator %s does not work on %s; add a cast", op, TypesOf(args))
	return Val{}
}

func argTypes(args []Val) []string {
	var out []string
	for _, a := range args {
		out = append(out, a.ArgType())
	}
	return out
}

// TypesOf names the types of operands for messages.
func TypesOf(args []Val) string {
	var out []string
	for _, a := range args {
		out = append(out, a.Type.String())
	}
	return strings.Join(out, " and ")
}

// ofMySQL applies an operator to operands that PostgreSQL would not convert.
func (x *Spot) ofMySQL(op string, args []Val) Val {
	t := schema.TNumeric
	if len(args) == 2 && args[0].Type.Numeric() && args[1].Type.Numeric() {
		t = args[0].Type.Plain()
	}
	return x.OpaqueCall("mysql "+op, args, t)
}

// applied applies the function of an operator.
func (x *Spot) applied(op string, c catalog.Call, args []Val, loc int32) Val {
	t := x.App.ResultType(c.Returns)
	for i := range args {
		args[i] = x.asParameter(args[i], c.Types[i], loc)
	}
	nn := true
	for _, a := range args {
		if a.IsNull() && c.Strict && !x.App.In.MySQL { // the planner does not compute the other operand
			return Val{Expr: ir.C(ir.Null), Type: t}
		}
		nn = nn && a.NotNull
	}
	if len(args) == 2 {
		if v, ok := x.Arithmetic(op, args[0], args[1], nn); ok && v.Type.Same(t) {
			return v
		}
		if v, ok := x.days(c, args, t, nn); ok {
			return v
		}
		switch c.Name {
		case "textanycat", "anytextcat":
			return x.Concat(args[0], args[1], nn)
		case "textnlike", "texticnlike":
			if !x.isPattern(args[1].Expr) {
				break
			}
			like := map[string]string{"textnlike": "like", "texticnlike": "ilike"}[c.Name]
			return Val{Expr: ir.NotE(&ir.Call{Name: like, Args: []ir.Expr{args[0].Expr, args[1].Expr}, Type: ir.BoolType}), Type: schema.TBool, NotNull: nn}
		}
		if not := x.negated(c, t, args, nn); not != nil {
			return *not
		}
	}
	v := x.pure(c, t, args, loc)
	v.NotNull = nn && (arithmeticOperators[op] && t.IR.Kind != ir.KindOpaque || t.Name == schema.NBool && !strings.Contains(op, "?"))
	return v
}

// arithmeticOperators have a value for all operands.
var arithmeticOperators = map[string]bool{"+": true, "-": true, "*": true, "/": true, "%": true, "^": true, "||": true,
	"&": true, "|": true, "#": true, "<<": true, ">>": true, "~": true}

// negated writes an operator with the function of the one that it negates, so that
// the two exclude each other.
func (x *Spot) negated(c catalog.Call, t schema.Type, args []Val, nn bool) *Val {
	name := value.NegatedBy[c.Name]
	if name == "" {
		return nil
	}
	f := value.FunctionOf(name+"("+strings.Join(c.Args, ",")+")", true, typesOf(c, args), t.SQL)
	return &Val{Expr: ir.NotE(x.apply(f, t, args[0].Expr, args[1].Expr)), Type: t, NotNull: nn}
}

// days is arithmetic on dates and on timestamps with an interval of a fixed length,
// which is exact: the time zone of all sessions is UTC.
func (x *Spot) days(c catalog.Call, args []Val, t schema.Type, nn bool) (Val, bool) {
	if x.App.In.MySQL {
		return Val{}, false
	}
	l, r := args[0].Expr, args[1].Expr
	switch c.Signature() {
	case "date_pli(date,int4)":
		return Val{Expr: addDays(l, r), Type: t, NotNull: nn}, true
	case "integer_pl_date(int4,date)":
		return Val{Expr: addDays(r, l), Type: t, NotNull: nn}, true
	case "date_mii(date,int4)":
		return Val{Expr: addDays(l, &ir.Unary{Op: ir.Neg, X: r}), Type: t, NotNull: nn}, true
	case "date_mi(date,date)":
		return Val{Expr: ir.Op(ir.Div, ir.Op(ir.Sub, l, r), ir.C(ir.Int(usPerDay))), Type: t, NotNull: nn}, true
	case "timestamp_pl_interval(timestamp,interval)", "timestamptz_pl_interval(timestamptz,interval)", "date_pl_interval(date,interval)",
		"timestamp_mi_interval(timestamp,interval)", "timestamptz_mi_interval(timestamptz,interval)", "date_mi_interval(date,interval)":
		us, days, ok := fixedLength(r)
		if ok && days && strings.HasPrefix(c.Name, "timestamptz") {
			x.premise(oneTimeZone) // a day may have 23 hours
		}
		if strings.Contains(c.Name, "_mi_") {
			us = -us
		}
		return Val{Expr: ir.Op(ir.Add, l, ir.C(ir.Int(us))), Type: t, NotNull: nn}, ok
	}
	return Val{}, false
}

const usPerDay = 24 * 3600 * 1_000_000

// addDays is a date so many days later.
func addDays(date, n ir.Expr) ir.Expr {
	if k, ok := n.(*ir.Const); ok && k.Value.Kind == ir.KindInt {
		return ir.Op(ir.Add, date, ir.C(ir.Int(k.Value.I*usPerDay)))
	}
	return ir.Op(ir.Add, date, ir.Op(ir.Mul, n, ir.C(ir.Int(usPerDay))))
}

// fixedLength gives the microseconds of a constant interval without months, and
// whether it has days.
func fixedLength(e ir.Expr) (us int64, days, ok bool) {
	k, isConst := e.(*ir.Const)
	if !isConst {
		return 0, false, false
	}
	i, ok := value.IntervalOf(k.Value)
	if !ok || i.Months != 0 || i.Days > maxDays || i.Days < -maxDays {
		return 0, false, false
	}
	return i.Days*usPerDay + i.Micros, i.Days != 0, true
}

// maxDays bounds the days of an interval that is added exactly.
const maxDays = 100_000

// exactly is exact arithmetic whose result must be a value of type t.
func (x *Spot) exactly(op ir.BinaryOp, l, r Val, t schema.Type, nn bool) Val {
	b := &ir.Binary{Op: op, X: l.Expr, Y: r.Expr}
	if lo, hi, ok := value.IntRange(t.PgName()); ok && !x.App.In.MySQL {
		b.Within = &ir.Range{Lo: lo, Hi: hi}
	}
	return Val{Expr: b, Type: t, NotNull: nn}
}

// Arithmetic works on numbers. Sums of floats depend on their order and divisions of
// numerics round, so both are opaque.
func (x *Spot) Arithmetic(op string, l, r Val, nn bool) (Val, bool) {
	if l.Type.Name == schema.NAny && r.Type.Numeric() {
		l = retype(l, r.Type)
	}
	if r.Type.Name == schema.NAny && l.Type.Numeric() {
		r = retype(r, l.Type)
	}
	if !l.Type.Numeric() || !r.Type.Numeric() {
		return Val{}, false
	}
	t := l.Type.Plain()
	switch {
	case t.Name == schema.NInt && r.Type.Name == schema.NInt:
		if r.Type.SQL.Name == "int8" || t.SQL.Name == "int2" {
			t = r.Type.Plain()
		}
	case t.Name == schema.NInt || r.Type.Name == schema.NFloat:
		t = r.Type.Plain()
	}
	irOp := map[string]ir.BinaryOp{"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "/": ir.Div, "%": ir.Mod}
	k, exactly := irOp[op]
	switch {
	case !exactly && op != "^":
		return Val{}, false
	case op == "^" && t.Name == schema.NInt:
		t = schema.TFloat
		exactly = false
	case t.Name == schema.NFloat, t.Name == schema.NNumeric && (op == "/" || op == "%"), op == "^":
		exactly = false
	}
	if exactly {
		out := x.exactly(k, l, r, t, nn)
		switch {
		case t.Name != schema.NNumeric:
		case op == "*":
			out = out.WithScale(Sum, l, r)
		default:
			out = out.WithScale(func(a, b int) int { return max(a, b) }, l, r)
		}
		return out, true
	}
	ShowsForm(x, op, t, l, r)
	f := value.FunctionOf(value.ArithmeticFunction(op, t.PgName()), true, []*value.Type{scaled(l, t), scaled(r, t)}, t.SQL)
	l, r = x.Cast(l, t, 0), x.Cast(r, t, 0)
	return Val{Expr: x.apply(f, t, l.Expr, r.Expr), Type: t, NotNull: nn}, true
}

// scaled is the type of a value that is cast to t, with the digits after the point where they
// are known.
func scaled(v Val, t schema.Type) *value.Type {
	out := *t.SQL
	if digits, known := v.Scale(); known && t.Name == schema.NNumeric {
		out.Precision, out.Scale = maxPrecision, digits
	}
	return &out
}

// maxPrecision is that of numeric(p,s).
const maxPrecision = 1000

// Concat is || on strings and arrays.
func (x *Spot) Concat(l, r Val, nn bool) Val {
	if l.Type.Name == schema.NArray || r.Type.Name == schema.NArray || !l.Type.Textual() && !r.Type.Textual() && l.Type.Name != schema.NUnknown && r.Type.Name != schema.NUnknown {
		return x.operator("||", &l, r, 0)
	}
	a, b := x.Cast(x.DefaultType(l), schema.TText, 0), x.Cast(x.DefaultType(r), schema.TText, 0)
	return Val{Expr: &ir.Call{Name: "concat", Args: []ir.Expr{a.Expr, b.Expr}, Type: ir.TextType}, Type: schema.TText, NotNull: nn}
}
