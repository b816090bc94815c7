package sqlmodel

import (
	"flag"
	"fmt"
	"math/rand"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/txrobust/robust/ir"
)

// maxStack is the stack that a translation may take: a part of what Go allows.
const maxStack = 256 << 20

// TestCyclic: definitions that lead to themselves are an error, or unmodelled; they
// never exhaust the stack, nor take long.
func TestCyclic(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(maxStack))
	const n = 10000
	const table = "CREATE TABLE t (k int PRIMARY KEY, a int, b text);\n"
	const use = "CREATE FUNCTION f(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN %s END $$;\n"
	uses := func(body string) string { return fmt.Sprintf(use, body) }
	many := func(format string, times int) string {
		var b strings.Builder
		for i := 1; i <= times; i++ {
			b.WriteString(strings.NewReplacer("{i}", strconv.Itoa(i), "{j}", strconv.Itoa(i-1)).Replace(format))
		}
		return b.String()
	}
	for _, tc := range []struct{ name, src string }{
		{"a view on itself", table + "CREATE VIEW v AS SELECT k, a FROM t; CREATE OR REPLACE VIEW v AS SELECT k, a FROM v;\n" + uses("PERFORM a FROM v WHERE k = p; UPDATE v SET a = 1 WHERE k = p; DELETE FROM v; INSERT INTO v VALUES (1, 2);")},
		{"views on each other", table + "CREATE VIEW v AS SELECT k, a FROM t; CREATE VIEW w AS SELECT k, a FROM v; CREATE OR REPLACE VIEW v AS SELECT k, a FROM w;\n" + uses("PERFORM a FROM w JOIN v USING (k) WHERE k = p; UPDATE w SET a = 1;")},
		{"a chain of views", table + "CREATE VIEW v0 AS SELECT k, a FROM t;\n" + many("CREATE VIEW v{i} AS SELECT k, a FROM v{j};\n", 2000) + uses("PERFORM a FROM v2000 WHERE k = p;")},
		{"views that double", table + "CREATE VIEW v0 AS SELECT k, a FROM t;\n" + many("CREATE VIEW v{i} AS SELECT x.k, y.a FROM v{j} x JOIN v{j} y USING (k);\n", 40) + uses("PERFORM a FROM v40 WHERE k = p;")},
		{"unions of views that double", table + "CREATE VIEW v0 AS SELECT k, a FROM t;\n" + many("CREATE VIEW v{i} AS SELECT * FROM v{j} UNION ALL SELECT * FROM v{j};\n", 40) + uses("PERFORM a FROM v40 WHERE k = p;")},
		{"a view that calls a function that reads it", table + "CREATE VIEW v AS SELECT k, a FROM t; CREATE FUNCTION g() RETURNS int LANGUAGE sql STABLE AS $$ SELECT max(a) FROM v $$; CREATE OR REPLACE VIEW v AS SELECT k, g() AS a FROM t;\n" + uses("PERFORM a FROM v WHERE k = g();")},
		{"a function that calls itself", table + "CREATE FUNCTION g(p int) RETURNS int LANGUAGE sql AS $$ SELECT g(p - 1) + 1 $$; CREATE FUNCTION h(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE t SET a = p; RETURN h(p); END $$;\n" + uses("PERFORM g(p); PERFORM h(p); UPDATE t SET a = g(k) WHERE h(k) = 1;")},
		{"functions that call each other", table + many("CREATE FUNCTION g{i}(p int) RETURNS int LANGUAGE sql AS $$ SELECT g{j}(p) $$;\n", 50) + "CREATE FUNCTION g0(p int) RETURNS int LANGUAGE sql AS $$ SELECT g50(p) $$;\n" + uses("PERFORM g7(p);")},
		{"a chain of functions", table + "CREATE FUNCTION g0(p int) RETURNS int LANGUAGE sql AS $$ SELECT a FROM t WHERE k = p $$;\n" + many("CREATE FUNCTION g{i}(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN g{j}(p); END $$;\n", 600)},
		{"a domain on itself", "CREATE DOMAIN d AS d; CREATE DOMAIN e AS int CHECK (VALUE::e > 0); CREATE TABLE t (k d PRIMARY KEY, a e, b e[]);\n" + uses("UPDATE t SET a = p::e::d WHERE k = p::d;")},
		{"domains on each other", "CREATE DOMAIN d AS int; CREATE DOMAIN e AS d; DROP DOMAIN d; CREATE DOMAIN d AS e; CREATE TABLE t (k int PRIMARY KEY, a d, b e);\n" + uses("UPDATE t SET a = p, b = a WHERE k = p;")},
		{"a chain of domains", "CREATE DOMAIN d0 AS int;\n" + many("CREATE DOMAIN d{i} AS d{j} CHECK (VALUE > {i});\n", 3000) + "CREATE TABLE t (k int PRIMARY KEY, a d3000);\n" + uses("UPDATE t SET a = p WHERE k = p;")},
		{"a type in itself", "CREATE TYPE c AS (x c, y int); CREATE TYPE x AS (y y); CREATE TYPE y AS (x x, a y[]); CREATE TABLE t (k int PRIMARY KEY, c c, x x);\n" +
			uses("UPDATE t SET c = ROW(NULL, 1)::c WHERE (t.x).y IS NULL; SELECT c INTO r FROM t; r.c.x.y := 1;") + "CREATE FUNCTION g(p c, q x) RETURNS c LANGUAGE plpgsql AS $$ DECLARE v c; w x; BEGIN v := p; RETURN v; END $$;"},
		{"types that double", "CREATE TYPE c0 AS (a int, b int);\n" + many("CREATE TYPE c{i} AS (a c{j}, b c{j});\n", 40) + "CREATE TABLE t (k int PRIMARY KEY, c c40);\n" + uses("UPDATE t SET c = NULL WHERE k = p;") + "CREATE FUNCTION g(p c40) RETURNS c40 LANGUAGE plpgsql AS $$ DECLARE v c40; BEGIN v := p; RETURN v; END $$;"},
		{"a chain of types", "CREATE TYPE c0 AS (a int);\n" + many("CREATE TYPE c{i} AS (a c{j});\n", 3000) + "CREATE TABLE t (k int PRIMARY KEY, c c3000);\n" + uses("UPDATE t SET c = NULL WHERE k = p;") + "CREATE FUNCTION g(p c3000) RETURNS void LANGUAGE plpgsql AS $$ DECLARE v c3000; BEGIN v := p; END $$;"},
		{"the type of a table in itself", "CREATE TABLE t (k int PRIMARY KEY, a t, b t[]); CREATE TABLE u (k int PRIMARY KEY, w w); CREATE TABLE w (k int PRIMARY KEY, u u);\n" + uses("UPDATE t SET a = t WHERE k = p; UPDATE u SET w = NULL WHERE (u.w).u IS NULL;") + "CREATE FUNCTION g(p t, q u) RETURNS SETOF t LANGUAGE plpgsql AS $$ DECLARE v t; w u%ROWTYPE; BEGIN RETURN QUERY SELECT * FROM t; END $$;"},
		{"a trigger that fires itself", table + "CREATE FUNCTION tr() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE t SET a = a + 1 WHERE k = NEW.k; INSERT INTO t VALUES (1); DELETE FROM t; RETURN NEW; END $$; CREATE TRIGGER x BEFORE INSERT OR UPDATE OR DELETE ON t FOR EACH ROW EXECUTE FUNCTION tr();\n" + uses("UPDATE t SET a = 1 WHERE k = p; INSERT INTO t VALUES (p); DELETE FROM t WHERE k = p;")},
		{"triggers that fire each other", table + "CREATE TABLE u (k int PRIMARY KEY, a int); CREATE FUNCTION tr() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE u SET a = 1; RETURN NEW; END $$; CREATE FUNCTION tu() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE t SET a = 1; RETURN NEW; END $$; CREATE TRIGGER x AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION tr(); CREATE TRIGGER y AFTER UPDATE ON u FOR EACH STATEMENT EXECUTE FUNCTION tu();\n" + uses("UPDATE t SET a = 1 WHERE k = p;")},
		{"triggers in a chain", "CREATE TABLE t0 (k int PRIMARY KEY, a int);\n" + many("CREATE TABLE t{i} (k int PRIMARY KEY, a int); CREATE FUNCTION tr{i}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE t{j} SET a = 1; RETURN NEW; END $$; CREATE TRIGGER x AFTER UPDATE ON t{i} FOR EACH ROW EXECUTE FUNCTION tr{i}();\n", 500) + uses("UPDATE t500 SET a = 1 WHERE k = p;")},
		{"triggers that double", "CREATE TABLE t0 (k int PRIMARY KEY, a int);\n" + many("CREATE TABLE t{i} (k int PRIMARY KEY, a int); CREATE FUNCTION tr{i}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN UPDATE t{j} SET a = 1; UPDATE t{j} SET a = 2; RETURN NEW; END $$; CREATE TRIGGER x AFTER UPDATE ON t{i} FOR EACH ROW EXECUTE FUNCTION tr{i}();\n", 30) + uses("UPDATE t30 SET a = 1 WHERE k = p;")},
		{"a rule on itself", table + "CREATE RULE r AS ON UPDATE TO t DO ALSO UPDATE t SET a = 1;\n" + uses("UPDATE t SET a = 1 WHERE k = p;")},
		{"tables that inherit each other", "CREATE TABLE t (k int PRIMARY KEY, a int) INHERITS (u); CREATE TABLE u (k int) INHERITS (t); CREATE TABLE w (LIKE w INCLUDING ALL); ALTER TABLE t INHERIT t;\n" + uses("UPDATE t SET a = 1 WHERE k = p;")},
		{"a partition of itself", "CREATE TABLE t (k int PRIMARY KEY, a int) PARTITION BY RANGE (k); CREATE TABLE u PARTITION OF u DEFAULT; ALTER TABLE t ATTACH PARTITION t DEFAULT;\n" + uses("UPDATE t SET a = 1 WHERE k = p;")},
		{"a chain of partitions", "CREATE TABLE t0 (k int, a int) PARTITION BY RANGE (k);\n" + many("CREATE TABLE t{i} PARTITION OF t{j} DEFAULT PARTITION BY RANGE (k);\n", 1000) + uses("UPDATE t0 SET a = 1 WHERE k = p; UPDATE t1000 SET a = 2;")},
		{"cascades in a circle", "CREATE TABLE t (k int PRIMARY KEY, a int); CREATE TABLE u (k int PRIMARY KEY, a int REFERENCES t ON DELETE CASCADE ON UPDATE CASCADE); ALTER TABLE t ADD FOREIGN KEY (a) REFERENCES u ON DELETE CASCADE ON UPDATE CASCADE; CREATE TABLE s (k int PRIMARY KEY, a int REFERENCES s ON DELETE CASCADE);\n" + uses("DELETE FROM t WHERE k = p; DELETE FROM s WHERE k = p; UPDATE t SET k = 2 WHERE k = p;")},
		{"a chain of cascades", "CREATE TABLE t0 (k int PRIMARY KEY);\n" + many("CREATE TABLE t{i} (k int PRIMARY KEY, a int REFERENCES t{j} ON DELETE CASCADE);\n", 2000) + uses("DELETE FROM t0 WHERE k = p;")},
		{"cascades that double", "CREATE TABLE t0 (k int PRIMARY KEY);\n" + many("CREATE TABLE t{i} (k int PRIMARY KEY, a int REFERENCES t{j} ON DELETE CASCADE, b int REFERENCES t{j} ON DELETE CASCADE);\n", 40) + uses("DELETE FROM t0 WHERE k = p;")},
		{"a check that calls what reads the table", table + "CREATE FUNCTION g(p int) RETURNS boolean LANGUAGE sql AS $$ SELECT count(*) = 0 FROM t WHERE k = p $$; ALTER TABLE t ADD CHECK (g(a)); ALTER TABLE t ADD COLUMN c int DEFAULT (g(1)::int); ALTER TABLE t ADD COLUMN d int GENERATED ALWAYS AS (g(a)::int) STORED;\n" + uses("UPDATE t SET a = 1 WHERE k = p; INSERT INTO t VALUES (p);")},
		{"a default that inserts", table + "CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t (k) VALUES (1); RETURN 1; END $$; ALTER TABLE t ALTER COLUMN a SET DEFAULT g();\n" + uses("INSERT INTO t (k) VALUES (p);")},
		{"an operator made of itself", table + "CREATE FUNCTION g(a int, b int) RETURNS boolean LANGUAGE sql AS $$ SELECT a === b $$; CREATE OPERATOR === (LEFTARG = int, RIGHTARG = int, FUNCTION = g);\n" + uses("UPDATE t SET a = 1 WHERE k === p;")},
		{"a cast made of itself", "CREATE TYPE c AS (a int); CREATE FUNCTION g(c) RETURNS int LANGUAGE sql AS $$ SELECT $1::int $$; CREATE CAST (c AS int) WITH FUNCTION g(c); CREATE TABLE t (k int PRIMARY KEY, a c);\n" + uses("UPDATE t SET k = a::int WHERE k = p;")},
		{"an aggregate made of itself", table + "CREATE FUNCTION g(a int, b int) RETURNS int LANGUAGE sql AS $$ SELECT ag(x) FROM (VALUES (1)) v(x) $$; CREATE AGGREGATE ag(int) (SFUNC = g, STYPE = int);\n" + uses("PERFORM ag(a) FROM t;")},
		{"recursive queries", table + uses("PERFORM 1 FROM (WITH RECURSIVE x AS (SELECT k FROM t UNION SELECT k FROM x), y AS (SELECT * FROM y) SELECT * FROM x, y) z; WITH a AS (SELECT * FROM b), b AS (SELECT * FROM a) SELECT 1 INTO r FROM a;")},
		{"a chain of WITH", table + uses("WITH x0 AS (SELECT k FROM t)"+many(", x{i} AS (SELECT k FROM x{j})", 2000)+" SELECT k INTO r FROM x2000;")},
		{"WITH that doubles", table + uses("WITH x0 AS (SELECT k FROM t)"+many(", x{i} AS (SELECT a.k FROM x{j} a, x{j} b)", 40)+" SELECT k INTO r FROM x40;")},
		{"an index on itself", table + "CREATE FUNCTION g(p int) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT g(p) $$; CREATE UNIQUE INDEX ON t (g(a)) WHERE g(k) = 1;\n" + uses("UPDATE t SET a = 1 WHERE k = p;")},
		{"a policy on itself", table + "ALTER TABLE t ENABLE ROW LEVEL SECURITY; CREATE POLICY q ON t USING (a IN (SELECT a FROM t));\n" + uses("UPDATE t SET a = 1 WHERE k = p;")},
		{"dynamic SQL in itself", table + "CREATE FUNCTION g(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT g(1)'; EXECUTE 'EXECUTE ''EXECUTE x'''; PERFORM g(2); END $$;\n" + uses("PERFORM g(p);")},
		{"variables in themselves", table + "\\set a :b\n\\set b :a\n\\set a :a\nBEGIN;\nUPDATE t SET a = :a WHERE k = :b;\nCOMMIT;\n"},
		{"variables that double", table + "\\set a0 x\n" + many("\\set a{i} :a{j}:a{j}\n", 60) + "BEGIN;\nUPDATE t SET b = :'a60' WHERE k = 1;\nCOMMIT;\n"},
		{"expressions that double", table + "\\set a0 random(1, 2)\n" + many("\\set a{i} :a{j} + :a{j}\n", 60) + "BEGIN;\nUPDATE t SET a = :a60 WHERE k = 1;\nCOMMIT;\n"},
		{"records that double", table + uses(many("r := ROW(r, r);", 60))},
		{"assignments that double", table + "CREATE FUNCTION g(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN " + many("p := p + p;", 3000) + " RETURN p; END $$;\n"},
		{"cursors on themselves", table + "CREATE FUNCTION g(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR SELECT * FROM t; d CURSOR (x int) FOR SELECT g(x); BEGIN OPEN c; FETCH c INTO p; FOR r IN d(p) LOOP UPDATE t SET a = 1 WHERE CURRENT OF c; END LOOP; END $$;\n"},
		{"generated columns of each other", "CREATE TABLE t (k int PRIMARY KEY, a int GENERATED ALWAYS AS (b) STORED, b int GENERATED ALWAYS AS (a) STORED);\n" + uses("UPDATE t SET k = 1 WHERE k = p;")},
		{"many tables with keys", many("CREATE TABLE t{i} (k int PRIMARY KEY, a int REFERENCES t{i}, b int UNIQUE);\n", 5000) + uses("UPDATE t7 SET a = p WHERE k = 1; DELETE FROM t9;")},
		{"many references to one table", "CREATE TABLE t0 (k int PRIMARY KEY);\n" + many("CREATE TABLE t{i} (k int PRIMARY KEY, a int REFERENCES t0);\n", 3000) + uses("DELETE FROM t0 WHERE k = p;")},
		{"many columns", "CREATE TABLE t (k int PRIMARY KEY" + many(", c{i} int DEFAULT {i}", 1600) + ");\n" + uses("UPDATE t SET c7 = p WHERE k = 1; INSERT INTO t (k) VALUES (1);")},
		{"many triggers", table + "CREATE FUNCTION tr() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.a := NEW.a + 1; RETURN NEW; END $$;\n" + many("CREATE TRIGGER x{i} BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION tr();\n", 500) + uses("UPDATE t SET a = 1 WHERE k = p;")},
		{"many renames", table + many("ALTER TABLE t RENAME TO u{i}; ALTER TABLE u{i} RENAME TO t;\n", 2000) + uses("UPDATE t SET a = 1 WHERE k = p;")},
		{"many branches", table + uses(strings.Repeat("IF p = 1 THEN p := 2; END IF; ", 1000)+" UPDATE t SET a = p;")},
		{"nested loops", table + uses(strings.Repeat("FOR i IN 1..p LOOP ", 100)+"UPDATE t SET a = 1;"+strings.Repeat(" END LOOP;", 100))},
		{"nested exceptions", table + uses(strings.Repeat("BEGIN ", 100)+"UPDATE t SET a = 1;"+strings.Repeat(" EXCEPTION WHEN others THEN NULL; END;", 100))},
		{"many arguments", table + uses("PERFORM coalesce("+strings.Repeat("p,", n)+"p);")},
		{"nested calls", table + uses("PERFORM "+strings.Repeat("abs(", 490)+"p"+strings.Repeat(")", 490)+";")},
		{"nested rows", table + uses("PERFORM "+strings.Repeat("ROW(", 490)+"p"+strings.Repeat(")", 490)+";")},
		{"nested arrays", table + uses("PERFORM "+strings.Repeat("ARRAY[", 490)+"p"+strings.Repeat("]", 490)+";")},
		{"nested subqueries", table + uses("PERFORM "+strings.Repeat("(SELECT max(k) FROM t WHERE a = ", 200)+"p"+strings.Repeat(")", 200)+";")},
		{"nested EXISTS", table + uses("PERFORM 1 FROM t WHERE "+strings.Repeat("EXISTS (SELECT 1 FROM t WHERE ", 200)+"true"+strings.Repeat(")", 200)+";")},
	} {
		t.Run(tc.name, func(t *testing.T) { bounded(t, tc.src) })
	}
}

