-- A lock of the delayed transaction excludes only what commits inside its window.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
-- The transactions are those of SmallBank, with a row for every customer that
-- write_check locks and balance writes.
--
-- Expected: not robust on PostgreSQL. Write_check takes its snapshot,
-- transact_saving commits, write_check locks the row, balance reads and waits for
-- the lock, write_check commits, and balance, on its old snapshot, writes the row:
-- a lock leaves no version. Balance saw the new saving account and the old
-- checking account. It is not true that balance never commits because it
-- writes a row that write_check locks.

CREATE TABLE saving (
  cust_id int PRIMARY KEY,
  bal int NOT NULL
);

CREATE TABLE checking (
  cust_id int PRIMARY KEY,
  bal int NOT NULL
);

CREATE TABLE audit (
  cust_id int PRIMARY KEY,
  queries int NOT NULL
);
