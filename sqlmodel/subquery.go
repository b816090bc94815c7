package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// subCondition translates EXISTS, IN, ANY and ALL of a subquery; nil if the
// subquery is something else.
func (x *ex) subCondition(e *pg.SubLink, m mode) (out ir.Expr) {
	s, ok := pg.Inner(e.Subselect).(*pg.SelectStmt)
	if !ok {
		return nil
	}
	x.either(func() {
		switch e.SubLinkType {
		case pg.SubExists:
			out = x.exists(s)
		case pg.SubAny:
			if skipsLocked(s) && operatorOf(e) == "=" {
				out = x.anySkipping(x.expr(e.Testexpr), s, e.Location, m, false)
				return
			}
			out = x.any(e, s, operatorOf(e), m)
		case pg.SubAll:
			neg, inner := x.negation(e, m)
			out = ir.NotE(x.any(e, s, neg, inner))
		}
	}, func() { out = x.derivedCondition(e, s, m) })
	return out
}

// operatorOf gives the operator before ANY; IN has none.
func operatorOf(e *pg.SubLink) string {
	if ops := syntax.Names(e.OperName); len(ops) > 0 {
		return ops[len(ops)-1]
	}
	return "="
}

// negation says how x op ALL (q) is NOT (x negated-op ANY (q)).
func (x *ex) negation(e *pg.SubLink, m mode) (string, mode) {
	neg, ok := negated[operatorOf(e)]
	if !ok {
		x.unmodelled("the operator %s ALL", operatorOf(e))
	}
	switch m {
	case truth:
		return neg, nonFalse
	case nonFalse:
		return neg, truth
	}
	return neg, m
}

