package ddl

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/sql/mysql"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// CreateTable is CREATE TABLE.
func (l *Definer) CreateTable(s *pg.CreateStmt, t *syntax.Text) {
	name := syntax.RangeName(s.Relation)
	pos := t.Pos(int(s.Relation.Location))
	schemaName, own := l.placeOf(s.Relation, t)
	if old := l.Declarations.RelationIn(schemaName, own, l.Clock); old != nil && old.Table != nil {
		if s.IfNotExists {
			return
		}
		l.Fail(pos, "table %s is already declared at %s", name, old.Pos())
	}
	if schemaName == syntax.TempSchema {
		l.createRelation(&schema.View{Pos: pos, What: "a temporary table"}, s.Relation, t)
		return
	}
	if s.Partbound != nil && len(s.InhRelations) == 1 {
		l.partition(s, t)
		return
	}
	tab := &schema.Table{Pos: pos}
	if s.OfTypename != nil {
		for _, f := range l.FieldsOf(l.TypeOf(s.OfTypename, t).Name) {
			tab.Columns = append(tab.Columns, &schema.Column{Pos: pos, Name: f.Name, T: f.T, Domain: f.Domain, Within: f.Within})
		}
	}
	parents := map[*schema.Table]ir.Pos{}
	for _, r := range s.InhRelations {
		rv := pg.Inner(r).(*pg.RangeVar)
		parent := l.tableNamed(rv, t)
		if parent == nil {
			l.Fail(t.Pos(int(rv.Location)), schema.NoTable+"%s", syntax.RangeName(rv))
		}
		tab.Columns = append(tab.Columns, l.copyColumns(parent)...)
		parents[parent] = t.Pos(int(rv.Location))
	}
	l.AddTable(tab, schemaName, own)
	tab.Rel.Bare = l.bare(s.Relation)
	for _, o := range l.Order {
		if at, is := parents[o]; is {
			l.inherit(tab, o, at)
		}
	}
	name = tab.Name
	var later []*pg.Constraint
	for _, n := range s.TableElts {
		switch e := pg.Inner(n).(type) {
		case *pg.ColumnDef:
			l.addColumn(tab, e, t)
		case *pg.Constraint:
			later = append(later, e)
		case *pg.TableLikeClause:
			l.like(tab, e, t)
		default:
			l.Note(pos, "table %s: this part of its definition is not modelled", name)
		}
	}
	for _, c := range later {
		l.constraint(tab, c, t)
	}
	if tab.Partitioned = s.Partspec != nil; tab.Partitioned {
		tab.Partitions = &schema.Partitioning{Spec: s.Partspec, Text: t}
	}
	if s.Partspec != nil && tab.Key == nil {
		l.Note(pos, "table %s is partitioned; its partitions are one table here", name)
	}
}

// inherit makes parent and child of an inheritance tables whose statements
// are not modelled, since a query of the parent reads the child as well.
func (l *Definer) inherit(child, parent *schema.Table, pos ir.Pos) {
	l.Note(pos, "inheritance between %s and %s is not modelled: nor is any statement on them", child.Name, parent.Name)
	for _, t := range []*schema.Table{child, parent} {
		t.Odd = "inheritance of tables"
		t.OddTables = append(t.OddTables, child, parent)
	}
}

func (l *Definer) copyColumns(from *schema.Table) []*schema.Column {
	var out []*schema.Column
	for _, c := range from.Columns {
		d := *c
		d.Was, d.Since = nil, l.Clock
		out = append(out, &d)
	}
	return out
}

const (
	likeConstraints = 1 << 2
	likeDefaults    = 1 << 3
	likeGenerated   = 1 << 4
	likeIdentity    = 1 << 5
	likeIndexes     = 1 << 6
)

