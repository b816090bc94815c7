-- name: go_home
BEGIN;
SELECT name FROM doctor WHERE on_call FOR UPDATE;
SELECT count(*) >= 2 AS enough FROM doctor WHERE on_call \gset
\if :enough
  UPDATE doctor SET on_call = false WHERE name = :'me';
\endif
COMMIT;
