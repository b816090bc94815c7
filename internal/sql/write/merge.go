package write

import (
	"slices"
	"strconv"

	"github.com/txrobust/robust/internal/failure"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// merger is the translation of one MERGE: first the rows that match are
// written, then the others are inserted. Which rows match is seen before the
// first write.
type merger struct {
	b   *Writer
	f   *expr.Frame
	x   *query.Place
	s   *pg.MergeStmt
	pos ir.Pos
	row *expr.RowSource // of the table that is written
	// q has the source: tables, or the values of a single row. own are the
	// conditions on the source alone, on those that make rows match.
	q       *query.Query
	own, on ir.Expr
	// actions are those for rows that match and for others.
	matched, others []*mergeAction
}

// mergeAction is a WHEN clause.
type mergeAction struct {
	op int32 // an event, or 0 for DO NOTHING
	// when is the clause's condition, and that no clause before it applies.
	when  ir.Expr
	set   []assignment // of an UPDATE
	given []assignment // of an INSERT
}

// MergeStmt translates MERGE.
func (b *Writer) MergeStmt(f *expr.Frame, t *syntax.Text, s *pg.MergeStmt, pos ir.Pos) {
	b.Apart(s, nil)
	x := b.Ex(f, t)
	x.WithWrites(s.WithClause, s)
	if x.Parts != nil && len(x.Parts.Wrote)+len(x.Parts.Rivals) > 0 {
		b.Unmodelled("MERGE with a WITH query that writes what it looks at")
	}
	if s.ReturningClause != nil {
		b.Unmodelled("RETURNING of MERGE")
	}
	g := *f
	g.Found, g.Rowcount = "", ""
	m := &merger{b: b, f: &g, x: x, s: s, pos: pos}
	y, row := x.Target(s.Relation)
	b.looksAhead(row.Table, schema.ChangesRows, schema.OnInsert|schema.OnUpdate|schema.OnDelete, true,
		partsOf(s.WithClause, s.JoinCondition, []*pg.Node{s.SourceRelation}, s.MergeWhenClauses)...)
	m.row = row
	m.source(y)
	for _, c := range syntax.Conjuncts(s.JoinCondition) {
		m.on = ir.AndE(m.on, y.Boolean(c, expr.Truth))
	}
	m.clauses(y)
	m.check()
	found, count := m.effects(f)
	var unmatched ir.Expr
	if len(m.others) > 0 {
		unmatched = ir.NotE(&ir.Exists{Query: ir.Query{From: []ir.Source{row.IRSource()}, Where: m.on}})
		if m.single() {
			local := b.Local("unmatched", schema.TBool)
			b.Emit(&ir.Assign{At: expr.At(pos), Var: local, Expr: unmatched})
			unmatched = ir.V(local)
		}
	}
	m.writeMatched()
	m.insertOthers(unmatched)
	for _, a := range slices.Concat(m.matched, m.others) {
		if a.op != 0 {
			b.aftermath(pos, row.Table, a.op, a.set)
		}
	}
	if f.Found != "" {
		b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Found, Expr: found})
	}
	if f.Rowcount != "" {
		b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: f.Rowcount, Expr: count})
	}
}

// single reports whether the source is one row of values.
func (m *merger) single() bool { return len(m.q.From) == 0 }

// source brings the source into scope, beside the table that is written.
func (m *merger) source(y *query.Place) {
	m.q = query.NewQuery(y)
	if r, ok := pg.Inner(m.s.SourceRelation).(*pg.RangeSubselect); ok && r.Alias != nil {
		if sel, ok := pg.Inner(r.Subquery).(*pg.SelectStmt); ok {
			if cols := m.oneRow(sel); cols != nil {
				m.q.Name(&expr.RowSource{Alias: r.Alias.Aliasname, Cols: cols}, r.Alias, y.At(m.s.SourceRelation))
				return
			}
		}
	}
	m.own = ir.AndE(m.q.Items([]*pg.Node{m.s.SourceRelation}).Conds...)
	m.q.TakeLocks(&pg.SelectStmt{}, ir.NoLock)
	query.LooseInner(m.b.Draft, m.q)
	if len(m.q.Loops) > 0 || m.q.Writer {
		m.b.Unmodelled("a function in USING of MERGE")
	}
}

