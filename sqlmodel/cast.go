package sqlmodel

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/txrobust/robust/internal/sql/catalog"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// castName names the opaque function that converts to t, where nothing is known of
// the value.
func castName(t schema.Type) string { return t.String() + "_of" }

// apply calls a function of package value.
func (x *ex) apply(f *ir.Function, t schema.Type, args ...ir.Expr) ir.Expr {
	c := &ir.Call{Name: f.Name, Args: args, Type: localType(t), Fn: f}
	if x.l.In.MySQL { // what it computes is another thing there
		c.Fn = &ir.Function{Name: f.Name, Strict: f.Strict, Partial: f.Partial}
	}
	values := make([]ir.Value, len(args))
	for i, a := range args {
		k, isConst := a.(*ir.Const)
		if !isConst || c.Fn.Eval == nil || c.Fn.Settings {
			return c
		}
		values[i] = k.Value
	}
	if c.Fn.Strict && hasNull(values) {
		return ir.C(ir.Null)
	}
	if v, err := c.Fn.Eval(values, c.Type); err == nil {
		return ir.C(v)
	}
	return c
}

func hasNull(list []ir.Value) bool {
	for _, v := range list {
		if v.IsNull() {
			return true
		}
	}
	return false
}

// premise records what the place that is being translated takes for granted.
func (x *ex) premise(text string) {
	var pos ir.Pos
	if x.b != nil {
		pos = x.b.cur
	}
	x.l.Premise(pos, text)
}

// retype gives an opaque value of unknown type the type that is wanted.
func retype(v val, t schema.Type) val {
	if c, ok := v.e.(*ir.Call); ok && ir.Functions[c.Name] == nil && c.Def == nil && c.Fn == nil {
		return val{e: &ir.Call{Name: c.Name, Args: c.Args, Type: localType(t)}, t: t, nn: v.nn}
	}
	return val{e: &ir.Call{Name: castName(t), Args: []ir.Expr{v.e}, Type: localType(t)}, t: t, nn: v.nn}
}

// defaultType makes text of a literal that nothing gave a type.
func (x *ex) defaultType(v val) val {
	if v.t.Name == schema.NUnknown && !v.isNull() {
		v.t = schema.TText
	}
	return v
}

// literal gives a quoted literal or NULL the type t.
func (x *ex) literal(v val, t schema.Type, loc int32) val {
	s, ok := v.literalText()
	if !ok {
		if x.b != nil {
			x.b.infer(v.e, t)
		}
		return val{e: v.e, t: t, nn: v.nn}
	}
	e := constantOf(s, t)
	if e == nil {
		x.fail(loc, "%s is no value of type %s", strconv.Quote(s), t)
	}
	return val{e: e, t: t, nn: true}
}

// constantOf reads the text of a literal of type t; nil if it is none.
func constantOf(s string, t schema.Type) ir.Expr {
	if t.SQL == nil {
		return &ir.Call{Name: castName(t), Args: []ir.Expr{ir.C(ir.Text(s))}, Type: localType(t)}
	}
	v, err := t.SQL.Parse(s)
	switch {
	case err == nil:
		return ir.C(v)
	case err == ir.ErrNotKnown:
		f := value.FromText(t.SQL)
		return &ir.Call{Name: f.Name, Args: []ir.Expr{ir.C(ir.Text(s))}, Type: localType(t), Fn: f}
	}
	return nil
}

// fit gives a parameter of a client program the type of the place where it
// stands.
//
// What a program gives for a UUID or a label of an enum is taken to be spelled as the
// database prints it.
func (x *ex) fit(v val, t schema.Type) val {
	if v.given && v.t.IR.Kind == ir.KindText && t.SQL != nil && (t.Name == "uuid" || t.SQL.Labels != nil) && v.t.Name != schema.NUnknown {
		if t.Name == "uuid" {
			x.premise(canonicalUUIDs)
		}
		return val{e: v.e, t: t, nn: v.nn}
	}
	c := x.cast(v, t, 0)
	if !v.nn && c.e != v.e { // what converts a value knows no NULL
		c.e = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: v.e}, Then: ir.C(ir.Null), Else: c.e}
	}
	c.nn = v.nn
	return c
}

