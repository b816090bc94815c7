package write

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/wellformed"
)

// aftermath stands for what follows some kinds of writes of t and is not
// modelled: constraints that the IR does not have. set lists the columns that an
// UPDATE sets.
func (b *Writer) aftermath(pos ir.Pos, t *schema.Table, events int32, set []assignment) {
	b.uncheckedWrites(pos, t, events, set)
	for _, k := range t.Unseen {
		if k.Concerns(events, columnsOf(set)) {
			tr := b.App.Tracer()
			tr.Unseen(k)
			tr.Writes = tr.Writes || len(k.Tables) > 0
			b.Anything(pos, tr.Effect, k.What)
		}
	}
}

// UpdateStmt translates UPDATE.
func (b *Writer) UpdateStmt(f *expr.Frame, t *syntax.Text, s *pg.UpdateStmt, pos ir.Pos, to expr.Sink) {
	b.withParts(f, t, s.WithClause, s, func(x *query.Place) { b.updateRows(f, x, s, pos, to) })
}

// updateRows translates UPDATE behind its WITH queries.
func (b *Writer) updateRows(f *expr.Frame, x *query.Place, s *pg.UpdateStmt, pos ir.Pos, to expr.Sink) {
	y, row := x.WriteTarget(s.Relation)
	b.seesAssigned(s)
	b.keepsFound(f, row.Table)
	b.looksAhead(row.Table, schema.ChangesRows, schema.OnUpdate, true, partsOf(s.WithClause, s.WhereClause, s.FromClause, s.TargetList)...)
	b.returnsAhead(row.Table, schema.ChangesRows, s.ReturningClause)
	cond, current := b.currentOf(f, row, s.WhereClause)
	var w *writeQuery
	var list []assignment
	ret := s.ReturningClause
	if to.Kind == expr.Discard {
		ret = nil
	}
	y.Choose(y.FormOfWrite(s.FromClause), func() {
		sure := y.Surely(func() {
			given := func() []ir.Expr { return b.given(y, row, s.TargetList, ret) }
			w = b.from(y, row, s.FromClause, s.WhereClause, cond, given)
			w.gives(ret, row, given)
			list = b.sets(w.in, row, s.TargetList)
		})
		b.lockSurely(sure, row, w)
	}, func() {
		if current {
			y.Unmodelled("WHERE CURRENT OF in an UPDATE of this form")
		}
		w, list = b.derivedFrom(y, row, s.FromClause, s.WhereClause, s.TargetList, ret)
	})
	b.limit(w, row, s, pos)
	b.oneByOneKeys(pos, row, w, list)
	keys, changed := keyChanges(row, w.where, list)
	if len(keys) > 0 {
		b.mayMove(w, row, list, changed, keys[0])
	}
	for _, c := range b.App.KeysTo(row.Table) {
		switch {
		case len(keys) > 0 || !renames(b.App.RefColumns(c), changed):
		case c.OnUpdate.Changes():
			b.Unmodelled("ON UPDATE %s of foreign key %s", actionWord(c.OnUpdate), c.Name)
		case len(w.other) > 0: // checked when all rows are updated, not for each
			b.Unmodelled("an UPDATE with several tables of what foreign key %s refers to", c.Name)
		}
	}
	b.atStatement(row.Table, schema.OnUpdate, "UPDATE", true, list, pos)
	var sets []ir.Set
	if len(keys) == 0 {
		sets = b.irSets(row, list)
	}
	w.set = list
	b.countsChanges(f, w, row, list, pos)
	after := withValues(row, list)
	if b.fires(row.Table, schema.OnUpdate, list) {
		u := &rowWriter{b: b, f: f, w: w, row: row, set: list, ret: s.ReturningClause, pos: pos, to: to, op: "UPDATE", events: schema.OnUpdate}
		u.write()
		b.aftermath(pos, row.Table, schema.OnUpdate, list)
		b.atStatement(row.Table, schema.OnUpdate, "UPDATE", false, list, pos)
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
		u := &ir.Update{At: expr.At(pos), Table: row.Table.IR, Row: row.Row, Sets: out, Where: where}
		b.checkUpdated(pos, after, u)
		b.Emit(u)
	})
	b.aftermath(pos, row.Table, schema.OnUpdate, list)
	b.atStatement(row.Table, schema.OnUpdate, "UPDATE", false, list, pos)
}

