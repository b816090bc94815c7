package sqlmodel

import (
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// deriver translates a query that no ir.Query can say: grouping, outer joins,
// set operations and so on. The rows of its tables are read before the
// statement, as far as its conditions allow to tell which ones matter, and the
// result is an ir.Derivation of them.
type deriver struct {
	b *Draft
	// supports are the tables' rows that are read, one for each mention.
	supports []*support
	// rows are the row variables in use, types the types of their columns.
	rows  map[string]bool
	types map[ir.Col]ir.Type
	// locks are those of its queries.
	locks []*levelLocks
}

// support is the rows of a table that a derivation is computed from.
type support struct {
	table *schema.Table
	row   string
	given *ir.Given
	pos   ir.Pos
	// conds are conditions without which a row makes no difference.
	conds []ir.Expr
}

// derived is a relation under translation; of cols, e is not set.
type derived struct {
	rel  ir.Rel
	cols []colDef
	// single says that it has one row at most.
	single bool
	// NonEmpty says that it has a row.
	nonEmpty bool
	// TypeOf, if the derivation is complete, gives the types of what is free.
	typeOf func(ir.Expr) ir.Type
}

// ctes are the WITH queries in scope.
type ctes struct {
	name string
	make func(x *ex) *derived
	up   *ctes
	// query is the query, with the names cols for its columns; levels are the
	// queries around it.
	query  *pg.SelectStmt
	cols   []string
	levels []*level
	// picked, if not nil, says which rows of the query are not skipped.
	picked picked
	// once says that its rows are in a local.
	once bool
}

func (c *ctes) find(name string) *ctes {
	for ; c != nil; c = c.up {
		if c.name == name {
			return c
		}
	}
	return nil
}

// maxQueryDepth bounds the nesting of queries.
const maxQueryDepth = 24

// derivation translates a query, and gives what reads the rows that it needs.
func (x *ex) derivation(s *pg.SelectStmt) *derived {
	y := *x
	if y.d == nil {
		y.d = x.newDeriver()
	}
	y.perRow = true
	out := y.relation(s)
	if x.d == nil {
		y.settle(out)
		y.d.read(out.rel)
		out.typeOf = func(e ir.Expr) ir.Type { return y.d.typeOf(x, e) }
	}
	return out
}

func (x *ex) newDeriver() *deriver {
	return &deriver{b: x.b, rows: map[string]bool{}, types: map[ir.Col]ir.Type{}}
}

// call gives what is wanted of a derivation.
func (d *derived) call(want ir.Want, t ir.Type) *ir.Call {
	if d.typeOf == nil {
		return ir.Open(want, d.rel, t)
	}
	return ir.Derive(want, d.rel, t, d.typeOf)
}

// TypeOf gives the type of a local, or of a column of the derivation or of a
// query around it.
func (d *deriver) typeOf(x *ex, e ir.Expr) ir.Type {
	switch e := e.(type) {
	case *ir.Var:
		return d.b.typeOfLocal(e.Name)
	case *ir.Col:
		if t, ok := d.types[*e]; ok {
			return t
		}
		for _, lv := range x.levels {
			for _, s := range lv.sources {
				switch c := s.col(e.Col); {
				case s.row != e.Row:
				case s.table != nil:
					return s.table.IR.Columns[s.table.IR.Column(e.Col)].Type
				case c != nil: // the row that an INSERT proposes
					return localType(c.t)
				}
			}
		}
	}
	panic("sqlmodel: the type of " + ir.ExprString(e) + " is not known")
}

// register notes the types of a row variable's columns.
func (d *deriver) register(src *rowSource) {
	d.rows[src.row] = true
	if src.table != nil && src.table.IR.Rowid {
		key := src.table.IR.Columns[0]
		d.types[ir.Col{Row: src.row, Col: key.Name}] = key.Type
	}
	for _, c := range src.cols {
		if col, ok := c.e.(*ir.Col); ok {
			d.types[*col] = localType(c.t)
		}
	}
}

// relation translates a query in a derivation.
func (x *ex) relation(s *pg.SelectStmt) *derived {
	if x.queries++; x.queries > maxQueryDepth {
		x.unmodelled("queries nested more than %d deep", maxQueryDepth)
	}
	defer func() { x.queries-- }()
	if s.WithClause != nil {
		y := *x
		y.with(s.WithClause)
		x = &y
	}
	x = x.reached(s)
	if s.IntoClause != nil {
		x.unmodelled("SELECT INTO a new table")
	}
	if s.LimitOption == pg.LimitWithTies {
		x.unmodelled("WITH TIES")
	}
	var out *derived
	switch {
	case s.Op != pg.SetOpNone && s.Op != 0:
		x.checkLocking(s, x.pushed)
		if len(s.LockingClause) > 0 { // in MySQL, of the last query
			x.b.emit(&ir.Dropped{At: at(x.pos(int32(max(pg.Start(s), 0)))), Kind: ir.ByRowLock, Tables: x.l.IrTables(x.l.EffectOf(x.b.refsOf(s))), What: "the row locks of UNION and the like"})
		}
		y := *x
		if x.fetched != fetchedAll || s.LimitCount != nil || s.LimitOffset != nil {
			y.fetched = fetchedSome
		}
		out = y.setOp(s)
	case len(s.ValuesLists) > 0:
		x.checkLocking(s, ir.NoLock)
		out = x.valuesRel(s)
	default:
		return x.core(s)
	}
	x.settle(out)
	if len(s.SortClause) == 0 && s.LimitCount == nil && s.LimitOffset == nil {
		return out
	}
	// ORDER BY and LIMIT of the whole.
	q := &query{in: x.inner(), atMost: -1}
	q.level = q.in.levels[len(q.in.levels)-1]
	src := q.in.leafSource("", q.in.rowName("result"), out)
	q.level.sources = append(q.level.sources, src)
	q.targets = append(q.targets, src.cols...)
	q.sort(s)
	p := &ir.Project{From: &ir.Leaf{Row: src.row, Rel: out.rel}, Order: q.order}
	x.cut(p, s, out)
	x.tie(p, q.targets)
	p.Cols = itemsOf(q.targets)
	out.rel = p
	return out
}

func rename(d *derived, cols []string) {
	for i, name := range cols {
		if i < len(d.cols) {
			d.cols[i].name = name
		}
	}
}

// cut adds LIMIT and OFFSET.
func (x *ex) cut(p *ir.Project, s *pg.SelectStmt, d *derived) {
	one := func(n *pg.Node, what string) ir.Expr {
		if n == nil {
			return nil
		}
		v := x.expr(n)
		if v.isNull() {
			return nil
		}
		return x.convert(v, schema.TInt, x.at(n), what)
	}
	p.Limit, p.Offset = one(s.LimitCount, "LIMIT"), one(s.LimitOffset, "OFFSET")
	if p.Limit != nil || p.Offset != nil {
		d.nonEmpty = false
	}
	if c, ok := p.Limit.(*ir.Const); ok && c.Value.Kind == ir.KindInt && c.Value.I <= 1 {
		d.single = true
	}
}

// setOp is UNION, INTERSECT and EXCEPT.
func (x *ex) setOp(s *pg.SelectStmt) *derived {
	l, r := x.relation(s.Larg), x.relation(s.Rarg)
	if len(l.cols) != len(r.cols) {
		x.fail(int32(max(pg.Start(s.Rarg), 0)), "both sides of %s need the same number of columns, but there are %d and %d",
			strings.TrimPrefix(s.Op.String(), "SETOP_"), len(l.cols), len(r.cols))
	}
	op := &ir.SetOp{All: s.All}
	switch s.Op {
	case pg.SetOpIntersect:
		op.Op = ir.Intersect
	case pg.SetOpExcept:
		op.Op = ir.Except
	}
	out := &derived{rel: op}
	for i := range l.cols {
		a, b := l.cols[i], r.cols[i]
		t := x.commonColumn(a.t, b.t, strings.TrimPrefix(s.Op.String(), "SETOP_"))
		if !s.All || s.Op != pg.SetOpUnion {
			x.byIdentityOnly(t, strings.TrimPrefix(s.Op.String(), "SETOP_"))
		}
		out.cols = append(out.cols, colDef{name: a.name, t: t, nn: a.nn && b.nn})
	}
	x.retype(l, out.cols)
	x.retype(r, out.cols)
	op.L, op.R = l.rel, r.rel
	return out
}

// commonColumn is the type of a column of rows from several queries.
func (x *ex) commonColumn(a, b schema.Type, what string) schema.Type {
	if a.Name == schema.NUnknown && b.Name == schema.NUnknown || a.Same(b) {
		return a
	}
	vs := []val{{t: a}, {t: b}}
	return x.commonType(vs, []string{a.PgName(), b.PgName()}, 0, what)
}

// retype converts the columns of a relation.
func (x *ex) retype(d *derived, want []colDef) {
	p, direct := d.rel.(*ir.Project)
	if !direct {
		row := x.rowName("part")
		p = &ir.Project{From: &ir.Leaf{Row: row, Rel: d.rel}}
		p.Cols = itemsOf(x.leafSource("", row, d).cols)
	}
	changed := false
	for i, c := range d.cols {
		t := want[i].t
		if t.Name == schema.NUnknown {
			continue
		}
		if !c.t.Same(t) {
			changed = true
			p.Cols[i].Expr = x.convert(val{e: p.Cols[i].Expr, t: c.t, nn: c.nn}, t, 0, "column "+c.name)
			p.Cols[i].Type = localType(t)
			d.cols[i].t = t
		}
	}
	if changed || direct {
		d.rel = p
	}
}

// settle gives columns that have no type yet, such as quoted literals, theirs.
func (x *ex) settle(d *derived) {
	want := append([]colDef{}, d.cols...)
	for i, c := range want {
		if c.t.Name == schema.NUnknown {
			want[i].t = schema.TText
		}
	}
	x.retype(d, want)
}

// valuesRel is VALUES (…), (…).
func (x *ex) valuesRel(s *pg.SelectStmt) *derived {
	var out *derived
	for _, row := range s.ValuesLists {
		one := &derived{single: true, nonEmpty: true}
		p := &ir.Project{}
		for i, n := range x.expanded(pg.Inner(row).(*pg.List).Items) {
			v := x.one(n)
			c := colDef{name: "column" + strconv.Itoa(i+1), t: v.t, nn: v.nn}
			one.cols = append(one.cols, c)
			p.Cols = append(p.Cols, ir.Item{Name: c.name, Type: localType(v.t), Expr: v.e})
		}
		one.rel = p
		if out == nil {
			out = one
			continue
		}
		if len(one.cols) != len(out.cols) {
			x.fail(x.at(pg.Inner(row).(*pg.List).Items[0]), "the lists of VALUES must all be as long as the first one")
		}
		want := append([]colDef{}, out.cols...)
		for i, c := range one.cols {
			want[i].t = x.commonColumn(want[i].t, c.t, "VALUES")
			want[i].nn = want[i].nn && c.nn
		}
		x.retype(out, want)
		x.retype(one, want)
		out = &derived{rel: &ir.SetOp{All: true, L: out.rel, R: one.rel}, cols: want, nonEmpty: true}
	}
	return out
}

// core translates a SELECT … FROM … WHERE … GROUP BY ….
func (x *ex) core(s *pg.SelectStmt) *derived {
	q := &query{in: x.inner(), atMost: -1}
	q.level = q.in.levels[len(q.in.levels)-1]
	y := q.in
	x.checkLocking(s, x.pushed)
	q.lockOf = syntax.LockModesOf(s, x.pushed)
	var from ir.From
	for _, n := range s.FromClause {
		f := q.fromTree(n)
		if from == nil {
			from = f
		} else {
			from = &ir.Join{L: from, R: f}
		}
	}
	q.checkLocked(s)
	var where ir.Expr
	if s.WhereClause != nil {
		for _, c := range syntax.Conjuncts(s.WhereClause) {
			where = ir.AndE(where, y.boolean(c, truth))
		}
	}
	y.win = &window{from: from, where: where}
	grouped := len(s.GroupClause) > 0 || s.HavingClause != nil || syntax.HasAggregates(s.TargetList) || syntax.HasAggregates(sortNodes(s))
	var g *grouping
	if grouped {
		g = &grouping{in: y, row: y.rowName("grouped")}
		z := *y
		z.agg, z.win = g, nil
		q.in = &z
	}
	for _, n := range s.TargetList {
		q.addTarget(pg.Inner(n).(*pg.ResTarget))
	}
	q.sort(s)
	p := &ir.Project{From: from, Where: where, Order: q.order}
	out := &derived{cols: q.targets}
	if grouped {
		g.keys(q, s.GroupClause)
		p.Where = nil
		if s.HavingClause != nil {
			for _, c := range syntax.Conjuncts(s.HavingClause) {
				p.Where = ir.AndE(p.Where, g.rewrite(q.in.boolean(c, truth)))
			}
		}
		for i := range q.targets {
			q.targets[i].e = g.rewrite(q.targets[i].e)
		}
		for i := range p.Order {
			p.Order[i].Expr = g.rewrite(p.Order[i].Expr)
		}
		p.From = &ir.Leaf{Row: g.row, Rel: &ir.Group{From: from, Where: where, Keys: g.items, Aggs: g.aggs}}
		if len(g.items) == 0 && len(s.GroupClause) == 0 {
			out.single, out.nonEmpty = true, s.HavingClause == nil
		}
	} else if from == nil {
		out.single, out.nonEmpty = true, where == nil
	} else if l, ok := from.(*ir.Leaf); ok {
		if t := y.d.tableOf(l); t != nil {
			out.single = fixesKey(t.IR, l.Row, where, x.outerRows())
		}
	}
	q.distinct(s, p, g)
	x.cut(p, s, out)
	q.lockDerived(x, s, from, &ir.Project{Where: where, Order: p.Order, Limit: p.Limit, Offset: p.Offset})
	x.tie(p, q.targets)
	p.Cols = itemsOf(q.targets)
	out.rel = p
	y.d.restrict(from, where)
	return out
}

// outerRows are the row variables that a query inside of x may refer to.
func (x *ex) outerRows() map[string]bool {
	out := map[string]bool{}
	for _, lv := range x.levels {
		for _, s := range lv.sources {
			out[s.row] = true
		}
	}
	return out
}

func sortNodes(s *pg.SelectStmt) []*pg.Node {
	var out []*pg.Node
	for _, n := range s.SortClause {
		out = append(out, pg.Inner(n).(*pg.SortBy).Node)
	}
	return out
}

// distinct translates DISTINCT and DISTINCT ON.
func (q *query) distinct(s *pg.SelectStmt, p *ir.Project, g *grouping) {
	if len(s.DistinctClause) == 0 {
		return
	}
	if s.DistinctClause[0] == nil || pg.Inner(s.DistinctClause[0]) == nil {
		p.Distinct = true
		for _, c := range q.targets {
			q.in.byIdentityOnly(c.t, "DISTINCT")
		}
		return
	}
	for _, n := range s.DistinctClause {
		v := q.in.comparable(q.sortKey(&pg.SortBy{Node: n}))
		if g != nil {
			v.e = g.rewrite(v.e)
		}
		p.On = append(p.On, v.e)
	}
}

// itemsOf gives output columns names of their own.
func itemsOf(cols []colDef) []ir.Item {
	out := make([]ir.Item, len(cols))
	taken := map[string]int{}
	for i, c := range cols {
		name := c.name
		if n := taken[c.name]; n > 0 {
			name = c.name + "#" + strconv.Itoa(n)
		}
		taken[c.name]++
		out[i] = ir.Item{Name: name, Type: localType(c.t), Expr: c.e}
	}
	return out
}

// leafSource makes the source for the rows of a relation.
func (x *ex) leafSource(alias, row string, d *derived) *rowSource {
	src := &rowSource{alias: alias, row: row}
	shape := ir.Columns(d.rel)
	for i, c := range d.cols {
		src.cols = append(src.cols, colDef{name: c.name, e: &ir.Col{Row: row, Col: shape[i].Name}, t: c.t, nn: c.nn})
	}
	x.d.register(src)
	return src
}

// relMayFail reports whether computing a relation may end in an error.
func (b *Draft) relMayFail(r ir.Rel) bool {
	found := false
	ir.WalkRel(r, func(e ir.Expr) { found = found || ir.MayFail(e) })
	ir.EachRel(r, func(r ir.Rel) {
		if p, ok := r.(*ir.Project); ok {
			found = found || b.maybeNegative(p.Limit) || b.maybeNegative(p.Offset)
		}
	})
	return found
}

// maybeNegative reports whether LIMIT or OFFSET may be a negative number, which is an error,
// depending on other things than the parameters of the template.
func (b *Draft) maybeNegative(e ir.Expr) bool {
	if e == nil {
		return false
	}
	return !b.isGiven(e)
}

// isGiven reports whether a value depends on nothing but the parameters of the template.
func (b *Draft) isGiven(e ir.Expr) bool {
	given := true
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Var:
			given = given && slices.ContainsFunc(b.txn.Params, func(p ir.Param) bool { return p.Name == e.Name })
		case *ir.Call:
			given = given && e.Def == nil
		case *ir.Col, *ir.Exists:
			given = false
		}
	})
	return given
}
