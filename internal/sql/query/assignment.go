package query

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// SetValue gives the value of one SET item.
func (y *Place) SetValue(c *schema.Column, r *pg.ResTarget, multi map[*pg.Node][]Val) Val {
	switch e := pg.Inner(r.Val).(type) {
	case *pg.SetToDefault:
		return y.DefaultOf(c, y.Pos(r.Location))
	case *pg.MultiAssignRef: // (a, b) = (…)
		vs, ok := multi[e.Source]
		if !ok {
			vs = y.multiValues(e.Source, r.Location)
			multi[e.Source] = vs
		}
		if int(e.Ncolumns) != len(vs) {
			y.Fail(r.Location, "%d columns are set to %d values", e.Ncolumns, len(vs))
		}
		return vs[e.Colno-1]
	}
	return y.Expr(r.Val)
}

// multiValues gives the values of a row or of a subquery with several columns.
func (y *Place) multiValues(n *pg.Node, loc int32) []Val {
	switch e := pg.Inner(n).(type) {
	case *pg.RowExpr:
		var out []Val
		for _, a := range y.Expanded(e.Args) {
			if _, isDefault := pg.Inner(a).(*pg.SetToDefault); isDefault {
				y.Unmodelled("DEFAULT in a row of values")
			}
			out = append(out, y.Expr(a))
		}
		return out
	case *pg.SubLink:
		sel, ok := pg.Inner(e.Subselect).(*pg.SelectStmt)
		if !ok {
			break
		}
		q := y.uncorrelated(sel)
		SkipRows(y.Draft, q, y.Pos(loc), true)
		y.lockSub(q, y.Pos(loc))
		if len(q.From) == 0 || q.Limit != nil && q.AtMost != 1 {
			y.Unmodelled("this form of subquery in SET")
		}
		if len(q.Aggs) > 0 {
			y.EmitAggregates(q, y.Pos(loc))
		} else {
			y.oneRow(q, y.Pos(loc))
			y.lockValue(q)
			sel := &ir.Select{At: At(y.Pos(loc)), Query: q.IR(), Order: q.Order, Locks: q.Locks}
			for i, c := range q.Targets {
				local := y.Draft.Local(c.Name, c.Type)
				sel.Into, sel.Cols = append(sel.Into, local), append(sel.Cols, c.Expr)
				q.Targets[i] = Column{Name: c.Name, Expr: ir.V(local), Type: c.Type}
			}
			y.Draft.Emit(sel)
		}
		var out []Val
		for _, c := range q.Targets {
			out = append(out, c.Val())
		}
		return out
	}
	v := y.Expr(n)
	if !v.Record {
		y.Fail(loc, "several columns are set to one value")
	}
	var out []Val
	for _, c := range v.Fields {
		out = append(out, c.Val())
	}
	return out
}

// SetElement is SET a[i] = v, or a field of a composite column: the column
// becomes a function of its old value.
func (y *Spot) SetElement(s *RowSource, c *schema.Column, r *pg.ResTarget, v Val) Val {
	args := []ir.Expr{s.Col(c.Name).Expr}
	name := "set"
	for _, n := range r.Indirection {
		switch i := pg.Inner(n).(type) {
		case *pg.A_Indices:
			if i.IsSlice {
				y.Unmodelled("SET of a slice of an array")
			}
			args = append(args, y.DefaultType(y.One(i.Uidx)).Expr)
		case *pg.String:
			name += " " + i.Sval
		}
	}
	y.NoRow(v)
	if v.Type.Name == schema.NUnknown && c.T.Name == schema.NArray {
		v = y.Literal(v, c.T.Element(), r.Location)
	}
	args = append(args, y.DefaultType(v).Expr)
	return Val{Expr: &ir.Call{Name: name, Args: args, Type: LocalType(c.T)}, Type: c.T}
}

// DefaultOf gives the default of a column.
func (x *Spot) DefaultOf(c *schema.Column, pos ir.Pos) Val {
	switch {
	case c.Fresh && x.PerRow:
		return x.volatile("nextval", c.T, pos)
	case c.Fresh:
		return Val{Expr: x.Draft.nextval(pos, c.Sequence, c.Name, c.T), Type: c.T, NotNull: true}
	}
	return x.Draft.defaultValue(c, x.PerRow)
}

// defaultValue is the default of a column that is no sequence.
func (b *Draft) defaultValue(c *schema.Column, perRow bool) Val {
	if c.Def == nil {
		return Val{Expr: ir.C(ir.Null), Type: c.T}
	}
	y := &Spot{App: b.App, Draft: b, Text: c.Def.Text, PerRow: perRow, Queries: b.App.Queries}
	if perRow {
		y.Levels = []*Level{{}} // no columns, but evaluated for each row
	}
	v := y.Expr(c.Def.Node)
	return Val{Expr: y.Convert(v, c.T, y.At(c.Def.Node), "column "+c.Name), Type: c.T, NotNull: v.NotNull}
}
