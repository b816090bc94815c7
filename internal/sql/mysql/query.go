package mysql

import (
	"strconv"
	"strings"

	"github.com/txrobust/robust/ir"
	"github.com/xwb1989/sqlparser"
)

// query is a translated SELECT.
type query struct {
	q     ir.Query
	items []value
	names []string
	group *group // nil without aggregates
	order []ir.Order
	limit ir.Expr
	locks ir.Locks
	sc    *scope
}

// query translates a SELECT whose rows are in the scope sc, which is empty. Of
// one that is only tested for rows (exists) the items do not matter.
func (b *builder) query(s sqlparser.SelectStatement, sc *scope, exists bool) *query {
	for {
		p, ok := s.(*sqlparser.ParenSelect)
		if !ok {
			break
		}
		s = p.Select
	}
	n, ok := s.(*sqlparser.Select)
	if !ok {
		fail("UNION")
	}
	switch {
	case n.Distinct != "" && !exists:
		fail("DISTINCT")
	case len(n.GroupBy) > 0:
		fail("GROUP BY")
	case n.Having != nil:
		fail("HAVING")
	}
	out := &query{sc: sc}
	var on []ir.Expr
	for _, t := range n.From {
		on = append(on, b.from(t, out)...)
	}
	for _, r := range sc.rows {
		if r.t.ir == nil {
			fail("a query of this kind")
		}
	}
	aggregated := aggregates(n)
	if n.Where != nil {
		on = append(on, b.cond(n.Where.Expr, sc, true))
	}
	out.q.Where = ir.AndE(on...)
	b.limitAndLock(n, out)
	if exists {
		onlyTested(n, out, aggregated)
	}
	if aggregated {
		out.group = &group{}
		sc.group = out.group
	}
	b.items(n, out, exists, aggregated)
	if !exists {
		b.order(n, out)
	}
	sc.group = nil
	return out
}

// aggregates reports whether a SELECT itself has an aggregate.
func aggregates(n *sqlparser.Select) bool {
	found := false
	sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		switch f := node.(type) {
		case *sqlparser.Subquery:
			return false, nil
		case *sqlparser.FuncExpr:
			found = found || f.IsAggregate()
		case *sqlparser.GroupConcatExpr:
			found = true
		}
		return true, nil
	}, n.SelectExprs, n.OrderBy)
	return found
}

// limitAndLock translates LIMIT, and the locks of a locking read.
func (b *builder) limitAndLock(n *sqlparser.Select, out *query) {
	if n.Limit != nil {
		if n.Limit.Offset != nil && !isZero(n.Limit.Offset) {
			fail("OFFSET")
		}
		out.limit = b.settle(b.val(n.Limit.Rowcount, nil), typ{kind: integer}).e
	}
	switch n.Lock {
	case sqlparser.ForUpdateStr:
		out.locks = ir.Locks{{Mode: ir.ForUpdate}}
	case sqlparser.ShareModeStr:
		out.locks = ir.Locks{{Mode: ir.ForShare}}
	}
}

// onlyTested fails where a query that is only tested for rows has a form that is
// not modelled.
func onlyTested(n *sqlparser.Select, out *query, aggregated bool) {
	if aggregated || out.limit != nil && isZero(n.Limit.Rowcount) {
		fail("EXISTS of this form")
	}
	if len(out.q.From) == 0 {
		fail("a subquery without a table")
	}
	if _, constant := out.limit.(*ir.Const); out.limit != nil && !constant {
		fail("EXISTS with a limit that is no constant")
	}
	if n.Lock != "" {
		fail("locks in a subquery")
	}
}

