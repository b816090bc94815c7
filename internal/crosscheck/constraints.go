package crosscheck

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/interp"
	"github.com/txrobust/robust/internal/ir"
)

// constraints adds what the constraints of the tables looked at for the writes of a
// transaction: other rows that would have been in the way, or had to be there, as
// they were when it committed.
func (o *observer) constraints() {
	run := o.t.x.Txns[o.i].Run
	for k, w := range o.t.writes[o.i] {
		if w.row == nil {
			continue
		}
		op := &run.Ops[k]
		n := &needs{o: o, op: op, row: w.row, table: o.t.p.Tables[op.Table]}
		if op.New != nil {
			n.keys()
			n.parents()
			n.checks()
		}
		if op.Old != nil {
			n.children()
		}
	}
	for k := range run.Steps {
		if _, ok := run.Steps[k].Stmt.(*ir.RollbackTo); ok {
			// What was rolled back had to satisfy constraints, too, then or now.
			o.everything(run.Inst.Txn)
			o.before = o.t.x.Txns[o.i].Snapshot
			o.everything(run.Inst.Txn)
			return
		}
	}
}

// everything adds all rows of the tables that a template may write, and of those
// that refer to them or that they refer to.
func (o *observer) everything(txn *ir.Txn) {
	tables := map[*ir.Table]bool{}
	ir.Walk(txn.Body, func(s ir.Stmt) {
		if t := ir.Written(s); t != nil {
			tables[t] = true
		}
	})
	near := func(t *ir.Table) bool {
		for _, u := range o.t.p.Tables {
			for i := range u.ForeignKeys {
				if ref := u.ForeignKeys[i].Ref; u == t && tables[ref] || ref == t && tables[u] {
					return true
				}
			}
		}
		return tables[t]
	}
	for n, t := range o.t.p.Tables {
		if near(t) {
			for _, r := range o.t.rows[n] {
				o.look(r, all(len(r.vals)))
			}
		}
	}
}

// needs is what the constraints need for one write.
type needs struct {
	o     *observer
	op    *interp.Op
	row   *row
	table *ir.Table
}

// sets reports whether the write gives the row a value in some of these columns.
func (n *needs) sets(cols []int) bool {
	return n.op.Kind == interp.OpInsert || slices.ContainsFunc(cols, n.gives)
}

func (n *needs) gives(c int) bool {
	return n.op.Kind == interp.OpInsert || n.op.Cols == nil || n.op.Cols[c]
}

// after are the values that a column of the row may have after the write.
func (n *needs) after(c int) []ir.Value {
	if n.gives(c) {
		return []ir.Value{n.op.New[c]}
	}
	return n.row.possible[c]
}

// before are those that it may have had.
func (n *needs) before(c int) []ir.Value { return n.row.possible[c] }

// meet reports whether columns, which have some of the given values, and columns of
// another row may be equal and not NULL.
func meet(values func(c int) []ir.Value, cols []int, other *row, others []int) bool {
	for i, c := range cols {
		if !slices.ContainsFunc(values(c), func(v ir.Value) bool { return !v.IsNull() && slices.Contains(other.possible[others[i]], v) }) {
			return false
		}
	}
	return true
}

// marks are columns as a set.
func marks(n int, cols []int) []bool {
	out := make([]bool, n)
	for _, c := range cols {
		out[c] = true
	}
	return out
}

// mentioned are the columns of a table that an expression over its rows names.
func mentioned(t *ir.Table, e ir.Expr) []int {
	var out []int
	ir.WalkExpr(e, func(e ir.Expr) {
		if c, ok := e.(*ir.Col); ok {
			out = append(out, t.Column(c.Col))
		}
	})
	return out
}

// keys looks at the rows that the row may not be beside.
func (n *needs) keys() {
	for _, k := range n.table.Keys() {
		var cols []int
		rivals := func(*row) bool { return true }
		switch k := k.(type) {
		case *ir.Unique:
			cols = slices.Concat(k.Columns, mentioned(n.table, k.Where))
			rivals = func(other *row) bool { return meet(n.after, k.Columns, other, k.Columns) }
		case *ir.Exclusion:
			cols = ir.ExclusionColumns(k, n.table)
		default:
			panic(fmt.Sprintf("crosscheck: unknown constraint %T", k))
		}
		if !n.sets(cols) {
			continue
		}
		for _, other := range n.o.t.rows[n.op.Table] {
			if other == n.row || rivals(other) {
				n.o.look(other, marks(len(other.vals), cols))
			}
		}
	}
}

// parents looks at the rows that the row refers to.
func (n *needs) parents() {
	for i := range n.table.ForeignKeys {
		fk := &n.table.ForeignKeys[i]
		if !n.sets(fk.Columns) {
			continue
		}
		n.o.look(n.row, marks(len(n.row.vals), fk.Columns))
		for _, parent := range n.o.t.rows[n.o.t.index[fk.Ref]] {
			if meet(n.after, fk.Columns, parent, fk.RefColumns) {
				n.o.look(parent, marks(len(parent.vals), fk.RefColumns))
			}
		}
	}
}

// checks looks at the columns that conditions on the row compare with those that
// are written.
func (n *needs) checks() {
	for _, c := range n.table.Checks {
		if cols := mentioned(n.table, c.Expr); n.sets(cols) {
			n.o.look(n.row, marks(len(n.row.vals), cols))
		}
	}
}

// children looks at the rows that refer to what the row was.
func (n *needs) children() {
	for table, t := range n.o.t.p.Tables {
		for i := range t.ForeignKeys {
			fk := &t.ForeignKeys[i]
			if fk.Ref != n.table || n.op.Kind == interp.OpUpdate && !n.sets(fk.RefColumns) {
				continue
			}
			for _, child := range n.o.t.rows[table] {
				if meet(n.before, fk.RefColumns, child, fk.Columns) {
					n.o.look(child, marks(len(child.vals), fk.Columns))
				}
			}
		}
	}
}
