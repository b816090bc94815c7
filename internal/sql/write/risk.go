package write

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/schema"
)

// rowChecks gives the checks of the rows of a table; false if the translation
// does not have all of them.
func (b *Writer) rowChecks(t *schema.Table) ([]ir.TableCheck, bool) {
	var out []ir.TableCheck
	if t.Partitioned || slices.ContainsFunc(t.Columns, func(c *schema.Column) bool { return c.Domain != nil }) {
		return nil, false
	}
	for _, k := range t.Checks {
		i := slices.IndexFunc(t.IR.Checks, func(c ir.TableCheck) bool { return c.Pos == k.Pos })
		if i < 0 {
			return nil, false
		}
		out = append(out, t.IR.Checks[i])
	}
	return out, true
}

// checkFirst writes, before an INSERT, the errors of a row that breaks a
// constraint of its own.
func (b *Writer) checkFirst(pos ir.Pos, row *expr.RowSource, s *ir.Insert) {
	t := row.Table
	checks, all := b.rowChecks(t)
	if !all || !b.Caught(expr.NotNull, expr.CheckViolation) {
		return
	}
	value := expr.Inserted(s)
	for i, c := range t.IR.Columns {
		if from := row.Col(c.Name); c.NotNull && from != nil && !from.NotNull {
			b.FailsIf(pos, &ir.Unary{Op: ir.IsNull, X: value(i)}, expr.NotNull)
		}
	}
	for _, k := range checks {
		b.FailsIf(pos, expr.BrokenBy(k, t.IR, value), expr.CheckViolation)
	}
	b.Shown[s] = true
}

// checkUpdated writes, before an UPDATE that leaves rows like row, the errors of those that break
// constraints of their own. Which of several rows is updated first is not known, nor
// which error comes first where there are two kinds.
func (b *Writer) checkUpdated(pos ir.Pos, row *expr.RowSource, s *ir.Update) {
	t := row.Table
	checks, all := b.rowChecks(t)
	if !all || !b.Caught(expr.NotNull, expr.CheckViolation) {
		return
	}
	set := func(col int) bool { return slices.ContainsFunc(s.Sets, func(s ir.Set) bool { return s.Col == col }) }
	value := expr.Updated(s)
	var missing, broken []ir.Expr
	for i, c := range t.IR.Columns {
		if from := row.Col(c.Name); c.NotNull && set(i) && (from == nil || !from.NotNull) {
			missing = append(missing, &ir.Unary{Op: ir.IsNull, X: value(i)})
		}
	}
	for _, k := range checks {
		changed := false
		ir.WalkExpr(k.Expr, func(e ir.Expr) {
			c, is := e.(*ir.Col)
			changed = changed || is && set(t.IR.Column(c.Col))
		})
		if changed {
			broken = append(broken, expr.BrokenBy(k, t.IR, value))
		}
	}
	rows := ir.Query{From: []ir.Source{{Table: t.IR, Row: s.Row}}, Where: s.Where}
	if len(missing) > 0 && len(broken) > 0 && !b.SingleRow(rows) {
		return
	}
	fails := func(conds []ir.Expr, state string) {
		if len(conds) > 0 {
			b.FailsIf(pos, &ir.Exists{Query: ir.Query{From: rows.From, Where: ir.AndE(s.Where, ir.OrE(conds...))}}, state)
		}
	}
	fails(missing, expr.NotNull)
	fails(broken, expr.CheckViolation)
	b.Shown[s] = true
}

// FailsIf writes an error where cond is true.
func (b *Writer) FailsIf(pos ir.Pos, cond ir.Expr, state string) {
	b.Emit(&ir.If{At: expr.At(pos), Cond: cond, Then: b.Collect(func() { b.Fails(pos, state) })})
}
