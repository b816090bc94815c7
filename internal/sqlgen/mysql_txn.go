package sqlgen

import "strconv"

// mysqlTxn makes a transaction in the dialect of MySQL.
func (g *mysqlGen) mysqlTxn(name string) *Txn {
	t := &Txn{Name: name, Kind: Script, Dialect: MySQL, Node: list("", 1)}
	e := &env{}
	for i := range g.rng.IntN(4) {
		p := Param{Name: "p" + strconv.Itoa(i+1), Type: mysqlInt}
		if g.chance(50) {
			if p.Type = pick(g.gen, pick(g.gen, g.app.Tables).Columns).Type; p.Type.Time { // a parameter has a value of its column
				p.Type = mysqlTime
			}
		}
		t.Params = append(t.Params, p)
		e.vars = append(e.vars, binding{ref: ":" + p.Name, name: p.Name, t: p.Type, null: true})
	}
	for range 1 + g.rng.IntN(g.opt.Statements) {
		if g.chance(8) && g.on("savepoint") {
			g.mysqlSavepoint(t, e)
			continue
		}
		for _, n := range g.mysqlStatements(e) {
			t.Node.Kids = append(t.Node.Kids, seq("", n, ";\n"))
		}
	}
	return t
}

// mysqlStatements are one or a few statements that belong together.
func (g *mysqlGen) mysqlStatements(e *env) []*Node {
	if g.chance(30) && g.on("idiom") {
		if list := g.mysqlIdiom(e); list != nil {
			return list
		}
	}
	n := g.one(
		alt{34, func() *Node { return g.mysqlSelect(e) }},
		alt{6, func() *Node { return g.mysqlInto(e) }},
		alt{3, func() *Node { return g.mysqlSet(e) }},
		alt{20, func() *Node { return g.mysqlInsert(e) }},
		alt{26, func() *Node { return g.mysqlUpdate(e) }},
		alt{11, func() *Node { return g.mysqlDelete(e) }},
	)
	return []*Node{n.of("statement", "")}
}

func (g *mysqlGen) mysqlSavepoint(t *Txn, e *env) {
	name := g.name("p")
	t.Node.Kids = append(t.Node.Kids, seq("savepoint", "SAVEPOINT "+name+";\n"))
	for _, n := range g.mysqlStatements(e) {
		t.Node.Kids = append(t.Node.Kids, seq("", n, ";\n"))
	}
	t.Node.Kids = append(t.Node.Kids, seq("rollback to savepoint", "ROLLBACK TO "+name+";\n"))
}

// mysqlWhere is a condition on rows, often on the key.
func (g *mysqlGen) mysqlWhere(e *env, t *Table, as string, p int) *Node {
	if g.chance(p) {
		if n := g.mysqlKey(e, t, as); n != nil {
			if g.chance(12) {
				return seq("", " WHERE ", n, opt(seq("", " AND ", g.mysqlCond(e, 1))))
			}
			return seq("by key", " WHERE ", n)
		}
	}
	return opt(seq("", " WHERE ", g.mysqlCond(e, 2)))
}

// mysqlFrom is a FROM list, whose rows are added to e, and the first table with its name.
func (g *mysqlGen) mysqlFrom(e *env) (*Node, *Table, string) {
	t := pick(g.gen, g.app.Tables)
	as := t.Name
	n := seq("", " FROM "+t.Name)
	if g.chance(30) {
		as = g.name("r")
		n = seq("alias", " FROM "+t.Name+" "+as)
	}
	e.addTable(t, as)
	if g.chance(22) && g.on("join") {
		u, b := pick(g.gen, g.app.Tables), g.name("r")
		e.addTable(u, b)
		words := pick(g.gen, []string{" JOIN ", " JOIN ", " INNER JOIN ", " LEFT JOIN "})
		if !g.on("left join") {
			words = " JOIN "
		}
		on := g.mysqlKey(&env{vars: e.vars}, u, b)
		if o := t.ref(u); o != nil {
			on = text(as + "." + o.Name + " = " + b + "." + o.Ref.Name)
		} else if on == nil || g.chance(50) {
			on = g.mysqlCond(e, 1)
		}
		n.Kids = append(n.Kids, opt(seq("join", words+u.Name+" "+b+" ON ", on)))
	}
	return n, t, as
}

// ref is a column of t that refers to u, nil if there is none.
func (t *Table) ref(u *Table) *Column {
	for _, c := range t.Columns {
		if c.Ref != nil && len(u.Key) == 1 && u.Key[0] == c.Ref {
			return c
		}
	}
	return nil
}

