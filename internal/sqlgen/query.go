package sqlgen

import (
	"strconv"
	"strings"
)

// queryWish says what a query is for.
type queryWish struct {
	// types are those of its columns; nil is any.
	types []*Type
	depth int
	// one asks for at most one row, most of the time. exists says that only
	// whether there are rows counts.
	one, exists bool
	// named asks for names of columns that are different.
	named bool
	// top says that it is a statement, whose rows may be locked.
	top bool
}

// query is a query with its columns.
type query struct {
	node *Node
	cols []binding
	// total says that the order of its rows is told.
	total bool
}

// outTypes draws types of columns.
func (g *gen) outTypes(e *env, w queryWish) []*Type {
	if w.types != nil {
		return w.types
	}
	if w.exists {
		return []*Type{Int}
	}
	var out []*Type
	for range 1 + g.rng.IntN(3) {
		if len(e.own) > 0 && g.chance(70) {
			out = append(out, pick(g, e.own).t)
		} else {
			out = append(out, pick(g, g.types))
		}
	}
	return out
}

// query makes a query.
func (g *gen) query(e *env, w queryWish) query {
	e = e.inner()
	var with *Node
	if g.chance(8) && w.depth > 0 && g.on("with") {
		with = list(", ", 1)
		for range 1 + g.rng.IntN(2) {
			with.Kids = append(with.Kids, g.cte(e, w.depth-1))
		}
	}
	var q query
	switch n := g.rng.IntN(100); {
	case n < 7 && w.depth > 0 && !w.one && g.on("set operation"):
		q = g.setOp(e, w)
	case n < 11 && !w.one && !w.exists && g.on("values"):
		q = g.values(e, w)
	default:
		q = g.selects(e, w)
	}
	if with != nil {
		word := "WITH "
		if with.Productions()["with recursive"] > 0 {
			word = "WITH RECURSIVE "
		}
		q.node = seq("with", word, with, " ", q.node)
	}
	q.node.of("query "+signature(q.cols), "")
	return q
}

// signature tells queries apart that cannot stand in each other's place.
func signature(cols []binding) string {
	s := ""
	for _, c := range cols {
		s += c.name + " " + c.t.Name + ","
	}
	return s
}

// cte makes a query of WITH, and its name known.
func (g *gen) cte(e *env, depth int) *Node {
	name := g.name("w")
	if g.chance(10) {
		if n := steps(g, e, name); n != nil {
			return n
		}
	}
	if g.chance(12) && g.on("with recursive") {
		e.ctes = append(e.ctes, &Table{Name: name, View: true, Columns: []*Column{{Name: "n", Type: Int}}})
		return seq("with recursive", name+"(n) AS (SELECT ", g.leaf(e, Int), " UNION SELECT n + 1 FROM "+name+" WHERE n < "+g.integer(4)+")")
	}
	q := g.query(e, queryWish{depth: depth, named: true})
	e.ctes = append(e.ctes, q.asTable(name))
	return seq("common table expression", name+" AS "+pick(g, []string{"", "", "MATERIALIZED ", "NOT MATERIALIZED "})+"(", q.node, ")")
}

// steps makes a query of WITH RECURSIVE that goes from row to row of a table, nil if there is none with whole numbers.
func steps(g *gen, e *env, name string) *Node {
	var from []*Table
	numbers := func(t *Table) (out []*Column) {
		for _, c := range t.Columns {
			if c.Type == Int && !c.Auto && (c.Ref == nil || !c.Ref.Auto) {
				out = append(out, c)
			}
		}
		return out
	}
	for _, t := range g.app.Tables {
		if !t.View && len(numbers(t)) > 0 {
			from = append(from, t)
		}
	}
	if len(from) == 0 || !g.on("with recursive") {
		return nil
	}
	t := pick(g, from)
	here, next := pick(g, numbers(t)).Name, pick(g, numbers(t)).Name
	cols, round, start, union, last := "n", "", "", " UNION ", ""
	made := &Table{Name: name, View: true, Columns: []*Column{{Name: "n", Type: Int}}}
	if g.chance(50) {
		cols, round, start, union, last = "n, d", ", "+name+".d + 1", ", 1", pick(g, []string{" UNION ", " UNION ALL "}), " WHERE "+name+".d < "+g.integer(3)
		made.Columns = append(made.Columns, &Column{Name: "d", Type: Int})
	}
	join := pick(g, []string{"%t AS s JOIN %w ON s." + here + " = %w.n" + last, "%w LEFT JOIN %t AS s ON s." + here + " = %w.n" + last})
	join = strings.NewReplacer("%t", t.Name, "%w", name).Replace(join)
	first := g.leaf(e, Int)
	e.ctes = append(e.ctes, made)
	return seq("with recursive", name+"("+cols+") AS (SELECT ", first, start+union+"SELECT s."+next+round+" FROM "+join+")")
}

