package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// target opens the table that an INSERT, UPDATE or DELETE writes: x gets a
// level with it.
func (x *ex) target(r *pg.RangeVar) (*ex, *rowSource) {
	t := x.tableOf(r)
	y := x.inner()
	alias := syntax.AliasOf(r)
	s := x.source(t, alias, y.rowName(alias))
	y.levels[len(y.levels)-1].sources = []*rowSource{s}
	return y, s
}

// aftermath stands for what follows some kinds of writes of t and is not
// modelled: constraints that the IR does not have. set lists the columns that an
// UPDATE sets.
func (b *builder) aftermath(pos ir.Pos, t *schema.Table, events int32, set []assignment) {
	b.uncheckedWrites(pos, t, events, set)
	for _, k := range t.Unseen {
		if k.Concerns(events, columnsOf(set)) {
			tr := b.l.Tracer()
			tr.Unseen(k)
			tr.Writes = tr.Writes || len(k.Tables) > 0
			b.anything(pos, tr.Effect, k.What)
		}
	}
}

// updateStmt translates UPDATE.
func (b *builder) updateStmt(f *frame, t *syntax.Text, s *pg.UpdateStmt, pos ir.Pos, to sink) {
	x := b.ex(f, t)
	x.withWrites(s.WithClause, s)
	b.afterParts(x.parts, func() { b.updateRows(f, x, s, pos, to) })
}

// updateRows translates UPDATE behind its WITH queries.
func (b *builder) updateRows(f *frame, x *ex, s *pg.UpdateStmt, pos ir.Pos, to sink) {
	y, row := x.target(s.Relation)
	b.keepsFound(f, row.table)
	b.looksAhead(row.table, schema.ChangesRows, schema.OnUpdate, true, partsOf(s.WithClause, s.WhereClause, s.FromClause, s.TargetList)...)
	b.returnsAhead(row.table, schema.ChangesRows, s.ReturningClause)
	cond, current := b.currentOf(f, row, s.WhereClause)
	var w *writeQuery
	var list []assignment
	ret := s.ReturningClause
	if to.kind == discard {
		ret = nil
	}
	y.either(func() {
		sure := y.surely(func() {
			w = b.from(y, s.FromClause, s.WhereClause, cond)
			w.gives(ret)
			list = b.sets(w.in, row, s.TargetList)
		})
		b.lockSurely(sure, row, w)
	}, func() {
		if current {
			y.unmodelled("WHERE CURRENT OF in an UPDATE of this form")
		}
		w, list = b.derivedFrom(y, row, s.FromClause, s.WhereClause, s.TargetList, ret)
	})
	b.limit(w, row, s, pos)
	b.oneByOneKeys(pos, row, w, list)
	keys, changed := keyChanges(row, w.where, list)
	if len(keys) > 0 {
		b.mayMove(w, row, list, changed, keys[0])
	}
	for _, c := range b.l.KeysTo(row.table) {
		switch {
		case len(keys) > 0 || !renames(b.l.RefColumns(c), changed):
		case c.OnUpdate.Changes():
			b.unmodelled("ON UPDATE %s of foreign key %s", actionWord(c.OnUpdate), c.Name)
		case len(w.other) > 0: // checked when all rows are updated, not for each
			b.unmodelled("an UPDATE with several tables of what foreign key %s refers to", c.Name)
		}
	}
	b.atStatement(row.table, schema.OnUpdate, "UPDATE", true, list, pos)
	var sets []ir.Set
	if len(keys) == 0 {
		sets = b.irSets(row, list)
	}
	after := withValues(row, list)
	if b.fires(row.table, schema.OnUpdate, list) {
		u := &rowWriter{b: b, f: f, w: w, row: row, set: list, ret: s.ReturningClause, pos: pos, to: to, op: "UPDATE", events: schema.OnUpdate}
		u.write()
		b.aftermath(pos, row.table, schema.OnUpdate, list)
		b.atStatement(row.table, schema.OnUpdate, "UPDATE", false, list, pos)
		return
	}
	b.write(f, w, row, after, s.ReturningClause, pos, to, func(where ir.Expr, keep func(ir.Expr) ir.Expr) {
		if len(keys) > 0 {
			b.move(pos, row, changed, where, keep)
			return
		}
		out := make([]ir.Set, len(sets))
		for i, set := range sets {
			out[i] = ir.Set{Col: set.Col, Expr: keep(set.Expr)}
		}
		u := &ir.Update{At: at(pos), Table: row.table.IR, Row: row.row, Sets: out, Where: where}
		b.checkUpdated(pos, after, u)
		b.emit(u)
	})
	b.aftermath(pos, row.table, schema.OnUpdate, list)
	b.atStatement(row.table, schema.OnUpdate, "UPDATE", false, list, pos)
}

