-- SmallBank, repaired by promotion in balance: it also writes the checking row.
-- Source: Alomari, Cahill, Fekete, Roehm, "The cost of serializability on
-- platforms that use snapshot isolation" (ICDE 2008); table account is only read.
--
-- Expected: robust. Balance now excludes write_check on the row that balance
-- reads and write_check overwrites; the price is a query that writes.

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
