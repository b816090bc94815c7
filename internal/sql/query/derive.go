package query

import (
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/over"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/rows"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/trace"
)

// deriver translates a query that no ir.Query can say: grouping, outer joins,
// set operations and so on. The rows of its tables are read before the
// statement, as far as its conditions allow to tell which ones matter, and the
// result is an ir.Derivation of them.
type deriver struct {
	b *expr.Draft
	rows.Set
	// Rows are the row variables in use, types the types of their columns.
	Rows  map[string]bool
	types map[ir.Col]ir.Type
	// locks are those of its queries.
	locks []*levelLocks
}

// Derived is a relation under translation; of cols, e is not set.
type Derived struct {
	Rel  ir.Rel
	Cols []expr.Column
	// Single says that it has one row at most.
	Single bool
	// NonEmpty says that it has a row.
	nonEmpty bool
	// TypeOf, if the derivation is complete, gives the types of what is free.
	TypeOf func(ir.Expr) ir.Type
}

// maxQueryDepth bounds the nesting of queries.
const maxQueryDepth = 24

// derivation translates a query, and gives what reads the rows that it needs.
func (x *Place) derivation(s *pg.SelectStmt) *Derived {
	y := x.Copy()
	if y.Deriver == nil {
		y.Deriver = x.NewDeriver()
	}
	y.PerRow = true
	out := y.relation(s)
	if x.Deriver == nil {
		y.settle(out)
	}
	y.complete(x, out, y.start(s))
	return out
}

// complete reads the rows for a derivation that stands in x, if that is all of it.
func (y *Place) complete(x *Place, d *Derived, at ir.Pos) {
	if x.Deriver == nil {
		y.Draft.Applied(trace.Derive, at)
		y.Deriver.Read(d.Rel)
		d.TypeOf = func(e ir.Expr) ir.Type { return y.Deriver.TypeOf(x, e) }
	}
}

// NewDeriver begins a derivation.
func (x *Place) NewDeriver() *deriver {
	return &deriver{b: x.Draft, Rows: map[string]bool{}, types: map[ir.Col]ir.Type{}}
}

// Call gives what is wanted of a derivation.
func (d *Derived) Call(want ir.Want, t ir.Type) *ir.Call {
	if d.TypeOf == nil {
		return ir.Open(want, d.Rel, t)
	}
	return ir.Derive(want, d.Rel, t, d.TypeOf)
}

// TypeOf gives the type of a local, or of a column of the derivation or of a
// query around it.
func (d *deriver) TypeOf(x *Place, e ir.Expr) ir.Type {
	switch e := e.(type) {
	case *ir.Var:
		return d.b.TypeOfLocal(e.Name)
	case *ir.Col:
		if t, ok := d.types[*e]; ok {
			return t
		}
		for _, lv := range x.Levels {
			for _, s := range lv.Sources {
				switch c := s.Col(e.Col); {
				case s.Row != e.Row:
				case s.Table != nil:
					return s.Table.IR.Columns[s.Table.IR.Column(e.Col)].Type
				case c != nil: // the row that an INSERT proposes
					return expr.LocalType(c.Type)
				}
			}
		}
	}
	panic("query: the type of " + e.String() + " is not known")
}

// register notes the types of a row variable's columns.
func (d *deriver) register(src *expr.RowSource) {
	d.Rows[src.Row] = true
	if src.Table != nil && src.Table.IR.Rowid {
		key := src.Table.IR.Columns[0]
		d.types[ir.Col{Row: src.Row, Col: key.Name}] = key.Type
	}
	for _, c := range src.Cols {
		if col, ok := c.Expr.(*ir.Col); ok {
			d.types[*col] = expr.LocalType(c.Type)
		}
	}
}

// Read reads the rows of all tables of a derivation, in the columns that it uses, and takes its
// locks.
func (d *deriver) Read(r ir.Rel) {
	used := map[ir.Col]bool{}
	ir.WalkRel(r, func(e ir.Expr) {
		if c, ok := e.(*ir.Col); ok {
			used[*c] = true
		}
	})
	for _, l := range d.locks {
		l.walk(func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok {
				used[*c] = true
			}
		})
	}
	d.Set.Read(d.b, used)
	d.lock()
}

// settled is relation with types for all columns.
func (x *Place) settled(s *pg.SelectStmt) *Derived {
	d := x.relation(s)
	x.settle(d)
	return d
}