// convert changes v into type t, as an assignment does. what names the place
// for messages.
func (x *ex) convert(v val, t schema.Type, loc int32, what string) ir.Expr {
	if v.record {
		return x.rowValue(v, t, loc, what)
	}
	if v.given {
		return x.stored(x.fit(v, t.Plain()), t).e
	}
	if v.t.Name == schema.NBool && t.Numeric() {
		v = x.number(v)
	}
	if !x.assignable(v.t, t) {
		x.fail(loc, "%s has type %s, but the value has type %s; add a cast", what, t, v.t)
	}
	if v.t.Name == schema.NUnknown {
		return x.assignedLiteral(v, t, loc)
	}
	return x.fitted(v, t, loc).e
}

// assignedLiteral is a quoted literal that is stored: unlike an explicit cast, that
// does not cut it.
func (x *ex) assignedLiteral(v val, t schema.Type, loc int32) ir.Expr {
	return x.stored(x.literal(v, t.Plain(), loc), t).e
}

// assigned is v in a variable, or as a result, of type t.
func (x *ex) assigned(v val, t schema.Type, loc int32) val {
	return x.narrowed(v, t, x.fitted(v, t, loc))
}

// fitted is v as a value of type t, whose modifier rounds.
func (x *ex) fitted(v val, t schema.Type, loc int32) val {
	switch {
	case v.t.Name == schema.NUnknown:
		return x.stored(x.literal(v, t.Plain(), loc), t)
	case v.t.SQL != nil && t.SQL != nil && v.t.SQL.Name == t.SQL.Name && fitsAlready(v, t.SQL):
		return val{e: v.e, t: t, nn: v.nn, digits: v.digits}
	}
	return x.stored(x.cast(v, t.Plain(), loc), t)
}

// number gives a condition as 0 or 1 where the dialect is that of MySQL.
func (x *ex) number(v val) val {
	if x.l.In.MySQL && v.t.Name == schema.NBool && !v.record {
		return x.cast(v, schema.TInt, 0)
	}
	return v
}

// rowValue makes one value of a row, of a composite type.
func (x *ex) rowValue(v val, t schema.Type, loc int32, what string) ir.Expr {
	fields := x.l.FieldsOf(t.Name)
	if len(fields) != len(v.fields) || len(fields) == 0 {
		panic(schema.Unmodelled{Reason: "a row as the value of " + what})
	}
	c := &ir.Call{Name: castName(t), Type: localType(t)}
	for i, f := range fields {
		c.Args = append(c.Args, x.convert(v.fields[i].val(), f.T, loc, "field "+f.Name))
	}
	return c
}

// assignable reports whether PostgreSQL converts from into to by itself. It
// only denies what is certain.
func (x *ex) assignable(from, to schema.Type) bool {
	a, b := from.PgName(), to.PgName()
	if a == "" || b == "" || a == catalog.Unknown || a == b || x.l.In.MySQL {
		return true
	}
	c := x.l.Catalog()
	if c.Type(a) == nil || c.Type(b) == nil {
		return true
	}
	k := c.Cast(a, b)
	return k != nil && k.Context != 'e'
}

// cast converts v to type t, as an explicit cast does. The modifier of t is left to
// stored and to typeCast, but for literals.
func (x *ex) cast(v val, t schema.Type, loc int32) val {
	from := v.t
	if from.SQL != nil && from.SQL.Collation != "" && t.Textual() && t.SQL.Collation == "" {
		t = x.l.Collated(t, from.SQL.Collation)
	}
	out := val{e: v.e, t: t, nn: v.nn, digits: v.digits}
	switch {
	case from.Name == schema.NUnknown:
		return x.literal(v, t, loc)
	case from.Name == schema.NAny && t.Name != schema.NAny:
		return retype(v, t)
	case t.Name == schema.NAny, from.Same(t), x.identical(from, t):
		if d, known := v.scale(); known && t.Name == schema.NNumeric { // those of the modifier, which t may not have
			out.digits = 1 + d
		}
		return out
	case from.Numeric() && t.Numeric():
		return x.castNumber(v, t)
	case from.Name == schema.NBool && t.Name == schema.NInt:
		out.e = &ir.Cond{If: v.e, Then: ir.C(ir.Int(1)), Else: &ir.Cond{If: ir.NotE(v.e), Then: ir.C(ir.Int(0)), Else: ir.C(ir.Null)}}
		return out
	case from.Name == schema.NInt && t.Name == schema.NBool:
		out.e = ir.Op(ir.Ne, v.e, ir.C(ir.Int(0)))
		return out
	case from.SQL == nil || t.SQL == nil:
		out.e = &ir.Call{Name: castName(t), Args: []ir.Expr{v.e}, Type: localType(t)}
		out.nn = false
		return out
	case t.SQL.Name == "bpchar" && from.Textual():
		out.e = x.apply(value.Padded, t, v.e)
		return out
	case from.Name == schema.NInt && t.Textual():
		out.e = &ir.Call{Name: "text_of_int", Args: []ir.Expr{v.e}, Type: ir.TextType}
		return out
	case from.Name == schema.NBool && t.Textual():
		out.e = &ir.Call{Name: "text_of_bool", Args: []ir.Expr{v.e}, Type: ir.TextType}
		return out
	}
	out.e = x.castCall(v.e, from, t)
	return out
}

