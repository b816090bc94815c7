package write

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
)

// assignment is an item of SET.
type assignment struct {
	column string
	v      expr.Val
}

// columnsOf gives the columns that are set, nil if it is not known which.
func columnsOf(set []assignment) []string {
	if set == nil {
		return nil
	}
	out := []string{}
	for _, a := range set {
		out = append(out, a.column)
	}
	return out
}

// setList translates SET for a row of s; y sees the row.
func (b *Writer) setList(y *query.Place, s *expr.RowSource, list []*pg.Node) []assignment {
	var out []assignment
	multi := map[*pg.Node][]expr.Val{}
	lv := y.Levels[len(y.Levels)-1]
	before := lv.Sources
	defer func() { lv.Sources = before }()
	for _, n := range list {
		if b.App.In.MySQL { // an assignment sees those before it
			lv.Sources = slices.Clone(before)
			for i := range before {
				if before[i] == s {
					lv.Sources[i] = withValues(s, out)
				}
			}
		}
		r := pg.Inner(n).(*pg.ResTarget)
		c := b.written(y, s, r)
		if b.App.In.MySQL {
			out = b.assignedAgain(c, out)
		}
		for _, o := range out {
			if o.column == c.Name {
				y.Fail(r.Location, "column %s is set twice", c.Name)
			}
		}
		if c.Generated != nil {
			if _, isDefault := pg.Inner(r.Val).(*pg.SetToDefault); !isDefault {
				y.Fail(r.Location, "column %s is generated: it can only be set to DEFAULT", c.Name)
			}
			continue
		}
		v := y.SetValue(c, r, multi)
		if len(r.Indirection) > 0 {
			v = y.SetElement(s, c, r, v)
		}
		out = append(out, assignment{column: c.Name, v: y.ForColumn(c, v, r.Val, r.Location)})
	}
	return out
}

// written gives the column of the table that an item of SET or of the columns of an INSERT
// names.
func (b *Writer) written(y *query.Place, s *expr.RowSource, r *pg.ResTarget) *schema.Column {
	name := r.Name
	if s.Through != nil {
		if name = s.Through.Column(r.Name); name == "" && s.Seen().Col(r.Name) != nil {
			y.Fail(r.Location, "column %s of the view cannot be written: it is no column of %s", r.Name, s.Table.Name)
		}
	}
	c := s.Table.Column(name)
	if c == nil {
		y.Fail(r.Location, "table %s has no column %s; it has %s", s.Table.Name, r.Name, expr.ColumnNames(s.Seen()))
	}
	return c
}

// generated gives the values of the generated columns of t, where row gives
// those of the others.
func (b *Writer) generated(t *schema.Table, row *expr.RowSource) []assignment {
	var out []assignment
	defer func(mark int) { b.Fallible = b.Fallible[:mark] }(len(b.Fallible)) // who does not set them computes none
	for _, c := range append(slices.Clone(t.Columns), t.Indexed...) {
		if c.Generated == nil {
			continue
		}
		y := query.NewPlace(expr.Spot{App: b.App, Draft: b.Draft, Text: c.Generated.Text, Levels: []*expr.Level{{Sources: []*expr.RowSource{row}}}, PerRow: true})
		v := y.Expr(c.Generated.Node)
		out = append(out, assignment{column: c.Name, v: expr.Val{Expr: y.Convert(v, c.T, y.At(c.Generated.Node), "column "+c.Name), Type: c.T, NotNull: v.NotNull}})
	}
	return out
}

// regenerated gives the generated columns that assignments change.
func (b *Writer) regenerated(row *expr.RowSource, set []assignment) []assignment {
	t := row.Table.IR
	return schema.Without(b.generated(row.Table, withValues(row, set)), func(a assignment) bool {
		from := t.Columns[t.Column(a.column)].Generated
		changes := from == nil
		ir.WalkExpr(from, func(e ir.Expr) {
			c, ok := e.(*ir.Col)
			changes = changes || ok && slices.ContainsFunc(set, func(s assignment) bool { return s.column == c.Col })
		})
		return !changes
	})
}

// touched gives the columns with ON UPDATE CURRENT_TIMESTAMP that assignments do not
// set: they get the time if another column changes.
func (b *Writer) touched(row *expr.RowSource, set []assignment) []assignment {
	var out []assignment
	for _, name := range b.App.Foreign.Touched[row.Table.Name] {
		c := row.Table.Column(name)
		if c == nil || slices.ContainsFunc(set, func(a assignment) bool { return a.column == name }) {
			continue
		}
		var same ir.Expr
		for _, a := range set {
			same = ir.AndE(same, ir.Op(ir.Is, row.Col(a.column).Expr, a.v.Expr))
		}
		old := row.Col(name)
		v := expr.Val{Expr: &ir.Cond{If: same, Then: old.Expr, Else: ir.V(b.SessionLocal("now", schema.TStamp))}, Type: c.T, NotNull: old.NotNull}
		out = append(out, assignment{column: name, v: v})
	}
	return out
}

// withValues is s with the values of some columns replaced.
func withValues(s *expr.RowSource, set []assignment) *expr.RowSource {
	out := *s
	out.Cols = append([]expr.Column{}, s.Cols...)
	for _, a := range set {
		if c := out.Col(a.column); c != nil {
			c.Expr, c.NotNull = a.v.Expr, a.v.NotNull
		}
	}
	return &out
}

// irSets drops assignments of a key column to itself, and refuses other ones.
func (b *Writer) irSets(s *expr.RowSource, list []assignment) []ir.Set {
	t := s.Table.IR
	var sets []ir.Set
	var keys []string
	for _, a := range list {
		i := t.Column(a.column)
		if !t.IsKey(i) {
			sets = append(sets, ir.Set{Col: i, Expr: a.v.Expr})
			continue
		}
		if c, ok := a.v.Expr.(*ir.Col); !ok || c.Row != s.Row || c.Col != a.column {
			b.Unmodelled("a change of the key column %s", a.column)
		}
		keys = append(keys, a.column)
	}
	if len(sets) == 0 && len(list) > 0 {
		// Setting a key to itself writes the row all the same: so does setting
		// another column to itself.
		for i, c := range t.Columns {
			if !t.IsKey(i) {
				return []ir.Set{{Col: i, Expr: &ir.Col{Row: s.Row, Col: c.Name}}}
			}
		}
		b.Unmodelled("an update of the key columns (%s) of a table without others", strings.Join(keys, ", "))
	}
	return sets
}

// keepTarget has assignments of the columns in conflict to the values that were proposed for them
// leave these as they are: they are equal.
func keepTarget(existing *expr.RowSource, target []int, list []assignment) {
	t := existing.Table.IR
	for k := range list {
		c, ok := list[k].v.Expr.(*ir.Col)
		if ok && c.Row == ir.Excluded && c.Col == list[k].column && slices.Contains(target, t.Column(c.Col)) {
			list[k].v.Expr = &ir.Col{Row: existing.Row, Col: c.Col}
		}
	}
}

// updateLock is the lock that PostgreSQL takes of a row before ON CONFLICT DO UPDATE or a
// trigger: it depends on the columns that are named, not on their values (PostgreSQL 15,
// ExecUpdateLockMode).
func updateLock(t *ir.Table, list []assignment) ir.LockMode {
	for c := range engine.KeyColumns(t) {
		if slices.ContainsFunc(list, func(a assignment) bool { return a.column == t.Columns[c].Name }) {
			return ir.ForUpdate
		}
	}
	return ir.ForNoKeyUpdate
}
