package sqlmodel

import (
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/schema"
	"github.com/txrobust/robust/ir"
)

// fires reports whether writes fire triggers FOR EACH ROW.
func (b *builder) fires(t *schema.Table, events int32, set []assignment) bool {
	return len(t.Firing(events, true, true, columnsOf(set)))+len(t.Firing(events, false, true, columnsOf(set))) > 0
}

// rowWriter is an UPDATE or DELETE of a table with row triggers: its rows are
// read first, and written one by one.
type rowWriter struct {
	b      *builder
	f      *frame
	w      *writeQuery
	row    *rowSource
	set    []assignment // of an UPDATE, over the old row
	ret    *pg.ReturningClause
	pos    ir.Pos
	to     sink
	op     string
	events int32
	first  func() // runs before the first row is written
}

// locks are those of the rows that are given to BEFORE triggers: these stay if a trigger
// prevents the write (PostgreSQL 15, GetTupleForTrigger, ExecUpdateLockMode).
func (u *rowWriter) locks(before []*schema.Trigger) ir.Locks {
	if len(before) == 0 {
		return nil
	}
	mode := ir.ForNoKeyUpdate
	if u.events&schema.OnDelete != 0 {
		mode = ir.ForUpdate
	}
	t := u.row.table.IR
	for c := range engine.KeyColumns(t) {
		if slices.ContainsFunc(u.set, func(a assignment) bool { return a.column == t.Columns[c].Name }) {
			mode = ir.ForUpdate
		}
	}
	return ir.Locks{{Mode: mode}}
}

func (u *rowWriter) write() {
	b, t := u.b, u.row.table
	before := t.Firing(u.events, true, true, columnsOf(u.set))
	if len(u.w.other) > 0 {
		b.unmodelled("an %s with several tables of one with row triggers", u.op)
	}
	if u.to.kind == intoRows {
		b.unmodelled("RETURNING in WITH, of a table with row triggers")
	}
	q := ir.Query{From: []ir.Source{u.row.irSource()}, Where: u.w.where}
	single := b.singleRow(q)
	returns := u.ret != nil && u.to.kind != discard
	if returns && (u.w.returned != nil || len(u.w.in.levels[len(u.w.in.levels)-1].sources) > 1) {
		b.unmodelled("RETURNING with FROM or USING, of a table with row triggers")
	}
	if !single {
		b.oneByOne(t)
		switch {
		case returns:
			b.unmodelled("RETURNING of several rows of a table with row triggers")
		case b.readsInside(u.set):
			b.unmodelled("a subquery in an %s of several rows of a table with row triggers", u.op)
		case len(before) > 0 && (u.f.found != "" || u.f.rowcount != "") && b.maySkip(before, u.op):
			b.unmodelled("FOUND or ROW_COUNT after writes that triggers may prevent")
		}
		b.countFirst(u.f, q, &ir.Exists{Query: q}, u.pos)
	}
	if u.first != nil {
		u.first()
	}
	r := &rowTrigger{op: u.op, old: &variable{name: "old", t: schema.Opaque(t.RowType), isRecord: true, fixed: true}}
	var into []string
	var cols []ir.Expr
	for _, c := range t.Columns {
		local := b.fieldLocal("old", c.Name, c.T)
		r.old.fields = append(r.old.fields, field{name: c.Name, local: local, t: c.T, domain: c.Domain, within: c.Within})
		into, cols = append(into, local), append(cols, &ir.Col{Row: u.row.row, Col: c.Name})
	}
	var hidden string
	if t.IR.Rowid {
		hidden = b.irLocal(t.IR.Columns[0].Name, t.IR.Columns[0].Type)
		into, cols = append(into, hidden), append(cols, &ir.Col{Row: u.row.row, Col: t.IR.Columns[0].Name})
	}
	if !single {
		loop := &ir.Foreach{At: at(u.pos), Into: into, Cols: cols, Query: q, Locks: u.locks(before)}
		loop.Body = b.collect(func() { u.each(r, before, hidden, true, nil) })
		b.emit(loop)
		return
	}
	found := b.local("was_found", schema.TBool)
	b.emit(&ir.Select{At: at(u.pos), Into: into, Cols: cols, Query: q, Locks: u.locks(before), Found: found})
	var list, rest []dest
	if returns && u.to.kind == intoLocals {
		list, rest = u.to.dests(u.returned(u.row))
	}
	no := func() {
		b.setFound(u.f, u.pos, ir.C(ir.Bool(false)), nil)
		if returns && u.to.kind == intoLocals {
			b.setNull(u.pos, append(append([]dest{}, list...), rest...))
			b.strict(u.to, u.pos, ir.C(ir.Bool(false)))
		}
	}
	done := func(row *rowSource) {
		b.setFound(u.f, u.pos, ir.C(ir.Bool(true)), nil)
		if !returns {
			return
		}
		out := u.returned(row)
		if u.to.kind == intoLocals {
			b.assignAll(u.w.in, u.pos, list, out)
			b.setNull(u.pos, rest)
			return
		}
		if u.f.result == nil {
			b.emitRow(u.pos, out)
		}
	}
	b.emit(&ir.If{At: at(u.pos), Cond: ir.V(found), Then: b.collect(func() {
		u.each(r, before, hidden, false, &outcome{done, no})
	}), Else: b.collect(no)})
}

