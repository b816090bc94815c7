-- SmallBank: five transactions over a saving and a checking account per customer.
-- Source: Alomari, Cahill, Fekete, Roehm, "The cost of serializability on
-- platforms that use snapshot isolation" (ICDE 2008); table account is only read.
--
-- Expected: not robust. Write_check, delayed, reads the saving account that
-- transact_saving then changes; balance sees the new saving account and the old
-- checking account that write_check is about to write: a read-only anomaly.
-- Without any one of balance, write_check and transact_saving it is robust;
-- amalgamate writes saving too, but always together with the checking account
-- of the same customer, which excludes write_check.

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
