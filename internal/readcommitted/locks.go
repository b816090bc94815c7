package readcommitted

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// lock is what a transaction keeps from others until it ends.
type lock struct {
	kind lockKind
	// table is the one that is locked, or that of the row.
	table *ir.Table
	mode  ir.TableLock
	// equals tell which row it is, row how strongly it is locked. It is sure that the row is there;
	// else the row, if it was not there, never will be.
	equals equals
	row    ir.LockMode
	sure   bool
	// own says that the transaction has inserted the row itself.
	own bool
	// number is what an advisory lock is about, shared that others may share it.
	number []ir.Expr
	shared bool
	// matches are the conditions of all rows that are locked: of each, one alternative is true, which is that all of its
	// texts are.
	matches [][][]string
	// early says that it was taken before the snapshot.
	early bool
	// taken are the moments at which it may have been taken.
	taken []moment
}

// moment is the snapshot of a query, by the number of its command and its number there (ir.At), and the template. A command of
// 0 is not known.
type moment struct {
	txn               *ir.Txn
	command, snapshot int
}

func (a *flow) moment(s ir.Stmt) moment { return moment{a.txn, s.Command(), s.Snapshot()} }

// before reports whether all that was done at a moment was done when a statement took its snapshot: by another command, or by
// an earlier statement of a VOLATILE function, in the same command, or what that has called. What the query that calls a function
// does itself, it may do later.
func (m moment) before(s ir.Stmt) bool {
	if m.command == 0 || s.Command() == 0 {
		return false
	}
	if m.command != s.Command() {
		return true
	}
	for k := m.snapshot; k > 0; k = m.txn.Within[k][1] {
		for j := s.Snapshot(); j > k; j = m.txn.Within[j][1] {
			if run, known := m.txn.Within[j]; known && m.txn.Within[k] == run {
				return true
			}
		}
	}
	return false
}

type lockKind uint8

const (
	onRow lockKind = iota
	onTable
	onNumber
	// onRows is on all rows that match a condition.
	onRows
)

// guard is a lock that a transaction holds when it commits what it has written, in terms of
// the row that is written.
type guard struct {
	kind   lockKind
	table  *ir.Table
	mode   ir.TableLock
	row    ir.LockMode
	sure   bool
	shared bool
	// key tells the row of the table, or the number.
	key string
}

// tableModes are the modes of table locks that a mode keeps out (manual, table 13.2).
var tableModes = map[ir.TableLock][]ir.TableLock{
	ir.AccessShare:          {ir.AccessExclusive},
	ir.RowShare:             {ir.Exclusive, ir.AccessExclusive},
	ir.RowExclusive:         {ir.Share, ir.ShareRowExclusive, ir.Exclusive, ir.AccessExclusive},
	ir.ShareUpdateExclusive: {ir.ShareUpdateExclusive, ir.Share, ir.ShareRowExclusive, ir.Exclusive, ir.AccessExclusive},
	ir.Share:                {ir.RowExclusive, ir.ShareUpdateExclusive, ir.ShareRowExclusive, ir.Exclusive, ir.AccessExclusive},
	ir.ShareRowExclusive:    {ir.RowExclusive, ir.ShareUpdateExclusive, ir.Share, ir.ShareRowExclusive, ir.Exclusive, ir.AccessExclusive},
	ir.Exclusive:            {ir.RowShare, ir.RowExclusive, ir.ShareUpdateExclusive, ir.Share, ir.ShareRowExclusive, ir.Exclusive, ir.AccessExclusive},
	ir.AccessExclusive:      {ir.AccessShare, ir.RowShare, ir.RowExclusive, ir.ShareUpdateExclusive, ir.Share, ir.ShareRowExclusive, ir.Exclusive, ir.AccessExclusive},
}

// excludes reports whether no two transactions hold both.
func (g guard) excludes(o guard) bool {
	if g.kind != o.kind || g.table != o.table || g.key != o.key {
		return false
	}
	switch g.kind {
	case onTable:
		return slices.Contains(tableModes[g.mode], o.mode)
	case onNumber:
		return !g.shared || !o.shared
	case onRow:
		return (g.sure || o.sure) && ir.LocksConflict(g.row, o.row)
	}
	panic("readcommitted: unknown lock")
}

