-- name: buy
BEGIN;
UPDATE concert SET seats = seats - :n WHERE band = :'band' AND seats >= :n;
COMMIT;
