package expr

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
)

// CastName names the opaque function that converts to t, where nothing is known of
// the value.
func CastName(t schema.Type) string { return t.String() + "_of" }

// apply calls a function of package value.
func (x *Spot) apply(f *ir.Function, t schema.Type, args ...ir.Expr) ir.Expr {
	c := &ir.Call{Name: f.Name, Args: args, Type: LocalType(t), Fn: f}
	if x.App.In.MySQL { // what it computes is another thing there
		c.Fn = &ir.Function{Name: f.Name, Strict: f.Strict, Partial: f.Partial}
	}
	return scalars.Computed(c)
}

// premise records what the place that is being translated takes for granted.
func (x *Spot) premise(text string) {
	var pos ir.Pos
	if x.Draft != nil {
		pos = x.Draft.Cur
	}
	x.App.Premise(pos, text)
}

// retype gives an opaque value of unknown type the type that is wanted.
func retype(v Val, t schema.Type) Val {
	if c, ok := v.Expr.(*ir.Call); ok && ir.Functions[c.Name] == nil && c.Def == nil && c.Fn == nil {
		return Val{Expr: &ir.Call{Name: c.Name, Args: c.Args, Type: LocalType(t)}, Type: t, NotNull: v.NotNull}
	}
	return Val{Expr: &ir.Call{Name: CastName(t), Args: []ir.Expr{v.Expr}, Type: LocalType(t)}, Type: t, NotNull: v.NotNull}
}

// DefaultType makes text of a literal that nothing gave a type.
func (x *Spot) DefaultType(v Val) Val {
	if v.Type.Name == schema.NUnknown && !v.IsNull() {
		v.Type = schema.TText
	}
	return v
}

// Literal gives a quoted literal or NULL the type t.
func (x *Spot) Literal(v Val, t schema.Type, loc int32) Val {
	s, ok := v.LiteralText()
	if !ok {
		if x.Draft != nil {
			x.Draft.infer(v.Expr, t)
		}
		return Val{Expr: v.Expr, Type: t, NotNull: v.NotNull}
	}
	e := ConstantOf(s, t)
	if e == nil {
		x.Fail(loc, "%s is no value of type %s", strconv.Quote(s), t)
	}
	return Val{Expr: e, Type: t, NotNull: true}
}

// ConstantOf reads the text of a literal of type t; nil if it is none.
func ConstantOf(s string, t schema.Type) ir.Expr {
	if t.SQL == nil {
		return &ir.Call{Name: CastName(t), Args: []ir.Expr{ir.C(ir.Text(s))}, Type: LocalType(t)}
	}
	v, err := t.SQL.Parse(s)
	switch {
	case err == nil:
		return ir.C(v)
	case err == ir.ErrNotKnown:
		f := value.FromText(t.SQL)
		return &ir.Call{Name: f.Name, Args: []ir.Expr{ir.C(ir.Text(s))}, Type: LocalType(t), Fn: f}
	}
	return nil
}

// Fit gives a parameter of a client program the type of the place where it
// stands.
//
// What a program gives for a UUID or a label of an enum is taken to be spelled as the
// database prints it.
func (x *Spot) Fit(v Val, t schema.Type) Val {
	if v.Given && v.Type.IR.Kind == ir.KindText && t.SQL != nil && (t.Name == "uuid" || t.SQL.Labels != nil) && v.Type.Name != schema.NUnknown {
		if t.Name == "uuid" {
			x.premise(canonicalUUIDs)
		}
		return Val{Expr: v.Expr, Type: t, NotNull: v.NotNull}
	}
	c := x.Cast(v, t, 0)
	if !v.NotNull && c.Expr != v.Expr { // what converts a value knows no NULL
		c.Expr = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: v.Expr}, Then: ir.C(ir.Null), Else: c.Expr}
	}
	c.NotNull = v.NotNull
	return c
}

// Convert changes v into type t, as an assignment does. what names the place
// for messages.
func (x *Spot) Convert(v Val, t schema.Type, loc int32, what string) ir.Expr {
	if v.Record {
		return x.rowValue(v, t, loc, what)
	}
	if x.App.In.MySQL {
		return x.App.Dialect.Stored(x, v, t, what).Expr
	}
	if v.Given {
		return x.stored(x.Fit(v, t.Plain()), t).Expr
	}
	if !x.assignable(v.Type, t) {
		x.Fail(loc, "%s has type %s, but the value has type %s; add a cast", what, t, v.Type)
	}
	if v.Type.Name == schema.NUnknown {
		return x.assignedLiteral(v, t, loc)
	}
	return x.fitted(v, t, loc).Expr
}

