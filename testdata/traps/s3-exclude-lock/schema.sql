-- Constraint checks are current reads: a time that a deletion freed, repaired.
-- Source: as s3-exclude, of which only the lock is new, and run on PostgreSQL 15.
--
-- Expected: robust on PostgreSQL. Book locks the counter, which fails when cancel
-- has committed since its snapshot.

CREATE TABLE counter (
  id int PRIMARY KEY,
  n int NOT NULL
);

CREATE TABLE booking (
  id int PRIMARY KEY,
  starts int NOT NULL,
  ends int NOT NULL,
  seen int NOT NULL,
  EXCLUDE USING gist (int4range(starts, ends, '[]') WITH &&)
);

INSERT INTO counter (id, n) VALUES (1, 0);
