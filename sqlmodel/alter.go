package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/sqlmodel/internal/pg"
)

func (l *loader) alterTable(s *pg.AlterTableStmt, t *text) {
	if s.Objtype != pg.ObjectTable {
		return // indexes, views, sequences, types: nothing that matters here
	}
	name := rangeName(s.Relation)
	pos := t.pos(int(s.Relation.Location))
	tab := l.table(name)
	if tab == nil {
		if s.MissingOk || l.views[name] != nil {
			return
		}
		l.fail(pos, noTable+"%s", name)
	}
	for _, n := range s.Cmds {
		l.alter(tab, pg.Inner(n).(*pg.AlterTableCmd), t, int(s.Relation.Location))
	}
}

func (l *loader) alter(tab *table, c *pg.AlterTableCmd, t *text, at int) {
	pos := t.pos(at)
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
		col().t = l.typeOf(pg.Inner(c.Def).(*pg.ColumnDef).TypeName, t)
	case pg.AlterAddIdentity:
		x := col()
		x.fresh, x.notNull = true, true
		x.sequence = tab.name + "_" + x.name + "_seq"
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
		for _, f := range tab.foreign {
			k, ok := pg.Inner(c.Def).(*pg.Constraint)
			if ok && f.name == k.Conname {
				f.deferred, f.deferrable = k.Initdeferred, k.Deferrable
			}
		}
	case pg.AlterDropConstraint:
		l.dropConstraint(tab, c.Name)
	case pg.AlterAddInherit:
		rv := pg.Inner(c.Def).(*pg.RangeVar)
		parent := l.table(rangeName(rv))
		if parent == nil {
			l.fail(t.pos(int(rv.Location)), noTable+"%s", rangeName(rv))
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

func (l *loader) dropColumn(tab *table, name string) {
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
			if parts := names(c.Fields); len(parts) > 0 {
				out = append(out, parts[len(parts)-1])
			}
		}
		return true
	})
	return out
}

func (l *loader) dropConstraint(tab *table, name string) {
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
func (l *loader) drop(s *pg.DropStmt) {
	for _, n := range s.Objects {
		switch obj := pg.Inner(n).(type) {
		case *pg.List:
			parts := names(obj.Items)
			name := qualified(parts)
			switch s.RemoveType {
			case pg.ObjectTable:
				l.dropTable(name)
			case pg.ObjectView, pg.ObjectMatView:
				delete(l.views, name)
			case pg.ObjectIndex:
				for _, tab := range l.order {
					tab.dropIndex(name)
					tab.unseen = without(tab.unseen, func(k *unseen) bool { return k.name == name })
				}
			case pg.ObjectTrigger:
				if tab := l.table(qualified(parts[:len(parts)-1])); tab != nil {
					is := func(g *trigger) bool { return g.name == parts[len(parts)-1] }
					tab.triggers, tab.disabled = without(tab.triggers, is), without(tab.disabled, is)
				}
			case pg.ObjectPolicy:
				if tab := l.table(qualified(parts[:len(parts)-1])); tab != nil {
					tab.policies = without(tab.policies, func(p *pg.CreatePolicyStmt) bool { return p.PolicyName == parts[len(parts)-1] })
				}
			}
		case *pg.TypeName:
			delete(l.types, qualified(names(obj.Names)))
		case *pg.ObjectWithArgs:
			l.dropFunction(obj)
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

func (l *loader) dropTable(name string) {
	tab := l.table(name)
	if tab == nil {
		delete(l.views, name)
		return
	}
	delete(l.tables, name)
	l.dropped[tab.name] = true
	l.order = without(l.order, func(t *table) bool { return t == tab })
	for _, other := range l.order {
		other.foreign = without(other.foreign, func(f *foreignKey) bool { return f.ref == name })
	}
}

// rename is ALTER … RENAME.
func (l *loader) rename(s *pg.RenameStmt, t *text) {
	switch s.RenameType {
	case pg.ObjectTable, pg.ObjectColumn, pg.ObjectConstraint:
	case pg.ObjectFunction, pg.ObjectProcedure, pg.ObjectRoutine:
		l.renameFunction(s)
		return
	default:
		return // names that nothing here refers to
	}
	name := rangeName(s.Relation)
	tab := l.table(name)
	pos := t.pos(int(s.Relation.Location))
	if tab == nil {
		if s.MissingOk || l.views[name] != nil {
			return
		}
		l.fail(pos, noTable+"%s", name)
	}
	switch s.RenameType {
	case pg.ObjectTable:
		full := qualified(append(nonEmpty(s.Relation.Schemaname), s.Newname))
		delete(l.tables, name)
		l.tables[full] = tab
		tab.name = full
		for _, other := range l.order {
			for _, f := range other.foreign {
				if f.ref == name {
					f.ref = full
				}
			}
		}
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
			l.fail(pos, "table %s has no column %s", name, s.Subname)
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

func (l *loader) renameColumn(tab *table, c *column, to string) {
	old := c.name
	c.name = to
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
	for _, other := range l.order {
		for _, f := range other.foreign {
			if f.ref == tab.name {
				swap(f.refColumns)
			}
		}
	}
}
