package query

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/rows"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// leafLock is a table in the FROM list of a derivation, whose rows are locked.
type leafLock struct {
	table *ir.Table
	row   string
	mode  ir.LockMode
}

// levelLocks are the locks of one query of a derivation: of those rows of its tables that
// come into its result, as far as a LIMIT lets them be fetched.
type levelLocks struct {
	rel    *ir.Project
	leaves []leafLock
	typeOf func(ir.Expr) ir.Type
	pos    ir.Pos
}

// nestedLocks is a query in the FROM list of a derivation that locks rows.
type nestedLocks struct {
	in     *Place // where it stands
	s      *pg.SelectStmt
	src    *expr.RowSource
	mode   ir.LockMode // from a query around it
	what   string
	fenced bool
	pos    ir.Pos
}

// hold gives the translator for the rows of a query in FROM that q sees to the locks of;
// see then tells q which source it has become.
func (q *Query) hold(in *Place, s *pg.SelectStmt, alias, what string, fenced bool, loc int32) (held *Place, see func(*expr.RowSource)) {
	n := &nestedLocks{in: in.Copy(), s: s, what: what, fenced: fenced, pos: q.Place.Pos(loc)}
	if q.lockOf != nil && !fenced && !in.App.In.MySQL {
		n.mode, _ = q.lockOf(alias)
	}
	out := in.Copy()
	out.held, out.pushed, out.Fetched = true, n.mode, FetchedSome
	return out, func(src *expr.RowSource) {
		n.src = src
		if fenced {
			src.Unlockable = what
		}
		if n.mode != ir.NoLock || n.refs().Locks {
			q.Nested = append(q.Nested, n)
		}
	}
}

// refs is what the query and the WITH queries that it names have to do with.
func (n *nestedLocks) refs() *schema.Effect {
	r := schema.NewRefs()
	done := map[*pg.SelectStmt]bool{}
	var add func(s *pg.SelectStmt, scope *ctes)
	add = func(s *pg.SelectStmt, scope *ctes) {
		if done[s] {
			return
		}
		done[s] = true
		r.Add(s)
		pg.Walk(s, func(tree any) bool {
			if v, ok := tree.(*pg.RangeVar); ok {
				if c := scope.find(v.Relname); c != nil && c.query != nil {
					add(c.query, c.up)
				}
			}
			return true
		})
	}
	add(n.s, n.in.Ctes)
	return n.in.App.EffectOf(r)
}

// lockDerived sees to the locks of a query of a derivation, with the FROM list from and
// the rows p before they become output columns.
func (q *Query) lockDerived(x *Place, s *pg.SelectStmt, from ir.From, p *ir.Project) {
	nullable := nullableRows(from)
	for _, src := range q.Level.Sources {
		mode, skips := q.lockOf(src.Alias)
		if skips && src.Unlockable == "" {
			x.Unmodelled("SKIP LOCKED")
		}
		if mode != ir.NoLock && src.Unlockable == "" && nullable[src.Row] {
			q.lockNullable(x, s, src, nullable, p.Where)
		}
	}
	if x.held {
		return
	}
	for _, n := range q.Nested {
		n.Settle(x, from, p)
	}
	var leaves []leafLock
	for _, src := range q.Level.Sources {
		if mode, _ := q.lockOf(src.Alias); mode != ir.NoLock && src.Table != nil {
			leaves = append(leaves, leafLock{src.Table.IR, src.Row, mode})
		}
	}
	if len(leaves) == 0 {
		return
	}
	pos := x.Pos(int32(max(pg.Start(s), 0)))
	if rel := lockedPart(from, p, leaves); rel != nil && x.fetches(p, leaves) {
		x.Deriver.locks = append(x.Deriver.locks, &levelLocks{rel: rel, leaves: leaves, pos: pos, typeOf: func(e ir.Expr) ir.Type { return x.Deriver.TypeOf(x, e) }})
		return
	}
	for _, l := range leaves {
		b := &Query{From: []ir.Source{{Table: l.table, Row: l.row}}, Locks: ir.Locks{{Mode: l.mode}}}
		for _, c := range ir.Conjuncts(p.Where) {
			if rows.About(c, l.row) {
				b.Where = ir.AndE(b.Where, c)
			}
		}
		MayLock(x.Draft, b, pos, "this query, whose rows may not all be fetched")
	}
}

