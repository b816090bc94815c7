package boogie

import "github.com/txrobust/robust/internal/ir"

func (p *proc) stmts(list []ir.Stmt) {
	for _, s := range list {
		p.stmt(s)
	}
}

// body prints statements one step further in.
func (p *proc) body(list []ir.Stmt) {
	p.indent++
	p.stmts(list)
	p.indent--
}

// comment says where a statement comes from, and for a simple one what it is.
func (p *proc) comment(s ir.Stmt) {
	pos := s.Position()
	text := ""
	if len(ir.Children(s)) == 0 {
		text = oneLine(s.String())
	}
	switch {
	case pos.IsValid() && pos != p.last && text != "":
		p.line("// %s: %s", oneLine(pos.String()), text)
	case pos.IsValid() && pos != p.last:
		p.line("// %s", oneLine(pos.String()))
	case text != "":
		p.line("// %s", text)
	}
	if pos.IsValid() {
		p.last = pos
	}
}

func (p *proc) stmt(s ir.Stmt) {
	p.comment(s)
	v := p.env(s.Position())
	switch s := s.(type) {
	case *ir.Assign:
		e := p.expr(s.Expr, v)
		p.assume(e.def)
		p.assign([]string{s.Var}, []value{e})
	case *ir.Havoc:
		p.havoc(s)
	case *ir.Select:
		if len(s.Aggs) > 0 {
			p.aggregate(s, v)
		} else {
			p.selectRow(s, v)
		}
	case *ir.Emit:
		for _, e := range s.Exprs {
			p.assume(p.expr(e, v).def)
		}
	case *ir.EmitRows:
		p.emitRows(s, v)
	case *ir.Insert:
		p.insert(s, v)
	case *ir.Update:
		p.update(s, v)
	case *ir.Delete:
		p.delete(s, v)
	case *ir.LockTable, *ir.LockRows, *ir.Dropped: // nobody else runs
	case *ir.If:
		e := p.expr(s.Cond, v).as(ir.BoolType)
		p.assume(e.def)
		p.line("if (%s) {", bare(e.isTrue()))
		p.body(s.Then)
		if len(s.Else) > 0 {
			p.line("} else {")
			p.body(s.Else)
		}
		p.line("}")
	case *ir.Block:
		l := p.enter(s.Label, false)
		p.stmts(s.Body)
		p.leave(l)
	case *ir.While:
		l := p.enter(s.Label, true)
		p.line("while (true) {")
		p.indent++
		e := p.expr(s.Cond, v).as(ir.BoolType)
		p.assume(e.def)
		p.line("if (%s) { break; }", bare(not(e.isTrue())))
		p.stmts(s.Body)
		p.again(l)
		p.indent--
		p.line("}")
		p.leave(l)
	case *ir.ForRange:
		p.forRange(s, v)
	case *ir.Foreach:
		p.foreach(s, v)
	case *ir.Break:
		p.jump(s.Label, false)
	case *ir.Continue:
		p.jump(s.Label, true)
	case *ir.Return:
		for i := len(p.around) - 1; i >= 0; i-- {
			p.around[i].left()
		}
		if p.ends == "" {
			p.ends = unique(p.names, "end")
		}
		p.line("goto %s;", p.ends)
	case *ir.Assume:
		e := p.expr(s.Cond, v).as(ir.BoolType)
		p.assume(and(e.def, e.isTrue()))
	case *ir.Abort, *ir.Unmodelled:
		p.line("assume false;")
	case *ir.Send:
	case *ir.Savepoint:
		p.savepoint(s)
	case *ir.RollbackTo:
		p.rollback(s)
	case *ir.CopyTable:
		a, b := p.x.tables[s.Dst].globals(), p.x.tables[s.Src].globals()
		if len(a) != len(b) {
			fail(s.Pos, "%s and %s differ in what may be NULL", s.Dst.Name, s.Src.Name)
		}
		for i := range a {
			p.set([]string{a[i].name}, []string{b[i].name})
		}
	case *ir.Fail:
		p.line("assert false;")
		p.line("assume false;")
	default:
		panic("boogie: unknown statement")
	}
}

// enter begins a loop or block.
func (p *proc) enter(label string, loops bool) *loop {
	base := "loop"
	if label != "" {
		base = ident(label)
	}
	l := &loop{label: label, loops: loops, out: unique(p.names, base+".out"), next: unique(p.names, base+".next")}
	p.around = append(p.around, l)
	return l
}

// again is the end of a loop's body.
func (p *proc) again(l *loop) {
	if l.again {
		p.line("%s:", l.next)
	}
}

func (p *proc) leave(l *loop) {
	p.around = p.around[:len(p.around)-1]
	if l.used {
		p.line("%s:", l.out)
	}
	l.left()
}

