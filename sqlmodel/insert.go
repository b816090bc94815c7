package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// insertStmt translates INSERT.
func (b *builder) insertStmt(f *frame, t *syntax.Text, s *pg.InsertStmt, pos ir.Pos, to sink) {
	x := b.ex(f, t)
	x.withWrites(s.WithClause, s)
	b.afterParts(x.parts, func() { b.insertRows(f, x, s, pos, to) })
}

// insertRows translates INSERT behind its WITH queries.
func (b *builder) insertRows(f *frame, x *ex, s *pg.InsertStmt, pos ir.Pos, to sink) {
	tab := x.tableOf(s.Relation)
	b.keepsFound(f, tab)
	events := int32(schema.OnInsert)
	var set []assignment // what ON CONFLICT may set, without the values
	if s.OnConflictClause != nil && s.OnConflictClause.Action == pg.ConflictUpdate {
		events |= schema.OnUpdate
		for _, n := range s.OnConflictClause.TargetList {
			set = append(set, assignment{column: pg.Inner(n).(*pg.ResTarget).Name})
		}
	}
	if events&schema.OnUpdate != 0 && len(tab.Firing(schema.OnUpdate, true, true, columnsOf(set)))+len(tab.Firing(schema.OnUpdate, true, false, columnsOf(set))) > 0 {
		b.unmodelled("triggers BEFORE UPDATE, with ON CONFLICT DO UPDATE")
	}
	ins := &inserter{b: b, f: f, x: x, s: s, tab: tab, pos: pos, to: to, early: map[int][]colDef{}, wrote: b.l.ChangedBy(tab, schema.AddsRows)}
	if events&schema.OnUpdate != 0 {
		ins.wrote = b.l.ChangedBy(tab, schema.ChangesRows)
	}
	ins.columns()
	ins.look(events)
	b.atStatement(tab, schema.OnInsert, "INSERT", true, nil, pos)
	sel, _ := pg.Inner(s.SelectStmt).(*pg.SelectStmt)
	if ins.ret() {
		switch {
		case sel != nil && len(sel.ValuesLists) == 0, sel != nil && len(sel.ValuesLists) != 1 && to.kind != toClient:
			b.unmodelled("RETURNING of an INSERT of several rows")
		}
	}
	switch {
	case sel == nil: // DEFAULT VALUES
		ins.row(nil)
	case len(sel.ValuesLists) > 0:
		ins.valueRows(sel)
	default:
		ins.query(sel)
	}
	b.aftermath(pos, tab, events, nil)
	if events&schema.OnUpdate != 0 {
		for _, g := range append(tab.Firing(events, false, true, columnsOf(set)), tab.Firing(schema.OnUpdate, false, false, columnsOf(set))...) {
			b.giveUp(pos, tab.FiredBy(g), "trigger "+g.Name+", after ON CONFLICT DO UPDATE")
		}
	}
	b.atStatement(tab, schema.OnInsert, "INSERT", false, nil, pos)
}

// inserter is the translation of one INSERT.
type inserter struct {
	b    *builder
	f    *frame
	x    *ex
	s    *pg.InsertStmt
	tab  *schema.Table
	cols []*schema.Column
	pos  ir.Pos
	to   sink
	// many says that several rows are inserted: FOUND and ROW_COUNT add up. inValues
	// says that they are written one by one.
	many, inValues bool
	proposed       []proposal
	// wrote is what the statement may change; early are the items of RETURNING that are computed before it.
	wrote *schema.Effect
	early map[int][]colDef
}

// ret reports whether RETURNING is needed.
func (i *inserter) ret() bool { return i.s.ReturningClause != nil && i.to.kind != discard }

