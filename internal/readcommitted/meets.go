package readcommitted

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
)

// meet looks at a statement that finds rows of a table and has them locked when its
// command ends. After a wait it looks at the newest version of each row that it has found, and
// at no other row.
func (a *flow) meet(s ir.Stmt, t *ir.Table, row string, where ir.Expr, mode ir.LockMode, st *state, tells func(*prospect)) {
	conds := ir.Conjuncts(st.value(where))
	values := conditionsOf(t, row, conds)
	if l := st.heldRow(t, values); l != nil && (l.sure || !a.code.Inserted[t]) {
		a.knows(st, l, t, row, conds, mode, s, tells)
		return
	}
	if st.amongChosen(s, t, row, conds) {
		st.acts()
		return
	}
	if n := a.chosen(st, t, row, conds); n != nil {
		a.again(s, n, st, tells)
		return
	}
	key, one := values.fixed(t)
	// Which rows match may change only if a column of the condition does, or one that orders
	// the rows of which the first is taken.
	looks, orders := st.finds(s, t, row, where, one)
	var harmless []writeKind
	if !orders {
		harmless = []writeKind{deletes}
	}
	m := a.unguarded(st, s, looks, harmless...)
	if m == nil {
		st.acts()
		if _, first := s.(*ir.Select); !first && !one && ir.Written(s) == t {
			a.locksAll(st, s, t, row, conds, mode)
		}
	} else if !one {
		a.fail(s.Position(), "it locks rows of %s that it finds by more than a key: %s", t.Name, m)
		return
	}
	if !one {
		return
	}
	if a.neverComes(t, key) && onlyKey(t, row, key, conds) {
		a.take(st, &lock{kind: onRow, table: t, row: mode, equals: values, sure: t.Var, taken: []moment{a.moment(s)}})
	}
	n := &sighting{table: t, equals: values, key: key, locks: mode, stmt: s, pos: s.Position(), condition: row + " " + text(st.value(where)),
		what: "looks for a row of " + t.Name + " by its key and locks it"}
	for _, c := range conds {
		n.asked = append(n.asked, rowNamed(c, row))
	}
	if m != nil {
		n.hint = ": " + m.String()
	}
	p := &prospect{absent: &chance{harmless: m == nil, facts: facts{}}, present: &chance{harmless: true, facts: facts{}}, set: map[int]bool{}}
	if tells != nil {
		tells(p)
		n.equals = equals{}
		n.equals.addAll(values)
		for c, e := range a.seen {
			if t.Columns[c].NotNull {
				n.equals.add(c, e)
			}
		}
	}
	a.sees(st, n, p)
	if onlyKey(t, row, key, conds) && (t.Var || st.isLasting(t, values)) {
		st.sightings[a.met].absent = nil
		a.isThere(st, a.met)
		st.settle()
	}
}

// finds is what a statement looks at to find the rows of a table that it locks, and whether it takes the first
// ones in an order. What its other expressions look at is no part of that.
func (st *state) finds(s ir.Stmt, t *ir.Table, row string, where ir.Expr, one bool) (looks []look, orders bool) {
	first, is := s.(*ir.Select)
	orders = is && !one && len(first.Order) > 0
	if x, ok := s.(*ir.EmitRows); ok && x.Limit != nil {
		orders = true
	}
	cols := make([]bool, len(t.Columns))
	ir.WalkExpr(where, func(e ir.Expr) {
		if c, ok := e.(*ir.Col); ok && c.Row == row {
			cols[t.Column(c.Col)] = true
		}
	})
	if orders {
		ir.ReadColumns(s, func(of *ir.Table, col string) {
			if of == t {
				cols[t.Column(col)] = true
			}
		})
	}
	return looksIn([]ir.Source{{Table: t, Row: row}}, where, nil, st, map[*ir.Table][]bool{t: cols}), orders
}

