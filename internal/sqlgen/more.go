package sqlgen

import (
	"slices"
	"strconv"
)

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
	own := len(in.ctes)
	if g.chance(30) {
		if n := g.cte(in, 1); n.Productions()["with recursive"] == 0 {
			with.Kids = append(with.Kids, n)
		} else {
			in.ctes = in.ctes[:own]
		}
	}
	named := len(in.ctes)
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
	if g.chance(80) { // only the writes use it
		in.ctes = slices.Delete(in.ctes, own, named)
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

// rowVariable reads a row into a variable, and writes it back or somewhere else.
func (g *gen) rowVariable(b *body, e *env) *Node {
	p, ok := g.placeOf(e)
	if !ok || !g.on("row variable") {
		return nil
	}
	v := g.name("row")
	b.decls.Kids = append(b.decls.Kids, text(v+" "+p.t.Name+"%ROWTYPE;\n"))
	b.found = true
	read := seq("row variable", "SELECT * INTO "+v+" FROM "+p.t.Name+" WHERE ", p.key, g.forUpdate(25), ";\n")
	in := *e
	in.vars = append([]binding(nil), e.vars...)
	for _, c := range p.t.Columns {
		in.vars = append(in.vars, binding{ref: v + "." + c.Name, name: v + "." + c.Name, t: c.Type, null: true, auto: c.Auto})
	}
	c := p.t.other(g)
	switch n := g.rng.IntN(100); {
	case n < 25 && c != nil && len(settable(p.t)) == len(p.t.Columns):
		return seq("insert of a row variable", read, "IF FOUND THEN\n"+v+"."+p.t.Key[0].Name+" := ", g.put(e, p.t.Key[0].Type, 0), ";\nINSERT INTO "+p.t.Name+" VALUES ("+v+".*);\nEND IF;\n")
	case n < 60 && c != nil:
		return seq("update from a row variable", read, "UPDATE "+p.t.Name+" SET "+c.Name+" = ", g.expr(&in, c.Type, 1), " WHERE ", p.key.Clone(), ";\n")
	}
	w, _ := g.write(&in, false)
	return seq("", read, w, ";\n")
}

// using is EXECUTE of a command with parameters.
func (g *gen) using(b *body, e *env) *Node {
	if !g.on("execute using") {
		return nil
	}
	in, args := &env{}, list(", ", 0)
	for i := range 1 + g.rng.IntN(2) {
		t := pick(g, append([]*Type{Int}, g.types...))
		in.vars = append(in.vars, binding{ref: "$" + strconv.Itoa(i+1) + "::" + t.Name, name: "$" + strconv.Itoa(i+1), t: t, null: true})
		args.Kids = append(args.Kids, g.leaf(&env{vars: e.vars}, t))
	}
	args.Least = len(args.Kids)
	if g.chance(40) {
		t := pick(g, g.types)
		v := g.intoVar(b, e, t)
		q := g.selects(in, queryWish{types: []*Type{t}, depth: 1, one: true, top: true})
		return seq("execute using", "EXECUTE "+quote(q.node.String())+" INTO "+v.ref+" USING ", args, ";\n")
	}
	w, _ := g.write(in, false)
	return seq("execute using", "EXECUTE "+quote(w.String())+" USING ", args, ";\n")
}

// raised is a block that raises an error by name, or fails, with several handlers.
func (g *gen) raised(b *body, e *env, depth int) *Node {
	if depth <= 1 || !g.on("exception") {
		return nil
	}
	names := []string{"unique_violation", "check_violation", "not_null_violation", "division_by_zero", "raise_exception", "foreign_key_violation", "SQLSTATE '22012'", "too_many_rows", "no_data_found"}
	inner := g.block(b, e, depth-1, 1)
	raise := seq("raise by name", "IF ", g.cond(e, 1), " THEN RAISE "+pick(g, names[:4])+"; END IF;\n")
	n := seq("several handlers", "BEGIN\n", inner, raise, "EXCEPTION")
	for range 1 + g.rng.IntN(2) {
		handler := g.block(b, e, 0, 1)
		handler.Least = 1
		n.Kids = append(n.Kids, opt(seq("handler", " WHEN "+pick(g, names)+g.maybe(30, " OR "+pick(g, names))+" THEN\n", handler)))
	}
	last := "NULL;\n"
	if g.chance(40) {
		last = "RAISE;\n"
	}
	n.Kids = append(n.Kids, text(" WHEN OTHERS THEN\n"+last+"END;\n"))
	return n
}

// withInto runs WITH whose parts write rows.
func (g *gen) withInto(b *body, e *env) *Node {
	q, ok := g.withWrites(e)
	if !ok {
		return nil
	}
	b.found = true
	return seq("writing with into", q.node, " INTO "+g.into(b, e, q.cols), ";\n")
}

// setConstraints moves the checks of deferrable constraints.
func (g *gen) setConstraints() *Node {
	return seq("set constraints", "SET CONSTRAINTS ALL "+pick(g, []string{"IMMEDIATE", "DEFERRED"})+";\n")
}

// scriptWith is sometimes WITH whose parts write rows.
func (g *gen) scriptWith(e *env) (query, bool) {
	switch n := g.rng.IntN(100); {
	case n < 4:
		return g.withWrites(e)
	case n < 9:
		return writeWith(g, e)
	}
	return query{}, false
}

// writeWith is WITH … AS (INSERT, UPDATE or DELETE … RETURNING) beside an UPDATE or DELETE
// that joins it.
func writeWith(g *gen, e *env) (query, bool) {
	if !g.on("write joined with a writing with") {
		return query{}, false
	}
	t, in := g.baseTable(), e.inner()
	part, ret := g.write(in.inner(), true)
	if t == nil || ret == nil {
		return query{}, false
	}
	name := g.name("w")
	cols := make([]string, len(ret))
	for i := range ret {
		cols[i] = "c" + strconv.Itoa(i+1)
		ret[i].name = cols[i]
	}
	in.addTable(t, t.Name)
	own := in.own
	in.addTable((query{cols: ret}).asTable(name), name)
	where := g.join2(in, t, t.Name, own)
	head := seq("", "WITH "+name+"("+join(cols)+") AS (", part, ")")
	if g.chance(30) {
		return query{node: seq("write joined with a writing with", head, " DELETE FROM "+t.Name+" USING "+name+" WHERE ", where)}, true
	}
	sets := g.sets(in, t, t.Name)
	if sets == nil {
		return query{}, false
	}
	return query{node: seq("write joined with a writing with", head, " UPDATE "+t.Name+" SET ", sets, " FROM "+name+" WHERE ", where)}, true
}
