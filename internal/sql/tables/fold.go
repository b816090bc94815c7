package tables

import (
	"math/big"

	"github.com/txrobust/robust/internal/ir"
)

// generatedValues computes the generated columns of a row.
func generatedValues(t *ir.Table, row []ir.Value) bool {
	for i, c := range t.Columns {
		if c.Generated == nil {
			continue
		}
		v, ok := fold(ir.MapExpr(c.Generated, func(e ir.Expr) ir.Expr {
			if col, is := e.(*ir.Col); is {
				return ir.C(row[t.Column(col.Col)])
			}
			return e
		}))
		if !ok {
			return false
		}
		row[i] = v.Convert(c.Type)
	}
	return true
}

// fold evaluates constants, and functions of them.
func fold(e ir.Expr) (ir.Value, bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e.Value, true
	case *ir.Call:
		var args []ir.Value
		for _, a := range e.Args {
			v, ok := fold(a)
			if !ok {
				return ir.Null, false
			}
			args = append(args, v)
		}
		v, _, err := e.Apply(args)
		return v, err == nil && e.Def == nil
	case *ir.Cond:
		if v, ok := fold(e.If); ok {
			if v.IsTrue() {
				return fold(e.Then)
			}
			return fold(e.Else)
		}
	case *ir.Unary:
		if v, ok := fold(e.X); ok && e.Op == ir.IsNull {
			return ir.Bool(v.IsNull()), true
		}
	case *ir.Binary:
		x, ok1 := fold(e.X)
		y, ok2 := fold(e.Y)
		if ok1 && ok2 {
			return foldNumbers(e.Op, x, y)
		}
	case *ir.Var, *ir.Col, *ir.Exists:
	}
	return ir.Null, false
}

// foldNumbers adds, subtracts and multiplies.
func foldNumbers(op ir.BinaryOp, x, y ir.Value) (ir.Value, bool) {
	if x.IsNull() || y.IsNull() {
		return ir.Null, op >= ir.Add && op <= ir.Mul
	}
	number := func(v ir.Value) bool { return v.Kind == ir.KindInt || v.Kind == ir.KindNum }
	if !number(x) || !number(y) {
		return ir.Null, false
	}
	out := new(big.Rat)
	switch op {
	case ir.Add:
		out.Add(x.Rat(), y.Rat())
	case ir.Sub:
		out.Sub(x.Rat(), y.Rat())
	case ir.Mul:
		out.Mul(x.Rat(), y.Rat())
	default:
		return ir.Null, false
	}
	if x.Kind == ir.KindInt && y.Kind == ir.KindInt {
		return ir.Int(out.Num().Int64()), out.Num().IsInt64()
	}
	return ir.Num(out), true
}