// glimpse looks at a query that finds one row by a key, and does not lock it.
func (a *flow) glimpse(s ir.Stmt, src ir.Source, row equals, key []int, st *state, tells func(*prospect), looks []look) {
	t := src.Table
	n := &sighting{table: t, equals: equals{}, key: key, stmt: s, pos: s.Position(), what: "reads a row of " + t.Name, reads: map[int][]ir.Expr{}}
	n.equals.addAll(row)
	for c, e := range a.seen {
		if t.Columns[c].NotNull {
			n.equals.add(c, e)
		}
	}
	_, q := ir.LocksOf(s)
	if q == nil {
		q = firstQuery(s)
	}
	n.condition = src.Row + " " + text(st.value(q.Where))
	if onlyKey(t, src.Row, key, ir.Conjuncts(st.value(q.Where))) && !slices.ContainsFunc(ir.Exprs(s), failure.MayFail) {
		n.values = a.into
	}
	ir.ReadColumns(s, func(of *ir.Table, col string) {
		c := of.Column(col)
		if of != t || !a.code.Updated[t][c] && !a.reborn(t) {
			return
		}
		n.reads[c] = slices.Clone(row[c])
		if e := a.seen[c]; e != nil {
			n.reads[c] = append(n.reads[c], e)
		}
	})
	absent, present := a.chances(st, s, n, looks, true)
	present.harmless = present.harmless || len(n.reads) == 0 && !a.code.Deleted[t]
	absent.harmless = absent.harmless || a.neverComes(t, columnsOf(q.Where, src))
	if a.plain == nil && st.isLasting(t, row) && onlyKey(t, src.Row, key, ir.Conjuncts(st.value(q.Where))) {
		absent = nil
		a.know(st, t, n.equals)
	}
	p := &prospect{absent: absent, present: present, set: map[int]bool{}}
	if tells != nil {
		tells(p)
	}
	a.sees(st, n, p)
	st.settle()
}

// chances are those that a query without locks finds rows, or none. None stays none while no row comes that matches. Where
// only whether there is a row matters, there is one while none goes.
func (a *flow) chances(st *state, s ir.Stmt, n *sighting, looks []look, only bool) (absent, present *chance) {
	var may []writeKind
	if only {
		may = []writeKind{inserts}
	}
	comes, goes := a.unguarded(st, s, looks, deletes), a.unguarded(st, s, looks, may...)
	if m := comes; m != nil || goes != nil {
		if m == nil {
			m = goes
		}
		n.hint = ": " + m.String()
	}
	return &chance{harmless: comes == nil, facts: facts{}}, &chance{harmless: goes == nil, facts: facts{}}
}

// whether looks at a query without locks of which it is known what tells that it finds rows.
func (a *flow) whether(s ir.Stmt, q *ir.Query, st *state, tells func(*prospect), looks []look) {
	n := &sighting{table: q.From[0].Table, equals: equals{}, stmt: s, pos: s.Position(), what: "reads " + named(ir.Reads(s))}
	for _, src := range q.From {
		n.condition += "of " + src.Table.Name + " " + src.Row + " "
	}
	n.condition += text(st.value(q.Where))
	p := &prospect{set: map[int]bool{}}
	p.absent, p.present = a.chances(st, s, n, looks, a.onlyWhether(s))
	tells(p)
	a.sees(st, n, p)
	st.settle()
}

// onlyWhether reports whether a statement tells no more than that a query finds rows.
func (a *flow) onlyWhether(s ir.Stmt) bool {
	x, ok := s.(*ir.Select)
	if !ok {
		return true
	}
	for i, name := range x.Into {
		if len(x.Aggs) > 0 && a.used[name] {
			return false
		}
		if len(x.Cols) > 0 && a.used[name] {
			if _, constant := x.Cols[i].(*ir.Const); !constant {
				return false
			}
		}
	}
	return true
}

// know notes what a row that was found has for good.
func (a *flow) know(st *state, t *ir.Table, row equals) {
	if t.Var || a.reborn(t) || a.movesKey(t) {
		return
	}
	stays := row.without(func(c int) bool { return a.code.Updated[t][c] })
	if len(stays) > len(t.Key) && !slices.ContainsFunc(t.Key, func(c int) bool { return len(stays[c]) == 0 }) {
		st.known = append(slices.Clone(st.known), lasting{t, stays})
	}
}

// knowConstant notes what a query gives of a row which nobody inserts, changes or deletes: one that is not there never
// will be.
func (a *flow) knowConstant(st *state, q *ir.Query) {
	if len(q.From) != 1 {
		return
	}
	src := q.From[0]
	conds := ir.Conjuncts(st.value(q.Where))
	row := conditionsOf(src.Table, src.Row, conds)
	if !onlyKey(src.Table, src.Row, src.Table.Key, conds) || !a.neverComes(src.Table, src.Table.Key) {
		return
	}
	for c, e := range a.seen {
		if src.Table.Columns[c].NotNull {
			row.add(c, e)
		}
	}
	a.know(st, src.Table, row)
}

