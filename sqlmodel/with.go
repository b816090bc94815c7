package sqlmodel

import (
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/syntax"
	"github.com/txrobust/robust/ir"
)

// with brings the queries of WITH into scope. Those that write or skip rows have
// been brought there by withWrites.
func (x *ex) with(w *pg.WithClause) {
	if w.Recursive {
		x.unmodelled("WITH RECURSIVE")
	}
	for _, n := range w.Ctes {
		c := pg.Inner(n).(*pg.CommonTableExpr)
		sel, ok := pg.Inner(c.Ctequery).(*pg.SelectStmt)
		if !ok {
			if x.ctes.find(c.Ctename) != nil {
				continue
			}
			x.unmodelled("a WITH query that writes, in this place")
		}
		x.tryLocks(sel)
		x.learnTypes(sel)
		if old := x.ctes.find(c.Ctename); old != nil && old.query == sel && (old.picked != nil || old.once) {
			continue
		}
		scope, levels := x.ctes, x.levels
		cols := syntax.Names(c.Aliascolnames)
		var kept picked
		if x.b != nil && x.d == nil && limited(sel) && x.writes {
			y := *x
			x.b.attempt(func() { kept = y.chosenFrom(sel, x.pos(x.at(c.Ctequery))) })
		}
		var once *derived // its rows, the same each time that they are named
		if x.b != nil && x.d == nil && limited(sel) && kept == nil {
			y := *x
			x.b.attempt(func() {
				d := y.whole(sel, fetchedSome)
				if !leavesOpen(d.rel) || !d.alone() {
					x.unmodelled("nothing is left open")
				}
				local := x.b.rowsLocal(d, ir.WantRows, x.pos(x.at(c.Ctequery))).(*ir.Var)
				once = &derived{rel: &ir.Given{Param: local.Name, Cols: ir.Columns(d.rel)}, cols: d.cols, single: d.single, nonEmpty: d.nonEmpty}
			})
		}
		x.ctes = &ctes{name: c.Ctename, up: scope, query: sel, cols: cols, levels: levels, picked: kept, once: once != nil, make: func(at *ex) *derived {
			switch {
			case kept != nil:
				at.unmodelled("a WITH query whose rows LIMIT leaves open, in this place")
			case once != nil:
				d := *once
				d.cols = append([]colDef{}, d.cols...)
				rename(&d, cols)
				return &d
			}
			y := *at
			y.ctes, y.levels, y.queries = scope, levels, at.queries
			y.held, y.pushed = true, ir.NoLock
			d := y.relation(sel)
			y.settle(d)
			rename(d, cols)
			return d
		}}
	}
}

// withWrites runs the queries of WITH that write, and chooses the rows of those
// that skip some, before the statement root that they stand in. All parts of such a statement see the rows as they were
// before it, so that no part may have to do with a table that another one
// writes.
func (x *ex) withWrites(w *pg.WithClause, root pg.Message) {
	if w == nil {
		return
	}
	if w.Recursive {
		x.unmodelled("WITH RECURSIVE")
	}
	_, reads := root.(*pg.SelectStmt)
	x.writes = !reads
	p := &parts{start: len(x.b.out), wrote: map[string]bool{}}
	defer func() { p.end = len(x.b.out) }()
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
				y := *x
				q := y.locking(s, false) // where it is named, flat sees to its locks
				if q.atMost == 0 {
					x.unmodelled("LIMIT 0 with SKIP LOCKED in WITH")
				}
				picked := x.b.pick(q, x.pos(x.at(c.Ctequery)), false)
				x.with(&pg.WithClause{Ctes: []*pg.Node{n}})
				x.ctes.picked = picked
				continue
			}
			x.with(&pg.WithClause{Ctes: []*pg.Node{n}})
			continue
		default:
			x.unmodelled("a WITH query of this kind")
		}
		if len(x.b.catches) > 0 {
			x.unmodelled("a WITH query that writes, in a block with EXCEPTION")
		}
		x.parts = p
		x.writesApart(x.tableOf(target), n, w, root)
		to := sink{}
		if returning != nil {
			to.kind = intoRows
			to.rows = &rowSink{local: x.b.irLocal(c.Ctename, ir.ArrayType(ir.KindOpaque))}
		}
		g := *x.f
		g.found, g.rowcount, g.ctes = "", "", x.ctes
		x.b.runs.command(&g, x.text, pg.Inner(c.Ctequery), x.pos(x.at(c.Ctequery)), to)
		rows, cols := to.rows, syntax.Names(c.Aliascolnames)
		x.ctes = &ctes{name: c.Ctename, up: x.ctes, make: func(at *ex) *derived {
			if rows == nil {
				at.unmodelled("a reference to a WITH query without RETURNING")
			}
			d := &derived{rel: &ir.Given{Param: rows.local, Cols: rows.shape()}, cols: append([]colDef{}, rows.cols...)}
			rename(d, cols)
			return d
		}}
	}
}

// rowSink takes the rows of RETURNING as one value.
type rowSink struct {
	local string
	cols  []colDef
}

// shape gives the columns of the rows.
func (r *rowSink) shape() []ir.Column {
	var out []ir.Column
	for _, i := range itemsOf(r.cols) {
		out = append(out, ir.Column{Name: i.Name, Type: i.Type})
	}
	return out
}

// take notes the columns, and gives the row value of them.
func (r *rowSink) take(x *ex, cols []colDef) *ir.Call {
	row := &ir.Call{Name: ir.RowFn, Type: ir.OpaqueType}
	r.cols = nil
	for _, c := range cols {
		v := x.defaultType(c.val())
		row.Args = append(row.Args, v.e)
		r.cols = append(r.cols, colDef{name: c.name, t: v.t, nn: v.nn})
	}
	return row
}
