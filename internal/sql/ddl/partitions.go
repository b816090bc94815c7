package ddl

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// partition notes a partition: its rows are the parent's, and a statement
// that names it is not modelled.
func (l *Definer) partition(s *pg.CreateStmt, t *syntax.Text) {
	rv := pg.Inner(s.InhRelations[0]).(*pg.RangeVar)
	parent := l.Sees(t).Relation(syntax.RangeName(rv))
	if parent == nil {
		l.Fail(t.Pos(int(rv.Location)), schema.NoTable+"%s", syntax.RangeName(rv))
	}
	deep := false
	for parent.View != nil && len(parent.View.Of) == 1 {
		parent, deep = parent.View.Of[0], true // a partition of a partition
	}
	l.addPartition(parent.Table, s.Partbound, deep || s.Partspec != nil, t)
	l.partitionConstraints(parent.Table, s, t)
	l.createRelation(&schema.View{Pos: t.Pos(int(s.Relation.Location)), What: "a partition", Of: []*schema.Relation{parent}}, s.Relation, t)
}

// partitionConstraints are those that CREATE TABLE … PARTITION OF declares for the rows of the partition
// alone.
func (l *Definer) partitionConstraints(tab *schema.Table, s *pg.CreateStmt, t *syntax.Text) {
	if tab == nil {
		return
	}
	for _, n := range s.TableElts {
		if c, ok := pg.Inner(n).(*pg.Constraint); ok {
			l.partitionConstraint(tab, s.Relation, c, t)
		}
		if d, ok := pg.Inner(n).(*pg.ColumnDef); ok {
			for _, c := range d.Constraints {
				l.partitionConstraint(tab, s.Relation, pg.Inner(c).(*pg.Constraint), t)
			}
		}
	}
}

// partitionConstraint is one of the rows of the partition r of a table alone. It is not seen.
func (l *Definer) partitionConstraint(tab *schema.Table, r *pg.RangeVar, c *pg.Constraint, t *syntax.Text) {
	pos := t.Pos(int(c.Location))
	what := " of the partition " + syntax.RangeName(r)
	switch c.Contype {
	case pg.ConstrUnique, pg.ConstrPrimary:
		tab.PartitionKeys = append(tab.PartitionKeys, &schema.UniqueKey{Pos: pos, Name: c.Conname, Columns: syntax.Names(c.Keys)})
	case pg.ConstrExclusion:
		tab.Hide(&schema.Unseen{Pos: pos, Name: c.Conname, What: "an exclusion constraint" + what, On: schema.OnInsert | schema.OnUpdate, Tables: []string{tab.Name}})
	case pg.ConstrForeign:
		l.foreignKeyHidden(tab, c, "a foreign key"+what, pos, t)
	case pg.ConstrCheck, pg.ConstrNotNull:
		l.LeaveOut(tab, pos, "a check"+what, "it is about some of the rows", nil)
	}
}

// keyOfPartition is a unique key that is declared for a partition, if that is what the name means. Its columns are nil
// where they do not tell rows apart.
func (l *Definer) keyOfPartition(r *pg.RangeVar, k *schema.UniqueKey, t *syntax.Text) {
	if tab := partitionedBy(l.Sees(t).Relation(syntax.RangeName(r))); tab != nil {
		tab.PartitionKeys = append(tab.PartitionKeys, k)
	}
}

// partitionedBy gives the table of which a relation is a partition, or nil.
func partitionedBy(o *schema.Relation) *schema.Table {
	if o == nil || o.View == nil {
		return nil
	}
	for o.View != nil && len(o.View.Of) == 1 {
		o = o.View.Of[0]
	}
	if o.Table == nil || o.Table.Partitions == nil {
		return nil
	}
	return o.Table
}

