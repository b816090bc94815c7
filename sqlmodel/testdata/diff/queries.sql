-- Queries that the IR's own queries cannot say: derivations.
CREATE FUNCTION left_join(p int) RETURNS TABLE (ak int, bj int, v int) LANGUAGE sql AS $$
  SELECT a.k, b.j, b.v FROM a LEFT JOIN b ON b.k = a.k AND b.v > p ORDER BY a.k, b.j
$$;

CREATE FUNCTION left_join_key(p int) RETURNS TABLE (ak int, bj int) LANGUAGE sql AS $$
  SELECT a.k, b.j FROM a LEFT JOIN b ON b.k = a.k WHERE a.k = p ORDER BY b.j
$$;

CREATE FUNCTION right_join() RETURNS TABLE (bj int, ak int) LANGUAGE sql AS $$
  SELECT b.j, a.k FROM b RIGHT JOIN a ON a.k = b.k AND a.y > 1
$$;

CREATE FUNCTION full_join(p int) RETURNS TABLE (ak int, dk int) LANGUAGE sql AS $$
  SELECT a.k, d.id FROM a FULL JOIN d ON d.u = a.x WHERE COALESCE(a.k, d.id) <> p
$$;

CREATE FUNCTION left_using() RETURNS TABLE (k int, x int, j int) LANGUAGE sql AS $$
  SELECT k, x, j FROM a LEFT JOIN b USING (k)
$$;

CREATE FUNCTION right_using() RETURNS TABLE (k int, j int, x int) LANGUAGE sql AS $$
  SELECT k, j, x FROM b RIGHT JOIN a USING (k)
$$;

CREATE FUNCTION anti_join() RETURNS SETOF int LANGUAGE sql AS $$
  SELECT a.k FROM a LEFT JOIN b ON b.k = a.k WHERE b.k IS NULL
$$;

CREATE FUNCTION chain(p int) RETURNS TABLE (ak int, bj int, up int) LANGUAGE sql AS $$
  SELECT a.k, b.j, t.up FROM a LEFT JOIN b ON b.k = a.k LEFT JOIN tree t ON t.id = b.j WHERE a.k = p
$$;

CREATE FUNCTION grouped() RETURNS TABLE (x int, n bigint, total bigint, lo int) LANGUAGE sql AS $$
  SELECT x, count(*), sum(y), min(k) FROM a GROUP BY x
$$;

CREATE FUNCTION grouped_expr(p int) RETURNS TABLE (g int, n bigint) LANGUAGE sql AS $$
  SELECT x + p AS g, count(*) FROM a GROUP BY g HAVING count(*) > 1 OR max(y) > 2 ORDER BY 1
$$;

CREATE FUNCTION grouped_order() RETURNS TABLE (x int, n bigint) LANGUAGE sql AS $$
  SELECT x, count(*) n FROM a GROUP BY 1 ORDER BY n DESC, x NULLS FIRST
$$;

CREATE FUNCTION grouped_key(p int) RETURNS TABLE (k int, s text, n bigint) LANGUAGE sql AS $$
  SELECT a.k, a.s, count(b.j) FROM a LEFT JOIN b ON b.k = a.k GROUP BY a.k HAVING count(b.j) <= p ORDER BY a.k
$$;

CREATE FUNCTION having_only(p int) RETURNS SETOF bigint LANGUAGE sql AS $$
  SELECT count(*) FROM a HAVING count(*) > p
$$;

CREATE FUNCTION filtered_groups() RETURNS TABLE (y int, n bigint, m int) LANGUAGE sql AS $$
  SELECT y, count(*) FILTER (WHERE x > 1), max(DISTINCT x) FROM a GROUP BY y
$$;

CREATE FUNCTION distinct_rows() RETURNS TABLE (x int, y int) LANGUAGE sql AS $$ SELECT DISTINCT x, y FROM a $$;

CREATE FUNCTION distinct_order() RETURNS SETOF int LANGUAGE sql AS $$ SELECT DISTINCT x FROM a ORDER BY x DESC $$;

CREATE FUNCTION distinct_on() RETURNS TABLE (x int, k int) LANGUAGE sql AS $$
  SELECT DISTINCT ON (x) x, k FROM a ORDER BY x, k DESC
$$;

CREATE FUNCTION unions() RETURNS SETOF int LANGUAGE sql AS $$ SELECT x FROM a UNION SELECT v FROM b $$;

CREATE FUNCTION union_all(p int) RETURNS TABLE (kind text, n int) LANGUAGE sql AS $$
  SELECT 'a', k FROM a WHERE x = p UNION ALL SELECT 'b', j FROM b WHERE v = p UNION ALL SELECT NULL, p
$$;

