package write

import (
	"math"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
)

// onConflict finishes an insertion with ON CONFLICT.
func (i *inserter) onConflict(stmt *ir.Insert, row *expr.RowSource) {
	b, c := i.b, i.s.OnConflictClause
	if k := i.tab.MatchFull(); k != nil { // of a row that is inserted, and of no other
		b.Unmodelled("ON CONFLICT, with MATCH FULL of foreign key %s", k.Name)
	}
	for _, g := range i.tab.Firing(schema.OnInsert, false, true, nil) {
		if b.runsBefore(i.tab, g, i.many) {
			b.Unmodelled("ON CONFLICT, with trigger %s, %s", g.Name, hidden)
		}
	}
	if i.fires {
		i.upsertByRow(stmt, row)
		return
	}
	y, existing := i.x.Target(i.s.Relation)
	conf := &ir.Conflict{Target: i.conflictTarget(c), Row: existing.Row}
	stmt.Conflict = conf
	if i.ignores() {
		i.ignoring(row)
	} else if c.Action != pg.ConflictUpdate && i.b.App.In.MySQL && len(i.tab.IR.ForeignKeys) > 0 && len(i.tab.IR.Uniques) > 0 {
		b.Unmodelled("which of a unique key and a foreign key an INSERT is refused by first")
	}
	if c.Action == pg.ConflictUpdate {
		if conf.Target == nil {
			i.x.Fail(c.Location, "ON CONFLICT DO UPDATE needs the columns of a key")
		}
		b.refuseTriggersOfGenerated(i.tab)
		y.Levels[len(y.Levels)-1].Sources = append(y.Levels[len(y.Levels)-1].Sources, excludedRow(i.tab))
		list := i.replacement(c, row)
		if list == nil {
			list = b.sets(y, existing, c.TargetList)
		}
		keepTarget(existing, conf.Target, list)
		conf.Lock = updateLock(i.tab.IR, list)
		conf.Sets = b.irSets(existing, list)
		if c.WhereClause != nil {
			conf.Where = y.Boolean(c.WhereClause, expr.Truth)
		}
	}
	fires := c.Action != pg.ConflictUpdate && len(i.tab.Firing(schema.OnInsert, false, true, nil)) > 0
	again := c.Action == pg.ConflictUpdate && i.inValues && i.many
	need := i.f.Found != "" || i.f.Rowcount != "" || i.ret() || fires || again && conf.Where != nil
	done := ""
	var read *conflictRow
	update := i.ret() && c.Action == pg.ConflictUpdate
	if need {
		done = b.Local("was_done", schema.TBool)
		if i.f.Found != "" && !i.many && !i.ret() {
			done = i.f.Found
		}
		stmt.Done = done
		b.Weak[stmt] = true
	}
	if again && !b.App.In.MySQL {
		i.once(conf, row, done)
	}
	b.Emit(stmt)
	if !need {
		return
	}
	if update {
		read = i.readConflict(stmt, row, existing)
	}
	if fires {
		b.Emit(&ir.If{At: expr.At(i.pos), Cond: ir.V(done), Then: b.Collect(func() { i.after(row) })})
	}
	if i.many {
		b.emitWeakIf(i.pos, ir.V(done), func() { b.CountOne(i.f, i.pos) })
	} else if done != i.f.Found {
		b.SetFound(i.f, i.pos, ir.V(done), nil)
	} else {
		b.SetCount(i.f, i.pos, ir.V(done), nil)
	}
	if i.ret() {
		i.returning(row, ir.V(done), read)
	}
}

// proposal is a row that an INSERT of several rows has proposed before.
type proposal struct {
	keys []ir.Expr // the columns of ON CONFLICT
	done ir.Expr   // whether it was inserted or updated; nil is true
}

