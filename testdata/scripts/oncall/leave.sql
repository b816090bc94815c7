-- psql -v shift=1 -v id=2 -f leave.sql
-- name: leave
BEGIN ISOLATION LEVEL REPEATABLE READ;
SELECT count(*) > 1 AS enough FROM doctor WHERE shift = :shift AND on_call \gset
\if :enough
  UPDATE doctor SET on_call = false WHERE id = :id AND shift = :shift;
  COMMIT;
\else
  \echo somebody has to stay
  ROLLBACK;
\endif
