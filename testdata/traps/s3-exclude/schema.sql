-- Constraint checks are current reads: a time that a deletion freed.
-- Source: as s3-unique, with an exclusion constraint in the place of the key, and
-- run on PostgreSQL 15.
--
-- A constraint is checked against what is there now, not against the snapshot.
--
-- Expected: not robust. Book, delayed, reads the counter; cancel deletes a booking
-- that overlaps, counts, and commits; book inserts its booking with the old count.
-- Book cannot come first, since the time is taken, nor second.

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
