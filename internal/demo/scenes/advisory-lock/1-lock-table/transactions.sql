-- name: go_home
BEGIN;
LOCK TABLE doctor IN SHARE ROW EXCLUSIVE MODE;
SELECT count(*) >= 2 AS enough FROM doctor WHERE on_call \gset
\if :enough
  UPDATE doctor SET on_call = false WHERE name = :'me';
\endif
COMMIT;