func (q query) asTable(name string) *Table {
	t := &Table{Name: name, View: true}
	for _, c := range q.cols {
		t.Columns = append(t.Columns, &Column{Name: c.name, Type: c.t, NotNull: !c.null})
	}
	return t
}

func (g *gen) setOp(e *env, w queryWish) query {
	l := g.selects(e, queryWish{types: g.outTypes(e, w), depth: w.depth - 1, named: true})
	var types []*Type
	for _, c := range l.cols {
		types = append(types, c.t)
	}
	r := g.selects(e, queryWish{types: types, depth: w.depth - 1})
	op := pick(g, []string{"UNION", "UNION ALL", "INTERSECT", "EXCEPT", "EXCEPT ALL", "INTERSECT ALL"})
	for _, t := range types {
		if !t.comparable() {
			op = "UNION ALL"
		}
	}
	for i := range l.cols {
		l.cols[i].null = true
	}
	q := query{node: seq("set operation "+op, "(", l.node, ") "+op+" (", r.node, ")"), cols: l.cols}
	if g.chance(50) && !w.exists {
		g.orderAll(&q)
	}
	return q
}

func (g *gen) values(e *env, w queryWish) query {
	types := g.outTypes(e, w)
	rows := list(", ", 1)
	for range 1 + g.rng.IntN(2) {
		row := list(", ", len(types))
		for _, t := range types {
			row.Kids = append(row.Kids, g.expr(e, t, w.depth-1))
		}
		rows.Kids = append(rows.Kids, seq("", "(", row, ")"))
	}
	q := query{node: seq("values", "VALUES ", rows)}
	for i, t := range types {
		q.cols = append(q.cols, binding{name: "column" + strconv.Itoa(i+1), t: t, null: true})
	}
	return q
}

// orderAll sorts by all columns of the result, so that the order is told.
func (g *gen) orderAll(q *query) {
	items := list(", ", 1)
	for i, c := range q.cols {
		if !c.t.comparable() || !g.ordered(c.t) {
			return
		}
		items.Kids = append(items.Kids, text(strconv.Itoa(i+1)+pick(g, []string{"", "", " DESC", " NULLS FIRST"})))
	}
	items.Least = len(items.Kids)
	q.node = seq("order by columns", q.node, " ORDER BY ", items)
	q.total = true
}

// selects makes SELECT … FROM ….
func (g *gen) selects(e *env, w queryWish) query {
	if w.one && !w.top && !g.on("several rows") {
		return g.sureOne(e, w)
	}
	in := e.inner()
	from, lock := g.from(in, w)
	where := g.where(in, w, from)
	outer := e
	if from == nil {
		lock = nil
	}
	if from != nil && g.chance(18) && !w.exists && !w.one && g.on("group by") {
		return g.grouped(outer, in, w, from, where)
	}
	if from != nil && (w.one && g.chance(45) || !w.exists && g.chance(8)) {
		if q, ok := g.aggregated(outer, in, w, from, where); ok {
			return q
		}
	}
	q := query{}
	items := list(", ", 1)
	types := g.outTypes(in, w)
	if w.types != nil {
		items.Least = len(types)
	}
	for i, t := range types {
		g.item(&q, items, g.output(in, t, w.depth-1), t, i, w)
	}
	q.node = seq("select", "SELECT ", items, from, where)
	switch {
	case w.exists || from == nil:
	case g.chance(7) && g.on("distinct") && comparableAll(q.cols):
		q.node = seq("distinct", "SELECT DISTINCT ", items, from, where)
		lock = nil
	case g.chance(4) && (w.top || g.on("limit in subquery")) && comparableAll(q.cols) && !g.opt.Deterministic:
		return g.distinctOn(in, q, items, from, where)
	case g.chance(5) && g.on("window function") && w.types == nil:
		g.windowColumn(in, &q, items, w)
		lock = nil
	}
	switch {
	case w.exists:
	case w.one:
		if w.top || g.on("limit in subquery") {
			g.orderAll(&q)
			q.node = seq("limit 1", q.node, " LIMIT 1")
		}
	case g.chance(50):
		g.orderAll(&q)
		if q.total && g.chance(25) && (w.top || g.on("limit in subquery")) {
			q.node = seq("limit", q.node, opt(text(" LIMIT "+g.integer(3))), opt(text(g.maybe(30, " OFFSET "+g.integer(2)))))
		}
	case g.chance(6) && !g.opt.Deterministic && (w.top || g.on("limit in subquery")):
		q.node = seq("limit without order", q.node, " LIMIT "+g.integer(3))
	}
	if lock != nil && w.top && g.chance(20) && g.on("row lock") {
		q.node = seq("", q.node, opt(lock()))
	}
	return q
}