func (g *mysqlGen) mysqlLock(p int) *Node {
	if !g.chance(p) || !g.on("row lock") {
		return nil
	}
	return opt(seq("row lock", pick(g.gen, []string{" FOR UPDATE", " FOR UPDATE", " LOCK IN SHARE MODE"})))
}

// mysqlSelect is a query that gives rows.
func (g *mysqlGen) mysqlSelect(e *env) *Node {
	in := e.inner()
	in.rows, in.own = nil, nil
	from, t, as := g.mysqlFrom(in)
	if g.chance(22) {
		return g.mysqlAggregates(in, from, t, as)
	}
	cols := list(", ", 1)
	if g.chance(15) {
		cols.Kids = append(cols.Kids, seq("star", "*"))
	} else {
		for range 1 + g.rng.IntN(3) {
			ty := pick(g.gen, in.rows).t
			cols.Kids = append(cols.Kids, g.mysqlExpr(in, ty, g.rng.IntN(3)))
		}
	}
	n := seq("select", "SELECT ", g.mysqlDistinct(), cols, from, g.mysqlWhere(in, t, as, 50))
	if g.chance(3) && g.on("union") {
		n.Kids = append(n.Kids, opt(seq("union", " UNION SELECT ", cols.Clone(), from.Clone())))
		return n
	}
	if g.chance(30) {
		order := list(", ", 1)
		for range 1 + g.rng.IntN(2) {
			order.Kids = append(order.Kids, seq("", pick(g.gen, in.rows).ref, pick(g.gen, []string{"", " DESC"})))
		}
		n.Kids = append(n.Kids, opt(seq("order by", " ORDER BY ", order)))
		if g.chance(45) {
			limits := []string{" LIMIT 1", " LIMIT 2", " LIMIT 1 OFFSET 1"}
			if !g.on("offset") {
				limits = limits[:2]
			}
			n.Kids = append(n.Kids, opt(seq("limit", pick(g.gen, limits))))
		}
	}
	if lock := g.mysqlLock(22); lock != nil {
		n.Kids = append(n.Kids, lock)
	}
	return n
}

func (g *mysqlGen) mysqlDistinct() *Node {
	if !g.chance(4) || !g.on("distinct") {
		return nil
	}
	return opt(seq("distinct", "DISTINCT "))
}

func (g *mysqlGen) mysqlAggregates(in *env, from *Node, t *Table, as string) *Node {
	cols := list(", ", 1)
	for range 1 + g.rng.IntN(2) {
		ty := pick(g.gen, in.rows).t
		cols.Kids = append(cols.Kids, g.one(
			alt{3, func() *Node { return seq("count", "COUNT(*)") }},
			alt{2, func() *Node {
				return seq("count of values", "COUNT(", pick(g.gen, []string{"", "DISTINCT "}), g.mysqlExpr(in, ty, 0), ")")
			}},
			alt{4, func() *Node {
				return seq("aggregate", pick(g.gen, []string{"SUM(", "MIN(", "MAX("}), g.mysqlExpr(in, mysqlInt, 1), ")", pick(g.gen, []string{"", " + 1"}))
			}},
			alt{1, func() *Node {
				return seq("aggregate of texts", pick(g.gen, []string{"MIN(", "MAX("}), g.mysqlExpr(in, ty, 0), ")")
			}},
		))
	}
	n := seq("select aggregates", "SELECT ", cols, from, g.mysqlWhere(in, t, as, 20), g.mysqlLock(12))
	if g.chance(6) && g.on("group by") {
		c := pick(g.gen, in.rows).ref
		n = seq("group by", "SELECT "+c+", ", cols, from, g.mysqlWhere(in, t, as, 20), " GROUP BY "+c)
	}
	return n
}

// mysqlInto is SELECT … INTO @v; the variable is one of e then.
func (g *mysqlGen) mysqlInto(e *env) *Node {
	in := e.inner()
	in.rows, in.own = nil, nil
	t := pick(g.gen, g.app.Tables)
	in.addTable(t, t.Name)
	key := g.mysqlKey(in, t, t.Name)
	if key == nil {
		return nil
	}
	c := pick(g.gen, in.rows)
	v := g.name("v")
	if g.chance(20) {
		if !c.t.Sums {
			return nil
		}
		e.vars = append(e.vars, binding{ref: "@" + v, t: c.t, null: true})
		return seq("select aggregate into", "SELECT COALESCE("+pick(g.gen, []string{"MAX(", "SUM("})+c.ref+"), 0) INTO @"+v+" FROM "+t.Name, opt(seq("", " WHERE ", g.mysqlCond(in, 1))))
	}
	n := seq("select into", "SELECT ", g.mysqlExpr(in, c.t, 1), " INTO @"+v+" FROM "+t.Name+" WHERE ", key, g.mysqlLock(30))
	e.vars = append(e.vars, binding{ref: "@" + v, t: c.t, null: true})
	return n
}

