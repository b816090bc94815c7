package boogie

import (
	"fmt"
	"slices"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

// main is the procedure that runs the transactions.
func (x *exporter) main(procs []*proc) string {
	byTxn := map[*ir.Txn]*proc{}
	mods := map[string]bool{freshVar: x.fresh}
	for i, t := range x.prog.Txns {
		byTxn[t] = procs[i]
	}
	for _, b := range x.order {
		for _, g := range b.globals() {
			mods[g.name] = true
		}
	}
	m := &proc{x: x, txn: &ir.Txn{}, names: map[string]bool{}, mods: mods}
	for n := range x.names {
		m.names[n] = true
	}
	for _, p := range procs {
		m.names[p.name] = true
	}
	x.initial(m)
	// Each choice is a condition and what it does.
	var choices []func()
	for _, p := range procs {
		if len(x.prog.Processes) == 0 {
			choices = append(choices, func() { m.run(p, nil) })
		}
	}
	for _, pr := range x.prog.Processes {
		choices = append(choices, m.process(pr, byTxn)...)
	}
	m.line("// Transactions, one after another.")
	m.line("while (*) {")
	m.indent++
	for i, c := range choices {
		switch {
		case i == 0 && len(choices) > 1:
			m.line("if (*) {")
		case i > 0 && i == len(choices)-1:
			m.line("} else {")
		case i > 0:
			m.line("} else if (*) {")
		}
		if len(choices) > 1 {
			m.indent++
		}
		c()
		if len(choices) > 1 {
			m.indent--
		}
	}
	if len(choices) > 1 {
		m.line("}")
	}
	m.indent--
	m.line("}")

	var b strings.Builder
	b.WriteString("procedure {:entrypoint} main()\n")
	if list := m.modified(); len(list) > 0 {
		fmt.Fprintf(&b, "  modifies %s;\n", commas(list))
	}
	b.WriteString("{\n")
	for _, v := range m.vars {
		fmt.Fprintf(&b, "  var %s: %s;\n", v.name, v.typ)
	}
	b.WriteString(m.b.String())
	b.WriteString("}\n")
	return b.String()
}

// initial sets the initial rows.
func (x *exporter) initial(m *proc) {
	m.line("// The initial rows.")
	if x.fresh {
		m.line("%s := %d;", freshVar, freshBase)
	}
	for _, b := range x.order {
		any := slices.Contains(x.opt.Any, b.t.Name)
		if any {
			m.line("havoc %s;", commas(names(b.globals())))
			continue
		}
		if b.t.Var {
			v := x.literal(b.t.Rows[0][0], b.t.Columns[0].Type)
			m.set([]string{b.cols[0], b.nulls[0]}, []string{v.val, v.null})
			continue
		}
		m.line("%s := (lambda %s :: false);", b.alive, b.keys.bound(m.lambdaNames(b)))
		if slices.Contains(x.opt.Empty, b.t.Name) {
			continue
		}
		for _, values := range b.t.Rows {
			r := &row{b: b}
			for c, v := range values {
				r.vals = append(r.vals, x.literal(v, b.t.Columns[c].Type))
			}
			for _, k := range b.t.Key {
				r.key = append(r.key, r.vals[k].val)
			}
			m.assume(b.keys.has(r.key))
			m.store(b, r)
		}
	}
	for _, b := range x.order {
		if slices.Contains(x.opt.Any, b.t.Name) {
			m.satisfy(b)
		}
	}
	for _, inv := range x.prog.Invariants {
		if slices.ContainsFunc(inv.From, func(s ir.Source) bool { return !slices.Contains(x.opt.Any, s.Table.Name) }) {
			continue
		}
		ms := m.matches(ir.Query{From: inv.From}, m.env(inv.Pos))
		m.assume(everyOf(ms, func(w match) string { return not(m.expr(inv.Expr, w.env).as(ir.BoolType).isFalse()) }))
	}
}

// satisfy assumes that rows of any values are among the keys that rows may
// have and satisfy the constraints.
func (m *proc) satisfy(b *table) {
	v := m.env(b.t.Pos)
	if b.t.Var {
		m.assume(m.domain(value{b.t.Columns[0].Type, b.nulls[0], b.cols[0], "true"}))
		return
	}
	if b.keys.list != nil {
		key := m.quantified(b.name, b)
		at := &row{b: b, key: key}
		m.assume(forall(b.keys.bound(key), implies(at.alive(), b.keys.has(key))))
	}
	m.assume(everyOf(m.all(b, v), func(w match) string {
		return m.allowed(b, w.env.rows[b.t.Name], nil, w.env)
	}))
	for _, u := range b.t.PairConstraints() {
		m.assume(everyOf(m.all(b, v), func(w match) string {
			return not(some(m.clashes(b, u, w.env.rows[b.t.Name], false, v)))
		}))
	}
	for i := range b.t.ForeignKeys {
		m.assume(everyOf(m.all(b, v), func(w match) string {
			return not(m.orphaned(&b.t.ForeignKeys[i], w.env.rows[b.t.Name], w.env))
		}))
	}
}

func (m *proc) lambdaNames(b *table) []string {
	var out []string
	for i := range b.keys.types {
		out = append(out, "k"+itoa(i+1))
	}
	return out
}

func names(vs []variable) []string {
	var out []string
	for _, v := range vs {
		out = append(out, v.name)
	}
	return out
}

// literal is a value of the program.
func (x *exporter) literal(v ir.Value, t ir.Type) value {
	v = v.Convert(t)
	if v.IsNull() {
		return value{t, "true", zero(t), "true"}
	}
	return value{t, "false", x.constant(v), "true"}
}

// run calls a transaction. regs gives the place of a register that is kept; nil
// is a session of its own, which leaves nothing behind.
func (m *proc) run(p *proc, regs func(name string) value) {
	var in, out []string
	for _, l := range p.kept {
		from, to := m.x.zero(l.Type), value{}
		if regs != nil {
			from = regs(l.Name)
			to = from
		} else {
			to = m.temp("unused", l.Type)
		}
		in, out = append(in, from.val, from.null), append(out, to.val, to.null)
	}
	if len(out) > 0 {
		m.line("call %s := %s(%s);", commas(out), p.name, commas(in))
		return
	}
	m.line("call %s();", p.name)
}

// zero is what registers start with.
func (x *exporter) zero(t ir.Type) value { return x.literal(t.Zero(), t) }

// process gives the choices of a process: which of its sessions goes on.
func (m *proc) process(pr *ir.Process, procs map[*ir.Txn]*proc) []func() {
	if len(pr.Txns) == 0 {
		return nil
	}
	if pr.Copies == ir.Any && len(pr.Txns) == 1 {
		// Such a session leaves nothing behind.
		return []func(){func() { m.run(procs[pr.Txns[0]], nil) }}
	}
	if pr.Copies == ir.Any {
		return []func(){m.sessions(pr, procs)}
	}
	var out []func()
	for i := 1; i <= pr.Copies; i++ {
		name := ident(pr.Name)
		if pr.Copies > 1 {
			name += "." + itoa(i)
		}
		pc := m.local(name+".next", "int")
		regs := map[string]value{}
		m.line("%s := 0;", pc)
		for _, t := range pr.Txns {
			for _, l := range procs[t].kept {
				if _, ok := regs[l.Name]; !ok {
					v := m.temp(name+"."+ident(l.Name), l.Type)
					z := m.x.zero(l.Type)
					m.set([]string{v.val, v.null}, []string{z.val, z.null})
					regs[l.Name] = v
				}
			}
		}
		out = append(out, func() {
			m.steps(pr, procs, pc, func(name string) value { return regs[name] })
			m.line("%s := %s + 1;", pc, pc)
		})
	}
	return out
}

// steps runs the transaction that is the next one of a session.
func (m *proc) steps(pr *ir.Process, procs map[*ir.Txn]*proc, pc string, regs func(string) value) {
	m.line("assume %s < %d;", pc, len(pr.Txns))
	for i, t := range pr.Txns {
		switch {
		case i == 0 && len(pr.Txns) > 1:
			m.line("if (%s == 0) {", pc)
		case i > 0 && i == len(pr.Txns)-1:
			m.line("} else {")
		case i > 0:
			m.line("} else if (%s == %d) {", pc, i)
		}
		if len(pr.Txns) > 1 {
			m.indent++
		}
		m.run(procs[t], regs)
		if len(pr.Txns) > 1 {
			m.indent--
		}
	}
	if len(pr.Txns) > 1 {
		m.line("}")
	}
}

// sessions is a process with any number of copies: maps from the number of the
// session to what it has kept.
func (m *proc) sessions(pr *ir.Process, procs map[*ir.Txn]*proc) func() {
	name := ident(pr.Name)
	count, at := m.local(name+".sessions", "int"), m.local(name+".session", "int")
	next := m.local(name+".next", "[int]int")
	m.line("%s := 0;", count)
	regs, now := map[string]value{}, map[string]value{}
	var list []string
	for _, t := range pr.Txns {
		for _, l := range procs[t].kept {
			if _, ok := regs[l.Name]; ok {
				continue
			}
			list = append(list, l.Name)
			base := nullable(m.names, name+"."+ident(l.Name))
			m.vars = append(m.vars, variable{base, "[int]" + typeName(l.Type)}, variable{base + ".null", "[int]bool"})
			regs[l.Name] = value{l.Type, base + ".null", base, "true"}
			now[l.Name] = m.temp(base+".now", l.Type)
		}
	}
	pc := m.local(name+".at", "int")
	return func() {
		m.line("if (*) {")
		m.indent++
		m.line("%s, %s := %s, %s + 1;", at, count, count, count)
		m.line("%s := 0;", pc)
		for _, n := range list {
			z := m.x.zero(regs[n].t)
			m.set([]string{now[n].val, now[n].null}, []string{z.val, z.null})
		}
		m.indent--
		m.line("} else {")
		m.indent++
		m.line("havoc %s;", at)
		m.line("assume 0 <= %s && %s < %s;", at, at, count)
		m.line("%s := %s[%s];", pc, next, at)
		for _, n := range list {
			m.set([]string{now[n].val, now[n].null}, []string{regs[n].val + "[" + at + "]", regs[n].null + "[" + at + "]"})
		}
		m.indent--
		m.line("}")
		m.steps(pr, procs, pc, func(name string) value { return now[name] })
		m.line("%s[%s] := %s + 1;", next, at, pc)
		for _, n := range list {
			m.set([]string{regs[n].val + "[" + at + "]", regs[n].null + "[" + at + "]"}, []string{now[n].val, now[n].null})
		}
	}
}
