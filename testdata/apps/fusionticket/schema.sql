-- FusionTicket: events at venues, and tickets for them.
-- Source: Xie et al., "Salt" (OSDI 2014); Holt et al., "Disciplined inconsistency
-- with consistency types" (SoCC 2016); CAV 2019, appendix F.
--
-- Expected: robust. The only transaction that reads and writes, purchase, reads
-- the event row that it writes.

CREATE TABLE events (
  e_id int PRIMARY KEY,
  venue text NOT NULL,
  tickets int NOT NULL
);
