-- Outer joins, grouping, set operations, WITH, windows, views.

SELECT a.k, b.j FROM a LEFT JOIN b ON b.k = a.k;
-- reads a (k) rows {1 2 3 4}
-- reads b (k, j) rows {1,1 1,2 2,1}

SELECT a.k, b.j FROM a LEFT JOIN b ON b.k = a.k WHERE a.k = 1;
-- reads a (k) rows {1}
-- reads b (k, j) rows {1,1 1,2}

SELECT a.k, b.j FROM a LEFT JOIN b ON b.k = a.k AND b.v > 5 WHERE a.y = 7;
-- reads a (k, y) rows {2 3}
-- reads b (k, j, v) rows {1,2}

SELECT a.k FROM a LEFT JOIN b ON b.k = a.k WHERE b.k IS NULL;
-- reads a (k) rows {1 2 3 4}
-- reads b (k) rows {1,1 1,2 2,1}

SELECT b.j, a.k FROM b RIGHT JOIN a ON a.k = b.k WHERE a.y > 1;
-- reads b (k, j) rows {1,1 1,2 2,1}
-- reads a (k, y) rows {2 3 4}

SELECT a.k, q.id FROM a FULL JOIN q ON q.owner = a.k;
-- reads a (k) rows {1 2 3 4}
-- reads q (id, owner) rows {1 2 3}

SELECT k, x, j FROM a LEFT JOIN b USING (k) ORDER BY k, j;
-- reads a (k, x) rows {1 2 3 4}
-- reads b (k, j) rows {1,1 1,2 2,1}

SELECT k, j FROM b RIGHT JOIN a USING (k);
-- reads b (k, j) rows {1,1 1,2 2,1}
-- reads a (k) rows {1 2 3 4}

SELECT a.k, b.j, q.id FROM a LEFT JOIN b ON b.k = a.k LEFT JOIN q ON q.owner = b.k WHERE a.k < 3;
-- reads a (k) rows {1 2}
-- reads a (k) rows {1}
-- reads a (k) rows {2}
-- reads b (k, j) rows {1,1 1,2 2,1}
-- reads q (id, owner) rows {1 2 3}

SELECT a.k, z.j FROM a LEFT JOIN (b JOIN q ON q.id = b.j) AS z (k, j) ON z.k = a.k;
-- not modelled, touches a, b, q: an alias of a join

SELECT a.k, b.j FROM a LEFT JOIN b ON false;
-- reads a (k) rows {1 2 3 4}
-- reads b (j) rows {}

SELECT x, count(*) FROM a GROUP BY x;
-- reads a (x) rows {1 2 3 4}

SELECT y, sum(x), min(k), max(k) FROM a GROUP BY y ORDER BY y;
-- reads a (k, x, y) rows {1 2 3 4}

SELECT x, count(*) FROM a WHERE k < 4 GROUP BY x HAVING count(*) > 1;
-- reads a (k, x) rows {1 2 3}

SELECT x + y, count(*) FROM a GROUP BY x + y;
-- reads a (x, y) rows {1 2 3 4}

SELECT x AS g, count(*) AS n FROM a GROUP BY g ORDER BY n DESC, g;
-- reads a (x) rows {1 2 3 4}

SELECT x, count(*) FROM a GROUP BY 1 ORDER BY 1 NULLS FIRST LIMIT 1;
-- reads a (x) rows {1 2 3 4}

SELECT a.k, a.s, count(b.j) FROM a LEFT JOIN b ON b.k = a.k GROUP BY a.k ORDER BY a.k;
-- reads a (k, s) rows {1 2 3 4}
-- reads b (k, j) rows {1,1 1,2 2,1}

SELECT count(*) FROM a HAVING count(*) > 9;
-- reads a () rows {1 2 3 4}

SELECT k FROM b GROUP BY k HAVING sum(v) > 10;
-- reads b (k, v) rows {1,1 1,2 2,1}

SELECT y, count(DISTINCT x), count(*) FILTER (WHERE s IS NULL) FROM a GROUP BY y;
-- reads a (x, y, s) rows {1 2 3 4}

SELECT max(n) FROM (SELECT count(*) AS n FROM a GROUP BY x) z;
-- reads a (x) rows {1 2 3 4}

SELECT DISTINCT x FROM a;
-- reads a (x) rows {1 2 3 4}

SELECT DISTINCT y, x IS NULL FROM a ORDER BY y DESC;
-- reads a (x, y) rows {1 2 3 4}

