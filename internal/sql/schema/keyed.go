package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
)

// KeyFunc gives what values are equal by (expr.Spot.Comparable). It stands in generated
// columns that only the IR has.
const KeyFunc = "robust_key"

// KeyedColumns lets keys and references over columns whose values may be equal
// although they differ, such as those of type citext, be over columns that only the
// IR has: what the values are equal by.
func (l *Schema) KeyedColumns() {
	for _, t := range l.Order {
		for _, f := range t.Foreign { // a primary key may cease to be one below
			if len(f.RefColumns) == 0 {
				f.RefColumns = l.RefColumns(childKey{f, t})
			}
		}
	}
	for _, t := range l.Order {
		for _, c := range t.Columns {
			if c.T.SQL == nil || c.T.SQL.Equality() != value.Keyed {
				continue
			}
			if !l.inKey(t, c.Name) {
				continue
			}
			key := &Column{Pos: c.Pos, Name: "key of " + c.Name, Generated: keyExpr(c), NotNull: c.NotNull, Index: true}
			t.Indexed = append(t.Indexed, key)
			l.useKey(t, c.Name, key.Name)
		}
	}
}

// keyExpr is KeyFunc of a column.
func keyExpr(c *Column) *SQLExpr {
	stmts, err := pg.Parse("SELECT " + KeyFunc + `("` + strings.ReplaceAll(c.Name, `"`, `""`) + `")`)
	if err != nil {
		panic(err)
	}
	s := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt)
	return &SQLExpr{pg.TargetValue(s.TargetList[0]), c.Text}
}

// inKey reports whether a column is part of a key or of a reference.
func (l *Schema) inKey(t *Table, name string) bool {
	found := false
	l.eachKey(t, func(columns []string) { found = found || slices.Contains(columns, name) })
	return found
}

// eachKey calls f for the columns of the keys of t, of its references, and of those
// of others to it.
func (l *Schema) eachKey(t *Table, f func(columns []string)) {
	for _, k := range append(t.Keys(), t.Uniques...) {
		f(k.Columns)
	}
	for _, k := range t.Foreign {
		f(k.Columns)
	}
	for _, o := range l.Order {
		for _, k := range o.Foreign {
			if k.Parent() == t {
				f(k.RefColumns)
			}
		}
	}
}

// useKey puts a column in the place of another one in all keys. A primary key becomes
// a unique one, since rows keep their identity when its spelling changes. What a
// foreign key does when the parent goes is not modelled then.
func (l *Schema) useKey(t *Table, old, key string) {
	if t.Key != nil && slices.Contains(t.Key.Columns, old) {
		for _, c := range t.Key.Columns {
			if col := t.Column(c); col != nil {
				col.NotNull = true
			}
		}
		t.Uniques = append([]*UniqueKey{t.Key}, t.Uniques...)
		t.Key = nil
	}
	l.eachKey(t, func(columns []string) {
		for i, c := range columns {
			if c == old {
				columns[i] = key
			}
		}
	})
	for _, k := range t.Foreign {
		if !l.In.MySQL && slices.Contains(k.Columns, key) && (k.OnDelete != NoAction && k.OnDelete != Restrict || k.OnUpdate != NoAction && k.OnUpdate != Restrict) {
			t.Odd = "an action of foreign key " + k.Name + ", whose values are compared by " + l.keyName(t.Column(old))
			l.Note(k.Pos, "foreign key %s compares values by %s: its action is not modelled, nor is any statement on %s", k.Name, l.keyName(t.Column(old)), t.Name)
		}
	}
	t.Keyed = append(t.Keyed, [2]string{old, key})
}

func (l *Schema) keyName(c *Column) string {
	if c.T.SQL.Collation != "" {
		return "collation " + c.T.SQL.Collation
	}
	return c.T.String()
}

// KeyOf gives the column that stands in keys for a column.
func (t *Table) KeyOf(name string) string {
	for _, k := range t.Keyed {
		if k[0] == name {
			return k[1]
		}
	}
	return name
}

// Collated gives a type the collation of a COLLATE clause, if that matters for
// equality.
func (l *Schema) Collated(t Type, collation string) Type {
	if t.SQL == nil {
		return t
	}
	sql := *t.SQL
	sql.Collation = ""
	if l.In.MySQL || l.Collations[syntax.LastPart(collation)] { // of any schema
		sql.Collation = collation
	}
	return TypeOfValues(&sql)
}