// mysqlSet is SET @v = ….
func (g *mysqlGen) mysqlSet(e *env) *Node {
	t := pick(g.gen, pick(g.gen, g.app.Tables).Columns).Type
	o := *e
	o.rows, o.own = nil, nil
	v := g.name("v")
	n := seq("set", "SET @"+v+" = ", g.mysqlExpr(&o, t, 2))
	e.vars = append(e.vars, binding{ref: "@" + v, t: t, null: true})
	return n
}

// mysqlInsert is INSERT in one of its forms, or REPLACE.
func (g *mysqlGen) mysqlInsert(e *env) *Node {
	t := pick(g.gen, g.app.Tables)
	o := *e
	o.rows, o.own = nil, nil
	cols, names := []*Column{}, []string{}
	for _, c := range t.Columns {
		if c.Generated || c.Auto && g.chance(85) || !c.NotNull && g.chance(15) {
			continue
		}
		cols, names = append(cols, c), append(names, c.Name)
	}
	row := func(e *env) *Node {
		vals := list(", ", len(cols))
		for _, c := range cols {
			if c.NotNull && !c.Auto && g.chance(2) {
				vals.Kids = append(vals.Kids, seq("default as value", "DEFAULT"))
				continue
			}
			vals.Kids = append(vals.Kids, g.mysqlExpr(e, c.Type, g.rng.IntN(2)))
		}
		return vals
	}
	verb, prod := "INSERT INTO ", "insert"
	switch n := g.rng.IntN(100); {
	case n < 5 && g.on("insert ignore"):
		verb, prod = "INSERT IGNORE INTO ", "insert ignore"
	case n < 10 && g.on("replace"):
		verb, prod = "REPLACE INTO ", "replace"
	}
	head := verb + t.Name + " (" + mysqlNames(names) + ")"
	if g.chance(8) && g.on("insert of a query") {
		src := pick(g.gen, g.app.Tables)
		o.addTable(src, src.Name)
		return seq("insert of a query", head+" SELECT ", row(&o), " FROM "+src.Name, opt(seq("", " WHERE ", g.mysqlCond(&o, 1))))
	}
	n := seq(prod, head+" VALUES (", row(&o), ")")
	if g.chance(12) {
		n.Kids = append(n.Kids, opt(seq("several rows", ", (", row(&o), ")")))
	}
	if g.chance(15) && prod == "insert" && g.on("on duplicate key") {
		o.addTable(t, t.Name)
		n.Kids = append(n.Kids, opt(seq("on duplicate key", " ON DUPLICATE KEY UPDATE ", g.mysqlSets(&o, t, "", true))))
	}
	return n
}

// mysqlSets are assignments, which see those before them.
func (g *mysqlGen) mysqlSets(e *env, t *Table, as string, proposed bool) *Node {
	sets := list(", ", 1)
	set := map[*Column]bool{}
	for range 1 + g.rng.IntN(2) {
		c := pick(g.gen, t.Columns)
		if (isKey(t, c) || c.Generated) && !g.chance(10) {
			if c = t.other(g.gen); c == nil {
				c = t.Columns[len(t.Columns)-1]
			}
		}
		if set[c] && !g.chance(3) {
			continue
		}
		set[c] = true
		val := g.one(
			alt{6, func() *Node { return g.mysqlExpr(e, c.Type, 1) }},
			alt{5, func() *Node {
				if !c.Type.Sums {
					return nil
				}
				name := c.Name
				if as != "" {
					name = as + "." + name
				}
				return seq("increment", name+pick(g.gen, []string{" + ", " - "}), g.mysqlLeaf(&env{vars: e.vars}, c.Type)).of("number", name)
			}},
			alt{2, func() *Node {
				if !proposed {
					return nil
				}
				return seq("values()", "VALUES("+c.Name+")")
			}},
		)
		sets.Kids = append(sets.Kids, seq("", c.Name+" = ", val))
	}
	return sets
}

func (g *mysqlGen) mysqlUpdate(e *env) *Node {
	t := pick(g.gen, g.app.Tables)
	in := e.inner()
	in.rows, in.own = nil, nil
	if g.chance(4) && g.on("update of several tables") {
		u := pick(g.gen, g.app.Tables)
		in.addTable(t, "x1")
		in.addTable(u, "x2")
		return seq("update of several tables", "UPDATE "+t.Name+" x1 JOIN "+u.Name+" x2 ON ", g.mysqlCond(in, 1), " SET x1.", g.mysqlSets(in, t, "x1", false))
	}
	in.addTable(t, t.Name)
	n := seq("update", "UPDATE "+t.Name+" SET ", g.mysqlSets(in, t, t.Name, false), g.mysqlWhere(in, t, t.Name, 65))
	if g.chance(4) && g.on("limited write") {
		n.Kids = append(n.Kids, opt(seq("limited write", " ORDER BY "+pick(g.gen, in.rows).ref+" LIMIT 1")))
	}
	return n
}

