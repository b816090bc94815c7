-- name: like_post
BEGIN;
UPDATE post SET likes = likes + 1 WHERE author = :'author';
COMMIT;

-- name: compare
BEGIN;
SELECT likes AS first FROM post WHERE author = :'first';
SELECT likes AS second FROM post WHERE author = :'second';
COMMIT;
