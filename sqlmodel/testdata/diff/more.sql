-- Functions that combine features.
CREATE TYPE pair AS (l int, r int);

CREATE FUNCTION callee_found(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  PERFORM 1 FROM a WHERE k = p;
  IF FOUND THEN RETURN 1; END IF;
  RETURN 0;
END $$;

CREATE FUNCTION caller_found(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE n int; t text := '';
BEGIN
  PERFORM 1 FROM b WHERE k = p;
  n := callee_found(p) + callee_found(p + 1) * 10;
  IF FOUND THEN t := 'own '; END IF;
  PERFORM callee_found(p);
  IF FOUND THEN t := t || 'perform '; END IF;
  RETURN t || CASE n WHEN 0 THEN 'none' WHEN 11 THEN 'both' ELSE 'one' END;
END $$;

CREATE FUNCTION callee_state(p int, OUT o int, INOUT io int) LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  IF p = 1 THEN o := io; v := 5; END IF;
  io := COALESCE(v, 0) + COALESCE(o, -1);
END $$;

CREATE FUNCTION caller_state(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t text := ''; r record;
BEGIN
  FOR i IN 1..3 LOOP
    SELECT * INTO r FROM callee_state(i - p + 1, i * 10);
    t := t || CASE WHEN r.o IS NULL THEN 'n' ELSE 'o' END || CASE WHEN r.io > 0 THEN '+' ELSE '-' END;
  END LOOP;
  RETURN t;
END $$;

CREATE FUNCTION early(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT k, x FROM a ORDER BY k LOOP
    FOR j IN 1..3 LOOP
      IF r.k + j = p THEN RETURN r.k * 10 + j; END IF;
      CONTINUE WHEN j = 2;
      EXIT WHEN r.x = j;
    END LOOP;
  END LOOP;
  RETURN -1;
END $$;

CREATE FUNCTION caller_early(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE t int := 0;
BEGIN
  <<o>>
  FOR i IN 0..4 LOOP
    CONTINUE o WHEN early(i) < 0;
    t := t * 7 + early(i + p);
    EXIT o WHEN t > 300;
  END LOOP;
  RETURN t;
END $$;

CREATE FUNCTION self_update(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE a SET x = z.y FROM a z WHERE z.k = a.k + 1 AND z.y > p;
  DELETE FROM b USING b AS z WHERE z.k = b.k AND z.j < b.j;
END $$;

CREATE FUNCTION two_levels(p int) RETURNS SETOF int LANGUAGE sql AS $$
  SELECT k FROM a WHERE NOT EXISTS (
    SELECT 1 FROM b WHERE b.k = a.k AND EXISTS (SELECT 1 FROM a z WHERE z.x = b.v AND z.k <> a.k AND z.y > p))
  ORDER BY k DESC
$$;

CREATE FUNCTION null_lists(p int) RETURNS TABLE (c1 bool, c2 bool, c3 bool, c4 text, c5 bool) LANGUAGE sql AS $$
  SELECT p IN (1, NULL), p NOT IN (1, 2), NOT (p = 1 AND NULL), CASE p WHEN NULL THEN 'null' WHEN 2 THEN 'two' END, p = ALL (ARRAY[p])
$$;

CREATE FUNCTION insert_select_conflict(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  INSERT INTO a (k, x, y) SELECT k + p, x, 5 FROM a WHERE x IS NOT NULL ON CONFLICT (k) DO UPDATE SET y = excluded.y + a.y;
  GET DIAGNOSTICS n = ROW_COUNT;
  RETURN n;
END $$;

CREATE FUNCTION returning_star(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r record; w a%ROWTYPE;
BEGIN
  DELETE FROM log WHERE n = p AND msg = 'a' RETURNING * INTO r;
  INSERT INTO a VALUES (p + 30, p) RETURNING * INTO w;
  UPDATE a SET s = 'n' || COALESCE(w.s, '!') WHERE k = w.k RETURNING * INTO w;
  INSERT INTO log VALUES (w.s, w.x);
  IF r IS NULL THEN RETURN -1; END IF;
  RETURN r.n + w.k;
END $$;

CREATE FUNCTION constraints(p int, q int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO b (k, j, v) VALUES (p, q, 1);
  INSERT INTO c (a_k, t) VALUES (q, 'zz');
  IF p = q THEN INSERT INTO c (a_k, t) VALUES (NULL, 'zz'); END IF;
  UPDATE a SET y = NULLIF(y, 3) WHERE k = q;
  UPDATE d SET u = q - 2, flag = true;
END $$;

CREATE FUNCTION any_row(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; w int;
BEGIN
  SELECT x, y INTO v, w FROM a WHERE k > p;
  UPDATE a SET x = w WHERE x = v;
  RETURN w;
END $$;

CREATE FUNCTION flags() RETURNS TABLE (id int, c1 bool, c2 bool) LANGUAGE sql AS $$
  SELECT id, NOT flag, flag IS NOT TRUE FROM d WHERE flag OR u > 0 AND NOT flag OR flag IS NULL ORDER BY flag NULLS FIRST, id
$$;

CREATE FUNCTION make_pair(p int, q int) RETURNS pair LANGUAGE plpgsql AS $$
DECLARE z pair;
BEGIN
  IF p > q THEN RETURN (p, q); END IF;
  z.l := q; z := (z.l + 1, p)::pair;
  IF p = q THEN RETURN NULL; END IF;
  RETURN z;
END $$;

CREATE FUNCTION use_pair(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE z pair; y pair;
BEGIN
  z := make_pair(p, q);
  SELECT * INTO y FROM make_pair(q, p);
  IF z IS NULL THEN RETURN -1; END IF;
  RETURN z.l * 100 + y.r * 10 + (make_pair(p, 1)).r;
END $$;

CREATE FUNCTION pairs(p int) RETURNS SETOF pair LANGUAGE plpgsql AS $$
DECLARE z pair;
BEGIN
  FOR z IN SELECT k, x FROM a ORDER BY k LOOP
    z.r := z.r + p;
    RETURN NEXT z;
  END LOOP;
  RETURN NEXT (1, 2)::pair;
  RETURN;
END $$;

CREATE FUNCTION row_counts(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t text := ''; n int; v int;
BEGIN
  SELECT x INTO v FROM a WHERE k = p; GET DIAGNOSTICS n = ROW_COUNT; t := t || (CASE n WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE 'm' END);
  PERFORM 1 FROM a; GET DIAGNOSTICS n = ROW_COUNT; t := t || (CASE n WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE 'm' END);
  PERFORM 1 FROM a LIMIT 2; GET DIAGNOSTICS n = ROW_COUNT; t := t || (CASE n WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE 'm' END);
  UPDATE a SET x = 1 WHERE k = p RETURNING x INTO v; GET DIAGNOSTICS n = ROW_COUNT; t := t || (CASE n WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE 'm' END);
  INSERT INTO log VALUES ('1', 1), ('2', 2); GET DIAGNOSTICS n = ROW_COUNT; t := t || (CASE n WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE 'm' END);
  INSERT INTO a (k) VALUES (p), (p + 1) ON CONFLICT DO NOTHING; GET DIAGNOSTICS n = ROW_COUNT; t := t || (CASE n WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE 'm' END);
  SELECT count(*) INTO v FROM a; GET DIAGNOSTICS n = ROW_COUNT; t := t || (CASE n WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE 'm' END);
  DELETE FROM log; GET DIAGNOSTICS n = ROW_COUNT; t := t || (CASE n WHEN 0 THEN '0' WHEN 1 THEN '1' ELSE 'm' END);
  RETURN t;
END $$;

CREATE FUNCTION while_query(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE i int := 100;
BEGIN
  WHILE (SELECT count(*) FROM a WHERE k >= 100) < p OR EXISTS (SELECT 1 FROM a WHERE k = i) LOOP
    i := i + 1;
    CONTINUE WHEN i = 102;
    INSERT INTO a (k) VALUES (i);
    EXIT WHEN i > 104;
  END LOOP;
  RETURN i;
END $$;

CREATE FUNCTION subquery_values(p int) RETURNS TABLE (c1 int, c2 int, c3 bool, c4 bigint) LANGUAGE plpgsql AS $$
DECLARE v int := COALESCE((SELECT x FROM a WHERE k = p), (SELECT max(y) FROM a), -1);
BEGIN
  RETURN QUERY SELECT v, CASE WHEN EXISTS (SELECT 1 FROM b WHERE k = p) THEN (SELECT min(j) FROM b WHERE k = p) ELSE -2 END,
    (SELECT x FROM a WHERE k = p) IS NULL, (SELECT count(*) FROM a, b WHERE a.k = b.k);
END $$;

CREATE FUNCTION numbers(p numeric, q int) RETURNS TABLE (c1 numeric, c2 numeric, c3 bool, c4 numeric, c5 int) LANGUAGE sql AS $$
  SELECT p * q + 0.25, COALESCE(sum(n), 0) - p, p > q, abs(p - 2), 7 / 2 + -7 / 2 + -7 % 4 FROM c
$$;

CREATE FUNCTION text_order(p text) RETURNS SETOF text LANGUAGE sql AS $$
  SELECT COALESCE(s, '-') || GREATEST(s, p, 'B') FROM a WHERE s > p OR s <= 'a' OR s IS NULL ORDER BY s DESC, k
$$;

CREATE FUNCTION nested_blocks(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t text := ''; n CONSTANT int := p * 2;
BEGIN
  <<a1>>
  FOR i IN 1..3 LOOP
    <<b1>>
    BEGIN
      FOR j IN REVERSE 3..1 LOOP
        CONTINUE a1 WHEN i = p;
        EXIT b1 WHEN j = i;
        t := t || 'j';
      END LOOP;
      t := t || 'e';
    END b1;
    EXIT a1 WHEN n > 4;
    t := t || 'i';
  END LOOP a1;
  RETURN t;
END $$;

CREATE FUNCTION shadow(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE i int := 50; r record;
BEGIN
  FOR i IN 1..2 LOOP p := p + i; END LOOP;
  SELECT 1 AS k INTO r;
  FOR r IN SELECT max(k) AS k FROM a LOOP p := p + COALESCE(r.k, 100); END LOOP;
  RETURN i + p + COALESCE(r.k, 1000);
END $$;

CREATE FUNCTION union_fields(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  IF p > 1 THEN SELECT k AS m, 0 AS z INTO r FROM a WHERE k = p; ELSE SELECT 3 AS m INTO r; END IF;
  RETURN r.m;
END $$;

CREATE FUNCTION delete_all() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM b WHERE v > 0;
  UPDATE d SET c_id = NULL WHERE EXISTS (SELECT FROM c WHERE c.id = d.c_id AND c.n > 0);
  DELETE FROM c WHERE n > 0;
  DELETE FROM a WHERE k NOT IN (SELECT k FROM b) AND k NOT IN (SELECT a_k FROM c WHERE a_k IS NOT NULL) AND y < 3;
  RETURN (SELECT count(*) FROM d WHERE c_id IS NULL);
END $$;

CREATE FUNCTION locked(p int) RETURNS SETOF int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  LOCK TABLE log IN SHARE MODE;
  PERFORM 1 FROM a WHERE y > p FOR UPDATE;
  SELECT k INTO v FROM a ORDER BY y, k LIMIT 1 FOR SHARE;
  RETURN QUERY SELECT x FROM a WHERE k = v FOR UPDATE;
  UPDATE a SET k = k WHERE k = v;
END $$;

CREATE FUNCTION assign_query(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; b1 bool;
BEGIN
  v := x FROM a WHERE k = p;
  b1 := p IN (SELECT x FROM a);
  IF b1 IS NULL THEN RETURN -7; END IF;
  v := COALESCE(v, 0) + count(*) FROM a WHERE y > 1;
  RETURN v + b1::int;
END $$;

CREATE FUNCTION returns_query_order(p int) RETURNS TABLE (kk int, total bigint) LANGUAGE plpgsql AS $$
BEGIN
  RETURN QUERY SELECT a.k, (SELECT count(*) FROM b) FROM a ORDER BY a.y DESC, 1 LIMIT 2;
  total := p;
  RETURN NEXT;
END $$;

CREATE FUNCTION strict_no_rows(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  UPDATE a SET y = y + 1 WHERE k = p RETURNING y INTO STRICT v;
  SELECT j INTO STRICT v FROM b WHERE k = p ORDER BY j LIMIT 1;
  RETURN v;
END $$;

CREATE FUNCTION one_or_error(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE m int; w int;
BEGIN
  m := (SELECT k FROM a WHERE x = p);
  SELECT j INTO STRICT w FROM b WHERE b.v = p + 1 OR b.k = m;
  RETURN COALESCE(m, 9) * 10 + w;
END $$;

CREATE FUNCTION plant(p int, q int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO tree VALUES (p, q);
  UPDATE tree SET up = p WHERE id = q;
END $$;

CREATE FUNCTION fell(p int) RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM tree WHERE id = p OR up = p;
  RETURN (SELECT count(*) FROM tree);
END $$;

CREATE FUNCTION dropped_divisions(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  PERFORM 1 / (p - 1);
  PERFORM 1 / x FROM a WHERE k >= p;
  SELECT k, 2 / (x - 2) AS z INTO r FROM a WHERE k = p;
  RETURN r.k;
END $$;

-- The variable of a loop keeps the last row that comes.
CREATE FUNCTION last_of_two(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  FOR v IN SELECT k FROM a WHERE k >= p ORDER BY k LIMIT 2 LOOP NULL; END LOOP;
  RETURN v;
END $$;
