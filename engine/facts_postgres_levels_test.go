package engine_test

import (
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

func TestFact10(t *testing.T) {
	const pair = `
CREATE TABLE course (id int PRIMARY KEY);
CREATE TABLE enrolled (s int, c int, PRIMARY KEY (s, c));
INSERT INTO course VALUES (1);
`
	// remove is the schedule in which a course loses its row and keeps a
	// student, unless something protects it.
	const remove = `
		A: BEGIN
		A: SELECT 1
		B: INSERT INTO enrolled VALUES (7, 1)
		A: DELETE FROM course WHERE id = 1   -> DELETE 1
		A: COMMIT                            -> COMMIT`
	play(t, []fact{
		{name: "a trigger BEFORE DELETE", setup: pair + `
			CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
			  IF EXISTS (SELECT FROM enrolled WHERE c = OLD.id) THEN
			    RAISE EXCEPTION 'course % has students', OLD.id;
			  END IF;
			  RETURN OLD;
			END $$;
			CREATE TRIGGER guard BEFORE DELETE ON course FOR EACH ROW EXECUTE FUNCTION guard()`, script: remove},
		{name: "a deferred constraint trigger", setup: pair + `
			CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
			  IF EXISTS (SELECT FROM enrolled WHERE c = OLD.id) THEN
			    RAISE EXCEPTION 'course % has students', OLD.id;
			  END IF;
			  RETURN OLD;
			END $$;
			CREATE CONSTRAINT TRIGGER guard AFTER DELETE ON course DEFERRABLE INITIALLY DEFERRED
			  FOR EACH ROW EXECUTE FUNCTION guard()`, script: remove},
		{name: "a trigger that locks what it reads", setup: pair + `
			CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
			  PERFORM FROM enrolled WHERE c = OLD.id FOR UPDATE;
			  IF FOUND THEN
			    RAISE EXCEPTION 'course % has students', OLD.id;
			  END IF;
			  RETURN OLD;
			END $$;
			CREATE TRIGGER guard BEFORE DELETE ON course FOR EACH ROW EXECUTE FUNCTION guard()`, script: remove},
		{name: "a VOLATILE function reads the snapshot of the transaction", setup: `
			CREATE FUNCTION total() RETURNS bigint VOLATILE LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT sum(v) FROM t); END $$`, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 7 WHERE id = 1
			A: SELECT total()                        -> 0
			A: COMMIT`},
		{name: "a CHECK that calls a function", setup: `
			CREATE FUNCTION total() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT sum(v) FROM t); END $$;
			CREATE TABLE c (id int PRIMARY KEY, CHECK (total() < 5))`, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 7 WHERE id = 1
			A: INSERT INTO c VALUES (1)              -> INSERT 0 1
			A: COMMIT                                -> COMMIT
			B: INSERT INTO c VALUES (2)              -> 23514`},
		{name: "a trigger at SERIALIZABLE does protect", level: pgtest.Serializable, setup: pair + `
			CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
			  IF EXISTS (SELECT FROM enrolled WHERE c = OLD.id) THEN
			    RAISE EXCEPTION 'course % has students', OLD.id;
			  END IF;
			  RETURN OLD;
			END $$;
			CREATE TRIGGER guard BEFORE DELETE ON course FOR EACH ROW EXECUTE FUNCTION guard()`, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT id FROM course WHERE id = 1
			B: INSERT INTO enrolled VALUES (7, 1)
			B: COMMIT
			A: DELETE FROM course WHERE id = 1   -> 40001`},
	})
}

// skew is write skew between A and B, each at its own level.
func skew(a, b, last string) string {
	return `
		A: BEGIN ISOLATION LEVEL ` + a + `
		A: SELECT v FROM t WHERE id = 1          -> 0
		B: BEGIN ISOLATION LEVEL ` + b + `
		B: SELECT v FROM t WHERE id = 2          -> 0
		B: UPDATE t SET v = 1 WHERE id = 1
		B: COMMIT                                -> COMMIT
		A: UPDATE t SET v = 1 WHERE id = 2       -> ` + last
}

// readOnly is the read-only anomaly: C, which only reads, sees what B wrote
// and not what A, with an older snapshot, is about to write.
func readOnly(c, last string) string {
	return `
		A: BEGIN ISOLATION LEVEL SERIALIZABLE
		A: SELECT sum(v) FROM t                  -> 0
		B: BEGIN ISOLATION LEVEL SERIALIZABLE
		B: UPDATE t SET v = 1 WHERE id = 1
		B: COMMIT
		C: BEGIN ISOLATION LEVEL ` + c + `
		C: SELECT id, v FROM t ORDER BY id       -> 1, 1 | 2, 0
		C: COMMIT
		A: UPDATE t SET v = -1 WHERE id = 2      -> ` + last
}

func TestFact11(t *testing.T) {
	play(t, []fact{
		{name: "write skew, both SERIALIZABLE", script: skew(pgtest.Serializable, pgtest.Serializable, "40001")},
		{name: "write skew, the older one REPEATABLE READ", script: skew(pgtest.RepeatableRead, pgtest.Serializable, "UPDATE 1") + `
			A: COMMIT -> COMMIT`},
		{name: "write skew, the older one SERIALIZABLE", script: skew(pgtest.Serializable, pgtest.RepeatableRead, "UPDATE 1") + `
			A: COMMIT -> COMMIT`},
		{name: "write skew, both REPEATABLE READ", script: skew(pgtest.RepeatableRead, pgtest.RepeatableRead, "UPDATE 1") + `
			A: COMMIT -> COMMIT`},
		{name: "the read-only anomaly, all SERIALIZABLE", script: readOnly(pgtest.Serializable, "40001")},
		{name: "the read-only anomaly, the reader READ ONLY too", script: readOnly("SERIALIZABLE READ ONLY", "40001")},
		{name: "the read-only anomaly, the reader REPEATABLE READ", script: readOnly(pgtest.RepeatableRead, "UPDATE 1") + `
			A: COMMIT -> COMMIT`},
		{name: "the read-only anomaly, the reader READ COMMITTED", script: readOnly(pgtest.ReadCommitted, "UPDATE 1") + `
			A: COMMIT -> COMMIT`},
		{name: "SERIALIZABLE does not follow who frees a key for whom", level: pgtest.Serializable, setup: `
			CREATE TABLE s (id int PRIMARY KEY, u int NOT NULL, live boolean NOT NULL);
			CREATE UNIQUE INDEX ON s (u) WHERE live;
			INSERT INTO s SELECT g, g, true FROM generate_series(1, 2000) g`, script: `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1          -> 0
			B: BEGIN
			B: SET LOCAL enable_seqscan = off
			B: UPDATE s SET live = false WHERE id = 1
			B: UPDATE t SET v = 1 WHERE id = 1
			B: COMMIT                                -> COMMIT
			A: INSERT INTO s VALUES (3000, 1, true)
			A: COMMIT                                -> COMMIT`},
		{name: "SERIALIZABLE reads from one snapshot, and first updater wins", level: pgtest.Serializable, script: `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1          -> 0
			B: UPDATE t SET v = 7 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1          -> 0
			A: UPDATE t SET v = v + 1 WHERE id = 1   -> 40001`},
	})
}

func TestFact12(t *testing.T) {
	play(t, []fact{
		{name: "TRUNCATE empties the table for older snapshots", script: `
			A: BEGIN
			A: SELECT 1
			B: TRUNCATE t
			A: SELECT count(*) FROM t                -> 0
			A: UPDATE t SET v = 1                    -> UPDATE 0
			A: COMMIT                                -> COMMIT`},
		{name: "TRUNCATE and the rows that came after it", script: `
			A: BEGIN
			A: SELECT 1
			B: TRUNCATE t
			B: INSERT INTO t VALUES (3, 0, 0)
			A: SELECT count(*) FROM t                -> 0
			A: INSERT INTO t VALUES (1, 0, 0)        -> INSERT 0 1
			A: INSERT INTO t VALUES (3, 0, 0)        -> 23505`},
		{name: "TRUNCATE empties it at SERIALIZABLE too", level: pgtest.Serializable, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: TRUNCATE t
			B: COMMIT
			A: SELECT count(*) FROM t                -> 0
			A: COMMIT                                -> COMMIT`},
		{name: "TRUNCATE waits for those who have read the table", script: `
			A: BEGIN
			A: SELECT count(*) FROM t                -> 2
			B: TRUNCATE t                            -> blocks, TRUNCATE TABLE
			A: SELECT count(*) FROM t                -> 2
			A: COMMIT                                -> COMMIT`},
		{name: "ALTER TABLE that rewrites shows older snapshots an empty table", script: `
			A: BEGIN
			A: SELECT 1
			B: ALTER TABLE t ALTER v TYPE bigint
			A: SELECT count(*) FROM t                -> 0
			A: COMMIT                                -> COMMIT`},
		{name: "ALTER TABLE that does not rewrite leaves the rows", script: `
			A: BEGIN
			A: SELECT 1
			B: ALTER TABLE t ADD x int DEFAULT 7
			A: SELECT sum(x) FROM t                  -> 14
			A: COMMIT                                -> COMMIT`},
		{name: "sequence values are unique, kept out of snapshots and never given back", setup: `CREATE SEQUENCE s`, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT nextval('s')                   -> 1
			A: SELECT nextval('s')                   -> 2
			A: SELECT last_value FROM s              -> 2
			B: ROLLBACK
			C: SELECT nextval('s')                   -> 3
			A: SELECT last_value FROM s              -> 3
			A: COMMIT`},
		{name: "now() is the time of BEGIN, for the whole transaction", script: `
			A: BEGIN
			A: CREATE TEMP TABLE a AS SELECT now() AS v
			A: SELECT pg_sleep(0.01)
			A: SELECT a.v = now() AND now() = transaction_timestamp() AND now() < clock_timestamp() FROM a -> t
			A: COMMIT`},
	})
}

func TestFact13(t *testing.T) {
	const queue = `CREATE TABLE q (id int PRIMARY KEY, taken bool NOT NULL DEFAULT false); INSERT INTO q VALUES (1), (2), (3);`
	const pop = `UPDATE q SET taken = true WHERE id = (SELECT id FROM q WHERE NOT taken ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id`
	play(t, []fact{
		{name: "pops that overlap are disjoint", setup: queue, script: `
			A: BEGIN
			B: BEGIN
			A: ` + pop + ` -> 1
			B: ` + pop + ` -> 2
			B: COMMIT                                -> COMMIT
			A: COMMIT                                -> COMMIT`},
		{name: "a row that was popped since the snapshot fails, it is not skipped", setup: queue, script: `
			A: BEGIN
			A: SELECT 1
			B: ` + pop + ` -> 1
			A: ` + pop + ` -> 40001`},
		{name: "a row whose pop was rolled back is taken again", setup: queue, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: ` + pop + ` -> 1
			B: ROLLBACK
			A: ` + pop + ` -> 1
			A: COMMIT                                -> COMMIT`},
		{name: "a party that holds every row leaves the other none", setup: queue, script: `
			A: BEGIN
			A: SELECT id FROM q ORDER BY id FOR UPDATE -> 1 | 2 | 3
			B: SELECT id FROM q ORDER BY id FOR UPDATE SKIP LOCKED -> no rows
			A: COMMIT                                -> COMMIT`},
		{name: "SKIP LOCKED skips rows that are locked for share", setup: queue, script: `
			A: BEGIN
			A: SELECT id FROM q WHERE id = 1 FOR KEY SHARE -> 1
			B: SELECT id FROM q ORDER BY id FOR NO KEY UPDATE SKIP LOCKED -> 1 | 2 | 3
			B: SELECT id FROM q ORDER BY id FOR UPDATE SKIP LOCKED -> 2 | 3
			A: COMMIT                                -> COMMIT`},
		{name: "without SKIP LOCKED the second pop fails", setup: queue, script: `
			A: BEGIN
			A: UPDATE q SET taken = true WHERE id = (SELECT id FROM q WHERE NOT taken ORDER BY id LIMIT 1 FOR UPDATE) RETURNING id -> 1
			B: BEGIN
			B: UPDATE q SET taken = true WHERE id = (SELECT id FROM q WHERE NOT taken ORDER BY id LIMIT 1 FOR UPDATE) RETURNING id -> blocks, 40001
			A: COMMIT                                -> COMMIT`},
	})
}

func TestFact14(t *testing.T) {
	facts := []fact{
		{name: "a snapshot for each statement", script: `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1          -> 0
			B: UPDATE t SET v = 7 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1          -> 7
			A: COMMIT`},
		{name: "a function's statements have snapshots of their own", setup: `
			CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$
			DECLARE a int; b int;
			BEGIN
			  SELECT sum(v) INTO a FROM t;
			  PERFORM pg_advisory_xact_lock(1);
			  SELECT sum(v) INTO b FROM t;
			  RETURN b - a;
			END $$`, script: `
			B: SELECT pg_advisory_lock(1)
			A: BEGIN
			A: SELECT f()                            -> blocks, 7
			B: UPDATE t SET v = 7 WHERE id = 1
			B: SELECT pg_advisory_unlock(1)          -> t
			A: COMMIT`},
		{name: "a STABLE function's do not", setup: `
			CREATE FUNCTION f() RETURNS int STABLE LANGUAGE plpgsql AS $$
			DECLARE a int; b int;
			BEGIN
			  SELECT sum(v) INTO a FROM t;
			  PERFORM pg_advisory_xact_lock(1);
			  SELECT sum(v) INTO b FROM t;
			  RETURN b - a;
			END $$`, script: `
			B: SELECT pg_advisory_lock(1)
			A: BEGIN
			A: SELECT f()                            -> blocks, 0
			B: UPDATE t SET v = 7 WHERE id = 1
			B: SELECT pg_advisory_unlock(1)          -> t
			A: COMMIT`},
		{name: "read, then write what was computed: the update between them is lost", script: `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1          -> 0
			B: UPDATE t SET v = v + 5 WHERE id = 1
			A: UPDATE t SET v = 0 + 1 WHERE id = 1   -> UPDATE 1
			A: COMMIT                                -> COMMIT
			C: SELECT v FROM t WHERE id = 1          -> 1`},
		{name: "one UPDATE computes from the newest row, after a wait", script: `
			B: BEGIN
			B: UPDATE t SET v = v + 5 WHERE id = 1
			A: UPDATE t SET v = v + 1 WHERE id = 1 RETURNING v -> blocks, 6
			B: COMMIT`},
		{name: "one UPDATE tests its WHERE again on the newest row, after a wait", script: `
			B: BEGIN
			B: UPDATE t SET v = 5 WHERE id = 1
			A: UPDATE t SET w = 1 WHERE v = 0        -> blocks, UPDATE 1
			B: COMMIT
			A: SELECT id, w FROM t ORDER BY id       -> 1, 0 | 2, 1`},
		{name: "a row that matches only after the wait is missed", script: `
			B: BEGIN
			B: UPDATE t SET v = 5 WHERE id = 1
			A: UPDATE t SET w = 1 WHERE v = 5        -> UPDATE 0
			B: COMMIT`},
		{name: "a deleted row is skipped after the wait", script: `
			B: BEGIN
			B: DELETE FROM t WHERE id = 1
			A: UPDATE t SET v = 1                    -> blocks, UPDATE 1
			B: COMMIT`},
		{name: "a row that is deleted and inserted again is missed", script: `
			B: BEGIN
			B: DELETE FROM t WHERE id = 1
			B: INSERT INTO t VALUES (1, 5, 5)
			A: UPDATE t SET v = 1 WHERE id = 1       -> blocks, UPDATE 0
			B: COMMIT`},
		{name: "a subquery is not computed again after the wait", script: `
			B: BEGIN
			B: UPDATE t SET v = 5
			A: UPDATE t SET w = (SELECT v FROM t x WHERE x.id = 2) WHERE id = 1 RETURNING v, w -> blocks, 5, 0
			B: COMMIT`},
		{name: "FOR UPDATE gives the newest row, and the UPDATE after it is safe", script: `
			B: BEGIN
			B: UPDATE t SET v = v + 5 WHERE id = 1
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1 FOR UPDATE -> blocks, 5
			B: COMMIT
			C: UPDATE t SET v = v + 5 WHERE id = 1   -> blocks, UPDATE 1
			A: UPDATE t SET v = 5 + 1 WHERE id = 1   -> UPDATE 1
			A: COMMIT                                -> COMMIT
			B: SELECT v FROM t WHERE id = 1          -> 11`},
		{name: "FOR UPDATE as a mutex serialises", script: `
			B: BEGIN
			B: SELECT id FROM t WHERE id = 1 FOR UPDATE -> 1
			A: BEGIN
			A: SELECT id FROM t WHERE id = 1 FOR UPDATE -> blocks, 1
			B: UPDATE t SET v = 5 WHERE id = 2
			B: COMMIT
			A: SELECT v FROM t WHERE id = 2          -> 5
			A: COMMIT                                -> COMMIT`},
		{name: "pg_advisory_xact_lock as a mutex serialises", script: `
			B: BEGIN
			B: SELECT pg_advisory_xact_lock(1)
			A: BEGIN
			A: SELECT pg_advisory_xact_lock(1)       -> blocks, ''
			B: UPDATE t SET v = 5 WHERE id = 2
			B: COMMIT
			A: SELECT v FROM t WHERE id = 2          -> 5
			A: COMMIT                                -> COMMIT`},
		{name: "FOR UPDATE with ORDER BY and LIMIT goes on to the next row", script: `
			B: BEGIN
			B: UPDATE t SET v = 9 WHERE id = 1
			A: SELECT id FROM t WHERE v = 0 ORDER BY id LIMIT 1 FOR UPDATE -> blocks, 2
			B: COMMIT`},
		{name: "two rows read by two statements may never have been together", script: `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1          -> 0
			B: UPDATE t SET v = 7
			A: SELECT v FROM t WHERE id = 2          -> 7
			A: COMMIT                                -> COMMIT`},
		{name: "a write skew", script: `
			A: BEGIN
			A: SELECT sum(v) FROM t                  -> 0
			B: BEGIN
			B: SELECT sum(v) FROM t                  -> 0
			B: UPDATE t SET v = 1 WHERE id = 1
			B: COMMIT
			A: UPDATE t SET v = 1 WHERE id = 2       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "ON CONFLICT DO UPDATE changes a row that the statement does not see", script: `
			B: BEGIN
			B: INSERT INTO t VALUES (3, 5, 0)
			A: INSERT INTO t VALUES (3, 1, 0) ON CONFLICT (id) DO UPDATE SET v = t.v + 1 RETURNING v -> blocks, 6
			B: COMMIT`},
	}
	for i := range facts {
		facts[i].level = pgtest.ReadCommitted
	}
	play(t, facts)
}