func (l *Definer) like(tab *schema.Table, e *pg.TableLikeClause, t *syntax.Text) {
	from := l.tableNamed(e.Relation, t)
	if from == nil {
		l.Fail(t.Pos(int(e.Relation.Location)), schema.NoTable+"%s", syntax.RangeName(e.Relation))
	}
	for _, c := range l.copyColumns(from) {
		if e.Options&likeDefaults == 0 {
			c.Def = nil
		}
		if c.Fresh && e.Options&(likeDefaults|likeIdentity) == 0 {
			c.Fresh = false
		}
		if e.Options&likeGenerated == 0 {
			c.Generated = nil
		}
		tab.Columns = append(tab.Columns, c)
	}
	if e.Options&likeIndexes != 0 {
		for _, u := range from.Keys() {
			tab.Key = u.Copy(tab.Rel.Own() + "_pkey")
		}
		for _, u := range from.Uniques {
			tab.Uniques = append(tab.Uniques, u.Copy(l.nameOfCopy(tab, from, u)))
		}
		for _, x := range from.Exclusions {
			copied := *x
			copied.Name = x.DefaultName(tab)
			copied.Elements = slices.Clone(x.Elements)
			tab.Exclusions = append(tab.Exclusions, &copied)
		}
		for _, c := range from.Indexed {
			copied := *c
			tab.Indexed = append(tab.Indexed, &copied)
		}
	}
	if e.Options&likeConstraints != 0 {
		for _, k := range from.Checks {
			copied := *k
			tab.Checks = append(tab.Checks, &copied)
		}
	}
}

// setType gives a column the type that a definition tells.
func (l *Definer) setType(c *schema.Column, d *pg.ColumnDef, t *syntax.Text) {
	c.T, c.Domain, c.Within = l.TypeOf(d.TypeName, t), l.DomainOf(d.TypeName, t), l.DomainsOf(d.TypeName, t)
	if d.CollClause != nil {
		c.T = l.Collated(c.T, syntax.Qualified(syntax.Names(d.CollClause.Collname)))
	}
}

// newColumn adds a column with the default that its type gives.
func (l *Definer) newColumn(tab *schema.Table, d *pg.ColumnDef, t *syntax.Text) *schema.Column {
	c := &schema.Column{Pos: t.Pos(int(d.Location)), Name: d.Colname, Since: l.Clock, Text: t}
	l.setType(c, d, t)
	tab.Columns = append(tab.Columns, c)
	if parts := syntax.Names(d.TypeName.GetNames()); len(parts) > 0 {
		switch last := parts[len(parts)-1]; last {
		case "serial", "serial2", "serial4", "serial8", "smallserial", "bigserial":
			c.Fresh, c.NotNull = true, true
			l.ownSequence(tab, c)
		default:
			if c.Domain != nil {
				c.Def = c.Domain.Def
			}
		}
	}
	return c
}

func (l *Definer) addColumn(tab *schema.Table, d *pg.ColumnDef, t *syntax.Text) {
	pos := t.Pos(int(d.Location))
	c := tab.Column(d.Colname)
	switch {
	case c == nil:
		c = l.newColumn(tab, d, t)
	case d.TypeName != nil: // not an option of a column that OF gives
		l.Fail(pos, "table %s has two columns %s", tab.Name, d.Colname)
	}
	var attrs []*pg.Constraint
	for _, n := range d.Constraints {
		attrs = append(attrs, pg.Inner(n).(*pg.Constraint))
	}
	for i, k := range attrs {
		switch k.Contype {
		case pg.ConstrNotNull:
			c.NotNull = true
		case pg.ConstrNull:
		case pg.ConstrDefault:
			l.setDefault(c, k.RawExpr, t)
		case pg.ConstrIdentity:
			c.Fresh, c.NotNull = true, true
			l.ownSequence(tab, c)
		case pg.ConstrGenerated:
			c.Generated = &schema.SQLExpr{Node: k.RawExpr, Text: t}
		case pg.ConstrDeferrable, pg.ConstrNotDeferrable, pg.ConstrDeferred, pg.ConstrImmediate,
			pg.ConstrEnforced, pg.ConstrNotEnforced:
			// attributes of the constraint before them
		default:
			for _, a := range attrs[i+1:] {
				switch a.Contype {
				case pg.ConstrNotDeferrable, pg.ConstrImmediate, pg.ConstrEnforced:
					continue
				case pg.ConstrDeferred:
					k.Initdeferred = true
					continue
				case pg.ConstrDeferrable:
					k.Deferrable = true
					continue
				case pg.ConstrNotEnforced:
					k.SkipValidation = true
					continue
				}
				break
			}
			l.columnConstraint(tab, c, k, t)
		}
	}
}