// oneByOneKeys marks an UPDATE of several rows that gives each another value in a unique
// key: PostgreSQL checks the key row by row, so that it may fail where no rows have the
// key in common in the end.
func (b *Writer) oneByOneKeys(pos ir.Pos, row *expr.RowSource, w *writeQuery, set []assignment) {
	t := row.Table.IR
	if len(w.other) == 0 && b.SingleRow(ir.Query{From: []ir.Source{row.IRSource()}, Where: w.where}) {
		return
	}
	varies := func(column string) bool {
		return slices.ContainsFunc(set, func(a assignment) bool {
			return a.column == column && !expr.RowFree(a.v.Expr, map[string]bool{})
		})
	}
	after := withValues(row, set)
	mark := func(what string, columns []string, same bool) {
		d := &ir.Dropped{At: expr.At(pos), Kind: ir.ByError, Tables: []*ir.Table{t}, What: "the error of " + what + ", which is checked while the rows are updated one by one"}
		if len(w.other) == 0 { // one row gets what another one still has
			second := w.in.RowName(row.Row)
			d.Query.From = []ir.Source{row.IRSource(), {Table: t, Row: second}}
			var differ ir.Expr
			for _, k := range t.Key {
				c := t.Columns[k].Name
				differ = ir.OrE(differ, ir.Op(ir.Ne, &ir.Col{Row: row.Row, Col: c}, &ir.Col{Row: second, Col: c}))
			}
			d.Query.Where = ir.AndE(w.where, query.RenameRow(w.where, row.Row, second), differ)
			for _, c := range columns {
				if s := after.Col(c); same && s != nil {
					d.Query.Where = ir.AndE(d.Query.Where, ir.Op(ir.Eq, s.Expr, &ir.Col{Row: second, Col: c}))
				}
			}
		}
		b.Emit(d)
	}
	for _, u := range row.Table.Uniques {
		if !u.Deferrable && slices.ContainsFunc(u.Columns, varies) {
			mark("unique key "+u.Name, u.Columns, true)
		}
	}
	for _, x := range t.Exclusions {
		var columns []string
		for _, c := range ir.ExclusionColumns(&x, t) {
			columns = append(columns, t.Columns[c].Name)
		}
		if slices.ContainsFunc(columns, varies) {
			mark("EXCLUDE constraint "+x.Name, columns, false)
		}
	}
}

// DeleteStmt translates DELETE.
func (b *Writer) DeleteStmt(f *expr.Frame, t *syntax.Text, s *pg.DeleteStmt, pos ir.Pos, to expr.Sink) {
	b.withParts(f, t, s.WithClause, s, func(x *query.Place) { b.deleteRows(f, x, s, pos, to) })
}

// deleteRows translates DELETE behind its WITH queries.
func (b *Writer) deleteRows(f *expr.Frame, x *query.Place, s *pg.DeleteStmt, pos ir.Pos, to expr.Sink) {
	y, row := x.WriteTarget(s.Relation)
	b.keepsFound(f, row.Table)
	b.looksAhead(row.Table, schema.ChangesRows, schema.OnDelete, true, partsOf(s.WithClause, s.WhereClause, s.UsingClause)...)
	b.returnsAhead(row.Table, schema.ChangesRows, s.ReturningClause)
	b.atStatement(row.Table, schema.OnDelete, "DELETE", true, nil, pos)
	cond, current := b.currentOf(f, row, s.WhereClause)
	var w *writeQuery
	ret := s.ReturningClause
	if to.Kind == expr.Discard {
		ret = nil
	}
	y.Choose(y.FormOfWrite(s.UsingClause), func() {
		sure := y.Surely(func() {
			given := func() []ir.Expr { return b.given(y, row, nil, ret) }
			w = b.from(y, row, s.UsingClause, s.WhereClause, cond, given)
			w.gives(ret, row, given)
		})
		b.lockSurely(sure, row, w)
	}, func() {
		if current {
			y.Unmodelled("WHERE CURRENT OF in a DELETE of this form")
		}
		w, _ = b.derivedFrom(y, row, s.UsingClause, s.WhereClause, nil, ret)
	})
	b.limit(w, row, s, pos)
	if b.fires(row.Table, schema.OnDelete, nil) {
		u := &rowWriter{b: b, f: f, w: w, row: row, ret: s.ReturningClause, pos: pos, to: to, op: "DELETE", events: schema.OnDelete,
			first: func() { b.cascade(pos, row.Table, s) }}
		u.write()
		b.aftermath(pos, row.Table, schema.OnDelete, nil)
		b.atStatement(row.Table, schema.OnDelete, "DELETE", false, nil, pos)
		return
	}
	b.write(f, w, row, row, s.ReturningClause, pos, to, func(where ir.Expr, keep func(ir.Expr) ir.Expr) {
		if b.LoopDepth > 0 || !b.acts(row.Table) {
			b.cascade(pos, row.Table, s)
		}
		b.ownParent(pos, row, where)
		b.Emit(&ir.Delete{At: expr.At(pos), Table: row.Table.IR, Row: row.Row, Where: where})
		b.actions(pos, row.Table)
	})
	b.aftermath(pos, row.Table, schema.OnDelete, nil)
	b.atStatement(row.Table, schema.OnDelete, "DELETE", false, nil, pos)
}

