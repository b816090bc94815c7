package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// derivedSelect is a SELECT statement that is a derivation.
func (b *Routine) derivedSelect(f *query.Frame, x *query.Place, s *pg.SelectStmt, pos ir.Pos, to query.Sink) {
	oneGroup := len(s.GroupClause) == 0 && syntax.HasAggregates(s.TargetList)
	rows := query.FetchedAll
	if to.Kind == query.IntoLocals && !to.Whole && !to.Strict && !oneGroup {
		rows = query.FetchedFirst
	}
	d := x.Whole(s, rows)
	found := func() ir.Expr { return d.Call(ir.WantAny, ir.BoolType) }
	count := func() ir.Expr {
		if f.Rowcount == "" {
			return nil
		}
		return d.Call(ir.WantCount, ir.IntType)
	}
	switch {
	case to.Kind == query.IntoLocals:
		list, rest := to.Dests(d.Cols)
		b.SetFound(f, pos, found(), nil)
		if to.Strict {
			if !d.Single {
				b.Require(pos, ir.NotE(d.Call(ir.WantMany, ir.BoolType)), query.TooManyRows)
			}
			b.Strict(to, pos, found())
		}
		first := b.IrLocal("first", ir.OpaqueType)
		b.Emit(&ir.Assign{At: query.At(pos), Var: first, Expr: d.Call(ir.WantFirst, ir.OpaqueType)})
		b.AssignAll(x, pos, list, d.Fields(ir.V(first)))
		b.SetNull(pos, rest)
	case to.Kind == query.ToClient && f.Result == nil:
		b.checkResult(f, pos, d.Cols)
		b.Emit(&ir.Emit{At: query.At(pos), Exprs: []ir.Expr{d.Call(ir.WantRows, ir.ArrayType(ir.KindOpaque))}})
		b.SetFound(f, pos, found(), count())
	default:
		switch {
		case !b.RelMayFail(d.Rel):
		case failsForRows(d.Rel):
			b.RowsLocal(d, ir.WantRows, pos) // for its errors
		default:
			b.Unmodelled(query.UnusedRows)
		}
		b.SetFound(f, pos, found(), count())
	}
}
