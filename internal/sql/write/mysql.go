package write

import (
	"math"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/internal/sql/syntax"
)

// seesAssigned refuses an UPDATE in the dialect of MySQL in which an assignment names a column that was assigned before,
// where there are several tables, or a subquery reads the one that is updated: the server may compute all values before it
// assigns any.
func (b *Writer) seesAssigned(s *pg.UpdateStmt) {
	if !b.App.In.MySQL {
		return
	}
	again := len(s.FromClause) > 0
	assigned := map[string]bool{}
	seen := false
	look := func(n any) bool {
		switch n := n.(type) {
		case *pg.RangeVar:
			again = again || n.Relname == s.Relation.Relname
		case *pg.ColumnRef:
			if names := syntax.Names(n.Fields); len(names) > 0 {
				seen = seen || assigned[names[len(names)-1]]
			}
		}
		return true
	}
	pg.Walk(s.WhereClause, look)
	for _, n := range s.TargetList {
		r := pg.Inner(n).(*pg.ResTarget)
		pg.Walk(r.Val, look)
		assigned[r.Name] = true
	}
	if again && seen {
		b.Unmodelled("an assignment that sees another one, where the UPDATE reads several tables, or its own again")
	}
}

// foreignKeyViolation is the SQLSTATE of a row that others refer to.
const foreignKeyViolation = "23503"

// ownParent refuses to delete a row of a table that refers to itself where the dialect is that of MySQL: each row is checked
// when it goes, and then other rows, or it itself, may still refer to it.
func (b *Writer) ownParent(pos ir.Pos, row *expr.RowSource, where ir.Expr) {
	t := row.Table
	if !b.App.In.MySQL {
		return
	}
	for _, f := range t.Foreign {
		if f.Parent() != t || f.OnDelete != schema.NoAction && f.OnDelete != schema.Restrict || f.Number < 0 {
			continue
		}
		from := []ir.Source{row.IRSource()}
		if !b.SingleRow(ir.Query{From: from, Where: where}) {
			b.Unmodelled("a DELETE of several rows of a table that refers to itself (%s)", f.Name)
		}
		own := where
		k := t.IR.ForeignKeys[f.Number]
		for i, c := range k.Columns {
			own = ir.AndE(own, ir.Op(ir.Eq, &ir.Col{Row: row.Row, Col: t.IR.Columns[c].Name}, &ir.Col{Row: row.Row, Col: t.IR.Columns[k.RefColumns[i]].Name}))
		}
		b.Require(pos, ir.NotE(&ir.Exists{Query: ir.Query{From: from, Where: own}}), foreignKeyViolation)
	}
}

// assignedAgain drops the assignments of a column that another one follows. The first value must fit, too, which all integers
// of 32 bits and more are taken to do.
func (b *Writer) assignedAgain(c *schema.Column, list []assignment) []assignment {
	return schema.Without(list, func(a assignment) bool {
		if a.column != c.Name {
			return false
		}
		f := c.T.SQL.Format
		if c.NotNull && !a.v.NotNull || f == nil || f.Kind != ir.KindInt || f.Unsigned || f.Hi < math.MaxInt32 {
			b.Unmodelled("an assignment to %s after another one, whose value must fit, too", c.Name)
		}
		return true
	})
}

// changedRows is what the count of an UPDATE is in the dialect of MySQL.
const changedRows = "drivers of MySQL count the rows that an UPDATE changes, not those that it finds (clientFoundRows is off)"

// countsChanges lets the count of an UPDATE be that of the rows that it changes, where the dialect is that of MySQL.
func (b *Writer) countsChanges(f *expr.Frame, w *writeQuery, row *expr.RowSource, list []assignment, pos ir.Pos) {
	if !b.App.In.MySQL || f.Rowcount == "" {
		return
	}
	if len(w.other) > 0 {
		b.Unmodelled("the number of rows that an UPDATE of several tables changes")
	}
	for _, a := range list {
		if c := row.Col(a.column); c != nil { // what is computed for an index changes with the columns that it is computed from
			w.changes = ir.OrE(w.changes, ir.NotE(ir.Op(ir.Is, c.Expr, a.v.Expr)))
		}
	}
	b.App.Premise(pos, changedRows)
}

// keepsInsertID gives what sets LAST_INSERT_ID() to what it is now: the rows that a trigger inserts do not count.
func (b *Writer) keepsInsertID(pos ir.Pos) func() {
	if !b.App.In.MySQL {
		return func() {}
	}
	why, was := b.NoInsertID, b.Local("lastval", schema.TBigint)
	b.EmitWeak(&ir.Assign{At: expr.At(pos), Var: was, Expr: ir.V(b.Sequence("lastval"))})
	return func() {
		b.NoInsertID = why
		b.SetInsertID(pos, ir.V(was))
	}
}