SELECT DISTINCT ON (y) y, k FROM a ORDER BY y, k DESC;
-- reads a (k, y) rows {1 2 3 4}

SELECT count(*) FROM (SELECT DISTINCT x FROM a) z;
-- reads a (x) rows {1 2 3 4}

SELECT k FROM a UNION SELECT j FROM b;
-- reads a (k) rows {1 2 3 4}
-- reads b (j) rows {1,1 1,2 2,1}

SELECT k FROM a UNION ALL SELECT k FROM b ORDER BY 1;
-- reads a (k) rows {1 2 3 4}
-- reads b (k) rows {1,1 1,2 2,1}

SELECT x FROM a INTERSECT SELECT v * 2 FROM b;
-- reads a (x) rows {1 2 3 4}
-- reads b (v) rows {1,1 1,2 2,1}

SELECT k FROM a EXCEPT SELECT k FROM b;
-- reads a (k) rows {1 2 3 4}
-- reads b (k) rows {1,1 1,2 2,1}

SELECT k FROM a EXCEPT ALL SELECT k FROM b ORDER BY k LIMIT 2;
-- reads a (k) rows {1 2 3 4}
-- reads b (k) rows {1,1 1,2 2,1}

(SELECT k FROM a ORDER BY k LIMIT 1) UNION ALL (SELECT j FROM b ORDER BY j DESC LIMIT 1);
-- reads a (k) rows {1 2 3 4}
-- reads b (j) rows {1,1 1,2 2,1}

SELECT 'a', k FROM a WHERE x = 10 UNION ALL SELECT NULL, 0;
-- reads a (k, x) rows {1 4}

SELECT k FROM a WHERE k IN (SELECT k FROM b UNION SELECT owner FROM q);
-- reads b (k) rows {1,1 1,2 2,1}
-- reads q (owner) rows {1 2 3}
-- reads a (k) rows {1 2}

SELECT k FROM a WHERE k NOT IN (SELECT k FROM b EXCEPT SELECT 2);
-- reads b (k) rows {1,1 1,2 2,1}
-- reads a (k) rows {2 3 4}

SELECT EXISTS (SELECT k FROM b GROUP BY k HAVING count(*) > 1);
-- reads b (k) rows {1,1 1,2 2,1}

SELECT k FROM a WHERE x > (SELECT avg_like FROM (SELECT sum(v) AS avg_like FROM b) z);
-- reads b (v) rows {1,1 1,2 2,1}
-- reads a (k, x) rows {2}

WITH w AS (SELECT k, x FROM a WHERE y = 7) SELECT k FROM w WHERE x = 20;
-- reads a (k, x, y) rows {2}

WITH w AS (SELECT k FROM a), z AS (SELECT k FROM w WHERE k > 2) SELECT count(*) FROM z;
-- reads a (k) rows {3 4}

WITH w (n) AS (SELECT count(*) FROM b) SELECT a.k, n FROM a, w WHERE a.k = 1;
-- reads a (k) rows {1}
-- reads b () rows {1,1 1,2 2,1}

WITH w AS (SELECT k FROM a WHERE x = 10) SELECT l.k, r.k FROM w l, w r WHERE l.k < r.k;
-- reads a (k, x) rows {1}
-- reads a (k, x) rows {4}

WITH w AS MATERIALIZED (SELECT k FROM a WHERE k = 1) SELECT j FROM b WHERE k IN (SELECT k FROM w);
-- reads a (k) rows {1}
-- reads a (k) rows {}
-- reads b (k, j) rows {1,1 1,2}

SELECT k FROM (SELECT k, y FROM a WHERE x = 10) z WHERE z.y = 9;
-- reads a (k, x, y) rows {4}

SELECT z.k FROM (SELECT k, x + y AS t FROM a) z WHERE z.t > 15;
-- reads a (k, x, y) rows {2 4}

SELECT z.total FROM (SELECT k, sum(v) AS total FROM b GROUP BY k) z WHERE z.k = 1;
-- reads b (k, v) rows {1,1 1,2}

SELECT a.k, z.j FROM a, LATERAL (SELECT j FROM b WHERE b.k = a.k ORDER BY j DESC LIMIT 1) z;
-- reads a (k) rows {1 2 3 4}
-- reads b (k, j) rows {1,1 1,2 2,1}

