-- Auction with looked-up nicknames, repaired by a UNIQUE constraint on the name.
-- Source: Bernardi, Gotsman, "Robustness against consistency models with atomic
-- visibility" (CONCUR 2016), figure 1; CAV 2019, appendix F.
--
-- Expected: robust. Two inserts of one unique value never both commit.

CREATE TABLE users (
  u_id int PRIMARY KEY,
  name text UNIQUE NOT NULL
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