// firstQuery is the query in the expression of a statement.
func firstQuery(s ir.Stmt) *ir.Query {
	var out *ir.Query
	for _, e := range ir.Exprs(s) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if x, ok := e.(*ir.Exists); ok && out == nil {
				out = &x.Query
			}
		})
	}
	return out
}

// columnsOf are the columns of a row that a condition names.
func columnsOf(where ir.Expr, src ir.Source) []int {
	var out []int
	ir.WalkExpr(where, func(e ir.Expr) {
		if c, ok := e.(*ir.Col); ok && c.Row == src.Row {
			out = append(out, src.Table.Column(c.Col))
		}
	})
	return out
}

// reborn reports whether a row may be deleted, and another one inserted with its key.
func (c *changes) reborn(t *ir.Table) bool {
	return c.code.Deleted[t] && c.code.Inserted[t] && !c.freshKeys[t]
}

// versions reports whether column c of a row cannot change unless v gets a value that no
// version of the row has had, for the rows that a key stands for.
func (c *changes) versions(t *ir.Table, key []int, v, of int) bool {
	if c.reborn(t) || prepare.Touches(key, c.code.Updated[t]) {
		return false
	}
	return !slices.ContainsFunc(c.writes, func(w *write) bool {
		return w.table == t && w.does == updates && (w.sets[of] || w.sets[v]) && !w.bumps[v]
	})
}

// write looks at the rows that an UPDATE or DELETE finds.
func (a *flow) write(s ir.Stmt, t *ir.Table, row string, where ir.Expr, mode ir.LockMode, st *state) {
	if slices.ContainsFunc(ir.Exprs(s), ir.HasExists) {
		a.stable(s, st, st.looks(s, []ir.Source{{Table: t, Row: row}}, where))
		if ir.HasExists(where) {
			return
		}
	}
	a.meet(s, t, row, where, mode, st, nil)
}

// update looks at an UPDATE.
func (a *flow) update(s *ir.Update, st *state) {
	a.write(s, s.Table, s.Row, s.Where, ir.ForNoKeyUpdate, st)
	st.mayWrite(a.met)
	sets := setsOf(s.Table, s.Sets)
	row := st.more(s.Table, conditionsOf(s.Table, s.Row, ir.Conjuncts(st.value(s.Where))))
	w := &write{txn: a.txn, pos: s.Pos, table: s.Table, does: updates, sets: sets, equals: row.without(func(c int) bool { return sets[c] })}
	w.bumps = bumps(s.Table, s.Row, s.Sets, row, st)
	if l := st.heldRow(s.Table, row); l != nil && l.own && !changesKey(s.Table, sets) {
		a.completes(st, w)
	} else {
		a.wrote(st, s, w)
	}
	st.changed(s.Table, a.met, sets)
}

// bumps finds the columns of a row that get a greater value.
func bumps(t *ir.Table, row string, sets []ir.Set, equals equals, st *state) []bool {
	out := make([]bool, len(t.Columns))
	for _, s := range sets {
		b, ok := st.value(s.Expr).(*ir.Binary)
		if !ok || b.Op != ir.Add || t.Columns[s.Col].Type.Kind != ir.KindInt {
			continue
		}
		before := func(e ir.Expr) bool {
			c, is := e.(*ir.Col)
			return is && c.Row == row && t.Column(c.Col) == s.Col ||
				slices.ContainsFunc(equals[s.Col], func(o ir.Expr) bool { return text(o) == text(e) })
		}
		more := func(e ir.Expr) bool {
			k, is := e.(*ir.Const)
			return is && k.Value.Kind == ir.KindInt && k.Value.I > 0
		}
		out[s.Col] = before(b.X) && more(b.Y) || before(b.Y) && more(b.X)
	}
	return out
}

// changed is told that rows of a table were written by what a sighting has found: what is known
// of their columns holds no more. Without columns it is the whole rows.
func (st *state) changed(t *ir.Table, by *sighting, sets []bool) {
	is := func(c int) bool { return sets == nil || sets[c] }
	for i, l := range st.held {
		if l.kind == onRow && l.table == t && sets != nil && slices.ContainsFunc(sets, func(b bool) bool { return b }) {
			less := *l
			less.equals = l.equals.without(is)
			st.held[i] = &less
		}
	}
	for n, p := range st.sightings {
		if n.table != t {
			continue
		}
		if n.locks == ir.NoLock {
			p.wrote = append(p.wrote, by)
		}
		for c := range t.Columns {
			if sets != nil && sets[c] {
				p.set[c] = true
			}
		}
	}
}

