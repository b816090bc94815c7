package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// The locks of a query that is a derivation. Its result does not show which rows of its
// tables are in it. So the keys of these are a derivation, too, and a statement locks the
// rows with these keys. A query in its FROM list that locks rows is translated once more,
// as one of the IR, for its locks.

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
	in     ex // where it stands
	s      *pg.SelectStmt
	src    *rowSource
	mode   ir.LockMode // from a query around it
	what   string
	fenced bool
	pos    ir.Pos
}

// hold gives the translator for the rows of a query in FROM that q sees to the locks of;
// see then tells q which source it has become.
func (q *query) hold(in *ex, s *pg.SelectStmt, alias, what string, fenced bool, loc int32) (held *ex, see func(*rowSource)) {
	n := &nestedLocks{in: *in, s: s, what: what, fenced: fenced, pos: q.in.pos(loc)}
	if q.lockOf != nil && !fenced && !in.l.In.MySQL {
		n.mode, _ = q.lockOf(alias)
	}
	out := *in
	out.held, out.pushed, out.fetched = true, n.mode, fetchedSome
	return &out, func(src *rowSource) {
		n.src = src
		if fenced {
			src.unlockable = what
		}
		if n.mode != ir.NoLock || n.refs().Locks {
			q.nested = append(q.nested, n)
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
	add(n.s, n.in.ctes)
	return n.in.l.EffectOf(r)
}

// lockDerived sees to the locks of a query of a derivation, with the FROM list from and
// the rows p before they become output columns.
func (q *query) lockDerived(x *ex, s *pg.SelectStmt, from ir.From, p *ir.Project) {
	nullable := nullableRows(from)
	for _, src := range q.level.sources {
		mode, skips := q.lockOf(src.alias)
		if skips && src.unlockable == "" {
			x.unmodelled("SKIP LOCKED")
		}
		if mode != ir.NoLock && src.unlockable == "" && nullable[src.row] {
			q.lockNullable(x, s, src, nullable, p.Where)
		}
	}
	if x.held {
		return
	}
	for _, n := range q.nested {
		n.settle(x, from, p)
	}
	var leaves []leafLock
	for _, src := range q.level.sources {
		if mode, _ := q.lockOf(src.alias); mode != ir.NoLock && src.table != nil {
			leaves = append(leaves, leafLock{src.table.IR, src.row, mode})
		}
	}
	if len(leaves) == 0 {
		return
	}
	pos := x.pos(int32(max(pg.Start(s), 0)))
	if rel := lockedPart(from, p, leaves); rel != nil && x.fetches(p, leaves) {
		x.d.locks = append(x.d.locks, &levelLocks{rel: rel, leaves: leaves, pos: pos, typeOf: func(e ir.Expr) ir.Type { return x.d.typeOf(x, e) }})
		return
	}
	for _, l := range leaves {
		b := &query{from: []ir.Source{{Table: l.table, Row: l.row}}, locks: ir.Locks{{Mode: l.mode}}}
		for _, c := range ir.Conjuncts(p.Where) {
			if about(c, l.row) {
				b.where = ir.AndE(b.where, c)
			}
		}
		x.b.mayLock(b, pos, "this query, whose rows may not all be fetched")
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
	if !one || !ordersKey(leaves[0].table, l.Row, p.Order) {
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
	// fetchedSome: any number of them.
	fetchedSome fetched = iota
	// fetchedFirst: if there are rows, at least one.
	fetchedFirst
	fetchedAll
)

// fetches reports whether all rows p of a query are fetched, or as many as have all rows
// of the leaves.
func (x *ex) fetches(p *ir.Project, leaves []leafLock) bool {
	switch k, _ := p.Limit.(*ir.Const); {
	case x.fetched == fetchedAll:
		return true
	case x.fetched == fetchedSome:
		return false
	case k != nil && !k.Value.IsNull() && k.Value.I == 1:
		return true
	}
	return p.Limit == nil && !slices.ContainsFunc(leaves, func(l leafLock) bool {
		return !x.b.singleRow(ir.Query{From: []ir.Source{{Table: l.table, Row: l.row}}, Where: p.Where})
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

// ordersKey reports whether an order tells all rows of a table apart.
func ordersKey(t *ir.Table, row string, order []ir.Order) bool {
	for _, k := range t.Key {
		name := t.Columns[k].Name
		if !slices.ContainsFunc(order, func(o ir.Order) bool {
			c, ok := o.Expr.(*ir.Col)
			return ok && c.Row == row && c.Col == name
		}) {
			return false
		}
	}
	return true
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
func (q *query) lockNullable(x *ex, s *pg.SelectStmt, src *rowSource, nullable map[string]bool, where ir.Expr) {
	if x.l.In.MySQL || slices.ContainsFunc(ir.Conjuncts(where), func(c ir.Expr) bool { return strict(c, nullable) }) {
		return
	}
	loc := int32(max(pg.Start(s), 0))
	if s.WhereClause == nil && src.table != nil && !x.held && !x.conditional { // nor is there a condition around it
		x.fail(loc, "a lock must not reach %s, the nullable side of an outer join, which PostgreSQL refuses: name the tables to lock with OF", src.alias)
	}
	d := &ir.Dropped{At: at(x.pos(loc)), Kind: ir.ByError, What: "the error of a lock on " + src.alias + ", the nullable side of an outer join"}
	if src.table != nil {
		d.Tables = []*ir.Table{src.table.IR}
	}
	x.b.emit(d)
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

// settle sees to the locks of a query in the FROM list from of another one, with the rows
// p.
func (n *nestedLocks) settle(x *ex, from ir.From, p *ir.Project) {
	known := !x.l.In.MySQL && preserves(from, n.src.row) && p.Limit == nil && p.Offset == nil
	in := n.in
	in.d, in.conditional, in.pushed, in.held, in.fetched = nil, true, n.mode, false, fetchedSome
	_, ok := x.b.attempt(func() {
		sub := in.locking(n.s, false)
		if len(sub.loops) > 0 || len(sub.aggs) > 0 || x.l.Volatile(sub.where) {
			x.unmodelled("a set-returning or volatile function")
		}
		var conds []ir.Expr
		for _, c := range ir.Conjuncts(p.Where) {
			conds = append(conds, substituteColumns(c, n.src, sub.targets))
		}
		all := x.fetched == fetchedAll || x.fetched == fetchedFirst && sub.limit == nil && x.b.singleRow(sub.ir())
		if !known || !all || !closed(sub) || !(&innerLocks{q: sub, fenced: n.fenced}).known(conds) {
			x.b.looseLocks(sub, n.pos, n.what+", whose rows may not all be fetched")
			return
		}
		if !n.fenced && sub.limit == nil {
			sub.where = ir.AndE(append([]ir.Expr{sub.where}, conds...)...)
		}
		x.b.lockRows(sub, n.pos)
	})
	if ok {
		return
	}
	why, ok := x.b.attempt(func() {
		if known && p.Where == nil {
			in.fetched = x.fetched
		}
		mark := len(x.b.out)
		in.derivation(n.s)
		for _, s := range x.b.out[mark:] {
			x.b.weak[s] = true // what it reads counts for the locks alone
		}
	})
	if ok {
		return
	}
	x.b.emit(&ir.Dropped{At: at(n.pos), Kind: ir.ByRowLock, Tables: x.l.IrTables(n.refs()),
		What: "the row locks of " + n.what + ", which has " + why})
}

// closed reports whether the condition of a query is about its own rows alone.
func closed(q *query) bool {
	rows := map[string]bool{}
	for _, src := range q.from {
		rows[src.Row] = true
	}
	return rowFree(q.where, rows)
}

// substituteColumns puts the output columns of a query in the place of those of the source
// that it is.
func substituteColumns(c ir.Expr, src *rowSource, targets []colDef) ir.Expr {
	return ir.MapExpr(c, func(e ir.Expr) ir.Expr {
		col, ok := e.(*ir.Col)
		if !ok || col.Row != src.row {
			return e
		}
		for i := range src.cols {
			if own, ok := src.cols[i].e.(*ir.Col); ok && own.Col == col.Col && i < len(targets) {
				return targets[i].e
			}
		}
		return e
	})
}

// lock emits the locks of the queries of a derivation, whose rows were read.
func (d *deriver) lock() {
	for _, l := range d.locks {
		for _, leaf := range l.leaves {
			key := keysOf([]ir.Source{{Table: leaf.table, Row: leaf.row}})
			one, elem := key[0], leaf.table.Columns[leaf.table.Key[0]].Type.Kind
			if len(key) > 1 {
				one, elem = &ir.Call{Name: ir.RowFn, Args: key, Type: ir.OpaqueType}, ir.KindOpaque
			}
			t := ir.ArrayType(elem)
			rel := *l.rel
			rel.Cols = []ir.Item{{Name: "key", Type: ir.Type{Kind: elem}, Expr: one}}
			local := d.b.irLocal("locked", t)
			d.b.emit(&ir.Assign{At: at(l.pos), Var: local, Expr: ir.Derive(ir.WantArray, &rel, t, l.typeOf)})
			d.b.emit(&ir.LockRows{At: at(l.pos), Locks: ir.Locks{{Mode: leaf.mode}}, Query: ir.Query{
				From:  []ir.Source{{Table: leaf.table, Row: leaf.row}},
				Where: &ir.Call{Name: "= any", Args: []ir.Expr{one, ir.V(local)}, Type: ir.BoolType}}})
		}
	}
}

// walk calls f for the expressions that the locks need.
func (l *levelLocks) walk(f func(ir.Expr)) {
	ir.WalkRel(l.rel, f)
	for _, leaf := range l.leaves {
		for _, e := range keysOf([]ir.Source{{Table: leaf.table, Row: leaf.row}}) {
			f(e)
		}
	}
}
