package sqlmodel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// expr is an SQL expression with the text that its positions refer to.
type sqlExpr struct {
	node *pg.Node
	text *syntax.Text
}

// column is a column while the schema is being read.
type column struct {
	pos  ir.Pos
	text *syntax.Text // in which it is declared
	name string
	// was are the names that it had, oldest first, and since the moment from which it is there.
	was     []formerName
	since   moment
	t       typ
	notNull bool
	domain  *userType
	// within are the domains in the type: itself, those of fields and of elements.
	within []*userType
	def    *sqlExpr
	// fresh marks serial and identity columns, whose default is a value that
	// was never used; sequence is the name that nextval and currval know.
	fresh    bool
	sequence string
	// generated is the expression of a GENERATED … STORED column.
	generated *sqlExpr
	// index says that it is the expression of a unique index, and no column of
	// the table.
	index bool
}

// uniqueKey is a uniqueness constraint or index, or the primary key.
type uniqueKey struct {
	pos     ir.Pos
	name    string
	columns []string
	where   *sqlExpr
	// deferred says that it is checked at commit, deferrable that SET
	// CONSTRAINTS can make it so.
	deferred, deferrable bool
	nulls                bool // NULLS NOT DISTINCT
}

type foreignKey struct {
	pos        ir.Pos
	name       string
	columns    []string
	ref        string
	names      *resolver // of ref
	to         *table    // what ref means, as far as it is known
	refColumns []string
	onDelete   action
	onUpdate   action
	setColumns []string // of ON DELETE SET NULL (columns)
	// full says that all columns are NULL or none (MATCH FULL).
	full bool
	// unproven says that existing rows may break it (NOT VALID).
	unproven bool
	deferred bool
	// deferrable says that SET CONSTRAINTS can make it deferred.
	deferrable bool
	// number is its place in the ir.Table, or -1 where it is unseen.
	number int
	// defaults are the values of SET DEFAULT, if the ir.ForeignKey has it.
	defaults []ir.Expr
}

// action is what a foreign key does to children.
type action byte

const (
	noAction   action = 'a'
	restrict   action = 'r'
	cascade    action = 'c'
	setNull    action = 'n'
	setDefault action = 'd'
)

type tableCheck struct {
	pos  ir.Pos
	name string
	expr sqlExpr
	// unproven says that existing rows may break it.
	unproven bool
}

// table is a table while the schema is being read, and afterwards what the
// translation of statements needs to know beyond the ir.Table.
type table struct {
	pos ir.Pos
	rel *relation
	// name is what the table is called in the program: without its schema where that says enough. rowType is
	// the name of the type of its rows.
	name, rowType string
	columns       []*column
	// indexed are the expressions that unique indexes and EXCLUDE are over: columns that
	// only the IR has.
	indexed []*column
	// computed are the expressions of indexes that are no keys.
	computed []*indexExpr
	// lookedUp are the columns of indexes that are no keys, in MySQL's dialect.
	lookedUp []string
	key      *uniqueKey
	uniques  []*uniqueKey
	// exclusions are the EXCLUDE constraints.
	exclusions []*exclusion
	foreign    []*foreignKey
	checks     []*tableCheck
	// unseen are the constraints that the ir.Table does not have.
	unseen []*unseen
	// unproven are checks that rows may break, but for those that are written.
	unproven []ir.TableCheck
	// unchecked are checks of a row alone that are left out.
	unchecked []*unchecked
	triggers  []*trigger
	// disabled are the triggers that are turned off; unguarded says that those of
	// foreign keys are, too.
	disabled  []*trigger
	unguarded bool
	// odd says why statements on the table cannot be modelled, or is "".
	// oddTables are other tables that such a statement may touch.
	odd       string
	oddTables []*table
	oddRefs   []*refs
	// keyed are columns with those that stand for them in keys.
	keyed [][2]string
	// oddAll says that it may touch all of them.
	oddAll   bool
	policies []policy
	rowSec   bool
	inserts  []initialInsert
	// partitioned says that a row may fit into no partition, and partitions into which
	// it does.
	partitioned bool
	partitions  *partitioning
	ir          *ir.Table
}

// policy is a policy of row level security, with what it names.
type policy struct {
	name string
	refs *refs
}

