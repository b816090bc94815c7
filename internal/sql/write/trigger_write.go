package write

import (
	"slices"

	"github.com/txrobust/robust/internal/ir"
	"github.com/txrobust/robust/internal/sql/expr"
	"github.com/txrobust/robust/internal/sql/pg"
	"github.com/txrobust/robust/internal/sql/query"
	"github.com/txrobust/robust/internal/sql/schema"
)

// fires reports whether writes fire triggers FOR EACH ROW.
func (b *Writer) fires(t *schema.Table, events int32, set []assignment) bool {
	return len(t.Firing(events, true, true, columnsOf(set)))+len(t.Firing(events, false, true, columnsOf(set))) > 0
}

// rowWriter is an UPDATE or DELETE of a table with row triggers: its rows are
// read first, and written one by one.
type rowWriter struct {
	b      *Writer
	f      *expr.Frame
	w      *writeQuery
	row    *expr.RowSource
	set    []assignment // of an UPDATE, over the old row
	ret    *pg.ReturningClause
	pos    ir.Pos
	to     expr.Sink
	op     string
	events int32
	first  func() // runs before the first row is written
	// computed has the locals with the values of columns that are not declared.
	computed map[string]string
}

// locks are those of the rows that are given to BEFORE triggers: these stay if a trigger
// prevents the write (PostgreSQL 15, GetTupleForTrigger, ExecUpdateLockMode).
func (u *rowWriter) locks(before []*schema.Trigger) ir.Locks {
	if len(before) == 0 {
		return nil
	}
	mode := updateLock(u.row.Table.IR, u.set)
	if u.events&schema.OnDelete != 0 {
		mode = ir.ForUpdate
	}
	return ir.Locks{{Mode: mode}}
}

func (u *rowWriter) write() {
	b, t := u.b, u.row.Table
	before := t.Firing(u.events, true, true, columnsOf(u.set))
	if len(u.w.other) > 0 {
		b.Unmodelled("an %s with several tables of one with row triggers", u.op)
	}
	if u.to.Kind == expr.IntoRows {
		b.Unmodelled("RETURNING in WITH, of a table with row triggers")
	}
	q := ir.Query{From: []ir.Source{u.row.IRSource()}, Where: u.w.where}
	single := b.SingleRow(q)
	returns := u.ret != nil && u.to.Kind != expr.Discard
	if returns && (u.w.returned != nil || len(u.w.in.Levels[len(u.w.in.Levels)-1].Sources) > 1) {
		b.Unmodelled("RETURNING with FROM or USING, of a table with row triggers")
	}
	if !single {
		b.oneByOne(t)
		switch {
		case returns:
			b.Unmodelled("RETURNING of several rows of a table with row triggers")
		case b.readsInside(u.set):
			b.Unmodelled("a subquery in an %s of several rows of a table with row triggers", u.op)
		case len(before) > 0 && (u.f.Found != "" || u.f.Rowcount != "") && b.maySkip(before, u.op):
			b.Unmodelled("FOUND or ROW_COUNT after writes that triggers may prevent")
		}
		b.countFirst(u.f, q, &ir.Exists{Query: q}, u.pos)
	}
	if u.first != nil {
		u.first()
	}
	r := &expr.RowTrigger{Op: u.op, Old: &expr.Variable{Name: "old", Type: schema.Opaque(t.RowType), IsRecord: true, Fixed: true}}
	into, cols, hidden := u.readOld(r.Old)
	if !single {
		loop := &ir.Foreach{At: expr.At(u.pos), Into: into, Cols: cols, Query: q, Locks: u.locks(before)}
		loop.Body = b.Collect(func() { u.each(r, before, hidden, true, nil) })
		b.Emit(loop)
		return
	}
	found := b.Local("was_found", schema.TBool)
	b.Emit(&ir.Select{At: expr.At(u.pos), Into: into, Cols: cols, Query: q, Locks: u.locks(before), Found: found})
	var list, rest []expr.Dest
	if returns && u.to.Kind == expr.IntoLocals {
		list, rest = u.to.Dests(u.returned(u.row))
	}
	no := func() {
		b.SetFound(u.f, u.pos, ir.C(ir.Bool(false)), nil)
		if returns && u.to.Kind == expr.IntoLocals {
			b.SetNull(u.pos, append(append([]expr.Dest{}, list...), rest...))
			b.Strict(u.to, u.pos, ir.C(ir.Bool(false)))
		}
	}
	done := func(row *expr.RowSource) {
		b.SetFound(u.f, u.pos, ir.C(ir.Bool(true)), nil)
		if !returns {
			return
		}
		out := u.returned(row)
		if u.to.Kind == expr.IntoLocals {
			b.AssignAll(u.w.in, u.pos, list, out)
			b.SetNull(u.pos, rest)
			return
		}
		if u.f.Result == nil {
			b.EmitRow(u.pos, out)
		}
	}
	b.Emit(&ir.If{At: expr.At(u.pos), Cond: ir.V(found), Then: b.Collect(func() {
		u.each(r, before, hidden, false, &outcome{done, no})
	}), Else: b.Collect(no)})
}

