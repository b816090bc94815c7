package mysql

import (
	"math/big"
	"slices"
	"strings"
	"time"

	"github.com/txrobust/robust/ir"
	"github.com/xwb1989/sqlparser"
)

// set translates SET @v = …, ….
func (b *builder) set(n *sqlparser.Set) {
	for _, e := range n.Exprs {
		name, ok := strings.CutPrefix(e.Name.Lowered(), "@")
		if !ok || strings.HasPrefix(name, "@") || n.Scope != "" {
			panic(unsupported{"SET of something that is no variable of the user", true, nil})
		}
		v := asValue(b.val(e.Expr, nil))
		if v.t.kind == unknown {
			v.t = typ{kind: str}
		}
		l := b.txn.AddLocal("@"+name, v.t.ir())
		b.add(&ir.Assign{At: b.at, Var: l, Expr: v.e})
		v.e, v.key, v.param = ir.V(l), nil, ""
		b.locals[name] = v
	}
}

// writable finds a table that a statement writes.
func (b *builder) writable(n sqlparser.TableName) *table {
	t := b.table(n)
	switch {
	case b.l.triggers:
		panic(unsupported{"a write, which may fire a trigger", true, nil})
	case t.badWrite != "":
		fail("%s", t.badWrite)
	}
	return t
}

// stored makes a value what a column holds after it is assigned.
func (b *builder) stored(c *column, v value) value {
	v = asValue(v)
	v = b.settle(v, c.t)
	v = convert(v, c.t)
	if k, ok := v.constant(); ok && c.t.kind == decimal && v.t.kind == str && plainNumber(k.S) {
		if r, ok := new(big.Rat).SetString(k.S); ok {
			digits, _ := r.FloatPrec()
			v = value{e: ir.C(ir.Num(r)), t: c.t, nn: true, scale: digits}
		}
	}
	out := columnValue(c, "")
	out.nn, out.key = v.nn, nil
	switch {
	case v.t.kind == null:
		return value{e: ir.C(ir.Null), t: c.t}
	case c.t.kind == other:
		if v.t == c.t {
			return v
		}
		out.e = &ir.Call{Name: "mysql as " + c.t.name, Args: []ir.Expr{v.e}, Type: ir.OpaqueType}
		if v.t.kind == unknown {
			// The client gives the value itself.
			b.settle(v, typ{kind: str})
		}
		small(v.e, v.e)
		out.e = strict(v.e, v.nn, out.e)
		return out
	case c.t.kind == integer && v.t.kind == integer, c.t.kind == decimal && (v.t.kind == integer || v.t.kind == decimal),
		c.t.kind == str && v.t.kind == str, c.t.kind == datetime && (v.t.kind == datetime || v.t.kind == date), c.t.kind == date && v.t.kind == date:
		out.e = c.kept(v)
	case c.t.kind == date && v.t.kind == datetime:
		out.e = b.toDate(v).e
		if k, ok := v.constant(); ok {
			out.e = ir.C(ir.Time(time.UnixMicro(k.I).UTC().Truncate(24 * time.Hour).UnixMicro()))
		}
	case v.t.kind == unknown: // another pass knows
		out.e = v.e
	default:
		fail("%s that is stored in a column of %s", kindWords[v.t.kind], kindWords[c.t.kind])
	}
	if c.key >= 0 {
		small(v.e, v.e)
		out.key = value{e: v.e, t: v.t, nn: v.nn, key: v.key}.compared(c.t.coll)
	}
	return out
}

