package sqlmodel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// aExpr translates an operator expression.
func (x *ex) aExpr(e *pg.A_Expr) val {
	ops := syntax.Names(e.Name)
	op := ""
	if len(ops) > 0 {
		op = ops[len(ops)-1]
	}
	if _, declared := x.l.Operators[ops[len(ops)-1]]; declared {
		panic(schema.Unmodelled{Reason: "the operator " + op + ", which is declared here"})
	}
	if _, compares := syntax.Comparisons[op]; compares && x.callsProgram(e) {
		y := *x
		y.inTurn = true
		x = &y
	}
	switch e.Kind {
	case pg.ExprOp:
		if e.Lexpr == nil {
			return x.prefix(op, x.one(e.Rexpr), e.Location)
		}
		if v, ok := x.compareTids(op, e); ok {
			return v
		}
		l := x.expr(e.Lexpr)
		return x.binary(op, l, x.expr(e.Rexpr), e.Location)
	case pg.ExprDistinct, pg.ExprSame:
		l := x.expr(e.Lexpr)
		out := x.compare("is", l, x.expr(e.Rexpr), e.Location)
		if e.Kind == pg.ExprDistinct {
			out.e = ir.NotE(out.e)
		}
		return out
	case pg.ExprNullIf:
		l := x.one(e.Lexpr)
		r := x.one(e.Rexpr)
		if l.t.Name == schema.NUnknown {
			l = x.literal(l, r.t, e.Location)
		}
		l.e = x.shared(l.e, l.t)
		return val{e: &ir.Cond{If: x.compare("=", l, r, e.Location).e, Then: ir.C(ir.Null), Else: l.e}, t: l.t}
	case pg.ExprIn:
		return x.inList(op, e)
	case pg.ExprOpAny, pg.ExprOpAll:
		return x.quantified(op, e)
	case pg.ExprLike, pg.ExprILike, pg.ExprSimilar:
		if !x.l.In.MySQL {
			l := x.expr(e.Lexpr)
			return x.binary(op, l, x.expr(e.Rexpr), e.Location)
		}
		name := map[string]string{"~~": "like", "!~~": "like", "~~*": "ilike", "!~~*": "ilike", "~": "similar", "!~": "similar"}[op]
		l, r := x.defaultType(x.one(e.Lexpr)), x.defaultType(x.one(e.Rexpr))
		var out ir.Expr = &ir.Call{Name: name, Args: []ir.Expr{l.e, r.e}, Type: ir.BoolType}
		if strings.HasPrefix(op, "!") {
			out = ir.NotE(out)
		}
		return val{e: out, t: schema.TBool}
	case pg.ExprBetween, pg.ExprNotBetween, pg.ExprBetweenSym, pg.ExprNotBetwSym:
		return x.between(e)
	}
	x.unmodelled("the operator %s", op)
	return val{}
}

func (x *ex) between(e *pg.A_Expr) val {
	v := x.expr(e.Lexpr)
	bounds := pg.Inner(e.Rexpr).(*pg.List)
	lo, hi := x.expr(bounds.Items[0]), x.expr(bounds.Items[1])
	within := func(lo, hi val) ir.Expr {
		return ir.AndE(x.compare(">=", v, lo, e.Location).e, x.compare("<=", v, hi, e.Location).e)
	}
	out := within(lo, hi)
	if e.Kind == pg.ExprBetweenSym || e.Kind == pg.ExprNotBetwSym {
		out = ir.OrE(out, within(hi, lo))
	}
	if e.Kind == pg.ExprNotBetween || e.Kind == pg.ExprNotBetwSym {
		out = ir.NotE(out)
	}
	return val{e: out, t: schema.TBool}
}

// inList is x IN (a, b, …), and NOT IN.
func (x *ex) inList(op string, e *pg.A_Expr) val {
	v := x.expr(e.Lexpr)
	if !v.record {
		v.e = x.shared(v.e, v.t)
	}
	list := pg.Inner(e.Rexpr).(*pg.List).Items
	if len(list) > syntax.MaxList {
		panic(schema.Unmodelled{Reason: fmt.Sprintf("IN with more than %d values", syntax.MaxList)})
	}
	var parts []ir.Expr
	nn := true
	for _, n := range list {
		if isHoleCall(n) { // any values
			parts, nn = append(parts, x.expr(n).e), false
			continue
		}
		c := x.compare("=", v, x.expr(n), e.Location)
		parts = append(parts, c.e)
		nn = nn && c.nn
	}
	out := ir.OrE(parts...)
	if op == "<>" {
		out = ir.NotE(out)
	}
	return val{e: out, t: schema.TBool, nn: nn}
}

