package robust_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/report"
)

// judged is a program with its verdict.
type judged struct {
	name, sql string
	want      report.Verdict
}

// judge compares the verdicts of programs with those that they should have.
func judge(t *testing.T, list []judged) {
	t.Helper()
	for _, tc := range list {
		t.Run(tc.name, func(t *testing.T) {
			if rep := reportOf(t, tc.sql, robust.Options{Budget: robust.Budget{Questions: 20}}); rep.Verdict != tc.want {
				t.Errorf("the verdict is %s, and should be %s", rep.Verdict, tc.want)
			}
		})
	}
}

// TestPartitionedParent: a foreign key to a partitioned table finds a parent that its transaction
// does not see (engine.TestFact09Partitioned), so that it keeps nobody from reading an older state.
func TestPartitionedParent(t *testing.T) {
	const (
		plain = "CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL);\n"
		parts = `CREATE TABLE item (id int PRIMARY KEY, name text NOT NULL) PARTITION BY HASH (id);
CREATE TABLE item_0 PARTITION OF item FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE item_1 PARTITION OF item FOR VALUES WITH (MODULUS 2, REMAINDER 1);
`
		child = "CREATE TABLE line (id int PRIMARY KEY, item_id int NOT NULL REFERENCES item, item_name text)"
		hash  = ` PARTITION BY HASH (id);
CREATE TABLE line_0 PARTITION OF line FOR VALUES WITH (MODULUS 1, REMAINDER 0);
`
		line = `CREATE FUNCTION add_line(l int, i int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE nm text;
BEGIN
  SELECT name INTO nm FROM item WHERE id = i;
  INSERT INTO line VALUES (l, i, nm);
END $$;
`
		item   = "CREATE FUNCTION add_item(i int, n text) RETURNS void LANGUAGE sql AS $$ INSERT INTO item VALUES (i, n) $$;\n"
		delete = "CREATE FUNCTION del_item(i int) RETURNS void LANGUAGE sql AS $$ DELETE FROM item WHERE id = i $$;\n"
	)
	judge(t, []judged{
		{"plain", plain + child + ";\n" + line + item, robust.Robust},
		{"partitioned parent", parts + child + ";\n" + line + item, robust.Unknown},
		{"partitioned parent that is deleted", parts + child + ";\n" + line + delete, robust.Unknown},
		{"partitioned parent whose rows stay", parts + child + ";\n" + line, robust.Robust},
		{"partitioned child", plain + child + hash + line + item, robust.Robust},
	})
}

