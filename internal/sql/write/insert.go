package write

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// InsertStmt translates INSERT.
func (b *Writer) InsertStmt(f *expr.Frame, t *syntax.Text, s *pg.InsertStmt, pos ir.Pos, to expr.Sink) {
	b.withParts(f, t, s.WithClause, s, func(x *query.Place) { b.insertRows(f, x, s, pos, to) })
}

// insertRows translates INSERT behind its WITH queries.
func (b *Writer) insertRows(f *expr.Frame, x *query.Place, s *pg.InsertStmt, pos ir.Pos, to expr.Sink) {
	tab, through := x.InsertTarget(s.Relation)
	if through != nil && s.OnConflictClause != nil {
		b.Unmodelled("ON CONFLICT, with a write of a view")
	}
	b.keepsFound(f, tab)
	events := int32(schema.OnInsert)
	var set []assignment // what ON CONFLICT may set, without the values
	if s.OnConflictClause != nil && s.OnConflictClause.Action == pg.ConflictUpdate {
		events |= schema.OnUpdate
		for _, n := range s.OnConflictClause.TargetList {
			set = append(set, assignment{column: pg.Inner(n).(*pg.ResTarget).Name})
		}
	}
	ins := &inserter{b: b, f: f, x: x, s: s, tab: tab, through: through, pos: pos, to: to, early: map[int][]expr.Column{}, wrote: b.App.ChangedBy(tab, schema.AddsRows)}
	if events&schema.OnUpdate != 0 {
		ins.wrote = b.App.ChangedBy(tab, schema.ChangesRows)
		if ins.replaces(s.OnConflictClause) && len(tab.Triggers) > 0 {
			b.Unmodelled("REPLACE in a table with triggers")
		}
	}
	ins.resolve()
	ins.look(events)
	b.atStatement(tab, schema.OnInsert, "INSERT", true, nil, pos)
	if events&schema.OnUpdate != 0 {
		b.atStatement(tab, schema.OnUpdate, "UPDATE", true, set, pos)
		ins.fires = b.fires(tab, schema.OnUpdate, set) || len(tab.Firing(schema.OnInsert, false, true, nil)) > 0
	}
	sel, _ := pg.Inner(s.SelectStmt).(*pg.SelectStmt)
	switch {
	case sel == nil: // DEFAULT VALUES
		ins.row(nil)
	case len(sel.ValuesLists) > 0:
		ins.valueRows(sel)
	default:
		ins.query(sel)
	}
	ins.finish()
	changed := set
	if slices.ContainsFunc(tab.Columns, func(c *schema.Column) bool { return c.Generated != nil }) {
		changed = nil // these may change, too
	}
	b.aftermath(pos, tab, events, changed)
	if events&schema.OnUpdate != 0 {
		b.atStatement(tab, schema.OnUpdate, "UPDATE", false, set, pos)
	}
	b.atStatement(tab, schema.OnInsert, "INSERT", false, nil, pos)
}

// inserter is the translation of one INSERT.
type inserter struct {
	b    *Writer
	f    *expr.Frame
	x    *query.Place
	s    *pg.InsertStmt
	tab  *schema.Table
	cols []*schema.Column
	// through is the view through which it is written, nil if there is none.
	through *expr.Through
	pos     ir.Pos
	to      expr.Sink
	// many says that several rows are inserted: FOUND and ROW_COUNT add up. inValues
	// says that they are written one by one.
	many, inValues bool
	proposed       []proposal
	// taken are the locals that take the first row of RETURNING where there may be several.
	taken []string
	// inserted is the key that AUTO_INCREMENT gave the first row.
	inserted ir.Expr
	// wrote is what the statement may change; early are the items of RETURNING that are computed before it.
	wrote *schema.Effect
	early map[int][]expr.Column
	// seen is the local that says whether RETURNING has given a row to locals, where several
	// rows are inserted, and columns are those of RETURNING.
	seen string
	// fires says that ON CONFLICT DO UPDATE fires triggers FOR EACH ROW.
	fires   bool
	columns []expr.Column
}

// ret reports whether RETURNING is needed.
func (i *inserter) ret() bool { return i.s.ReturningClause != nil && i.to.Kind != expr.Discard }

