-- name: withdraw
BEGIN;
SELECT sum(balance) >= :amount AS enough
  FROM account WHERE owner = :'owner' \gset
\if :enough
  UPDATE account SET balance = balance - :amount
    WHERE owner = :'owner' AND kind = :'kind';
\endif
COMMIT;
