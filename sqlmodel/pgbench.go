package sqlmodel

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// value translates an expression of \set or \if. What pgbench's functions do is
// not known, but for the simple ones: equal arguments give equal results. A
// random number is a function of its bounds and of a seed.
func (c *psql) value(t *syntax.Text, n *pg.Node) expr.Val {
	x := c.ex(t)
	switch e := pg.Inner(n).(type) {
	case *pg.ParamRef:
		v := c.f.Inputs[e.Number-1].Value()
		v.NotNull = v.NotNull || c.b.Path.Sure[int(e.Number)]
		return v
	case *pg.A_Expr:
		if e.Kind == pg.ExprOp && e.Lexpr != nil {
			op := syntax.Names(e.Name)[len(e.Name)-1]
			l, r := c.numeric(c.value(t, e.Lexpr), x), c.numeric(c.value(t, e.Rexpr), x)
			return x.Binary(op, l, r, e.Location)
		}
		if e.Kind == pg.ExprOp {
			return x.Prefix(syntax.Names(e.Name)[len(e.Name)-1], c.numeric(c.value(t, e.Rexpr), x), e.Location)
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
		return expr.Val{Expr: out, Type: schema.TBool}
	case *pg.FuncCall:
		return c.function(t, e)
	case *pg.MinMaxExpr:
		var args []expr.Val
		for _, a := range e.Args {
			args = append(args, c.numeric(c.value(t, a), x))
		}
		name := "least"
		if e.Op == pg.MinMaxGreatest {
			name = "greatest"
		}
		return x.OpaqueCall("pgbench "+name, args, widest(args))
	case *pg.A_Const:
		return x.Constant(e)
	}
	// CASE, IS NULL and the like.
	var args []expr.Val
	for _, k := range load.Parameters(&syntax.Node{Raw: &pg.RawStmt{Stmt: n}}) {
		args = append(args, c.f.Inputs[k-1].Value())
	}
	return x.OpaqueCall("pgbench "+strings.TrimSpace(t.SQL[t.Prefix:]), args, schema.TInt)
}

// numeric gives a variable of unknown type that of numbers.
func (c *psql) numeric(v expr.Val, x *query.Place) expr.Val {
	if v.Type.Name == schema.NUnknown {
		return x.Literal(v, schema.TInt, 0)
	}
	if v.Type.Name == schema.NBool || v.Type.Numeric() {
		return v
	}
	return x.Cast(v, schema.TNumeric, 0) // the text is read as a number
}

// widest is the type of a function of numbers.
func widest(args []expr.Val) schema.Type {
	for _, a := range args {
		if a.Type.Name != schema.NInt {
			return schema.TFloat
		}
	}
	return schema.TInt
}

// function translates a call.
func (c *psql) function(t *syntax.Text, e *pg.FuncCall) expr.Val {
	x := c.ex(t)
	name := syntax.Qualified(syntax.Names(e.Funcname))
	var args []expr.Val
	nn := true
	for _, a := range e.Args {
		args = append(args, c.numeric(c.value(t, a), x))
		nn = nn && args[len(args)-1].NotNull
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
		seed := c.b.Local("seed", schema.TAny)
		c.b.Emit(&ir.Havoc{At: expr.At(x.Pos(e.Location)), Var: seed, NotNull: true})
		args = append([]expr.Val{{Expr: ir.V(seed), Type: schema.TAny, NotNull: true}}, args...)
	}
	if name == "mod" && len(args) == 2 && result.Name == schema.NInt {
		return x.Binary("%", args[0], args[1], e.Location)
	}
	out := x.OpaqueCall("pgbench "+name, args, result)
	out.NotNull = nn
	return out
}

// truth is the truth of a value in a condition.
func (c *psql) truth(v expr.Val, x *query.Place) ir.Expr {
	switch {
	case v.Type.Name == schema.NBool:
		return v.Expr
	case v.Type.Name == schema.NUnknown:
		return x.Literal(v, schema.TBool, 0).Expr
	case v.Type.Numeric() && c.s.S.Pgbench:
		return ir.Op(ir.Ne, v.Expr, ir.C(ir.Int(0)))
	case v.Type.Numeric(): // psql knows 0 and 1; anything else counts as false
		one := ir.Op(ir.Eq, v.Expr, ir.C(ir.Int(1)))
		if len(c.s.S.Computes) > 0 { // it may be pgbench as well
			return ir.OrE(one, ir.AndE(c.b.Choice(x.Pos(0)), ir.Op(ir.Ne, v.Expr, ir.C(ir.Int(0)))))
		}
		return one
	case v.Type.Textual():
		lower := &ir.Call{Name: "lower", Args: []ir.Expr{v.Expr}, Type: ir.TextType}
		var out ir.Expr
		for _, word := range []string{"t", "tr", "tru", "true", "y", "ye", "yes", "on", "1"} {
			out = ir.OrE(out, ir.Op(ir.Eq, lower, ir.C(ir.Text(word))))
		}
		return out
	}
	return &ir.Call{Name: "is true", Args: []ir.Expr{v.Expr}, Type: ir.BoolType}
}

// condition translates the condition of \if. A variable without a value makes
// it false.
func (c *psql) condition(cmd *syntax.Command) ir.Expr {
	n := syntax.ClientExpression(cmd.Expr)
	if cmd.Asks { // psql takes the value away where a NULL came
		return expr.IsNotNull(c.value(cmd.Expr, n).Expr)
	}
	if _, alone := pg.Inner(n).(*pg.ParamRef); !alone {
		c.need(cmd.Pos, textParameters(cmd.Expr))
	}
	return c.truth(c.value(cmd.Expr, n), c.ex(cmd.Expr))
}
