package instrument

import (
	"slices"

	"github.com/txrobust/robust/engine"
	"github.com/txrobust/robust/internal/ir"
)

// marks gives what the reads and locks of a statement add: temporaries to be
// set first, statements before and after it, and the statement itself, which
// may have to return more.
func (w *writer) marks(s ir.Stmt) (temps, before, after []ir.Stmt, changed ir.Stmt) {
	at := ir.At{Pos: s.Position()}
	before = w.locks(s)
	r := w.rw.reads[s]
	if r == nil {
		return nil, before, nil, s
	}
	for _, sh := range r.vars {
		before = append(before, w.readVarMarks(at, sh)...)
	}
	for _, x := range r.sites {
		if !x.late() {
			before = append(before, w.readSite(at, x, ir.V, nil)...)
			continue
		}
		sel := *s.(*ir.Select)
		s = &sel
		// The locals of the condition may be set by the statement itself.
		old := map[string]string{}
		for i, name := range x.params {
			if slices.Contains(ir.Assigned(s), name) {
				old[name] = w.local(name+".old", x.types[i])
				temps = append(temps, &ir.Assign{At: at, Var: old[name], Expr: ir.V(name)})
			}
		}
		param := func(name string) ir.Expr {
			if o := old[name]; o != "" {
				return ir.V(o)
			}
			return ir.V(name)
		}
		after = append(after, w.readSite(at, x, param, w.results(x, &sel))...)
	}
	for _, j := range r.joins {
		before = append(before, w.readJoin(at, j)...)
	}
	return temps, before, after, s
}

// results makes a SELECT also return what the notes of a late site need, and
// gives the locals that hold it.
func (w *writer) results(x *site, sel *ir.Select) []ir.Expr {
	var out []ir.Expr
	for i := range x.extremes {
		out = append(out, ir.V(sel.Into[i]))
	}
	if !x.take {
		return out
	}
	if sel.Found == "" {
		sel.Found = w.local("found", ir.BoolType)
	}
	out = append(out, ir.V(sel.Found))
	sel.Into, sel.Cols = append([]string(nil), sel.Into...), append([]ir.Expr(nil), sel.Cols...)
	more := func(e ir.Expr, t ir.Type, name string) {
		v := w.local(name, t)
		sel.Into, sel.Cols = append(sel.Into, v), append(sel.Cols, e)
		out = append(out, ir.V(v))
	}
	for _, k := range x.shadow.base.Key {
		more(col(x.row, x.shadow.base, k), x.shadow.base.Columns[k].Type, "first."+x.shadow.base.Columns[k].Name)
	}
	for i, o := range x.order {
		more(o.Expr, x.orderTypes[i], "order."+itoa(i+1))
	}
	return out
}

// match is whether a version of a row takes part in a read: row gives the
// version's columns, param the locals of the condition, extra the results.
// Nil stands for true; otherwise the value is never NULL.
func (x *site) match(row func(col string) ir.Expr, param func(name string) ir.Expr, extra []ir.Expr) ir.Expr {
	var out ir.Expr
	if x.where != nil {
		out = substitute(rename(x.where, param), x.row, row)
		if !x.definite {
			out = is(out, boolean(true))
		}
	}
	t := x.shadow.base
	if len(x.extremes) > 0 {
		// As extreme as the result, or anything where there was none.
		var hit ir.Expr
		for i, a := range x.extremes {
			op := ir.Le
			if a.Fn == "max" {
				op = ir.Ge
			}
			arg := substitute(rename(a.Arg, param), x.row, row)
			hit = ir.OrE(hit, isNull(extra[i]), is(ir.Op(op, arg, extra[i]), boolean(true)))
		}
		return and(out, hit)
	}
	if !x.take {
		return out
	}
	found, extra := extra[0], extra[1:]
	var same ir.Expr
	for i, k := range t.Key {
		same = and(same, is(row(t.Columns[k].Name), extra[i]))
	}
	extra = extra[len(t.Key):]
	var before, tie ir.Expr
	for i, o := range x.order {
		a, b := substitute(rename(o.Expr, param), x.row, row), extra[i]
		if o.Desc {
			a, b = b, a
		}
		// NULLs come last.
		less := ir.OrE(is(ir.Op(ir.Lt, a, b), boolean(true)), and(isNull(b), ir.NotE(isNull(a))))
		before = ir.OrE(before, and(tie, less))
		tie = and(tie, is(a, b))
	}
	return and(out, ir.OrE(is(found, boolean(false)), same, before))
}

