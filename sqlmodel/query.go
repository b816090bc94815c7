package sqlmodel

import (
	"fmt"
	"strings"

	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// query is a translated SELECT.
type query struct {
	in    *ex // for expressions over its rows
	level *level
	from  []ir.Source
	where ir.Expr
	// loops are the set-returning functions of the FROM list, outermost first.
	loops []setLoop
	// body are the statements that each round of the loops begins with.
	body []ir.Stmt
	// targets are the output columns. With aggs they are expressions over the
	// locals of those.
	targets []colDef
	aggs    []aggCall
	// after are the statements that compute the output columns of aggregates.
	after []ir.Stmt
	order []ir.Order
	limit ir.Expr
	// atMost is the limit if it is a constant, or -1.
	atMost int64
	// locks are those on the rows that come into the result, inner the queries in FROM
	// that may lock more (locks.go).
	locks ir.Locks
	inner []*innerLocks
	fetch fetching // if its rows are gone through one by one
	// lockOf gives the lock on an item of the FROM list of a derivation, and nested the
	// queries there that lock rows.
	lockOf func(alias string) (mode ir.LockMode, skips bool)
	nested []*nestedLocks
	// skip says that rows may be skipped which others have locked; skipRows
	// makes it conditions. some says that it chose several rows.
	skip, some bool
	// whole, if not nil, is the derivation whose rows the only loop goes through.
	whole *derived
	// writer says that a function in FROM writes.
	writer bool
	// target is the row that an UPDATE or DELETE writes, if this is its FROM or
	// USING; again are the sources there that skip rows, each time they are read.
	target *rowSource
	again  []ir.Source
	// tid says that an output column may be the ctid of a row.
	tid bool
}

// inner gives the translator for a query inside of x.
func (x *ex) inner() *ex {
	y := *x
	y.levels = append(append([]*level{}, x.levels...), &level{})
	y.agg, y.win = nil, nil
	y.perRow, y.tid, y.pushed, y.held, y.fetched, y.sure = true, false, ir.NoLock, false, fetchedSome, nil
	return &y
}

// rowName gives a row variable that no query around it uses.
func (x *ex) rowName(base string) string {
	taken := func(name string) bool {
		if name == ir.Excluded || x.d != nil && x.d.rows[name] {
			return true
		}
		for _, lv := range x.levels {
			for _, s := range lv.sources {
				if s.row == name {
					return true
				}
			}
		}
		return false
	}
	name := base
	for i := 1; taken(name); i++ {
		name = fmt.Sprintf("%s_%d", base, i)
	}
	return name
}

// plain refuses the parts of SELECT that are not modelled. anyRow says that
// only the existence of rows matters.
func (x *ex) plain(s *pg.SelectStmt, anyRow bool) {
	switch {
	case s.Op != pg.SetOpNone && s.Op != 0:
		x.unmodelled("%s", strings.TrimPrefix(s.Op.String(), "SETOP_"))
	case len(s.ValuesLists) > 0:
		x.unmodelled("VALUES as a query")
	case len(s.GroupClause) > 0:
		x.unmodelled("GROUP BY")
	case s.HavingClause != nil:
		x.unmodelled("HAVING")
	case len(s.WindowClause) > 0:
		x.unmodelled("a window function")
	case len(s.DistinctClause) > 0 && !anyRow:
		x.unmodelled("DISTINCT")
	case s.LimitOption == pg.LimitWithTies:
		x.unmodelled("WITH TIES")
	case s.IntoClause != nil:
		x.unmodelled("SELECT INTO a new table")
	}
	if s.LimitOffset != nil {
		if c, ok := pg.Inner(s.LimitOffset).(*pg.A_Const); !ok || c.GetIval() == nil || c.GetIval().Ival != 0 {
			x.unmodelled("OFFSET")
		}
	}
}

// locking translates a SELECT inside of x. With anyRow the output columns and their
// order do not matter. The caller sees to the locks of the result.
func (x *ex) locking(s *pg.SelectStmt, anyRow bool) *query {
	x = x.reached(s)
	x.checkLocking(s, x.pushed)
	x.plain(s, anyRow)
	if s.WithClause != nil {
		y := *x
		y.with(s.WithClause)
		x = &y
	}
	q := &query{in: x.inner(), atMost: -1, tid: x.tid}
	q.level = q.in.levels[len(q.in.levels)-1]
	var conds []ir.Expr
	for _, n := range s.FromClause {
		conds = append(conds, q.addFrom(n)...)
	}
	if q.writer && len(q.from) > 0 {
		x.unmodelled("a function in FROM that writes, beside a table")
	}
	q.in.perRow = x.perRow || len(q.from) > 0
	rest := func() { q.rest(x, s, conds, anyRow) }
	if len(q.loops) > 0 {
		q.body = x.b.collect(rest) // what it needs is computed in each round
	} else {
		rest()
	}
	return q
}

// rest translates all but the FROM list.
func (q *query) rest(x *ex, s *pg.SelectStmt, conds []ir.Expr, anyRow bool) {
	if s.WhereClause != nil {
		for _, c := range syntax.Conjuncts(s.WhereClause) {
			conds = append(conds, q.in.boolean(c, truth))
		}
	}
	q.where = ir.AndE(conds...)
	q.limits(x, s)
	if x.b != nil {
		q.takeLocks(s, x.pushed)
		q.settleInner(s, conds)
	}
	if syntax.HasAggregates(s.TargetList) {
		if q.limit != nil && q.atMost < 0 {
			x.unmodelled("LIMIT of an expression over aggregates")
		}
		q.aggregates(x, s)
		return
	}
	q.limitOfOne(x)
	if anyRow && skipsLocked(s) {
		x.unmodelled("SKIP LOCKED in EXISTS")
	}
	if anyRow && !computesColumns(s) {
		return
	}
	targets := func() {
		for _, n := range s.TargetList {
			q.addTarget(pg.Inner(n).(*pg.ResTarget))
		}
	}
	if q.where == nil && q.limit == nil {
		targets()
	} else { // there may be no row to compute them for
		q.in.maybe(targets)
	}
	q.sort(s)
}

// computesColumns reports whether EXISTS computes the output columns of a query, as PostgreSQL
// does where it cannot do without them (simplify_EXISTS_query).
func computesColumns(s *pg.SelectStmt) bool {
	return len(s.LockingClause) > 0 || s.LimitOffset != nil
}

// addFrom adds an item of the FROM list and gives the join conditions.
func (q *query) addFrom(n *pg.Node) []ir.Expr {
	x := q.in
	switch f := pg.Inner(n).(type) {
	case *pg.RangeVar:
		return q.addTable(f)
	case *pg.JoinExpr:
		return q.join(f)
	case *pg.RangeFunction:
		q.function(f)
	case *pg.RangeSubselect:
		sel, ok := pg.Inner(f.Subquery).(*pg.SelectStmt)
		if f.Lateral || !ok || f.Alias == nil {
			x.unmodelled("LATERAL")
		}
		outer := *x
		outer.levels = x.levels[:len(x.levels)-1]
		var kept picked
		if skipsLocked(sel) && q.target != nil {
			kept = q.pickAgain(&outer, sel, x.at(n))
		}
		again := kept != nil
		if !again && limited(sel) && q.target != nil {
			kept = outer.chosenFrom(sel, x.pos(x.at(n)))
		}
		mark := len(q.from)
		if conds, ok := q.flat(&outer, &fromQuery{s: sel, alias: f.Alias.Aliasname, as: f.Alias, loc: x.at(n), picked: kept, what: "a subquery in FROM"}); ok {
			if again {
				q.again = append(q.again, q.from[mark:]...)
			}
			return conds
		}
		x.unmodelled("a subquery in FROM")
	default:
		x.unmodelled("this kind of FROM item")
	}
	return nil
}

// tableOf finds the table that a statement names.
func (x *ex) tableOf(r *pg.RangeVar) *schema.Table {
	name := syntax.RangeName(r)
	in := x.l.Sees(x.text)
	o := in.Used(name)
	switch {
	case o != nil && o.Gone > 0, o == nil && in.WasDropped(name): // a function that was forgotten
		x.unmodelled("%s, which was dropped", name)
	case o == nil && load.SystemTable(name):
		x.showsRunning(syntax.PlainName(name), r.Location)
		x.unmodelled("the system catalog %s", syntax.PlainName(name))
	case o == nil:
		x.fail(r.Location, schema.NoTable+"%s", x.l.NotThere(in, name))
	case o.View != nil:
		x.unmodelled("%s (%s)", o.View.What, syntax.PlainName(name))
	}
	t := o.Table
	if t.Odd != "" {
		x.unmodelled("%s", t.Odd)
	}
	if t.RowSec {
		x.unmodelled("row level security of %s", t.Name)
	}
	return t
}

// viewOf gives the view that a statement names, or nil.
func (x *ex) viewOf(r *pg.RangeVar) *schema.View {
	o := x.l.Sees(x.text).Used(syntax.RangeName(r))
	if o == nil || o.View == nil || o.View.Query == nil || o.Gone > 0 {
		return nil
	}
	return o.View
}

// source makes the source of a table, with the columns that it had when the text was declared.
func (x *ex) source(t *schema.Table, alias, row string) *rowSource {
	s := tableSource(t, alias, row)
	in := x.l.Sees(x.text)
	if in.At == schema.Now {
		return s
	}
	kept := s.cols[:0]
	for i, c := range t.Columns {
		if name, there := c.NameAt(in.At); there {
			s.cols[i].name = name
			kept = append(kept, s.cols[i])
		}
	}
	s.cols = kept
	return s
}

// functions gives the functions of the program that a call may mean.
func (x *ex) functions(name string) []*schema.Function {
	in := x.l.Sees(x.text)
	fns, sure := in.Functions(name)
	if !sure {
		panic(schema.Unmodelled{Reason: "a call of " + name + ", which depends on the search_path"})
	}
	in.Tell(name, fns)
	return fns
}

// addTable adds a table, or the tables of a view or of a WITH query, and gives
// the conditions of these.
func (q *query) addTable(r *pg.RangeVar) []ir.Expr {
	x := q.in
	alias := syntax.AliasOf(r)
	if c := x.ctes.find(r.Relname); c != nil && r.Schemaname == "" {
		if c.query == nil {
			x.unmodelled("rows of RETURNING")
		}
		in := *x
		in.ctes, in.levels = c.up, c.levels
		if conds, ok := q.flat(&in, &fromQuery{s: c.query, alias: alias, as: r.Alias, cols: c.cols, loc: r.Location, picked: c.picked, what: "a WITH query", fenced: true}); ok {
			return conds
		}
		x.unmodelled("WITH")
	}
	if v := x.viewOf(r); v != nil {
		if conds, ok := q.flat(x.inView(v), &fromQuery{s: v.Query, alias: alias, as: r.Alias, cols: v.Cols, rename: v.Column, loc: r.Location, what: "view " + syntax.RangeName(r)}); ok {
			return conds
		}
		x.unmodelled("view %s, which does more than select rows", syntax.RangeName(r))
	}
	t := x.tableOf(r)
	s := x.source(t, alias, x.rowName(alias))
	q.name(s, r.Alias, r.Location)
	q.from = append(q.from, s.irSource())
	return nil
}

// name adds a source, with the column names of its alias.
func (q *query) name(s *rowSource, a *pg.Alias, loc int32) {
	for _, o := range q.level.sources {
		if o.alias == s.alias {
			q.in.fail(loc, "the name %s is given to two tables; use aliases", s.alias)
		}
	}
	for i, c := range syntax.Names(a.GetColnames()) {
		if i < len(s.cols) {
			s.cols[i].name = c
		}
	}
	q.level.sources = append(q.level.sources, s)
}

func (q *query) join(j *pg.JoinExpr) []ir.Expr {
	x := q.in
	if j.Jointype != pg.JoinInner {
		x.unmodelled("%s JOIN", strings.TrimPrefix(j.Jointype.String(), "JOIN_"))
	}
	if j.Alias != nil {
		x.unmodelled("an alias of a join")
	}
	start := len(q.level.sources)
	conds := q.addFrom(j.Larg)
	mid := len(q.level.sources)
	conds = append(conds, q.addFrom(j.Rarg)...)
	left, right := q.level.sources[start:mid], q.level.sources[mid:]
	using := syntax.Names(j.UsingClause)
	if j.IsNatural {
		using = common(left, right)
	}
	for _, name := range using {
		a, b := visible(left, name), visible(right, name)
		loc := int32(max(pg.Start(j), 0))
		if a == nil || b == nil {
			x.fail(loc, "USING (%s): both sides of the join need this column", name)
		}
		conds = append(conds, x.compare("=", a.val(), b.val(), loc).e)
		hide(right, name)
	}
	if j.Quals != nil {
		for _, c := range syntax.Conjuncts(j.Quals) {
			conds = append(conds, x.boolean(c, truth))
		}
	}
	return conds
}

// common gives the columns that both sides of a NATURAL JOIN have.
func common(left, right []*rowSource) []string {
	var out []string
	for _, s := range left {
		for _, c := range s.cols {
			if !s.hidden[c.name] && visible(right, c.name) != nil {
				out = append(out, c.name)
			}
		}
	}
	return out
}

// hide takes a column of one side of a join away: the other side stands for both.
func hide(list []*rowSource, name string) {
	for _, s := range list {
		if s.col(name) != nil {
			if s.hidden == nil {
				s.hidden = map[string]bool{}
			}
			s.hidden[name] = true
		}
	}
}

// visible finds a column by its name alone.
func visible(list []*rowSource, name string) *colDef {
	for _, s := range list {
		if c := s.col(name); c != nil && !s.hidden[name] {
			return c
		}
	}
	return nil
}

// limits translates LIMIT, in which no column is visible.
func (q *query) limits(x *ex, s *pg.SelectStmt) {
	if s.LimitCount == nil {
		return
	}
	v := x.expr(s.LimitCount)
	if v.isNull() {
		return
	}
	q.limit = x.convert(v, schema.TInt, x.at(s.LimitCount), "LIMIT")
	if c, ok := q.limit.(*ir.Const); ok && c.Value.Kind == ir.KindInt {
		q.atMost = c.Value.I
	}
}

// limitOfOne makes a condition of a LIMIT of an expression where there is no FROM, and so one
// row at most.
func (q *query) limitOfOne(x *ex) {
	if len(q.from) > 0 || len(q.loops) > 0 || q.limit == nil || q.atMost >= 0 {
		return
	}
	n := x.shared(q.limit, schema.TInt)
	atLeast := func(least int64) ir.Expr {
		return ir.OrE(&ir.Unary{Op: ir.IsNull, X: n}, ir.Op(ir.Ge, n, ir.C(ir.Int(least))))
	}
	switch {
	case x.b == nil || !x.b.maybeNegative(n):
	case x.perRow || x.conditional:
		x.b.mayDepend(x.b.cur, "a negative LIMIT")
	default:
		x.b.require(x.b.cur, atLeast(0), negativeLimit)
	}
	q.where = ir.AndE(q.where, atLeast(1))
	q.limit = nil
}

// addTarget adds an output column, or several for a star.
func (q *query) addTarget(t *pg.ResTarget) {
	x := q.in
	if c, ok := pg.Inner(t.Val).(*pg.ColumnRef); ok {
		if last := c.Fields[len(c.Fields)-1]; syntax.IsStar(last) {
			q.star(syntax.Names(c.Fields), c.Location)
			return
		}
	}
	if ind, ok := pg.Inner(t.Val).(*pg.A_Indirection); ok && syntax.IsStar(ind.Indirection[len(ind.Indirection)-1]) {
		x.unmodelled("(row).*")
	}
	if q.tid && isCtid(t.Val) {
		x = x.tidOf()
	}
	v := x.expr(t.Val)
	if v.record {
		if _, named := pg.Inner(t.Val).(*pg.FuncCall); !named {
			x.unmodelled("a whole row as an output column")
		}
		q.targets = append(q.targets, v.fields...)
		return
	}
	v = x.defaultType(v)
	q.targets = append(q.targets, colDef{name: syntax.TargetName(t), e: v.e, t: v.t, nn: v.nn})
}

// star adds the columns of all sources, or of one.
func (q *query) star(parts []string, loc int32) {
	x := q.in
	if q.tid {
		x = x.tidOf()
	}
	if len(parts) > 0 {
		s := q.in.sourceNamed(parts)
		if s == nil {
			if v, ok := q.in.variable(parts, loc); ok && v.record {
				q.targets = append(q.targets, v.fields...)
				return
			}
			q.in.fail(loc, "there is no table or alias %s", strings.Join(parts, "."))
		}
		for _, c := range s.cols {
			x.noTid(c.t)
		}
		q.targets = append(q.targets, s.cols...)
		return
	}
	if len(q.level.sources) == 0 {
		q.in.fail(loc, "* needs a FROM clause")
	}
	merged := map[string]bool{}
	for _, s := range q.level.sources {
		for _, c := range s.cols {
			x.noTid(c.t)
			if s.hidden[c.name] {
				merged[c.name] = true
			}
		}
	}
	for _, s := range q.level.sources { // the columns of USING come first
		for _, c := range s.cols {
			if merged[c.name] && !s.hidden[c.name] {
				q.targets = append(q.targets, c)
			}
		}
	}
	for _, s := range q.level.sources {
		for _, c := range s.cols {
			if !merged[c.name] {
				q.targets = append(q.targets, c)
			}
		}
	}
}

// sort translates ORDER BY.
func (q *query) sort(s *pg.SelectStmt) {
	x := q.in
	for _, n := range s.SortClause {
		o := pg.Inner(n).(*pg.SortBy)
		if o.SortbyDir == pg.SortUsing {
			x.unmodelled("ORDER BY … USING")
		}
		v := q.sortKey(o)
		desc := o.SortbyDir == pg.SortDesc
		if _, constant := v.e.(*ir.Const); constant {
			continue
		}
		nullsFirst := o.SortbyNulls == pg.SortNullsFirst || desc && o.SortbyNulls != pg.SortNullsLast
		if nullsFirst != desc && !v.nn {
			q.order = append(q.order, ir.Order{Expr: &ir.Unary{Op: ir.IsNull, X: v.e}, Desc: nullsFirst})
		}
		e := v.e
		if !v.t.Ordered() { // some order of the type that is not the IR's
			e = &ir.Call{Name: "rank of " + v.t.String(), Args: []ir.Expr{e}, Type: ir.NumType}
		}
		q.order = append(q.order, ir.Order{Expr: e, Desc: desc})
	}
}

// sortKey is an ORDER BY item: an output column by number or name, or an
// expression.
func (q *query) sortKey(o *pg.SortBy) val {
	x := q.in
	switch e := pg.Inner(o.Node).(type) {
	case *pg.A_Const:
		i := int(e.GetIval().GetIval())
		if e.GetIval() == nil || i < 1 || i > len(q.targets) {
			x.fail(e.Location, "ORDER BY needs a column or its number, from 1 to %d", len(q.targets))
		}
		return q.targets[i-1].val()
	case *pg.ColumnRef:
		if parts := syntax.Names(e.Fields); len(parts) == 1 && len(e.Fields) == 1 {
			for _, c := range q.targets {
				if c.name == parts[0] {
					return c.val()
				}
			}
		}
	}
	v := x.expr(o.Node)
	if v.record {
		x.unmodelled("ORDER BY a row")
	}
	return x.defaultType(v)
}

func (q *query) ir() ir.Query {
	if q.skip {
		q.in.unmodelled("SKIP LOCKED in this place")
	}
	return ir.Query{From: q.from, Where: q.where}
}

// setLoop is a set-returning function in FROM, which is a loop.
type setLoop struct {
	// Either the elements of array, or the integers from..to.
	array    ir.Expr
	from, to ir.Expr
	elem     string // the local with the element
	ordinal  string // the local with the position
}

// negativeLimit is the SQLSTATE of a negative LIMIT.
const negativeLimit = "2201W"
