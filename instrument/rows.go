package instrument

import (
	"fmt"

	"github.com/txrobust/robust/internal/ir"
)

// The writes of rows.

// each runs body for the rows that the row variable row takes in a query, by
// key, with the key and more values in locals.
func (w *writer) each(at ir.At, s *shadow, from []ir.Source, row string, where ir.Expr, more []ir.Expr,
	body func(keys, more []ir.Expr) []ir.Stmt) []ir.Stmt {
	f := &ir.Foreach{At: at, Query: ir.Query{From: from, Where: where}}
	var keys, extra []ir.Expr
	for _, k := range s.base.Key {
		c := s.base.Columns[k]
		v := w.local(s.base.Name+"."+c.Name, c.Type)
		f.Into, f.Cols = append(f.Into, v), append(f.Cols, col(row, s.base, k))
		f.Order = append(f.Order, ir.Order{Expr: col(row, s.base, k)})
		keys = append(keys, ir.V(v))
	}
	for _, e := range more {
		v := w.local(s.base.Name+".new", ir.BoolType)
		f.Into, f.Cols = append(f.Into, v), append(f.Cols, e)
		extra = append(extra, ir.V(v))
	}
	f.Body = body(keys, extra)
	return []ir.Stmt{f}
}

// upsert sets flags of the row with the given key; each flag is a function of
// its old value, which is nil where the row of flags is new.
func (w *writer) upsert(at ir.At, flags *ir.Table, keys []ir.Expr, set map[string]func(old ir.Expr) ir.Expr) ir.Stmt {
	ins := &ir.Insert{At: at, Table: flags, Conflict: &ir.Conflict{Target: flags.Key, Row: w.rw.e}}
	for i := range flags.Columns {
		if i < len(keys) {
			ins.Cols, ins.Values = append(ins.Cols, i), append(ins.Values, keys[i])
			continue
		}
		f := set[flags.Columns[i].Name]
		if f == nil {
			continue
		}
		ins.Cols, ins.Values = append(ins.Cols, i), append(ins.Values, f(nil))
		ins.Conflict.Sets = append(ins.Conflict.Sets, ir.Set{Col: i, Expr: f(col(w.rw.e, flags, i))})
	}
	return ins
}

// write describes one statement's effect on the rows that row ranges over.
type write struct {
	at    ir.At
	s     *shadow
	row   string
	where ir.Expr
	sets  []ir.Set // of an update; nil for a deletion
}

func (x *write) source(t *ir.Table) ir.Source { return src(t, x.row) }

// after gives a column of the row after an update.
func (x *write) after(name string) ir.Expr {
	for _, set := range x.sets {
		if x.s.table.Columns[set.Col].Name == name {
			return set.Expr
		}
	}
	return &ir.Col{Row: x.row, Col: name}
}

// changes is whether an update changes any of the columns that keep accepts.
func (x *write) changes(keep func(c int) bool) ir.Expr {
	var out ir.Expr
	for _, set := range x.sets {
		if keep(set.Col) {
			out = ir.OrE(out, differs(set.Expr, col(x.row, x.s.base, set.Col)))
		}
	}
	return out
}

func all(int) bool { return true }

func (w *writer) update(u *ir.Update) []ir.Stmt {
	s := w.rw.shadows[u.Table]
	if u.Table.Var {
		return w.updateVar(u, s)
	}
	l := w.leaf(u).(*ir.Update)
	x := &write{u.At, s, l.Row, l.Where, l.Sets}
	if !w.rw.opt.Engine.EqualWrites {
		x.where = and(x.where, x.changes(all))
	}
	return append(w.write(x), l)
}

func (w *writer) delete(d *ir.Delete) []ir.Stmt {
	l := w.leaf(d).(*ir.Delete)
	return append(w.write(&write{d.At, w.rw.shadows[d.Table], l.Row, l.Where, nil}), l)
}

