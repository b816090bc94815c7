package boogie

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/txrobust/robust/internal/ir"
)

func itoa(i int) string { return strconv.Itoa(i) }

// proc is the procedure of a transaction.
type proc struct {
	x     *exporter
	txn   *ir.Txn
	name  string
	names map[string]bool // names in use
	// locals gives the variable of each local and parameter.
	locals map[string]string
	vars   []variable // local variables besides
	kept   []ir.Local
	mods   map[string]bool // global variables that are set

	b       strings.Builder
	indent  int
	last    ir.Pos
	around  []*loop
	points  map[string]*point
	sorted  []*point // the savepoints, by their first place in the text
	count   string   // how many savepoints were set
	ends    string   // the label of the end, if something jumps there
	written []*table
}

// loop is a loop or block around a statement, with the labels behind it and at
// the end of its body.
type loop struct {
	label       string
	loops       bool
	out, next   string
	used, again bool
	leave       func() // what is done whichever way it is left, or nil
}

// point is a savepoint: when it was set (0: it is not), and copies of the tables.
type point struct {
	set    string
	copies []variable
	of     []string
}

func (p *proc) line(format string, args ...any) {
	p.b.WriteString(strings.Repeat("  ", p.indent+1))
	fmt.Fprintf(&p.b, format, args...)
	p.b.WriteByte('\n')
}

// local declares a variable.
func (p *proc) local(base, typ string) string {
	name := unique(p.names, base)
	p.vars = append(p.vars, variable{name, typ})
	return name
}

// temp declares a nullable one.
func (p *proc) temp(base string, t ir.Type) value {
	name := nullable(p.names, base)
	p.vars = append(p.vars, variable{name, typeName(t)}, variable{name + ".null", "bool"})
	return value{t, name + ".null", name, "true"}
}

func (p *proc) assume(cond string) {
	if cond != "true" {
		p.line("assume %s;", bare(cond))
	}
}

// set assigns, all at once.
func (p *proc) set(to, from []string) {
	var a, b []string
	for i := range to {
		if to[i] != from[i] {
			a, b = append(a, to[i]), append(b, bare(from[i]))
			p.mods[strings.SplitN(to[i], "[", 2)[0]] = true
		}
	}
	if len(a) > 0 {
		p.line("%s := %s;", commas(a), commas(b))
	}
}

// domain is that an integer is in the program's domain.
func (p *proc) domain(v value) string {
	d := p.x.prog.Domain
	if d == nil || v.t.Kind != ir.KindInt || v.null == "true" {
		return "true"
	}
	if i, err := strconv.ParseInt(strings.Trim(v.val, "()"), 10, 64); err == nil && i >= d.Lo && i <= d.Hi {
		return "true"
	}
	in := "(" + number(d.Lo) + " <= " + v.val + " && " + v.val + " <= " + number(d.Hi) + ")"
	if p.x.fresh {
		in = or(in, "("+v.val+" >= "+itoa(freshBase)+")")
	}
	return or(v.null, in)
}

// assign sets locals, all at once.
func (p *proc) assign(names []string, vals []value) {
	var to, from []string
	for i, n := range names {
		t, _ := p.txn.LocalType(n)
		v := vals[i].as(t)
		p.assume(p.domain(v))
		to, from = append(to, p.locals[n], p.locals[n]+".null"), append(from, v.val, v.null)
	}
	p.set(to, from)
}

func (p *proc) env(pos ir.Pos) *env { return &env{pos: pos, rows: map[string]*row{}} }

func (x *exporter) transaction(t *ir.Txn) *proc {
	p := &proc{x: x, txn: t, name: unique(x.names, ident(t.Name)), names: map[string]bool{}, locals: map[string]string{},
		mods: map[string]bool{}, points: map[string]*point{}}
	for n := range x.names {
		p.names[n] = true
	}
	declare := func(name string) {
		p.locals[name] = nullable(p.names, ident(name))
	}
	for _, q := range t.Params {
		declare(q.Name)
	}
	for _, l := range t.Locals {
		declare(l.Name)
		if l.Kept {
			p.kept = append(p.kept, l)
		}
	}
	for _, b := range x.order {
		found := false
		ir.Walk(t.Body, func(s ir.Stmt) {
			c, ok := s.(*ir.CopyTable)
			found = found || ir.Written(s) == b.t || ok && c.Dst == b.t
		})
		if found {
			p.written = append(p.written, b)
		}
	}
	p.start()
	p.stmts(t.Body)
	if p.ends != "" {
		p.line("%s:", p.ends)
	}
	for _, l := range p.kept {
		n := p.locals[l.Name]
		p.line("%s.out, %s.null.out := %s, %s.null;", n, n, n, n)
	}
	return p
}

