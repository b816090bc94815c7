package query

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// recursion translates a query of WITH RECURSIVE that names itself.
func (x *Place) recursion(c *pg.CommonTableExpr, s *pg.SelectStmt) *Derived {
	if why := syntax.OddRecursion(c, s); why != "" {
		x.Unmodelled("WITH RECURSIVE %s", why)
	}
	y := x.Copy()
	y.Fetched = FetchedSome
	base := y.settled(s.Larg)
	rename(base, syntax.Names(c.Aliascolnames))
	for i := range base.Cols {
		base.Cols[i].NotNull = false // of the rows of the first round, and not of the others
	}
	again := &ir.Recursion{Name: y.RowName(c.Ctename), All: s.All, Base: base.Rel}
	y.Deriver.Rows[again.Name] = true
	z := y.Copy()
	z.Ctes = &ctes{name: c.Ctename, up: y.Ctes, make: func(*Place) *Derived {
		return &Derived{Rel: &ir.Working{Name: again.Name, Cols: ir.Columns(base.Rel)}, Cols: slices.Clone(base.Cols)}
	}}
	step := z.settled(s.Rarg)
	x.sameColumns(c, base, step, s)
	again.Step = step.Rel
	return &Derived{Rel: again, Cols: base.Cols, nonEmpty: base.nonEmpty}
}

// sameColumns makes sure that the rounds of a recursive query have the columns of its first part, which says of what types they are.
func (x *Place) sameColumns(c *pg.CommonTableExpr, base, step *Derived, s *pg.SelectStmt) {
	if len(base.Cols) != len(step.Cols) {
		x.Fail(int32(max(pg.Start(s.Rarg), 0)), "both parts of the recursive query %s need the same number of columns, but there are %d and %d", c.Ctename, len(base.Cols), len(step.Cols))
	}
	for i, col := range base.Cols {
		if t := x.commonColumn(col.Type, step.Cols[i].Type, "UNION"); !t.Same(col.Type) {
			x.Unmodelled("WITH RECURSIVE whose column %s has another type in its second part", col.Name)
		}
		if !s.All {
			x.ByIdentityOnly(col.Type, "UNION")
		}
	}
	x.retype(step, slices.Clone(base.Cols))
}