CREATE FUNCTION union_mixed() RETURNS SETOF numeric LANGUAGE sql AS $$ SELECT k FROM a UNION SELECT n FROM c ORDER BY 1 LIMIT 3 $$;

CREATE FUNCTION intersects() RETURNS SETOF int LANGUAGE sql AS $$ SELECT x FROM a INTERSECT SELECT v FROM b $$;

CREATE FUNCTION excepts() RETURNS SETOF int LANGUAGE sql AS $$ SELECT k FROM a EXCEPT SELECT k FROM b ORDER BY k $$;

CREATE FUNCTION excepts_all() RETURNS SETOF int LANGUAGE sql AS $$ (SELECT x FROM a UNION ALL SELECT x FROM a) EXCEPT ALL SELECT v FROM b $$;

CREATE FUNCTION with_query(p int) RETURNS TABLE (k int, n bigint) LANGUAGE sql AS $$
  WITH big AS (SELECT k, x FROM a WHERE x >= p), counts (k, n) AS (SELECT b.k, count(*) FROM b GROUP BY b.k)
  SELECT big.k, COALESCE(counts.n, 0) FROM big LEFT JOIN counts USING (k) ORDER BY big.k
$$;

CREATE FUNCTION with_twice(p int) RETURNS SETOF int LANGUAGE sql AS $$
  WITH w AS (SELECT k, x FROM a WHERE y > p) SELECT l.k FROM w l JOIN w r ON l.x = r.x AND l.k <> r.k
$$;

CREATE FUNCTION with_nested() RETURNS SETOF bigint LANGUAGE sql AS $$
  WITH w AS (WITH v AS (SELECT x FROM a) SELECT x FROM v WHERE x > 0), z AS (SELECT count(*) n FROM w) SELECT n + 1 FROM z
$$;

CREATE FUNCTION from_subquery(p int) RETURNS TABLE (x int, n bigint) LANGUAGE sql AS $$
  SELECT q.x, q.n FROM (SELECT x, count(*) AS n FROM a GROUP BY x) q WHERE q.n >= p AND q.x IS NOT NULL ORDER BY q.x
$$;

CREATE FUNCTION from_limit(p int) RETURNS SETOF bigint LANGUAGE sql AS $$
  SELECT sum(x) FROM (SELECT x FROM a ORDER BY k LIMIT p) q
$$;

CREATE FUNCTION offsets(p int) RETURNS SETOF int LANGUAGE sql AS $$ SELECT k FROM a ORDER BY k OFFSET p LIMIT 2 $$;

