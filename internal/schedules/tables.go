package schedules

import (
	"maps"

	"github.com/txrobust/robust/internal/ir"
)

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

// usualRows is how many rows of a table random situations and most closed worlds have.
const usualRows = 3

// meetings counts, for each table that more calls touch than a closed world usually has
// rows, these calls: along a cycle each of them may meet the next one in a row of its own.
func (s *search) meetings() map[*ir.Table]int {
	if s.opt.Init != AnyRows || s.opt.Slots > 0 {
		return nil
	}
	out := map[*ir.Table]int{}
	for _, c := range s.calls {
		mine := map[*ir.Table]bool{}
		ir.Walk(c.Txn.Body, func(st ir.Stmt) {
			for _, src := range ir.Reads(st) {
				mine[src.Table] = true
			}
			if t := ir.Written(st); t != nil {
				mine[t] = true
			}
		})
		for t := range mine {
			out[t]++
		}
	}
	maps.DeleteFunc(out, func(t *ir.Table, n int) bool { return n <= usualRows || t.Var })
	return out
}
