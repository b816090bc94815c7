package gogen

import (
	"fmt"
	"strings"
)

// query is a statement with the kinds of its parameters and results: k is a key, i an
// integer, j one that may be NULL, t a text, u one that may be NULL, b a truth value.
type query struct {
	sql       string
	args, out string
}

// singles give at most one row, those in sure exactly one.
var singles = []query{
	{"SELECT y FROM a WHERE k = $1", "k", "i"},
	{"SELECT x FROM a WHERE k = $1", "k", "j"},
	{"SELECT x, y FROM a WHERE k = $1", "k", "ji"},
	{"SELECT y, x FROM a WHERE k = $1 FOR UPDATE", "k", "ij"},
	{"SELECT s FROM a WHERE k = $1", "k", "u"},
	{"SELECT y, s, x FROM a WHERE k = $1", "k", "iuj"},
	{"SELECT t, n FROM b WHERE k = $1", "k", "ti"},
	{"SELECT n, a FROM b WHERE k = $1", "k", "ij"},
	{"SELECT k, y FROM a WHERE y > $1 ORDER BY k LIMIT 1", "i", "ki"},
	{"SELECT v FROM c WHERE i = $1 AND j = $2", "kk", "i"},
	{"SELECT j, v FROM c WHERE i = $1 ORDER BY v DESC, j LIMIT 1", "k", "ki"},
	{"SELECT b.n, a.y FROM b JOIN a ON a.k = b.a WHERE b.k = $1", "k", "ii"},
	{"INSERT INTO a (k, x, y, s) VALUES ($1, $2, $3, $4) ON CONFLICT (k) DO NOTHING RETURNING y", "kjiu", "i"},
	{"INSERT INTO a (k, y) VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET y = a.y + excluded.y RETURNING y, x", "ki", "ij"},
	{"UPDATE a SET y = y + $1 WHERE k = $2 RETURNING y, x", "ik", "ij"},
	{"UPDATE b SET n = $1 WHERE k = $2 AND n > $3 RETURNING t", "iki", "t"},
	{"DELETE FROM c WHERE i = $1 AND j = $2 RETURNING v", "kk", "i"},
	{"SELECT 1 FROM b WHERE t = $1 ORDER BY k LIMIT 1", "t", "i"},
}

var sure = []query{
	{"SELECT count(*) FROM b WHERE a = $1", "k", "i"},
	{"SELECT count(*) FROM a WHERE y >= $1", "i", "i"},
	{"SELECT EXISTS (SELECT 1 FROM a WHERE x = $1)", "i", "b"},
	{"SELECT EXISTS (SELECT 1 FROM b WHERE k = $1 AND t <> $2)", "kt", "b"},
	{"SELECT coalesce(max(y), 0) FROM a", "", "i"},
	{"SELECT max(x) FROM a", "", "j"},
	{"SELECT sum(n)::bigint FROM b WHERE n > $1", "i", "j"},
	{"SELECT count(*), coalesce(sum(v), 0)::bigint FROM c WHERE i = $1", "k", "ii"},
}

var lists = []query{
	{"SELECT k, y FROM a ORDER BY k", "", "ki"},
	{"SELECT k, x FROM a WHERE y <> $1 ORDER BY k DESC", "i", "kj"},
	{"SELECT k FROM b WHERE n > $1 ORDER BY k", "i", "k"},
	{"SELECT k, t, n FROM b ORDER BY n, k", "", "kti"},
	{"SELECT j, v FROM c WHERE i = $1 ORDER BY j", "k", "ki"},
	{"SELECT i, v FROM c ORDER BY i, j", "", "ki"},
	{"SELECT k, y FROM a WHERE y > $1", "i", "ki"},
	{"SELECT y, s FROM a ORDER BY k", "", "iu"},
}

