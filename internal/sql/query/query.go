package query

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/scalars"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Query is a translated SELECT.
type Query struct {
	Place *Place // for expressions over its rows
	// derived says that it belongs to a derivation, where FROM is a tree and From empty.
	derived bool
	Level   *expr.Level
	From    []ir.Source
	Where   ir.Expr
	// Loops are the set-returning functions of the FROM list, outermost first.
	Loops []SetLoop
	// Body are the statements that each round of the loops begins with.
	Body []ir.Stmt
	// Targets are the output columns. With aggs they are expressions over the
	// locals of those.
	Targets []expr.Column
	Aggs    []aggCall
	// After are the statements that compute the output columns of aggregates.
	After []ir.Stmt
	Order []ir.Order
	Limit ir.Expr
	// AtMost is the limit if it is a constant, or -1.
	AtMost int64
	// Locks are those on the rows that come into the result, inner the queries in FROM
	// that may lock more (locks.go).
	Locks ir.Locks
	inner []*innerLocks
	Fetch Fetching // if its rows are gone through one by one
	// lockOf gives the lock on an item of the FROM list of a derivation, and nested the
	// queries there that lock rows.
	lockOf func(alias string) (mode ir.LockMode, skips bool)
	Nested []*nestedLocks
	// skip says that rows may be skipped which others have locked; SkipRows
	// makes it conditions. some says that it chose several rows.
	skip, Some bool
	// Whole, if not nil, is the derivation whose rows the only loop goes through.
	Whole *Derived
	// Writer says that a function in FROM writes.
	Writer bool
	// Target is the row that an UPDATE or DELETE writes, if this is its FROM or
	// USING; again are the sources there that skip rows, each time they are read.
	Target *expr.RowSource
	again  []ir.Source
	// tid says that an output column may be the ctid of a row.
	tid bool
}

// NewQuery begins a query whose sources are in the last level of a place.
func NewQuery(x *Place) *Query {
	return &Query{Place: x, Level: x.Levels[len(x.Levels)-1], AtMost: -1}
}

// NewDerived is NewQuery in a derivation.
func NewDerived(x *Place) *Query {
	q := NewQuery(x)
	q.derived = true
	return q
}

// IR is the query as one of the IR.
func (q *Query) IR() ir.Query {
	if q.skip {
		q.Place.Unmodelled("SKIP LOCKED in this place")
	}
	return ir.Query{From: q.From, Where: q.Where}
}

// Name adds a source, with the column names of its alias.
func (q *Query) Name(s *expr.RowSource, a *pg.Alias, loc int32) {
	for _, o := range q.Level.Sources {
		if o.Alias == s.Alias {
			q.Place.Fail(loc, "the name %s is given to two tables; use aliases", s.Alias)
		}
	}
	for i, c := range syntax.Names(a.GetColnames()) {
		if i < len(s.Cols) {
			s.Cols[i].Name = c
		}
	}
	q.Level.Sources = append(q.Level.Sources, s)
}

// Locking translates a SELECT inside of x. With anyRow the output columns and their
// order do not matter. The caller sees to the locks of the result.
func (x *Place) Locking(s *pg.SelectStmt, anyRow bool) *Query {
	x = x.reached(s)
	x.checkLocking(s, x.pushed)
	if why := syntax.Shape(s, syntax.Use{Whether: anyRow}); why != "" {
		x.Unmodelled("%s", why)
	}
	if s.WithClause != nil {
		y := x.Copy()
		y.with(s.WithClause)
		x = y
	}
	q := NewQuery(x.Inner())
	q.tid = x.Tid
	conds := q.Items(s.FromClause).Conds
	if q.Writer && len(q.From) > 0 {
		x.Unmodelled("a function in FROM that writes, beside a table")
	}
	q.Place.PerRow = x.PerRow || len(q.From) > 0
	rest := func() { q.rest(x, s, conds, anyRow) }
	if len(q.Loops) > 0 {
		q.Body = x.Draft.Collect(rest) // what it needs is computed in each round
	} else {
		rest()
	}
	q.tell(s, q.Where, q.Limit)
	return q
}

