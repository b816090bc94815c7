-- Blocks with EXCEPTION.
CREATE FUNCTION e_no_data(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 5;
BEGIN
  BEGIN
    SELECT x INTO STRICT v FROM a WHERE k = p;
  EXCEPTION WHEN no_data_found THEN
    IF NOT FOUND THEN v := v + 100; END IF;
  END;
  RETURN v;
END $$;

CREATE FUNCTION e_many(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v int := 5; w int := 6;
BEGIN
  SELECT x, k INTO STRICT v, w FROM a WHERE y = p OR p = 0;
  RETURN v || ' ' || w;
EXCEPTION
  WHEN too_many_rows THEN RETURN SQLSTATE || ' ' || v || ' ' || w || ' ' || FOUND;
  WHEN no_data_found THEN RETURN SQLSTATE || ' ' || v || ' ' || w || ' ' || FOUND;
END $$;

CREATE FUNCTION e_record(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  SELECT * INTO STRICT r FROM a WHERE k = 1 LIMIT 1;
  BEGIN
    SELECT * INTO STRICT r FROM a WHERE k = p;
    r.x := r.x + 1;
  EXCEPTION WHEN no_data_found THEN
    r.x := r.x + 10;
  END;
  RETURN r.x;
EXCEPTION WHEN no_data_found THEN
  RETURN -1;
END $$;

CREATE FUNCTION e_rowtype(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r a%ROWTYPE;
BEGIN
  r.x := 8;
  SELECT * INTO STRICT r FROM a WHERE k = p;
  RETURN r.s;
EXCEPTION WHEN no_data_found THEN
  RETURN r.x;
END $$;

CREATE FUNCTION e_grouped(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v int := 5; n int := 6;
BEGIN
  SELECT y, count(*) INTO STRICT v, n FROM a GROUP BY y HAVING count(*) >= p;
  RETURN v || ' ' || n;
EXCEPTION
  WHEN too_many_rows OR no_data_found THEN RETURN SQLSTATE || ' ' || v || ' ' || n || ' ' || FOUND;
END $$;

CREATE FUNCTION e_returning(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v int := 5;
BEGIN
  UPDATE a SET x = 3 WHERE y = p OR p = 1 RETURNING k INTO v;
  RETURN v;
EXCEPTION
  WHEN too_many_rows THEN RETURN 'many ' || v || ' ' || FOUND;
END $$;

CREATE FUNCTION e_returning_strict(p int, q int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v int := 5;
BEGIN
  UPDATE a SET x = 3 WHERE k = p RETURNING k INTO STRICT v;
  DELETE FROM log WHERE n = q RETURNING n INTO STRICT v;
  RETURN v;
EXCEPTION
  WHEN too_many_rows THEN RETURN 'many ' || v || ' ' || FOUND;
  WHEN no_data_found THEN RETURN 'none ' || v || ' ' || FOUND;
END $$;

CREATE FUNCTION e_insert_strict(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v int := 5;
BEGIN
  INSERT INTO a (k, x) VALUES (p, 1) ON CONFLICT DO NOTHING RETURNING k + 10 INTO STRICT v;
  RETURN v;
EXCEPTION
  WHEN no_data_found THEN RETURN 'none ' || v || ' ' || FOUND;
END $$;

CREATE FUNCTION e_execute(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 5;
BEGIN
  EXECUTE 'SELECT x FROM a WHERE k = $1' INTO STRICT v USING p;
  RETURN v;
EXCEPTION WHEN no_data_found THEN
  RETURN v + 1;
END $$;

CREATE FUNCTION e_undone(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 0;
BEGIN
  INSERT INTO log VALUES ('before', p);
  BEGIN
    v := 1;
    UPDATE a SET x = COALESCE(x, 0) + 1 WHERE k = p;
    DELETE FROM log WHERE n = p;
    IF FOUND THEN v := 2; END IF;
    IF EXISTS (SELECT FROM a WHERE k = p AND x > 2) THEN RAISE EXCEPTION 'too large'; END IF;
    v := v + 10;
  EXCEPTION WHEN raise_exception THEN
    INSERT INTO log VALUES ('undone', v);
  END;
  RETURN v;
END $$;

CREATE FUNCTION e_rows(p int) RETURNS SETOF int LANGUAGE plpgsql AS $$
BEGIN
  RETURN NEXT 1;
  BEGIN
    RETURN NEXT 2;
    RETURN QUERY SELECT k FROM a WHERE k < p ORDER BY k;
    IF p > 1 THEN RAISE SQLSTATE 'AB001'; END IF;
    RETURN NEXT 3;
  EXCEPTION WHEN SQLSTATE 'AB000' THEN
    RETURN NEXT 4;
  END;
  RETURN NEXT 5;
END $$;

CREATE FUNCTION e_states(p int, q int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v text := '';
BEGIN
  BEGIN
    IF p = 1 THEN RAISE no_data_found; END IF;
    IF p = 2 THEN RAISE SQLSTATE 'AB012'; END IF;
    IF p = 3 THEN RAISE 'x' USING ERRCODE = 'AC001', HINT = 'none'; END IF;
    CASE q WHEN 1 THEN v := 'one'; WHEN 2 THEN v := 'two'; WHEN 3 THEN NULL; ELSE RAISE 'x' USING ERRCODE = 'case_not_found'; END CASE;
    ASSERT q = 2;
  EXCEPTION
    WHEN SQLSTATE 'AB000' THEN v := v || 'custom ' || SQLSTATE;
    WHEN case_not_found OR SQLSTATE 'AC001' THEN v := v || 'case ' || SQLSTATE;
    WHEN plpgsql_error THEN v := v || 'plpgsql ' || SQLSTATE;
  END;
  RETURN v;
END $$;

CREATE FUNCTION e_case(q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 0;
BEGIN
  CASE q WHEN 1 THEN v := 1; WHEN 2 THEN v := 2; END CASE;
  RETURN v;
EXCEPTION WHEN case_not_found THEN
  RETURN v - 1;
END $$;

CREATE FUNCTION e_again(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v text := 'start';
BEGIN
  BEGIN
    INSERT INTO log VALUES ('inner', p);
    IF p = 1 THEN RAISE SQLSTATE 'AB001'; ELSIF p = 2 THEN RAISE SQLSTATE 'AB002'; ELSIF p = 3 THEN RAISE SQLSTATE 'AC003'; END IF;
    v := v || ' body';
  EXCEPTION WHEN SQLSTATE 'AB000' THEN
    v := v || ' ' || SQLSTATE;
    INSERT INTO log VALUES ('handler', p);
    RAISE;
  WHEN SQLSTATE 'AC003' THEN
    RAISE SQLSTATE 'AB004';
  END;
  RETURN v;
EXCEPTION WHEN SQLSTATE 'AB001' THEN
  RETURN v || ' first';
WHEN SQLSTATE 'AB000' THEN
  INSERT INTO log VALUES (v, 0);
  RETURN v || ' second ' || SQLSTATE;
END $$;

CREATE FUNCTION e_in_handler(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v text := '';
BEGIN
  BEGIN
    RAISE SQLSTATE 'AB001';
  EXCEPTION WHEN SQLSTATE 'AB001' THEN
    BEGIN
      v := v || SQLSTATE;
      IF p > 1 THEN RAISE no_data_found; END IF;
    EXCEPTION WHEN no_data_found THEN
      v := v || SQLSTATE;
      IF p > 2 THEN RAISE; END IF;
    END;
    v := v || SQLSTATE;
    IF p > 1 THEN RAISE; END IF;
  END;
  RETURN v;
EXCEPTION WHEN no_data_found OR SQLSTATE 'AB001' THEN
  RETURN v || ' ' || SQLSTATE;
END $$;

CREATE FUNCTION e_loop(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v int := 0; t text := 'k';
BEGIN
  FOR i IN 0..4 LOOP
    BEGIN
      INSERT INTO log VALUES ('round', i);
      SELECT x INTO STRICT v FROM a WHERE k = i;
      EXIT WHEN v >= p;
      t := t || i;
    EXCEPTION WHEN no_data_found THEN
      t := t || '-';
      CONTINUE;
    END;
    t := t || '.';
  END LOOP;
  RETURN t || FOUND;
END $$;

CREATE FUNCTION e_out_of_loop(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE r record; n int := 0; t text := 'k';
BEGIN
  SELECT 1 INTO n WHERE p > 100;
  FOR r IN SELECT k, x FROM a ORDER BY k LOOP
    UPDATE a SET y = 100 WHERE k = r.k;
    t := t || r.k;
    IF r.x > p THEN RAISE EXCEPTION 'x'; END IF;
  END LOOP;
  RETURN t;
EXCEPTION WHEN raise_exception THEN
  INSERT INTO log VALUES (t, r.k);
  RETURN t || ' ' || FOUND;
END $$;

CREATE FUNCTION e_label(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 0;
BEGIN
  <<outermost>>
  BEGIN
    v := 1;
    UPDATE a SET x = 1 WHERE k = p;
    EXIT outermost WHEN p = 1;
    IF p = 2 THEN RAISE EXCEPTION 'two'; END IF;
    v := 2;
  EXCEPTION WHEN raise_exception THEN
    EXIT outermost WHEN v = 1;
    v := 3;
  END;
  RETURN v;
END $$;

CREATE FUNCTION strict_total(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  INSERT INTO log VALUES ('total', p);
  SELECT x INTO STRICT v FROM a WHERE k = p;
  IF v IS NULL THEN RAISE 'no total' USING ERRCODE = 'AB001'; END IF;
  RETURN v;
END $$;

CREATE FUNCTION e_call(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 7;
BEGIN
  BEGIN
    v := strict_total(p);
    v := v + strict_total(q);
  EXCEPTION WHEN no_data_found THEN
    v := v + 1000;
  END;
  RETURN v;
EXCEPTION WHEN SQLSTATE 'AB001' THEN
  RETURN v + 2000;
END $$;

CREATE FUNCTION e_call_in_loop(p int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 0;
BEGIN
  FOR i IN 0..3 LOOP
    BEGIN
      v := v + strict_total(i);
    EXCEPTION WHEN no_data_found OR SQLSTATE 'AB001' THEN
      IF i = p THEN RETURN v - 1; END IF;
    END;
  END LOOP;
  RETURN v;
END $$;

CREATE FUNCTION e_trigger(p int, q int) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  UPDATE acct SET v = v - p WHERE id = q;
  UPDATE acct SET v = v - 1 WHERE id = p;
  RETURN 'done';
EXCEPTION WHEN raise_exception THEN
  RETURN SQLSTATE;
END $$;

CREATE FUNCTION e_subquery(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v int := 2;
BEGIN
  v := (SELECT k FROM a WHERE y = p);
  RETURN v;
EXCEPTION WHEN no_data_found THEN
  RETURN 'never';
END $$;

CREATE FUNCTION e_message(p int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t text; u text; v int;
BEGIN
  SELECT x INTO STRICT v FROM a WHERE k = p;
  RETURN v;
EXCEPTION WHEN no_data_found THEN
  GET STACKED DIAGNOSTICS t = MESSAGE_TEXT, u = RETURNED_SQLSTATE;
  t := t || SQLERRM;
  RAISE NOTICE '% %', t, SQLERRM;
  RETURN u;
END $$;

CREATE FUNCTION e_failed(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO a VALUES (p, q, q);
  IF q = 3 THEN RAISE EXCEPTION 'three'; END IF;
  RETURN q;
EXCEPTION
  WHEN raise_exception THEN RETURN 0;
  WHEN unique_violation THEN RAISE NOTICE 'taken'; RAISE;
END $$;

CREATE FUNCTION e_step(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 0;
BEGIN
  FOR i IN 1..4 BY p LOOP
    v := v + i;
    IF v > q THEN RAISE SQLSTATE 'AB001'; END IF;
  END LOOP;
  RETURN v;
EXCEPTION WHEN SQLSTATE 'AB001' THEN
  RETURN -v;
END $$;

CREATE FUNCTION e_out(p int, OUT u int, OUT w text) LANGUAGE plpgsql AS $$
BEGIN
  u := 1;
  w := 'x';
  BEGIN
    SELECT x, s INTO STRICT u, w FROM a WHERE k = p;
  EXCEPTION WHEN no_data_found THEN
    w := w || SQLSTATE;
  END;
END $$;

CREATE PROCEDURE e_procedure(p int) LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM log;
  BEGIN
    INSERT INTO log VALUES ('x', strict_total(p));
  EXCEPTION WHEN no_data_found THEN
    INSERT INTO log VALUES (SQLSTATE, p);
  END;
END $$;

CREATE FUNCTION e_divide(p int, q int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v int := 100; n numeric := 1;
BEGIN
  v := p / (q % 3);
  n := 3.0 / (p - q);
  IF q / p > 0 THEN v := v + 50; END IF;
  RETURN v + 8 / (p - 1);
EXCEPTION WHEN division_by_zero THEN
  RETURN 'zero ' || v;
END $$;

CREATE FUNCTION e_divide_class(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  RETURN e_quotient(p, q);
EXCEPTION WHEN division_by_zero OR no_data_found THEN
  RETURN -7;
END $$;

CREATE FUNCTION e_quotient(p int, q int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log VALUES ('quotient', q);
  RETURN p / q;
END $$;

CREATE FUNCTION e_where(p int, q int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v int := 5;
BEGIN
  IF p > 2 AND q > 2 THEN RAISE EXCEPTION 'large'; END IF;
  UPDATE a SET x = x + 1 WHERE k = q;
  PERFORM strict_total(p);
  SELECT x INTO v FROM a WHERE k = q;
  IF v > 3 THEN RAISE SQLSTATE 'AB001'; END IF;
  RETURN v;
EXCEPTION WHEN no_data_found THEN RETURN 'none ' || v;
WHEN raise_exception THEN RETURN 'raised';
WHEN SQLSTATE 'AB001' THEN RETURN 'state ' || v;
END $$;
