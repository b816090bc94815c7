-- INSERT, UPDATE, DELETE, MERGE
CREATE TABLE a (k int PRIMARY KEY, v int DEFAULT 3, s text, u int UNIQUE);
CREATE TABLE b (k int PRIMARY KEY, a int, n int);
CREATE TABLE h (id serial PRIMARY KEY, note text);
INSERT INTO a VALUES (1, 10, 'x', 100), (2, 20, 'y', 200), (3, NULL, 'x', NULL);
INSERT INTO b VALUES (1, 1, 5), (2, 1, 7), (3, 9, NULL), (4, 2, 1);

-- ## INSERT … VALUES
INSERT INTO a VALUES (5, 1, 'z');

-- ## INSERT of several rows
INSERT INTO a (k, s) VALUES (5, 'p'), (6, 'q');

-- ## INSERT with DEFAULT
INSERT INTO a (k, v) VALUES (5, DEFAULT);

-- ## INSERT DEFAULT VALUES
INSERT INTO h DEFAULT VALUES;

-- ## INSERT … SELECT
INSERT INTO a (k, v) SELECT k + 10, n FROM b;

-- ## INSERT … SELECT of an aggregate
INSERT INTO a (k, v) SELECT 10, count(*) FROM b;

-- ## INSERT … SELECT of an aggregate, RETURNING
INSERT INTO a (k, v) SELECT 10, max(n) FROM b RETURNING v;

-- ## INSERT … SELECT max(k) + 1
INSERT INTO a (k, v) SELECT max(k) + 1, 0 FROM a RETURNING k;

-- ## INSERT … SELECT … WHERE NOT EXISTS
INSERT INTO a (k) SELECT 9 WHERE NOT EXISTS (SELECT FROM a WHERE k = 9);

-- ## INSERT … SELECT … GROUP BY
INSERT INTO a (k, v) SELECT a + 20, sum(n) FROM b GROUP BY a;

-- ## INSERT … SELECT … GROUP BY, RETURNING
INSERT INTO a (k, v) SELECT a + 20, sum(n) FROM b GROUP BY a RETURNING k, v;

-- ## INSERT … SELECT … RETURNING
INSERT INTO a (k, v) SELECT k + 10, n FROM b RETURNING k;

-- ## INSERT … SELECT of a join
INSERT INTO h (id, note) SELECT b.k + 50, a.s FROM a JOIN b ON b.a = a.k;

-- ## INSERT … SELECT of UNION
INSERT INTO a (k) SELECT k + 30 FROM b UNION SELECT 40;

-- ## INSERT … SELECT unnest(…)
INSERT INTO a (k) SELECT unnest(ARRAY[7, 8]);

-- ## INSERT … SELECT FROM generate_series
INSERT INTO a (k) SELECT g FROM generate_series(11, 13) g;

-- ## INSERT … RETURNING
INSERT INTO h (note) VALUES ('x') RETURNING note;

-- ## INSERT … RETURNING of a serial key
INSERT INTO h (note) VALUES ('x') RETURNING id;

-- ## INSERT of several rows, RETURNING
INSERT INTO a (k, s) VALUES (5, 'p'), (6, 'q') RETURNING k, v;

-- ## ON CONFLICT (key) DO NOTHING
INSERT INTO a (k, v) VALUES (1, 5) ON CONFLICT (k) DO NOTHING;

-- ## ON CONFLICT DO NOTHING
INSERT INTO a (k, v, u) VALUES (7, 5, 100) ON CONFLICT DO NOTHING;

-- ## ON CONFLICT DO NOTHING RETURNING
INSERT INTO a (k, v) VALUES (1, 5) ON CONFLICT (k) DO NOTHING RETURNING k;

-- ## ON CONFLICT DO UPDATE
INSERT INTO a (k, v) VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET v = a.v + excluded.v;

-- ## ON CONFLICT DO UPDATE RETURNING
INSERT INTO a (k, v) VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET v = excluded.v RETURNING v;

-- ## ON CONFLICT DO UPDATE … WHERE
INSERT INTO a (k, v) VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET v = excluded.v WHERE a.v < excluded.v;

-- ## ON CONFLICT on another key
INSERT INTO a (k, u) VALUES (9, 100) ON CONFLICT (u) DO UPDATE SET s = 'seen';

-- ## ON CONFLICT ON CONSTRAINT
INSERT INTO a (k, v) VALUES (1, 5) ON CONFLICT ON CONSTRAINT a_pkey DO UPDATE SET v = 0;

