package schema

import (
	"math/big"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// InitialInsert is an INSERT outside of functions.
type InitialInsert struct {
	Stmt *pg.InsertStmt
	Text *syntax.Text
	Pos  ir.Pos
}

// initialRows keeps a top-level INSERT until the table is complete.
func (l *Schema) initialRows(s *pg.InsertStmt, t *syntax.Text, pos ir.Pos) {
	tab := l.changed(s.Relation, t, false)
	if tab == nil {
		l.Note(pos, "an INSERT into %s is left out", syntax.RangeName(s.Relation))
		return
	}
	sel, ok := pg.Inner(s.SelectStmt).(*pg.SelectStmt)
	if !ok || len(sel.ValuesLists) == 0 || s.WithClause != nil {
		l.Note(pos, "this INSERT is not VALUES: its rows are no initial rows")
		return
	}
	tab.Inserts = append(tab.Inserts, InitialInsert{s, t, pos})
}

// GeneratedValues computes the generated columns of a row.
func (l *Schema) GeneratedValues(t *Table, row []ir.Value) bool {
	for i, c := range t.Ir.Columns {
		if c.Generated == nil {
			continue
		}
		v, ok := Fold(ir.MapExpr(c.Generated, func(e ir.Expr) ir.Expr {
			if col, is := e.(*ir.Col); is {
				return ir.C(row[t.Ir.Column(col.Col)])
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

// Fold evaluates constants, and functions of them.
func Fold(e ir.Expr) (ir.Value, bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e.Value, true
	case *ir.Call:
		var args []ir.Value
		for _, a := range e.Args {
			v, ok := Fold(a)
			if !ok {
				return ir.Null, false
			}
			args = append(args, v)
		}
		v, _, err := e.Apply(args)
		return v, err == nil && e.Def == nil
	case *ir.Cond:
		if v, ok := Fold(e.If); ok {
			if v.IsTrue() {
				return Fold(e.Then)
			}
			return Fold(e.Else)
		}
	case *ir.Unary:
		if v, ok := Fold(e.X); ok && e.Op == ir.IsNull {
			return ir.Bool(v.IsNull()), true
		}
	case *ir.Binary:
		x, ok1 := Fold(e.X)
		y, ok2 := Fold(e.Y)
		if ok1 && ok2 {
			return foldNumbers(e.Op, x, y)
		}
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
