-- Constraint checks are current reads: a cascade, repaired.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
--
-- Expected: robust on PostgreSQL. Drop_parent locks the counter, which fails when
-- drop_child has committed since its snapshot.

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
