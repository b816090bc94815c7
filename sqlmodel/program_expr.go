package sqlmodel

import (
	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// ex gives the translator for an expression of the program.
func (p *caller) ex() *ex { return p.b.ex(p.f, p.f.text) }

// value translates an expression whose type does not matter.
func (p *caller) value(e client.Expr) ir.Expr {
	v := p.expr(e)
	return p.ex().defaultType(v).e
}

// cond translates a condition.
func (p *caller) cond(e client.Expr) ir.Expr {
	v := p.expr(e)
	switch v.t.Name {
	case schema.NBool:
		return v.e
	case schema.NUnknown:
		if _, ok := v.literalText(); !ok {
			return p.ex().literal(v, schema.TBool, 0).e
		}
	}
	return &ir.Call{Name: "client true", Args: []ir.Expr{v.e}, Type: ir.BoolType}
}

// expr translates an expression of the program.
func (p *caller) expr(e client.Expr) val {
	if p.depth++; p.depth > syntax.MaxNesting {
		panic(tooLarge{})
	}
	defer func() { p.depth-- }()
	p.b.grow()
	switch e := e.(type) {
	case *client.VarExpr:
		v := p.vars[e.Name]
		if v == nil {
			p.b.l.Fail(p.b.cur, "there is no variable %s in transaction %s", e.Name, p.body.Txn.Name)
		}
		return v.value()
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
func (p *caller) call(e *client.Call) val {
	args := make([]val, len(e.Args))
	for i, a := range e.Args {
		args[i] = p.expr(a)
		if _, ok := args[i].literalText(); ok {
			args[i] = p.ex().defaultType(args[i])
		}
	}
	if out, ok := knownCall(e.Name, args); ok {
		return out
	}
	c := &ir.Call{Name: "client " + e.Name}
	for _, a := range args {
		c.Args = append(c.Args, p.ex().defaultType(a).e)
	}
	t := load.KindType(e.Kind)
	if t.Name == schema.NUnknown {
		t = schema.TText
	}
	c.Type = t.IR
	return val{e: c, t: t, nn: e.Kind != client.Any, given: true}
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
func knownCall(name string, args []val) (val, bool) {
	if name == client.Float64 && len(args) == 1 && args[0].t.Numeric() {
		return val{e: args[0].e, t: schema.TFloat, nn: args[0].nn, given: true}, true
	}
	f := ir.Functions[knownFunctions[name]]
	if f == nil || len(args) != len(f.Params) {
		return val{}, false
	}
	out := val{nn: true, given: true}
	c := &ir.Call{Name: f.Name}
	for i, a := range args {
		switch k := f.Params[i]; {
		case k == ir.KindNull && !a.t.Numeric(), k == ir.KindText && !a.t.Textual(), k == ir.KindInt && a.t.Name != schema.NInt:
			return val{}, false
		}
		out.nn = out.nn && a.nn
		c.Args = append(c.Args, a.e)
	}
	switch f.Result {
	case ir.KindInt:
		out.t = schema.TInt
	case ir.KindNum:
		out.t = schema.TFloat
	case ir.KindText:
		out.t = schema.TText
	case ir.KindBool:
		out.t = schema.TBool
	default:
		panic("sqlmodel: a known function gives " + f.Result.String())
	}
	c.Type, out.e = out.t.IR, c
	return out, true
}

func (p *caller) constant(v ir.Value) val {
	out := val{e: ir.C(v), nn: !v.IsNull(), given: true}
	switch v.Kind {
	case ir.KindInt:
		out.t = schema.TInt
	case ir.KindNum:
		out.t = schema.TFloat
	case ir.KindBool:
		out.t = schema.TBool
	case ir.KindTime:
		out.t = schema.TStamp
	case ir.KindText, ir.KindNull:
		out.t = schema.TUnknown
	case ir.KindArray:
		out.t = schema.ArrayOf(schema.TAny)
	default:
		out.t = schema.TAny
	}
	return out
}

// into converts a value to the type of a variable, as an assignment in the
// program does.
func (p *caller) into(v *programVar, e val) ir.Expr {
	t := v.t
	switch {
	case !v.open:
	case e.t.Name != schema.NUnknown || !p.b.isTyped(e.e) && !e.isNull():
		t = p.b.setType(v.variable, e.t)
	case t.Name == schema.NUnknown: // a copy: it has the type of the place where it stands
		return e.e
	}
	return p.convert(e, t)
}

// convert gives a value the type t. Where that is no conversion of SQL it is a
// function of which nothing is known.
func (p *caller) convert(e val, t schema.Type) ir.Expr {
	if s, ok := e.literalText(); ok && constantOf(s, t) == nil {
		return &ir.Call{Name: castName(t), Args: []ir.Expr{e.e}, Type: localType(t)}
	}
	return p.ex().fit(e, t).e
}

// op applies an operator of the program.
func (p *caller) op(e *client.Op) val {
	x := p.ex()
	args := make([]val, len(e.Args))
	for i, a := range e.Args {
		switch e.Op {
		case "&&", "||", "!":
			args[i] = val{e: p.cond(a), t: schema.TBool}
		default:
			args[i] = p.expr(a)
		}
	}
	switch len(args) {
	case 1:
		a := args[0]
		switch e.Op {
		case "!":
			return val{e: ir.NotE(a.e), t: schema.TBool, nn: true}
		case "null":
			if a.nn {
				return val{e: ir.C(ir.Bool(false)), t: schema.TBool, nn: true}
			}
			return val{e: &ir.Unary{Op: ir.IsNull, X: a.e}, t: schema.TBool, nn: true}
		case "-":
			if a.t.Numeric() {
				out := x.prefix("-", a, 0)
				out.given = true
				return out
			}
		}
	case 2:
		l, r := args[0], args[1]
		switch e.Op {
		case "&&":
			return val{e: ir.AndE(l.e, r.e), t: schema.TBool, nn: true}
		case "||":
			return val{e: ir.OrE(l.e, r.e), t: schema.TBool, nn: true}
		case "==", "!=", "<", "<=", ">", ">=":
			return p.compare(e.Op, l, r)
		case "+", "-", "*", "/", "%":
			if out, ok := p.arithmetic(e.Op, l, r); ok {
				out.given = true
				return out
			}
		}
	}
	return p.opaque(e.Op, schema.TText, args...)
}

// opaque is an operator of which nothing is known here.
func (p *caller) opaque(op string, t schema.Type, args ...val) val {
	c := &ir.Call{Name: "client " + op, Type: t.IR}
	for _, a := range args {
		c.Args = append(c.Args, p.ex().defaultType(a).e)
	}
	return val{e: c, t: t, nn: true, given: true}
}

func (p *caller) arithmetic(op string, l, r val) (val, bool) {
	x := p.ex()
	if l.t.Name == schema.NUnknown && r.t.Numeric() && p.b.isTyped(l.e) {
		l = x.literal(l, r.t, 0)
	}
	if r.t.Name == schema.NUnknown && l.t.Numeric() && p.b.isTyped(r.e) {
		r = x.literal(r, l.t, 0)
	}
	text := func(v val) bool { return v.t.IR.Kind == ir.KindText }
	if op == "+" && text(l) && text(r) {
		return x.concat(l, r, l.nn && r.nn), true
	}
	out, ok := x.arithmetic(op, l, r, l.nn && r.nn)
	if f := ir.Functions["double "+op]; ok && f != nil && out.t.Name == schema.NFloat { // the floats of SQL may have 32 bits
		out.e = &ir.Call{Name: f.Name, Args: []ir.Expr{l.e, r.e}, Type: out.t.IR}
	}
	return out, ok
}

// compare compares values of the program. Its order of texts is not that of the
// database.
func (p *caller) compare(op string, l, r val) val {
	x := p.ex()
	same := func(v, other val) (val, bool) {
		if v.t.Name != schema.NUnknown {
			return v, true
		}
		if s, ok := v.literalText(); ok {
			return x.defaultType(v), other.t.Name == schema.NUnknown || other.t.Textual() && constantOf(s, other.t) != nil
		}
		return x.literal(v, other.t, 0), true
	}
	nn := l.nn && r.nn
	l, ok1 := same(l, r)
	r, ok2 := same(r, l)
	sql := map[string]string{"==": "=", "!=": "<>"}[op]
	if sql == "" {
		sql = op
	}
	text := l.t.IR.Kind == ir.KindText || r.t.IR.Kind == ir.KindText || l.t.Name == schema.NUnknown
	equality := op == "==" || op == "!="
	alike := l.t.Numeric() && r.t.Numeric() || l.t.IR == r.t.IR && l.t.IR.Kind != ir.KindOpaque
	if ok1 && ok2 && !l.record && alike && (equality || !text) {
		return val{e: ir.Op(syntax.Comparisons[sql], l.e, r.e), t: schema.TBool, nn: nn}
	}
	if op == "!=" { // the same function as for ==, so that the two exclude each other
		out := p.opaque("==", schema.TBool, l, r)
		out.e = ir.NotE(out.e)
		return out
	}
	return p.opaque(op, schema.TBool, l, r)
}