// outcome is what follows a write of a single row, or its prevention.
type outcome struct {
	done func(row *rowSource)
	no   func()
}

// each writes one row, whose old values r has.
func (u *rowWriter) each(r *rowTrigger, before []*schema.Trigger, hidden string, several bool, out *outcome) {
	b, t := u.b, u.row.table
	old := func(e ir.Expr) ir.Expr { // over the old row as it was read
		return ir.MapExpr(e, func(e ir.Expr) ir.Expr {
			if c, ok := e.(*ir.Col); ok && c.Row == u.row.row {
				return ir.V(r.old.field(c.Col).local)
			}
			return e
		})
	}
	changed := map[string]bool{}
	if u.op == "UPDATE" {
		src := r.old.source(t)
		for _, a := range u.set {
			changed[a.column] = true
			if c := src.col(a.column); c != nil { // what an index is over is computed again
				c.e, c.nn = old(a.v.e), a.v.nn
			}
		}
		r.new = b.record("new", t, src, u.pos)
		for name := range b.changedByTriggers(t, before) {
			if t.IR.IsKey(t.IR.Column(name)) {
				b.unmodelled("a trigger that changes the key column %s", name)
			}
			changed[name] = true
		}
	}
	var where ir.Expr
	for _, k := range t.IR.Key {
		c := t.IR.Columns[k]
		v := hidden
		if fd := r.old.field(c.Name); fd != nil {
			v = fd.local
		}
		where = ir.AndE(where, ir.Op(ir.Eq, &ir.Col{Row: u.row.row, Col: c.Name}, ir.V(v)))
	}
	write := func() {
		b.stableAfter(t, u.events, u.set, r, u.pos, several)
		row := r.old.source(t)
		if u.op == "UPDATE" {
			row = r.new.source(t)
			row.alias = u.row.alias
			gen := b.generated(t, row)
			row = withValues(row, gen)
			st := &ir.Update{At: at(u.pos), Table: t.IR, Row: u.row.row, Where: where}
			for _, c := range t.Columns {
				k := t.IR.Column(c.Name)
				if (changed[c.Name] || c.Generated != nil) && !t.IR.IsKey(k) {
					st.Sets = append(st.Sets, ir.Set{Col: k, Expr: row.col(c.Name).e})
				}
			}
			for _, a := range gen {
				if t.Column(a.column) == nil {
					st.Sets = append(st.Sets, ir.Set{Col: t.IR.Column(a.column), Expr: a.v.e})
				}
			}
			b.checkUpdated(u.pos, row, st)
			b.emit(st)
			for _, a := range gen {
				if t.Column(a.column) == nil {
					continue
				}
				b.emitWeak(&ir.Assign{At: at(u.pos), Var: r.new.field(a.column).local, Expr: a.v.e})
			}
		} else {
			b.emit(&ir.Delete{At: at(u.pos), Table: t.IR, Row: u.row.row, Where: where})
			b.actions(u.pos, t)
		}
		b.after(t, t.Firing(u.events, false, true, columnsOf(u.set)), r, u.pos, several)
		if out != nil {
			out.done(row)
		}
	}
	b.before(t, before, r, u.pos, several, write, func() {
		if out != nil {
			out.no()
		}
	})
}

// returned translates RETURNING over a row.
func (u *rowWriter) returned(row *rowSource) []colDef {
	x := *u.w.in
	named := *row
	named.alias = u.row.alias
	x.levels = append(append([]*level{}, x.levels[:len(x.levels)-1]...), &level{sources: []*rowSource{&named}})
	q := &query{in: &x, level: x.levels[len(x.levels)-1], atMost: -1}
	if len(u.ret.Options) > 0 {
		u.b.unmodelled("RETURNING WITH")
	}
	for _, n := range u.ret.Exprs {
		q.addTarget(pg.Inner(n).(*pg.ResTarget))
	}
	return q.targets
}

// readsInside reports whether assignments read tables.
func (b *builder) readsInside(list []assignment) bool {
	return slices.ContainsFunc(list, func(a assignment) bool { return ir.HasExists(a.v.e) })
}

// maySkip reports whether triggers may prevent a write.
func (b *builder) maySkip(list []*schema.Trigger, op string) bool {
	for _, g := range list {
		for _, fn := range g.Functions() {
			if fn.Body != nil && fn.ReturnsNull(op) {
				return true
			}
		}
	}
	return false
}
