package sqlmodel_test

import (
	"context"
	"strings"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
	"github.com/txrobust/robust/sqlmodel"
)

// TestAltered: tables that are altered are those that could have been declared so, and
// not those of before.
func TestAltered(t *testing.T) {
	const write = "\nCREATE FUNCTION f(k int, m int) RETURNS void LANGUAGE sql AS 'INSERT INTO t VALUES (k, m, m)';"
	const ref = "CREATE TABLE r (id int PRIMARY KEY, u int UNIQUE); "
	const deferred = ref + "CREATE FUNCTION late(k int) RETURNS void LANGUAGE sql AS 'SET CONSTRAINTS ALL DEFERRED; INSERT INTO t VALUES (k, k, k); INSERT INTO r VALUES (k, k)'; "
	for _, c := range []struct{ name, before, alter, after string }{
		{"DROP NOT NULL", "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, m int);", "ALTER TABLE t ALTER n DROP NOT NULL;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"SET NOT NULL", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);", "ALTER TABLE t ALTER n SET NOT NULL;", "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, m int);"},
		{"DROP CONSTRAINT of a unique key", "CREATE TABLE t (id int PRIMARY KEY, n int UNIQUE, m int);", "ALTER TABLE t DROP CONSTRAINT t_n_key;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP CONSTRAINT of a foreign key", ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int);", "ALTER TABLE t DROP CONSTRAINT t_n_fkey;", ref + "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP CONSTRAINT of a primary key", "CREATE TABLE t (id int PRIMARY KEY, n int UNIQUE, m int);", "ALTER TABLE t DROP CONSTRAINT t_pkey;", "CREATE TABLE t (id int NOT NULL, n int UNIQUE, m int);"},
		{"DROP COLUMN of a foreign key", "CREATE TABLE r (a int, b int, PRIMARY KEY (a, b)); CREATE TABLE t (id int PRIMARY KEY, n int, m int, x int, FOREIGN KEY (n, x) REFERENCES r);", "ALTER TABLE t DROP COLUMN x;", "CREATE TABLE r (a int, b int, PRIMARY KEY (a, b)); CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP COLUMN of a unique key", "CREATE TABLE t (id int PRIMARY KEY, n int, m int, x int, UNIQUE (n, x));", "ALTER TABLE t DROP COLUMN x;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP COLUMN of a check", "CREATE TABLE t (id int PRIMARY KEY, n int, m int, x int, CHECK (n < x), CHECK (n > 0));", "ALTER TABLE t DROP COLUMN x;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int, CONSTRAINT t_check2 CHECK (n > 0));"},
		{"DROP INDEX", "CREATE TABLE t (id int PRIMARY KEY, n int, m int); CREATE UNIQUE INDEX i ON t (n);", "DROP INDEX i;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP INDEX over an expression", "CREATE TABLE t (id int PRIMARY KEY, n int, m int); CREATE UNIQUE INDEX i ON t ((n + m));", "DROP INDEX i;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP INDEX of a schema that the search path does not lead to", "CREATE TABLE t (id int PRIMARY KEY, n int, m int); CREATE SCHEMA s; CREATE TABLE s.o (id int PRIMARY KEY, n int); CREATE UNIQUE INDEX i ON s.o (n);", "DROP INDEX IF EXISTS i;",
			"CREATE TABLE t (id int PRIMARY KEY, n int, m int); CREATE SCHEMA s; CREATE TABLE s.o (id int PRIMARY KEY, n int); CREATE UNIQUE INDEX i ON s.o (n);"},
		{"DROP TABLE", ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int);", "DROP TABLE r CASCADE;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP CONSTRAINT of a key that others refer to", ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int REFERENCES r (u));", "ALTER TABLE r DROP CONSTRAINT r_pkey CASCADE;", "CREATE TABLE r (id int NOT NULL, u int UNIQUE); CREATE TABLE t (id int PRIMARY KEY, n int, m int REFERENCES r (u));"},
		{"DROP CONSTRAINT of a unique key that others refer to", ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int REFERENCES r (u));", "ALTER TABLE r DROP CONSTRAINT r_u_key CASCADE;", "CREATE TABLE r (id int PRIMARY KEY, u int); CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int);"},
		{"DROP COLUMN of a key that others refer to", ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r (id), m int);", "ALTER TABLE r DROP COLUMN id CASCADE;", "CREATE TABLE r (u int UNIQUE); CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP INDEX that others refer to", "CREATE TABLE r (id int PRIMARY KEY, u int); CREATE UNIQUE INDEX i ON r (u); CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r (u), m int);", "DROP INDEX i CASCADE;", "CREATE TABLE r (id int PRIMARY KEY, u int); CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP DOMAIN", "CREATE DOMAIN d AS int CHECK (VALUE > 0); CREATE TABLE t (id int PRIMARY KEY, n int, m int, x d NOT NULL, UNIQUE (n, x));", "DROP DOMAIN d CASCADE;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP TYPE of an enum", "CREATE TYPE e AS ENUM ('a'); CREATE TABLE t (id int PRIMARY KEY, n int, m int, x e NOT NULL, y e[]);", "DROP TYPE e CASCADE;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP TYPE of rows", "CREATE TYPE c AS (a int); CREATE TABLE t (id int PRIMARY KEY, n int, m int, x c NOT NULL);", "DROP TYPE c CASCADE;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP SCHEMA with a type", "CREATE SCHEMA s; CREATE DOMAIN s.d AS int; CREATE TABLE t (id int PRIMARY KEY, n int, m int, x s.d NOT NULL);", "DROP SCHEMA s CASCADE;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP SEQUENCE", "CREATE SEQUENCE q; CREATE TABLE t (id int PRIMARY KEY, n int, m int, x int DEFAULT nextval('q'));", "DROP SEQUENCE q CASCADE;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int, x int);"},
		{"OF a type, with options", "CREATE TYPE c AS (id int, n int, m int);", "CREATE TABLE t OF c (id PRIMARY KEY, n WITH OPTIONS NOT NULL DEFAULT 3);", "CREATE TYPE c AS (id int, n int, m int); CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL DEFAULT 3, m int);"},
		{"ATTACH PARTITION", "CREATE TABLE t (id int PRIMARY KEY, n int, m int) PARTITION BY LIST (id); CREATE TABLE t1 (id int NOT NULL, n int, m int); ", "ALTER TABLE ONLY t ATTACH PARTITION t1 DEFAULT;",
			"CREATE TABLE t (id int PRIMARY KEY, n int, m int) PARTITION BY LIST (id); CREATE TABLE t1 PARTITION OF t DEFAULT;"},
		{"VALIDATE CONSTRAINT", ref + "CREATE TABLE t (id int PRIMARY KEY, n int, m int); ALTER TABLE t ADD CONSTRAINT a FOREIGN KEY (n) REFERENCES r NOT VALID, ADD CONSTRAINT b FOREIGN KEY (m) REFERENCES r NOT VALID;", "ALTER TABLE t VALIDATE CONSTRAINT a;",
			ref + "CREATE TABLE t (id int PRIMARY KEY, n int CONSTRAINT a REFERENCES r, m int); ALTER TABLE t ADD CONSTRAINT b FOREIGN KEY (m) REFERENCES r NOT VALID;"},
		{"VALIDATE CONSTRAINT of a check", "CREATE TABLE t (id int PRIMARY KEY, n int, m int); ALTER TABLE t ADD CONSTRAINT a CHECK (n > 0) NOT VALID, ADD CONSTRAINT b CHECK (m > 0) NOT VALID;", "ALTER TABLE t VALIDATE CONSTRAINT a;",
			"CREATE TABLE t (id int PRIMARY KEY, n int CONSTRAINT a CHECK (n > 0), m int); ALTER TABLE t ADD CONSTRAINT b CHECK (m > 0) NOT VALID;"},
		{"DEFERRABLE", ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int); CREATE PROCEDURE late() LANGUAGE sql AS 'SET CONSTRAINTS ALL DEFERRED';", "ALTER TABLE t ALTER CONSTRAINT t_n_fkey DEFERRABLE;",
			ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r DEFERRABLE, m int); CREATE PROCEDURE late() LANGUAGE sql AS 'SET CONSTRAINTS ALL DEFERRED';"},
		{"INITIALLY DEFERRED", ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int);", "ALTER TABLE t ALTER CONSTRAINT t_n_fkey DEFERRABLE INITIALLY DEFERRED;",
			ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r DEFERRABLE INITIALLY DEFERRED, m int);"},
		{"DEFERRABLE, of a key that is broken until COMMIT", deferred + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int);", "ALTER TABLE t ALTER CONSTRAINT t_n_fkey DEFERRABLE;",
			deferred + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r DEFERRABLE, m int);"},
		{"NOT DEFERRABLE", deferred + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r DEFERRABLE, m int);", "ALTER TABLE t ALTER CONSTRAINT t_n_fkey NOT DEFERRABLE;",
			deferred + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int);"},
		{"NOT ENFORCED", ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int);", "ALTER TABLE t ALTER CONSTRAINT t_n_fkey NOT ENFORCED;",
			ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r NOT ENFORCED, m int);"},
		{"ENFORCED", ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r NOT ENFORCED, m int);", "ALTER TABLE t ALTER CONSTRAINT t_n_fkey ENFORCED;",
			ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int);"},
		{"RENAME of a column that others refer to", "CREATE TABLE r (id int PRIMARY KEY, v int CONSTRAINT r_u_key UNIQUE); CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r (v), m int);", "ALTER TABLE r RENAME v TO u;", ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r (u), m int);"},
		{"RENAME of a column of a partial index", "CREATE TABLE t (id int PRIMARY KEY, n int, x int); CREATE UNIQUE INDEX i ON t (n) WHERE x > 0;", "ALTER TABLE t RENAME x TO m;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int); CREATE UNIQUE INDEX i ON t (n) WHERE m > 0;"},
		{"RENAME CONSTRAINT of a check that is dropped", "CREATE TABLE t (id int PRIMARY KEY, n int CONSTRAINT c CHECK (n > 0), m int);", "ALTER TABLE t RENAME CONSTRAINT c TO d; ALTER TABLE t DROP CONSTRAINT d;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP CONSTRAINT of a check without a name", "CREATE TABLE t (id int PRIMARY KEY, n int CHECK (n > 0), m int, CHECK (n < m));", "ALTER TABLE t DROP CONSTRAINT t_n_check, DROP CONSTRAINT t_check;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"RENAME of the index of a primary key", "CREATE TABLE t (id int PRIMARY KEY, n int UNIQUE, m int);", "ALTER INDEX t_pkey RENAME TO k; ALTER TABLE t DROP CONSTRAINT k;", "CREATE TABLE t (id int NOT NULL, n int UNIQUE, m int);"},
		{"RENAME of the index of an EXCLUDE constraint", "CREATE TABLE t (id int PRIMARY KEY, n int, m int, EXCLUDE USING btree (n WITH =));", "ALTER INDEX t_n_excl RENAME TO x; ALTER TABLE t DROP CONSTRAINT x;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"USING INDEX, of a constraint that is dropped", "CREATE TABLE t (id int PRIMARY KEY, n int, m int); CREATE UNIQUE INDEX i ON t (n);", "ALTER TABLE t ADD CONSTRAINT u UNIQUE USING INDEX i; ALTER TABLE t DROP CONSTRAINT u;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP COLUMN of the condition of an index", "CREATE TABLE t (id int PRIMARY KEY, n int, m int, x int); CREATE UNIQUE INDEX i ON t (n) WHERE x > 0;", "ALTER TABLE t DROP COLUMN x;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"RENAME of a column of WHEN", "CREATE TABLE t (id int PRIMARY KEY, n int, x int); CREATE TABLE r (id int); CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM r; RETURN NULL; END'; CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW WHEN (NEW.x > 0) EXECUTE FUNCTION g();", "ALTER TABLE t RENAME x TO m;",
			"CREATE TABLE t (id int PRIMARY KEY, n int, m int); CREATE TABLE r (id int); CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM r; RETURN NULL; END'; CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW WHEN (NEW.m > 0) EXECUTE FUNCTION g();"},
		{"RENAME of a trigger that is turned off", "CREATE TABLE t (id int PRIMARY KEY, n int, m int); CREATE TABLE r (id int); CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM r; RETURN NULL; END'; CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION g();", "ALTER TABLE t DISABLE TRIGGER a; ALTER TRIGGER a ON t RENAME TO b; ALTER TABLE t ENABLE TRIGGER b;",
			"CREATE TABLE t (id int PRIMARY KEY, n int, m int); CREATE TABLE r (id int); CREATE FUNCTION g() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN DELETE FROM r; RETURN NULL; END'; CREATE TRIGGER a AFTER INSERT ON t FOR EACH ROW EXECUTE FUNCTION g();"},
		{"LIKE of a table whose columns and constraints are renamed", "CREATE TABLE l (id int PRIMARY KEY, n int UNIQUE, m int CONSTRAINT c CHECK (m > 0));", "CREATE TABLE t (LIKE l INCLUDING ALL); ALTER TABLE l RENAME n TO x; ALTER TABLE l RENAME m TO y; ALTER TABLE l RENAME CONSTRAINT c TO d;",
			"CREATE TABLE l (id int PRIMARY KEY, x int CONSTRAINT l_n_key UNIQUE, y int CONSTRAINT d CHECK (y > 0)); CREATE TABLE t (id int PRIMARY KEY, n int UNIQUE, m int CONSTRAINT c CHECK (m > 0));"},
		{"LIKE with indexes that are dropped", "CREATE TABLE l (id int PRIMARY KEY, n int UNIQUE, m int); CREATE UNIQUE INDEX i ON l (m);", "CREATE TABLE t (LIKE l INCLUDING INDEXES); ALTER TABLE t DROP CONSTRAINT t_n_key; DROP INDEX t_m_idx;",
			"CREATE TABLE l (id int PRIMARY KEY, n int UNIQUE, m int); CREATE UNIQUE INDEX i ON l (m); CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP COLUMN of an index over an expression that is made again", "CREATE TABLE t (id int PRIMARY KEY, n int, m int, x int); CREATE UNIQUE INDEX i ON t (x, coalesce(n, 0));", "ALTER TABLE t DROP COLUMN x; CREATE UNIQUE INDEX i ON t (m, coalesce(n, 0));", "CREATE TABLE t (id int PRIMARY KEY, n int, m int); CREATE UNIQUE INDEX i ON t (m, coalesce(n, 0));"},
		{"ADD COLUMN behind a key that it belongs to", "CREATE TABLE t (id int PRIMARY KEY, n int CONSTRAINT k UNIQUE);", "ALTER TABLE t DROP CONSTRAINT k, ADD CONSTRAINT k UNIQUE (n, m), ALTER m SET NOT NULL, ADD m int;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int NOT NULL, CONSTRAINT k UNIQUE (n, m));"},
		{"ADD COLUMN before the one of its name is dropped", "CREATE TABLE t (id int PRIMARY KEY, n int, m text UNIQUE);", "ALTER TABLE t ADD m int, DROP m;", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"DROP DEFAULT", "CREATE SEQUENCE q; CREATE TABLE t (id int PRIMARY KEY, n int, m int, x int DEFAULT nextval('q'));", "ALTER TABLE t ALTER x DROP DEFAULT;", "CREATE SEQUENCE q; CREATE TABLE t (id int PRIMARY KEY, n int, m int, x int);"},
		{"SET DEFAULT of what a sequence has given", "CREATE SEQUENCE q; CREATE TABLE t (id int PRIMARY KEY, n int, m int, x int DEFAULT nextval('q'));", "ALTER TABLE t ALTER x SET DEFAULT currval('q');", "CREATE SEQUENCE q; CREATE TABLE t (id int PRIMARY KEY, n int, m int, x int DEFAULT currval('q'));"},
		{"an index that is not unique", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);", "CREATE INDEX i ON t (n);", "CREATE TABLE t (id int PRIMARY KEY, n int, m int);"},
		{"the columns of a primary key", "CREATE TABLE t (id int, n int, m int);", "ALTER TABLE t ADD PRIMARY KEY (id);", "CREATE TABLE t (id int NOT NULL, n int, m int, PRIMARY KEY (id));"},
		{"LIKE with constraints", "CREATE TABLE l (id int PRIMARY KEY, n int UNIQUE, m int CHECK (m > 0));", "CREATE TABLE t (LIKE l INCLUDING CONSTRAINTS);", "CREATE TABLE l (id int PRIMARY KEY, n int UNIQUE, m int CHECK (m > 0)); CREATE TABLE t (id int NOT NULL, n int, m int CONSTRAINT l_check1 CHECK (m > 0));"},
		{"LIKE with defaults", "CREATE TABLE l (id int PRIMARY KEY, n int UNIQUE, m int CHECK (m > 0));", "CREATE TABLE t (LIKE l INCLUDING DEFAULTS);", "CREATE TABLE l (id int PRIMARY KEY, n int UNIQUE, m int CHECK (m > 0)); CREATE TABLE t (id int NOT NULL, n int, m int);"},
		{"MATCH FULL of one column", ref + "CREATE TABLE t (id int PRIMARY KEY, n int, m int);", "ALTER TABLE t ADD FOREIGN KEY (n) REFERENCES r MATCH FULL;", ref + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r, m int);"},
		{"MATCH FULL of two columns", "CREATE TABLE r (a int, b int, PRIMARY KEY (a, b)); CREATE TABLE t (id int PRIMARY KEY, n int, m int);", "ALTER TABLE t ADD FOREIGN KEY (n, m) REFERENCES r MATCH FULL;",
			"CREATE TABLE r (a int, b int, PRIMARY KEY (a, b)); CREATE TABLE t (id int PRIMARY KEY, n int, m int, FOREIGN KEY (n, m) REFERENCES r, CONSTRAINT t_n_m_fkey CHECK (n IS NULL AND m IS NULL OR n IS NOT NULL AND m IS NOT NULL));"},
		{"the check of a domain", "CREATE DOMAIN d AS int CHECK (VALUE > 0); CREATE TABLE t (id int PRIMARY KEY, n d, m int);", "", "CREATE TABLE t (id int PRIMARY KEY, n int CONSTRAINT \"t.n\" CHECK (n > 0), m int);"},
	} {
		t.Run(c.name, func(t *testing.T) {
			altered, after := program(t, c.before+c.alter+write), program(t, c.after+write)
			if altered != after {
				t.Errorf("altered:\n%s\ndeclared so:\n%s", altered, after)
			}
		})
	}
}

