package readcommitted

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
)

// rowChoice is a choice of rows of a table (ir.Select.Skips with an aggregate): those whose keys an array
// has.
type rowChoice struct {
	table *ir.Table
	array string // its value
	by    ir.Stmt
}

// choosesRows looks at what tells that an array has the keys of rows that match. Any rows may be chosen, or none,
// so that nothing is seen by that.
func (a *flow) choosesRows(s *ir.Select, st *state) bool {
	if s.Skips < ir.ForShare || len(s.Aggs) != 1 || len(s.Query.From) != 1 || s.Command() == 0 || a.plain != nil || a.movesKey(s.Query.From[0].Table) || slices.ContainsFunc(ir.Exprs(s), ir.HasExists) {
		return false
	}
	src := s.Query.From[0]
	for _, cond := range ir.Conjuncts(st.value(s.Query.Where)) {
		if array := among(cond, src.Row); array != "" {
			st.choices = append(slices.Clone(st.choices), rowChoice{src.Table, array, s})
			return true
		}
	}
	return false
}

// among is the array that has the key of a row, by a condition, or "".
func among(cond ir.Expr, row string) string {
	call, ok := cond.(*ir.Call)
	if !ok || call.Name != "= any" {
		return ""
	}
	array, ok := call.Args[1].(*ir.Var)
	named := false
	ir.WalkExpr(call.Args[0], func(e ir.Expr) {
		c, is := e.(*ir.Col)
		named = named || is && c.Row == row
	})
	if !ok || !named {
		return ""
	}
	return array.Name
}

// amongChosen reports whether the rows that a statement writes or locks are some that its command has chosen.
// They matched when they were locked, and stay so: T can choose those that it has written or locked.
func (st *state) amongChosen(s ir.Stmt, t *ir.Table, row string, conds []ir.Expr) bool {
	if rows, ok := s.(*ir.EmitRows); ok && rows.Limit != nil {
		return false
	}
	return slices.ContainsFunc(st.choices, func(c rowChoice) bool {
		return c.table == t && together(c.by, s) && slices.ContainsFunc(conds, func(e ir.Expr) bool { return among(e, row) == c.array })
	})
}

// checksChoice reports whether a statement is what tells that chosen rows match.
func (st *state) checksChoice(s *ir.Assume) bool {
	u, ok := s.Cond.(*ir.Unary)
	if !ok || u.Op != ir.Not {
		return false
	}
	x, ok := u.X.(*ir.Exists)
	return ok && len(x.Query.From) == 1 && !slices.ContainsFunc(ir.Conjuncts(x.Query.Where), ir.HasExists) &&
		st.amongChosen(s, x.Query.From[0].Table, x.Query.From[0].Row, ir.Conjuncts(st.value(x.Query.Where)))
}

// holdsChosen is told that a round of a loop is about a row that was chosen and locked.
func (a *flow) holdsChosen(s *ir.Foreach, st *state) *state {
	locks, q := ir.LocksOf(s)
	if len(q.From) != 1 || locks.Of(q.From[0].Row) < ir.ForShare {
		return st
	}
	src := q.From[0]
	if !st.amongChosen(s, src.Table, src.Row, ir.Conjuncts(st.value(q.Where))) {
		return st
	}
	row := equals{}
	for i, name := range s.Into {
		if c, ok := s.Cols[i].(*ir.Col); ok && c.Row == src.Row && slices.Contains(src.Table.Key, src.Table.Column(c.Col)) {
			row.add(src.Table.Column(c.Col), st.value(ir.V(name)))
		}
	}
	if _, one := row.fixed(src.Table); one {
		a.take(st, &lock{kind: onRow, table: src.Table, row: locks.Of(src.Row), equals: row, sure: true, taken: []moment{a.moment(s)}})
	}
	return st
}
