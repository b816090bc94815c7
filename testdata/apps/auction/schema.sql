-- Auction: users are registered by id, and bid on items.
-- Source: Bernardi, Gotsman, "Robustness against consistency models with atomic
-- visibility" (CONCUR 2016), figure 1; CAV 2019, appendix F.
--
-- Expected: robust. The only transaction that reads and writes, reg_bid, reads
-- the item row that it writes.

CREATE TABLE users (
  u_id int PRIMARY KEY,
  name text NOT NULL
);

CREATE TABLE items (
  i_id int PRIMARY KEY,
  descr text,
  nbids int NOT NULL
);

CREATE TABLE bids (
  b_id int PRIMARY KEY,
  i_id int NOT NULL,
  val int NOT NULL
);