// quantified is x op ANY (array) and x op ALL (array).
func (x *ex) quantified(op string, e *pg.A_Expr) val {
	v := x.one(e.Lexpr)
	word := " any"
	if e.Kind == pg.ExprOpAll {
		word = " all"
	}
	if elems, ok := x.listedElements(e.Rexpr, v.t); ok {
		var parts []ir.Expr
		for _, el := range elems {
			parts = append(parts, x.binary(op, v, el, e.Location).e)
		}
		switch {
		case len(parts) == 0:
			return val{e: ir.C(ir.Bool(word == " all")), t: schema.TBool, nn: true}
		case word == " all":
			return val{e: ir.AndE(parts...), t: schema.TBool}
		}
		return val{e: ir.OrE(parts...), t: schema.TBool}
	}
	a := x.one(e.Rexpr)
	if a.t.Name == schema.NUnknown {
		a = x.literal(a, schema.ArrayOf(v.t), e.Location)
	}
	switch {
	case a.t.Name == schema.NArray:
	case a.given:
		a = x.fit(a, schema.ArrayOf(v.t))
	case a.t.Name == schema.NAny:
		a = retype(a, schema.ArrayOf(v.t))
	case a.t.SQL != nil:
		x.fail(e.Location, "ANY and ALL need an array, but this has type %s", a.t)
	}
	if a.t.Name == schema.NArray {
		elem := val{e: ir.C(ir.Null), t: a.t.Element(), nn: true}
		v, _ = x.operands(op, v, elem, e.Location)
	}
	if (op == "=" && word == " any" || op == "<>" && word == " all") && a.t.Name == schema.NArray && v.t.IR == a.t.Element().IR && x.byIdentity(v.t) && x.byIdentity(a.t.Element()) {
		c := x.inArray(v, a)
		if op == "<>" {
			c = ir.NotE(c)
		}
		return val{e: c, t: schema.TBool, nn: v.nn && a.nn}
	}
	if op == "<>" { // the same function as for =, so that the two exclude each other
		word = map[string]string{" any": " all", " all": " any"}[word]
		return val{e: ir.NotE(&ir.Call{Name: "=" + word, Args: []ir.Expr{v.e, a.e}, Type: ir.BoolType}), t: schema.TBool}
	}
	return val{e: &ir.Call{Name: op + word, Args: []ir.Expr{v.e, a.e}, Type: ir.BoolType}, t: schema.TBool}
}

// inArray is v = ANY (a). NULL is in no array, and not in an empty one.
func (x *ex) inArray(v, a val) ir.Expr {
	if !v.nn {
		v.e = x.shared(v.e, v.t)
		a.e = x.shared(a.e, a.t)
	}
	out := ir.Expr(&ir.Call{Name: "= any", Args: []ir.Expr{v.e, a.e}, Type: ir.BoolType})
	if v.nn {
		return out
	}
	n := &ir.Call{Name: "len", Args: []ir.Expr{a.e}, Type: ir.IntType}
	empty := ir.AndE(&ir.Unary{Op: ir.IsNull, X: v.e}, ir.Op(ir.Eq, n, ir.C(ir.Int(0))))
	return &ir.Cond{If: empty, Then: ir.C(ir.Bool(false)), Else: out}
}