// insert looks at an INSERT. What it has inserted nobody else can insert, and what it has
// found in the way of an ON CONFLICT DO UPDATE it has locked.
func (a *flow) insert(s *ir.Insert, st *state) {
	t := s.Table
	if s.Moved != nil || len(t.Late) > 0 {
		a.fail(s.Pos, "it changes the key of a row, or a constraint is checked at the commit")
	}
	if slices.ContainsFunc(ir.Exprs(s), ir.HasExists) {
		a.stable(s, st, st.looks(s, nil, nil))
	}
	if len(st.sightings) > 0 {
		st.acts()
	}
	row := equals{}
	for i, c := range s.Cols {
		v := st.value(s.Values[i])
		if k, ok := v.(*ir.Const); free(v) && (t.Columns[c].NotNull || ok && k.Value != ir.Null) {
			row.add(c, v)
		}
	}
	defer func() { a.noteInsert(s, row, st) }()
	switch {
	case s.Conflict == nil:
		st.acts()
		a.isInserted(st, t, row)
		a.take(st, &lock{kind: onRow, table: t, row: ir.ForUpdate, equals: row, sure: true, own: true, taken: []moment{a.moment(s)}})
		return
	case len(s.Conflict.Sets) > 0:
		st.acts()
		if target := arbiter(s); target != nil {
			is := setsOf(t, s.Conflict.Sets)
			known := row.without(func(c int) bool { return !slices.Contains(target, c) || is[c] })
			a.take(st, &lock{kind: onRow, table: t, row: ir.ForNoKeyUpdate, equals: known, sure: true, taken: []moment{a.moment(s)}})
		}
		st.changed(t, nil, setsOf(t, s.Conflict.Sets))
		return
	}
	a.unlessThere(s, row, st)
}

// unlessThere looks at ON CONFLICT DO NOTHING.
func (a *flow) unlessThere(s *ir.Insert, row equals, st *state) {
	t := s.Table
	stays := !a.code.Deleted[t] && !a.code.KeyUpdated(t) && len(t.Exclusions) == 0 && len(partial(t)) == 0
	n := &sighting{table: t, equals: row, locks: ir.ForUpdate, stmt: s, pos: s.Pos, what: "inserts into " + t.Name + " unless something is in the way"}
	a.named++
	n.condition = fmt.Sprint("insertion ", a.named)
	p := &prospect{absent: &chance{harmless: stays, facts: facts{}}, present: &chance{harmless: true, facts: facts{}}, set: map[int]bool{}}
	if s.Done != "" {
		name := a.renew(st, s.Done)
		p.absent.facts[name], p.present.facts[name] = is(ir.Bool(false)), is(ir.Bool(true))
	}
	if stays {
		st.acts() // what is in the way stays there
		if target := arbiter(s); target != nil && !slices.ContainsFunc(target, func(c int) bool { return len(row[c]) == 0 }) {
			st.lasting = append(slices.Clone(st.lasting), lasting{t, row.without(func(c int) bool { return !slices.Contains(target, c) })})
		}
	}
	a.sees(st, n, p)
}

// noteInsert notes what an INSERT writes.
func (a *flow) noteInsert(s *ir.Insert, row equals, st *state) {
	t := s.Table
	a.wrote(st, s, &write{txn: a.txn, pos: s.Pos, table: t, does: inserts, equals: row})
	if s.Conflict == nil || len(s.Conflict.Sets) == 0 {
		return
	}
	sets := setsOf(t, s.Conflict.Sets)
	target := arbiter(s)
	w := &write{txn: a.txn, pos: s.Pos, table: t, does: updates, sets: sets, equals: row.without(func(c int) bool { return sets[c] || !slices.Contains(target, c) })}
	w.bumps = bumps(t, s.Conflict.Row, s.Conflict.Sets, equals{}, st)
	a.wrote(st, s, w)
}

// arbiter is the key by which ON CONFLICT finds the row in the way, nil if that is not one.
func arbiter(s *ir.Insert) []int {
	list := keys(s.Table)
	if s.Conflict.Target == nil {
		if len(list) == 1 && len(s.Table.PairConstraints()) == 0 {
			return list[0]
		}
		return nil
	}
	for _, k := range list {
		if ir.SameColumns(s.Conflict.Target, k) {
			return k
		}
	}
	return nil
}

// partial gives the unique keys of a table that are about some of its rows only.
func partial(t *ir.Table) []ir.Unique {
	return slices.DeleteFunc(slices.Clone(t.Uniques), func(u ir.Unique) bool { return u.Where == nil })
}
