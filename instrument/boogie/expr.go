package boogie

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// value is an expression in Boogie: whether it is NULL, its value otherwise,
// and whether it can be computed without an error (a division by zero). All
// three are atoms or in parentheses.
type value struct {
	t         ir.Type
	null, val string
	def       string
}

// isTrue is whether a condition is true, neither false nor NULL.
func (v value) isTrue() string { return and(not(v.null), v.val) }

func (v value) isFalse() string { return and(not(v.null), not(v.val)) }

// as converts a value to the type that is wanted.
func (v value) as(t ir.Type) value {
	switch {
	case v.t.Kind == ir.KindNull:
		return value{t, "true", zero(t), v.def}
	case t.Kind == ir.KindNum && v.t.Kind == ir.KindInt:
		return value{t, v.null, "real(" + bare(v.val) + ")", v.def}
	}
	return v
}

// truth is a condition that is never NULL.
func truth(s string) value { return value{ir.BoolType, "false", s, "true"} }

// env is what names mean.
type env struct {
	pos    ir.Pos
	rows   map[string]*row
	locals map[string]string // other names of locals
	copies map[string]string // other names of the maps of tables
	inside int               // queries around
}

// open gives an environment with more rows.
func (v *env) open(name string, r *row) *env {
	w := *v
	w.rows = map[string]*row{name: r}
	for k, x := range v.rows {
		if k != name {
			w.rows[k] = x
		}
	}
	return &w
}

func (p *proc) expr(e ir.Expr, v *env) value {
	switch e := e.(type) {
	case *ir.Const:
		t := ir.Type{Kind: e.Value.Kind}
		if e.Value.IsNull() {
			return value{t, "true", "0", "true"}
		}
		if t.Kind == ir.KindArray {
			t = ir.ArrayType(ir.KindNull)
		}
		return value{t, "false", p.x.constant(e.Value), "true"}
	case *ir.Var:
		name := p.locals[e.Name]
		if l, ok := v.locals[name]; ok {
			name = l
		}
		t, _ := p.txn.LocalType(e.Name)
		return value{t, name + ".null", name, "true"}
	case *ir.Col:
		r := v.rows[e.Row]
		return r.col(r.b.t.Column(e.Col))
	case *ir.Unary:
		a := p.expr(e.X, v)
		switch e.Op {
		case ir.Neg:
			if a.t.Kind == ir.KindNull {
				return a
			}
			return value{a.t, a.null, "(-" + a.val + ")", a.def}
		case ir.Not:
			a = a.as(ir.BoolType)
			return value{a.t, a.null, not(a.val), a.def}
		}
		return value{ir.BoolType, "false", a.null, a.def}
	case *ir.Binary:
		return p.binary(e, v)
	case *ir.Cond:
		c, a, b := p.expr(e.If, v).as(ir.BoolType), p.expr(e.Then, v), p.expr(e.Else, v)
		t := a.t
		if b.t.Accepts(a.t) {
			t = b.t
		}
		a, b = a.as(t), b.as(t)
		yes := c.isTrue()
		return value{t, cond(yes, a.null, b.null), cond(yes, a.val, b.val), and(c.def, cond(yes, a.def, b.def))}
	case *ir.Call:
		return p.call(e, v)
	case *ir.Exists:
		w := *v
		w.inside++
		ms := p.matches(e.Query, &w)
		return value{ir.BoolType, "false", some(ms), computable(ms)}
	}
	panic("boogie: unknown expression")
}

func (p *proc) binary(e *ir.Binary, v *env) value {
	a, b := p.expr(e.X, v), p.expr(e.Y, v)
	def := and(a.def, b.def)
	switch e.Op {
	case ir.And:
		a, b = a.as(ir.BoolType), b.as(ir.BoolType)
		val := and(a.val, b.val)
		null := "false"
		if a.null != "false" || b.null != "false" {
			null = and(or(a.null, b.null), not(a.isFalse()), not(b.isFalse()))
			val = and(a.isTrue(), b.isTrue())
		}
		return value{ir.BoolType, null, val, and(a.def, or(a.isFalse(), b.def))}
	case ir.Or:
		a, b = a.as(ir.BoolType), b.as(ir.BoolType)
		val := or(a.isTrue(), b.isTrue())
		null := "false"
		if a.null != "false" || b.null != "false" {
			null = and(or(a.null, b.null), not(a.isTrue()), not(b.isTrue()))
		}
		return value{ir.BoolType, null, val, and(a.def, or(a.isTrue(), b.def))}
	}
	if e.Op >= ir.Eq && e.Op <= ir.Is {
		t := a.t
		if b.t.Accepts(a.t) {
			t = b.t
		}
		a, b = a.as(t), b.as(t)
		null := or(a.null, b.null)
		if e.Op == ir.Is {
			same := and(not(a.null), not(b.null), equal(a.val, b.val))
			if a.null != "false" && b.null != "false" {
				same = or(and(a.null, b.null), same)
			}
			if t.Kind == ir.KindBool && a.null == "false" && b.null == "false" || t.Kind == ir.KindBool && b.val == "true" && b.null == "false" {
				if b.val == "true" {
					same = a.isTrue()
				} else if b.val == "false" {
					same = a.isFalse()
				}
			}
			return value{ir.BoolType, "false", same, def}
		}
		return value{ir.BoolType, null, compare(e.Op, t, a.val, b.val), def}
	}
	return p.arith(e, a, b, def, v)
}

