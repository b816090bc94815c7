package query

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/trace"
)

// Item is a FROM list, or a part of it, whose sources are in the level of the query. Plainly it
// is conditions on these; in a derivation it is a tree of their relations.
type Item struct {
	Conds []ir.Expr
	Tree  ir.From
}

// Items brings a FROM list into scope.
func (q *Query) Items(list []*pg.Node) Item {
	var all Item
	for _, n := range list {
		i := q.item(n)
		all.Conds = append(all.Conds, i.Conds...)
		if all.Tree == nil {
			all.Tree = i.Tree
		} else {
			all.Tree = &ir.Join{L: all.Tree, R: i.Tree}
		}
	}
	return all
}

func (q *Query) item(n *pg.Node) Item {
	x := q.Place
	switch f := pg.Inner(n).(type) {
	case *pg.RangeVar:
		return q.named(f)
	case *pg.JoinExpr:
		return q.join(f)
	case *pg.RangeFunction:
		return q.function(f)
	case *pg.RangeSubselect:
		sel, ok := pg.Inner(f.Subquery).(*pg.SelectStmt)
		if !ok || !q.derived && (f.Lateral || f.Alias == nil) {
			x.Unmodelled(noLateral)
		}
		y := x.Copy()
		if !f.Lateral {
			y.Levels = x.Levels[:len(x.Levels)-1]
		}
		in := &fromQuery{in: y, s: sel, alias: f.Alias.GetAliasname(), as: f.Alias, loc: x.At(n), what: "a subquery in FROM",
			rows: func(held *Place) *Derived { return held.settled(sel) }}
		mark, again := len(q.From), false
		switch {
		case q.Target == nil || q.derived:
		case syntax.SkipsLocked(sel):
			in.picked, again = q.pickAgain(y, sel, in.loc), true
		case syntax.IsLimited(sel):
			in.picked = y.chosenFrom(sel, x.Pos(in.loc))
		}
		i := q.innerQuery(in, in.what)
		if again {
			q.again = append(q.again, q.From[mark:]...)
		}
		return i
	}
	x.Unmodelled("this kind of FROM item")
	return Item{}
}

// named is a table, a view or a WITH query.
func (q *Query) named(r *pg.RangeVar) Item {
	x, alias := q.Place, syntax.AliasOf(r)
	if c := x.Ctes.find(r.Relname); c != nil && r.Schemaname == "" {
		switch {
		case q.derived && c.query == nil:
			return Item{Tree: q.leaf(c.make(x), alias, r.Alias, r.Location, func(src *expr.RowSource) { src.Unlockable = "a WITH query" })}
		case c.row != nil:
			q.Name(&expr.RowSource{Alias: alias, Cols: slices.Clone(c.row), Unlockable: "a WITH query"}, r.Alias, r.Location)
			return Item{Conds: []ir.Expr{ir.V(c.found)}}
		case c.query == nil:
			x.Unmodelled("rows of RETURNING")
		}
		in := x.Copy()
		in.Ctes, in.Levels = c.up, c.levels
		return q.innerQuery(&fromQuery{in: in, s: c.query, alias: alias, as: r.Alias, cols: c.cols, loc: r.Location, picked: c.picked, what: "a WITH query", fenced: true,
			rows: func(*Place) *Derived { return c.make(x) }}, "WITH")
	}
	if v := x.viewOf(r); v != nil {
		in := viewQuery(x, v, r)
		in.rows = func(held *Place) *Derived { return held.ViewRows(v) }
		return q.innerQuery(in, viewOfMore(r))
	}
	t := x.TableOf(r)
	s := x.source(t, alias, x.RowName(alias))
	q.Name(s, r.Alias, r.Location)
	if !q.derived {
		q.From = append(q.From, s.IRSource())
		return Item{}
	}
	x.Deriver.register(s)
	return Item{Tree: &ir.Leaf{Row: s.Row, Rel: x.Deriver.Of(t, s.Row, x.Pos(r.Location))}}
}

// viewQuery is the query of a view that x names.
func viewQuery(x *Place, v *schema.View, r *pg.RangeVar) *fromQuery {
	return &fromQuery{in: x.InView(v), s: v.Query, alias: syntax.AliasOf(r), as: r.Alias, cols: v.Cols, rename: v.Column, loc: r.Location, what: "view " + syntax.RangeName(r)}
}

// outerJoins are the kinds of joins that are not inner ones.
var outerJoins = map[int32]ir.JoinKind{int32(pg.JoinLeft): ir.Left, int32(pg.JoinRight): ir.Right, int32(pg.JoinFull): ir.Full}