func (l *loop) left() {
	if l.leave != nil {
		l.leave()
	}
}

// jump leaves or continues the loop or block with the label.
func (p *proc) jump(label string, next bool) {
	for i := len(p.around) - 1; i >= 0; i-- {
		l := p.around[i]
		if label == "" && l.loops || label != "" && l.label == label && (l.loops || !next) {
			if next {
				l.again = true
				p.line("goto %s;", l.next)
			} else {
				l.used = true
				p.line("goto %s;", l.out)
			}
			return
		}
		l.left()
	}
	panic("boogie: nothing to leave")
}

func (p *proc) havoc(s *ir.Havoc) {
	t, _ := p.txn.LocalType(s.Var)
	if s.Fresh {
		p.drawFresh(s.Var, t)
		return
	}
	n := p.locals[s.Var]
	p.line("havoc %s, %s.null;", n, n)
	if s.NotNull {
		p.line("assume !%s.null;", n)
	}
	p.assume(p.finiteDomain(value{t, n + ".null", n, "true"}))
}

func (p *proc) forRange(s *ir.ForRange, v *env) {
	a, b := p.expr(s.From, v).as(ir.IntType), p.expr(s.To, v).as(ir.IntType)
	p.assume(and(a.def, b.def, not(a.null), not(b.null)))
	l := p.enter(s.Label, true)
	if numbers, ok := constantRange(s); ok {
		for _, i := range numbers {
			l.again, l.next = false, unique(p.names, l.next)
			p.assign([]string{s.Var}, []value{{ir.IntType, "false", number(i), "true"}})
			p.stmts(s.Body)
			p.again(l)
		}
		p.leave(l)
		return
	}
	at, to := p.local(p.locals[s.Var]+".at", "int"), p.local(p.locals[s.Var]+".to", "int")
	p.set([]string{at, to}, []string{a.val, b.val})
	test, step := "<=", "+"
	if s.Reverse {
		test, step = ">=", "-"
	}
	p.line("while (%s %s %s) {", at, test, to)
	p.indent++
	p.assign([]string{s.Var}, []value{{ir.IntType, "false", at, "true"}})
	p.line("%s := %s %s 1;", at, at, step)
	p.stmts(s.Body)
	p.again(l)
	p.indent--
	p.line("}")
	p.leave(l)
}

// constantRange gives the numbers of a loop between constants, if they are few.
func constantRange(s *ir.ForRange) (numbers []int64, ok bool) {
	a, okA := s.From.(*ir.Const)
	b, okB := s.To.(*ir.Const)
	if !okA || !okB || a.Value.IsNull() || b.Value.IsNull() {
		return nil, false
	}
	step := int64(1)
	if s.Reverse {
		step = -1
	}
	for i := a.Value.I; i*step <= b.Value.I*step; i += step {
		if numbers = append(numbers, i); len(numbers) > maxRounds {
			return nil, false
		}
	}
	return numbers, true
}

// foreach goes through the rows as they were: over copies of the tables and
// locals that the loop changes.
func (p *proc) foreach(s *ir.Foreach, v *env) {
	v = p.keep(s, v)
	ms := p.matches(s.Query, v)
	p.assume(computable(ms))
	p.assume(p.defined(ms, func(w *env) []value { return append(p.values(s.Cols, w), p.orders(s.Order, w)...) }))
	found := ""
	if s.Found != "" {
		found = p.hold("found", some(ms))
	}
	l := p.enter(s.Label, true)
	if found != "" {
		l.leave = func() { p.assign([]string{s.Found}, []value{truth(found)}) }
	}
	if len(ms) == 1 && ms[0].bound == "" {
		p.line("if (%s) {", bare(ms[0].cond))
		p.indent++
		p.assign(s.Into, p.values(s.Cols, ms[0].env))
		p.stmts(s.Body)
		p.again(l)
		p.indent--
		p.line("}")
		p.leave(l)
		return
	}
	// done are the rows that had their turn, by the keys of all sources.
	var types, bound []string
	for _, src := range s.Query.From {
		if !src.Table.Var {
			for _, t := range p.x.tables[src.Table].keyTypes {
				types = append(types, typeName(t))
				bound = append(bound, "k"+itoa(len(types))+": "+typeName(t))
			}
		}
	}
	done := p.local("done", "["+commas(types)+"]bool")
	p.line("%s := (lambda %s :: false);", done, commas(bound))
	isDone := func(w *env) string {
		var key []string
		for _, src := range s.Query.From {
			key = append(key, w.rows[src.Row].key...)
		}
		return done + "[" + commas(bares(key)) + "]"
	}
	left := bare(someOf(ms, func(m match) string { return not(isDone(m.env)) }))
	round := func() {
		p.indent++
		at := p.pick(s.Query, v)
		p.assume(and(at.cond, not(isDone(at.env))))
		p.assume(p.first(ms, s.Order, p.orders(s.Order, at.env), func(m match) string { return not(isDone(m.env)) }))
		p.line("%s := true;", isDone(at.env))
		p.assign(s.Into, p.values(s.Cols, at.env))
		p.stmts(s.Body)
		p.again(l)
		p.indent--
	}
	if ms[0].bound == "" && len(ms) <= maxRounds {
		// As many rounds as there can be rows, one after another.
		for range ms {
			p.line("if (%s) {", left)
			l.again, l.next = false, unique(p.names, l.next)
			round()
			p.line("}")
		}
	} else {
		p.line("while (%s) {", left)
		round()
		p.line("}")
	}
	p.leave(l)
}

