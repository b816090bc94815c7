package schema

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// TableOfIR gives the table of which t is the form in the IR.
func (l *Schema) TableOfIR(t *ir.Table) *Table {
	for _, o := range l.Order {
		if o.IR == t {
			return o
		}
	}
	return nil
}

// RowidName makes sure that the name of the hidden column is no other's.
func (l *Schema) RowidName(t *Table) {
	if t.Column("rowid") != nil {
		l.Fail(t.Pos, "table %s has no primary key, and its column rowid has the name of the hidden key; declare a primary key", t.Name)
	}
}

// ColumnIndexes gives the numbers of columns of t.
func ColumnIndexes(t *ir.Table, names []string) []int {
	var out []int
	for _, n := range names {
		out = append(out, t.Column(n))
	}
	return out
}

// LooksAround reports whether a check with these references looks at more than
// its row.
func (l *Schema) LooksAround(r *Refs) bool {
	e := l.EffectOf(r)
	return e.All || e.Writes || len(e.Tables) > 0
}

func allNotNull(t *Table, cols []string) bool {
	for _, c := range cols {
		if t.Column(c) == nil || !t.Column(c).NotNull {
			return false
		}
	}
	return true
}

// HideIndexes makes the unique indexes and EXCLUDE constraints over an expression
// that is not modelled constraints that are not seen.
func (l *Schema) HideIndexes(t *Table, name, why string) {
	t.Uniques = Without(t.Uniques, func(u *UniqueKey) bool {
		if !slices.Contains(u.Columns, name) {
			return false
		}
		t.Hide(&Unseen{Pos: u.Pos, Name: u.Name, What: "unique index " + u.Name + ", which is over an expression (" + why + ")",
			Key: true, On: OnInsert | OnUpdate, Tables: []string{t.Name}})
		return true
	})
	t.Exclusions = Without(t.Exclusions, func(x *Exclusion) bool {
		if x.Uses(name) {
			l.HideExclusion(t, x, " ("+why+")")
		}
		return x.Uses(name)
	})
	t.Indexed = Without(t.Indexed, func(c *Column) bool { return c.Name == name })
}

// ForeignKeys adds the foreign keys of t. One that is not sure to hold, or not
// checked by each statement, is unseen.
func (l *Schema) ForeignKeys(t *Table) {
	for _, f := range t.Foreign {
		f.Number = -1
	}
	for _, f := range slices.Clone(t.Foreign) {
		others := []*Table{}
		if ref := f.Parent(); ref != nil {
			others = append(others, ref)
		}
		if !l.Tolerate(t, func() { l.foreignKeyOf(t, f) }, others...) {
			t.Foreign = Without(t.Foreign, func(g *ForeignKey) bool { return g == f })
		}
	}
}

// foreignKeyOf adds one foreign key.
func (l *Schema) foreignKeyOf(t *Table, f *ForeignKey) {
	ref := f.Parent()
	if ref == nil {
		l.Fail(f.Pos, "foreign key %s refers to %s, but there is no such table", f.Name, f.Ref)
	}
	refs := l.RefColumns(childKey{f, t})
	if len(refs) == 0 {
		l.Fail(f.Pos, "foreign key %s refers to %s, which has no primary key; name the columns", f.Name, f.Ref)
	}
	l.CheckColumns(ref, f.Pos, refs)
	if len(refs) != len(f.Columns) {
		l.Fail(f.Pos, "foreign key %s has %d columns for %d", f.Name, len(f.Columns), len(refs))
	}
	switch {
	case l.checkedLate(f) && slices.Contains(l.In.Mended, lateKey{t.Name, f.Name}):
		l.hideForeignKey(t, ref, f, refs, "foreign key "+f.Name+", which may be checked at commit")
		return
	case slices.Contains(l.In.Newer, [2]string{t.Name, f.Name}):
		l.hideForeignKey(t, ref, f, refs, "foreign key "+f.Name+", which looks for rows of the partitioned table "+ref.Name+" in a newer snapshot than that of the transaction")
		return
	case f.Unproven: // what writes it is not modelled, so that MATCH FULL adds nothing
		l.hideForeignKey(t, ref, f, refs, "foreign key "+f.Name+", which is NOT VALID")
		return
	case l.unguarded(t, f):
		l.hideForeignKey(t, ref, f, refs, "foreign key "+f.Name+", whose triggers are turned off")
		return
	}
	k := ir.ForeignKey{Pos: f.Pos, Name: f.Name, Columns: ColumnIndexes(t.IR, f.Columns), Ref: ref.IR, RefColumns: ColumnIndexes(ref.IR, refs)}
	if !keyOrUnique(ref.IR, k.RefColumns) {
		if l.In.MySQL {
			l.hideForeignKey(t, ref, f, refs, "foreign key "+f.Name+", which refers to columns that are no key")
			return
		}
		l.Fail(f.Pos, "foreign key %s refers to columns of %s that are no primary key and no unique key", f.Name, f.Ref)
	}
	for i, c := range k.Columns {
		from, to := t.IR.Columns[c], ref.IR.Columns[k.RefColumns[i]]
		if !to.Type.Accepts(from.Type) {
			l.Fail(f.Pos, "foreign key %s compares %s (%s) with %s (%s)", f.Name, from.Name, from.Type, to.Name, to.Type)
		}
	}
	f.Number = len(t.IR.ForeignKeys)
	t.IR.ForeignKeys = append(t.IR.ForeignKeys, k)
	switch {
	case f.Full && l.checkedLate(f):
		l.LeaveOut(t, f.Pos, "MATCH FULL of foreign key "+f.Name, "it may be checked at commit", f.Columns)
	case f.Full:
		t.IR.Checks = append(t.IR.Checks, ir.TableCheck{Pos: f.Pos, Name: f.Name, Expr: allOrNone(t.IR, k.Columns)})
	}
}