// columns resolves the column list.
func (i *inserter) columns() {
	if len(i.s.Cols) == 0 {
		i.cols = i.tab.Columns
		return
	}
	for _, n := range i.s.Cols {
		r := pg.Inner(n).(*pg.ResTarget)
		c := i.tab.Column(r.Name)
		if c == nil {
			i.x.fail(r.Location, "table %s has no column %s; it has %s", i.tab.Name, r.Name, columnNames(tableSource(i.tab, "", "")))
		}
		for _, d := range i.cols {
			if d == c {
				i.x.fail(r.Location, "column %s is given twice", c.Name)
			}
		}
		if len(r.Indirection) > 0 {
			i.b.unmodelled("INSERT into an element of a column")
		}
		i.cols = append(i.cols, c)
	}
}

// valueRows is INSERT … VALUES (…), (…).
func (i *inserter) valueRows(sel *pg.SelectStmt) {
	if sel.LimitCount != nil || sel.LimitOffset != nil || len(sel.SortClause) > 0 || sel.WithClause != nil {
		i.b.unmodelled("VALUES with ORDER BY or LIMIT")
	}
	i.many, i.inValues = len(sel.ValuesLists) > 1, true
	i.apartFromParents()
	// All expressions are evaluated before the first row goes in, as far as
	// they could see it.
	var rows [][]*pg.Node
	for _, row := range sel.ValuesLists {
		items := i.x.expanded(pg.Inner(row).(*pg.List).Items)
		i.checkCount(len(items), items)
		if len(rows) > 0 && len(items) != len(rows[0]) {
			i.x.fail(i.x.at(items[0]), "the lists of VALUES must all be as long as the first one")
		}
		rows = append(rows, items)
	}
	before := make([]map[int]assignment, len(rows)) // what does not see the rows before
	for r, items := range rows {
		before[r] = map[int]assignment{}
		for k, n := range items {
			if i.many && i.seesBefore(n) {
				before[r][k] = i.kept(i.given(k, n))
			}
		}
	}
	i.start()
	for r, items := range rows {
		var given []assignment
		for k, n := range items {
			if _, isDefault := pg.Inner(n).(*pg.SetToDefault); isDefault {
				continue
			}
			a, known := before[r][k]
			if !known {
				a = i.given(k, n)
			}
			given = append(given, a)
			i.refuseGenerated(i.cols[k], n)
		}
		i.row(given)
	}
}

// given translates an item of VALUES.
func (i *inserter) given(k int, n *pg.Node) assignment {
	c := i.cols[k]
	v := i.x.expr(n)
	return assignment{column: c.Name, v: i.x.forColumn(c, v, n, i.x.at(n))}
}

func (i *inserter) refuseGenerated(c *schema.Column, n *pg.Node) {
	if c.Generated != nil {
		i.x.fail(i.x.at(n), "column %s is generated: it can only be given DEFAULT", c.Name)
	}
}

func (i *inserter) checkCount(n int, items []*pg.Node) {
	if n > len(i.cols) || n < len(i.cols) && len(i.s.Cols) > 0 {
		loc := i.s.Relation.Location
		if len(items) > 0 {
			loc = i.x.at(items[0])
		}
		i.x.fail(loc, "%d values are given for %d columns of %s", n, len(i.cols), i.tab.Name)
	}
}

// apartFromParents refuses several rows for a table that refers to itself: a
// foreign key is checked when all of them are in.
func (i *inserter) apartFromParents() {
	if k := i.tab.SelfKey(); k != nil && i.many {
		i.b.unmodelled("an INSERT of several rows into a table with a foreign key to itself (%s)", k.Name)
	}
}

// start sets FOUND and ROW_COUNT to nothing, where rows add up.
func (i *inserter) start() {
	if i.many {
		i.b.keepsFound(i.f, nil)
		i.b.setFound(i.f, i.pos, ir.C(ir.Bool(false)), ir.C(ir.Int(0)))
	}
}

