package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/txrobust/robust"
	"github.com/txrobust/robust/internal/replaytest"
	"github.com/txrobust/robust/internal/witness"
)

// doctors is a table of which many cases leave one row on call at least.
const doctors = `CREATE TABLE doctor (id int PRIMARY KEY, on_call boolean NOT NULL);
`

// albums count their photos.
const albums = `CREATE TABLE album (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE photo (id int PRIMARY KEY, album int NOT NULL);
`

// TestCases replays findings in programs of every shape in which a witness may have to
// be written.
func TestCases(t *testing.T) {
	var tally replaytest.Tally
	for _, tc := range []struct {
		name, text string
		opt        robust.Options
	}{
		{"identity, generated columns, triggers, names in quotes", `CREATE SCHEMA app;
CREATE TABLE app."Order" (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, "select" int NOT NULL, mate int REFERENCES app."Order" (id),
  twice int GENERATED ALWAYS AS ("select" * 2) STORED, note text);
CREATE TABLE log (id serial PRIMARY KEY, order_id int NOT NULL REFERENCES app."Order", what text);
CREATE UNIQUE INDEX ON app."Order" (lower(note)) WHERE note IS NOT NULL;
CREATE FUNCTION stamp() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log (order_id, what) VALUES (NEW.id, 'new'); RETURN NULL; END $$;
CREATE TRIGGER stamp AFTER INSERT ON app."Order" FOR EACH ROW EXECUTE FUNCTION stamp();
CREATE FUNCTION app."Add"(n smallint, t text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE k int;
BEGIN
  IF (SELECT coalesce(sum("select"), 0) FROM app."Order") + n > 10 THEN RAISE EXCEPTION 'too much'; END IF;
  INSERT INTO app."Order" ("select", note) VALUES (n, t) RETURNING id INTO k;
  RETURN k;
END $$;`, robust.Options{}},
		{"a function that waits for a row", albums + `CREATE FUNCTION add_photo(p int, a int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO photo VALUES (p, a);
  UPDATE album SET n = (SELECT count(*) FROM photo WHERE album = a) WHERE id = a;
END $$;`, robust.Options{Question: robust.Question{Isolation: "rc"}}},
		{"a command of a script that waits for a row", albums + `-- name: add
BEGIN;
INSERT INTO photo VALUES ($1, $2);
UPDATE album SET n = (SELECT count(*) FROM photo WHERE album = $2) WHERE id = $2;
COMMIT;`, robust.Options{Question: robust.Question{Isolation: "rc"}}},
		{"RETURNING after a wait", albums + `CREATE FUNCTION add_photo(p int, a int) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE k bigint; BEGIN
  INSERT INTO photo VALUES (p, a);
  UPDATE album SET n = n + 1 WHERE id = a RETURNING (SELECT count(*) FROM photo WHERE album = a) INTO k;
  RETURN k;
END $$;`, robust.Options{Question: robust.Question{Isolation: "rc"}}},
		{"a materialized view, policies of a platform and a table of another file", `CREATE TABLE staff (id int PRIMARY KEY, on_call boolean NOT NULL, team int REFERENCES team);
CREATE TABLE note (id int PRIMARY KEY, owner text);
ALTER TABLE note ENABLE ROW LEVEL SECURITY;
CREATE POLICY own ON note USING (auth.uid() = owner);
ALTER POLICY own ON note RENAME TO mine;
ALTER POLICY mine ON note USING (auth.uid() <> owner);
DROP POLICY mine ON note;
CREATE MATERIALIZED VIEW calls AS SELECT on_call, count(*) AS n FROM staff GROUP BY on_call;
CREATE FUNCTION leave(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT count(*) FROM staff WHERE on_call) > 1 THEN UPDATE staff SET on_call = false WHERE id = p; END IF; END $$;`, robust.Options{}},
		{"rows that refer to each other in a circle", `CREATE TABLE a (id int PRIMARY KEY, b int NOT NULL, v int NOT NULL);
CREATE TABLE b (id int PRIMARY KEY, a int NOT NULL REFERENCES a, v int NOT NULL);
ALTER TABLE a ADD FOREIGN KEY (b) REFERENCES b;
CREATE TABLE note (a int REFERENCES a);
CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no more rows'; END $$;
CREATE TRIGGER keep BEFORE INSERT ON a FOR EACH ROW EXECUTE FUNCTION keep();
CREATE FUNCTION f(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN
  SELECT v INTO x FROM b WHERE a = p; IF x > 0 THEN UPDATE a SET v = 0 WHERE id = p; END IF; RETURN x; END $$;
CREATE FUNCTION g(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN
  SELECT v INTO x FROM a WHERE b = p; IF x > 0 THEN UPDATE b SET v = 0 WHERE id = p; END IF; RETURN x; END $$;`, robust.Options{}},
		{"rows of one table that refer to each other", `CREATE TABLE person (id int PRIMARY KEY, mate int NOT NULL REFERENCES person, free boolean NOT NULL);
CREATE FUNCTION leave(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT m.free FROM person p1 JOIN person m ON m.id = p1.mate WHERE p1.id = p AND m.id <> p) THEN UPDATE person SET free = false WHERE id = p; END IF; END $$;`, robust.Options{}},
		{"rows that break constraints which are NOT VALID", `CREATE TABLE p (id int PRIMARY KEY);
CREATE TABLE c (id int PRIMARY KEY, p int NOT NULL, n int NOT NULL);
ALTER TABLE c ADD CONSTRAINT "of p" FOREIGN KEY (p) REFERENCES p NOT VALID;
CREATE FUNCTION f(a int, b int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT 1 FROM c WHERE id = a AND n = 1 AND NOT EXISTS (SELECT 1 FROM p WHERE p.id = c.p)) THEN UPDATE c SET n = 2 WHERE id = b; END IF;
END $$;`, robust.Options{}},
		{"rows that break a check which is NOT VALID", `CREATE TABLE c (id int PRIMARY KEY, n int NOT NULL, m int NOT NULL);
ALTER TABLE c ADD CONSTRAINT ck CHECK (n <> 77) NOT VALID;
CREATE FUNCTION f(a int, b int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT 1 FROM c WHERE id = a AND n = 77) THEN UPDATE c SET n = 7, m = 2 WHERE id = b; END IF;
END $$;`, robust.Options{}},
		{"a key that the server gives and the script sends back", `CREATE TABLE parent (id serial PRIMARY KEY, n int NOT NULL);
CREATE TABLE child (id bigserial PRIMARY KEY, parent int NOT NULL REFERENCES parent, n int NOT NULL);
-- name: add
BEGIN;
SELECT count(*) AS c FROM parent \gset
INSERT INTO parent (n) VALUES (:c) RETURNING id AS pid \gset
INSERT INTO child (parent, n) VALUES (:pid, :c);
COMMIT;`, robust.Options{}},
		{"a key that nobody can count", `CREATE TABLE parent (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), n int NOT NULL);
CREATE TABLE child (parent uuid NOT NULL REFERENCES parent, n int NOT NULL);
-- name: add
BEGIN;
SELECT count(*) AS c FROM parent \gset
INSERT INTO parent (n) VALUES (:c) RETURNING id \gset
INSERT INTO child (parent, n) VALUES (:'id', :c);
COMMIT;`, robust.Options{}},
		{"the time", doctors + `CREATE TABLE log (at timestamptz NOT NULL DEFAULT now(), doctor int);
CREATE FUNCTION leave(p int) RETURNS timestamptz LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT count(*) FROM doctor WHERE on_call) > 1 THEN UPDATE doctor SET on_call = false WHERE id = p; END IF;
  INSERT INTO log (doctor) VALUES (p);
  RETURN now();
END $$;`, robust.Options{}},
		{"procedures, outputs, composites, overloaded and variadic functions", doctors + `CREATE TYPE who AS (id int, n smallint);
CREATE PROCEDURE leave(w who, INOUT left_ boolean, OUT others bigint) LANGUAGE plpgsql AS $$ BEGIN
  SELECT count(*) INTO others FROM doctor WHERE on_call AND id <> w.id;
  left_ := others > 0;
  IF left_ THEN UPDATE doctor SET on_call = false WHERE id = w.id; END IF;
END $$;`, robust.Options{}},
		{"overloaded functions", doctors + `CREATE FUNCTION leave(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT count(*) FROM doctor WHERE on_call) > 1 THEN UPDATE doctor SET on_call = false WHERE id = p; END IF; END $$;
CREATE FUNCTION leave(p text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT count(*) FROM doctor WHERE on_call) > 1 THEN UPDATE doctor SET on_call = false WHERE id = length(p); END IF; END $$;`, robust.Options{}},
		{"a variadic function", doctors + `CREATE FUNCTION leave(VARIADIC p int[]) RETURNS TABLE (id int, on_call boolean) LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  IF (SELECT count(*) FROM doctor WHERE on_call) > 1 THEN UPDATE doctor SET on_call = false WHERE id = p[1]; END IF;
  RETURN QUERY SELECT id, on_call FROM doctor ORDER BY id; END $$;`, robust.Options{}},
		{"values of many types", `CREATE TABLE item (id int PRIMARY KEY, n numeric(10,3), f double precision, t timestamp, tz timestamptz, c char(4), v varchar(9), b boolean, a int[], s text[]);
CREATE FUNCTION move(p int, q int, n_ numeric, f_ double precision, t_ timestamp, tz_ timestamptz, c_ char, v_ varchar, a_ int[], s_ text[]) RETURNS SETOF item LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT b FROM item WHERE id = q) THEN
    UPDATE item SET b = false, n = n_, t = t_, tz = tz_, v = v_, a = a_, s = s_ WHERE id = p;
  END IF;
  RETURN QUERY SELECT * FROM item WHERE id = q;
END $$;`, robust.Options{}},
		{"deferred constraints and exclusion", `CREATE TABLE room (id int PRIMARY KEY, free boolean NOT NULL);
CREATE TABLE booking (id serial PRIMARY KEY, room int REFERENCES room DEFERRABLE INITIALLY DEFERRED, day int NOT NULL, UNIQUE (room, day) DEFERRABLE);
CREATE FUNCTION book(r int, other int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT free FROM room WHERE id = other) THEN UPDATE room SET free = false WHERE id = r; RETURN true; END IF; RETURN false; END $$;`, robust.Options{}},
		{"branches and savepoints of a script", doctors + `CREATE TABLE tried (id int PRIMARY KEY);
-- name: leave
BEGIN;
SELECT count(*) > 1 AS enough FROM doctor WHERE on_call \gset
SAVEPOINT s;
INSERT INTO tried VALUES (:me);
\if :enough
ROLLBACK TO s;
UPDATE doctor SET on_call = false WHERE id = :me;
\else
ROLLBACK TO SAVEPOINT s;
RELEASE SAVEPOINT s;
\endif
COMMIT;`, robust.Options{}},
		{"random numbers of pgbench", doctors + `-- name: leave
\set me random(1, 3)
BEGIN;
SELECT count(*) AS n FROM doctor WHERE on_call \gset
\set k :n + 1
UPDATE doctor SET on_call = :k < 3 WHERE id = :me;
COMMIT;`, robust.Options{}},
		{"rows of the file", doctors + `INSERT INTO doctor VALUES (7, true), (8, true), (9, false);
CREATE FUNCTION leave(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT count(*) FROM doctor WHERE on_call) > 1 THEN UPDATE doctor SET on_call = false WHERE id = p; END IF; END $$;`, robust.Options{Question: robust.Question{Init: robust.FileRows}}},
		{"empty tables", `CREATE TABLE name (n text);
CREATE FUNCTION add(p text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF NOT EXISTS (SELECT 1 FROM name WHERE n = p) THEN INSERT INTO name VALUES (p); END IF; END $$;`, robust.Options{Question: robust.Question{Init: robust.NoRows}}},
		{"a table lock and SET before the snapshot", doctors + `CREATE TABLE other (id int PRIMARY KEY);
-- name: leave
BEGIN;
SET LOCAL statement_timeout = '10s';
LOCK TABLE other IN SHARE MODE;
SELECT count(*) > 1 AS enough FROM doctor WHERE on_call \gset
UPDATE doctor SET on_call = NOT :enough WHERE id = :me;
COMMIT;`, robust.Options{}},
		{"queries with parameters", doctors + `-- name: Leave :execrows
UPDATE doctor SET on_call = false WHERE id = $1 AND (SELECT count(*) FROM doctor d WHERE d.on_call) > 1;
-- name: All :many
SELECT id FROM doctor WHERE on_call = @which ORDER BY id;`, robust.Options{}},
		{"names that are looked up in a schema, and comments", `CREATE SCHEMA app; SET search_path = app;
CREATE TABLE doctor (id int PRIMARY KEY, on_call boolean NOT NULL -- the last word
) -- of the table
;
-- name: leave
BEGIN;
SELECT count(*) > 1 AS enough FROM doctor WHERE on_call -- that many
\gset
UPDATE doctor SET on_call = NOT :enough WHERE id = :me -- not the others
;
COMMIT;`, robust.Options{}},
		{"a lock that is rolled back before the others commit", `CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);
-- name: a
BEGIN;
SAVEPOINT s;
SELECT v AS w FROM t WHERE id = 2 FOR UPDATE \gset
ROLLBACK TO s;
UPDATE t SET v = v - 1 WHERE id = 1 AND :w > 0;
COMMIT;
-- name: b
BEGIN;
SELECT v AS w FROM t WHERE id = 1 FOR UPDATE \gset
UPDATE t SET v = v - 1 WHERE id = 2 AND :w > 0;
COMMIT;`, robust.Options{}},
		{"a write that is rolled back before the others commit", `CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL);
-- name: a
BEGIN;
SELECT v AS w FROM t WHERE id = 2 \gset
SAVEPOINT s;
SAVEPOINT s2;
DELETE FROM t WHERE id = 2;
RELEASE s2;
ROLLBACK TO s;
UPDATE t SET v = v - 1 WHERE id = 1 AND :w > 0;
COMMIT;
-- name: b
BEGIN;
SELECT v AS w FROM t WHERE id = 1 \gset
UPDATE t SET v = v - 1 WHERE id = 2 AND :w > 0;
COMMIT;`, robust.Options{}},
		{"rows in the order of an enum", `CREATE TYPE prio AS ENUM ('low', 'high', 'mid', 'extra');
CREATE TABLE task (id int PRIMARY KEY, p prio);
CREATE FUNCTION raise(a int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE k int; BEGIN
  SELECT id INTO k FROM task WHERE p > 'low' ORDER BY p DESC, id LIMIT 1; UPDATE task SET p = 'extra' WHERE id = a; RETURN k; END $$;`, robust.Options{}},
		{"two values of an enum", `CREATE TYPE prio AS ENUM ('low', 'high', 'mid', 'extra');
CREATE TABLE task (id int PRIMARY KEY, p prio NOT NULL, q prio);
CREATE FUNCTION even(a int, b int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT p > q FROM task WHERE id = b) THEN UPDATE task SET p = q WHERE id = a; RETURN true; END IF; RETURN false; END $$;`, robust.Options{}},
		{"a function in SQL, and views", doctors + `CREATE VIEW working AS SELECT id FROM doctor WHERE on_call;
CREATE FUNCTION leave(p int) RETURNS bigint LANGUAGE sql AS $$
  UPDATE doctor SET on_call = false WHERE id = p AND (SELECT count(*) FROM working) > 1;
  SELECT count(*) FROM working $$;
CREATE FUNCTION others(p int) RETURNS SETOF working BEGIN ATOMIC SELECT id FROM working WHERE id <> p; END;`, robust.Options{}},
	} {
		t.Run(tc.name, func(t *testing.T) { found(t, &tally, tc.text, tc.opt) })
	}
	t.Logf("%s", &tally)
}

