package memory

import (
	"go/token"
	"reflect"

	"github.com/txrobust/robust/internal/client"
	"github.com/txrobust/robust/ir"
)

// Mentions reports whether an expression uses a variable.
func Mentions(e client.Expr, v string) bool {
	found := false
	client.EachVar(e, func(name string) { found = found || name == v })
	return found
}

// SameExpr reports whether two expressions are the same; nil is false.
func SameExpr(a, b client.Expr) bool {
	if a == nil {
		a = client.False
	}
	if b == nil {
		b = client.False
	}
	return reflect.DeepEqual(a, b)
}

// Fold computes an operator on constant integers.
func Fold(o token.Token, a, b client.Expr) (client.Expr, bool) {
	x, ok := a.(*client.Const)
	y, also := b.(*client.Const)
	if !ok || !also || x.Value.Kind != ir.KindInt || y.Value.Kind != ir.KindInt {
		return nil, false
	}
	i, j := x.Value.I, y.Value.I
	switch o {
	case token.ADD:
		return ConstInt(i + j), true
	case token.SUB:
		return ConstInt(i - j), true
	case token.MUL:
		return ConstInt(i * j), true
	case token.LSS:
		return client.C(ir.Bool(i < j)), true
	case token.LEQ:
		return client.C(ir.Bool(i <= j)), true
	case token.GTR:
		return client.C(ir.Bool(i > j)), true
	case token.GEQ:
		return client.C(ir.Bool(i >= j)), true
	}
	return nil, false
}

// Concat joins texts.
func Concat(a, b client.Expr) client.Expr {
	x, ok := a.(*client.Const)
	y, also := b.(*client.Const)
	if ok && also {
		return client.C(ir.Text(x.Value.S + y.Value.S))
	}
	if o, isOp := a.(*client.Op); isOp && also && o.Op == "+" {
		if last, isConst := o.Args[1].(*client.Const); isConst {
			return Op("+", o.Args[0], client.C(ir.Text(last.Value.S+y.Value.S)))
		}
	}
	return Op("+", a, b)
}

// ConstInt is a constant integer.
func ConstInt(i int64) client.Expr { return client.C(ir.Int(i)) }

// Op applies an operator.
func Op(name string, args ...client.Expr) client.Expr { return &client.Op{Op: name, Args: args} }
