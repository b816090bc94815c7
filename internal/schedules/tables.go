package schedules

import "github.com/txrobust/robust/ir"

// untouched gives the tables that a search from any rows leaves empty: those
// that none of the calls reads or writes, but for actions of foreign keys, and
// to which no row of the others refers. Rows in them show nothing, and those
// that do not fit the rest of a random state make it one that cannot be.
//
// A table in which an invariant wants rows counts as touched.
func (s *search) untouched() map[*ir.Table]bool {
	out := map[*ir.Table]bool{}
	for _, t := range s.program.Tables {
		out[t] = !t.Var
	}
	var touch func(t *ir.Table)
	touch = func(t *ir.Table) {
		if out[t] {
			out[t] = false
			for _, fk := range t.ForeignKeys {
				touch(fk.Ref)
			}
		}
	}
	sources := func(list []ir.Source) {
		for _, src := range list {
			touch(src.Table)
		}
	}
	for _, inv := range s.program.Invariants {
		ir.WalkExpr(inv.Expr, func(e ir.Expr) {
			if x, ok := e.(*ir.Exists); ok {
				sources(x.Query.From)
			}
		})
	}
	for _, c := range s.calls {
		ir.Walk(c.Txn.Body, func(st ir.Stmt) {
			if _, ok := st.(*ir.Cascade); ok {
				return
			}
			sources(ir.Reads(st))
			if t := ir.Written(st); t != nil {
				touch(t)
			}
		})
	}
	return out
}
