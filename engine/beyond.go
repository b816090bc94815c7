package engine

import (
	"fmt"
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/irnames"
	"github.com/txrobust/robust/internal/pieces"
)

// Beyond says why nothing can be said about a program on the database, "" if
// something can.
func (e *Profile) Beyond(p *ir.Program) string {
	if e.Weaker != "" || e.Stricter == "" {
		return e.Weaker
	}
	why := ""
	switch {
	case e.OtherTexts != "":
		if why = readsTexts(p); why != "" {
			why += ", and " + e.OtherTexts
		}
	case e.Skips:
		why = skipped(p)
	}
	for _, t := range p.Txns {
		ir.Walk(t.Body, func(s ir.Stmt) {
			if what := unmodelled(s); what != "" && why == "" {
				why = fmt.Sprintf("%s: %s there is not modelled", s.Position(), what)
			}
		})
	}
	return why
}

// unmodelled says what of a statement is not modelled for databases that exclude more than
// the profile says, "" if there is nothing.
func unmodelled(s ir.Stmt) string {
	switch s := s.(type) {
	case *ir.Cascade:
		return "what the actions of foreign keys do"
	case *ir.LockTable, *ir.Savepoint:
		return "what LOCK TABLE and savepoints do"
	case *ir.Insert:
		if s.Conflict != nil {
			return "what an INSERT that meets an existing key does"
		}
	}
	return ""
}

// skipped says which statement may pass over rows that have left their place in an index,
// "" if none does (Profile.Skips). It is one that writes or locks rows, or a subquery of
// one that is no SELECT: it looks for rows by a column of an index other than the primary
// key, and another statement changes that column or deletes rows of the table; or it needs
// nothing but columns of indexes, which the server reads in place of the table then, and
// another statement deletes rows.
func skipped(p *ir.Program) string {
	s := &skips{leaves: map[*ir.Table]map[int]bool{}}
	for _, t := range p.Txns {
		ir.Walk(t.Body, s.leave)
	}
	for _, t := range p.Txns {
		s.at = map[ir.Pos][]ir.Expr{}
		ir.Walk(t.Body, func(stmt ir.Stmt) { s.at[stmt.Position()] = append(s.at[stmt.Position()], ir.Exprs(stmt)...) })
		ir.Walk(t.Body, s.statement)
	}
	return s.why
}

type skips struct {
	// leaves has the columns that change; nil for all, where rows are deleted.
	leaves map[*ir.Table]map[int]bool
	// at has the expressions of a transaction by place: one statement of SQL may be several.
	at  map[ir.Pos][]ir.Expr
	why string
}

func (s *skips) leave(stmt ir.Stmt) {
	switch stmt := stmt.(type) {
	case *ir.Update:
		if cols, ok := s.leaves[stmt.Table]; !ok || cols != nil {
			if cols == nil {
				cols = map[int]bool{}
				s.leaves[stmt.Table] = cols
			}
			for _, set := range stmt.Sets {
				cols[set.Col] = true
			}
		}
	case *ir.Delete:
		s.leaves[stmt.Table] = nil
	}
}

// statement looks at what a statement reads of the newest rows.
func (s *skips) statement(stmt ir.Stmt) {
	inner := false
	switch stmt := stmt.(type) {
	case *ir.Update:
		s.where(stmt, stmt.Table, stmt.Row, stmt.Where)
		inner = true
	case *ir.Delete:
		s.where(stmt, stmt.Table, stmt.Row, stmt.Where)
		inner = true
	case *ir.Insert, *ir.Assign:
		inner = true
	case *ir.Select:
		if inner = stmt.Inner; inner {
			s.query(stmt, stmt.Query, s.at[stmt.Pos], nil)
			if slices.ContainsFunc(stmt.Aggs, func(a ir.Agg) bool { return a.Fn == irnames.RowsAgg }) {
				s.rows(stmt)
			}
		}
	case *ir.Foreach:
		if inner = stmt.Inner; inner {
			s.query(stmt, stmt.Query, s.at[stmt.Pos], nil)
		}
	}
	if locks, q := ir.LocksOf(stmt); q != nil && len(locks) > 0 {
		s.query(stmt, *q, s.at[stmt.Position()], locks)
	}
	if !inner {
		return
	}
	for _, e := range ir.Exprs(stmt) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if x, ok := e.(*ir.Exists); ok {
				s.query(stmt, x.Query, []ir.Expr{x.Query.Where}, nil)
			}
		})
	}
}

// rows looks at rows that a statement reads as a whole, of which something else than the query says which count: the server
// may look for them by any column.
func (s *skips) rows(stmt *ir.Select) {
	for _, src := range stmt.Query.From {
		var all ir.Expr
		for _, c := range src.Table.Columns {
			all = ir.AndE(all, &ir.Unary{Op: ir.IsNull, X: &ir.Col{Row: src.Row, Col: c.Name}})
		}
		s.where(stmt, src.Table, src.Row, all)
	}
}

// query looks at a query of the newest rows that computes exprs, and at those sources alone
// that locks is of, unless it is nil.
func (s *skips) query(stmt ir.Stmt, q ir.Query, exprs []ir.Expr, locks ir.Locks) {
	for _, src := range q.From {
		if locks != nil && locks.Of(src.Row) == ir.NoLock {
			continue
		}
		s.where(stmt, src.Table, src.Row, q.Where)
		if changed, any := s.leaves[src.Table]; any && changed == nil && s.why == "" && covered(src, exprs) {
			s.why = fmt.Sprintf("%s reads only columns of %s that are in indexes: it passes over a row that was deleted since the snapshot, without an error; read a column that is in no index, too", stmt.Position(), src.Table.Name)
		}
	}
}

// covered reports whether expressions need nothing of a row but columns of the keys and
// indexes, of which there are some besides the primary key.
func covered(src ir.Source, exprs []ir.Expr) bool {
	t := src.Table
	only, any := true, false
	for i := range t.Columns {
		any = any || pieces.Indexed(t, i)
	}
	for _, e := range exprs {
		if e == nil {
			continue
		}
		ir.WalkExpr(e, func(e ir.Expr) {
			if col, ok := e.(*ir.Col); ok && col.Row == src.Row {
				i := t.Column(col.Col)
				only = only && i >= 0 && (t.IsKey(i) || pieces.Indexed(t, i))
			}
		})
	}
	return any && only
}

// where looks at the condition by which rows of t are found.
func (s *skips) where(stmt ir.Stmt, t *ir.Table, row string, where ir.Expr) {
	changed, any := s.leaves[t]
	if !any || s.why != "" || where == nil {
		return
	}
	ir.WalkExpr(where, func(e ir.Expr) {
		col, ok := e.(*ir.Col)
		if !ok || col.Row != row || s.why != "" {
			return
		}
		if i := t.Column(col.Col); i >= 0 && pieces.Indexed(t, i) && (changed == nil || changed[i]) {
			s.why = fmt.Sprintf("%s looks for rows of %s by %s, which an index is over: it passes over a row that has left its place there since the snapshot, without an error; look for rows by the primary key alone", stmt.Position(), t.Name, col.Col)
		}
	})
}