// writeQuery is which rows an UPDATE or DELETE changes.
type writeQuery struct {
	in    *query.Place // sees the row and the other tables
	other []ir.Source  // of FROM or USING
	where ir.Expr      // over the row and the other tables
	// changes, if not nil, says which of the rows count.
	changes ir.Expr
	// returned is RETURNING over the row, if it is translated already.
	returned []expr.Column
	set      []assignment // of an UPDATE
}

// gives makes a condition of a join whose other rows say only which rows are written, and refuses RETURNING of any other.
func (w *writeQuery) gives(ret *pg.ReturningClause, row *expr.RowSource, given func() []ir.Expr) {
	if ret == nil || len(w.other) == 0 {
		return
	}
	if slices.ContainsFunc(given(), func(e ir.Expr) bool { return !expr.RowFree(e, map[string]bool{row.Row: true}) }) {
		w.in.Unmodelled("RETURNING with FROM or USING")
	}
	w.where, w.other = &ir.Exists{Query: ir.Query{From: w.other, Where: w.where}}, nil
}

// sets makes the assignments of an UPDATE, with those of columns that follow others.
func (b *Writer) sets(x *query.Place, row *expr.RowSource, targets []*pg.Node) []assignment {
	list := b.setList(x, row, targets)
	list = append(list, b.touched(row, list)...)
	return append(list, b.regenerated(row, list)...)
}

// given are the values that an UPDATE or DELETE makes of the rows of y: for columns, and for RETURNING. Where they
// are not modelled, the write is not.
func (b *Writer) given(y *query.Place, row *expr.RowSource, targets []*pg.Node, ret *pg.ReturningClause) []ir.Expr {
	var out []ir.Expr
	b.Trial(func() {
		list := b.sets(y, row, targets)
		for _, a := range list {
			out = append(out, a.v.Expr)
		}
		for _, c := range b.targetsOf(&query.Query{Place: y}, withValues(row, list), y.Levels[len(y.Levels)-1].Sources[1:], ret) {
			out = append(out, c.Expr)
		}
	})
	return out
}

// tellsMore reports whether expressions depend on more of a source than its key.
func tellsMore(src ir.Source, list []ir.Expr) bool {
	more := false
	for _, e := range list {
		ir.WalkExpr(e, func(e ir.Expr) {
			c, ok := e.(*ir.Col)
			more = more || ok && c.Row == src.Row && !src.Table.IsKey(src.Table.Column(c.Col))
		})
	}
	return more
}

// from translates FROM or USING, and WHERE, for which current stands if it is not
// nil. given are the values that the write makes of the rows.
func (b *Writer) from(y *query.Place, row *expr.RowSource, list []*pg.Node, where *pg.Node, current ir.Expr, given func() []ir.Expr) *writeQuery {
	q := query.NewQuery(y)
	q.Target = q.Level.Sources[0]
	var conds []ir.Expr
	if row.Through != nil {
		conds = append(conds, row.Through.Where)
	}
	conds = append(conds, q.Items(list).Conds...)
	if len(q.Loops) > 0 || q.Writer {
		b.Unmodelled(query.FunctionJoined)
	}
	if current != nil {
		conds = append(conds, current)
	} else {
		conds = append(conds, y.Conditions(where)...)
	}
	q.Where = ir.AndE(conds...)
	q.JoinSelf(func(src ir.Source) bool { return !b.App.In.MySQL && tellsMore(src, append(given(), q.Where)) })
	q.TakeLocks(&pg.SelectStmt{}, ir.NoLock)
	query.LooseInner(b.Draft, q)
	if len(q.Locks) > 0 { // on what is joined with the rows that are written
		all := ir.Query{From: append([]ir.Source{q.Target.IRSource()}, q.From...), Where: q.Where}
		locks := query.LocksOn(all.From, func(row string) ir.LockMode {
			if row == q.Target.Row {
				return ir.NoLock
			}
			return q.Locks.Of(row)
		})
		b.Emit(&ir.LockRows{At: expr.At(b.Cur), Query: all, Locks: locks})
	}
	return &writeQuery{in: y, other: q.From, where: q.Where}
}

