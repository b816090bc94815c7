-- Booking of rooms: book looks for a booking that overlaps, and books if there is
-- none; cancel makes room again.
-- Source: the example of exclusion constraints in the PostgreSQL manual (8.17.10,
-- range types), written as functions.
--
-- Expected: not robust. Two transactions find one room free, and book it for times
-- that overlap.

CREATE TABLE booking (
  id int PRIMARY KEY,
  room int NOT NULL,
  starts timestamptz NOT NULL,
  ends timestamptz NOT NULL,
  cancelled boolean NOT NULL DEFAULT false,
  CHECK (starts < ends)
);
