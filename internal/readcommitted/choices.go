package readcommitted

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/prepare"
)

// chooses looks at a query that takes any row or none (ir.Select.Skips). Where the row that it takes matters, the database
// has locked it and tested its newest version: it is there until the commit as it was chosen. Taking none is possible whatever is there.
func (a *flow) chooses(s *ir.Select, src ir.Source, st *state, tells func(*prospect)) bool {
	t := src.Table
	if s.Skips < ir.ForShare || s.Command() == 0 || s.Snapshot() < 0 || a.plain != nil || tells == nil || a.movesKey(t) {
		return false
	}
	conds := ir.Conjuncts(st.value(s.Query.Where))
	n := &sighting{table: t, chosen: true, locks: s.Skips, key: t.Key, stmt: s, pos: s.Pos, what: "chooses a row of " + t.Name, equals: conditionsOf(t, src.Row, conds), names: equals{}}
	a.names(n)
	a.named++
	n.condition = fmt.Sprint("choice ", a.named)
	for _, c := range conds {
		n.matches = append(n.matches, ofRow(c, src.Row))
	}
	if slices.ContainsFunc(t.Key, func(c int) bool { return len(n.names[c]) == 0 }) {
		return false
	}
	p := &prospect{absent: &chance{harmless: true, facts: facts{}}, present: &chance{harmless: true, facts: facts{}}, set: map[int]bool{}}
	tells(p)
	a.sees(st, n, p)
	return true
}

// ofRow is the text of a condition, whatever the name of the row that it is about.
func ofRow(cond ir.Expr, row string) string { return text(rowNamed(cond, row)) }

func rowNamed(cond ir.Expr, row string) ir.Expr {
	return ir.MapExpr(cond, func(e ir.Expr) ir.Expr {
		if c, ok := e.(*ir.Col); ok && c.Row == row {
			return &ir.Col{Row: "row", Col: c.Col}
		}
		return e
	})
}

// movesKey reports whether a template may give a row of a table another primary key.
func (c *changes) movesKey(t *ir.Table) bool {
	moves := prepare.Touches(t.Key, c.code.Updated[t])
	for _, txn := range c.code.Program.Txns {
		ir.Walk(txn.Body, func(s ir.Stmt) {
			in, ok := s.(*ir.Insert)
			moves = moves || ok && in.Table == t && in.Moved != nil
		})
	}
	return moves
}

// names notes that columns of the key of a row are what a query has given.
func (a *flow) names(n *sighting) {
	for _, c := range n.table.Key {
		if e := a.seen[c]; e != nil {
			n.equals.add(c, e)
			n.names.add(c, e)
		}
	}
}

// chosen is the choice of the row that a statement asks for, by the key that it gave and by nothing but what it was chosen by, or
// nil. Another name of its key may be that of a row which was skipped.
func (a *flow) chosen(st *state, t *ir.Table, row string, conds []ir.Expr) *sighting {
	values := conditionsOf(t, row, conds)
	for n := range st.sightings {
		if !n.chosen || n.table != t || slices.ContainsFunc(t.Key, func(c int) bool { return !values.shares(n.names, c) }) {
			continue
		}
		more := slices.DeleteFunc(slices.Clone(conds), func(c ir.Expr) bool { return slices.Contains(n.matches, ofRow(c, row)) })
		if onlyKey(t, row, t.Key, more) {
			return n
		}
	}
	return nil
}

// older reports whether a query may see another version of a chosen row than the one that is locked.
func (a *flow) older(s ir.Stmt, n *sighting, mode ir.LockMode) bool {
	older := false
	ir.ReadColumns(s, func(t *ir.Table, col string) { older = older || t != n.table || a.code.Updated[t][t.Column(col)] })
	return older && mode < ir.ForShare && n.stmt.Command() == s.Command()
}

// again looks at a statement that finds a row which was chosen.
func (a *flow) again(s ir.Stmt, n *sighting, st *state, tells func(*prospect)) {
	a.met = n
	if x, ok := s.(*ir.Select); tells != nil && together(n.stmt, s) && !(ok && x.Written) {
		tells(st.sightings[n])
		a.names(n)
	}
}
