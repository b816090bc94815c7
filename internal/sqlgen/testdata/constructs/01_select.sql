-- SELECT
CREATE TABLE a (k int PRIMARY KEY, v int, s text);
CREATE TABLE b (k int PRIMARY KEY, a int, n int);
INSERT INTO a VALUES (1, 10, 'x'), (2, 20, 'y'), (3, NULL, 'x');
INSERT INTO b VALUES (1, 1, 5), (2, 1, 7), (3, 9, NULL);

-- ## a row by its key
SELECT v FROM a WHERE k = 1;

-- ## all columns (*)
SELECT * FROM a;

-- ## the columns of one table (a.*)
SELECT a.* FROM a, b WHERE a.k = b.a;

-- ## a whole row as a value
SELECT (a).v FROM a WHERE k = 1;

-- ## without FROM
SELECT 1, 'x';

-- ## ORDER BY of a column
SELECT k FROM a ORDER BY v DESC;

-- ## ORDER BY … NULLS FIRST
SELECT k FROM a ORDER BY v NULLS FIRST, k;

-- ## ORDER BY of an expression
SELECT k FROM a ORDER BY v + k, k;

-- ## LIMIT of rows in a total order
SELECT k FROM a ORDER BY k LIMIT 1;

-- ## LIMIT without an order
SELECT k FROM a LIMIT 1;

-- ## LIMIT and OFFSET
SELECT k FROM a ORDER BY k LIMIT 1 OFFSET 1;

-- ## FETCH FIRST n ROWS ONLY
SELECT k FROM a ORDER BY k FETCH FIRST 2 ROWS ONLY;

-- ## FETCH FIRST … WITH TIES
SELECT k FROM a ORDER BY s FETCH FIRST 1 ROWS WITH TIES;

-- ## LIMIT of a computed number
SELECT k FROM a ORDER BY k LIMIT (SELECT n FROM b WHERE k = 1) - 4;

-- ## DISTINCT
SELECT DISTINCT s FROM a;

-- ## DISTINCT ON
SELECT DISTINCT ON (s) s, k FROM a ORDER BY s, k DESC;

-- ## count(*)
SELECT count(*) FROM a;

-- ## count of a column, and count(DISTINCT …)
SELECT count(v), count(DISTINCT s) FROM a;

-- ## sum and avg
SELECT sum(v), avg(v) FROM a;

-- ## min and max
SELECT min(v), max(v) FROM a;

-- ## bool_and, bool_or, every
SELECT bool_and(v > 5), bool_or(v > 15) FROM a;

-- ## string_agg in an order
SELECT string_agg(s, ',' ORDER BY k) FROM a;

-- ## string_agg without an order
SELECT string_agg(s, ',') FROM a WHERE k < 3;

-- ## array_agg in an order
SELECT array_agg(k ORDER BY k) FROM a;

-- ## json_agg in an order
SELECT json_agg(v ORDER BY k) FROM a WHERE v IS NOT NULL;

-- ## jsonb_object_agg
SELECT jsonb_object_agg(k, v) FROM a;

-- ## an aggregate with FILTER
SELECT count(*) FILTER (WHERE v > 10) FROM a;

-- ## an ordered-set aggregate (percentile_cont)
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY v) FROM a;

-- ## stddev
SELECT stddev(v) FROM a;

-- ## GROUP BY of a column
SELECT s, count(*), sum(v) FROM a GROUP BY s;

-- ## GROUP BY of an expression
SELECT v / 10, count(*) FROM a GROUP BY v / 10;

-- ## GROUP BY of a key, with columns that depend on it
SELECT a.k, a.v, count(b.k) FROM a LEFT JOIN b ON b.a = a.k GROUP BY a.k;

-- ## HAVING
SELECT s FROM a GROUP BY s HAVING count(*) > 1;

-- ## GROUPING SETS
SELECT s, count(*) FROM a GROUP BY GROUPING SETS ((s), ());

-- ## ROLLUP
SELECT s, v, count(*) FROM a GROUP BY ROLLUP (s, v);

-- ## CUBE
SELECT s, v, count(*) FROM a GROUP BY CUBE (s, v);

-- ## row_number() OVER (ORDER BY …)
SELECT k, row_number() OVER (ORDER BY k) FROM a;

-- ## rank() with PARTITION BY
SELECT k, rank() OVER (PARTITION BY s ORDER BY k) FROM a;

-- ## sum() OVER (PARTITION BY …)
SELECT k, sum(v) OVER (PARTITION BY s) FROM a;

-- ## a running sum
SELECT k, sum(v) OVER (ORDER BY k) FROM a;

-- ## lag and lead
SELECT k, lag(v) OVER (ORDER BY k), lead(v) OVER (ORDER BY k) FROM a;