// sureOne makes a query that gives at most one row.
func (g *gen) sureOne(e *env, w queryWish) query {
	in := e.inner()
	if g.chance(45) {
		from, _ := g.from(in, w)
		if from != nil {
			if q, ok := g.aggregated(e, in, w, from, g.where(in, w, from)); ok {
				return q
			}
		}
	}
	in = e.inner()
	q := query{total: true}
	var from, where *Node
	if t := g.baseTable(); t != nil && len(t.Key) > 0 {
		as := g.name("r")
		from = seq("", " FROM "+t.Name+" "+as)
		where = seq("where key", " WHERE ", g.byKey(e, t, as))
		in.addTable(t, as)
		if g.chance(30) {
			where.Kids = append(where.Kids, opt(seq("", " AND ", g.cond(in, 1))))
		}
	}
	items := list(", ", len(w.types))
	for i, t := range w.types {
		g.item(&q, items, g.expr(in, t, w.depth-1), t, i, w)
	}
	q.node = seq("select", "SELECT ", items, from, where)
	return q
}

func comparableAll(cols []binding) bool {
	for _, c := range cols {
		if !c.t.comparable() {
			return false
		}
	}
	return true
}

// output is an expression for a column of the result: often a column as it is.
func (g *gen) output(e *env, t *Type, depth int) *Node {
	if g.chance(40) {
		for range 3 {
			if len(e.own) == 0 {
				break
			}
			if b := pick(g, e.own); b.t == t {
				return seq("name", b.ref).of(t.sort(), g.simple(t))
			}
		}
	}
	return g.expr(e, t, depth)
}

// distinctOn is DISTINCT ON of an expression, mostly with an order that tells which row
// comes.
func (g *gen) distinctOn(in *env, q query, items, from, where *Node) query {
	b := pick(g, in.own)
	if !b.t.comparable() {
		return q
	}
	order := list(", ", 0, text(b.ref))
	if g.chance(80) {
		for _, c := range in.own {
			if c.t.comparable() && g.ordered(c.t) {
				order.Kids = append(order.Kids, text(c.ref+pick(g, []string{"", " DESC"})))
			}
		}
	}
	order.Least = len(order.Kids)
	q.node = seq("distinct on", "SELECT DISTINCT ON ("+b.ref+") ", items, from, where, " ORDER BY ", order)
	return q
}

// windowColumn adds a window function to a query.
func (g *gen) windowColumn(in *env, q *query, items *Node, w queryWish) {
	if len(in.own) == 0 {
		return
	}
	b, o := pick(g, in.own), pick(g, in.own)
	if !b.t.comparable() || !o.t.comparable() || b.auto || o.auto {
		return
	}
	fn := pick(g, []string{"count(*)", "row_number()", "rank()", "sum(1)", "dense_rank()"})
	part := g.maybe(60, "PARTITION BY "+b.ref+" ")
	t := Bigint
	x := seq("window function", fn+" OVER ("+part+"ORDER BY "+o.ref+")")
	g.item(q, items, x, t, len(q.cols), w)
}

// item adds an output column.
func (g *gen) item(q *query, items *Node, x *Node, t *Type, i int, w queryWish) {
	b := binding{name: "c" + strconv.Itoa(i+1), t: t, null: true}
	if w.named || g.chance(30) {
		x = seq("", x, " AS "+b.name)
	}
	items.Kids, q.cols = append(items.Kids, x), append(q.cols, b)
}

