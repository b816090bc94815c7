-- name: buy
BEGIN;
SELECT seats >= :n AS enough
  FROM concert WHERE band = :'band' FOR UPDATE \gset
\if :enough
  UPDATE concert SET seats = seats - :n WHERE band = :'band';
\endif
COMMIT;
