-- name: redeem
BEGIN;
SELECT count(*) = 0 AS unused
  FROM (SELECT 1 FROM redemption WHERE code = :'code' FOR UPDATE) r \gset
\if :unused
  INSERT INTO redemption VALUES (:'code', :'customer');
\endif
COMMIT;