// oneRow gives the columns of a query that is one row of expressions.
func (m *merger) oneRow(s *pg.SelectStmt) []expr.Column {
	var out []expr.Column
	add := func(name string, v expr.Val) {
		v = m.x.DefaultType(v)
		if !failure.MayFail(v.Expr) {
			out = append(out, expr.Column{Name: name, Expr: m.x.Shared(v.Expr, v.Type), Type: v.Type, NotNull: v.NotNull})
			return
		}
		local := m.b.Local(name, v.Type)
		m.b.Assign(m.pos, local, v.Expr)
		out = append(out, expr.Column{Name: name, Expr: ir.V(local), Type: v.Type, NotNull: v.NotNull})
	}
	switch {
	case len(s.ValuesLists) == 1 && s.WithClause == nil && s.LimitCount == nil && s.LimitOffset == nil:
		for i, n := range m.x.Expanded(pg.Inner(s.ValuesLists[0]).(*pg.List).Items) {
			add("column"+strconv.Itoa(i+1), m.x.One(n))
		}
	case syntax.PlainExpression(s) && s.LimitOffset == nil:
		for _, n := range s.TargetList {
			r := pg.Inner(n).(*pg.ResTarget)
			if c, ok := pg.Inner(r.Val).(*pg.ColumnRef); ok && syntax.IsStar(c.Fields[len(c.Fields)-1]) {
				m.b.Unmodelled("* in USING of MERGE")
			}
			add(syntax.TargetName(r), m.x.One(r.Val))
		}
	}
	return out
}

// clauses translates the WHEN clauses, of which the first that applies counts.
func (m *merger) clauses(y *query.Place) {
	both := y.Copy()
	both.Conditional = true
	src := both.Copy()
	src.Levels = []*expr.Level{{Sources: y.Levels[len(y.Levels)-1].Sources[1:]}}
	src.PerRow = !m.single()
	passed := map[bool]ir.Expr{}
	for _, n := range m.s.MergeWhenClauses {
		c := pg.Inner(n).(*pg.MergeWhen)
		matched := c.MatchKind == pg.MergeMatched
		if !matched && c.MatchKind != pg.MergeNotMatched {
			m.b.Unmodelled("WHEN NOT MATCHED BY SOURCE")
		}
		z := src
		if matched {
			z = both
		}
		a := &mergeAction{when: passed[matched]}
		if c.Condition != nil {
			var cond ir.Expr
			for _, k := range syntax.Conjuncts(c.Condition) {
				cond = ir.AndE(cond, z.Boolean(k, expr.Truth))
			}
			a.when = ir.AndE(a.when, cond)
			passed[matched] = ir.AndE(passed[matched], ir.NotE(ir.Op(ir.Is, cond, ir.C(ir.Bool(true)))))
		} else {
			passed[matched] = ir.C(ir.Bool(false))
		}
		switch c.CommandType {
		case pg.CommandUpdate:
			a.op = schema.OnUpdate
			a.set = m.b.setList(z, m.row, c.TargetList)
			a.set = append(a.set, m.b.regenerated(m.row, a.set)...)
		case pg.CommandDelete:
			a.op = schema.OnDelete
		case pg.CommandInsert:
			a.op = schema.OnInsert
			a.given = m.given(z, c)
		}
		switch {
		case a.op == 0:
		case matched:
			m.matched = append(m.matched, a)
		default:
			m.others = append(m.others, a)
		}
	}
}

// inserter gives the translator of an INSERT.
func (m *merger) inserter(c *pg.MergeWhen) *inserter {
	s := &pg.InsertStmt{Relation: m.s.Relation}
	if c != nil {
		s.Cols = c.TargetList
	}
	return &inserter{b: m.b, f: m.f, x: m.x, s: s, tab: m.row.Table, pos: m.pos, many: !m.single()}
}

// given gives the values of an INSERT.
func (m *merger) given(z *query.Place, c *pg.MergeWhen) []assignment {
	i := m.inserter(c)
	i.resolve()
	i.apartFromParents()
	if len(c.Values) == 0 { // DEFAULT VALUES
		return nil
	}
	i.checkCount(len(c.Values), c.Values)
	var out []assignment
	for k, n := range c.Values {
		col := i.cols[k]
		if _, isDefault := pg.Inner(n).(*pg.SetToDefault); isDefault {
			continue
		}
		v := z.Expr(n)
		out = append(out, assignment{column: col.Name, v: z.ForColumn(col, v, n, z.At(n))})
		i.refuseGenerated(col, n)
	}
	return out
}

