-- What excludes must order: blind writes of one value.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
--
-- Run_i and run_o both set e to 1, and run_p and run_x both set f to 1: they
-- exclude each other, and no order of the two can be seen.
--
-- Expected: not robust, by the schedule of s1-columns. Without run_x it is robust
-- when dependencies are about values, and not when they are about variables:
-- then the two writes of e order run_o before run_i.

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