// TestDropUnknown: no statement on a table is modelled whose constraint was dropped by a name that nothing has,
// unless IF EXISTS says that it may be missing.
func TestDropUnknown(t *testing.T) {
	const tables = "CREATE TABLE t (id int PRIMARY KEY, n int, CONSTRAINT c CHECK (n > 0)); ALTER TABLE t DROP CONSTRAINT "
	const write = " CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'UPDATE t SET n = n + 1 WHERE id = k';"
	const unmodelled = "a constraint that was dropped, but which one is not known"
	for drop, unknown := range map[string]bool{"d;": true, "c;": false, "IF EXISTS d;": false} {
		if text := program(t, tables+drop+write); strings.Contains(text, unmodelled) != unknown {
			t.Errorf("DROP CONSTRAINT %s\n%s", drop, text)
		}
	}
}

// TestDropReplaced: DROP FUNCTION takes away what CREATE OR REPLACE has put in the place of another one.
func TestDropReplaced(t *testing.T) {
	const table, last = "CREATE TABLE t (id int PRIMARY KEY, n int);", "CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'UPDATE t SET n = 3 WHERE id = k';"
	old := strings.NewReplacer("CREATE", "CREATE OR REPLACE", "3", "1").Replace(last)
	got := program(t, table+old+strings.Replace(old, "1", "2", 1)+"DROP FUNCTION IF EXISTS public.f(int);"+last)
	if want := program(t, table+last); got != want {
		t.Errorf("%s", got)
	}
}

