package readcommitted

import (
	"slices"

	"github.com/txrobust/robust/ir"
)

// locksAll notes that all rows which match a condition are locked from now on. No row comes to match it until the
// transaction ends: whoever could bring one, or change a column of the condition, is kept out by an older lock. So each row
// that matches has matched when the statement looked for it.
func (a *flow) locksAll(st *state, s ir.Stmt, t *ir.Table, row string, conds []ir.Expr, mode ir.LockMode) {
	if mode < ir.ForShare || a.plain != nil {
		return
	}
	l := &lock{kind: onRows, table: t, row: mode, sure: true, taken: []moment{a.moment(s)}}
	for _, c := range conds {
		l.matches = append(l.matches, alternativesOf(c, row))
	}
	a.take(st, l)
}

// alternativesOf are the texts of the conjuncts of each alternative of a condition, whatever the name of the row
// that it is about.
func alternativesOf(cond ir.Expr, row string) [][]string {
	var out [][]string
	for _, d := range disjuncts(cond) {
		var texts []string
		for _, c := range ir.Conjuncts(d) {
			texts = append(texts, ofRow(c, row))
		}
		out = append(out, texts)
	}
	return out
}

// covers reports whether all rows that are looked at are among those that a lock is on.
func (l *lock) covers(k *look) bool {
	if l.kind != onRows || l.table != k.table {
		return false
	}
	asked := map[string]bool{}
	for _, c := range k.conds {
		about := true
		ir.WalkExpr(c, func(e ir.Expr) {
			x, column := e.(*ir.Col)
			about = about && (!column || x.Row == k.row)
		})
		if about {
			asked[ofRow(c, k.row)] = true
		}
	}
	return !slices.ContainsFunc(l.matches, func(alternatives [][]string) bool {
		return !slices.ContainsFunc(alternatives, func(texts []string) bool {
			return !slices.ContainsFunc(texts, func(s string) bool { return !asked[s] })
		})
	})
}

// lockRows looks at locks that show nothing: they count where the row is there.
func (a *flow) lockRows(s *ir.LockRows, st *state) {
	if len(s.Query.From) != 1 || s.Limit != nil || slices.ContainsFunc(ir.Exprs(s), ir.HasExists) {
		return
	}
	src := s.Query.From[0]
	mode := s.Locks.Of(src.Row)
	conds := ir.Conjuncts(st.value(s.Query.Where))
	several := false
	for _, conds := range alternatives(conds) {
		row := conditionsOf(src.Table, src.Row, conds)
		key, one := row.fixed(src.Table)
		if !one || !onlyKey(src.Table, src.Row, key, conds) {
			several = true
			continue
		}
		l := &lock{kind: onRow, table: src.Table, row: mode, equals: row, sure: src.Table.Var || st.isLasting(src.Table, row), taken: []moment{a.moment(s)}}
		if held := st.heldRow(src.Table, row); held != nil && held.sure {
			l.sure = true
		}
		if l.sure || a.neverComes(src.Table, key) {
			a.take(st, l)
		}
	}
	looks, _ := st.finds(s, src.Table, src.Row, s.Query.Where, false)
	if several && a.unguarded(st, s, looks, deletes) == nil {
		a.locksAll(st, s, src.Table, src.Row, conds, mode)
	}
}
