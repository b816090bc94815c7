package dialect

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/value"
)

// Operands makes the operands of a comparison comparable.
func (d MySQL) Operands(x *expr.Spot, op string, l, r expr.Val) (a, b expr.Val, alike bool) {
	l, r = x.Number(l), x.Number(r)
	l, r = convertedLiteral(x, l, r.Type), convertedLiteral(x, r, l.Type)
	if isText(l) && isText(r) {
		for _, v := range []expr.Val{l, r} {
			if equality := op == "=" || op == "<>" || op == "!=" || op == "is"; !equality && v.Type.SQL != nil && v.Type.SQL.Format != nil && v.Type.SQL.Format.Labels != nil {
				x.Refuse("the order of an ENUM")
			}
		}
		l, r = x.DefaultType(l), x.DefaultType(r)
		if typedText(l) && typedText(r) {
			coll := common(collation(l), collation(r))
			if coll == value.Mixed && collation(l) != value.Mixed && collation(r) != value.Mixed {
				x.Refuse("a comparison of texts of different collations")
			}
			l.Type, r.Type = withCollation(l.Type, coll), withCollation(r.Type, coll)
		}
		return l, r, typedText(l) && typedText(r)
	}
	for _, p := range [][2]expr.Val{{l, r}, {r, l}} {
		if text, other := p[0], p[1]; isText(text) && !ofClient(x, text) && !ofClient(x, other) && (other.Type.Numeric() || other.Type.Temporal()) {
			x.Refuse("a comparison of a text with %s", kindOf(other.Type))
		}
	}
	return l, r, l.Type.Numeric() && r.Type.Numeric() || l.Type.Temporal() && r.Type.Temporal()
}

// Alike gives texts that are all compared with each other, as in IN, the collation of all of them.
func (MySQL) Alike(x *expr.Spot, vs []expr.Val) {
	coll := ""
	for _, v := range vs {
		if typedText(v) {
			coll = common(coll, collation(v))
		}
	}
	for i, v := range vs {
		if isText(v) && coll != "" {
			if vs[i] = x.DefaultType(v); typedText(vs[i]) {
				vs[i].Type = withCollation(vs[i].Type, coll)
			}
		}
	}
}