// TestDepends: what the server has to decide as the witness has it is named, if it
// matters. Times are such that it does not.
func TestDepends(t *testing.T) {
	const leave = `CREATE FUNCTION leave(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  IF %s AND (SELECT count(*) FROM doctor WHERE on_call) > 1 THEN UPDATE doctor SET on_call = false WHERE id = p; END IF; END $$;`
	for _, tc := range []struct {
		name, text string
		depends    string // "" for a replay as shown
	}{
		{"random()", doctors + fmt.Sprintf(leave, "random() < 0.5"), "random()"},
		{"random(), which does not matter", doctors + "CREATE TABLE log (r float DEFAULT random());" +
			strings.Replace(fmt.Sprintf(leave, "true"), "END IF;", "END IF; INSERT INTO log DEFAULT VALUES;", 1), ""},
		{"one of several rows", `CREATE TABLE job (id int PRIMARY KEY, v int NOT NULL);
CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE a int; s int; BEGIN
  SELECT id INTO a FROM job LIMIT 1; SELECT sum(v) INTO s FROM job;
  IF s > 0 THEN UPDATE job SET v = v - 1 WHERE id = a; END IF;
  RETURN a; END $$;`, "which row the server takes at case.sql:3"},
		{"rows that are skipped", `CREATE TABLE job (id int PRIMARY KEY, done boolean NOT NULL);
CREATE TABLE tally (id int PRIMARY KEY, n int NOT NULL);
-- name: work
BEGIN;
SELECT count(*) AS n FROM job WHERE NOT done \gset
SELECT id AS j FROM job WHERE NOT done LIMIT 1 FOR UPDATE SKIP LOCKED \gset
UPDATE job SET done = true WHERE id = :j;
UPDATE tally SET n = :n WHERE id = :me;
COMMIT;`, "which rows SKIP LOCKED or LIMIT leaves"},
		{"what is over by now", `CREATE TABLE seat (id int PRIMARY KEY, until timestamptz, owner int);
CREATE FUNCTION hold(p int, q int, me int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT until FROM seat WHERE id = q) < now() THEN UPDATE seat SET owner = me, until = now() + interval '5 minutes' WHERE id = p; RETURN true; END IF;
  RETURN false; END $$;`, ""},
		{"what is still to come", `CREATE TABLE seat (id int PRIMARY KEY, until timestamptz, owner int);
CREATE FUNCTION free(p int, q int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT until FROM seat WHERE id = q) > now() THEN UPDATE seat SET until = NULL WHERE id = p; RETURN true; END IF;
  RETURN false; END $$;`, ""},
		{"a moment", `CREATE TABLE seat (id int PRIMARY KEY, at timestamptz, owner int);
CREATE FUNCTION free(p int, q int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  IF (SELECT at FROM seat WHERE id = q) = now() THEN UPDATE seat SET at = NULL WHERE id = p; RETURN true; END IF;
  RETURN false; END $$;`, "now()"},
		{"minutes that differ", `CREATE TABLE hits (client int, minute timestamptz, n int NOT NULL, PRIMARY KEY (client, minute));
CREATE FUNCTION hit(p int, q int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE h int; BEGIN
  IF EXISTS (SELECT FROM hits WHERE client = q AND minute > '2025-01-01 00:00Z') THEN RETURN false; END IF;
  INSERT INTO hits VALUES (p, date_trunc('minute', now()), 1) ON CONFLICT (client, minute) DO UPDATE SET n = hits.n + 1 RETURNING n INTO h;
  RETURN h > 1; END $$;`, "now()"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			plan := planOf(t, source(t, tc.text), robust.Options{})
			r, err := replaytest.Open(t, witness.Postgres).Replay(t.Context(), plan)
			if err != nil {
				t.Fatal(err)
			}
			switch {
			case tc.depends == "" && r.Outcome != witness.AsShown:
				t.Errorf("%s; it depends on %q\n%s", r, plan.Depends, strings.Join(r.Log, "\n"))
			case tc.depends != "" && (r.Outcome != witness.NotRun && r.Outcome != witness.AsShown || !strings.Contains(strings.Join(plan.Depends, ", "), tc.depends)):
				t.Errorf("%s; it depends on %q, not on %s", r, plan.Depends, tc.depends)
			}
		})
	}
}