// rest translates all but the FROM list.
func (q *Query) rest(x *Place, s *pg.SelectStmt, conds []ir.Expr, anyRow bool) {
	conds = append(conds, q.Place.Conditions(s.WhereClause)...)
	q.Where = ir.AndE(conds...)
	q.Limits(x, s)
	if x.Draft != nil {
		q.TakeLocks(s, x.pushed)
		q.settleInner(s, conds)
	}
	if syntax.HasAggregates(s.TargetList) {
		if q.Limit != nil && q.AtMost < 0 {
			x.Unmodelled("LIMIT of an expression over aggregates")
		}
		q.aggregates(x, s)
		return
	}
	q.limitOfOne(x)
	if anyRow && syntax.SkipsLocked(s) {
		x.Unmodelled("SKIP LOCKED in EXISTS")
	}
	if !syntax.Computes(s, syntax.Use{Whether: anyRow}) {
		return
	}
	targets := func() {
		for _, n := range s.TargetList {
			q.AddTarget(pg.Inner(n).(*pg.ResTarget))
		}
	}
	if q.Where == nil && q.Limit == nil {
		targets()
	} else { // there may be no row to compute them for
		q.Place.Maybe(targets)
	}
	q.Sort(s)
}

// Conditions translates a condition, which is the conjunction of them; there may be none.
func (x *Place) Conditions(n *pg.Node) []ir.Expr {
	if n == nil {
		return nil
	}
	var out []ir.Expr
	for _, c := range syntax.Conjuncts(n) {
		out = append(out, x.Boolean(c, expr.Truth))
	}
	return out
}

// Limits translates LIMIT, in which no column is visible.
func (q *Query) Limits(x *Place, s *pg.SelectStmt) {
	if q.Limit = x.number(s.LimitCount, "LIMIT"); q.Limit == nil {
		return
	}
	if c, ok := q.Limit.(*ir.Const); ok && c.Value.Kind == ir.KindInt {
		q.AtMost = c.Value.I
	}
}

// number translates LIMIT or OFFSET, nil if there is none.
func (x *Place) number(n *pg.Node, what string) ir.Expr {
	if n == nil {
		return nil
	}
	v := x.Expr(n)
	if v.IsNull() {
		return nil
	}
	return x.Convert(v, schema.TInt, x.At(n), what)
}

// limitOfOne makes a condition of a LIMIT of an expression where there is no FROM, and so one
// row at most.
func (q *Query) limitOfOne(x *Place) {
	if len(q.From) > 0 || len(q.Loops) > 0 || q.Limit == nil || q.AtMost >= 0 {
		return
	}
	n := x.Shared(q.Limit, schema.TInt)
	atLeast := func(least int64) ir.Expr {
		return ir.OrE(&ir.Unary{Op: ir.IsNull, X: n}, ir.Op(ir.Ge, n, ir.C(ir.Int(least))))
	}
	switch {
	case x.Draft == nil || !x.Draft.MaybeNegative(n):
	case x.PerRow || x.Conditional:
		x.Draft.MayDepend(x.Draft.Cur, "a negative LIMIT")
	default:
		x.Draft.Require(x.Draft.Cur, atLeast(0), negativeLimit)
	}
	q.Where = ir.AndE(q.Where, atLeast(1))
	q.Limit = nil
}

// AddTarget adds an output column, or several for a star.
func (q *Query) AddTarget(t *pg.ResTarget) {
	x := q.Place
	if c, ok := pg.Inner(t.Val).(*pg.ColumnRef); ok {
		if last := c.Fields[len(c.Fields)-1]; syntax.IsStar(last) {
			q.star(syntax.Names(c.Fields), c.Location)
			return
		}
	}
	if ind, ok := pg.Inner(t.Val).(*pg.A_Indirection); ok && syntax.IsStar(ind.Indirection[len(ind.Indirection)-1]) {
		x.Unmodelled("(row).*")
	}
	if q.tid && expr.IsCtid(t.Val) {
		x = x.ofTid()
	}
	v := x.Expr(t.Val)
	if v.Record {
		if _, named := pg.Inner(t.Val).(*pg.FuncCall); !named {
			x.Unmodelled("a whole row as an output column")
		}
		q.Targets = append(q.Targets, v.Fields...)
		return
	}
	v = x.Number(x.DefaultType(v))
	q.Targets = append(q.Targets, expr.Column{Name: syntax.TargetName(t), Expr: v.Expr, Type: v.Type, NotNull: v.NotNull})
}

