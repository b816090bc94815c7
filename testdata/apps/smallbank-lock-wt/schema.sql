-- SmallBank, repaired by a lock: write_check reads saving FOR UPDATE.
-- Source: Alomari, Cahill, Fekete, Roehm, "The cost of serializability on
-- platforms that use snapshot isolation" (ICDE 2008); table account is only read.
--
-- Expected: robust on PostgreSQL. Locking a row that changed since the snapshot
-- fails with 40001, so write_check excludes a transact_saving that commits
-- between its snapshot and its lock; one that comes later commits after it.

CREATE TABLE account (
  name text PRIMARY KEY,
  cust_id int UNIQUE NOT NULL
);

CREATE TABLE saving (
  cust_id int PRIMARY KEY,
  bal int NOT NULL
);

CREATE TABLE checking (
  cust_id int PRIMARY KEY,
  bal int NOT NULL
);