// SetDefault records a default; nextval makes the column FRESH.
func (l *Definer) setDefault(c *schema.Column, e *pg.Node, t *syntax.Text) {
	c.Def, c.Fresh = nil, false
	if e == nil {
		return
	}
	if f, ok := pg.Inner(e).(*pg.FuncCall); ok && syntax.PlainName(syntax.Qualified(syntax.Names(f.Funcname))) == "nextval" {
		c.Fresh = true
		c.Sequence = l.SequenceName(f.Args, t)
		return
	}
	c.Def = &schema.SQLExpr{Node: e, Text: t}
}

// ownSequence declares the sequence of a serial or identity column.
func (l *Definer) ownSequence(t *schema.Table, c *schema.Column) {
	name := t.Rel.Own() + "_" + c.Name + "_seq"
	if old := l.Declarations.RelationIn(t.Rel.Schema(), name, l.Clock); old == nil {
		l.AddView(&schema.View{Pos: c.Pos, What: schema.SequenceView}, t.Rel.Schema(), name)
	}
	c.Sequence = syntax.FullName(t.Rel.Schema(), name)
}

func (l *Definer) columnConstraint(tab *schema.Table, c *schema.Column, k *pg.Constraint, t *syntax.Text) {
	if len(k.Keys) == 0 && (k.Contype == pg.ConstrPrimary || k.Contype == pg.ConstrUnique) {
		k.Keys = []*pg.Node{pg.StringNode(c.Name)}
	}
	if len(k.FkAttrs) == 0 && k.Contype == pg.ConstrForeign {
		k.FkAttrs = []*pg.Node{pg.StringNode(c.Name)}
	}
	l.constraint(tab, k, t)
}

// constraint adds a table constraint.
func (l *Definer) constraint(tab *schema.Table, k *pg.Constraint, t *syntax.Text) {
	pos := t.Pos(int(k.Location))
	cols := syntax.Names(k.Keys)
	l.CheckColumns(tab, pos, cols)
	switch k.Contype {
	case pg.ConstrPrimary:
		if tab.Key != nil {
			l.Fail(pos, "table %s has two primary keys", tab.Name)
		}
		name := syntax.NameOr(k.Conname, tab.Rel.Own()+"_pkey")
		if k.Indexname != "" {
			name = syntax.NameOr(k.Conname, k.Indexname)
			cols = l.indexColumns(tab, k.Indexname, name, pos)
		}
		tab.Key = &schema.UniqueKey{Pos: pos, Name: name, Columns: cols, Deferred: k.Initdeferred, Deferrable: k.Deferrable}
		for _, c := range cols {
			tab.Column(c).NotNull = true
		}
	case pg.ConstrUnique:
		if k.Indexname != "" {
			l.indexColumns(tab, k.Indexname, k.Conname, pos)
			return // the index is one of the uniques already
		}
		u := &schema.UniqueKey{Pos: pos, Columns: cols, Deferred: k.Initdeferred, Deferrable: k.Deferrable, Nulls: k.NullsNotDistinct}
		u.Name = syntax.NameOr(k.Conname, nameOfUnique(tab, u))
		tab.Uniques = append(tab.Uniques, u)
	case pg.ConstrForeign:
		l.foreignKey(tab, k, t)
	case pg.ConstrCheck:
		c := &schema.TableCheck{Pos: pos, Name: k.Conname, Expr: schema.SQLExpr{Node: k.RawExpr, Text: t}, Unproven: k.SkipValidation}
		if c.Name == "" {
			c.Name, c.Own = fmt.Sprintf("%s_check%d", tab.Rel.Own(), len(tab.Checks)+1), nameOfCheck(tab, c)
		}
		tab.Checks = append(tab.Checks, c)
	case pg.ConstrNotNull:
		for _, c := range cols {
			tab.Column(c).NotNull = true
		}
	case pg.ConstrExclusion:
		l.addExclusion(tab, k, t)
	default:
		l.Note(pos, "a constraint of %s is left out", tab.Name)
	}
}