// readOld declares the locals of the old row, and hidden for the key of a row without one.
func (u *rowWriter) readOld(old *expr.Variable) (into []string, cols []ir.Expr, hidden string) {
	b, t := u.b, u.row.Table
	for _, c := range t.Columns {
		local := b.FieldLocal("old", c.Name, c.T)
		old.Fields = append(old.Fields, expr.Field{Name: c.Name, Local: local, Type: c.T, Domain: c.Domain, Within: c.Within})
		into, cols = append(into, local), append(cols, &ir.Col{Row: u.row.Row, Col: c.Name})
	}
	if t.IR.Rowid {
		hidden = b.IRLocal(t.IR.Columns[0].Name, t.IR.Columns[0].Type)
		into, cols = append(into, hidden), append(cols, &ir.Col{Row: u.row.Row, Col: t.IR.Columns[0].Name})
	}
	u.computed = map[string]string{}
	for _, name := range u.readBesides(old) {
		u.computed[name] = b.IRLocal(name, t.IR.Columns[t.IR.Column(name)].Type)
		into, cols = append(into, u.computed[name]), append(cols, &ir.Col{Row: u.row.Row, Col: name})
	}
	return into, cols, hidden
}

// readBesides gives the columns of the old row that new values are computed of and that are not declared: keys of rows
// without one, and what indexes are over.
func (u *rowWriter) readBesides(old *expr.Variable) []string {
	var out []string
	for _, a := range u.set {
		ir.WalkExpr(a.v.Expr, func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok && c.Row == u.row.Row && old.Field(c.Col) == nil && !slices.Contains(out, c.Col) {
				out = append(out, c.Col)
			}
		})
	}
	return out
}

// oldLocal is the local with the value that a column of the old row has.
func (u *rowWriter) oldLocal(old *expr.Variable, column string) string {
	if fd := old.Field(column); fd != nil {
		return fd.Local
	}
	return u.computed[column]
}

// outcome is what follows a write of a single row, or its prevention.
type outcome struct {
	done func(row *expr.RowSource)
	no   func()
}

// each writes one row, whose old values r has.
func (u *rowWriter) each(r *expr.RowTrigger, before []*schema.Trigger, hidden string, several bool, out *outcome) {
	b, t := u.b, u.row.Table
	old := func(e ir.Expr) ir.Expr { // over the old row as it was read
		return ir.MapExpr(e, func(e ir.Expr) ir.Expr {
			if c, ok := e.(*ir.Col); ok && c.Row == u.row.Row {
				return ir.V(u.oldLocal(r.Old, c.Col))
			}
			return e
		})
	}
	changed := map[string]bool{}
	if u.op == "UPDATE" {
		src := r.Old.Source(t)
		for _, a := range u.set {
			changed[a.column] = true
			if c := src.Col(a.column); c != nil { // what an index is over is computed again
				c.Expr, c.NotNull = old(a.v.Expr), a.v.NotNull
			}
		}
		r.New = b.record("new", t, src, u.pos)
		for name := range b.changedByTriggers(t, before) {
			if t.IR.IsKey(t.IR.Column(name)) {
				b.Unmodelled("a trigger that changes the key column %s", name)
			}
			changed[name] = true
		}
	}
	var where ir.Expr
	for _, k := range t.IR.Key {
		c := t.IR.Columns[k]
		v := hidden
		if fd := r.Old.Field(c.Name); fd != nil {
			v = fd.Local
		}
		where = ir.AndE(where, ir.Op(ir.Eq, &ir.Col{Row: u.row.Row, Col: c.Name}, ir.V(v)))
	}
	write := func() {
		b.stableAfter(t, u.events, u.set, r, u.pos, several)
		row := r.Old.Source(t)
		if u.op == "UPDATE" {
			row = r.New.Source(t)
			row.Alias = u.row.Alias
			gen := b.generated(t, row)
			row = withValues(row, gen)
			st := &ir.Update{At: expr.At(u.pos), Table: t.IR, Row: u.row.Row, Where: where}
			for _, c := range t.Columns {
				k := t.IR.Column(c.Name)
				if (changed[c.Name] || c.Generated != nil) && !t.IR.IsKey(k) {
					st.Sets = append(st.Sets, ir.Set{Col: k, Expr: row.Col(c.Name).Expr})
				}
			}
			for _, a := range gen {
				if t.Column(a.column) == nil {
					st.Sets = append(st.Sets, ir.Set{Col: t.IR.Column(a.column), Expr: a.v.Expr})
				}
			}
			b.checkUpdated(u.pos, row, st)
			b.Emit(st)
			for _, a := range gen {
				if t.Column(a.column) == nil {
					continue
				}
				b.EmitWeak(&ir.Assign{At: expr.At(u.pos), Var: r.New.Field(a.column).Local, Expr: a.v.Expr})
			}
		} else {
			b.Emit(&ir.Delete{At: expr.At(u.pos), Table: t.IR, Row: u.row.Row, Where: where})
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
func (u *rowWriter) returned(row *expr.RowSource) []expr.Column {
	x := u.w.in.Copy()
	named := *row
	named.Alias, named.Through = u.row.Alias, u.row.Through
	x.Levels = append(append([]*expr.Level{}, x.Levels[:len(x.Levels)-1]...), &expr.Level{Sources: []*expr.RowSource{named.Seen()}})
	q := query.NewQuery(x)
	if len(u.ret.Options) > 0 {
		u.b.Unmodelled("RETURNING WITH")
	}
	for _, n := range u.ret.Exprs {
		q.AddTarget(pg.Inner(n).(*pg.ResTarget))
	}
	return q.Targets
}

// readsInside reports whether assignments read tables.
func (b *Writer) readsInside(list []assignment) bool {
	return slices.ContainsFunc(list, func(a assignment) bool { return ir.HasExists(a.v.Expr) })
}

// maySkip reports whether triggers may prevent a write.
func (b *Writer) maySkip(list []*schema.Trigger, op string) bool {
	for _, g := range list {
		for _, fn := range g.Functions() {
			if fn.Body != nil && fn.ReturnsNull(op) {
				return true
			}
		}
	}
	return false
}
