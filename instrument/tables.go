package instrument

import "github.com/txrobust/robust/internal/ir"

// leaf gives a simple statement on the tables that the role uses.
func (w *writer) leaf(s ir.Stmt) ir.Stmt {
	if w.role != attacker && !w.rw.moved {
		return s
	}
	switch s := s.(type) {
	case *ir.Assign:
		c := *s
		c.Expr = w.expr(s.Expr)
		return &c
	case *ir.Select:
		if s.IsVarRead() {
			into := *readVar(s.At, s.Into[0], w.table(s.Query.From[0].Table)).(*ir.Select)
			return &into
		}
		c := *s
		c.Query = w.query(s.Query)
		c.Cols = w.exprs(s.Cols)
		c.Aggs = append([]ir.Agg(nil), s.Aggs...)
		for i := range c.Aggs {
			c.Aggs[i].Arg = w.expr(c.Aggs[i].Arg)
		}
		c.Order = w.orders(s.Order)
		return &c
	case *ir.Emit:
		c := *s
		c.Exprs = w.exprs(s.Exprs)
		return &c
	case *ir.EmitRows:
		c := *s
		c.Query, c.Cols, c.Order, c.Limit = w.query(s.Query), w.exprs(s.Cols), w.orders(s.Order), w.expr(s.Limit)
		return &c
	case *ir.Foreach:
		c := *s
		c.Query, c.Cols, c.Order = w.query(s.Query), w.exprs(s.Cols), w.orders(s.Order)
		return &c
	case *ir.Insert:
		c := *s
		c.Table, c.Values = w.table(s.Table), w.exprs(s.Values)
		if s.Conflict != nil {
			f := *s.Conflict
			f.Sets, f.Where = w.sets(f.Sets), w.expr(f.Where)
			c.Conflict = &f
		}
		return &c
	case *ir.Update:
		c := *s
		c.Table, c.Sets, c.Where = w.table(s.Table), w.sets(s.Sets), w.expr(s.Where)
		if s.Table.Var && s.Row == s.Table.Name && !ir.HasExists(s.Sets[0].Expr) && !ir.HasExists(s.Where) {
			// Rename the row, so that the statement prints as an assignment.
			c.Row = c.Table.Name
			ren := func(string) ir.Expr { return cell(c.Table) }
			c.Sets = []ir.Set{{Col: 0, Expr: substitute(s.Sets[0].Expr, s.Row, ren)}}
			c.Where = substitute(s.Where, s.Row, ren)
		}
		return &c
	case *ir.Delete:
		c := *s
		c.Table, c.Where = w.table(s.Table), w.expr(s.Where)
		return &c
	case *ir.LockTable:
		c := *s
		c.Table = w.table(s.Table)
		return &c
	case *ir.Assume:
		c := *s
		c.Cond = w.expr(s.Cond)
		return &c
	case *ir.Unmodelled:
		c := *s
		for i, t := range s.Tables {
			if i == 0 {
				c.Tables = nil
			}
			c.Tables = append(c.Tables, w.table(t))
		}
		return &c
	}
	return s
}

// table is where the role finds table t of the input.
func (w *writer) table(t *ir.Table) *ir.Table {
	if s := w.rw.shadows[t]; s != nil && w.role == attacker {
		return s.prime
	}
	return w.rw.base[t]
}

func (w *writer) expr(e ir.Expr) ir.Expr {
	if !ir.HasExists(e) {
		return e
	}
	return ir.MapExpr(e, func(e ir.Expr) ir.Expr {
		if x, ok := e.(*ir.Exists); ok {
			return &ir.Exists{Query: ir.Query{From: w.sources(x.Query.From), Where: x.Query.Where}}
		}
		return e
	})
}

func (w *writer) exprs(es []ir.Expr) []ir.Expr {
	out := make([]ir.Expr, len(es))
	for i, e := range es {
		out[i] = w.expr(e)
	}
	return out
}

func (w *writer) orders(os []ir.Order) []ir.Order {
	var out []ir.Order
	for _, o := range os {
		out = append(out, ir.Order{Expr: w.expr(o.Expr), Desc: o.Desc})
	}
	return out
}

func (w *writer) sets(ss []ir.Set) []ir.Set {
	if ss == nil {
		return nil
	}
	out := make([]ir.Set, len(ss))
	for i, s := range ss {
		out[i] = ir.Set{Col: s.Col, Expr: w.expr(s.Expr)}
	}
	return out
}

func (w *writer) sources(from []ir.Source) []ir.Source {
	out := make([]ir.Source, len(from))
	for i, s := range from {
		out[i] = ir.Source{Table: w.table(s.Table), Row: s.Row}
	}
	return out
}

func (w *writer) query(q ir.Query) ir.Query {
	return ir.Query{From: w.sources(q.From), Where: w.expr(q.Where)}
}