var writes = []query{
	{"UPDATE a SET x = $1 WHERE k = $2", "jk", ""},
	{"UPDATE a SET y = $1 WHERE k = $2", "ik", ""},
	{"UPDATE a SET y = y + $1 WHERE k = $2", "ik", ""},
	{"UPDATE a SET y = y - $1 WHERE k = $2 AND y >= $1", "ik", ""},
	{"UPDATE a SET s = $1 WHERE y > $2", "ui", ""},
	{"UPDATE a SET x = NULL WHERE x = $1", "i", ""},
	{"UPDATE a SET s = s || $1 WHERE k = $2", "tk", ""},
	{"UPDATE b SET n = n + $1 WHERE a = $2", "ik", ""},
	{"UPDATE b SET t = $1 WHERE k = $2", "tk", ""},
	{"UPDATE b SET a = $1 WHERE k = $2", "jk", ""},
	{"UPDATE c SET v = v + $1 WHERE i = $2 AND j = $3", "ikk", ""},
	{"UPDATE c SET v = $1 WHERE i = $2", "ik", ""},
	{"INSERT INTO a (k, x, y, s) VALUES ($1, $2, $3, $4)", "kjiu", ""},
	{"INSERT INTO a (k, y, s) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", "kit", ""},
	{"INSERT INTO a (k, y) VALUES ($1, $2) ON CONFLICT (k) DO UPDATE SET y = excluded.y WHERE a.y < excluded.y", "ki", ""},
	{"INSERT INTO b (k, a, t, n) VALUES ($1, $2, $3, $4) ON CONFLICT (k) DO UPDATE SET t = b.t || excluded.t", "kjti", ""},
	{"INSERT INTO b (k, t, n) VALUES ($1, $2, $3)", "kti", ""},
	{"INSERT INTO c (i, j, v) VALUES ($1, $2, $3) ON CONFLICT (i, j) DO UPDATE SET v = c.v + 1", "kki", ""},
	{"INSERT INTO c (i, j, v) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", "kki", ""},
	{"DELETE FROM b WHERE k = $1", "k", ""},
	{"DELETE FROM b WHERE n < $1", "i", ""},
	{"DELETE FROM c WHERE i = $1", "k", ""},
	{"DELETE FROM c WHERE v = $1", "i", ""},
	{"DELETE FROM a WHERE k = $1", "k", ""},
}

// variants are texts that differ in a part, "@" here, with what it may be: names of
// columns of the same type.
var variants = []struct {
	query
	parts []string
}{
	{query{"UPDATE a SET @ = $1 WHERE k = $2", "ik", ""}, []string{"x", "y"}},
	{query{"UPDATE a SET y = $1 WHERE @ = $2", "ik", ""}, []string{"x", "y", "k"}},
	{query{"DELETE FROM c WHERE @ = $1", "k", ""}, []string{"i", "j"}},
	{query{"UPDATE b SET n = $1 WHERE a = $2@", "ik", ""}, []string{"", " AND n > 1", " AND k > 1"}},
	{query{"UPDATE c SET v = v @ $1 WHERE i = $2", "ik", ""}, []string{"+", "-"}},
}

// arg gives an argument of a kind.
func (g *gen) arg(k rune) string {
	switch k {
	case 'k':
		switch g.r.IntN(5) {
		case 0:
			return fmt.Sprint(g.r.IntN(5))
		case 1:
			return g.int(1)
		}
		return g.intVar()
	case 'i':
		return g.int(2)
	case 't':
		return g.text(2)
	case 'j':
		if v, ok := g.some([]kind{tPtr, tNull}[g.r.IntN(2)], true); ok && g.chance(50) {
			return v.name
		}
		if g.chance(15) {
			return fmt.Sprintf("sql.NullInt64{Int64: int64(%s), Valid: %s}", g.int(1), g.bool(0))
		}
		if g.chance(10) {
			return "nil"
		}
		return g.int(1)
	case 'u':
		if v, ok := g.some(tTextN, true); ok && g.chance(50) {
			return v.name
		}
		if g.chance(10) {
			return "nil"
		}
		return g.text(1)
	}
	panic("gogen: no argument " + string(k))
}

// call gives the arguments of a method that sends a statement.
func (g *gen) call(text string, args string) string {
	list := []string{"ctx", text}
	for _, k := range args {
		list = append(list, g.arg(k))
	}
	return strings.Join(list, ", ")
}

