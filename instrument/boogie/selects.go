package boogie

import (
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// selectRow reads the first row in order, any one among equals.
func (p *proc) selectRow(s *ir.Select, v *env) {
	ms := p.matches(s.Query, v)
	p.assume(computable(ms))
	p.assume(p.defined(ms, func(w *env) []value { return p.orders(s.Order, w) }))
	into := s.Into
	if s.Found != "" {
		into = append(append([]string(nil), into...), s.Found)
	}
	take := func(w *env) {
		vals := p.values(s.Cols, w)
		for _, c := range vals {
			p.assume(c.def)
		}
		if s.Found != "" {
			vals = append(vals, truth("true"))
		}
		p.assign(into, vals)
	}
	hit := some(ms)
	if hit == "true" {
		take(ms[0].env)
		return
	}
	p.line("if (%s) {", bare(hit))
	p.indent++
	if len(ms) == 1 && ms[0].bound == "" {
		take(ms[0].env)
	} else {
		at := p.pick(s.Query, v)
		p.assume(at.cond)
		p.assume(p.first(ms, s.Order, p.orders(s.Order, at.env), func(match) string { return "true" }))
		take(at.env)
	}
	p.indent--
	p.line("} else {")
	p.indent++
	var none []value
	for range s.Into {
		none = append(none, value{ir.NullType, "true", "0", "true"})
	}
	if s.Found != "" {
		none = append(none, truth("false"))
	}
	p.assign(into, none)
	p.indent--
	p.line("}")
}

func (p *proc) emitRows(s *ir.EmitRows, v *env) {
	ms := p.matches(s.Query, v)
	p.assume(computable(ms))
	p.assume(p.defined(ms, func(w *env) []value { return p.orders(s.Order, w) }))
	cols := p.defined(ms, func(w *env) []value { return p.values(s.Cols, w) })
	if s.Limit != nil {
		if cols != "true" {
			fail(s.Pos, "a division in the rows of a query with LIMIT cannot be exported: compute it apart")
		}
		n := p.expr(s.Limit, v).as(ir.IntType)
		p.assume(and(n.def, or(n.null, "("+n.val+" >= 0)")))
	}
	p.assume(cols)
}

// aggregate computes over the rows.
func (p *proc) aggregate(s *ir.Select, v *env) {
	ms := p.matches(s.Query, v)
	p.assume(computable(ms))
	p.assume(p.defined(ms, func(w *env) []value {
		var out []value
		for _, a := range s.Aggs {
			if a.Arg != nil {
				out = append(out, p.expr(a.Arg, w))
			}
		}
		return out
	}))
	var vals []value
	for i := range s.Aggs {
		switch a := &s.Aggs[i]; a.Fn {
		case "min", "max":
			vals = append(vals, p.extreme(a, ms))
		case "count", "sum":
			for _, m := range ms {
				if m.bound != "" {
					fail(s.Pos, "%s needs a bound on the rows to be exported: give one", a.Fn)
				}
			}
			vals = append(vals, p.fold(a, ms))
		default:
			fail(s.Pos, "the aggregate %s cannot be exported: only count, sum, min and max are understood", a.Fn)
		}
	}
	p.assign(s.Into, vals)
}

// argument is the argument of an aggregate for a match.
func (p *proc) argument(a *ir.Agg, m match) value {
	if a.Arg == nil {
		return truth("true")
	}
	return p.expr(a.Arg, m.env)
}

// extreme is the value of some row that no other one surpasses.
func (p *proc) extreme(a *ir.Agg, ms []match) value {
	out := p.temp(a.Fn, a.Type)
	p.line("havoc %s;", out.val)
	given := someOf(ms, func(m match) string { return not(p.argument(a, m).null) })
	p.line("%s := %s;", out.null, bare(not(given)))
	p.assume(or(out.null, someOf(ms, func(m match) string {
		x := p.argument(a, m).as(a.Type)
		return and(not(x.null), equal(x.val, out.val))
	})))
	p.assume(or(out.null, everyOf(ms, func(m match) string {
		x := p.argument(a, m).as(a.Type)
		if a.Fn == "min" {
			return or(x.null, not(less(x.t, x.val, out.val)))
		}
		return or(x.null, not(less(x.t, out.val, x.val)))
	})))
	return out
}

// fold adds up.
func (p *proc) fold(a *ir.Agg, ms []match) value {
	var terms, some []string
	none := "0"
	for i, m := range ms {
		x := p.argument(a, m)
		takes := and(m.cond, not(x.null))
		if a.Distinct {
			for _, l := range ms[:i] {
				y := p.argument(a, l)
				takes = and(takes, not(and(l.cond, not(y.null), equal(x.val, y.val))))
			}
		}
		some = append(some, takes)
		one := "1"
		if a.Fn == "sum" {
			x = x.as(a.Type)
			one, none = x.val, zero(x.t)
		}
		if t := cond(takes, one, none); t != none {
			terms = append(terms, t)
		}
	}
	sum := none
	if len(terms) > 0 {
		sum = "(" + strings.Join(terms, " + ") + ")"
	}
	null := "false"
	if a.Fn == "sum" {
		null = not(or(some...))
	}
	t := a.Type
	if a.Fn == "count" {
		t = ir.IntType
	}
	return value{t, null, sum, "true"}
}
