package routine

import (
	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/proc"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// selectStmt translates a SELECT that is a statement.
func (b *Builder) selectStmt(f *expr.Frame, t *syntax.Text, s *pg.SelectStmt, pos ir.Pos, to expr.Sink) {
	b.Apart(s, nil)
	if f.Result == nil && f.Trigger == nil {
		b.Always = alwaysCalled(s)
	}
	x := b.Ex(f, t)
	x.WithWrites(s.WithClause, s)
	x.Choose(formOf(x, s, to), func() {
		b.AfterParts(x.Parts, func() {
			if len(s.ValuesLists) > 0 {
				b.values(f, t, s, pos, to)
				return
			}
			q := x.Locking(s, false)
			switch to.Kind {
			case expr.IntoLocals:
				b.SelectInto(f, x, q, pos, to)
			case expr.ToClient:
				b.selectRows(f, x, q, pos)
			default:
				b.perform(f, x, q, pos)
			}
		})
	}, func() { b.AfterParts(x.Parts, func() { b.derivedSelect(f, x, s, pos, to) }) })
}

// alwaysCalled are the functions that a SELECT without rows of anything calls once, as a
// column of its result.
func alwaysCalled(s *pg.SelectStmt) map[*pg.FuncCall]bool {
	if !syntax.AlwaysOneRow(s) || len(s.FromClause) > 0 || s.WithClause != nil || s.HavingClause != nil || len(s.GroupClause) > 0 || s.LimitCount != nil || s.LimitOffset != nil || s.Larg != nil {
		return nil
	}
	out := map[*pg.FuncCall]bool{}
	for _, n := range s.TargetList {
		if target, ok := pg.Inner(n).(*pg.ResTarget); ok {
			if call, ok := pg.Inner(target.Val).(*pg.FuncCall); ok {
				out[call] = true
			}
		}
	}
	return out
}

// formOf finds the form of a SELECT that is a statement.
func formOf(x *query.Place, s *pg.SelectStmt, to expr.Sink) query.Form {
	if len(s.ValuesLists) > 0 {
		if isCutValues(s) {
			return query.Form{Why: cutValues}
		}
		return query.Form{}
	}
	f := x.Form(s, syntax.Use{})
	if f.Why != "" || !f.Loops {
		return f
	}
	switch {
	case to.Kind == expr.IntoLocals:
		f.Why = proc.IntoOfSet
	case to.Kind != expr.ToClient || x.Frame.Result != nil:
		f.Why = performOfSet
	case s.LimitCount != nil || syntax.HasAggregates(s.TargetList):
		f.Why = cutSet
	}
	return f
}

// isCutValues reports whether VALUES is sorted or cut, or stands behind WITH.
func isCutValues(s *pg.SelectStmt) bool {
	return s.LimitCount != nil || s.LimitOffset != nil || len(s.SortClause) > 0 || s.WithClause != nil
}

// What makes a SELECT that is a statement a derivation.
const (
	cutValues    = "VALUES with ORDER BY or LIMIT"
	performOfSet = "PERFORM over a set-returning function"
	cutSet       = "ORDER BY, LIMIT or aggregates over a set-returning function"
)

// perform runs q for its locks and FOUND alone.
func (b *Builder) perform(f *expr.Frame, x *query.Place, q *query.Query, pos ir.Pos) {
	if len(q.Loops) > 0 {
		b.Unmodelled(performOfSet)
	}
	query.SkipRows(b.Draft, q, pos, false)
	yes := ir.C(ir.Bool(true))
	fails := query.AnyMayFail(q.Targets)
	if q.Limit != nil && q.AtMost < 1 {
		b.Unmodelled("LIMIT 0 or of an expression in PERFORM")
	}
	if len(q.From) == 0 {
		b.performOnce(f, q, pos)
		return
	}
	if f.Rowcount != "" && len(q.Aggs) == 0 {
		b.CountRows(f, q.IR(), pos)
		if q.AtMost > 0 {
			c := ir.V(f.Rowcount)
			limit := ir.C(ir.Int(q.AtMost))
			b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Rowcount, Expr: &ir.Cond{If: ir.Op(ir.Gt, c, limit), Then: limit, Else: c}})
		}
	}
	if len(q.Aggs) > 0 {
		b.AggregatesInto(x, q, pos, make([]expr.Dest, len(q.Targets)))
		b.compute(pos, q.Targets)
		b.SetFound(f, pos, yes, nil)
		return
	}
	single := q.AtMost == 1 || b.SingleRow(q.IR())
	if len(q.Locks) > 0 && !single { // of all rows, not only the first
		query.LockRows(b.Draft, q, pos)
		if !fails && f.Found == "" {
			return
		}
	}
	if fails && !single {
		if q.AtMost > 1 {
			b.Unmodelled("LIMIT with what may fail in PERFORM")
		}
		// All rows are computed, not only the first.
		loop := &ir.Foreach{At: expr.At(pos), Query: q.IR(), Order: q.Order, Found: f.Found}
		loop.Into, loop.Cols = []string{b.Local("hit", schema.TBool)}, []ir.Expr{yes}
		b.mayFail(q, &loop.Into, &loop.Cols)
		b.Weak[loop] = true
		b.Emit(loop)
		return
	}
	b.LockFirst(q, pos, false)
	s := &ir.Select{At: expr.At(pos), Query: q.IR(), Order: q.Order, Locks: q.Locks, Found: f.Found}
	b.mayFail(q, &s.Into, &s.Cols)
	b.AtLeastOne(s)
	b.Weak[s] = true
	b.Emit(s)
}

