package query

import (
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// with brings the queries of WITH into scope. Those that write or skip rows have
// been brought there by WithWrites.
func (x *Place) with(w *pg.WithClause) {
	if w.Recursive {
		x.Unmodelled("WITH RECURSIVE")
	}
	for _, n := range w.Ctes {
		c := pg.Inner(n).(*pg.CommonTableExpr)
		sel, ok := pg.Inner(c.Ctequery).(*pg.SelectStmt)
		if !ok {
			if x.Ctes.find(c.Ctename) != nil {
				continue
			}
			x.Unmodelled("a WITH query that writes, in this place")
		}
		x.tryLocks(sel)
		x.learnTypes(sel)
		if old := x.Ctes.find(c.Ctename); old != nil && old.query == sel && (old.picked != nil || old.once) {
			continue
		}
		scope, levels := x.Ctes, x.Levels
		cols := syntax.Names(c.Aliascolnames)
		var kept picked
		if x.Draft != nil && x.Deriver == nil && limited(sel) && x.writes {
			y := x.Copy()
			x.Draft.Attempt(func() { kept = y.chosenFrom(sel, x.Pos(x.At(c.Ctequery))) })
		}
		var once *Derived // its rows, the same each time that they are named
		if x.Draft != nil && x.Deriver == nil && limited(sel) && kept == nil {
			y := x.Copy()
			x.Draft.Attempt(func() {
				d := y.Whole(sel, FetchedSome)
				if !leavesOpen(d.Rel) || !d.alone() {
					x.Unmodelled("nothing is left open")
				}
				local := RowsLocal(x.Draft, d, ir.WantRows, x.Pos(x.At(c.Ctequery))).(*ir.Var)
				once = &Derived{Rel: &ir.Given{Param: local.Name, Cols: ir.Columns(d.Rel)}, Cols: d.Cols, Single: d.Single, nonEmpty: d.nonEmpty}
			})
		}
		x.Ctes = &ctes{name: c.Ctename, up: scope, query: sel, cols: cols, levels: levels, picked: kept, once: once != nil, make: func(at *Place) *Derived {
			switch {
			case kept != nil:
				at.Unmodelled("a WITH query whose rows LIMIT leaves open, in this place")
			case once != nil:
				d := *once
				d.Cols = append([]expr.Column{}, d.Cols...)
				rename(&d, cols)
				return &d
			}
			y := at.Copy()
			y.Ctes, y.Levels, y.Depth = scope, levels, at.Depth
			y.held, y.pushed = true, ir.NoLock
			d := y.relation(sel)
			y.settle(d)
			rename(d, cols)
			return d
		}}
	}
}

// WithWrites runs the queries of WITH that write, and chooses the rows of those
// that skip some, before the statement root that they stand in. All parts of such a statement see the rows as they were
// before it, so that no part may have to do with a table that another one
// writes.
func (x *Place) WithWrites(w *pg.WithClause, root pg.Message) {
	if w == nil {
		return
	}
	if w.Recursive {
		x.Unmodelled("WITH RECURSIVE")
	}
	_, reads := root.(*pg.SelectStmt)
	x.writes = !reads
	p := &Parts{Start: len(x.Draft.Out), Wrote: map[string]bool{}}
	defer func() { p.End = len(x.Draft.Out) }()
	for _, n := range w.Ctes {
		c := pg.Inner(n).(*pg.CommonTableExpr)
		var target *pg.RangeVar
		var returning *pg.ReturningClause
		switch s := pg.Inner(c.Ctequery).(type) {
		case *pg.InsertStmt:
			target, returning = s.Relation, s.ReturningClause
		case *pg.UpdateStmt:
			target, returning = s.Relation, s.ReturningClause
		case *pg.DeleteStmt:
			target, returning = s.Relation, s.ReturningClause
		case *pg.SelectStmt:
			if skipsLocked(s) {
				y := x.Copy()
				q := y.Locking(s, false) // where it is named, flat sees to its locks
				if q.AtMost == 0 {
					x.Unmodelled("LIMIT 0 with SKIP LOCKED in WITH")
				}
				picked := pick(x.Draft, q, x.Pos(x.At(c.Ctequery)), false)
				x.with(&pg.WithClause{Ctes: []*pg.Node{n}})
				x.Ctes.picked = picked
				continue
			}
			x.with(&pg.WithClause{Ctes: []*pg.Node{n}})
			continue
		default:
			x.Unmodelled("a WITH query of this kind")
		}
		if len(x.Draft.Catches) > 0 {
			x.Unmodelled("a WITH query that writes, in a block with EXCEPTION")
		}
		x.Parts = p
		x.writesApart(x.TableOf(target), n, w, root)
		to := expr.Sink{}
		if returning != nil {
			to.Kind = IntoRows
			to.Rows = &expr.RowSink{Local: x.Draft.IrLocal(c.Ctename, ir.ArrayType(ir.KindOpaque))}
		}
		g := *x.Frame
		g.Found, g.Rowcount, g.Ctes = "", "", x.Ctes
		x.Draft.Runs.Command(&g, x.Text, pg.Inner(c.Ctequery), x.Pos(x.At(c.Ctequery)), to)
		rows, cols := to.Rows, syntax.Names(c.Aliascolnames)
		x.Ctes = &ctes{name: c.Ctename, up: x.Ctes, make: func(at *Place) *Derived {
			if rows == nil {
				at.Unmodelled("a reference to a WITH query without RETURNING")
			}
			d := &Derived{Rel: &ir.Given{Param: rows.Local, Cols: rows.Shape()}, Cols: append([]expr.Column{}, rows.Cols...)}
			rename(d, cols)
			return d
		}}
	}
}