// foreignKeyHidden adds a foreign key between partitions, which is about some of the rows of the tables.
func (l *Definer) foreignKeyHidden(tab *schema.Table, k *pg.Constraint, what string, pos ir.Pos, t *syntax.Text) {
	ref := l.tableNamed(k.Pktable, t)
	if ref == nil {
		ref = partitionedBy(l.Sees(t).Relation(syntax.RangeName(k.Pktable)))
	}
	if ref == nil {
		return
	}
	both := []string{tab.Name, ref.Name}
	tab.Hide(&schema.Unseen{Pos: pos, Name: k.Conname, What: what, On: schema.OnInsert | schema.OnUpdate, Tables: both})
	ref.Hide(&schema.Unseen{Pos: pos, Name: k.Conname, What: what, On: schema.OnDelete | schema.OnUpdate, Tables: both})
}

// addPartition adds a partition that is declared. Where it is deep, it has partitions itself.
func (l *Definer) addPartition(tab *schema.Table, bound *pg.PartitionBoundSpec, deep bool, t *syntax.Text) {
	if tab == nil || tab.Partitions == nil {
		return
	}
	p := tab.Partitions
	p.Whole = p.Whole || bound.IsDefault
	p.Deep = p.Deep || deep
	p.Bounds = append(p.Bounds, schema.PartitionBound{Spec: bound, Text: t})
}

// attach is ALTER TABLE … ATTACH PARTITION, which is how pg_dump writes partitions: the rows of the
// other table are those of tab from now on. Of its constraints only those are seen that tab has, too.
func (l *Definer) attach(tab *schema.Table, c *pg.PartitionCmd, t *syntax.Text, pos ir.Pos) {
	child := l.tableNamed(c.Name, t)
	if child == nil || child == tab || tab.Partitions == nil || !l.attachable(child) {
		tab.Odd = "a partition that was a table of its own"
		l.Note(pos, "ATTACH PARTITION to %s is not modelled: nor is any statement on it", tab.Name)
		return
	}
	l.addPartition(tab, c.Bound, child.Partitions != nil, t)
	if child.Partitions != nil {
		tab.Partitions.Bounds = append(tab.Partitions.Bounds, child.Partitions.Bounds...)
		tab.PartitionKeys = append(tab.PartitionKeys, child.PartitionKeys...)
	}
	for _, u := range append(slices.Clone(child.Uniques), child.Key) {
		if u != nil {
			tab.PartitionKeys = append(tab.PartitionKeys, u)
		}
	}
	of := " of the partition " + child.Name
	for _, k := range child.Checks {
		if !slices.ContainsFunc(tab.Checks, func(o *schema.TableCheck) bool { return o.Label() == k.Label() }) {
			l.LeaveOut(tab, k.Pos, "a check"+of, "it is about some of the rows", nil)
		}
	}
	for _, x := range child.Columns {
		if whole := tab.Column(x.Name); x.NotNull && whole != nil && !whole.NotNull {
			l.LeaveOut(tab, x.Pos, "NOT NULL"+of, "it is about some of the rows", nil)
		}
	}
	o := child.Rel
	o.Table, o.View = nil, &schema.View{Pos: child.Pos, Rel: o, Name: o.Full(), What: "a partition", Of: []*schema.Relation{tab.Rel}}
	l.Order = schema.Without(l.Order, func(x *schema.Table) bool { return x == child })
	l.Views = append(l.Views, o.View)
}

// attachable reports whether nothing of a table matters but its rows, keys and checks.
func (l *Definer) attachable(t *schema.Table) bool {
	refers := func(x *schema.Table) bool {
		return slices.ContainsFunc(x.Foreign, func(f *schema.ForeignKey) bool { return f.Parent() == t })
	}
	return t.Odd == "" && !t.RowSec && !t.Unguarded && len(t.Foreign)+len(t.Exclusions)+len(t.Unseen)+len(t.Triggers)+len(t.Disabled)+len(t.Indexed)+
		len(t.Computed)+len(t.Policies)+len(t.Inserts) == 0 && !slices.ContainsFunc(l.Order, refers)
}