// write is what an update or deletion of rows adds before it.
func (w *writer) write(x *write) []ir.Stmt {
	rw, s := w.rw, x.s
	set := map[string]func(ir.Expr) ir.Expr{}
	if w.role == attacker {
		if x.sets == nil {
			set[s.alive] = constant(boolean(true))
		}
		for _, u := range x.sets {
			set[s.table.Columns[u.Col].Name] = constant(boolean(true))
		}
		return append(w.parents(x), w.each(x.at, s, []ir.Source{x.source(s.prime)}, x.row, x.where, nil, func(keys, _ []ir.Expr) []ir.Stmt {
			return []ir.Stmt{
				w.upsert(x.at, s.eventA, keys, set),      // (4)
				setVar(x.at, rw.stA, text(s.table.Name)), // (5)
			}
		})...)
	}
	excluded := s.excludes(rw.e)
	if s.locked != "" {
		excluded = ir.OrE(excluded, is(&ir.Col{Row: rw.e, Col: s.locked}, boolean(true)))
		if x.sets == nil || x.changes(s.isKeyColumn) != nil {
			excluded = ir.OrE(excluded, and(is(&ir.Col{Row: rw.e, Col: s.keyLocked}, boolean(true)), x.changes(s.isKeyColumn)))
		}
	}
	out := []ir.Stmt{w.exclude(x.at, existsIn(and(x.where, keysEqual(s.base, rw.e, x.row), excluded),
		x.source(s.base), src(s.eventA, rw.e)))} // (9)
	out = append(out, w.frees(x)...)
	out = append(out, w.joins(x)...)
	// (10)
	var more []ir.Expr
	if x.sets != nil && !rw.opt.Classic {
		for _, u := range x.sets {
			more = append(more, differs(u.Expr, col(x.row, s.base, u.Col)))
		}
	}
	return append(out, w.each(x.at, s, []ir.Source{x.source(s.base)}, x.row, x.where, more, func(keys, changed []ir.Expr) []ir.Stmt {
		if x.sets == nil {
			set[s.alive] = constant(text(stored))
		}
		for i, u := range x.sets {
			f := constant(text(stored))
			if !rw.opt.Classic {
				hit := changed[i]
				f = func(old ir.Expr) ir.Expr {
					if old == nil {
						old = ir.C(ir.Null)
					}
					return &ir.Cond{If: hit, Then: text(stored), Else: old}
				}
			}
			set[s.table.Columns[u.Col].Name] = f
		}
		return []ir.Stmt{w.upsert(x.at, s.event, keys, set)}
	})...)
}

// isKeyColumn reports whether a change of column c is a change of a key.
func (s *shadow) isKeyColumn(c int) bool {
	for _, u := range s.table.Uniques {
		if u.Where == nil {
			for _, k := range u.Columns {
				if k == c {
					return true
				}
			}
		}
	}
	return s.table.IsKey(c)
}

// joins is how an update or deletion of rows joins the chain (11): a row of it
// was written by the chain, or what an earlier read found depends on it.
func (w *writer) joins(x *write) []ir.Stmt {
	rw, s := w.rw, x.s
	var touch ir.Expr
	e := func(name string) ir.Expr { return &ir.Col{Row: rw.e, Col: name} }
	if x.sets == nil {
		touch = ir.NotE(isNull(e(s.alive)))
		for _, c := range s.values() {
			touch = ir.OrE(touch, ir.NotE(isNull(e(s.table.Columns[c].Name))))
		}
	} else {
		touch = is(e(s.alive), text(stored))
		for _, u := range x.sets {
			hit := ir.NotE(isNull(e(s.table.Columns[u.Col].Name)))
			if !rw.opt.Classic {
				hit = and(hit, differs(u.Expr, col(x.row, s.base, u.Col)))
			}
			touch = ir.OrE(touch, hit)
		}
	}
	out := []ir.Stmt{w.flag(x.at, w.joined, existsIn(and(x.where, keysEqual(s.base, rw.e, x.row), touch),
		x.source(s.base), src(s.eventI, rw.e)))}
	for _, r := range rw.sites {
		if r.shadow != s {
			continue
		}
		param, extra := r.noted(rw.q)
		before := r.match(func(c string) ir.Expr { return &ir.Col{Row: x.row, Col: c} }, param, extra)
		var hit ir.Expr
		if x.sets == nil {
			hit = before
		} else {
			matters, relevant := r.matters(), false
			var value ir.Expr
			wanted := rw.wanted(r.returned, r.tested)
			wanting := false
			for _, u := range x.sets {
				relevant = relevant || matters[u.Col]
				if !wanted[u.Col] {
					continue
				}
				wanting = true
				if !rw.opt.Classic {
					value = ir.OrE(value, differs(u.Expr, col(x.row, s.base, u.Col)))
				}
			}
			if relevant && before != nil {
				hit = differs(before, r.match(x.after, param, extra))
			}
			if wanting {
				if before == nil && value == nil {
					value = boolean(true)
				}
				hit = ir.OrE(hit, and(before, value))
			}
			if hit == nil {
				continue
			}
		}
		out = append(out, w.flag(x.at, w.joined, existsIn(and(x.where, hit), append([]ir.Source{x.source(s.base), src(r.eventI, rw.q)}, r.others...)...)))
	}
	return out
}

// noted gives the locals and results of a site from a row of its notes.
func (x *site) noted(row string) (param func(string) ir.Expr, extra []ir.Expr) {
	vals := x.decode(row)
	at := map[string]ir.Expr{}
	for i, name := range x.params {
		at[name] = vals[i]
	}
	return func(name string) ir.Expr { return at[name] }, vals[len(x.params):]
}

// keyed makes the hidden key of an inserted row visible.
func (w *writer) keyed(i *ir.Insert) ([]ir.Stmt, *ir.Insert) {
	if !i.Table.Rowid {
		return nil, i
	}
	id := w.local(i.Table.Name+".id", ir.IntType)
	c := *i
	c.Cols = append([]int{0}, i.Cols...)
	c.Values = append([]ir.Expr{ir.V(id)}, i.Values...)
	return []ir.Stmt{&ir.Havoc{At: i.At, Var: id, Fresh: true, NotNull: true}}, &c
}