// matters are the columns that decide whether a row takes part.
func (x *site) matters() []bool {
	out := append([]bool(nil), x.tested...)
	mark := func(e ir.Expr) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if c, ok := e.(*ir.Col); ok && c.Row == x.row {
				out[x.shadow.base.Column(c.Col)] = true
			}
		})
	}
	for _, o := range x.order {
		mark(o.Expr)
	}
	for _, a := range x.extremes {
		mark(a.Arg)
	}
	return out
}

// wanted are the columns whose values the read depends on.
func (rw *rewriter) wanted(returned, tested []bool) []bool {
	out := append([]bool(nil), returned...)
	if rw.opt.Classic {
		for i, t := range tested {
			out[i] = out[i] || t
		}
	}
	return out
}

// readSite is what a query over one table adds.
func (w *writer) readSite(at ir.At, x *site, param func(string) ir.Expr, extra []ir.Expr) []ir.Stmt {
	var out []ir.Stmt
	if w.role == helper {
		out = append(out,
			w.flag(at, w.phbh, w.versions(x, x.shadow.eventI, param, extra)),
			w.flag(at, w.cycle, w.versions(x, x.shadow.eventA, param, extra)))
	}
	var vals []ir.Expr
	for _, name := range x.params {
		vals = append(vals, param(name))
	}
	out = append(out, w.note(at, x, append(vals, extra...)))
	if w.role == attacker {
		out = append(out, setVar(at, w.rw.hb, boolean(true))) // (2)
	}
	return out
}

// note writes the locals and results of a query into its notes.
func (w *writer) note(at ir.At, x *site, vals []ir.Expr) ir.Stmt {
	vals = w.rw.encode(x, vals)
	var cols []int
	var same ir.Expr
	for i, v := range vals {
		cols = append(cols, i)
		same = and(same, is(col(w.rw.q, x.event, i), v))
	}
	return &ir.If{At: at, Cond: ir.NotE(existsIn(same, src(x.event, w.rw.q))),
		Then: []ir.Stmt{&ir.Insert{At: at, Table: x.event, Cols: cols, Values: vals}}}
}

// keysEqual joins two tables with the same key columns.
func keysEqual(t *ir.Table, a, b string) ir.Expr {
	var out ir.Expr
	for _, k := range t.Key {
		name := t.Columns[k].Name
		out = and(out, ir.Op(ir.Eq, &ir.Col{Row: a, Col: name}, &ir.Col{Row: b, Col: name}))
	}
	return out
}

// set tests a flag of a row of a flag table.
func (s *shadow) set(flags *ir.Table, row, col string) ir.Expr {
	c := &ir.Col{Row: row, Col: col}
	if flags == s.eventA {
		return is(c, boolean(true))
	}
	return is(c, text(stored))
}

// touched is whether a row of a flag table says that the row was written.
func (s *shadow) touched(flags *ir.Table, row string) ir.Expr {
	out := s.set(flags, row, s.alive)
	for _, c := range s.values() {
		out = ir.OrE(out, s.set(flags, row, s.table.Columns[c].Name))
	}
	return out
}