// TestUniqueOnly: a unique index that is declared ONLY for a partitioned table keeps no rows of its
// partitions apart until each of them has given it an index.
func TestUniqueOnly(t *testing.T) {
	const (
		head = `CREATE TABLE bk (id int NOT NULL, room int NOT NULL, slot int NOT NULL) PARTITION BY LIST (room);
CREATE TABLE bk1 PARTITION OF bk FOR VALUES IN (1);
CREATE TABLE bkd PARTITION OF bk DEFAULT;
`
		attach = `CREATE TABLE bk (id int NOT NULL, room int NOT NULL, slot int NOT NULL) PARTITION BY LIST (room);
CREATE TABLE bk1 (id int NOT NULL, room int NOT NULL, slot int NOT NULL);
CREATE TABLE bkd (room int NOT NULL, slot int NOT NULL, id int NOT NULL CHECK (id > 0));
ALTER TABLE ONLY bk ATTACH PARTITION bk1 FOR VALUES IN (1);
ALTER TABLE ONLY bk ATTACH PARTITION bkd DEFAULT;
`
		deep = `CREATE TABLE bk (id int NOT NULL, room int NOT NULL, slot int NOT NULL) PARTITION BY LIST (room);
CREATE TABLE bk1 (id int NOT NULL, room int NOT NULL, slot int NOT NULL) PARTITION BY LIST (slot);
CREATE TABLE bk11 (id int NOT NULL, room int NOT NULL, slot int NOT NULL);
CREATE TABLE bkd (id int NOT NULL, room int NOT NULL, slot int NOT NULL);
ALTER TABLE ONLY bk1 ATTACH PARTITION bk11 DEFAULT;
ALTER TABLE ONLY bk ATTACH PARTITION bk1 FOR VALUES IN (1);
ALTER TABLE ONLY bk ATTACH PARTITION bkd DEFAULT;
`
		inner   = "ALTER TABLE ONLY bk1 ATTACH PARTITION bk11 DEFAULT;\n"
		trigger = `CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE TRIGGER stop BEFORE INSERT ON bk1 FOR EACH ROW EXECUTE FUNCTION stop();
`
		indexes = "CREATE UNIQUE INDEX u1 ON bk1 (room, slot); CREATE UNIQUE INDEX ud ON bkd (room, slot);\n"
		book    = `
CREATE FUNCTION book(i int, r int, s int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT 1 FROM bk WHERE room = r AND slot = s) THEN RETURN false; END IF;
  INSERT INTO bk (id, room, slot) VALUES (i, r, s); RETURN true; END $$;
`
	)
	turned := strings.Replace(deep, inner, "", 1) + inner
	judge(t, []judged{
		{"index", head + "CREATE UNIQUE INDEX u ON bk (room, slot);" + book, robust.Robust},
		{"index of none", head + "CREATE UNIQUE INDEX u ON ONLY bk (room, slot);" + book, robust.Unknown},
		{"index of one", head + "CREATE UNIQUE INDEX u ON ONLY bk (room, slot);" + indexes + "ALTER INDEX u ATTACH PARTITION u1;" + book, robust.Unknown},
		{"index of all", head + "CREATE UNIQUE INDEX u ON ONLY bk (room, slot);" + indexes + "ALTER INDEX u ATTACH PARTITION u1; ALTER INDEX u ATTACH PARTITION ud;" + book, robust.Robust},
		{"constraint", head + "ALTER TABLE bk ADD CONSTRAINT u UNIQUE (room, slot);" + book, robust.Robust},
		{"constraint of none", head + "ALTER TABLE ONLY bk ADD CONSTRAINT u UNIQUE (room, slot);" + book, robust.Unknown},
		{"primary key", head + "ALTER TABLE bk ADD PRIMARY KEY (room, slot);" + book, robust.Robust},
		{"primary key of none", head + "ALTER TABLE ONLY bk ADD PRIMARY KEY (room, slot);" + book, robust.Unknown},
		{"attached", attach + "CREATE UNIQUE INDEX u ON bk (room, slot);" + book, robust.Robust},
		{"attached, index of one", attach + "CREATE UNIQUE INDEX u ON ONLY bk (room, slot);" + indexes + "ALTER INDEX u ATTACH PARTITION u1;" + book, robust.Unknown},
		{"attached, index of all", attach + "CREATE UNIQUE INDEX u ON ONLY bk (room, slot);" + indexes + "ALTER INDEX u ATTACH PARTITION u1; ALTER INDEX u ATTACH PARTITION ud;" + book, robust.Robust},
		{"attached after the index of none", strings.Replace(attach, "ALTER", "CREATE UNIQUE INDEX u ON ONLY bk (room, slot);\nALTER", 1) + book, robust.Robust},
		{"attached with a key of its own", strings.Replace(attach, "slot int NOT NULL);", "slot int NOT NULL, UNIQUE (room));", 1) + "CREATE UNIQUE INDEX u ON bk (room, slot);" + book, robust.Unknown},
		{"attached with a trigger", strings.Replace(attach, "ALTER", trigger+"ALTER", 1) + "CREATE UNIQUE INDEX u ON bk (room, slot);" + book, robust.Unknown},
		{"partitions of partitions", deep + "CREATE UNIQUE INDEX u ON ONLY bk (room, slot);" + indexes + "ALTER INDEX u ATTACH PARTITION u1; ALTER INDEX u1 ATTACH PARTITION u11; ALTER INDEX u ATTACH PARTITION ud;" + book, robust.Robust},
		{"partitions of partitions, the outer first, index of some", turned + "CREATE UNIQUE INDEX u ON ONLY bk (room, slot);" + indexes + "ALTER INDEX u ATTACH PARTITION u1; ALTER INDEX u ATTACH PARTITION ud;" + book, robust.Unknown},
		{"partitions of partitions, the inner index last", turned + "CREATE UNIQUE INDEX u ON ONLY bk (room, slot);" + indexes + "ALTER INDEX u1 ATTACH PARTITION u11; ALTER INDEX u ATTACH PARTITION u1; ALTER INDEX public.u ATTACH PARTITION public.ud;" + book, robust.Robust},
		{"an index that is attached twice", attach + "CREATE UNIQUE INDEX u ON ONLY bk (room, slot);" + indexes + "ALTER INDEX u ATTACH PARTITION u1; ALTER INDEX u ATTACH PARTITION public.u1;" + book, robust.Unknown},
		{"partitions of partitions, index of some", deep + "CREATE UNIQUE INDEX u ON ONLY bk (room, slot);" + indexes + "ALTER INDEX u ATTACH PARTITION u1; ALTER INDEX u ATTACH PARTITION ud;" + book, robust.Unknown},
	})
}