// once says that ON CONFLICT DO UPDATE meets no row that the same command has inserted
// or updated, which is an error.
func (i *inserter) once(conf *ir.Conflict, row *expr.RowSource, done string) {
	if slices.ContainsFunc(conf.Sets, func(set ir.Set) bool { return slices.Contains(conf.Target, set.Col) }) {
		i.b.Unmodelled("ON CONFLICT DO UPDATE of several rows that changes the columns in conflict")
	}
	if slices.ContainsFunc(i.tab.IR.Uniques, func(u ir.Unique) bool { return u.Where != nil && ir.SameColumns(u.Columns, conf.Target) }) {
		i.b.Unmodelled("ON CONFLICT DO UPDATE of several rows on a partial index")
	}
	p := proposal{}
	for _, k := range conf.Target {
		p.keys = append(p.keys, i.keyOf(row, i.tab.IR.Columns[k]))
	}
	if conf.Where != nil {
		p.done = ir.V(done)
	}
	for _, old := range i.proposed {
		if same := old.done; !unequal(old.keys, p.keys) {
			for k := range p.keys {
				same = ir.AndE(same, ir.Op(ir.Eq, old.keys[k], p.keys[k]))
			}
			i.b.Require(i.pos, ir.NotE(ir.Op(ir.Is, same, ir.C(ir.Bool(true)))), expr.Cardinality)
		}
	}
	i.proposed = append(i.proposed, p)
}

// KeyOf gives the value of a column of a row that is inserted, or of what an index is
// over.
func (i *inserter) keyOf(row *expr.RowSource, c ir.Column) ir.Expr {
	if col := row.Col(c.Name); col != nil {
		return col.Expr
	}
	return ir.MapExpr(c.Generated, func(e ir.Expr) ir.Expr {
		if col, ok := e.(*ir.Col); ok {
			return row.Col(col.Col).Expr
		}
		return e
	})
}

// unequal reports whether two lists of values have different constants in a place.
func unequal(a, b []ir.Expr) bool {
	for i := range a {
		x, ok1 := a[i].(*ir.Const)
		y, ok2 := b[i].(*ir.Const)
		if ok1 && ok2 && (x.Value != y.Value || x.Value.IsNull()) {
			return true
		}
	}
	return false
}

// excludedRow is the row that an INSERT proposed.
func excludedRow(t *schema.Table) *expr.RowSource {
	s := expr.TableSource(t, ir.Excluded, ir.Excluded)
	s.Table = nil
	s.Hidden = map[string]bool{} // its columns need their qualifier
	for _, c := range t.Columns {
		s.Hidden[c.Name] = true
	}
	return s
}

// conflictTarget gives the columns of ON CONFLICT, nil for any key.
func (i *inserter) conflictTarget(c *pg.OnConflictClause) []int {
	t := i.tab
	if c.Infer == nil || c.Action != pg.ConflictUpdate && i.anyKey(c) {
		for _, k := range t.Unseen {
			if k.Key {
				i.b.Unmodelled("ON CONFLICT of any kind, with %s", k.What)
			}
		}
		return nil
	}
	if i.anyKey(c) {
		return i.onlyKey()
	}
	var cols []string
	if name := c.Infer.Conname; name != "" {
		if slices.ContainsFunc(t.Exclusions, func(x *schema.Exclusion) bool { return x.Name == name }) {
			i.b.Unmodelled("ON CONFLICT on EXCLUDE constraint %s", name)
		}
		for _, k := range append(t.Keys(), t.Uniques...) {
			if k.Name == name {
				cols = k.Columns
			}
		}
		if cols == nil {
			i.x.Fail(c.Infer.Location, "table %s has no unique constraint %s", t.Name, name)
		}
	}
	for _, n := range c.Infer.IndexElems {
		e := pg.Inner(n).(*pg.IndexElem)
		name := t.KeyOf(e.Name)
		if name == "" {
			name = i.indexedColumn(&schema.SQLExpr{Node: e.Expr, Text: i.x.Text})
		}
		if t.IR.Column(name) < 0 {
			i.x.Fail(c.Infer.Location, "table %s has no column %s", t.Name, name)
		}
		if !slices.Contains(cols, name) {
			cols = append(cols, name)
		}
	}
	var out []int
	for _, name := range cols {
		out = append(out, t.IR.Column(name))
	}
	for _, u := range t.Uniques {
		if (slices.Contains(t.UnseenNames(), u.Name) || u.NullsEqual(t)) && strings.Join(u.Columns, " ") == strings.Join(cols, " ") {
			i.b.Unmodelled("ON CONFLICT on %s", u.Name)
		}
	}
	if !i.isKey(out) {
		i.x.Fail(c.Infer.Location, "no primary key or unique constraint of %s has exactly the columns of ON CONFLICT", t.Name)
	}
	return out
}