SELECT a.k, z.n FROM a LEFT JOIN LATERAL (SELECT count(*) AS n FROM b WHERE b.k = a.k) z ON true WHERE a.k = 1;
-- reads a (k) rows {1}
-- reads b (k) rows {1,1 1,2 2,1}

SELECT a.k, v.name FROM a JOIN (VALUES (1, 'eins'), (3, 'drei')) AS v (k, name) ON v.k = a.k;
-- reads a (k) rows {1 2 3 4}

SELECT i, a.k FROM generate_series(1, 5) AS i LEFT JOIN a ON a.k = i;
-- reads a (k) rows {1 2 3 4}

SELECT e FROM unnest(ARRAY[3, 1, 3]) AS e;
-- touches nothing

SELECT e, count(*) FROM unnest(ARRAY[3, 1, 3]) AS e GROUP BY e;
-- touches nothing

SELECT a.k FROM a JOIN unnest(ARRAY[1, 2]) WITH ORDINALITY AS z (e, o) ON a.k = z.e ORDER BY z.o DESC;
-- reads a (k) rows {1 2 3 4}

SELECT k, y FROM high;
-- reads a (k, y) rows {2 3 4}

SELECT k FROM high WHERE k = 2;
-- reads a (k, y) rows {2}

SELECT total FROM sums WHERE k = 1;
-- reads b (k, v) rows {1,1 1,2}

SELECT high.k, sums.total FROM high LEFT JOIN sums ON sums.k = high.k;
-- reads a (k, x, y) rows {2 3 4}
-- reads b (k, v) rows {1,1 1,2 2,1}

SELECT count(*) FROM high WHERE x IS NULL;
-- reads a (x, y) rows {3}

SELECT k FROM a WHERE k IN (SELECT k FROM high) AND x = 10;
-- reads a (k, y) rows {}
-- reads a (k, y) rows {4}
-- reads a (k, x) rows {4}

SELECT k, (SELECT total FROM sums WHERE sums.k = a.k LIMIT 1) FROM a;
-- reads b (k, v) rows {1,1 1,2 2,1}
-- reads a (k) rows {1 2 3 4}

SELECT a.k, (SELECT string_agg('x', '') FROM b WHERE b.k = a.k) IS NULL FROM a;
-- reads b (k) rows {1,1 1,2 2,1}
-- reads a (k) rows {1 2 3 4}

SELECT k FROM a WHERE (SELECT count(*) FROM b WHERE b.k = a.k) > 1;
-- reads b (k) rows {1,1 1,2 2,1}
-- reads a (k) rows {1}

SELECT k FROM a WHERE x = (SELECT v * 2 FROM b WHERE b.k = a.k AND b.j = 1);
-- reads b (k, j, v) rows {1,1 2,1}
-- reads a (k, x) rows {1}

SELECT y, count(*) FROM a GROUP BY y HAVING count(*) = (SELECT count(*) FROM b WHERE k = 1);
-- reads a (y) rows {1 2 3 4}
-- reads b (k) rows {1,1 1,2}

SELECT CASE WHEN x > 5 THEN 'hi' ELSE 'lo' END AS c, count(*) FROM a GROUP BY CASE WHEN x > 5 THEN 'hi' ELSE 'lo' END;
-- reads a (x) rows {1 2 3 4}

SELECT k FROM a WHERE k = ANY (SELECT owner FROM q WHERE state = 'open' GROUP BY owner);
-- reads q (state, owner) rows {1 3}
-- reads a (k) rows {1}

SELECT a.k FROM a WHERE a.y >= ALL (SELECT b.v FROM b WHERE b.k = a.k AND b.v IS NOT NULL);
-- reads b (k, v) rows {1,1 1,2}
-- reads b (k, v) rows {}
-- reads a (k, y) rows {2 3 4}

SELECT id FROM span WHERE int4range(lo, hi) && int4range(4, 7);
-- reads span (id, lo, hi) rows {1 2}

SELECT id FROM span WHERE int4range(lo, hi, '[]') && int4range(9, 9, '[]');
-- reads span (id, lo, hi) rows {2}

SELECT id FROM span WHERE int4range(lo, hi) && int4range(3, 3);
-- reads span (id, lo, hi) rows {}

SELECT id FROM span WHERE int4range(lo, hi) && int4range(NULL, 1);
-- reads span (id, lo, hi) rows {1}

SELECT id FROM span WHERE daterange('2024-05-05', NULL) && daterange('2024-05-04', '2024-05-05', '[]');
-- reads span (id) rows {1 2}
