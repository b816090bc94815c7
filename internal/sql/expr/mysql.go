package expr

import (
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// What expressions mean in the dialect of MySQL, where that differs from PostgreSQL. Conversions between numbers and texts
// are not modelled.

// plainTexts are those of which every usual collation only ignores the case.
var plainTexts = regexp.MustCompile(`^([A-Za-z0-9_]([A-Za-z0-9_ -]*[A-Za-z0-9_])?)?$`)

// collated gives what e, a text that is not NULL, is compared by under a collation: texts are equal, or less, when these
// are. It is some function of the text, of which nothing is known but what it does to plain constants.
func collated(e ir.Expr, coll string) ir.Expr {
	if !strings.HasPrefix(coll, mysql.Usual) {
		return &ir.Call{Name: "collated " + coll, Args: []ir.Expr{e}, Type: ir.TextType}
	}
	if c, ok := e.(*ir.Const); ok && plainTexts.MatchString(c.Value.S) {
		return ir.C(ir.Text(strings.ToLower(c.Value.S)))
	}
	// The interpreter takes lower case; a solver does not look inside.
	low := &ir.Call{Name: "lower", Args: []ir.Expr{ir.V("text")}, Type: ir.TextType}
	rel := &ir.Project{Cols: []ir.Item{{Name: coll, Type: ir.TextType, Expr: low}}}
	out := ir.Derive(ir.WantValue, rel, ir.TextType, func(ir.Expr) ir.Type { return ir.TextType })
	out.Args = []ir.Expr{e}
	return out
}

// mysqlKey gives what a text is compared by.
func (x *Spot) mysqlKey(v Val) Val {
	out := Val{Expr: v.Expr, Type: schema.TText, NotNull: v.NotNull}
	coll := v.Type.SQL.Collation
	switch {
	case coll == value.Mixed:
		x.refuse("a comparison of the result of a function on texts")
	case coll == "":
		coll = mysql.Usual
	}
	if coll == value.Binary || v.IsNull() {
		return out
	}
	out.Expr = collated(v.Expr, coll)
	if !v.NotNull {
		out.Expr = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: v.Expr}, Then: ir.C(ir.Null), Else: out.Expr}
	}
	return out
}

// mysqlText reports whether a value is a text, whatever its spelling is compared by.
func mysqlText(v Val) bool { return !v.Record && v.Type.Textual() && v.Type.SQL != nil }

// collation is that of a text, "" for one that takes the collation of what it meets.
func (v Val) collation() string {
	if v.Type.SQL == nil {
		return ""
	}
	return v.Type.SQL.Collation
}

// withCollation gives a text a collation.
func withCollation(t schema.Type, coll string) schema.Type {
	sql := *t.SQL
	sql.Collation = coll
	return schema.TypeOfValues(&sql)
}

// common is the collation by which texts of two collations are compared, Mixed where that is not known.
func common(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "" || a == b:
		return a
	}
	return value.Mixed
}

// mysqlOperands makes the operands of a comparison comparable.
func (x *Spot) mysqlOperands(op string, l, r Val) (Val, Val) {
	l, r = x.Number(l), x.Number(r)
	l, r = x.convertedLiteral(l, r.Type), x.convertedLiteral(r, l.Type)
	if isText(l) && isText(r) {
		for _, v := range []Val{l, r} {
			if equality := op == "=" || op == "<>" || op == "!=" || op == "is"; !equality && v.Type.SQL != nil && v.Type.SQL.Format != nil && v.Type.SQL.Format.Labels != nil {
				x.refuse("the order of an ENUM")
			}
		}
		l, r = x.DefaultType(l), x.DefaultType(r)
		if mysqlText(l) && mysqlText(r) {
			coll := common(l.collation(), r.collation())
			if coll == value.Mixed && l.collation() != value.Mixed && r.collation() != value.Mixed {
				x.refuse("a comparison of texts of different collations")
			}
			l.Type, r.Type = withCollation(l.Type, coll), withCollation(r.Type, coll)
		}
		return l, r
	}
	for _, p := range [][2]Val{{l, r}, {r, l}} {
		if text, other := p[0], p[1]; isText(text) && !x.ofClient(text) && !x.ofClient(other) && (other.Type.Numeric() || other.Type.Temporal()) {
			x.refuse("a comparison of a text with %s", kindOf(other.Type))
		}
	}
	return l, r
}