// aggregated is a query with aggregates and without GROUP BY.
func (g *gen) aggregated(outer, in *env, w queryWish, from, where *Node) (query, bool) {
	e := outer.inner()
	e.agg, e.plain = in, true
	q := query{total: true}
	items := list(", ", 1)
	types := g.outTypes(in, w)
	if w.types != nil {
		items.Least = len(types)
	}
	for i, t := range types {
		x := g.aggregate(e, t, w.depth)
		if x == nil {
			return q, false
		}
		if g.chance(25) {
			x = seq("coalesce", "COALESCE(", x, ", ", g.leaf(e, t), ")")
		}
		g.item(&q, items, x.of(t.sort(), g.simple(t)), t, i, w)
	}
	q.node = seq("aggregates", "SELECT ", items, from, where)
	return q, true
}

// grouped is a query with GROUP BY.
func (g *gen) grouped(outer, in *env, w queryWish, from, where *Node) query {
	e := outer.inner()
	e.agg, e.plain = in, true
	keys := list(", ", 1)
	for range 1 + g.rng.IntN(2) {
		if len(in.own) == 0 {
			break
		}
		b := pick(g, in.own)
		if !b.t.comparable() {
			continue
		}
		keys.Kids = append(keys.Kids, text(b.ref))
		e.own, e.rows = append(e.own, b), append(e.rows, b)
	}
	if len(keys.Kids) == 0 {
		keys.Kids = append(keys.Kids, text("1 = 1"))
	}
	q := query{}
	items := list(", ", 1)
	types := g.outTypes(e, w)
	if w.types != nil {
		items.Least = len(types)
	} else if g.chance(60) {
		types = append(types, Bigint)
	}
	for i, t := range types {
		g.item(&q, items, g.expr(e, t, max(w.depth-1, 1)), t, i, w)
	}
	by := (*Node)(nil)
	if g.chance(8) && g.on("rollup") {
		by = opt(seq("rollup", "ROLLUP "))
		keys = seq("", "(", keys, ")")
	}
	q.node = seq("group by", "SELECT ", items, from, where, " GROUP BY ", by, keys)
	if g.chance(30) && g.on("having") {
		q.node.Kids = append(q.node.Kids, opt(seq("having", " HAVING ", g.expr(e, Bigint, 2), pick(g, comparisons), g.leaf(e, Bigint))))
	}
	if g.chance(60) {
		g.orderAll(&q)
	}
	return q
}

// where makes the WHERE clause. A query that shall give one row mostly asks for a
// key.
func (g *gen) where(in *env, w queryWish, from *Node) *Node {
	if from == nil && !g.chance(15) || from != nil && g.chance(20) {
		return nil
	}
	if w.one && g.chance(70) {
		for _, r := range in.rowVars {
			if len(r.table.Key) > 0 {
				e := *in
				e.rows, e.own = in.rows[:len(in.rows)-len(in.own)], nil
				return opt(seq("where key", " WHERE ", g.byKey(&e, r.table, r.name)))
			}
		}
	}
	return opt(seq("where", " WHERE ", g.cond(in, min(w.depth, 2))))
}

// from makes the FROM clause, and what may lock the rows.
func (g *gen) from(in *env, w queryWish) (*Node, func() *Node) {
	if len(g.app.Tables) == 0 || g.chance(4) && w.top {
		return nil, nil
	}
	items, lockable := g.fromItem(in, w, false)
	for range 2 {
		if !g.chance(25) {
			break
		}
		items = g.join(in, w, items)
	}
	if g.chance(6) && g.on("join using") { // more tables could make the joined column ambiguous
		if n := g.joinUsing(in, items); n != nil {
			return seq("", " FROM ", n), nil
		}
	}
	if g.chance(8) { // a comma binds less than JOIN does
		item, _ := g.fromItem(in, w, true)
		items = seq("comma join", items, ", ", item)
	}
	if in.nullable {
		lockable = nil
	}
	return seq("", " FROM ", items), g.locker(lockable)
}

