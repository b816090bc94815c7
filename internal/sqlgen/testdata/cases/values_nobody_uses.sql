-- What fails ends the transaction, also where nobody looks at its value.
CREATE TABLE t (id int PRIMARY KEY, v int);
CREATE DOMAIN small AS int CHECK (VALUE < 3);
CREATE TYPE pair AS (a small, b int);
CREATE TABLE like_pair (a small, b int);
CREATE FUNCTION aggregate() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 / (count(*) - 1) FROM t; END $$;
CREATE FUNCTION cast_of_aggregate() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  PERFORM (CASE WHEN count(*) < 2 THEN 'x' ELSE '1' END)::int FROM t; END $$;
CREATE FUNCTION sorted() RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM count(*) FROM t ORDER BY 1 / (count(*) - 1); END $$;
CREATE FUNCTION executed() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'SELECT sqrt(count(*) - 2) FROM t'; END $$;
CREATE FUNCTION noticed() RETURNS void LANGUAGE plpgsql AS $$ BEGIN RAISE DEBUG 'left %', 1 / ((SELECT count(*) FROM t) - 1); END $$;
CREATE FUNCTION hinted() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  RAISE NOTICE 'x' USING HINT = (CASE WHEN (SELECT count(*) FROM t) > 1 THEN 'h' END); END $$;
CREATE FUNCTION subscript() RETURNS void LANGUAGE plpgsql AS $$ DECLARE a int[]; BEGIN
  a[CASE WHEN (SELECT count(*) FROM t) > 1 THEN 1 END] := 5; END $$;
CREATE FUNCTION condition() RETURNS void LANGUAGE plpgsql AS $$ BEGIN
  PERFORM 1 WHERE EXISTS (SELECT 1 FROM t WHERE 10 / (v - 3) > 0); END $$;
CREATE FUNCTION locked() RETURNS boolean LANGUAGE sql AS $$ SELECT EXISTS (SELECT 10 / (v - 3) FROM t FOR UPDATE) $$;
CREATE FUNCTION not_locked() RETURNS boolean LANGUAGE sql AS $$ SELECT EXISTS (SELECT 10 / (v - 3) FROM t) $$;
CREATE FUNCTION element(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE a small[]; BEGIN a[1] := p; END $$;
CREATE FUNCTION composite(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE r pair; BEGIN SELECT p, 1 INTO r; END $$;
CREATE FUNCTION row_of(p int) RETURNS void LANGUAGE plpgsql AS $$ DECLARE r like_pair%ROWTYPE; BEGIN r := ROW(p, 1); END $$;
CREATE FUNCTION notified(p text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_notify(p, 'x'); END $$;
CREATE FUNCTION limited(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 LIMIT (SELECT count(*) - p FROM t); END $$;
-- rows
INSERT INTO t VALUES (1, 3);
-- calls
SELECT * FROM aggregate(); -- aborts
SELECT * FROM cast_of_aggregate(); -- aborts
SELECT * FROM sorted(); -- aborts
SELECT * FROM executed(); -- aborts
SELECT * FROM noticed(); -- aborts
SELECT * FROM hinted(); -- aborts
SELECT * FROM subscript(); -- aborts
SELECT * FROM condition(); -- aborts
SELECT * FROM locked(); -- aborts
SELECT * FROM not_locked();
SELECT * FROM element(1);
SELECT * FROM composite(1);
SELECT * FROM row_of(1);
SELECT * FROM notified('a');
SELECT * FROM limited(1);
