package instrument

import (
	"strconv"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
)

// Constructors for the statements and expressions that the rewriting adds.

func boolean(b bool) ir.Expr { return ir.C(ir.Bool(b)) }

func text(s string) ir.Expr { return ir.C(ir.Text(s)) }

func isNull(e ir.Expr) ir.Expr { return &ir.Unary{Op: ir.IsNull, X: e} }

// is is "is not distinct from", which is never NULL.
func is(a, b ir.Expr) ir.Expr { return ir.Op(ir.Is, a, b) }

func differs(a, b ir.Expr) ir.Expr { return ir.NotE(is(a, b)) }

// cell is the value of a shared variable in a query over it.
func cell(t *ir.Table) ir.Expr { return &ir.Col{Row: t.Name, Col: irnames.VarColumn} }

func col(row string, t *ir.Table, c int) ir.Expr {
	return &ir.Col{Row: row, Col: t.Columns[c].Name}
}

func src(t *ir.Table, row string) ir.Source { return ir.Source{Table: t, Row: row} }

func exists(t *ir.Table, where ir.Expr) ir.Expr {
	return existsIn(where, src(t, t.Name))
}

func existsIn(where ir.Expr, from ...ir.Source) ir.Expr {
	return &ir.Exists{Query: ir.Query{From: from, Where: where}}
}

// isTrue tests a flag.
func isTrue(t *ir.Table) ir.Expr { return exists(t, cell(t)) }

func setVar(at ir.At, t *ir.Table, e ir.Expr) ir.Stmt { return setVarWhere(at, t, e, nil) }

func setVarWhere(at ir.At, t *ir.Table, e, where ir.Expr) ir.Stmt {
	return &ir.Update{At: at, Table: t, Row: t.Name, Sets: []ir.Set{{Col: 0, Expr: e}}, Where: where}
}

func readVar(at ir.At, into string, t *ir.Table) ir.Stmt {
	return &ir.Select{At: at, Into: []string{into}, Cols: []ir.Expr{cell(t)}, Query: ir.Query{From: []ir.Source{src(t, t.Name)}}}
}

// and joins conditions, where nil is true.
func and(xs ...ir.Expr) ir.Expr { return ir.AndE(xs...) }

// substitute replaces the columns of a row variable.
func substitute(e ir.Expr, row string, f func(col string) ir.Expr) ir.Expr {
	return ir.MapExpr(e, func(x ir.Expr) ir.Expr {
		if c, ok := x.(*ir.Col); ok && c.Row == row {
			return f(c.Col)
		}
		return x
	})
}

// rename replaces locals.
func rename(e ir.Expr, f func(name string) ir.Expr) ir.Expr {
	return ir.MapExpr(e, func(x ir.Expr) ir.Expr {
		if v, ok := x.(*ir.Var); ok {
			return f(v.Name)
		}
		return x
	})
}

// locals lists the locals in an expression, each once, in order.
func locals(es ...ir.Expr) []string {
	var out []string
	seen := map[string]bool{}
	for _, e := range es {
		ir.WalkExpr(e, func(e ir.Expr) {
			if v, ok := e.(*ir.Var); ok && !seen[v.Name] {
				seen[v.Name] = true
				out = append(out, v.Name)
			}
		})
	}
	return out
}

func itoa(i int) string { return strconv.Itoa(i) }
