-- Subqueries and WITH
CREATE TABLE a (k int PRIMARY KEY, v int, s text, up int);
CREATE TABLE b (k int PRIMARY KEY, a int, n int);
CREATE TABLE log (id int PRIMARY KEY, note text);
INSERT INTO a VALUES (1, 10, 'x', NULL), (2, 20, 'y', 1), (3, NULL, 'x', 2);
INSERT INTO b VALUES (1, 1, 5), (2, 1, 7), (3, 9, NULL);

-- ## a subquery as a value
SELECT (SELECT v FROM a WHERE k = 1);

-- ## a subquery as a value, of each row
SELECT k, (SELECT max(n) FROM b WHERE b.a = a.k) FROM a;

-- ## EXISTS
SELECT k FROM a WHERE EXISTS (SELECT FROM b WHERE b.a = a.k);

-- ## NOT EXISTS
SELECT k FROM a WHERE NOT EXISTS (SELECT FROM b WHERE b.a = a.k);

-- ## IN (SELECT …)
SELECT k FROM a WHERE k IN (SELECT a FROM b);

-- ## NOT IN (SELECT …) with NULL
SELECT k FROM a WHERE k NOT IN (SELECT n FROM b);

-- ## = ANY (SELECT …)
SELECT k FROM a WHERE k = ANY (SELECT a FROM b);

-- ## > ALL (SELECT …)
SELECT k FROM b WHERE n > ALL (SELECT k FROM a);

-- ## a row IN (SELECT …)
SELECT k FROM a WHERE (k, k) IN (SELECT a, k FROM b);

-- ## a row = (SELECT …)
SELECT k FROM a WHERE (k, v) = (SELECT 1, 10);

-- ## ARRAY(SELECT …)
SELECT k FROM a WHERE k = ANY (ARRAY(SELECT a FROM b));

-- ## a subquery in FROM
SELECT x.k FROM (SELECT k FROM a WHERE v > 5) x;

-- ## a subquery in FROM with GROUP BY
SELECT x.c FROM (SELECT s, count(*) AS c FROM a GROUP BY s) x WHERE x.c > 1;

-- ## a subquery in the ON of an outer join
SELECT a.k FROM a LEFT JOIN b ON b.a = a.k AND b.n = (SELECT max(n) FROM b);

-- ## a subquery in ORDER BY
SELECT k FROM a ORDER BY (SELECT count(*) FROM b WHERE b.a = a.k), k;

-- ## a subquery in an aggregate
SELECT sum((SELECT n FROM b WHERE b.k = a.k)) FROM a;

-- ## WITH
WITH x AS (SELECT k FROM a WHERE v > 5) SELECT count(*) FROM x;

-- ## WITH that is named twice
WITH x AS (SELECT k FROM a) SELECT x.k FROM x JOIN x y ON x.k = y.k + 1;

-- ## WITH … AS MATERIALIZED
WITH x AS MATERIALIZED (SELECT k FROM a) SELECT k FROM x WHERE k = 1;

-- ## WITH that nobody names
WITH x AS (SELECT k FROM a) SELECT 1;

-- ## WITH RECURSIVE over numbers
WITH RECURSIVE x(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM x WHERE i < 3) SELECT i FROM x;

-- ## WITH RECURSIVE over a tree of rows
WITH RECURSIVE x AS (SELECT k, up FROM a WHERE k = 3 UNION ALL SELECT a.k, a.up FROM a JOIN x ON a.k = x.up) SELECT k FROM x;

-- ## WITH RECURSIVE whose later rows are NULL
WITH RECURSIVE x AS (SELECT k FROM a WHERE k = 3 UNION ALL SELECT a.up FROM a JOIN x ON a.k = x.k) SELECT v FROM a WHERE k + 9 NOT IN (SELECT k FROM x);

-- ## WITH RECURSIVE that is not recursive
WITH RECURSIVE x AS (SELECT k FROM a) SELECT k FROM x;

-- ## WITH: INSERT … RETURNING
WITH x AS (INSERT INTO log VALUES (1, 'a') RETURNING id) SELECT id FROM x;

-- ## WITH: INSERT, whose result the INSERT of a child uses
WITH x AS (INSERT INTO log VALUES (1, 'a') RETURNING id) INSERT INTO b SELECT 7, id, 1 FROM x;

-- ## WITH: UPDATE … RETURNING
WITH x AS (UPDATE a SET v = v + 1 WHERE k = 1 RETURNING v) SELECT v FROM x;

-- ## WITH: UPDATE … RETURNING, which an INSERT copies
WITH x AS (UPDATE a SET v = v + 1 WHERE k = 1 RETURNING k, v) INSERT INTO log SELECT k, v::text FROM x;

-- ## WITH: DELETE … RETURNING, which an INSERT copies
WITH x AS (DELETE FROM b WHERE a = 1 RETURNING k, n) INSERT INTO log SELECT k, n::text FROM x;

-- ## WITH: DELETE of one row, whose values an UPDATE uses
WITH x AS (DELETE FROM b WHERE k = 1 RETURNING a, n) UPDATE a SET v = v + x.n FROM x WHERE a.k = x.a;

-- ## WITH: UPDATE of one row, whose value an UPDATE uses
WITH x AS (UPDATE b SET n = n + 1 WHERE k = 1 RETURNING a, n) UPDATE a SET v = x.n FROM x WHERE a.k = x.a;