// performOnce is perform of a query without tables.
func (b *Builder) performOnce(f *expr.Frame, q *query.Query, pos ir.Pos) {
	if len(q.Aggs) > 0 {
		b.Unmodelled("an aggregate without FROM")
	}
	found := ir.Expr(ir.C(ir.Bool(true)))
	if q.Where != nil {
		found = ir.Op(ir.Is, q.Where, found)
	}
	computed := b.Collect(func() { b.compute(pos, q.Targets) })
	switch {
	case q.Where == nil:
		b.Out = append(b.Out, computed...)
	case len(computed) > 0 || failure.MayFail(q.Where):
		hit := b.Local("hit", schema.TBool)
		b.Emit(&ir.Assign{At: expr.At(pos), Var: hit, Expr: found})
		found = ir.V(hit)
		if len(computed) > 0 {
			b.Emit(&ir.If{At: expr.At(pos), Cond: found, Then: computed})
		}
	}
	b.SetFound(f, pos, found, nil)
}

// compute evaluates the values that may fail, which nobody looks at.
func (b *Builder) compute(pos ir.Pos, cols []expr.Column) {
	for _, c := range cols {
		if c.Expr != nil && failure.MayFail(c.Expr) {
			b.Emit(&ir.Assign{At: expr.At(pos), Var: b.Local("tmp", c.Type), Expr: c.Expr})
		}
	}
}

// mayFail reads the columns of q that may fail, which nobody looks at.
func (b *Builder) mayFail(q *query.Query, into *[]string, cols *[]ir.Expr) {
	for _, c := range q.Targets {
		if failure.MayFail(c.Expr) {
			*into, *cols = append(*into, b.Local("tmp", c.Type)), append(*cols, c.Expr)
		}
	}
}

