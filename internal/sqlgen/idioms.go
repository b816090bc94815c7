package sqlgen

// An idiom is a piece of a transaction as applications write it: read a value and write
// it back, look whether a row is there and insert it, take the first job of a queue.

// place is a row of a table that an idiom is about.
type place struct {
	t   *Table
	key *Node // a condition on its key
}

// placeOf draws a table with a key, and a row of it.
func (g *gen) placeOf(e *env) (place, bool) {
	for range 4 {
		if t := g.baseTable(); t != nil && len(t.Key) > 0 {
			o := *e
			o.rows, o.own = nil, nil
			return place{t, g.byKey(&o, t, t.Name)}, true
		}
	}
	return place{}, false
}

// amount draws a column that counts something, nil if there is none.
func (t *Table) amount(g *gen) *Column {
	var list []*Column
	for _, c := range settable(t) {
		if c.Type.Sums && c.Ref == nil && !isKey(t, c) && !c.Auto {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return pick(g, list)
}

// other draws a column that may be set.
func (t *Table) other(g *gen) *Column {
	var list []*Column
	for _, c := range settable(t) {
		if !isKey(t, c) {
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return pick(g, list)
}

// newRow is the columns and values of a row to insert.
func (g *gen) newRow(e *env, t *Table) *Node {
	var names []string
	vals := list(", ", 0)
	for _, c := range settable(t) {
		if c.Auto {
			continue
		}
		names = append(names, c.Name)
		vals.Kids = append(vals.Kids, g.put(e, c.Type, 0))
	}
	vals.Least = len(vals.Kids)
	if len(names) == 0 {
		return seq("", "INSERT INTO "+t.Name+" DEFAULT VALUES")
	}
	return seq("", "INSERT INTO "+t.Name+" ("+join(names)+") VALUES (", vals, ")")
}

// forUpdate is a row lock, or nothing.
func (g *gen) forUpdate(p int) *Node {
	if !g.chance(p) || !g.on("row lock") {
		return nil
	}
	return opt(seq("row lock", pick(g, []string{" FOR UPDATE", " FOR UPDATE", " FOR NO KEY UPDATE", " FOR SHARE"})))
}

// idiom makes statements of PL/pgSQL; nil where the schema has no place for it.
func (g *gen) idiom(b *body, e *env) *Node {
	return g.one(
		alt{4, func() *Node { return g.readModifyWrite(b, e) }},
		alt{3, func() *Node { return g.guardedUpdate(b, e) }},
		alt{4, func() *Node { return g.checkThenInsert(b, e) }},
		alt{3, func() *Node { return g.aggregateThenWrite(b, e) }},
		alt{2, func() *Node { return g.takeFirst(b, e) }},
		alt{2, func() *Node { return g.transfer(b, e) }},
		alt{2, func() *Node { return g.counter(b, e) }},
		alt{2, func() *Node { return g.removeParent(b, e) }},
		alt{1, func() *Node { return g.move(b, e) }},
	)
}

func (g *gen) readModifyWrite(b *body, e *env) *Node {
	p, ok := g.placeOf(e)
	c := p.amountOr(g)
	if !ok || c == nil {
		return nil
	}
	v := g.intoVar(b, e, c.Type)
	b.found = true
	guard := (*Node)(nil)
	if g.chance(40) {
		guard = opt(seq("guard", "IF "+pick(g, []string{"NOT FOUND", v.ref + " < 1", v.ref + " IS NULL"})+" THEN "+pick(g, []string{"RAISE EXCEPTION 'no'", "NULL"})+"; END IF;\n"))
	}
	return seq("read-modify-write", "SELECT "+c.Name+" INTO "+v.ref+" FROM "+p.t.Name+" WHERE ", p.key, g.forUpdate(30), ";\n", guard,
		"UPDATE "+p.t.Name+" SET "+c.Name+" = "+v.ref+pick(g, []string{" + ", " - "}), g.leaf(e, c.Type), " WHERE ", p.key.Clone(), ";\n")
}

// amountOr is amount of a place, which may be none.
func (p place) amountOr(g *gen) *Column {
	if p.t == nil {
		return nil
	}
	return p.t.amount(g)
}

func (g *gen) guardedUpdate(b *body, e *env) *Node {
	p, ok := g.placeOf(e)
	c := p.amountOr(g)
	if !ok || c == nil {
		return nil
	}
	b.found = true
	return seq("guarded update", "UPDATE "+p.t.Name+" SET "+c.Name+" = "+c.Name+" - ", g.leaf(&env{vars: e.vars}, c.Type), " WHERE ", p.key, " AND "+p.t.Name+"."+c.Name+" >= ", g.leaf(&env{vars: e.vars}, c.Type), ";\n",
		opt(seq("", "IF NOT FOUND THEN RAISE EXCEPTION 'too few'; END IF;\n")))
}

func (g *gen) checkThenInsert(b *body, e *env) *Node {
	t := g.baseTable()
	if t == nil {
		return nil
	}
	r := g.name("r")
	in := e.inner()
	in.addTable(t, r)
	c := pick(g, t.Columns)
	if !c.Type.comparable() {
		return nil
	}
	insert := g.newRow(e, t)
	return seq("check then insert", "IF NOT EXISTS (SELECT 1 FROM "+t.Name+" "+r+" WHERE "+r+"."+c.Name+" = ", g.put(&env{vars: e.vars}, c.Type, 0), g.forUpdate(15), ") THEN\n", insert, ";\nEND IF;\n")
}

func (g *gen) aggregateThenWrite(b *body, e *env) *Node {
	t := g.baseTable()
	if t == nil {
		return nil
	}
	r := g.name("r")
	in := e.inner()
	in.addTable(t, r)
	what := "count(*)"
	if c := t.amount(g); c != nil && (c.Type == Int || c.Type.Base == "int2") && g.chance(50) {
		what = "COALESCE(sum(" + r + "." + c.Name + "), 0)"
	}
	v := g.intoVar(b, e, Bigint)
	w, _ := g.write(e, false)
	return seq("aggregate then write", "SELECT "+what+" INTO "+v.ref+" FROM "+t.Name+" "+r, g.where(in, queryWish{depth: 1}, text("")), ";\nIF "+v.ref+pick(g, []string{" < ", " > ", " = ", " >= "})+g.integer(3)+" THEN\n", w, ";\nEND IF;\n")
}

// takeFirst takes the first row of a queue.
func (g *gen) takeFirst(b *body, e *env) *Node {
	t := g.baseTable()
	if t == nil || len(t.Key) != 1 {
		return nil
	}
	k := t.Key[0]
	r := g.name("r")
	in := e.inner()
	in.addTable(t, r)
	v := g.intoVar(b, e, k.Type)
	b.found = true
	lock := g.forUpdate(60)
	if lock != nil && !g.opt.Deterministic && g.chance(50) && g.on("skip locked") {
		lock.Kids = append(lock.Kids, text(" SKIP LOCKED"))
	}
	then := seq("", "DELETE FROM "+t.Name+" WHERE "+k.Name+" = "+v.ref+";\n")
	if c := t.other(g); c != nil && g.chance(50) {
		then = seq("", "UPDATE "+t.Name+" SET "+c.Name+" = ", g.expr(e, c.Type, 1), " WHERE "+k.Name+" = "+v.ref+";\n")
	}
	return seq("take the first", "SELECT "+r+"."+k.Name+" INTO "+v.ref+" FROM "+t.Name+" "+r, g.where(in, queryWish{depth: 1}, text("")), " ORDER BY "+r+"."+k.Name+" LIMIT 1", lock, ";\nIF FOUND THEN\n", then, "END IF;\n")
}

func (g *gen) transfer(b *body, e *env) *Node {
	p, ok := g.placeOf(e)
	c := p.amountOr(g)
	if !ok || c == nil {
		return nil
	}
	q := g.byKey(&env{vars: e.vars}, p.t, p.t.Name)
	v := g.intoVar(b, e, c.Type)
	n := g.leaf(&env{vars: e.vars}, c.Type)
	return seq("transfer", "SELECT "+c.Name+" INTO "+v.ref+" FROM "+p.t.Name+" WHERE ", p.key, g.forUpdate(50), ";\nIF "+v.ref+" >= ", n, " THEN\nUPDATE "+p.t.Name+" SET "+c.Name+" = "+c.Name+" - ", n.Clone(), " WHERE ", p.key.Clone(),
		";\nUPDATE "+p.t.Name+" SET "+c.Name+" = "+c.Name+" + ", n.Clone(), " WHERE ", q, ";\nEND IF;\n")
}

// counter counts with an upsert.
func (g *gen) counter(_ *body, e *env) *Node {
	t := g.baseTable()
	if t == nil || len(t.Key) == 0 || t.Key[0].Always {
		return nil
	}
	c := t.amount(g)
	if c == nil {
		return nil
	}
	var names []string
	vals := list(", ", 0)
	for _, k := range t.Key {
		names, vals.Kids = append(names, k.Name), append(vals.Kids, g.put(&env{vars: e.vars}, k.Type, 0))
	}
	for _, o := range settable(t) {
		if o == c || o.NotNull && !isKey(t, o) && !o.Auto {
			names, vals.Kids = append(names, o.Name), append(vals.Kids, g.put(&env{vars: e.vars}, o.Type, 0))
		}
	}
	vals.Least = len(vals.Kids)
	return seq("counter", "INSERT INTO "+t.Name+" ("+join(names)+") VALUES (", vals, ") ON CONFLICT ("+columnList(t.Key)+") DO UPDATE SET "+c.Name+" = "+t.Name+"."+c.Name+" + ", g.leaf(&env{}, c.Type), ";\n")
}

// removeParent deletes a row that no other one refers to.
func (g *gen) removeParent(_ *body, e *env) *Node {
	for _, child := range g.app.Tables {
		for _, c := range child.Columns {
			if c.Ref == nil || child.View {
				continue
			}
			for _, parent := range g.app.Tables {
				if len(parent.Key) == 1 && parent.Key[0] == c.Ref && g.chance(60) {
					v := g.put(&env{vars: e.vars}, c.Ref.Type, 0)
					return seq("remove a parent", "IF NOT EXISTS (SELECT 1 FROM "+child.Name+" WHERE "+c.Name+" = ", v, ") THEN\nDELETE FROM "+parent.Name+" WHERE "+parent.Key[0].Name+" = ", v.Clone(), ";\nEND IF;\n")
				}
			}
		}
	}
	return nil
}

// move takes rows out of one table and puts something into another.
func (g *gen) move(b *body, e *env) *Node {
	t := g.baseTable()
	if t == nil || len(t.Key) != 1 {
		return nil
	}
	to := g.baseTable()
	rec := g.name("r")
	b.decls.Kids = append(b.decls.Kids, text(rec+" record;\n"))
	in := e.inner()
	in.addTable(t, t.Name)
	return seq("move rows", "FOR "+rec+" IN SELECT * FROM "+t.Name, g.where(in, queryWish{depth: 1}, text("")), " ORDER BY "+t.Key[0].Name, g.forUpdate(30), " LOOP\nDELETE FROM "+t.Name+" WHERE "+t.Key[0].Name+" = "+rec+"."+t.Key[0].Name+";\n",
		g.newRow(e, to), ";\nEND LOOP;\n")
}
