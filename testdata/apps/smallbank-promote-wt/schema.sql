-- SmallBank, repaired by promotion in write_check: it also writes the saving row.
-- Source: Alomari, Cahill, Fekete, Roehm, "The cost of serializability on
-- platforms that use snapshot isolation" (ICDE 2008); table account is only read.
--
-- Expected: robust. Write_check now excludes transact_saving on the row whose
-- read made it vulnerable. On PostgreSQL an identity UPDATE writes a version.

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
