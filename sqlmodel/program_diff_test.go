package sqlmodel

import (
	"math/rand/v2"
	"strconv"

	"github.com/txrobust/robust/internal/client"
)

// diffPrograms are programs for TestProgramsOnServer, each for one thing.
func diffPrograms() []*client.Txn {
	vs := func(more ...string) []client.Var {
		return vars(append([]string{"p int in", "q int in", "s text in", "o text in null", "x int", "y int", "t text", "u text null", "v any null", "ok bool", "bad bool", "n int", "b bool"}, more...)...)
	}
	all := func() client.Stmt { return emit("x", "y", "t", "u", "v", "ok", "bad", "n", "b") }
	found := func(q *client.Query) *client.Query { q.Found = "ok"; return q }
	count := func(q *client.Query) *client.Query { q.Count = "n"; return q }
	returned := func(q *client.Query) *client.Query { q.Returned = true; return q }
	into := func(q *client.Query, names ...string) *client.Query { q.Into = names; return q }
	P := func(name string, list ...client.Stmt) *client.Txn { return txn_(name, vs(), append(list, all())...) }
	return []*client.Txn{
		P("row", row(sql("SELECT x, y, s FROM a WHERE k = $1", "p"), "x", "y", "t")),
		P("old values", set_("x", 9), set_("t", str("t")), row(sql("SELECT x, s, s FROM a WHERE k = $1", "p"), "x", "t", "u")),
		P("old values without flags", set_("x", 9), set_("t", str("t")), into(sql("SELECT x, s FROM a WHERE k = ?", "p"), "x", "t")),
		P("direct", row(sql("SELECT x, s FROM a WHERE k = $1", "p"), "x", "t"), scanned(), sql("UPDATE a SET y = $1 WHERE k = $2", op("+", "x", 1), "p")),
		P("first", row(sql("SELECT k, x FROM a ORDER BY y DESC, k"), "x", "v")),
		P("any", row(sql("SELECT k, y FROM a WHERE y > $1", "p"), "x", "y")),
		P("aggregate", row(sql("SELECT count(*), sum(x), max(s) FROM a WHERE y >= $1", "p"), "x", "y", "u")),
		P("group", row(sql("SELECT y, count(*) FROM a GROUP BY y ORDER BY 2 DESC, 1 LIMIT 1"), "x", "y")),
		P("union", row(sql("SELECT k FROM a UNION SELECT k FROM b ORDER BY 1 DESC"), "x")),
		P("left join", row(sql("SELECT a.k, b.t FROM a LEFT JOIN b ON b.a = a.k AND b.k = $2 WHERE a.k = $1", "p", "q"), "x", "t")),
		P("constant", row(sql("SELECT $1::int + 1, $2::text", "p", "o"), "x", "t")),
		P("exists", into(sql("SELECT EXISTS (SELECT 1 FROM a WHERE x = $1)", "p"), "b"), found(sql("SELECT 1 FROM b WHERE k = $1", "q"))),
		P("where", row(sql("SELECT $1::int WHERE $2::int > 1", "p", "q"), "x")),
		P("nothing", row(sql("SELECT k FROM a LIMIT 0"), "x")),
		P("values", row(sql("VALUES ($1::int, 'x')", "p"), "x", "t")),
		P("null input", count(sql("UPDATE a SET s = $1 WHERE s = $1 OR s IS NULL", "o")), row(sql("SELECT s FROM a WHERE k = $1", "p"), "v")),
		P("text for a number", row(sql("SELECT k, s FROM a WHERE k = $1", "s"), "x", "u")),
		P("number for a text", count(sql("UPDATE a SET s = $1 WHERE k = $2", "p", "q")), row(sql("SELECT s FROM a WHERE k = $1 AND s = $2", "q", "p"), "t")),
		P("count", count(sql("UPDATE a SET y = y + $1 WHERE x = $2", "p", "q")), into(sql("SELECT count(*) FROM a WHERE y > 3"), "x")),
		P("count of rows", count(sql("SELECT k FROM a WHERE y > $1", "p"))),
		P("count and row", count(into(sql("SELECT k FROM a WHERE y > $1 ORDER BY k", "p"), "x"))),
		P("found", found(sql("SELECT 1 FROM a WHERE x = $1", "p")), unless("ok"), sql("DELETE FROM b WHERE a = $1", "q")),
		P("insert", row(sql("INSERT INTO b (k, a, t) VALUES ($1, $2, $3) RETURNING k, t", op("+", "p", 3), "q", "o"), "x", "t")),
		P("insert of many", count(sql("INSERT INTO b VALUES ($1, NULL, 'm'), ($2, NULL, 'n') ON CONFLICT DO NOTHING", op("+", "p", 2), op("+", "q", 3)))),
		P("insert from", count(sql("INSERT INTO b (k, a) SELECT k + 10, k FROM a WHERE y < $1", "p"))),
		P("insert if there is none", count(sql("INSERT INTO b (k, a, t) SELECT $1, '1', $2 WHERE NOT EXISTS (SELECT 1 FROM b WHERE a = $3)", op("+", "p", 3), "o", "q"))),
		P("upsert", row(sql("INSERT INTO a VALUES ($1, $2, 1, 'i', true) ON CONFLICT (k) DO UPDATE SET y = a.y + 1, s = excluded.s RETURNING y, s", "p", "q"), "y", "u")),
		P("insert or nothing", row(sql("INSERT INTO a VALUES ($1, $2, 1, 'i', true) ON CONFLICT (k) DO NOTHING RETURNING y", "p", "q"), "y")),
		P("update returning", set_("x", 7), row(sql("UPDATE a SET x = x + 1, s = s || '!' WHERE k = $1 RETURNING x, s", "p"), "x", "t")),
		P("delete returning", row(sql("DELETE FROM b WHERE k = $1 RETURNING a, t", "p"), "v", "u")),
		P("returning nothing", found(into(sql("UPDATE a SET y = 0 WHERE k = $1", "p"), "x")), found(sql("DELETE FROM b WHERE k = $1", "q"))),
		P("no rows looked at", found(sql("DELETE FROM b WHERE k = $1", "q"))),
		P("returned", returned(sql("SELECT k, s FROM a WHERE y >= $1", "p")), returned(sql("DELETE FROM b WHERE t = $1 RETURNING k, t", "s"))),
		P("returned and row", returned(row(sql("SELECT k, x FROM a WHERE y >= $1 ORDER BY k", "p"), "x", "v"))),
		P("one row returned", returned(row(sql("UPDATE a SET y = y + 1 WHERE k = $1 RETURNING y, b", "p"), "y", "b"))),
		P("function", row(sql("SELECT bump($1)", "p"), "n"), sql("SELECT bump($1)", "q"), row(sql("SELECT bump($1) + 1", "x"), "y")),
		P("with", row(sql("WITH m AS (SELECT max(k) AS k FROM a) SELECT a.k, a.s FROM a JOIN m ON m.k = a.k"), "x", "u")),
		P("writing with", row(sql("WITH d AS (DELETE FROM b WHERE a = $1 RETURNING k) SELECT count(*) FROM d", "p"), "x")),
		P("merge", count(sql("MERGE INTO a USING (VALUES (1)) v(z) ON a.k = $1 WHEN MATCHED THEN UPDATE SET y = a.y + $2", "p", "q"))),
		P("several", sql("UPDATE a SET y = 0; DELETE FROM b")),
		P("named", with(sql("SELECT s, k AS kk, x FROM a WHERE k = @p AND y >= @q"), func(q *client.Query) {
			q.Named = values2("p", "q")
			q.ByName = []client.Arg{{Name: "kk", Expr: client.V("x")}, {Name: "s", Expr: client.V("t")}}
			q.Found, q.Null = "ok", "bad"
		})),
		P("same variable", row(sql("SELECT y, k FROM a WHERE k = $1", "p"), "p", "p"), set_("x", "p")),
		P("its own argument", set_("x", "p"), row(sql("SELECT x FROM a WHERE k = $1", "x"), "x"), row(sql("UPDATE a SET y = $1 WHERE k = $2 RETURNING y + 1", "x", "x"), "x")),
		P("flag as an argument", set_("ok", true), row(sql("UPDATE a SET b = $1 WHERE k = $2 RETURNING y", "ok", "p"), "x"), set_("n", 2),
			count(sql("UPDATE a SET y = $1 WHERE y > $2", "n", "p"))),
		P("loop", rows("l", into(sql("SELECT k, y FROM a WHERE y >= $1 ORDER BY k", "p"), "x", "y"),
			when(op("==", "x", 2), &client.Continue{Label: "l"}),
			when(op("==", "y", 3), &client.Break{Label: "l"}),
			emit("x", "y"), sql("UPDATE a SET y = y + 1"), set_("n", op("+", "n", "y")))),
		P("loop with NULL", rows("l", with(into(sql("SELECT x, s FROM a ORDER BY k"), "x", "t"), func(q *client.Query) { q.Null = "bad" }),
			emit("x", "t", "bad"))),
		P("loop over one", set_("x", 5), rows("l", into(sql("SELECT y FROM a WHERE k = $1 LIMIT 1", "p"), "x"), emit("x"), when(op(">", "x", 1), &client.Break{Label: "l"}), set_("n", 1))),
		P("loop over an aggregate", rows("l", into(sql("SELECT count(*) FROM a"), "x"), emit("x"))),
		P("loop over groups", rows("l", into(sql("SELECT y, count(*) FROM a GROUP BY y ORDER BY y"), "x", "n"), emit("x", "n"), when(op(">", "n", 1), &client.Break{Label: "l"}))),
		P("loop over deleted rows", rows("l", into(sql("DELETE FROM b WHERE a = $1 RETURNING k, t", "p"), "x", "u"), set_("n", op("+", "n", "x")))),
		P("loop with a limit", rows("l", into(sql("SELECT k FROM a ORDER BY k LIMIT 2"), "x"), emit("x"))),
		P("loop that sets its argument", set_("x", "p"), rows("l", into(sql("SELECT y FROM a WHERE y >= $1 ORDER BY k", "x"), "x"), set_("n", op("+", "n", "x")))),
		P("nested loops", rows("o", into(sql("SELECT k FROM a ORDER BY k"), "x"),
			rows("i", into(sql("SELECT k FROM b WHERE a = $1 ORDER BY k", "x"), "y"),
				when(op("==", "y", "p"), &client.Continue{Label: "o"}),
				when(op("==", "y", 3), &client.Break{Label: "o"}),
				emit("x", "y")),
			emit("x"))),
		P("while", &client.Loop{Label: "w", Body: []client.Stmt{
			when(op(">=", "n", "p"), &client.Break{Label: "w"}),
			set_("n", op("+", "n", 1)),
			when(op("==", "n", 2), &client.Continue{Label: "w"}),
			sql("INSERT INTO b (k, t) VALUES ($1, $2)", op("+", "n", 20), "s"),
		}}),
		P("block", &client.Block{Label: "k", Body: []client.Stmt{
			row(sql("SELECT y FROM a WHERE k = $1", "p"), "y"), when(client.Not(client.V("ok")), &client.Break{Label: "k"}),
			sql("UPDATE a SET s = 'in' WHERE k = $1", "p"),
		}}),
		P("savepoint", &client.Savepoint{Name: "s1"}, sql("UPDATE a SET y = 9 WHERE k = $1", "p"), row(sql("SELECT max(y) FROM a"), "y"),
			when(op("==", "y", 9), &client.RollbackTo{Name: "s1"}), row(sql("SELECT max(y) FROM a"), "x")),
		P("conditions", row(sql("SELECT x, s FROM a WHERE k = $1", "p"), "v", "u"),
			when(op("&&", op("!", op("null", "u")), op("!=", "u", "s")), set_("t", op("+", "u", str("-"))), emit("t")),
			&client.If{Cond: op("null", "v"), Then: []client.Stmt{set_("x", op("-", "q"))}, Else: []client.Stmt{set_("b", op("<", "p", op("*", "q", 2)))}}),
		P("commit", when(op(">", "p", 1), sql("DELETE FROM b"), &client.Commit{}), row(sql("SELECT count(*) FROM b"), "x")),
	}
}