-- ## WITH: INSERT of one row, whose key an UPDATE uses
WITH x AS (INSERT INTO log VALUES (1, 'a') RETURNING id) UPDATE a SET v = x.id FROM x WHERE a.k = 2;

-- ## WITH: INSERT … ON CONFLICT DO NOTHING, whose key a DELETE uses
WITH x AS (INSERT INTO log VALUES (1, 'a') ON CONFLICT (id) DO NOTHING RETURNING id) DELETE FROM b USING x WHERE b.k = x.id;

-- ## WITH: a write of several rows, whose values an UPDATE uses
WITH x AS (DELETE FROM b WHERE a = 1 RETURNING a, n) UPDATE a SET v = x.n FROM x WHERE a.k = x.a;

-- ## WITH: a write whose rows are counted
WITH x AS (UPDATE a SET v = 0 WHERE s = 'x' RETURNING k) SELECT count(*) FROM x;

-- ## WITH: a write without RETURNING
WITH x AS (DELETE FROM b WHERE k = 1) SELECT count(*) FROM a;

-- ## WITH: a write beside a query of the same table
WITH x AS (UPDATE a SET v = 0 WHERE k = 1 RETURNING k) SELECT a.v FROM a, x WHERE a.k = x.k;

-- ## WITH: two writes of two tables
WITH x AS (UPDATE a SET v = 0 WHERE k = 1 RETURNING k), y AS (DELETE FROM b WHERE k = 1 RETURNING k) SELECT x.k, y.k FROM x, y;

-- ## WITH: a query that looks at a table, and an INSERT of it that uses the result
WITH free AS (SELECT max(k) + 1 AS k FROM a HAVING count(*) < 4), made AS (INSERT INTO a SELECT k, 1, 'z' FROM free ON CONFLICT DO NOTHING RETURNING k) SELECT EXISTS (SELECT FROM made);

-- ## WITH: a query of several rows of a table, and an INSERT of them
WITH old AS (SELECT k + 10 AS k, v FROM a), kept AS (SELECT k, v FROM old WHERE v IS NOT NULL), made AS (INSERT INTO a SELECT k, v, 'z' FROM kept RETURNING k) SELECT count(*), min(k) FROM made;

-- ## WITH: a query that an INSERT of its table and the statement use
WITH n AS (SELECT count(*) AS n FROM a), made AS (INSERT INTO a SELECT n + 10, 1, 'z' FROM n RETURNING k) SELECT n, (SELECT k FROM made) FROM n;

-- ## WITH: a query that looks at the parents of an INSERT
CREATE TABLE c (id int PRIMARY KEY, a int REFERENCES a);
---
WITH p AS (SELECT k, v FROM a WHERE v > 5), made AS (INSERT INTO c (id, a) SELECT k + 100, k FROM p RETURNING id) SELECT (SELECT count(*) FROM made), (SELECT count(*) FROM a);

-- ## WITH: a write whose result a second write uses
WITH x AS (INSERT INTO log VALUES (1, 'a') RETURNING id), y AS (INSERT INTO b SELECT 9, id, 0 FROM x RETURNING k) SELECT k FROM y;

-- ## WITH: a query that chooses a row, and an UPDATE of it
WITH x AS (SELECT k FROM a WHERE v > 5 ORDER BY k LIMIT 1) UPDATE a SET v = 0 FROM x WHERE a.k = x.k RETURNING a.k;

-- ## WITH: a query that locks a row, and an UPDATE of it
WITH x AS (SELECT k FROM a WHERE v > 5 ORDER BY k LIMIT 1 FOR UPDATE) UPDATE a SET v = 0 FROM x WHERE a.k = x.k RETURNING a.k;

-- ## WITH: a queue with SKIP LOCKED
WITH x AS (SELECT k FROM a WHERE v > 5 ORDER BY k LIMIT 1 FOR UPDATE SKIP LOCKED) UPDATE a SET v = 0 FROM x WHERE a.k = x.k RETURNING a.k;

-- ## WITH: INSERT … ON CONFLICT DO NOTHING RETURNING, or else the row that is there
WITH x AS (INSERT INTO log VALUES (1, 'a') ON CONFLICT (id) DO NOTHING RETURNING id) SELECT id FROM x UNION ALL SELECT id FROM log WHERE id = 1;

-- ## WITH: an UPDATE, or else an INSERT (upsert by hand)
WITH x AS (UPDATE a SET v = 1 WHERE k = 5 RETURNING k) INSERT INTO a (k, v) SELECT 5, 1 WHERE NOT EXISTS (SELECT FROM x);

-- ## WITH in a subquery
SELECT k FROM a WHERE k IN (WITH x AS (SELECT a FROM b) SELECT a FROM x);

-- ## a subquery in SET
UPDATE a SET v = (SELECT sum(n) FROM b WHERE b.a = a.k) WHERE k = 1;

-- ## a subquery of several columns in SET
UPDATE a SET (v, s) = (SELECT n, 'z' FROM b WHERE k = 1) WHERE k = 1;

-- ## a subquery in VALUES
INSERT INTO b VALUES (8, (SELECT max(k) FROM a), 0);

-- ## a subquery in WHERE of an UPDATE
UPDATE a SET v = 0 WHERE k = (SELECT a FROM b WHERE k = 1);

-- ## a subquery in RETURNING
UPDATE a SET v = 0 WHERE k = 1 RETURNING (SELECT max(n) FROM b);

-- ## a subquery in LIMIT
SELECT k FROM a ORDER BY k LIMIT (SELECT count(*) FROM b);