// ofClient reports whether a value comes from a client program, which gives it a type of its own.
func (x *Spot) ofClient(v Val) bool { return v.Given && !(x.Draft != nil && x.Draft.IsTyped(v.Expr)) }

// isText reports whether a value is a text or a literal that is one.
func isText(v Val) bool {
	_, literal := v.LiteralText()
	return literal || mysqlText(v)
}

// kindOf says what a type is, for messages.
func kindOf(t schema.Type) string {
	switch {
	case t.Name == schema.NInt:
		return "an integer"
	case t.Numeric():
		return "a number"
	case t.Temporal():
		return "a time"
	case t.Textual(), t.Name == schema.NUnknown:
		return "a text"
	}
	return "a value of type " + t.String()
}

// layouts are the forms of constants that are times.
var layouts = []string{"2006-01-02 15:04:05", "2006-01-02 15:04:05.999999", "2006-01-02"}

// convertedLiteral makes a number or time of a text constant where the other side is one, as far as the text is spelled as
// the server prints it.
func (x *Spot) convertedLiteral(v Val, to schema.Type) Val {
	s, ok := v.LiteralText()
	if !ok {
		return v
	}
	switch {
	case to.Numeric():
		if i, err := strconv.ParseInt(s, 10, 64); err == nil && !strings.HasPrefix(s, "+") {
			return integer(i)
		}
		if r, ok := new(big.Rat).SetString(s); ok && strings.Trim(s, "0123456789.") == "" && to.Name != schema.NFloat {
			return Val{Expr: ir.C(ir.Num(r)), Type: schema.TNumeric, NotNull: true}
		}
	case to.Temporal():
		for _, l := range layouts {
			if at, err := time.Parse(l, s); err == nil && at.Year() >= 1000 {
				return Val{Expr: ir.C(ir.Time(at.UnixMicro())), Type: schema.ValuesOf("timestamp"), NotNull: true}
			}
		}
	}
	return v
}

// widest is the type of parameters that stand for values of type t.
func widest(t schema.Type) schema.Type {
	switch {
	case t.Name == schema.NInt:
		return schema.TBigint
	case t.Textual():
		return schema.TText
	case t.Temporal():
		return schema.ValuesOf("timestamp")
	}
	return t.Plain()
}

// mysqlStored is v in a column of type t, or as one of values of several types.
func (x *Spot) mysqlStored(v Val, t schema.Type, what string) Val {
	v = x.Number(v)
	if t.Temporal() || t.Numeric() {
		v = x.convertedLiteral(v, t)
	}
	_, literal := v.LiteralText()
	switch {
	case v.IsNull():
		return Val{Expr: v.Expr, Type: t}
	case literal && (t.Numeric() || t.Temporal()):
		x.refuse("a text that is stored in %s of %s", what, kindOf(t))
	case v.Type.Name == schema.NUnknown:
		v = x.Literal(v, widest(t), 0)
	case x.ofClient(v):
		v = x.Fit(v, t.Plain())
	case t.SQL == nil || v.Type.SQL == nil:
		return x.Cast(v, t.Plain(), 0)
	case v.Type.Name == schema.NNumeric && t.Name == schema.NInt:
		v = Val{Expr: constantCall(toInteger, v.Expr, ir.IntType), Type: schema.TBigint, NotNull: v.NotNull}
	case v.Type.Numeric() && t.Textual():
		v = x.Cast(v, schema.TText, 0)
	case v.Type.SQL.Name == "date" && t.SQL.Name == "timestamp", v.Type.Numeric() && t.Numeric(), v.Type.Textual() && t.Textual(), v.Type.Same(t):
	case t.SQL.Name == "date" && v.Type.Temporal():
		v = x.toDate(v)
	default:
		x.refuse("%s that is stored in %s of %s", kindOf(v.Type), what, kindOf(t))
	}
	return x.kept(v, t)
}

