-- Constraint checks are current reads: a key that was deleted.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
--
-- A constraint is checked against what is there now, not against the snapshot.
--
-- Expected: not robust. Take, delayed, reads the counter; release deletes the slot,
-- counts, and commits; take inserts the slot with the old count. Take cannot come
-- first, since the slot is there, nor second, since it saw the old count. Release
-- does not exclude take, and nothing but the constraint orders it before take.

CREATE TABLE counter (
  id int PRIMARY KEY,
  n int NOT NULL
);

CREATE TABLE slot (
  k int PRIMARY KEY,
  seen int NOT NULL
);

INSERT INTO counter (id, n) VALUES (1, 0);
