-- Reading.

SELECT x FROM a WHERE k = 1;
-- reads a (k, x) rows {1}

SELECT * FROM a WHERE k = 9;
-- reads a (k, x, y, s) rows {}

SELECT k FROM a;
-- reads a (k) rows {1 2 3 4}

SELECT x, y FROM a WHERE k = 2 AND y > 5;
-- reads a (k, x, y) rows {2}

SELECT k FROM a WHERE x = 10 ORDER BY k;
-- reads a (k, x) rows {1 4}

SELECT k FROM a WHERE x IS NULL;
-- reads a (k, x) rows {3}

SELECT k FROM a WHERE x <> 10 OR s = 'one';
-- reads a (k, x, s) rows {1 2}

SELECT k FROM a WHERE k BETWEEN 2 AND 3;
-- reads a (k) rows {2 3}

SELECT k FROM a WHERE k IN (1, 4);
-- reads a (k) rows {1 4}

SELECT k FROM a WHERE k NOT IN (1, 4) AND x NOT IN (10, NULL);
-- reads a (k, x) rows {}

SELECT k FROM a WHERE x = ANY (ARRAY[10, 30]);
-- reads a (k, x) rows {1 4}

SELECT k FROM a WHERE y <> ALL (ARRAY[1, 9]);
-- reads a (k, y) rows {2 3}

SELECT k FROM a WHERE (k, y) IN ((1, 1), (2, 8));
-- reads a (k, y) rows {1}

SELECT k FROM a WHERE (k, y) > (2, 7);
-- reads a (k, y) rows {3 4}

SELECT k FROM a WHERE NOT (y = 7);
-- reads a (k, y) rows {1 4}

SELECT k FROM a WHERE x IS DISTINCT FROM 10;
-- reads a (k, x) rows {2 3}

SELECT k FROM a WHERE (x = 10) IS NOT TRUE;
-- reads a (k, x) rows {2 3}

SELECT k + 1, -x, x * 2 - y FROM a WHERE k < 3;
-- reads a (k, x, y) rows {1 2}

SELECT x % 3, x / 3 FROM a WHERE x > 0;
-- reads a (x) rows {1 2 4}

SELECT COALESCE(x, y, 0) FROM a;
-- reads a (x, y) rows {1 2 3 4}

SELECT NULLIF(y, 7), GREATEST(x, y), LEAST(k, y) FROM a;
-- reads a (k, x, y) rows {1 2 3 4}

SELECT CASE WHEN x > 15 THEN 'big' WHEN x IS NULL THEN 'none' ELSE 'small' END FROM a;
-- reads a (x) rows {1 2 3 4}

SELECT CASE y WHEN 7 THEN k ELSE 0 END FROM a;
-- reads a (k, y) rows {1 2 3 4}

SELECT lower(s), upper(s), length(s) FROM a WHERE s IS NOT NULL;
-- reads a (s) rows {1 2 4}

SELECT s || '!' FROM a WHERE k = 1;
-- reads a (k, s) rows {1}

SELECT k FROM a WHERE s LIKE 't%';
-- reads a (k, s) rows {2}

SELECT k FROM a ORDER BY x DESC NULLS LAST, k LIMIT 2;
-- reads a (k, x) rows {1 2 3 4}

SELECT k FROM a ORDER BY k LIMIT 1;
-- reads a (k) rows {1 2 3 4}

SELECT k FROM a WHERE y >= 7 ORDER BY y DESC, k LIMIT 1;
-- reads a (k, y) rows {2 3 4}

SELECT k FROM a ORDER BY k LIMIT 2 OFFSET 1;
-- reads a (k) rows {1 2 3 4}

SELECT k FROM a ORDER BY k OFFSET 3;
-- reads a (k) rows {1 2 3 4}

SELECT k FROM a ORDER BY k LIMIT 0;
-- reads a (k) rows {1 2 3 4}

SELECT 1;
-- touches nothing

SELECT 1, 'x', NULL::int WHERE false;
-- touches nothing

SELECT count(*) FROM a;
-- reads a () rows {1 2 3 4}

SELECT count(x), count(DISTINCT x) FROM a WHERE y > 1;
-- reads a (x, y) rows {2 3 4}

SELECT min(k), max(k) FROM a;
-- reads a (k) rows {1 4}

SELECT sum(v) FROM b WHERE k = 1;
-- reads b (k, v) rows {1,1 1,2}

SELECT max(y) FROM a WHERE k > 9;
-- reads a (k, y) rows {}

SELECT COALESCE(max(k), 0) + 1 FROM a;
-- reads a (k) rows {4}

SELECT count(*) FILTER (WHERE x = 10) FROM a;
-- reads a (x) rows {1 2 3 4}

SELECT bool_and(x = 10), bool_or(x = 10) IS NULL FROM a WHERE false;
-- reads a (x) rows {}

SELECT EXISTS (SELECT 1 FROM b WHERE k = 1);
-- reads b (k) rows {1,1 1,2}

SELECT NOT EXISTS (SELECT 1 FROM b WHERE k = 4);
-- reads b (k) rows {}

SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k);
-- reads b (k) rows {1,1 1,2}
-- reads b (k) rows {2,1}
-- reads b (k) rows {}
-- reads a (k) rows {1 2}

SELECT k FROM a WHERE NOT EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND v > 5);
-- reads b (k, v) rows {1,2}
-- reads b (k, v) rows {}
-- reads a (k) rows {2 3 4}

SELECT k FROM a WHERE k IN (SELECT k FROM b);
-- reads b (k) rows {1,1 1,2}
-- reads b (k) rows {2,1}
-- reads b (k) rows {}
-- reads a (k) rows {1 2}

SELECT k FROM a WHERE k NOT IN (SELECT k FROM b WHERE v IS NOT NULL);
-- reads b (k, v) rows {1,1 1,2}
-- reads b (k, v) rows {}
-- reads a (k) rows {2 3 4}

SELECT k FROM a WHERE x > ALL (SELECT v FROM b WHERE b.k = 1);
-- reads b (k, v) rows {}
-- reads b (k, v) rows {1,1 1,2}
-- reads a (k, x) rows {1 2 4}

SELECT k FROM a WHERE x = ANY (SELECT v * 2 FROM b);
-- reads b (v) rows {1,1}
-- reads b (v) rows {}
-- reads a (k, x) rows {1 4}

SELECT 6 IN (SELECT v FROM b), 7 IN (SELECT v FROM b), 7 NOT IN (SELECT v FROM b);
-- reads b (v) rows {1,2}
-- reads b (v) rows {}
-- reads b (v) rows {2,1}

SELECT (SELECT x FROM a WHERE k = 1);
-- reads a (k, x) rows {1}

SELECT (SELECT max(v) FROM b), k FROM a WHERE k = 1;
-- reads b (v) rows {1,2}
-- reads a (k) rows {1}

SELECT (SELECT x FROM a WHERE k = 9) IS NULL;
-- reads a (k, x) rows {}

SELECT k FROM a WHERE x = (SELECT max(x) FROM a);
-- reads a (x) rows {2}
-- reads a (k, x) rows {2}

SELECT k, (SELECT count(*) FROM b WHERE b.k = a.k) FROM a;
-- reads b (k) rows {1,1 1,2 2,1}
-- reads a (k) rows {1 2 3 4}

SELECT k, (SELECT v FROM b WHERE b.k = a.k AND b.j = 1) FROM a;
-- reads b (k, j, v) rows {1,1 2,1}
-- reads a (k) rows {1 2 3 4}

SELECT (SELECT x FROM a);
-- reads a () rows {1 2 3 4}
-- fails: an assumption does not hold

SELECT ARRAY(SELECT j FROM b WHERE k = 1 ORDER BY j) IS NULL;
-- reads b (k, j) rows {1,1 1,2}

SELECT a.k, j FROM a JOIN b ON b.k = a.k;
-- reads a (k) rows {1 2}
-- reads b (k, j) rows {1,1 1,2 2,1}

SELECT a.k, j FROM a, b WHERE b.k = a.k AND b.v = 5;
-- reads a (k) rows {1}
-- reads b (k, j, v) rows {1,1}

SELECT k, j FROM a JOIN b USING (k) WHERE x = 10;
-- reads a (k, x) rows {1}
-- reads b (k, j) rows {1,1 1,2}

SELECT * FROM a NATURAL JOIN b WHERE k = 2;
-- reads a (k, x, y, s) rows {2}
-- reads b (k, j, v) rows {2,1}

SELECT l.k, r.k FROM a l JOIN a r ON l.x = r.x AND l.k < r.k;
-- reads a (k, x) rows {1}
-- reads a (k, x) rows {4}

SELECT a.k, b.j FROM a CROSS JOIN b WHERE a.k = 1 AND b.k = 2;
-- reads a (k) rows {1}
-- reads b (k, j) rows {2,1}

SELECT k AS a_key FROM a ORDER BY a_key DESC;
-- reads a (k) rows {1 2 3 4}

SELECT q.* FROM q WHERE state = 'open' ORDER BY id;
-- reads q (id, state, owner) rows {1 3}

SELECT t.k FROM a AS t (k, z) WHERE z = 10;
-- reads a (k, x) rows {1 4}

SELECT n FROM log;
-- reads log (n) rows {0}

SELECT n FROM log WHERE msg = 'start';
-- reads log (msg, n) rows {0}

SELECT twice FROM g WHERE id = 1;
-- reads g (id, twice) rows {1}

SELECT k FROM a WHERE k = 1 AND k = 2;
-- reads a (k) rows {}

SELECT k::text FROM a WHERE k = 1;
-- reads a (k) rows {1}

SELECT k FROM a WHERE '2' = k;
-- reads a (k) rows {2}

SELECT k FROM a WHERE true;
-- reads a (k) rows {1 2 3 4}

SELECT k FROM a WHERE NULL;
-- reads a (k) rows {}

VALUES (1, 'x'), (2, NULL);
-- touches nothing

VALUES (3), (1), (2) ORDER BY 1 LIMIT 2;
-- touches nothing

TABLE log;
-- reads log (msg, n) rows {0}
