// Package rows finds the rows of tables that a derivation is computed from. They are read before
// the statement, as far as the conditions of its queries tell which ones matter.
package rows

import (
	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// Set is the rows that a derivation needs, one entry for each mention of a table.
type Set struct{ list []*entry }

// entry is the rows of a table.
type entry struct {
	table *schema.Table
	row   string
	given *ir.Given
	pos   ir.Pos
	// conds are conditions without which a row makes no difference.
	conds []ir.Expr
}

// Of adds the rows of a table that is mentioned at a place, and gives them as a relation.
func (d *Set) Of(t *schema.Table, row string, pos ir.Pos) *ir.Given {
	s := &entry{table: t, row: row, given: &ir.Given{}, pos: pos}
	d.list = append(d.list, s)
	return s.given
}

// TableOf gives the table whose rows a leaf is, or nil.
func (d *Set) TableOf(l *ir.Leaf) *schema.Table {
	if s := d.entryOf(l.Rel); s != nil {
		return s.table
	}
	return nil
}

func (d *Set) entryOf(r ir.Rel) *entry {
	for _, s := range d.list {
		if ir.Rel(s.given) == r {
			return s
		}
	}
	return nil
}

// Restrict passes the conditions of a query on to the rows that it reads.
func (d *Set) Restrict(from ir.From, where ir.Expr) {
	conds := ir.Conjuncts(where)
	d.push(from, conds)
	d.follow(from, conds)
}

// push tells the leaves of a FROM list about conditions that hold of every row
// of the result.
func (d *Set) push(from ir.From, conds []ir.Expr) {
	switch f := from.(type) {
	case *ir.Leaf:
		for _, c := range conds {
			if About(c, f.Row) {
				d.narrow(f.Rel, f.Row, c)
			}
		}
	case *ir.Join:
		on := ir.Conjuncts(f.On)
		l, r := conds, conds
		switch f.Kind {
		case ir.Inner:
			l = append(append([]ir.Expr{}, conds...), on...)
			r = l
		case ir.Left: // rows on the right that do not match make no difference
			r = on
		case ir.Right:
			l = on
		case ir.Full:
			l, r = nil, nil
		}
		d.push(f.L, l)
		d.push(f.R, r)
	}
}

// About reports whether a condition is about the rows of one row variable
// alone, and may be tested where the rows are read.
func About(e ir.Expr, row string) bool {
	ok := true
	ir.WalkExpr(e, func(e ir.Expr) {
		switch e := e.(type) {
		case *ir.Col:
			ok = ok && e.Row == row
		case *ir.Call:
			ok = ok && e.Def == nil
		case *ir.Exists:
			ok = false
		default: // what it is made of decides
		}
	})
	return ok
}

// narrow passes a condition on the rows of a relation, which the row variable
// row stands for in it, on to what the relation is made of.
func (d *Set) narrow(r ir.Rel, row string, c ir.Expr) {
	through := func(items []ir.Item, from ir.From, where ir.Expr) {
		ok := true
		e := ir.MapExpr(c, func(e ir.Expr) ir.Expr {
			col, is := e.(*ir.Col)
			if !is {
				return e
			}
			for _, i := range items {
				if i.Name == col.Col {
					return i.Expr
				}
			}
			ok = false
			return e
		})
		if ok {
			d.push(from, append([]ir.Expr{e}, ir.Conjuncts(where)...))
		}
	}
	switch r := r.(type) {
	case *ir.Given:
		if s := d.entryOf(r); s != nil {
			s.add(c, row)
		}
	case *ir.Project:
		if r.Limit == nil && r.Offset == nil && r.On == nil && !looksAtAll(r.Cols) {
			through(r.Cols, r.From, r.Where)
		}
	case *ir.Group:
		if len(r.Keys) > 0 {
			through(r.Keys, r.From, r.Where)
		}
	case *ir.Elems: // it reads no table
	case *ir.SetOp:
		if r.Again != "" {
			return // a row that is not wanted may lead to others
		}
		d.narrow(r.L, row, c)
		cols := ir.Columns(r.L)
		right := ir.Columns(r.R)
		d.narrow(r.R, row, ir.MapExpr(c, func(e ir.Expr) ir.Expr {
			if col, ok := e.(*ir.Col); ok && col.Row == row {
				for i := range cols {
					if cols[i].Name == col.Col {
						return &ir.Col{Row: row, Col: right[i].Name}
					}
				}
			}
			return e
		}))
	}
}

// looksAtAll reports whether output columns depend on other rows than their own,
// as those of window functions do.
func looksAtAll(items []ir.Item) bool {
	found := false
	for _, i := range items {
		ir.WalkExpr(i.Expr, func(e ir.Expr) {
			c, ok := e.(*ir.Call)
			found = found || ok && c.Def != nil
		})
	}
	return found
}

// add adds a condition, which names the rows row.
func (s *entry) add(c ir.Expr, row string) {
	if row != s.row {
		c = ir.MapExpr(c, func(e ir.Expr) ir.Expr {
			if col, ok := e.(*ir.Col); ok && col.Row == row {
				return &ir.Col{Row: s.row, Col: col.Col}
			}
			return e
		})
	}
	text := c.String()
	for _, old := range s.conds {
		if old.String() == text {
			return
		}
	}
	s.conds = append(s.conds, c)
}

// link is two columns that are equal: rows of b without a partner in a do not matter.
type link struct{ a, b *ir.Col }

// links gives the links that conditions are, of the rows that can be left out.
func links(conds []ir.Expr, can func(row string) bool) []link {
	var out []link
	for _, c := range conds {
		eq, ok := c.(*ir.Binary)
		if !ok || eq.Op != ir.Eq {
			continue
		}
		l, ok1 := eq.X.(*ir.Col)
		r, ok2 := eq.Y.(*ir.Col)
		if !ok1 || !ok2 || l.Row == r.Row {
			continue
		}
		if can(r.Row) {
			out = append(out, link{l, r})
		}
		if can(l.Row) {
			out = append(out, link{r, l})
		}
	}
	return out
}

// joinLinks gives the links of the conditions of joins. inner says that no outer join around keeps
// rows of f without a partner.
func joinLinks(f ir.From, inner bool) []link {
	j, ok := f.(*ir.Join)
	if !ok {
		return nil
	}
	right := map[string]bool{}
	for _, s := range ir.Sources(j.R) {
		right[s.Row] = true
	}
	var out []link
	switch {
	case j.Kind == ir.Inner && inner:
		out = links(ir.Conjuncts(j.On), func(string) bool { return true })
	case j.Kind == ir.Left && inner:
		out = links(ir.Conjuncts(j.On), func(row string) bool { return right[row] })
	}
	out = append(out, joinLinks(j.L, inner && (j.Kind == ir.Inner || j.Kind == ir.Left))...)
	return append(out, joinLinks(j.R, inner && j.Kind == ir.Inner)...)
}

// preserve finds the rows that are those of a table in each row of a FROM list.
func preserve(f ir.From, out map[string]bool) {
	switch f := f.(type) {
	case *ir.Leaf:
		out[f.Row] = true
	case *ir.Join:
		if f.Kind == ir.Inner || f.Kind == ir.Left {
			preserve(f.L, out)
		}
		if f.Kind == ir.Inner || f.Kind == ir.Right {
			preserve(f.R, out)
		}
	}
}

// leaves finds the tables of a FROM list by their row variables.
func (d *Set) leaves(f ir.From, out map[string]*entry) {
	switch f := f.(type) {
	case *ir.Leaf:
		out[f.Row] = d.entryOf(f.Rel)
	case *ir.Join:
		d.leaves(f.L, out)
		d.leaves(f.R, out)
	}
}

// follow looks at equalities of columns of two tables: where one side is read
// with conditions, of the other side only rows with a partner matter.
func (d *Set) follow(from ir.From, where []ir.Expr) {
	preserved, leaf := map[string]bool{}, map[string]*entry{}
	preserve(from, preserved)
	d.leaves(from, leaf)
	all := append(joinLinks(from, true), links(where, func(row string) bool { return preserved[row] })...)
	done := map[*entry]bool{}
	for range all { // along chains of tables
		for _, k := range all {
			a, b := leaf[k.a.Row], leaf[k.b.Row]
			if a == nil || b == nil || done[b] || len(a.conds) == 0 || len(b.conds) > 0 || !preserved[k.a.Row] {
				continue
			}
			done[b] = true
			if v := fixedValue(a.conds, k.a); v != nil {
				b.conds = append(b.conds, ir.Op(ir.Eq, k.b, v))
				continue
			}
			b.conds = append(b.conds, &ir.Exists{Query: ir.Query{From: []ir.Source{{Table: a.table.IR, Row: a.row}},
				Where: ir.AndE(append(append([]ir.Expr{}, a.conds...), ir.Op(ir.Eq, k.a, k.b))...)}})
		}
	}
}

// fixedValue gives what conditions say that a column equals.
func fixedValue(conds []ir.Expr, col *ir.Col) ir.Expr {
	for _, c := range conds {
		eq, ok := c.(*ir.Binary)
		if !ok || eq.Op != ir.Eq {
			continue
		}
		for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
			if k, ok := side[0].(*ir.Col); ok && *k == *col && expr.RowFree(side[1], map[string]bool{}) {
				return side[1]
			}
		}
	}
	return nil
}

