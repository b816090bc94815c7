-- name: book
BEGIN;
UPDATE room SET bookings = bookings + 1 WHERE name = :'room';
SELECT count(*) = 0 AS free FROM booking
  WHERE room = :'room' AND starts < :ends AND ends > :starts \gset
\if :free
  INSERT INTO booking VALUES (:'room', :starts, :ends, :'guest');
\endif
COMMIT;
