-- A handler of unique_violation, and of anything, where nobody else commits meanwhile.
CREATE TABLE t (k int PRIMARY KEY, a int UNIQUE, b int CHECK (b > 0));
CREATE TABLE c (k int PRIMARY KEY, t int REFERENCES t);
CREATE FUNCTION put(p int, v int, w int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  BEGIN INSERT INTO t VALUES (p, v, w); EXCEPTION WHEN unique_violation THEN
    UPDATE t SET b = w + 1 WHERE k = p; RETURN 'taken'; END;
  RETURN 'put';
END $$;
CREATE FUNCTION several(p int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO t VALUES (p, p, 1), (p + 1, p + 1, 1), (1, 77, 1); RETURN 'put';
EXCEPTION WHEN unique_violation THEN RETURN 'taken'; END $$;
CREATE FUNCTION anything(p int, v int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  UPDATE t SET b = v WHERE k = p; RETURN 'done';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END $$;
CREATE FUNCTION nested(p int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  BEGIN INSERT INTO t VALUES (p, p, 1); EXCEPTION WHEN unique_violation THEN RAISE EXCEPTION 'again'; END;
  RETURN 'put';
EXCEPTION WHEN raise_exception THEN RETURN 'raised'; END $$;
CREATE FUNCTION loop_() RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int := 0; BEGIN
  FOR i IN 1..3 LOOP BEGIN INSERT INTO t VALUES (i, i + 5, 1); n := n + 1; EXCEPTION WHEN unique_violation THEN NULL; END; END LOOP;
  RETURN n;
END $$;
-- rows
INSERT INTO t VALUES (1, 6, 1), (4, 4, 4);
-- calls
SELECT * FROM put(1, 2, 3);
SELECT * FROM put(2, 6, 3);
SELECT * FROM put(2, 2, 3);
SELECT * FROM put(2, 2, -3); -- aborts
SELECT * FROM several(2); -- unmodelled
SELECT * FROM anything(1, 5);
SELECT * FROM anything(1, -5);
SELECT * FROM anything(9, -5);
SELECT * FROM nested(1);
SELECT * FROM nested(2);
SELECT * FROM loop_();