// bounded reads a text, which comes to an end, whatever comes of it.
func bounded(t *testing.T, src string) {
	t.Helper()
	p, err := Parse([]File{{Name: "in.sql", Text: src}}, Options{})
	if err == nil {
		if text := p.String(); len(text) > 64<<20 {
			t.Errorf("the program has %d MB", len(text)>>20)
		}
		return
	}
	if e, ok := err.(*ir.Error); !ok || e.Pos.File == "" || len(e.Msg) > 600 {
		t.Errorf("error %.300v, want one with a place", err)
	}
}

var cyclicRuns = flag.Int("sqlmodel.cyclic", 400, "random programs of definitions that refer to each other")

// TestRandomDefinitions: random definitions under few names, which refer to each other
// and replace each other.
func TestRandomDefinitions(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(maxStack))
	for seed := range int64(*cyclicRuns) {
		src := randomDefinitions(rand.New(rand.NewSource(seed)))
		done := make(chan bool)
		timer := time.AfterFunc(10*time.Minute, func() { panic(fmt.Sprintf("seed %d takes too long:\n%s", seed, src)) })
		go func() {
			defer close(done)
			defer func() {
				if r := recover(); r != nil {
					t.Errorf("seed %d: %v\n%s\n%s", seed, r, src, debug.Stack())
				}
			}()
			Parse([]File{{Name: "in.sql", Text: src}}, Options{})
		}()
		<-done
		timer.Stop()
		if t.Failed() {
			return
		}
	}
}