// castCall is the function that a cast calls.
func (x *ex) castCall(e ir.Expr, from, t schema.Type) ir.Expr {
	k := x.l.Catalog().Cast(from.PgName(), t.PgName())
	switch {
	case k != nil && k.Method == 'f' && k.Function != "":
		return x.apply(value.Function(k.Function+"("+from.PgName()+")", true), t, e)
	case from.Textual() || from.SQL.Name == "citext":
		return x.apply(value.FromText(t.SQL), t, e)
	case t.Textual() || t.SQL.Name == "citext":
		if from.Name == schema.NNumeric || from.SQL.Name == "jsonb" {
			x.premise(equalDigits)
		}
		return x.apply(value.ToText(from.SQL), t, e)
	}
	f := &ir.Function{Name: t.String() + "<-" + from.String(), Strict: true}
	if from.Name == schema.NArray && from.Element().Textual() && !t.Element().Textual() || narrows(from, t) {
		f.FailsOn = []int{0}
	}
	return x.apply(f, t, e)
}

// narrows reports whether an array may have elements that do not fit those of another one.
func narrows(from, t schema.Type) bool {
	return from.SQL.Elem != nil && t.SQL.Elem.Narrow() && !from.SQL.Elem.Within(t.SQL.Elem)
}

// identical reports whether a cast leaves the IR's value as it is.
func (x *ex) identical(from, t schema.Type) bool {
	if from.SQL == nil || t.SQL == nil {
		return false
	}
	a, b := from.SQL.Name, t.SQL.Name
	switch {
	case from.SQL.Elem != nil && t.SQL.Elem != nil:
		if narrows(from, t) {
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
func (x *ex) castNumber(v val, t schema.Type) val {
	from := v.t
	out := val{e: v.e, t: t, nn: v.nn, digits: v.digits}
	a, b := from.SQL.Name, t.SQL.Name
	switch {
	case from.Name == schema.NInt && t.Name == schema.NNumeric:
		out.digits = 1
		return out
	case a == "float4" && b == "float8", from.Name == schema.NInt && t.Name == schema.NFloat && a != "int8" && (b == "float8" || a == "int2"):
		return out
	case v.given && t.Name != schema.NInt: // the program sends its decimal digits
		return out
	case x.l.In.MySQL && t.Name != schema.NInt:
		return out
	}
	out.digits = 0
	out.e = x.castCall(v.e, from, t)
	return out
}

// stored makes a value of type t without its modifier fit the modifier, as an
// assignment does.
func (x *ex) stored(v val, t schema.Type) val {
	out := val{e: v.e, t: t, nn: v.nn, digits: v.digits}
	if t.SQL == nil || !rounds(t.SQL) && !cutsBlanks(v.e, t.SQL) || fitsAlready(v, t.SQL) || v.isNull() {
		return out
	}
	out.digits = 0
	if t.SQL.Name == "interval" && t.SQL.Length != 0 { // some of its fields
		out.e = x.apply(&ir.Function{Name: fmt.Sprintf("stored as %s of range %d", t.SQL, t.SQL.Length), Strict: true}, t, v.e)
		return out
	}
	out.e = x.apply(value.Stored(t.SQL), t, v.e)
	return out
}

// rounds reports whether storing a value of the type may change it. That a text is
// not too long is taken for granted: it would be an error.
func rounds(t *value.Type) bool {
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
func fitsAlready(v val, t *value.Type) bool {
	if s := v.t.SQL; s != nil && s.Name == t.Name && s.Length == t.Length && s.Precision == t.Precision && s.Scale == t.Scale {
		return true
	}
	if t.Name == "numeric" {
		d, known := v.scale()
		return known && d <= t.Scale
	}
	return false
}

// scale gives how many digits a number can have after the point.
func (v val) scale() (digits int, known bool) {
	if v.digits > 0 {
		return v.digits - 1, true
	}
	if c, ok := v.e.(*ir.Const); ok && (c.Value.Kind == ir.KindNum || c.Value.Kind == ir.KindInt) {
		return value.DigitsOf(c.Value.Rat())
	}
	if v.t.SQL == nil {
		return 0, false
	}
	return v.t.SQL.Digits()
}

// withScale sets the digits of the result of an operation on numbers: f of those of
// the operands, if they are known.
func (v val) withScale(f func(a, b int) int, l, r val) val {
	a, ok1 := l.scale()
	b, ok2 := r.scale()
	if ok1 && ok2 {
		v.digits = f(a, b) + 1
	}
	return v
}

func sum(a, b int) int { return a + b }

// typeCast is CAST (x AS t) and x::t.
func (x *ex) typeCast(e *pg.TypeCast) val {
	v := x.expr(e.Arg)
	t := x.l.TypeOf(e.TypeName, x.text)
	if x.l.CastsTo[syntax.Qualified(syntax.Names(e.TypeName.Names))] {
		if x.b != nil { // it stays where the statement is given up
			x.b.pre = append(x.b.pre, dependence(x.pos(e.Location), "what a cast by a function of the program does"))
		}
		x.refuse("a cast by a function of the program")
	}
	domain := x.l.DomainOf(e.TypeName, x.text)
	if x.b != nil {
		x.b.mayRefuseAny(x.l.DomainsOf(e.TypeName, x.text), domain, x.b.cur)
	}
	return x.becomes(domain, x.casted(e, v, t))
}

// casted is v as a value of type t.
func (x *ex) casted(e *pg.TypeCast, v val, t schema.Type) val {
	if v.record {
		if fields := x.l.FieldsOf(t.Name); len(fields) == len(v.fields) {
			for i := range fields {
				c := v.fields[i]
				cv := x.cast(val{e: c.e, t: c.t, nn: c.nn}, fields[i].T, e.Location)
				v.fields[i] = colDef{name: fields[i].Name, e: cv.e, t: fields[i].T, nn: cv.nn}
			}
			return v
		}
		x.unmodelled("a cast of a row to %s", t)
	}
	if s, ok := v.literalText(); ok {
		if t.Temporal() {
			if now, ok := x.timeWord(strings.ToLower(strings.TrimSpace(s)), t, e.Location); ok {
				return now
			}
		}
		return x.literal(v, t, e.Location)
	}
	out := x.modify(x.cast(v, t.Plain(), e.Location), t)
	if t.Textual() { // that cuts what is too long
		return out
	}
	return x.narrowed(v, t, out)
}

// modify is an explicit cast to the modifier of a type.
func (x *ex) modify(v val, t schema.Type) val {
	if v.isNull() || t.SQL == nil || t.SQL.Length == 0 && !rounds(t.SQL) || fitsAlready(v, t.SQL) {
		return val{e: v.e, t: t, nn: v.nn, digits: v.digits}
	}
	return val{e: x.apply(value.Cast(t.SQL), t, v.e), t: t, nn: v.nn}
}

// timeWord is a literal that means a time by the clock.
func (x *ex) timeWord(word string, t schema.Type, loc int32) (val, bool) {
	switch word {
	case "now", "today":
		now := x.fromSession("now", schema.TStamp)
		if word == "today" {
			now = x.cast(now, schema.TDate, loc)
		}
		return x.cast(now, t, loc), true
	case "yesterday", "tomorrow":
		days := int64(1)
		if word == "yesterday" {
			days = -1
		}
		today := x.cast(x.fromSession("now", schema.TStamp), schema.TDate, loc)
		return x.cast(val{e: addDays(today.e, ir.C(ir.Int(days))), t: schema.TDate, nn: true}, t, loc), true
	}
	return val{}, false
}
