package progen

import "github.com/txrobust/robust/internal/ir"

// lockTable locks a table, at the start of a template.
func (g *gen) lockTable() ir.Stmt {
	return &ir.LockTable{Table: g.table(), Mode: ir.TableLock(g.r.Intn(8))}
}

// lockRows locks rows of t, and gives nothing of them: all that satisfy a condition, the
// first ones in the order of the key, or those of one side of a join.
func (g *gen) lockRows(t *ir.Table) ir.Stmt {
	s := &ir.LockRows{Query: ir.Query{From: []ir.Source{{Table: t, Row: t.Name}}, Where: g.where(t, t.Name, g.chance(40))},
		Locks: g.locks()}
	if u := g.otherTable(t); g.chance(25) {
		s.Query.From = append(s.Query.From, ir.Source{Table: u, Row: "other"})
		s.Query.Where = ir.AndE(s.Query.Where, ir.Op(ir.Eq, &ir.Col{Row: t.Name, Col: t.Columns[len(t.Columns)-1].Name},
			&ir.Col{Row: "other", Col: "k"}))
		if g.chance(60) {
			s.Locks[0].Of = []string{[]string{t.Name, "other"}[g.r.Intn(2)]}
		}
		return s
	}
	if g.chance(40) {
		s.Order, s.Limit = g.byKey(t, t.Name), ir.C(ir.Int(int64(g.r.Intn(3))))
	}
	return s
}

func (g *gen) locks() ir.Locks {
	return ir.Locks{{Mode: ir.LockMode(1 + g.r.Intn(4))}}
}

// byKey is an order in which no two rows of t are equal.
func (g *gen) byKey(t *ir.Table, row string) []ir.Order {
	var out []ir.Order
	for _, kc := range t.Key {
		out = append(out, ir.Order{Expr: &ir.Col{Row: row, Col: t.Columns[kc].Name}, Desc: g.chance(40)})
	}
	return out
}
