package ddl

import (
	"cmp"
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

func (l *Definer) alterTable(s *pg.AlterTableStmt, t *syntax.Text) {
	if s.Objtype == pg.ObjectView {
		l.guard(s.Relation, t, "options or defaults of its own")
	}
	if s.Objtype == pg.ObjectIndex {
		l.joinIndex(s)
	}
	if s.Objtype != pg.ObjectTable {
		return // indexes, sequences, types: nothing that matters here
	}
	tab := l.Changed(s.Relation, t, s.MissingOk)
	if tab == nil {
		l.guard(s.Relation, t, "options or defaults of its own")
		if whole := partitionedBy(l.Sees(t).Relation(syntax.RangeName(s.Relation))); whole != nil {
			for _, n := range s.Cmds {
				switch c := pg.Inner(pg.Inner(n).(*pg.AlterTableCmd).Def).(type) {
				case *pg.Constraint:
					l.partitionConstraint(whole, s.Relation, c, t)
				case *pg.PartitionCmd:
					if c.Bound != nil { // ATTACH
						l.attach(whole, c, t, t.Pos(int(s.Relation.Location)))
						whole.Partitions.Deep = true
					}
				}
			}
		}
		return
	}
	keys, primary := slices.Clone(tab.Uniques), tab.Key
	for _, c := range inPasses(s.Cmds) {
		l.alter(tab, c, t, int(s.Relation.Location))
	}
	open := openPartitions(tab, s.Relation)
	for _, u := range tab.Uniques {
		if !slices.Contains(keys, u) {
			u.Partitions = open
		}
	}
	if tab.Key != nil && tab.Key != primary {
		tab.Key.Partitions = open
	}
}

// inPasses gives the actions of an ALTER TABLE in the order in which PostgreSQL runs them (AlterTablePass
// in tablecmds.c): what it drops first, then types, then columns that it adds, then the rest.
func inPasses(cmds []*pg.Node) []*pg.AlterTableCmd {
	var out []*pg.AlterTableCmd
	for _, n := range cmds {
		out = append(out, pg.Inner(n).(*pg.AlterTableCmd))
	}
	slices.SortStableFunc(out, func(a, b *pg.AlterTableCmd) int { return cmp.Compare(pass(a), pass(b)) })
	return out
}

// pass is when PostgreSQL runs an action of ALTER TABLE.
func pass(c *pg.AlterTableCmd) int {
	switch c.Subtype {
	case pg.AlterDropColumn, pg.AlterDropConstraint, pg.AlterDropNotNull, pg.AlterDropExpression, pg.AlterDropIdentity:
		return 0
	case pg.AlterColumnDefault:
		if c.Def == nil {
			return 0
		}
	case pg.AlterColumnType:
		return 1
	case pg.AlterAddColumn:
		return 2
	}
	return 3
}

// openPartitions is how many partitions of a table have no index for a key that is declared now: all
// that are there where it is declared for the partitioned table ONLY.
func openPartitions(tab *schema.Table, r *pg.RangeVar) int {
	if r.Inh || tab.Partitions == nil {
		return 0
	}
	return len(tab.Partitions.Bounds)
}

// joinIndex is ALTER INDEX … ATTACH PARTITION.
func (l *Definer) joinIndex(s *pg.AlterTableStmt) {
	for _, n := range s.Cmds {
		c := pg.Inner(n).(*pg.AlterTableCmd)
		if c.Subtype != pg.AlterAttachPartition {
			continue
		}
		index := syntax.RangeName(pg.Inner(c.Def).(*pg.PartitionCmd).Name)
		for _, tab := range l.Order {
			if s.Relation.Schemaname == "" || s.Relation.Schemaname == tab.Rel.Schema() {
				joinKeys(tab, s.Relation.Relname, index)
			}
		}
	}
}

// joinKeys adds an index of a partition to the key of a table, or of another partition, that has the
// name, with those that the index is made of itself.
func joinKeys(tab *schema.Table, name, index string) {
	added := []string{index}
	for _, k := range tab.PartitionKeys {
		if k.Name == syntax.LastPart(index) {
			added = append(added, k.Joined...)
		}
	}
	for _, u := range slices.Concat(tab.Uniques, tab.Keys(), tab.PartitionKeys) {
		if u.Name != name && !slices.ContainsFunc(u.Joined, func(j string) bool { return syntax.LastPart(j) == name }) {
			continue
		}
		for _, j := range added {
			if !slices.ContainsFunc(u.Joined, func(o string) bool { return syntax.LastPart(o) == syntax.LastPart(j) }) {
				u.Joined = append(u.Joined, j)
			}
		}
	}
}

func (l *Definer) alter(tab *schema.Table, c *pg.AlterTableCmd, t *syntax.Text, at int) {
	pos := t.Pos(at)
	col := func() *schema.Column {
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
		l.withKeys(tab, func() { tab.DropColumn(c.Name) })
		dropUnused(tab)
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
		col().Generated = &schema.SQLExpr{Node: c.Def, Text: t}
	case pg.AlterDropExpression:
		col().Generated = nil
	case pg.AlterAddConstraint:
		l.constraint(tab, pg.Inner(c.Def).(*pg.Constraint), t)
	case pg.AlterValidateConstraint:
		for _, f := range tab.Foreign {
			if f.Name == c.Name {
				f.Unproven = false
			}
		}
		for _, k := range tab.Checks {
			if k.Name == c.Name {
				k.Unproven = false
			}
		}
	case pg.AlterConstraint:
		if d, ok := pg.Inner(c.Def).(*pg.ATAlterConstraint); ok {
			tab.AlterForeignKey(d)
		}
	case pg.AlterDropConstraint:
		found := false
		l.withKeys(tab, func() { found = tab.DropConstraint(c.Name) })
		if !found && !c.MissingOk { // the server has it, under a name that was not foreseen
			tab.Odd = "a constraint that was dropped, but which one is not known"
			l.Note(pos, "table %s has no constraint %s here: no statement on it is modelled; give the constraint a name where it is declared", tab.Name, c.Name)
		}
	case pg.AlterAddInherit:
		rv := pg.Inner(c.Def).(*pg.RangeVar)
		parent := l.tableNamed(rv, t)
		if parent == nil {
			l.Fail(t.Pos(int(rv.Location)), schema.NoTable+"%s", syntax.RangeName(rv))
		}
		l.inherit(tab, parent, pos)
	case pg.AlterAttachPartition:
		l.attach(tab, pg.Inner(c.Def).(*pg.PartitionCmd), t, pos)
	case pg.AlterEnableRowSecurity, pg.AlterForceRowSecurity:
		tab.RowSec = true
		tab.Forced = tab.Forced || c.Subtype == pg.AlterForceRowSecurity
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

// drop is DROP of anything.
func (l *Definer) drop(s *pg.DropStmt, t *syntax.Text) {
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
				delete(l.IndexNames, parts[last])
				l.dropIndex(in, parts)
			case pg.ObjectTrigger:
				if tab := in.Table(syntax.Qualified(parts[:last])); tab != nil {
					is := func(g *schema.Trigger) bool { return g.Name == parts[last] }
					tab.Triggers, tab.Disabled = schema.Without(tab.Triggers, is), schema.Without(tab.Disabled, is)
				}
			case pg.ObjectPolicy:
				if tab := in.Table(syntax.Qualified(parts[:last])); tab != nil {
					tab.Policies = schema.Without(tab.Policies, func(p schema.Policy) bool { return p.Name == parts[last] })
				}
			}
		case *pg.String:
			if s.RemoveType == pg.ObjectSchema {
				l.dropSchema(obj.Sval)
			}
		case *pg.TypeName:
			if u := in.Typ(syntax.Qualified(syntax.Names(obj.Names))); u != nil {
				l.dropType(u)
			}
		case *pg.ObjectWithArgs:
			for _, f := range l.functionsOf(obj, t) {
				l.DropFunction(f)
			}
		}
	}
}