// toInteger rounds half away from zero.
var toInteger = &ir.Function{Name: "mysql integer", Params: []ir.Kind{ir.KindNum}, Result: ir.KindInt, Strict: true, Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) {
	i, err := strconv.ParseInt(a[0].Rat().FloatString(0), 10, 64)
	return ir.Int(i), err
}}

// dayOf cuts the time of day off.
var dayOf = &ir.Function{Name: "mysql date", Params: []ir.Kind{ir.KindTime}, Result: ir.KindTime, Strict: true, Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) {
	return ir.Time(time.UnixMicro(a[0].I).UTC().Truncate(24 * time.Hour).UnixMicro()), nil
}}

// toDate is the day of a time.
func (x *Spot) toDate(v Val) Val {
	return Val{Expr: constantCall(dayOf, v.Expr, ir.TimeType), Type: schema.TDate, NotNull: v.NotNull}
}

// constantCall calls a function of one argument, which it computes for a constant.
func constantCall(f *ir.Function, e ir.Expr, t ir.Type) ir.Expr {
	if k, ok := e.(*ir.Const); ok && f.Eval != nil {
		if k.Value.IsNull() {
			return e
		}
		if out, err := f.Eval([]ir.Value{k.Value.Convert(ir.Type{Kind: f.Params[0]})}, t); err == nil {
			return ir.C(out)
		}
	}
	return &ir.Call{Name: f.Name, Args: []ir.Expr{e}, Type: t, Fn: f}
}

// kept is what a column of type t makes of a value of its kind. A parameter has a value of its column, but for the case of
// the letters of an ENUM.
func (x *Spot) kept(v Val, t schema.Type) Val {
	out := Val{Expr: v.Expr, Type: t, NotNull: v.NotNull, Digits: v.Digits}
	if t.SQL == nil || t.SQL.Format == nil || v.IsNull() {
		return out
	}
	f, fn := t.SQL.Format, value.Kept(t.SQL)
	param, isVar := v.Expr.(*ir.Var)
	same := v.Type.SQL != nil && v.Type.SQL.Format != nil && v.Type.SQL.Format.Name == f.Name
	switch {
	case fn == nil, same, isVar && f.Labels == nil && x.Draft != nil && x.Draft.Fixed[param.Name]:
		return out
	case f.Kind == ir.KindNum:
		if d, known := v.scale(); known && d <= f.Scale {
			return out
		}
	case f.Kind == ir.KindTime:
		if d, known := v.seconds(); known && d <= f.Scale {
			return out
		}
	}
	out.Digits = 0
	out.Expr = constantCall(fn, v.Expr, t.IR)
	return out
}

// seconds gives how many digits a time can have behind the seconds.
func (v Val) seconds() (digits int, known bool) {
	if k, ok := v.Expr.(*ir.Const); ok {
		digits = 6
		for unit := int64(10); digits > 0 && k.Value.I%unit == 0; unit *= 10 {
			digits--
		}
		return digits, true
	}
	switch {
	case v.Type.SQL == nil:
		return 0, false
	case v.Type.SQL.Name == "date":
		return 0, true
	case v.Type.SQL.Format != nil:
		return v.Type.SQL.Format.Scale, true
	}
	return 0, false
}

// clock is the type of the time of a statement.
var clock = schema.TypeOfValues(value.OfFormat("timestamp", &value.Format{Name: "DATETIME", Kind: ir.KindTime}))

