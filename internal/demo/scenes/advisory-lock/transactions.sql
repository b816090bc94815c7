-- name: go_home
BEGIN;
SELECT pg_advisory_xact_lock(1);
SELECT count(*) >= 2 AS enough FROM doctor WHERE on_call \gset
\if :enough
  UPDATE doctor SET on_call = false WHERE name = :'me';
\endif
COMMIT;