func compare(op ir.BinaryOp, t ir.Type, a, b string) string {
	switch op {
	case ir.Eq:
		return equal(a, b)
	case ir.Ne:
		return not(equal(a, b))
	case ir.Lt:
		return less(t, a, b)
	case ir.Ge:
		return not(less(t, a, b))
	case ir.Gt:
		return less(t, b, a)
	}
	return not(less(t, b, a))
}

func (p *proc) arith(e *ir.Binary, a, b value, def string, v *env) value {
	t := a.t
	switch {
	case a.t.Kind == ir.KindNull:
		t = b.t
	case a.t.Kind == ir.KindNum || b.t.Kind == ir.KindNum:
		t = ir.NumType
	case a.t.Kind == ir.KindTime && b.t.Kind == ir.KindTime:
		t = ir.IntType
	}
	if a.t.Kind == ir.KindNull || b.t.Kind == ir.KindNull {
		return value{t, "true", zero(t), def}
	}
	if t.Kind == ir.KindNum {
		a, b = a.as(t), b.as(t)
	}
	null := or(a.null, b.null)
	op := map[ir.BinaryOp]string{ir.Add: " + ", ir.Sub: " - ", ir.Mul: " * "}[e.Op]
	if op != "" {
		return value{t, null, "(" + a.val + op + b.val + ")", def}
	}
	if b.val == zero(t) || !isConst(e.Y) {
		if v.inside > 0 {
			fail(v.pos, "a division by what is no constant, inside EXISTS or a query over several tables, cannot be exported: compute it before")
		}
		def = and(def, or(null, not(equal(b.val, zero(t)))))
	}
	x, y := bare(a.val), bare(b.val)
	val := ""
	switch {
	case t.Kind == ir.KindNum && e.Op == ir.Div:
		val = "(" + a.val + " / " + b.val + ")"
	case t.Kind == ir.KindNum:
		p.x.needs["fraction"] = true
		val = "fraction(" + x + ", " + y + ")"
	case e.Op == ir.Div:
		p.x.needs["quo"] = true
		val = "quo(" + x + ", " + y + ")"
	default:
		p.x.needs["rem"] = true
		val = "rem(" + x + ", " + y + ")"
	}
	return value{t, null, val, def}
}

func isConst(e ir.Expr) bool {
	_, ok := e.(*ir.Const)
	return ok
}

// call applies a function. What one of Boogie says of two arguments in either
// order is symmetric, and every symmetric condition is of that kind.
func (p *proc) call(e *ir.Call, v *env) value {
	out := p.apply(e, v)
	if e.Symmetric() {
		turned := *e
		turned.Args = []ir.Expr{e.Args[1], e.Args[0]}
		out.val = or(out.val, p.apply(&turned, v).val)
	}
	return out
}

// apply applies a function of Boogie. Known functions are strict; an element of
// an array may be NULL besides.
func (p *proc) apply(e *ir.Call, v *env) value {
	known := ir.Functions[e.Name] != nil
	name := "f." + ident(e.Name)
	null, def := "false", "true"
	var args, types []string
	for i, a := range e.Args {
		w := p.expr(a, v)
		if w.t.Kind == ir.KindNull {
			w = w.as(ir.IntType)
		}
		def = and(def, w.def)
		name += "." + typeName(w.t)
		types = append(types, "x"+itoa(i+1)+": "+typeName(w.t))
		if known {
			null = or(null, w.null)
			args = append(args, bare(w.val))
			continue
		}
		types = append(types, "null"+itoa(i+1)+": bool")
		args = append(args, bare(cond(w.null, zero(w.t), w.val)), bare(w.null))
	}
	name += "." + typeName(e.Type)
	declare := func(name string, t ir.Type) {
		p.x.funcs[name] = "function " + name + "(" + strings.Join(types, ", ") + ") returns (" + typeName(t) + ");"
	}
	declare(name, e.Type)
	call := "(" + strings.Join(args, ", ") + ")"
	if known && e.Name == "elem" {
		declare(name+".null", ir.BoolType)
		null = or(null, name+".null"+call)
	}
	return value{e.Type, null, name + call, def}
}