// mysqlArithmetic applies an operator on numbers, or on times.
func (x *Spot) mysqlArithmetic(op string, l, r Val) Val {
	l, r = x.operand(l, r), x.operand(r, l)
	if l.IsNull() || r.IsNull() {
		return Val{Expr: ir.C(ir.Null), Type: schema.TInt}
	}
	if l.Type.Temporal() || r.Type.Temporal() {
		return x.OpaqueCall("mysql "+op, []Val{l, r}, clock)
	}
	for _, v := range []Val{l, r} {
		if !v.Type.Numeric() && v.Type.Name != schema.NAny {
			x.refuse("arithmetic on %s", kindOf(v.Type))
		}
	}
	k, exact := map[string]ir.BinaryOp{"+": ir.Add, "-": ir.Sub, "*": ir.Mul}[op]
	whole := l.Type.Name == schema.NInt && r.Type.Name == schema.NInt
	known := (whole || l.Type.Name != schema.NFloat && r.Type.Name != schema.NFloat) && l.Type.Numeric() && r.Type.Numeric()
	if exact && known {
		return x.mysqlExactly(k, l, r, whole)
	}
	t := schema.TNumeric
	switch {
	case op == "//", op == "&", op == "|", op == "^", op == "<<", op == ">>", op == "%" && whole:
		t = schema.TBigint
	case !known:
		t = schema.TFloat
	}
	if c, constant := r.Expr.(*ir.Const); op == "//" && (unsigned(l) || unsigned(r)) && !(constant && c.Value.Kind == ir.KindInt && c.Value.I >= 0) {
		x.refuse("a quotient of unsigned numbers")
	}
	return x.OpaqueCall("mysql "+op, []Val{l, r}, t)
}

// operand is a number, which a parameter becomes beside another one.
func (x *Spot) operand(v, other Val) Val {
	v = x.Number(v)
	if v.IsNull() {
		return v
	}
	if s, literal := v.LiteralText(); literal {
		if out := x.convertedLiteral(v, schema.TNumeric); out.Type.Numeric() {
			return out
		}
		x.refuse("arithmetic on the text %s", strconv.Quote(s))
	}
	if v.Type.Name != schema.NUnknown && !(v.Given && !v.Type.Numeric()) {
		return v
	}
	t := schema.TNumeric
	if other.Type.Numeric() {
		t = widest(other.Type)
	}
	if v.Type.Name == schema.NUnknown {
		return x.Literal(v, t, 0)
	}
	return x.Fit(v, t)
}

func unsigned(v Val) bool {
	return v.Type.SQL != nil && v.Type.SQL.Format != nil && v.Type.SQL.Format.Unsigned && v.Type.Name == schema.NInt
}

// mysqlExactly adds, subtracts or multiplies. Where an operand is unsigned, a result that is negative is an error.
func (x *Spot) mysqlExactly(op ir.BinaryOp, l, r Val, whole bool) Val {
	out := Val{Expr: ir.Op(op, l.Expr, r.Expr), Type: schema.TBigint, NotNull: l.NotNull && r.NotNull}
	if !whole {
		out.Type = schema.TNumeric
		if op == ir.Mul {
			return out.WithScale(Sum, l, r)
		}
		return out.WithScale(func(a, b int) int { return max(a, b) }, l, r)
	}
	if !unsigned(l) && !unsigned(r) {
		return out
	}
	out.Type = schema.TypeOfValues(value.UnsignedBigint)
	positive := func(v Val) bool {
		c, ok := v.Expr.(*ir.Const)
		return unsigned(v) || ok && c.Value.Kind == ir.KindInt && c.Value.I >= 0
	}
	if op != ir.Sub && positive(l) && positive(r) {
		return out
	}
	e := x.Shared(out.Expr, out.Type)
	negative := ir.Op(ir.Lt, e, ir.C(ir.Int(0)))
	// A division by a constant would be an error wherever it stands.
	zero := &ir.Cond{If: negative, Then: ir.C(ir.Int(0)), Else: ir.C(ir.Int(1))}
	out.Expr = &ir.Cond{If: negative, Then: ir.Op(ir.Div, ir.C(ir.Int(1)), zero), Else: e}
	return out
}