// ofClient reports whether a value comes from a client program, which gives it a type of its own.
func ofClient(x *expr.Spot, v expr.Val) bool {
	return v.Given && !(x.Draft != nil && x.Draft.IsTyped(v.Expr))
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
func convertedLiteral(x *expr.Spot, v expr.Val, to schema.Type) expr.Val {
	s, ok := v.LiteralText()
	if !ok {
		return v
	}
	switch {
	case to.Numeric():
		if i, err := strconv.ParseInt(s, 10, 64); err == nil && !strings.HasPrefix(s, "+") {
			return expr.Integer(i)
		}
		if r, ok := new(big.Rat).SetString(s); ok && strings.Trim(s, "0123456789.") == "" && to.Name != schema.NFloat {
			return expr.Val{Expr: ir.C(ir.Num(r)), Type: schema.TNumeric, NotNull: true}
		}
	case to.Temporal():
		for _, l := range layouts {
			if at, err := time.Parse(l, s); err == nil && at.Year() >= 1000 {
				return expr.Val{Expr: ir.C(ir.Time(at.UnixMicro())), Type: schema.ValuesOf("timestamp"), NotNull: true}
			}
		}
	}
	return v
}

// Widest is the type of parameters that stand for values of type t.
func (MySQL) Widest(t schema.Type) schema.Type {
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

// Stored is v in a column of type t, or as one of values of several types.
func (d MySQL) Stored(x *expr.Spot, v expr.Val, t schema.Type, what string) expr.Val {
	v = x.Number(v)
	if t.Temporal() || t.Numeric() {
		v = convertedLiteral(x, v, t)
	}
	_, literal := v.LiteralText()
	switch {
	case v.IsNull():
		return expr.Val{Expr: v.Expr, Type: t}
	case literal && (t.Numeric() || t.Temporal()):
		x.Refuse("a text that is stored in %s of %s", what, kindOf(t))
	case v.Type.Name == schema.NUnknown:
		v = x.Literal(v, d.Widest(t), 0)
	case ofClient(x, v):
		v = x.Fit(v, t.Plain())
	case t.SQL == nil || v.Type.SQL == nil:
		return x.Cast(v, t.Plain(), 0)
	case v.Type.Name == schema.NNumeric && t.Name == schema.NFloat:
		v = expr.Val{Expr: constantCall(toFloat[t.SQL.Name], v.Expr, ir.NumType), Type: t, NotNull: v.NotNull}
	case v.Type.Name == schema.NNumeric && t.Name == schema.NInt:
		v = expr.Val{Expr: constantCall(toInteger, v.Expr, ir.IntType), Type: schema.TBigint, NotNull: v.NotNull}
	case v.Type.Numeric() && t.Textual():
		v = x.Cast(v, schema.TText, 0)
	case v.Type.SQL.Name == "date" && t.SQL.Name == "timestamp", v.Type.Numeric() && t.Numeric(), v.Type.Textual() && t.Textual(), v.Type.Same(t):
	case t.SQL.Name == "date" && v.Type.Temporal():
		v = day(x, v)
	case t.Name == schema.NJSON && isText(v):
		v = x.OpaqueCall("mysql json", []expr.Val{v}, t)
	case v.Type.Name == schema.NJSON && t.Textual():
		v = x.OpaqueCall("mysql text of json", []expr.Val{v}, t.Plain())
	default:
		x.Refuse("%s that is stored in %s of %s", kindOf(v.Type), what, kindOf(t))
	}
	return kept(x, v, t)
}

// toInteger rounds half away from zero.
var toInteger = &ir.Function{Name: "mysql integer", Params: []ir.Kind{ir.KindNum}, Result: ir.KindInt, Strict: true, Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) {
	i, err := strconv.ParseInt(a[0].Rat().FloatString(0), 10, 64)
	return ir.Int(i), err
}}

// toFloat takes the nearest float.
var toFloat = map[string]*ir.Function{"float4": nearest(32), "float8": nearest(64)}

func nearest(bits int) *ir.Function {
	return &ir.Function{Name: fmt.Sprintf("mysql float %d", bits), Params: []ir.Kind{ir.KindNum}, Result: ir.KindNum, Strict: true, Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) {
		f, _ := a[0].Rat().Float64()
		if bits == 32 {
			short, _ := a[0].Rat().Float32()
			f = float64(short)
		}
		r := new(big.Rat).SetFloat64(f)
		if r == nil {
			return ir.Null, ir.ErrNotKnown
		}
		return ir.Num(r), nil
	}}
}

// dayOf cuts the time of day off.
var dayOf = &ir.Function{Name: "mysql date", Params: []ir.Kind{ir.KindTime}, Result: ir.KindTime, Strict: true, Eval: func(a []ir.Value, _ ir.Type) (ir.Value, error) {
	return ir.Time(time.UnixMicro(a[0].I).UTC().Truncate(24 * time.Hour).UnixMicro()), nil
}}

// day is the day of a time.
func day(x *expr.Spot, v expr.Val) expr.Val {
	return expr.Val{Expr: constantCall(dayOf, v.Expr, ir.TimeType), Type: schema.TDate, NotNull: v.NotNull}
}

// constantCall calls a function of one argument, which it computes for a constant.
func constantCall(f *ir.Function, e ir.Expr, t ir.Type) ir.Expr {
	if k, ok := e.(*ir.Const); ok {
		if out, err := scalars.Evaluated(f, t, ir.C(k.Value.Convert(ir.Type{Kind: f.Params[0]}))); err == nil {
			return ir.C(out)
		}
	}
	return &ir.Call{Name: f.Name, Args: []ir.Expr{e}, Type: t, Fn: f}
}

// kept is what a column of type t makes of a value of its kind. A parameter has a value of its column, but for the case of
// the letters of an ENUM.
func kept(x *expr.Spot, v expr.Val, t schema.Type) expr.Val {
	out := expr.Val{Expr: v.Expr, Type: t, NotNull: v.NotNull, Digits: v.Digits}
	if t.SQL == nil || t.SQL.Format == nil || v.IsNull() {
		return out
	}
	f, fn := t.SQL.Format, t.SQL.Format.Kept()
	if f.Unsigned && f.Kind == ir.KindInt { // a negative value is refused by the column, too
		out.Expr = unguarded(out.Expr)
	}
	param, isVar := v.Expr.(*ir.Var)
	same := v.Type.SQL != nil && v.Type.SQL.Format != nil && v.Type.SQL.Format.Name == f.Name
	switch {
	case fn == nil, same, isVar && f.Labels == nil && x.Draft != nil && x.Draft.Fixed[param.Name]:
		return out
	case f.Kind == ir.KindNum:
		if d, known := v.Scale(); known && d <= f.Scale {
			return out
		}
	case f.Kind == ir.KindTime:
		if d, known := seconds(v); known && d <= f.Scale {
			return out
		}
	}
	out.Digits = 0
	out.Expr = constantCall(fn, v.Expr, t.IR)
	return out
}

