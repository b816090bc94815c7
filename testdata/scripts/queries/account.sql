-- name: CreateAccount :one
INSERT INTO account (owner, balance) VALUES ($1, $2) RETURNING *;

-- name: GetAccount :one
SELECT * FROM account WHERE id = $1;

-- name: AddBalance :one
UPDATE account SET balance = balance + sqlc.arg(amount) WHERE id = sqlc.arg(id) RETURNING *;

-- name: Total :one
SELECT sum(balance) FROM account WHERE owner = @owner;

-- name: CloseAccount :execrows
DELETE FROM account WHERE id = $1 AND balance = 0;