// star adds the columns of all sources, or of one.
func (q *Query) star(parts []string, loc int32) {
	x := q.Place
	if q.tid {
		x = x.ofTid()
	}
	if len(parts) > 0 {
		s := q.Place.SourceNamed(parts)
		if s == nil {
			if v, ok := q.Place.Variable(parts, loc); ok && v.Record {
				q.Targets = append(q.Targets, v.Fields...)
				return
			}
			q.Place.Fail(loc, "there is no table or alias %s", strings.Join(parts, "."))
		}
		for _, c := range s.Cols {
			expr.NoTid(&x.Spot, c.Type)
		}
		q.Targets = append(q.Targets, s.Cols...)
		return
	}
	if len(q.Level.Sources) == 0 {
		q.Place.Fail(loc, "* needs a FROM clause")
	}
	merged := map[string]bool{}
	for _, s := range q.Level.Sources {
		for _, c := range s.Cols {
			expr.NoTid(&x.Spot, c.Type)
			if s.Hidden[c.Name] {
				merged[c.Name] = true
			}
		}
	}
	for _, s := range q.Level.Sources { // the columns of USING come first
		for _, c := range s.Cols {
			if merged[c.Name] && !s.Hidden[c.Name] {
				q.Targets = append(q.Targets, c)
			}
		}
	}
	for _, s := range q.Level.Sources {
		for _, c := range s.Cols {
			if !merged[c.Name] {
				q.Targets = append(q.Targets, c)
			}
		}
	}
}

// Sort translates ORDER BY.
func (q *Query) Sort(s *pg.SelectStmt) {
	x := q.Place
	for _, n := range s.SortClause {
		o := pg.Inner(n).(*pg.SortBy)
		if o.SortbyDir == pg.SortUsing {
			x.Unmodelled("ORDER BY … USING")
		}
		v := q.sortKey(o)
		desc := o.SortbyDir == pg.SortDesc
		if _, constant := v.Expr.(*ir.Const); constant {
			continue
		}
		nullsFirst := o.SortbyNulls == pg.SortNullsFirst || desc && o.SortbyNulls != pg.SortNullsLast
		if x.App.In.MySQL {
			nullsFirst, v = !desc, x.App.Dialect.Sorted(&x.Spot, v)
		}
		if nullsFirst != desc && !v.NotNull {
			q.Order = append(q.Order, ir.Order{Expr: &ir.Unary{Op: ir.IsNull, X: v.Expr}, Desc: nullsFirst})
		}
		e := v.Expr
		if !v.Type.Ordered() { // some order of the type that is not the IR's
			e = scalars.Rank(e, v.Type.SQL, v.Type.String())
		}
		q.Order = append(q.Order, ir.Order{Expr: e, Desc: desc})
	}
}

// sortKey is an ORDER BY item: an output column by number or name, or an
// expression.
func (q *Query) sortKey(o *pg.SortBy) expr.Val {
	x := q.Place
	switch e := pg.Inner(o.Node).(type) {
	case *pg.A_Const:
		i := int(e.GetIval().GetIval())
		if e.GetIval() == nil || i < 1 || i > len(q.Targets) {
			x.Fail(e.Location, "ORDER BY needs a column or its number, from 1 to %d", len(q.Targets))
		}
		return q.Targets[i-1].Val()
	case *pg.ColumnRef:
		if parts := syntax.Names(e.Fields); len(parts) == 1 && len(e.Fields) == 1 {
			for _, c := range q.Targets {
				if c.Name == parts[0] {
					return c.Val()
				}
			}
		}
	}
	v := x.Expr(o.Node)
	if v.Record {
		x.Unmodelled("ORDER BY a row")
	}
	return x.DefaultType(v)
}