// insert is an INSERT with all that it adds.
func (w *writer) insert(original *ir.Insert) []ir.Stmt {
	out, i := w.keyed(original)
	s := w.rw.shadows[i.Table]
	l := *w.leaf(i).(*ir.Insert)
	l.Values = append([]ir.Expr(nil), l.Values...)
	// Values that are used more than once, and must not change meanwhile.
	vals := map[string]ir.Expr{}
	for k, c := range l.Cols {
		name := l.Table.Columns[c].Name
		if ir.HasExists(l.Values[k]) || l.Conflict != nil {
			v := w.local(name+".value", l.Table.Columns[c].Type)
			out = append(out, &ir.Assign{At: i.At, Var: v, Expr: l.Values[k]})
			l.Values[k] = ir.V(v)
		}
		vals[name] = l.Values[k]
	}
	value := func(name string) ir.Expr {
		if e := vals[name]; e != nil {
			return e
		}
		return ir.C(ir.Null)
	}
	plain := w.inserted(i.At, s, value)
	if l.Conflict == nil {
		return append(append(out, plain...), &l)
	}
	out = append(out, w.freedConflict(&l, s, value)...)
	same := clash(original.Table, l.Conflict, value)
	row := l.Conflict.Row
	there := w.readSite(i.At, w.rw.reads[original].conflict, value, nil)
	if l.Conflict.Sets != nil {
		proposed := func(e ir.Expr) ir.Expr { return substitute(e, ir.Excluded, value) }
		x := &write{i.At, s, row, and(same, proposed(l.Conflict.Where)), nil}
		for _, set := range l.Conflict.Sets {
			x.sets = append(x.sets, ir.Set{Col: set.Col, Expr: proposed(set.Expr)})
		}
		if !w.rw.opt.Engine.EqualWrites {
			x.where = and(x.where, x.changes(all))
		}
		there = append(there, w.write(x)...)
	}
	out = append(out, &ir.If{At: i.At, Cond: existsIn(same, src(l.Table, row)), Then: there, Else: plain})
	return append(out, &l)
}

// clash is whether the row that ON CONFLICT names has a key of the new one,
// whose columns value gives.
func clash(t *ir.Table, c *ir.Conflict, value func(col string) ir.Expr) ir.Expr {
	var out ir.Expr
	for _, u := range t.Keys() {
		if c.Arbitrates(u) {
			out = ir.OrE(out, rivals(t, u, c.Row, value))
		}
	}
	return out
}

// rivals is whether a constraint does not allow a row, old, beside another one,
// whose columns value gives.
func rivals(t *ir.Table, u ir.PairConstraint, old string, value func(col string) ir.Expr) ir.Expr {
	column := func(n string) ir.Expr { return &ir.Col{Row: old, Col: n} }
	switch u := u.(type) {
	case *ir.Unique:
		var same ir.Expr
		for _, k := range u.Columns {
			same = and(same, ir.Op(ir.Eq, col(old, t, k), value(t.Columns[k].Name)))
		}
		if u.Where != nil {
			same = and(same, substitute(u.Where, t.Name, column), substitute(u.Where, t.Name, value))
		}
		return same
	case *ir.Exclusion:
		return ir.Exclude(u, value, column)
	default:
		panic(fmt.Sprintf("instrument: unknown constraint %T", u))
	}
}

// inserted is what an insertion adds before it.
func (w *writer) inserted(at ir.At, s *shadow, value func(string) ir.Expr) []ir.Stmt {
	rw := w.rw
	var keys []ir.Expr
	var same ir.Expr
	for _, k := range s.base.Key {
		name := s.base.Columns[k].Name
		keys = append(keys, value(name))
		same = and(same, ir.Op(ir.Eq, &ir.Col{Row: rw.e, Col: name}, value(name)))
	}
	if w.role == attacker {
		return append(w.insertable(at, s, keys, value),
			w.upsert(at, s.eventA, keys, map[string]func(ir.Expr) ir.Expr{s.alive: constant(boolean(true))}), // (4)
			setVar(at, rw.stA, text(s.table.Name))) // (5)
	}
	out := []ir.Stmt{w.exclude(at, existsIn(and(same, s.excludes(rw.e)), src(s.eventA, rw.e)))} // (9)
	touch := ir.NotE(isNull(&ir.Col{Row: rw.e, Col: s.alive}))
	for _, c := range s.values() {
		touch = ir.OrE(touch, ir.NotE(isNull(&ir.Col{Row: rw.e, Col: s.table.Columns[c].Name})))
	}
	out = append(out, w.flag(at, w.joined, existsIn(and(same, touch), src(s.eventI, rw.e)))) // (11)
	for _, r := range rw.sites {
		if r.shadow == s {
			param, extra := r.noted(rw.q)
			out = append(out, w.flag(at, w.joined, existsIn(r.match(value, param, extra), append([]ir.Source{src(r.eventI, rw.q)}, r.others...)...)))
		}
	}
	return append(out, w.upsert(at, s.event, keys, map[string]func(ir.Expr) ir.Expr{s.alive: constant(text(stored))})) // (10)
}