// mysqlCall translates a function of MySQL; ok is false for one that is read as in PostgreSQL.
func (x *Spot) mysqlCall(e *pg.FuncCall, name string) (Val, bool) {
	switch name {
	case "last_insert_id":
		return x.lastInsertID(), true
	case "date", "timestamp":
		if len(e.Args) != 1 {
			return Val{}, false
		}
		v := x.convertedLiteral(x.One(e.Args[0]), schema.TStamp)
		if !v.Type.Temporal() {
			x.refuse("%s of %s", strings.ToUpper(name), kindOf(v.Type))
		}
		if name == "date" {
			return x.toDate(v), true
		}
		return v, true
	case "gen_random_uuid":
		return x.fresh("uuid", schema.TText, e), true
	case "unix_timestamp", "from_unixtime", "database", "schema", "connection_id", "row_count", "found_rows", "uuid_short", "sleep", "curtime", "utc_time":
		return x.volatile(name, schema.TText, x.Pos(e.Location)), true
	}
	k, known := mysql.Functions[name]
	if !known && name != "concat" {
		return Val{}, false
	}
	var args []Val
	for _, n := range e.Args {
		args = append(args, x.Number(x.One(n)))
	}
	if name == "concat" {
		return x.mysqlConcat(args), true
	}
	return x.mysqlOpaque(name, k, args), true
}

// mysqlConcat puts texts together: NULL if one is NULL.
func (x *Spot) mysqlConcat(args []Val) Val {
	out := Val{Type: withCollation(schema.TText, value.Mixed), NotNull: true}
	for _, a := range args {
		if a.Type.Name == schema.NUnknown {
			a = x.Literal(a, schema.TText, 0)
		}
		if !mysqlText(a) {
			a = x.Cast(a, schema.TText, 0)
		}
		out.NotNull = out.NotNull && a.NotNull
		if out.Expr == nil {
			out.Expr = a.Expr
			continue
		}
		out.Expr = &ir.Call{Name: "concat", Args: []ir.Expr{out.Expr, a.Expr}, Type: ir.TextType}
	}
	if out.Expr == nil {
		x.refuse("CONCAT without arguments")
	}
	return out
}

// mysqlOpaque calls a function of which nothing is known but that equal arguments give equal results. What it gives may
// depend on the collations of the arguments.
func (x *Spot) mysqlOpaque(name string, k ir.Kind, args []Val) Val {
	t := schema.TFloat
	switch k {
	case ir.KindInt:
		t = schema.TBigint
	case ir.KindNum:
		t = schema.TNumeric
	case ir.KindText:
		t = withCollation(schema.TText, value.Mixed)
	case ir.KindTime:
		t = clock
	case ir.KindOpaque:
		t = schema.TAny
	case ir.KindNull:
		if len(args) == 0 || !args[0].Type.Numeric() {
			x.refuse("%s of this form", strings.ToUpper(name))
		}
		t = args[0].Type.Plain()
	}
	sig := "mysql " + name
	for i, a := range args {
		if a.Type.Name == schema.NUnknown {
			a = x.Literal(a, schema.TText, 0)
		}
		args[i] = a
		sig += " " + a.collation()
	}
	return x.OpaqueCall(strings.TrimRight(sig, " "), args, t)
}

// lastInsertID is the key that AUTO_INCREMENT gave the last row which the transaction inserted, any value before that.
func (x *Spot) lastInsertID() Val {
	if x.Draft == nil {
		panic(schema.Unmodelled{Reason: "LAST_INSERT_ID()"})
	}
	if why := x.Draft.NoInsertID; why != "" {
		x.Unmodelled("LAST_INSERT_ID() after %s", why)
	}
	v := x.Draft.Local("last_insert_id", schema.TBigint) // the statement may draw another one
	x.Draft.EmitWeak(&ir.Assign{At: At(x.Draft.Cur), Var: v, Expr: ir.V(x.Draft.sequence("lastval"))})
	return Val{Expr: ir.V(v), Type: schema.TBigint, NotNull: true}
}

