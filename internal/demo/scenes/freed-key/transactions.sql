-- name: give_back
BEGIN;
DELETE FROM rental WHERE locker = :locker;
COMMIT;

-- name: rent
BEGIN;
SELECT count(*) AS tenants FROM rental WHERE locker = :locker;
INSERT INTO rental VALUES (:locker, :'tenant');
COMMIT;