// write runs change for the rows that w gives, with RETURNING and FOUND. after
// is the row as RETURNING sees it.
func (b *Writer) write(f *expr.Frame, w *writeQuery, row, after *expr.RowSource, ret *pg.ReturningClause, pos ir.Pos, to expr.Sink,
	change func(where ir.Expr, keep func(ir.Expr) ir.Expr)) {
	q := ir.Query{From: []ir.Source{row.IRSource()}, Where: w.where}
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
	if ret != nil && to.Kind != expr.Discard {
		b.returning(f, w, after, ret, pos, to, q, func() { change(q.Where, plain) })
		return
	}
	if !b.unusedBy(NonEmptyList(f.Found, f.Rowcount), func() { change(q.Where, plain) }) {
		b.Unmodelled("FOUND or ROW_COUNT inside of the statement that sets it")
	}
	counted := q
	counted.Where = ir.AndE(q.Where, w.changes)
	b.countFirst(f, counted, found, pos)
	change(q.Where, plain)
}

// NonEmptyList gives the elements that are not "".
func NonEmptyList(list ...string) []string {
	return schema.Without(list, func(s string) bool { return s == "" })
}

// countFirst sets FOUND and ROW_COUNT before a write of the rows of q.
func (b *Writer) countFirst(f *expr.Frame, q ir.Query, found ir.Expr, pos ir.Pos) {
	if f.Found != "" {
		b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Found, Expr: found})
	}
	if f.Rowcount != "" {
		b.CountRows(f, q, pos)
	}
}

// restricts reports whether what change computes depends on the row alone.
func (b *Writer) restricts(row *expr.RowSource, change func(ir.Expr, func(ir.Expr) ir.Expr)) bool {
	only := true
	b.Trial(func() {
		change(nil, func(e ir.Expr) ir.Expr {
			only = only && expr.RowFree(e, map[string]bool{row.Row: true})
			return e
		})
	})
	return only
}

// setsReference gives a foreign key of which assignments set a column, nil if there is none.
func setsReference(row *expr.RowSource, set []assignment) *schema.ForeignKey {
	for _, k := range row.Table.Foreign {
		if slices.ContainsFunc(set, func(a assignment) bool { return slices.Contains(k.Columns, a.column) }) {
			return k
		}
	}
	return nil
}

// joinsOnce reports whether keys tell that a row joins one row of the other tables at most.
func (b *Writer) joinsOnce(w *writeQuery, row *expr.RowSource) bool {
	known := map[string]bool{row.Row: true}
	for range w.other {
		for _, s := range w.other {
			known[s.Row] = known[s.Row] || expr.FixesKey(s.Table, s.Row, w.where, known)
		}
	}
	return !slices.ContainsFunc(w.other, func(s ir.Source) bool { return !known[s.Row] })
}

// writeJoin is UPDATE … FROM whose values come from the other tables: for
// each row of the join, the row is changed by its key. A row that joins twice
// is changed once, by either, in PostgreSQL; here the last one counts.
func (b *Writer) writeJoin(f *expr.Frame, w *writeQuery, row *expr.RowSource, ret *pg.ReturningClause, pos ir.Pos,
	change func(where ir.Expr, keep func(ir.Expr) ir.Expr)) {
	if ret != nil {
		b.Unmodelled("RETURNING with FROM or USING")
	}
	if f.Rowcount != "" {
		b.Unmodelled("ROW_COUNT after an UPDATE or DELETE with several tables")
	}
	if k := row.Table.SelfKey(); k != nil {
		b.Unmodelled("an UPDATE with several tables of one with a foreign key to itself (%s)", k.Name)
	}
	if k := setsReference(row, w.set); k != nil && !b.joinsOnce(w, row) { // checked for the last values alone
		b.Unmodelled("an UPDATE with several tables of foreign key %s, of rows that may match several", k.Name)
	}
	q := ir.Query{From: append([]ir.Source{row.IRSource()}, w.other...), Where: w.where}
	loop := &ir.Foreach{At: expr.At(pos), Query: q, Found: f.Found}
	b.Weak[loop] = true
	var where ir.Expr
	for _, k := range row.Table.IR.Key {
		c := row.Table.IR.Columns[k]
		local := b.IRLocal(c.Name, c.Type)
		col := &ir.Col{Row: row.Row, Col: c.Name}
		loop.Into, loop.Cols = append(loop.Into, local), append(loop.Cols, col)
		where = ir.AndE(where, ir.Op(ir.Eq, col, ir.V(local)))
	}
	loop.Body = b.Collect(func() {
		change(where, func(e ir.Expr) ir.Expr {
			t, err := wellformed.TypeOf(e, b.Txn, q.From...)
			if err != nil {
				panic("write: " + err.Error())
			}
			if t.Kind == ir.KindNull {
				return e
			}
			local := b.IRLocal("new", t)
			loop.Into, loop.Cols = append(loop.Into, local), append(loop.Cols, e)
			return ir.V(local)
		})
	})
	b.Emit(loop)
}

