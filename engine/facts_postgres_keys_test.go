package engine_test

import (
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

// keyed has one row, and a unique name beside the primary key.
const keyed = `
CREATE TABLE k (id int PRIMARY KEY, name text UNIQUE, v int NOT NULL DEFAULT 0);
INSERT INTO k VALUES (1, 'one', 0);
`

// child refers to keyed.
const child = `
CREATE TABLE c (id int PRIMARY KEY, k int REFERENCES k);
`

func TestFact08(t *testing.T) {
	play(t, []fact{
		{name: "two insertions of a primary key", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'b')
			A: INSERT INTO k VALUES (2, 'a')         -> 23505`},
		{name: "two insertions of a unique value", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'x')
			A: INSERT INTO k VALUES (3, 'x')         -> 23505`},
		{name: "the first insertion is waited for", setup: keyed, script: `
			B: BEGIN
			B: INSERT INTO k VALUES (2, 'b')
			A: BEGIN
			A: INSERT INTO k VALUES (2, 'a')         -> blocks, 23505
			B: COMMIT`},
		{name: "the first insertion is rolled back", setup: keyed, script: `
			B: BEGIN
			B: INSERT INTO k VALUES (2, 'b')
			A: BEGIN
			A: INSERT INTO k VALUES (2, 'a')         -> blocks, INSERT 0 1
			B: ROLLBACK
			A: COMMIT                                -> COMMIT`},
		{name: "the first insertion is rolled back to a savepoint", setup: keyed, script: `
			B: BEGIN
			B: SAVEPOINT s
			B: INSERT INTO k VALUES (2, 'b')
			B: ROLLBACK TO s
			A: INSERT INTO k VALUES (2, 'a')         -> INSERT 0 1
			B: COMMIT                                -> COMMIT`},
		{name: "the first insertion was deleted in between", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'b')
			C: DELETE FROM k WHERE id = 2
			A: INSERT INTO k VALUES (2, 'a')         -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "the first insertion was moved away in between", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'x')
			C: UPDATE k SET id = 3, name = 'y' WHERE id = 2
			A: INSERT INTO k VALUES (2, 'x')         -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "a unique value freed by an update, still there in the snapshot", setup: keyed, script: `
			A: BEGIN
			A: SELECT id FROM k WHERE name = 'one'   -> 1
			B: UPDATE k SET name = 'uno' WHERE id = 1
			A: INSERT INTO k VALUES (2, 'one')       -> INSERT 0 1
			A: SELECT id FROM k WHERE name = 'one' ORDER BY id -> 1 | 2
			A: COMMIT                                -> COMMIT`},
		{name: "a unique value taken by an update since the snapshot", setup: keyed, script: `
			A: BEGIN
			A: SELECT id FROM k WHERE name = 'uno'   -> no rows
			B: UPDATE k SET name = 'uno' WHERE id = 1
			A: INSERT INTO k VALUES (2, 'uno')       -> 23505`},
		{name: "two updates of different rows to one unique value", setup: keyed + `INSERT INTO k VALUES (2, 'two');`, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE k SET name = 'x' WHERE id = 1
			A: UPDATE k SET name = 'x' WHERE id = 2  -> 23505`},
		{name: "an update to a unique value freed by an update", setup: keyed + `INSERT INTO k VALUES (2, 'two');`, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE k SET name = 'x' WHERE id = 1
			A: UPDATE k SET name = 'one' WHERE id = 2 -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "an update to a unique value freed by a deletion", setup: keyed + `INSERT INTO k VALUES (2, 'two');`, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM k WHERE id = 1
			A: UPDATE k SET name = 'one' WHERE id = 2 -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "two rows that swap their unique values never both commit", setup: keyed + `INSERT INTO k VALUES (2, 'two');`, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE k SET name = 'two' WHERE id = 1 -> 23505
			A: UPDATE k SET name = 'one' WHERE id = 2 -> 23505`},
		{name: "NULL is not a value", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, NULL)
			A: INSERT INTO k VALUES (3, NULL)        -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "a partial unique index", setup: keyed + `CREATE UNIQUE INDEX ON k (v) WHERE v > 0;`, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'b', 5), (3, 'c', 0)
			A: INSERT INTO k VALUES (4, 'd', 0)      -> INSERT 0 1
			A: INSERT INTO k VALUES (5, 'e', 5)      -> 23505`},
		{name: "a row that leaves a partial unique index frees its value", setup: `
			CREATE TABLE o (id int PRIMARY KEY, seat int, active bool);
			CREATE UNIQUE INDEX ON o (seat) WHERE active;
			INSERT INTO o VALUES (1, 7, true);`, script: `
			A: BEGIN
			A: SELECT id FROM o WHERE seat = 7 AND active -> 1
			B: UPDATE o SET active = false WHERE id = 1
			A: INSERT INTO o VALUES (2, 7, true)     -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "an exclusion constraint", setup: `CREATE TABLE x (id int, r int4range, EXCLUDE USING gist (r WITH &&))`, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO x VALUES (1, '[1,5]')
			A: INSERT INTO x VALUES (2, '[7,9]')     -> INSERT 0 1
			A: INSERT INTO x VALUES (3, '[5,6]')     -> 23P01`},
		{name: "a deferred unique constraint is checked at COMMIT, against what is there then", setup: `
			CREATE TABLE d (id int PRIMARY KEY, n int UNIQUE DEFERRABLE INITIALLY DEFERRED);
			INSERT INTO d VALUES (1, 1), (2, 2);`, script: `
			A: BEGIN
			A: SELECT 1
			A: UPDATE d SET n = 1 WHERE id = 2       -> UPDATE 1
			B: UPDATE d SET n = 9 WHERE id = 1
			A: COMMIT                                -> COMMIT`},
		{name: "a deferred unique constraint that fails at COMMIT", setup: `
			CREATE TABLE d (id int PRIMARY KEY, n int UNIQUE DEFERRABLE INITIALLY DEFERRED)`, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO d VALUES (1, 1)
			A: INSERT INTO d VALUES (2, 1)           -> INSERT 0 1
			A: COMMIT                                -> 23505`},
		{name: "at SERIALIZABLE a key that was looked for fails with 40001", level: pgtest.Serializable, setup: keyed, script: `
			A: BEGIN
			A: SELECT id FROM k WHERE id = 2         -> no rows
			B: BEGIN
			B: SELECT id FROM k WHERE id = 2         -> no rows
			B: INSERT INTO k VALUES (2, 'b')
			B: COMMIT
			A: INSERT INTO k VALUES (2, 'a')         -> 40001`},

		{name: "DO NOTHING: the row is in the snapshot, and changes later: nothing was locked", setup: keyed, script: `
			A: BEGIN
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT DO NOTHING -> INSERT 0 0
			B: UPDATE k SET v = 7 WHERE id = 1       -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "DO NOTHING: the row of the snapshot changed before", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE k SET v = 7 WHERE id = 1
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT DO NOTHING -> 40001`},
		{name: "DO NOTHING: the row of the snapshot was locked and that is all", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT id FROM k WHERE id = 1 FOR UPDATE -> 1
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT DO NOTHING -> INSERT 0 0
			B: COMMIT
			A: COMMIT                                -> COMMIT`},
		{name: "DO NOTHING: the row of the snapshot is being changed", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: UPDATE k SET v = 7 WHERE id = 1
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT DO NOTHING -> blocks, 40001
			B: COMMIT`},
		{name: "DO NOTHING: the change of the row of the snapshot is rolled back", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: UPDATE k SET v = 7 WHERE id = 1
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT DO NOTHING -> blocks, INSERT 0 0
			B: ROLLBACK
			A: COMMIT                                -> COMMIT`},
		{name: "DO NOTHING: the row of the snapshot was deleted", setup: keyed, script: `
			A: BEGIN
			A: SELECT id FROM k WHERE id = 1         -> 1
			B: DELETE FROM k WHERE id = 1
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT DO NOTHING -> INSERT 0 1
			A: SELECT name FROM k WHERE id = 1 ORDER BY name -> a | one
			A: COMMIT                                -> COMMIT`},
		{name: "DO NOTHING: the row of the snapshot is being deleted", setup: keyed, script: `
			B: BEGIN
			B: DELETE FROM k WHERE id = 1
			A: BEGIN
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT DO NOTHING -> blocks, INSERT 0 1
			B: COMMIT
			A: COMMIT                                -> COMMIT`},
		{name: "DO NOTHING: the row is invisible", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'b')
			A: INSERT INTO k VALUES (2, 'a') ON CONFLICT DO NOTHING -> 40001`},
		{name: "DO NOTHING: the row is being inserted", setup: keyed, script: `
			B: BEGIN
			B: INSERT INTO k VALUES (2, 'b')
			A: BEGIN
			A: INSERT INTO k VALUES (2, 'a') ON CONFLICT DO NOTHING -> blocks, 40001
			B: COMMIT`},
		{name: "DO NOTHING: the insertion is rolled back", setup: keyed, script: `
			B: BEGIN
			B: INSERT INTO k VALUES (2, 'b')
			A: BEGIN
			A: INSERT INTO k VALUES (2, 'a') ON CONFLICT DO NOTHING -> blocks, INSERT 0 1
			B: ROLLBACK
			A: COMMIT                                -> COMMIT`},
		{name: "DO NOTHING: the row came and went", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'b')
			B: DELETE FROM k WHERE id = 2
			A: INSERT INTO k VALUES (2, 'a') ON CONFLICT DO NOTHING -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "DO NOTHING: the row of the snapshot was replaced", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM k WHERE id = 1
			B: INSERT INTO k VALUES (1, 'b')
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT DO NOTHING -> 40001`},
		{name: "DO NOTHING: its own row", setup: keyed, script: `
			A: BEGIN
			A: INSERT INTO k VALUES (2, 'a')
			A: INSERT INTO k VALUES (2, 'a') ON CONFLICT DO NOTHING -> INSERT 0 0
			A: COMMIT                                -> COMMIT`},
		{name: "DO NOTHING: an invisible row of another unique key, with a target", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'x')
			A: INSERT INTO k VALUES (3, 'x') ON CONFLICT (id) DO NOTHING -> 23505`},
		{name: "DO NOTHING: an invisible row of another unique key, without a target", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'x')
			A: INSERT INTO k VALUES (3, 'x') ON CONFLICT DO NOTHING -> 40001`},
		{name: "DO NOTHING at READ COMMITTED: the row is invisible to the statement that waits", level: pgtest.ReadCommitted, setup: keyed, script: `
			B: BEGIN
			B: INSERT INTO k VALUES (2, 'b')
			A: BEGIN
			A: INSERT INTO k VALUES (2, 'a') ON CONFLICT DO NOTHING -> blocks, INSERT 0 0
			B: COMMIT
			A: COMMIT                                -> COMMIT`},

		{name: "DO UPDATE: the row is in the snapshot", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET v = k.v + 1 RETURNING v -> 1
			B: UPDATE k SET v = 7 WHERE id = 1       -> blocks, UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "DO UPDATE: the row of the snapshot changed", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE k SET v = 7 WHERE id = 1
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET v = k.v + 1 -> 40001`},
		{name: "DO UPDATE: the row of the snapshot is being changed", setup: keyed, script: `
			B: BEGIN
			B: UPDATE k SET v = 7 WHERE id = 1
			A: BEGIN
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET v = k.v + 1 -> blocks, 40001
			B: COMMIT`},
		{name: "DO UPDATE: the row of the snapshot was locked and that is all", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: SELECT id FROM k WHERE id = 1 FOR UPDATE -> 1
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET v = k.v + 1 RETURNING v -> 1
			A: COMMIT                                -> COMMIT`},
		{name: "DO UPDATE: the row of the snapshot was deleted", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM k WHERE id = 1
			A: INSERT INTO k VALUES (1, 'a', 5) ON CONFLICT (id) DO UPDATE SET v = k.v + 1 RETURNING v -> 5
			A: COMMIT                                -> COMMIT`},
		{name: "DO UPDATE: the row is invisible", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'b')
			A: INSERT INTO k VALUES (2, 'a') ON CONFLICT (id) DO UPDATE SET v = k.v + 1 -> 40001`},
		{name: "DO UPDATE: the row is being inserted", setup: keyed, script: `
			B: BEGIN
			B: INSERT INTO k VALUES (2, 'b')
			A: BEGIN
			A: INSERT INTO k VALUES (2, 'a') ON CONFLICT (id) DO UPDATE SET v = k.v + 1 -> blocks, 40001
			B: COMMIT`},
		{name: "DO UPDATE WHERE false locks the row and writes no version", setup: keyed, script: `
			B: BEGIN
			B: SELECT 1
			A: BEGIN
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET v = 9 WHERE k.v > 100 -> INSERT 0 0
			B: UPDATE k SET v = 7 WHERE id = 1       -> blocks, UPDATE 1
			A: COMMIT                                -> COMMIT
			B: COMMIT                                -> COMMIT`},
		{name: "DO UPDATE WHERE false: that lock is one of FOR NO KEY UPDATE", setup: keyed, script: `
			A: BEGIN
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET v = 9 WHERE k.v > 100 -> INSERT 0 0
			B: SELECT id FROM k WHERE id = 1 FOR KEY SHARE -> 1
			B: SELECT id FROM k WHERE id = 1 FOR SHARE -> blocks, 1
			A: COMMIT                                -> COMMIT`},
		{name: "DO UPDATE WHERE false: the row of the snapshot changed", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE k SET v = 7 WHERE id = 1
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET v = 9 WHERE k.v > 100 -> 40001`},
		{name: "DO UPDATE that sets a column of a key to what it is: a child cannot refer to the version of its snapshot", setup: keyed + child, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'one') ON CONFLICT (name) DO UPDATE SET name = excluded.name
			A: INSERT INTO c VALUES (1, 1)           -> 40001`},
		{name: "DO UPDATE that sets a column of a key to what it is, of another key", setup: keyed + child, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (1, 'x') ON CONFLICT (id) DO UPDATE SET v = k.v, name = k.name
			A: INSERT INTO c VALUES (1, 1)           -> 40001`},
		{name: "DO UPDATE of other columns: a child can", setup: keyed + child, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'one') ON CONFLICT (name) DO UPDATE SET v = k.v + 1
			A: INSERT INTO c VALUES (1, 1)           -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "UPDATE that sets a column of a key to what it is: a child can", setup: keyed + child, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE k SET name = name, id = id WHERE id = 1
			A: INSERT INTO c VALUES (1, 1)           -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "DO UPDATE WHERE false that would set a column of a key locks FOR UPDATE", setup: keyed, script: `
			A: BEGIN
			A: INSERT INTO k VALUES (1, 'a') ON CONFLICT (id) DO UPDATE SET name = k.name WHERE k.v > 100 -> INSERT 0 0
			B: SELECT id FROM k WHERE id = 1 FOR KEY SHARE -> blocks, 1
			A: COMMIT                                -> COMMIT`},
		{name: "DO UPDATE: two insertions, and the row is deleted between them", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'b')
			C: DELETE FROM k WHERE id = 2
			A: INSERT INTO k VALUES (2, 'a', 5) ON CONFLICT (id) DO UPDATE SET v = k.v + 1 RETURNING v -> 5
			A: COMMIT                                -> COMMIT`},

		{name: "MERGE: the row is invisible", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO k VALUES (2, 'b')
			A: MERGE INTO k USING (VALUES (2)) s(i) ON k.id = s.i WHEN MATCHED THEN UPDATE SET v = 1 WHEN NOT MATCHED THEN INSERT VALUES (s.i, 'a', 0) -> 23505`},
		{name: "MERGE: the row of the snapshot changed", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE k SET v = 7 WHERE id = 1
			A: MERGE INTO k USING (VALUES (1)) s(i) ON k.id = s.i WHEN MATCHED THEN UPDATE SET v = 1 WHEN NOT MATCHED THEN INSERT VALUES (s.i, 'a', 0) -> 40001`},
		{name: "MERGE: the row of the snapshot was deleted", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM k WHERE id = 1
			A: MERGE INTO k USING (VALUES (1)) s(i) ON k.id = s.i WHEN MATCHED THEN UPDATE SET v = 1 WHEN NOT MATCHED THEN INSERT VALUES (s.i, 'a', 0) -> 40001`},
		{name: "MERGE: the row of the snapshot changed, and nothing is done with it", setup: keyed, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE k SET v = 7 WHERE id = 1
			A: MERGE INTO k USING (VALUES (1)) s(i) ON k.id = s.i WHEN MATCHED THEN DO NOTHING WHEN NOT MATCHED THEN INSERT VALUES (s.i, 'a', 0) -> MERGE 0
			A: COMMIT                                -> COMMIT`},
	})
}