// items translates what a SELECT gives. Of one that is only tested for rows, * does
// not matter.
func (b *builder) items(n *sqlparser.Select, out *query, exists, aggregated bool) {
	sc := out.sc
	for _, item := range n.SelectExprs {
		switch e := item.(type) {
		case *sqlparser.StarExpr:
			if exists {
				continue
			}
			if aggregated || len(sc.rows) == 0 {
				fail("* beside an aggregate")
			}
			found := false
			for _, r := range sc.rows {
				if of := e.TableName.Name.String(); of != "" && !strings.EqualFold(of, r.alias) {
					continue
				}
				found = true
				for _, c := range r.t.columns {
					out.items, out.names = append(out.items, columnValue(c, r.row)), append(out.names, c.name)
				}
			}
			if !found {
				panic(ir.Errorf(b.at.Pos, "there is no table %s in this query", e.TableName.Name.String()))
			}
		case *sqlparser.AliasedExpr:
			name := e.As.String()
			if c, ok := e.Expr.(*sqlparser.ColName); ok && name == "" {
				name = c.Name.String()
			}
			out.items, out.names = append(out.items, asValue(b.val(e.Expr, sc))), append(out.names, name)
		default:
			fail("a column of this form")
		}
	}
}

func isZero(e sqlparser.Expr) bool {
	v, ok := e.(*sqlparser.SQLVal)
	return ok && v.Type == sqlparser.IntVal && strings.Trim(string(v.Val), "0") == ""
}

// order translates ORDER BY. NULLs come first in MySQL, and last when
// descending.
func (b *builder) order(n *sqlparser.Select, out *query) {
	if out.group != nil { // there is one row
		return
	}
	for _, o := range n.OrderBy {
		v, named := value{}, false
		switch e := o.Expr.(type) {
		case *sqlparser.SQLVal:
			i, err := strconv.Atoi(string(e.Val))
			if e.Type == sqlparser.IntVal && err == nil {
				if i < 1 || i > len(out.items) {
					panic(ir.Errorf(b.at.Pos, "ORDER BY %d: there are %d columns", i, len(out.items)))
				}
				v, named = out.items[i-1], true
			}
		case *sqlparser.ColName:
			for i, name := range out.names {
				if e.Qualifier.IsEmpty() && strings.EqualFold(name, e.Name.String()) {
					v, named = out.items[i], true
					break
				}
			}
		}
		if !named {
			v = asValue(b.val(o.Expr, out.sc))
		}
		key := v.e
		switch {
		case v.t.kind == other || v.t.enum:
			fail("ORDER BY of %s", kindWords[v.t.kind])
		case v.t.kind == str:
			key = v.compared(common(v.t.coll, ""))
		}
		desc := o.Direction == sqlparser.DescScr
		if !v.nn {
			out.order = append(out.order, ir.Order{Expr: isNull(v.e), Desc: !desc})
		}
		out.order = append(out.order, ir.Order{Expr: key, Desc: desc})
	}
}

// from adds the tables of a FROM list, and gives the conditions of joins.
func (b *builder) from(t sqlparser.TableExpr, out *query) []ir.Expr {
	switch n := t.(type) {
	case *sqlparser.AliasedTableExpr:
		name, ok := n.Expr.(sqlparser.TableName)
		if !ok {
			fail("a subquery in FROM")
		}
		if strings.EqualFold(name.Name.String(), "dual") && n.As.IsEmpty() {
			return nil
		}
		tab := b.table(name)
		alias := n.As.String()
		if alias == "" {
			alias = name.Name.String()
		}
		for _, r := range out.sc.rows {
			if strings.EqualFold(r.alias, alias) {
				panic(ir.Errorf(b.at.Pos, "two tables are called %s in this query; give one an alias", alias))
			}
		}
		row := alias
		for s := out.sc; s != nil; s = s.outer {
			for _, r := range s.rows {
				if r.row == row {
					b.rows++
					row = alias + "_" + strconv.Itoa(b.rows)
				}
			}
		}
		out.sc.rows = append(out.sc.rows, scopeRow{alias: alias, t: tab, row: row})
		out.q.From = append(out.q.From, ir.Source{Table: tab.ir, Row: row})
		return nil
	case *sqlparser.ParenTableExpr:
		var on []ir.Expr
		for _, e := range n.Exprs {
			on = append(on, b.from(e, out)...)
		}
		return on
	case *sqlparser.JoinTableExpr:
		if n.Join != sqlparser.JoinStr && n.Join != sqlparser.StraightJoinStr {
			fail("%s", strings.ToUpper(n.Join))
		}
		if len(n.Condition.Using) > 0 {
			fail("USING")
		}
		on := b.from(n.LeftExpr, out)
		on = append(on, b.from(n.RightExpr, out)...)
		if n.Condition.On != nil {
			on = append(on, b.cond(n.Condition.On, out.sc, true))
		}
		return on
	}
	fail("a FROM of this form")
	return nil
}

