package query

import (
	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/trace"
)

// subCondition translates EXISTS, IN, ANY and ALL of a subquery; nil if the
// subquery is something else.
func (x *Place) subCondition(e *pg.SubLink, m expr.Mode) (out ir.Expr) {
	s, ok := pg.Inner(e.Subselect).(*pg.SelectStmt)
	if !ok {
		return nil
	}
	use := syntax.Use{Nested: true}
	switch {
	case e.SubLinkType != pg.SubExists && e.SubLinkType != pg.SubAny && e.SubLinkType != pg.SubAll:
		return nil
	case e.SubLinkType == pg.SubExists:
		use.Whether = true
	case syntax.HasAggregates(s.TargetList):
		use.Once = true
	case syntax.IsLimited(s):
		use.Limited, use.Once = true, true
	default:
		use.Distinct = s.LimitCount == nil
	}
	op, mode, all := syntax.OperatorOf(e), m, e.SubLinkType == pg.SubAll
	if all { // x op ALL (q) is NOT (x negated-op ANY (q))
		op, mode = x.negation(op, m)
	}
	x.Choose(x.Form(s, use), func() {
		switch {
		case use.Whether:
			out = x.exists(s)
		case !all && syntax.SkipsLocked(s) && op == "=":
			out = x.anySkipping(x.Expr(e.Testexpr), s, e.Location, m, false)
		default:
			out = x.any(e, s, op, mode)
		}
	}, func() {
		if !use.Whether {
			out = x.derivedAny(e, s, op, mode)
			return
		}
		d := x.derivation(s)
		x.Succeeds(d, false)
		out = d.Call(ir.WantAny, ir.BoolType)
	})
	if all {
		out = ir.NotE(out)
	}
	return out
}

// negation gives the operator that is true where op is false, and the mode of what it is in.
func (x *Place) negation(op string, m expr.Mode) (string, expr.Mode) {
	neg, ok := negated[op]
	if !ok {
		x.Unmodelled("the operator %s ALL", op)
	}
	switch m {
	case expr.Truth:
		m = expr.NonFalse
	case expr.NonFalse:
		m = expr.Truth
	}
	return neg, m
}