// mysqlUnify is unify in the dialect of MySQL.
func (x *Spot) mysqlUnify(vs []Val, types []string, loc int32, what string) (out []Val, t schema.Type, nn bool) {
	nn = true
	coll, digits, scaled := "", 0, true
	var known []Val
	types = nil
	for i, v := range vs {
		vs[i] = x.Number(v)
		v = vs[i]
		nn = nn && v.NotNull
		coll = common(coll, v.collation())
		if v.IsNull() {
			continue
		}
		d, ok := v.scale()
		digits, scaled = max(digits, d), scaled && ok
		if v.Type.Name != schema.NUnknown {
			known, types = append(known, v), append(types, v.ArgType())
		} else if _, literal := v.LiteralText(); literal {
			known, types = append(known, x.DefaultType(v)), append(types, "text")
		}
	}
	switch {
	case len(known) == 0:
		t = schema.TUnknown
	case allAlike(known):
		t = x.CommonType(known, types, loc, what)
	default:
		x.refuse("a conditional of %s and %s", kindOf(known[0].Type), kindOf(known[len(known)-1].Type))
	}
	if t.Textual() && t.SQL != nil {
		t = withCollation(t.Plain(), coll)
	}
	for _, v := range vs {
		if t.Name != schema.NUnknown {
			v = x.mysqlStored(v, t, what)
			v.Type = t
		}
		if v.Digits = 0; scaled && t.Name == schema.NNumeric {
			v.Digits = digits + 1
		}
		out = append(out, v)
	}
	return out, t, nn
}

// allAlike reports whether values are all numbers, all texts, or all times.
func allAlike(vs []Val) bool {
	for _, v := range vs[1:] {
		a, b := vs[0].Type, v.Type
		if !(a.Numeric() && b.Numeric() || a.Textual() && b.Textual() || a.Temporal() && b.Temporal() || a.Same(b)) {
			return false
		}
	}
	return true
}

// Sorted is what ORDER BY looks at.
func (x *Spot) Sorted(v Val) Val {
	v = x.Number(v)
	if !mysqlText(v) {
		return v
	}
	if f := v.Type.SQL.Format; f != nil && f.Labels != nil {
		x.refuse("the order of an ENUM")
	}
	key := x.mysqlKey(v)
	return key
}

// Aggregated is the argument of an aggregate.
func (x *Spot) Aggregated(name string, v Val) Val {
	v = x.Number(v)
	switch {
	case name == "sum" || name == "avg":
		v = x.operand(v, v)
		if !v.Type.Numeric() {
			x.refuse("%s of %s", strings.ToUpper(name), kindOf(v.Type))
		}
	case v.Type.Name == schema.NUnknown && name != "count":
		x.refuse("%s of a constant", strings.ToUpper(name))
	}
	return v
}

// mysqlMinMax is LEAST and GREATEST: NULL if one value is NULL.
func (x *Spot) mysqlMinMax(vs []Val, t schema.Type, op ir.BinaryOp) Val {
	if t.Textual() {
		x.refuse("LEAST or GREATEST of texts, of which several may be equal")
	}
	out := vs[0]
	for _, v := range vs[1:] {
		a, c := x.Shared(out.Expr, t), x.Shared(v.Expr, t)
		out.Expr, out.NotNull = &ir.Cond{If: ir.Op(op, c, a), Then: c, Else: a}, out.NotNull && v.NotNull
		for _, side := range []struct {
			e     ir.Expr
			never bool
		}{{a, vs[0].NotNull}, {c, v.NotNull}} {
			if !side.never {
				out.Expr = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: side.e}, Then: ir.C(ir.Null), Else: out.Expr}
			}
		}
	}
	out.Type = t
	return out
}

// AsUnsigned is the type of the least or greatest of values like v, which is t but for signs.
func AsUnsigned(v Val, t schema.Type) schema.Type {
	if unsigned(v) {
		return schema.TypeOfValues(value.UnsignedBigint)
	}
	return t
}
