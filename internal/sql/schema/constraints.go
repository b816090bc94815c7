package schema

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Constraint is what a table demands of its rows.
type Constraint interface {
	// Label is the name by which statements mean it, and Relabel changes it.
	Label() string
	Relabel(name string)
	// Uses reports whether it is about a column.
	Uses(column string) bool
	// RenameColumn gives a column another name in it.
	RenameColumn(old, to string)
}

// UniqueKey is a uniqueness constraint or index, or the primary key.
type UniqueKey struct {
	Pos     ir.Pos
	Name    string
	Columns []string
	// Parts, of an index, are what a name that PostgreSQL makes has between that of the table and idx.
	Parts []string
	Where *SQLExpr
	// Deferred says that it is checked at commit, deferrable that SET
	// CONSTRAINTS can make it so.
	Deferred, Deferrable bool
	Nulls                bool // NULLS NOT DISTINCT
	// Partitions is how many partitions of the table may have no index for it: those that
	// were there when it was declared for the partitioned table ONLY. Joined are the indexes
	// of partitions that ALTER INDEX … ATTACH PARTITION has given it since.
	Partitions int
	Joined     []string
}

// Open reports whether some partition may have rows that the key does not keep apart.
func (u *UniqueKey) Open() bool { return len(u.Joined) < u.Partitions }

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

