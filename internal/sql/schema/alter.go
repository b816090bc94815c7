package schema

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

func (l *Schema) alter(tab *Table, c *pg.AlterTableCmd, t *syntax.Text, at int) {
	pos := t.Pos(at)
	col := func() *Column {
		x := tab.Column(c.Name)
		if x == nil {
			l.Fail(pos, "table %s has no column %s", tab.Name, c.Name)
		}
		return x
	}
	switch c.Subtype {
	case pg.AlterAddColumn:
		d := pg.Inner(c.Def).(*pg.ColumnDef)
		if c.MissingOk && tab.Column(d.Colname) != nil {
			return
		}
		l.addColumn(tab, d, t)
	case pg.AlterDropColumn:
		if c.MissingOk && tab.Column(c.Name) == nil {
			return
		}
		col()
		l.dropColumn(tab, c.Name)
	case pg.AlterColumnDefault:
		l.setDefault(col(), c.Def, t)
	case pg.AlterSetNotNull:
		col().NotNull = true
	case pg.AlterDropNotNull:
		col().NotNull = false
	case pg.AlterColumnType:
		l.setType(col(), pg.Inner(c.Def).(*pg.ColumnDef), t)
	case pg.AlterAddIdentity:
		x := col()
		x.Fresh, x.NotNull = true, true
		l.ownSequence(tab, x)
	case pg.AlterDropIdentity:
		col().Fresh = false
	case pg.AlterSetExpression:
		col().Generated = &SqlExpr{c.Def, t}
	case pg.AlterDropExpression:
		col().Generated = nil
	case pg.AlterAddConstraint:
		l.constraint(tab, pg.Inner(c.Def).(*pg.Constraint), t)
	case pg.AlterValidateConstraint:
		for _, f := range tab.Foreign {
			if f.Name == c.Name {
				f.unproven = false
			}
		}
		for _, k := range tab.Checks {
			if k.Name == c.Name {
				k.Unproven = false
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
			l.Fail(t.Pos(int(rv.Location)), NoTable+"%s", syntax.RangeName(rv))
		}
		l.inherit(tab, parent, pos)
	case pg.AlterAttachPartition:
		tab.Odd = "a partition that was a table of its own"
		l.Note(pos, "ATTACH PARTITION to %s is not modelled: nor is any statement on it", tab.Name)
	case pg.AlterEnableRowSecurity, pg.AlterForceRowSecurity:
		tab.RowSec = true
	case pg.AlterDisableRowSecurity:
		tab.RowSec = false
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
func (t *Table) alterForeignKey(c *pg.ATAlterConstraint) {
	for _, f := range t.Foreign {
		if f.Name != c.Conname {
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

func (l *Schema) dropColumn(tab *Table, name string) {
	for i, c := range tab.Columns {
		if c.Name == name {
			tab.Columns = append(tab.Columns[:i:i], tab.Columns[i+1:]...)
			break
		}
	}
	gone := []string{name}
	for _, c := range tab.Indexed {
		if slices.Contains(ColumnsNamed(c.Generated.Node), name) {
			gone = append(gone, c.Name)
		}
	}
	uses := func(cols []string) bool {
		return slices.ContainsFunc(cols, func(c string) bool { return slices.Contains(gone, c) })
	}
	if tab.Key != nil && uses(tab.Key.Columns) {
		tab.Key = nil
	}
	var uniques []*UniqueKey
	for _, u := range tab.Uniques {
		if !uses(u.Columns) {
			uniques = append(uniques, u)
		}
	}
	tab.Uniques = uniques
	tab.Exclusions = Without(tab.Exclusions, func(x *Exclusion) bool { return slices.ContainsFunc(gone, x.Uses) })
	var foreign []*ForeignKey
	for _, f := range tab.Foreign {
		if !uses(f.Columns) {
			foreign = append(foreign, f)
		}
	}
	tab.Foreign = foreign
	var checks []*tableCheck
	for _, k := range tab.Checks {
		if !uses(ColumnsNamed(k.Expr.Node)) {
			checks = append(checks, k)
		}
	}
	tab.Checks = checks
}

// ColumnsNamed gives the names of columns in an expression.
func ColumnsNamed(n *pg.Node) []string {
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

func (l *Schema) dropConstraint(tab *Table, name string) {
	if tab.Key != nil && tab.Key.Name == name {
		tab.Key = nil
	}
	tab.Uniques = Without(tab.Uniques, func(u *UniqueKey) bool { return u.Name == name })
	tab.Exclusions = Without(tab.Exclusions, func(x *Exclusion) bool { return x.Name == name })
	tab.Foreign = Without(tab.Foreign, func(f *ForeignKey) bool { return f.Name == name })
	tab.Checks = Without(tab.Checks, func(k *tableCheck) bool { return k.Name == name })
	tab.Unseen = Without(tab.Unseen, func(k *Unseen) bool { return k.Name == name })
}

func Without[T any](list []T, drop func(T) bool) []T {
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
	in := l.Sees(t)
	for _, n := range s.Objects {
		switch obj := pg.Inner(n).(type) {
		case *pg.List:
			parts := syntax.Names(obj.Items)
			last := len(parts) - 1
			switch s.RemoveType {
			case pg.ObjectTable, pg.ObjectView, pg.ObjectMatView, pg.ObjectSequence, pg.ObjectForeignTable:
				if o := in.Relation(syntax.Qualified(parts)); o != nil && (o.View != nil || s.RemoveType == pg.ObjectTable) {
					l.DropRelation(o)
				}
			case pg.ObjectIndex:
				delete(l.indexNames, parts[last])
				l.dropIndex(in, parts)
			case pg.ObjectTrigger:
				if tab := in.Table(syntax.Qualified(parts[:last])); tab != nil {
					is := func(g *Trigger) bool { return g.Name == parts[last] }
					tab.Triggers, tab.disabled = Without(tab.Triggers, is), Without(tab.disabled, is)
				}
			case pg.ObjectPolicy:
				if tab := in.Table(syntax.Qualified(parts[:last])); tab != nil {
					tab.Policies = Without(tab.Policies, func(p policy) bool { return p.Name == parts[last] })
				}
			}
		case *pg.String:
			if s.RemoveType == pg.ObjectSchema {
				l.dropSchema(obj.Sval)
			}
		case *pg.TypeName:
			if u := in.Typ(syntax.Qualified(syntax.Names(obj.Names))); u != nil {
				u.Gone = l.clock
			}
		case *pg.ObjectWithArgs:
			for _, f := range l.functionsOf(obj, t) {
				l.DropFunction(f)
			}
		}
	}
}

// dropIndex drops an index by its name, which may have a schema: that of its table.
func (l *Schema) dropIndex(in *Resolver, parts []string) {
	schema, name := syntax.SplitName(syntax.Qualified(parts))
	for _, tab := range l.Order {
		s := tab.Rel.Schema()
		if schema != "" && s != schema || schema == "" && !in.leadsTo(s) {
			continue
		}
		tab.dropIndex(name)
		tab.Unseen = Without(tab.Unseen, func(k *Unseen) bool { return k.Name == name })
	}
}

// dropSchema drops all that is in a schema.
func (l *Schema) dropSchema(name string) {
	l.Declarations.schemas[name] = false
	for _, own := range slices.Sorted(maps.Keys(l.Declarations.relations)) {
		for _, o := range l.Declarations.relations[own] {
			if o.called(name, own, l.clock) {
				l.DropRelation(o)
			}
		}
	}
	for own, list := range l.Declarations.types {
		for _, u := range list {
			if u.called(name, own, l.clock) {
				u.Gone = l.clock
			}
		}
	}
	for _, f := range slices.Clone(l.Funcs) {
		if f.Schema() == name {
			l.DropFunction(f)
		}
	}
}

// dropIndex drops a unique index, with the hidden columns for its expressions.
func (t *Table) dropIndex(name string) {
	for _, u := range t.Uniques {
		if u.Name == name {
			t.Indexed = Without(t.Indexed, func(c *Column) bool { return slices.Contains(u.Columns, c.Name) })
		}
	}
	t.Uniques = Without(t.Uniques, func(u *UniqueKey) bool { return u.Name == name })
}

// DropRelation drops a table, or what stands in the place of one.
func (l *Schema) DropRelation(o *Relation) {
	if o.Table != nil {
		for _, other := range l.Order {
			other.Foreign = Without(other.Foreign, func(f *ForeignKey) bool { return f.Parent() == o.Table })
		}
	}
	o.Gone = l.clock
	l.Order = Without(l.Order, func(t *Table) bool { return t == o.Table })
	l.Views = Without(l.Views, func(v *View) bool { return v == o.View })
}

// rename is ALTER … RENAME.
func (l *Schema) rename(s *pg.RenameStmt, t *syntax.Text) {
	switch s.RenameType {
	case pg.ObjectTable, pg.ObjectColumn, pg.ObjectConstraint:
	case pg.ObjectFunction, pg.ObjectProcedure, pg.ObjectRoutine:
		l.renameFunction(s, t)
		return
	case pg.ObjectView, pg.ObjectMatView, pg.ObjectSequence, pg.ObjectForeignTable:
		if o := l.Sees(t).Relation(syntax.RangeName(s.Relation)); o != nil {
			l.move(o, o.Schema(), s.Newname)
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
			l.moveType(u, u.Schema(), s.Newname)
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
		for _, tab := range l.Order {
			for _, u := range tab.Uniques {
				if u.Name == s.Relation.Relname && (s.Relation.Schemaname == "" || s.Relation.Schemaname == tab.Rel.Schema()) {
					u.Name = s.Newname
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
		l.move(tab.Rel, tab.Rel.Schema(), s.Newname)
	case pg.ObjectConstraint:
		for _, f := range tab.Foreign {
			if f.Name == s.Subname {
				f.Name = s.Newname
			}
		}
		for _, u := range append(append([]*UniqueKey{}, tab.Uniques...), tab.Keys()...) {
			if u.Name == s.Subname {
				u.Name = s.Newname
			}
		}
		for _, x := range tab.Exclusions {
			if x.Name == s.Subname {
				x.Name = s.Newname
			}
		}
	case pg.ObjectColumn:
		c := tab.Column(s.Subname)
		if c == nil {
			l.Fail(pos, "table %s has no column %s", tab.Name, s.Subname)
		}
		l.renameColumn(tab, c, s.Newname)
	}
}

func (t *Table) Keys() []*UniqueKey {
	if t.Key == nil {
		return nil
	}
	return []*UniqueKey{t.Key}
}

func (l *Schema) renameColumn(tab *Table, c *Column, to string) {
	old := c.Name
	c.was, c.Name = append(c.was, formerName{old, l.clock}), to
	swap := func(cols []string) {
		for i := range cols {
			if cols[i] == old {
				cols[i] = to
			}
		}
	}
	inExpr := func(e *SqlExpr) {
		if e == nil {
			return
		}
		pg.Walk(e.Node, func(x any) bool {
			if r, ok := x.(*pg.ColumnRef); ok && len(r.Fields) > 0 {
				if s, ok := pg.Inner(r.Fields[len(r.Fields)-1]).(*pg.String); ok && s.Sval == old {
					s.Sval = to
				}
			}
			return true
		})
	}
	for _, u := range append(append([]*UniqueKey{}, tab.Uniques...), tab.Keys()...) {
		swap(u.Columns)
		inExpr(u.Where)
	}
	for _, x := range tab.Exclusions {
		for i := range x.Elements {
			if el := &x.Elements[i]; el.Column == old {
				el.Column = to
			}
			inExpr(x.Elements[i].Expr)
		}
		inExpr(x.Where)
	}
	for _, c := range tab.Indexed {
		inExpr(c.Generated)
	}
	for _, f := range tab.Foreign {
		swap(f.Columns)
		swap(f.SetColumns)
	}
	for _, k := range tab.Checks {
		inExpr(&k.Expr)
	}
	for _, d := range tab.Columns {
		inExpr(d.Generated)
	}
	for _, g := range tab.Triggers {
		swap(g.columns)
	}
	for _, other := range l.Order {
		for _, f := range other.Foreign {
			if f.Parent() == tab {
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

// NameAt gives the name of a column at a moment; there is false where it did not exist then.
func (c *Column) NameAt(m moment) (name string, there bool) {
	for _, f := range c.was {
		if m < f.until {
			return f.name, c.since <= m
		}
	}
	return c.Name, c.since <= m
}

// move gives a relation another schema and name.
func (l *Schema) move(o *Relation, schema, name string) {
	l.Declarations.renameRelation(o, schema, name)
	o.show()
}

// moveType gives a type another schema and name.
func (l *Schema) moveType(u *UserType, schema, name string) {
	l.Declarations.name(&u.Named, schema, name)
	if !slices.Contains(l.Declarations.types[name], u) {
		l.Declarations.types[name] = append(l.Declarations.types[name], u)
	}
}

// moveFunction gives a function another schema and name.
func (l *Schema) moveFunction(f *Function, schema, name string) {
	l.Declarations.name(&f.Named, schema, name)
	if !slices.Contains(l.Declarations.funcs[name], f) {
		l.Declarations.funcs[name] = append(l.Declarations.funcs[name], f)
	}
	f.Name = f.Full()
}

// renameSchema moves all that is in a schema.
func (l *Schema) renameSchema(from, to string) {
	l.Declarations.schemas[from], l.Declarations.schemas[to] = false, true
	for own, list := range l.Declarations.relations {
		for _, o := range list {
			if o.called(from, own, l.clock) {
				l.move(o, to, own)
			}
		}
	}
	for own, list := range l.Declarations.types {
		for _, u := range list {
			if u.called(from, own, l.clock) {
				l.moveType(u, to, own)
			}
		}
	}
	for _, f := range l.Funcs {
		if f.Schema() == from {
			l.moveFunction(f, to, f.Own())
		}
	}
}

// setSchema is ALTER … SET SCHEMA. The sequences of serial columns go with their table.
func (l *Schema) setSchema(s *pg.AlterObjectSchema, t *syntax.Text) {
	in := l.Sees(t)
	switch s.ObjectType {
	case pg.ObjectTable, pg.ObjectView, pg.ObjectMatView, pg.ObjectSequence, pg.ObjectForeignTable:
		o := in.Relation(syntax.RangeName(s.Relation))
		if o == nil {
			if !s.MissingOk {
				l.Fail(t.Pos(int(s.Relation.Location)), NoTable+"%s", syntax.RangeName(s.Relation))
			}
			return
		}
		if o.Table != nil {
			for _, c := range o.Table.Columns {
				if seq := l.Declarations.relationIn(o.Schema(), syntax.LastPart(c.Sequence), l.clock); c.Sequence != "" && seq != nil && syntax.FullName(o.Schema(), seq.Own()) == c.Sequence {
					l.move(seq, s.Newschema, seq.Own())
					c.Sequence = seq.Full()
				}
			}
		}
		l.move(o, s.Newschema, o.Own())
	case pg.ObjectType, pg.ObjectDomain:
		if list, ok := pg.Inner(s.Object).(*pg.List); ok {
			if u := in.Typ(syntax.Qualified(syntax.Names(list.Items))); u != nil {
				l.moveType(u, s.Newschema, u.Own())
			}
		}
	case pg.ObjectFunction, pg.ObjectProcedure, pg.ObjectRoutine:
		if obj, ok := pg.Inner(s.Object).(*pg.ObjectWithArgs); ok {
			for _, f := range l.functionsOf(obj, t) {
				l.moveFunction(f, s.Newschema, f.Own())
			}
		}
	}
}

// renameTrigger gives a trigger another name, by which the order changes in which triggers fire.
func (t *Table) renameTrigger(from, to string) {
	for _, g := range t.Triggers {
		if g.Name == from {
			g.Name = to
		}
	}
	t.sortTriggers()
}

// renameViewColumn is ALTER VIEW … RENAME COLUMN.
func (l *Schema) renameViewColumn(s *pg.RenameStmt, t *syntax.Text) {
	o := l.Sees(t).Relation(syntax.RangeName(s.Relation))
	if s.RenameType != pg.ObjectColumn || o == nil || o.View == nil {
		return
	}
	o.View.renamed = append(o.View.renamed, [2]string{s.Subname, s.Newname})
}
