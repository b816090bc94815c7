package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
)

// KeyFunc gives what values are equal by (ex.comparable). It stands in generated
// columns that only the IR has.
const KeyFunc = "robust_key"

// KeyedColumns lets keys and references over columns whose values may be equal
// although they differ, such as those of type citext, be over columns that only the
// IR has: what the values are equal by.
func (l *Schema) KeyedColumns() {
	for _, t := range l.Order {
		for _, f := range t.Foreign { // a primary key may cease to be one below
			if len(f.refColumns) == 0 {
				f.refColumns = l.RefColumns(childKey{f, t})
			}
		}
	}
	for _, t := range l.Order { // LIKE shares keys
		if t.Key != nil {
			t.Key = t.Key.copy()
		}
		for i, u := range t.Uniques {
			t.Uniques[i] = u.copy()
		}
	}
	for _, t := range l.Order {
		for _, c := range t.Columns {
			if c.T.Sql == nil || c.T.Sql.Equality() != value.Keyed {
				continue
			}
			if !l.inKey(t, c.Name) {
				continue
			}
			key := &Column{Pos: c.Pos, Name: "key of " + c.Name, Generated: keyExpr(c), index: true}
			t.Indexed = append(t.Indexed, key)
			l.useKey(t, c.Name, key.Name)
		}
	}
}

func (u *UniqueKey) copy() *UniqueKey {
	out := *u
	out.Columns = slices.Clone(u.Columns)
	return &out
}

// keyExpr is KeyFunc of a column.
func keyExpr(c *Column) *SqlExpr {
	stmts, err := pg.Parse("SELECT " + KeyFunc + `("` + strings.ReplaceAll(c.Name, `"`, `""`) + `")`)
	if err != nil {
		panic(err)
	}
	s := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt)
	return &SqlExpr{pg.TargetValue(s.TargetList[0]), c.text}
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
				f(k.refColumns)
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
		if slices.Contains(k.Columns, key) && (k.OnDelete != noAction && k.OnDelete != Restrict || k.OnUpdate != noAction && k.OnUpdate != Restrict) {
			t.Odd = "an action of foreign key " + k.Name + ", whose values are compared by " + l.keyName(t.Column(old))
			l.Note(k.Pos, "foreign key %s compares values by %s: its action is not modelled, nor is any statement on %s", k.Name, l.keyName(t.Column(old)), t.Name)
		}
	}
	t.Keyed = append(t.Keyed, [2]string{old, key})
}

func (l *Schema) keyName(c *Column) string {
	if c.T.Sql.Collation != "" {
		return "collation " + c.T.Sql.Collation
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

// createCollation records CREATE COLLATION: one that is not deterministic makes values
// that differ equal.
func (l *Schema) createCollation(s *pg.DefineStmt) {
	for _, n := range s.Definition {
		d := pg.Inner(n).(*pg.DefElem)
		if d.Defname != "deterministic" {
			continue
		}
		word := ""
		switch v := pg.Inner(d.Arg).(type) {
		case *pg.TypeName: // FALSE may be read as a name
			word = strings.Join(syntax.Names(v.Names), ".")
		case *pg.String:
			word = v.Sval
		case *pg.Boolean:
			if v.Boolval {
				word = "true"
			}
		}
		if !strings.EqualFold(word, "true") && !strings.EqualFold(word, "on") && word != "1" {
			l.Collations[syntax.LastPart(syntax.Qualified(syntax.Names(s.Defnames)))] = true
		}
	}
}

// Collated gives a type the collation of a COLLATE clause, if that matters for
// equality.
func (l *Schema) Collated(t Type, collation string) Type {
	if t.Sql == nil {
		return t
	}
	sql := *t.Sql
	sql.Collation = ""
	if l.Collations[syntax.LastPart(collation)] { // of any schema
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
