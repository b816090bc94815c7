-- name: added
INSERT INTO a (id, n, m, s) VALUES (:i, :j, :k, :s);
-- name: default
INSERT INTO a (id, n) VALUES (:i, :j);
-- name: raised
UPDATE a SET m = :k, n = :j WHERE id = :i;
-- name: all
UPDATE a SET m = m + 1 WHERE n > :i;
-- name: born
INSERT INTO kids VALUES (:i, :j, :k);
-- name: gone
DELETE FROM kids WHERE id = :i;
-- name: own
START TRANSACTION;
INSERT INTO z (v) VALUES (:i);
SELECT v FROM z WHERE id = LAST_INSERT_ID();
COMMIT;
-- name: met
INSERT INTO a (id, m) VALUES (:i, :k) ON DUPLICATE KEY UPDATE m = m + 2;
-- name: swept
DELETE FROM kids WHERE a = :i;
-- name: bred
INSERT INTO kids SELECT id + 10, id, 1 FROM z WHERE v > :i;
