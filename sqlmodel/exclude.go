package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// exclusion is an EXCLUDE constraint.
type exclusion struct {
	pos                  ir.Pos
	name                 string
	parts                []string // of a name that PostgreSQL makes
	text                 *syntax.Text
	elements             []exclusionElement
	where                *sqlExpr
	deferred, deferrable bool
}

// exclusionElement is what an operator compares of two rows: a column (perhaps
// one that only the IR has), or an expression over the row.
type exclusionElement struct {
	column string
	expr   *sqlExpr
	op     string
	loc    int32
}

// The row variables of exclusions.
const (
	firstRow  = "one"
	secondRow = "other"
)

// addExclusion takes over EXCLUDE. An expression that may fail is a column of its
// own, which is computed when the row is written.
func (l *Schema) addExclusion(tab *table, k *pg.Constraint, t *syntax.Text) {
	x := &exclusion{pos: t.Pos(int(k.Location)), name: k.Conname, text: t, deferred: k.Initdeferred, deferrable: k.Deferrable}
	if k.WhereClause != nil {
		x.where = &sqlExpr{k.WhereClause, t}
	}
	for _, n := range k.Exclusions {
		pair := pg.Inner(n).(*pg.List).Items
		e := pg.Inner(pair[0]).(*pg.IndexElem)
		el := exclusionElement{column: e.Name, op: syntax.OperatorName(pg.Inner(pair[1]).(*pg.List).Items), loc: k.Location}
		part := e.Name
		if e.Name == "" {
			el.expr, part = &sqlExpr{e.Expr, t}, "expr"
			if f, ok := pg.Inner(e.Expr).(*pg.FuncCall); ok {
				part = syntax.LastPart(syntax.Qualified(syntax.Names(f.Funcname)))
			}
		} else {
			l.checkColumns(tab, x.pos, []string{e.Name})
		}
		x.elements, x.parts = append(x.elements, el), append(x.parts, part)
	}
	x.name = syntax.NameOr(x.name, x.defaultName(tab))
	for i := range x.elements {
		if el := &x.elements[i]; el.expr != nil && !rangeOfColumns(el.expr.node) {
			c := &column{pos: x.pos, name: x.name + " " + itoa(i+1), generated: el.expr, index: true}
			tab.indexed = append(tab.indexed, c)
			el.column, el.expr = c.name, nil
		}
	}
	tab.exclusions = append(tab.exclusions, x)
}

// defaultName is the name of the constraint where none is given.
func (x *exclusion) defaultName(tab *table) string {
	return tab.rel.own() + "_" + strings.Join(append(slices.Clone(x.parts), "excl"), "_")
}

// rangeOfColumns reports whether an expression is a range between columns or
// constants.
func rangeOfColumns(n *pg.Node) bool {
	f, ok := pg.Inner(n).(*pg.FuncCall)
	if !ok {
		return false
	}
	if _, ok := rangeBounds[syntax.PlainName(syntax.Qualified(syntax.Names(f.Funcname)))]; !ok {
		return false
	}
	return !slices.ContainsFunc(f.Args, func(n *pg.Node) bool {
		switch pg.Inner(n).(type) {
		case *pg.ColumnRef, *pg.A_Const:
			return false
		}
		return true
	})
}

// uses reports whether the constraint is about a column.
func (x *exclusion) uses(name string) bool {
	in := func(e *sqlExpr) bool { return e != nil && slices.Contains(columnsNamed(e.node), name) }
	return in(x.where) || slices.ContainsFunc(x.elements, func(e exclusionElement) bool { return e.column == name || in(e.expr) })
}

// nullsEqual reports whether a unique key tells NULLs apart no more than values.
func (u *uniqueKey) nullsEqual(t *table) bool { return u.nulls && !allNotNull(t, u.columns) }

// keyBetween is what a unique key that is checked at the commit says of the states between
// transactions.
func keyBetween(u *uniqueKey) ir.Exclusion {
	out := ir.Exclusion{Pos: u.pos, Name: u.name, Rows: [2]string{firstRow, secondRow}}
	op := ir.Eq
	if u.nulls {
		op = ir.Is
	}
	for _, c := range u.columns {
		out.Expr = ir.AndE(out.Expr, ir.Op(op, &ir.Col{Row: firstRow, Col: c}, &ir.Col{Row: secondRow, Col: c}))
	}
	return out
}

