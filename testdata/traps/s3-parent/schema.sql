-- Constraint checks are current reads: a parent whose child went.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
--
-- A constraint is checked against what is there now, not against the snapshot.
--
-- Expected: not robust. Drop_parent, delayed, reads the counter; drop_child deletes
-- the last child, counts, and commits; drop_parent deletes the parent and returns
-- the old count. It cannot come first, since the child is there, nor second. This
-- one commits at SERIALIZABLE too: PostgreSQL does not follow what foreign keys
-- read.

CREATE TABLE counter (
  id int PRIMARY KEY,
  n int NOT NULL
);

CREATE TABLE parent (
  id int PRIMARY KEY
);

CREATE TABLE child (
  id int PRIMARY KEY,
  parent_id int NOT NULL REFERENCES parent (id)
);

INSERT INTO counter (id, n) VALUES (1, 0);