// anyKey reports whether ON CONFLICT means whichever key is met (mysql.AnyKey).
func (i *inserter) anyKey(c *pg.OnConflictClause) bool {
	return len(c.Infer.IndexElems) == 1 && pg.Inner(c.Infer.IndexElems[0]).(*pg.IndexElem).Name == mysql.AnyKey
}

// ignores reports whether the statement leaves errors out, as INSERT IGNORE does, and DO NOTHING on whichever key does not.
func (i *inserter) ignores() bool {
	c := i.s.OnConflictClause
	return c != nil && c.Action != pg.ConflictUpdate && (c.Infer == nil || !i.anyKey(c))
}

// onlyKey gives the columns of the one key that a new row may meet: not one of a
// column whose values are always new.
func (i *inserter) onlyKey() []int {
	t := i.tab
	if len(t.Unseen) > 0 {
		i.b.Unmodelled("ON DUPLICATE KEY UPDATE, with %s", t.Unseen[0].What)
	}
	var keys [][]int
	for _, k := range append(t.Keys(), t.Uniques...) {
		if !slices.ContainsFunc(k.Columns, i.generates) {
			keys = append(keys, schema.ColumnIndexes(t.IR, k.Columns))
		}
	}
	if len(keys) != 1 {
		i.b.Unmodelled("ON DUPLICATE KEY UPDATE of a table with %d keys that may be met", len(keys))
	}
	return keys[0]
}

// generates reports whether the insertion takes a new value of a sequence for a
// column.
func (i *inserter) generates(name string) bool {
	c := i.tab.Column(name)
	if c == nil || !c.Fresh {
		return false
	}
	return len(i.s.Cols) > 0 && !slices.ContainsFunc(i.s.Cols, func(n *pg.Node) bool { return pg.Inner(n).(*pg.ResTarget).Name == name })
}

// indexedColumn finds the column that stands for an expression of ON CONFLICT.
func (i *inserter) indexedColumn(e *schema.SQLExpr) string {
	v, why := i.b.App.RowExpr(i.tab, e)
	if why == "" {
		for _, c := range i.tab.Indexed {
			if g := i.tab.IR.Columns[i.tab.IR.Column(c.Name)].Generated; g != nil && g.String() == v.Expr.String() {
				return c.Name
			}
		}
	}
	i.b.Unmodelled("ON CONFLICT on an expression")
	return ""
}

func (i *inserter) isKey(cols []int) bool {
	t := i.tab.IR
	if !t.Rowid && ir.SameColumns(cols, t.Key) {
		return true
	}
	for _, u := range t.Uniques {
		if ir.SameColumns(cols, u.Columns) {
			return true
		}
	}
	return false
}

// conflictRow is what was read of the row that an INSERT may conflict with.
type conflictRow struct {
	query *ir.Select
	found string
	cols  []expr.Column // RETURNING as the update leaves the row
}