// versions is whether a read of a helper distinguishes the two versions of
// some row that flags marks as written: by the attacker (the version in the
// primed table is the later one), or by the chain (it is the earlier one, for
// no helper writes what the attacker wrote).
func (w *writer) versions(x *site, flags *ir.Table, param func(string) ir.Expr, extra []ir.Expr) ir.Expr {
	rw, s := w.rw, x.shadow
	row := func(r string) func(string) ir.Expr {
		return func(c string) ir.Expr { return &ir.Col{Row: r, Col: c} }
	}
	mc, mp := x.match(row(rw.c), param, extra), x.match(row(rw.p), param, extra)
	e, c, p := src(flags, rw.e), src(s.base, rw.c), src(s.prime, rw.p)
	touched := s.touched(flags, rw.e)
	var value ir.Expr
	for i, want := range rw.wanted(x.returned, x.tested) {
		if !want || s.table.IsKey(i) {
			continue
		}
		if rw.opt.Classic {
			value = ir.OrE(value, s.set(flags, rw.e, s.table.Columns[i].Name))
		} else {
			value = ir.OrE(value, differs(col(rw.c, s.base, i), col(rw.p, s.base, i)))
		}
	}
	var both ir.Expr
	for i, m := range x.matters() {
		if m && !s.table.IsKey(i) {
			both = differs(mc, mp)
			break
		}
	}
	if rw.opt.Classic {
		// Deleted and inserted again.
		value = ir.OrE(value, s.set(flags, rw.e, s.alive))
	}
	if value != nil {
		both = ir.OrE(both, and(mc, value))
	}
	var out ir.Expr
	if both != nil {
		out = existsIn(and(keysEqual(s.base, rw.e, rw.c), keysEqual(s.base, rw.e, rw.p), touched, both), e, c, p)
	}
	gone := func(m ir.Expr, here, there ir.Source) ir.Expr {
		return existsIn(and(keysEqual(s.base, rw.e, here.Row), touched, m,
			ir.NotE(existsIn(keysEqual(s.base, rw.e, there.Row), there))), e, here)
	}
	return ir.OrE(out, gone(mc, c, p), gone(mp, p, c))
}

// readJoin is what a query over several tables adds, for one of them: the query
// is noted, or the rows found are marked as read, and helpers look for rows that were written and
// whose versions the query tells apart, the other tables being as they are.
func (w *writer) readJoin(at ir.At, j *join) []ir.Stmt {
	rw, s := w.rw, j.shadow
	wanted := rw.wanted(j.returned, j.tested)
	q := w.query(j.query)
	var out []ir.Stmt
	if w.role == helper {
		out = append(out, w.flag(at, w.phbh, w.joinVersions(j, q, s.eventI)), w.flag(at, w.cycle, w.joinVersions(j, q, s.eventA)))
	}
	if w.role == attacker {
		out = append(out, setVar(at, rw.hb, boolean(true)))
	}
	if x := j.site; x != nil {
		var vals []ir.Expr
		for _, name := range x.params {
			vals = append(vals, ir.V(name))
		}
		return append(out, w.note(at, x, vals))
	}
	flags := map[string]func(old ir.Expr) ir.Expr{}
	note := func(old ir.Expr) ir.Expr {
		if old == nil {
			return text(loaded)
		}
		return &ir.Cond{If: isNull(old), Then: text(loaded), Else: old}
	}
	flags[s.alive] = note
	for i, want := range wanted {
		if want && !s.table.IsKey(i) {
			flags[s.table.Columns[i].Name] = note
		}
	}
	return append(out, w.each(at, s, q.From, j.row, q.Where, nil, func(keys []ir.Expr, _ []ir.Expr) []ir.Stmt {
		return []ir.Stmt{w.upsert(at, s.event, keys, flags)}
	})...)
}

// joinVersions is like versions, for one table of a query over several.
func (w *writer) joinVersions(j *join, q ir.Query, flags *ir.Table) ir.Expr {
	rw, s := w.rw, j.shadow
	// also is the query's condition on another version of the row. Inside of
	// nested queries the row cannot be told from others.
	also := func(row string) ir.Expr {
		if ir.HasExists(q.Where) {
			return nil
		}
		return substitute(q.Where, j.row, func(c string) ir.Expr { return &ir.Col{Row: row, Col: c} })
	}
	written := s.touched(flags, rw.e)
	var flagged, same ir.Expr
	for i, want := range rw.wanted(j.returned, j.tested) {
		if want && !s.table.IsKey(i) {
			flagged = ir.OrE(flagged, s.set(flags, rw.e, s.table.Columns[i].Name))
			same = and(same, is(col(j.row, s.base, i), col(rw.p, s.base, i)))
		}
	}
	// Found, but not so in the primed copy.
	hit := ir.OrE(s.set(flags, rw.e, s.alive), flagged)
	if !rw.opt.Classic {
		hit = and(written, ir.NotE(existsIn(and(keysEqual(s.base, rw.p, j.row), also(rw.p), same), src(s.prime, rw.p))))
	}
	found := existsIn(and(q.Where, keysEqual(s.base, rw.e, j.row), hit), append(append([]ir.Source(nil), q.From...), src(flags, rw.e))...)
	// Found in the primed copy, but not in the table.
	var from []ir.Source
	for _, x := range q.From {
		if x.Row == j.row {
			x.Table = s.prime
		}
		from = append(from, x)
	}
	gone := ir.NotE(existsIn(and(keysEqual(s.base, rw.c, j.row), also(rw.c)), src(s.base, rw.c)))
	return ir.OrE(found, existsIn(and(q.Where, keysEqual(s.base, rw.e, j.row), written, gone), append(from, src(flags, rw.e))...))
}

