-- name: GetStock :one
SELECT stock FROM item
WHERE id = @id;

-- name: SetStock :exec
UPDATE item SET stock = @stock WHERE id = @id;
