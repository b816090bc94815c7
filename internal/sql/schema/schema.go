package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// expr is an SQL expression with the text that its positions refer to.
type SqlExpr struct {
	Node *pg.Node
	Text *syntax.Text
}

// Column is a column while the schema is being read.
type Column struct {
	Pos  ir.Pos
	text *syntax.Text // in which it is declared
	Name string
	// was are the names that it had, oldest first, and since the moment from which it is there.
	was     []formerName
	since   moment
	T       Type
	NotNull bool
	Domain  *UserType
	// Within are the domains in the type: itself, those of fields and of elements.
	Within []*UserType
	Def    *SqlExpr
	// Fresh marks serial and identity columns, whose default is a value that
	// was never used; sequence is the name that nextval and currval know.
	Fresh    bool
	Sequence string
	// Generated is the expression of a GENERATED … STORED column.
	Generated *SqlExpr
	// index says that it is the expression of a unique index, and no column of
	// the table.
	index bool
}

// UniqueKey is a uniqueness constraint or index, or the primary key.
type UniqueKey struct {
	Pos     ir.Pos
	Name    string
	Columns []string
	Where   *SqlExpr
	// Deferred says that it is checked at commit, deferrable that SET
	// CONSTRAINTS can make it so.
	Deferred, Deferrable bool
	Nulls                bool // NULLS NOT DISTINCT
}

type ForeignKey struct {
	Pos        ir.Pos
	Name       string
	Columns    []string
	Ref        string
	Names      *Resolver // of ref
	to         *Table    // what ref means, as far as it is known
	refColumns []string
	OnDelete   Action
	OnUpdate   Action
	SetColumns []string // of ON DELETE SET NULL (columns)
	// full says that all columns are NULL or none (MATCH FULL).
	full bool
	// unproven says that existing rows may break it (NOT VALID).
	unproven bool
	deferred bool
	// deferrable says that SET CONSTRAINTS can make it deferred.
	deferrable bool
	// Number is its place in the ir.Table, or -1 where it is unseen.
	Number int
	// Defaults are the values of SET DEFAULT, if the ir.ForeignKey has it.
	Defaults []ir.Expr
}

// Action is what a foreign key does to children.
type Action byte

const (
	noAction Action = 'a'
	Restrict Action = 'r'
)

const (
	SetDefault Action = 'd'
)

type tableCheck struct {
	Pos  ir.Pos
	Name string
	Expr SqlExpr
	// Unproven says that existing rows may break it.
	Unproven bool
}

// Table is a table while the schema is being read, and afterwards what the
// translation of statements needs to know beyond the ir.Table.
type Table struct {
	Pos ir.Pos
	Rel *Relation
	// Name is what the table is called in the program: without its schema where that says enough. RowType is
	// the name of the type of its rows.
	Name, RowType string
	Columns       []*Column
	// Indexed are the expressions that unique indexes and EXCLUDE are over: columns that
	// only the IR has.
	Indexed []*Column
	// Computed are the expressions of indexes that are no keys.
	Computed []*indexExpr
	// LookedUp are the columns of indexes that are no keys, in MySQL's dialect.
	LookedUp []string
	Key      *UniqueKey
	Uniques  []*UniqueKey
	// Exclusions are the EXCLUDE constraints.
	Exclusions []*Exclusion
	Foreign    []*ForeignKey
	Checks     []*tableCheck
	// Unseen are the constraints that the ir.Table does not have.
	Unseen []*Unseen
	// Unproven are checks that rows may break, but for those that are written.
	Unproven []ir.TableCheck
	// Unchecked are checks of a row alone that are left out.
	Unchecked []*unchecked
	Triggers  []*Trigger
	// disabled are the triggers that are turned off; unguarded says that those of
	// foreign keys are, too.
	disabled  []*Trigger
	unguarded bool
	// Odd says why statements on the table cannot be modelled, or is "".
	// oddTables are other tables that such a statement may touch.
	Odd       string
	oddTables []*Table
	oddRefs   []*Refs
	// Keyed are columns with those that stand for them in keys.
	Keyed [][2]string
	// OddAll says that it may touch all of them.
	OddAll   bool
	Policies []policy
	RowSec   bool
	Inserts  []InitialInsert
	// Partitioned says that a row may fit into no partition, and partitions into which
	// it does.
	Partitioned bool
	Partitions  *partitioning
	Ir          *ir.Table
}