// table finds a table that a statement uses.
func (b *builder) table(n sqlparser.TableName) *table {
	name := n.Name.String()
	t := b.l.table(name)
	if t == nil {
		for _, d := range b.l.views {
			if d == strings.ToLower(name) {
				panic(unsupported{"the view " + name, true, nil})
			}
		}
		panic(ir.Errorf(b.at.Pos, "there is no table %s", name))
	}
	if t.bad != "" {
		fail("%s", t.bad)
	}
	return t
}

// selectStmt translates a SELECT as a statement. Into are the variables of its
// INTO.
func (b *builder) selectStmt(n *sqlparser.Select, into []string) {
	q := b.query(n, &scope{}, false)
	if into != nil {
		b.into(q, into)
		return
	}
	var es []ir.Expr
	for _, v := range q.items {
		es = append(es, v.e)
	}
	switch {
	case len(q.q.From) == 0:
		if n.Where != nil || n.Limit != nil || q.group != nil {
			fail("a query of this form without a table")
		}
		b.add(&ir.Emit{At: b.at, Exprs: es})
	case q.group != nil:
		b.aggregates(q, n)
		b.add(&ir.Emit{At: b.at, Exprs: es})
	default:
		if q.limit != nil { // it is for LockRows to tell which rows come
			b.lockRows(q, q.limit)
		}
		b.add(&ir.EmitRows{At: b.at, Cols: es, Query: q.q, Order: q.order, Limit: q.limit, Locks: q.locks})
	}
}

// lockRows locks the rows of a query, of which LIMIT leaves some.
func (b *builder) lockRows(q *query, limit ir.Expr) {
	if len(q.locks) == 0 {
		return
	}
	s := &ir.LockRows{At: b.at, Query: q.q, Limit: limit, Locks: q.locks}
	if limit != nil {
		s.Order = q.order
	}
	b.add(s)
	q.locks = nil
}

// aggregates computes the aggregates of a query into their locals.
func (b *builder) aggregates(q *query, n *sqlparser.Select) {
	if len(q.q.From) == 0 || n != nil && n.Limit != nil && isZero(n.Limit.Rowcount) {
		fail("a query of this form with aggregates")
	}
	if q.limit != nil {
		if _, constant := q.limit.(*ir.Const); !constant {
			fail("a limit that is no constant")
		}
	}
	b.lockRows(q, nil)
	b.add(&ir.Select{At: b.at, Into: q.group.into, Aggs: q.group.aggs, Query: q.q, Inner: b.inner})
}

// into translates SELECT … INTO @v, …: without a row the variables keep their
// values, and several rows are an error.
func (b *builder) into(q *query, into []string) {
	if len(into) != len(q.items) {
		panic(ir.Errorf(b.at.Pos, "%d columns for %d variables", len(q.items), len(into)))
	}
	set := func(name string, v value) {
		l := b.txn.AddLocal("@"+strings.ToLower(name), v.t.ir())
		b.add(&ir.Assign{At: b.at, Var: l, Expr: v.e})
		v.e, v.key, v.param = ir.V(l), nil, ""
		b.locals[strings.ToLower(name)] = v
	}
	switch {
	case len(q.q.From) == 0 || q.group != nil:
		if q.group != nil {
			b.aggregates(q, nil)
		}
		if q.limit != nil {
			fail("a limit without rows")
		}
		for i, v := range q.items {
			set(into[i], v)
		}
		return
	}
	found := b.txn.AddLocal("@found", ir.BoolType)
	locals := b.one(q, found)
	for i, v := range q.items {
		name := strings.ToLower(into[i])
		old, was := b.locals[name]
		if !was {
			old = b.param(name)
		}
		v.e, v.key, v.param = ir.V(locals[i]), nil, ""
		vs, t := b.unify([]value{v, old})
		if old.e == nil {
			fail("the variable @%s, whose value is not modelled", name)
		}
		either := vs[0]
		if was {
			either = branch(vs)
		}
		either.e, either.t, either.nn = &ir.Cond{If: ir.V(found), Then: vs[0].e, Else: vs[1].e}, t, v.nn && vs[1].nn
		set(name, either)
	}
}