// readConflict reads what RETURNING gives of an INSERT … ON CONFLICT DO UPDATE if there
// is such a row. That is done after it, since a row that the snapshot has may be gone
// by then, and is inserted anew.
func (i *inserter) readConflict(stmt *ir.Insert, row, existing *expr.RowSource) *conflictRow {
	b, c := i.b, stmt.Conflict
	given := func(name string) ir.Expr {
		if c := row.Col(name); c != nil {
			return c.Expr
		}
		if k := slices.Index(stmt.Cols, i.tab.IR.Column(name)); k >= 0 { // it is hidden
			return stmt.Values[k]
		}
		return ir.C(ir.Null)
	}
	var where ir.Expr
	tells := map[string]bool{} // the columns by which the row is found
	for _, k := range c.Target {
		name := i.tab.IR.Columns[k].Name
		tells[name] = true
		where = ir.AndE(where, ir.Op(ir.Eq, &ir.Col{Row: existing.Row, Col: name}, given(name)))
	}
	if u := i.partial(c); u != nil {
		covers := func(of func(name string) ir.Expr) ir.Expr {
			return ir.MapExpr(u.Where, func(e ir.Expr) ir.Expr {
				if col, ok := e.(*ir.Col); ok {
					tells[col.Col] = true
					return of(col.Col)
				}
				return e
			})
		}
		where = ir.AndE(where, covers(func(name string) ir.Expr { return &ir.Col{Row: existing.Row, Col: name} }))
		where = ir.AndE(where, covers(given))
	}
	for _, set := range c.Sets {
		name := i.tab.IR.Columns[set.Col].Name
		if same, ok := set.Expr.(*ir.Col); tells[name] && !(ok && same.Row == existing.Row && same.Col == name) {
			b.Unmodelled("RETURNING of an ON CONFLICT DO UPDATE that changes the column in conflict, %s", name)
		}
	}
	out := &conflictRow{found: b.Local("in_conflict", schema.TBool)}
	s := &ir.Select{At: expr.At(i.pos), Query: ir.Query{From: []ir.Source{existing.IRSource()}, Where: where}, Found: out.found, Written: true}
	for _, c := range i.returned(existing, row) {
		local := b.Local(c.Name, c.Type)
		s.Into, s.Cols = append(s.Into, local), append(s.Cols, c.Expr)
		out.cols = append(out.cols, expr.Column{Name: c.Name, Expr: ir.V(local), Type: c.Type})
	}
	b.Emit(s)
	out.query = s
	return out
}

// partial gives the partial index that ON CONFLICT is about, nil if it is about all rows.
func (i *inserter) partial(c *ir.Conflict) *ir.Unique {
	var out *ir.Unique
	if ir.SameColumns(i.tab.IR.Key, c.Target) {
		return nil
	}
	for n := range i.tab.IR.Uniques {
		u := &i.tab.IR.Uniques[n]
		switch {
		case !ir.SameColumns(u.Columns, c.Target):
		case u.Where == nil:
			return nil
		case out != nil:
			i.b.Unmodelled("RETURNING of an ON CONFLICT DO UPDATE on several partial indexes")
		default:
			out = u
		}
	}
	return out
}