// Read reads the rows of all tables, in the columns that are used.
func (d *Set) Read(b *expr.Draft, used map[ir.Col]bool) {
	for _, s := range d.list {
		row := &ir.Call{Name: irnames.RowFn, Type: ir.OpaqueType}
		use := func(c ir.Column) {
			s.given.Cols = append(s.given.Cols, c)
			row.Args = append(row.Args, &ir.Col{Row: s.row, Col: c.Name})
		}
		if key := s.table.IR.Columns[0]; s.table.IR.Rowid && used[ir.Col{Row: s.row, Col: key.Name}] { // of its locks
			use(ir.Column{Name: key.Name, Type: key.Type})
		}
		for _, c := range s.table.Columns {
			if used[ir.Col{Row: s.row, Col: c.Name}] {
				use(ir.Column{Name: c.Name, Type: expr.LocalType(c.T)})
			}
		}
		t := ir.ArrayType(ir.KindOpaque)
		s.given.Param = b.IRLocal("rows_of_"+syntax.LastPart(s.table.Name), t)
		b.Emit(&ir.Select{At: expr.At(s.pos), Into: []string{s.given.Param}, Aggs: []ir.Agg{{Fn: irnames.RowsAgg, Arg: row, Type: t}},
			Query: ir.Query{From: []ir.Source{{Table: s.table.IR, Row: s.row}}, Where: ir.AndE(s.conds...)}})
	}
}
