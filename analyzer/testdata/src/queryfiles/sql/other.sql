-- name: remove-desk
DELETE FROM desks WHERE room = $1;
