package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// value translates an expression of \set or \if. What pgbench's functions do is
// not known, but for the simple ones: equal arguments give equal results. A
// random number is a function of its bounds and of a seed.
func (c *psql) value(t *syntax.Text, n *pg.Node) val {
	x := c.ex(t)
	switch e := pg.Inner(n).(type) {
	case *pg.ParamRef:
		v := c.f.inputs[e.Number-1].value()
		v.nn = v.nn || c.sure[int(e.Number)]
		return v
	case *pg.A_Expr:
		if e.Kind == pg.ExprOp && e.Lexpr != nil {
			op := syntax.Names(e.Name)[len(e.Name)-1]
			l, r := c.numeric(c.value(t, e.Lexpr), x), c.numeric(c.value(t, e.Rexpr), x)
			return x.binary(op, l, r, e.Location)
		}
		if e.Kind == pg.ExprOp {
			return x.prefix(syntax.Names(e.Name)[len(e.Name)-1], c.numeric(c.value(t, e.Rexpr), x), e.Location)
		}
	case *pg.BoolExpr:
		var parts []ir.Expr
		for _, a := range e.Args {
			parts = append(parts, c.truth(c.value(t, a), x))
		}
		out := ir.AndE(parts...)
		switch e.Boolop {
		case pg.BoolOr:
			out = ir.OrE(parts...)
		case pg.BoolNot:
			out = ir.NotE(parts[0])
		}
		return val{e: out, t: schema.TBool}
	case *pg.FuncCall:
		return c.function(t, e)
	case *pg.MinMaxExpr:
		var args []val
		for _, a := range e.Args {
			args = append(args, c.numeric(c.value(t, a), x))
		}
		name := "least"
		if e.Op == pg.MinMaxGreatest {
			name = "greatest"
		}
		return x.opaqueCall("pgbench "+name, args, widest(args))
	case *pg.A_Const:
		return x.constant(e)
	}
	// CASE, IS NULL and the like.
	var args []val
	for _, k := range load.Parameters(&syntax.Node{Raw: &pg.RawStmt{Stmt: n}}) {
		args = append(args, c.f.inputs[k-1].value())
	}
	return x.opaqueCall("pgbench "+strings.TrimSpace(t.SQL[t.Prefix:]), args, schema.TInt)
}

// numeric gives a variable of unknown type that of numbers.
func (c *psql) numeric(v val, x *ex) val {
	if v.t.Name == schema.NUnknown {
		return x.literal(v, schema.TInt, 0)
	}
	if v.t.Name == schema.NBool || v.t.Numeric() {
		return v
	}
	return x.cast(v, schema.TNumeric, 0) // the text is read as a number
}

// widest is the type of a function of numbers.
func widest(args []val) schema.Type {
	for _, a := range args {
		if a.t.Name != schema.NInt {
			return schema.TFloat
		}
	}
	return schema.TInt
}

// function translates a call.
func (c *psql) function(t *syntax.Text, e *pg.FuncCall) val {
	x := c.ex(t)
	name := syntax.Qualified(syntax.Names(e.Funcname))
	var args []val
	nn := true
	for _, a := range e.Args {
		args = append(args, c.numeric(c.value(t, a), x))
		nn = nn && args[len(args)-1].nn
	}
	result := schema.TFloat
	switch name {
	case "abs", "debug", "mod":
		result = widest(args)
	case "hash", "hash_fnv1a", "hash_murmur2", "int", "permute":
		result = schema.TInt
	}
	if syntax.ClientFunctions[name] {
		result = schema.TInt
		seed := c.b.local("seed", schema.TAny)
		c.b.emit(&ir.Havoc{At: at(x.pos(e.Location)), Var: seed, NotNull: true})
		args = append([]val{{e: ir.V(seed), t: schema.TAny, nn: true}}, args...)
	}
	if name == "mod" && len(args) == 2 && result.Name == schema.NInt {
		return x.binary("%", args[0], args[1], e.Location)
	}
	out := x.opaqueCall("pgbench "+name, args, result)
	out.nn = nn
	return out
}

// truth is the truth of a value in a condition.
func (c *psql) truth(v val, x *ex) ir.Expr {
	switch {
	case v.t.Name == schema.NBool:
		return v.e
	case v.t.Name == schema.NUnknown:
		return x.literal(v, schema.TBool, 0).e
	case v.t.Numeric() && c.s.S.Pgbench:
		return ir.Op(ir.Ne, v.e, ir.C(ir.Int(0)))
	case v.t.Numeric(): // psql knows 0 and 1; anything else counts as false
		one := ir.Op(ir.Eq, v.e, ir.C(ir.Int(1)))
		if len(c.s.S.Computes) > 0 { // it may be pgbench as well
			return ir.OrE(one, ir.AndE(c.b.choice(x.pos(0)), ir.Op(ir.Ne, v.e, ir.C(ir.Int(0)))))
		}
		return one
	case v.t.Textual():
		lower := &ir.Call{Name: "lower", Args: []ir.Expr{v.e}, Type: ir.TextType}
		var out ir.Expr
		for _, word := range []string{"t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"} {
			out = ir.OrE(out, ir.Op(ir.Eq, lower, ir.C(ir.Text(word))))
		}
		return out
	}
	return &ir.Call{Name: "is true", Args: []ir.Expr{v.e}, Type: ir.BoolType}
}

// condition translates the condition of \if. A variable without a value makes
// it false.
func (c *psql) condition(cmd *syntax.Command) ir.Expr {
	n := syntax.ClientExpression(cmd.Expr)
	if _, alone := pg.Inner(n).(*pg.ParamRef); !alone {
		c.need(cmd.Pos, textParameters(cmd.Expr))
	}
	return c.truth(c.value(cmd.Expr, n), c.ex(cmd.Expr))
}