// view is a view, or a table that something else than DDL makes.
type view struct {
	pos  ir.Pos
	rel  *relation
	name string
	what string
	// of are the tables whose rows it has, refs what its query names.
	of   []*relation
	refs *refs
	// rows says that it has rows of its own, which others may read and write, and
	// all that nothing is known of the tables that it reads.
	rows, all bool
	// query is that of a view, whose columns have the names cols, as far as
	// these are given.
	query *pg.SelectStmt
	text  *syntax.Text
	cols  []string
	// renamed are columns that got other names later, with these.
	renamed [][2]string
	// row is the type of its rows, once it was asked for; typing says that it is being found.
	row    *userType
	typing bool
}

// column gives the name of a column of the view, which its query calls name.
func (v *view) column(name string) string {
	for _, r := range v.renamed {
		if r[0] == name {
			name = r[1]
		}
	}
	return name
}

func (t *table) column(name string) *column {
	for _, c := range t.columns {
		if c.name == name {
			return c
		}
	}
	return nil
}

// sequenceView is what a sequence is called in the place of a table.
const sequenceView = "a sequence, read as a table"

// parent gives the table that a foreign key refers to, nil if it is not declared.
func (f *foreignKey) parent() *table {
	if f.to == nil {
		f.to = f.names.table(f.ref)
	}
	return f.to
}

func (l *Schema) createTable(s *pg.CreateStmt, t *syntax.Text) {
	name := syntax.RangeName(s.Relation)
	pos := t.Pos(int(s.Relation.Location))
	schema, own := l.placeOf(s.Relation, t)
	if old := l.declarations.relationIn(schema, own, l.clock); old != nil && old.table != nil {
		if s.IfNotExists {
			return
		}
		l.fail(pos, "table %s is already declared at %s", name, old.pos())
	}
	if schema == syntax.TempSchema {
		l.createRelation(&view{pos: pos, what: "a temporary table"}, s.Relation, t)
		return
	}
	if s.Partbound != nil && len(s.InhRelations) == 1 {
		l.partition(s, t)
		return
	}
	tab := &table{pos: pos}
	if s.OfTypename != nil {
		for _, f := range l.fieldsOf(l.typeOf(s.OfTypename, t).name) {
			tab.columns = append(tab.columns, &column{pos: pos, name: f.name, t: f.t, domain: f.domain, within: f.within})
		}
	}
	parents := map[*table]ir.Pos{}
	for _, r := range s.InhRelations {
		rv := pg.Inner(r).(*pg.RangeVar)
		parent := l.tableNamed(rv, t)
		if parent == nil {
			l.fail(t.Pos(int(rv.Location)), noTable+"%s", syntax.RangeName(rv))
		}
		tab.columns = append(tab.columns, l.copyColumns(parent)...)
		parents[parent] = t.Pos(int(rv.Location))
	}
	l.addTable(tab, schema, own)
	tab.rel.bare = l.bare(s.Relation)
	for _, o := range l.order {
		if at, is := parents[o]; is {
			l.inherit(tab, o, at)
		}
	}
	name = tab.name
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
			l.note(pos, "table %s: this part of its definition is not modelled", name)
		}
	}
	for _, c := range later {
		l.constraint(tab, c, t)
	}
	if tab.partitioned = s.Partspec != nil; tab.partitioned {
		tab.partitions = &partitioning{spec: s.Partspec, text: t}
	}
	if s.Partspec != nil && tab.key == nil {
		l.note(pos, "table %s is partitioned; its partitions are one table here", name)
	}
}

// inherit makes parent and child of an inheritance tables whose statements
// are not modelled, since a query of the parent reads the child as well.
func (l *Schema) inherit(child, parent *table, pos ir.Pos) {
	l.note(pos, "inheritance between %s and %s is not modelled: nor is any statement on them", child.name, parent.name)
	for _, t := range []*table{child, parent} {
		t.odd = "inheritance of tables"
		t.oddTables = append(t.oddTables, child, parent)
	}
}

