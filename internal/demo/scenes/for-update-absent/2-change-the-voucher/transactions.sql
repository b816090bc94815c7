-- name: redeem
BEGIN;
UPDATE voucher SET uses = uses + 1 WHERE code = :'code';
SELECT count(*) = 0 AS unused FROM redemption WHERE code = :'code' \gset
\if :unused
  INSERT INTO redemption VALUES (:'code', :'customer');
\endif
COMMIT;
