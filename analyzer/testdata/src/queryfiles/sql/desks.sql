-- What stands here belongs to no statement.
-- name: get-desk
-- tags: read
SELECT room FROM desks WHERE id = $1;

--name: move-desk
-- to another room
UPDATE desks SET room = $2 WHERE id = $1;

-- name: list-desks
SELECT id, room FROM desks ORDER BY %s;

-- name: count-desks
SELECT count(*) FROM desks;

-- name: remove-desk
DELETE FROM desks WHERE id = $1;