// join is a join, of any kind in a derivation.
func (q *Query) join(j *pg.JoinExpr) Item {
	x, kind := q.Place, outerJoins[int32(j.Jointype)]
	if j.Jointype != pg.JoinInner && !q.derived {
		x.Unmodelled("%s", outerJoin(j))
	}
	if j.Alias != nil {
		x.Unmodelled("an alias of a join")
	}
	start := len(q.Level.Sources)
	l := q.item(j.Larg)
	mid := len(q.Level.Sources)
	r := q.item(j.Rarg)
	left, right := q.Level.Sources[start:mid:mid], slices.Clone(q.Level.Sources[mid:])
	on := append(q.using(j, kind, left, right), x.Conditions(j.Quals)...)
	// The columns of a side that may have no row may be NULL.
	if kind == ir.Left || kind == ir.Full {
		nullable(right)
	}
	if kind == ir.Right || kind == ir.Full {
		nullable(left)
	}
	if q.derived {
		return Item{Tree: &ir.Join{Kind: kind, L: l.Tree, R: r.Tree, On: ir.AndE(on...)}}
	}
	return Item{Conds: slices.Concat(l.Conds, r.Conds, on)}
}

// using gives the conditions of USING or NATURAL, whose columns one side stands for.
func (q *Query) using(j *pg.JoinExpr, kind ir.JoinKind, left, right []*expr.RowSource) []ir.Expr {
	x, list := q.Place, syntax.Names(j.UsingClause)
	if j.IsNatural {
		list = common(left, right)
	}
	var on []ir.Expr
	for _, name := range list {
		a, b := visible(left, name), visible(right, name)
		loc := int32(max(pg.Start(j), 0))
		if a == nil || b == nil {
			x.Fail(loc, "USING (%s): both sides of the join need this column", name)
		}
		on = append(on, x.Compare("=", a.Val(), b.Val(), loc).Expr)
		switch kind {
		case ir.Right:
			hide(left, name)
		case ir.Full:
			x.Unmodelled("FULL JOIN with USING")
		default:
			hide(right, name)
		}
	}
	return on
}

// nullable lets all columns of sources be NULL.
func nullable(list []*expr.RowSource) {
	for _, s := range list {
		for i := range s.Cols {
			s.Cols[i].NotNull = false
		}
	}
}

// fromQuery is a query of a FROM list: a subquery, a view or a WITH query.
type fromQuery struct {
	in    *Place // where it stands
	s     *pg.SelectStmt
	alias string
	as    *pg.Alias
	// cols are names for its first columns; rename, if not nil, changes those of all.
	cols   []string
	rename func(string) string
	loc    int32
	// picked, if not nil, stands for SKIP LOCKED and LIMIT.
	picked picked
	// what says what it is. fenced says that it is computed by itself, whatever is
	// asked of its rows: a WITH query.
	what   string
	fenced bool
	// rows translates it in a derivation.
	rows func(held *Place) *Derived
}

// innerQuery is a query of the FROM list. Plainly its tables become those of the query around it,
// which is not plain because of it otherwise; in a derivation it is a relation.
func (q *Query) innerQuery(f *fromQuery, why string) Item {
	if q.derived {
		held, see := q.hold(f.in, f.s, f.alias, f.what, f.fenced, f.loc)
		return Item{Tree: q.leaf(f.rows(held), f.alias, f.as, f.loc, see)}
	}
	conds, ok := q.flat(f)
	if !ok {
		q.Place.Unmodelled("%s", why)
	}
	return Item{Conds: conds}
}

// flat adds a query of the FROM list, or a view, that only selects rows of
// tables: its tables and conditions become those of the query around it. It
// gives the conditions; ok is false where the query does more.
func (q *Query) flat(f *fromQuery) (conds []ir.Expr, ok bool) {
	in, s := f.in, f.s
	if !syntax.IsFlat(s, f.picked != nil) {
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
	sub := NewQuery(y)
	sub.tid = true
	conds = sub.Items(s.FromClause).Conds
	if len(sub.Loops) > 0 || sub.Writer {
		return nil, false
	}
	conds = append(conds, y.Conditions(s.WhereClause)...)
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
		in.Draft.Applied(trace.Flatten, q.Place.Pos(f.loc))
		q.locksWithin(in, sub, src, f, conds)
	}
	q.Level.Sources = append(q.Level.Sources, hiddenSources(sub.Level)...)
	q.Name(src, f.as, f.loc)
	q.From = append(q.From, sub.From...)
	return conds, true
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

// hiddenSources gives the sources of a query without their names and columns.
func hiddenSources(lv *expr.Level) []*expr.RowSource {
	var out []*expr.RowSource
	for _, s := range lv.Sources {
		if s.Row != "" {
			out = append(out, &expr.RowSource{Alias: expr.HiddenAlias + s.Row, Row: s.Row, Table: s.Table})
		}
	}
	return out
}

// leaf brings a relation into scope.
func (q *Query) leaf(d *Derived, alias string, a *pg.Alias, loc int32, see func(*expr.RowSource)) ir.From {
	base := alias
	if base == "" {
		base = "derived"
	}
	src := q.Place.leafSource(alias, q.Place.RowName(base), d)
	q.Name(src, a, loc)
	see(src)
	return &ir.Leaf{Row: src.Row, Rel: d.Rel}
}

// ViewRows translates the query of a view, in which x stands.
func (y *Place) ViewRows(v *schema.View) *Derived {
	if y.Depth > maxQueryDepth {
		y.Unmodelled("views nested more than %d deep", maxQueryDepth)
	}
	d := y.settled(v.Query)
	rename(d, v.Cols)
	for i := range d.Cols {
		d.Cols[i].Name = v.Column(d.Cols[i].Name)
	}
	return d
}