// allOrNone says that all of some columns are NULL, or none of them.
func allOrNone(t *ir.Table, cols []int) ir.Expr {
	var all, none ir.Expr
	for _, c := range cols {
		null := &ir.Unary{Op: ir.IsNull, X: &ir.Col{Row: t.Name, Col: t.Columns[c].Name}}
		all, none = ir.AndE(all, null), ir.AndE(none, ir.NotE(null))
	}
	return ir.OrE(all, none)
}

func keyOrUnique(t *ir.Table, cols []int) bool {
	if !t.Rowid && ir.SameColumns(cols, t.Key) {
		return true
	}
	for _, u := range t.Uniques {
		if u.Where == nil && ir.SameColumns(cols, u.Columns) {
			return true
		}
	}
	return false
}

// expr is an SQL expression with the text that its positions refer to.
type SQLExpr struct {
	Node *pg.Node
	Text *syntax.Text
}

// Column is a column while the schema is being read.
type Column struct {
	Pos  ir.Pos
	Text *syntax.Text // in which it is declared
	Name string
	// Was are the names that it had, oldest first, and since the moment from which it is there.
	Was     []FormerName
	Since   moment
	T       Type
	NotNull bool
	Domain  *UserType
	// Within are the domains in the type: itself, those of fields and of elements.
	Within []*UserType
	Def    *SQLExpr
	// Fresh marks serial and identity columns, whose default is a value that
	// was never used; sequence is the name that nextval and currval know.
	Fresh    bool
	Sequence string
	// Generated is the expression of a GENERATED … STORED column.
	Generated *SQLExpr
	// Index says that it is the expression of a unique index, and no column of
	// the table.
	Index bool
}

// Action is what a foreign key does to children.
type Action byte

const (
	NoAction Action = 'a'
	Restrict Action = 'r'
	Cascade  Action = 'c'
	SetNull  Action = 'n'
	// SetDefault gives them the default.
	SetDefault Action = 'd'
)

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
	Computed []*IndexExpr
	// LookedUp are the columns of indexes that are no keys, in MySQL's dialect.
	LookedUp []string
	Key      *UniqueKey
	Uniques  []*UniqueKey
	// Exclusions are the EXCLUDE constraints.
	Exclusions []*Exclusion
	Foreign    []*ForeignKey
	Checks     []*TableCheck
	// Unseen are the constraints that the ir.Table does not have.
	Unseen []*Unseen
	// Unproven are checks that rows may break, but for those that are written.
	Unproven []ir.TableCheck
	// Unchecked are checks of a row alone that are left out.
	Unchecked []*unchecked
	Triggers  []*Trigger
	// Disabled are the triggers that are turned off; unguarded says that those of
	// foreign keys are, too.
	Disabled  []*Trigger
	Unguarded bool
	// Odd says why statements on the table cannot be modelled, or is "".
	// OddTables are other tables that such a statement may touch.
	Odd       string
	OddTables []*Table
	OddRefs   []*Refs
	// Keyed are columns with those that stand for them in keys.
	Keyed [][2]string
	// OddAll says that it may touch all of them.
	OddAll   bool
	Policies []Policy
	RowSec   bool
	Forced   bool // its row level security binds the owner, too
	Inserts  []InitialInsert
	// Partitioned says that a row may fit into no partition, and partitions into which
	// it does.
	Partitioned   bool
	Partitions    *Partitioning
	PartitionKeys []*UniqueKey // declared for one of its partitions alone
	IR            *ir.Table
}

// Policy is a policy of row level security, with what it names.
type Policy struct {
	Name string
	Refs *Refs
}

// MatchFull gives a foreign key of several columns with MATCH FULL, nil if there is none.
func (t *Table) MatchFull() *ForeignKey {
	for _, k := range t.Foreign {
		if k.Full && len(k.Columns) > 1 {
			return k
		}
	}
	return nil
}

// SequenceView is what a sequence is called in the place of a table.
const SequenceView = "a sequence, read as a table"

// Parent gives the table that a foreign key refers to, nil if it is not declared.
func (f *ForeignKey) Parent() *Table {
	if f.to == nil {
		f.to = f.Names.Table(f.Ref)
	}
	return f.to
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
	all := in.Relations(name)
	switch {
	case len(all) == 1:
		return all[0].Full()
	case len(all) > 1:
		return ""
	}
	return syntax.PlainName(name) // of a sequence that no file declares
}

// CheckColumns refuses names of columns that the table does not have.
func (l *Schema) CheckColumns(tab *Table, pos ir.Pos, cols []string) {
	for _, c := range cols {
		if tab.Column(c) == nil && !slices.ContainsFunc(tab.Indexed, func(i *Column) bool { return i.Name == c }) {
			l.Fail(pos, "table %s has no column %s", tab.Name, c)
		}
	}
}

// IndexExpr is an expression, or the condition, of an index.
type IndexExpr struct {
	Pos  ir.Pos
	Name string
	Expr SQLExpr
}

// NullsEqual reports whether a unique key tells NULLs apart no more than values.
func (u *UniqueKey) NullsEqual(t *Table) bool { return u.Nulls && !allNotNull(t, u.Columns) }

// HideExclusion makes one a constraint that is not seen.
func (l *Schema) HideExclusion(t *Table, x *Exclusion, why string) {
	t.Hide(&Unseen{Pos: x.Pos, Name: x.Name, What: "EXCLUDE constraint " + x.Name + why, Key: true, On: OnInsert | OnUpdate, Tables: []string{t.Name}})
}

// InitialInsert is an INSERT outside of functions.
type InitialInsert struct {
	Stmt *pg.InsertStmt
	Text *syntax.Text
	Pos  ir.Pos
}