// program is the form of SQL in the IR.
func program(t *testing.T, sql string) string {
	t.Helper()
	p, err := sqlmodel.Parse([]sqlmodel.File{{Name: "s.sql", Text: sql}}, sqlmodel.Options{})
	if err != nil {
		t.Fatalf("%s\n%v", sql, err)
	}
	return p.String()
}

// TestAlterConstraintOnServer: when a foreign key is checked that was altered, on a server
// and in the IR.
func TestAlterConstraintOnServer(t *testing.T) {
	server := pgtest.Open(t)
	const tables = "CREATE TABLE r (id int PRIMARY KEY); CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r%s);\n"
	const write = "SET CONSTRAINTS ALL DEFERRED; INSERT INTO t VALUES (1, 1); INSERT INTO r VALUES (1)"
	for _, c := range []struct {
		declared, altered string
		commits           bool
	}{
		{"", "", false},
		{"", "DEFERRABLE", true},
		{" DEFERRABLE", "", true},
		{" DEFERRABLE", "NOT DEFERRABLE", false},
	} {
		sql := strings.Replace(tables, "%s", c.declared, 1)
		if c.altered != "" {
			sql += "ALTER TABLE t ALTER CONSTRAINT t_n_fkey " + c.altered + ";\n"
		}
		dsn := server.Database(t)
		server.Exec(t, dsn, sql)
		if _, err := server.Conn(t, dsn).Exec(context.Background(), "BEGIN; "+write+"; COMMIT"); (err == nil) != c.commits {
			t.Errorf("declared%s, altered %s: the server gives %v, want success: %t", c.declared, c.altered, err, c.commits)
		}
		text := body(program(t, sql+"CREATE FUNCTION f() RETURNS void LANGUAGE sql AS '"+write+"';"))
		if late := strings.Contains(text, "may be checked at commit"); late != c.commits {
			t.Errorf("declared%s, altered %s: it may be checked at commit: %t\n%s", c.declared, c.altered, late, text)
		}
	}
}