// query is INSERT … SELECT.
func (i *inserter) query(sel *pg.SelectStmt) {
	b, x := i.b, i.x
	if b.sightOf(sel).Now.Meets(i.wrote.Tables) {
		b.unmodelled("a VOLATILE function %s", hidden)
	}
	want := ir.WantRows
	if i.s.OnConflictClause != nil || len(i.tab.Triggers) > 0 { // what a row meets depends on those before it
		want = ir.WantList
	}
	q := x.asLoop(sel, want, i.pos, true)
	b.skipRows(q, i.pos, false)
	i.checkCount(len(q.targets), nil)
	for k := range q.targets {
		if c := i.cols[k]; c.Generated != nil {
			i.x.fail(int32(max(pg.Start(sel), 0)), "column %s is generated: it can only be given DEFAULT", c.Name)
		}
	}
	untyped := i.untyped(sel, q)
	given := func(cols []colDef) []assignment {
		var out []assignment
		for k, c := range cols {
			col, v := i.cols[k], c.val()
			if u, is := untyped[k]; is {
				v = u
			}
			var n *pg.Node
			if len(sel.TargetList) == len(cols) {
				n = pg.TargetValue(sel.TargetList[k])
			}
			out = append(out, assignment{column: col.Name, v: x.forColumn(col, v, n, i.s.Relation.Location)})
		}
		return out
	}
	switch {
	case len(q.loops) > 0:
		if q.limit != nil || len(q.order) > 0 || len(q.aggs) > 0 {
			b.unmodelled("ORDER BY, LIMIT or aggregates over a set-returning function")
		}
		i.many = true
		i.apartFromParents()
		i.start()
		i.onceForAll(q)
		b.each(q, i.pos, "", "", func() {
			if len(q.from) == 0 {
				i.row(given(q.targets))
				return
			}
			i.foreach(q, given)
		})
	case len(q.aggs) > 0 && q.atMost != 0:
		x.emitAggregates(q, i.pos)
		i.row(given(q.targets))
	case q.atMost == 0:
		i.nothing()
	case len(q.from) == 0 && q.where == nil:
		i.row(given(q.targets))
	case len(q.from) == 0:
		b.emit(&ir.If{At: at(i.pos), Cond: q.where, Then: b.collect(func() { i.row(given(q.targets)) }), Else: b.collect(i.nothing)})
	case q.atMost == 1 || b.singleRow(q.ir()) && q.limit == nil:
		found := b.local("was_found", schema.TBool)
		b.lockFirst(q, i.pos, false)
		s := &ir.Select{At: at(i.pos), Query: q.ir(), Order: q.order, Locks: q.locks, Found: found}
		cols := i.intoLocals(q, &s.Into, &s.Cols)
		b.atLeastOne(s)
		b.emit(s)
		b.emit(&ir.If{At: at(i.pos), Cond: ir.V(found), Then: b.collect(func() { i.row(given(cols)) }), Else: b.collect(i.nothing)})
	default:
		i.many = true
		i.apartFromParents()
		i.start()
		i.foreach(q, given)
	}
}

// untyped gives the parameters and literals that are whole columns of q, the
// query of an INSERT, by their places. PostgreSQL gives them the types of the
// columns that they go to, as in VALUES, where a query elsewhere makes them text.
func (i *inserter) untyped(sel *pg.SelectStmt, q *query) map[int]val {
	out := map[int]val{}
	if len(sel.TargetList) != len(q.targets) { // a star or a row stands for several
		return out
	}
	for k, n := range sel.TargetList {
		value := pg.Inner(n).(*pg.ResTarget).Val
		switch pg.Inner(value).(type) {
		case *pg.ParamRef, *pg.A_Const:
			out[k] = i.x.expr(value)
		}
	}
	return out
}

// intoLocals reads the columns of q into new locals.
func (i *inserter) intoLocals(q *query, into *[]string, exprs *[]ir.Expr) []colDef {
	var out []colDef
	for _, c := range q.targets {
		if rowFree(c.e, map[string]bool{}) && !ir.HasExists(c.e) {
			out = append(out, c)
			continue
		}
		t := c.t
		if t.Name == schema.NUnknown {
			t = schema.TText
		}
		local := i.b.local(c.name, t)
		*into, *exprs = append(*into, local), append(*exprs, c.e)
		out = append(out, colDef{name: c.name, e: ir.V(local), t: t, nn: c.nn})
	}
	return out
}