// partition notes a partition: its rows are the parent's, and a statement
// that names it is not modelled.
func (l *Schema) partition(s *pg.CreateStmt, t *syntax.Text) {
	rv := pg.Inner(s.InhRelations[0]).(*pg.RangeVar)
	parent := l.sees(t).relation(syntax.RangeName(rv))
	if parent == nil {
		l.fail(t.Pos(int(rv.Location)), noTable+"%s", syntax.RangeName(rv))
	}
	deep := false
	for parent.view != nil && len(parent.view.of) == 1 {
		parent, deep = parent.view.of[0], true // a partition of a partition
	}
	l.addPartition(parent.table, deep, s, t)
	l.createRelation(&view{pos: t.Pos(int(s.Relation.Location)), what: "a partition", of: []*relation{parent}}, s.Relation, t)
}

func (l *Schema) copyColumns(from *table) []*column {
	var out []*column
	for _, c := range from.columns {
		d := *c
		d.was, d.since = nil, l.clock
		out = append(out, &d)
	}
	return out
}

// Bits of TableLikeClause.Options, from parsenodes.h.
const (
	likeConstraints = 1 << 2
	likeDefaults    = 1 << 3
	likeGenerated   = 1 << 4
	likeIdentity    = 1 << 5
	likeIndexes     = 1 << 6
)

func (l *Schema) like(tab *table, e *pg.TableLikeClause, t *syntax.Text) {
	from := l.tableNamed(e.Relation, t)
	if from == nil {
		l.fail(t.Pos(int(e.Relation.Location)), noTable+"%s", syntax.RangeName(e.Relation))
	}
	for _, c := range l.copyColumns(from) {
		if e.Options&likeDefaults == 0 {
			c.def = nil
		}
		if c.fresh && e.Options&(likeDefaults|likeIdentity) == 0 {
			c.fresh = false
		}
		if e.Options&likeGenerated == 0 {
			c.generated = nil
		}
		tab.columns = append(tab.columns, c)
	}
	if e.Options&likeIndexes != 0 {
		tab.key = from.key
		tab.uniques = append(tab.uniques, from.uniques...)
		for _, x := range from.exclusions {
			copied := *x
			copied.name = x.defaultName(tab)
			copied.elements = slices.Clone(x.elements)
			tab.exclusions = append(tab.exclusions, &copied)
		}
		for _, c := range from.indexed {
			copied := *c
			tab.indexed = append(tab.indexed, &copied)
		}
	}
	if e.Options&likeConstraints != 0 {
		tab.checks = append(tab.checks, from.checks...)
	}
}

// setType gives a column the type that a definition tells.
func (l *Schema) setType(c *column, d *pg.ColumnDef, t *syntax.Text) {
	c.t, c.domain, c.within = l.typeOf(d.TypeName, t), l.domainOf(d.TypeName, t), l.domainsOf(d.TypeName, t)
	if d.CollClause != nil {
		c.t = l.collated(c.t, syntax.Qualified(syntax.Names(d.CollClause.Collname)))
	}
}