// start gives the locals their first values.
func (p *proc) start() {
	var nulls []string
	for _, q := range p.txn.Params {
		n := p.locals[q.Name]
		if q.Fresh {
			p.drawFresh(q.Name, q.Type)
			continue
		}
		p.line("havoc %s, %s.null;", n, n)
		v := value{q.Type, n + ".null", n, "true"}
		sampled := p.x.opt.Values != nil
		if q.NotNull || sampled {
			p.line("assume !%s.null;", n)
		}
		if sampled && !finite(p.x.prog, q.Type) {
			var any []string
			for _, w := range p.x.opt.Values(q.Type) {
				any = append(any, equal(n, p.x.constant(w)))
			}
			p.assume(or(any...))
		}
		p.assume(p.finiteDomain(v))
	}
	for _, l := range p.txn.Locals {
		n := p.locals[l.Name]
		if l.Kept {
			p.line("%s, %s.null := %s.in, %s.null.in;", n, n, n, n)
			continue
		}
		nulls = append(nulls, n+".null")
	}
	if len(nulls) > 0 {
		p.line("%s := %s;", commas(nulls), commas(slices.Repeat([]string{"true"}, len(nulls))))
	}
}

// finiteDomain is that a havocked integer is one of the program's domain.
func (p *proc) finiteDomain(v value) string {
	d := p.x.prog.Domain
	if d == nil || v.t.Kind != ir.KindInt {
		return "true"
	}
	return or(v.null, "("+number(d.Lo)+" <= "+v.val+" && "+v.val+" <= "+number(d.Hi)+")")
}

// drawFresh gives a local the next FRESH value.
func (p *proc) drawFresh(name string, t ir.Type) {
	n := p.locals[name]
	p.mods[freshVar] = true
	switch t.Kind {
	case ir.KindNum:
		p.line("%s, %s.null := real(%s), false;", n, n, freshVar)
	case ir.KindBool, ir.KindArray:
		fail(p.txn.Pos, "%s cannot be FRESH: there are no fresh values of type %s", name, t)
	default:
		p.line("%s, %s.null := %s, false;", n, n, freshVar)
	}
	p.line("%s := %s + 1;", freshVar, freshVar)
}

// text prints the procedure.
func (p *proc) text(x *exporter) string {
	var b strings.Builder
	fmt.Fprintf(&b, "// Transaction %s", oneLine(p.txn.Name))
	if p.txn.Pos.IsValid() {
		fmt.Fprintf(&b, ", %s", oneLine(p.txn.Pos.String()))
	}
	var in, out []string
	for _, l := range p.kept {
		n, t := p.locals[l.Name], typeName(l.Type)
		in = append(in, n+".in: "+t, n+".null.in: bool")
		out = append(out, n+".out: "+t, n+".null.out: bool")
	}
	fmt.Fprintf(&b, "\nprocedure {:inline 1} %s(%s)", p.name, commas(in))
	if len(out) > 0 {
		fmt.Fprintf(&b, " returns (%s)", commas(out))
	}
	b.WriteString("\n")
	if mods := p.modified(); len(mods) > 0 {
		fmt.Fprintf(&b, "  modifies %s;\n", commas(mods))
	}
	b.WriteString("{\n")
	for _, q := range p.txn.Params {
		fmt.Fprintf(&b, "  var %s: %s, %s.null: bool;\n", p.locals[q.Name], typeName(q.Type), p.locals[q.Name])
	}
	for _, l := range p.txn.Locals {
		fmt.Fprintf(&b, "  var %s: %s, %s.null: bool;\n", p.locals[l.Name], typeName(l.Type), p.locals[l.Name])
	}
	for _, v := range p.vars {
		fmt.Fprintf(&b, "  var %s: %s;\n", v.name, v.typ)
	}
	for _, pt := range p.sorted {
		fmt.Fprintf(&b, "  %s := 0;\n", pt.set)
	}
	if p.count != "" {
		fmt.Fprintf(&b, "  %s := 0;\n", p.count)
	}
	b.WriteString(p.b.String())
	b.WriteString("}\n\n")
	return b.String()
}

// modified lists the global variables that the procedure sets.
func (p *proc) modified() []string {
	var out []string
	for _, b := range p.x.order {
		for _, v := range b.globals() {
			if p.mods[v.name] {
				out = append(out, v.name)
			}
		}
	}
	if p.mods[freshVar] {
		out = append(out, freshVar)
	}
	return out
}
