-- Constraint checks are current reads: a UNIQUE value that an update freed, repaired.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
--
-- Expected: robust on PostgreSQL. Sign_up locks the counter, which fails when
-- rename has committed since its snapshot.

CREATE TABLE counter (
  id int PRIMARY KEY,
  n int NOT NULL
);

CREATE TABLE member (
  id int PRIMARY KEY,
  name text UNIQUE NOT NULL,
  seen int NOT NULL
);

INSERT INTO counter (id, n) VALUES (1, 0);
