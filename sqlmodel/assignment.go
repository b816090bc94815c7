package sqlmodel

import (
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// assignment is an item of SET.
type assignment struct {
	column string
	v      val
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
func (b *builder) setList(y *ex, s *rowSource, list []*pg.Node) []assignment {
	var out []assignment
	multi := map[*pg.Node][]val{}
	lv := y.levels[len(y.levels)-1]
	before := lv.sources
	defer func() { lv.sources = before }()
	for _, n := range list {
		if b.l.In.MySQL { // an assignment sees those before it
			lv.sources = slices.Clone(before)
			for i := range before {
				if before[i] == s {
					lv.sources[i] = withValues(s, out)
				}
			}
		}
		r := pg.Inner(n).(*pg.ResTarget)
		c := s.table.Column(r.Name)
		if c == nil {
			y.fail(r.Location, "table %s has no column %s; it has %s", s.table.Name, r.Name, columnNames(s))
		}
		for _, o := range out {
			if o.column == c.Name {
				y.fail(r.Location, "column %s is set twice", c.Name)
			}
		}
		if c.Generated != nil {
			if _, isDefault := pg.Inner(r.Val).(*pg.SetToDefault); !isDefault {
				y.fail(r.Location, "column %s is generated: it can only be set to DEFAULT", c.Name)
			}
			continue
		}
		v := y.setValue(c, r, multi)
		if len(r.Indirection) > 0 {
			v = y.setElement(s, c, r, v)
		}
		out = append(out, assignment{column: c.Name, v: y.forColumn(c, v, r.Val, r.Location)})
	}
	return out
}

// setValue gives the value of one SET item.
func (y *ex) setValue(c *schema.Column, r *pg.ResTarget, multi map[*pg.Node][]val) val {
	switch e := pg.Inner(r.Val).(type) {
	case *pg.SetToDefault:
		return y.defaultOf(c, y.pos(r.Location))
	case *pg.MultiAssignRef: // (a, b) = (…)
		vs, ok := multi[e.Source]
		if !ok {
			vs = y.multiValues(e.Source, r.Location)
			multi[e.Source] = vs
		}
		if int(e.Ncolumns) != len(vs) {
			y.fail(r.Location, "%d columns are set to %d values", e.Ncolumns, len(vs))
		}
		return vs[e.Colno-1]
	}
	return y.expr(r.Val)
}

// multiValues gives the values of a row or of a subquery with several columns.
func (y *ex) multiValues(n *pg.Node, loc int32) []val {
	switch e := pg.Inner(n).(type) {
	case *pg.RowExpr:
		var out []val
		for _, a := range y.expanded(e.Args) {
			if _, isDefault := pg.Inner(a).(*pg.SetToDefault); isDefault {
				y.unmodelled("DEFAULT in a row of values")
			}
			out = append(out, y.expr(a))
		}
		return out
	case *pg.SubLink:
		sel, ok := pg.Inner(e.Subselect).(*pg.SelectStmt)
		if !ok {
			break
		}
		q := y.uncorrelated(sel)
		y.b.skipRows(q, y.pos(loc), true)
		y.lockSub(q, y.pos(loc))
		if len(q.from) == 0 || q.limit != nil && q.atMost != 1 {
			y.unmodelled("this form of subquery in SET")
		}
		if len(q.aggs) > 0 {
			y.emitAggregates(q, y.pos(loc))
		} else {
			y.oneRow(q, y.pos(loc))
			y.lockValue(q)
			sel := &ir.Select{At: at(y.pos(loc)), Query: q.ir(), Order: q.order, Locks: q.locks}
			for i, c := range q.targets {
				local := y.b.local(c.name, c.t)
				sel.Into, sel.Cols = append(sel.Into, local), append(sel.Cols, c.e)
				q.targets[i] = colDef{name: c.name, e: ir.V(local), t: c.t}
			}
			y.b.emit(sel)
		}
		var out []val
		for _, c := range q.targets {
			out = append(out, c.val())
		}
		return out
	}
	v := y.expr(n)
	if !v.record {
		y.fail(loc, "several columns are set to one value")
	}
	var out []val
	for _, c := range v.fields {
		out = append(out, c.val())
	}
	return out
}

// setElement is SET a[i] = v, or a field of a composite column: the column
// becomes a function of its old value.
func (y *ex) setElement(s *rowSource, c *schema.Column, r *pg.ResTarget, v val) val {
	args := []ir.Expr{s.col(c.Name).e}
	name := "set"
	for _, n := range r.Indirection {
		switch i := pg.Inner(n).(type) {
		case *pg.A_Indices:
			if i.IsSlice {
				y.unmodelled("SET of a slice of an array")
			}
			args = append(args, y.defaultType(y.one(i.Uidx)).e)
		case *pg.String:
			name += " " + i.Sval
		}
	}
	y.noRow(v)
	if v.t.Name == schema.NUnknown && c.T.Name == schema.NArray {
		v = y.literal(v, c.T.Element(), r.Location)
	}
	args = append(args, y.defaultType(v).e)
	return val{e: &ir.Call{Name: name, Args: args, Type: localType(c.T)}, t: c.T}
}

// defaultOf gives the default of a column.
func (x *ex) defaultOf(c *schema.Column, pos ir.Pos) val {
	switch {
	case c.Fresh && x.perRow:
		return x.volatile("nextval", c.T, pos)
	case c.Fresh:
		return val{e: x.b.nextval(pos, c.Sequence, c.Name, c.T), t: c.T, nn: true}
	}
	return x.b.defaultValue(c, x.perRow)
}

// defaultValue is the default of a column that is no sequence.
func (b *Draft) defaultValue(c *schema.Column, perRow bool) val {
	if c.Def == nil {
		return val{e: ir.C(ir.Null), t: c.T}
	}
	y := &ex{l: b.l, b: b, text: c.Def.Text, perRow: perRow}
	if perRow {
		y.levels = []*level{{}} // no columns, but evaluated for each row
	}
	v := y.expr(c.Def.Node)
	return val{e: y.convert(v, c.T, y.at(c.Def.Node), "column "+c.Name), t: c.T, nn: v.nn}
}

// generated gives the values of the generated columns of t, where row gives
// those of the others.
func (b *builder) generated(t *schema.Table, row *rowSource) []assignment {
	var out []assignment
	defer func(mark int) { b.fallible = b.fallible[:mark] }(len(b.fallible)) // who does not set them computes none
	for _, c := range append(slices.Clone(t.Columns), t.Indexed...) {
		if c.Generated == nil {
			continue
		}
		y := &ex{l: b.l, b: b.Draft, text: c.Generated.Text, levels: []*level{{sources: []*rowSource{row}}}, perRow: true}
		v := y.expr(c.Generated.Node)
		out = append(out, assignment{column: c.Name, v: val{e: y.convert(v, c.T, y.at(c.Generated.Node), "column "+c.Name), t: c.T, nn: v.nn}})
	}
	return out
}

// regenerated gives the generated columns that assignments change.
func (b *builder) regenerated(row *rowSource, set []assignment) []assignment {
	t := row.table.IR
	return schema.Without(b.generated(row.table, withValues(row, set)), func(a assignment) bool {
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
func (b *builder) touched(row *rowSource, set []assignment) []assignment {
	var out []assignment
	for _, name := range b.l.Foreign.Touched[row.table.Name] {
		c := row.table.Column(name)
		if c == nil || slices.ContainsFunc(set, func(a assignment) bool { return a.column == name }) {
			continue
		}
		var same ir.Expr
		for _, a := range set {
			same = ir.AndE(same, ir.Op(ir.Is, row.col(a.column).e, a.v.e))
		}
		old := row.col(name)
		v := val{e: &ir.Cond{If: same, Then: old.e, Else: ir.V(b.sessionLocal("now", schema.TStamp))}, t: c.T, nn: old.nn}
		out = append(out, assignment{column: name, v: v})
	}
	return out
}

// withValues is s with the values of some columns replaced.
func withValues(s *rowSource, set []assignment) *rowSource {
	out := *s
	out.cols = append([]colDef{}, s.cols...)
	for _, a := range set {
		if c := out.col(a.column); c != nil {
			c.e, c.nn = a.v.e, a.v.nn
		}
	}
	return &out
}

// irSets drops assignments of a key column to itself, and refuses other ones.
func (b *builder) irSets(s *rowSource, list []assignment) []ir.Set {
	t := s.table.IR
	var sets []ir.Set
	var keys []string
	for _, a := range list {
		i := t.Column(a.column)
		if !t.IsKey(i) {
			sets = append(sets, ir.Set{Col: i, Expr: a.v.e})
			continue
		}
		if c, ok := a.v.e.(*ir.Col); !ok || c.Row != s.row || c.Col != a.column {
			b.unmodelled("a change of the key column %s", a.column)
		}
		keys = append(keys, a.column)
	}
	if len(sets) == 0 && len(list) > 0 {
		// Setting a key to itself writes the row all the same: so does setting
		// another column to itself.
		for i, c := range t.Columns {
			if !t.IsKey(i) {
				return []ir.Set{{Col: i, Expr: &ir.Col{Row: s.row, Col: c.Name}}}
			}
		}
		b.unmodelled("an update of the key columns (%s) of a table without others", strings.Join(keys, ", "))
	}
	return sets
}