// assignedLiteral is a quoted literal that is stored: unlike an explicit cast, that
// does not cut it.
func (x *Spot) assignedLiteral(v Val, t schema.Type, loc int32) ir.Expr {
	return x.stored(x.Literal(v, t.Plain(), loc), t).Expr
}

// Assigned is v in a variable, or as a result, of type t.
func (x *Spot) Assigned(v Val, t schema.Type, loc int32) Val {
	return x.narrowed(v, t, x.fitted(v, t, loc))
}

// fitted is v as a value of type t, whose modifier rounds.
func (x *Spot) fitted(v Val, t schema.Type, loc int32) Val {
	switch {
	case v.Type.Name == schema.NUnknown:
		return x.stored(x.Literal(v, t.Plain(), loc), t)
	case v.Type.SQL != nil && t.SQL != nil && v.Type.SQL.Name == t.SQL.Name && fitsAlready(v, t.SQL):
		return Val{Expr: v.Expr, Type: t, NotNull: v.NotNull, Digits: v.Digits}
	}
	return x.stored(x.Cast(v, t.Plain(), loc), t)
}

// Number gives a condition as 0 or 1 where the dialect is that of MySQL.
func (x *Spot) Number(v Val) Val {
	if x.App.In.MySQL && v.Type.Name == schema.NBool && !v.Record {
		return x.Cast(v, schema.TInt, 0)
	}
	return v
}

// rowValue makes one value of a row, of a composite type.
func (x *Spot) rowValue(v Val, t schema.Type, loc int32, what string) ir.Expr {
	fields := x.App.FieldsOf(t.Name)
	if len(fields) != len(v.Fields) || len(fields) == 0 {
		panic(schema.Unmodelled{Reason: "a row as the value of " + what})
	}
	c := &ir.Call{Name: CastName(t), Type: LocalType(t)}
	for i, f := range fields {
		c.Args = append(c.Args, x.Convert(v.Fields[i].Val(), f.T, loc, "field "+f.Name))
	}
	return c
}

// assignable reports whether PostgreSQL converts from into to by itself. It
// only denies what is certain.
func (x *Spot) assignable(from, to schema.Type) bool {
	a, b := from.PgName(), to.PgName()
	if a == "" || b == "" || a == catalog.Unknown || a == b || x.App.In.MySQL {
		return true
	}
	c := x.App.Catalog()
	if c.Type(a) == nil || c.Type(b) == nil {
		return true
	}
	k := c.Cast(a, b)
	return k != nil && k.Context != 'e'
}

// Cast converts v to type t, as an explicit cast does. The modifier of t is left to
// stored and to typeCast, but for literals.
func (x *Spot) Cast(v Val, t schema.Type, loc int32) Val {
	from := v.Type
	if from.SQL != nil && from.SQL.Collation != "" && t.Textual() && t.SQL.Collation == "" {
		t = x.App.Collated(t, from.SQL.Collation)
	}
	out := Val{Expr: v.Expr, Type: t, NotNull: v.NotNull, Digits: v.Digits}
	switch {
	case from.Name == schema.NUnknown:
		return x.Literal(v, t, loc)
	case from.Name == schema.NAny && t.Name != schema.NAny:
		return retype(v, t)
	case t.Name == schema.NAny, from.Same(t), x.identical(from, t):
		if d, known := v.Scale(); known && t.Name == schema.NNumeric { // those of the modifier, which t may not have
			out.Digits = 1 + d
		}
		return out
	case from.Numeric() && t.Numeric():
		return x.castNumber(v, t)
	case from.Name == schema.NBool && t.Name == schema.NInt:
		out.Expr = &ir.Cond{If: v.Expr, Then: ir.C(ir.Int(1)), Else: &ir.Cond{If: ir.NotE(v.Expr), Then: ir.C(ir.Int(0)), Else: ir.C(ir.Null)}}
		return out
	case from.Name == schema.NInt && t.Name == schema.NBool:
		out.Expr = ir.Op(ir.Ne, v.Expr, ir.C(ir.Int(0)))
		return out
	case from.SQL == nil || t.SQL == nil:
		out.Expr = &ir.Call{Name: CastName(t), Args: []ir.Expr{v.Expr}, Type: LocalType(t)}
		out.NotNull = false
		return out
	case t.SQL.Name == "bpchar" && from.Textual():
		out.Expr = x.apply(value.Padded, t, v.Expr)
		return out
	case from.Name == schema.NInt && t.Textual():
		out.Expr = &ir.Call{Name: "text_of_int", Args: []ir.Expr{v.Expr}, Type: ir.TextType}
		return out
	case from.Name == schema.NBool && t.Textual():
		out.Expr = &ir.Call{Name: "text_of_bool", Args: []ir.Expr{v.Expr}, Type: ir.TextType}
		return out
	}
	ShowsForm(x, "", t, v)
	out.Expr = x.castCall(v.Expr, from, t)
	return out
}

