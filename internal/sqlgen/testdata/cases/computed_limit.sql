-- A LIMIT that is computed, where there is one row at most: without FROM, and of aggregates.
CREATE TABLE a (k int PRIMARY KEY, n int);
CREATE FUNCTION ins(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a SELECT p, 1 LIMIT (SELECT n FROM a WHERE k = 1); END $$;
CREATE FUNCTION ins_null(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a SELECT p, 1 LIMIT (SELECT n FROM a WHERE k = 2); END $$;
CREATE FUNCTION ins_zero(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a SELECT p, 1 LIMIT (SELECT n - 1 FROM a WHERE k = 1); END $$;
CREATE FUNCTION ins_negative(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a SELECT p, 1 LIMIT (SELECT n - 2 FROM a WHERE k = 1); END $$;
CREATE FUNCTION ins_param(p int, l int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a SELECT p, 1 LIMIT l; END $$;
CREATE FUNCTION ins_where(p int, l int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a SELECT p, 1 WHERE p > 3 LIMIT l; END $$;
CREATE FUNCTION ins_constant(p int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a SELECT p, 1 LIMIT 0; END $$;
CREATE FUNCTION ins_counted(p int, l int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a SELECT p, count(*) FROM a LIMIT l; END $$;
CREATE FUNCTION got(l int) RETURNS text LANGUAGE plpgsql AS $$ DECLARE x int := 5; BEGIN SELECT 7 INTO x LIMIT l; RETURN x::text || FOUND; END $$;
CREATE FUNCTION done(l int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN PERFORM 7 LIMIT l; RETURN FOUND; END $$;
CREATE FUNCTION there(l int) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN EXISTS (SELECT 7 LIMIT l); END $$;
CREATE FUNCTION a_value(l int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT 7 LIMIT l); END $$;
CREATE FUNCTION rows(l int) RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT 7 LIMIT l; END $$;
CREATE FUNCTION looped(l int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE r record; s int := 0; BEGIN FOR r IN SELECT 7 AS n LIMIT l LOOP s := s + r.n; END LOOP; RETURN s; END $$;
CREATE FUNCTION an_offset(p int, o int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a SELECT p, 1 OFFSET o; END $$;
-- rows
INSERT INTO a VALUES (1, 1), (2, NULL);
-- calls
SELECT * FROM ins(5);
SELECT * FROM ins_null(5);
SELECT * FROM ins_zero(5);
SELECT * FROM ins_negative(5); -- aborts
SELECT * FROM ins_param(5, 0);
SELECT * FROM ins_param(5, NULL);
SELECT * FROM ins_where(5, 0);
SELECT * FROM ins_where(5, 2);
SELECT * FROM ins_where(3, 2);
SELECT * FROM ins_constant(5);
SELECT * FROM there(1);
SELECT * FROM there(0);
SELECT * FROM ins_counted(5, 0);
SELECT * FROM ins_counted(5, 1);
SELECT * FROM got(0);
SELECT * FROM got(1);
SELECT * FROM done(0);
SELECT * FROM done(1);
SELECT * FROM a_value(0);
SELECT * FROM a_value(1);
SELECT * FROM rows(0);
SELECT * FROM rows(1);
SELECT * FROM looped(0);
SELECT * FROM looped(1);
SELECT * FROM an_offset(5, 0);
SELECT * FROM an_offset(5, 1);
