-- Constraint checks are current reads: a key that was deleted, repaired.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
--
-- Expected: robust on PostgreSQL. Take locks the counter, which fails when release
-- has committed since its snapshot.

CREATE TABLE counter (
  id int PRIMARY KEY,
  n int NOT NULL
);

CREATE TABLE slot (
  k int PRIMARY KEY,
  seen int NOT NULL
);

INSERT INTO counter (id, n) VALUES (1, 0);
