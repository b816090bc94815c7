package engine_test

import (
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

// These tests are the facts about PostgreSQL that its profile rests on, run on
// a real server. A case is a schedule with what each statement does; session A
// is mostly the one with the older snapshot, which SELECT 1 takes.
//
// The table numbers are those of the facts in the profile.

type fact struct {
	name   string
	level  string // REPEATABLE READ when empty
	setup  string // after the tables of rows
	script string
}

// rows are the tables that every case starts with.
const rows = `
CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL, w int NOT NULL);
INSERT INTO t VALUES (1, 0, 0), (2, 0, 0);
`

func play(t *testing.T, facts []fact) {
	t.Helper()
	s := pgtest.Open(t)
	dsn := s.Database(t)
	for _, f := range facts {
		t.Run(f.name, func(t *testing.T) {
			s.Exec(t, dsn, "DROP SCHEMA public CASCADE; CREATE SCHEMA public", rows, f.setup)
			level := f.level
			if level == "" {
				level = pgtest.RepeatableRead
			}
			pgtest.Play(t, dsn, level, f.script)
		})
	}
}

func TestFact01(t *testing.T) {
	play(t, []fact{
		{name: "BEGIN takes no snapshot", script: `
			A: BEGIN
			B: UPDATE t SET v = 1 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1      -> 1
			B: UPDATE t SET v = 2 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1      -> 1
			A: COMMIT`},
		{name: "SET, RESET, SHOW, LISTEN, SAVEPOINT and LOCK TABLE take none", script: `
			A: BEGIN
			A: SET LOCAL work_mem = '8MB'
			A: SHOW work_mem                     -> 8MB
			A: RESET work_mem
			A: SET CONSTRAINTS ALL IMMEDIATE
			A: LISTEN c
			A: UNLISTEN c
			A: SAVEPOINT s
			A: LOCK TABLE t IN ACCESS SHARE MODE
			B: UPDATE t SET v = 1 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1      -> 1
			A: COMMIT`},
		{name: "DISCARD takes one", script: `
			A: BEGIN
			A: DISCARD PLANS
			B: UPDATE t SET v = 1 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1      -> 0
			A: COMMIT`},
		{name: "a query of no table takes one", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 1 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1      -> 0
			A: COMMIT`},
		{name: "a failed query inside a savepoint takes one", script: `
			A: BEGIN
			A: SAVEPOINT s
			A: SELECT 1 / 0                      -> 22012
			A: ROLLBACK TO s
			B: UPDATE t SET v = 1 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1      -> 0
			A: COMMIT`},
		{name: "PREPARE takes one, EXECUTE reads from it", script: `
			A: BEGIN
			A: PREPARE q AS SELECT v FROM t WHERE id = 1
			B: UPDATE t SET v = 1 WHERE id = 1
			A: EXECUTE q                         -> 0
			A: COMMIT`},
		{name: "a DO block takes one before its first statement", script: `
			A: BEGIN
			A: DO $$ BEGIN LOCK TABLE t IN ACCESS SHARE MODE; END $$
			B: UPDATE t SET v = 1 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1      -> 0
			A: COMMIT`},
		{name: "CALL takes one", setup: `CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN NULL; END $$`, script: `
			A: BEGIN
			A: CALL p()
			B: UPDATE t SET v = 1 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1      -> 0
			A: COMMIT`},
		{name: "LOCK TABLE first, in every party, serialises", script: `
			A: BEGIN
			A: LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE
			B: BEGIN
			B: LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE                       -> blocks, LOCK TABLE
			A: SELECT sum(v) FROM t                                           -> 0
			A: UPDATE t SET v = 1 WHERE id = 1
			A: COMMIT
			B: SELECT sum(v) FROM t                                           -> 1
			B: COMMIT`},
		{name: "LOCK TABLE first, in one party only, does not", setup: `CREATE TABLE u (v int); INSERT INTO u VALUES (0)`, script: `
			B: BEGIN
			B: SELECT v FROM u                       -> 0
			A: BEGIN
			A: LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE
			A: SELECT sum(v) FROM t                  -> 0
			A: UPDATE u SET v = 1
			B: UPDATE t SET v = 1 WHERE id = 1       -> blocks, UPDATE 1
			A: COMMIT
			B: COMMIT                                -> COMMIT`},
		{name: "LOCK TABLE after the snapshot does not", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 1 WHERE id = 1
			A: LOCK TABLE t IN ACCESS EXCLUSIVE MODE
			A: SELECT v FROM t WHERE id = 1          -> 0
			A: UPDATE t SET v = 2 WHERE id = 2       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "LOCK TABLE in a function called by SELECT does not", setup: `
			CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$
			DECLARE n int;
			BEGIN
			  LOCK TABLE t IN SHARE ROW EXCLUSIVE MODE;
			  SELECT sum(v) INTO n FROM t;
			  RETURN n;
			END $$`, script: `
			B: BEGIN
			B: UPDATE t SET v = 1 WHERE id = 1
			A: BEGIN
			A: SELECT f()                            -> blocks, 0
			B: COMMIT
			A: UPDATE t SET v = 2 WHERE id = 2       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "a function at REPEATABLE READ has one snapshot, also when it waits between its statements", setup: `
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
			A: SELECT f()                            -> blocks, 0
			B: UPDATE t SET v = 1 WHERE id = 1
			B: SELECT pg_advisory_unlock(1)          -> t
			A: COMMIT`},
	})
}

func TestFact02(t *testing.T) {
	play(t, []fact{
		{name: "pg_advisory_xact_lock as the first statement waits with an old snapshot", script: `
			B: BEGIN
			B: SELECT pg_advisory_xact_lock(1)
			A: BEGIN
			A: SELECT pg_advisory_xact_lock(1)       -> blocks, ''
			B: SELECT sum(v) FROM t                  -> 0
			B: UPDATE t SET v = 1 WHERE id = 1
			B: COMMIT
			A: SELECT sum(v) FROM t                  -> 0
			A: UPDATE t SET v = 1 WHERE id = 2       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "a session-level advisory lock before BEGIN serialises", script: `
			B: SELECT pg_advisory_lock(1)
			A: SELECT pg_advisory_lock(1)            -> blocks, ''
			B: BEGIN
			B: UPDATE t SET v = 1 WHERE id = 1
			B: COMMIT
			B: SELECT pg_advisory_unlock(1)          -> t
			A: BEGIN
			A: SELECT sum(v) FROM t                  -> 1
			A: COMMIT`},
		{name: "FOR UPDATE of a mutex row as the first statement waits with an old snapshot", setup: `CREATE TABLE m (id int); INSERT INTO m VALUES (1)`, script: `
			B: BEGIN
			B: SELECT id FROM m FOR UPDATE           -> 1
			A: BEGIN
			A: SELECT id FROM m FOR UPDATE           -> blocks, 1
			B: SELECT sum(v) FROM t                  -> 0
			B: UPDATE t SET v = 1 WHERE id = 1
			B: COMMIT
			A: SELECT sum(v) FROM t                  -> 0
			A: UPDATE t SET v = 1 WHERE id = 2       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "an UPDATE of the mutex row excludes", setup: `CREATE TABLE m (id int); INSERT INTO m VALUES (1)`, script: `
			B: BEGIN
			B: UPDATE m SET id = id
			A: BEGIN
			A: UPDATE m SET id = id                  -> blocks, 40001
			B: COMMIT
			A: COMMIT                                -> ROLLBACK`},
		{name: "FOR UPDATE of a mutex row that the other party updates excludes", setup: `CREATE TABLE m (id int); INSERT INTO m VALUES (1)`, script: `
			B: BEGIN
			B: UPDATE m SET id = id
			A: BEGIN
			A: SELECT id FROM m FOR UPDATE           -> blocks, 40001
			B: COMMIT
			A: COMMIT                                -> ROLLBACK`},
	})
}

func TestFact03(t *testing.T) {
	play(t, []fact{
		{name: "the same column", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 1 WHERE id = 1
			A: UPDATE t SET v = 2 WHERE id = 1       -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "disjoint columns", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET w = 1 WHERE id = 1
			A: UPDATE t SET v = 1 WHERE id = 1       -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "other rows", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 1 WHERE id = 1
			A: UPDATE t SET v = 1 WHERE id = 2       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "an identity UPDATE writes a version", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = v WHERE id = 1       -> UPDATE 1
			A: UPDATE t SET w = w WHERE id = 1       -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "an identity UPDATE under suppress_redundant_updates_trigger writes none", setup: `
			CREATE TRIGGER s BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()`, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = v WHERE id = 1       -> UPDATE 0
			A: UPDATE t SET v = 1 WHERE id = 1       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "a change that is changed back", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 1 WHERE id = 1
			B: UPDATE t SET v = 0 WHERE id = 1
			A: UPDATE t SET v = 1 WHERE id = 1       -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "an update against a deletion", script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM t WHERE id = 1
			A: UPDATE t SET v = 1 WHERE id = 1       -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "a deletion against an update", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 1 WHERE id = 1
			A: DELETE FROM t WHERE id = 1            -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "a deletion against a deletion", script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM t WHERE id = 1
			A: DELETE FROM t WHERE id = 1            -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "a write under way is waited for, and excludes when it commits", script: `
			B: BEGIN
			B: UPDATE t SET v = 1 WHERE id = 1
			A: BEGIN
			A: UPDATE t SET v = 2 WHERE id = 1       -> blocks, 40001
			B: COMMIT
			A: COMMIT                                -> ROLLBACK`},
		{name: "a write that is rolled back excludes nobody", script: `
			B: BEGIN
			B: UPDATE t SET v = 1 WHERE id = 1
			A: BEGIN
			A: UPDATE t SET v = v + 2 WHERE id = 1 RETURNING v -> blocks, 2
			B: ROLLBACK
			A: COMMIT                                -> COMMIT`},
		{name: "a write that a savepoint rolled back excludes nobody", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SAVEPOINT s
			B: UPDATE t SET v = 1 WHERE id = 1
			B: ROLLBACK TO s
			B: UPDATE t SET v = 1 WHERE id = 2
			A: UPDATE t SET v = 2 WHERE id = 1       -> UPDATE 1
			B: COMMIT                                -> COMMIT
			A: COMMIT                                -> COMMIT`},
		{name: "a deletion that a savepoint rolled back excludes nobody", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SAVEPOINT s
			B: DELETE FROM t WHERE id = 1
			B: ROLLBACK TO s
			B: COMMIT                                -> COMMIT
			A: DELETE FROM t WHERE id = 1            -> DELETE 1
			A: COMMIT                                -> COMMIT`},
		{name: "a write of the older transaction, rolled back to a savepoint, excludes nobody", script: `
			A: BEGIN
			A: SAVEPOINT s
			A: UPDATE t SET v = 1 WHERE id = 1
			A: ROLLBACK TO s
			B: UPDATE t SET v = 2 WHERE id = 1       -> UPDATE 1
			A: UPDATE t SET v = 1 WHERE id = 2       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "a released savepoint keeps its writes", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SAVEPOINT s
			B: UPDATE t SET v = 1 WHERE id = 1
			B: RELEASE s
			B: COMMIT
			A: UPDATE t SET v = 2 WHERE id = 1       -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "after 40001 in a savepoint the transaction can go on, without that write", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 1 WHERE id = 1
			A: SAVEPOINT s
			A: UPDATE t SET v = 2 WHERE id = 1       -> 40001
			A: ROLLBACK TO s
			A: SELECT v FROM t WHERE id = 1          -> 0
			A: UPDATE t SET v = 2 WHERE id = 2       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "an EXCEPTION block swallows 40001", setup: `
			CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$
			BEGIN
			  UPDATE t SET v = 2 WHERE id = 1;
			  RETURN 'written';
			EXCEPTION WHEN serialization_failure THEN
			  RETURN 'swallowed';
			END $$`, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 1 WHERE id = 1
			A: SELECT f()                            -> swallowed
			A: UPDATE t SET v = 2 WHERE id = 2       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
	})
}

func TestFact06(t *testing.T) {
	play(t, []fact{
		{name: "a row inserted since the snapshot is not updated", script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO t VALUES (3, 0, 0)
			A: UPDATE t SET v = 1 WHERE id = 3       -> UPDATE 0
			A: UPDATE t SET v = 1 WHERE v = 0        -> UPDATE 2
			A: COMMIT                                -> COMMIT`},
		{name: "a row inserted since the snapshot is not deleted", script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO t VALUES (3, 0, 0)
			A: DELETE FROM t WHERE id = 3            -> DELETE 0
			A: COMMIT                                -> COMMIT`},
		{name: "a row that no longer matches fails", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET w = 7 WHERE id = 1
			A: UPDATE t SET v = 1 WHERE w = 0        -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "a row that matches only now is left alone", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET w = 7 WHERE id = 1
			A: UPDATE t SET v = 1 WHERE w = 7        -> UPDATE 0
			A: COMMIT                                -> COMMIT`},
		{name: "a changed row that matches neither before nor after is left alone", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 7 WHERE id = 1
			A: UPDATE t SET v = 1 WHERE id = 2       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "a row deleted and inserted again fails", script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM t WHERE id = 1
			B: INSERT INTO t VALUES (1, 0, 0)
			A: UPDATE t SET v = 1 WHERE id = 1       -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "a row whose key moved away fails", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET id = 9 WHERE id = 1
			A: UPDATE t SET v = 1 WHERE id = 1       -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "a key that moved onto another row is not followed", script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM t WHERE id = 1
			B: UPDATE t SET id = 1 WHERE id = 2
			A: UPDATE t SET v = 1 WHERE id = 2       -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "UPDATE FROM does not exclude on the rows that it only reads", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 7 WHERE id = 2
			A: UPDATE t SET v = x.v + 1 FROM t x WHERE t.id = 1 AND x.id = 2 RETURNING t.v -> 1
			A: COMMIT                                -> COMMIT`},
	})
}

func TestFact07(t *testing.T) {
	play(t, []fact{
		{name: "a key of the snapshot, deleted since, is inserted", script: `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1          -> 0
			B: DELETE FROM t WHERE id = 1
			A: SELECT v FROM t WHERE id = 1          -> 0
			A: INSERT INTO t VALUES (1, 5, 5)        -> INSERT 0 1
			A: SELECT v FROM t WHERE id = 1 ORDER BY v -> 0 | 5
			A: COMMIT                                -> COMMIT`},
		{name: "the deletion is waited for", script: `
			B: BEGIN
			B: DELETE FROM t WHERE id = 1
			A: BEGIN
			A: INSERT INTO t VALUES (1, 5, 5)        -> blocks, INSERT 0 1
			B: COMMIT
			A: COMMIT                                -> COMMIT`},
		{name: "the deletion is rolled back", script: `
			B: BEGIN
			B: DELETE FROM t WHERE id = 1
			A: BEGIN
			A: INSERT INTO t VALUES (1, 5, 5)        -> blocks, 23505
			B: ROLLBACK
			A: COMMIT                                -> ROLLBACK`},
		{name: "an insertion that the deletion does not see", script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO t VALUES (3, 0, 0)
			A: DELETE FROM t WHERE id = 3            -> DELETE 0
			A: COMMIT                                -> COMMIT`},
		{name: "deleted, and inserted again by a third", script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM t WHERE id = 1
			C: INSERT INTO t VALUES (1, 7, 7)
			A: INSERT INTO t VALUES (1, 5, 5)        -> 23505
			A: COMMIT                                -> ROLLBACK`},
		{name: "deleted and inserted by one transaction, against an update", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: DELETE FROM t WHERE id = 1
			B: INSERT INTO t VALUES (1, 7, 7)
			B: COMMIT
			A: UPDATE t SET v = 1 WHERE id = 1       -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "after the insertion, the old row of the snapshot cannot be written", script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM t WHERE id = 1
			A: INSERT INTO t VALUES (1, 5, 5)
			A: UPDATE t SET v = 6 WHERE id = 1       -> 40001
			A: COMMIT                                -> ROLLBACK`},
		{name: "at SERIALIZABLE, after reading the key", level: pgtest.Serializable, script: `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1          -> 0
			B: BEGIN
			B: DELETE FROM t WHERE id = 1
			B: COMMIT
			A: INSERT INTO t VALUES (1, 5, 5)        -> 40001
			A: COMMIT                                -> ROLLBACK`},
	})
}