// insert translates INSERT.
func (b *builder) insert(n *sqlparser.Insert) {
	t := b.writable(n.Table)
	switch {
	case n.Action == sqlparser.ReplaceStr:
		fail("REPLACE")
	case n.Ignore != "":
		fail("INSERT IGNORE")
	case b.unclear(t, nil):
		fail("a foreign key that is not modelled")
	}
	rows, ok := n.Rows.(sqlparser.Values)
	if !ok {
		fail("INSERT of a query")
	}
	cols := t.columns
	if len(n.Columns) > 0 {
		cols = nil
		for _, id := range n.Columns {
			c := t.column(id.String())
			if c == nil {
				panic(ir.Errorf(b.at.Pos, "%s has no column %s", t.name, id.String()))
			}
			if slices.Contains(cols, c) {
				panic(ir.Errorf(b.at.Pos, "column %s is given twice", id.String()))
			}
			cols = append(cols, c)
		}
	}
	var first *value
	unsure := ""
	for _, r := range rows {
		if len(r) != len(cols) && !(len(r) == 0 && len(n.Columns) == 0) {
			panic(ir.Errorf(b.at.Pos, "%d values for %d columns", len(r), len(cols)))
		}
		given := map[*column]value{}
		for i, e := range r {
			if _, def := e.(*sqlparser.Default); !def {
				given[cols[i]] = b.val(e, nil)
			}
		}
		ins := &ir.Insert{At: b.at, Table: t.ir}
		generated := map[*column]bool{}
		for _, c := range t.columns {
			v, has := given[c]
			switch {
			case c.auto:
				k, constant := v.constant()
				switch {
				case !has || constant && (k.IsNull() || k == ir.Int(0)):
					generated[c] = true
					v = value{e: ir.V(b.havoc("@"+c.name, c.t.ir(), true)), t: c.t, nn: true}
					if first == nil {
						first = &v
					}
				case !constant:
					v = b.stored(c, v)
					small(v.e, v.e, v.e)
					f := b.havoc("@"+c.name, c.t.ir(), true)
					v.e = &ir.Cond{If: ir.Op(ir.Or, isNull(v.e), ir.Op(ir.Eq, v.e, ir.C(ir.Int(0)))), Then: ir.V(f), Else: v.e}
					unsure = "an INSERT that gives a value for AUTO_INCREMENT"
				}
			case !has:
				v = b.initialValue(t, c)
			}
			v = b.stored(c, v)
			ins.Cols, ins.Values = append(ins.Cols, c.index), append(ins.Values, v.e)
			if c.key >= 0 {
				ins.Cols, ins.Values = append(ins.Cols, c.key), append(ins.Values, keyOf(v))
			}
		}
		if len(n.OnDup) > 0 {
			b.onDuplicate(t, n.OnDup, ins, generated)
			unsure = "an INSERT with ON DUPLICATE KEY UPDATE"
		}
		b.add(ins)
	}
	if first != nil {
		b.lastID, b.auto = first, ""
	}
	if unsure != "" {
		b.auto = unsure
	}
}

// keyOf is the value of the hidden column of a stored text.
func keyOf(v value) ir.Expr {
	if v.key == nil {
		return v.e // NULL
	}
	return v.key
}

// initialValue is the default of a column.
func (b *builder) initialValue(t *table, c *column) value {
	switch {
	case c.now:
		return b.now()
	case c.def != nil:
		v, ok := constant(c.def)
		if !ok {
			fail("the default of %s.%s", t.name, c.name)
		}
		return v
	case c.notNull && c.t.enum:
		fail("the default of an ENUM")
	case c.notNull:
		fail("an INSERT without a value for %s.%s, which has no default", t.name, c.name)
	}
	return value{e: ir.C(ir.Null), t: typ{kind: null}}
}

// constant is the value of the tokens of a constant.
func constant(ts []token) (value, bool) {
	neg := false
	if len(ts) == 2 && ts[0].is("-", "+") {
		neg, ts = ts[0].is("-"), ts[1:]
	}
	if len(ts) != 1 {
		return value{}, false
	}
	switch t := ts[0]; {
	case t.is("NULL") && !neg:
		return value{e: ir.C(ir.Null), t: typ{kind: null}}, true
	case t.is("TRUE") && !neg:
		return value{e: ir.C(ir.Int(1)), t: typ{kind: integer}, nn: true}, true
	case t.is("FALSE") && !neg:
		return value{e: ir.C(ir.Int(0)), t: typ{kind: integer}, nn: true}, true
	case t.kind == text && !neg:
		s, ok := unquote(t.text)
		return value{e: ir.C(ir.Text(s)), t: typ{kind: str}, nn: true}, ok
	case t.kind == number && plainNumber(t.text):
		r, ok := new(big.Rat).SetString(t.text)
		if !ok {
			return value{}, false
		}
		if neg {
			r.Neg(r)
		}
		if strings.Contains(t.text, ".") {
			digits, _ := r.FloatPrec()
			return value{e: ir.C(ir.Num(r)), t: typ{kind: decimal}, nn: true, scale: digits}, true
		}
		if !r.Num().IsInt64() {
			return value{}, false
		}
		return value{e: ir.C(ir.Int(r.Num().Int64())), t: typ{kind: integer}, nn: true}, true
	}
	return value{}, false
}

// onDuplicate adds ON DUPLICATE KEY UPDATE, where exactly one key can be met.
func (b *builder) onDuplicate(t *table, sets sqlparser.OnDup, ins *ir.Insert, generated map[*column]bool) {
	var keys [][]int
	add := func(cols []int) {
		for c := range generated {
			if slices.Contains(cols, c.index) {
				return // a new value meets no row
			}
		}
		keys = append(keys, cols)
	}
	if !t.ir.Rowid {
		add(t.ir.Key)
	}
	for _, u := range t.ir.Uniques {
		add(u.Columns)
	}
	if len(keys) != 1 {
		fail("ON DUPLICATE KEY UPDATE of a table with %d keys", len(keys))
	}
	rows := []scopeRow{{alias: t.name, t: t, row: t.name, now: map[*column]value{}}}
	ins.Conflict = &ir.Conflict{Target: keys[0], Row: t.name, Sets: b.sets(t, sqlparser.UpdateExprs(sets), rows, true, false)}
}