// TestGuessedSigns: that numbers are not negative is not guessed of the initial rows where the
// program names negative ones.
func TestGuessedSigns(t *testing.T) {
	const flip = `CREATE FUNCTION flip(x int, y int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE o int;
BEGIN
  SELECT v INTO o FROM t WHERE k = y;
  IF o < 0 THEN UPDATE t SET v = 5 WHERE k = x; END IF;
END $$;
`
	table := func(check, rows string) string {
		return "CREATE TABLE t (k int PRIMARY KEY, v int NOT NULL" + check + ");\n" + rows + flip
	}
	judge(t, []judged{
		{"no negative number", table("", ""), robust.Robust},
		{"a CHECK lists one", table(" CHECK (v = -7 OR v = 5)", ""), robust.NotRobust},
		{"a CHECK forbids them", table(" CHECK (v >= 0)", ""), robust.Robust},
		{"a domain has one", "CREATE DOMAIN d AS int CHECK (VALUE IN (-7, 5));\nCREATE TABLE t (k int PRIMARY KEY, v d NOT NULL);\n" + flip, robust.NotRobust},
	})
}

// TestEnumOrder: labels are ordered as they are declared.
func TestEnumOrder(t *testing.T) {
	program := func(cond string) string {
		return `CREATE TYPE prio AS ENUM ('low', 'mid', 'high');
CREATE TABLE task (id int PRIMARY KEY, p prio NOT NULL);
CREATE FUNCTION lower_one(a int, b int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE o prio;
BEGIN
  SELECT p INTO o FROM task WHERE id = b;
  IF ` + cond + ` THEN UPDATE task SET p = 'low' WHERE id = a; END IF;
END $$;
`
	}
	judge(t, []judged{
		{"above mid", program("o > 'mid'"), robust.NotRobust},
		{"above the last", program("o > 'high'"), robust.Robust},
		{"at most mid, or low", program("o <= 'low'"), robust.Robust},
		{"the label first", program("'mid' < o"), robust.NotRobust},
		{"below the first", program("o < 'low'"), robust.Robust},
	})
}

// TestShowTakesNoSnapshot: LOCK TABLE behind SHOW is before the snapshot (engine.TestFact01), behind
// a query it is not.
func TestShowTakesNoSnapshot(t *testing.T) {
	program := func(first string) string {
		return `CREATE TABLE slot (id int PRIMARY KEY, who text NOT NULL);
-- name: book
BEGIN ISOLATION LEVEL REPEATABLE READ;
` + first + `
LOCK TABLE slot IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO slot SELECT :id, 'a' WHERE (SELECT count(*) FROM slot) < 2;
COMMIT;
`
	}
	judge(t, []judged{
		{"SHOW", program("SHOW lock_timeout;"), robust.Robust},
		{"RESET", program("RESET lock_timeout;"), robust.Robust},
		{"SET CONSTRAINTS", program("SET CONSTRAINTS ALL IMMEDIATE;"), robust.Robust},
		{"a query", program("SELECT 1;"), robust.NotRobust},
	})
}

