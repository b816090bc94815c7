-- name: give_back
BEGIN;
UPDATE rental SET tenant = NULL WHERE locker = :locker;
COMMIT;

-- name: rent
BEGIN;
SELECT count(tenant) AS tenants FROM rental WHERE locker = :locker;
UPDATE rental SET tenant = :'tenant'
  WHERE locker = :locker AND tenant IS NULL;
COMMIT;