// sets translates assignments, which see those before them.
func (b *builder) sets(t *table, list sqlparser.UpdateExprs, rows []scopeRow, proposed, single bool) []ir.Set {
	sc := &scope{rows: rows}
	if proposed { // the row without an alias is for VALUES()
		sc.outer = &scope{rows: []scopeRow{{t: t, row: ir.Excluded}}, closed: true}
	}
	now := rows[0].now
	var order []*column
	for _, s := range list {
		if of := s.Name.Qualifier.Name.String(); of != "" && !strings.EqualFold(of, rows[0].alias) {
			panic(ir.Errorf(b.at.Pos, "%s is not the table that is updated", of))
		}
		c := t.column(s.Name.Name.String())
		if c == nil {
			panic(ir.Errorf(b.at.Pos, "%s has no column %s", t.name, s.Name.Name.String()))
		}
		v := value{}
		if _, def := s.Expr.(*sqlparser.Default); def {
			v = b.initialValue(t, c)
		} else {
			v = b.val(s.Expr, sc)
		}
		v = b.stored(c, v)
		small(v.e)
		b.changeable(t, c, single)
		if !slices.Contains(order, c) {
			order = append(order, c)
		} else if old := now[c]; c.notNull && !old.nn || !c.wide() {
			fail("an assignment to %s.%s after another one, whose value must fit, too", t.name, c.name)
		}
		now[c] = v
	}
	var out []ir.Set
	var changed ir.Expr
	for _, c := range order {
		v := now[c]
		out = append(out, ir.Set{Col: c.index, Expr: v.e})
		if c.key >= 0 {
			out = append(out, ir.Set{Col: c.key, Expr: keyOf(v)})
		}
		changed = ir.OrE(changed, ir.NotE(ir.Op(ir.Is, &ir.Col{Row: rows[0].row, Col: c.name}, v.e)))
	}
	for _, c := range t.columns {
		if c.touch && !slices.Contains(order, c) {
			b.changeable(t, c, single)
			small(changed)
			at := b.stored(c, b.now())
			out = append(out, ir.Set{Col: c.index, Expr: &ir.Cond{If: changed, Then: at.e, Else: &ir.Col{Row: rows[0].row, Col: c.name}}})
		}
	}
	return out
}

// changeable fails for columns whose change is not modelled. Uniqueness is
// checked row by row, in an order that is not known.
func (b *builder) changeable(t *table, c *column, single bool) {
	is := func(cols []int) bool { return slices.Contains(cols, c.index) || slices.Contains(cols, c.key) }
	if !t.ir.Rowid && is(t.ir.Key) || slices.ContainsFunc(t.primary, func(p string) bool { return strings.EqualFold(p, c.name) }) {
		fail("a change of the key column %s.%s", t.name, c.name)
	}
	for _, u := range t.ir.Uniques {
		if is(u.Columns) && !single {
			fail("a change of the unique column %s.%s in several rows", t.name, c.name)
		}
	}
	for _, f := range t.children {
		if slices.ContainsFunc(f.refCols, func(r string) bool { return strings.EqualFold(r, c.name) }) {
			fail("a change of the column %s.%s, to which a foreign key refers", t.name, c.name)
		}
	}
	if b.unclear(t, c) {
		fail("a foreign key that is not modelled")
	}
}

// unclear reports whether a foreign key of the column c (nil: any) of t is not
// in the IR.
func (b *builder) unclear(t *table, c *column) bool {
	for i := range t.foreign {
		f := &t.foreign[i]
		if f.unclear && (c == nil || slices.ContainsFunc(f.cols, func(n string) bool { return strings.EqualFold(n, c.name) })) {
			return true
		}
	}
	return false
}

// target translates the table and the condition of an UPDATE or DELETE.
func (b *builder) target(list sqlparser.TableExprs, where *sqlparser.Where, order sqlparser.OrderBy, limit *sqlparser.Limit) *query {
	if order != nil || limit != nil {
		fail("UPDATE or DELETE with ORDER BY or LIMIT")
	}
	q := &query{sc: &scope{}}
	if len(list) != 1 {
		fail("a write to several tables")
	}
	one, ok := list[0].(*sqlparser.AliasedTableExpr)
	if !ok {
		fail("a write to several tables")
	}
	name, ok := one.Expr.(sqlparser.TableName)
	if !ok || len(one.Partitions) > 0 {
		fail("a write to something that is no table")
	}
	b.writable(name)
	b.from(one, q)
	if len(q.sc.rows) != 1 {
		fail("a write to something that is no table")
	}
	if where != nil {
		q.q.Where = b.cond(where.Expr, q.sc, true)
	}
	return q
}