// method gives the name of a method of the transaction for its name in pgx.
func (g *gen) method(name string) string {
	if g.pgx {
		return g.tx + "." + name
	}
	return g.tx + "." + name + "Context"
}

// dests declares variables for results and gives their addresses. A column that may be
// NULL may go to a variable that takes none.
func (g *gen) dests(out string) []string {
	var list []string
	for _, k := range out {
		t, base := tInt, "n"
		switch k {
		case 'j':
			if t, base = tPtr, "o"; g.chance(50) {
				t, base = tNull, "v"
			}
			if g.chance(15) {
				t, base = tInt, "n"
			}
		case 't':
			t, base = tText, "s"
		case 'u':
			if t, base = tTextN, "w"; g.chance(20) {
				t, base = tText, "s"
			}
		case 'b':
			t, base = tBool, "ok"
		}
		if v, ok := g.some(t, false); ok && g.chance(15) && !strings.Contains(strings.Join(list, " ")+" ", "&"+v.name+" ") {
			list = append(list, "&"+v.name)
			continue
		}
		n := g.name(base)
		g.line("var %s %s", n, t)
		g.declare(n, t)
		list = append(list, "&"+n)
	}
	return list
}

// pickQuery gives a query, and the expression for its text.
func (g *gen) pickQuery(list []query) (query, string) {
	q := list[g.r.IntN(len(list))]
	if g.chance(80) {
		return q, fmt.Sprintf("%q", q.sql)
	}
	n := g.name("q")
	switch head, tail, _ := strings.Cut(q.sql, " WHERE "); {
	case tail == "" || g.chance(30):
		g.line("const %s = %q", n, q.sql)
	case g.chance(50):
		g.line("%s := %q", n, head)
		g.line("%s += %q", n, " WHERE "+tail)
	default:
		g.line("var %sb strings.Builder", n)
		g.line("%sb.WriteString(%q)", n, head)
		g.line("%sb.WriteString(%q)", n, " WHERE "+tail)
		g.line("%s := %sb.String()", n, n)
	}
	return q, n
}

// variant gives a statement whose text depends on conditions.
func (g *gen) variant() (query, string) {
	v := variants[g.r.IntN(len(variants))]
	n := g.name("q")
	head, tail, _ := strings.Cut(v.sql, "@")
	part := func() string { return g.oneOf(v.parts...) }
	switch g.r.IntN(6) {
	case 0:
		g.line("%s := %q", n, head+part()+tail)
		g.line("if %s {", g.bool(1))
		g.line("%s = %q", n, head+part()+tail)
		g.line("}")
	case 1:
		g.line("%s := fmt.Sprintf(%q, pick(%s, %q, %q))", n, head+"%s"+tail, g.bool(1), part(), part())
	case 2:
		g.line("%sb := strings.Builder{}", n)
		g.line("%sb.WriteString(%q)", n, head)
		g.line("if %s {", g.bool(1))
		g.line("%sb.WriteString(%q)", n, part())
		g.line("} else {")
		g.line("fmt.Fprintf(&%sb, \"%%s\", %q)", n, part())
		g.line("}")
		g.line("%sb.WriteString(%q)", n, tail)
		g.line("%s := %sb.String()", n, n)
	case 3:
		g.line("%s := %q", n, head)
		g.line("switch %s {", g.int(1))
		g.line("case 0, 2:")
		g.line("%s += %q", n, part())
		g.line("default:")
		g.line("%s += %q", n, part())
		g.line("}")
		g.line("%s += %q", n, tail)
	case 4:
		g.line("%s := %q + map[bool]string{true: %q, false: %q}[%s] + %q", n, head, part(), part(), g.bool(1), tail)
	default:
		g.line("%sp := []string{%q, %q}", n, part(), part())
		g.line("%s := strings.Join([]string{%q, %sp[%s & 1], %q}, \"\")", n, head, n, g.intVar(), tail)
	}
	return v.query, n
}