CREATE FUNCTION offset_into(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT x INTO v FROM a ORDER BY k OFFSET 1;
  IF NOT FOUND THEN RETURN -1; END IF;
  RETURN v;
END $$;

CREATE FUNCTION group_into(p int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE r record; n int;
BEGIN
  SELECT x, count(*) AS c INTO r FROM a WHERE x IS NOT NULL GROUP BY x ORDER BY 2 DESC, 1;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN COALESCE(r.x, -1) * 100 + COALESCE(r.c, 0) * 10 + n;
END $$;

CREATE FUNCTION group_strict(p int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE v bigint;
BEGIN
  SELECT count(*) INTO STRICT v FROM a WHERE x > p GROUP BY x;
  RETURN v;
END $$;

CREATE FUNCTION group_loop(p int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE r record; total bigint := 0;
BEGIN
  FOR r IN SELECT y, count(*) AS n, sum(x) AS s FROM a GROUP BY y ORDER BY y LOOP
    total := total * 3 + r.n + COALESCE(r.s, 7);
    EXIT WHEN r.n > p;
  END LOOP;
  RETURN total;
END $$;

CREATE FUNCTION correlated_value(p int) RETURNS TABLE (k int, n bigint, m int) LANGUAGE sql AS $$
  SELECT a.k, (SELECT count(*) FROM b WHERE b.k = a.k AND b.v > p), (SELECT max(b.v) FROM b WHERE b.k = a.k) FROM a ORDER BY a.k
$$;

CREATE FUNCTION correlated_key() RETURNS TABLE (k int, j int, x int) LANGUAGE sql AS $$
  SELECT b.k, b.j, (SELECT a.x FROM a WHERE a.k = b.k) FROM b ORDER BY 1, 2
$$;

CREATE FUNCTION correlated_where(p int) RETURNS SETOF int LANGUAGE sql AS $$
  SELECT k FROM a WHERE x = (SELECT max(v) FROM b WHERE b.k = a.k) OR k = p ORDER BY k
$$;

CREATE FUNCTION update_correlated(p int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = (SELECT sum(b.v)::int FROM b WHERE b.k = a.k) WHERE y >= p
$$;

CREATE FUNCTION update_in_group(p int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET s = 'many' WHERE k IN (SELECT b.k FROM b GROUP BY b.k HAVING count(*) > p)
$$;

CREATE FUNCTION delete_not_in_union() RETURNS void LANGUAGE sql AS $$
  DELETE FROM d WHERE u NOT IN (SELECT x FROM a WHERE x IS NOT NULL UNION SELECT v FROM b WHERE v IS NOT NULL)
$$;

CREATE FUNCTION delete_all_of(p int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM log WHERE n >= ALL (SELECT count(*) FROM a GROUP BY x) OR n = p
$$;

CREATE FUNCTION insert_group() RETURNS void LANGUAGE sql AS $$
  INSERT INTO log (msg, n) SELECT s, count(*) FROM a GROUP BY s
$$;

CREATE FUNCTION insert_union(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO log (msg, n) SELECT 'a', k FROM a UNION SELECT 'p', p
$$;

CREATE FUNCTION insert_left(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO log (msg, n) SELECT a.s, b.v FROM a LEFT JOIN b ON a.k = b.k WHERE a.k <> p
$$;

CREATE FUNCTION exists_group(p int) RETURNS boolean LANGUAGE sql AS $$
  SELECT EXISTS (SELECT x FROM a GROUP BY x HAVING count(*) > p)
$$;

CREATE FUNCTION in_union(p int) RETURNS TABLE (c1 bool, c2 bool, c3 bool) LANGUAGE sql AS $$
  SELECT p IN (SELECT x FROM a UNION SELECT v FROM b), p NOT IN (SELECT x FROM a EXCEPT SELECT v FROM b), p > ANY (SELECT DISTINCT y FROM a)
$$;

CREATE FUNCTION arrays_of(p int) RETURNS TABLE (l int[]) LANGUAGE sql AS $$
  SELECT ARRAY(SELECT k FROM a WHERE x = p UNION SELECT j FROM b WHERE v = p ORDER BY 1)
$$;

CREATE FUNCTION lateral_join(p int) RETURNS TABLE (k int, j int) LANGUAGE sql AS $$
  SELECT a.k, q.j FROM a, LATERAL (SELECT b.j FROM b WHERE b.k = a.k ORDER BY b.j DESC LIMIT 1) q WHERE a.y > p
$$;

CREATE FUNCTION left_lateral() RETURNS TABLE (k int, n bigint) LANGUAGE sql AS $$
  SELECT a.k, q.n FROM a LEFT JOIN LATERAL (SELECT count(*) AS n FROM b WHERE b.k = a.k) q ON q.n > 0
$$;

CREATE FUNCTION values_join(p int) RETURNS TABLE (k int, w text) LANGUAGE sql AS $$
  SELECT a.k, v.w FROM a JOIN (VALUES (1, 'one'), (2, 'two'), (p, NULL)) AS v (k, w) ON v.k = a.k
$$;

CREATE FUNCTION series_join(p int) RETURNS TABLE (i int, n bigint) LANGUAGE sql AS $$
  SELECT i, count(a.k) FROM generate_series(0, p) AS i LEFT JOIN a ON a.x = i GROUP BY i ORDER BY i
$$;

CREATE FUNCTION unnest_group(l int[]) RETURNS TABLE (e int, n bigint, first bigint) LANGUAGE sql AS $$
  SELECT e, count(*), min(o) FROM unnest(l) WITH ORDINALITY AS u (e, o) GROUP BY e
$$;

CREATE FUNCTION unnest_distinct(l int[]) RETURNS SETOF int LANGUAGE sql AS $$ SELECT DISTINCT e FROM unnest(l) e $$;

CREATE VIEW big_a AS SELECT k, x, y AS z FROM a WHERE y > 1;
CREATE VIEW totals (k, total) AS SELECT b.k, sum(b.v) FROM b GROUP BY b.k;
CREATE VIEW both_views AS SELECT big_a.k, totals.total FROM big_a LEFT JOIN totals ON totals.k = big_a.k;

CREATE FUNCTION from_view(p int) RETURNS TABLE (k int, z int) LANGUAGE sql AS $$ SELECT k, z FROM big_a WHERE x = p ORDER BY k $$;

CREATE FUNCTION from_views(p int) RETURNS TABLE (k int, total bigint) LANGUAGE sql AS $$
  SELECT k, total FROM both_views WHERE k <> p ORDER BY k
$$;

CREATE FUNCTION view_exists(p int) RETURNS boolean LANGUAGE sql AS $$ SELECT EXISTS (SELECT 1 FROM totals WHERE k = p AND total > 1) $$;

CREATE FUNCTION table_function(q int) RETURNS TABLE (k int, n bigint) LANGUAGE sql AS $$
  SELECT a.k, count(b.j) FROM a LEFT JOIN b ON b.k = a.k WHERE a.y > q GROUP BY a.k
$$;

CREATE FUNCTION from_function(p int) RETURNS TABLE (k int, m bigint) LANGUAGE sql AS $$
  SELECT f.k, f.n * 10 FROM table_function(p) f WHERE f.k > 0 ORDER BY f.k
$$;

CREATE FUNCTION case_in_group() RETURNS TABLE (g text, n bigint) LANGUAGE sql AS $$
  SELECT CASE WHEN x > 1 THEN 'hi' WHEN x IS NULL THEN 'no' ELSE 'lo' END AS g, count(*) FROM a
  GROUP BY CASE WHEN x > 1 THEN 'hi' WHEN x IS NULL THEN 'no' ELSE 'lo' END ORDER BY g
$$;

CREATE FUNCTION having_subquery() RETURNS SETOF int LANGUAGE sql AS $$
  SELECT k FROM b GROUP BY k HAVING sum(v) > (SELECT min(x) FROM a WHERE a.k = b.k) ORDER BY k
$$;

CREATE FUNCTION group_of_groups() RETURNS TABLE (n bigint, m bigint) LANGUAGE sql AS $$
  SELECT q.n, count(*) FROM (SELECT count(*) AS n FROM a GROUP BY x) q GROUP BY q.n ORDER BY 1
$$;

CREATE FUNCTION value_several(p int) RETURNS TABLE (k int, x int) LANGUAGE sql AS $$
  SELECT b.k, (SELECT a.x FROM a WHERE a.y = p) FROM b LEFT JOIN tree ON tree.id = b.j
$$;

CREATE FUNCTION execute_constant(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; n int;
BEGIN
  EXECUTE 'SELECT x FROM a WHERE k = $1 AND (s IS NULL OR s <> ''B'')' INTO v USING p;
  EXECUTE 'UPDATE a SET y = y + $2 ' || 'WHERE k >= $1' USING p, 2;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN COALESCE(v, -1) * 10 + n;
END $$;

CREATE FUNCTION execute_loop(p int) RETURNS SETOF int LANGUAGE plpgsql AS $f$
DECLARE r record;
BEGIN
  FOR r IN EXECUTE $q$SELECT k, x FROM a WHERE x > $1 ORDER BY k$q$ USING p LOOP
    RETURN NEXT r.k * 100 + r.x;
  END LOOP;
  RETURN QUERY EXECUTE 'SELECT count(*)::int FROM b GROUP BY k ORDER BY 1';
END $f$;

CREATE FUNCTION with_delete(p int) RETURNS void LANGUAGE sql AS $$
  WITH gone AS (DELETE FROM b WHERE k <= p RETURNING k, j AS place, v) INSERT INTO log (msg, n) SELECT 'gone', place FROM gone WHERE v IS NOT NULL
$$;

CREATE FUNCTION with_update(p int) RETURNS TABLE (n bigint, total bigint) LANGUAGE sql AS $$
  WITH up AS (UPDATE d SET u = u + 1 WHERE id > p RETURNING u) SELECT count(*), sum(u) FROM up
$$;

CREATE FUNCTION with_insert(p int) RETURNS void LANGUAGE sql AS $$
  WITH new_row (m) AS (INSERT INTO log (msg, n) VALUES ('x', p) RETURNING n) INSERT INTO a (k) SELECT m + 50 FROM new_row WHERE m IS NOT NULL
$$;

CREATE FUNCTION with_plain_insert(p int) RETURNS void LANGUAGE sql AS $$
  WITH src AS (SELECT x, count(*) AS n FROM a GROUP BY x) INSERT INTO log (msg, n) SELECT 'g', n FROM src WHERE x > p
$$;

CREATE FUNCTION with_plain_delete(p int) RETURNS void LANGUAGE sql AS $$
  WITH old AS (SELECT k FROM a WHERE y < p) DELETE FROM b WHERE k IN (SELECT k FROM old)
$$;

CREATE FUNCTION with_plain_update(p int) RETURNS void LANGUAGE sql AS $$
  WITH best AS (SELECT k, x FROM a WHERE k = p) UPDATE b SET v = best.x FROM best WHERE best.k = b.k
$$;

CREATE FUNCTION update_from_group(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  UPDATE a SET x = q.total, y = y + 1 FROM (SELECT k, sum(v)::int AS total FROM b GROUP BY k) q WHERE q.k = a.k AND a.y >= p;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

CREATE FUNCTION delete_using_group(p int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM b USING (SELECT x, count(*) AS n FROM a GROUP BY x) q WHERE q.x = b.v AND q.n >= p
$$;

CREATE FUNCTION delete_using_distinct() RETURNS void LANGUAGE sql AS $$
  DELETE FROM d USING (SELECT DISTINCT x FROM a WHERE x IS NOT NULL) q WHERE q.x = d.u
$$;