// nameOfUnique is the name that PostgreSQL gives a unique key.
func nameOfUnique(tab *schema.Table, u *schema.UniqueKey) string {
	if u.Parts != nil {
		return tab.Rel.Own() + "_" + strings.Join(u.Parts, "_") + "_idx"
	}
	return tab.Rel.Own() + "_" + strings.Join(u.Columns, "_") + "_key"
}

// nameOfCopy is the name of a unique key of from in tab, which is declared LIKE it.
func (l *Definer) nameOfCopy(tab, from *schema.Table, u *schema.UniqueKey) string {
	if !l.In.MySQL {
		return nameOfUnique(tab, u)
	}
	if own, index := strings.CutPrefix(u.Name, from.Rel.Own()+"."); index { // package mysql puts the table before it
		return tab.Rel.Own() + "." + own
	}
	return u.Name
}

// nameOfCheck is the name that PostgreSQL gives a check: with its column, if it has only one.
func nameOfCheck(tab *schema.Table, k *schema.TableCheck) string {
	name := tab.Rel.Own() + "_check"
	if cols := schema.Distinct(syntax.ColumnsNamed(k.Expr.Node)); len(cols) == 1 {
		name = tab.Rel.Own() + "_" + cols[0] + "_check"
	}
	taken := func(name string) bool {
		return slices.ContainsFunc(tab.Constraints(), func(c schema.Constraint) bool { return c.Label() == name })
	}
	out := name
	for n := 1; taken(out); n++ {
		out = name + strconv.Itoa(n)
	}
	return out
}

// indexColumns gives the columns of a unique index that a constraint uses, which has the name of the
// constraint from now on.
func (l *Definer) indexColumns(tab *schema.Table, index, constraint string, pos ir.Pos) []string {
	for _, u := range tab.Uniques {
		if u.Name == index {
			u.Name = syntax.NameOr(constraint, index)
			return u.Columns
		}
	}
	l.Fail(pos, "table %s has no unique index %s", tab.Name, index)
	return nil
}

func (l *Definer) foreignKey(tab *schema.Table, k *pg.Constraint, t *syntax.Text) {
	pos := t.Pos(int(k.Location))
	cols := syntax.Names(k.FkAttrs)
	l.CheckColumns(tab, pos, cols)
	if partitionedBy(l.Sees(t).Relation(syntax.RangeName(k.Pktable))) != nil {
		l.foreignKeyHidden(tab, k, "a foreign key to the partition "+syntax.RangeName(k.Pktable), pos, t)
		return
	}
	f := &schema.ForeignKey{
		Pos:        pos,
		Name:       syntax.NameOr(k.Conname, fmt.Sprintf("%s_%s_fkey", tab.Rel.Own(), strings.Join(cols, "_"))),
		Columns:    cols,
		Ref:        syntax.RangeName(k.Pktable),
		Names:      l.Sees(t),
		RefColumns: syntax.Names(k.PkAttrs),
		OnDelete:   actionOf(k.FkDelAction),
		OnUpdate:   actionOf(k.FkUpdAction),
		SetColumns: syntax.Names(k.FkDelSetCols),
		Unproven:   k.SkipValidation,
		Deferred:   k.Initdeferred,
		Deferrable: k.Deferrable,
	}
	f.Full = k.FkMatchtype == "f" && len(cols) > 1
	tab.Foreign = append(tab.Foreign, f)
}

func actionOf(s string) schema.Action {
	if s == "" {
		return schema.NoAction
	}
	return schema.Action(s[0])
}

// initialRows keeps a top-level INSERT until the table is complete.
func (l *Definer) initialRows(s *pg.InsertStmt, t *syntax.Text, pos ir.Pos) {
	tab := l.Changed(s.Relation, t, false)
	if tab == nil {
		l.Note(pos, "an INSERT into %s is left out", syntax.RangeName(s.Relation))
		return
	}
	sel, ok := pg.Inner(s.SelectStmt).(*pg.SelectStmt)
	if !ok || len(sel.ValuesLists) == 0 || s.WithClause != nil {
		l.Note(pos, "this INSERT is not VALUES: its rows are no initial rows")
		return
	}
	tab.Inserts = append(tab.Inserts, schema.InitialInsert{Stmt: s, Text: t, Pos: pos})
}