// ofMySQL is the value of a column of a row that is inserted, where the dialect is that of MySQL: AUTO_INCREMENT gives a new
// one for NULL and 0, and INSERT IGNORE puts the value of the type in the place of NULL. given says that the statement has
// it.
func (i *inserter) ofMySQL(c *schema.Column, v expr.Val, given bool) expr.Val {
	b := i.b
	ignore := i.ignores()
	if ignore {
		v = i.clipped(c, v)
	}
	k, constant := v.Expr.(*ir.Const)
	switch {
	case c.Fresh && !given:
		i.first(v)
	case c.Fresh && constant && (k.Value.IsNull() || k.Value.Rat().Sign() == 0):
		v = i.x.DefaultOf(c, i.pos)
		i.first(v)
	case c.Fresh && !constant:
		e := i.x.Shared(v.Expr, c.T)
		zero := ir.OrE(&ir.Unary{Op: ir.IsNull, X: e}, ir.Op(ir.Eq, e, ir.C(ir.Int(0))))
		v.Expr, v.NotNull = &ir.Cond{If: zero, Then: i.x.DefaultOf(c, i.pos).Expr, Else: e}, true
		b.NoInsertID = "an INSERT that gives a value for AUTO_INCREMENT"
	case ignore && constant && k.Value.Kind == ir.KindText && c.T.SQL != nil && c.T.SQL.Format != nil && !c.T.SQL.Fits(k.Value):
		if r := []rune(k.Value.S); c.T.SQL.Format.Labels == nil && len(r) > c.T.SQL.Format.Length {
			v.Expr = ir.C(ir.Text(string(r[:c.T.SQL.Format.Length])))
			break
		}
		b.Unmodelled("INSERT IGNORE of a value that does not fit column %s", c.Name)
	case ignore && i.mayBeNoLabel(c, v.Expr):
		b.Unmodelled("INSERT IGNORE of a value that does not fit column %s", c.Name)
	case ignore && c.NotNull && !v.NotNull && c.Generated == nil:
		def := i.implicit(c)
		if constant {
			if k.Value.IsNull() {
				v.Expr, v.NotNull = def, true
			}
			break
		}
		e := i.x.Shared(v.Expr, c.T)
		v.Expr, v.NotNull = &ir.Cond{If: &ir.Unary{Op: ir.IsNull, X: e}, Then: def, Else: e}, true
	case !given && c.NotNull && c.Def == nil && c.T.SQL != nil && c.T.SQL.Format != nil && c.T.SQL.Format.Labels != nil:
		b.Unmodelled("the default of an ENUM")
	}
	if i.s.OnConflictClause != nil && c.Fresh {
		b.NoInsertID = "an INSERT with ON DUPLICATE KEY UPDATE or IGNORE"
	}
	return v
}

// mayBeNoLabel reports whether the value of an ENUM is computed from something else than a parameter.
func (i *inserter) mayBeNoLabel(c *schema.Column, e ir.Expr) bool {
	if c.T.SQL == nil || c.T.SQL.Format == nil || c.T.SQL.Format.Labels == nil {
		return false
	}
	call, computed := e.(*ir.Call)
	if !computed {
		return false
	}
	param, isVar := call.Args[0].(*ir.Var)
	return !isVar || !i.b.Fixed[param.Name]
}

// first keeps the key that LAST_INSERT_ID() gives: that of the first row of the statement.
func (i *inserter) first(v expr.Val) {
	if i.inserted == nil {
		i.inserted = v.Expr
		i.b.NoInsertID = ""
	}
	if i.many && !i.inValues {
		i.b.NoInsertID = "an INSERT of the rows of a query"
	}
	i.b.SetInsertID(i.pos, i.inserted)
}

// implicit is the value that a type has by itself.
func (i *inserter) implicit(c *schema.Column) ir.Expr {
	switch c.T.IR.Kind {
	case ir.KindInt:
		return ir.C(ir.Int(0))
	case ir.KindNum:
		return ir.C(ir.Int(0).Convert(ir.NumType))
	case ir.KindText:
		if c.T.SQL.Format != nil && c.T.SQL.Format.Labels == nil {
			return ir.C(ir.Text(""))
		}
	}
	i.b.Unmodelled("INSERT IGNORE of a value that may be NULL for %s", c.Name)
	return nil
}

// ignoring refuses INSERT IGNORE where errors other than those of keys may come, which it leaves out.
func (i *inserter) ignoring(row *expr.RowSource) {
	if !i.b.App.In.MySQL {
		return
	}
	if len(i.tab.IR.ForeignKeys) > 0 || len(i.tab.Foreign) > 0 {
		i.b.Unmodelled("INSERT IGNORE into a table with foreign keys")
	}
	if len(i.tab.Triggers) > 0 {
		i.b.Unmodelled("INSERT IGNORE into a table with triggers, whose errors it leaves out, too")
	}
	if len(i.tab.Unseen) > 0 {
		i.b.Unmodelled("INSERT IGNORE into a table with %s", i.tab.Unseen[0].What)
	}
	for _, k := range i.tab.IR.Checks {
		if !i.surely(k, row) {
			i.b.Unmodelled("INSERT IGNORE into a table with check %s, which may refuse the row", k.Name)
		}
	}
}

