-- A lock that does not exclude, replaced by a write.
-- Source: found by brute force over small programs, and run on PostgreSQL 15.
--
-- Expected: robust. Write_check writes the row that balance writes.

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
