package tables

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

const (
	firstRow  = "one"
	secondRow = "other"
)

// keyBetween is what a unique key that is checked at the commit says of the states between
// transactions.
func keyBetween(u *schema.UniqueKey) ir.Exclusion {
	out := ir.Exclusion{Pos: u.Pos, Name: u.Name, Rows: [2]string{firstRow, secondRow}}
	op := ir.Eq
	if u.Nulls {
		op = ir.Is
	}
	for _, c := range u.Columns {
		out.Expr = ir.AndE(out.Expr, ir.Op(op, &ir.Col{Row: firstRow, Col: c}, &ir.Col{Row: secondRow, Col: c}))
	}
	return out
}

// exclusions adds the EXCLUDE constraints of t, and those that NULLS NOT DISTINCT
// adds to a unique key.
func (l *Completer) exclusions(t *schema.Table) {
	for _, x := range t.Exclusions {
		if x.Deferred || x.Deferrable && l.Defers {
			l.HideExclusion(t, x, ", which may be checked at commit")
			late := ir.Exclusion{Pos: x.Pos, Name: x.Name, Rows: [2]string{firstRow, secondRow}}
			if l.exclusionExpr(t, x, &late, new(ir.Expr)) == "" && ir.ExclusionFault(&late) == "" {
				t.IR.Late = append(t.IR.Late, late)
			}
			continue
		}
		out := ir.Exclusion{Pos: x.Pos, Name: x.Name, Rows: [2]string{firstRow, secondRow}}
		var ordered ir.Expr
		why := l.exclusionExpr(t, x, &out, &ordered)
		if why == "" {
			why = ir.ExclusionFault(&out)
		}
		if why != "" {
			l.HideExclusion(t, x, " ("+why+")")
			continue
		}
		t.IR.Exclusions = append(t.IR.Exclusions, out)
		var columns []string
		for _, c := range ir.ExclusionColumns(&out, t.IR) {
			columns = append(columns, t.IR.Columns[c].Name)
		}
		t.Coarsen(x.Pos, "EXCLUDE constraint "+x.Name, out.Expr, columns)
		if ordered != nil {
			t.IR.Checks = append(t.IR.Checks, ir.TableCheck{Pos: x.Pos, Name: x.Name, Expr: ordered})
		}
	}
}

// exclusionExpr makes the condition of an exclusion, and the check that its ranges
// do not end before they begin, which is an error.
func (l *Completer) exclusionExpr(t *schema.Table, c *schema.Exclusion, out *ir.Exclusion, ordered *ir.Expr) (why string) {
	defer func() {
		if r := recover(); r != nil {
			u, is := r.(schema.Unmodelled)
			if !is {
				panic(r)
			}
			why = u.Reason
		}
	}()
	where := func(row string) ir.Expr {
		if c.Where == nil {
			return nil
		}
		return l.inRow(t, row, c.Where.Text).Boolean(c.Where.Node, expr.Exact)
	}
	for _, el := range c.Elements {
		if _, declared := l.Operators[el.Op]; declared {
			return "the operator " + el.Op + ", which is declared here"
		}
		x := l.inRow(t, firstRow, c.Text)
		a, b := l.element(t, el, firstRow), l.element(t, el, secondRow)
		v := x.Binary(el.Op, a, b, el.Loc)
		if v.Type.Name != schema.NBool {
			return "the operator " + el.Op
		}
		for _, side := range []expr.Val{a, b} {
			if _, compares := syntax.Comparisons[el.Op]; !side.NotNull && !v.NotNull && !compares { // operators give NULL for NULL
				out.Expr = ir.AndE(out.Expr, expr.IsNotNull(side.Expr))
			}
		}
		out.Expr = ir.AndE(out.Expr, v.Expr)
		if r, ok := l.RangeOf(l.element(t, el, t.Name)); ok {
			e := x.Compare("<=", r.Lo, r.Hi, el.Loc).Expr
			if w := where(t.Name); w != nil {
				e = ir.OrE(ir.NotE(w), e)
			}
			*ordered = ir.AndE(*ordered, e)
		}
	}
	out.Expr = ir.AndE(out.Expr, where(firstRow), where(secondRow))
	return ""
}

// inRow translates expressions over a row of t.
func (l *Completer) inRow(t *schema.Table, row string, at *syntax.Text) *query.Place {
	return query.NewPlace(expr.Spot{App: l.Application, Text: at, Levels: []*expr.Level{{Sources: []*expr.RowSource{expr.TableSource(t, t.Rel.Own(), row)}}}, PerRow: true})
}

// element gives the value of an element in a row.
func (l *Completer) element(t *schema.Table, el schema.ExclusionElement, row string) expr.Val {
	if el.Expr != nil {
		x := l.inRow(t, row, el.Expr.Text)
		return x.DefaultType(x.One(el.Expr.Node))
	}
	for _, c := range append(slices.Clone(t.Columns), t.Indexed...) {
		if c.Name == el.Column {
			return expr.Val{Expr: &ir.Col{Row: row, Col: c.Name}, Type: c.T, NotNull: c.NotNull}
		}
	}
	panic(schema.Unmodelled{Reason: "the expression of " + el.Column})
}

// nullsNotDistinct is what a unique key with NULLS NOT DISTINCT says beyond one
// without.
func nullsNotDistinct(t *ir.Table, u ir.Unique) ir.Exclusion {
	out := ir.Exclusion{Pos: u.Pos, Name: u.Name, Rows: [2]string{firstRow, secondRow}}
	for _, c := range u.Columns {
		op := ir.Is
		if t.Columns[c].NotNull {
			op = ir.Eq
		}
		out.Expr = ir.AndE(out.Expr, ir.Op(op, &ir.Col{Row: firstRow, Col: t.Columns[c].Name}, &ir.Col{Row: secondRow, Col: t.Columns[c].Name}))
	}
	if u.Where != nil {
		for _, row := range out.Rows {
			out.Expr = ir.AndE(out.Expr, ir.MapExpr(u.Where, func(e ir.Expr) ir.Expr {
				if c, ok := e.(*ir.Col); ok && c.Row == t.Name {
					return &ir.Col{Row: row, Col: c.Col}
				}
				return e
			}))
		}
	}
	return out
}