// castCall is the function that a cast calls.
func (x *Spot) castCall(e ir.Expr, from, t schema.Type) ir.Expr {
	k := x.App.Catalog().Cast(from.PgName(), t.PgName())
	switch {
	case k != nil && k.Method == 'f' && k.Function != "":
		return x.apply(value.Function(k.Function+"("+from.PgName()+")", true), t, e)
	case from.Textual() || from.SQL.Name == "citext" || from.SQL.Name == "json" && t.SQL.Name == "jsonb":
		return x.apply(value.FromText(t.SQL), t, e)
	case t.Textual() || t.SQL.Name == "citext":
		if from.SQL.Name == "jsonb" {
			x.premise(value.EqualDigits)
		}
		return x.apply(value.ToText(from.SQL), t, e)
	}
	f := &ir.Function{Name: t.String() + "<-" + from.String(), Strict: true}
	if from.Name == schema.NArray && from.Element().Textual() && !t.Element().Textual() || value.Narrows(from.SQL, t.SQL) {
		f.FailsOn = []int{0}
	}
	return x.apply(f, t, e)
}

// ShowsForm marks a call of a function that may tell values apart which are equal.
func ShowsForm(x *Spot, name string, result schema.Type, args ...Val) {
	var types []*value.Type
	for _, v := range args {
		for _, c := range v.Fields {
			if !x.App.In.MySQL && c.Type.SQL != nil {
				types = append(types, c.Type.SQL)
			}
		}
		if _, one := v.Scale(); v.Type.SQL == nil || x.App.In.MySQL || one && !value.Branches(v.Expr) {
			continue
		}
		types = append(types, v.Type.SQL)
		if name == "scale" {
			x.Refuse("scale of a number that may show more digits than it has")
		}
	}
	if text := value.Apart(name, result.SQL, types); text != "" {
		x.premise(text)
	}
}

// identical reports whether a cast leaves the IR's value as it is.
func (x *Spot) identical(from, t schema.Type) bool {
	if from.SQL == nil || t.SQL == nil {
		return false
	}
	a, b := from.SQL.Name, t.SQL.Name
	switch {
	case from.SQL.Elem != nil && t.SQL.Elem != nil:
		if value.Narrows(from.SQL, t.SQL) {
			return false
		}
		return x.identical(schema.TypeOfValues(from.SQL.Elem), schema.TypeOfValues(t.SQL.Elem)) || from.SQL.Elem.Name == t.SQL.Elem.Name
	case t.Textual() && b != "bpchar" && b != "char":
		// The text of these is the value itself; a name is taken to be short.
		return from.Textual() || a == "citext" || a == "uuid" || from.SQL.Labels != nil
	case b == "citext":
		return from.Textual()
	case from.Name == schema.NInt && t.Name == schema.NInt: // values are taken to fit
		return true
	case from.Name == schema.NDate && t.Name == schema.NStamp, from.Name == schema.NStamp && t.Name == schema.NStamp:
		if (a == "timestamptz") != (b == "timestamptz") {
			x.premise(oneTimeZone)
		}
		return true
	case a == "cidr" && b == "inet":
		return true
	}
	return a == b
}

// castNumber converts a number. A number that the wider type has is the same value.
func (x *Spot) castNumber(v Val, t schema.Type) Val {
	from := v.Type
	out := Val{Expr: v.Expr, Type: t, NotNull: v.NotNull, Digits: v.Digits}
	a, b := from.SQL.Name, t.SQL.Name
	switch {
	case from.Name == schema.NInt && t.Name == schema.NNumeric:
		out.Digits = 1
		return out
	case a == "float4" && b == "float8", from.Name == schema.NInt && t.Name == schema.NFloat && a != "int8" && (b == "float8" || a == "int2"):
		return out
	case v.Given && t.Name != schema.NInt: // the program sends its decimal digits
		return out
	case x.App.In.MySQL && t.Name != schema.NInt:
		return out
	}
	out.Digits = 0
	ShowsForm(x, "", t, v)
	out.Expr = x.castCall(v.Expr, from, t)
	return out
}

