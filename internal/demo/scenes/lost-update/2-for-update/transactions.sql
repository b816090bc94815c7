-- name: deposit
BEGIN;
SELECT balance FROM account WHERE owner = :'owner' FOR UPDATE \gset
UPDATE account SET balance = :balance + :amount WHERE owner = :'owner';
COMMIT;
