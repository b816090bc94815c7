package engine_test

import (
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

// family has a parent without a child, and one with a child.
const family = `
CREATE TABLE parent (id int PRIMARY KEY, v int NOT NULL DEFAULT 0, code int UNIQUE);
CREATE TABLE child (id int PRIMARY KEY, pid int REFERENCES parent, v int NOT NULL DEFAULT 0);
INSERT INTO parent VALUES (1, 0, 10), (2, 0, 20);
INSERT INTO child VALUES (22, 2);
`

// cascade is family with another action on deletion.
func cascade(action string) string {
	return `
CREATE TABLE parent (id int PRIMARY KEY, v int NOT NULL DEFAULT 0);
CREATE TABLE child (id int PRIMARY KEY, pid int DEFAULT 1 REFERENCES parent ` + action + `);
INSERT INTO parent VALUES (1), (2);
INSERT INTO child VALUES (22, 2);
`
}

func TestFact09(t *testing.T) {
	play(t, []fact{
		{name: "a child is inserted, its parent was deleted", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM parent WHERE id = 1
			A: INSERT INTO child VALUES (11, 1)      -> 40001`},
		{name: "a child is inserted, its parent is being deleted", setup: family, script: `
			B: BEGIN
			B: DELETE FROM parent WHERE id = 1
			A: BEGIN
			A: INSERT INTO child VALUES (11, 1)      -> blocks, 40001
			B: COMMIT`},
		{name: "a child is inserted, the deletion of its parent is rolled back", setup: family, script: `
			B: BEGIN
			B: DELETE FROM parent WHERE id = 1
			A: BEGIN
			A: INSERT INTO child VALUES (11, 1)      -> blocks, INSERT 0 1
			B: ROLLBACK
			A: COMMIT                                -> COMMIT`},
		{name: "a parent is deleted, a child was inserted", setup: family, script: `
			A: BEGIN
			A: SELECT count(*) FROM child WHERE pid = 1 -> 0
			B: INSERT INTO child VALUES (11, 1)
			A: DELETE FROM parent WHERE id = 1       -> 23503`},
		{name: "a parent is deleted, a child is being inserted", setup: family, script: `
			B: BEGIN
			B: INSERT INTO child VALUES (11, 1)
			A: BEGIN
			A: DELETE FROM parent WHERE id = 1       -> blocks, 23503
			B: COMMIT`},
		{name: "a parent is deleted, the insertion of a child is rolled back", setup: family, script: `
			B: BEGIN
			B: INSERT INTO child VALUES (11, 1)
			A: BEGIN
			A: DELETE FROM parent WHERE id = 1       -> blocks, DELETE 1
			B: ROLLBACK
			A: COMMIT                                -> COMMIT`},
		{name: "a parent is deleted, a child came and went", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO child VALUES (11, 1)
			B: DELETE FROM child WHERE id = 11
			A: DELETE FROM parent WHERE id = 1       -> DELETE 1
			A: COMMIT                                -> COMMIT`},
		{name: "a parent is deleted, the child of the snapshot went", setup: family, script: `
			A: BEGIN
			A: SELECT count(*) FROM child WHERE pid = 2 -> 1
			B: DELETE FROM child WHERE id = 22
			A: SELECT count(*) FROM child WHERE pid = 2 -> 1
			A: DELETE FROM parent WHERE id = 2       -> DELETE 1
			A: COMMIT                                -> COMMIT`},
		{name: "a parent is deleted, the child of the snapshot moved to another", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE child SET pid = 1 WHERE id = 22
			A: DELETE FROM parent WHERE id = 2       -> DELETE 1
			A: COMMIT                                -> COMMIT`},
		{name: "a parent is deleted, its child is being deleted", setup: family, script: `
			B: BEGIN
			B: DELETE FROM child WHERE id = 22
			A: BEGIN
			A: DELETE FROM parent WHERE id = 2       -> blocks, 40001
			B: COMMIT`},
		{name: "a parent is deleted, the deletion of its child is rolled back", setup: family, script: `
			B: BEGIN
			B: DELETE FROM child WHERE id = 22
			A: BEGIN
			A: DELETE FROM parent WHERE id = 2       -> blocks, 23503
			B: ROLLBACK`},
		{name: "a parent is deleted, another column of its child changed", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE child SET v = 7 WHERE id = 22
			A: DELETE FROM parent WHERE id = 2       -> 23503`},
		{name: "a parent is deleted after its children, by one transaction; another adds a child", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO child VALUES (23, 2)
			A: DELETE FROM child WHERE pid = 2       -> DELETE 1
			A: DELETE FROM parent WHERE id = 2       -> 23503`},
		{name: "a child moves to a parent that was deleted", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM parent WHERE id = 1
			A: UPDATE child SET pid = 1 WHERE id = 22 -> 40001`},
		{name: "a child that keeps its parent does not look at it", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: BEGIN
			B: SELECT id FROM parent WHERE id = 2 FOR UPDATE -> 2
			A: UPDATE child SET v = 7, pid = pid WHERE id = 22 -> UPDATE 1
			B: COMMIT                                -> COMMIT
			A: COMMIT                                -> COMMIT`},
		{name: "a parent that the snapshot does not show", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO parent VALUES (3)
			A: INSERT INTO child VALUES (33, 3)      -> 23503`},
		{name: "a parent that is being inserted is not waited for", setup: family, script: `
			B: BEGIN
			B: INSERT INTO parent VALUES (3)
			A: BEGIN
			A: INSERT INTO child VALUES (33, 3)      -> 23503
			B: COMMIT`},
		{name: "a parent deleted and inserted again", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM parent WHERE id = 1
			B: INSERT INTO parent VALUES (1)
			A: INSERT INTO child VALUES (11, 1)      -> 40001`},
		{name: "an update of other columns of the parent is free, before and after", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE parent SET v = 7 WHERE id = 1
			A: INSERT INTO child VALUES (11, 1)      -> INSERT 0 1
			B: UPDATE parent SET v = 8 WHERE id = 1  -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "an update of other columns under way does not wait, nor is it waited for", setup: family, script: `
			B: BEGIN
			B: UPDATE parent SET v = 7 WHERE id = 1
			A: BEGIN
			A: INSERT INTO child VALUES (11, 1)      -> INSERT 0 1
			B: COMMIT                                -> COMMIT
			A: COMMIT                                -> COMMIT`},
		{name: "FOR UPDATE of the parent is waited for, and then free", setup: family, script: `
			B: BEGIN
			B: SELECT id FROM parent WHERE id = 1 FOR UPDATE -> 1
			A: BEGIN
			A: INSERT INTO child VALUES (11, 1)      -> blocks, INSERT 0 1
			B: COMMIT
			A: COMMIT                                -> COMMIT`},
		{name: "an identity update of the parent's key is free", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE parent SET id = id WHERE id = 1
			A: INSERT INTO child VALUES (11, 1)      -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "a change of another unique key of the parent excludes", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE parent SET code = 11 WHERE id = 1
			A: INSERT INTO child VALUES (11, 1)      -> 40001`},
		{name: "the key of the parent changed", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE parent SET id = 5 WHERE id = 1
			A: INSERT INTO child VALUES (11, 1)      -> 40001`},
		{name: "the key of a parent changes, a child was inserted", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO child VALUES (11, 1)
			A: UPDATE parent SET id = 5 WHERE id = 1 -> 23503`},
		{name: "the parent of a committed child can be updated by an older transaction", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO child VALUES (11, 1)
			A: UPDATE parent SET v = 7 WHERE id = 1  -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "NULL has no parent", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM parent WHERE id = 1
			A: INSERT INTO child VALUES (11, NULL)   -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "a child that a savepoint rolled back excludes nobody", setup: family, script: `
			B: BEGIN
			B: SAVEPOINT s
			B: INSERT INTO child VALUES (11, 1)
			B: ROLLBACK TO s
			A: DELETE FROM parent WHERE id = 1       -> DELETE 1
			B: COMMIT                                -> COMMIT`},
		{name: "a deletion of a child does not exclude changes of the parent", setup: family, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE parent SET v = 7 WHERE id = 2
			A: DELETE FROM child WHERE id = 22       -> DELETE 1
			A: COMMIT                                -> COMMIT`},

		{name: "RESTRICT: a child was inserted", setup: cascade("ON DELETE RESTRICT"), script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO child VALUES (11, 1)
			A: DELETE FROM parent WHERE id = 1       -> 23503`},
		{name: "RESTRICT: the child of the snapshot went", setup: cascade("ON DELETE RESTRICT"), script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM child WHERE id = 22
			A: DELETE FROM parent WHERE id = 2       -> DELETE 1
			A: COMMIT                                -> COMMIT`},
		{name: "CASCADE: a child was inserted", setup: cascade("ON DELETE CASCADE"), script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO child VALUES (11, 1)
			A: DELETE FROM parent WHERE id = 1       -> 40001`},
		{name: "CASCADE: the child of the snapshot went", setup: cascade("ON DELETE CASCADE"), script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM child WHERE id = 22
			A: DELETE FROM parent WHERE id = 2       -> DELETE 1
			A: COMMIT                                -> COMMIT`},
		{name: "CASCADE: the child of the snapshot moved away", setup: cascade("ON DELETE CASCADE"), script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE child SET pid = 1 WHERE id = 22
			A: DELETE FROM parent WHERE id = 2       -> DELETE 1
			A: SELECT id FROM child WHERE pid = 2    -> 22
			A: COMMIT                                -> COMMIT
			B: SELECT pid FROM child WHERE id = 22   -> 1`},
		{name: "CASCADE: the child of the snapshot changed and stayed", setup: cascade("ON DELETE CASCADE"), script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE child SET id = 23 WHERE id = 22
			A: DELETE FROM parent WHERE id = 2       -> 40001`},
		{name: "CASCADE: the child of the snapshot is being deleted", setup: cascade("ON DELETE CASCADE"), script: `
			B: BEGIN
			B: DELETE FROM child WHERE id = 22
			A: BEGIN
			A: DELETE FROM parent WHERE id = 2       -> blocks, 40001
			B: COMMIT`},
		{name: "SET NULL: the child of the snapshot went", setup: cascade("ON DELETE SET NULL"), script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM child WHERE id = 22
			A: DELETE FROM parent WHERE id = 2       -> DELETE 1
			A: COMMIT                                -> COMMIT`},
		{name: "SET NULL: the child of the snapshot changed and stayed", setup: cascade("ON DELETE SET NULL"), script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE child SET id = 23 WHERE id = 22
			A: DELETE FROM parent WHERE id = 2       -> 40001`},
		{name: "SET NULL: a child was inserted", setup: cascade("ON DELETE SET NULL"), script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO child VALUES (11, 1)
			A: DELETE FROM parent WHERE id = 1       -> 40001`},
		{name: "SET DEFAULT: a child was inserted", setup: cascade("ON DELETE SET DEFAULT"), script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO child VALUES (23, 2)
			A: DELETE FROM parent WHERE id = 2       -> 40001`},
		{name: "deferred: a parent that the snapshot does not show fails at COMMIT", setup: cascade("DEFERRABLE INITIALLY DEFERRED"), script: `
			A: BEGIN
			A: SELECT 1
			A: INSERT INTO child VALUES (33, 3)      -> INSERT 0 1
			B: INSERT INTO parent VALUES (3)
			A: COMMIT                                -> 23503`},
		{name: "deferred: a parent deleted before COMMIT", setup: cascade("DEFERRABLE INITIALLY DEFERRED"), script: `
			A: BEGIN
			A: SELECT 1
			A: INSERT INTO child VALUES (11, 1)      -> INSERT 0 1
			B: DELETE FROM parent WHERE id = 1       -> DELETE 1
			A: COMMIT                                -> 40001`},
		{name: "deferred: a child that comes between the deletion of its parent and COMMIT", setup: cascade("DEFERRABLE INITIALLY DEFERRED"), script: `
			A: BEGIN
			A: DELETE FROM parent WHERE id = 1       -> DELETE 1
			B: BEGIN
			B: INSERT INTO child VALUES (11, 1)      -> INSERT 0 1
			B: COMMIT                                -> blocks, 40001
			A: COMMIT                                -> COMMIT`},
		{name: "a table that refers to itself", setup: `
			CREATE TABLE node (id int PRIMARY KEY, up int REFERENCES node);
			INSERT INTO node VALUES (1, NULL), (2, 1);`, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE node SET up = NULL WHERE id = 2
			A: DELETE FROM node WHERE id = 1         -> DELETE 1
			A: COMMIT                                -> COMMIT`},

		{name: "at SERIALIZABLE: the child of the snapshot went", level: pgtest.Serializable, setup: family, script: `
			A: BEGIN
			A: SELECT count(*) FROM child WHERE pid = 2 -> 1
			B: BEGIN
			B: DELETE FROM child WHERE id = 22
			B: COMMIT
			A: DELETE FROM parent WHERE id = 2       -> DELETE 1
			A: COMMIT                                -> COMMIT`},
		{name: "at READ COMMITTED: a parent that is being deleted", level: pgtest.ReadCommitted, setup: family, script: `
			B: BEGIN
			B: DELETE FROM parent WHERE id = 1
			A: BEGIN
			A: INSERT INTO child VALUES (11, 1)      -> blocks, 23503
			B: COMMIT`},
	})
}
