package boogie

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// match is a combination of rows that a query may find: one of each source.
type match struct {
	env *env
	// bound are keys that stand for all keys, quantified, or "".
	bound string
	// cond: the rows exist and satisfy the condition; def: the condition can
	// be computed if they exist.
	cond, def string
}

// some is whether there is a match.
func some(ms []match) string { return someOf(ms, func(match) string { return "true" }) }

// computable is that the condition can be computed for all rows.
func computable(ms []match) string {
	var all []string
	for _, m := range ms {
		all = append(all, forall(m.bound, m.def))
	}
	return and(all...)
}

// someOf is whether a match that is found has a property.
func someOf(ms []match, prop func(m match) string) string {
	var any []string
	for _, m := range ms {
		c := and(m.cond, prop(m))
		if m.bound != "" && c != "false" {
			c = "(exists " + m.bound + " :: " + bare(c) + ")"
		}
		any = append(any, c)
	}
	return or(any...)
}

// everyOf is whether all matches that are found have a property.
func everyOf(ms []match, prop func(m match) string) string {
	var all []string
	for _, m := range ms {
		all = append(all, forall(m.bound, implies(m.cond, prop(m))))
	}
	return and(all...)
}

func forall(bound, body string) string {
	if bound == "" || body == "true" {
		return body
	}
	return "(forall " + bound + " :: " + bare(body) + ")"
}

