package query

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// WriteTarget is Target for a statement that may write the rows of a table through a view.
// The row that it gives is that of the table; the place sees that of the view.
func (x *Place) WriteTarget(r *pg.RangeVar) (*Place, *expr.RowSource) {
	v := x.viewOf(r)
	if v == nil {
		return x.Target(r)
	}
	what := v.What + " (" + syntax.PlainName(syntax.RangeName(r)) + ")"
	switch {
	case v.Guarded != "":
		x.Unmodelled("%s with %s", what, v.Guarded)
	case !syntax.ChoosesRows(v.Query, func(name string) bool { return len(x.Functions(name)) > 0 }):
		x.Unmodelled("%s that is more than a choice of rows and columns of one table", what)
	case x.Parts != nil:
		x.Unmodelled("%s, behind a WITH query that writes", what)
	}
	y := x.Inner()
	q := NewQuery(y)
	conds, ok := q.flat(viewQuery(x, v, r))
	if !ok || len(q.From) != 1 {
		x.Unmodelled("%s", what)
	}
	var row *expr.RowSource
	for _, s := range q.Level.Sources {
		if s.Row == q.From[0].Row {
			row = expr.TableSource(s.Table, s.Table.Name, s.Row)
		}
	}
	seen := q.Level.Sources[len(q.Level.Sources)-1]
	seen.Row, seen.Table = row.Row, row.Table
	row.Through = &expr.Through{Alias: seen.Alias, Cols: seen.Cols, Where: ir.AndE(conds...)}
	q.Level.Sources = []*expr.RowSource{seen}
	x.InView(v).WriteTarget(pg.Inner(v.Query.FromClause[0]).(*pg.RangeVar)) // which may refuse it
	return y, row
}

// InsertTarget finds the table that an INSERT writes, and the view through which it does, if
// there is one.
func (x *Place) InsertTarget(r *pg.RangeVar) (*schema.Table, *expr.Through) {
	if x.viewOf(r) == nil {
		return x.TableOf(r), nil
	}
	_, row := x.WriteTarget(r)
	return row.Table, row.Through
}