// returning runs a write with RETURNING: the values are read from the rows
// before it, where after has the new values of the columns.
func (b *Writer) returning(f *expr.Frame, w *writeQuery, after *expr.RowSource, ret *pg.ReturningClause, pos ir.Pos, to expr.Sink, q ir.Query, change func()) {
	x := w.in.Copy()
	level := x.Levels[len(x.Levels)-1]
	targets := w.returned
	if targets == nil {
		targets = b.targetsOf(&query.Query{Place: w.in}, after, level.Sources[1:], ret)
	}
	if to.Kind == expr.IntoRows {
		t := ir.ArrayType(ir.KindOpaque)
		b.Emit(&ir.Select{At: expr.At(pos), Into: []string{to.Rows.Local}, Query: q,
			Aggs: []ir.Agg{{Fn: irnames.RowsAgg, Arg: to.Rows.Take(&x.Spot, targets), Type: t}}})
		change()
		return
	}
	if to.Kind == expr.ToClient {
		b.countFirst(f, q, &ir.Exists{Query: q}, pos)
		if f.Result == nil {
			var cols []ir.Expr
			for _, c := range targets {
				cols = append(cols, c.Expr)
			}
			if len(cols) == 0 {
				cols = []ir.Expr{ir.C(ir.Bool(true))}
			}
			b.Emit(&ir.EmitRows{At: expr.At(pos), Cols: cols, Query: q, Returned: true})
		}
		change()
		return
	}
	if f.Rowcount != "" {
		b.CountRows(f, q, pos)
	}
	if to.Only && !b.SingleRow(q) {
		b.Unmodelled("RETURNING of several rows")
	}
	if !b.SingleRow(q) && f.Func.Body != nil { // PL/pgSQL refuses several rows
		if f.Found != "" && b.Caught(expr.TooManyRows) {
			b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Found, Expr: ir.C(ir.Bool(true))})
		}
		query.AtMostOne(b.Draft, q, pos, expr.TooManyRows)
	}
	// The write must still see the variables as they were.
	var temps []expr.Dest
	for i, c := range targets {
		temps = append(temps, expr.Dest{Local: b.Local(c.Name, c.Type), T: c.Type})
		if c.Type.Name == schema.NUnknown {
			temps[i].T = schema.TText
		}
	}
	final, rest := to.Dests(targets)
	found := b.FoundLocal(f)
	if found == "" && to.Strict {
		found = b.Local("was_found", schema.TBool)
	}
	early := b.unusedBy(append(DestLocals(final), DestLocals(rest)...), change)
	s := &ir.Select{At: expr.At(pos), Query: q, Found: found, Returned: true}
	var assign []expr.Dest
	var cols []expr.Column
	for i, c := range targets {
		d := final[i]
		if d.Local == "" {
			continue
		}
		if early {
			s.Into, s.Cols = append(s.Into, d.Local), append(s.Cols, x.Assigned(c.Val(), d.T, 0).Expr)
			continue
		}
		s.Into, s.Cols = append(s.Into, temps[i].Local), append(s.Cols, c.Expr)
		assign, cols = append(assign, d), append(cols, expr.Column{Name: c.Name, Expr: ir.V(temps[i].Local), Type: c.Type})
	}
	b.AtLeastOne(s)
	b.Weak[s] = true
	b.Emit(s)
	change()
	b.AssignAll(x, pos, assign, cols)
	b.SetNull(pos, rest)
	if found != "" {
		b.Strict(to, pos, ir.V(found))
	}
}

// DestLocals gives the locals that take values.
func DestLocals(list []expr.Dest) []string {
	var out []string
	for _, d := range list {
		out = append(out, d.Local)
	}
	return out
}

// unusedBy reports whether what f writes reads none of the locals.
func (b *Writer) unusedBy(locals []string, f func()) bool {
	set := map[string]bool{}
	for _, l := range locals {
		set[l] = l != ""
	}
	out := b.Out
	list := b.Collect(f)
	b.Out = out
	return !Uses(list, set)
}

// Uses reports whether statements look at one of some locals.
func Uses(list []ir.Stmt, locals map[string]bool) bool {
	found := false
	ir.WalkExprs(list, func(e ir.Expr) {
		v, ok := e.(*ir.Var)
		found = found || ok && locals[v.Name]
	})
	return found
}