// maxRounds is how many rounds of a loop are written out. Loops that are not
// share the bound of -loopUnroll with the transactions.
const maxRounds = 8

// hold keeps the value of a condition in a variable.
func (p *proc) hold(base, cond string) string {
	name := p.local(base, "bool")
	p.line("%s := %s;", name, bare(cond))
	return name
}

// keep copies what the query of a loop uses and its body changes.
func (p *proc) keep(s *ir.Foreach, v *env) *env {
	w := *v
	w.locals, w.copies = map[string]string{}, map[string]string{}
	set := map[string]bool{}
	for _, n := range s.Into {
		set[n] = true
	}
	changed := map[*ir.Table]bool{}
	ir.Walk(s.Body, func(b ir.Stmt) {
		for _, n := range ir.Assigned(b) {
			set[n] = true
		}
		if t := ir.Written(b); t != nil {
			changed[t] = true
		}
		switch b := b.(type) {
		case *ir.CopyTable:
			changed[b.Dst] = true
		case *ir.RollbackTo:
			for _, t := range p.written {
				changed[t.t] = true
			}
		}
	})
	for _, e := range ir.Exprs(s) {
		ir.WalkExpr(e, func(e ir.Expr) {
			if x, ok := e.(*ir.Var); ok && set[x.Name] {
				n := p.locals[x.Name]
				if w.locals[n] == "" {
					t, _ := p.txn.LocalType(x.Name)
					c := p.temp(n+".before", t)
					w.locals[n] = c.val
					p.set([]string{c.val, c.null}, []string{n, n + ".null"})
				}
			}
		})
	}
	for _, src := range ir.Reads(s) {
		if !changed[src.Table] {
			continue
		}
		for _, g := range p.x.tables[src.Table].globals() {
			if w.copies[g.name] == "" {
				w.copies[g.name] = p.local(g.name+".before", g.typ)
				p.set([]string{w.copies[g.name]}, []string{g.name})
			}
		}
	}
	return &w
}

func (p *proc) savepoint(s *ir.Savepoint) {
	pt := p.points[s.Name]
	if pt == nil {
		if p.count == "" {
			p.count = p.local("savepoints", "int")
		}
		pt = &point{set: p.local(ident(s.Name)+".set", "int")}
		p.points[s.Name] = pt
		p.sorted = append(p.sorted, pt)
		for _, b := range p.written {
			for _, g := range b.globals() {
				pt.copies = append(pt.copies, variable{p.local(ident(s.Name)+"."+g.name, g.typ), g.typ})
				pt.of = append(pt.of, g.name)
			}
		}
	}
	for i, c := range pt.copies {
		p.set([]string{c.name}, []string{pt.of[i]})
	}
	p.line("%s := %s + 1;", p.count, p.count)
	p.line("%s := %s;", pt.set, p.count)
}

func (p *proc) rollback(s *ir.RollbackTo) {
	pt := p.points[s.Name]
	p.assume("(" + pt.set + " > 0)")
	for i, c := range pt.copies {
		p.set([]string{pt.of[i]}, []string{c.name})
	}
	for _, q := range p.sorted {
		if q != pt {
			p.line("if (%s > %s) { %s := 0; }", q.set, pt.set, q.set)
		}
	}
}

func (p *proc) values(es []ir.Expr, v *env) []value {
	var out []value
	for _, e := range es {
		out = append(out, p.expr(e, v))
	}
	return out
}

// looksInto reports whether an expression looks into a table.
func looksInto(e ir.Expr, t *ir.Table) bool {
	found := false
	ir.WalkExpr(e, func(e ir.Expr) {
		if x, ok := e.(*ir.Exists); ok {
			for _, s := range x.Query.From {
				found = found || s.Table == t
			}
		}
	})
	return found
}