func (g *mysqlGen) mysqlDelete(e *env) *Node {
	t := pick(g.gen, g.app.Tables)
	in := e.inner()
	in.rows, in.own = nil, nil
	in.addTable(t, t.Name)
	n := seq("delete", "DELETE FROM "+t.Name, g.mysqlWhere(in, t, t.Name, 60))
	if g.chance(4) && g.on("limited write") {
		n.Kids = append(n.Kids, opt(seq("limited write", " LIMIT 1")))
	}
	return n
}

// mysqlIdiom is a piece of a transaction as applications write it.
func (g *mysqlGen) mysqlIdiom(e *env) []*Node {
	t := pick(g.gen, g.app.Tables)
	c := t.amount(g.gen)
	key := g.mysqlKey(e, t, t.Name)
	if c == nil || key == nil {
		return nil
	}
	at := func() *Node { return seq("", " WHERE ", key.Clone()) }
	arg := func() *Node { return g.mysqlLeaf(&env{vars: e.vars}, c.Type) }
	update := func(parts ...any) *Node {
		return seq("", append([]any{"UPDATE " + t.Name + " SET " + c.Name + " = "}, parts...)...).of("statement", "")
	}
	switch g.rng.IntN(7) {
	case 0: // read, and write what follows from it
		v := g.name("v")
		e.vars = append(e.vars, binding{ref: "@" + v, t: c.Type, null: true})
		return []*Node{
			seq("idiom: read and write", "SELECT "+c.Name+" INTO @"+v+" FROM "+t.Name, at(), g.mysqlLock(40)).of("statement", ""),
			update("@"+v+pick(g.gen, []string{" + ", " - "}), arg(), at()),
		}
	case 1: // take where there is enough
		n := arg()
		return []*Node{update(c.Name+" - ", n, at(), " AND "+c.Name+" >= ", n.Clone())}
	case 2: // read one row, write another
		u := pick(g.gen, g.app.Tables)
		d, other := u.amount(g.gen), g.mysqlKey(e, u, u.Name)
		if d == nil || other == nil {
			return nil
		}
		return []*Node{
			seq("idiom: look and write", "SELECT "+c.Name+" FROM "+t.Name, at(), g.mysqlLock(20)).of("statement", ""),
			seq("", "UPDATE "+u.Name+" SET "+d.Name+" = ", g.mysqlLeaf(&env{vars: e.vars}, d.Type), " WHERE ", other).of("statement", ""),
		}
	case 3: // move
		from, to := g.mysqlKey(e, t, t.Name), g.mysqlKey(e, t, t.Name)
		n := arg()
		return []*Node{update(c.Name+" - ", n, " WHERE ", from), update(c.Name+" + ", n.Clone(), " WHERE ", to)}
	case 4: // sum, and bound by it
		return []*Node{
			seq("idiom: sum", "SELECT SUM("+c.Name+") FROM "+t.Name).of("statement", ""),
			update(c.Name+" + ", arg(), at()),
		}
	case 5: // add a row and a row that belongs to it
		if !t.Key[0].Auto {
			return nil
		}
		var out []*Node
		row := func(t *Table, e *env) *Node {
			names, vals := []string{}, list(", ", 0)
			for _, c := range t.Columns {
				if c.Auto || c.Generated {
					continue
				}
				names = append(names, c.Name)
				if c.Ref != nil && c.Ref.Auto {
					vals.Kids = append(vals.Kids, text("LAST_INSERT_ID()"))
					continue
				}
				vals.Kids = append(vals.Kids, g.mysqlLeaf(&env{vars: e.vars}, c.Type))
			}
			vals.Least = len(vals.Kids)
			return seq("idiom: parent and child", "INSERT INTO "+t.Name+" ("+mysqlNames(names)+") VALUES (", vals, ")").of("statement", "")
		}
		out = append(out, row(t, e))
		for _, u := range g.app.Tables {
			if u.ref(t) != nil && u != t {
				out = append(out, row(u, e))
				break
			}
		}
		return append(out, seq("last_insert_id", "SELECT LAST_INSERT_ID(), COUNT(*) FROM "+t.Name+" WHERE "+t.Key[0].Name+" = LAST_INSERT_ID()").of("statement", ""))
	}
	return []*Node{update(c.Name+pick(g.gen, []string{" + ", " - "}), arg(), at())} // count
}
