-- name: redeem
BEGIN;
SELECT code FROM voucher WHERE code = :'code' FOR UPDATE;
SELECT count(*) = 0 AS unused FROM redemption WHERE code = :'code' \gset
\if :unused
  INSERT INTO redemption VALUES (:'code', :'customer');
\endif
COMMIT;
