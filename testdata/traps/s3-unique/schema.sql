-- Constraint checks are current reads: a UNIQUE value that an update freed.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
--
-- A constraint is checked against what is there now, not against the snapshot.
--
-- Expected: not robust. Sign_up, delayed, reads the counter; rename gives its name
-- up, counts, and commits; sign_up inserts the name with the old count. Sign_up
-- cannot come first, since the name is taken, nor second.

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