// lockedPart gives the rows that are fetched of a query, nil if that is not known: with a
// LIMIT, those that OFFSET passes over are.
func lockedPart(from ir.From, p *ir.Project, leaves []leafLock) *ir.Project {
	out := &ir.Project{From: from, Where: p.Where}
	if p.Limit == nil {
		return out
	}
	l, one := from.(*ir.Leaf)
	if !one || !ordersAll(l.Row, keyNames(leaves[0].table), p.Order) {
		return nil
	}
	out.Order, out.Limit = p.Order, p.Limit
	if p.Offset != nil {
		out.Limit = ir.Op(ir.Add, p.Limit, p.Offset)
	}
	return out
}

// fetched says how many rows of a query are known to be fetched, once.
type fetched uint8

const (
	// FetchedSome: any number of them.
	FetchedSome fetched = iota
	// FetchedFirst: if there are rows, at least one.
	FetchedFirst
	FetchedAll
)

// fetches reports whether all rows p of a query are fetched, or as many as have all rows
// of the leaves.
func (x *Place) fetches(p *ir.Project, leaves []leafLock) bool {
	switch k, _ := p.Limit.(*ir.Const); {
	case x.Fetched == FetchedAll:
		return true
	case x.Fetched == FetchedSome:
		return false
	case k != nil && !k.Value.IsNull() && k.Value.I == 1:
		return true
	}
	return p.Limit == nil && !slices.ContainsFunc(leaves, func(l leafLock) bool {
		return !x.Draft.SingleRow(ir.Query{From: []ir.Source{{Table: l.table, Row: l.row}}, Where: p.Where})
	})
}

// preserves reports whether each row of a source in FROM is in the result of the joins.
func preserves(from ir.From, row string) bool {
	switch f := from.(type) {
	case *ir.Leaf:
		return f.Row == row
	case *ir.Join:
		return f.Kind == ir.Left && preserves(f.L, row) || f.Kind == ir.Right && preserves(f.R, row)
	}
	return false
}

// keyNames gives the columns of the key of a table.
func keyNames(t *ir.Table) []string {
	var out []string
	for _, k := range t.Key {
		out = append(out, t.Columns[k].Name)
	}
	return out
}

// ordersAll reports whether an order has all of some columns of a row.
func ordersAll(row string, columns []string, order []ir.Order) bool {
	return !slices.ContainsFunc(columns, func(name string) bool {
		return !slices.ContainsFunc(order, func(o ir.Order) bool {
			c, ok := o.Expr.(*ir.Col)
			return ok && c.Row == row && c.Col == name
		})
	})
}

// nullableRows gives the row variables that may stand for no row, by an outer join.
func nullableRows(from ir.From) map[string]bool {
	out := map[string]bool{}
	var visit func(f ir.From, nullable bool)
	visit = func(f ir.From, nullable bool) {
		switch f := f.(type) {
		case *ir.Leaf:
			out[f.Row] = nullable
		case *ir.Join:
			visit(f.L, nullable || f.Kind == ir.Right || f.Kind == ir.Full)
			visit(f.R, nullable || f.Kind == ir.Left || f.Kind == ir.Full)
		}
	}
	visit(from, false)
	return out
}

// lockNullable is a lock on the nullable side of an outer join. PostgreSQL refuses it,
// unless the condition says that there is a row: then the join is an inner one.
func (q *Query) lockNullable(x *Place, s *pg.SelectStmt, src *expr.RowSource, nullable map[string]bool, where ir.Expr) {
	if x.App.In.MySQL || slices.ContainsFunc(ir.Conjuncts(where), func(c ir.Expr) bool { return strict(c, nullable) }) {
		return
	}
	loc := int32(max(pg.Start(s), 0))
	if s.WhereClause == nil && src.Table != nil && !x.held && !x.Conditional { // nor is there a condition around it
		x.Fail(loc, "a lock must not reach %s, the nullable side of an outer join, which PostgreSQL refuses: name the tables to lock with OF", src.Alias)
	}
	d := &ir.Dropped{At: expr.At(x.Pos(loc)), Kind: ir.ByError, What: "the error of a lock on " + src.Alias + ", the nullable side of an outer join"}
	if src.Table != nil {
		d.Tables = []*ir.Table{src.Table.IR}
	}
	x.Draft.Emit(d)
}

// strict reports whether a condition is not true where all columns of some rows are NULL.
func strict(c ir.Expr, rows map[string]bool) bool {
	b, ok := c.(*ir.Binary)
	if !ok || b.Op < ir.Eq || b.Op > ir.Ge {
		return false
	}
	for _, e := range []ir.Expr{b.X, b.Y} {
		if col, ok := e.(*ir.Col); ok && rows[col.Row] {
			return true
		}
	}
	return false
}

