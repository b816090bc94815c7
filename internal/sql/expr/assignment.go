package expr

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
)

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
		return x.Volatile("nextval", c.T, pos)
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
