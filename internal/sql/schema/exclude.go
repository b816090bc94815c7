package schema

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// Exclusion is an EXCLUDE constraint.
type Exclusion struct {
	Pos                  ir.Pos
	Name                 string
	parts                []string // of a name that PostgreSQL makes
	Text                 *syntax.Text
	Elements             []ExclusionElement
	Where                *SqlExpr
	Deferred, Deferrable bool
}

// ExclusionElement is what an operator compares of two rows: a column (perhaps
// one that only the IR has), or an expression over the row.
type ExclusionElement struct {
	Column string
	Expr   *SqlExpr
	Op     string
	Loc    int32
}

// addExclusion takes over EXCLUDE. An expression that may fail is a column of its
// own, which is computed when the row is written.
func (l *Schema) addExclusion(tab *Table, k *pg.Constraint, t *syntax.Text) {
	x := &Exclusion{Pos: t.Pos(int(k.Location)), Name: k.Conname, Text: t, Deferred: k.Initdeferred, Deferrable: k.Deferrable}
	if k.WhereClause != nil {
		x.Where = &SqlExpr{k.WhereClause, t}
	}
	for _, n := range k.Exclusions {
		pair := pg.Inner(n).(*pg.List).Items
		e := pg.Inner(pair[0]).(*pg.IndexElem)
		el := ExclusionElement{Column: e.Name, Op: syntax.OperatorName(pg.Inner(pair[1]).(*pg.List).Items), Loc: k.Location}
		part := e.Name
		if e.Name == "" {
			el.Expr, part = &SqlExpr{e.Expr, t}, "expr"
			if f, ok := pg.Inner(e.Expr).(*pg.FuncCall); ok {
				part = syntax.LastPart(syntax.Qualified(syntax.Names(f.Funcname)))
			}
		} else {
			l.checkColumns(tab, x.Pos, []string{e.Name})
		}
		x.Elements, x.parts = append(x.Elements, el), append(x.parts, part)
	}
	x.Name = syntax.NameOr(x.Name, x.defaultName(tab))
	for i := range x.Elements {
		if el := &x.Elements[i]; el.Expr != nil && !rangeOfColumns(el.Expr.Node) {
			c := &Column{Pos: x.Pos, Name: x.Name + " " + strconv.Itoa(i+1), Generated: el.Expr, index: true}
			tab.Indexed = append(tab.Indexed, c)
			el.Column, el.Expr = c.Name, nil
		}
	}
	tab.Exclusions = append(tab.Exclusions, x)
}

// defaultName is the name of the constraint where none is given.
func (x *Exclusion) defaultName(tab *Table) string {
	return tab.Rel.Own() + "_" + strings.Join(append(slices.Clone(x.parts), "excl"), "_")
}

// rangeOfColumns reports whether an expression is a range between columns or
// constants.
func rangeOfColumns(n *pg.Node) bool {
	f, ok := pg.Inner(n).(*pg.FuncCall)
	if !ok {
		return false
	}
	if _, ok := RangeBounds[syntax.PlainName(syntax.Qualified(syntax.Names(f.Funcname)))]; !ok {
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

// Uses reports whether the constraint is about a column.
func (x *Exclusion) Uses(name string) bool {
	in := func(e *SqlExpr) bool { return e != nil && slices.Contains(ColumnsNamed(e.Node), name) }
	return in(x.Where) || slices.ContainsFunc(x.Elements, func(e ExclusionElement) bool { return e.Column == name || in(e.Expr) })
}

// NullsEqual reports whether a unique key tells NULLs apart no more than values.
func (u *UniqueKey) NullsEqual(t *Table) bool { return u.Nulls && !allNotNull(t, u.Columns) }

// HideExclusion makes one a constraint that is not seen.
func (l *Schema) HideExclusion(t *Table, x *Exclusion, why string) {
	t.Hide(&Unseen{Pos: x.Pos, Name: x.Name, What: "EXCLUDE constraint " + x.Name + why, Key: true, On: OnInsert | OnUpdate, Tables: []string{t.Name}})
}