// selectRows returns the rows of q to the client, or drops them in a function
// that was called for its effects.
func (b *Builder) selectRows(f *expr.Frame, x *query.Place, q *query.Query, pos ir.Pos) {
	if f.Result != nil {
		b.perform(f, x, q, pos)
		return
	}
	b.checkResult(f, pos, q.Targets)
	query.SkipRows(b.Draft, q, pos, false)
	yes := ir.C(ir.Bool(true))
	cols := make([]ir.Expr, len(q.Targets))
	for i, c := range q.Targets {
		cols[i] = c.Expr
	}
	if len(cols) == 0 { // the number of rows is still seen
		cols = []ir.Expr{yes}
	}
	switch {
	case len(q.Loops) > 0:
		b.loopRows(f, q, pos, cols)
	case len(q.Aggs) > 0:
		if q.AtMost == 0 {
			b.SetFound(f, pos, ir.C(ir.Bool(false)), nil)
			return
		}
		x.EmitAggregates(q, pos)
		b.Emit(&ir.Emit{At: expr.At(pos), Exprs: cols})
		b.SetFound(f, pos, yes, nil)
	case len(q.From) == 0:
		if q.Limit != nil && q.AtMost < 1 {
			b.Unmodelled("LIMIT 0 or of an expression without FROM")
		}
		if q.Where == nil {
			b.Emit(&ir.Emit{At: expr.At(pos), Exprs: cols})
			b.SetFound(f, pos, yes, nil)
			return
		}
		b.Emit(&ir.If{At: expr.At(pos), Cond: q.Where, Then: b.Collect(func() {
			b.Emit(&ir.Emit{At: expr.At(pos), Exprs: cols})
			b.SetFound(f, pos, yes, nil)
		}), Else: b.Collect(func() { b.SetFound(f, pos, ir.C(ir.Bool(false)), nil) })})
	default:
		if f.Found != "" || f.Rowcount != "" {
			if q.Limit != nil {
				b.Unmodelled("FOUND after RETURN QUERY with LIMIT")
			}
			if f.Rowcount != "" {
				b.CountRows(f, q.IR(), pos)
			}
			if f.Found != "" {
				b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Found, Expr: &ir.Exists{Query: q.IR()}})
			}
		}
		if q.Limit != nil { // it is for LockRows to tell which rows come
			query.LooseInner(b.Draft, q)
			query.LockRows(b.Draft, q, pos)
		}
		query.FetchAll(b.Draft, q)
		b.Emit(&ir.EmitRows{At: expr.At(pos), Cols: cols, Query: q.IR(), Order: q.Order, Limit: q.Limit, Locks: q.Locks})
	}
}

// loopRows returns the rows of a set-returning function one by one.
func (b *Builder) loopRows(f *expr.Frame, q *query.Query, pos ir.Pos, cols []ir.Expr) {
	if q.Limit != nil || len(q.Order) > 0 || len(q.Aggs) > 0 {
		b.Unmodelled(cutSet)
	}
	b.SetFound(f, pos, ir.C(ir.Bool(false)), ir.C(ir.Int(0)))
	b.Each(q, pos, "", "", func() {
		if len(q.From) == 0 {
			b.Emit(&ir.Emit{At: expr.At(pos), Exprs: cols})
			b.CountOne(f, pos)
			return
		}
		if f.Rowcount != "" || f.Found != "" {
			b.Unmodelled("FOUND after RETURN QUERY from a set-returning function and a table")
		}
		b.Emit(&ir.EmitRows{At: expr.At(pos), Cols: cols, Query: q.IR(), Locks: q.Locks})
	})
}

// values is VALUES (…), (…) as a statement.
func (b *Builder) values(f *expr.Frame, t *syntax.Text, s *pg.SelectStmt, pos ir.Pos, to expr.Sink) {
	if isCutValues(s) {
		b.Unmodelled(cutValues)
	}
	for i, row := range s.ValuesLists {
		x := b.Ex(f, t)
		q := &query.Query{Place: x, AtMost: -1}
		for _, n := range pg.Inner(row).(*pg.List).Items {
			v := x.DefaultType(x.One(n))
			q.Targets = append(q.Targets, expr.Column{Name: "column", Expr: v.Expr, Type: v.Type, NotNull: v.NotNull})
		}
		switch to.Kind {
		case expr.IntoLocals:
			b.SelectInto(f, x, q, pos, to)
			return
		case expr.ToClient:
			b.selectRows(f, x, q, pos)
			if i > 0 {
				b.SetCount(f, pos, nil, ir.C(ir.Int(int64(i+1))))
			}
		}
	}
}
