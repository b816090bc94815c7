-- name: deposit
BEGIN;
UPDATE account SET balance = balance + :amount WHERE owner = :'owner';
COMMIT;