// relation translates a query in a derivation.
func (x *Place) relation(s *pg.SelectStmt) *Derived {
	if x.Depth++; x.Depth > maxQueryDepth {
		x.Unmodelled("queries nested more than %d deep", maxQueryDepth)
	}
	defer func() { x.Depth-- }()
	if s.WithClause != nil {
		y := x.Copy()
		y.with(s.WithClause)
		x = y
	}
	x = x.reached(s)
	if s.IntoClause != nil {
		x.Unmodelled("SELECT INTO a new table")
	}
	if s.LimitOption == pg.LimitWithTies {
		x.Unmodelled("WITH TIES")
	}
	var out *Derived
	switch {
	case s.Op != pg.SetOpNone && s.Op != 0:
		x.checkLocking(s, x.pushed)
		if len(s.LockingClause) > 0 { // in MySQL, of the last query
			x.Draft.Emit(&ir.Dropped{At: expr.At(x.Pos(int32(max(pg.Start(s), 0)))), Kind: ir.ByRowLock, Tables: x.App.IRTables(x.App.EffectOf(x.Draft.RefsOf(s))), What: "the row locks of UNION and the like"})
		}
		y := x.Copy()
		if x.Fetched != FetchedAll || s.LimitCount != nil || s.LimitOffset != nil {
			y.Fetched = FetchedSome
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
	q := NewDerived(x.Inner())
	src := q.Place.leafSource("", q.Place.RowName("result"), out)
	q.Level.Sources = append(q.Level.Sources, src)
	q.Targets = append(q.Targets, src.Cols...)
	q.Sort(s)
	p := &ir.Project{From: &ir.Leaf{Row: src.Row, Rel: out.Rel}, Order: q.Order}
	x.cut(p, s, out)
	x.tie(p, q.Targets)
	p.Cols = expr.ItemsOf(q.Targets)
	out.Rel = p
	return out
}

func rename(d *Derived, cols []string) {
	for i, name := range cols {
		if i < len(d.Cols) {
			d.Cols[i].Name = name
		}
	}
}

// cut adds LIMIT and OFFSET.
func (x *Place) cut(p *ir.Project, s *pg.SelectStmt, d *Derived) {
	p.Limit, p.Offset = x.number(s.LimitCount, "LIMIT"), x.number(s.LimitOffset, "OFFSET")
	if p.Limit != nil || p.Offset != nil {
		d.nonEmpty = false
	}
	if c, ok := p.Limit.(*ir.Const); ok && c.Value.Kind == ir.KindInt && c.Value.I <= 1 {
		d.Single = true
	}
}

// setOp is UNION, INTERSECT and EXCEPT.
func (x *Place) setOp(s *pg.SelectStmt) *Derived {
	l, r := x.relation(s.Larg), x.relation(s.Rarg)
	if len(l.Cols) != len(r.Cols) {
		x.Fail(int32(max(pg.Start(s.Rarg), 0)), "both sides of %s need the same number of columns, but there are %d and %d",
			strings.TrimPrefix(s.Op.String(), "SETOP_"), len(l.Cols), len(r.Cols))
	}
	op := &ir.SetOp{All: s.All}
	switch s.Op {
	case pg.SetOpIntersect:
		op.Op = ir.Intersect
	case pg.SetOpExcept:
		op.Op = ir.Except
	}
	out := &Derived{Rel: op}
	for i := range l.Cols {
		a, b := l.Cols[i], r.Cols[i]
		t := x.commonColumn(a.Type, b.Type, strings.TrimPrefix(s.Op.String(), "SETOP_"))
		if !s.All || s.Op != pg.SetOpUnion {
			x.ByIdentityOnly(t, strings.TrimPrefix(s.Op.String(), "SETOP_"))
		}
		out.Cols = append(out.Cols, expr.Column{Name: a.Name, Type: t, NotNull: a.NotNull && b.NotNull})
	}
	x.retype(l, out.Cols)
	x.retype(r, out.Cols)
	op.L, op.R = l.Rel, r.Rel
	return out
}

// commonColumn is the type of a column of rows from several queries.
func (x *Place) commonColumn(a, b schema.Type, what string) schema.Type {
	if x.App.In.MySQL {
		x.App.Dialect.United(&x.Spot, a, b, what)
	}
	if a.Name == schema.NUnknown && b.Name == schema.NUnknown || a.Same(b) {
		return a
	}
	vs := []expr.Val{{Type: a}, {Type: b}}
	return x.CommonType(vs, []string{a.PgName(), b.PgName()}, 0, what)
}

// retype converts the columns of a relation.
func (x *Place) retype(d *Derived, want []expr.Column) {
	p, direct := d.Rel.(*ir.Project)
	if !direct {
		row := x.RowName("part")
		p = &ir.Project{From: &ir.Leaf{Row: row, Rel: d.Rel}}
		p.Cols = expr.ItemsOf(x.leafSource("", row, d).Cols)
	}
	changed := false
	for i, c := range d.Cols {
		t := want[i].Type
		if t.Name == schema.NUnknown {
			continue
		}
		if !c.Type.Same(t) {
			changed = true
			p.Cols[i].Expr = x.Convert(expr.Val{Expr: p.Cols[i].Expr, Type: c.Type, NotNull: c.NotNull}, t, 0, "column "+c.Name)
			p.Cols[i].Type = expr.LocalType(t)
			d.Cols[i].Type = t
		}
	}
	if changed || direct {
		d.Rel = p
	}
}

// settle gives columns that have no type yet, such as quoted literals, theirs.
func (x *Place) settle(d *Derived) {
	want := append([]expr.Column{}, d.Cols...)
	for i, c := range want {
		if c.Type.Name == schema.NUnknown {
			want[i].Type = schema.TText
		}
	}
	x.retype(d, want)
}

// valuesRel is VALUES (…), (…).
func (x *Place) valuesRel(s *pg.SelectStmt) *Derived {
	var out *Derived
	for _, row := range s.ValuesLists {
		one := &Derived{Single: true, nonEmpty: true}
		p := &ir.Project{}
		for i, n := range x.Expanded(pg.Inner(row).(*pg.List).Items) {
			v := x.One(n)
			c := expr.Column{Name: "column" + strconv.Itoa(i+1), Type: v.Type, NotNull: v.NotNull}
			one.Cols = append(one.Cols, c)
			p.Cols = append(p.Cols, ir.Item{Name: c.Name, Type: expr.LocalType(v.Type), Expr: v.Expr})
		}
		one.Rel = p
		if out == nil {
			out = one
			continue
		}
		if len(one.Cols) != len(out.Cols) {
			x.Fail(x.At(pg.Inner(row).(*pg.List).Items[0]), "the lists of VALUES must all be as long as the first one")
		}
		want := append([]expr.Column{}, out.Cols...)
		for i, c := range one.Cols {
			want[i].Type = x.commonColumn(want[i].Type, c.Type, "VALUES")
			want[i].NotNull = want[i].NotNull && c.NotNull
		}
		x.retype(out, want)
		x.retype(one, want)
		out = &Derived{Rel: &ir.SetOp{All: true, L: out.Rel, R: one.Rel}, Cols: want, nonEmpty: true}
	}
	return out
}

// core translates a SELECT … FROM … WHERE … GROUP BY ….
func (x *Place) core(s *pg.SelectStmt) *Derived {
	q := NewDerived(x.Inner())
	y := q.Place
	x.checkLocking(s, x.pushed)
	q.lockOf = syntax.LockModesOf(s, x.pushed)
	from := q.Items(s.FromClause).Tree
	q.checkLocked(s)
	where := ir.AndE(y.Conditions(s.WhereClause)...)
	y.win = &window{from: from, where: where, named: s.WindowClause}
	grouped := len(s.GroupClause) > 0 || s.HavingClause != nil || syntax.HasAggregates(s.TargetList) || syntax.HasAggregates(syntax.SortKeys(s))
	var g *grouping
	if grouped {
		g = &grouping{in: y, row: y.RowName("grouped")}
		z := y.Copy()
		z.agg, z.win = g, nil
		q.Place = z
	}
	for _, n := range s.TargetList {
		q.AddTarget(pg.Inner(n).(*pg.ResTarget))
	}
	q.Sort(s)
	p := &ir.Project{From: from, Where: where, Order: q.Order}
	out := &Derived{Cols: q.Targets}
	if grouped {
		g.keys(q, s.GroupClause)
		p.Where = nil
		for _, c := range q.Place.Conditions(s.HavingClause) {
			p.Where = ir.AndE(p.Where, g.rewrite(c))
		}
		for i := range q.Targets {
			q.Targets[i].Expr = g.rewrite(q.Targets[i].Expr)
		}
		for i := range p.Order {
			p.Order[i].Expr = g.rewrite(p.Order[i].Expr)
		}
		p.From = &ir.Leaf{Row: g.row, Rel: &ir.Group{From: from, Where: where, Keys: g.items, Aggs: g.aggs}}
		if len(g.items) == 0 && len(s.GroupClause) == 0 {
			out.Single, out.nonEmpty = true, s.HavingClause == nil
		}
	} else if from == nil {
		out.Single, out.nonEmpty = true, where == nil
	} else if l, ok := from.(*ir.Leaf); ok {
		if t := y.Deriver.TableOf(l); t != nil {
			out.Single = expr.FixesKey(t.IR, l.Row, where, x.outerRows())
		}
	}
	q.distinct(s, p, g)
	x.cut(p, s, out)
	q.lockDerived(x, s, from, &ir.Project{Where: where, Order: p.Order, Limit: p.Limit, Offset: p.Offset})
	x.tie(p, q.Targets)
	p.Cols = expr.ItemsOf(q.Targets)
	out.Rel = p
	q.tell(s, where, p.Limit)
	y.Deriver.Restrict(from, where)
	return out
}

// outerRows are the row variables that a query inside of x may refer to.
func (x *Place) outerRows() map[string]bool {
	out := map[string]bool{}
	for _, lv := range x.Levels {
		for _, s := range lv.Sources {
			out[s.Row] = true
		}
	}
	return out
}

// distinct translates DISTINCT and DISTINCT ON.
func (q *Query) distinct(s *pg.SelectStmt, p *ir.Project, g *grouping) {
	if len(s.DistinctClause) == 0 {
		return
	}
	if s.DistinctClause[0] == nil || pg.Inner(s.DistinctClause[0]) == nil {
		p.Distinct = true
		for _, c := range q.Targets {
			q.Place.ByIdentityOnly(c.Type, "DISTINCT")
		}
		return
	}
	for _, n := range s.DistinctClause {
		v := q.Place.Comparable(q.sortKey(&pg.SortBy{Node: n}))
		if g != nil {
			v.Expr = g.rewrite(v.Expr)
		}
		p.On = append(p.On, v.Expr)
	}
}

// leafSource makes the source for the rows of a relation.
func (x *Place) leafSource(alias, row string, d *Derived) *expr.RowSource {
	src := &expr.RowSource{Alias: alias, Row: row}
	shape := ir.Columns(d.Rel)
	for i, c := range d.Cols {
		src.Cols = append(src.Cols, expr.Column{Name: c.Name, Expr: &ir.Col{Row: row, Col: shape[i].Name}, Type: c.Type, NotNull: c.NotNull})
	}
	x.Deriver.register(src)
	return src
}

// windowValue is a window function that can be computed of the rows around a row: a
// rank, or an aggregate with the frame that there is without another one.
func (x *Place) windowValue(e *pg.FuncCall, name string) (v expr.Val, ok bool) {
	if x.win == nil || x.Deriver == nil || x.App.In.MySQL {
		return v, false
	}
	in := x.Copy()
	in.win = nil
	w := over.New(x.RowName, x.win.from, x.win.where, func(e ir.Expr) ir.Type { return x.Deriver.TypeOf(x, e) })
	if !w.Read(&in.Spot, over.Definition(e.Over, x.win.named), func(n *pg.Node) expr.Val { return in.DefaultType(in.One(n)) }) {
		return v, false
	}
	if !over.Aggregates[name] {
		v = expr.Val{Expr: w.Rank(name, x.Deriver.OneRow), Type: schema.TBigint, NotNull: true}
		return v, v.Expr != nil
	}
	y := in.Copy()
	y.agg = &windowed{in, w}
	v = y.aggregate(e, name)
	return v, v.Expr != nil
}

// windowed is an aggregate over a window.
type windowed struct {
	in   *Place
	rows *over.Window
}

func (w *windowed) over() *Place { return w.in }

func (w *windowed) aggregate(agg ir.Agg, _ string, _ schema.Type) ir.Expr {
	return w.rows.Aggregate(agg)
}
