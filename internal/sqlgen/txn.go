package sqlgen

import "strconv"

// txn makes a transaction.
func (g *gen) txn(name string) *Txn {
	t := &Txn{Name: name, Kind: pick(g, g.opt.Kinds)}
	e := &env{}
	for i := range g.rng.IntN(4) {
		p := Param{Name: "p" + strconv.Itoa(i+1), Type: Int}
		if g.chance(40) {
			p.Type = pick(g, g.types)
		}
		t.Params = append(t.Params, p)
		b := binding{ref: p.Name, name: p.Name, t: p.Type, null: true}
		if t.Kind == Script {
			b.bare = "$" + strconv.Itoa(i+1)
			b.ref = b.bare + "::" + p.Type.Name
		}
		e.vars = append(e.vars, b)
	}
	switch t.Kind {
	case SQLFunction:
		g.sqlFunction(t, e)
	case Script:
		g.script(t, e)
	default:
		g.plpgsql(t, e)
	}
	return t
}

// params makes the list of parameters of a declaration.
func (t *Txn) params() *Node {
	t.ParamNode = list(", ", len(t.Params))
	for _, p := range t.Params {
		t.ParamNode.Kids = append(t.ParamNode.Kids, text(p.Name+" "+p.Type.Name))
	}
	return t.ParamNode
}

// result writes what a function returns that gives the rows of a query.
func result(cols []binding) string {
	if len(cols) == 1 {
		return "SETOF " + cols[0].t.Name
	}
	s := "TABLE ("
	for i, c := range cols {
		if i > 0 {
			s += ", "
		}
		s += "o" + strconv.Itoa(i+1) + " " + c.t.Name
	}
	return s + ")"
}

// sqlFunction makes a function in SQL.
func (g *gen) sqlFunction(t *Txn, e *env) {
	stmts := list(";\n  ", 1)
	for range g.rng.IntN((g.opt.Statements + 1) / 2) {
		n, _ := g.write(e, false)
		stmts.Kids = append(stmts.Kids, n.of("sql", ""))
	}
	head := seq("", "CREATE FUNCTION "+t.Name+"(", t.params(), ") RETURNS ")
	switch n := g.rng.IntN(100); {
	case n < 20:
		t.Void = true
		w, _ := g.write(e, false)
		stmts.Kids = append(stmts.Kids, w)
		head.Kids = append(head.Kids, text("void"))
	case n < 40:
		w, ret := g.write(e, true)
		if ret == nil {
			t.Void = true
			head.Kids = append(head.Kids, text("void"))
		} else {
			t.Set = true
			head.Kids = append(head.Kids, text(result(ret)))
		}
		stmts.Kids = append(stmts.Kids, w)
	case n < 60:
		ty := pick(g, g.types)
		q := g.query(e, queryWish{types: []*Type{ty}, depth: 2, one: true})
		t.Result = ty
		head.Kids = append(head.Kids, text(ty.Name))
		stmts.Kids = append(stmts.Kids, q.node)
	case n < 66:
		if q, ok := g.withWrites(e); ok {
			t.Set = true
			head.Kids = append(head.Kids, text(result(q.cols)))
			stmts.Kids = append(stmts.Kids, q.node)
			break
		}
		fallthrough
	default:
		t.Set = true
		q := g.query(e, queryWish{depth: 3, top: true})
		head.Kids = append(head.Kids, text(result(q.cols)))
		stmts.Kids = append(stmts.Kids, q.node)
	}
	t.Node = seq("function in SQL", head, " LANGUAGE sql AS $$\n  ", stmts, "\n$$")
}

// script makes BEGIN … COMMIT.
func (g *gen) script(t *Txn, e *env) {
	stmts := list("", 0)
	if g.chance(6) {
		if n := g.lockTable(); n != nil {
			stmts.Kids = append(stmts.Kids, n)
		}
	}
	for range 1 + g.rng.IntN(g.opt.Statements) {
		if g.chance(8) && g.on("savepoint") {
			stmts.Kids = append(stmts.Kids, g.savepoint(e)...)
			continue
		}
		if g.chance(3) && g.on("set constraints") {
			stmts.Kids = append(stmts.Kids, g.setConstraints())
			continue
		}
		var n *Node
		if q, ok := g.scriptWith(e); ok {
			n = q.node
		} else if g.chance(45) {
			n = g.query(e, queryWish{depth: 2, top: true}).node
		} else {
			n, _ = g.write(e, g.chance(30))
		}
		stmts.Kids = append(stmts.Kids, seq("", n, ";\n"))
	}
	t.Node = stmts
}
