package boogie

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// rowAllowed assumes what one row can break alone: NOT NULL, the domain, CHECK.
// changed limits it to columns that are set; nil is all.
func (p *proc) rowAllowed(b *table, r *row, changed []bool, v *env) {
	p.assume(p.allowed(b, r, changed, v))
}

func (p *proc) allowed(b *table, r *row, changed []bool, v *env) string {
	out := "true"
	for c, col := range b.t.Columns {
		if changed != nil && !changed[c] {
			continue
		}
		x := r.col(c)
		if col.NotNull {
			out = and(out, not(x.null))
		}
		out = and(out, p.domain(x))
	}
	w := v.open(b.t.Name, r)
	for _, k := range b.t.Checks {
		x := p.expr(k.Expr, w).as(ir.BoolType)
		out = and(out, x.def, not(x.isFalse()))
	}
	return out
}

// clashes are the rows of a table that cannot be there beside r, without the one
// with the key of r if own is false.
func (p *proc) clashes(b *table, u ir.PairConstraint, r *row, own bool, v *env) []match {
	at := ir.Source{Table: b.t, Row: b.t.Name}
	m := match{env: v, cond: p.mayClash(b, u, r, v), def: "true"}
	var ms []match
	if unique, ok := u.(*ir.Unique); ok && pinsKey(b.t, unique.Columns) {
		var key []string
		for _, k := range b.t.Key {
			key = append(key, r.col(k).val)
		}
		ms = []match{p.with(m, at, b, key, "true", "")}
	} else {
		ms = p.search(at, m)
	}
	var out []match
	for _, o := range ms {
		s := o.env.rows[b.t.Name]
		o.cond = and(o.cond, p.rivals(b, u, r, s, o.env))
		if !own {
			var mine []string
			for _, k := range b.t.Key {
				mine = append(mine, r.col(k).val)
			}
			o.cond = and(o.cond, not(sameKey(s.key, mine)))
		}
		if o.cond != "false" {
			out = append(out, o)
		}
	}
	return out
}

// mayClash is whether a row can have part in a clash at all.
func (p *proc) mayClash(b *table, u ir.PairConstraint, r *row, v *env) string {
	out := "true"
	if u, ok := u.(*ir.Unique); ok {
		for _, c := range u.Columns {
			out = and(out, not(r.col(c).null))
		}
		out = and(out, p.covered(b, u, r, v))
	}
	return out
}

// covered is whether a unique key is about a row.
func (p *proc) covered(b *table, u *ir.Unique, r *row, v *env) string {
	if u.Where == nil {
		return "true"
	}
	return p.expr(u.Where, v.open(b.t.Name, r)).as(ir.BoolType).isTrue()
}

// rivals is whether the row s cannot be there beside r, which may clash.
func (p *proc) rivals(b *table, u ir.PairConstraint, r, s *row, v *env) string {
	switch u := u.(type) {
	case *ir.Unique:
		out := "true"
		for _, c := range u.Columns {
			x, y := s.col(c), r.col(c)
			out = and(out, not(x.null), equal(x.val, y.val))
		}
		return and(out, p.covered(b, u, s, v))
	case *ir.Exclusion:
		return p.expr(u.Expr, v.open(u.Rows[0], r).open(u.Rows[1], s)).as(ir.BoolType).isTrue()
	default:
		panic(fmt.Sprintf("boogie: unknown constraint %T", u))
	}
}

// pinsKey is whether columns contain the primary key.
func pinsKey(t *ir.Table, cols []int) bool {
	for _, k := range t.Key {
		if !slices.Contains(cols, k) {
			return false
		}
	}
	return true
}