// oneByOneKeys marks an UPDATE of several rows that gives each another value in a unique
// key: PostgreSQL checks the key row by row, so that it may fail where no rows have the
// key in common in the end.
func (b *builder) oneByOneKeys(pos ir.Pos, row *rowSource, w *writeQuery, set []assignment) {
	t := row.table.IR
	if len(w.other) == 0 && b.singleRow(ir.Query{From: []ir.Source{row.irSource()}, Where: w.where}) {
		return
	}
	varies := func(column string) bool {
		return slices.ContainsFunc(set, func(a assignment) bool {
			return a.column == column && !rowFree(a.v.e, map[string]bool{})
		})
	}
	after := withValues(row, set)
	mark := func(what string, columns []string, same bool) {
		d := &ir.Dropped{At: at(pos), Kind: ir.ByError, Tables: []*ir.Table{t}, What: "the error of " + what + ", which is checked while the rows are updated one by one"}
		if len(w.other) == 0 { // one row gets what another one still has
			second := w.in.rowName(row.row)
			d.Query.From = []ir.Source{row.irSource(), {Table: t, Row: second}}
			var differ ir.Expr
			for _, k := range t.Key {
				c := t.Columns[k].Name
				differ = ir.OrE(differ, ir.Op(ir.Ne, &ir.Col{Row: row.row, Col: c}, &ir.Col{Row: second, Col: c}))
			}
			d.Query.Where = ir.AndE(w.where, renameRow(w.where, row.row, second), differ)
			for _, c := range columns {
				if s := after.col(c); same && s != nil {
					d.Query.Where = ir.AndE(d.Query.Where, ir.Op(ir.Eq, s.e, &ir.Col{Row: second, Col: c}))
				}
			}
		}
		b.emit(d)
	}
	for _, u := range row.table.Uniques {
		if !u.Deferrable && slices.ContainsFunc(u.Columns, varies) {
			mark("unique key "+u.Name, u.Columns, true)
		}
	}
	for _, x := range t.Exclusions {
		var columns []string
		for _, c := range x.Columns(t) {
			columns = append(columns, t.Columns[c].Name)
		}
		if slices.ContainsFunc(columns, varies) {
			mark("EXCLUDE constraint "+x.Name, columns, false)
		}
	}
}

// deleteStmt translates DELETE.
func (b *builder) deleteStmt(f *frame, t *syntax.Text, s *pg.DeleteStmt, pos ir.Pos, to sink) {
	x := b.ex(f, t)
	x.withWrites(s.WithClause, s)
	b.afterParts(x.parts, func() { b.deleteRows(f, x, s, pos, to) })
}

// deleteRows translates DELETE behind its WITH queries.
func (b *builder) deleteRows(f *frame, x *ex, s *pg.DeleteStmt, pos ir.Pos, to sink) {
	y, row := x.target(s.Relation)
	b.keepsFound(f, row.table)
	b.looksAhead(row.table, schema.ChangesRows, schema.OnDelete, true, partsOf(s.WithClause, s.WhereClause, s.UsingClause)...)
	b.returnsAhead(row.table, schema.ChangesRows, s.ReturningClause)
	b.atStatement(row.table, schema.OnDelete, "DELETE", true, nil, pos)
	cond, current := b.currentOf(f, row, s.WhereClause)
	var w *writeQuery
	ret := s.ReturningClause
	if to.kind == discard {
		ret = nil
	}
	y.either(func() {
		sure := y.surely(func() {
			w = b.from(y, s.UsingClause, s.WhereClause, cond)
			w.gives(ret)
		})
		b.lockSurely(sure, row, w)
	}, func() {
		if current {
			y.unmodelled("WHERE CURRENT OF in a DELETE of this form")
		}
		w, _ = b.derivedFrom(y, row, s.UsingClause, s.WhereClause, nil, ret)
	})
	b.limit(w, row, s, pos)
	if b.fires(row.table, schema.OnDelete, nil) {
		u := &rowWriter{b: b, f: f, w: w, row: row, ret: s.ReturningClause, pos: pos, to: to, op: "DELETE", events: schema.OnDelete,
			first: func() { b.cascade(pos, row.table, s) }}
		u.write()
		b.aftermath(pos, row.table, schema.OnDelete, nil)
		b.atStatement(row.table, schema.OnDelete, "DELETE", false, nil, pos)
		return
	}
	b.write(f, w, row, row, s.ReturningClause, pos, to, func(where ir.Expr, keep func(ir.Expr) ir.Expr) {
		if b.loopDepth > 0 || !b.acts(row.table) {
			b.cascade(pos, row.table, s)
		}
		b.emit(&ir.Delete{At: at(pos), Table: row.table.IR, Row: row.row, Where: where})
		b.actions(pos, row.table)
	})
	b.aftermath(pos, row.table, schema.OnDelete, nil)
	b.atStatement(row.table, schema.OnDelete, "DELETE", false, nil, pos)
}

