-- Reading -----------------------------------------------------------------
CREATE FUNCTION by_key(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT x INTO v FROM a WHERE k = p;
  RETURN v;
END $$;

CREATE FUNCTION by_key_strict(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT x INTO STRICT v FROM a WHERE k = p;
  RETURN v;
END $$;

CREATE FUNCTION three_valued(p int, q int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF p = q THEN RETURN 'equal'; ELSIF p <> q THEN RETURN 'different'; ELSE RETURN 'unknown'; END IF;
END $$;

CREATE FUNCTION logic(p bool, q bool, r int) RETURNS TABLE (c1 bool, c2 bool, c3 bool, c4 bool, c5 bool, c6 bool, c7 bool) LANGUAGE sql AS $$
  SELECT p AND q, p OR NOT q, r IS DISTINCT FROM 1, p IS NOT TRUE, r BETWEEN 0 AND 2, r NOT IN (1, NULL), (p = q) IS UNKNOWN
$$;

CREATE FUNCTION in_query(p int) RETURNS TABLE (c1 bool, c2 bool, c3 bool, c4 bool) LANGUAGE sql AS $$
  SELECT p IN (SELECT x FROM a), p NOT IN (SELECT x FROM a), p > ALL (SELECT x FROM a), p <= ANY (SELECT x FROM a WHERE y > 0)
$$;

CREATE FUNCTION where_in(p int) RETURNS SETOF int LANGUAGE sql AS $$
  SELECT k FROM a WHERE x IN (SELECT v FROM b WHERE b.k <= p) ORDER BY k
$$;

CREATE FUNCTION where_not_in(p int) RETURNS SETOF int LANGUAGE sql AS $$
  SELECT k FROM a WHERE x NOT IN (SELECT v FROM b WHERE b.k = p) ORDER BY k
$$;

CREATE FUNCTION correlated(p int) RETURNS SETOF int LANGUAGE sql AS $$
  SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.k = a.k AND v > p) AND NOT EXISTS (SELECT FROM b WHERE b.k = a.k AND v IS NULL) ORDER BY k
$$;

CREATE FUNCTION row_in() RETURNS SETOF int LANGUAGE sql AS $$
  SELECT k FROM a WHERE (k, x) IN (SELECT k, v FROM b) OR (k, y) IN ((1, 1), (2, 7)) OR (k, x) > (2, 1) ORDER BY 1
$$;

CREATE FUNCTION all_of_a() RETURNS SETOF a LANGUAGE sql AS $$ SELECT * FROM a ORDER BY x DESC NULLS LAST, k $$;

CREATE FUNCTION nulls_first(p int) RETURNS SETOF int LANGUAGE sql AS $$ SELECT k FROM a WHERE y <> p ORDER BY x NULLS FIRST, k DESC LIMIT 2 $$;

CREATE FUNCTION limited(p int) RETURNS SETOF int LANGUAGE sql AS $$ SELECT k FROM a ORDER BY k LIMIT p $$;

CREATE FUNCTION joined() RETURNS TABLE (ak int, bj int, total int) LANGUAGE sql AS $$
  SELECT a.k, j, x + v FROM a JOIN b ON b.k = a.k AND b.v IS NOT NULL WHERE y > 0 ORDER BY a.k, j
$$;

CREATE FUNCTION join_using() RETURNS SETOF int LANGUAGE sql AS $$ SELECT k + j FROM a JOIN b USING (k) ORDER BY k, j $$;

CREATE FUNCTION natural_star() RETURNS TABLE (k int, x int, y int, s text, j int, v int) LANGUAGE sql AS $$ SELECT * FROM a NATURAL JOIN b ORDER BY k, j $$;

CREATE FUNCTION self_join() RETURNS TABLE (p int, q int) LANGUAGE sql AS $$
  SELECT l.k, r.k FROM a l, a r WHERE l.x = r.x AND l.k < r.k ORDER BY 1, 2
$$;

CREATE FUNCTION aggregates(p int) RETURNS TABLE (n bigint, nx bigint, nd bigint, total bigint, lo int, hi int) LANGUAGE sql AS $$
  SELECT count(*), count(x), count(DISTINCT x), sum(x), min(x), max(x) FROM a WHERE k >= p
$$;

CREATE FUNCTION aggregate_expr(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; w int;
BEGIN
  SELECT COALESCE(max(x), 0) + 1, count(*) INTO v, w FROM a WHERE k > p;
  RETURN v * 10 + w;
END $$;

CREATE FUNCTION filtered() RETURNS TABLE (n bigint, m int) LANGUAGE sql AS $$
  SELECT count(*) FILTER (WHERE x > 0), max(y) FILTER (WHERE x IS NULL) FROM a
$$;

CREATE FUNCTION scalar_subqueries(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(*) FROM a WHERE x = p) > 1 THEN RETURN (SELECT max(k) FROM a WHERE x = p); END IF;
  RETURN (SELECT k FROM a ORDER BY k LIMIT 1) + (SELECT count(*) FROM b);
END $$;

CREATE FUNCTION case_expr(p int, q int) RETURNS TABLE (c1 text, c2 int, c3 int, c4 int, c5 int, c6 int) LANGUAGE sql AS $$
  SELECT CASE p WHEN 1 THEN 'one' WHEN q THEN 'q' ELSE 'other' END, CASE WHEN p > q THEN p WHEN q > p THEN q END,
         COALESCE(p, q, -1), NULLIF(p, q), GREATEST(p, q, 1), LEAST(q, NULL, p)
$$;

CREATE FUNCTION arithmetic(p int, q int) RETURNS TABLE (c1 int, c2 int, c3 int, c4 int, c5 int) LANGUAGE sql AS $$
  SELECT p + q * 2, p - q, -p, abs(p - q), p * p - q
$$;

CREATE FUNCTION division(p int, q int) RETURNS TABLE (c1 int, c2 int, c3 int) LANGUAGE sql AS $$ SELECT p / q, p % q, mod(p, q) $$;

CREATE FUNCTION strings(p text, q text) RETURNS TABLE (c1 text, c2 text, c3 int, c4 text, c5 text, c6 bool) LANGUAGE sql AS $$
  SELECT p || '-' || q, upper(p), length(p), left(p || q, 2), concat(p, 'x', q), p < q
$$;

CREATE FUNCTION arrays(p int[], i int) RETURNS TABLE (c1 int, c2 int, c3 int, c4 bool) LANGUAGE sql AS $$
  SELECT p[i], array_length(p, 1), cardinality(p), i = ANY (ARRAY[1, 2, NULL]) 
$$;

CREATE FUNCTION casts(p int, q bool, t text) RETURNS TABLE (c1 int, c2 text, c3 bool, c4 numeric, c5 int) LANGUAGE sql AS $$
  SELECT q::int, t::varchar(2), p::bool, p::numeric, '12'::int
$$;

CREATE FUNCTION composite_null(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r a%ROWTYPE;
BEGIN
  SELECT * INTO r FROM a WHERE k = p;
  IF r IS NULL THEN RETURN 'none'; ELSIF r IS NOT NULL THEN RETURN 'full'; END IF;
  RETURN 'holes';
END $$;

CREATE FUNCTION record_fields(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r record; t a%ROWTYPE;
BEGIN
  SELECT k AS key, x + y AS total INTO r FROM a WHERE k >= p ORDER BY k DESC LIMIT 1;
  SELECT * INTO t FROM a WHERE k = r.key;
  t.x := t.x + 1;
  RETURN r.total * 100 + t.x;
END $$;

CREATE FUNCTION swap(INOUT p int, INOUT q int) LANGUAGE plpgsql AS $$
BEGIN
  SELECT q, p INTO p, q;
END $$;

CREATE FUNCTION outs(p int, OUT lo int, OUT hi int) LANGUAGE plpgsql AS $$
BEGIN
  SELECT min(x), max(x) INTO lo, hi FROM a WHERE k <> p;
  IF lo IS NULL THEN RETURN; END IF;
  hi := hi + 1;
END $$;

-- FOUND and ROW_COUNT ------------------------------------------------------
CREATE FUNCTION found_select(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v int; r text := '';
BEGIN
  IF FOUND THEN r := r || 'before '; END IF;
  SELECT x INTO v FROM a WHERE k = p;
  IF FOUND THEN r := r || 'select '; END IF;
  PERFORM 1 FROM b WHERE k = p;
  IF FOUND THEN r := r || 'perform '; END IF;
  SELECT max(x) INTO v FROM a WHERE k = p;
  IF FOUND THEN r := r || 'max '; END IF;
  v := 3;
  IF FOUND THEN r := r || 'still '; END IF;
  PERFORM 1 WHERE p > 1;
  IF NOT FOUND THEN r := r || 'nothing '; END IF;
  RETURN r;
END $$;

CREATE FUNCTION found_write(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text := ''; n int;
BEGIN
  UPDATE a SET x = x + 1 WHERE k = p;
  IF FOUND THEN r := r || 'updated '; END IF;
  UPDATE a SET y = 0 WHERE x > p;
  GET DIAGNOSTICS n = ROW_COUNT;
  r := r || CASE WHEN n > 1 THEN 'several ' ELSE 'few ' END;
  DELETE FROM b WHERE k = p;
  IF NOT FOUND THEN r := r || 'nothing deleted '; END IF;
  GET DIAGNOSTICS n = ROW_COUNT;
  INSERT INTO log VALUES ('rows', n);
  IF FOUND THEN r := r || 'inserted '; END IF;
  INSERT INTO a (k, x) VALUES (p, n) ON CONFLICT DO NOTHING;
  IF FOUND THEN r := r || 'new '; END IF;
  GET DIAGNOSTICS n = ROW_COUNT;
  INSERT INTO log VALUES ('conflict', n);
  RETURN r;
END $$;

CREATE FUNCTION found_loops(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r text := ''; q record; i int;
BEGIN
  FOR q IN SELECT k FROM a WHERE k > p LOOP NULL; END LOOP;
  IF FOUND THEN r := r || 'rows '; END IF;
  FOR i IN 1..p LOOP NULL; END LOOP;
  IF FOUND THEN r := r || 'range '; END IF;
  <<outer_loop>>
  FOR i IN 1..2 LOOP
    FOR q IN SELECT k FROM a LOOP
      EXIT outer_loop WHEN q.k >= p;
    END LOOP;
    IF FOUND THEN r := r || 'inner '; END IF;
  END LOOP;
  IF FOUND THEN r := r || 'outer '; END IF;
  RETURN r;
END $$;

CREATE FUNCTION found_insert_select(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  INSERT INTO log SELECT s, x FROM a WHERE k < p;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF FOUND THEN RETURN n; END IF;
  RETURN -1;
END $$;

CREATE FUNCTION found_return_query(p int) RETURNS SETOF int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
  RETURN QUERY SELECT x FROM a WHERE k > p;
  GET DIAGNOSTICS n = ROW_COUNT;
  IF NOT FOUND THEN RETURN NEXT -1; END IF;
  RETURN NEXT n;
END $$;

-- Control ------------------------------------------------------------------
CREATE FUNCTION loop_sum(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE t int := 0; i int := 0;
BEGIN
  LOOP
    i := i + 1;
    EXIT WHEN i > p;
    CONTINUE WHEN i = 2;
    t := t + i;
  END LOOP;
  WHILE t > 5 LOOP t := t - 2; END LOOP;
  FOR i IN REVERSE p..1 LOOP t := t * 2 + i; END LOOP;
  FOR j IN 1..p BY 2 LOOP CONTINUE WHEN j = 3; t := t + 100 * j; EXIT WHEN t > 400; END LOOP;
  FOR j IN REVERSE 5..p BY 3 LOOP t := t + j; END LOOP;
  RETURN t;
END $$;

CREATE FUNCTION loop_variable(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE t int := 0;
BEGIN
  FOR i IN 1..3 LOOP
    t := t * 10 + i;
    i := i + p;
    t := t * 10 + i;
  END LOOP;
  RETURN t;
END $$;

CREATE FUNCTION null_bound(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE t int := 0;
BEGIN
  FOR i IN p..2 LOOP t := t + i; END LOOP;
  RETURN t;
END $$;

CREATE FUNCTION labels(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t text := '';
BEGIN
  <<l1>>
  FOR i IN 1..3 LOOP
    <<l2>>
    LOOP
      t := t || 'a';
      EXIT l1 WHEN length(t) > 5;
      CONTINUE l1 WHEN i = p;
      EXIT l2;
    END LOOP l2;
    t := t || 'b';
  END LOOP;
  <<blk>>
  BEGIN
    IF p > 1 THEN EXIT blk; END IF;
    t := t || 'c';
  END;
  RETURN t;
END $$;

CREATE FUNCTION case_stmt(p int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  CASE p
    WHEN 0, 1 THEN RETURN 'small';
    WHEN 2 THEN RETURN 'two';
  END CASE;
  RETURN 'not reached';
END $$;

CREATE FUNCTION case_search(p int, q int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  CASE WHEN p > q THEN RETURN 'p'; WHEN q > p THEN RETURN 'q'; ELSE NULL; END CASE;
  RETURN 'neither';
END $$;

CREATE FUNCTION foreach_sum(p int[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE t int := 0; v int;
BEGIN
  FOREACH v IN ARRAY p LOOP
    CONTINUE WHEN v = 2;
    t := t * 3 + v;
    EXIT WHEN t > 20;
  END LOOP;
  RETURN t;
END $$;

CREATE FUNCTION for_rows(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t text := 'r'; r record; m int; n int;
BEGIN
  FOR r IN SELECT k, x FROM a WHERE k <> p ORDER BY k LOOP
    t := t || COALESCE(CASE WHEN r.x > 1 THEN 'b' ELSE 's' END, '?');
    CONTINUE WHEN r.k = 1;
    UPDATE a SET y = r.k WHERE k = r.k;
  END LOOP;
  FOR m, n IN SELECT k, v FROM b ORDER BY k, j LIMIT 2 LOOP
    t := t || CASE WHEN m = n THEN '=' ELSE '#' END;
  END LOOP;
  IF m IS NULL THEN t := t || 'null'; END IF;
  FOR r IN SELECT count(*) AS c FROM b LOOP
    EXIT WHEN r.c = 0;
    t := t || 'c';
  END LOOP;
  RETURN t;
END $$;

CREATE FUNCTION blocks(p int) RETURNS int LANGUAGE plpgsql AS $$
<<main>>
DECLARE v int := 1;
BEGIN
  DECLARE v int := main.v + 10;
  BEGIN
    main.v := v + p;
    v := 0;
  END;
  RETURN v + blocks.p;
END $$;

CREATE FUNCTION redeclared(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE t int := 0;
BEGIN
  FOR i IN 1..3 LOOP
    DECLARE v int;
    BEGIN
      t := t + COALESCE(v, 100);
      v := i * p;
      t := t + COALESCE(v, 1000);
    END;
  END LOOP;
  RETURN t;
END $$;

CREATE FUNCTION asserted(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  ASSERT p > 0, 'p is small';
  RAISE NOTICE 'fine %', p;
  IF p > 2 THEN RAISE EXCEPTION 'too large: %', p USING ERRCODE = '22000'; END IF;
  RETURN p;
END $$;

CREATE FUNCTION no_return(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  IF p > 1 THEN RETURN 1; END IF;
END $$;

CREATE FUNCTION next_rows(p int) RETURNS TABLE (n int, t text) LANGUAGE plpgsql AS $$
BEGIN
  FOR n IN 1..2 LOOP
    t := 'inner'; 
    RETURN NEXT;
  END LOOP;
  n := p;
  RETURN NEXT;
  IF p > 1 THEN RETURN; END IF;
  RETURN QUERY SELECT k, s FROM a WHERE k > p ORDER BY k;
  RETURN QUERY VALUES (8, 'eight'), (9, 'nine');
END $$;

CREATE FUNCTION strict_fn(p int, q int) RETURNS int LANGUAGE plpgsql STRICT AS $$
BEGIN
  RETURN COALESCE(p, 1) + COALESCE(q, 2);
END $$;

-- Inlining ------------------------------------------------------------------
CREATE FUNCTION helper(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  IF p IS NULL THEN RETURN -5; END IF;
  IF p > 2 THEN
    UPDATE a SET x = p WHERE k = 1;
    RETURN p + 1;
  END IF;
  RETURN p;
END $$;

CREATE FUNCTION pure(p int, q int DEFAULT 4) RETURNS int LANGUAGE sql AS $$ SELECT p * 2 + q $$;

CREATE FUNCTION bounds(OUT lo int, OUT hi int) LANGUAGE sql AS $$ SELECT min(k), max(k) FROM a $$;

CREATE FUNCTION strict_helper(p int) RETURNS int LANGUAGE plpgsql STRICT AS $$
DECLARE n int;
BEGIN
  n := p;
  WHILE n < 5 LOOP n := n + 3; END LOOP;
  RETURN n;
END $$;

CREATE PROCEDURE proc(p int, INOUT q int) LANGUAGE plpgsql AS $$
BEGIN
  q := COALESCE(q, 0) + p;
  INSERT INTO log VALUES ('proc', q);
END $$;

CREATE FUNCTION calls(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; r record; l int; h int;
BEGIN
  v := helper(p) + pure(p) * 10;
  PERFORM helper(p + 1);
  SELECT helper(v) INTO v;
  SELECT * INTO r FROM bounds();
  SELECT b2.lo, b2.hi INTO l, h FROM bounds() AS b2;
  CALL proc(v, l);
  RETURN v * 1000 + COALESCE(r.hi, 0) * 100 + COALESCE(l, 0) + COALESCE(strict_helper(h), 7) + pure(q => 1, p => p);
END $$;

CREATE FUNCTION calls_in_query(p int) RETURNS SETOF int LANGUAGE sql AS $$ SELECT pure(k, p) FROM a WHERE pure(x) > p ORDER BY k $$;

CREATE FUNCTION calls_in_condition(p int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  IF helper(p) > 2 THEN RETURN 'big'; ELSIF helper(p - 1) = 0 THEN RETURN 'zero'; END IF;
  WHILE pure(p, 0) < 4 LOOP p := p + 1; END LOOP;
  RETURN CASE WHEN p > 3 THEN 'many' ELSE 'some' END;
END $$;

-- Writing --------------------------------------------------------------------
CREATE FUNCTION insert_defaults(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO a (k) VALUES (p);
  INSERT INTO a VALUES (p + 10, DEFAULT, DEFAULT, 'dd'), (p + 20, 1, 2, NULL);
  INSERT INTO c (a_k, n) VALUES (p, 1.50);
  INSERT INTO log DEFAULT VALUES;
END $$;

CREATE FUNCTION insert_returning(p int, t text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE v bigint; w text;
BEGIN
  INSERT INTO c (a_k, t) VALUES (p, t || '!') RETURNING id, c.t INTO v, w;
  INSERT INTO d (id, c_id, u) VALUES (p, v, p) RETURNING twice INTO v;
  INSERT INTO log VALUES (w, v);
  RETURN v;
END $$;

CREATE FUNCTION insert_select(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO b SELECT k, p, x FROM a WHERE x IS NOT NULL;
  INSERT INTO log SELECT 'total', sum(v) FROM b;
  INSERT INTO log SELECT 'given', p WHERE NOT EXISTS (SELECT 1 FROM a WHERE k = p);
  INSERT INTO log SELECT 'first', k FROM a ORDER BY k DESC LIMIT 1;
  INSERT INTO log SELECT 'limited', k FROM a ORDER BY k LIMIT p;
$$;

CREATE FUNCTION upsert(p int, q int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO a AS t (k, x, y) VALUES (p, q, 1) ON CONFLICT (k) DO UPDATE SET x = t.x + excluded.x, y = q WHERE t.y > 0;
  INSERT INTO b (k, j, v) VALUES (p, q, 0), (p, q + 1, 1) ON CONFLICT ON CONSTRAINT b_pkey DO UPDATE SET v = b.v + 1;
END $$;

CREATE FUNCTION upsert_returning(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  INSERT INTO a (k, x) VALUES (p, q) ON CONFLICT (k) DO UPDATE SET x = a.x * 2, y = excluded.x WHERE a.x > 0 RETURNING x + y INTO v;
  IF NOT FOUND THEN RETURN -1; END IF;
  RETURN v;
END $$;

CREATE FUNCTION do_nothing_returning(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 5;
BEGIN
  INSERT INTO a (k, x) VALUES (p, 3) ON CONFLICT (k) DO NOTHING RETURNING x INTO v;
  RETURN COALESCE(v, -9);
END $$;

CREATE FUNCTION partial_unique(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO d (id, flag, u) VALUES (10, true, p), (11, false, p), (12, NULL, p);
  INSERT INTO d (id, flag, u) VALUES (13, true, p) ON CONFLICT (u) WHERE flag DO UPDATE SET flag = NULL;
$$;

CREATE FUNCTION update_forms(p int, q int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE a SET x = y, y = COALESCE(x, 0) WHERE k = p;
  UPDATE a SET (x, y) = (q, y + 1) WHERE x IS NULL;
  UPDATE a AS t SET (x, y) = (SELECT max(v), count(*) FROM b) WHERE t.k = q;
  UPDATE a SET y = DEFAULT WHERE x = p;
  UPDATE a SET k = k WHERE k = q;
  UPDATE d SET u = u + 1, flag = NOT flag;
END $$;

CREATE FUNCTION do_nothing_returning_sql(p int) RETURNS int LANGUAGE sql AS $$
  INSERT INTO a (k, x) VALUES (p, 3) ON CONFLICT (k) DO NOTHING RETURNING x + 1 $$;

CREATE FUNCTION upsert_returning_sql(p int, q int) RETURNS int LANGUAGE sql AS $$
  INSERT INTO a (k, x) VALUES (p, q) ON CONFLICT (k) DO UPDATE SET x = a.x * 2 WHERE a.x > 0 RETURNING x $$;

CREATE FUNCTION do_nothing_returning_called(p int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  RETURN COALESCE(do_nothing_returning_sql(p), -1) * 10 + COALESCE(do_nothing_returning_sql(p + 1), -2);
END $$;

CREATE FUNCTION update_returning(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 3; w int;
BEGIN
  UPDATE a SET x = COALESCE(x, 0) + v, y = y - 1 WHERE k = p RETURNING x, y * 2 INTO v, w;
  RETURN v * 100 + w;
END $$;

CREATE FUNCTION update_returning_many(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  UPDATE a SET y = y + 1 WHERE k > p RETURNING y INTO v;
  RETURN v;
END $$;

CREATE FUNCTION update_returning_sql(p int) RETURNS SETOF a LANGUAGE sql AS $$ UPDATE a SET x = k WHERE y > p RETURNING * $$;

CREATE FUNCTION update_from(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE a SET y = y + 1 FROM b WHERE b.k = a.k AND b.v > p;
  UPDATE b SET v = a.x FROM a WHERE a.k = b.k AND a.y > 1;
END $$;

CREATE FUNCTION delete_forms(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t text;
BEGIN
  DELETE FROM b USING a WHERE a.k = b.k AND a.x = p;
  DELETE FROM c WHERE a_k = p;
  DELETE FROM log WHERE n > p OR n IS NULL;
  DELETE FROM d WHERE id = p RETURNING CASE WHEN flag THEN 'flag' ELSE 'none' END INTO t;
  RETURN t;
END $$;

CREATE FUNCTION delete_parent(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM a WHERE k = p;
END $$;

CREATE FUNCTION delete_parents(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM b;
  DELETE FROM a WHERE x > p;
END $$;

CREATE FUNCTION read_own_writes(p int) RETURNS TABLE (n bigint, m int) LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  INSERT INTO a (k, x) VALUES (50, p);
  UPDATE a SET x = x + 1 WHERE k = 50;
  SELECT x INTO v FROM a WHERE k = 50;
  DELETE FROM a WHERE x = 3;
  RETURN QUERY SELECT count(*), v FROM a;
END $$;

CREATE FUNCTION array_rows(p int[]) RETURNS int LANGUAGE plpgsql AS $$
DECLARE t int := 0; r record;
BEGIN
  INSERT INTO log SELECT 'e', e FROM unnest(p) AS e WHERE e > 0;
  FOR r IN SELECT e, i FROM unnest(p) WITH ORDINALITY AS u(e, i) LOOP
    CONTINUE WHEN r.e = 1;
    EXIT WHEN r.e = 3;
    t := t * 10 + r.e * r.i;
  END LOOP;
  FOR r IN SELECT g FROM generate_series(1, cardinality(p)) AS g LOOP t := t + r.g; END LOOP;
  FOR r IN SELECT e, a.x FROM unnest(p) AS e JOIN a ON a.k = e LOOP
    t := t + r.x;
  END LOOP;
  RETURN t;
END $$;

CREATE FUNCTION times() RETURNS bool LANGUAGE plpgsql AS $$
DECLARE t timestamptz := now();
BEGIN
  RETURN t = current_timestamp AND now() >= t;
END $$;

CREATE FUNCTION constant_rows() RETURNS TABLE (n int, t text) LANGUAGE sql AS $$ VALUES (1, 'a'), (2, 'b') $$;

CREATE FUNCTION atomic_body(p int) RETURNS int LANGUAGE sql BEGIN ATOMIC
  UPDATE a SET x = p WHERE k = 1;
  SELECT x FROM a WHERE k = 1;
END;

CREATE FUNCTION return_body(p int) RETURNS int LANGUAGE sql RETURN p + 1;

CREATE FUNCTION check_fails(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO d (id, u) VALUES (60, p - 3);
  UPDATE d SET u = NULL WHERE id = 60;
END $$;

CREATE FUNCTION use_column(x int) RETURNS SETOF int LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT x FROM a WHERE x = use_column.x;
END $$;

CREATE FUNCTION sql_names(x int, k int) RETURNS SETOF int LANGUAGE sql AS $$ SELECT x FROM a WHERE k = $2 ORDER BY x, k $$;