// one reads the row of a query that has at most one into new locals.
func (b *builder) one(q *query, found string) []string {
	if c, ok := q.limit.(*ir.Const); q.limit != nil && (!ok || c.Value != ir.Int(1)) || q.limit == nil && !single(q) {
		fail("a query that may give several rows, where one is wanted")
	}
	var locals []string
	var es []ir.Expr
	for _, v := range q.items {
		if v.t.kind == null {
			v.t = typ{kind: str}
		}
		locals, es = append(locals, b.txn.AddLocal("@row", v.t.ir())), append(es, v.e)
	}
	b.add(&ir.Select{At: b.at, Into: locals, Found: found, Cols: es, Query: q.q, Order: q.order, Locks: q.locks, Inner: b.inner})
	return locals
}

// single reports whether keys make the rows of a query at most one.
func single(q *query) bool {
	fixed := map[string]bool{}
	inside := map[string]bool{}
	for _, s := range q.q.From {
		inside[s.Row] = true
	}
	known := func(e ir.Expr) bool {
		ok := true
		ir.WalkExpr(e, func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.Col:
				ok = ok && (!inside[e.Row] || fixed[e.Row])
			case *ir.Exists:
				ok = false
			}
		})
		return ok
	}
	for range q.q.From {
		for _, s := range q.q.From {
			given := map[int]bool{}
			for _, c := range ir.Conjuncts(q.q.Where) {
				eq, ok := c.(*ir.Binary)
				if !ok || eq.Op != ir.Eq {
					continue
				}
				for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
					if col, ok := side[0].(*ir.Col); ok && col.Row == s.Row && known(side[1]) {
						given[s.Table.Column(col.Col)] = true
					}
				}
			}
			covers := func(cols []int) bool {
				for _, c := range cols {
					if !given[c] {
						return false
					}
				}
				return true
			}
			fixed[s.Row] = fixed[s.Row] || covers(s.Table.Key)
			for _, u := range s.Table.Uniques {
				fixed[s.Row] = fixed[s.Row] || covers(u.Columns)
			}
		}
	}
	for _, s := range q.q.From {
		if !fixed[s.Row] {
			return false
		}
	}
	return true
}

// scalar translates a subquery that is used as a value: it runs before the
// statement.
func (b *builder) scalar(s sqlparser.SelectStatement, sc *scope) value {
	q := b.query(s, &scope{outer: sc, closed: true}, false)
	if len(q.items) != 1 {
		panic(ir.Errorf(b.at.Pos, "a subquery that is used as a value has %d columns", len(q.items)))
	}
	v := q.items[0]
	switch {
	case len(q.q.From) == 0:
		fail("a subquery without a table")
	case q.group != nil:
		if q.limit != nil {
			fail("a limit with aggregates")
		}
		b.aggregates(q, nil)
		return v
	}
	l := b.one(q, "")
	v.e, v.key, v.param, v.nn = ir.V(l[0]), nil, "", false
	return v
}

// in translates x IN (SELECT …).
func (b *builder) in(left sqlparser.Expr, sub *sqlparser.Subquery, sc *scope, weak bool) ir.Expr {
	x := b.val(left, sc)
	q := b.query(sub.Select, &scope{outer: sc}, true)
	if q.limit != nil {
		fail("LIMIT in a subquery of IN")
	}
	if len(q.items) != 1 {
		fail("a subquery of IN without exactly one column that is written")
	}
	y := q.items[0]
	eq := b.compare(ir.Eq, x, y)
	in := &ir.Exists{Query: ir.Query{From: q.q.From, Where: ir.AndE(q.q.Where, eq)}}
	if weak || x.nn && y.nn {
		return in
	}
	small(in, eq)
	open := &ir.Exists{Query: ir.Query{From: q.q.From, Where: ir.AndE(q.q.Where, isNull(eq))}}
	return &ir.Cond{If: in, Then: ir.C(ir.Bool(true)), Else: &ir.Cond{If: open, Then: ir.C(ir.Null), Else: ir.C(ir.Bool(false))}}
}
