package sqlmodel

import (
	"maps"
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

func (l *Schema) alterTable(s *pg.AlterTableStmt, t *syntax.Text) {
	if s.Objtype != pg.ObjectTable {
		return // indexes, views, sequences, types: nothing that matters here
	}
	tab := l.changed(s.Relation, t, s.MissingOk)
	if tab == nil {
		return
	}
	for _, n := range s.Cmds {
		l.alter(tab, pg.Inner(n).(*pg.AlterTableCmd), t, int(s.Relation.Location))
	}
}

func (l *Schema) alter(tab *table, c *pg.AlterTableCmd, t *syntax.Text, at int) {
	pos := t.Pos(at)
	col := func() *column {
		x := tab.column(c.Name)
		if x == nil {
			l.fail(pos, "table %s has no column %s", tab.name, c.Name)
		}
		return x
	}
	switch c.Subtype {
	case pg.AlterAddColumn:
		d := pg.Inner(c.Def).(*pg.ColumnDef)
		if c.MissingOk && tab.column(d.Colname) != nil {
			return
		}
		l.addColumn(tab, d, t)
	case pg.AlterDropColumn:
		if c.MissingOk && tab.column(c.Name) == nil {
			return
		}
		col()
		l.dropColumn(tab, c.Name)
	case pg.AlterColumnDefault:
		l.setDefault(col(), c.Def, t)
	case pg.AlterSetNotNull:
		col().notNull = true
	case pg.AlterDropNotNull:
		col().notNull = false
	case pg.AlterColumnType:
		l.setType(col(), pg.Inner(c.Def).(*pg.ColumnDef), t)
	case pg.AlterAddIdentity:
		x := col()
		x.fresh, x.notNull = true, true
		l.ownSequence(tab, x)
	case pg.AlterDropIdentity:
		col().fresh = false
	case pg.AlterSetExpression:
		col().generated = &sqlExpr{c.Def, t}
	case pg.AlterDropExpression:
		col().generated = nil
	case pg.AlterAddConstraint:
		l.constraint(tab, pg.Inner(c.Def).(*pg.Constraint), t)
	case pg.AlterValidateConstraint:
		for _, f := range tab.foreign {
			if f.name == c.Name {
				f.unproven = false
			}
		}
		for _, k := range tab.checks {
			if k.name == c.Name {
				k.unproven = false
			}
		}
	case pg.AlterConstraint:
		if d, ok := pg.Inner(c.Def).(*pg.ATAlterConstraint); ok {
			tab.alterForeignKey(d)
		}
	case pg.AlterDropConstraint:
		l.dropConstraint(tab, c.Name)
	case pg.AlterAddInherit:
		rv := pg.Inner(c.Def).(*pg.RangeVar)
		parent := l.tableNamed(rv, t)
		if parent == nil {
			l.fail(t.Pos(int(rv.Location)), noTable+"%s", syntax.RangeName(rv))
		}
		l.inherit(tab, parent, pos)
	case pg.AlterAttachPartition:
		tab.odd = "a partition that was a table of its own"
		l.note(pos, "ATTACH PARTITION to %s is not modelled: nor is any statement on it", tab.name)
	case pg.AlterEnableRowSecurity, pg.AlterForceRowSecurity:
		tab.rowSec = true
	case pg.AlterDisableRowSecurity:
		tab.rowSec = false
	case pg.AlterSetIdentity:
	default:
		if l.switchTriggers(tab, c) {
			return
		}
		// Owners, storage, statistics, replica identity: they change no value.
	}
}

// alterForeignKey is ALTER CONSTRAINT, which only foreign keys have: when they are checked,
// and whether.
func (t *table) alterForeignKey(c *pg.ATAlterConstraint) {
	for _, f := range t.foreign {
		if f.name != c.Conname {
			continue
		}
		if c.AlterDeferrability {
			f.deferred, f.deferrable = c.Initdeferred, c.Deferrable
		}
		if c.AlterEnforceability {
			f.unproven = !c.IsEnforced
		}
	}
}

func (l *Schema) dropColumn(tab *table, name string) {
	for i, c := range tab.columns {
		if c.name == name {
			tab.columns = append(tab.columns[:i:i], tab.columns[i+1:]...)
			break
		}
	}
	gone := []string{name}
	for _, c := range tab.indexed {
		if slices.Contains(columnsNamed(c.generated.node), name) {
			gone = append(gone, c.name)
		}
	}
	uses := func(cols []string) bool {
		return slices.ContainsFunc(cols, func(c string) bool { return slices.Contains(gone, c) })
	}
	if tab.key != nil && uses(tab.key.columns) {
		tab.key = nil
	}
	var uniques []*uniqueKey
	for _, u := range tab.uniques {
		if !uses(u.columns) {
			uniques = append(uniques, u)
		}
	}
	tab.uniques = uniques
	tab.exclusions = without(tab.exclusions, func(x *exclusion) bool { return slices.ContainsFunc(gone, x.uses) })
	var foreign []*foreignKey
	for _, f := range tab.foreign {
		if !uses(f.columns) {
			foreign = append(foreign, f)
		}
	}
	tab.foreign = foreign
	var checks []*tableCheck
	for _, k := range tab.checks {
		if !uses(columnsNamed(k.expr.node)) {
			checks = append(checks, k)
		}
	}
	tab.checks = checks
}

// columnsNamed gives the names of columns in an expression.
func columnsNamed(n *pg.Node) []string {
	var out []string
	pg.Walk(n, func(x any) bool {
		if c, ok := x.(*pg.ColumnRef); ok {
			if parts := syntax.Names(c.Fields); len(parts) > 0 {
				out = append(out, parts[len(parts)-1])
			}
		}
		return true
	})
	return out
}

func (l *Schema) dropConstraint(tab *table, name string) {
	if tab.key != nil && tab.key.name == name {
		tab.key = nil
	}
	tab.uniques = without(tab.uniques, func(u *uniqueKey) bool { return u.name == name })
	tab.exclusions = without(tab.exclusions, func(x *exclusion) bool { return x.name == name })
	tab.foreign = without(tab.foreign, func(f *foreignKey) bool { return f.name == name })
	tab.checks = without(tab.checks, func(k *tableCheck) bool { return k.name == name })
	tab.unseen = without(tab.unseen, func(k *unseen) bool { return k.name == name })
}

func without[T any](list []T, drop func(T) bool) []T {
	var out []T
	for _, x := range list {
		if !drop(x) {
			out = append(out, x)
		}
	}
	return out
}

// drop is DROP of anything.
func (l *Schema) drop(s *pg.DropStmt, t *syntax.Text) {
	in := l.sees(t)
	for _, n := range s.Objects {
		switch obj := pg.Inner(n).(type) {
		case *pg.List:
			parts := syntax.Names(obj.Items)
			last := len(parts) - 1
			switch s.RemoveType {
			case pg.ObjectTable, pg.ObjectView, pg.ObjectMatView, pg.ObjectSequence, pg.ObjectForeignTable:
				if o := in.relation(syntax.Qualified(parts)); o != nil && (o.view != nil || s.RemoveType == pg.ObjectTable) {
					l.dropRelation(o)
				}
			case pg.ObjectIndex:
				delete(l.indexNames, parts[last])
				l.dropIndex(in, parts)
			case pg.ObjectTrigger:
				if tab := in.table(syntax.Qualified(parts[:last])); tab != nil {
					is := func(g *trigger) bool { return g.name == parts[last] }
					tab.triggers, tab.disabled = without(tab.triggers, is), without(tab.disabled, is)
				}
			case pg.ObjectPolicy:
				if tab := in.table(syntax.Qualified(parts[:last])); tab != nil {
					tab.policies = without(tab.policies, func(p policy) bool { return p.name == parts[last] })
				}
			}
		case *pg.String:
			if s.RemoveType == pg.ObjectSchema {
				l.dropSchema(obj.Sval)
			}
		case *pg.TypeName:
			if u := in.typ(syntax.Qualified(syntax.Names(obj.Names))); u != nil {
				u.gone = l.clock
			}
		case *pg.ObjectWithArgs:
			for _, f := range l.functionsOf(obj, t) {
				l.dropFunction(f)
			}
		}
	}
}

// dropIndex drops an index by its name, which may have a schema: that of its table.
func (l *Schema) dropIndex(in *resolver, parts []string) {
	schema, name := syntax.SplitName(syntax.Qualified(parts))
	for _, tab := range l.order {
		s := tab.rel.schema()
		if schema != "" && s != schema || schema == "" && !in.leadsTo(s) {
			continue
		}
		tab.dropIndex(name)
		tab.unseen = without(tab.unseen, func(k *unseen) bool { return k.name == name })
	}
}

// dropSchema drops all that is in a schema.
func (l *Schema) dropSchema(name string) {
	l.declarations.schemas[name] = false
	for _, own := range slices.Sorted(maps.Keys(l.declarations.relations)) {
		for _, o := range l.declarations.relations[own] {
			if o.called(name, own, l.clock) {
				l.dropRelation(o)
			}
		}
	}
	for own, list := range l.declarations.types {
		for _, u := range list {
			if u.called(name, own, l.clock) {
				u.gone = l.clock
			}
		}
	}
	for _, f := range slices.Clone(l.funcs) {
		if f.schema() == name {
			l.dropFunction(f)
		}
	}
}

// dropIndex drops a unique index, with the hidden columns for its expressions.
func (t *table) dropIndex(name string) {
	for _, u := range t.uniques {
		if u.name == name {
			t.indexed = without(t.indexed, func(c *column) bool { return slices.Contains(u.columns, c.name) })
		}
	}
	t.uniques = without(t.uniques, func(u *uniqueKey) bool { return u.name == name })
}

// dropRelation drops a table, or what stands in the place of one.
func (l *Schema) dropRelation(o *relation) {
	if o.table != nil {
		for _, other := range l.order {
			other.foreign = without(other.foreign, func(f *foreignKey) bool { return f.parent() == o.table })
		}
	}
	o.gone = l.clock
	l.order = without(l.order, func(t *table) bool { return t == o.table })
	l.views = without(l.views, func(v *view) bool { return v == o.view })
}

// rename is ALTER … RENAME.
func (l *Schema) rename(s *pg.RenameStmt, t *syntax.Text) {
	switch s.RenameType {
	case pg.ObjectTable, pg.ObjectColumn, pg.ObjectConstraint:
	case pg.ObjectFunction, pg.ObjectProcedure, pg.ObjectRoutine:
		l.renameFunction(s, t)
		return
	case pg.ObjectView, pg.ObjectMatView, pg.ObjectSequence, pg.ObjectForeignTable:
		if o := l.sees(t).relation(syntax.RangeName(s.Relation)); o != nil {
			l.move(o, o.schema(), s.Newname)
		}
		return
	case pg.ObjectDomainCheck:
		if u := l.typeNamed(s.Object, t); u != nil {
			for _, c := range u.refuses {
				if c.name == s.Subname {
					c.name = s.Newname
				}
			}
		}
		return
	case pg.ObjectType, pg.ObjectDomain:
		if u := l.typeNamed(s.Object, t); u != nil {
			l.moveType(u, u.schema(), s.Newname)
		}
		return
	case pg.ObjectSchema:
		l.renameSchema(s.Subname, s.Newname)
		return
	case pg.ObjectTrigger:
		if tab := l.tableNamed(s.Relation, t); tab != nil {
			tab.renameTrigger(s.Subname, s.Newname)
		}
		return
	case pg.ObjectIndex:
		for _, tab := range l.order {
			for _, u := range tab.uniques {
				if u.name == s.Relation.Relname && (s.Relation.Schemaname == "" || s.Relation.Schemaname == tab.rel.schema()) {
					u.name = s.Newname
				}
			}
		}
		return
	default:
		return // names that nothing here refers to
	}
	tab := l.changed(s.Relation, t, s.MissingOk)
	if tab == nil {
		l.renameViewColumn(s, t)
		return
	}
	pos := t.Pos(int(s.Relation.Location))
	switch s.RenameType {
	case pg.ObjectTable:
		l.move(tab.rel, tab.rel.schema(), s.Newname)
	case pg.ObjectConstraint:
		for _, f := range tab.foreign {
			if f.name == s.Subname {
				f.name = s.Newname
			}
		}
		for _, u := range append(append([]*uniqueKey{}, tab.uniques...), tab.keys()...) {
			if u.name == s.Subname {
				u.name = s.Newname
			}
		}
		for _, x := range tab.exclusions {
			if x.name == s.Subname {
				x.name = s.Newname
			}
		}
	case pg.ObjectColumn:
		c := tab.column(s.Subname)
		if c == nil {
			l.fail(pos, "table %s has no column %s", tab.name, s.Subname)
		}
		l.renameColumn(tab, c, s.Newname)
	}
}

func (t *table) keys() []*uniqueKey {
	if t.key == nil {
		return nil
	}
	return []*uniqueKey{t.key}
}

func (l *Schema) renameColumn(tab *table, c *column, to string) {
	old := c.name
	c.was, c.name = append(c.was, formerName{old, l.clock}), to
	swap := func(cols []string) {
		for i := range cols {
			if cols[i] == old {
				cols[i] = to
			}
		}
	}
	inExpr := func(e *sqlExpr) {
		if e == nil {
			return
		}
		pg.Walk(e.node, func(x any) bool {
			if r, ok := x.(*pg.ColumnRef); ok && len(r.Fields) > 0 {
				if s, ok := pg.Inner(r.Fields[len(r.Fields)-1]).(*pg.String); ok && s.Sval == old {
					s.Sval = to
				}
			}
			return true
		})
	}
	for _, u := range append(append([]*uniqueKey{}, tab.uniques...), tab.keys()...) {
		swap(u.columns)
		inExpr(u.where)
	}
	for _, x := range tab.exclusions {
		for i := range x.elements {
			if el := &x.elements[i]; el.column == old {
				el.column = to
			}
			inExpr(x.elements[i].expr)
		}
		inExpr(x.where)
	}
	for _, c := range tab.indexed {
		inExpr(c.generated)
	}
	for _, f := range tab.foreign {
		swap(f.columns)
		swap(f.setColumns)
	}
	for _, k := range tab.checks {
		inExpr(&k.expr)
	}
	for _, d := range tab.columns {
		inExpr(d.generated)
	}
	for _, g := range tab.triggers {
		swap(g.columns)
	}
	for _, other := range l.order {
		for _, f := range other.foreign {
			if f.parent() == tab {
				swap(f.refColumns)
			}
		}
	}
}

// formerName is a name that a column had until some moment.
type formerName struct {
	name  string
	until moment
}

// nameAt gives the name of a column at a moment; there is false where it did not exist then.
func (c *column) nameAt(m moment) (name string, there bool) {
	for _, f := range c.was {
		if m < f.until {
			return f.name, c.since <= m
		}
	}
	return c.name, c.since <= m
}

// move gives a relation another schema and name.
func (l *Schema) move(o *relation, schema, name string) {
	l.declarations.renameRelation(o, schema, name)
	o.show()
}

// moveType gives a type another schema and name.
func (l *Schema) moveType(u *userType, schema, name string) {
	l.declarations.name(&u.named, schema, name)
	if !slices.Contains(l.declarations.types[name], u) {
		l.declarations.types[name] = append(l.declarations.types[name], u)
	}
}

// moveFunction gives a function another schema and name.
func (l *Schema) moveFunction(f *function, schema, name string) {
	l.declarations.name(&f.named, schema, name)
	if !slices.Contains(l.declarations.funcs[name], f) {
		l.declarations.funcs[name] = append(l.declarations.funcs[name], f)
	}
	f.name = f.full()
}

// renameSchema moves all that is in a schema.
func (l *Schema) renameSchema(from, to string) {
	l.declarations.schemas[from], l.declarations.schemas[to] = false, true
	for own, list := range l.declarations.relations {
		for _, o := range list {
			if o.called(from, own, l.clock) {
				l.move(o, to, own)
			}
		}
	}
	for own, list := range l.declarations.types {
		for _, u := range list {
			if u.called(from, own, l.clock) {
				l.moveType(u, to, own)
			}
		}
	}
	for _, f := range l.funcs {
		if f.schema() == from {
			l.moveFunction(f, to, f.own())
		}
	}
}

// setSchema is ALTER … SET SCHEMA. The sequences of serial columns go with their table.
func (l *Schema) setSchema(s *pg.AlterObjectSchema, t *syntax.Text) {
	in := l.sees(t)
	switch s.ObjectType {
	case pg.ObjectTable, pg.ObjectView, pg.ObjectMatView, pg.ObjectSequence, pg.ObjectForeignTable:
		o := in.relation(syntax.RangeName(s.Relation))
		if o == nil {
			if !s.MissingOk {
				l.fail(t.Pos(int(s.Relation.Location)), noTable+"%s", syntax.RangeName(s.Relation))
			}
			return
		}
		if o.table != nil {
			for _, c := range o.table.columns {
				if seq := l.declarations.relationIn(o.schema(), syntax.LastPart(c.sequence), l.clock); c.sequence != "" && seq != nil && syntax.FullName(o.schema(), seq.own()) == c.sequence {
					l.move(seq, s.Newschema, seq.own())
					c.sequence = seq.full()
				}
			}
		}
		l.move(o, s.Newschema, o.own())
	case pg.ObjectType, pg.ObjectDomain:
		if list, ok := pg.Inner(s.Object).(*pg.List); ok {
			if u := in.typ(syntax.Qualified(syntax.Names(list.Items))); u != nil {
				l.moveType(u, s.Newschema, u.own())
			}
		}
	case pg.ObjectFunction, pg.ObjectProcedure, pg.ObjectRoutine:
		if obj, ok := pg.Inner(s.Object).(*pg.ObjectWithArgs); ok {
			for _, f := range l.functionsOf(obj, t) {
				l.moveFunction(f, s.Newschema, f.own())
			}
		}
	}
}

// renameTrigger gives a trigger another name, by which the order changes in which triggers fire.
func (t *table) renameTrigger(from, to string) {
	for _, g := range t.triggers {
		if g.name == from {
			g.name = to
		}
	}
	t.sortTriggers()
}

// renameViewColumn is ALTER VIEW … RENAME COLUMN.
func (l *Schema) renameViewColumn(s *pg.RenameStmt, t *syntax.Text) {
	o := l.sees(t).relation(syntax.RangeName(s.Relation))
	if s.RenameType != pg.ObjectColumn || o == nil || o.view == nil {
		return
	}
	o.view.renamed = append(o.view.renamed, [2]string{s.Subname, s.Newname})
}