// conjuncts splits a condition at its ANDs, seeing through "is true".
func conjuncts(e ir.Expr) []ir.Expr {
	var out []ir.Expr
	for _, c := range ir.Conjuncts(e) {
		if b, ok := c.(*ir.Binary); ok && b.Op == ir.Is {
			if k, ok := b.Y.(*ir.Const); ok && k.Value.IsTrue() {
				out = append(out, conjuncts(b.X)...)
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// matches lists the combinations of rows of a query.
func (p *proc) matches(q ir.Query, v *env) []match { return p.combine(q, v, p.search) }

// pick gives one combination, whose keys the verifier chooses.
func (p *proc) pick(q ir.Query, v *env) match {
	return p.combine(q, v, func(s ir.Source, m match) []match {
		b := p.x.tables[s.Table]
		var key []string
		for i, c := range b.keys.cols {
			key = append(key, p.local(ident(s.Row)+"."+c, typeName(b.keys.types[i])))
		}
		p.line("havoc %s;", commas(key))
		return []match{p.with(m, s, b, key, b.keys.has(key), "")}
	})[0]
}

// combine binds the sources of a query. Those whose key the condition gives
// come first, since they need no search; the others search.
func (p *proc) combine(q ir.Query, v *env, search func(ir.Source, match) []match) []match {
	if len(q.From) > 1 {
		w := *v
		w.inside++
		v = &w
	}
	all := conjuncts(q.Where)
	left := append([]ir.Source(nil), q.From...)
	ms := []match{{env: v, cond: "true", def: "true"}}
	for len(left) > 0 {
		at := 0
		var pin []ir.Expr
		for i, s := range left {
			if s.Table.Var {
				at, pin = i, nil
				break
			}
			if keys := p.pinned(s, all, left); keys != nil {
				at, pin = i, keys
				break
			}
		}
		s := left[at]
		left = append(left[:at:at], left[at+1:]...)
		var next []match
		for _, m := range ms {
			next = append(next, p.bind(s, pin, m, search)...)
		}
		ms = next
	}
	for i, m := range ms {
		def := "true"
		for _, c := range all {
			e := p.expr(c, m.env)
			e = e.as(ir.BoolType)
			def = and(def, implies(m.cond, e.def))
			m.cond = and(m.cond, e.isTrue())
		}
		ms[i].cond, ms[i].def = m.cond, def
	}
	return ms
}

// pinned gives the key of a source if the condition does, in terms of what is
// not left to be bound.
func (p *proc) pinned(s ir.Source, all []ir.Expr, left []ir.Source) []ir.Expr {
	free := func(e ir.Expr) bool {
		ok := true
		ir.WalkExpr(e, func(e ir.Expr) {
			switch e := e.(type) {
			case *ir.Col:
				for _, l := range left {
					ok = ok && l.Row != e.Row
				}
			case *ir.Exists:
				ok = false
			case *ir.Binary:
				ok = ok && e.Op != ir.Div && e.Op != ir.Mod
			}
		})
		return ok
	}
	var out []ir.Expr
	for _, k := range s.Table.Key {
		var found ir.Expr
		col := s.Table.Columns[k]
		for _, c := range all {
			b, ok := c.(*ir.Binary)
			if !ok || b.Op != ir.Eq && b.Op != ir.Is {
				continue
			}
			for _, side := range [][2]ir.Expr{{b.X, b.Y}, {b.Y, b.X}} {
				x, ok := side[0].(*ir.Col)
				if found == nil && ok && x.Row == s.Row && x.Col == col.Name && free(side[1]) {
					found = side[1]
				}
			}
		}
		if found == nil {
			return nil
		}
		out = append(out, found)
	}
	return out
}

// with binds a source to the row with a key.
func (p *proc) with(m match, s ir.Source, b *table, key []string, cond, bound string) match {
	r := &row{b: b, key: key, copies: m.env.copies}
	switch {
	case bound == "":
		bound = m.bound
	case m.bound != "":
		bound = m.bound + ", " + bound
	}
	return match{env: m.env.open(s.Row, r), bound: bound, cond: and(m.cond, cond, r.alive())}
}

// bind adds a row of a source to a match: the one with the key that pin gives,
// or what search finds.
func (p *proc) bind(s ir.Source, pin []ir.Expr, m match, search func(ir.Source, match) []match) []match {
	b := p.x.tables[s.Table]
	if s.Table.Var {
		return []match{p.with(m, s, b, nil, "true", "")}
	}
	if pin == nil {
		return search(s, m)
	}
	var key []string
	cond := "true"
	for i, e := range pin {
		x := p.expr(e, m.env)
		if x.t.Kind == ir.KindNum && b.keyTypes[i].Kind == ir.KindInt {
			return search(s, m) // a rational is compared with an integer
		}
		x = x.as(b.keyTypes[i])
		key = append(key, x.val)
		cond = and(cond, not(x.null))
	}
	return []match{p.with(m, s, b, key, cond, "")}
}

// search gives each of the keys that rows may have, or any.
func (p *proc) search(s ir.Source, m match) []match {
	b := p.x.tables[s.Table]
	if b.keys.list == nil {
		key := p.quantified(s.Row, b)
		return []match{p.with(m, s, b, key, "true", b.keys.bound(key))}
	}
	var out []match
	for _, key := range b.keys.list {
		out = append(out, p.with(m, s, b, key, "true", ""))
	}
	return out
}

// quantified makes names for keys.
func (p *proc) quantified(base string, b *table) []string {
	var out []string
	for _, c := range b.keys.cols {
		out = append(out, unique(p.names, ident(base)+"."+c))
	}
	return out
}

// first is whether no match comes before the values at, which order gives.
func (p *proc) first(ms []match, order []ir.Order, at []value, also func(match) string) string {
	if len(order) == 0 {
		return "true"
	}
	return everyOf(ms, func(m match) string {
		return implies(also(m), not(p.before(p.orders(order, m.env), at, order)))
	})
}

func (p *proc) orders(order []ir.Order, v *env) []value {
	var out []value
	for _, o := range order {
		out = append(out, p.expr(o.Expr, v))
	}
	return out
}

// before compares in ORDER BY order: NULLs are larger than all values.
func (p *proc) before(a, b []value, order []ir.Order) string {
	out := "false"
	for i := len(order) - 1; i >= 0; i-- {
		x, y := a[i], b[i]
		if x.t.Kind == ir.KindNull {
			continue
		}
		if order[i].Desc {
			x, y = y, x
		}
		lt := and(not(x.null), or(y.null, less(x.t, x.val, y.val)))
		same := or(and(x.null, y.null), and(not(x.null), not(y.null), equal(x.val, y.val)))
		out = or(lt, and(same, out))
	}
	return out
}

// defined is that expressions can be computed for all matches.
func (p *proc) defined(ms []match, es func(v *env) []value) string {
	return everyOf(ms, func(m match) string {
		out := "true"
		for _, e := range es(m.env) {
			out = and(out, e.def)
		}
		return out
	})
}

func commas(xs []string) string { return strings.Join(xs, ", ") }