// join adds a table to a FROM clause.
func (g *gen) join(in *env, w queryWish, left *Node) *Node {
	if g.chance(20) {
		item, _ := g.fromItem(in, w, true)
		return seq("cross join", left, " CROSS JOIN ", item)
	}
	kind := pick(g, []string{"JOIN", "JOIN", "LEFT JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"})
	if !g.on("outer join") {
		kind = "JOIN"
	}
	before := len(in.own)
	item, _ := g.fromItem(in, w, kind == "JOIN" || kind == "LEFT JOIN")
	if kind == "FULL JOIN" { // PostgreSQL wants a condition that it can merge or hash
		x, y := in.own[g.rng.IntN(before)], in.own[before:]
		for _, b := range y {
			if b.t == x.t && b.t.comparable() {
				in.nullable = true
				return seq("full join", left, " FULL JOIN ", item, " ON ("+x.ref+" = "+b.ref+")")
			}
		}
		kind = "LEFT JOIN"
	}
	in.nullable = in.nullable || kind == "RIGHT JOIN"
	on := *in
	on.plain = on.plain || kind != "JOIN" && !g.on("subquery in on")
	return seq(map[string]string{"JOIN": "inner join", "LEFT JOIN": "left join", "RIGHT JOIN": "right join"}[kind], left, " "+kind+" ", item, " ON ", g.cond(&on, 1))
}

// joinUsing joins a table by columns of one name; nil if there are none. The joined
// columns are named without a table.
func (g *gen) joinUsing(in *env, left *Node) *Node {
	t := pick(g, g.app.Tables)
	as := g.name("r")
	for _, b := range in.own {
		n, m := 0, 0
		for _, c := range t.Columns {
			if c.Name == b.name && c.Type == b.t && c.Type.comparable() {
				n++
			}
		}
		for _, o := range in.own {
			if o.name == b.name {
				m++
			}
		}
		if n != 1 || m != 1 {
			continue
		}
		kind := pick(g, []string{" JOIN ", " LEFT JOIN ", " FULL JOIN ", " RIGHT JOIN "})
		in.nullable = in.nullable || kind == " FULL JOIN " || kind == " RIGHT JOIN "
		in.addTable(t, as)
		merged := binding{ref: b.name, name: b.name + " merged", t: b.t, null: true, auto: b.auto}
		in.own, in.rows = append(in.own, merged), append(in.rows, merged)
		return seq("join using"+strings.ToLower(strings.TrimSuffix(kind, "JOIN ")), left, kind+t.Name+" "+as+" USING ("+b.name+")")
	}
	return nil
}

// fromItem makes one item of a FROM clause, and its columns visible.
func (g *gen) fromItem(in *env, w queryWish, lateral bool) (item *Node, lockable []string) {
	as := g.name("r")
	switch n := g.rng.IntN(100); {
	case n < 12 && w.depth > 0 && g.on("subquery in from"):
		e := in.inner()
		e.rows = e.rows[:len(e.rows)-len(in.own)]
		prod, word := "subquery in from", ""
		if lateral && len(in.own) > 0 && g.chance(50) && g.on("lateral") {
			prod, word = "lateral", "LATERAL "
			e = in.inner()
		}
		q := g.query(e, queryWish{depth: w.depth - 1, named: true})
		in.addTable(q.asTable(as), as)
		return seq(prod, word+"(", q.node, ") "+as), nil
	case n < 16 && g.on("generate_series"):
		in.addTable(&Table{Columns: []*Column{{Name: "i", Type: Int, NotNull: true}}}, as)
		return seq("generate_series", "generate_series(1, "+g.integer(3)+") AS "+as+"(i)"), nil
	case n < 30 && len(in.ctes) > 0:
		t := pick(g, in.ctes)
		in.addTable(t, as)
		return seq("name of with", t.Name+" "+as), nil
	}
	t := pick(g, g.app.Tables)
	if !t.View || t.Lockable {
		lockable = []string{as}
	}
	in.addTable(t, as)
	in.rowVars = append(in.rowVars, rowVar{as, t})
	return seq("", t.Name+" "+as), lockable
}

// locker gives what locks rows.
func (g *gen) locker(rows []string) func() *Node {
	if len(rows) == 0 {
		return nil
	}
	return func() *Node {
		mode := pick(g, []string{"FOR UPDATE", "FOR UPDATE", "FOR NO KEY UPDATE", "FOR SHARE", "FOR KEY SHARE"})
		of := " OF " + rows[0]
		wait := ""
		switch n := g.rng.IntN(100); {
		case n < 12 && !g.opt.Deterministic && g.on("skip locked"):
			wait = " SKIP LOCKED"
		case n < 18 && g.on("nowait"):
			wait = " NOWAIT"
		}
		return seq("row lock "+mode, " "+mode, opt(text(of)), opt(text(wait)))
	}
}