// stored makes a value of type t without its modifier fit the modifier, as an
// assignment does.
func (x *Spot) stored(v Val, t schema.Type) Val {
	out := Val{Expr: v.Expr, Type: t, NotNull: v.NotNull, Digits: v.Digits}
	if t.SQL == nil || !Rounds(t.SQL) && !cutsBlanks(v.Expr, t.SQL) || fitsAlready(v, t.SQL) || v.IsNull() {
		return out
	}
	out.Digits = 0
	if t.SQL.Name == "interval" && t.SQL.Length != 0 { // some of its fields
		out.Expr = x.apply(&ir.Function{Name: fmt.Sprintf("stored as %s of range %d", t.SQL, t.SQL.Length), Strict: true}, t, v.Expr)
		return out
	}
	out.Expr = x.apply(value.Stored(t.SQL), t, v.Expr)
	return out
}

// Rounds reports whether storing a value of the type may change it. That a text is
// not too long is taken for granted: it would be an error.
func Rounds(t *value.Type) bool {
	switch t.Name {
	case "numeric":
		return t.Precision > 0
	case "interval":
		return t.Length != 0 || t.Precision >= 0 && t.Precision < 6
	case "timestamp", "timestamptz", "time", "timetz":
		return t.Precision >= 0 && t.Precision < 6
	case "bpchar":
		return false // its values have no padding
	}
	return false
}

// cutsBlanks reports whether storing a text in a type may take blanks at its end away, which
// is no error.
func cutsBlanks(e ir.Expr, t *value.Type) bool {
	if t.Name != "varchar" || t.Length == 0 {
		return false
	}
	if c, is := e.(*ir.Const); is && utf8.RuneCountInString(c.Value.S) <= t.Length {
		return false
	}
	return endsInBlanks(e)
}

// endsInBlanks reports whether a text may end in blanks that the program puts there: those of
// a constant, or what fills the text up.
func endsInBlanks(e ir.Expr) bool {
	switch e := e.(type) {
	case *ir.Const:
		return strings.HasSuffix(e.Value.S, " ")
	case *ir.Cond:
		return endsInBlanks(e.Then) || endsInBlanks(e.Else)
	case *ir.Call:
		switch name, _, _ := strings.Cut(e.Name, "("); name {
		case "rpad", "format", "repeat":
			return true
		case "concat", "lower", "upper", "initcap", "replace":
			return endsInBlanks(e.Args[len(e.Args)-1])
		}
	}
	return false
}

// fitsAlready reports whether a value has no more digits than the type, or is one that
// was stored in such a type before.
func fitsAlready(v Val, t *value.Type) bool {
	if s := v.Type.SQL; s != nil && s.Name == t.Name && s.Length == t.Length && s.Precision == t.Precision && s.Scale == t.Scale {
		return true
	}
	if t.Name == "numeric" {
		d, known := v.Scale()
		return known && d <= t.Scale
	}
	return false
}

// Scale gives how many digits a number can have after the point.
func (v Val) Scale() (digits int, known bool) {
	if v.Digits > 0 {
		return v.Digits - 1, true
	}
	if c, ok := v.Expr.(*ir.Const); ok && (c.Value.Kind == ir.KindNum || c.Value.Kind == ir.KindInt) {
		return value.DigitsOf(c.Value.Rat())
	}
	if v.Type.SQL == nil {
		return 0, false
	}
	return v.Type.SQL.Digits()
}

// WithScale sets the digits of the result of an operation on numbers: f of those of
// the operands, if they are known.
func (v Val) WithScale(f func(a, b int) int, l, r Val) Val {
	a, ok1 := l.Scale()
	b, ok2 := r.Scale()
	if ok1 && ok2 {
		v.Digits = f(a, b) + 1
	}
	return v
}

// Sum adds two numbers of digits, each 1 more than the number, 0 if it is not known.
func Sum(a, b int) int { return a + b }

// typeCast is CAST (x AS t) and x::t.
func (x *Spot) typeCast(e *pg.TypeCast) Val {
	v := x.Expr(e.Arg)
	t := x.App.TypeOf(e.TypeName, x.Text)
	if x.App.CastsTo[syntax.Qualified(syntax.Names(e.TypeName.Names))] {
		if x.Draft != nil { // it stays where the statement is given up
			x.Draft.Pre = append(x.Draft.Pre, dependence(x.Pos(e.Location), "what a cast by a function of the program does"))
		}
		x.Refuse("a cast by a function of the program")
	}
	domain := x.App.DomainOf(e.TypeName, x.Text)
	if x.Draft != nil {
		x.Draft.MayRefuseAny(x.App.DomainsOf(e.TypeName, x.Text), domain, x.Draft.Cur)
	}
	return x.Becomes(domain, x.casted(e, v, t))
}