// orphaned is that a row names a parent by fk that is not there.
func (p *proc) orphaned(fk *ir.ForeignKey, r *row, v *env) string {
	parent := p.x.tables[fk.Ref]
	at := ir.Source{Table: fk.Ref, Row: fk.Ref.Name}
	given := "true"
	for _, c := range fk.Columns {
		given = and(given, not(r.col(c).null))
	}
	value := func(ref int) value {
		i := slices.Index(fk.RefColumns, ref)
		return r.col(fk.Columns[i]).as(fk.Ref.Columns[ref].Type)
	}
	m := match{env: v, cond: "true", def: "true"}
	var ms []match
	if pinsKey(fk.Ref, fk.RefColumns) {
		var key []string
		for _, k := range fk.Ref.Key {
			key = append(key, value(k).val)
		}
		ms = []match{p.with(m, at, parent, key, "true", "")}
	} else {
		ms = p.search(at, m)
	}
	found := someOf(ms, func(m match) string {
		out := "true"
		for _, c := range fk.RefColumns {
			x := m.env.rows[fk.Ref.Name].col(c)
			out = and(out, not(x.null), equal(x.val, value(c).val))
		}
		return out
	})
	return and(given, not(found))
}

// all are the rows of a table.
func (p *proc) all(b *table, v *env) []match {
	return p.search(ir.Source{Table: b.t, Row: b.t.Name}, match{env: v, cond: "true", def: "true"})
}

// statementEnd assumes the constraints between rows that a statement may have
// broken: changed are the columns of b that it sets (nil: it deletes rows).
func (p *proc) statementEnd(b *table, changed []bool, v *env) {
	touched := func(cols []int) bool {
		return slices.ContainsFunc(cols, func(c int) bool { return changed[c] })
	}
	if changed != nil {
		for _, u := range b.t.PairConstraints() {
			switch u := u.(type) {
			case *ir.Unique:
				if u.Where == nil && !touched(u.Columns) {
					continue
				}
			case *ir.Exclusion:
				if !touched(ir.ExclusionColumns(u, b.t)) {
					continue
				}
			}
			p.assume(everyOf(p.all(b, v), func(m match) string {
				return not(some(p.clashes(b, u, m.env.rows[b.t.Name], false, v)))
			}))
		}
		for i := range b.t.ForeignKeys {
			fk := &b.t.ForeignKeys[i]
			if touched(fk.Columns) {
				p.assume(everyOf(p.all(b, v), func(m match) string {
					return not(p.orphaned(fk, m.env.rows[b.t.Name], m.env))
				}))
			}
		}
	}
	for _, ref := range b.children {
		if changed == nil || touched(ref.fk.RefColumns) {
			p.assume(everyOf(p.all(ref.child, v), func(m match) string {
				return not(p.orphaned(ref.fk, m.env.rows[ref.child.t.Name], m.env))
			}))
		}
	}
}

func (p *proc) insert(s *ir.Insert, v *env) {
	b := p.x.tables[s.Table]
	vals := make([]value, len(s.Table.Columns))
	for c, col := range s.Table.Columns {
		vals[c] = value{col.Type, "true", zero(col.Type), "true"}
	}
	for i, c := range s.Cols {
		e := p.expr(s.Values[i], v)
		p.assume(e.def)
		vals[c] = p.atom(s.Table.Columns[c].Name, e.as(s.Table.Columns[c].Type))
	}
	if s.Table.Rowid {
		name := p.local(b.name+".rowid", "int")
		p.mods[freshVar] = true
		p.line("%s := %s;", name, freshVar)
		p.line("%s := %s + 1;", freshVar, freshVar)
		vals[0] = value{ir.IntType, "false", name, "true"}
	}
	var key []string
	for _, k := range s.Table.Key {
		key = append(key, vals[k].val)
	}
	r := &row{b: b, key: key, vals: vals}
	p.rowAllowed(b, r, nil, v)
	if s.Conflict == nil {
		p.put(s, b, r, v)
		return
	}
	closers := 0
	for _, u := range s.Table.Keys() {
		if !s.Conflict.Arbitrates(u) {
			continue
		}
		ms := p.clashes(b, u, r, true, v)
		p.line("if (%s) {", bare(some(ms)))
		p.indent++
		var old *env
		if len(ms) == 1 && ms[0].bound == "" {
			old = ms[0].env
		} else {
			old = p.clashing(b, u, r, v)
		}
		p.upsert(s, b, old.rows[b.t.Name], r, v)
		p.indent--
		p.line("} else {")
		p.indent++
		closers++
	}
	p.put(s, b, r, v)
	for ; closers > 0; closers-- {
		p.indent--
		p.line("}")
	}
}