var negated = map[string]string{"=": "<>", "<>": "=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// subquery translates a query inside of an expression.
func (x *ex) subquery(s *pg.SelectStmt, anyRow bool) *query {
	if x.b == nil {
		panic(schema.Unmodelled{Reason: "a subquery"})
	}
	q := x.locking(s, anyRow)
	if len(q.loops) > 0 {
		x.unmodelled("a set-returning function in a subquery")
	}
	return q
}

func (x *ex) exists(s *pg.SelectStmt) ir.Expr {
	q := x.subquery(s, true)
	if len(q.after) > 0 || anyMayFail(q.targets) {
		x.unmodelled("EXISTS of columns that may fail")
	}
	x.lockOne(q, x.pos(int32(max(pg.Start(s), 0))))
	switch {
	case q.atMost == 0:
		return ir.C(ir.Bool(false))
	case q.limit != nil && q.atMost < 0:
		x.unmodelled("LIMIT of an expression in EXISTS")
	case len(q.aggs) > 0:
		return ir.C(ir.Bool(true))
	}
	return existsE(q, nil)
}

// existsE says that q has a row for which cond, too, holds.
func existsE(q *query, cond ir.Expr) ir.Expr {
	w := ir.AndE(q.ir().Where, cond)
	if len(q.from) > 0 {
		return &ir.Exists{Query: ir.Query{From: q.from, Where: w}}
	}
	if w == nil {
		return ir.C(ir.Bool(true))
	}
	return ir.Op(ir.Is, w, ir.C(ir.Bool(true)))
}

// any is x op ANY (subquery). Where NULL is not told from false or true it is
// one EXISTS; otherwise it is NULL when no row gives true and some row NULL.
func (x *ex) any(e *pg.SubLink, s *pg.SelectStmt, op string, m mode) ir.Expr {
	if isCtid(e.Testexpr) {
		x = x.tidOf()
	}
	v := x.expr(e.Testexpr)
	var q *query
	switch {
	case syntax.HasAggregates(s.TargetList):
		q = x.uncorrelated(s)
	case limited(s):
		q, _ = x.chosen(s, x.pos(e.Location))
	default:
		q = x.distinctFree(s)
	}
	x.b.looseLocks(q, x.pos(e.Location), "of which it is not known how many rows are fetched")
	if q.limit != nil {
		x.unmodelled("LIMIT in a subquery of IN")
	}
	cols := val{t: schema.TRecord, record: true, fields: q.targets}
	if len(q.targets) == 1 && !v.record {
		c := q.targets[0]
		cols = c.val()
	} else if !v.record {
		x.fail(e.Location, "the subquery has %d columns, but one value is compared", len(q.targets))
	}
	var c val
	if v.t.IsTid() {
		c = x.sameTid(op, v, cols)
	} else {
		c = q.in.binary(op, v, cols, e.Location)
	}
	if len(q.aggs) > 0 {
		// One row of aggregates: a comparison with them.
		x.emitAggregates(q, x.pos(e.Location))
		return c.e
	}
	isNull := &ir.Unary{Op: ir.IsNull, X: c.e}
	if own := x.ownRows(q, c.e); own != nil && limited(s) && (c.nn || m == truth) {
		if m != truth {
			own = ir.Op(ir.Is, own, ir.C(ir.Bool(true)))
		}
		return own
	}
	switch {
	case c.nn || m == truth:
		return existsE(q, c.e)
	case m == nonFalse:
		return existsE(q, ir.OrE(c.e, isNull))
	}
	return &ir.Cond{If: existsE(q, c.e), Then: ir.C(ir.Bool(true)),
		Else: &ir.Cond{If: existsE(q, isNull), Then: ir.C(ir.Null), Else: ir.C(ir.Bool(false))}}
}

// ownRows is the condition on the row of the query around q under which q has a row for which cond holds, where that
// is the same row: nil if cond does not say so.
func (x *ex) ownRows(q *query, cond ir.Expr) ir.Expr {
	if len(q.from) != 1 || len(x.levels) == 0 || len(q.aggs) > 0 || q.atMost == 0 {
		return nil
	}
	src := q.from[0]
	for _, o := range x.levels[len(x.levels)-1].sources {
		if o.table != nil && o.row != "" && o.table.IR == src.Table && sameRow(src.Table, o.row, src.Row, cond) {
			out := renameRow(ir.AndE(q.where, cond), src.Row, o.row)
			if out = withoutSelf(out, o); out == nil {
				out = ir.C(ir.Bool(true))
			}
			return out
		}
	}
	return nil
}

// withoutSelf leaves out of a condition that the key columns of a row equal themselves.
func withoutSelf(cond ir.Expr, s *rowSource) ir.Expr {
	var out ir.Expr
	for _, c := range ir.Conjuncts(cond) {
		if eq, ok := c.(*ir.Binary); !ok || eq.Op != ir.Eq || !isKeyOf(s, eq.X, eq.Y) {
			out = ir.AndE(out, c)
		}
	}
	return out
}

// distinctFree translates a subquery in which DISTINCT makes no difference.
func (x *ex) distinctFree(s *pg.SelectStmt) *query {
	if len(s.DistinctClause) == 0 || s.LimitCount != nil {
		return x.subquery(s, false)
	}
	distinct := s.DistinctClause
	s.DistinctClause = nil
	defer func() { s.DistinctClause = distinct }()
	return x.subquery(s, false)
}

// subLink translates a subquery in an expression.
func (x *ex) subLink(e *pg.SubLink) val {
	if c := x.subCondition(e, exact); c != nil {
		return val{e: c, t: schema.TBool, nn: e.SubLinkType == pg.SubExists}
	}
	s, ok := pg.Inner(e.Subselect).(*pg.SelectStmt)
	if !ok {
		x.unmodelled("this kind of subquery")
	}
	var out val
	x.either(func() {
		switch e.SubLinkType {
		case pg.SubExpr:
			out = x.scalar(s, x.pos(e.Location))
		case pg.SubArray:
			out = x.arrayOfRows(s, x.pos(e.Location))
		default:
			x.unmodelled("this kind of subquery")
		}
	}, func() { out = x.derivedValue(e, s) })
	return out
}

// uncorrelated translates a subquery that must not depend on the rows of the
// queries around it, so that it can run before the statement.
func (x *ex) uncorrelated(s *pg.SelectStmt) *query {
	var saved []bool
	for _, lv := range x.levels {
		saved = append(saved, lv.used)
		lv.used = false
	}
	defer func() { // also where the subquery is not modelled, and is tried in another way
		for i, lv := range x.levels {
			lv.used = saved[i]
		}
	}()
	q := x.subquery(s, false)
	for _, lv := range x.levels {
		if lv.used {
			x.unmodelled("a correlated subquery as a value")
		}
	}
	if (x.conditional || x.perRow) && (ir.MayFail(q.where) || anyMayFail(q.targets)) {
		x.unmodelled("a subquery that may fail under a condition")
	}
	return q
}

func anyMayFail(cols []colDef) bool {
	for _, c := range cols {
		if ir.MayFail(c.e) {
			return true
		}
	}
	return false
}

// scalar translates a subquery used as a value: it runs before the statement.
func (x *ex) scalar(s *pg.SelectStmt, pos ir.Pos) val {
	var q *query
	if s.LimitOffset != nil && limited(s) {
		q, _ = x.chosen(s, pos)
	} else {
		q = x.uncorrelated(s)
	}
	if len(q.targets) != 1 {
		x.l.Fail(pos, "a subquery used as a value must have one column, not %d", len(q.targets))
	}
	c := q.targets[0]
	if len(q.aggs) > 0 && q.atMost != 0 {
		x.lockSub(q, pos)
		x.emitAggregates(q, pos)
		return c.val()
	}
	x.b.skipRows(q, pos, true)
	x.lockSub(q, pos)
	if q.limit != nil && q.atMost < 0 {
		x.unmodelled("LIMIT of an expression in a subquery")
	}
	switch {
	case q.atMost == 0:
		return val{e: ir.C(ir.Null), t: c.t}
	case len(q.from) == 0 && q.where == nil:
		return c.val()
	case len(q.from) == 0:
		return val{e: &ir.Cond{If: q.where, Then: c.e, Else: ir.C(ir.Null)}, t: c.t}
	}
	base := c.name
	if base == "?column?" {
		base = "tmp"
	}
	x.oneRow(q, pos)
	x.lockValue(q)
	local := x.b.local(base, c.t)
	x.b.emit(&ir.Select{At: at(pos), Into: []string{local}, Cols: []ir.Expr{c.e}, Query: q.ir(), Order: q.order, Locks: q.locks})
	return val{e: ir.V(local), t: c.t}
}

// oneRow says that a subquery used as a value has no second row, which is an
// error. To ignore it would be wrong: whether there is one depends on rows that
// the value does not show.
func (x *ex) oneRow(q *query, pos ir.Pos) {
	switch {
	case q.atMost == 1 || x.b.singleRow(q.ir()):
	case x.conditional || x.perRow:
		x.unmodelled("a subquery that may have several rows, in a place where it may not run")
	default:
		x.b.atMostOne(q.ir(), pos, cardinality)
	}
}

// lockValue leaves in q, a subquery used as a value, the locks for its row.
func (x *ex) lockValue(q *query) {
	if q.limit == nil {
		x.b.fetchAll(q) // there is no other row
	} else {
		x.b.looseInner(q)
	}
}

// lockOne locks a row of q for EXISTS, which fetches one, any of them.
func (x *ex) lockOne(q *query, pos ir.Pos) {
	switch {
	case q.atMost == 0:
	case len(q.aggs) > 0 || q.limit != nil && q.atMost < 0 || !closed(q):
		x.b.looseLocks(q, pos, "which may not run")
	default:
		one := *q
		one.limit, one.order = ir.C(ir.Int(1)), nil
		x.b.looseInner(&one)
		if x.conditional || x.perRow {
			x.lockWhen(&one, pos, true)
		} else {
			x.b.lockRows(&one, pos)
		}
	}
	q.locks, q.inner = nil, nil
}

// emitAggregates runs the aggregates of q before the statement.
func (x *ex) emitAggregates(q *query, pos ir.Pos) {
	if len(q.from) == 0 {
		x.unmodelled("an aggregate without FROM")
	}
	if q.limit != nil && q.atMost < 0 {
		x.unmodelled("LIMIT of an expression, with aggregates")
	}
	x.b.lockRows(q, pos)
	s := &ir.Select{At: at(pos), Query: q.ir()}
	for _, a := range q.aggs {
		s.Into = append(s.Into, a.local)
		s.Aggs = append(s.Aggs, a.agg)
	}
	x.b.emit(s)
	x.b.computeAfter(q)
}

// arrayOfRows is ARRAY(SELECT …): a function of the rows, never NULL.
func (x *ex) arrayOfRows(s *pg.SelectStmt, pos ir.Pos) val {
	var q *query
	if limited(s) {
		q, _ = x.chosen(s, pos)
	} else {
		q = x.uncorrelated(s)
	}
	if len(q.targets) != 1 {
		x.l.Fail(pos, "ARRAY needs a subquery with one column, not %d", len(q.targets))
	}
	c := q.targets[0]
	x.b.skipRows(q, pos, false)
	x.lockSub(q, pos)
	for _, o := range q.order {
		if o.Expr != c.e {
			x.unmodelled("ORDER BY other columns in ARRAY(SELECT …)")
		}
	}
	if q.limit != nil || len(q.aggs) > 0 || len(q.from) == 0 {
		x.unmodelled("this form of ARRAY(SELECT …)")
	}
	x.b.lockRows(q, pos)
	t := schema.ArrayOf(c.t)
	local := x.b.local("array_agg", t)
	x.b.emit(&ir.Select{At: at(pos), Into: []string{local}, Aggs: []ir.Agg{{Fn: ir.ArrayAgg, Arg: withNulls(c.val()), Type: t.IR}}, Query: q.ir()})
	return val{e: ir.V(local), t: t, nn: true}
}