var negated = map[string]string{"=": "<>", "<>": "=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// subquery translates a query inside of an expression.
func (x *Place) subquery(s *pg.SelectStmt, anyRow bool) *Query {
	if x.Draft == nil {
		panic(schema.Unmodelled{Reason: "a subquery"})
	}
	q := x.Locking(s, anyRow)
	if len(q.Loops) > 0 {
		x.Unmodelled(noSet)
	}
	return q
}

func (x *Place) exists(s *pg.SelectStmt) ir.Expr {
	q := x.subquery(s, true)
	if len(q.After) > 0 || AnyMayFail(q.Targets) {
		x.Unmodelled("EXISTS of columns that may fail")
	}
	x.lockOne(q, x.Pos(int32(max(pg.Start(s), 0))))
	switch {
	case q.AtMost == 0:
		return ir.C(ir.Bool(false))
	case q.Limit != nil && q.AtMost < 0:
		x.Unmodelled("LIMIT of an expression in EXISTS")
	case len(q.Aggs) > 0:
		return ir.C(ir.Bool(true))
	}
	return existsE(q, nil)
}

// existsE says that q has a row for which cond, too, holds.
func existsE(q *Query, cond ir.Expr) ir.Expr {
	w := ir.AndE(q.IR().Where, cond)
	if len(q.From) > 0 {
		return &ir.Exists{Query: ir.Query{From: q.From, Where: w}}
	}
	if w == nil {
		return ir.C(ir.Bool(true))
	}
	return ir.Op(ir.Is, w, ir.C(ir.Bool(true)))
}

// members is what a value is compared with by ANY: the columns of a query.
func (x *Place) members(v expr.Val, cols []expr.Column, loc int32) expr.Val {
	switch {
	case v.Record:
		return expr.Val{Type: schema.TRecord, Record: true, Fields: cols}
	case len(cols) != 1:
		x.Fail(loc, "the subquery has %d columns, but one value is compared", len(cols))
	}
	return cols[0].Val()
}

// anyRow is a comparison with ANY, where exists says that it has some result for a row. Where NULL
// is not told from false or true it is one EXISTS; otherwise it is NULL when no row gives true and
// some row NULL.
func anyRow(c expr.Val, m expr.Mode, exists func(ir.Expr) ir.Expr) ir.Expr {
	isNull := &ir.Unary{Op: ir.IsNull, X: c.Expr}
	switch {
	case c.NotNull || m == expr.Truth:
		return exists(c.Expr)
	case m == expr.NonFalse:
		return exists(ir.OrE(c.Expr, isNull))
	}
	return &ir.Cond{If: exists(c.Expr), Then: ir.C(ir.Bool(true)),
		Else: &ir.Cond{If: exists(isNull), Then: ir.C(ir.Null), Else: ir.C(ir.Bool(false))}}
}

// any is x op ANY (subquery).
func (x *Place) any(e *pg.SubLink, s *pg.SelectStmt, op string, m expr.Mode) ir.Expr {
	if expr.IsCtid(e.Testexpr) {
		x = x.ofTid()
	}
	v := x.Expr(e.Testexpr)
	var q *Query
	if syntax.HasAggregates(s.TargetList) || syntax.IsLimited(s) {
		q = x.before(s, x.Pos(e.Location), !syntax.HasAggregates(s.TargetList))
	} else {
		q = x.distinctFree(s)
	}
	LooseLocks(x.Draft, q, x.Pos(e.Location), "of which it is not known how many rows are fetched")
	if q.Limit != nil {
		x.Unmodelled("LIMIT in a subquery of IN")
	}
	cols := x.members(v, q.Targets, e.Location)
	var c expr.Val
	if v.Type.IsTid() {
		c = expr.SameTid(&x.Spot, op, v, cols)
	} else {
		c = q.Place.Binary(op, v, cols, e.Location)
	}
	if len(q.Aggs) > 0 {
		// One row of aggregates: a comparison with them.
		x.EmitAggregates(q, x.Pos(e.Location))
		return c.Expr
	}
	if own := x.ownRows(q, c.Expr); own != nil && syntax.IsLimited(s) && (c.NotNull || m == expr.Truth) {
		if m != expr.Truth {
			own = ir.Op(ir.Is, own, ir.C(ir.Bool(true)))
		}
		return own
	}
	x.Draft.Applied(trace.ExistsForAny, x.Pos(e.Location))
	return anyRow(c, m, func(cond ir.Expr) ir.Expr { return existsE(q, cond) })
}

// ownRows is the condition on the row of the query around q under which q has a row for which cond holds, where that
// is the same row: nil if cond does not say so.
func (x *Place) ownRows(q *Query, cond ir.Expr) ir.Expr {
	if len(q.From) != 1 || len(x.Levels) == 0 || len(q.Aggs) > 0 || q.AtMost == 0 {
		return nil
	}
	src := q.From[0]
	for _, o := range x.Levels[len(x.Levels)-1].Sources {
		if o.Table != nil && o.Row != "" && o.Table.IR == src.Table && sameRow(src.Table, o.Row, src.Row, cond) {
			out := RenameRow(ir.AndE(q.Where, cond), src.Row, o.Row)
			if out = withoutSelf(out, o); out == nil {
				out = ir.C(ir.Bool(true))
			}
			return out
		}
	}
	return nil
}

// withoutSelf leaves out of a condition that the key columns of a row equal themselves.
func withoutSelf(cond ir.Expr, s *expr.RowSource) ir.Expr {
	var out ir.Expr
	for _, c := range ir.Conjuncts(cond) {
		if eq, ok := c.(*ir.Binary); !ok || eq.Op != ir.Eq || !isKeyOf(s, eq.X, eq.Y) {
			out = ir.AndE(out, c)
		}
	}
	return out
}

// distinctFree translates a subquery in which DISTINCT makes no difference.
func (x *Place) distinctFree(s *pg.SelectStmt) *Query {
	if len(s.DistinctClause) == 0 || s.LimitCount != nil {
		return x.subquery(s, false)
	}
	distinct := s.DistinctClause
	s.DistinctClause = nil
	defer func() { s.DistinctClause = distinct }()
	return x.subquery(s, false)
}

// subLink translates a subquery in an expression.
func (x *Place) subLink(e *pg.SubLink) expr.Val {
	if c := x.subCondition(e, expr.Exact); c != nil {
		return expr.Val{Expr: c, Type: schema.TBool, NotNull: e.SubLinkType == pg.SubExists}
	}
	s, ok := pg.Inner(e.Subselect).(*pg.SelectStmt)
	if !ok {
		x.Unmodelled("this kind of subquery")
	}
	use := syntax.Use{Nested: true, Once: true, Limited: syntax.IsLimited(s)}
	var out expr.Val
	x.Choose(x.Form(s, use), func() {
		switch e.SubLinkType {
		case pg.SubExpr:
			out = x.Scalar(s, x.Pos(e.Location))
		case pg.SubArray:
			out = x.arrayOfRows(s, x.Pos(e.Location))
		default:
			x.Unmodelled("this kind of subquery")
		}
	}, func() { out = x.derivedValue(e, s) })
	return out
}

// uncorrelated translates a subquery that must not depend on the rows of the
// queries around it, so that it can run before the statement.
func (x *Place) uncorrelated(s *pg.SelectStmt) *Query {
	var saved []bool
	for _, lv := range x.Levels {
		saved = append(saved, lv.Used)
		lv.Used = false
	}
	defer func() { // also where the subquery is not modelled, and is tried in another way
		for i, lv := range x.Levels {
			lv.Used = saved[i]
		}
	}()
	q := x.subquery(s, false)
	for _, lv := range x.Levels {
		if lv.Used {
			x.Unmodelled(isCorrelated)
		}
	}
	if (x.Conditional || x.PerRow) && (failure.MayFail(q.Where) || AnyMayFail(q.Targets)) {
		x.Unmodelled("a subquery that may fail under a condition")
	}
	return q
}

// before is uncorrelated, where LIMIT and OFFSET choose rows if cut says so.
func (x *Place) before(s *pg.SelectStmt, pos ir.Pos, cut bool) *Query {
	if !cut || !syntax.IsLimited(s) {
		return x.uncorrelated(s)
	}
	q, _ := x.chosen(s, pos)
	return q
}

// AnyMayFail reports whether computing a column may end in an error.
func AnyMayFail(cols []expr.Column) bool {
	for _, c := range cols {
		if failure.MayFail(c.Expr) {
			return true
		}
	}
	return false
}

// Scalar translates a subquery used as a value: it runs before the statement.
func (x *Place) Scalar(s *pg.SelectStmt, pos ir.Pos) expr.Val {
	q := x.before(s, pos, s.LimitOffset != nil)
	if len(q.Targets) != 1 {
		x.App.Fail(pos, "a subquery used as a value must have one column, not %d", len(q.Targets))
	}
	c := q.Targets[0]
	if len(q.Aggs) > 0 && q.AtMost != 0 {
		x.Draft.Applied(trace.RunBefore, pos)
		x.lockSub(q, pos)
		x.EmitAggregates(q, pos)
		return c.Val()
	}
	SkipRows(x.Draft, q, pos, true)
	x.lockSub(q, pos)
	if q.Limit != nil && q.AtMost < 0 {
		x.Unmodelled("LIMIT of an expression in a subquery")
	}
	switch {
	case q.AtMost == 0:
		return expr.Val{Expr: ir.C(ir.Null), Type: c.Type}
	case len(q.From) == 0 && q.Where == nil:
		return c.Val()
	case len(q.From) == 0:
		return expr.Val{Expr: &ir.Cond{If: q.Where, Then: c.Expr, Else: ir.C(ir.Null)}, Type: c.Type}
	}
	base := c.Name
	if base == "?column?" {
		base = "tmp"
	}
	x.oneRow(q, pos)
	x.lockValue(q)
	local := x.Draft.Local(base, c.Type)
	x.Draft.Applied(trace.RunBefore, pos)
	x.Draft.Emit(&ir.Select{At: expr.At(pos), Into: []string{local}, Cols: []ir.Expr{c.Expr}, Query: q.IR(), Order: q.Order, Locks: q.Locks})
	return expr.Val{Expr: ir.V(local), Type: c.Type}
}

// oneRow says that a subquery used as a value has no second row, which is an
// error. To ignore it would be wrong: whether there is one depends on rows that
// the value does not show.
func (x *Place) oneRow(q *Query, pos ir.Pos) {
	switch {
	case q.AtMost == 1 || x.Draft.SingleRow(q.IR()):
	case x.Conditional || x.PerRow:
		x.Unmodelled("a subquery that may have several rows, in a place where it may not run")
	default:
		AtMostOne(x.Draft, q.IR(), pos, expr.Cardinality)
	}
}

// lockValue leaves in q, a subquery used as a value, the locks for its row.
func (x *Place) lockValue(q *Query) {
	if q.Limit == nil {
		FetchAll(x.Draft, q) // there is no other row
	} else {
		LooseInner(x.Draft, q)
	}
}

// lockOne locks the row of q that EXISTS fetches: the first one of ORDER BY, which locks keep.
func (x *Place) lockOne(q *Query, pos ir.Pos) {
	switch {
	case q.AtMost == 0:
	case len(q.Aggs) > 0 || q.Limit != nil && q.AtMost < 0 || !closed(q):
		LooseLocks(x.Draft, q, pos, "which may not run")
	default:
		one := *q
		if one.Limit = ir.C(ir.Int(1)); x.App.In.MySQL { // it forgets ORDER BY
			one.Order = nil
		}
		LooseInner(x.Draft, &one)
		if x.Conditional || x.PerRow {
			x.lockWhen(&one, pos, true)
		} else {
			LockRows(x.Draft, &one, pos)
		}
	}
	q.Locks, q.inner = nil, nil
}

// EmitAggregates runs the aggregates of q before the statement.
func (x *Place) EmitAggregates(q *Query, pos ir.Pos) {
	if len(q.From) == 0 {
		x.Unmodelled("an aggregate without FROM")
	}
	if q.Limit != nil && q.AtMost < 0 {
		x.Unmodelled("LIMIT of an expression, with aggregates")
	}
	LockRows(x.Draft, q, pos)
	s := &ir.Select{At: expr.At(pos), Query: q.IR()}
	for _, a := range q.Aggs {
		s.Into = append(s.Into, a.Local)
		s.Aggs = append(s.Aggs, a.Agg)
	}
	x.Draft.Emit(s)
	ComputeAfter(x.Draft, q)
}

// arrayOfRows is ARRAY(SELECT …): a function of the rows, never NULL.
func (x *Place) arrayOfRows(s *pg.SelectStmt, pos ir.Pos) expr.Val {
	q := x.before(s, pos, true)
	if len(q.Targets) != 1 {
		x.App.Fail(pos, "ARRAY needs a subquery with one column, not %d", len(q.Targets))
	}
	c := q.Targets[0]
	SkipRows(x.Draft, q, pos, false)
	x.lockSub(q, pos)
	elem := withNulls(c.Val())
	for _, o := range q.Order {
		if o.Expr != c.Expr {
			x.Unmodelled("ORDER BY other columns in ARRAY(SELECT …)")
		}
		if o.Desc { // the aggregate takes its elements to come in their order
			elem = &ir.Call{Name: "value", Args: []ir.Expr{elem}, Type: ir.OpaqueType}
		}
	}
	if q.Limit != nil || len(q.Aggs) > 0 || len(q.From) == 0 {
		x.Unmodelled("this form of ARRAY(SELECT …)")
	}
	LockRows(x.Draft, q, pos)
	t := schema.ArrayOf(c.Type)
	local := x.Draft.Local("array_agg", t)
	x.Draft.Emit(&ir.Select{At: expr.At(pos), Into: []string{local}, Aggs: []ir.Agg{{Fn: irnames.ArrayAgg, Arg: elem, Type: t.IR}}, Query: q.IR()})
	return expr.Val{Expr: ir.V(local), Type: t, NotNull: true}
}

// AtMostOne makes it an error that q has several rows.
func AtMostOne(b *expr.Draft, q ir.Query, pos ir.Pos, state string) {
	n := b.Local("count", schema.TInt)
	b.Emit(&ir.Select{At: expr.At(pos), Into: []string{n}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}}, Query: q})
	b.Require(pos, ir.Op(ir.Le, ir.V(n), ir.C(ir.Int(1))), state)
}