// seconds gives how many digits a time can have behind the seconds.
func seconds(v expr.Val) (digits int, known bool) {
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

// Arithmetic applies an operator on numbers, or on times.
func (d MySQL) Arithmetic(x *expr.Spot, op string, l, r expr.Val) expr.Val {
	l, r = d.Operand(x, l, r), d.Operand(x, r, l)
	if l.IsNull() || r.IsNull() {
		return expr.Val{Expr: ir.C(ir.Null), Type: schema.TInt}
	}
	if l.Type.Temporal() || r.Type.Temporal() {
		return x.OpaqueCall("mysql "+op, []expr.Val{l, r}, clock)
	}
	for _, v := range []expr.Val{l, r} {
		if !v.Type.Numeric() && v.Type.Name != schema.NAny {
			x.Refuse("arithmetic on %s", kindOf(v.Type))
		}
	}
	k, exact := map[string]ir.BinaryOp{"+": ir.Add, "-": ir.Sub, "*": ir.Mul}[op]
	whole := l.Type.Name == schema.NInt && r.Type.Name == schema.NInt
	known := (whole || l.Type.Name != schema.NFloat && r.Type.Name != schema.NFloat) && l.Type.Numeric() && r.Type.Numeric()
	if exact && known {
		return exactly(x, k, l, r, whole)
	}
	t := schema.TNumeric
	switch {
	case op == "//", op == "&", op == "|", op == "^", op == "<<", op == ">>", op == "%" && whole:
		t = schema.TBigint
	case !known:
		t = schema.TFloat
	}
	if c, constant := r.Expr.(*ir.Const); op == "//" && (unsigned(l) || unsigned(r)) && !(constant && c.Value.Kind == ir.KindInt && c.Value.I >= 0) {
		x.Refuse("a quotient of unsigned numbers")
	}
	return x.OpaqueCall("mysql "+op, []expr.Val{l, r}, t)
}

// operand is a number, which a parameter becomes beside another one.
func (d MySQL) Operand(x *expr.Spot, v, other expr.Val) expr.Val {
	v = x.Number(v)
	if v.IsNull() {
		return v
	}
	if s, literal := v.LiteralText(); literal {
		if out := convertedLiteral(x, v, schema.TNumeric); out.Type.Numeric() {
			return out
		}
		x.Refuse("arithmetic on the text %s", strconv.Quote(s))
	}
	if v.Type.Name != schema.NUnknown && !(v.Given && !v.Type.Numeric()) {
		return v
	}
	t := schema.TNumeric
	if other.Type.Numeric() {
		t = MySQL{}.Widest(other.Type)
	}
	if v.Type.Name == schema.NUnknown {
		return x.Literal(v, t, 0)
	}
	return x.Fit(v, t)
}

func unsigned(v expr.Val) bool {
	return v.Type.SQL != nil && v.Type.SQL.Format != nil && v.Type.SQL.Format.Unsigned && v.Type.Name == schema.NInt
}

// exactly adds, subtracts or multiplies. Where an operand is unsigned, a result that is negative is an error.
func exactly(x *expr.Spot, op ir.BinaryOp, l, r expr.Val, whole bool) expr.Val {
	out := expr.Val{Expr: ir.Op(op, l.Expr, r.Expr), Type: schema.TBigint, NotNull: l.NotNull && r.NotNull}
	if !whole {
		out.Type = schema.TNumeric
		if op == ir.Mul {
			return out.WithScale(expr.Sum, l, r)
		}
		return out.WithScale(func(a, b int) int { return max(a, b) }, l, r)
	}
	if !unsigned(l) && !unsigned(r) {
		return out
	}
	out.Type = schema.TypeOfValues(value.UnsignedBigint)
	positive := func(v expr.Val) bool {
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

// Unify is unify in the dialect of MySQL.
func (d MySQL) Unify(x *expr.Spot, vs []expr.Val, loc int32, what string) (out []expr.Val, t schema.Type, nn bool) {
	nn = true
	coll, digits, scaled := "", 0, true
	var known []expr.Val
	var types []string
	for i, v := range vs {
		vs[i] = x.Number(v)
		v = vs[i]
		nn = nn && v.NotNull
		coll = common(coll, collation(v))
		if v.IsNull() {
			continue
		}
		d, ok := v.Scale()
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
		x.Refuse("a conditional of %s and %s", kindOf(known[0].Type), kindOf(known[len(known)-1].Type))
	}
	if t.Textual() && t.SQL != nil {
		t = withCollation(t.Plain(), coll)
	}
	for _, v := range vs {
		if t.Name != schema.NUnknown {
			v = d.Stored(x, v, t, what)
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
func allAlike(vs []expr.Val) bool {
	for _, v := range vs[1:] {
		a, b := vs[0].Type, v.Type
		if !(a.Numeric() && b.Numeric() || a.Textual() && b.Textual() || a.Temporal() && b.Temporal() || a.Same(b)) {
			return false
		}
	}
	return true
}

// Sorted is what ORDER BY looks at.
func (d MySQL) Sorted(x *expr.Spot, v expr.Val) expr.Val {
	v = x.Number(v)
	if !typedText(v) {
		return v
	}
	if f := v.Type.SQL.Format; f != nil && f.Labels != nil {
		x.Refuse("the order of an ENUM")
	}
	key := d.Key(x, v)
	return key
}

// Aggregated is the argument of an aggregate.
func (d MySQL) Aggregated(x *expr.Spot, name string, v expr.Val) expr.Val {
	v = x.Number(v)
	switch {
	case name == "sum" || name == "avg":
		v = d.Operand(x, v, v)
		if !v.Type.Numeric() {
			x.Refuse("%s of %s", strings.ToUpper(name), kindOf(v.Type))
		}
	case v.Type.Name == schema.NUnknown && name != "count":
		x.Refuse("%s of a constant", strings.ToUpper(name))
	}
	return v
}

// MinMax is LEAST and GREATEST: NULL if one value is NULL.
func (d MySQL) MinMax(x *expr.Spot, vs []expr.Val, t schema.Type, op ir.BinaryOp) expr.Val {
	if t.Textual() {
		x.Refuse("LEAST or GREATEST of texts, of which several may be equal")
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
func (MySQL) AsUnsigned(v expr.Val, t schema.Type) schema.Type {
	if unsigned(v) {
		return schema.TypeOfValues(value.UnsignedBigint)
	}
	return t
}

// Condition makes a truth value of a number: 0 is false.
func (MySQL) Condition(x *expr.Spot, v expr.Val) expr.Val {
	if _, literal := v.LiteralText(); v.Type.Name == schema.NUnknown && !literal {
		if v.IsNull() {
			return x.Literal(v, schema.TBool, 0)
		}
		v = x.Literal(v, schema.TBigint, 0)
	}
	switch {
	case v.Type.Numeric():
		v.Expr, v.Type = ir.Op(ir.Ne, v.Expr, ir.C(ir.Int(0))), schema.TBool
	case isText(v) && !v.Given:
		x.Refuse("a text as a condition")
	}
	return v
}

// United refuses columns of which one is of unsigned numbers: the server cuts negative ones of the other at 0.
func (MySQL) United(x *expr.Spot, a, b schema.Type, what string) {
	is := func(t schema.Type) bool { return t.SQL != nil && t.SQL.Format != nil && t.SQL.Format.Unsigned }
	if is(a) != is(b) && a.Numeric() && b.Numeric() {
		x.Refuse("%s of unsigned numbers and others", what)
	}
}

// unguarded is a difference of unsigned numbers (exactly) without the error where it is negative.
func unguarded(e ir.Expr) ir.Expr {
	c, is := e.(*ir.Cond)
	if !is {
		return e
	}
	negative, is := c.If.(*ir.Binary)
	failing, fails := c.Then.(*ir.Binary)
	if is && fails && negative.Op == ir.Lt && failing.Op == ir.Div && negative.X == c.Else {
		return c.Else
	}
	return e
}