// check refuses what the order of the writes here, or what follows them, would
// not be exact for.
func (m *merger) check() {
	b, t := m.b, m.row.Table
	exprs := []ir.Expr{m.on}
	deletes, sets := false, map[string]bool{}
	for _, a := range slices.Concat(m.matched, m.others) {
		exprs = append(exprs, a.when)
		for _, v := range slices.Concat(a.set, a.given) {
			exprs = append(exprs, v.v.Expr)
		}
		for _, c := range a.set {
			sets[c.column] = true
		}
		deletes = deletes || a.op == schema.OnDelete
		for _, row := range []bool{false, true} {
			if len(t.Firing(a.op, true, row, columnsOf(a.set)))+len(t.Firing(a.op, false, row, columnsOf(a.set))) > 0 {
				b.Unmodelled("MERGE into a table with triggers")
			}
		}
		if a.op == schema.OnUpdate {
			b.refuseTriggersOfGenerated(t)
			b.irSets(m.row, a.set)
		}
	}
	for _, e := range exprs {
		ir.WalkExpr(e, func(e ir.Expr) {
			if q, ok := e.(*ir.Exists); ok {
				reads := func(s ir.Source) bool { return s.Table == t.IR }
				if !m.single() || slices.ContainsFunc(q.Query.From, reads) {
					b.Unmodelled("a subquery in MERGE that depends on the row")
				}
			}
		})
	}
	for _, c := range b.App.KeysTo(t) {
		switch {
		case deletes && c.OnDelete.Changes():
			b.Unmodelled("ON DELETE %s of foreign key %s, in MERGE", actionWord(c.OnDelete), c.Name)
		case slices.ContainsFunc(b.App.RefColumns(c), func(name string) bool { return sets[name] }):
			b.Unmodelled("a MERGE of what foreign key %s refers to", c.Name)
		}
	}
	if k := t.SelfKey(); k != nil && !m.single() {
		b.Unmodelled("a MERGE into a table with a foreign key to itself (%s)", k.Name)
	}
	if m.single() || len(m.matched) == 0 || len(m.others) == 0 {
		return
	}
	if slices.ContainsFunc(m.q.From, func(s ir.Source) bool { return s.Table == t.IR }) {
		b.Unmodelled("a MERGE of a table with itself that writes some rows and inserts others")
	}
	if deletes {
		b.Unmodelled("a MERGE that deletes some rows and inserts others")
	}
	ir.WalkExpr(m.on, func(e ir.Expr) {
		if c, ok := e.(*ir.Col); ok && c.Row == m.row.Row && sets[c.Col] {
			b.Unmodelled("a MERGE that changes %s, which says what matches", c.Col)
		}
	})
	for _, x := range t.IR.Exclusions {
		for _, c := range ir.ExclusionColumns(&x, t.IR) {
			if sets[t.IR.Columns[c].Name] {
				b.Unmodelled("a MERGE that updates some rows in column %s of an EXCLUDE constraint and inserts others", t.IR.Columns[c].Name)
			}
		}
	}
	for _, u := range t.IR.Uniques {
		for _, c := range u.Columns {
			if sets[t.IR.Columns[c].Name] {
				b.Unmodelled("a MERGE that updates some rows in the unique column %s and inserts others", t.IR.Columns[c].Name)
			}
		}
	}
}

// pairs gives the pairs of a row that is written and one of the source for which
// cond holds.
func (m *merger) pairs(cond ir.Expr) ir.Query {
	return ir.Query{From: append([]ir.Source{m.row.IRSource()}, m.q.From...), Where: ir.AndE(m.own, m.on, cond)}
}

// rest gives the rows of the source that match none.
func (m *merger) rest(unmatched, cond ir.Expr) ir.Query {
	return ir.Query{From: m.q.From, Where: ir.AndE(m.own, unmatched, cond)}
}