// hideExclusion makes one a constraint that is not seen.
func (l *Schema) hideExclusion(t *table, x *exclusion, why string) {
	t.hide(&unseen{pos: x.pos, name: x.name, what: "EXCLUDE constraint " + x.name + why, key: true, on: onInsert | onUpdate, tables: []string{t.name}})
}

// exclusions adds the EXCLUDE constraints of t, and those that NULLS NOT DISTINCT
// adds to a unique key.
func (l *loader) exclusions(t *table) {
	for _, x := range t.exclusions {
		if x.deferred || x.deferrable && l.defers {
			l.hideExclusion(t, x, ", which may be checked at commit")
			late := ir.Exclusion{Pos: x.pos, Name: x.name, Rows: [2]string{firstRow, secondRow}}
			if l.exclusionExpr(t, x, &late, new(ir.Expr)) == "" && late.Fault() == "" {
				t.ir.Late = append(t.ir.Late, late)
			}
			continue
		}
		out := ir.Exclusion{Pos: x.pos, Name: x.name, Rows: [2]string{firstRow, secondRow}}
		var ordered ir.Expr
		why := l.exclusionExpr(t, x, &out, &ordered)
		if why == "" {
			why = out.Fault()
		}
		if why != "" {
			l.hideExclusion(t, x, " ("+why+")")
			continue
		}
		t.ir.Exclusions = append(t.ir.Exclusions, out)
		var columns []string
		for _, c := range out.Columns(t.ir) {
			columns = append(columns, t.ir.Columns[c].Name)
		}
		t.coarsen(x.pos, "EXCLUDE constraint "+x.name, out.Expr, columns)
		if ordered != nil {
			t.ir.Checks = append(t.ir.Checks, ir.TableCheck{Pos: x.pos, Name: x.name, Expr: ordered})
		}
	}
}

// exclusionExpr makes the condition of an exclusion, and the check that its ranges
// do not end before they begin, which is an error.
func (l *loader) exclusionExpr(t *table, c *exclusion, out *ir.Exclusion, ordered *ir.Expr) (why string) {
	defer func() {
		if r := recover(); r != nil {
			u, is := r.(unmodelled)
			if !is {
				panic(r)
			}
			why = u.reason
		}
	}()
	where := func(row string) ir.Expr {
		if c.where == nil {
			return nil
		}
		return l.inRow(t, row, c.where.text).boolean(c.where.node, exact)
	}
	for _, el := range c.elements {
		if _, declared := l.operators[el.op]; declared {
			return "the operator " + el.op + ", which is declared here"
		}
		x := l.inRow(t, firstRow, c.text)
		a, b := l.element(t, el, firstRow), l.element(t, el, secondRow)
		v := x.binary(el.op, a, b, el.loc)
		if v.t.name != nBool {
			return "the operator " + el.op
		}
		for _, side := range []val{a, b} {
			if _, compares := comparisons[el.op]; !side.nn && !v.nn && !compares { // operators give NULL for NULL
				out.Expr = ir.AndE(out.Expr, isNotNull(side.e))
			}
		}
		out.Expr = ir.AndE(out.Expr, v.e)
		if r, ok := l.rangeOf(l.element(t, el, t.name)); ok {
			e := x.compare("<=", r.lo, r.hi, el.loc).e
			if w := where(t.name); w != nil {
				e = ir.OrE(ir.NotE(w), e)
			}
			*ordered = ir.AndE(*ordered, e)
		}
	}
	out.Expr = ir.AndE(out.Expr, where(firstRow), where(secondRow))
	return ""
}

// inRow translates expressions over a row of t.
func (l *loader) inRow(t *table, row string, at *syntax.Text) *ex {
	return &ex{l: l, text: at, levels: []*level{{sources: []*rowSource{tableSource(t, t.rel.own(), row)}}}, perRow: true}
}

// element gives the value of an element in a row.
func (l *loader) element(t *table, el exclusionElement, row string) val {
	if el.expr != nil {
		x := l.inRow(t, row, el.expr.text)
		return x.defaultType(x.one(el.expr.node))
	}
	for _, c := range append(slices.Clone(t.columns), t.indexed...) {
		if c.name == el.column {
			return val{e: &ir.Col{Row: row, Col: c.name}, t: c.t, nn: c.notNull}
		}
	}
	panic(unmodelled{"the expression of " + el.column})
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