// randomDefinitions writes definitions that PostgreSQL would mostly refuse.
func randomDefinitions(r *rand.Rand) string {
	name := func() string { return string("abcd"[r.Intn(4)]) }
	typ := func() string { return []string{"int", "text", name(), name() + "[]", "boolean"}[r.Intn(5)] }
	var expr func(depth int) string
	expr = func(depth int) string {
		if depth == 0 {
			return []string{"x", "y", "1", "NULL", "'a'", "k", "$1", name()}[r.Intn(8)]
		}
		e := func() string { return expr(depth - 1) }
		switch r.Intn(9) {
		case 0:
			return name() + "(" + e() + ")"
		case 1:
			return "(" + e() + " + " + e() + ")"
		case 2:
			return e() + "::" + typ()
		case 3:
			return "(SELECT " + e() + " FROM " + name() + " WHERE " + e() + " = " + e() + ")"
		case 4:
			return "(" + e() + ").x"
		case 5:
			return "ROW(" + e() + ", " + e() + ")::" + name()
		case 6:
			return "CASE WHEN " + e() + " IS NULL THEN " + e() + " ELSE " + e() + " END"
		case 7:
			return "EXISTS (SELECT 1 FROM " + name() + ")"
		}
		return e()
	}
	query := func() string {
		switch r.Intn(4) {
		case 0:
			return "SELECT " + expr(1) + " AS x, " + expr(1) + " AS y FROM " + name() + " JOIN " + name() + " z USING (k)"
		case 1:
			return "SELECT * FROM " + name() + " UNION SELECT * FROM " + name()
		case 2:
			return "WITH a AS (SELECT * FROM " + name() + ") SELECT x, y, k FROM a"
		}
		return "SELECT k, x, " + expr(2) + " AS y FROM " + name() + " WHERE " + expr(1) + " = " + expr(1)
	}
	statement := func() string {
		switch r.Intn(6) {
		case 0:
			return "UPDATE " + name() + " SET x = " + expr(2) + " WHERE k = " + expr(1) + ";"
		case 1:
			return "INSERT INTO " + name() + " (k, x) VALUES (" + expr(1) + ", " + expr(1) + ");"
		case 2:
			return "DELETE FROM " + name() + " WHERE " + expr(1) + " = 1;"
		case 3:
			return "PERFORM " + expr(2) + ";"
		case 4:
			return "v := " + expr(2) + ";"
		}
		return "FOR w IN " + query() + " LOOP UPDATE " + name() + " SET y = w.x; END LOOP;"
	}
	var b strings.Builder
	for range 3 + r.Intn(14) {
		n := name()
		switch r.Intn(12) {
		case 0, 1:
			fmt.Fprintf(&b, "CREATE TABLE %s (k int PRIMARY KEY, x %s, y %s);\n", n, typ(), typ())
		case 2, 3:
			fmt.Fprintf(&b, "CREATE OR REPLACE VIEW %s AS %s;\n", n, query())
		case 4:
			fmt.Fprintf(&b, "CREATE OR REPLACE FUNCTION %s(x %s) RETURNS %s LANGUAGE sql AS $$ %s $$;\n", n, typ(), typ(), query())
		case 5, 6:
			fmt.Fprintf(&b, "CREATE OR REPLACE FUNCTION %s(x %s) RETURNS %s LANGUAGE plpgsql AS $$ DECLARE v %s; w record; BEGIN %s %s RETURN v; END $$;\n", n, typ(), typ(), typ(), statement(), statement())
		case 7:
			fmt.Fprintf(&b, "CREATE TYPE %s AS (x %s, y %s);\n", n, typ(), typ())
		case 8:
			fmt.Fprintf(&b, "CREATE DOMAIN %s AS %s CHECK (%s = %s);\n", n, typ(), expr(1), expr(2))
		case 9:
			fmt.Fprintf(&b, "CREATE FUNCTION %s() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN %s NEW.x := %s; RETURN NEW; END $$;\nCREATE TRIGGER %[1]s BEFORE INSERT OR UPDATE OR DELETE ON %s FOR EACH ROW EXECUTE FUNCTION %[1]s();\n", n, strings.ReplaceAll(statement(), "v :=", "NEW.y :="), expr(1), name())
		case 10:
			fmt.Fprintf(&b, "DROP %s IF EXISTS %s CASCADE;\n", []string{"TABLE", "VIEW", "TYPE", "DOMAIN", "FUNCTION"}[r.Intn(5)], n)
		case 11:
			fmt.Fprintf(&b, "ALTER TABLE %s %s;\n", n, []string{"ADD COLUMN z " + typ(), "ADD FOREIGN KEY (x) REFERENCES " + name() + " ON DELETE CASCADE", "ADD CHECK (" + expr(2) + " = 1)", "RENAME TO " + name(),
				"ALTER COLUMN x SET DEFAULT " + expr(1), "INHERIT " + name()}[r.Intn(6)])
		}
	}
	return b.String()
}
