package schema

import (
	"slices"

	"github.com/txrobust/robust/ir"
)

// TableOfIR gives the table of which t is the form in the IR.
func (l *Schema) TableOfIR(t *ir.Table) *Table {
	for _, o := range l.Order {
		if o.Ir == t {
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
	l.checkColumns(ref, f.Pos, refs)
	if len(refs) != len(f.Columns) {
		l.Fail(f.Pos, "foreign key %s has %d columns for %d", f.Name, len(f.Columns), len(refs))
	}
	switch {
	case l.checkedLate(f) && slices.Contains(l.In.Mended, lateKey{t.Name, f.Name}):
		l.hideForeignKey(t, ref, f, refs, "foreign key "+f.Name+", which may be checked at commit")
		return
	case f.unproven: // what writes it is not modelled, so that MATCH FULL adds nothing
		l.hideForeignKey(t, ref, f, refs, "foreign key "+f.Name+", which is NOT VALID")
		return
	case l.unguarded(t, f):
		l.hideForeignKey(t, ref, f, refs, "foreign key "+f.Name+", whose triggers are turned off")
		return
	}
	k := ir.ForeignKey{Pos: f.Pos, Name: f.Name, Columns: ColumnIndexes(t.Ir, f.Columns), Ref: ref.Ir, RefColumns: ColumnIndexes(ref.Ir, refs)}
	if !keyOrUnique(ref.Ir, k.RefColumns) {
		l.Fail(f.Pos, "foreign key %s refers to columns of %s that are no primary key and no unique key", f.Name, f.Ref)
	}
	for i, c := range k.Columns {
		from, to := t.Ir.Columns[c], ref.Ir.Columns[k.RefColumns[i]]
		if !to.Type.Accepts(from.Type) {
			l.Fail(f.Pos, "foreign key %s compares %s (%s) with %s (%s)", f.Name, from.Name, from.Type, to.Name, to.Type)
		}
	}
	f.Number = len(t.Ir.ForeignKeys)
	t.Ir.ForeignKeys = append(t.Ir.ForeignKeys, k)
	switch {
	case f.full && l.checkedLate(f):
		l.LeaveOut(t, f.Pos, "MATCH FULL of foreign key "+f.Name, "it may be checked at commit", f.Columns)
	case f.full:
		t.Ir.Checks = append(t.Ir.Checks, ir.TableCheck{Pos: f.Pos, Name: f.Name, Expr: allOrNone(t.Ir, k.Columns)})
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
		if o.Ir == t {
			return o
		}
	}
	panic("sqlmodel: table " + t.Name + " is not in the program")
}