// locks is what the locks and table uses of a statement add.
func (w *writer) locks(s ir.Stmt) []ir.Stmt {
	rw, at := w.rw, ir.At{Pos: s.Position()}
	var out []ir.Stmt
	_, q := ir.LocksOf(s)
	for _, target := range lockTargets(s) {
		sh := rw.shadows[target.table]
		if sh == nil || sh.locked == "" && sh.lockedVar == nil {
			continue
		}
		class := rw.opt.Engine.LockExcludes[target.mode]
		wq := w.query(*q)
		switch {
		case target.table.Var:
			found := &ir.Exists{Query: wq}
			if w.role == attacker && (class == engine.AnyWrite || rw.opt.Engine.LockWrites) {
				out = append(out, &ir.If{At: at, Cond: found, Then: []ir.Stmt{setVar(at, sh.lockedVar, boolean(true))}})
			}
			if w.role == helper && rw.opt.Engine.LockWrites {
				out = append(out, w.exclude(at, and(found, isTrue(sh.eventA))))
			}
		case w.role == attacker && (class != engine.NoWrite || rw.opt.Engine.LockWrites):
			flag := sh.locked
			if class == engine.KeyChange && !rw.opt.Engine.LockWrites {
				flag = sh.keyLocked
			}
			out = append(out, w.each(at, sh, wq.From, target.row, wq.Where, nil, func(keys []ir.Expr, _ []ir.Expr) []ir.Stmt {
				return []ir.Stmt{w.upsert(at, sh.eventA, keys, map[string]func(ir.Expr) ir.Expr{flag: constant(boolean(true))})}
			})...)
		case w.role == helper && rw.opt.Engine.LockWrites:
			out = append(out, w.exclude(at, existsIn(and(wq.Where, keysEqual(sh.base, rw.e, target.row), sh.touched(sh.eventA, rw.e)),
				append(append([]ir.Source(nil), wq.From...), src(sh.eventA, rw.e))...)))
		}
	}
	if w.role == helper && len(rw.tableLocks) > 0 {
		for _, u := range ir.Reads(s) {
			out = append(out, w.uses(at, u.Table, ir.AccessShare)...)
		}
		for _, target := range lockTargets(s) {
			out = append(out, w.uses(at, target.table, ir.RowShare)...)
		}
		if t := ir.Written(s); t != nil {
			out = append(out, w.uses(at, t, ir.RowExclusive)...)
		}
	}
	return out
}

// uses stops a helper that uses a table in conflict with a LOCK TABLE of the
// attacker. Only locks before the snapshot exclude; here all do.
func (w *writer) uses(at ir.At, t *ir.Table, mode ir.TableLock) []ir.Stmt {
	var out []ir.Stmt
	for m := ir.AccessShare; m <= ir.AccessExclusive; m++ {
		if v := w.rw.tableLocks[tableLock{t, m}]; v != nil && m.Conflicts(mode) {
			out = append(out, &ir.Assume{At: at, Cond: ir.NotE(isTrue(v))})
		}
	}
	return out
}

func (w *writer) lockTable(s *ir.LockTable) []ir.Stmt {
	if w.role == helper {
		return w.uses(s.At, s.Table, s.Mode)
	}
	if v := w.rw.tableLocks[tableLock{s.Table, s.Mode}]; v != nil {
		return []ir.Stmt{setVar(s.At, v, boolean(true))}
	}
	return nil
}

func constant(e ir.Expr) func(ir.Expr) ir.Expr { return func(ir.Expr) ir.Expr { return e } }