// clashing chooses a row that clashes.
func (p *proc) clashing(b *table, u ir.PairConstraint, r *row, v *env) *env {
	var key []string
	for i, c := range b.keys.cols {
		key = append(key, p.local(b.name+".old."+c, typeName(b.keys.types[i])))
	}
	p.line("havoc %s;", commas(key))
	at := &row{b: b, key: key}
	p.assume(and(b.keys.has(key), at.alive(), p.mayClash(b, u, r, v), p.rivals(b, u, r, at, v)))
	return v.open(b.t.Name, at)
}

// atom gives a value that may be used often: computed ones go into variables.
func (p *proc) atom(base string, e value) value {
	if !strings.ContainsAny(e.val+e.null, "([ ") {
		return e
	}
	t := p.temp(ident(base)+".new", e.t)
	if !strings.ContainsAny(e.null, "([ ") {
		p.set([]string{t.val}, []string{e.val})
		t.null = e.null
		return t
	}
	p.set([]string{t.val, t.null}, []string{e.val, e.null})
	return t
}

// put adds a row.
func (p *proc) put(s *ir.Insert, b *table, r *row, v *env) {
	for _, u := range b.t.Keys() {
		p.assume(not(some(p.clashes(b, u, r, true, v))))
	}
	p.assume(b.keys.has(r.key))
	p.store(b, r)
	for i := range b.t.ForeignKeys { // it may be its own parent
		p.assume(not(p.orphaned(&b.t.ForeignKeys[i], r, v)))
	}
	if s.Done != "" {
		p.assign([]string{s.Done}, []value{truth("true")})
	}
}

// store writes a row into the maps.
func (p *proc) store(b *table, r *row) {
	at := &row{b: b, key: r.key}
	to, from := []string{at.at(b.alive)}, []string{"true"}
	for c := range b.cols {
		x := r.col(c)
		if b.cols[c] != "" && x.null != "true" {
			to, from = append(to, at.at(b.cols[c])), append(from, x.val)
		}
		if b.nulls[c] != "" {
			to, from = append(to, at.at(b.nulls[c])), append(from, x.null)
		}
	}
	p.set(to, from)
}

// upsert is DO UPDATE, or DO NOTHING, where the row old is in the way.
func (p *proc) upsert(s *ir.Insert, b *table, old, r *row, v *env) {
	c := s.Conflict
	done := func(to string) {
		if s.Done != "" {
			p.assign([]string{s.Done}, []value{truth(to)})
		}
	}
	if c.Sets == nil {
		done("false")
		return
	}
	w := v.open(c.Row, old).open(ir.Excluded, r)
	if c.Where != nil {
		e := p.expr(c.Where, w).as(ir.BoolType)
		p.assume(e.def)
		p.line("if (%s) {", bare(e.isTrue()))
		p.indent++
	}
	p.change(b, old, c.Sets, w, s.Pos)
	p.statementEnd(b, changed(b, c.Sets), v)
	done("true")
	if c.Where != nil {
		p.indent--
		p.line("} else {")
		p.indent++
		done("false")
		p.indent--
		p.line("}")
	}
}

func changed(b *table, sets []ir.Set) []bool {
	out := make([]bool, len(b.t.Columns))
	for _, s := range sets {
		out[s.Col] = true
	}
	return out
}

// change sets columns of one row.
func (p *proc) change(b *table, old *row, sets []ir.Set, v *env, pos ir.Pos) {
	vals := make([]value, len(b.t.Columns))
	for c := range vals {
		vals[c] = old.col(c)
	}
	def := "true"
	for _, s := range sets {
		if looksInto(s.Expr, b.t) {
			fail(pos, "an update whose new values look into its own table cannot be exported: read them before")
		}
		e := p.expr(s.Expr, v)
		def = and(def, e.def)
		vals[s.Col] = e.as(b.t.Columns[s.Col].Type)
	}
	p.assume(def)
	p.rowAllowed(b, &row{b: b, key: old.key, vals: vals}, changed(b, sets), v)
	to, from := setRow(b, old, vals, sets)
	p.set(to, from)
}