// TakeLimit takes ORDER BY and LIMIT of an UPDATE or DELETE, which only MySQL has,
// out of its condition, where the dialect's writer has put them (mysql.LimitWord).
func (l *Definer) TakeLimit(tree any) {
	var where **pg.Node
	switch s := tree.(type) {
	case *pg.UpdateStmt:
		where = &s.WhereClause
	case *pg.DeleteStmt:
		where = &s.WhereClause
	default:
		return
	}
	if *where == nil {
		return
	}
	n := *where
	and, ok := pg.Inner(n).(*pg.BoolExpr)
	if ok && and.Boolop == pg.BoolAnd {
		n = and.Args[len(and.Args)-1]
	}
	link, isLink := pg.Inner(n).(*pg.SubLink)
	if !isLink {
		return
	}
	s, isSelect := pg.Inner(link.Subselect).(*pg.SelectStmt)
	if !isSelect || len(s.TargetList) != 1 || len(s.FromClause) > 0 {
		return
	}
	c, isColumn := pg.Inner(pg.Inner(s.TargetList[0]).(*pg.ResTarget).Val).(*pg.ColumnRef)
	if !isColumn || !slices.Equal(syntax.Names(c.Fields), []string{mysql.LimitWord}) {
		return
	}
	switch {
	case !ok:
		*where = nil
	case len(and.Args) == 2:
		*where = and.Args[0]
	default:
		and.Args = and.Args[:len(and.Args)-1]
	}
	if l.Limited == nil {
		l.Limited = map[any]*pg.SelectStmt{}
	}
	l.Limited[tree] = s
}

// addExclusion takes over EXCLUDE. An expression that may fail is a column of its
// own, which is computed when the row is written.
func (l *Definer) addExclusion(tab *schema.Table, k *pg.Constraint, t *syntax.Text) {
	x := &schema.Exclusion{Pos: t.Pos(int(k.Location)), Name: k.Conname, Text: t, Deferred: k.Initdeferred, Deferrable: k.Deferrable}
	if k.WhereClause != nil {
		x.Where = &schema.SQLExpr{Node: k.WhereClause, Text: t}
	}
	for _, n := range k.Exclusions {
		pair := pg.Inner(n).(*pg.List).Items
		e := pg.Inner(pair[0]).(*pg.IndexElem)
		el := schema.ExclusionElement{Column: e.Name, Op: syntax.OperatorName(pg.Inner(pair[1]).(*pg.List).Items), Loc: k.Location}
		if e.Name == "" {
			el.Expr = &schema.SQLExpr{Node: e.Expr, Text: t}
		} else {
			l.CheckColumns(tab, x.Pos, []string{e.Name})
		}
		x.Elements, x.Parts = append(x.Elements, el), append(x.Parts, indexPart(e))
	}
	x.Name = syntax.NameOr(x.Name, x.DefaultName(tab))
	for i := range x.Elements {
		if el := &x.Elements[i]; el.Expr != nil && !rangeOfColumns(el.Expr.Node) {
			c := &schema.Column{Pos: x.Pos, Name: x.Name + " " + strconv.Itoa(i+1), Generated: el.Expr, Index: true}
			tab.Indexed = append(tab.Indexed, c)
			el.Column, el.Expr = c.Name, nil
		}
	}
	tab.Exclusions = append(tab.Exclusions, x)
}

// rangeOfColumns reports whether an expression is a range between columns or
// constants.
func rangeOfColumns(n *pg.Node) bool {
	f, ok := pg.Inner(n).(*pg.FuncCall)
	if !ok {
		return false
	}
	if _, ok := schema.RangeBounds[syntax.PlainName(syntax.Qualified(syntax.Names(f.Funcname)))]; !ok {
		return false
	}
	return !slices.ContainsFunc(f.Args, func(n *pg.Node) bool {
		switch pg.Inner(n).(type) {
		case *pg.ColumnRef, *pg.A_Const:
			return false
		}
		return true
	})
}
