package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// keyChanges gives the columns of the primary key that an UPDATE changes, and the
// assignments without those of a key column to what it is anyway: to itself, or
// to what the condition says it is. In list these become assignments to itself.
func keyChanges(s *rowSource, where ir.Expr, list []assignment) (keys []string, changed []assignment) {
	t := s.table.IR
	same := func(a assignment) bool {
		if c, ok := a.v.e.(*ir.Col); ok && c.Row == s.row && c.Col == a.column {
			return true
		}
		text := ir.ExprString(a.v.e)
		return slices.ContainsFunc(ir.Conjuncts(where), func(e ir.Expr) bool {
			eq, ok := e.(*ir.Binary)
			if !ok || eq.Op != ir.Eq {
				return false
			}
			for _, side := range [][2]ir.Expr{{eq.X, eq.Y}, {eq.Y, eq.X}} {
				c, ok := side[0].(*ir.Col)
				if ok && c.Row == s.row && c.Col == a.column && ir.ExprString(side[1]) == text {
					return true
				}
			}
			return false
		})
	}
	for i, a := range list {
		if t.IsKey(t.Column(a.column)) {
			if same(a) {
				list[i].v.e = &ir.Col{Row: s.row, Col: a.column}
				continue
			}
			keys = append(keys, a.column)
		}
		changed = append(changed, a)
	}
	return keys, changed
}

// mayMove ends the statement as not modelled unless an UPDATE that changes key
// columns of rows is one that the IR can express: one row, which is deleted and
// inserted with another key.
func (b *builder) mayMove(w *writeQuery, row *rowSource, list, changed []assignment, key string) {
	t := row.table
	what := "a change of the key column " + key
	switch {
	case len(w.other) > 0:
		b.unmodelled("%s, with several tables", what)
	case !b.singleRow(ir.Query{From: []ir.Source{row.irSource()}, Where: w.where}):
		// The server checks keys row by row, in an order that is not told.
		b.unmodelled("%s of several rows", what)
	case b.fires(t, schema.OnUpdate, list):
		b.unmodelled("%s, in a table with row triggers", what)
	case t.Partitioned:
		b.unmodelled("%s, which may move the row to another partition", what)
	}
	var acting []*schema.Table
	for _, c := range b.l.KeysTo(t) {
		if !renames(b.l.RefColumns(c), changed) || !c.OnUpdate.Changes() {
			continue
		}
		if b.loopDepth > 0 || b.lookBack || slices.Contains(acting, c.Child) || c.Number < 0 || c.Child.IR.ForeignKeys[c.Number].OnUpdate == ir.NoAction {
			b.unmodelled("ON UPDATE %s of foreign key %s", actionWord(c.OnUpdate), c.Name)
		}
		acting = append(acting, c.Child)
	}
	for _, c := range b.l.KeysTo(t) {
		if slices.Contains(acting, c.Child) && !c.OnUpdate.Changes() && renames(b.l.RefColumns(c), changed) {
			b.unmodelled("foreign keys with and without ON UPDATE from %s (%s)", c.Child.Name, c.Name)
		}
	}
}

// renames reports whether assignments set one of some columns.
func renames(cols []string, list []assignment) bool {
	return slices.ContainsFunc(list, func(a assignment) bool { return slices.Contains(cols, a.column) })
}

// move is an UPDATE of the key of a row. The server changes the row in place, with
// the lock of a deletion; whoever refers to the row by its key sees one row go
// and another come. Where the key turns out to be the same, it is an UPDATE of
// the other columns; if there are none, the row moves to where it is.
func (b *builder) move(pos ir.Pos, row *rowSource, list []assignment, where ir.Expr, keep func(ir.Expr) ir.Expr) {
	t := row.table.IR
	found := b.irLocal("moves", ir.BoolType)
	sel := &ir.Select{At: at(pos), Found: found, Query: ir.Query{From: []ir.Source{row.irSource()}, Where: where}}
	read := func(base string, c int, e ir.Expr) ir.Expr {
		if v, ok := e.(*ir.Const); ok {
			return v
		}
		local := b.irLocal(base, t.Columns[c].Type)
		sel.Into, sel.Cols = append(sel.Into, local), append(sel.Cols, keep(e))
		return ir.V(local)
	}
	old := func(c int) ir.Expr { return &ir.Col{Row: row.row, Col: t.Columns[c].Name} }
	insert := &ir.Insert{At: at(pos), Table: t}
	for c := range t.Columns {
		insert.Cols, insert.Values = append(insert.Cols, c), append(insert.Values, nil)
	}
	var stays []ir.Set // what an UPDATE sets where the key is the same
	for _, a := range list {
		c := t.Column(a.column)
		v := read("new", c, a.v.e)
		insert.Moved, insert.Values[c] = append(insert.Moved, c), v
		if !t.IsKey(c) {
			stays = append(stays, ir.Set{Col: c, Expr: v})
		}
	}
	slices.Sort(insert.Moved)
	for c := range t.Columns {
		if insert.Values[c] == nil {
			insert.Values[c] = read("old", c, old(c))
			if len(stays) == 0 && !t.IsKey(c) {
				stays = append(stays, ir.Set{Col: c, Expr: old(c)}) // it is written all the same
			}
		}
	}
	var is, same ir.Expr
	for _, k := range t.Key {
		v := insert.Values[k]
		if slices.Contains(insert.Moved, k) {
			before := read("old", k, old(k))
			same = ir.AndE(same, ir.Op(ir.Eq, v, before))
			v = before
		}
		is = ir.AndE(is, ir.Op(ir.Eq, old(k), v))
	}
	then := []ir.Stmt{&ir.Delete{At: at(pos), Table: t, Row: row.row, Where: is, Moved: true}, insert}
	for _, f := range b.l.KeysTo(row.table) {
		if f.Number < 0 {
			continue
		}
		fk := &f.Child.IR.ForeignKeys[f.Number]
		action := fk.OnMove(insert.Moved)
		if action == ir.NoAction {
			continue
		}
		s := &ir.Cascade{At: at(pos), Table: f.Child.IR, Key: f.Number}
		for i, c := range fk.RefColumns {
			switch action {
			case ir.CascadeUpdate:
				s.Values = append(s.Values, insert.Values[c])
			case ir.SetNull:
				s.Values = append(s.Values, ir.C(ir.Null))
			case ir.SetDefault:
				s.Values = append(s.Values, f.Defaults[i])
			}
		}
		then = append(then, s)
	}
	if len(stays) > 0 {
		stay := &ir.Update{At: at(pos), Table: t, Row: row.row, Sets: stays, Where: is}
		then = []ir.Stmt{&ir.If{At: at(pos), Cond: same, Then: []ir.Stmt{stay}, Else: then}}
	}
	then = append(b.collect(func() { b.unproven(insert) }), then...)
	b.emit(sel)
	b.emit(&ir.If{At: at(pos), Cond: ir.V(found), Then: then})
}
