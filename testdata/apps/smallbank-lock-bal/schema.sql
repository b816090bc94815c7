-- SmallBank with a lock that repairs nothing: balance reads checking FOR UPDATE.
-- Source: Alomari, Cahill, Fekete, Roehm, "The cost of serializability on
-- platforms that use snapshot isolation" (ICDE 2008); table account is only read.
--
-- Expected: not robust on PostgreSQL. A lock leaves no version: once balance has
-- committed, write_check updates the row that balance had locked. The schedule
-- of SmallBank itself still commits.

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
