package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/value"
	"github.com/txrobust/robust/ir"
)

// narrowed makes a value that does not fit a narrow type an error; out is v as a value of type
// t. A program that computes a value for a variable or result of a narrow type, or casts it to
// one, may mean a condition.
func (x *ex) narrowed(v val, t schema.Type, out val) val {
	if x.b == nil || v.record || v.given || v.isNull() || v.t.SQL == nil || !t.SQL.Narrow() || x.l.In.MySQL || x.b.isGiven(v.e) || v.t.SQL.Within(t.SQL) {
		return out
	}
	if c, is := out.e.(*ir.Call); is && c.Fn != nil && out.e != v.e { // it rounds, too
		c = &ir.Call{Name: c.Name, Args: c.Args, Type: c.Type, Fn: value.Refusing(c.Fn)}
		x.b.fallible = append(x.b.fallible, c.Name)
		out.e = c
		return out
	}
	var fits ir.Expr
	switch {
	case t.Textual() && v.t.Textual():
		text := x.apply(value.Function("rtrim(text)", true), schema.TText, v.e)
		fits = ir.Op(ir.Le, &ir.Call{Name: "length", Args: []ir.Expr{text}, Type: ir.IntType}, ir.C(ir.Int(int64(t.SQL.Length))))
	case t.Numeric() && (v.t.Name == schema.NInt || v.t.Name == schema.NNumeric):
		low, high := t.SQL.Range()
		fits = ir.AndE(ir.Op(ir.Gt, v.e, ir.C(ir.Num(low))), ir.Op(ir.Lt, v.e, ir.C(ir.Num(high))))
	default:
		return out
	}
	f := value.Narrowing(t.SQL)
	x.b.fallible = append(x.b.fallible, f.Name)
	out.e = &ir.Cond{If: fits, Then: out.e, Else: x.apply(f, t, v.e)}
	return out
}

// isPattern reports whether LIKE takes a text for a pattern: a constant that does not end
// with a backslash, and what a client gives, which is taken to be one.
func (x *ex) isPattern(e ir.Expr) bool {
	if c, is := e.(*ir.Const); is {
		return c.Value.IsNull() || !value.EndsWithEscape(c.Value.S)
	}
	return x.b == nil || x.b.isGiven(e)
}
