-- Subqueries with LIMIT and OFFSET, whose rows are chosen once, in statements that write and in others.
CREATE FUNCTION limit_in(p int, q int) RETURNS SETOF int LANGUAGE sql AS $$
  UPDATE a SET x = p WHERE k IN (SELECT k FROM a WHERE y >= p LIMIT q) RETURNING k $$;
CREATE FUNCTION limit_in_order(p int, q int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = p WHERE k IN (SELECT k FROM a WHERE y >= p ORDER BY x LIMIT q) $$;
CREATE FUNCTION limit_in_desc(p int, q int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM b WHERE (k, j) IN (SELECT k, j FROM b WHERE v > p OR v IS NULL ORDER BY v DESC, j LIMIT q) $$;
CREATE FUNCTION limit_any(p int, q int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET y = p WHERE p > 0 AND k = ANY (ARRAY(SELECT k FROM a ORDER BY y LIMIT q)) $$;
CREATE FUNCTION limit_offset(p int, q int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET s = 'past' WHERE k IN (SELECT k FROM a ORDER BY y OFFSET q LIMIT 1) $$;
CREATE FUNCTION offset_only(q int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET s = 'past' WHERE k IN (SELECT k FROM a ORDER BY k DESC OFFSET q) $$;
CREATE FUNCTION limit_scalar(p int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM b WHERE k = (SELECT k FROM a WHERE y >= p ORDER BY x LIMIT 1 OFFSET 1) $$;
CREATE FUNCTION limit_other(p int, q int) RETURNS SETOF int LANGUAGE sql AS $$
  UPDATE a SET x = x + 1 WHERE k IN (SELECT b.k FROM b WHERE b.v >= p ORDER BY b.v LIMIT q) RETURNING k $$;
CREATE FUNCTION limit_not_in(p int, q int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = 9 WHERE k NOT IN (SELECT k FROM a WHERE y > p LIMIT q) $$;
CREATE FUNCTION limit_value(q int) RETURNS SETOF boolean LANGUAGE sql AS $$
  SELECT x IN (SELECT x FROM a ORDER BY k LIMIT q) FROM a ORDER BY k $$;
CREATE FUNCTION limit_using(p int, q int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM b USING (SELECT k, j FROM b WHERE v <> p ORDER BY k, j LIMIT q) s WHERE s.k = b.k AND s.j = b.j $$;
CREATE FUNCTION limit_from(p int, q int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = p FROM (SELECT k FROM a WHERE y > p LIMIT q) s WHERE s.k = a.k $$;
CREATE FUNCTION limit_with(p int, q int) RETURNS void LANGUAGE sql AS $$
  WITH s AS (SELECT k FROM a WHERE y >= p ORDER BY y LIMIT q) UPDATE a SET x = p FROM s WHERE s.k = a.k $$;
CREATE FUNCTION limit_with_in(p int, q int) RETURNS SETOF int LANGUAGE sql AS $$
  WITH s AS (SELECT k FROM a WHERE y >= p LIMIT q) UPDATE a SET x = p WHERE k IN (SELECT k FROM s) RETURNING a.k $$;
CREATE FUNCTION limit_twice(p int, q int) RETURNS SETOF int LANGUAGE sql AS $$
  WITH s AS (SELECT k FROM a WHERE y >= p LIMIT q) SELECT a.k FROM a, s, s AS t WHERE a.k = s.k AND a.k = t.k ORDER BY 1 $$;
CREATE FUNCTION limit_ctid(p int, q int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM b WHERE ctid IN (SELECT ctid FROM b WHERE v >= p LIMIT q) $$;
CREATE FUNCTION limit_ctid_any(p int, q int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM log WHERE ctid = ANY (ARRAY(SELECT ctid FROM log WHERE n >= p ORDER BY n LIMIT q)) $$;
CREATE FUNCTION limit_ctid_one(p int) RETURNS void LANGUAGE sql AS $$
  UPDATE log SET n = p WHERE ctid = (SELECT l.ctid FROM log l WHERE l.n <> p LIMIT 1) $$;
CREATE FUNCTION limit_ctid_with(p int, q int) RETURNS void LANGUAGE sql AS $$
  WITH s AS (SELECT ctid FROM b ORDER BY v LIMIT q) UPDATE b SET v = p FROM s WHERE s.ctid = b.ctid $$;
CREATE FUNCTION limit_locked(p int, q int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = p WHERE k IN (SELECT k FROM a WHERE y >= p ORDER BY y LIMIT q FOR UPDATE) $$;
CREATE FUNCTION limit_found(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  UPDATE a SET x = p WHERE k IN (SELECT k FROM a WHERE y >= p LIMIT q);
  IF NOT FOUND THEN RETURN -1; END IF;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;
CREATE FUNCTION limit_join(p int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = p WHERE k IN (SELECT a.k FROM a JOIN b ON a.k = b.k ORDER BY b.v, b.j LIMIT 2) $$;
CREATE FUNCTION limit_correlated(p int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = p WHERE 1 IN (SELECT b.j FROM b WHERE b.k = a.k ORDER BY b.j LIMIT 1) $$;
CREATE FUNCTION limit_grouped(p int, q int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = p WHERE k IN (SELECT k FROM b GROUP BY k ORDER BY count(*) LIMIT 1) $$;
CREATE FUNCTION limit_union(q int) RETURNS void LANGUAGE sql AS $$
  DELETE FROM log WHERE n IN (SELECT y FROM a UNION ALL SELECT x FROM a WHERE x > 1 LIMIT 2) $$;
CREATE FUNCTION limit_grouped_value(q int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = q WHERE y >= (SELECT k FROM b GROUP BY k ORDER BY max(v) LIMIT 1) $$;
CREATE FUNCTION limit_correlated_tie(p int) RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = p WHERE 1 <= ANY (SELECT b.j FROM b WHERE b.k = a.k GROUP BY b.j ORDER BY b.j LIMIT 1) $$;