// effects computes whether there are rows that are written, and how many.
func (m *merger) effects(f *expr.Frame) (found, count ir.Expr) {
	b := m.b
	found, count = ir.C(ir.Bool(false)), ir.C(ir.Int(0))
	if f.Found == "" && f.Rowcount == "" {
		return found, count
	}
	none := ir.NotE(&ir.Exists{Query: ir.Query{From: []ir.Source{m.row.IRSource()}, Where: m.on}})
	add := func(q ir.Query) {
		if len(q.From) == 0 {
			hit := ir.Op(ir.Is, orTrue(q.Where), ir.C(ir.Bool(true)))
			found = ir.OrE(found, hit)
			count = ir.Op(ir.Add, count, &ir.Cond{If: hit, Then: ir.C(ir.Int(1)), Else: ir.C(ir.Int(0))})
			return
		}
		found = ir.OrE(found, &ir.Exists{Query: q})
		if f.Rowcount != "" {
			n := b.Local("count", schema.TInt)
			b.EmitWeak(&ir.Select{At: expr.At(m.pos), Into: []string{n}, Aggs: []ir.Agg{{Fn: "count", Type: ir.IntType}}, Query: q})
			count = ir.Op(ir.Add, count, ir.V(n))
		}
	}
	for _, a := range m.matched {
		add(m.pairs(a.when))
	}
	for _, a := range m.others {
		add(m.rest(none, a.when))
	}
	any, n := b.Local("was_found", schema.TBool), b.Local("count", schema.TInt)
	b.EmitWeak(&ir.Assign{At: expr.At(m.pos), Var: any, Expr: found})
	b.EmitWeak(&ir.Assign{At: expr.At(m.pos), Var: n, Expr: count})
	return ir.V(any), ir.V(n)
}

// writeMatched updates and deletes the rows that match.
func (m *merger) writeMatched() {
	if len(m.matched) == 0 {
		return
	}
	m.once()
	b, row := m.b, m.row
	if len(m.matched) == 1 {
		a := m.matched[0]
		w := &writeQuery{in: m.q.Place, other: m.q.From, where: ir.AndE(m.own, m.on, a.when)}
		b.write(m.f, w, row, row, nil, m.pos, expr.Sink{}, func(where ir.Expr, keep func(ir.Expr) ir.Expr) { m.change(a, where, keep) })
		return
	}
	// Which action a row gets is seen first.
	var into []string
	var cols []ir.Expr
	keep := func(base string, e ir.Expr, t ir.Type) ir.Expr {
		if expr.RowFree(e, map[string]bool{}) && !ir.HasExists(e) {
			return e
		}
		local := b.IRLocal(base, t)
		into, cols = append(into, local), append(cols, e)
		return ir.V(local)
	}
	var key ir.Expr
	for _, k := range row.Table.IR.Key {
		c := row.Table.IR.Columns[k]
		col := &ir.Col{Row: row.Row, Col: c.Name}
		key = ir.AndE(key, ir.Op(ir.Eq, col, keep(c.Name, col, c.Type)))
	}
	var list []ir.Stmt
	for i := len(m.matched) - 1; i >= 0; i-- {
		a := *m.matched[i]
		when := keep("applies", ir.Op(ir.Is, orTrue(a.when), ir.C(ir.Bool(true))), ir.BoolType)
		a.set = slices.Clone(a.set)
		for k, s := range a.set {
			if failure.MayFail(s.v.Expr) {
				b.Unmodelled("what may fail in one of several actions of MERGE")
			}
			if !row.Table.IR.IsKey(row.Table.IR.Column(s.column)) {
				a.set[k].v.Expr = keep("new", s.v.Expr, row.Table.IR.Columns[row.Table.IR.Column(s.column)].Type)
			}
		}
		then := b.Collect(func() { m.change(&a, key, func(e ir.Expr) ir.Expr { return e }) })
		list = []ir.Stmt{&ir.If{At: expr.At(m.pos), Cond: when, Then: then, Else: list}}
	}
	q := m.pairs(anyApplies(m.matched))
	if m.single() && b.SingleRow(q) {
		found := b.Local("was_found", schema.TBool)
		b.Emit(&ir.Select{At: expr.At(m.pos), Into: into, Cols: cols, Query: q, Found: found})
		b.Emit(&ir.If{At: expr.At(m.pos), Cond: ir.V(found), Then: list})
		return
	}
	b.Emit(&ir.Foreach{At: expr.At(m.pos), Into: into, Cols: cols, Query: q, Body: list})
}

// anyApplies says that some action applies; nil if one always does.
func anyApplies(list []*mergeAction) ir.Expr {
	var out ir.Expr
	for _, a := range list {
		if a.when == nil {
			return nil
		}
		out = ir.OrE(out, a.when)
	}
	return out
}

func orTrue(e ir.Expr) ir.Expr {
	if e == nil {
		return ir.C(ir.Bool(true))
	}
	return e
}