// TableCheck is a CHECK.
type TableCheck struct {
	Pos  ir.Pos
	Name string
	// Own is what the server calls it, "" where that is its Name.
	Own  string
	Expr SQLExpr
	// Unproven says that existing rows may break it.
	Unproven bool
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

// Copy is the key in another table, where it has another name.
func (u *UniqueKey) Copy(name string) *UniqueKey {
	out := *u
	out.Name, out.Columns = name, slices.Clone(u.Columns)
	return &out
}

// Label is the name of the key.
func (u *UniqueKey) Label() string { return u.Name }

// Relabel gives the key another name.
func (u *UniqueKey) Relabel(name string) { u.Name = name }

// Label is the name of the constraint.
func (x *Exclusion) Label() string { return x.Name }

// Relabel gives the constraint another name.
func (x *Exclusion) Relabel(name string) { x.Name = name }

// Label is the name of the foreign key.
func (f *ForeignKey) Label() string { return f.Name }

// Relabel gives the foreign key another name.
func (f *ForeignKey) Relabel(name string) { f.Name = name }

// Label is the name of the check on the server.
func (k *TableCheck) Label() string { return syntax.NameOr(k.Own, k.Name) }

// Relabel gives the check another name.
func (k *TableCheck) Relabel(name string) { k.Name, k.Own = name, "" }

// Uses reports whether the key is about a column.
func (u *UniqueKey) Uses(name string) bool {
	return slices.Contains(u.Columns, name) || u.Where.names(name)
}

// Uses reports whether the constraint is about a column.
func (x *Exclusion) Uses(name string) bool {
	return x.Where.names(name) || slices.ContainsFunc(x.Elements, func(e ExclusionElement) bool { return e.Column == name || e.Expr.names(name) })
}

// Uses reports whether the foreign key is of a column.
func (f *ForeignKey) Uses(name string) bool { return slices.Contains(f.Columns, name) }

// Uses reports whether the check is about a column.
func (k *TableCheck) Uses(name string) bool { return k.Expr.names(name) }

// RenameColumn gives a column another name in the key.
func (u *UniqueKey) RenameColumn(old, to string) {
	rename(u.Columns, old, to)
	u.Where = u.Where.renamed(old, to)
}

// RenameColumn gives a column another name in the constraint.
func (x *Exclusion) RenameColumn(old, to string) {
	for i := range x.Elements {
		if e := &x.Elements[i]; e.Column == old {
			e.Column = to
		}
		x.Elements[i].Expr = x.Elements[i].Expr.renamed(old, to)
	}
	x.Where = x.Where.renamed(old, to)
}

// RenameColumn gives a column of the table another name in the foreign key.
func (f *ForeignKey) RenameColumn(old, to string) {
	rename(f.Columns, old, to)
	rename(f.SetColumns, old, to)
}

// RenameParentColumn gives a column of the table that the foreign key refers to another name in it.
func (f *ForeignKey) RenameParentColumn(old, to string) { rename(f.RefColumns, old, to) }

// RenameColumn gives a column another name in the check.
func (k *TableCheck) RenameColumn(old, to string) { k.Expr = *k.Expr.renamed(old, to) }

func rename(list []string, old, to string) {
	for i := range list {
		if list[i] == old {
			list[i] = to
		}
	}
}

// names reports whether an expression, which may be nil, names a column.
func (e *SQLExpr) names(column string) bool {
	return e != nil && slices.Contains(syntax.ColumnsNamed(e.Node), column)
}

// renamed is an expression, which may be nil, with another name for a column. The expression itself may
// be shared by tables that are declared LIKE others.
func (e *SQLExpr) renamed(old, to string) *SQLExpr {
	if e == nil {
		return nil
	}
	out := &SQLExpr{pg.Clone(e.Node), e.Text}
	pg.Walk(out.Node, func(x any) bool {
		if r, ok := x.(*pg.ColumnRef); ok && len(r.Fields) > 0 {
			if s, ok := pg.Inner(r.Fields[len(r.Fields)-1]).(*pg.String); ok && s.Sval == old {
				s.Sval = to
			}
		}
		return true
	})
	return out
}

// Constraints gives all constraints of the table.
func (t *Table) Constraints() (out []Constraint) {
	t.dropConstraints(func(c Constraint) bool {
		out = append(out, c)
		return false
	})
	return out
}

// dropConstraints takes the constraints away that drop is true of.
func (t *Table) dropConstraints(drop func(Constraint) bool) {
	if t.Key != nil && drop(t.Key) {
		t.Key = nil
	}
	t.Uniques, t.Exclusions = without(t.Uniques, drop), without(t.Exclusions, drop)
	t.Foreign, t.Checks = without(t.Foreign, drop), without(t.Checks, drop)
}

func without[T Constraint](list []T, drop func(Constraint) bool) []T {
	return Without(list, func(c T) bool { return drop(c) })
}

// DropConstraint takes the constraint of a name away; false if there is none.
func (t *Table) DropConstraint(name string) bool {
	found := false
	t.dropConstraints(func(c Constraint) bool {
		found = found || c.Label() == name
		return c.Label() == name
	})
	return found
}

// DropColumn takes a column away, with the constraints that are about it.
func (t *Table) DropColumn(name string) {
	t.Columns = Without(t.Columns, func(c *Column) bool { return c.Name == name })
	gone := []string{name}
	for _, c := range t.Indexed {
		if c.Generated.names(name) {
			gone = append(gone, c.Name)
		}
	}
	t.dropConstraints(func(c Constraint) bool { return slices.ContainsFunc(gone, c.Uses) })
}

// RenameConstraint gives a constraint another name. Where it is an index that has the name, only
// keys and exclusions have one.
func (t *Table) RenameConstraint(old, to string, index bool) {
	for _, c := range t.Constraints() {
		_, key := c.(*UniqueKey)
		_, exclusion := c.(*Exclusion)
		if c.Label() == old && (key || exclusion || !index) {
			c.Relabel(to)
		}
	}
}

// RenameColumn gives a column another name in all that the table declares.
func (t *Table) RenameColumn(old, to string) {
	for _, c := range t.Constraints() {
		c.RenameColumn(old, to)
	}
	for _, c := range slices.Concat(t.Columns, t.Indexed) {
		c.Generated = c.Generated.renamed(old, to)
	}
	for _, k := range t.Computed {
		k.Expr = *k.Expr.renamed(old, to)
	}
	for _, g := range slices.Concat(t.Triggers, t.Disabled) {
		rename(g.Columns, old, to)
		g.When = g.When.renamed(old, to)
	}
	rename(t.LookedUp, old, to)
}
