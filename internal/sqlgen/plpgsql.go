package sqlgen

import "strconv"

// body is the state of a function in PL/pgSQL.
type body struct {
	t     *Txn
	decls *Node
	loops []string
	// params are what initial values of variables may use.
	params []binding
	// ret is what RETURN gives; rows what RETURN NEXT and QUERY give.
	ret   *Type
	rows  []binding
	found bool
	size  int
}

// plpgsql makes a function or procedure in PL/pgSQL.
func (g *gen) plpgsql(t *Txn, e *env) {
	b := &body{t: t, decls: list("", 0), params: e.vars}
	head := seq("", "CREATE FUNCTION "+t.Name+"(", t.params(), ") RETURNS ")
	switch n := g.rng.IntN(100); {
	case t.Kind == Procedure:
		t.Void = true
		head = seq("", "CREATE PROCEDURE "+t.Name+"(", t.params(), ")")
	case n < 25:
		t.Void = true
		head.Kids = append(head.Kids, text("void"))
	case n < 70:
		b.ret = pick(g, g.types)
		t.Result = b.ret
		head.Kids = append(head.Kids, text(b.ret.Name))
	default:
		t.Set = true
		for range 1 + g.rng.IntN(2) {
			b.rows = append(b.rows, binding{t: pick(g, g.types)})
		}
		head.Kids = append(head.Kids, text(result(b.rows)))
	}
	for range 1 + g.rng.IntN(3) {
		g.variable(b, e, pick(g, append([]*Type{Int, Int}, g.types...)))
	}
	stmts := g.block(b, e, g.opt.Depth, 1+g.rng.IntN(g.opt.Statements))
	if b.ret != nil {
		stmts.Kids = append(stmts.Kids, seq("return", "RETURN ", g.expr(e, b.ret, 2), ";\n"))
	}
	prod := "function in PL/pgSQL"
	if t.Kind == Procedure {
		prod = "procedure"
	}
	t.Node = seq(prod, head, " LANGUAGE plpgsql AS $$\nDECLARE\n", b.decls, "BEGIN\n", stmts, "END $$")
}

// variable declares a variable, and makes it known.
func (g *gen) variable(b *body, e *env, t *Type) binding {
	v := binding{ref: g.name("v"), t: t, null: true}
	v.name = v.ref
	init, held := (*Node)(nil), ""
	if g.chance(40) {
		init = seq("initial value", " := ", g.leaf(&env{vars: b.params}, t))
		if g.chance(15) && g.on("variable that is not null") {
			held = " NOT NULL"
		} else {
			init = opt(init)
		}
	}
	b.decls.Kids = append(b.decls.Kids, seq("", v.ref+" "+t.Name+held, init, ";\n"))
	e.vars = append(e.vars, v)
	return v
}

// target gives a variable of a type, which may be new. Parameters are none.
func (g *gen) intoVar(b *body, e *env, t *Type) binding {
	var list []binding
	for _, v := range e.vars {
		if v.t == t && v.name[0] == 'v' {
			list = append(list, v)
		}
	}
	if len(list) > 0 && g.chance(70) {
		return pick(g, list)
	}
	return g.variable(b, e, t)
}

// block makes a list of statements.
func (g *gen) block(b *body, e *env, depth, n int) *Node {
	out := list("", 0)
	for range n {
		if b.size++; b.size > 14 {
			break
		}
		out.Kids = append(out.Kids, g.statement(b, e, depth).of("statement", ""))
	}
	return out
}

// statement makes a statement of PL/pgSQL.
func (g *gen) statement(b *body, e *env, depth int) *Node {
	return g.one(
		alt{g.opt.Idioms, func() *Node { return g.idiom(b, e) }},
		alt{14, func() *Node { return g.selectInto(b, e) }},
		alt{16, func() *Node {
			n, _ := g.write(e, false)
			return seq("", n, ";\n")
		}},
		alt{4, func() *Node { return g.writeInto(b, e) }},
		alt{6, func() *Node {
			v := g.intoVar(b, e, pick(g, g.types))
			return seq("assignment", v.ref+" := ", g.expr(e, v.t, 2), ";\n")
		}},
		alt{10, func() *Node { return g.branch(b, e, depth) }},
		alt{6, func() *Node { return g.loop(b, e, depth) }},
		alt{4, func() *Node {
			if len(b.rows) == 0 {
				return nil
			}
			var types []*Type
			for _, r := range b.rows {
				types = append(types, r.t)
			}
			q := g.query(e, queryWish{types: types, depth: 2, top: true})
			return seq("return query", "RETURN QUERY ", q.node, ";\n")
		}},
		alt{2, func() *Node {
			if len(b.rows) != 1 {
				return nil
			}
			return seq("return next", "RETURN NEXT ", g.expr(e, b.rows[0].t, 2), ";\n")
		}},
		alt{2, func() *Node { return g.leave(b, e) }},
		alt{2, func() *Node {
			q := g.query(e, queryWish{depth: 2, types: []*Type{pick(g, g.types)}})
			return seq("perform", "PERFORM * FROM (", q.node, ") AS "+g.name("r")+";\n")
		}},
		alt{2, func() *Node { return g.rowCount(b, e) }},
		alt{1, func() *Node { return g.try(b, e, depth) }},
		alt{1, func() *Node {
			return seq("execute", "EXECUTE ", g.constantCommand(), ";\n")
		}},
		alt{3, func() *Node { return g.callOther(b, e) }},
		alt{1, func() *Node { return g.cursor(b, e, depth) }},
		alt{1, func() *Node { return g.lockTable() }},
		alt{3, func() *Node { return g.rowVariable(b, e) }},
		alt{1, func() *Node { return g.using(b, e) }},
		alt{1, func() *Node { return g.raised(b, e, depth) }},
		alt{1, func() *Node { return g.withInto(b, e) }},
	)
}

