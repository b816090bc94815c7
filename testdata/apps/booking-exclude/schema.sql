-- Booking of rooms, with the constraint that the PostgreSQL manual recommends.
-- Source: as booking, of which only the constraint is new.
--
-- Expected: robust. Two bookings that overlap never both commit. Who books after
-- somebody has cancelled comes after that one: the check before the INSERT asks
-- what the constraint asks.

CREATE SCHEMA IF NOT EXISTS extensions;
CREATE EXTENSION IF NOT EXISTS btree_gist SCHEMA extensions;

CREATE TABLE booking (
  id int PRIMARY KEY,
  room int NOT NULL,
  starts timestamptz NOT NULL,
  ends timestamptz NOT NULL,
  cancelled boolean NOT NULL DEFAULT false,
  CHECK (starts < ends),
  EXCLUDE USING gist (room WITH =, tstzrange(starts, ends) WITH &&) WHERE (NOT cancelled)
);
