-- What excludes must order: rows with two columns.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
--
-- Run_i and run_o write one row, and so do run_p and run_x, but never one column:
-- they exclude each other without depending on each other.
--
-- Expected: not robust. Run_p reads o, run_o commits, run_i reads p, run_p commits,
-- run_x runs, run_i commits. Run_x saw run_o and not run_i, run_i did not see
-- run_p, and run_p did not see run_o. Two transactions are delayed, run_p and
-- run_i; with only one delayed there is no anomaly, since run_x would fall into
-- the window of run_p, and run_o into that of run_i. Robust without run_x.

CREATE TABLE o (
  id int PRIMARY KEY,
  v int NOT NULL,
  q int NOT NULL
);

CREATE TABLE p (
  id int PRIMARY KEY,
  v int NOT NULL,
  q int NOT NULL
);

CREATE TABLE i (
  id int PRIMARY KEY,
  v int NOT NULL
);

INSERT INTO o (id, v, q) VALUES (1, 0, 0);
INSERT INTO p (id, v, q) VALUES (1, 0, 0);
INSERT INTO i (id, v) VALUES (1, 0);
