package schema

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
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

// TableFor finds the table with an ir.Table.
func (l *Schema) TableFor(t *ir.Table) *Table {
	for _, o := range l.Order {
		if o.IR == t {
			return o
		}
	}
	panic("schema: table " + t.Name + " is not in the program")
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

// UniqueKey is a uniqueness constraint or index, or the primary key.
type UniqueKey struct {
	Pos     ir.Pos
	Name    string
	Columns []string
	Where   *SQLExpr
	// Deferred says that it is checked at commit, deferrable that SET
	// CONSTRAINTS can make it so.
	Deferred, Deferrable bool
	Nulls                bool // NULLS NOT DISTINCT
}

// ForeignKey is a foreign key, to a table that may be declared later.
type ForeignKey struct {
	Pos        ir.Pos
	Name       string
	Columns    []string
	Ref        string
	Names      *Resolver // of ref
	to         *Table    // what ref means, as far as it is known
	RefColumns []string
	OnDelete   Action
	OnUpdate   Action
	SetColumns []string // of ON DELETE SET NULL (columns)
	// Full says that all columns are NULL or none (MATCH FULL).
	Full bool
	// Unproven says that existing rows may break it (NOT VALID).
	Unproven bool
	Deferred bool
	// Deferrable says that SET CONSTRAINTS can make it deferred.
	Deferrable bool
	// Number is its place in the ir.Table, or -1 where it is unseen.
	Number int
	// Defaults are the values of SET DEFAULT, if the ir.ForeignKey has it.
	Defaults []ir.Expr
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

// TableCheck is a CHECK.
type TableCheck struct {
	Pos  ir.Pos
	Name string
	Expr SQLExpr
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
	Inserts  []InitialInsert
	// Partitioned says that a row may fit into no partition, and partitions into which
	// it does.
	Partitioned bool
	Partitions  *Partitioning
	IR          *ir.Table
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

// indexExpr is an expression, or the condition, of an index.
type indexExpr struct {
	Pos  ir.Pos
	Name string
	Expr SQLExpr
}

// Index takes over CREATE UNIQUE INDEX; of other indexes what they compute matters, and in
// MySQL's dialect the columns.
func (l *Schema) Index(s *pg.IndexStmt, t *syntax.Text) {
	pos := t.Pos(int(s.Relation.Location))
	tab := l.Changed(s.Relation, t, false)
	taken := l.IndexNames[s.Idxname] || l.Sees(t).Relation(s.Idxname) != nil
	if s.Idxname != "" {
		l.IndexNames[s.Idxname] = true
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
				tab.Computed = append(tab.Computed, &indexExpr{pos, syntax.NameOr(s.Idxname, "on "+tab.Rel.Own()), SQLExpr{n, t}})
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
			x := &Column{Pos: pos, Name: hidden + " " + strconv.Itoa(len(u.Columns)+1), Generated: &SQLExpr{e.Expr, t}, Index: true}
			tab.Indexed = append(tab.Indexed, x)
			u.Columns = append(u.Columns, x.Name)
			continue
		}
		u.Columns = append(u.Columns, e.Name)
	}
	for _, n := range s.IndexParams {
		if e := pg.Inner(n).(*pg.IndexElem); e.Name != "" {
			l.CheckColumns(tab, pos, []string{e.Name})
		}
	}
	u.Name = syntax.NameOr(u.Name, fmt.Sprintf("%s_%s_idx", name, strings.Join(u.Columns, "_")))
	u.Nulls = s.NullsNotDistinct
	if s.WhereClause != nil {
		u.Where = &SQLExpr{s.WhereClause, t}
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

// Exclusion is an EXCLUDE constraint.
type Exclusion struct {
	Pos                  ir.Pos
	Name                 string
	Parts                []string // of a name that PostgreSQL makes
	Text                 *syntax.Text
	Elements             []ExclusionElement
	Where                *SQLExpr
	Deferred, Deferrable bool
}

// ExclusionElement is what an operator compares of two rows: a column (perhaps
// one that only the IR has), or an expression over the row.
type ExclusionElement struct {
	Column string
	Expr   *SQLExpr
	Op     string
	Loc    int32
}

// DefaultName is the name of the constraint where none is given.
func (x *Exclusion) DefaultName(tab *Table) string {
	return tab.Rel.Own() + "_" + strings.Join(append(slices.Clone(x.Parts), "excl"), "_")
}

// Uses reports whether the constraint is about a column.
func (x *Exclusion) Uses(name string) bool {
	in := func(e *SQLExpr) bool { return e != nil && slices.Contains(ColumnsNamed(e.Node), name) }
	return in(x.Where) || slices.ContainsFunc(x.Elements, func(e ExclusionElement) bool { return e.Column == name || in(e.Expr) })
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

// GeneratedValues computes the generated columns of a row.
func (l *Schema) GeneratedValues(t *Table, row []ir.Value) bool {
	for i, c := range t.IR.Columns {
		if c.Generated == nil {
			continue
		}
		v, ok := Fold(ir.MapExpr(c.Generated, func(e ir.Expr) ir.Expr {
			if col, is := e.(*ir.Col); is {
				return ir.C(row[t.IR.Column(col.Col)])
			}
			return e
		}))
		if !ok {
			return false
		}
		row[i] = v.Convert(c.Type)
	}
	return true
}

// Fold evaluates constants, and functions of them.
func Fold(e ir.Expr) (ir.Value, bool) {
	switch e := e.(type) {
	case *ir.Const:
		return e.Value, true
	case *ir.Call:
		var args []ir.Value
		for _, a := range e.Args {
			v, ok := Fold(a)
			if !ok {
				return ir.Null, false
			}
			args = append(args, v)
		}
		v, _, err := e.Apply(args)
		return v, err == nil && e.Def == nil
	case *ir.Cond:
		if v, ok := Fold(e.If); ok {
			if v.IsTrue() {
				return Fold(e.Then)
			}
			return Fold(e.Else)
		}
	case *ir.Unary:
		if v, ok := Fold(e.X); ok && e.Op == ir.IsNull {
			return ir.Bool(v.IsNull()), true
		}
	case *ir.Binary:
		x, ok1 := Fold(e.X)
		y, ok2 := Fold(e.Y)
		if ok1 && ok2 {
			return foldNumbers(e.Op, x, y)
		}
	}
	return ir.Null, false
}

// foldNumbers adds, subtracts and multiplies.
func foldNumbers(op ir.BinaryOp, x, y ir.Value) (ir.Value, bool) {
	if x.IsNull() || y.IsNull() {
		return ir.Null, op >= ir.Add && op <= ir.Mul
	}
	number := func(v ir.Value) bool { return v.Kind == ir.KindInt || v.Kind == ir.KindNum }
	if !number(x) || !number(y) {
		return ir.Null, false
	}
	out := new(big.Rat)
	switch op {
	case ir.Add:
		out.Add(x.Rat(), y.Rat())
	case ir.Sub:
		out.Sub(x.Rat(), y.Rat())
	case ir.Mul:
		out.Mul(x.Rat(), y.Rat())
	default:
		return ir.Null, false
	}
	if x.Kind == ir.KindInt && y.Kind == ir.KindInt {
		return ir.Int(out.Num().Int64()), out.Num().IsInt64()
	}
	return ir.Num(out), true
}