// TestRefusalsDiffer: what the server refuses at another moment, or only in part, is not
// what it always refuses.
func TestRefusalsDiffer(t *testing.T) {
	const parent = "CREATE TABLE r (id int PRIMARY KEY); "
	const remove = " CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'DELETE FROM r WHERE id = k';"
	const rekey = " CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'UPDATE r SET id = k + 1 WHERE id = k';"
	const add = " CREATE FUNCTION f(k int, n int) RETURNS void LANGUAGE sql AS 'INSERT INTO t VALUES (k, n)';"
	const late = " CREATE PROCEDURE late() LANGUAGE sql AS 'SET CONSTRAINTS ALL DEFERRED';"
	const pair = "CREATE TABLE r (a int, b int, PRIMARY KEY (a, b)); CREATE TABLE t (id int PRIMARY KEY, n int, m int, FOREIGN KEY (n, m) REFERENCES r ON DELETE SET NULL"
	const removePair = " CREATE FUNCTION f(k int) RETURNS void LANGUAGE sql AS 'DELETE FROM r WHERE a = k AND b = k';"
	for _, c := range []struct{ name, one, other string }{
		{"a check that is NOT VALID", "CREATE TABLE t (id int PRIMARY KEY, n int); ALTER TABLE t ADD CHECK (n > 0) NOT VALID;" + add, "CREATE TABLE t (id int PRIMARY KEY, n int); ALTER TABLE t ADD CHECK (n > 0);" + add},
		{"a primary key that SET CONSTRAINTS defers", "CREATE TABLE t (id int PRIMARY KEY DEFERRABLE, n int);" + late + add, "CREATE TABLE t (id int PRIMARY KEY, n int);" + late + add},
		{"a unique key that SET CONSTRAINTS defers", "CREATE TABLE t (id int PRIMARY KEY, n int UNIQUE DEFERRABLE);" + late + add, "CREATE TABLE t (id int PRIMARY KEY, n int UNIQUE);" + late + add},
		{"an EXCLUDE constraint that SET CONSTRAINTS defers", "CREATE TABLE t (id int PRIMARY KEY, n int, EXCLUDE (n WITH =) DEFERRABLE);" + late + add, "CREATE TABLE t (id int PRIMARY KEY, n int, EXCLUDE (n WITH =));" + late + add},
		{"a foreign key whose triggers are off", parent + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r); ALTER TABLE t DISABLE TRIGGER ALL;" + add, parent + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r);" + add},
		{"MATCH FULL that is checked at commit", pair[:len(pair)-len(" ON DELETE SET NULL")] + " MATCH FULL DEFERRABLE INITIALLY DEFERRED);" + add, pair[:len(pair)-len(" ON DELETE SET NULL")] + " MATCH FULL);" + add},
		{"SET NULL of some columns", pair + " (n));" + removePair, pair + ");" + removePair},
		{"SET NULL of a column of a partial index", parent + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r ON DELETE SET NULL); CREATE UNIQUE INDEX i ON t (id) WHERE n > 0;" + remove,
			parent + "CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r ON DELETE SET NULL); CREATE UNIQUE INDEX i ON t (id);" + remove},
		{"ON UPDATE CASCADE of a column that another foreign key has", parent + "CREATE TABLE q (id int PRIMARY KEY); CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r ON UPDATE CASCADE REFERENCES q);" + rekey,
			parent + "CREATE TABLE q (id int PRIMARY KEY); CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r ON UPDATE CASCADE);" + rekey},
	} {
		t.Run(c.name, func(t *testing.T) {
			one, other := body(program(t, c.one)), body(program(t, c.other))
			if one == other {
				t.Errorf("the same becomes of\n%s\nand\n%s\n%s", c.one, c.other, one)
			}
		})
	}
	// A reference needs a key of all rows.
	if _, err := sqlmodel.Parse([]sqlmodel.File{{Name: "s.sql", Text: "CREATE TABLE r (id int PRIMARY KEY, u int); CREATE UNIQUE INDEX i ON r (u) WHERE u > 0; CREATE TABLE t (id int PRIMARY KEY, n int REFERENCES r (u));"}}, sqlmodel.Options{}); err == nil {
		t.Error("a foreign key refers to a partial index")
	}
}

// body is what a program does, from its first transaction on.
func body(program string) string {
	if i := strings.Index(program, "\ntxn "); i >= 0 {
		return program[i:]
	}
	return program
}