-- ## ON CONFLICT with the condition of a partial index
CREATE UNIQUE INDEX i ON b (a) WHERE n = 1;
---
INSERT INTO b VALUES (9, 2, 1) ON CONFLICT (a) WHERE n = 1 DO NOTHING;

-- ## ON CONFLICT on an expression
CREATE UNIQUE INDEX i ON a (lower(s)) WHERE k > 1;
---
INSERT INTO a (k, s) VALUES (9, 'Y') ON CONFLICT (lower(s)) WHERE k > 1 DO NOTHING;

-- ## ON CONFLICT DO UPDATE of several rows
INSERT INTO a (k, v) VALUES (1, 5), (8, 6) ON CONFLICT (k) DO UPDATE SET v = excluded.v;

-- ## ON CONFLICT DO UPDATE of a query
INSERT INTO a (k, v) SELECT a, sum(n) FROM b WHERE n > 0 GROUP BY a ON CONFLICT (k) DO UPDATE SET v = excluded.v;

-- ## ON CONFLICT DO UPDATE with a subquery
INSERT INTO a (k, v) VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET v = (SELECT max(n) FROM b);

-- ## ON CONFLICT (k) DO UPDATE SET k = excluded.k, so that RETURNING gives the row
INSERT INTO a (k, v) VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET k = excluded.k RETURNING v;

-- ## ON CONFLICT DO UPDATE of the key itself
INSERT INTO a (k, v) VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET k = 50;

-- ## whether ON CONFLICT inserted (xmax = 0)
INSERT INTO a (k, v) VALUES (1, 5) ON CONFLICT (k) DO UPDATE SET v = 0 RETURNING (xmax = 0);

-- ## UPDATE by a key
UPDATE a SET v = v + 1 WHERE k = 1;

-- ## UPDATE of several rows
UPDATE a SET v = 0 WHERE s = 'x';

-- ## UPDATE of all rows
UPDATE a SET v = v * 2;

-- ## UPDATE of several columns (a, b) = (…)
UPDATE a SET (v, s) = (1, 'w') WHERE k = 1;

-- ## UPDATE … SET x = DEFAULT
UPDATE a SET v = DEFAULT WHERE k = 1;

-- ## UPDATE … FROM
UPDATE a SET v = b.n FROM b WHERE b.a = a.k AND b.k = 1;

-- ## UPDATE … FROM several rows for one
UPDATE a SET v = b.n FROM b WHERE b.a = a.k;

-- ## UPDATE … FROM a subquery with GROUP BY
UPDATE a SET v = x.c FROM (SELECT a, count(*) AS c FROM b GROUP BY a) x WHERE x.a = a.k;

-- ## UPDATE … FROM a subquery with a window
UPDATE a SET v = x.n FROM (SELECT k, row_number() OVER (ORDER BY v DESC, k) AS n FROM a) x WHERE x.k = a.k;

-- ## UPDATE … FROM a subquery with a window, of the rows with some numbers
UPDATE a SET v = 0 FROM (SELECT k, row_number() OVER (PARTITION BY s ORDER BY v, k) AS n, count(*) OVER (PARTITION BY s) AS c FROM a WHERE v > 0) x WHERE x.k = a.k AND x.n = 1 AND x.c >= 1;

-- ## UPDATE … FROM SELECT DISTINCT
UPDATE a SET v = 0 FROM (SELECT DISTINCT a AS p FROM b) x WHERE x.p = a.k;

-- ## UPDATE … FROM an outer join
UPDATE a SET v = coalesce(b.n, 0) FROM a a2 LEFT JOIN b ON b.k = a2.k WHERE a2.k = a.k;

-- ## UPDATE … FROM a subquery that joins tables by their keys
UPDATE a SET v = x.n FROM (SELECT b.n, b.k, max(b.n) OVER () AS m FROM b JOIN a a2 ON a2.k = b.a) x WHERE x.k = a.k;

-- ## UPDATE … FROM a subquery with rows that may repeat
UPDATE a SET v = x.n FROM (SELECT b.a, b.n, count(*) OVER () AS c FROM b) x WHERE x.a = a.k;

-- ## UPDATE … FROM VALUES
UPDATE a SET v = x.v FROM (VALUES (1, 5), (2, 6)) x(k, v) WHERE x.k = a.k;

-- ## UPDATE … FROM unnest
UPDATE a SET v = x.v FROM unnest(ARRAY[1, 2], ARRAY[5, 6]) x(k, v) WHERE x.k = a.k;