// listedElements gives the elements of an array that is written out.
func (x *ex) listedElements(n *pg.Node, elem schema.Type) ([]val, bool) {
	switch a := pg.Inner(n).(type) {
	case *pg.A_ArrayExpr:
		if len(a.Elements) > syntax.MaxList {
			panic(schema.Unmodelled{Reason: fmt.Sprintf("an array of more than %d values", syntax.MaxList)})
		}
		var out []val
		for _, el := range a.Elements {
			out = append(out, x.one(el))
		}
		return out, true
	case *pg.TypeCast:
		vs, ok := x.listedElements(a.Arg, elem)
		t := x.l.TypeOf(a.TypeName, x.text)
		if !ok || t.Name != schema.NArray {
			return nil, false
		}
		for i := range vs {
			vs[i] = x.modify(x.cast(vs[i], t.Element().Plain(), a.Location), t.Element())
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
		out := []val{}
		for _, v := range values {
			out = append(out, val{e: ir.C(v), t: elem, nn: true})
		}
		return out, true
	}
	return nil, false
}

func (x *ex) prefix(op string, v val, loc int32) val {
	if op == "-" && (v.t.Numeric() || v.t.Name == schema.NUnknown) {
		if c, ok := v.e.(*ir.Const); ok {
			switch c.Value.Kind {
			case ir.KindInt:
				return val{e: ir.C(ir.Int(-c.Value.I)), t: v.t, nn: true}
			case ir.KindNum:
				r := c.Value.Rat()
				return val{e: ir.C(ir.Num(r.Neg(r))), t: v.t, nn: true}
			}
		}
		if v.t.Name == schema.NUnknown {
			v = x.literal(v, schema.TFloat, loc)
		}
		return val{e: &ir.Unary{Op: ir.Neg, X: v.e}, t: v.t.Plain(), nn: v.nn, digits: v.digits}
	}
	if op == "+" && v.t.Numeric() {
		return v
	}
	return x.operator(op, nil, v, loc)
}

// binary applies an operator of two operands.
func (x *ex) binary(op string, l, r val, loc int32) val {
	if _, ok := syntax.Comparisons[op]; ok {
		return x.compare(op, l, r, loc)
	}
	if l.record || r.record {
		x.refuse("the operator %s on rows", op)
	}
	if l.t.Name == schema.NUnknown && r.t.Name == schema.NUnknown && strings.Contains("+-*/%", op) && x.b != nil && (x.b.isTyped(l.e) || x.b.isTyped(r.e)) {
		l, r = x.literal(l, schema.TNumeric, loc), x.literal(r, schema.TNumeric, loc)
	}
	switch {
	case l.given && r.t.Numeric() && !l.t.Numeric() && strings.Contains("+-*/%^", op):
		l = x.fit(l, r.t.Plain())
	case r.given && l.t.Numeric() && !r.t.Numeric() && strings.Contains("+-*/%^", op):
		r = x.fit(r, l.t.Plain())
	}
	if op == "&&" {
		if v, ok := x.overlap(l, r, loc); ok {
			if ordered := x.inOrder(loc, l, r); ordered != nil {
				v.e = &ir.Cond{If: ordered, Then: v.e, Else: x.operator(op, &l, r, loc).e}
			}
			return v
		}
	}
	return x.operator(op, &l, r, loc)
}

// operator applies an operator of the system. l is nil for a prefix operator.
func (x *ex) operator(op string, l *val, r val, loc int32) val {
	if !catalog.HasOperator(op) {
		x.refuse("the operator %s, which is not declared here", op)
	}
	args := []val{r}
	var left *string
	if l != nil {
		t := l.argType()
		args, left = []val{*l, r}, &t
	}
	calls, outcome := x.l.Catalog().Operator(op, left, r.argType())
	if outcome != catalog.Found && x.l.In.MySQL {
		return x.ofMySQL(op, args)
	}
	switch {
	case outcome == catalog.Found:
		return x.applied(op, calls[0], args, loc)
	case len(calls) > 0 && slices.Contains(argTypes(args), catalog.Untold):
		return x.opaqueCall(op, args, x.l.CommonResult(op, calls))
	}
	x.fail(loc, "the operator %s does not work on %s; add a cast", op, typesOf(args))
	return val{}
}

func argTypes(args []val) []string {
	var out []string
	for _, a := range args {
		out = append(out, a.argType())
	}
	return out
}

// typesOf names the types of operands for messages.
func typesOf(args []val) string {
	var out []string
	for _, a := range args {
		out = append(out, a.t.String())
	}
	return strings.Join(out, " and ")
}

// ofMySQL applies an operator to operands that PostgreSQL would not convert.
func (x *ex) ofMySQL(op string, args []val) val {
	t := schema.TNumeric
	if len(args) == 2 && args[0].t.Numeric() && args[1].t.Numeric() {
		t = args[0].t.Plain()
	}
	return x.opaqueCall("mysql "+op, args, t)
}

// applied applies the function of an operator.
func (x *ex) applied(op string, c catalog.Call, args []val, loc int32) val {
	t := x.l.ResultType(c.Returns)
	for i := range args {
		args[i] = x.asParameter(args[i], c.Types[i], loc)
	}
	nn := true
	for _, a := range args {
		if a.isNull() && c.Strict && !x.l.In.MySQL { // the planner does not compute the other operand
			return val{e: ir.C(ir.Null), t: t}
		}
		nn = nn && a.nn
	}
	if len(args) == 2 {
		if v, ok := x.arithmetic(op, args[0], args[1], nn); ok && v.t.Same(t) {
			return v
		}
		if v, ok := x.days(c, args, t, nn); ok {
			return v
		}
		switch c.Name {
		case "textanycat", "anytextcat":
			return x.concat(args[0], args[1], nn)
		case "textnlike", "texticnlike":
			if !x.isPattern(args[1].e) {
				break
			}
			like := map[string]string{"textnlike": "like", "texticnlike": "ilike"}[c.Name]
			return val{e: ir.NotE(&ir.Call{Name: like, Args: []ir.Expr{args[0].e, args[1].e}, Type: ir.BoolType}), t: schema.TBool, nn: nn}
		}
		if not := x.negated(c, t, args, nn); not != nil {
			return *not
		}
	}
	v := x.pure(c, t, args, loc)
	v.nn = nn && (arithmeticOperators[op] && t.IR.Kind != ir.KindOpaque || t.Name == schema.NBool && !strings.Contains(op, "?"))
	return v
}

// arithmeticOperators have a value for all operands.
var arithmeticOperators = map[string]bool{"+": true, "-": true, "*": true, "/": true, "%": true, "^": true, "||": true,
	"&": true, "|": true, "#": true, "<<": true, ">>": true, "~": true}

// negatedBy are the functions of operators that are true where another one is false.
var negatedBy = map[string]string{"nregexeq": "regexeq", "textregexne": "textregexeq", "texticregexne": "texticregexeq", "nameregexne": "nameregexeq",
	"nameicregexne": "nameicregexeq", "bpcharregexne": "bpcharregexeq", "bpcharicregexne": "bpcharicregexeq", "namenlike": "namelike", "bpcharnlike": "bpcharlike",
	"nameicnlike": "nameiclike", "bpcharicnlike": "bpchariclike", "byteanlike": "bytealike"}

// negated writes an operator with the function of the one that it negates, so that
// the two exclude each other.
func (x *ex) negated(c catalog.Call, t schema.Type, args []val, nn bool) *val {
	name := negatedBy[c.Name]
	if name == "" {
		return nil
	}
	f := value.Function(name+"("+strings.Join(c.Args, ",")+")", true)
	return &val{e: ir.NotE(x.apply(f, t, args[0].e, args[1].e)), t: t, nn: nn}
}

// days is arithmetic on dates and on timestamps with an interval of a fixed length,
// which is exact: the time zone of all sessions is UTC.
func (x *ex) days(c catalog.Call, args []val, t schema.Type, nn bool) (val, bool) {
	if x.l.In.MySQL {
		return val{}, false
	}
	l, r := args[0].e, args[1].e
	switch c.Signature() {
	case "date_pli(date,int4)":
		return val{e: addDays(l, r), t: t, nn: nn}, true
	case "integer_pl_date(int4,date)":
		return val{e: addDays(r, l), t: t, nn: nn}, true
	case "date_mii(date,int4)":
		return val{e: addDays(l, &ir.Unary{Op: ir.Neg, X: r}), t: t, nn: nn}, true
	case "date_mi(date,date)":
		return val{e: ir.Op(ir.Div, ir.Op(ir.Sub, l, r), ir.C(ir.Int(usPerDay))), t: t, nn: nn}, true
	case "timestamp_pl_interval(timestamp,interval)", "timestamptz_pl_interval(timestamptz,interval)", "date_pl_interval(date,interval)",
		"timestamp_mi_interval(timestamp,interval)", "timestamptz_mi_interval(timestamptz,interval)", "date_mi_interval(date,interval)":
		us, days, ok := fixedLength(r)
		if ok && days && strings.HasPrefix(c.Name, "timestamptz") {
			x.premise(oneTimeZone) // a day may have 23 hours
		}
		if strings.Contains(c.Name, "_mi_") {
			us = -us
		}
		return val{e: ir.Op(ir.Add, l, ir.C(ir.Int(us))), t: t, nn: nn}, ok
	}
	return val{}, false
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
func (x *ex) exactly(op ir.BinaryOp, l, r val, t schema.Type, nn bool) val {
	b := &ir.Binary{Op: op, X: l.e, Y: r.e}
	if lo, hi, ok := value.IntRange(t.PgName()); ok && !x.l.In.MySQL {
		b.Within = &ir.Range{Lo: lo, Hi: hi}
	}
	return val{e: b, t: t, nn: nn}
}

// arithmetic works on numbers. Sums of floats depend on their order and divisions of
// numerics round, so both are opaque.
func (x *ex) arithmetic(op string, l, r val, nn bool) (val, bool) {
	if l.t.Name == schema.NAny && r.t.Numeric() {
		l = retype(l, r.t)
	}
	if r.t.Name == schema.NAny && l.t.Numeric() {
		r = retype(r, l.t)
	}
	if !l.t.Numeric() || !r.t.Numeric() {
		return val{}, false
	}
	t := l.t.Plain()
	switch {
	case t.Name == schema.NInt && r.t.Name == schema.NInt:
		if r.t.SQL.Name == "int8" || t.SQL.Name == "int2" {
			t = r.t.Plain()
		}
	case t.Name == schema.NInt || r.t.Name == schema.NFloat:
		t = r.t.Plain()
	}
	irOp := map[string]ir.BinaryOp{"+": ir.Add, "-": ir.Sub, "*": ir.Mul, "/": ir.Div, "%": ir.Mod}
	k, exactly := irOp[op]
	switch {
	case !exactly && op != "^":
		return val{}, false
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
			out = out.withScale(sum, l, r)
		default:
			out = out.withScale(func(a, b int) int { return max(a, b) }, l, r)
		}
		return out, true
	}
	f := value.FunctionOf(arithmeticFunction(op, t), true, []*value.Type{scaled(l, t), scaled(r, t)}, t.SQL)
	l, r = x.cast(l, t, 0), x.cast(r, t, 0)
	return val{e: x.apply(f, t, l.e, r.e), t: t, nn: nn}, true
}

// scaled is the type of a value that is cast to t, with the digits after the point where they
// are known.
func scaled(v val, t schema.Type) *value.Type {
	out := *t.SQL
	if digits, known := v.scale(); known && t.Name == schema.NNumeric {
		out.Precision, out.Scale = maxPrecision, digits
	}
	return &out
}

// maxPrecision is that of numeric(p,s).
const maxPrecision = 1000

// arithmeticFunction is the function of an operator on two values of type t.
func arithmeticFunction(op string, t schema.Type) string {
	name := t.PgName()
	prefix := map[string]string{"numeric": "numeric_", "float4": "float4", "float8": "float8"}[name]
	words := map[string]string{"+": "pl", "-": "mi", "*": "mul", "/": "div"}
	if name == "numeric" {
		words = map[string]string{"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod"}
	}
	if op == "^" {
		return map[string]string{"numeric": "numeric_power", "float8": "dpow", "float4": "dpow"}[name] + "(" + name + "," + name + ")"
	}
	return prefix + words[op] + "(" + name + "," + name + ")"
}

// concat is || on strings and arrays.
func (x *ex) concat(l, r val, nn bool) val {
	if l.t.Name == schema.NArray || r.t.Name == schema.NArray || !l.t.Textual() && !r.t.Textual() && l.t.Name != schema.NUnknown && r.t.Name != schema.NUnknown {
		return x.operator("||", &l, r, 0)
	}
	a, b := x.cast(x.defaultType(l), schema.TText, 0), x.cast(x.defaultType(r), schema.TText, 0)
	return val{e: &ir.Call{Name: "concat", Args: []ir.Expr{a.e, b.e}, Type: ir.TextType}, t: schema.TText, nn: nn}
}
