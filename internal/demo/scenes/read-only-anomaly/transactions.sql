-- name: write_check
BEGIN;
SELECT balance AS saved FROM saving WHERE customer = :'customer' \gset
SELECT balance AS cash FROM checking WHERE customer = :'customer' \gset
SELECT :saved + :cash >= :amount AS covered \gset
\if :covered
  UPDATE checking SET balance = :cash - :amount
    WHERE customer = :'customer';
\else
  UPDATE checking SET balance = :cash - :amount - 1
    WHERE customer = :'customer';
\endif
COMMIT;

-- name: deposit_saving
BEGIN;
UPDATE saving SET balance = balance + :amount WHERE customer = :'customer';
COMMIT;

-- name: balance
BEGIN;
SELECT s.balance AS saving, c.balance AS checking
  FROM saving s JOIN checking c USING (customer)
  WHERE customer = :'customer';
COMMIT;