// writeQuery is which rows an UPDATE or DELETE changes.
type writeQuery struct {
	in    *ex         // sees the row and the other tables
	other []ir.Source // of FROM or USING
	where ir.Expr     // over the row and the other tables
	// returned is RETURNING over the row, if it is translated already.
	returned []colDef
}

// gives refuses RETURNING of a join.
func (w *writeQuery) gives(ret *pg.ReturningClause) {
	if ret != nil && len(w.other) > 0 {
		w.in.unmodelled("RETURNING with FROM or USING")
	}
}

// sets makes the assignments of an UPDATE, with those of columns that follow others.
func (b *builder) sets(x *ex, row *rowSource, targets []*pg.Node) []assignment {
	list := b.setList(x, row, targets)
	list = append(list, b.touched(row, list)...)
	return append(list, b.regenerated(row, list)...)
}

// from translates FROM or USING, and WHERE, for which current stands if it is not
// nil.
func (b *builder) from(y *ex, list []*pg.Node, where *pg.Node, current ir.Expr) *writeQuery {
	q := &query{in: y, level: y.levels[len(y.levels)-1], atMost: -1}
	q.target = q.level.sources[0]
	var conds []ir.Expr
	for _, n := range list {
		conds = append(conds, q.addFrom(n)...)
	}
	if len(q.loops) > 0 || q.writer {
		b.unmodelled("a function in FROM or USING")
	}
	switch {
	case current != nil:
		conds = append(conds, current)
	case where != nil:
		for _, c := range syntax.Conjuncts(where) {
			conds = append(conds, y.boolean(c, truth))
		}
	}
	q.where = ir.AndE(conds...)
	q.joinSelf()
	q.takeLocks(&pg.SelectStmt{}, ir.NoLock)
	b.looseInner(q)
	if len(q.locks) > 0 { // on what is joined with the rows that are written
		all := ir.Query{From: append([]ir.Source{q.target.irSource()}, q.from...), Where: q.where}
		locks := locksOn(all.From, func(row string) ir.LockMode {
			if row == q.target.row {
				return ir.NoLock
			}
			return q.locks.Of(row)
		})
		b.emit(&ir.LockRows{At: at(b.cur), Query: all, Locks: locks})
	}
	return &writeQuery{in: y, other: q.from, where: q.where}
}

// joinSelf drops the sources of FROM or USING that are the row that is written.
func (q *query) joinSelf() {
	t := q.target
	for i := len(q.from) - 1; i >= 0; i-- {
		src := q.from[i]
		if src.Table != t.table.IR || !sameRow(src.Table, t.row, src.Row, q.where) {
			continue
		}
		q.from = slices.Delete(slices.Clone(q.from), i, i+1)
		q.again = schema.Without(q.again, func(s ir.Source) bool { return s == src })
		conds := ir.Conjuncts(q.where)
		q.where = nil
		for _, c := range conds {
			c = renameRow(c, src.Row, t.row)
			if eq, ok := c.(*ir.Binary); !ok || eq.Op != ir.Eq || !isKeyOf(t, eq.X, eq.Y) {
				q.where = ir.AndE(q.where, c)
			}
		}
		for _, s := range q.level.sources {
			for k := range s.cols {
				s.cols[k].e = renameRow(s.cols[k].e, src.Row, t.row)
			}
			if s.row == src.Row {
				s.row = t.row
			}
		}
	}
	if len(q.again) > 0 {
		q.in.unmodelled("SKIP LOCKED in FROM or USING, for other rows than those that are written")
	}
}

