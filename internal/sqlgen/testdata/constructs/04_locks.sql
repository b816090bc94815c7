-- Locks
CREATE TABLE a (k int PRIMARY KEY, v int, s text);
CREATE TABLE b (k int PRIMARY KEY, a int REFERENCES a, n int);
INSERT INTO a VALUES (1, 10, 'x'), (2, 20, 'y');
INSERT INTO b VALUES (1, 1, 5), (2, 1, 7);

-- ## FOR UPDATE
SELECT v FROM a WHERE k = 1 FOR UPDATE;

-- ## FOR NO KEY UPDATE
SELECT v FROM a WHERE k = 1 FOR NO KEY UPDATE;

-- ## FOR SHARE
SELECT v FROM a WHERE k = 1 FOR SHARE;

-- ## FOR KEY SHARE
SELECT v FROM a WHERE k = 1 FOR KEY SHARE;

-- ## FOR UPDATE OF one table of a join
SELECT a.v, b.n FROM a JOIN b ON b.a = a.k FOR UPDATE OF a;

-- ## FOR UPDATE of a join
SELECT a.v, b.n FROM a JOIN b ON b.a = a.k FOR UPDATE;

-- ## FOR UPDATE of an outer join
SELECT a.v, b.n FROM a LEFT JOIN b ON b.a = a.k FOR UPDATE OF a;

-- ## FOR UPDATE NOWAIT
SELECT v FROM a WHERE k = 1 FOR UPDATE NOWAIT;

-- ## FOR UPDATE SKIP LOCKED LIMIT 1
SELECT k FROM a ORDER BY k LIMIT 1 FOR UPDATE SKIP LOCKED;

-- ## FOR UPDATE with ORDER BY and LIMIT
SELECT k FROM a WHERE v > 5 ORDER BY k LIMIT 1 FOR UPDATE;

-- ## FOR UPDATE in a subquery of FROM
SELECT sum(v) FROM (SELECT v FROM a WHERE s = 'x' FOR UPDATE) x;

-- ## FOR UPDATE in IN (SELECT …)
UPDATE a SET v = 0 WHERE k IN (SELECT k FROM a WHERE v > 5 FOR UPDATE);

-- ## FOR UPDATE SKIP LOCKED in = (SELECT …)
UPDATE a SET v = 0 WHERE k = (SELECT k FROM a WHERE v > 5 ORDER BY k LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING k;

-- ## FOR UPDATE of a view
CREATE VIEW w AS SELECT k, v FROM a WHERE v > 5;
---
SELECT v FROM w WHERE k = 1 FOR UPDATE;

-- ## FOR UPDATE beside GROUP BY
SELECT s, count(*) FROM a GROUP BY s FOR UPDATE;

-- ## LOCK TABLE
LOCK TABLE a;

-- ## LOCK TABLE … IN SHARE ROW EXCLUSIVE MODE
LOCK TABLE a IN SHARE ROW EXCLUSIVE MODE;

-- ## pg_advisory_xact_lock
SELECT pg_advisory_xact_lock(1);

-- ## pg_try_advisory_xact_lock
SELECT pg_try_advisory_xact_lock(1);

-- ## pg_advisory_lock of the session
SELECT pg_advisory_lock(1);
SELECT pg_advisory_unlock(1);