func values2(names ...string) []client.Arg {
	var out []client.Arg
	for _, n := range names {
		out = append(out, client.Arg{Name: n, Expr: client.V(n)})
	}
	return out
}

// programGen makes random programs.
type programGen struct {
	rng   *rand.Rand
	depth int
	label int
	loops []string
}

func (g *programGen) pick(list ...string) string { return list[g.rng.IntN(len(list))] }

func (g *programGen) program(name string) *client.Txn {
	vs := vars("p int in", "q int in null", "s text in", "x int", "y int", "t text", "u text null", "v int null", "ok bool", "bad bool", "n int")
	return txn_(name, vs, append(g.list(3+g.rng.IntN(4)), emit("x", "y", "t", "u", "v", "ok", "bad", "n"))...)
}

func (g *programGen) list(n int) []client.Stmt {
	var out []client.Stmt
	for range n {
		out = append(out, g.stmt())
	}
	return out
}

func (g *programGen) integer() client.Expr {
	switch g.rng.IntN(4) {
	case 0:
		return clientExpr(g.rng.IntN(4))
	case 1:
		return op(g.pick("+", "-", "*"), g.pick("p", "x", "y", "n"), g.rng.IntN(3))
	}
	return clientExpr(g.pick("p", "x", "y", "n"))
}