// readsAgain reports whether a subquery of an UPDATE names the table that is updated:
// MariaDB keeps the new values apart then, and MySQL refuses that.
func readsAgain(n *sqlparser.Update, t *table) bool {
	found := false
	_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
		if sub, ok := node.(*sqlparser.Subquery); ok {
			_ = sqlparser.Walk(func(node sqlparser.SQLNode) (bool, error) {
				if from, ok := node.(*sqlparser.AliasedTableExpr); ok {
					name, named := from.Expr.(sqlparser.TableName)
					found = found || named && strings.EqualFold(name.Name.String(), t.name)
				}
				return true, nil
			}, sub)
		}
		return true, nil
	}, n)
	return found
}

func (b *builder) update(n *sqlparser.Update) {
	q := b.target(n.TableExprs, n.Where, n.OrderBy, n.Limit)
	r := &q.sc.rows[0]
	r.now, r.apart = map[*column]value{}, readsAgain(n, r.t)
	sets := b.sets(r.t, n.Exprs, q.sc.rows, false, single(q))
	b.add(&ir.Update{At: b.at, Table: r.t.ir, Row: r.row, Sets: sets, Where: q.q.Where})
}

func (b *builder) delete(n *sqlparser.Delete) {
	if len(n.Targets) > 0 {
		fail("a DELETE from several tables")
	}
	q := b.target(n.TableExprs, n.Where, n.OrderBy, n.Limit)
	t := q.sc.rows[0].t
	for _, f := range t.children {
		switch {
		case f.unclear:
			fail("a foreign key that is not modelled")
		case f.cascading:
			fail("a DELETE that changes the rows of %s, too", f.child.name)
		case f.child == t && !single(q):
			fail("a DELETE of several rows of a table that refers to itself")
		}
	}
	b.add(&ir.Delete{At: b.at, Table: t.ir, Row: q.sc.rows[0].row, Where: q.q.Where})
}

// initial makes the initial rows of a table.
func (l *loader) initial(t *table) {
	auto := int64(0)
	for _, st := range t.rows {
		if !l.initialRows(t, st, &auto) {
			l.note(st.pos(), "these initial rows of %s are left out, since they are not all constants", t.name)
		}
	}
}

func (l *loader) initialRows(t *table, st *statement, auto *int64) (ok bool) {
	b := &builder{l: l, txn: &ir.Txn{}, types: map[string]typ{}, typed: map[string]bool{}, locals: map[string]value{}, at: ir.At{Pos: st.pos()}}
	defer func() {
		if r := recover(); r != nil {
			if _, un := r.(unsupported); !un {
				panic(r)
			}
			ok = false
		}
	}()
	node, _ := b.parse(st)
	n, isInsert := node.(*sqlparser.Insert)
	if !isInsert || t.bad != "" {
		return false
	}
	triggers, badWrite := l.triggers, t.badWrite
	l.triggers, t.badWrite = false, ""
	defer func() { l.triggers, t.badWrite = triggers, badWrite }()
	n.Ignore = ""
	b.insert(n)
	var rows [][]ir.Value
	for _, s := range b.body {
		ins, isInsert := s.(*ir.Insert)
		if !isInsert {
			continue // a new key
		}
		row := make([]ir.Value, len(t.ir.Columns))
		if t.ir.Rowid {
			row[0] = ir.Int(int64(len(t.ir.Rows) + len(rows) + 1))
		}
		for i, c := range ins.Cols {
			col := t.ir.Columns[c]
			switch e := ins.Values[i].(type) {
			case *ir.Const:
				row[c] = e.Value.Convert(col.Type)
			case *ir.Var:
				if col.Type != ir.IntType {
					return false
				}
				*auto++
				row[c] = ir.Int(*auto)
			default:
				if !col.Hidden {
					return false
				}
				call, isCall := e.(*ir.Call)
				arg := ir.Value{}
				if isCall && len(call.Args) == 1 {
					k, isConst := call.Args[0].(*ir.Const)
					if !isConst {
						return false
					}
					arg = k.Value
				}
				if !isCall || arg.Kind != ir.KindText {
					return false
				}
				row[c] = ir.Text(strings.ToLower(arg.S))
				if call.Def == nil {
					v, _, err := call.Apply([]ir.Value{arg})
					if err != nil {
						return false
					}
					row[c] = v
				}
			}
			if row[c].IsNull() && col.NotNull {
				return false
			}
			if col.Type == ir.IntType && row[c].I > *auto && t.ir.IsKey(c) {
				*auto = row[c].I
			}
		}
		rows = append(rows, row)
	}
	t.ir.Rows = append(t.ir.Rows, rows...)
	return true
}