// change writes the rows of the table for which where holds.
func (m *merger) change(a *mergeAction, where ir.Expr, keep func(ir.Expr) ir.Expr) {
	t := m.row.Table.IR
	if a.op == schema.OnDelete {
		m.b.Emit(&ir.Delete{At: expr.At(m.pos), Table: t, Row: m.row.Row, Where: where})
		return
	}
	sets := m.b.irSets(m.row, a.set)
	for i := range sets {
		sets[i].Expr = keep(sets[i].Expr)
	}
	m.b.Emit(&ir.Update{At: expr.At(m.pos), Table: t, Row: m.row.Row, Sets: sets, Where: where})
}

// once says that no row is written twice, which is an error.
func (m *merger) once() {
	t := m.row.Table.IR
	if m.single() {
		return
	}
	if len(m.q.From) > 1 {
		m.b.Unmodelled("a MERGE with several tables in USING")
	}
	src := m.q.From[0]
	fixed := map[int]bool{}
	for _, c := range ir.Conjuncts(ir.AndE(m.own, m.on)) {
		eq, ok := c.(*ir.Binary)
		if !ok || eq.Op != ir.Eq {
			continue
		}
		for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
			if col, ok := side[0].(*ir.Col); ok && col.Row == src.Row && expr.RowFree(side[1], map[string]bool{m.row.Row: true}) {
				fixed[src.Table.Column(col.Col)] = true
			}
		}
	}
	if !slices.ContainsFunc(src.Table.Key, func(k int) bool { return !fixed[k] }) {
		return
	}
	other := ir.Source{Table: src.Table, Row: m.q.Place.RowName(src.Row)}
	var same ir.Expr
	for _, k := range src.Table.Key {
		name := src.Table.Columns[k].Name
		same = ir.AndE(same, ir.Op(ir.Eq, &ir.Col{Row: src.Row, Col: name}, &ir.Col{Row: other.Row, Col: name}))
	}
	one := ir.AndE(m.own, m.on, anyApplies(m.matched))
	twice := ir.Query{From: []ir.Source{{Table: t, Row: m.row.Row}, src, other},
		Where: ir.AndE(one, query.RenameRow(one, src.Row, other.Row), ir.NotE(same))}
	m.b.Require(m.pos, ir.NotE(&ir.Exists{Query: twice}), expr.Cardinality)
}

// insertOthers inserts the rows of the source that match none.
func (m *merger) insertOthers(unmatched ir.Expr) {
	b := m.b
	if len(m.others) == 0 {
		return
	}
	var into []string
	var cols []ir.Expr
	var list []ir.Stmt
	for i := len(m.others) - 1; i >= 0; i-- {
		a := m.others[i]
		when := orTrue(a.when)
		given := slices.Clone(a.given)
		if !m.single() {
			keep := func(base string, e ir.Expr, t ir.Type) ir.Expr {
				if expr.RowFree(e, map[string]bool{}) && !ir.HasExists(e) {
					return e
				}
				if len(m.others) > 1 && failure.MayFail(e) {
					b.Unmodelled("what may fail in one of several actions of MERGE")
				}
				local := b.IRLocal(base, t)
				into, cols = append(into, local), append(cols, e)
				return ir.V(local)
			}
			for k, g := range given {
				given[k].v.Expr = keep(g.column, g.v.Expr, expr.LocalType(g.v.Type))
			}
			if len(m.others) > 1 {
				when = keep("applies", ir.Op(ir.Is, when, ir.C(ir.Bool(true))), ir.BoolType)
			}
		}
		then := b.Collect(func() { m.inserter(nil).row(given) })
		if len(m.others) == 1 && (!m.single() || a.when == nil) {
			list = then
			continue
		}
		list = []ir.Stmt{&ir.If{At: expr.At(m.pos), Cond: when, Then: then, Else: list}}
	}
	if m.single() {
		b.Emit(&ir.If{At: expr.At(m.pos), Cond: unmatched, Then: list})
		return
	}
	if len(into) == 0 {
		into, cols = []string{b.Local("hit", schema.TBool)}, []ir.Expr{ir.C(ir.Bool(true))}
	}
	b.Emit(&ir.Foreach{At: expr.At(m.pos), Into: into, Cols: cols, Query: m.rest(unmatched, anyApplies(m.others)), Body: list})
}
