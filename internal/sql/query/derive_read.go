package query

import (
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// TableOf gives the table whose rows a leaf is, or nil.
func (d *deriver) tableOf(l *ir.Leaf) *schema.Table {
	if s := d.supportOf(l.Rel); s != nil {
		return s.table
	}
	return nil
}

func (d *deriver) supportOf(r ir.Rel) *support {
	for _, s := range d.supports {
		if ir.Rel(s.given) == r {
			return s
		}
	}
	return nil
}

// Restrict passes the conditions of a query on to the rows that it reads.
func (d *deriver) Restrict(from ir.From, where ir.Expr) {
	conds := ir.Conjuncts(where)
	d.push(from, conds)
	d.follow(from, conds)
}

// push tells the leaves of a FROM list about conditions that hold of every row
// of the result.
func (d *deriver) push(from ir.From, conds []ir.Expr) {
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
		}
	})
	return ok
}

// narrow passes a condition on the rows of a relation, which the row variable
// row stands for in it, on to what the relation is made of.
func (d *deriver) narrow(r ir.Rel, row string, c ir.Expr) {
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
		if s := d.supportOf(r); s != nil {
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
	case *ir.SetOp:
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
func (s *support) add(c ir.Expr, row string) {
	if row != s.row {
		c = ir.MapExpr(c, func(e ir.Expr) ir.Expr {
			if col, ok := e.(*ir.Col); ok && col.Row == row {
				return &ir.Col{Row: s.row, Col: col.Col}
			}
			return e
		})
	}
	text := ir.ExprString(c)
	for _, old := range s.conds {
		if ir.ExprString(old) == text {
			return
		}
	}
	s.conds = append(s.conds, c)
}

// follow looks at equalities of columns of two tables: where one side is read
// with conditions, of the other side only rows with a partner matter.
func (d *deriver) follow(from ir.From, where []ir.Expr) {
	type link struct {
		a, b *ir.Col // rows of b without a partner in a do not matter
	}
	var links []link
	both := func(conds []ir.Expr, can func(row string) bool) {
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
				links = append(links, link{l, r})
			}
			if can(l.Row) {
				links = append(links, link{r, l})
			}
		}
	}
	var visit func(f ir.From, inner bool)
	visit = func(f ir.From, inner bool) {
		j, ok := f.(*ir.Join)
		if !ok {
			return
		}
		right := map[string]bool{}
		for _, s := range ir.Sources(j.R) {
			right[s.Row] = true
		}
		switch {
		case j.Kind == ir.Inner && inner:
			both(ir.Conjuncts(j.On), func(string) bool { return true })
		case j.Kind == ir.Left && inner:
			both(ir.Conjuncts(j.On), func(row string) bool { return right[row] })
		}
		visit(j.L, inner && (j.Kind == ir.Inner || j.Kind == ir.Left))
		visit(j.R, inner && j.Kind == ir.Inner)
	}
	visit(from, true)
	preserved := map[string]bool{}
	var always func(f ir.From)
	always = func(f ir.From) {
		switch f := f.(type) {
		case *ir.Leaf:
			preserved[f.Row] = true
		case *ir.Join:
			if f.Kind == ir.Inner || f.Kind == ir.Left {
				always(f.L)
			}
			if f.Kind == ir.Inner || f.Kind == ir.Right {
				always(f.R)
			}
		}
	}
	always(from)
	both(where, func(row string) bool { return preserved[row] })
	leaf := map[string]*support{}
	var leaves func(f ir.From)
	leaves = func(f ir.From) {
		switch f := f.(type) {
		case *ir.Leaf:
			leaf[f.Row] = d.supportOf(f.Rel)
		case *ir.Join:
			leaves(f.L)
			leaves(f.R)
		}
	}
	leaves(from)
	done := map[*support]bool{}
	for range links { // along chains of tables
		for _, k := range links {
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

// Read reads the rows of all tables of a derivation, in the columns that it
// uses.
func (d *deriver) Read(r ir.Rel) {
	used := map[ir.Col]bool{}
	ir.WalkRel(r, func(e ir.Expr) {
		if c, ok := e.(*ir.Col); ok {
			used[*c] = true
		}
	})
	for _, l := range d.locks {
		l.walk(func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok {
				used[*c] = true
			}
		})
	}
	for _, s := range d.supports {
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
		s.given.Param = d.b.IRLocal("rows_of_"+syntax.LastPart(s.table.Name), t)
		d.b.Emit(&ir.Select{At: expr.At(s.pos), Into: []string{s.given.Param}, Aggs: []ir.Agg{{Fn: irnames.RowsAgg, Arg: row, Type: t}},
			Query: ir.Query{From: []ir.Source{{Table: s.table.IR, Row: s.row}}, Where: ir.AndE(s.conds...)}})
	}
	d.lock()
}
