package sqlmodel

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/txrobust/robust/ir"
	"github.com/txrobust/robust/sqlmodel/internal/pg"
)

// castName names the opaque function that converts to t.
func castName(t typ) string { return t.String() + "_of" }

// retype gives an opaque value of unknown type the type that is wanted.
func retype(v val, t typ) val {
	if c, ok := v.e.(*ir.Call); ok && ir.Functions[c.Name] == nil && c.Def == nil {
		return val{e: &ir.Call{Name: c.Name, Args: c.Args, Type: localType(t)}, t: t, nn: v.nn}
	}
	return val{e: &ir.Call{Name: castName(t), Args: []ir.Expr{v.e}, Type: localType(t)}, t: t, nn: v.nn}
}

// defaultType makes text of a literal that nothing gave a type.
func (x *ex) defaultType(v val) val {
	if v.t.name == nUnknown && !v.isNull() {
		v.t = tText
	}
	return v
}

// literal gives a quoted literal or NULL the type t.
func (x *ex) literal(v val, t typ, loc int32) val {
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
func constantOf(s string, t typ) ir.Expr {
	trimmed := strings.TrimSpace(s)
	switch t.name {
	case nInt:
		if i, err := strconv.ParseInt(trimmed, 0, 64); err == nil {
			return ir.C(ir.Int(i))
		}
		return nil
	case nNumeric, nFloat:
		if r, ok := rational(trimmed); ok {
			return ir.C(ir.Num(r))
		}
		if strings.EqualFold(trimmed, "nan") || strings.HasSuffix(strings.ToLower(trimmed), "infinity") {
			return &ir.Call{Name: castName(t), Args: []ir.Expr{ir.C(ir.Text(trimmed))}, Type: t.ir}
		}
		return nil
	case nBool:
		switch l := strings.ToLower(trimmed); l {
		case "t", "true", "y", "yes", "on", "1", "tr", "tru", "ye":
			return ir.C(ir.Bool(true))
		case "f", "false", "n", "no", "off", "0", "fa", "fal", "fals", "of":
			return ir.C(ir.Bool(false))
		}
		return nil
	case nArray:
		if elems, ok := arrayLiteral(trimmed, t.element()); ok {
			return ir.C(ir.Array(elems))
		}
	}
	switch {
	case t.temporal():
		if us, ok := timeLiteral(trimmed, t.name); ok {
			return ir.C(ir.Time(us))
		}
	case t.ir.Kind == ir.KindText:
		return ir.C(ir.Text(s))
	}
	return &ir.Call{Name: castName(t), Args: []ir.Expr{ir.C(ir.Text(s))}, Type: localType(t)}
}

// timeLiteral reads a date or time. A time zone of the session would shift
// all of them alike, so UTC stands for it.
func timeLiteral(s, name string) (int64, bool) {
	layouts := []string{"2006-01-02 15:04:05.999999Z07:00", "2006-01-02 15:04:05.999999Z07", "2006-01-02 15:04:05.999999",
		"2006-01-02T15:04:05.999999Z07:00", "2006-01-02T15:04:05.999999", "2006-01-02 15:04", "2006-01-02"}
	if name == nTime {
		layouts = []string{"15:04:05.999999", "15:04"}
	}
	for _, l := range layouts {
		if t, err := time.Parse(l, s); err == nil {
			if name == nDate {
				t = time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
			}
			if name == nTime {
				t = t.AddDate(1970, 0, 0)
			}
			return t.UnixMicro(), true
		}
	}
	return 0, false
}

// arrayLiteral reads '{a,b}' where no element is NULL, quoted or an array.
func arrayLiteral(s string, elem typ) ([]ir.Value, bool) {
	if len(s) < 2 || s[0] != '{' || s[len(s)-1] != '}' || strings.ContainsAny(s[1:len(s)-1], `{}"\`) {
		return nil, false
	}
	elems := []ir.Value{}
	if body := strings.TrimSpace(s[1 : len(s)-1]); body != "" {
		for _, part := range strings.Split(body, ",") {
			part = strings.TrimSpace(part)
			c, ok := constantOf(part, elem).(*ir.Const)
			if !ok || strings.EqualFold(part, "null") || c.Value.Kind != elem.ir.Kind {
				return nil, false
			}
			elems = append(elems, c.Value)
		}
	}
	return elems, true
}

// fit gives a parameter of a client program the type of the place where it
// stands.
func (x *ex) fit(v val, t typ) val {
	c := x.cast(v, t, 0)
	if !v.nn && c.e != v.e { // what converts a value knows no NULL
		c.e = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: v.e}, Then: ir.C(ir.Null), Else: c.e}
	}
	c.nn = v.nn
	return c
}

// convert changes v into type t, as an assignment does. what names the place
// for messages.
func (x *ex) convert(v val, t typ, loc int32, what string) ir.Expr {
	if v.record {
		return x.rowValue(v, t, loc, what)
	}
	if v.given {
		return x.fit(v, t).e
	}
	if v.t.name == nBool && t.numeric() {
		v = x.number(v)
	}
	if !assignable(v.t, t) {
		x.fail(loc, "%s has type %s, but the value has type %s; add a cast", what, t, v.t)
	}
	return x.cast(v, t, loc).e
}

// number gives a condition as 0 or 1 where the dialect is that of MySQL.
func (x *ex) number(v val) val {
	if x.l.opt.MySQL && v.t.name == nBool && !v.record {
		return x.cast(v, tInt, 0)
	}
	return v
}

// rowValue makes one value of a row, of a composite type.
func (x *ex) rowValue(v val, t typ, loc int32, what string) ir.Expr {
	fields := x.l.fieldsOf(t.name)
	if len(fields) != len(v.fields) || len(fields) == 0 {
		panic(unmodelled{"a row as the value of " + what})
	}
	c := &ir.Call{Name: castName(t), Type: localType(t)}
	for i, f := range fields {
		c.Args = append(c.Args, x.convert(v.fields[i].val(), f.t, loc, "field "+f.name))
	}
	return c
}

// assignable reports whether PostgreSQL converts from into to by itself. It
// only denies what is certain.
func assignable(from, to typ) bool {
	class := func(t typ) int {
		switch {
		case t.numeric():
			return 1
		case t.name == nBool:
			return 2
		case t.temporal():
			return 3
		case t.name == nArray:
			return 4
		}
		return 0
	}
	f, t := class(from), class(to)
	switch {
	case from.name == nUnknown || from.name == nAny || to.name == nAny:
		return true
	case to.textual(): // everything can be assigned to text
		return true
	case from.name == nText:
		return t == 0
	case f != 0 && t != 0:
		return f == t && (f != 4 || from.elem == to.elem || from.elem == nAny || to.elem == nAny || from.ir == to.ir || from.ir.Elem == ir.KindInt && to.ir.Elem == ir.KindNum)
	}
	return true
}

// cast converts v to type t.
func (x *ex) cast(v val, t typ, loc int32) val {
	from := v.t
	out := val{e: v.e, t: t, nn: v.nn}
	opaqueCast := func() val {
		out.e = &ir.Call{Name: castName(t), Args: []ir.Expr{v.e}, Type: localType(t)}
		out.nn = false
		return out
	}
	switch {
	case from.name == nUnknown:
		return x.literal(v, t, loc)
	case from.name == nAny && t.name != nAny:
		return retype(v, t)
	case t.name == nAny, from.String() == t.String():
		return out
	case from.name == nInt && t.name == nText && t.size == 0:
		out.e = &ir.Call{Name: "text_of_int", Args: []ir.Expr{v.e}, Type: ir.TextType}
		return out
	case from.name == nBool && t.name == nText && t.size == 0:
		out.e = &ir.Call{Name: "text_of_bool", Args: []ir.Expr{v.e}, Type: ir.TextType}
		return out
	case from.numeric() && (t.name == nNumeric || t.name == nFloat):
		return out
	case from.numeric() && t.name == nInt:
		if c, ok := v.e.(*ir.Const); ok && c.Value.Kind == ir.KindNum {
			if i, ok := roundHalfAway(c.Value.Rat()); ok {
				out.e = ir.C(ir.Int(i))
				return out
			}
		}
		return opaqueCast()
	case from.name == nBool && t.name == nInt:
		out.e = &ir.Cond{If: v.e, Then: ir.C(ir.Int(1)), Else: &ir.Cond{If: ir.NotE(v.e), Then: ir.C(ir.Int(0)), Else: ir.C(ir.Null)}}
		return out
	case from.name == nInt && t.name == nBool:
		out.e = ir.Op(ir.Ne, v.e, ir.C(ir.Int(0)))
		return out
	case from.textual() && t.textual():
		return out
	case t.textual() && from.name == nInt:
		if c, ok := v.e.(*ir.Const); ok && c.Value.Kind == ir.KindInt {
			out.e = ir.C(ir.Text(c.Value.String()))
			return out
		}
	case from.name == nDate && t.name == nStamp:
		return out
	case from.name == nArray && t.name == nArray:
		if from.ir == t.ir || from.ir.Elem == ir.KindNull {
			return out
		}
	}
	return opaqueCast()
}

// roundHalfAway rounds as PostgreSQL rounds numeric to integers.
func roundHalfAway(r *big.Rat) (int64, bool) {
	half := big.NewRat(1, 2)
	abs := new(big.Rat).Abs(r)
	abs.Add(abs, half)
	n := new(big.Int).Quo(abs.Num(), abs.Denom())
	if r.Sign() < 0 {
		n.Neg(n)
	}
	return n.Int64(), n.IsInt64()
}

// typeCast is CAST (x AS t) and x::t.
func (x *ex) typeCast(e *pg.TypeCast) val {
	v := x.expr(e.Arg)
	t := x.l.typeOf(e.TypeName, x.text)
	if v.record {
		if fields := x.l.fieldsOf(t.name); len(fields) == len(v.fields) {
			for i := range fields {
				c := v.fields[i]
				cv := x.cast(val{e: c.e, t: c.t, nn: c.nn}, fields[i].t, e.Location)
				v.fields[i] = colDef{fields[i].name, cv.e, fields[i].t, cv.nn}
			}
			return v
		}
		x.unmodelled("a cast of a row to %s", t)
	}
	if s, ok := v.literalText(); ok && t.temporal() {
		switch strings.ToLower(strings.TrimSpace(s)) {
		case "now", "today":
			return x.cast(x.fromSession("now", tStamp), t, e.Location)
		case "yesterday", "tomorrow":
			day := x.cast(x.fromSession("now", tStamp), tDate, e.Location)
			return val{e: &ir.Call{Name: strings.ToLower(strings.TrimSpace(s)), Args: []ir.Expr{day.e}, Type: t.ir}, t: t}
		}
	}
	out := x.cast(v, t, e.Location)
	if t.precision != "" && !v.isNull() {
		out.e = &ir.Call{Name: fmt.Sprintf("%s(%s)_of", t.name, t.precision), Args: []ir.Expr{out.e}, Type: t.ir}
	}
	if t.size > 0 { // an explicit cast cuts the text off
		out.e = &ir.Call{Name: "left", Args: []ir.Expr{out.e, ir.C(ir.Int(int64(t.size)))}, Type: ir.TextType}
		if s, ok := v.literalText(); ok && len(s) <= t.size {
			out.e = ir.C(ir.Text(s))
		}
	}
	return out
}