// surely reports whether a row satisfies a check for certain: that of a generated column, one that says that a parameter of
// its column is not negative, and one about constants.
func (i *inserter) surely(k ir.TableCheck, row *expr.RowSource) bool {
	param := false
	e := ir.MapExpr(k.Expr, func(e ir.Expr) ir.Expr {
		col, is := e.(*ir.Col)
		if !is {
			return e
		}
		c := row.Col(col.Col)
		if c == nil {
			return e
		}
		v, isVar := c.Expr.(*ir.Var)
		param = param || isVar && i.b.Fixed[v.Name]
		return c.Expr
	})
	generated := slices.ContainsFunc(i.tab.IR.Columns, func(c ir.Column) bool { return c.Generated != nil && k.Name == i.tab.Name+" generated "+c.Name })
	unsigned := strings.HasSuffix(k.Name, " unsigned")
	if generated || unsigned && param {
		return true
	}
	if cmp, is := e.(*ir.Binary); is && unsigned {
		c, constant := cmp.X.(*ir.Const)
		return constant && (c.Value.IsNull() || c.Value.Rat().Sign() >= 0)
	}
	value, known := ConstantTruth(e)
	return known && value
}

// replacement is what REPLACE sets of a row that is there: all columns but those of the key. It is nil for another statement.
func (i *inserter) replacement(c *pg.OnConflictClause, row *expr.RowSource) []assignment {
	if i.b.App.In.MySQL && i.f.Rowcount != "" {
		i.b.Unmodelled("the number of rows of ON DUPLICATE KEY UPDATE or REPLACE")
	}
	if !i.replaces(c) {
		return nil
	}
	if keys := i.b.App.KeysTo(i.tab); len(keys) > 0 {
		i.b.Unmodelled("REPLACE in a table to which foreign key %s refers", keys[0].Name)
	}
	target := i.onlyKey()
	var out []assignment
	for _, col := range row.Cols {
		at := i.tab.IR.Column(col.Name)
		if i.tab.IR.IsKey(at) && slices.Contains(target, at) {
			continue
		}
		e := ir.Expr(&ir.Col{Row: ir.Excluded, Col: col.Name})
		out = append(out, assignment{column: col.Name, v: expr.Val{Expr: e, Type: col.Type, NotNull: col.NotNull}})
	}
	for _, col := range i.tab.Indexed {
		out = append(out, assignment{column: col.Name, v: expr.Val{Expr: &ir.Col{Row: ir.Excluded, Col: col.Name}, Type: col.T}})
	}
	return out
}

// replaces reports whether ON CONFLICT stands for REPLACE (mysql.Replace).
func (i *inserter) replaces(c *pg.OnConflictClause) bool {
	return len(c.TargetList) == 1 && pg.Inner(c.TargetList[0]).(*pg.ResTarget).Name == mysql.Replace
}

// clipped is a whole number that INSERT IGNORE stores: beyond the range of its column it is the end of that.
func (i *inserter) clipped(c *schema.Column, v expr.Val) expr.Val {
	if c.T.SQL == nil || c.T.SQL.Format == nil || c.T.SQL.Format.Kind != ir.KindInt {
		return v
	}
	f := c.T.SQL.Format
	lo, hi := ir.C(ir.Int(f.Lo)), ir.C(ir.Int(f.Hi))
	if k, constant := v.Expr.(*ir.Const); constant {
		switch {
		case k.Value.IsNull():
		case k.Value.I < f.Lo:
			v.Expr = lo
		case k.Value.I > f.Hi:
			v.Expr = hi
		}
		return v
	}
	if f.Unsigned || f.Hi < math.MaxInt32 {
		e := i.x.Shared(v.Expr, c.T)
		v.Expr = &ir.Cond{If: ir.Op(ir.Lt, e, lo), Then: lo, Else: &ir.Cond{If: ir.Op(ir.Gt, e, hi), Then: hi, Else: e}}
	}
	return v
}