// TestSessionWithoutChecks: foreign keys and triggers keep nobody out in a transaction with
// session_replication_role = replica, however it is set.
func TestSessionWithoutChecks(t *testing.T) {
	const tables = "CREATE TABLE p (a int PRIMARY KEY);\nCREATE TABLE c (id int PRIMARY KEY, a int NOT NULL REFERENCES p);\n" +
		"CREATE FUNCTION delp(x int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN\n  IF EXISTS (SELECT 1 FROM c WHERE a = x) THEN RETURN false; END IF;\n  DELETE FROM p WHERE a = x;\n  RETURN true;\nEND $$;\n"
	addc := func(clause, first string) string {
		return tables + "CREATE FUNCTION addc(i int, x int) RETURNS bool LANGUAGE plpgsql " + clause + " AS $$ BEGIN\n  " + first +
			"\n  IF NOT EXISTS (SELECT 1 FROM p WHERE a = x) THEN RETURN false; END IF;\n  INSERT INTO c VALUES (i, x);\n  RETURN true;\nEND $$;\n"
	}
	judge(t, []judged{
		{"checked", addc("", ""), robust.Robust},
		{"clause", addc("SET session_replication_role = replica", ""), robust.Unknown},
		{"clause of another setting", addc("SET statement_timeout = 1000", ""), robust.Robust},
		{"clause that keeps them", addc("SET session_replication_role = origin", ""), robust.Robust},
		{"SET LOCAL", addc("", "SET LOCAL session_replication_role = 'replica';"), robust.Unknown},
		{"set_config", addc("", "PERFORM set_config('session_replication_role', 'replica', true);"), robust.Unknown},
		{"set_config of another setting", addc("", "PERFORM set_config('app.who', x::text, true);"), robust.Robust},
	})
}

// TestPartitionKey: a unique key of a partition alone is not left out, which would let executions
// happen that the server refuses.
func TestPartitionKey(t *testing.T) {
	const (
		parent = "CREATE TABLE bk (id int, room int NOT NULL, slot int NOT NULL) PARTITION BY LIST (room);\n"
		plain  = "CREATE TABLE bk1 PARTITION OF bk FOR VALUES IN (1);\n"
		book   = `CREATE FUNCTION book(i int, r int, s int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT 1 FROM bk WHERE room = r AND slot = s) THEN RETURN false; END IF;
  INSERT INTO bk VALUES (i, r, s);
  RETURN true;
END $$;
`
	)
	judge(t, []judged{
		{"none", parent + plain + book, robust.NotRobust},
		{"in the declaration", parent + "CREATE TABLE bk1 PARTITION OF bk (UNIQUE (slot)) FOR VALUES IN (1);\n" + book, robust.Unknown},
		{"index", parent + plain + "CREATE UNIQUE INDEX u ON bk1 (slot);\n" + book, robust.Unknown},
		{"index that keeps nothing apart", parent + plain + "CREATE INDEX u ON bk1 (slot);\n" + book, robust.NotRobust},
		{"ALTER TABLE", parent + plain + "ALTER TABLE bk1 ADD CONSTRAINT u UNIQUE (slot);\n" + book, robust.Unknown},
		{"beside one of the whole", parent + plain + "CREATE UNIQUE INDEX u ON bk1 (slot, room);\nALTER TABLE bk ADD UNIQUE (room, slot);\n" + book, robust.Robust},
	})
}

