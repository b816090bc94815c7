package readcommitted

import (
	"slices"

	"github.com/txrobust/robust/internal/prepare"
	"github.com/txrobust/robust/ir"
)

// lasting is a row of a table with values of its columns. state.lasting are rows that are there, and that nobody
// takes away. state.known are rows of which these values never change: any row with the primary key, now or later, has
// them.
type lasting struct {
	table  *ir.Table
	equals equals
}

// know notes what a row that was found has for good.
func (a *flow) know(st *state, t *ir.Table, row equals) {
	if t.Var || a.reborn(t) || a.movesKey(t) {
		return
	}
	stays := row.without(func(c int) bool { return a.code.Updated[t][c] })
	if len(stays) > len(t.Key) && !slices.ContainsFunc(t.Key, func(c int) bool { return len(stays[c]) == 0 }) {
		st.known = append(slices.Clone(st.known), lasting{t, stays})
	}
}

// knowConstant notes what a query gives of a row which nobody inserts, changes or deletes: one that is not there never
// will be.
func (a *flow) knowConstant(st *state, q *ir.Query) {
	if len(q.From) != 1 {
		return
	}
	src := q.From[0]
	conds := ir.Conjuncts(st.value(q.Where))
	row := conditionsOf(src.Table, src.Row, conds)
	if !onlyKey(src.Table, src.Row, src.Table.Key, conds) || !a.neverComes(src.Table, src.Table.Key) {
		return
	}
	for c, e := range a.seen {
		if src.Table.Columns[c].NotNull {
			row.add(c, e)
		}
	}
	a.know(st, src.Table, row)
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
