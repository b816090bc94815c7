package query

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/load"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// RowName gives a row variable that no query around it uses.
func (x *Place) RowName(base string) string {
	taken := func(name string) bool {
		if name == ir.Excluded || x.Deriver != nil && x.Deriver.Rows[name] {
			return true
		}
		for _, lv := range x.Levels {
			for _, s := range lv.Sources {
				if s.Row == name {
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
func (x *Place) plain(s *pg.SelectStmt, anyRow bool) {
	switch {
	case s.Op != pg.SetOpNone && s.Op != 0:
		x.Unmodelled("%s", strings.TrimPrefix(s.Op.String(), "SETOP_"))
	case len(s.ValuesLists) > 0:
		x.Unmodelled("VALUES as a query")
	case len(s.GroupClause) > 0:
		x.Unmodelled("GROUP BY")
	case s.HavingClause != nil:
		x.Unmodelled("HAVING")
	case len(s.WindowClause) > 0:
		x.Unmodelled("a window function")
	case len(s.DistinctClause) > 0 && !anyRow:
		x.Unmodelled("DISTINCT")
	case s.LimitOption == pg.LimitWithTies:
		x.Unmodelled("WITH TIES")
	case s.IntoClause != nil:
		x.Unmodelled("SELECT INTO a new table")
	}
	if s.LimitOffset != nil {
		if c, ok := pg.Inner(s.LimitOffset).(*pg.A_Const); !ok || c.GetIval() == nil || c.GetIval().Ival != 0 {
			x.Unmodelled("OFFSET")
		}
	}
}

// Locking translates a SELECT inside of x. With anyRow the output columns and their
// order do not matter. The caller sees to the locks of the result.
func (x *Place) Locking(s *pg.SelectStmt, anyRow bool) *Query {
	x = x.reached(s)
	x.checkLocking(s, x.pushed)
	x.plain(s, anyRow)
	if s.WithClause != nil {
		y := x.Copy()
		y.with(s.WithClause)
		x = y
	}
	q := &Query{Place: x.Inner(), AtMost: -1, tid: x.Tid}
	q.Level = q.Place.Levels[len(q.Place.Levels)-1]
	var conds []ir.Expr
	for _, n := range s.FromClause {
		conds = append(conds, q.AddFrom(n)...)
	}
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
	return q
}

// rest translates all but the FROM list.
func (q *Query) rest(x *Place, s *pg.SelectStmt, conds []ir.Expr, anyRow bool) {
	if s.WhereClause != nil {
		for _, c := range syntax.Conjuncts(s.WhereClause) {
			conds = append(conds, q.Place.Boolean(c, expr.Truth))
		}
	}
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
	if anyRow && skipsLocked(s) {
		x.Unmodelled("SKIP LOCKED in EXISTS")
	}
	if anyRow && !computesColumns(s) {
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

// computesColumns reports whether EXISTS computes the output columns of a query, as PostgreSQL
// does where it cannot do without them (simplify_EXISTS_query).
func computesColumns(s *pg.SelectStmt) bool {
	return len(s.LockingClause) > 0 || s.LimitOffset != nil
}

// AddFrom adds an item of the FROM list and gives the join conditions.
func (q *Query) AddFrom(n *pg.Node) []ir.Expr {
	x := q.Place
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
			x.Unmodelled("LATERAL")
		}
		outer := x.Copy()
		outer.Levels = x.Levels[:len(x.Levels)-1]
		var kept picked
		if skipsLocked(sel) && q.Target != nil {
			kept = q.pickAgain(outer, sel, x.At(n))
		}
		again := kept != nil
		if !again && limited(sel) && q.Target != nil {
			kept = outer.chosenFrom(sel, x.Pos(x.At(n)))
		}
		mark := len(q.From)
		if conds, ok := q.flat(outer, &fromQuery{s: sel, alias: f.Alias.Aliasname, as: f.Alias, loc: x.At(n), picked: kept, what: "a subquery in FROM"}); ok {
			if again {
				q.again = append(q.again, q.From[mark:]...)
			}
			return conds
		}
		x.Unmodelled("a subquery in FROM")
	default:
		x.Unmodelled("this kind of FROM item")
	}
	return nil
}

// TableOf finds the table that a statement names.
func (x *Place) TableOf(r *pg.RangeVar) *schema.Table {
	name := syntax.RangeName(r)
	in := x.App.Sees(x.Text)
	o := in.Used(name)
	switch {
	case o != nil && o.Gone > 0, o == nil && in.WasDropped(name): // a function that was forgotten
		x.Unmodelled("%s, which was dropped", name)
	case o == nil && load.SystemTable(name):
		x.ShowsRunning(syntax.PlainName(name), r.Location)
		x.Unmodelled("the system catalog %s", syntax.PlainName(name))
	case o == nil:
		x.Fail(r.Location, schema.NoTable+"%s", x.App.NotThere(in, name))
	case o.View != nil:
		x.Unmodelled("%s (%s)", o.View.What, syntax.PlainName(name))
	}
	t := o.Table
	if t.Odd != "" {
		x.Unmodelled("%s", t.Odd)
	}
	if t.RowSec {
		x.Unmodelled("row level security of %s", t.Name)
	}
	return t
}

// viewOf gives the view that a statement names, or nil.
func (x *Place) viewOf(r *pg.RangeVar) *schema.View {
	o := x.App.Sees(x.Text).Used(syntax.RangeName(r))
	if o == nil || o.View == nil || o.View.Query == nil || o.Gone > 0 {
		return nil
	}
	return o.View
}

// source makes the source of a table, with the columns that it had when the text was declared.
func (x *Place) source(t *schema.Table, alias, row string) *expr.RowSource {
	s := expr.TableSource(t, alias, row)
	in := x.App.Sees(x.Text)
	if in.At == schema.Now {
		return s
	}
	kept := s.Cols[:0]
	for i, c := range t.Columns {
		if name, there := c.NameAt(in.At); there {
			s.Cols[i].Name = name
			kept = append(kept, s.Cols[i])
		}
	}
	s.Cols = kept
	return s
}

// addTable adds a table, or the tables of a view or of a WITH query, and gives
// the conditions of these.
func (q *Query) addTable(r *pg.RangeVar) []ir.Expr {
	x := q.Place
	alias := syntax.AliasOf(r)
	if c := x.Ctes.find(r.Relname); c != nil && r.Schemaname == "" {
		switch {
		case c.row != nil:
			q.Name(&expr.RowSource{Alias: alias, Cols: slices.Clone(c.row), Unlockable: "a WITH query"}, r.Alias, r.Location)
			return []ir.Expr{ir.V(c.found)}
		case c.query == nil:
			x.Unmodelled("rows of RETURNING")
		}
		in := x.Copy()
		in.Ctes, in.Levels = c.up, c.levels
		if conds, ok := q.flat(in, &fromQuery{s: c.query, alias: alias, as: r.Alias, cols: c.cols, loc: r.Location, picked: c.picked, what: "a WITH query", fenced: true}); ok {
			return conds
		}
		x.Unmodelled("WITH")
	}
	if v := x.viewOf(r); v != nil {
		if conds, ok := q.flat(x.InView(v), &fromQuery{s: v.Query, alias: alias, as: r.Alias, cols: v.Cols, rename: v.Column, loc: r.Location, what: "view " + syntax.RangeName(r)}); ok {
			return conds
		}
		x.Unmodelled("view %s, which does more than select rows", syntax.RangeName(r))
	}
	t := x.TableOf(r)
	s := x.source(t, alias, x.RowName(alias))
	q.Name(s, r.Alias, r.Location)
	q.From = append(q.From, s.IRSource())
	return nil
}

func (q *Query) join(j *pg.JoinExpr) []ir.Expr {
	x := q.Place
	if j.Jointype != pg.JoinInner {
		x.Unmodelled("%s JOIN", strings.TrimPrefix(j.Jointype.String(), "JOIN_"))
	}
	if j.Alias != nil {
		x.Unmodelled("an alias of a join")
	}
	start := len(q.Level.Sources)
	conds := q.AddFrom(j.Larg)
	mid := len(q.Level.Sources)
	conds = append(conds, q.AddFrom(j.Rarg)...)
	left, right := q.Level.Sources[start:mid], q.Level.Sources[mid:]
	using := syntax.Names(j.UsingClause)
	if j.IsNatural {
		using = common(left, right)
	}
	for _, name := range using {
		a, b := visible(left, name), visible(right, name)
		loc := int32(max(pg.Start(j), 0))
		if a == nil || b == nil {
			x.Fail(loc, "USING (%s): both sides of the join need this column", name)
		}
		conds = append(conds, x.Compare("=", a.Val(), b.Val(), loc).Expr)
		hide(right, name)
	}
	if j.Quals != nil {
		for _, c := range syntax.Conjuncts(j.Quals) {
			conds = append(conds, x.Boolean(c, expr.Truth))
		}
	}
	return conds
}

// common gives the columns that both sides of a NATURAL JOIN have.
func common(left, right []*expr.RowSource) []string {
	var out []string
	for _, s := range left {
		for _, c := range s.Cols {
			if !s.Hidden[c.Name] && visible(right, c.Name) != nil {
				out = append(out, c.Name)
			}
		}
	}
	return out
}

// hide takes a column of one side of a join away: the other side stands for both.
func hide(list []*expr.RowSource, name string) {
	for _, s := range list {
		if s.Col(name) != nil {
			if s.Hidden == nil {
				s.Hidden = map[string]bool{}
			}
			s.Hidden[name] = true
		}
	}
}

// visible finds a column by its name alone.
func visible(list []*expr.RowSource, name string) *expr.Column {
	for _, s := range list {
		if c := s.Col(name); c != nil && !s.Hidden[name] {
			return c
		}
	}
	return nil
}

// Limits translates LIMIT, in which no column is visible.
func (q *Query) Limits(x *Place, s *pg.SelectStmt) {
	if s.LimitCount == nil {
		return
	}
	v := x.Expr(s.LimitCount)
	if v.IsNull() {
		return
	}
	q.Limit = x.Convert(v, schema.TInt, x.At(s.LimitCount), "LIMIT")
	if c, ok := q.Limit.(*ir.Const); ok && c.Value.Kind == ir.KindInt {
		q.AtMost = c.Value.I
	}
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
			e = &ir.Call{Name: "rank of " + v.Type.String(), Args: []ir.Expr{e}, Type: ir.NumType}
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

// flat adds a query of the FROM list, or a view, that only selects rows of
// tables: its tables and conditions become those of the query around it. It
// gives the conditions; ok is false where the query does more.
func (q *Query) flat(in *Place, f *fromQuery) (conds []ir.Expr, ok bool) {
	s := f.s
	if s.Op != pg.SetOpNone && s.Op != 0 || s.WithClause != nil || len(s.ValuesLists) > 0 || len(s.GroupClause) > 0 ||
		s.HavingClause != nil || len(s.WindowClause) > 0 || len(s.DistinctClause) > 0 || s.IntoClause != nil ||
		(s.LimitCount != nil || s.LimitOffset != nil) && f.picked == nil || len(s.FromClause) == 0 || syntax.HasAggregates(s.TargetList) {
		return nil, false
	}
	y := in.Copy()
	if y.Depth++; y.Depth > maxQueryDepth {
		return nil, false
	}
	// The rows of the query around it cannot be named, nor may their names be
	// taken.
	hidden := &expr.Level{}
	for _, lv := range q.Place.Levels {
		hidden.Sources = append(hidden.Sources, hiddenSources(lv)...)
	}
	y.Levels = append(append([]*expr.Level{}, y.Levels...), hidden, &expr.Level{})
	y.PerRow, y.agg, y.win, y.Tid, y.pushed = true, nil, nil, false, ir.NoLock
	sub := &Query{Place: y, Level: y.Levels[len(y.Levels)-1], AtMost: -1, tid: true}
	for _, n := range s.FromClause {
		conds = append(conds, sub.AddFrom(n)...)
	}
	if len(sub.Loops) > 0 || sub.Writer {
		return nil, false
	}
	if s.WhereClause != nil {
		for _, c := range syntax.Conjuncts(s.WhereClause) {
			conds = append(conds, y.Boolean(c, expr.Truth))
		}
	}
	if f.picked != nil {
		conds = append(conds, f.picked(sub.From))
	}
	for _, n := range s.TargetList {
		sub.AddTarget(pg.Inner(n).(*pg.ResTarget))
	}
	sub.Where = ir.AndE(conds...)
	src := &expr.RowSource{Alias: f.alias}
	for i, c := range sub.Targets {
		if i < len(f.cols) {
			c.Name = f.cols[i]
		}
		if f.rename != nil {
			c.Name = f.rename(c.Name)
		}
		v := y.DefaultType(c.Val())
		src.Cols = append(src.Cols, expr.Column{Name: c.Name, Expr: v.Expr, Type: v.Type, NotNull: v.NotNull})
	}
	if in.Draft != nil {
		q.locksWithin(in, sub, src, f, conds)
	}
	q.Level.Sources = append(q.Level.Sources, hiddenSources(sub.Level)...)
	q.Name(src, f.as, f.loc)
	q.From = append(q.From, sub.From...)
	return conds, true
}
