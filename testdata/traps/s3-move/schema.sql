-- Constraint checks are current reads: a cascade does not rename what has left.
-- Source: made from s3-cascade, and run on PostgreSQL 15.
--
-- ON UPDATE CASCADE gives the new key to the children that refer to the old one
-- now, not to those of the snapshot. It fails only on children that the snapshot
-- does not show as they are.
--
-- Expected: not robust. Rename_parent, delayed, reads the counter; leave takes the
-- child away from its parent, counts, and commits; rename_parent changes the key
-- of the parent and returns the old count. Rename_parent cannot come first, since
-- leave would not find the child under the old key, nor second. An analysis that
-- writes the cascade out as an UPDATE of the children of the snapshot finds that
-- both write one row, and is wrong.

CREATE TABLE counter (
  id int PRIMARY KEY,
  n int NOT NULL
);

CREATE TABLE parent (
  id int PRIMARY KEY
);

CREATE TABLE child (
  id int PRIMARY KEY,
  parent_id int REFERENCES parent (id) ON UPDATE CASCADE
);

INSERT INTO counter (id, n) VALUES (1, 0);