func (g *programGen) cond() client.Expr {
	switch g.rng.IntN(5) {
	case 0:
		return clientExpr(g.pick("ok", "bad"))
	case 1:
		return op("null", g.pick("q", "u", "v"))
	case 2:
		return op(g.pick("&&", "||"), g.cond(), g.cond())
	case 3:
		return op(g.pick("==", "!="), g.pick("s", "t"), g.pick("s", "t"))
	}
	return op(g.pick("<", "<=", "==", "!=", ">"), g.integer(), g.integer())
}

// read is a query with variables for its columns.
func (g *programGen) read() *client.Query {
	cols := [][2]string{{"k", "x"}, {"y", "y"}, {"x", "v"}, {"x", "x"}, {"s", "u"}, {"s", "t"}, {"y + 1", "n"}, {"count(*)", "n"}, {"sum(x)", "y"}, {"max(s)", "t"}}
	c, e := cols[g.rng.IntN(7)], cols[g.rng.IntN(7)]
	if g.rng.IntN(4) == 0 {
		c, e = cols[7+g.rng.IntN(3)], cols[7+g.rng.IntN(3)]
	}
	text := "SELECT " + c[0] + ", " + e[0] + " FROM a WHERE " + g.pick("k = $1", "y >= $1", "x = $1 OR s = 'a'", "EXISTS (SELECT 1 FROM b WHERE b.a = a.k AND b.k > $1)")
	if c[0] != "count(*)" && c[0] != "sum(x)" && c[0] != "max(s)" {
		text += g.pick("", " ORDER BY k", " ORDER BY y DESC, k", " ORDER BY k FOR UPDATE", " ORDER BY k LIMIT 2")
	}
	q := sql(text, g.integer())
	q.Into = []string{c[1], e[1]}
	if g.rng.IntN(3) > 0 {
		q.Found = "ok"
	}
	if g.rng.IntN(3) > 0 {
		q.Null = "bad"
	}
	return q
}

