package sqlgen

import "slices"

// write makes a statement that changes rows. ret gives what its RETURNING has, if
// it has one.
func (g *gen) write(e *env, returning bool) (n *Node, ret []binding) {
	t := writable(g)
	if t == nil {
		return seq("", "SELECT 1"), nil
	}
	in := e.inner()
	n = g.one(
		alt{5, func() *Node { return g.update(in, t) }},
		alt{4, func() *Node { return g.insert(in, t) }},
		alt{2, func() *Node { return g.delete(in, t) }},
		alt{1, func() *Node {
			if returning || t.View || !g.on("merge") {
				return nil
			}
			return g.merge(in, t)
		}},
	)
	if returning {
		n, ret = g.returning(n, in, t)
	}
	return n, ret
}

// baseTable draws a table, nil if there is none.
func (g *gen) baseTable() *Table {
	var list []*Table
	for _, t := range g.app.Tables {
		if !t.View {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		return nil
	}
	return pick(g, list)
}

// writable draws a table, or a view through which its rows can be written; nil if there is none.
func writable(g *gen) *Table {
	for _, t := range g.app.Tables {
		if t.Lockable && g.chance(25) && g.on("write of a view") {
			return t
		}
	}
	return g.baseTable()
}

// returning adds a RETURNING clause over the row of the target, and over what is
// joined to it.
func (g *gen) returning(n *Node, in *env, t *Table) (*Node, []binding) {
	items := list(", ", 1)
	q := query{}
	for i := range 1 + g.rng.IntN(2) {
		b := pick(g, in.own)
		x := seq("name", b.ref).of(b.t.sort(), g.simple(b.t))
		if g.chance(30) {
			ret := *in
			ret.plain = ret.plain || !g.on("subquery in returning")
			x = g.expr(&ret, b.t, 1)
		}
		g.item(&q, items, x, b.t, i, queryWish{})
	}
	return seq("returning", n, " RETURNING ", items), q.cols
}

// settable gives the columns that an INSERT or UPDATE may give a value.
func settable(t *Table) []*Column {
	var out []*Column
	for _, c := range t.Columns {
		if !c.Generated && !c.Always {
			out = append(out, c)
		}
	}
	return out
}

// sets makes the list of SET.
func (g *gen) sets(e *env, t *Table, row string) *Node {
	sets := list(", ", 1)
	cols := settable(t)
	if len(cols) == 0 {
		return nil
	}
	seen := map[*Column]bool{}
	for range 1 + g.rng.IntN(2) {
		c := pick(g, cols)
		if seen[c] || isKey(t, c) && !(g.chance(12) && g.on("update of a key")) {
			continue
		}
		seen[c] = true
		sets.Kids = append(sets.Kids, seq("", c.Name+" = ", g.newValue(e, c, row)))
	}
	if len(sets.Kids) == 0 {
		for _, c := range cols {
			if !isKey(t, c) {
				sets.Kids = append(sets.Kids, seq("", c.Name+" = ", g.newValue(e, c, row)))
				break
			}
		}
	}
	if len(sets.Kids) == 0 {
		return nil
	}
	return sets
}

// newValue is what a column is set to: often a change of what it was.
func (g *gen) newValue(e *env, c *Column, row string) *Node {
	ref := c.Name
	if row != "" {
		ref = row + "." + c.Name
	}
	switch {
	case c.Type.Sums && c.Ref == nil && g.chance(45):
		return seq("change of a value", ref, pick(g, []string{" + ", " - "}), g.leaf(e, c.Type)).of(c.Type.sort(), g.simple(c.Type))
	case g.chance(4) && g.on("default as a value"):
		return seq("default as a value", "DEFAULT")
	}
	return g.put(e, c.Type, 2)
}

// update makes an UPDATE.
func (g *gen) update(in *env, t *Table) *Node {
	if !slices.ContainsFunc(settable(t), func(c *Column) bool { return !isKey(t, c) }) {
		return nil
	}
	as, decl := t.Name, t.Name
	if g.chance(30) {
		as = g.name("r")
		decl = t.Name + " AS " + as
	}
	in.addTable(t, as)
	own := in.own
	var from *Node
	if g.chance(15) && g.on("update from") {
		item, _ := g.fromItem(in, queryWish{depth: 1}, false)
		from = seq("update from", " FROM ", item)
	}
	var sets *Node
	if len(settable(t)) > 2 && g.chance(8) && g.on("row in set") {
		sets = g.rowSet(in, t)
	}
	if sets == nil {
		sets = g.sets(in, t, as)
	}
	if from != nil {
		return seq("", "UPDATE "+decl+" SET ", sets, from, " WHERE ", g.join2(in, t, as, own))
	}
	return seq("update", "UPDATE "+decl+" SET ", sets, g.target(in, t, as))
}

// rowSet is SET (a, b) = ….
func (g *gen) rowSet(e *env, t *Table) *Node {
	var cols []*Column
	for _, c := range settable(t) {
		if !isKey(t, c) {
			cols = append(cols, c)
		}
	}
	if len(cols) < 2 {
		return nil
	}
	a, b := cols[0], cols[1]
	head := "(" + a.Name + ", " + b.Name + ") = "
	if g.chance(50) && !e.plain {
		q := g.query(e, queryWish{types: []*Type{a.Type, b.Type}, depth: 1, one: true})
		return seq("subquery in set", head, "(", q.node, ")")
	}
	return seq("row in set", head, "(", g.expr(e, a.Type, 1), ", ", g.expr(e, b.Type, 1), ")")
}

// target makes the WHERE of an UPDATE or DELETE: mostly one row by its key.
func (g *gen) target(e *env, t *Table, as string) *Node {
	switch {
	case len(t.Key) > 0 && g.chance(55):
		o := *e
		o.rows, o.own = nil, nil
		return opt(seq("where key", " WHERE ", g.byKey(&o, t, as)))
	case g.chance(10):
		return nil
	}
	return opt(seq("where", " WHERE ", g.cond(e, 2)))
}

// byKey is a condition that finds one row.
func (g *gen) byKey(e *env, t *Table, as string) *Node {
	var parts []any
	for i, k := range t.Key {
		if i > 0 {
			parts = append(parts, " AND ")
		}
		parts = append(parts, as+"."+k.Name+" = ", g.put(e, k.Type, 0))
	}
	return seq("", parts...)
}

// join2 is a condition that joins the target of an UPDATE or DELETE to others.
func (g *gen) join2(e *env, t *Table, as string, own []binding) *Node {
	for _, b := range e.own[len(own):] {
		for _, k := range t.Key {
			if k.Type == b.t {
				return seq("", as+"."+k.Name+" = "+b.ref, opt(seq("", " AND ", g.cond(e, 1))))
			}
		}
	}
	return g.cond(e, 2)
}

// delete makes a DELETE.
func (g *gen) delete(in *env, t *Table) *Node {
	in.addTable(t, t.Name)
	own := in.own
	if g.chance(12) && g.on("delete using") {
		item, _ := g.fromItem(in, queryWish{depth: 1}, false)
		return seq("delete using", "DELETE FROM "+t.Name+" USING ", item, " WHERE ", g.join2(in, t, t.Name, own))
	}
	return seq("delete", "DELETE FROM "+t.Name, g.target(in, t, t.Name))
}

// insert makes an INSERT, and the columns of the new row visible in in.
func (g *gen) insert(in *env, t *Table) *Node {
	e := in.inner()
	in.addTable(t, t.Name)
	if g.chance(3) && g.on("default values") {
		return seq("default values", "INSERT INTO "+t.Name+" DEFAULT VALUES", g.conflict(in, t))
	}
	var names []string
	var cols []*Column
	for _, c := range settable(t) {
		if c.Auto && g.chance(70) || !c.NotNull && g.chance(15) {
			continue
		}
		names, cols = append(names, c.Name), append(cols, c)
	}
	if len(cols) == 0 {
		return seq("default values", "INSERT INTO "+t.Name+" DEFAULT VALUES", g.conflict(in, t))
	}
	head := "INSERT INTO " + t.Name + " (" + join(names) + ") "
	if g.chance(22) && g.on("insert select") {
		var types []*Type
		for _, c := range cols {
			types = append(types, c.Type)
		}
		q := g.selects(e, queryWish{types: types, depth: 2})
		return seq("insert select", head, q.node, g.conflict(in, t))
	}
	rows := list(", ", 1)
	n := 1
	if g.chance(15) {
		n = 2
	}
	for range n {
		vals := list(", ", len(cols))
		for _, c := range cols {
			if g.chance(3) && g.on("default as a value") {
				vals.Kids = append(vals.Kids, seq("default as a value", "DEFAULT"))
				continue
			}
			vals.Kids = append(vals.Kids, g.put(e, c.Type, 1))
		}
		rows.Kids = append(rows.Kids, seq("", "(", vals, ")"))
	}
	return seq("insert values", head, "VALUES ", rows, g.conflict(in, t))
}

// conflict makes ON CONFLICT, or nothing.
func (g *gen) conflict(in *env, t *Table) *Node {
	if !g.chance(28) || !g.on("on conflict") {
		return nil
	}
	var keys []string
	if len(t.Key) > 0 {
		keys = append(keys, columnList(t.Key))
	}
	for _, u := range t.Uniques {
		keys = append(keys, columnList(u))
	}
	if len(t.Key) > 0 && g.chance(10) && g.on("on constraint") {
		return opt(seq("on constraint", " ON CONFLICT ON CONSTRAINT "+t.Name+"_pkey DO NOTHING"))
	}
	if len(keys) == 0 || g.chance(25) {
		return opt(seq("on conflict do nothing", " ON CONFLICT DO NOTHING"))
	}
	target := " ON CONFLICT (" + pick(g, keys) + ") DO "
	if g.chance(35) {
		return opt(seq("on conflict target do nothing", target+"NOTHING"))
	}
	e := in.inner()
	e.addTable(t, t.Name)
	e.addTable(t, "excluded")
	sets := g.sets(e, t, t.Name)
	if sets == nil {
		return opt(seq("on conflict target do nothing", target+"NOTHING"))
	}
	n := seq("on conflict do update", target+"UPDATE SET ", sets)
	if g.chance(25) {
		n.Kids = append(n.Kids, opt(seq("on conflict where", " WHERE ", g.cond(e, 1))))
	}
	return opt(n)
}

func columnList(cols []*Column) string {
	var names []string
	for _, c := range cols {
		names = append(names, c.Name)
	}
	return join(names)
}

// merge makes a MERGE.
func (g *gen) merge(in *env, t *Table) *Node {
	as := g.name("r")
	var source *Node
	src := in.inner()
	if g.chance(50) {
		var types []*Type
		for _, k := range t.Key {
			types = append(types, k.Type)
		}
		types = append(types, Int)
		row, names := list(", ", len(types)), []string{}
		out := &Table{}
		for i, ty := range types {
			row.Kids = append(row.Kids, g.leaf(in, ty))
			names = append(names, "m"+string(rune('a'+i)))
			out.Columns = append(out.Columns, &Column{Name: names[i], Type: ty})
		}
		source = seq("merge values", "(VALUES (", row, ")) AS "+as+"("+join(names)+")")
		src.addTable(out, as)
	} else {
		other := g.baseTable()
		source = seq("merge table", other.Name+" AS "+as)
		src.addTable(other, as)
	}
	both := src.inner()
	both.own = append([]binding(nil), src.own...)
	both.addTable(t, t.Name)
	plain := *both
	plain.plain = true
	var on *Node
	for _, b := range src.own {
		for _, k := range t.Key {
			if on == nil && k.Type == b.t {
				on = seq("", t.Name+"."+k.Name+" = "+b.ref)
			}
		}
	}
	if on == nil {
		on = g.cond(&plain, 1)
	}
	and := func(e *env, p int) any {
		if !g.chance(p) {
			return nil
		}
		return opt(seq("merge and", " AND ", g.cond(e, 1)))
	}
	whens := list("", 1)
	deletes := g.chance(25)
	if sets := g.sets(&plain, t, t.Name); sets != nil && g.chance(70) {
		p := 30
		if deletes { // what comes after a WHEN without condition is refused
			p = 100
		}
		whens.Kids = append(whens.Kids, seq("merge update", " WHEN MATCHED", and(&plain, p), " THEN UPDATE SET ", sets))
	}
	if deletes || len(whens.Kids) == 0 {
		whens.Kids = append(whens.Kids, seq("merge delete", " WHEN MATCHED", and(&plain, 30), " THEN DELETE"))
	}
	if g.chance(65) {
		one := *src
		one.plain = true
		var names []string
		vals := list(", ", 0)
		for _, c := range settable(t) {
			if c.Auto {
				continue
			}
			names, vals.Kids = append(names, c.Name), append(vals.Kids, g.leaf(&one, c.Type))
		}
		vals.Least = len(vals.Kids)
		if len(names) > 0 {
			whens.Kids = append(whens.Kids, seq("merge insert", " WHEN NOT MATCHED", and(&one, 30), " THEN INSERT ("+join(names)+") VALUES (", vals, ")"))
		}
	}
	return seq("merge", "MERGE INTO "+t.Name+" USING ", source, " ON ", on, whens)
}