// foreach inserts a row for each row of the tables of q.
func (i *inserter) foreach(q *query, given func([]colDef) []assignment) {
	b := i.b
	if q.limit != nil {
		b.looseInner(q)
	}
	b.fetchAll(q)
	i.onceForAll(q)
	loop := &ir.Foreach{At: at(i.pos), Query: q.ir(), Order: q.order, Locks: q.locks}
	cols := i.intoLocals(q, &loop.Into, &loop.Cols)
	if len(loop.Into) == 0 {
		loop.Into, loop.Cols = []string{b.local("hit", schema.TBool)}, []ir.Expr{ir.C(ir.Bool(true))}
	}
	var n string
	var lock []ir.Stmt
	if q.limit != nil {
		lock = b.lockInRound(loop)
		n = b.local("n", schema.TInt)
		b.emit(&ir.Assign{At: at(i.pos), Var: n, Expr: ir.C(ir.Int(0))})
	}
	loop.Body = b.collect(func() {
		if n != "" {
			b.emit(&ir.If{At: at(i.pos), Cond: ir.Op(ir.Ge, ir.V(n), q.limit), Then: []ir.Stmt{&ir.Break{At: at(i.pos)}}})
			b.emit(&ir.Assign{At: at(i.pos), Var: n, Expr: ir.Op(ir.Add, ir.V(n), ir.C(ir.Int(1)))})
		}
		b.out = append(b.out, lock...)
		i.row(given(cols))
	})
	b.emit(loop)
}

// onceForAll is once for the rows of a query, if each of them is inserted or updated.
func (i *inserter) onceForAll(q *query) {
	c := i.s.OnConflictClause
	if c == nil || c.Action != pg.ConflictUpdate || c.WhereClause != nil || q.limit != nil || len(q.loops) > 0 && q.whole == nil {
		return
	}
	for _, n := range c.TargetList {
		if name := pg.Inner(n).(*pg.ResTarget).Name; slices.Contains(i.conflictTarget(c), i.tab.IR.Column(name)) {
			i.b.unmodelled("ON CONFLICT DO UPDATE of several rows that changes the columns in conflict")
		}
	}
	var keys []int // among the columns of q
	for _, k := range i.conflictTarget(c) {
		name := i.tab.IR.Columns[k].Name
		at := slices.IndexFunc(i.cols, func(c *schema.Column) bool { return c.Name == name })
		if at < 0 || at >= len(q.targets) {
			return // a default
		}
		keys = append(keys, at)
	}
	twice := ir.Expr(nil)
	if q.whole != nil {
		twice = q.whole.repeats(keys)
	} else {
		twice = q.repeats(keys)
	}
	i.b.require(i.pos, ir.NotE(twice), cardinality)
}

// repeats says that two rows of the tables of a query agree in some columns.
func (q *query) repeats(cols []int) ir.Expr {
	twin := func(e ir.Expr) ir.Expr { return e }
	var sources []ir.Source
	var same ir.Expr
	for _, s := range q.from {
		t := ir.Source{Table: s.Table, Row: q.in.rowName(s.Row + "_again")}
		before := twin
		twin = func(e ir.Expr) ir.Expr { return renameRow(before(e), s.Row, t.Row) }
		sources = append(sources, s, t)
		for _, k := range s.Table.Key {
			name := s.Table.Columns[k].Name
			same = ir.AndE(same, ir.Op(ir.Eq, &ir.Col{Row: s.Row, Col: name}, &ir.Col{Row: t.Row, Col: name}))
		}
	}
	where := ir.NotE(same)
	if q.where != nil {
		where = ir.AndE(q.where, twin(q.where), where)
	}
	for _, c := range cols {
		where = ir.AndE(where, ir.Op(ir.Eq, q.targets[c].e, twin(q.targets[c].e)))
	}
	return &ir.Exists{Query: ir.Query{From: sources, Where: where}}
}