// guards are what a lock is in terms of a row of which columns have values.
func (l *lock) guards(t *ir.Table, row equals) []guard {
	g := guard{kind: l.kind, table: l.table, mode: l.mode, row: l.row, sure: l.sure, shared: l.shared}
	var out []guard
	with := func(prefix string, parts []ir.Expr) {
		texts := []string{prefix}
		for _, e := range parts {
			var next []string
			for _, v := range inTerms(t, row, e) {
				for _, before := range texts {
					next = append(next, before+"\x00"+v)
				}
			}
			texts = next[:min(len(next), 16)]
		}
		for _, k := range texts {
			one := g
			one.key = k
			out = append(out, one)
		}
	}
	switch l.kind {
	case onRows: // it guards what is read, and no others
	case onTable:
		return []guard{g}
	case onNumber:
		with(fmt.Sprint(len(l.number)), l.number)
	case onRow:
		for _, k := range keys(l.table) {
			choose(k, l.equals, func(parts []ir.Expr) { with(keyName(k), parts) })
		}
	}
	return out
}

func keyName(key []int) string { return fmt.Sprint(key) }

// choose calls f for each way to name a key by known values.
func choose(key []int, known equals, f func([]ir.Expr)) {
	if len(key) == 0 {
		f(nil)
		return
	}
	for _, e := range known[key[0]] {
		choose(key[1:], known, func(rest []ir.Expr) { f(append([]ir.Expr{e}, rest...)) })
	}
}

// ofColumn is the text of a column of the row that is written.
func ofColumn(t *ir.Table, col int) ir.Expr { return &ir.Col{Row: "row", Col: t.Columns[col].Name} }

// inTerms writes an expression in terms of a row of which columns have values: as constants
// and columns alone. Equal texts are equal values then, for one row.
func inTerms(t *ir.Table, row equals, e ir.Expr) []string {
	var out []string
	for c := range t.Columns {
		if slices.ContainsFunc(row[c], func(v ir.Expr) bool { return text(v) == text(e) }) {
			out = append(out, text(ofColumn(t, c)))
		}
	}
	whole := true
	in := ir.MapExpr(e, func(e ir.Expr) ir.Expr {
		v, ok := e.(*ir.Var)
		if !ok {
			return e
		}
		for c := range t.Columns {
			if k := t.Columns[c].Type.Kind; (k == ir.KindInt || k == ir.KindText) && slices.ContainsFunc(row[c], func(x ir.Expr) bool { return text(x) == text(v) }) {
				return ofColumn(t, c)
			}
		}
		whole = false
		return e
	})
	if s := text(in); whole && !slices.Contains(out, s) {
		out = append(out, s)
	}
	return out
}

// same reports whether two locks are one, whatever the path on which they were taken.
func (l *lock) same(o *lock) bool {
	if l.kind != o.kind || l.table != o.table || l.mode != o.mode || l.shared != o.shared {
		return false
	}
	if l.kind == onRows {
		return fmt.Sprint(l.matches) == fmt.Sprint(o.matches)
	}
	if l.kind == onRow {
		return l.equals.sameRow(l.table, o.equals)
	}
	parts := func(l *lock) string {
		var out []string
		for _, e := range l.number {
			out = append(out, text(e))
		}
		return strings.Join(out, "\x00")
	}
	return parts(l) == parts(o)
}

// either is what two paths on which a lock was taken have in common.
func (l *lock) either(o *lock) *lock {
	if l == o {
		return l
	}
	out := *l
	out.equals, out.row, out.sure, out.early, out.own = l.equals.both(o.equals), min(l.row, o.row), l.sure && o.sure, l.early && o.early, l.own && o.own
	out.taken = slices.Concat(l.taken, o.taken)
	return &out
}

// before reports whether a lock was taken before a statement took its snapshot.
func (l *lock) before(s ir.Stmt) bool {
	return !slices.ContainsFunc(l.taken, func(m moment) bool { return !m.before(s) })
}

// take holds a lock from now on.
func (a *flow) take(st *state, l *lock) {
	for i, o := range st.held {
		if l.kind == onRow && o.kind == onRow && o.same(l) && o.sure == l.sure && o.row >= l.row {
			if len(l.equals) > len(o.equals) { // the same row is known by more
				more := *o
				more.equals = l.equals
				st.held = slices.Clone(st.held)
				st.held[i] = &more
			}
			return
		}
	}
	l.early = !st.snapshot
	st.held = append(slices.Clone(st.held), l)
	for w, done := range st.done {
		done = guarded{done.equals, maps.Clone(done.guards)}
		done.add(w.held(l, done.equals))
		st.done[w] = done
	}
}

// heldRow is the lock on the row of a table with such values, or nil.
func (st *state) heldRow(t *ir.Table, row equals) *lock {
	for _, l := range slices.Backward(st.held) {
		if l.kind == onRow && l.table == t && l.row >= ir.ForShare && l.equals.sameRow(t, row) {
			return l
		}
	}
	return nil
}

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
