package sqlgen

import "strconv"

// callOther calls a function that was made before.
func (g *gen) callOther(b *body, e *env) *Node {
	if len(g.app.Txns) == 0 || !g.on("call of a function") {
		return nil
	}
	t := pick(g, g.app.Txns)
	if t.Kind == Script {
		return nil
	}
	args := list(", ", len(t.Params))
	in := *e
	in.plain = in.plain || t.Kind == Procedure
	for _, p := range t.Params {
		args.Kids = append(args.Kids, g.expr(&in, p.Type, 1))
	}
	switch {
	case t.Kind == Procedure:
		return seq("call of a procedure", "CALL "+t.Name+"(", args, ");\n")
	case t.Set && g.chance(50):
		q := seq("function in FROM", "PERFORM * FROM "+t.Name+"(", args, ");\n")
		return q
	case t.Result != nil && g.chance(70):
		v := g.intoVar(b, e, t.Result)
		return seq("call of a function", v.ref+" := "+t.Name+"(", args, ");\n")
	}
	return seq("call of a function", "PERFORM "+t.Name+"(", args, ");\n")
}

// cursor goes through a query with a bound cursor.
func (g *gen) cursor(b *body, e *env, depth int) *Node {
	if depth <= 1 || !g.on("cursor") {
		return nil
	}
	name := g.name("cu")
	q := g.selects(&env{vars: b.params}, queryWish{types: []*Type{Int}, depth: 2, top: true})
	b.decls.Kids = append(b.decls.Kids, seq("cursor", name+" CURSOR FOR ", q.node, ";\n"))
	if g.chance(50) {
		rec := g.name("r")
		return seq("for cursor", "FOR "+rec+" IN "+name+" LOOP\n", g.block(b, e, depth-1, 1), "END LOOP;\n")
	}
	v := g.intoVar(b, e, Int)
	return seq("fetch", "OPEN "+name+";\nLOOP\nFETCH "+name+" INTO "+v.ref+";\nEXIT WHEN NOT FOUND;\n", g.block(b, e, depth-1, 1), "END LOOP;\nCLOSE "+name+";\n")
}

var tableLocks = []string{"SHARE", "ROW EXCLUSIVE", "SHARE ROW EXCLUSIVE", "EXCLUSIVE", "ACCESS EXCLUSIVE", "ROW SHARE", "ACCESS SHARE", "SHARE UPDATE EXCLUSIVE"}

// lockTable locks a table.
func (g *gen) lockTable() *Node {
	t := g.baseTable()
	if t == nil || !g.on("lock table") {
		return nil
	}
	return seq("lock table", "LOCK TABLE "+t.Name+" IN "+pick(g, tableLocks)+" MODE;\n")
}

// withWrites is WITH whose parts write rows.
func (g *gen) withWrites(e *env) (query, bool) {
	if !g.on("writing with") {
		return query{}, false
	}
	in := e.inner()
	with := list(", ", 1)
	for range 1 + g.rng.IntN(2) {
		n, ret := g.write(in, true)
		if ret == nil {
			return query{}, false
		}
		name := g.name("w")
		for i := range ret {
			ret[i].name = "c" + strconv.Itoa(i+1)
		}
		cols := make([]string, len(ret))
		for i, c := range ret {
			cols[i] = c.name
		}
		with.Kids = append(with.Kids, seq("writing with", name+"("+join(cols)+") AS (", n, ")"))
		in.ctes = append(in.ctes, (query{cols: ret}).asTable(name))
	}
	q := g.selects(in, queryWish{depth: 2, top: true})
	q.node = seq("with", "WITH ", with, " ", q.node)
	return q, true
}

// savepoint puts statements between SAVEPOINT and what ends it.
func (g *gen) savepoint(e *env) []*Node {
	name := g.name("s")
	out := []*Node{seq("savepoint", "SAVEPOINT "+name+";\n")}
	for range 1 + g.rng.IntN(2) {
		n, _ := g.write(e, false)
		out = append(out, seq("", n, ";\n"))
	}
	end := pick(g, []string{"ROLLBACK TO ", "ROLLBACK TO SAVEPOINT ", "RELEASE "})
	return append(out, seq("savepoint", end+name+";\n"))
}