// row inserts one row with the given columns; the others get their defaults.
func (i *inserter) row(given []assignment) {
	b, tab := i.b, i.tab
	if i.many {
		b.oneByOne(tab)
	}
	values := map[string]val{}
	for _, a := range given {
		values[a.column] = a.v
	}
	row := &rowSource{alias: tab.Name, table: tab}
	for _, c := range tab.Columns {
		v, ok := values[c.Name]
		if !ok && c.Generated == nil {
			v = i.x.defaultOf(c, i.pos)
		}
		if v.e == nil {
			v.e = ir.C(ir.Null)
		}
		row.cols = append(row.cols, colDef{name: c.Name, e: v.e, t: c.T, nn: v.nn})
	}
	list := tab.Firing(schema.OnInsert, true, true, nil)
	if len(list) == 0 {
		i.put(row)
		return
	}
	r := &rowTrigger{op: "INSERT", new: b.record("new", tab, row, i.pos)}
	b.before(tab, list, r, i.pos, i.many, func() {
		src := r.new.source(tab)
		src.alias = tab.Name
		i.put(src)
	}, i.nothing)
}

// asNow gives the values of a row that read tables locals, since they are looked at
// again when the row is in.
func (i *inserter) asNow(row *rowSource) *rowSource {
	if !i.ret() && len(i.tab.Firing(schema.OnInsert, false, true, nil)) == 0 {
		return row
	}
	out := *row
	out.cols = slices.Clone(row.cols)
	for k, c := range out.cols {
		if ir.HasExists(c.e) {
			local := i.b.local(c.name, c.t)
			i.b.assign(i.pos, local, c.e)
			out.cols[k].e = ir.V(local)
		}
	}
	return &out
}

// put inserts a row as BEFORE triggers leave it.
func (i *inserter) put(row *rowSource) {
	b, tab := i.b, i.tab
	row = i.asNow(row)
	gen := b.generated(tab, row)
	row = withValues(row, gen)
	b.unplaced(i.pos, tab, row)
	stmt := &ir.Insert{At: at(i.pos), Table: tab.IR}
	for _, c := range row.cols {
		if k, isConst := c.e.(*ir.Const); isConst && k.Value.IsNull() && !tab.IR.IsKey(tab.IR.Column(c.name)) {
			continue
		}
		stmt.Cols = append(stmt.Cols, tab.IR.Column(c.name))
		stmt.Values = append(stmt.Values, c.e)
	}
	for _, a := range gen {
		if tab.Column(a.column) == nil { // what an index is over
			stmt.Cols, stmt.Values = append(stmt.Cols, tab.IR.Column(a.column)), append(stmt.Values, a.v.e)
		}
	}
	if i.s.OnConflictClause != nil {
		i.onConflict(stmt, row)
		return
	}
	b.checkFirst(i.pos, row, stmt)
	if list := tab.Firing(schema.OnInsert, false, true, nil); slices.ContainsFunc(list, func(g *schema.Trigger) bool { return b.runsBefore(tab, g, i.many) }) {
		b.stableAfter(tab, schema.OnInsert, nil, &rowTrigger{op: "INSERT", new: b.record("new", tab, row, i.pos)}, i.pos, i.many)
	}
	b.emit(stmt)
	switch {
	case i.many && i.f.rowcount != "", i.many && i.f.found != "":
		b.countOne(i.f, i.pos)
	default:
		b.setFound(i.f, i.pos, ir.C(ir.Bool(true)), nil)
	}
	if i.ret() {
		i.returning(row, nil, nil)
	}
	i.after(row)
}

// after runs the AFTER triggers of a row.
func (i *inserter) after(row *rowSource) {
	list := i.tab.Firing(schema.OnInsert, false, true, nil)
	if len(list) == 0 {
		return
	}
	r := &rowTrigger{op: "INSERT", new: i.b.record("new", i.tab, row, i.pos)}
	i.b.after(i.tab, list, r, i.pos, i.many)
}