// DropIndex drops an index by its name, which may have a schema: that of its table.
func (l *Definer) dropIndex(in *schema.Resolver, parts []string) {
	schemaName, name := syntax.SplitName(syntax.Qualified(parts))
	for _, tab := range l.Order {
		s := tab.Rel.Schema()
		if schemaName != "" && s != schemaName || schemaName == "" && !in.LeadsTo(s) {
			continue
		}
		l.withKeys(tab, func() { tab.DropIndex(name) })
	}
}

// dropSchema drops all that is in a schema.
func (l *Definer) dropSchema(name string) {
	l.Declarations.Schemas[name] = false
	for _, o := range l.Declarations.Relations.InSchema(name, l.Clock) {
		l.DropRelation(o)
	}
	for _, u := range l.Declarations.Types.InSchema(name, l.Clock) {
		l.dropType(u)
	}
	for _, f := range slices.Clone(l.Funcs) {
		if f.Schema() == name {
			l.DropFunction(f)
		}
	}
}

// DropRelation drops a table, or what stands in the place of one.
func (l *Definer) DropRelation(o *schema.Relation) {
	if o.Table != nil {
		for _, other := range l.Order {
			other.Foreign = schema.Without(other.Foreign, func(f *schema.ForeignKey) bool { return f.Parent() == o.Table })
		}
	}
	if o.View != nil && o.View.What == schema.SequenceView {
		l.dropSequence(o.Full())
	}
	o.Gone = l.Clock
	l.Order = schema.Without(l.Order, func(t *schema.Table) bool { return t == o.Table })
	l.Views = schema.Without(l.Views, func(v *schema.View) bool { return v == o.View })
}