// setRow lists the places and values of columns that are set. Columns are set
// in order, so that the last one counts.
func setRow(b *table, at *row, vals []value, sets []ir.Set) (to, from []string) {
	done := map[int]bool{}
	for _, s := range sets {
		if done[s.Col] {
			continue
		}
		done[s.Col] = true
		if x := vals[s.Col]; x.null != "true" {
			to, from = append(to, at.at(b.cols[s.Col])), append(from, x.val)
		}
		if b.nulls[s.Col] != "" {
			to, from = append(to, at.at(b.nulls[s.Col])), append(from, vals[s.Col].null)
		}
	}
	return to, from
}

func (p *proc) update(s *ir.Update, v *env) {
	b := p.x.tables[s.Table]
	ms := p.matches(ir.Query{From: []ir.Source{{Table: s.Table, Row: s.Row}}, Where: s.Where}, v)
	p.assume(computable(ms))
	if len(ms) == 1 && ms[0].bound != "" {
		p.updateAll(s, b, ms[0], v)
	} else {
		p.holdAll(ms, s.Where, s.Table)
		for _, m := range ms {
			if m.cond != "true" {
				p.line("if (%s) {", bare(m.cond))
				p.indent++
			}
			p.change(b, m.env.rows[s.Row], s.Sets, m.env, s.Pos)
			if m.cond != "true" {
				p.indent--
				p.line("}")
			}
		}
	}
	if !s.Table.Var {
		p.statementEnd(b, changed(b, s.Sets), v)
	}
}

// holdAll computes the conditions of all matches before the first row changes,
// if they look into the table.
func (p *proc) holdAll(ms []match, where ir.Expr, t *ir.Table) {
	if len(ms) < 2 || where == nil || !looksInto(where, t) {
		return
	}
	for i := range ms {
		ms[i].cond = p.hold("hit", ms[i].cond)
	}
}

// updateAll changes all rows that match at once: every map becomes another one.
func (p *proc) updateAll(s *ir.Update, b *table, m match, v *env) {
	at := m.env.rows[s.Row]
	vals := make([]value, len(b.t.Columns))
	for c := range vals {
		vals[c] = at.col(c)
	}
	def := "true"
	for _, set := range s.Sets {
		if looksInto(set.Expr, b.t) {
			fail(s.Pos, "an update whose new values look into its own table cannot be exported: read them before")
		}
		e := p.expr(set.Expr, m.env)
		def = and(def, e.def)
		vals[set.Col] = e.as(b.t.Columns[set.Col].Type)
	}
	def = and(def, p.allowed(b, &row{b: b, key: at.key, vals: vals}, changed(b, s.Sets), m.env))
	p.assume(forall(m.bound, implies(m.cond, def)))
	to, from := setRow(b, at, vals, s.Sets)
	for i := range to {
		name := strings.SplitN(to[i], "[", 2)[0]
		from[i] = "(lambda " + m.bound + " :: " + bare(cond(m.cond, from[i], to[i])) + ")"
		to[i] = name
	}
	p.set(to, from)
}

func (p *proc) delete(s *ir.Delete, v *env) {
	b := p.x.tables[s.Table]
	ms := p.matches(ir.Query{From: []ir.Source{{Table: s.Table, Row: s.Row}}, Where: s.Where}, v)
	p.assume(computable(ms))
	if len(ms) == 1 && ms[0].bound != "" {
		m := ms[0]
		p.set([]string{b.alive}, []string{"(lambda " + m.bound + " :: " + bare(and(m.env.rows[s.Row].alive(), not(m.cond))) + ")"})
	} else {
		p.holdAll(ms, s.Where, s.Table)
		for _, m := range ms {
			p.line("if (%s) {", bare(m.cond))
			p.indent++
			p.set([]string{m.env.rows[s.Row].alive()}, []string{"false"})
			p.indent--
			p.line("}")
		}
	}
	p.statementEnd(b, nil, v)
}
