-- What excludes must order: blind writes of one value, repaired.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
--
-- Expected: robust. Run_i also writes the row of p that it reads, so that it
-- excludes run_p.

CREATE TABLE o (
  id int PRIMARY KEY,
  v int NOT NULL
);

CREATE TABLE p (
  id int PRIMARY KEY,
  v int NOT NULL
);

CREATE TABLE i (
  id int PRIMARY KEY,
  v int NOT NULL
);

CREATE TABLE e (
  id int PRIMARY KEY,
  v int NOT NULL
);

CREATE TABLE f (
  id int PRIMARY KEY,
  v int NOT NULL
);

INSERT INTO o (id, v) VALUES (1, 0);
INSERT INTO p (id, v) VALUES (1, 0);
INSERT INTO i (id, v) VALUES (1, 0);
INSERT INTO e (id, v) VALUES (1, 0);
INSERT INTO f (id, v) VALUES (1, 0);
