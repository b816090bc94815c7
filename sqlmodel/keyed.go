package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/internal/sql/value"
)

// keyFunc gives what values are equal by (ex.comparable). It stands in generated
// columns that only the IR has.
const keyFunc = "robust_key"

// keyedColumns lets keys and references over columns whose values may be equal
// although they differ, such as those of type citext, be over columns that only the
// IR has: what the values are equal by.
func (l *Schema) keyedColumns() {
	for _, t := range l.order {
		for _, f := range t.foreign { // a primary key may cease to be one below
			if len(f.refColumns) == 0 {
				f.refColumns = l.refColumns(childKey{f, t})
			}
		}
	}
	for _, t := range l.order { // LIKE shares keys
		if t.key != nil {
			t.key = t.key.copy()
		}
		for i, u := range t.uniques {
			t.uniques[i] = u.copy()
		}
	}
	for _, t := range l.order {
		for _, c := range t.columns {
			if c.t.sql == nil || c.t.sql.Equality() != value.Keyed {
				continue
			}
			if !l.inKey(t, c.name) {
				continue
			}
			key := &column{pos: c.pos, name: "key of " + c.name, generated: keyExpr(c), index: true}
			t.indexed = append(t.indexed, key)
			l.useKey(t, c.name, key.name)
		}
	}
}

func (u *uniqueKey) copy() *uniqueKey {
	out := *u
	out.columns = slices.Clone(u.columns)
	return &out
}

// keyExpr is keyFunc of a column.
func keyExpr(c *column) *sqlExpr {
	stmts, err := pg.Parse("SELECT " + keyFunc + `("` + strings.ReplaceAll(c.name, `"`, `""`) + `")`)
	if err != nil {
		panic(err)
	}
	s := pg.Inner(stmts[0].Stmt).(*pg.SelectStmt)
	return &sqlExpr{pg.TargetValue(s.TargetList[0]), c.text}
}

// inKey reports whether a column is part of a key or of a reference.
func (l *Schema) inKey(t *table, name string) bool {
	found := false
	l.eachKey(t, func(columns []string) { found = found || slices.Contains(columns, name) })
	return found
}

// eachKey calls f for the columns of the keys of t, of its references, and of those
// of others to it.
func (l *Schema) eachKey(t *table, f func(columns []string)) {
	for _, k := range append(t.keys(), t.uniques...) {
		f(k.columns)
	}
	for _, k := range t.foreign {
		f(k.columns)
	}
	for _, o := range l.order {
		for _, k := range o.foreign {
			if k.parent() == t {
				f(k.refColumns)
			}
		}
	}
}

// useKey puts a column in the place of another one in all keys. A primary key becomes
// a unique one, since rows keep their identity when its spelling changes. What a
// foreign key does when the parent goes is not modelled then.
func (l *Schema) useKey(t *table, old, key string) {
	if t.key != nil && slices.Contains(t.key.columns, old) {
		for _, c := range t.key.columns {
			if col := t.column(c); col != nil {
				col.notNull = true
			}
		}
		t.uniques = append([]*uniqueKey{t.key}, t.uniques...)
		t.key = nil
	}
	l.eachKey(t, func(columns []string) {
		for i, c := range columns {
			if c == old {
				columns[i] = key
			}
		}
	})
	for _, k := range t.foreign {
		if slices.Contains(k.columns, key) && (k.onDelete != noAction && k.onDelete != restrict || k.onUpdate != noAction && k.onUpdate != restrict) {
			t.odd = "an action of foreign key " + k.name + ", whose values are compared by " + l.keyName(t.column(old))
			l.note(k.pos, "foreign key %s compares values by %s: its action is not modelled, nor is any statement on %s", k.name, l.keyName(t.column(old)), t.name)
		}
	}
	t.keyed = append(t.keyed, [2]string{old, key})
}

func (l *Schema) keyName(c *column) string {
	if c.t.sql.Collation != "" {
		return "collation " + c.t.sql.Collation
	}
	return c.t.String()
}

// keyOf gives the column that stands in keys for a column.
func (t *table) keyOf(name string) string {
	for _, k := range t.keyed {
		if k[0] == name {
			return k[1]
		}
	}
	return name
}

// byIdentityOnly refuses to tell groups of values apart that may be equal although
// they differ.
func (x *ex) byIdentityOnly(t typ, what string) {
	if t.sql != nil && t.sql.Equality() != value.Identity && !x.l.in.mysql {
		x.refuse("%s by values of type %s, which may be equal although they differ", what, t)
	}
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
			l.collations[syntax.LastPart(syntax.Qualified(syntax.Names(s.Defnames)))] = true
		}
	}
}

// collated gives a type the collation of a COLLATE clause, if that matters for
// equality.
func (l *Schema) collated(t typ, collation string) typ {
	if t.sql == nil {
		return t
	}
	sql := *t.sql
	sql.Collation = ""
	if l.collations[syntax.LastPart(collation)] { // of any schema
		sql.Collation = collation
	}
	return typeOfValues(&sql)
}