// leave is what ends a function, a loop or the transaction, under a condition.
func (g *gen) leave(b *body, e *env) *Node {
	c := g.cond(e, 2)
	switch n := g.rng.IntN(100); {
	case n < 35 && len(b.loops) > 0:
		return seq("exit", pick(g, []string{"EXIT", "CONTINUE"})+pick(g, []string{"", " " + pick(g, b.loops)})+" WHEN ", c, ";\n")
	case n < 55:
		return seq("raise exception", "IF ", c, " THEN RAISE EXCEPTION 'no'; END IF;\n")
	case n < 62:
		return seq("assert", "ASSERT ", c, ";\n")
	case b.ret != nil:
		return seq("return", "IF ", c, " THEN RETURN ", g.expr(e, b.ret, 1), "; END IF;\n")
	}
	return seq("return", "IF ", c, " THEN RETURN; END IF;\n")
}

// into makes the list of variables for columns.
func (g *gen) into(b *body, e *env, cols []binding) string {
	s := ""
	for i, c := range cols {
		if i > 0 {
			s += ", "
		}
		s += g.intoVar(b, e, c.t).ref
	}
	return s
}

// selectInto is SELECT … INTO.
func (g *gen) selectInto(b *body, e *env) *Node {
	var types []*Type
	for range 1 + g.rng.IntN(2) {
		types = append(types, pick(g, append([]*Type{Int, Int}, g.types...)))
	}
	strict := ""
	if g.chance(15) && g.on("strict") {
		strict = "STRICT "
	}
	vars := ""
	for i, t := range types {
		if i > 0 {
			vars += ", "
		}
		vars += g.intoVar(b, e, t).ref
	}
	q := g.selects(e, queryWish{types: types, depth: 2, one: g.chance(70), top: true})
	b.found = true
	if g.chance(50) && into(q.node, " INTO "+strict+vars) { // it may stand after the columns or at the end
		return seq("select into", q.node, ";\n")
	}
	return seq("select into", q.node, " INTO "+strict+vars, ";\n")
}

// into puts INTO behind the columns of a query, where FROM begins, and reports
// whether it found the place.
func into(n *Node, clause string) bool {
	if len(n.Kids) == 0 {
		return false
	}
	if first := n.Kids[0].Text; first == "SELECT " || first == "SELECT DISTINCT " {
		n.Kids = append([]*Node{n.Kids[0], n.Kids[1], text(clause)}, n.Kids[2:]...)
		return true
	}
	return into(n.Kids[0], clause)
}

// writeInto is a write with RETURNING … INTO.
func (g *gen) writeInto(b *body, e *env) *Node {
	n, ret := g.write(e, true)
	if ret == nil {
		return nil
	}
	b.found = true
	return seq("returning into", n, " INTO "+g.maybe(15, "STRICT ")+g.into(b, e, ret), ";\n")
}

// branch is IF or CASE.
func (g *gen) branch(b *body, e *env, depth int) *Node {
	if depth <= 0 {
		return nil
	}
	inner := func() *Node { return g.block(b, e, depth-1, 1+g.rng.IntN(2)) }
	var cond *Node
	switch {
	case b.found && g.chance(45):
		cond = seq("found", pick(g, []string{"FOUND", "NOT FOUND"})).of(Bool.sort(), "true")
	default:
		cond = g.cond(e, 2)
	}
	if g.chance(12) {
		n := seq("case statement", "CASE WHEN ", cond, " THEN\n", inner())
		if g.chance(70) {
			n.Kids = append(n.Kids, opt(seq("case statement else", "ELSE\n", inner())))
		}
		return seq("", n, "END CASE;\n")
	}
	n := seq("if", "IF ", cond, " THEN\n", inner())
	if g.chance(15) {
		n.Kids = append(n.Kids, opt(seq("elsif", "ELSIF ", g.cond(e, 1), " THEN\n", inner())))
	}
	if g.chance(30) {
		n.Kids = append(n.Kids, opt(seq("else", "ELSE\n", inner())))
	}
	return seq("", n, "END IF;\n")
}

