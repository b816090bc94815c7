-- name: all
SELECT * FROM a;
-- name: ordered
SELECT n, id FROM a ORDER BY n, id;
-- name: descending
SELECT n, m FROM a ORDER BY n DESC, id LIMIT 2;
-- name: byname
SELECT id FROM a WHERE name = :s ORDER BY id;
-- name: bynames
SELECT id, name FROM a WHERE name IN ('ABC', 'b', :s) ORDER BY name, id;
-- name: nameless
SELECT id FROM a WHERE name <> :s OR name IS NULL ORDER BY 1;
-- name: nullsafe
SELECT id, name <=> :s, n = :i, NOT n FROM a ORDER BY id DESC;
-- name: between
SELECT id FROM a WHERE n BETWEEN :i AND :j OR n NOT BETWEEN 0 AND 3 ORDER BY id;
-- name: sums
SELECT COUNT(*), COUNT(n), SUM(n), MIN(m), MAX(n) + 1, COALESCE(SUM(d), 0) FROM a WHERE m >= :i;
-- name: distinct_names
SELECT COUNT(DISTINCT name), COUNT(DISTINCT n) FROM a;
-- name: joined
SELECT a.id, b.y, b.tag FROM a JOIN b ON b.x = a.n WHERE a.m > b.y AND b.tag < 'abd' ORDER BY a.id, b.y;
-- name: comma
SELECT p.id, q.id FROM a p, a q WHERE p.name = q.name AND p.id < q.id ORDER BY 1, 2;
-- name: isin
SELECT id, id IN (SELECT n FROM a), id NOT IN (SELECT x FROM b) FROM a ORDER BY id;
-- name: notin
SELECT id FROM a WHERE m NOT IN (SELECT n FROM a WHERE id < :i) ORDER BY id;
-- name: exist
SELECT id FROM a WHERE EXISTS (SELECT 1 FROM b WHERE x = id AND y > :i) ORDER BY id;
-- name: condition
SELECT id, IF(n > 1, 'many', 'few'), CASE WHEN n IS NULL THEN 0 WHEN n = 0 THEN 1 ELSE n * 2 END, (n > 1) + (m > 2) FROM a ORDER BY id;
-- name: truth
SELECT id, n AND m, n OR 0, n IS TRUE, m IS NOT FALSE, n = 1 AND NULL FROM a WHERE NOT (n = 2) OR m ORDER BY id;
-- name: enums
SELECT x, y FROM b WHERE e = 'RED' OR e IS NULL ORDER BY x, y;
-- name: sequenced
UPDATE a SET m = m + 1, d = m * 2 WHERE id >= :i;
-- name: rename
UPDATE a SET name = :s WHERE name = 'ABC' OR name = :r;
-- name: unique_set
UPDATE a SET n = :i WHERE id = :j;
-- name: tags
UPDATE b SET tag = 'Abc', e = 'green' WHERE x IN (SELECT n FROM a) AND tag <> 'abc';
-- name: remove
DELETE FROM b WHERE x = :i AND y < :j OR tag = 'ABC';
-- name: remove_parent
DELETE FROM a WHERE id = :i;
-- name: remove_child
DELETE FROM c WHERE note = 'none' AND a = (SELECT MAX(id) FROM a);
-- name: add
INSERT INTO a (id, n, name) VALUES (?, ?, ?);
-- name: add_two
INSERT INTO b VALUES (:i, :j, :s, 'red'), (:i, :j + 1, 'T', NULL);
-- name: upsert
INSERT INTO b (x, y, tag) VALUES (:i, :j, :s) ON DUPLICATE KEY UPDATE tag = 'Again', e = IF(tag = 'again', 'red', 'green');
-- name: upsert_values
INSERT INTO k VALUES (:s, :i) ON DUPLICATE KEY UPDATE v = v + VALUES(v);
-- name: key_insert
INSERT INTO k (name, v) VALUES (:s, 1);
-- name: key_read
SELECT v FROM k WHERE name = 'abc';
-- name: key_delete
DELETE FROM k WHERE name = :s;
-- name: child
BEGIN;
INSERT INTO c (a) VALUES (:i);
INSERT INTO c (a, note) VALUES (:j, 'More'), (NULL, :s);
SELECT id, a, note FROM c WHERE id = LAST_INSERT_ID();
COMMIT;
-- name: transfer
START TRANSACTION;
SELECT m, name INTO @m, @s FROM a WHERE id = :i FOR UPDATE;
UPDATE a SET m = m - 1 WHERE id = :i AND m > 0;
SET @old = @m, @sum = (SELECT SUM(m) FROM a);
UPDATE a SET m = m + 1, name = @s WHERE id = :j;
SELECT @old, @sum, @s = 'abc', (SELECT name FROM a WHERE id = :j);
COMMIT;
-- name: points
BEGIN;
UPDATE b SET tag = 'x';
SAVEPOINT s;
DELETE FROM b;
ROLLBACK TO s;
SELECT COUNT(*) FROM b WHERE tag = 'X';
COMMIT;
-- name: unsigned
UPDATE g SET u = u - :i WHERE id = :j;
-- name: unsigned_inside
UPDATE g SET lo = u - 2 + 1 WHERE u < 3;
-- name: unsigned_read
SELECT id FROM g WHERE u - 1 > :i ORDER BY id;
-- name: unsigned_signed
SELECT u + :i - 4, lo - hi FROM g WHERE u > lo ORDER BY id;
-- name: unsigned_either
SELECT IF(lo > 1, u, lo) - 3, COALESCE(hi, u) - 3 FROM g WHERE id > :i ORDER BY id;
-- name: unsigned_most
SELECT MAX(u) - 3, SUM(u) - 3, COUNT(*) - 3 FROM g WHERE u > :i;
-- name: narrow
UPDATE g SET t = t + 10 * :i WHERE id = :j;
-- name: checked
UPDATE g SET lo = :i WHERE id = :j;
-- name: checked_both
UPDATE g SET hi = hi + 1, lo = hi WHERE id >= :i;
-- name: checked_letters
UPDATE g SET f = :s WHERE id = :i;
-- name: rounded
UPDATE g SET d = d * 1.25, hi = hi + 1;
-- name: rounded_constant
INSERT INTO g (id, u, d) VALUES (:i, :j, -0.25);
-- name: as_declared
UPDATE b SET e = 'RED' WHERE x = :i;
-- name: as_declared_of_others
UPDATE b SET e = IF(y > 1, tag, 'Green') WHERE x = :i;
-- name: enum_returned
SELECT e FROM b WHERE x = :i ORDER BY y;
-- name: bytes
SELECT id FROM h WHERE raw = 'a' OR raw > :s ORDER BY id;
-- name: ordered_texts
SELECT name, id FROM a ORDER BY name, id;
-- name: blanks
UPDATE h SET f = CONCAT(f, '  '), n = 1 WHERE id >= :i;
-- name: least
SELECT id, LEAST(n, up), GREATEST(up, n, 2) FROM h ORDER BY id;
-- name: joined_texts
SELECT id, CONCAT(f, raw) IS NULL, CONCAT(f, raw), CONCAT(f, 'x') FROM h ORDER BY id;
-- name: halves
UPDATE h SET n = n * 1.5 + 0.25 WHERE id <= :i;
-- name: days
UPDATE h SET day = '2024-02-29 12:30:00' WHERE id = :i;
-- name: into_one
BEGIN;
SELECT n INTO @m FROM h WHERE n = :i;
SELECT @m + 1;
COMMIT;
-- name: ignored_null
INSERT IGNORE INTO h2 (id, f, n) VALUES (:i, :s, :j);
-- name: own_parent
DELETE FROM h WHERE id = :i;
-- name: replaced
REPLACE INTO h2 (id, f) VALUES (:i, :s);
-- name: joined_update
UPDATE a JOIN b ON b.x = a.id SET a.m = a.m + 1 WHERE b.tag = 'a';
-- name: joined_update_both
UPDATE a JOIN b ON b.x = a.id SET a.m = a.m + 1, b.tag = 'abc' WHERE b.y < :i AND a.m < 8;
-- name: joined_delete
DELETE b FROM b JOIN a ON a.id = b.x WHERE a.m > :i;
-- name: grouped
SELECT m, COUNT(*), SUM(n) FROM a GROUP BY m HAVING COUNT(*) > 0 ORDER BY m;
-- name: outer
SELECT a.id, b.y FROM a LEFT JOIN b ON b.x = a.id ORDER BY a.id, b.y;
-- name: copied
INSERT INTO h2 (id, f, n) SELECT id + 10, f, n FROM h WHERE n > :i;
-- name: in_bytes
SELECT id FROM h WHERE 'a' IN (raw, 'A') OR :s BETWEEN raw AND 'b' ORDER BY id;
-- name: copies_counted
INSERT INTO h2 (id, f, n) VALUES (:i, 'a', 1), (:i + 1 + (SELECT COUNT(*) FROM h2 o), 'b', 2);
-- name: cases
SELECT id, LOWER(raw), UPPER(f) FROM h WHERE LOWER(f) = LOWER(:s) ORDER BY id;