func (l *Schema) addColumn(tab *table, d *pg.ColumnDef, t *syntax.Text) {
	pos := t.Pos(int(d.Location))
	if tab.column(d.Colname) != nil {
		l.fail(pos, "table %s has two columns %s", tab.name, d.Colname)
	}
	c := &column{pos: pos, name: d.Colname, since: l.clock, text: t}
	l.setType(c, d, t)
	tab.columns = append(tab.columns, c)
	if parts := syntax.Names(d.TypeName.GetNames()); len(parts) > 0 {
		switch last := parts[len(parts)-1]; last {
		case "serial", "serial2", "serial4", "serial8", "smallserial", "bigserial":
			c.fresh, c.notNull = true, true
			l.ownSequence(tab, c)
		default:
			if c.domain != nil {
				c.def = c.domain.def
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
			c.notNull = true
		case pg.ConstrNull:
		case pg.ConstrDefault:
			l.setDefault(c, k.RawExpr, t)
		case pg.ConstrIdentity:
			c.fresh, c.notNull = true, true
			l.ownSequence(tab, c)
		case pg.ConstrGenerated:
			c.generated = &sqlExpr{k.RawExpr, t}
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

// setDefault records a default; nextval makes the column FRESH.
func (l *Schema) setDefault(c *column, e *pg.Node, t *syntax.Text) {
	c.def, c.fresh = nil, false
	if e == nil {
		return
	}
	if f, ok := pg.Inner(e).(*pg.FuncCall); ok && syntax.PlainName(syntax.Qualified(syntax.Names(f.Funcname))) == "nextval" {
		c.fresh = true
		c.sequence = l.sequenceName(f.Args, t)
		return
	}
	c.def = &sqlExpr{e, t}
}

// ownSequence declares the sequence of a serial or identity column.
func (l *Schema) ownSequence(t *table, c *column) {
	name := t.rel.own() + "_" + c.name + "_seq"
	if old := l.declarations.relationIn(t.rel.schema(), name, l.clock); old == nil {
		l.addView(&view{pos: c.pos, what: sequenceView}, t.rel.schema(), name)
	}
	c.sequence = syntax.FullName(t.rel.schema(), name)
}

// sequenceName gives the sequence in the arguments of nextval or currval, "" where it is not known
// which one that is. t is the text with the call.
func (l *Schema) sequenceName(args []*pg.Node, t *syntax.Text) string {
	if len(args) != 1 {
		return ""
	}
	n, in := pg.Inner(args[0]), l.sees(t)
	if cast, ok := n.(*pg.TypeCast); ok {
		n = pg.Inner(cast.Arg)
		if syntax.PlainName(syntax.TypeSpelling(cast.TypeName)) != "regclass" { // the name is looked up at each call
			in = &l.late
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
		return all[0].full()
	case len(all) > 1:
		return ""
	}
	return syntax.PlainName(name) // of a sequence that no file declares
}

func (l *Schema) columnConstraint(tab *table, c *column, k *pg.Constraint, t *syntax.Text) {
	if len(k.Keys) == 0 && (k.Contype == pg.ConstrPrimary || k.Contype == pg.ConstrUnique) {
		k.Keys = []*pg.Node{pg.StringNode(c.name)}
	}
	if len(k.FkAttrs) == 0 && k.Contype == pg.ConstrForeign {
		k.FkAttrs = []*pg.Node{pg.StringNode(c.name)}
	}
	l.constraint(tab, k, t)
}

// constraint adds a table constraint.
func (l *Schema) constraint(tab *table, k *pg.Constraint, t *syntax.Text) {
	pos := t.Pos(int(k.Location))
	cols := syntax.Names(k.Keys)
	l.checkColumns(tab, pos, cols)
	switch k.Contype {
	case pg.ConstrPrimary:
		if tab.key != nil {
			l.fail(pos, "table %s has two primary keys", tab.name)
		}
		if k.Indexname != "" {
			cols = l.indexColumns(tab, k.Indexname, pos)
		}
		tab.key = &uniqueKey{pos: pos, name: syntax.NameOr(k.Conname, tab.rel.own()+"_pkey"), columns: cols, deferred: k.Initdeferred, deferrable: k.Deferrable}
		for _, c := range cols {
			tab.column(c).notNull = true
		}
	case pg.ConstrUnique:
		name := syntax.NameOr(k.Conname, fmt.Sprintf("%s_%s_key", tab.rel.own(), strings.Join(cols, "_")))
		if k.Indexname != "" {
			l.indexColumns(tab, k.Indexname, pos)
			return // the index is one of the uniques already
		}
		tab.uniques = append(tab.uniques, &uniqueKey{pos: pos, name: name, columns: cols,
			deferred: k.Initdeferred, deferrable: k.Deferrable, nulls: k.NullsNotDistinct})
	case pg.ConstrForeign:
		l.foreignKey(tab, k, t)
	case pg.ConstrCheck:
		name := syntax.NameOr(k.Conname, fmt.Sprintf("%s_check%d", tab.rel.own(), len(tab.checks)+1))
		tab.checks = append(tab.checks, &tableCheck{pos, name, sqlExpr{k.RawExpr, t}, k.SkipValidation})
	case pg.ConstrNotNull:
		for _, c := range cols {
			tab.column(c).notNull = true
		}
	case pg.ConstrExclusion:
		l.addExclusion(tab, k, t)
	default:
		l.note(pos, "a constraint of %s is left out", tab.name)
	}
}

func (l *Schema) checkColumns(tab *table, pos ir.Pos, cols []string) {
	for _, c := range cols {
		if tab.column(c) == nil && !slices.ContainsFunc(tab.indexed, func(i *column) bool { return i.name == c }) {
			l.fail(pos, "table %s has no column %s", tab.name, c)
		}
	}
}

// indexColumns gives the columns of a unique index that a constraint uses.
func (l *Schema) indexColumns(tab *table, index string, pos ir.Pos) []string {
	for _, u := range tab.uniques {
		if u.name == index {
			return u.columns
		}
	}
	l.fail(pos, "table %s has no unique index %s", tab.name, index)
	return nil
}

func (l *Schema) foreignKey(tab *table, k *pg.Constraint, t *syntax.Text) {
	pos := t.Pos(int(k.Location))
	cols := syntax.Names(k.FkAttrs)
	l.checkColumns(tab, pos, cols)
	f := &foreignKey{
		pos:        pos,
		name:       syntax.NameOr(k.Conname, fmt.Sprintf("%s_%s_fkey", tab.rel.own(), strings.Join(cols, "_"))),
		columns:    cols,
		ref:        syntax.RangeName(k.Pktable),
		names:      l.sees(t),
		refColumns: syntax.Names(k.PkAttrs),
		onDelete:   actionOf(k.FkDelAction),
		onUpdate:   actionOf(k.FkUpdAction),
		setColumns: syntax.Names(k.FkDelSetCols),
		unproven:   k.SkipValidation,
		deferred:   k.Initdeferred,
		deferrable: k.Deferrable,
	}
	f.full = k.FkMatchtype == "f" && len(cols) > 1
	tab.foreign = append(tab.foreign, f)
}

func actionOf(s string) action {
	if s == "" {
		return noAction
	}
	return action(s[0])
}

// indexExpr is an expression, or the condition, of an index.
type indexExpr struct {
	pos  ir.Pos
	name string
	expr sqlExpr
}

// index takes over CREATE UNIQUE INDEX; of other indexes what they compute matters, and in
// MySQL's dialect the columns.
func (l *Schema) index(s *pg.IndexStmt, t *syntax.Text) {
	pos := t.Pos(int(s.Relation.Location))
	tab := l.changed(s.Relation, t, false)
	taken := l.indexNames[s.Idxname] || l.sees(t).relation(s.Idxname) != nil
	if s.Idxname != "" {
		l.indexNames[s.Idxname] = true
	}
	switch {
	case tab == nil:
		return // of a materialized view
	case s.IfNotExists && taken && !l.in.mysql:
		l.note(pos, "there is something of the name %s already: this index is not made", s.Idxname)
		return
	case !s.Unique && !l.in.mysql:
		var list []*pg.Node
		for _, n := range s.IndexParams {
			list = append(list, pg.Inner(n).(*pg.IndexElem).Expr)
		}
		for _, n := range append(list, s.WhereClause) {
			if n != nil {
				tab.computed = append(tab.computed, &indexExpr{pos, syntax.NameOr(s.Idxname, "on "+tab.rel.own()), sqlExpr{n, t}})
			}
		}
		return
	case !s.Unique:
		tab.lookedUp = append(tab.lookedUp, indexedColumns(s)...)
		return
	}
	name := tab.rel.own()
	if s.IfNotExists && slices.ContainsFunc(tab.uniques, func(u *uniqueKey) bool { return u.name == s.Idxname }) {
		return
	}
	u := &uniqueKey{pos: pos, name: s.Idxname}
	hidden := syntax.NameOr(s.Idxname, "index "+itoa(len(tab.uniques)+1)+" of "+name)
	for _, n := range s.IndexParams {
		e := pg.Inner(n).(*pg.IndexElem)
		if e.Name == "" {
			x := &column{pos: pos, name: hidden + " " + itoa(len(u.columns)+1), generated: &sqlExpr{e.Expr, t}, index: true}
			tab.indexed = append(tab.indexed, x)
			u.columns = append(u.columns, x.name)
			continue
		}
		u.columns = append(u.columns, e.Name)
	}
	for _, n := range s.IndexParams {
		if e := pg.Inner(n).(*pg.IndexElem); e.Name != "" {
			l.checkColumns(tab, pos, []string{e.Name})
		}
	}
	u.name = syntax.NameOr(u.name, fmt.Sprintf("%s_%s_idx", name, strings.Join(u.columns, "_")))
	u.nulls = s.NullsNotDistinct
	if s.WhereClause != nil {
		u.where = &sqlExpr{s.WhereClause, t}
	}
	tab.uniques = append(tab.uniques, u)
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