// TestPartitionForeignKey: a foreign key to one partition refuses what it does, but for which rows is not seen.
func TestPartitionForeignKey(t *testing.T) {
	const (
		head = `CREATE TABLE p (a int PRIMARY KEY, n int NOT NULL) PARTITION BY LIST (a);
CREATE TABLE p1 PARTITION OF p FOR VALUES IN (1);
CREATE TABLE px PARTITION OF p DEFAULT;
CREATE TABLE c (id int PRIMARY KEY, a int NOT NULL);
`
		body = `CREATE FUNCTION addc(i int, x int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM p WHERE a = x) THEN RETURN false; END IF;
  INSERT INTO c VALUES (i, x); RETURN true; END $$;
CREATE FUNCTION delp(x int) RETURNS bool LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT 1 FROM c WHERE a = x) THEN RETURN false; END IF;
  DELETE FROM p WHERE a = x; RETURN true; END $$;
`
		other = "CREATE TABLE o (id int PRIMARY KEY, n int NOT NULL); CREATE FUNCTION f(i int) RETURNS void LANGUAGE sql AS 'UPDATE o SET n = n + 1 WHERE id = i';"
	)
	judge(t, []judged{
		{"no key", head + body, robust.NotRobust},
		{"key to a partition", head + "ALTER TABLE c ADD FOREIGN KEY (a) REFERENCES p1;" + body, robust.Unknown},
		{"key of the columns of a partition", head + "ALTER TABLE p1 ADD UNIQUE (a); ALTER TABLE c ADD FOREIGN KEY (a) REFERENCES p1 (a);" + body, robust.Unknown},
		{"another table", head + "ALTER TABLE c ADD FOREIGN KEY (a) REFERENCES p1;" + other, robust.Robust},
		{"dropped key of the parent", strings.Replace(head, "px PARTITION OF p", "px0 PARTITION OF p", 1) + "ALTER TABLE c ADD FOREIGN KEY (a) REFERENCES p; ALTER TABLE p DROP CONSTRAINT p_pkey CASCADE;" + body, robust.NotRobust},
	})
}

// TestSessionSettings: what a script sets for its session holds for the transactions that follow, and not for
// those before.
func TestSessionSettings(t *testing.T) {
	const (
		tables = `CREATE TABLE p (id int PRIMARY KEY);
CREATE TABLE c (id int PRIMARY KEY, p int NOT NULL REFERENCES p);
`
		add = `-- name: addc
BEGIN;
SELECT count(*) AS n FROM p WHERE id = :x \gset
INSERT INTO c SELECT :i, :x WHERE :n > 0;
COMMIT;
`
		del = `-- name: delp
BEGIN;
SELECT count(*) AS n FROM c WHERE p = :x \gset
DELETE FROM p WHERE id = :x AND :n = 0;
COMMIT;
`
		off = "SET session_replication_role = replica;\n"
	)
	judge(t, []judged{
		{"checked", tables + add + del, robust.Robust},
		{"unchecked", tables + off + add + del, robust.Unknown},
		{"unchecked by a call", tables + "SELECT set_config('session_replication_role', 'replica', false);\n" + add + del, robust.Unknown},
		{"unchecked child", tables + del + off + add, robust.Unknown},
		{"unchecked at the end", tables + add + del + off, robust.Robust},
		{"checked again", tables + off + "RESET session_replication_role;\n" + add + del, robust.Robust},
		{"unchecked by a transaction before", tables + "-- name: first\nBEGIN;\n" + off + "SELECT count(*) FROM p;\nCOMMIT;\n" + add + del, robust.Unknown},
		{"unchecked in a branch", tables + "\\if :bulk\n" + off + "\\endif\n" + add + del, robust.Unknown},
	})
	const lost = `CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);
%s
-- name: inc
BEGIN%s;
SELECT v AS n FROM t WHERE id = 1 \gset
UPDATE t SET v = :n + 1 WHERE id = 1;
COMMIT;
`
	for _, tc := range []struct {
		set, begin string
		want       report.Verdict
	}{
		{"", "", robust.NotRobust},
		{"SET default_transaction_isolation = 'repeatable read';", "", robust.Robust},
		{"SET default_transaction_isolation = 'repeatable read'; RESET ALL;", "", robust.NotRobust},
		{"SET default_transaction_isolation = 'repeatable read';", " ISOLATION LEVEL READ COMMITTED", robust.NotRobust},
		{"SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE;", "", robust.Robust},
		{"SET LOCAL default_transaction_isolation = 'serializable';", "", robust.NotRobust},
		{"\\if :a\nSET default_transaction_isolation = 'serializable';\n\\endif", "", robust.NotRobust},
	} {
		t.Run(tc.set+tc.begin, func(t *testing.T) {
			rep := reportOf(t, fmt.Sprintf(lost, tc.set, tc.begin), robust.Options{Question: robust.Question{Isolation: "code"}, Budget: robust.Budget{Questions: 20}}, "inc")
			if rep.Verdict != tc.want {
				t.Errorf("the verdict is %s, and should be %s", rep.Verdict, tc.want)
			}
		})
	}
}
