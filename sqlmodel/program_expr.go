package sqlmodel

import (
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// ex gives the translator for an expression of the program.
func (p *caller) ex() *query.Place { return p.b.Ex(p.f, p.f.Text) }

// value translates an expression whose type does not matter.
func (p *caller) value(e client.Expr) ir.Expr {
	v := p.expr(e)
	return p.ex().DefaultType(v).Expr
}

// cond translates a condition.
func (p *caller) cond(e client.Expr) ir.Expr {
	v := p.expr(e)
	switch v.Type.Name {
	case schema.NBool:
		return v.Expr
	case schema.NUnknown:
		if _, ok := v.LiteralText(); !ok {
			return p.ex().Literal(v, schema.TBool, 0).Expr
		}
	}
	return &ir.Call{Name: "client true", Args: []ir.Expr{v.Expr}, Type: ir.BoolType}
}

// expr translates an expression of the program.
func (p *caller) expr(e client.Expr) expr.Val {
	if p.depth++; p.depth > syntax.MaxNesting {
		panic(expr.TooLarge{})
	}
	defer func() { p.depth-- }()
	p.b.Grow()
	switch e := e.(type) {
	case *client.VarExpr:
		v := p.vars[e.Name]
		if v == nil {
			p.b.App.Fail(p.b.Cur, "there is no variable %s in transaction %s", e.Name, p.body.Txn.Name)
		}
		return v.Value()
	case *client.Const:
		return p.constant(e.Value)
	case *client.Op:
		return p.op(e)
	case *client.Call:
		return p.call(e)
	}
	panic("sqlmodel: unknown expression " + syntax.TypeName(e) + " of a client program")
}

// call applies a function of the program.
func (p *caller) call(e *client.Call) expr.Val {
	args := make([]expr.Val, len(e.Args))
	for i, a := range e.Args {
		args[i] = p.expr(a)
		if _, ok := args[i].LiteralText(); ok {
			args[i] = p.ex().DefaultType(args[i])
		}
	}
	if out, ok := knownCall(e.Name, args); ok {
		return out
	}
	c := &ir.Call{Name: "client " + e.Name}
	for _, a := range args {
		c.Args = append(c.Args, p.ex().DefaultType(a).Expr)
	}
	t := load.KindType(e.Kind)
	if t.Name == schema.NUnknown {
		t = schema.TText
	}
	c.Type = t.IR
	return expr.Val{Expr: c, Type: t, NotNull: e.Kind != client.Any, Given: true}
}

// knownFunctions are functions of programs that are known to the IR, by their names
// there.
var knownFunctions = map[string]string{
	client.Truncated:    "double int",
	"math.Max":          "double max",
	"math.Min":          "double min",
	"math.Ceil":         "double ceil",
	"math.Floor":        "double floor",
	"math.Trunc":        "double trunc",
	"math.Abs":          "double abs",
	"len":               "octets of",
	"strings.ToLower":   "text lower",
	"strings.ToUpper":   "text upper",
	"strings.TrimSpace": "text trimmed",
	"strings.Contains":  "text contains",
	"strings.HasPrefix": "text begins",
	"strings.HasSuffix": "text ends",
	"strconv.Itoa":      "text_of_int",
}

// knownCall applies a function whose meaning is known for arguments of these types.
func knownCall(name string, args []expr.Val) (expr.Val, bool) {
	if name == client.Float64 && len(args) == 1 && args[0].Type.Numeric() {
		return expr.Val{Expr: args[0].Expr, Type: schema.TFloat, NotNull: args[0].NotNull, Given: true}, true
	}
	f := ir.Functions[knownFunctions[name]]
	if f == nil || len(args) != len(f.Params) {
		return expr.Val{}, false
	}
	out := expr.Val{NotNull: true, Given: true}
	c := &ir.Call{Name: f.Name}
	for i, a := range args {
		switch k := f.Params[i]; {
		case k == ir.KindNull && !a.Type.Numeric(), k == ir.KindText && !a.Type.Textual(), k == ir.KindInt && a.Type.Name != schema.NInt:
			return expr.Val{}, false
		}
		out.NotNull = out.NotNull && a.NotNull
		c.Args = append(c.Args, a.Expr)
	}
	switch f.Result {
	case ir.KindInt:
		out.Type = schema.TInt
	case ir.KindNum:
		out.Type = schema.TFloat
	case ir.KindText:
		out.Type = schema.TText
	case ir.KindBool:
		out.Type = schema.TBool
	default:
		panic("sqlmodel: a known function gives " + f.Result.String())
	}
	c.Type, out.Expr = out.Type.IR, c
	return out, true
}

func (p *caller) constant(v ir.Value) expr.Val {
	out := expr.Val{Expr: ir.C(v), NotNull: !v.IsNull(), Given: true}
	switch v.Kind {
	case ir.KindInt:
		out.Type = schema.TInt
	case ir.KindNum:
		out.Type = schema.TFloat
	case ir.KindBool:
		out.Type = schema.TBool
	case ir.KindTime:
		out.Type = schema.TStamp
	case ir.KindText, ir.KindNull:
		out.Type = schema.TUnknown
	case ir.KindArray:
		out.Type = schema.ArrayOf(schema.TAny)
	default:
		out.Type = schema.TAny
	}
	return out
}

// into converts a value to the type of a variable, as an assignment in the
// program does.
func (p *caller) into(v *programVar, e expr.Val) ir.Expr {
	t := v.Type
	switch {
	case !v.open:
	case e.Type.Name != schema.NUnknown || !p.b.IsTyped(e.Expr) && !e.IsNull():
		t = p.b.setType(v.Variable, e.Type)
	case t.Name == schema.NUnknown: // a copy: it has the type of the place where it stands
		return e.Expr
	}
	return p.convert(e, t)
}

// convert gives a value the type t. Where that is no conversion of SQL it is a
// function of which nothing is known.
func (p *caller) convert(e expr.Val, t schema.Type) ir.Expr {
	if s, ok := e.LiteralText(); ok && expr.ConstantOf(s, t) == nil {
		return &ir.Call{Name: expr.CastName(t), Args: []ir.Expr{e.Expr}, Type: expr.LocalType(t)}
	}
	return p.ex().Fit(e, t).Expr
}

// op applies an operator of the program.
func (p *caller) op(e *client.Op) expr.Val {
	x := p.ex()
	args := make([]expr.Val, len(e.Args))
	for i, a := range e.Args {
		switch e.Op {
		case "&&", "||", "!":
			args[i] = expr.Val{Expr: p.cond(a), Type: schema.TBool}
		default:
			args[i] = p.expr(a)
		}
	}
	switch len(args) {
	case 1:
		a := args[0]
		switch e.Op {
		case "!":
			return expr.Val{Expr: ir.NotE(a.Expr), Type: schema.TBool, NotNull: true}
		case "null":
			if a.NotNull {
				return expr.Val{Expr: ir.C(ir.Bool(false)), Type: schema.TBool, NotNull: true}
			}
			return expr.Val{Expr: &ir.Unary{Op: ir.IsNull, X: a.Expr}, Type: schema.TBool, NotNull: true}
		case "-":
			if a.Type.Numeric() {
				out := x.Prefix("-", a, 0)
				out.Given = true
				return out
			}
		}
	case 2:
		l, r := args[0], args[1]
		switch e.Op {
		case "&&":
			return expr.Val{Expr: ir.AndE(l.Expr, r.Expr), Type: schema.TBool, NotNull: true}
		case "||":
			return expr.Val{Expr: ir.OrE(l.Expr, r.Expr), Type: schema.TBool, NotNull: true}
		case "==", "!=", "<", "<=", ">", ">=":
			return p.compare(e.Op, l, r)
		case "+", "-", "*", "/", "%":
			if out, ok := p.arithmetic(e.Op, l, r); ok {
				out.Given = true
				return out
			}
		}
	}
	return p.opaque(e.Op, schema.TText, args...)
}

// opaque is an operator of which nothing is known here.
func (p *caller) opaque(op string, t schema.Type, args ...expr.Val) expr.Val {
	c := &ir.Call{Name: "client " + op, Type: t.IR}
	for _, a := range args {
		c.Args = append(c.Args, p.ex().DefaultType(a).Expr)
	}
	return expr.Val{Expr: c, Type: t, NotNull: true, Given: true}
}

func (p *caller) arithmetic(op string, l, r expr.Val) (expr.Val, bool) {
	x := p.ex()
	if l.Type.Name == schema.NUnknown && r.Type.Numeric() && p.b.IsTyped(l.Expr) {
		l = x.Literal(l, r.Type, 0)
	}
	if r.Type.Name == schema.NUnknown && l.Type.Numeric() && p.b.IsTyped(r.Expr) {
		r = x.Literal(r, l.Type, 0)
	}
	text := func(v expr.Val) bool { return v.Type.IR.Kind == ir.KindText }
	if op == "+" && text(l) && text(r) {
		return x.Concat(l, r, l.NotNull && r.NotNull), true
	}
	out, ok := x.Arithmetic(op, l, r, l.NotNull && r.NotNull)
	if f := ir.Functions["double "+op]; ok && f != nil && out.Type.Name == schema.NFloat { // the floats of SQL may have 32 bits
		out.Expr = &ir.Call{Name: f.Name, Args: []ir.Expr{l.Expr, r.Expr}, Type: out.Type.IR}
	}
	return out, ok
}

// compare compares values of the program. Its order of texts is not that of the
// database.
func (p *caller) compare(op string, l, r expr.Val) expr.Val {
	x := p.ex()
	same := func(v, other expr.Val) (expr.Val, bool) {
		if v.Type.Name != schema.NUnknown {
			return v, true
		}
		if s, ok := v.LiteralText(); ok {
			return x.DefaultType(v), other.Type.Name == schema.NUnknown || other.Type.Textual() && expr.ConstantOf(s, other.Type) != nil
		}
		return x.Literal(v, other.Type, 0), true
	}
	nn := l.NotNull && r.NotNull
	l, ok1 := same(l, r)
	r, ok2 := same(r, l)
	sql := map[string]string{"==": "=", "!=": "<>"}[op]
	if sql == "" {
		sql = op
	}
	text := l.Type.IR.Kind == ir.KindText || r.Type.IR.Kind == ir.KindText || l.Type.Name == schema.NUnknown
	equality := op == "==" || op == "!="
	alike := l.Type.Numeric() && r.Type.Numeric() || l.Type.IR == r.Type.IR && l.Type.IR.Kind != ir.KindOpaque
	if ok1 && ok2 && !l.Record && alike && (equality || !text) {
		return expr.Val{Expr: ir.Op(syntax.Comparisons[sql], l.Expr, r.Expr), Type: schema.TBool, NotNull: nn}
	}
	if op == "!=" { // the same function as for ==, so that the two exclude each other
		out := p.opaque("==", schema.TBool, l, r)
		out.Expr = ir.NotE(out.Expr)
		return out
	}
	return p.opaque(op, schema.TBool, l, r)
}