// Settle sees to the locks of a query in the FROM list from of another one, with the rows
// p.
func (n *nestedLocks) Settle(x *Place, from ir.From, p *ir.Project) {
	known := !x.App.In.MySQL && preserves(from, n.src.Row) && p.Limit == nil && p.Offset == nil
	in := n.in.Copy()
	in.Deriver, in.Conditional, in.pushed, in.held, in.Fetched = nil, true, n.mode, false, FetchedSome
	plain := func() {
		sub := in.Locking(n.s, false)
		if len(sub.Loops) > 0 || len(sub.Aggs) > 0 || x.App.Volatile(sub.Where) {
			x.Unmodelled("a set-returning or volatile function")
		}
		var conds []ir.Expr
		for _, c := range ir.Conjuncts(p.Where) {
			conds = append(conds, substituteColumns(c, n.src, sub.Targets))
		}
		all := x.Fetched == FetchedAll || x.Fetched == FetchedFirst && sub.Limit == nil && x.Draft.SingleRow(sub.IR())
		if !known || !all || !closed(sub) || !(&innerLocks{q: sub, fenced: n.fenced}).known(conds) {
			LooseLocks(x.Draft, sub, n.pos, n.what+", whose rows may not all be fetched")
			return
		}
		if !n.fenced && sub.Limit == nil {
			sub.Where = ir.AndE(append([]ir.Expr{sub.Where}, conds...)...)
		}
		LockRows(x.Draft, sub, n.pos)
	}
	derived := func() {
		if known && p.Where == nil {
			in.Fetched = x.Fetched
		}
		mark := len(x.Draft.Out)
		in.derivation(n.s)
		for _, s := range x.Draft.Out[mark:] {
			x.Draft.Weak[s] = true // what it reads counts for the locks alone
		}
	}
	if why, ok := x.Draft.Attempt(func() { in.Choose(in.Form(n.s, syntax.Use{}), plain, derived) }); !ok {
		x.Draft.Emit(&ir.Dropped{At: expr.At(n.pos), Kind: ir.ByRowLock, Tables: x.App.IRTables(n.refs()),
			What: "the row locks of " + n.what + ", which has " + why})
	}
}

// closed reports whether the condition of a query is about its own rows alone.
func closed(q *Query) bool {
	rows := map[string]bool{}
	for _, src := range q.From {
		rows[src.Row] = true
	}
	return expr.RowFree(q.Where, rows)
}

// substituteColumns puts the output columns of a query in the place of those of the source
// that it is.
func substituteColumns(c ir.Expr, src *expr.RowSource, targets []expr.Column) ir.Expr {
	return ir.MapExpr(c, func(e ir.Expr) ir.Expr {
		col, ok := e.(*ir.Col)
		if !ok || col.Row != src.Row {
			return e
		}
		for i := range src.Cols {
			if own, ok := src.Cols[i].Expr.(*ir.Col); ok && own.Col == col.Col && i < len(targets) {
				return targets[i].Expr
			}
		}
		return e
	})
}

// lock emits the locks of the queries of a derivation, whose rows were read.
func (d *deriver) lock() {
	for _, l := range d.locks {
		for _, leaf := range l.leaves {
			from := []ir.Source{{Table: leaf.table, Row: leaf.row}}
			one, elem := keyOf(from)
			t := ir.ArrayType(elem)
			rel := *l.rel
			rel.Cols = []ir.Item{{Name: "key", Type: ir.Type{Kind: elem}, Expr: one}}
			local := d.b.IRLocal("locked", t)
			d.b.Emit(&ir.Assign{At: expr.At(l.pos), Var: local, Expr: ir.Derive(ir.WantArray, &rel, t, l.typeOf)})
			d.b.Emit(&ir.LockRows{At: expr.At(l.pos), Locks: ir.Locks{{Mode: leaf.mode}}, Query: ir.Query{
				From:  from,
				Where: &ir.Call{Name: "= any", Args: []ir.Expr{one, ir.V(local)}, Type: ir.BoolType}}})
		}
	}
}

// walk calls f for the expressions that the locks need.
func (l *levelLocks) walk(f func(ir.Expr)) {
	ir.WalkRel(l.rel, f)
	for _, leaf := range l.leaves {
		for _, e := range expr.KeysOf([]ir.Source{{Table: leaf.table, Row: leaf.row}}) {
			f(e)
		}
	}
}
