package engine_test

import (
	"fmt"
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

// modes are the row locks, from the weakest.
var modes = [...]string{"KEY SHARE", "SHARE", "NO KEY UPDATE", "UPDATE"}

// lockRows has a column k of a total unique key and a column p of a partial one.
const lockRows = `
CREATE TABLE l (id int PRIMARY KEY, v int, k int UNIQUE, p int);
CREATE UNIQUE INDEX ON l (p) WHERE v = 0;
CREATE UNIQUE INDEX ON l ((v + k));
INSERT INTO l VALUES (1, 0, 10, 100);
`

// writes are what a concurrent transaction does to the locked row, and whether
// each lock mode, from the weakest, lets it be (+) or fails with 40001 (-)
// when the write committed since the snapshot of the transaction that locks.
var writes = []struct {
	sql, tag string
	later    string // the lock comes after the write committed
	earlier  string // the write comes while the lock is held: + at once, - it waits
}{
	{"UPDATE l SET v = 1 WHERE id = 1", "UPDATE 1", "+---", "+---"},
	{"UPDATE l SET v = v WHERE id = 1", "UPDATE 1", "+---", "+---"},
	{"UPDATE l SET id = id, v = 1 WHERE id = 1", "UPDATE 1", "+---", "+---"},
	{"UPDATE l SET id = 5 WHERE id = 1", "UPDATE 1", "----", "----"},
	{"UPDATE l SET k = 11 WHERE id = 1", "UPDATE 1", "----", "----"},
	{"UPDATE l SET k = k WHERE id = 1", "UPDATE 1", "+---", "+---"},
	{"UPDATE l SET p = 101 WHERE id = 1", "UPDATE 1", "+---", "+---"},
	{"DELETE FROM l WHERE id = 1", "DELETE 1", "----", "----"},
	{"SELECT id FROM l WHERE id = 1 FOR KEY SHARE", "1", "++++", "+++-"},
	{"SELECT id FROM l WHERE id = 1 FOR SHARE", "1", "++++", "++--"},
	{"SELECT id FROM l WHERE id = 1 FOR NO KEY UPDATE", "1", "++++", "+---"},
	{"SELECT id FROM l WHERE id = 1 FOR UPDATE", "1", "++++", "----"},
}

func TestFact04(t *testing.T) {
	var facts []fact
	for _, w := range writes {
		for i, mode := range modes {
			lock := "SELECT v FROM l WHERE id = 1 FOR " + mode
			outcome := map[byte]string{'+': "0", '-': "40001"}[w.later[i]]
			facts = append(facts, fact{name: fmt.Sprintf("FOR %s after %s", mode, w.sql), setup: lockRows, script: `
				A: BEGIN
				A: SELECT 1
				B: ` + w.sql + ` -> ` + w.tag + `
				A: ` + lock + ` -> ` + outcome})
			waits := map[byte]string{'+': "", '-': "blocks, "}[w.earlier[i]]
			facts = append(facts, fact{name: fmt.Sprintf("FOR %s before %s", mode, w.sql), setup: lockRows, script: `
				B: BEGIN
				B: SELECT 1
				A: BEGIN
				A: ` + lock + ` -> 0
				B: ` + w.sql + ` -> ` + waits + w.tag + `
				A: COMMIT -> COMMIT
				B: COMMIT -> COMMIT`})
		}
	}
	for _, mode := range modes {
		lock := "SELECT v FROM t WHERE id = 1 FOR " + mode
		facts = append(facts,
			// The write skew of the lock's holder: the locked row is changed by a
			// transaction that read what the holder writes.
			fact{name: "a lock that is gone excludes no writer with an older snapshot: " + mode, script: `
				B: BEGIN
				B: SELECT v FROM t WHERE id = 2     -> 0
				A: BEGIN
				A: ` + lock + ` -> 0
				A: UPDATE t SET v = 1 WHERE id = 2
				A: COMMIT
				B: UPDATE t SET v = 1 WHERE id = 1  -> UPDATE 1
				B: COMMIT                           -> COMMIT`},
			fact{name: "a savepoint that is rolled back gives the lock back: " + mode, script: `
				A: BEGIN
				A: SAVEPOINT s
				A: ` + lock + ` -> 0
				A: ROLLBACK TO s
				B: DELETE FROM t WHERE id = 1       -> DELETE 1
				A: UPDATE t SET v = 1 WHERE id = 2  -> UPDATE 1
				A: COMMIT                           -> COMMIT`},
			fact{name: "a lock stays when a later write is rolled back to a savepoint: " + mode, script: `
				A: BEGIN
				A: ` + lock + ` -> 0
				A: SAVEPOINT s
				A: UPDATE t SET v = 1 WHERE id = 1
				A: ROLLBACK TO s
				B: DELETE FROM t WHERE id = 1       -> blocks, DELETE 1
				A: COMMIT                           -> COMMIT`},
			fact{name: "the row of a query without a match is not locked: " + mode, script: `
				A: BEGIN
				A: SELECT v FROM t WHERE id = 1 AND v = 9 FOR ` + mode + ` -> no rows
				B: DELETE FROM t WHERE id = 1       -> DELETE 1
				A: COMMIT                           -> COMMIT`},
			fact{name: "a row inserted since the snapshot is not locked: " + mode, script: `
				A: BEGIN
				A: SELECT 1
				B: INSERT INTO t VALUES (3, 0, 0)
				A: SELECT v FROM t WHERE id = 3 FOR ` + mode + ` -> no rows
				B: DELETE FROM t WHERE id = 3       -> DELETE 1
				A: COMMIT                           -> COMMIT`},
			fact{name: "a row that no longer matches fails: " + mode, script: `
				A: BEGIN
				A: SELECT 1
				B: DELETE FROM t WHERE id = 1
				A: SELECT v FROM t WHERE v = 0 FOR ` + mode + ` -> 40001`},
			fact{name: "a lock under way is waited for, and a write after it fails: " + mode, script: `
				B: BEGIN
				B: DELETE FROM t WHERE id = 1
				A: BEGIN
				A: ` + lock + ` -> blocks, 40001
				B: COMMIT`},
			fact{name: "a lock of a query that returns nothing of the row: " + mode, script: `
				A: BEGIN
				A: SELECT count(*) FROM (SELECT 1 FROM t WHERE id = 1 FOR ` + mode + `) q -> 1
				B: DELETE FROM t WHERE id = 1       -> blocks, DELETE 1
				A: COMMIT                           -> COMMIT`},
			fact{name: "FOR .. OF locks only the rows of that table: " + mode, script: `
				A: BEGIN
				A: SELECT x.v FROM t x, t y WHERE x.id = 1 AND y.id = 2 FOR ` + mode + ` OF x -> 0
				B: DELETE FROM t WHERE id = 2       -> DELETE 1
				B: DELETE FROM t WHERE id = 1       -> blocks, DELETE 1
				A: COMMIT                           -> COMMIT`},
		)
	}
	facts = append(facts,
		fact{name: "NOWAIT fails with 55P03 on a held lock, and with 40001 on a changed row", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT v FROM t WHERE id = 1 FOR UPDATE -> 0
			A: SAVEPOINT s
			A: SELECT v FROM t WHERE id = 1 FOR UPDATE NOWAIT -> 55P03
			A: ROLLBACK TO s
			B: UPDATE t SET v = 1 WHERE id = 1
			B: COMMIT
			A: SELECT v FROM t WHERE id = 1 FOR UPDATE NOWAIT -> 40001`},
		fact{name: "a lock or write that will be rolled back fails on what was written before", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 1 WHERE id = 1
			A: SAVEPOINT s
			A: SELECT v FROM t WHERE id = 1 FOR UPDATE -> 40001
			A: ROLLBACK TO s
			A: UPDATE t SET v = 2 WHERE id = 1  -> 40001
			A: ROLLBACK TO s
			B: INSERT INTO t VALUES (3, 0, 0)
			A: INSERT INTO t VALUES (3, 0, 0)   -> 23505
			A: ROLLBACK TO s
			A: INSERT INTO t VALUES (3, 0, 0) ON CONFLICT DO NOTHING -> 40001
			A: ROLLBACK TO s
			A: COMMIT                           -> COMMIT`},
		fact{name: "a rolled back insertion leaves its key free", script: `
			A: BEGIN
			A: SELECT 1
			A: SAVEPOINT s
			A: INSERT INTO t VALUES (3, 0, 0)
			B: INSERT INTO t VALUES (3, 0, 0)   -> blocks, INSERT 0 1
			A: ROLLBACK TO s
			A: COMMIT                           -> COMMIT`},
		fact{name: "who will roll a lock back waits for others, which wait for what it keeps", script: `
			A: BEGIN
			A: UPDATE t SET v = 1 WHERE id = 1
			B: BEGIN
			B: SELECT v FROM t WHERE id = 2     -> 0
			B: UPDATE t SET v = 1 WHERE id = 2
			A: SAVEPOINT s
			A: SELECT v FROM t WHERE id = 2 FOR UPDATE -> blocks, 40001
			B: COMMIT
			A: ROLLBACK TO s
			A: COMMIT                           -> COMMIT`},
		fact{name: "a rollback to a savepoint releases table locks and advisory locks of the transaction, not of the session", script: `
			A: BEGIN
			A: SAVEPOINT s
			A: LOCK TABLE t
			A: SELECT pg_advisory_xact_lock(1)
			A: SELECT pg_advisory_lock(2)
			A: ROLLBACK TO s
			B: SELECT count(*) FROM t           -> 2
			B: SELECT pg_try_advisory_lock(1)   -> t
			B: SELECT pg_try_advisory_lock(2)   -> f
			A: COMMIT                           -> COMMIT`},
		fact{name: "a lock of the row that a view shows", setup: `CREATE VIEW o AS SELECT id, v FROM t`, script: `
			A: BEGIN
			A: SELECT v FROM o WHERE id = 1 FOR UPDATE -> 0
			B: DELETE FROM t WHERE id = 1       -> blocks, DELETE 1
			A: COMMIT                           -> COMMIT`},
		fact{name: "two holders of FOR SHARE that both update deadlock", script: `
			A: SET deadlock_timeout = '1s'
			B: SET deadlock_timeout = '20s'
			A: BEGIN
			B: BEGIN
			A: SELECT v FROM t WHERE id = 1 FOR SHARE -> 0
			B: SELECT v FROM t WHERE id = 1 FOR SHARE -> 0
			A: UPDATE t SET v = 1 WHERE id = 1  -> blocks, 40P01
			B: UPDATE t SET v = 1 WHERE id = 1  -> blocks, UPDATE 1
			A: ROLLBACK
			B: COMMIT                           -> COMMIT`},
	)
	play(t, facts)
}

// TestFact04Rows is about which rows a locking query locks: those that it
// fetches, which are fewer than those that match where fetching stops early.
func TestFact04Rows(t *testing.T) {
	function := func(body string) string {
		return `CREATE FUNCTION f() RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int; r record; BEGIN ` + body + ` RETURN n; END $$`
	}
	// locked plays what B can delete while A holds the locks of sql.
	locked := func(name, setup, sql string, one, two bool) fact {
		outcome := func(held bool) string {
			if held {
				return "blocks, DELETE 1"
			}
			return "DELETE 1"
		}
		return fact{name: name, setup: setup, script: `
			A: BEGIN
			A: ` + sql + `
			B: DELETE FROM t WHERE id = 1 -> ` + outcome(one) + `
			C: DELETE FROM t WHERE id = 2 -> ` + outcome(two) + `
			A: COMMIT`}
	}
	play(t, []fact{
		locked("a plain SELECT locks every row that it gives", "",
			"SELECT v FROM t FOR UPDATE", true, true),
		locked("LIMIT", "", "SELECT v FROM t ORDER BY id LIMIT 1 FOR UPDATE", true, false),
		locked("OFFSET locks what it skips", "", "SELECT v FROM t ORDER BY id OFFSET 1 LIMIT 1 FOR UPDATE", true, true),
		locked("PERFORM", function("PERFORM v FROM t ORDER BY id FOR UPDATE;"), "SELECT f()", true, true),
		locked("SELECT INTO takes the first row only", function("SELECT v INTO n FROM t ORDER BY id FOR UPDATE;"), "SELECT f()", true, false),
		locked("an assignment of a subquery", function("n := (SELECT v FROM t WHERE id = 2 FOR UPDATE);"), "SELECT f()", false, true),
		locked("IF EXISTS stops at the first row", function("IF EXISTS (SELECT FROM t ORDER BY id FOR UPDATE) THEN n := 1; END IF;"), "SELECT f()", true, false),
		locked("a FOR loop", function("FOR r IN SELECT v FROM t ORDER BY id FOR UPDATE LOOP n := r.v; END LOOP;"), "SELECT f()", true, true),
		locked("a FOR loop that is left fetches ahead", function("FOR r IN SELECT v FROM t ORDER BY id FOR UPDATE LOOP EXIT; END LOOP;"), "SELECT f()", true, true),
		locked("a function in SQL that returns one value stops at the first row",
			"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS $$ SELECT v FROM t ORDER BY id FOR UPDATE $$", "SELECT f()", true, false),
		locked("a function in SQL that returns a set, read to its end",
			"CREATE FUNCTION f() RETURNS SETOF int LANGUAGE sql AS $$ SELECT v FROM t ORDER BY id FOR UPDATE $$", "SELECT f()", true, true),
		locked("RETURN QUERY", `CREATE FUNCTION f() RETURNS SETOF int LANGUAGE plpgsql AS $$
			BEGIN RETURN QUERY SELECT v FROM t ORDER BY id FOR UPDATE; END $$`, "SELECT f()", true, true),
		locked("WITH that nobody reads is not run", "", "WITH l AS (SELECT v FROM t FOR UPDATE) SELECT 1", false, false),
		locked("WITH that is read", "", "WITH l AS (SELECT v FROM t FOR UPDATE) SELECT count(*) FROM l", true, true),
		locked("FOR UPDATE does not reach into WITH", "", "WITH l AS (SELECT v FROM t) SELECT * FROM l FOR UPDATE", false, false),
		locked("FOR UPDATE does not reach into a subquery of WHERE", "CREATE TABLE u (n int); INSERT INTO u VALUES (0)",
			"SELECT n FROM u WHERE n IN (SELECT v FROM t) FOR UPDATE", false, false),
		locked("FOR UPDATE reaches into a subquery of FROM", "", "SELECT v FROM (SELECT v FROM t WHERE id = 2) q FOR UPDATE", false, true),
		locked("a join locks both sides, of the rows that are joined", "",
			"SELECT x.v FROM t x JOIN t y ON y.id = x.id + 1 FOR UPDATE", true, true),
		locked("a condition on the locked row is checked before the lock", "", "SELECT v FROM t WHERE id > 1 FOR UPDATE", false, true),
		{name: "a FOR loop that is left has fetched ten rows", setup: function(`
				FOR r IN SELECT v FROM t ORDER BY id FOR UPDATE LOOP EXIT; END LOOP;`) + `;
			INSERT INTO t SELECT i, 0, 0 FROM generate_series(3, 20) i`, script: `
			A: BEGIN
			A: SELECT f()
			B: DELETE FROM t WHERE id = 11 -> DELETE 1
			B: DELETE FROM t WHERE id = 10 -> blocks, DELETE 1
			A: COMMIT`},
	})
}

func TestFact05(t *testing.T) {
	play(t, []fact{
		{name: "FOR KEY SHARE reads the version of the snapshot after an update", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 7 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 0
			A: COMMIT                                -> COMMIT`},
		{name: "then it keeps the newest version from being deleted", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 7 WHERE id = 1
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 0
			B: DELETE FROM t WHERE id = 1            -> blocks, DELETE 1
			A: COMMIT                                -> COMMIT`},
		{name: "updated, then deleted", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 7 WHERE id = 1
			B: DELETE FROM t WHERE id = 1
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 40001`},
		{name: "locked FOR UPDATE, then updated", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT v FROM t WHERE id = 1 FOR UPDATE -> 0
			B: UPDATE t SET v = 7 WHERE id = 1
			B: COMMIT
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 40001`},
		{name: "locked FOR UPDATE and updated, behind another update", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 7 WHERE id = 1
			B: BEGIN
			B: SELECT v FROM t WHERE id = 1 FOR UPDATE -> 7
			B: UPDATE t SET v = 8 WHERE id = 1
			B: COMMIT
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 40001`},
		{name: "locked FOR UPDATE in another subtransaction", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SAVEPOINT s
			B: SELECT v FROM t WHERE id = 1 FOR UPDATE -> 0
			B: RELEASE s
			B: UPDATE t SET v = 8 WHERE id = 1
			B: COMMIT
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 40001`},
		{name: "which does not count behind another update", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 7 WHERE id = 1
			B: BEGIN
			B: SAVEPOINT s
			B: SELECT v FROM t WHERE id = 1 FOR UPDATE -> 7
			B: RELEASE s
			B: UPDATE t SET v = 8 WHERE id = 1
			B: COMMIT
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 0`},
		{name: "nor does a lock before a savepoint", script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE t SET v = 7 WHERE id = 1
			B: BEGIN
			B: SELECT v FROM t WHERE id = 1 FOR UPDATE -> 7
			B: SAVEPOINT s
			B: UPDATE t SET v = 8 WHERE id = 1
			B: RELEASE s
			B: COMMIT
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 0`},
		{name: "updated, locked FOR UPDATE, and updated again", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: UPDATE t SET v = 7 WHERE id = 1
			B: SELECT v FROM t WHERE id = 1 FOR UPDATE -> 7
			B: UPDATE t SET v = 8 WHERE id = 1
			B: COMMIT
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 40001`},
		{name: "updated, then locked FOR UPDATE", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: UPDATE t SET v = 7 WHERE id = 1
			B: SELECT v FROM t WHERE id = 1 FOR UPDATE -> 7
			B: COMMIT
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 0`},
		{name: "a lock that was rolled back does not count", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SAVEPOINT s
			B: SELECT v FROM t WHERE id = 1 FOR UPDATE -> 0
			B: ROLLBACK TO s
			B: UPDATE t SET v = 7 WHERE id = 1
			B: COMMIT
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 0`},
		{name: "nor does a weaker one", script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT v FROM t WHERE id = 1 FOR NO KEY UPDATE -> 0
			B: UPDATE t SET v = 7 WHERE id = 1
			B: COMMIT
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 0`},
		{name: "deleted, then inserted again", script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM t WHERE id = 1
			B: INSERT INTO t VALUES (1, 0, 0)
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 40001`},
		{name: "an update of other columns does not wait for it, nor it for the update", script: `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 0
			B: BEGIN
			B: UPDATE t SET v = 7 WHERE id = 1       -> UPDATE 1
			C: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 0
			B: COMMIT                                -> COMMIT
			A: COMMIT                                -> COMMIT`},
		{name: "its holder cannot update the row that was updated", script: `
			A: BEGIN
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 0
			B: UPDATE t SET v = 7 WHERE id = 1       -> UPDATE 1
			A: UPDATE t SET v = 8 WHERE id = 1       -> 40001`},
		{name: "a row of a table without a unique key has no key to change", setup: `CREATE TABLE n (a int); INSERT INTO n VALUES (1)`, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE n SET a = 2
			A: SELECT a FROM n FOR KEY SHARE         -> 1
			A: COMMIT                                -> COMMIT`},
		{name: "at SERIALIZABLE", level: pgtest.Serializable, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: UPDATE t SET v = 7 WHERE id = 1
			B: COMMIT
			A: SELECT v FROM t WHERE id = 1 FOR KEY SHARE -> 0
			A: COMMIT                                -> COMMIT`},
	})
}