// isKeyOf reports whether x and y are both the same key column of a row.
func isKeyOf(s *rowSource, x, y ir.Expr) bool {
	a, ok1 := x.(*ir.Col)
	b, ok2 := y.(*ir.Col)
	t := s.table.IR
	return ok1 && ok2 && *a == *b && a.Row == s.row && t.IsKey(t.Column(a.Col))
}

// write runs change for the rows that w gives, with RETURNING and FOUND. after
// is the row as RETURNING sees it.
func (b *builder) write(f *frame, w *writeQuery, row, after *rowSource, ret *pg.ReturningClause, pos ir.Pos, to sink,
	change func(where ir.Expr, keep func(ir.Expr) ir.Expr)) {
	q := ir.Query{From: []ir.Source{row.irSource()}, Where: w.where}
	if len(w.other) > 0 {
		if b.restricts(row, change) && ret == nil {
			q.Where = &ir.Exists{Query: ir.Query{From: w.other, Where: w.where}}
		} else {
			b.writeJoin(f, w, row, ret, pos, change)
			return
		}
	}
	found := ir.Expr(&ir.Exists{Query: q})
	plain := func(e ir.Expr) ir.Expr { return e }
	if ret != nil && to.kind != discard {
		b.returning(f, w, after, ret, pos, to, q, func() { change(q.Where, plain) })
		return
	}
	if !b.unusedBy(nonEmptyList(f.found, f.rowcount), func() { change(q.Where, plain) }) {
		b.unmodelled("FOUND or ROW_COUNT inside of the statement that sets it")
	}
	b.countFirst(f, q, found, pos)
	change(q.Where, plain)
}

func nonEmptyList(list ...string) []string {
	return schema.Without(list, func(s string) bool { return s == "" })
}

// countFirst sets FOUND and ROW_COUNT before a write of the rows of q.
func (b *builder) countFirst(f *frame, q ir.Query, found ir.Expr, pos ir.Pos) {
	if f.found != "" {
		b.emitWeak(&ir.Assign{At: at(pos), Var: f.found, Expr: found})
	}
	if f.rowcount != "" {
		b.countRows(f, q, pos)
	}
}

// restricts reports whether what change computes depends on the row alone.
func (b *builder) restricts(row *rowSource, change func(ir.Expr, func(ir.Expr) ir.Expr)) bool {
	only := true
	b.attempt(func() {
		change(nil, func(e ir.Expr) ir.Expr {
			only = only && rowFree(e, map[string]bool{row.row: true})
			return e
		})
		panic(schema.Unmodelled{}) // a trial: nothing stays
	})
	return only
}

// writeJoin is UPDATE … FROM whose values come from the other tables: for
// each row of the join, the row is changed by its key. A row that joins twice
// is changed once, by either, in PostgreSQL; here the last one counts.
func (b *builder) writeJoin(f *frame, w *writeQuery, row *rowSource, ret *pg.ReturningClause, pos ir.Pos,
	change func(where ir.Expr, keep func(ir.Expr) ir.Expr)) {
	if ret != nil {
		b.unmodelled("RETURNING with FROM or USING")
	}
	if f.rowcount != "" {
		b.unmodelled("ROW_COUNT after an UPDATE or DELETE with several tables")
	}
	if k := row.table.SelfKey(); k != nil {
		b.unmodelled("an UPDATE with several tables of one with a foreign key to itself (%s)", k.Name)
	}
	q := ir.Query{From: append([]ir.Source{row.irSource()}, w.other...), Where: w.where}
	loop := &ir.Foreach{At: at(pos), Query: q, Found: f.found}
	b.weak[loop] = true
	var where ir.Expr
	for _, k := range row.table.IR.Key {
		c := row.table.IR.Columns[k]
		local := b.irLocal(c.Name, c.Type)
		col := &ir.Col{Row: row.row, Col: c.Name}
		loop.Into, loop.Cols = append(loop.Into, local), append(loop.Cols, col)
		where = ir.AndE(where, ir.Op(ir.Eq, col, ir.V(local)))
	}
	loop.Body = b.collect(func() {
		change(where, func(e ir.Expr) ir.Expr {
			t, err := ir.TypeOf(e, b.txn, q.From...)
			if err != nil {
				panic("sqlmodel: " + err.Error())
			}
			if t.Kind == ir.KindNull {
				return e
			}
			local := b.irLocal("new", t)
			loop.Into, loop.Cols = append(loop.Into, local), append(loop.Cols, e)
			return ir.V(local)
		})
	})
	b.emit(loop)
}