-- ## count(*) OVER ()
SELECT k, count(*) OVER () FROM a;

-- ## a window with a frame
SELECT k, sum(v) OVER (ORDER BY k ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM a;

-- ## row_number() OVER (ORDER BY …) of rows that may be equal in it
SELECT v, row_number() OVER (ORDER BY v) FROM a;

-- ## rank() of rows with NULL, in both directions
SELECT k, rank() OVER (ORDER BY v), rank() OVER (ORDER BY v DESC), rank() OVER (ORDER BY v NULLS FIRST), rank() OVER (ORDER BY v DESC NULLS LAST, k) FROM a;

-- ## dense_rank()
SELECT k, dense_rank() OVER (ORDER BY s) FROM a;

-- ## a running count, max and sum of a partition, with peers
SELECT k, count(v) OVER (PARTITION BY s ORDER BY v), max(v) OVER (ORDER BY s), sum(v) FILTER (WHERE k > 1) OVER (PARTITION BY s ORDER BY k DESC) FROM a WHERE k > 0;

-- ## the first row of each partition
SELECT x.k, x.v FROM (SELECT k, v, row_number() OVER (PARTITION BY s ORDER BY v DESC NULLS LAST, k) AS n FROM a) x WHERE x.n = 1;

-- ## WINDOW w AS
SELECT k, max(v) OVER w FROM a WINDOW w AS (PARTITION BY s);

-- ## WINDOW w AS, and a window that extends it
SELECT k, max(v) OVER (w ORDER BY k) FROM a WINDOW w AS (PARTITION BY s);

-- ## comma join
SELECT a.k, b.k FROM a, b WHERE a.k = b.a;

-- ## JOIN … ON
SELECT a.k, b.k FROM a JOIN b ON a.k = b.a;

-- ## JOIN … USING
SELECT k, v, n FROM a JOIN b USING (k);

-- ## NATURAL JOIN
SELECT * FROM a NATURAL JOIN b;

-- ## CROSS JOIN
SELECT a.k, b.k FROM a CROSS JOIN b;

-- ## LEFT JOIN
SELECT a.k, b.n FROM a LEFT JOIN b ON a.k = b.a;

-- ## RIGHT JOIN
SELECT a.v, b.n FROM a RIGHT JOIN b ON a.k = b.a;

-- ## FULL JOIN
SELECT a.k, b.k FROM a FULL JOIN b ON a.k = b.a;

-- ## self join
SELECT x.k, y.k FROM a x JOIN a y ON x.s = y.s AND x.k < y.k;

-- ## LATERAL
SELECT a.k, l.n FROM a, LATERAL (SELECT n FROM b WHERE b.a = a.k ORDER BY n LIMIT 1) l;

-- ## LEFT JOIN LATERAL
SELECT a.k, l.c FROM a LEFT JOIN LATERAL (SELECT count(*) AS c FROM b WHERE b.a = a.k) l ON true;

-- ## generate_series in FROM
SELECT g FROM generate_series(1, 3) g;

-- ## unnest in FROM
SELECT u FROM unnest(ARRAY[1, 2]) u;

-- ## WITH ORDINALITY
SELECT u, o FROM unnest(ARRAY['a', 'b']) WITH ORDINALITY AS t(u, o);

-- ## jsonb_array_elements in FROM
SELECT e FROM jsonb_array_elements_text('["a", "b"]') e;

-- ## jsonb_to_recordset
SELECT x.id FROM jsonb_to_recordset('[{"id": 1}, {"id": 2}]') AS x(id int);

-- ## a set-returning function in the select list
SELECT generate_series(1, 3);

-- ## ROWS FROM
SELECT * FROM ROWS FROM (generate_series(1, 2), generate_series(5, 6)) AS t(x, y);

-- ## VALUES as a statement
VALUES (1, 'a'), (2, 'b');

-- ## VALUES in FROM
SELECT x + 1 FROM (VALUES (1), (2)) t(x);

-- ## TABLE a
TABLE a;

-- ## TABLESAMPLE
SELECT count(*) FROM a TABLESAMPLE BERNOULLI (100);

-- ## UNION
SELECT k FROM a UNION SELECT k FROM b;

-- ## UNION ALL
SELECT k FROM a UNION ALL SELECT k FROM b;

-- ## INTERSECT
SELECT v FROM a INTERSECT SELECT n * 2 FROM b;

-- ## EXCEPT
SELECT k FROM a EXCEPT SELECT a FROM b;

-- ## EXCEPT ALL
SELECT s FROM a EXCEPT ALL SELECT 'x';

-- ## a set operation with ORDER BY and LIMIT
SELECT k FROM a UNION SELECT n FROM b ORDER BY 1 LIMIT 3;

-- ## SELECT INTO a table
SELECT k INTO TEMP c FROM a;
