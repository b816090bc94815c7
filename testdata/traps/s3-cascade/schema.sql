-- Constraint checks are current reads: a cascade does not delete what is gone.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
--
-- A constraint is checked against what is there now, not against the snapshot.
-- So are the actions of foreign keys: ON DELETE CASCADE deletes the children that
-- are there now, and it fails only on those that the snapshot does not show as
-- they are.
--
-- Expected: not robust. Drop_parent, delayed, reads the counter; drop_child deletes
-- the child, counts, and commits; drop_parent deletes the parent and returns the
-- old count. Drop_parent cannot come first, since its cascade would have deleted
-- the child, nor second. An analysis that writes the cascade out as a DELETE of
-- the children of the snapshot finds that both delete one row, and is wrong.

CREATE TABLE counter (
  id int PRIMARY KEY,
  n int NOT NULL
);

CREATE TABLE parent (
  id int PRIMARY KEY
);

CREATE TABLE child (
  id int PRIMARY KEY,
  parent_id int NOT NULL REFERENCES parent (id) ON DELETE CASCADE
);

INSERT INTO counter (id, n) VALUES (1, 0);