// casted is v as a value of type t.
func (x *Spot) casted(e *pg.TypeCast, v Val, t schema.Type) Val {
	if v.Record {
		if fields := x.App.FieldsOf(t.Name); len(fields) == len(v.Fields) {
			for i := range fields {
				c := v.Fields[i]
				cv := x.Cast(Val{Expr: c.Expr, Type: c.Type, NotNull: c.NotNull}, fields[i].T, e.Location)
				v.Fields[i] = Column{Name: fields[i].Name, Expr: cv.Expr, Type: fields[i].T, NotNull: cv.NotNull}
			}
			return v
		}
		x.Unmodelled("a cast of a row to %s", t)
	}
	if s, ok := v.LiteralText(); ok {
		if t.Temporal() {
			if now, ok := x.timeWord(strings.ToLower(strings.TrimSpace(s)), t, e.Location); ok {
				return now
			}
		}
		return x.Literal(v, t, e.Location)
	}
	out := x.modify(x.Cast(v, t.Plain(), e.Location), t)
	if t.Textual() { // that cuts what is too long
		return out
	}
	return x.narrowed(v, t, out)
}

// modify is an explicit cast to the modifier of a type.
func (x *Spot) modify(v Val, t schema.Type) Val {
	if v.IsNull() || t.SQL == nil || t.SQL.Length == 0 && !Rounds(t.SQL) || fitsAlready(v, t.SQL) {
		return Val{Expr: v.Expr, Type: t, NotNull: v.NotNull, Digits: v.Digits}
	}
	return Val{Expr: x.apply(value.Cast(t.SQL), t, v.Expr), Type: t, NotNull: v.NotNull}
}

// timeWord is a literal that means a time by the clock.
func (x *Spot) timeWord(word string, t schema.Type, loc int32) (Val, bool) {
	switch word {
	case "now", "today":
		now := x.fromSession("now", schema.TStamp)
		if word == "today" {
			now = x.Cast(now, schema.TDate, loc)
		}
		return x.Cast(now, t, loc), true
	case "yesterday", "tomorrow":
		days := int64(1)
		if word == "yesterday" {
			days = -1
		}
		today := x.Cast(x.fromSession("now", schema.TStamp), schema.TDate, loc)
		return x.Cast(Val{Expr: addDays(today.Expr, ir.C(ir.Int(days))), Type: schema.TDate, NotNull: true}, t, loc), true
	}
	return Val{}, false
}

// narrowed makes a value that does not fit a narrow type an error; out is v as a value of type
// t. A program that computes a value for a variable or result of a narrow type, or casts it to
// one, may mean a condition.
func (x *Spot) narrowed(v Val, t schema.Type, out Val) Val {
	if x.Draft == nil || v.Record || v.Given || v.IsNull() || v.Type.SQL == nil || !t.SQL.Narrow() || x.App.In.MySQL || x.Draft.isGiven(v.Expr) || v.Type.SQL.Within(t.SQL) {
		return out
	}
	if c, is := out.Expr.(*ir.Call); is && c.Fn != nil && out.Expr != v.Expr { // it rounds, too
		c = &ir.Call{Name: c.Name, Args: c.Args, Type: c.Type, Fn: value.Refusing(c.Fn)}
		x.Draft.Fallible = append(x.Draft.Fallible, c.Name)
		out.Expr = c
		return out
	}
	var fits ir.Expr
	switch {
	case t.Textual() && v.Type.Textual():
		text := x.apply(value.Function("rtrim(text)", true), schema.TText, v.Expr)
		fits = ir.Op(ir.Le, &ir.Call{Name: "length", Args: []ir.Expr{text}, Type: ir.IntType}, ir.C(ir.Int(int64(t.SQL.Length))))
	case t.Numeric() && (v.Type.Name == schema.NInt || v.Type.Name == schema.NNumeric):
		low, high := t.SQL.Range()
		fits = ir.AndE(ir.Op(ir.Gt, v.Expr, ir.C(ir.Num(low))), ir.Op(ir.Lt, v.Expr, ir.C(ir.Num(high))))
	default:
		return out
	}
	f := value.Narrowing(t.SQL)
	x.Draft.Fallible = append(x.Draft.Fallible, f.Name)
	out.Expr = &ir.Cond{If: fits, Then: out.Expr, Else: x.apply(f, t, v.Expr)}
	return out
}

// isPattern reports whether LIKE takes a text for a pattern: a constant that does not end
// with a backslash, and what a client gives, which is taken to be one.
func (x *Spot) isPattern(e ir.Expr) bool {
	if c, is := e.(*ir.Const); is {
		return c.Value.IsNull() || !value.EndsWithEscape(c.Value.S)
	}
	return x.Draft == nil || x.Draft.isGiven(e)
}