func (g *programGen) stmt() client.Stmt {
	g.depth++
	defer func() { g.depth-- }()
	simple := g.depth > 3
	switch n := g.rng.IntN(14); {
	case n < 4 || simple && n > 9:
		return g.read()
	case n == 4:
		q := sql("UPDATE a SET y = y + $1, s = $2 WHERE "+g.pick("k = $3", "x > $3", "b AND k <> $3"), g.integer(), g.pick("s", "t", "u"), g.integer())
		q.Count = g.pick("", "n", "x")
		return q
	case n == 5:
		q := sql("UPDATE a SET x = $1 WHERE "+g.pick("k = $2", "y > $2")+" RETURNING x, s", g.integer(), g.integer())
		q.Into, q.Found, q.Null = []string{g.pick("v", "x"), g.pick("t", "u")}, "ok", g.pick("", "bad")
		return q
	case n == 6:
		q := sql("INSERT INTO b (k, a, t) VALUES ($1, $2, $3)"+g.pick("", " ON CONFLICT (k) DO NOTHING", " ON CONFLICT (k) DO UPDATE SET t = excluded.t || 'c'")+" RETURNING k, t",
			g.integer(), g.pick("p", "q", "v"), g.pick("s", "u"))
		q.Into, q.Found = []string{g.pick("x", "y"), g.pick("t", "u")}, "ok"
		return q
	case n == 7:
		q := sql("DELETE FROM b WHERE "+g.pick("k = $1", "a >= $1"), g.integer())
		q.Count = g.pick("", "n")
		return q
	case n == 8:
		return set_(g.pick("x", "y", "n"), g.integer())
	case n == 9:
		return set_(g.pick("t", "u"), g.pick("s", "t"))
	case n == 10:
		return emit(g.pick("x", "y", "v"), g.pick("t", "u", "ok"))
	case n == 11:
		return &client.If{Cond: g.cond(), Then: g.list(1 + g.rng.IntN(2)), Else: g.list(g.rng.IntN(2))}
	case n == 12:
		q := g.read()
		q.Found = ""
		g.label++
		label := "l" + strconv.Itoa(g.label)
		g.loops = append(g.loops, label)
		list := g.list(1 + g.rng.IntN(2))
		if g.rng.IntN(2) == 0 {
			target := g.loops[g.rng.IntN(len(g.loops))]
			var jump client.Stmt = &client.Break{Label: target}
			if g.rng.IntN(2) == 0 {
				jump = &client.Continue{Label: target}
			}
			list = append([]client.Stmt{when(g.cond(), jump)}, list...)
		}
		g.loops = g.loops[:len(g.loops)-1]
		return rows(label, q, list...)
	}
	if g.rng.IntN(3) == 0 {
		return when(g.cond(), &client.Rollback{})
	}
	return scanned()
}
