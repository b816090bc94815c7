-- Auction as first published: reg_user looks the nickname up before it inserts.
-- Source: Bernardi, Gotsman, "Robustness against consistency models with atomic
-- visibility" (CONCUR 2016), figure 1; CAV 2019, appendix F.
--
-- Expected: not robust. Two reg_user with one name both find it free, and insert
-- different rows: write skew on a predicate.

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
