package write

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// start sets FOUND, ROW_COUNT and what RETURNING gives to nothing, where rows add up.
func (i *inserter) start() {
	if !i.many {
		return
	}
	b := i.b
	b.keepsFound(i.f, nil)
	b.SetFound(i.f, i.pos, ir.C(ir.Bool(false)), ir.C(ir.Int(0)))
	switch {
	case !i.ret():
	case i.to.Kind == expr.IntoRows:
		i.noRow(nil)
	case i.to.Only:
		b.Unmodelled("RETURNING of several rows")
	case i.to.Kind == expr.IntoLocals:
		if b.Caught(expr.TooManyRows) {
			b.Unmodelled("RETURNING of an INSERT of several rows, where several are handled")
		}
		i.seen = b.Local("seen", schema.TBool)
		b.Emit(&ir.Assign{At: expr.At(i.pos), Var: i.seen, Expr: ir.C(ir.Bool(false))})
	}
}

// finish gives the locals of RETURNING their values where several rows could have been inserted: the statement sees them as
// they were before. They are NULL if no row was.
func (i *inserter) finish() {
	if i.seen == "" {
		return
	}
	b := i.b
	given := func() {
		list, rest := i.to.Dests(i.columns)
		for k, d := range list {
			if d.Local != "" {
				b.Emit(&ir.Assign{At: expr.At(i.pos), Var: d.Local, Expr: ir.V(i.taken[k])})
			}
		}
		b.SetNull(i.pos, rest)
	}
	b.Emit(&ir.If{At: expr.At(i.pos), Cond: ir.V(i.seen), Then: b.Collect(given), Else: b.Collect(func() { i.noRow(i.columns) })})
}

// apart gives locals that take the first row until the statement ends.
func (i *inserter) apart(list []expr.Dest) []expr.Dest {
	out := slices.Clone(list)
	for k, d := range out {
		if k == len(i.taken) {
			i.taken = append(i.taken, "")
		}
		if d.Local != "" && i.taken[k] == "" {
			i.taken[k] = i.b.Local("first", d.T)
		}
		out[k].Local = i.taken[k]
	}
	return out
}

// returned translates RETURNING over a row; excluded columns are those of the
// proposed row.
func (i *inserter) returned(row, proposed *expr.RowSource) []expr.Column {
	y := i.x.Copy()
	named := *row
	named.Alias, named.Through = syntax.AliasOf(i.s.Relation), i.through
	y.Levels = append(append([]*expr.Level{}, y.Levels...), &expr.Level{Sources: []*expr.RowSource{named.Seen()}})
	q := query.NewQuery(y)
	if len(i.s.ReturningClause.Options) > 0 {
		i.b.Unmodelled("RETURNING WITH")
	}
	for k, n := range i.s.ReturningClause.Exprs {
		if cols, known := i.early[k]; known {
			q.Targets = append(q.Targets, i.filled(cols, row)...)
			continue
		}
		q.AddTarget(pg.Inner(n).(*pg.ResTarget))
	}
	for k, c := range q.Targets {
		q.Targets[k].Expr = ir.MapExpr(c.Expr, func(e ir.Expr) ir.Expr {
			if col, ok := e.(*ir.Col); ok && col.Row == ir.Excluded {
				return proposed.Col(col.Col).Expr
			}
			return e
		})
	}
	return q.Targets
}

// returning gives the values of RETURNING for an inserted row. done, if not
// nil, says whether a row was inserted or updated; before is what was read of
// the row in conflict.
func (i *inserter) returning(row *expr.RowSource, done ir.Expr, before *conflictRow) {
	b := i.b
	cols := i.returned(row, row)
	if before != nil {
		for k := range cols {
			cols[k].Expr = &ir.Cond{If: ir.V(before.found), Then: before.cols[k].Expr, Else: cols[k].Expr}
		}
	}
	i.columns = cols
	give := func() { i.give(cols) }
	switch {
	case done == nil:
		give()
	case i.many:
		b.Emit(&ir.If{At: expr.At(i.pos), Cond: done, Then: b.Collect(give)})
	default:
		b.Emit(&ir.If{At: expr.At(i.pos), Cond: done, Then: b.Collect(give), Else: b.Collect(func() { i.noRow(cols) })})
	}
}

// give passes on what RETURNING gives for a row.
func (i *inserter) give(cols []expr.Column) {
	b := i.b
	switch i.to.Kind {
	case expr.IntoRows:
		e := &ir.Call{Name: irnames.RowsAgg, Args: []ir.Expr{i.to.Rows.Take(&i.x.Spot, cols)}, Type: ir.ArrayType(ir.KindOpaque)}
		if i.many {
			e.Name, e.Args = irnames.RowsWith, append([]ir.Expr{ir.V(i.to.Rows.Local)}, e.Args...)
		}
		b.Emit(&ir.Assign{At: expr.At(i.pos), Var: i.to.Rows.Local, Expr: e})
	case expr.IntoLocals:
		assign := func() {
			list, rest := i.to.Dests(cols)
			if i.seen != "" {
				list, rest = i.apart(list), nil
			}
			b.AssignAll(i.x, i.pos, list, cols)
			b.SetNull(i.pos, rest)
		}
		switch {
		case i.seen == "":
			assign()
			return
		case i.f.Func.Body != nil: // PL/pgSQL refuses several rows
			b.Require(i.pos, ir.NotE(ir.V(i.seen)), expr.TooManyRows)
			assign()
		default:
			b.Emit(&ir.If{At: expr.At(i.pos), Cond: ir.NotE(ir.V(i.seen)), Then: b.Collect(assign)})
		}
		b.Emit(&ir.Assign{At: expr.At(i.pos), Var: i.seen, Expr: ir.C(ir.Bool(true))})
	default:
		if i.f.Result == nil {
			b.EmitRow(i.pos, cols)
		}
	}
}

// noRow is what becomes of the values of RETURNING where there is no row.
func (i *inserter) noRow(cols []expr.Column) {
	switch i.to.Kind {
	case expr.IntoRows:
		i.b.Emit(&ir.Assign{At: expr.At(i.pos), Var: i.to.Rows.Local, Expr: &ir.Call{Name: irnames.RowsAgg, Type: ir.ArrayType(ir.KindOpaque)}})
	case expr.IntoLocals:
		list, rest := i.to.Dests(cols)
		i.b.SetNull(i.pos, append(list, rest...))
		i.b.Strict(i.to, i.pos, ir.C(ir.Bool(false)))
	}
}