// returning runs a write with RETURNING: the values are read from the rows
// before it, where after has the new values of the columns.
func (b *builder) returning(f *frame, w *writeQuery, after *rowSource, ret *pg.ReturningClause, pos ir.Pos, to sink, q ir.Query, change func()) {
	x := *w.in
	level := x.levels[len(x.levels)-1]
	targets := w.returned
	if targets == nil {
		targets = b.targetsOf(&query{in: w.in}, after, level.sources[1:], ret)
	}
	if to.kind == intoRows {
		t := ir.ArrayType(ir.KindOpaque)
		b.emit(&ir.Select{At: at(pos), Into: []string{to.rows.local}, Query: q,
			Aggs: []ir.Agg{{Fn: ir.RowsAgg, Arg: to.rows.take(&x, targets), Type: t}}})
		change()
		return
	}
	if to.kind == toClient {
		b.countFirst(f, q, &ir.Exists{Query: q}, pos)
		if f.result == nil {
			var cols []ir.Expr
			for _, c := range targets {
				cols = append(cols, c.e)
			}
			if len(cols) == 0 {
				cols = []ir.Expr{ir.C(ir.Bool(true))}
			}
			b.emit(&ir.EmitRows{At: at(pos), Cols: cols, Query: q})
		}
		change()
		return
	}
	if f.rowcount != "" {
		b.countRows(f, q, pos)
	}
	if !b.singleRow(q) && f.fn.Body != nil { // PL/pgSQL refuses several rows
		if f.found != "" && b.caught(tooManyRows) {
			b.emitWeak(&ir.Assign{At: at(pos), Var: f.found, Expr: ir.C(ir.Bool(true))})
		}
		b.atMostOne(q, pos, tooManyRows)
	}
	// The write must still see the variables as they were.
	var temps []dest
	for i, c := range targets {
		temps = append(temps, dest{b.local(c.name, c.t), c.t})
		if c.t.Name == schema.NUnknown {
			temps[i].t = schema.TText
		}
	}
	final, rest := to.dests(targets)
	found := b.foundLocal(f)
	if found == "" && to.strict {
		found = b.local("was_found", schema.TBool)
	}
	early := b.unusedBy(append(destLocals(final), destLocals(rest)...), change)
	s := &ir.Select{At: at(pos), Query: q, Found: found}
	var assign []dest
	var cols []colDef
	for i, c := range targets {
		d := final[i]
		if d.local == "" {
			continue
		}
		if early {
			s.Into, s.Cols = append(s.Into, d.local), append(s.Cols, x.assigned(c.val(), d.t, 0).e)
			continue
		}
		s.Into, s.Cols = append(s.Into, temps[i].local), append(s.Cols, c.e)
		assign, cols = append(assign, d), append(cols, colDef{name: c.name, e: ir.V(temps[i].local), t: c.t})
	}
	b.atLeastOne(s)
	b.weak[s] = true
	b.emit(s)
	change()
	b.assignAll(&x, pos, assign, cols)
	b.setNull(pos, rest)
	if found != "" {
		b.strict(to, pos, ir.V(found))
	}
}

func destLocals(list []dest) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.local)
	}
	return out
}

// unusedBy reports whether what f writes reads none of the locals.
func (b *builder) unusedBy(locals []string, f func()) bool {
	set := map[string]bool{}
	for _, l := range locals {
		set[l] = l != ""
	}
	out := b.out
	list := b.collect(f)
	b.out = out
	return !uses(list, set)
}

// uses reports whether statements look at one of some locals.
func uses(list []ir.Stmt, locals map[string]bool) bool {
	found := false
	ir.WalkExprs(list, func(e ir.Expr) {
		v, ok := e.(*ir.Var)
		found = found || ok && locals[v.Name]
	})
	return found
}