// loop is a loop that comes to an end.
func (g *gen) loop(b *body, e *env, depth int) *Node {
	if depth <= 1 {
		return nil
	}
	label := g.name("l")
	inner := func(e *env) *Node {
		b.loops = append(b.loops, label)
		defer func() { b.loops = b.loops[:len(b.loops)-1] }()
		return g.block(b, e, depth-1, 1+g.rng.IntN(2))
	}
	end := "END LOOP;\n"
	start := "<<" + label + ">>\n"
	switch n := g.rng.IntN(100); {
	case n < 30:
		in := e.inner()
		i := g.name("i")
		in.vars = append(append([]binding(nil), e.vars...), binding{ref: i, name: i, t: Int})
		head := " IN 1.." + g.integer(3)
		if g.chance(25) {
			head = " IN REVERSE " + g.integer(3) + "..1"
		}
		return seq("for range", start+"FOR "+i+head+" LOOP\n", inner(in), end)
	case n < 45 && g.on("while"):
		v := g.name("i")
		b.decls.Kids = append(b.decls.Kids, text(v+" int := 0;\n"))
		return seq("while", start+"WHILE "+v+" < "+strconv.Itoa(1+g.rng.IntN(3))+" LOOP\n"+v+" := "+v+" + 1;\n", inner(e), end)
	case n < 52:
		v := g.name("i")
		b.decls.Kids = append(b.decls.Kids, text(v+" int := 0;\n"))
		return seq("loop", start+"LOOP\n"+v+" := "+v+" + 1;\nEXIT WHEN "+v+" > "+strconv.Itoa(1+g.rng.IntN(3))+";\n", inner(e), end)
	case n < 60 && g.on("foreach"):
		v := g.intoVar(b, e, Int)
		return seq("foreach", start+"FOREACH "+v.ref+" IN ARRAY '{"+pick(g, []string{"", "1", "2,1"})+"}'::int[] LOOP\n", inner(e), end)
	case n < 75:
		t := pick(g, g.types)
		q := g.query(e, queryWish{types: []*Type{t}, depth: 2, top: true})
		v := g.intoVar(b, e, t)
		return seq("for query into variable", start+"FOR "+v.ref+" IN ", q.node, " LOOP\n", inner(e), end)
	}
	q := g.query(e, queryWish{depth: 2, named: true, top: true})
	rec := g.name("r")
	b.decls.Kids = append(b.decls.Kids, text(rec+" record;\n"))
	in := e.inner()
	in.vars = append([]binding(nil), e.vars...)
	for _, c := range q.cols {
		in.vars = append(in.vars, binding{ref: rec + "." + c.name, name: c.name + " of a record", t: c.t, null: true})
	}
	return seq("for query", start+"FOR "+rec+" IN ", q.node, " LOOP\n", inner(in), end)
}

// rowCount reads ROW_COUNT after a write.
func (g *gen) rowCount(b *body, e *env) *Node {
	w, _ := g.write(e, false)
	v := g.intoVar(b, e, Int)
	return seq("row_count", w, ";\nGET DIAGNOSTICS "+v.ref+" = ROW_COUNT;\n")
}

// try is a block with EXCEPTION.
func (g *gen) try(b *body, e *env, depth int) *Node {
	if depth <= 1 || !g.on("exception") {
		return nil
	}
	what := pick(g, []string{"unique_violation", "OTHERS", "raise_exception", "foreign_key_violation", "division_by_zero", "no_data_found", "check_violation", "not_null_violation"})
	inner := g.block(b, e, depth-1, 1+g.rng.IntN(2))
	handler := g.block(b, e, 0, g.rng.IntN(2))
	if len(handler.Kids) == 0 {
		handler.Kids = append(handler.Kids, text("NULL;\n"))
	}
	handler.Least = 1
	inner.Least = min(1, len(inner.Kids))
	return seq("exception "+what, "BEGIN\n", inner, "EXCEPTION WHEN "+what+" THEN\n", handler, "END;\n")
}

// constantCommand is a command as a text.
func (g *gen) constantCommand() *Node {
	n, _ := g.write(&env{}, false)
	return seq("", quote(n.String()))
}