// policy is a policy of row level security, with what it names.
type policy struct {
	Name string
	refs *Refs
}

// View is a view, or a table that something else than DDL makes.
type View struct {
	Pos  ir.Pos
	Rel  *Relation
	Name string
	What string
	// Of are the tables whose rows it has, refs what its query names.
	Of   []*Relation
	Refs *Refs
	// Rows says that it has rows of its own, which others may read and write, and
	// all that nothing is known of the tables that it reads.
	Rows, All bool
	// Query is that of a view, whose columns have the names cols, as far as
	// these are given.
	Query *pg.SelectStmt
	Text  *syntax.Text
	Cols  []string
	// renamed are columns that got other names later, with these.
	renamed [][2]string
	// Row is the type of its rows, once it was asked for; typing says that it is being found.
	Row    *UserType
	Typing bool
}

// Column gives the name of a column of the view, which its query calls name.
func (v *View) Column(name string) string {
	for _, r := range v.renamed {
		if r[0] == name {
			name = r[1]
		}
	}
	return name
}

func (t *Table) Column(name string) *Column {
	for _, c := range t.Columns {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// sequenceView is what a sequence is called in the place of a table.
const sequenceView = "a sequence, read as a table"

// Parent gives the table that a foreign key refers to, nil if it is not declared.
func (f *ForeignKey) Parent() *Table {
	if f.to == nil {
		f.to = f.Names.Table(f.Ref)
	}
	return f.to
}

func (l *Schema) CreateTable(s *pg.CreateStmt, t *syntax.Text) {
	name := syntax.RangeName(s.Relation)
	pos := t.Pos(int(s.Relation.Location))
	schema, own := l.placeOf(s.Relation, t)
	if old := l.Declarations.relationIn(schema, own, l.clock); old != nil && old.Table != nil {
		if s.IfNotExists {
			return
		}
		l.Fail(pos, "table %s is already declared at %s", name, old.pos())
	}
	if schema == syntax.TempSchema {
		l.createRelation(&View{Pos: pos, What: "a temporary table"}, s.Relation, t)
		return
	}
	if s.Partbound != nil && len(s.InhRelations) == 1 {
		l.partition(s, t)
		return
	}
	tab := &Table{Pos: pos}
	if s.OfTypename != nil {
		for _, f := range l.FieldsOf(l.TypeOf(s.OfTypename, t).Name) {
			tab.Columns = append(tab.Columns, &Column{Pos: pos, Name: f.Name, T: f.T, Domain: f.Domain, Within: f.Within})
		}
	}
	parents := map[*Table]ir.Pos{}
	for _, r := range s.InhRelations {
		rv := pg.Inner(r).(*pg.RangeVar)
		parent := l.tableNamed(rv, t)
		if parent == nil {
			l.Fail(t.Pos(int(rv.Location)), NoTable+"%s", syntax.RangeName(rv))
		}
		tab.Columns = append(tab.Columns, l.copyColumns(parent)...)
		parents[parent] = t.Pos(int(rv.Location))
	}
	l.AddTable(tab, schema, own)
	tab.Rel.bare = l.bare(s.Relation)
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
		tab.Partitions = &partitioning{Spec: s.Partspec, text: t}
	}
	if s.Partspec != nil && tab.Key == nil {
		l.Note(pos, "table %s is partitioned; its partitions are one table here", name)
	}
}

// inherit makes parent and child of an inheritance tables whose statements
// are not modelled, since a query of the parent reads the child as well.
func (l *Schema) inherit(child, parent *Table, pos ir.Pos) {
	l.Note(pos, "inheritance between %s and %s is not modelled: nor is any statement on them", child.Name, parent.Name)
	for _, t := range []*Table{child, parent} {
		t.Odd = "inheritance of tables"
		t.oddTables = append(t.oddTables, child, parent)
	}
}

// partition notes a partition: its rows are the parent's, and a statement
// that names it is not modelled.
func (l *Schema) partition(s *pg.CreateStmt, t *syntax.Text) {
	rv := pg.Inner(s.InhRelations[0]).(*pg.RangeVar)
	parent := l.Sees(t).Relation(syntax.RangeName(rv))
	if parent == nil {
		l.Fail(t.Pos(int(rv.Location)), NoTable+"%s", syntax.RangeName(rv))
	}
	deep := false
	for parent.View != nil && len(parent.View.Of) == 1 {
		parent, deep = parent.View.Of[0], true // a partition of a partition
	}
	l.addPartition(parent.Table, deep, s, t)
	l.createRelation(&View{Pos: t.Pos(int(s.Relation.Location)), What: "a partition", Of: []*Relation{parent}}, s.Relation, t)
}

func (l *Schema) copyColumns(from *Table) []*Column {
	var out []*Column
	for _, c := range from.Columns {
		d := *c
		d.was, d.since = nil, l.clock
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

func (l *Schema) like(tab *Table, e *pg.TableLikeClause, t *syntax.Text) {
	from := l.tableNamed(e.Relation, t)
	if from == nil {
		l.Fail(t.Pos(int(e.Relation.Location)), NoTable+"%s", syntax.RangeName(e.Relation))
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
		tab.Key = from.Key
		tab.Uniques = append(tab.Uniques, from.Uniques...)
		for _, x := range from.Exclusions {
			copied := *x
			copied.Name = x.defaultName(tab)
			copied.Elements = slices.Clone(x.Elements)
			tab.Exclusions = append(tab.Exclusions, &copied)
		}
		for _, c := range from.Indexed {
			copied := *c
			tab.Indexed = append(tab.Indexed, &copied)
		}
	}
	if e.Options&likeConstraints != 0 {
		tab.Checks = append(tab.Checks, from.Checks...)
	}
}

// setType gives a column the type that a definition tells.
func (l *Schema) setType(c *Column, d *pg.ColumnDef, t *syntax.Text) {
	c.T, c.Domain, c.Within = l.TypeOf(d.TypeName, t), l.DomainOf(d.TypeName, t), l.DomainsOf(d.TypeName, t)
	if d.CollClause != nil {
		c.T = l.Collated(c.T, syntax.Qualified(syntax.Names(d.CollClause.Collname)))
	}
}

func (l *Schema) addColumn(tab *Table, d *pg.ColumnDef, t *syntax.Text) {
	pos := t.Pos(int(d.Location))
	if tab.Column(d.Colname) != nil {
		l.Fail(pos, "table %s has two columns %s", tab.Name, d.Colname)
	}
	c := &Column{Pos: pos, Name: d.Colname, since: l.clock, text: t}
	l.setType(c, d, t)
	tab.Columns = append(tab.Columns, c)
	if parts := syntax.Names(d.TypeName.GetNames()); len(parts) > 0 {
		switch last := parts[len(parts)-1]; last {
		case "serial", "serial2", "serial4", "serial8", "smallserial", "bigserial":
			c.Fresh, c.NotNull = true, true
			l.ownSequence(tab, c)
		default:
			if c.Domain != nil {
				c.Def = c.Domain.def
			}
		}
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
			c.Generated = &SqlExpr{k.RawExpr, t}
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
func (l *Schema) setDefault(c *Column, e *pg.Node, t *syntax.Text) {
	c.Def, c.Fresh = nil, false
	if e == nil {
		return
	}
	if f, ok := pg.Inner(e).(*pg.FuncCall); ok && syntax.PlainName(syntax.Qualified(syntax.Names(f.Funcname))) == "nextval" {
		c.Fresh = true
		c.Sequence = l.SequenceName(f.Args, t)
		return
	}
	c.Def = &SqlExpr{e, t}
}

// ownSequence declares the sequence of a serial or identity column.
func (l *Schema) ownSequence(t *Table, c *Column) {
	name := t.Rel.Own() + "_" + c.Name + "_seq"
	if old := l.Declarations.relationIn(t.Rel.Schema(), name, l.clock); old == nil {
		l.addView(&View{Pos: c.Pos, What: sequenceView}, t.Rel.Schema(), name)
	}
	c.Sequence = syntax.FullName(t.Rel.Schema(), name)
}

// SequenceName gives the sequence in the arguments of nextval or currval, "" where it is not known
// which one that is. t is the text with the call.
func (l *Schema) SequenceName(args []*pg.Node, t *syntax.Text) string {
	if len(args) != 1 {
		return ""
	}
	n, in := pg.Inner(args[0]), l.Sees(t)
	if cast, ok := n.(*pg.TypeCast); ok {
		n = pg.Inner(cast.Arg)
		if syntax.PlainName(syntax.TypeSpelling(cast.TypeName)) != "regclass" { // the name is looked up at each call
			in = &l.Late
		}
	}
	c, ok := n.(*pg.A_Const)
	if !ok {
		return ""
	}
	parts, ok := syntax.Identifiers(c.GetSval().GetSval(), '.')
	if !ok {
		return ""
	}
	name := syntax.Qualified(parts)
	all := in.relations(name)
	switch {
	case len(all) == 1:
		return all[0].Full()
	case len(all) > 1:
		return ""
	}
	return syntax.PlainName(name) // of a sequence that no file declares
}

func (l *Schema) columnConstraint(tab *Table, c *Column, k *pg.Constraint, t *syntax.Text) {
	if len(k.Keys) == 0 && (k.Contype == pg.ConstrPrimary || k.Contype == pg.ConstrUnique) {
		k.Keys = []*pg.Node{pg.StringNode(c.Name)}
	}
	if len(k.FkAttrs) == 0 && k.Contype == pg.ConstrForeign {
		k.FkAttrs = []*pg.Node{pg.StringNode(c.Name)}
	}
	l.constraint(tab, k, t)
}

// constraint adds a table constraint.
func (l *Schema) constraint(tab *Table, k *pg.Constraint, t *syntax.Text) {
	pos := t.Pos(int(k.Location))
	cols := syntax.Names(k.Keys)
	l.checkColumns(tab, pos, cols)
	switch k.Contype {
	case pg.ConstrPrimary:
		if tab.Key != nil {
			l.Fail(pos, "table %s has two primary keys", tab.Name)
		}
		if k.Indexname != "" {
			cols = l.indexColumns(tab, k.Indexname, pos)
		}
		tab.Key = &UniqueKey{Pos: pos, Name: syntax.NameOr(k.Conname, tab.Rel.Own()+"_pkey"), Columns: cols, Deferred: k.Initdeferred, Deferrable: k.Deferrable}
		for _, c := range cols {
			tab.Column(c).NotNull = true
		}
	case pg.ConstrUnique:
		name := syntax.NameOr(k.Conname, fmt.Sprintf("%s_%s_key", tab.Rel.Own(), strings.Join(cols, "_")))
		if k.Indexname != "" {
			l.indexColumns(tab, k.Indexname, pos)
			return // the index is one of the uniques already
		}
		tab.Uniques = append(tab.Uniques, &UniqueKey{Pos: pos, Name: name, Columns: cols,
			Deferred: k.Initdeferred, Deferrable: k.Deferrable, Nulls: k.NullsNotDistinct})
	case pg.ConstrForeign:
		l.foreignKey(tab, k, t)
	case pg.ConstrCheck:
		name := syntax.NameOr(k.Conname, fmt.Sprintf("%s_check%d", tab.Rel.Own(), len(tab.Checks)+1))
		tab.Checks = append(tab.Checks, &tableCheck{pos, name, SqlExpr{k.RawExpr, t}, k.SkipValidation})
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

func (l *Schema) checkColumns(tab *Table, pos ir.Pos, cols []string) {
	for _, c := range cols {
		if tab.Column(c) == nil && !slices.ContainsFunc(tab.Indexed, func(i *Column) bool { return i.Name == c }) {
			l.Fail(pos, "table %s has no column %s", tab.Name, c)
		}
	}
}

// indexColumns gives the columns of a unique index that a constraint uses.
func (l *Schema) indexColumns(tab *Table, index string, pos ir.Pos) []string {
	for _, u := range tab.Uniques {
		if u.Name == index {
			return u.Columns
		}
	}
	l.Fail(pos, "table %s has no unique index %s", tab.Name, index)
	return nil
}

func (l *Schema) foreignKey(tab *Table, k *pg.Constraint, t *syntax.Text) {
	pos := t.Pos(int(k.Location))
	cols := syntax.Names(k.FkAttrs)
	l.checkColumns(tab, pos, cols)
	f := &ForeignKey{
		Pos:        pos,
		Name:       syntax.NameOr(k.Conname, fmt.Sprintf("%s_%s_fkey", tab.Rel.Own(), strings.Join(cols, "_"))),
		Columns:    cols,
		Ref:        syntax.RangeName(k.Pktable),
		Names:      l.Sees(t),
		refColumns: syntax.Names(k.PkAttrs),
		OnDelete:   actionOf(k.FkDelAction),
		OnUpdate:   actionOf(k.FkUpdAction),
		SetColumns: syntax.Names(k.FkDelSetCols),
		unproven:   k.SkipValidation,
		deferred:   k.Initdeferred,
		deferrable: k.Deferrable,
	}
	f.full = k.FkMatchtype == "f" && len(cols) > 1
	tab.Foreign = append(tab.Foreign, f)
}

func actionOf(s string) Action {
	if s == "" {
		return noAction
	}
	return Action(s[0])
}

// indexExpr is an expression, or the condition, of an index.
type indexExpr struct {
	Pos  ir.Pos
	Name string
	Expr SqlExpr
}

// Index takes over CREATE UNIQUE INDEX; of other indexes what they compute matters, and in
// MySQL's dialect the columns.
func (l *Schema) Index(s *pg.IndexStmt, t *syntax.Text) {
	pos := t.Pos(int(s.Relation.Location))
	tab := l.changed(s.Relation, t, false)
	taken := l.indexNames[s.Idxname] || l.Sees(t).Relation(s.Idxname) != nil
	if s.Idxname != "" {
		l.indexNames[s.Idxname] = true
	}
	switch {
	case tab == nil:
		return // of a materialized view
	case s.IfNotExists && taken && !l.In.MySQL:
		l.Note(pos, "there is something of the name %s already: this index is not made", s.Idxname)
		return
	case !s.Unique && !l.In.MySQL:
		var list []*pg.Node
		for _, n := range s.IndexParams {
			list = append(list, pg.Inner(n).(*pg.IndexElem).Expr)
		}
		for _, n := range append(list, s.WhereClause) {
			if n != nil {
				tab.Computed = append(tab.Computed, &indexExpr{pos, syntax.NameOr(s.Idxname, "on "+tab.Rel.Own()), SqlExpr{n, t}})
			}
		}
		return
	case !s.Unique:
		tab.LookedUp = append(tab.LookedUp, indexedColumns(s)...)
		return
	}
	name := tab.Rel.Own()
	if s.IfNotExists && slices.ContainsFunc(tab.Uniques, func(u *UniqueKey) bool { return u.Name == s.Idxname }) {
		return
	}
	u := &UniqueKey{Pos: pos, Name: s.Idxname}
	hidden := syntax.NameOr(s.Idxname, "index "+strconv.Itoa(len(tab.Uniques)+1)+" of "+name)
	for _, n := range s.IndexParams {
		e := pg.Inner(n).(*pg.IndexElem)
		if e.Name == "" {
			x := &Column{Pos: pos, Name: hidden + " " + strconv.Itoa(len(u.Columns)+1), Generated: &SqlExpr{e.Expr, t}, index: true}
			tab.Indexed = append(tab.Indexed, x)
			u.Columns = append(u.Columns, x.Name)
			continue
		}
		u.Columns = append(u.Columns, e.Name)
	}
	for _, n := range s.IndexParams {
		if e := pg.Inner(n).(*pg.IndexElem); e.Name != "" {
			l.checkColumns(tab, pos, []string{e.Name})
		}
	}
	u.Name = syntax.NameOr(u.Name, fmt.Sprintf("%s_%s_idx", name, strings.Join(u.Columns, "_")))
	u.Nulls = s.NullsNotDistinct
	if s.WhereClause != nil {
		u.Where = &SqlExpr{s.WhereClause, t}
	}
	tab.Uniques = append(tab.Uniques, u)
}

// indexedColumns gives the columns that an index is over, by themselves or in expressions.
func indexedColumns(s *pg.IndexStmt) []string {
	var out []string
	for _, n := range s.IndexParams {
		e := pg.Inner(n).(*pg.IndexElem)
		if e.Name != "" {
			out = append(out, e.Name)
			continue
		}
		pg.Walk(e.Expr, func(x any) bool {
			if c, ok := x.(*pg.ColumnRef); ok {
				out = append(out, syntax.Names(c.Fields)...)
			}
			return true
		})
	}
	return out
}