-- ## UPDATE … RETURNING
UPDATE a SET v = v + 1 WHERE k = 1 RETURNING v;

-- ## UPDATE … FROM … RETURNING
UPDATE a SET v = b.n FROM b WHERE b.a = a.k AND b.k = 1 RETURNING a.k, b.n;

-- ## UPDATE of a key column of one row
UPDATE a SET k = 50 WHERE k = 1;

-- ## UPDATE of a key column of several rows
UPDATE a SET k = k + 10 WHERE s = 'x';

-- ## UPDATE of a unique column
UPDATE a SET u = 300 WHERE k = 1;

-- ## UPDATE of a unique column of several rows
UPDATE a SET u = u + 1;

-- ## DELETE by a key
DELETE FROM a WHERE k = 1;

-- ## DELETE of several rows
DELETE FROM b WHERE a = 1;

-- ## DELETE … USING
DELETE FROM b USING a WHERE b.a = a.k AND a.s = 'x';

-- ## DELETE … RETURNING
DELETE FROM b WHERE a = 1 RETURNING k, n;

-- ## DELETE … WHERE NOT EXISTS
DELETE FROM b WHERE NOT EXISTS (SELECT FROM a WHERE a.k = b.a);

-- ## DELETE of the oldest rows (IN … LIMIT)
DELETE FROM b WHERE k IN (SELECT k FROM b ORDER BY k LIMIT 2);

-- ## DELETE by ctid
DELETE FROM b WHERE ctid IN (SELECT ctid FROM b WHERE a = 1);

-- ## MERGE with a row of values
MERGE INTO a USING (VALUES (1, 5)) x(k, v) ON a.k = x.k WHEN MATCHED THEN UPDATE SET v = x.v WHEN NOT MATCHED THEN INSERT (k, v) VALUES (x.k, x.v);

-- ## MERGE with several rows of values
MERGE INTO a USING (VALUES (1, 5), (9, 6)) x(k, v) ON a.k = x.k WHEN MATCHED THEN UPDATE SET v = x.v WHEN NOT MATCHED THEN INSERT (k, v) VALUES (x.k, x.v);

-- ## MERGE with a table
MERGE INTO a USING b ON a.k = b.k WHEN MATCHED THEN UPDATE SET v = b.n WHEN NOT MATCHED THEN INSERT (k, v) VALUES (b.k, b.n);

-- ## MERGE with a subquery
MERGE INTO a USING (SELECT k, n FROM b WHERE n > 1) x ON a.k = x.k WHEN MATCHED THEN UPDATE SET v = x.n WHEN NOT MATCHED THEN INSERT (k, v) VALUES (x.k, x.n);

-- ## MERGE with a grouped subquery
MERGE INTO a USING (SELECT a, sum(n) AS n FROM b GROUP BY a) x ON a.k = x.a WHEN MATCHED THEN UPDATE SET v = x.n WHEN NOT MATCHED THEN INSERT (k, v) VALUES (x.a, x.n);

-- ## MERGE with unnest
MERGE INTO a USING unnest(ARRAY[1, 9]) x(k) ON a.k = x.k WHEN MATCHED THEN UPDATE SET v = 0 WHEN NOT MATCHED THEN INSERT (k) VALUES (x.k);

-- ## MERGE … WHEN MATCHED THEN DELETE
MERGE INTO a USING b ON a.k = b.k WHEN MATCHED THEN DELETE;

-- ## MERGE … WHEN MATCHED AND …
MERGE INTO a USING (SELECT 1 AS k) x ON a.k = x.k WHEN MATCHED AND a.v > 5 THEN DELETE WHEN MATCHED THEN DO NOTHING WHEN NOT MATCHED THEN INSERT (k) VALUES (x.k);

-- ## MERGE that only inserts
MERGE INTO a USING b ON a.k = b.k WHEN NOT MATCHED THEN INSERT (k) VALUES (b.k);

-- ## MERGE that deletes and inserts
MERGE INTO a USING b ON a.k = b.k WHEN MATCHED THEN DELETE WHEN NOT MATCHED THEN INSERT (k) VALUES (b.k);

-- ## TRUNCATE
TRUNCATE b;

-- ## COPY … FROM
COPY b FROM '/dev/null';

-- ## a table without a key
CREATE TABLE l (x int);
---
INSERT INTO l VALUES (1), (1);
DELETE FROM l WHERE x = 1;
SELECT count(*) FROM l;