// returned translates RETURNING over a row; excluded columns are those of the
// proposed row.
func (i *inserter) returned(row, proposed *rowSource) []colDef {
	y := *i.x
	named := *row
	named.alias = syntax.AliasOf(i.s.Relation)
	y.levels = append(append([]*level{}, y.levels...), &level{sources: []*rowSource{&named}})
	q := &query{in: &y, level: y.levels[len(y.levels)-1], atMost: -1}
	if len(i.s.ReturningClause.Options) > 0 {
		i.b.unmodelled("RETURNING WITH")
	}
	for k, n := range i.s.ReturningClause.Exprs {
		if cols, known := i.early[k]; known {
			q.targets = append(q.targets, i.filled(cols, row)...)
			continue
		}
		q.addTarget(pg.Inner(n).(*pg.ResTarget))
	}
	for k, c := range q.targets {
		q.targets[k].e = ir.MapExpr(c.e, func(e ir.Expr) ir.Expr {
			if col, ok := e.(*ir.Col); ok && col.Row == ir.Excluded {
				return proposed.col(col.Col).e
			}
			return e
		})
	}
	return q.targets
}

// returning gives the values of RETURNING for an inserted row. done, if not
// nil, says whether a row was inserted or updated; before is what was read of
// the row in conflict.
func (i *inserter) returning(row *rowSource, done ir.Expr, before *conflictRow) {
	b := i.b
	cols := i.returned(row, row)
	if before != nil {
		for k := range cols {
			cols[k].e = &ir.Cond{If: ir.V(before.found), Then: before.cols[k].e, Else: cols[k].e}
		}
	}
	if i.to.kind == intoRows && i.many {
		b.unmodelled("RETURNING of an INSERT of several rows")
	}
	give := func() {
		if i.to.kind == intoRows {
			e := &ir.Call{Name: ir.RowsAgg, Args: []ir.Expr{i.to.rows.take(i.x, cols)}, Type: ir.ArrayType(ir.KindOpaque)}
			b.emit(&ir.Assign{At: at(i.pos), Var: i.to.rows.local, Expr: e})
			return
		}
		if i.to.kind == intoLocals {
			list, rest := i.to.dests(cols)
			b.assignAll(i.x, i.pos, list, cols)
			b.setNull(i.pos, rest)
			return
		}
		if i.f.result == nil {
			b.emitRow(i.pos, cols)
		}
	}
	if done == nil {
		give()
		return
	}
	b.emit(&ir.If{At: at(i.pos), Cond: done, Then: b.collect(give), Else: b.collect(func() { i.noRow(cols) })})
}

// nothing is what follows where no row comes to be inserted.
func (i *inserter) nothing() {
	if i.many {
		return
	}
	i.b.setFound(i.f, i.pos, ir.C(ir.Bool(false)), nil)
	if !i.ret() {
		return
	}
	row := tableSource(i.tab, i.tab.Name, "")
	for k := range row.cols {
		row.cols[k].e = ir.C(ir.Null)
	}
	var cols []colDef
	i.b.collect(func() { // for their types; they are not computed
		if cols = i.returned(row, row); i.to.kind == intoRows {
			i.to.rows.take(i.x, cols)
		}
	})
	i.noRow(cols)
}

// noRow is what becomes of the values of RETURNING where there is no row.
func (i *inserter) noRow(cols []colDef) {
	switch i.to.kind {
	case intoRows:
		i.b.emit(&ir.Assign{At: at(i.pos), Var: i.to.rows.local, Expr: &ir.Call{Name: ir.RowsAgg, Type: ir.ArrayType(ir.KindOpaque)}})
	case intoLocals:
		list, rest := i.to.dests(cols)
		i.b.setNull(i.pos, append(list, rest...))
		i.b.strict(i.to, i.pos, ir.C(ir.Bool(false)))
	}
}
