package readcommitted

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
)

// look is what a statement looks at in one table: rows of which columns are known to be
// equal to values, and the columns that matter. All conditions hold of them.
type look struct {
	table  *ir.Table
	row    string
	equals equals
	cols   []bool
	conds  []ir.Expr
}

// conditionsOf gives the values that a condition, which must be true, says columns of a
// row variable are equal to.
func conditionsOf(t *ir.Table, row string, conds []ir.Expr) equals {
	out := equals{}
	// A column is equal to what any column is that it is equal to.
	type column struct{ row, col string }
	seen := map[column]bool{}
	var follow func(c column, into int)
	follow = func(c column, into int) {
		if seen[c] {
			return
		}
		seen[c] = true
		for _, cond := range conds {
			b, ok := cond.(*ir.Binary)
			if !ok || b.Op != ir.Eq && b.Op != ir.Is {
				continue
			}
			for _, side := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
				x, ok := side[0].(*ir.Col)
				if !ok || x.Row != c.row || x.Col != c.col || b.Op == ir.Is && (x.Row != row || !t.Columns[into].NotNull) {
					continue
				}
				if y, ok := side[1].(*ir.Col); ok {
					follow(column{y.Row, y.Col}, into)
				} else if free(side[1]) {
					out.add(into, side[1])
				}
			}
		}
	}
	for i := range t.Columns {
		seen = map[column]bool{}
		follow(column{row, t.Columns[i].Name}, i)
	}
	return out
}

// looks finds what a statement looks at, with all columns that it names. Of a condition
// that has several alternatives, such as IN, each is a look of its own.
func (st *state) looks(s ir.Stmt, own []ir.Source, where ir.Expr) []look {
	cols := map[*ir.Table][]bool{}
	mark := func(t *ir.Table, col string) {
		if cols[t] == nil {
			cols[t] = make([]bool, len(t.Columns))
		}
		cols[t][t.Column(col)] = true
	}
	ir.ReadColumns(s, mark)
	out := looksIn(own, where, nil, st, cols)
	for _, e := range ir.Exprs(s) {
		out = append(out, st.inner(e, own, ir.Conjuncts(st.value(where)), cols)...)
	}
	return out
}

// inner finds what the queries inside of an expression look at.
func (st *state) inner(e ir.Expr, around []ir.Source, conds []ir.Expr, cols map[*ir.Table][]bool) []look {
	var out []look
	ir.WalkExpr(e, func(e ir.Expr) {
		x, ok := e.(*ir.Exists)
		if !ok {
			return
		}
		outer := conds
		if slices.ContainsFunc(x.Query.From, func(s ir.Source) bool {
			return slices.ContainsFunc(around, func(o ir.Source) bool { return o.Row == s.Row })
		}) {
			outer = nil
		}
		out = append(out, looksIn(x.Query.From, x.Query.Where, outer, st, cols)...)
	})
	return out
}

// looksIn finds what a query looks at, whose condition holds beside that of the queries
// around it.
func looksIn(from []ir.Source, where ir.Expr, outer []ir.Expr, st *state, cols map[*ir.Table][]bool) []look {
	var out []look
	for _, conds := range alternatives(ir.Conjuncts(st.value(where))) {
		conds = slices.Concat(outer, conds)
		for _, src := range from {
			out = append(out, look{src.Table, src.Row, st.more(src.Table, conditionsOf(src.Table, src.Row, conds)), cols[src.Table], conds})
		}
	}
	return out
}

// alternatives splits a condition where it has an OR, into at most 8.
func alternatives(conds []ir.Expr) [][]ir.Expr {
	for i, c := range conds {
		b, ok := c.(*ir.Binary)
		if !ok || b.Op != ir.Or {
			continue
		}
		list := disjuncts(b)
		if len(list) > 8 {
			continue
		}
		var out [][]ir.Expr
		for _, d := range list {
			out = append(out, slices.Concat(conds[:i:i], ir.Conjuncts(d), conds[i+1:]))
		}
		return out
	}
	return [][]ir.Expr{conds}
}

func disjuncts(e ir.Expr) []ir.Expr {
	if b, ok := e.(*ir.Binary); ok && b.Op == ir.Or {
		return append(disjuncts(b.X), disjuncts(b.Y)...)
	}
	return []ir.Expr{e}
}

// lasting is a row of a table with values of its columns. state.lasting are rows that are there, and that nobody
// takes away. state.known are rows of which these values never change: any row with the primary key, now or later, has
// them.
type lasting struct {
	table  *ir.Table
	equals equals
}

// more is what is known of a row with such values: what the row with its key has for good, or has while it is
// locked.
func (st *state) more(t *ir.Table, row equals) equals {
	out := equals{}
	out.addAll(row)
	for _, k := range st.known {
		if k.table == t && !slices.ContainsFunc(t.Key, func(c int) bool { return !row.shares(k.equals, c) }) {
			out.addAll(k.equals)
		}
	}
	for _, l := range st.held {
		if l.kind == onRow && l.table == t && l.sure && l.row >= ir.ForShare && l.equals.sameRow(t, row) {
			out.addAll(l.equals)
		}
	}
	return out
}

// bothKnown are the rows that are known on two paths.
func bothKnown(x, y []lasting) []lasting {
	var out []lasting
	for _, k := range x {
		for _, o := range y {
			if k.table == o.table {
				if both := k.equals.both(o.equals); !slices.ContainsFunc(k.table.Key, func(c int) bool { return len(both[c]) == 0 }) {
					out = append(out, lasting{k.table, both})
				}
			}
		}
	}
	return out
}

// neverComes reports whether a row of a table that is not there never will be.
func (c *changes) neverComes(t *ir.Table, key []int) bool {
	return !c.code.Inserted[t] && !prepare.Touches(key, c.code.Updated[t])
}

func (st *state) isLasting(t *ir.Table, row equals) bool {
	return slices.ContainsFunc(st.lasting, func(l lasting) bool { return l.table == t && l.equals.sameRow(t, row) })
}
