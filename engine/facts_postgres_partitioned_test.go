package engine_test

import (
	"testing"

	"github.com/txrobust/robust/internal/pgtest"
)

// shards is family with a parent that is partitioned.
const shards = `
CREATE TABLE parent (id int PRIMARY KEY, v int NOT NULL DEFAULT 0) PARTITION BY HASH (id);
CREATE TABLE parent_0 PARTITION OF parent FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE parent_1 PARTITION OF parent FOR VALUES WITH (MODULUS 2, REMAINDER 1);
CREATE TABLE child (id int PRIMARY KEY, pid int REFERENCES parent, v int NOT NULL DEFAULT 0);
INSERT INTO parent VALUES (1), (2);
INSERT INTO child VALUES (22, 2);
`

// childShards is family with a child that is partitioned.
const childShards = `
CREATE TABLE parent (id int PRIMARY KEY, v int NOT NULL DEFAULT 0);
CREATE TABLE child (id int PRIMARY KEY, pid int REFERENCES parent, v int NOT NULL DEFAULT 0) PARTITION BY HASH (id);
CREATE TABLE child_0 PARTITION OF child FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE child_1 PARTITION OF child FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO parent VALUES (1), (2);
INSERT INTO child VALUES (22, 2);
`

// A foreign key to a partitioned table looks for the parent in a snapshot of its own.
func TestFact09Partitioned(t *testing.T) {
	play(t, []fact{
		{name: "a partitioned parent that the snapshot does not show", setup: shards, script: `
			A: BEGIN
			A: SELECT count(*) FROM parent WHERE id = 3 -> 0
			B: INSERT INTO parent VALUES (3)
			A: INSERT INTO child VALUES (33, 3)      -> INSERT 0 1
			A: SELECT count(*) FROM parent WHERE id = 3 -> 0
			A: COMMIT                                -> COMMIT`},
		{name: "a child moves to a partitioned parent that the snapshot does not show", setup: shards, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO parent VALUES (3)
			A: UPDATE child SET pid = 3 WHERE id = 22 -> UPDATE 1
			A: COMMIT                                -> COMMIT`},
		{name: "a partitioned parent that is being inserted is not waited for", setup: shards, script: `
			B: BEGIN
			B: INSERT INTO parent VALUES (3)
			A: BEGIN
			A: INSERT INTO child VALUES (33, 3)      -> 23503
			B: COMMIT`},
		{name: "a partitioned parent was deleted", setup: shards, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM parent WHERE id = 1
			A: INSERT INTO child VALUES (11, 1)      -> 23503`},
		{name: "a partitioned parent is being deleted", setup: shards, script: `
			B: BEGIN
			B: DELETE FROM parent WHERE id = 1
			A: BEGIN
			A: INSERT INTO child VALUES (11, 1)      -> blocks, 40001
			B: COMMIT`},
		{name: "a partitioned parent was deleted and inserted again", setup: shards, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM parent WHERE id = 1
			B: INSERT INTO parent VALUES (1)
			A: INSERT INTO child VALUES (11, 1)      -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "a partitioned parent gets the key that is looked for", setup: shards, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE parent SET id = 3 WHERE id = 1
			A: INSERT INTO child VALUES (33, 3)      -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "an update of other columns of a partitioned parent is free", setup: shards, script: `
			A: BEGIN
			A: SELECT 1
			B: UPDATE parent SET v = 7 WHERE id = 1
			A: INSERT INTO child VALUES (11, 1)      -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "a partitioned parent is deleted, a child was inserted", setup: shards, script: `
			A: BEGIN
			A: SELECT count(*) FROM child WHERE pid = 1 -> 0
			B: INSERT INTO child VALUES (11, 1)
			A: DELETE FROM parent WHERE id = 1       -> 23503`},
		{name: "a partitioned parent is deleted, the child of the snapshot went", setup: shards, script: `
			A: BEGIN
			A: SELECT count(*) FROM child WHERE pid = 2 -> 1
			B: DELETE FROM child WHERE id = 22
			A: DELETE FROM parent WHERE id = 2       -> DELETE 1
			A: COMMIT                                -> COMMIT`},
		{name: "deferred: a partitioned parent that the snapshot does not show", setup: `
			CREATE TABLE parent (id int PRIMARY KEY) PARTITION BY HASH (id);
			CREATE TABLE parent_0 PARTITION OF parent FOR VALUES WITH (MODULUS 1, REMAINDER 0);
			CREATE TABLE child (id int PRIMARY KEY, pid int REFERENCES parent DEFERRABLE INITIALLY DEFERRED);`, script: `
			A: BEGIN
			A: SELECT 1
			A: INSERT INTO child VALUES (33, 3)      -> INSERT 0 1
			B: INSERT INTO parent VALUES (3)
			A: COMMIT                                -> COMMIT`},
		{name: "a parent that belongs to a partitioned one, by its own name", setup: `
			CREATE TABLE parent (id int PRIMARY KEY) PARTITION BY HASH (id);
			CREATE TABLE parent_0 PARTITION OF parent FOR VALUES WITH (MODULUS 1, REMAINDER 0);
			CREATE TABLE child (id int PRIMARY KEY, pid int REFERENCES parent_0);`, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO parent VALUES (3)
			A: INSERT INTO child VALUES (33, 3)      -> 23503`},
		{name: "the child is partitioned: a parent that the snapshot does not show", setup: childShards, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO parent VALUES (3)
			A: INSERT INTO child VALUES (33, 3)      -> 23503`},
		{name: "the child is partitioned: the parent was deleted", setup: childShards, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM parent WHERE id = 1
			A: INSERT INTO child VALUES (11, 1)      -> 40001`},
		{name: "the child is partitioned: a parent is deleted, a child was inserted", setup: childShards, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO child VALUES (11, 1)
			A: DELETE FROM parent WHERE id = 1       -> 23503`},
		{name: "the child is partitioned: the child of the snapshot went", setup: childShards, script: `
			A: BEGIN
			A: SELECT 1
			B: DELETE FROM child WHERE id = 22
			A: DELETE FROM parent WHERE id = 2       -> DELETE 1
			A: COMMIT                                -> COMMIT`},
		{name: "at SERIALIZABLE: a partitioned parent that the snapshot does not show", level: pgtest.Serializable, setup: shards, script: `
			A: BEGIN
			A: SELECT count(*) FROM parent WHERE id = 3 -> 0
			B: BEGIN
			B: INSERT INTO parent VALUES (3)
			B: COMMIT
			A: INSERT INTO child VALUES (33, 3)      -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
		{name: "at READ COMMITTED: a partitioned parent that came since BEGIN", level: pgtest.ReadCommitted, setup: shards, script: `
			A: BEGIN
			A: SELECT 1
			B: INSERT INTO parent VALUES (3)
			A: INSERT INTO child VALUES (33, 3)      -> INSERT 0 1
			A: COMMIT                                -> COMMIT`},
	})
}