// rename is ALTER … RENAME.
func (l *Definer) rename(s *pg.RenameStmt, t *syntax.Text) {
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
			for _, c := range u.Refuses {
				if c.Name == s.Subname {
					c.Name = s.Newname
				}
			}
		}
		return
	case pg.ObjectType, pg.ObjectDomain:
		if u := l.typeNamed(s.Object, t); u != nil {
			l.Declarations.Types.Name(u, u.Schema(), s.Newname, l.Clock)
		}
		return
	case pg.ObjectSchema:
		l.renameSchema(s.Subname, s.Newname)
		return
	case pg.ObjectTrigger:
		if tab := l.tableNamed(s.Relation, t); tab != nil {
			tab.RenameTrigger(s.Subname, s.Newname)
		}
		return
	case pg.ObjectIndex:
		for _, tab := range l.Order {
			if s.Relation.Schemaname == "" || s.Relation.Schemaname == tab.Rel.Schema() {
				tab.RenameConstraint(s.Relation.Relname, s.Newname, true)
			}
		}
		return
	default:
		return // names that nothing here refers to
	}
	tab := l.Changed(s.Relation, t, s.MissingOk)
	if tab == nil {
		l.renameViewColumn(s, t)
		return
	}
	pos := t.Pos(int(s.Relation.Location))
	switch s.RenameType {
	case pg.ObjectTable:
		l.move(tab.Rel, tab.Rel.Schema(), s.Newname)
	case pg.ObjectConstraint:
		tab.RenameConstraint(s.Subname, s.Newname, false)
	case pg.ObjectColumn:
		c := tab.Column(s.Subname)
		if c == nil {
			l.Fail(pos, "table %s has no column %s", tab.Name, s.Subname)
		}
		l.renameColumn(tab, c, s.Newname)
	}
}

func (l *Definer) renameColumn(tab *schema.Table, c *schema.Column, to string) {
	old := c.Name
	c.Was, c.Name = append(c.Was, schema.FormerName{Name: old, Until: l.Clock}), to
	tab.RenameColumn(old, to)
	for _, other := range l.Order {
		for _, f := range other.Foreign {
			if f.Parent() == tab {
				f.RenameParentColumn(old, to)
			}
		}
	}
}

// move gives a relation another schema and name.
func (l *Definer) move(o *schema.Relation, schema, name string) {
	l.Declarations.Relations.Name(o, schema, name, l.Clock)
	o.Show()
}

// moveFunction gives a function another schema and name.
func (l *Definer) moveFunction(f *schema.Function, schema, name string) {
	l.Declarations.Funcs.Name(f, schema, name, l.Clock)
	f.Name = f.Full()
}

// renameSchema moves all that is in a schema.
func (l *Definer) renameSchema(from, to string) {
	l.Declarations.Schemas[from], l.Declarations.Schemas[to] = false, true
	for _, o := range l.Declarations.Relations.InSchema(from, l.Clock) {
		l.move(o, to, o.Own())
	}
	for _, u := range l.Declarations.Types.InSchema(from, l.Clock) {
		l.Declarations.Types.Name(u, to, u.Own(), l.Clock)
	}
	for _, f := range l.Funcs {
		if f.Schema() == from {
			l.moveFunction(f, to, f.Own())
		}
	}
}

// setSchema is ALTER … SET SCHEMA. The sequences of serial columns go with their table.
func (l *Definer) setSchema(s *pg.AlterObjectSchema, t *syntax.Text) {
	in := l.Sees(t)
	switch s.ObjectType {
	case pg.ObjectTable, pg.ObjectView, pg.ObjectMatView, pg.ObjectSequence, pg.ObjectForeignTable:
		o := in.Relation(syntax.RangeName(s.Relation))
		if o == nil {
			if !s.MissingOk {
				l.Fail(t.Pos(int(s.Relation.Location)), schema.NoTable+"%s", syntax.RangeName(s.Relation))
			}
			return
		}
		if o.Table != nil {
			for _, c := range o.Table.Columns {
				if seq := l.Declarations.RelationIn(o.Schema(), syntax.LastPart(c.Sequence), l.Clock); c.Sequence != "" && seq != nil && syntax.FullName(o.Schema(), seq.Own()) == c.Sequence {
					l.move(seq, s.Newschema, seq.Own())
					c.Sequence = seq.Full()
				}
			}
		}
		l.move(o, s.Newschema, o.Own())
	case pg.ObjectType, pg.ObjectDomain:
		if list, ok := pg.Inner(s.Object).(*pg.List); ok {
			if u := in.Typ(syntax.Qualified(syntax.Names(list.Items))); u != nil {
				l.Declarations.Types.Name(u, s.Newschema, u.Own(), l.Clock)
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

// renameViewColumn is ALTER VIEW … RENAME COLUMN.
func (l *Definer) renameViewColumn(s *pg.RenameStmt, t *syntax.Text) {
	o := l.Sees(t).Relation(syntax.RangeName(s.Relation))
	if s.RenameType != pg.ObjectColumn || o == nil || o.View == nil {
		return
	}
	o.View.Renamed = append(o.View.Renamed, [2]string{s.Subname, s.Newname})
}
