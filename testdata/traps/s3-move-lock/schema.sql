-- Constraint checks are current reads: a cascade that renames, repaired.
-- Source: made from s3-cascade-lock, and run on PostgreSQL 15.
--
-- Expected: robust on PostgreSQL. Rename_parent locks the counter, which fails when
-- leave has committed since its snapshot.

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