// resolve finds the columns of the column list.
func (i *inserter) resolve() {
	if len(i.s.Cols) == 0 && i.through == nil {
		i.cols = i.tab.Columns
		return
	}
	row := expr.TableSource(i.tab, "", "")
	row.Through = i.through
	if len(i.s.Cols) == 0 {
		for _, c := range row.Seen().Cols {
			name := i.through.Column(c.Name)
			if name == "" {
				i.b.Unmodelled("a write of a view with columns that are computed")
			}
			i.cols = append(i.cols, i.tab.Column(name))
		}
	}
	for _, n := range i.s.Cols {
		r := pg.Inner(n).(*pg.ResTarget)
		c := i.b.written(i.x, row, r)
		for _, d := range i.cols {
			if d == c {
				i.x.Fail(r.Location, "column %s is given twice", c.Name)
			}
		}
		if len(r.Indirection) > 0 {
			i.b.Unmodelled("INSERT into an element of a column")
		}
		i.cols = append(i.cols, c)
	}
}

// valueRows is INSERT … VALUES (…), (…).
func (i *inserter) valueRows(sel *pg.SelectStmt) {
	if sel.LimitCount != nil || sel.LimitOffset != nil || len(sel.SortClause) > 0 || sel.WithClause != nil {
		i.b.Unmodelled("VALUES with ORDER BY or LIMIT")
	}
	i.many, i.inValues = len(sel.ValuesLists) > 1, true
	i.apartFromParents()
	// All expressions are evaluated before the first row goes in, as far as
	// they could see it.
	var rows [][]*pg.Node
	for _, row := range sel.ValuesLists {
		items := i.x.Expanded(pg.Inner(row).(*pg.List).Items)
		i.checkCount(len(items), items)
		if len(rows) > 0 && len(items) != len(rows[0]) {
			i.x.Fail(i.x.At(items[0]), "the lists of VALUES must all be as long as the first one")
		}
		rows = append(rows, items)
	}
	before := make([]map[int]assignment, len(rows)) // what does not see the rows before
	for r, items := range rows {
		before[r] = map[int]assignment{}
		for k, n := range items {
			if i.many && !i.b.App.In.MySQL && i.seesBefore(n) { // there a row sees those before it
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
	v := i.x.Expr(n)
	return assignment{column: c.Name, v: i.x.ForColumn(c, v, n, i.x.At(n))}
}

func (i *inserter) refuseGenerated(c *schema.Column, n *pg.Node) {
	if c.Generated != nil {
		i.x.Fail(i.x.At(n), "column %s is generated: it can only be given DEFAULT", c.Name)
	}
}

func (i *inserter) checkCount(n int, items []*pg.Node) {
	if n > len(i.cols) || n < len(i.cols) && len(i.s.Cols) > 0 {
		loc := i.s.Relation.Location
		if len(items) > 0 {
			loc = i.x.At(items[0])
		}
		i.x.Fail(loc, "%d values are given for %d columns of %s", n, len(i.cols), i.tab.Name)
	}
}

// apartFromParents refuses several rows for a table that refers to itself: a
// foreign key is checked when all of them are in.
func (i *inserter) apartFromParents() {
	if k := i.tab.SelfKey(); k != nil && i.many && !i.b.App.In.MySQL { // there each row is checked by itself
		i.b.Unmodelled("an INSERT of several rows into a table with a foreign key to itself (%s)", k.Name)
	}
}

// query is INSERT … SELECT.
func (i *inserter) query(sel *pg.SelectStmt) {
	b, x := i.b, i.x
	if b.sightOf(sel).Now.Meets(i.wrote.Tables) {
		b.Unmodelled("a VOLATILE function %s", hidden)
	}
	want := ir.WantRows
	if i.s.OnConflictClause != nil || len(i.tab.Triggers) > 0 { // what a row meets depends on those before it
		want = ir.WantList
	}
	q := x.AsLoop(sel, want, i.pos, true)
	query.SkipRows(b.Draft, q, i.pos, false)
	i.checkCount(len(q.Targets), nil)
	for k := range q.Targets {
		if c := i.cols[k]; c.Generated != nil {
			i.x.Fail(int32(max(pg.Start(sel), 0)), "column %s is generated: it can only be given DEFAULT", c.Name)
		}
	}
	untyped := i.untyped(sel, q)
	given := func(cols []expr.Column) []assignment {
		var out []assignment
		for k, c := range cols {
			col, v := i.cols[k], c.Val()
			if u, is := untyped[k]; is {
				v = u
			}
			var n *pg.Node
			if len(sel.TargetList) == len(cols) {
				n = pg.TargetValue(sel.TargetList[k])
			}
			out = append(out, assignment{column: col.Name, v: x.ForColumn(col, v, n, i.s.Relation.Location)})
		}
		return out
	}
	switch {
	case len(q.Loops) > 0:
		if q.Limit != nil || len(q.Order) > 0 || len(q.Aggs) > 0 {
			b.Unmodelled("ORDER BY, LIMIT or aggregates over a set-returning function")
		}
		i.many = true
		i.apartFromParents()
		i.start()
		i.onceForAll(q)
		b.Each(q, i.pos, "", "", func() {
			if len(q.From) == 0 {
				i.row(given(q.Targets))
				return
			}
			i.foreach(q, given)
		})
	case len(q.Aggs) > 0 && q.AtMost != 0:
		x.EmitAggregates(q, i.pos)
		i.row(given(q.Targets))
	case q.AtMost == 0:
		i.nothing()
	case len(q.From) == 0 && q.Where == nil:
		i.row(given(q.Targets))
	case len(q.From) == 0:
		b.Emit(&ir.If{At: expr.At(i.pos), Cond: q.Where, Then: b.Collect(func() { i.row(given(q.Targets)) }), Else: b.Collect(i.nothing)})
	case q.AtMost == 1 || b.SingleRow(q.IR()) && q.Limit == nil:
		found := b.Local("was_found", schema.TBool)
		b.LockFirst(q, i.pos, false)
		s := &ir.Select{At: expr.At(i.pos), Query: q.IR(), Order: q.Order, Locks: q.Locks, Found: found}
		cols := i.intoLocals(q, &s.Into, &s.Cols)
		b.AtLeastOne(s)
		b.Emit(s)
		b.Emit(&ir.If{At: expr.At(i.pos), Cond: ir.V(found), Then: b.Collect(func() { i.row(given(cols)) }), Else: b.Collect(i.nothing)})
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
func (i *inserter) untyped(sel *pg.SelectStmt, q *query.Query) map[int]expr.Val {
	out := map[int]expr.Val{}
	if len(sel.TargetList) != len(q.Targets) { // a star or a row stands for several
		return out
	}
	for k, n := range sel.TargetList {
		value := pg.Inner(n).(*pg.ResTarget).Val
		switch pg.Inner(value).(type) {
		case *pg.ParamRef, *pg.A_Const:
			out[k] = i.x.Expr(value)
		}
	}
	return out
}

// IntoLocals reads the columns of q into new locals.
func (i *inserter) intoLocals(q *query.Query, into *[]string, exprs *[]ir.Expr) []expr.Column {
	var out []expr.Column
	for _, c := range q.Targets {
		if expr.RowFree(c.Expr, map[string]bool{}) && !ir.HasExists(c.Expr) {
			out = append(out, c)
			continue
		}
		t := c.Type
		if t.Name == schema.NUnknown {
			t = schema.TText
		}
		local := i.b.Local(c.Name, t)
		*into, *exprs = append(*into, local), append(*exprs, c.Expr)
		out = append(out, expr.Column{Name: c.Name, Expr: ir.V(local), Type: t, NotNull: c.NotNull})
	}
	return out
}

// foreach inserts a row for each row of the tables of q.
func (i *inserter) foreach(q *query.Query, given func([]expr.Column) []assignment) {
	b := i.b
	if q.Limit != nil {
		query.LooseInner(b.Draft, q)
	}
	query.FetchAll(b.Draft, q)
	i.onceForAll(q)
	loop := &ir.Foreach{At: expr.At(i.pos), Query: q.IR(), Order: q.Order, Locks: q.Locks}
	cols := i.intoLocals(q, &loop.Into, &loop.Cols)
	if len(loop.Into) == 0 {
		loop.Into, loop.Cols = []string{b.Local("hit", schema.TBool)}, []ir.Expr{ir.C(ir.Bool(true))}
	}
	var n string
	var lock []ir.Stmt
	if q.Limit != nil {
		lock = b.LockInRound(loop)
		n = b.Local("n", schema.TInt)
		b.Emit(&ir.Assign{At: expr.At(i.pos), Var: n, Expr: ir.C(ir.Int(0))})
	}
	loop.Body = b.Collect(func() {
		if n != "" {
			b.Emit(&ir.If{At: expr.At(i.pos), Cond: ir.Op(ir.Ge, ir.V(n), q.Limit), Then: []ir.Stmt{&ir.Break{At: expr.At(i.pos)}}})
			b.Emit(&ir.Assign{At: expr.At(i.pos), Var: n, Expr: ir.Op(ir.Add, ir.V(n), ir.C(ir.Int(1)))})
		}
		b.Out = append(b.Out, lock...)
		i.row(given(cols))
	})
	b.Emit(loop)
}

// onceForAll is once for the rows of a query, if each of them is inserted or updated.
func (i *inserter) onceForAll(q *query.Query) {
	c := i.s.OnConflictClause
	if c == nil || i.b.App.In.MySQL || c.Action != pg.ConflictUpdate || c.WhereClause != nil || q.Limit != nil || len(q.Loops) > 0 && q.Whole == nil {
		return
	}
	for _, n := range c.TargetList {
		if name := pg.Inner(n).(*pg.ResTarget).Name; slices.Contains(i.conflictTarget(c), i.tab.IR.Column(name)) {
			i.b.Unmodelled("ON CONFLICT DO UPDATE of several rows that changes the columns in conflict")
		}
	}
	var keys []int // among the columns of q
	for _, k := range i.conflictTarget(c) {
		name := i.tab.IR.Columns[k].Name
		at := slices.IndexFunc(i.cols, func(c *schema.Column) bool { return c.Name == name })
		if at < 0 || at >= len(q.Targets) {
			return // a default
		}
		keys = append(keys, at)
	}
	twice := ir.Expr(nil)
	if q.Whole != nil {
		twice = q.Whole.Repeats(keys)
	} else {
		twice = q.Repeats(keys)
	}
	i.b.Require(i.pos, ir.NotE(twice), expr.Cardinality)
}

// row inserts one row with the given columns; the others get their defaults.
func (i *inserter) row(given []assignment) {
	b, tab := i.b, i.tab
	if i.many {
		b.oneByOne(tab)
	}
	values := map[string]expr.Val{}
	for _, a := range given {
		values[a.column] = a.v
	}
	row := &expr.RowSource{Alias: tab.Name, Table: tab}
	for _, c := range tab.Columns {
		v, ok := values[c.Name]
		if !ok && c.Generated == nil {
			v = i.x.DefaultOf(c, i.pos)
		}
		if v.Expr == nil {
			v.Expr = ir.C(ir.Null)
		}
		if b.App.In.MySQL {
			v = i.ofMySQL(c, v, ok)
		}
		row.Cols = append(row.Cols, expr.Column{Name: c.Name, Expr: v.Expr, Type: c.T, NotNull: v.NotNull})
	}
	list := tab.Firing(schema.OnInsert, true, true, nil)
	if len(list) == 0 {
		i.put(row)
		return
	}
	r := &expr.RowTrigger{Op: "INSERT", New: b.record("new", tab, row, i.pos)}
	b.before(tab, list, r, i.pos, i.many, func() {
		src := r.New.Source(tab)
		src.Alias = tab.Name
		i.put(src)
	}, i.nothing)
}

// asNow gives the values of a row that read tables locals, since they are looked at
// again when the row is in.
func (i *inserter) asNow(row *expr.RowSource) *expr.RowSource {
	if !i.ret() && len(i.tab.Firing(schema.OnInsert, false, true, nil)) == 0 {
		return row
	}
	out := *row
	out.Cols = slices.Clone(row.Cols)
	for k, c := range out.Cols {
		if ir.HasExists(c.Expr) {
			local := i.b.Local(c.Name, c.Type)
			i.b.Assign(i.pos, local, c.Expr)
			out.Cols[k].Expr = ir.V(local)
		}
	}
	return &out
}

// put inserts a row as BEFORE triggers leave it.
func (i *inserter) put(row *expr.RowSource) {
	b, tab := i.b, i.tab
	row = i.asNow(row)
	gen := b.generated(tab, row)
	row = withValues(row, gen)
	b.unplaced(i.pos, tab, row)
	stmt := &ir.Insert{At: expr.At(i.pos), Table: tab.IR}
	for _, c := range row.Cols {
		if k, isConst := c.Expr.(*ir.Const); isConst && k.Value.IsNull() && !tab.IR.IsKey(tab.IR.Column(c.Name)) {
			continue
		}
		stmt.Cols = append(stmt.Cols, tab.IR.Column(c.Name))
		stmt.Values = append(stmt.Values, c.Expr)
	}
	for _, a := range gen {
		if tab.Column(a.column) == nil { // what an index is over
			stmt.Cols, stmt.Values = append(stmt.Cols, tab.IR.Column(a.column)), append(stmt.Values, a.v.Expr)
		}
	}
	if i.s.OnConflictClause != nil {
		i.onConflict(stmt, row)
		return
	}
	b.checkFirst(i.pos, row, stmt)
	if list := tab.Firing(schema.OnInsert, false, true, nil); slices.ContainsFunc(list, func(g *schema.Trigger) bool { return b.runsBefore(tab, g, i.many) }) {
		b.stableAfter(tab, schema.OnInsert, nil, &expr.RowTrigger{Op: "INSERT", New: b.record("new", tab, row, i.pos)}, i.pos, i.many)
	}
	i.insert(stmt)
	switch {
	case i.many && i.f.Rowcount != "", i.many && i.f.Found != "":
		b.CountOne(i.f, i.pos)
	default:
		b.SetFound(i.f, i.pos, ir.C(ir.Bool(true)), nil)
	}
	if i.ret() {
		i.returning(row, nil, nil)
	}
	i.after(row)
}

// insert writes an INSERT without ON CONFLICT. Where a handler may catch that a key is taken,
// the row that is in the way of it in the snapshot leads there.
func (i *inserter) insert(stmt *ir.Insert) {
	b := i.b
	unseen := slices.ContainsFunc(i.tab.Unseen, func(k *schema.Unseen) bool { return k.Key })
	if !b.Moment || !b.Caught(takenKey) || unseen || len(i.tab.Exclusions) > 0 || i.tab.MatchFull() != nil {
		b.Emit(stmt)
		return
	}
	stmt.Conflict, stmt.Done = &ir.Conflict{Row: i.x.RowName(i.tab.Name)}, b.Local("was_done", schema.TBool)
	b.Emit(stmt)
	if b.Tried == nil {
		b.Tried = map[ir.Stmt]bool{}
	}
	b.Tried[stmt] = true
	b.Require(i.pos, ir.V(stmt.Done), takenKey)
}

// takenKey is the SQLSTATE of a unique_violation.
const takenKey = "23505"

// after runs the AFTER triggers of a row.
func (i *inserter) after(row *expr.RowSource) {
	list := i.tab.Firing(schema.OnInsert, false, true, nil)
	if len(list) == 0 {
		return
	}
	r := &expr.RowTrigger{Op: "INSERT", New: i.b.record("new", i.tab, row, i.pos)}
	i.b.after(i.tab, list, r, i.pos, i.many)
}

// nothing is what follows where no row comes to be inserted.
func (i *inserter) nothing() {
	if i.many {
		return
	}
	i.b.SetFound(i.f, i.pos, ir.C(ir.Bool(false)), nil)
	if !i.ret() {
		return
	}
	row := expr.TableSource(i.tab, i.tab.Name, "")
	for k := range row.Cols {
		row.Cols[k].Expr = ir.C(ir.Null)
	}
	var cols []expr.Column
	i.b.Collect(func() { // for their types; they are not computed
		if cols = i.returned(row, row); i.to.Kind == expr.IntoRows {
			i.to.Rows.Take(&i.x.Spot, cols)
		}
	})
	i.noRow(cols)
}