// Decides reports whether a column is part of a key of t, or of one that refers to it or from it.
func (l *Schema) Decides(t *Table, column string) bool {
	in := func(cols []string) bool { return slices.Contains(cols, column) }
	for _, u := range append(slices.Clone(t.Uniques), t.Keys()...) {
		if in(u.Columns) || u.Where != nil {
			return true
		}
	}
	for _, f := range t.Foreign {
		if in(f.Columns) {
			return true
		}
	}
	for _, c := range l.KeysTo(t) {
		if in(l.RefColumns(c)) {
			return true
		}
	}
	return len(t.Exclusions) > 0 || len(t.Indexed) > 0
}

// childKey is a foreign key with the table that has it.
type childKey struct {
	*ForeignKey
	Child *Table
}

// KeysTo gives the foreign keys that refer to t.
func (l *Schema) KeysTo(t *Table) []childKey {
	var out []childKey
	for _, child := range l.Order {
		for _, f := range child.Foreign {
			if f.Parent() == t {
				out = append(out, childKey{f, child})
			}
		}
	}
	return out
}

// Action gives what the foreign key of the IR does.
func (k childKey) Action() ir.Action {
	if k.Number < 0 {
		return ir.NoAction
	}
	return k.Child.IR.ForeignKeys[k.Number].OnDelete
}

// SelfKey gives a foreign key from t to t itself, or nil.
func (t *Table) SelfKey() *ForeignKey {
	for _, f := range t.Foreign {
		if f.Parent() == t {
			return f
		}
	}
	return nil
}

// RefColumns gives the columns of the parent that a foreign key refers to.
func (l *Schema) RefColumns(f childKey) []string {
	if len(f.ForeignKey.RefColumns) > 0 {
		return f.ForeignKey.RefColumns
	}
	if parent := f.Parent(); parent != nil && parent.Key != nil {
		return parent.Key.Columns
	}
	return nil
}

// Watched reports whether something beyond the IR follows some kind of write: a
// trigger, or a constraint that the ir.Table does not have.
func (t *Table) Watched(event int32) bool {
	for _, g := range t.Triggers {
		if g.Events&event != 0 {
			return true
		}
	}
	return slices.ContainsFunc(t.Unseen, func(k *Unseen) bool { return k.On&event != 0 })
}

// Nullable reports whether all of the columns may be NULL.
func (t *Table) Nullable(cols []int) bool {
	return !slices.ContainsFunc(cols, func(c int) bool { return t.IR.Columns[c].NotNull })
}

// Free reports whether columns may become NULL, or change, whatever is in the
// others: no trigger, primary key, check, partial index or generated column is
// about them, and no action follows.
func (l *Schema) Free(t *Table, cols []int) bool {
	if len(t.IR.Checks)+len(t.Unproven)+len(t.Unchecked) > 0 || t.Watched(OnUpdate) {
		return false
	}
	for _, c := range cols {
		if t.IR.IsKey(c) {
			return false
		}
		for _, f := range l.KeysTo(t) {
			if f.OnUpdate.Changes() && slices.Contains(l.RefColumns(f), t.IR.Columns[c].Name) {
				return false
			}
		}
	}
	for _, c := range t.IR.Columns {
		if c.Generated != nil {
			return false
		}
	}
	for _, x := range t.IR.Exclusions {
		if slices.ContainsFunc(ir.ExclusionColumns(&x, t.IR), func(c int) bool { return slices.Contains(cols, c) }) {
			return false
		}
	}
	return !slices.ContainsFunc(t.IR.Uniques, func(u ir.Unique) bool { return u.Where != nil })
}

// SoleKey reports whether no column is part of several foreign keys.
func (t *Table) SoleKey(cols []int) bool {
	for _, c := range cols {
		n := 0
		for _, f := range t.Foreign {
			if slices.Contains(f.Columns, t.IR.Columns[c].Name) {
				n++
			}
		}
		if n != 1 {
			return false
		}
	}
	return true
}

// ActionsOf gives the foreign keys whose actions a deletion from t causes, the
// parents' before the children's.
func (l *Schema) ActionsOf(t *Table) []childKey {
	var out []childKey
	queue := []*Table{t}
	for len(queue) > 0 {
		for _, f := range l.KeysTo(queue[0]) {
			if f.Action() == ir.NoAction || slices.Contains(out, f) {
				continue
			}
			if out = append(out, f); f.Action() == ir.CascadeDelete {
				queue = append(queue, f.Child)
			}
		}
		queue = queue[1:]
	}
	return out
}
