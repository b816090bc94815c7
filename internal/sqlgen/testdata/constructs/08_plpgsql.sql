-- PL/pgSQL
CREATE TABLE a (k int PRIMARY KEY, v int CHECK (v >= 0), s text);
CREATE TABLE b (k int PRIMARY KEY, a int REFERENCES a, n int NOT NULL);
CREATE TABLE log (id serial PRIMARY KEY, note text);
INSERT INTO a VALUES (1, 10, 'x'), (2, 20, 'y'), (3, 30, 'x');
INSERT INTO b VALUES (1, 1, 5), (2, 1, 7), (3, 2, 1);

-- ## variables and :=
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int := 5; y CONSTANT int := 2; BEGIN x := x * y; RETURN x; END $$;
---
SELECT * FROM example();

-- ## x%TYPE and a%ROWTYPE
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x a.v%TYPE; r a%ROWTYPE; BEGIN SELECT * INTO r FROM a WHERE k = 1; x := r.v; RETURN x; END $$;
---
SELECT * FROM example();

-- ## record
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN SELECT k, v INTO r FROM a WHERE k = 1; RETURN r.v; END $$;
---
SELECT * FROM example();

-- ## SELECT INTO
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN SELECT v INTO x FROM a WHERE k = 1; RETURN x; END $$;
---
SELECT * FROM example();

-- ## SELECT INTO STRICT
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN SELECT v INTO STRICT x FROM a WHERE k = 9; RETURN x; END $$;
---
SELECT * FROM example();

-- ## INSERT … RETURNING INTO
CREATE FUNCTION example() RETURNS text LANGUAGE plpgsql AS $$ DECLARE x text; BEGIN INSERT INTO log (note) VALUES ('n') RETURNING note INTO x; RETURN x; END $$;
---
SELECT * FROM example();

-- ## UPDATE … RETURNING INTO
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN UPDATE a SET v = v + 1 WHERE k = 1 RETURNING v INTO x; RETURN x; END $$;
---
SELECT * FROM example();

-- ## PERFORM
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM 1 FROM a WHERE k = 1; IF FOUND THEN RETURN 1; END IF; RETURN 0; END $$;
---
SELECT * FROM example();

-- ## IF … ELSIF … ELSE
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN SELECT v INTO x FROM a WHERE k = 1; IF x > 50 THEN RETURN 1; ELSIF x > 5 THEN RETURN 2; ELSE RETURN 3; END IF; END $$;
---
SELECT * FROM example();

-- ## IF of a number
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int; z int := 0; none int; BEGIN UPDATE a SET v = 9 WHERE k = 1; GET DIAGNOSTICS n = ROW_COUNT; IF z THEN RETURN 4; ELSIF none THEN RETURN 5; ELSIF n THEN RETURN 1; END IF; RETURN 2; END $$;
---
SELECT * FROM example();

-- ## IF of a number other than 0 and 1
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE n int; BEGIN UPDATE a SET v = 7 WHERE k = 1; SELECT v INTO n FROM a WHERE k = 2; IF n THEN RETURN 2; END IF; RETURN 3; END $$;
---
SELECT * FROM example();

-- ## IF EXISTS (SELECT …)
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF EXISTS (SELECT 1 FROM a WHERE k = 1) THEN RETURN 1; END IF; RETURN 0; END $$;
---
SELECT * FROM example();

-- ## CASE
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int := 2; BEGIN CASE x WHEN 1 THEN RETURN 1; WHEN 2, 3 THEN RETURN 5; ELSE RETURN 0; END CASE; END $$;
---
SELECT * FROM example();

-- ## LOOP … EXIT WHEN
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int := 0; BEGIN LOOP x := x + 1; EXIT WHEN x > 3; END LOOP; RETURN x; END $$;
---
SELECT * FROM example();

-- ## WHILE, CONTINUE
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int := 0; y int := 0; BEGIN WHILE x < 4 LOOP x := x + 1; CONTINUE WHEN x = 2; y := y + x; END LOOP; RETURN y; END $$;
---
SELECT * FROM example();

-- ## FOR i IN 1..n
CREATE FUNCTION example() RETURNS void LANGUAGE plpgsql AS $$ BEGIN FOR i IN 1..2 LOOP UPDATE a SET v = i WHERE k = i; END LOOP; END $$;
---
SELECT * FROM example();

-- ## FOR i IN REVERSE … BY
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int := 0; BEGIN FOR i IN REVERSE 9..1 BY 3 LOOP x := x * 10 + i; END LOOP; RETURN x; END $$;
---
SELECT * FROM example();

-- ## FOR r IN SELECT
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int := 0; r record; BEGIN FOR r IN SELECT k, v FROM a ORDER BY k LOOP UPDATE b SET n = r.v WHERE b.a = r.k; x := x + r.v; END LOOP; RETURN x; END $$;
---
SELECT * FROM example();

-- ## FOR r IN SELECT … FOR UPDATE
CREATE FUNCTION example() RETURNS void LANGUAGE plpgsql AS $$ DECLARE r record; BEGIN FOR r IN SELECT k, v FROM a WHERE s = 'x' ORDER BY k FOR UPDATE LOOP UPDATE a SET v = r.v + 1 WHERE k = r.k; END LOOP; END $$;
---
SELECT * FROM example();

-- ## FOR r IN UPDATE … RETURNING
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int := 0; r record; BEGIN FOR r IN UPDATE a SET v = v + 1 WHERE s = 'x' RETURNING k LOOP x := x + r.k; END LOOP; RETURN x; END $$;
---
SELECT * FROM example();

-- ## FOREACH … IN ARRAY
CREATE FUNCTION example() RETURNS void LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN FOREACH x IN ARRAY ARRAY[1, 2] LOOP UPDATE a SET v = 0 WHERE k = x; END LOOP; END $$;
---
SELECT * FROM example();

-- ## a labelled block and EXIT
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int := 0; BEGIN <<l>> BEGIN x := 1; EXIT l WHEN x = 1; x := 2; END; RETURN x; END $$;
---
SELECT * FROM example();

-- ## nested loops and EXIT of the outer one
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int := 0; BEGIN <<o>> FOR i IN 1..3 LOOP FOR j IN 1..3 LOOP x := x + 1; EXIT o WHEN i * j = 4; END LOOP; END LOOP; RETURN x; END $$;
---
SELECT * FROM example();

-- ## RETURN QUERY
CREATE FUNCTION example() RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT k FROM a; RETURN QUERY SELECT 9; END $$;
---
SELECT * FROM example();

-- ## RETURN NEXT
CREATE FUNCTION example() RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN FOR i IN 1..2 LOOP RETURN NEXT i; END LOOP; END $$;
---
SELECT * FROM example();

-- ## RETURNS TABLE
CREATE FUNCTION example() RETURNS TABLE (x int, y int) LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT k, v FROM a; END $$;
---
SELECT * FROM example();

-- ## OUT parameters
CREATE FUNCTION example(OUT x int, OUT y int) LANGUAGE plpgsql AS $$ BEGIN x := 1; SELECT v INTO y FROM a WHERE k = 1; END $$;
---
SELECT * FROM example();

-- ## RETURNS a row type
CREATE FUNCTION example() RETURNS a LANGUAGE plpgsql AS $$ DECLARE r a; BEGIN SELECT * INTO r FROM a WHERE k = 1; RETURN r; END $$;
---
SELECT * FROM example();

-- ## FOUND after an UPDATE
CREATE FUNCTION example() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = 0 WHERE k = 9; RETURN FOUND; END $$;
---
SELECT * FROM example();

-- ## GET DIAGNOSTICS … ROW_COUNT
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN UPDATE a SET v = 0 WHERE s = 'x'; GET DIAGNOSTICS x = ROW_COUNT; RETURN x; END $$;
---
SELECT * FROM example();

-- ## RAISE NOTICE
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE 'x %', 1; RETURN 1; END $$;
---
SELECT * FROM example();

-- ## RAISE EXCEPTION
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF (SELECT v FROM a WHERE k = 1) < 50 THEN RAISE EXCEPTION 'too small: %', 1 USING ERRCODE = 'P0099'; END IF; RETURN 1; END $$;
---
SELECT * FROM example();

-- ## ASSERT
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN ASSERT (SELECT count(*) FROM a) = 3, 'three'; RETURN 1; END $$;
---
SELECT * FROM example();

-- ## NULL
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN NULL; RETURN 1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN of an error that is raised
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = 0 WHERE k = 1; RAISE EXCEPTION 'no'; EXCEPTION WHEN raise_exception THEN RETURN 2; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN no_data_found
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN SELECT v INTO STRICT x FROM a WHERE k = 9; RETURN x; EXCEPTION WHEN no_data_found THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN division_by_zero
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int := 0; BEGIN RETURN 1 / x; EXCEPTION WHEN division_by_zero THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN check_violation
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = v - 15 WHERE k = 1; RETURN 1; EXCEPTION WHEN check_violation THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN unique_violation, of an INSERT
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a VALUES (1, 5, 'z'); RETURN 1; EXCEPTION WHEN unique_violation THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN unique_violation, then an UPDATE (upsert by hand)
CREATE FUNCTION example() RETURNS void LANGUAGE plpgsql AS $$ BEGIN BEGIN INSERT INTO a VALUES (1, 5, 'z'); EXCEPTION WHEN unique_violation THEN UPDATE a SET v = 5 WHERE k = 1; END; END $$;
---
SELECT * FROM example();

-- ## the upsert loop of the manual
CREATE FUNCTION example() RETURNS void LANGUAGE plpgsql AS $$ BEGIN LOOP UPDATE a SET v = 5 WHERE k = 7; IF FOUND THEN RETURN; END IF; BEGIN INSERT INTO a VALUES (7, 5, 'z'); RETURN; EXCEPTION WHEN unique_violation THEN NULL; END; END LOOP; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN unique_violation that raises
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO a VALUES (1, 5, 'z'); RETURN 1; EXCEPTION WHEN unique_violation THEN RAISE EXCEPTION 'taken'; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN unique_violation, of an UPDATE
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET k = 2 WHERE k = 1; RETURN 1; EXCEPTION WHEN unique_violation THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN foreign_key_violation, of an INSERT
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO b VALUES (9, 9, 1); RETURN 1; EXCEPTION WHEN foreign_key_violation THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN foreign_key_violation, of a DELETE
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN DELETE FROM a WHERE k = 1; RETURN 1; EXCEPTION WHEN foreign_key_violation THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN not_null_violation
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN INSERT INTO b VALUES (9, 1, NULL); RETURN 1; EXCEPTION WHEN not_null_violation THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN lock_not_available
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM FROM a WHERE k = 1 FOR UPDATE NOWAIT; RETURN 1; EXCEPTION WHEN lock_not_available THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN serialization_failure
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = 5 WHERE k = 1; RETURN 1; EXCEPTION WHEN serialization_failure THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN OTHERS around a query
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN SELECT v INTO x FROM a WHERE k = 1; RETURN x; EXCEPTION WHEN OTHERS THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN OTHERS around a write
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = 5 WHERE k = 1; RETURN 1; EXCEPTION WHEN OTHERS THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION WHEN OTHERS THEN RAISE
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = 5 WHERE k = 1; RETURN 1; EXCEPTION WHEN OTHERS THEN RAISE NOTICE '%', SQLERRM; RAISE; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION of a raised error, around FOR UPDATE
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN SELECT v INTO x FROM a WHERE k = 1 FOR UPDATE; IF x > 5 THEN RAISE EXCEPTION 'no'; END IF; RETURN 1; EXCEPTION WHEN raise_exception THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## EXCEPTION of a raised error, around an UPDATE
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = 1 WHERE k = 1; IF NOT FOUND THEN RAISE EXCEPTION 'no'; END IF; RETURN 1; EXCEPTION WHEN raise_exception THEN RETURN -1; END $$;
---
SELECT * FROM example();

-- ## GET STACKED DIAGNOSTICS
CREATE FUNCTION example() RETURNS text LANGUAGE plpgsql AS $$ DECLARE x text; BEGIN RAISE EXCEPTION 'no'; EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS x = RETURNED_SQLSTATE; RETURN x; END $$;
---
SELECT * FROM example();

-- ## SQLERRM as a value
CREATE FUNCTION example() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; EXCEPTION WHEN OTHERS THEN RETURN SQLERRM; END $$;
---
SELECT * FROM example();

-- ## a bound cursor: OPEN, FETCH, CLOSE
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR SELECT k FROM a ORDER BY k; x int; y int := 0; BEGIN OPEN c; LOOP FETCH c INTO x; EXIT WHEN NOT FOUND; y := y + x; END LOOP; CLOSE c; RETURN y; END $$;
---
SELECT * FROM example();

-- ## FOR r IN a bound cursor
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR SELECT k FROM a ORDER BY k; y int := 0; BEGIN FOR r IN c LOOP y := y + r.k; END LOOP; RETURN y; END $$;
---
SELECT * FROM example();

-- ## a cursor with parameters
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE c CURSOR (m int) FOR SELECT k FROM a WHERE v > m ORDER BY k; y int := 0; BEGIN FOR r IN c(15) LOOP y := y + r.k; END LOOP; RETURN y; END $$;
---
SELECT * FROM example();

-- ## a refcursor: OPEN … FOR
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE c refcursor; x int; BEGIN OPEN c FOR SELECT k FROM a ORDER BY k; FETCH c INTO x; CLOSE c; RETURN x; END $$;
---
SELECT * FROM example();

-- ## one FETCH of a cursor
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR SELECT k FROM a ORDER BY k; x int; BEGIN OPEN c; FETCH c INTO x; CLOSE c; RETURN x; END $$;
---
SELECT * FROM example();

-- ## WHERE CURRENT OF
CREATE FUNCTION example() RETURNS void LANGUAGE plpgsql AS $$ DECLARE c CURSOR FOR SELECT k, v FROM a WHERE s = 'x' FOR UPDATE; BEGIN FOR r IN c LOOP UPDATE a SET v = r.v + 1 WHERE CURRENT OF c; END LOOP; END $$;
---
SELECT * FROM example();

-- ## EXECUTE of a constant
CREATE FUNCTION example() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'UPDATE a SET v = 5 WHERE k = 1'; END $$;
---
SELECT * FROM example();

-- ## EXECUTE … INTO … USING
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN EXECUTE 'SELECT v FROM a WHERE k = $1' INTO x USING 1; RETURN x; END $$;
---
SELECT * FROM example();

-- ## EXECUTE format('…%I…', a constant)
CREATE FUNCTION example() RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE format('UPDATE %I SET v = %L WHERE k = 1', 'a', 5); END $$;
---
SELECT * FROM example();

-- ## EXECUTE of a text that is put together
CREATE FUNCTION example(n text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN EXECUTE 'UPDATE ' || quote_ident(n) || ' SET v = 5 WHERE k = 1'; END $$;
---
SELECT * FROM example('a');

-- ## RETURN QUERY EXECUTE
CREATE FUNCTION example() RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY EXECUTE 'SELECT k FROM a'; END $$;
---
SELECT * FROM example();

-- ## an array variable and an assignment to an element
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int[] := ARRAY[1, 2]; BEGIN x[2] := 5; RETURN x[1] + x[2]; END $$;
---
SELECT * FROM example();

-- ## array_append in a loop
CREATE FUNCTION example() RETURNS int[] LANGUAGE plpgsql AS $$ DECLARE x int[] := '{}'; BEGIN FOR i IN 1..3 LOOP x := x || i; END LOOP; RETURN x; END $$;
---
SELECT * FROM example();

-- ## an assignment to a field
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE r a; BEGIN r.v := 5; r.k := 9; INSERT INTO a VALUES (r.*); RETURN r.v; END $$;
---
SELECT * FROM example();

-- ## a call of another function
CREATE FUNCTION g(x int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = x WHERE k = 1; RETURN x + 1; END $$; CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN g(4); END $$;
---
SELECT * FROM example();

-- ## recursion
CREATE FUNCTION example(n int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF n <= 1 THEN RETURN 1; END IF; RETURN n * example(n - 1); END $$;
---
SELECT * FROM example(3);

-- ## a polymorphic function
CREATE FUNCTION g(x anyelement) RETURNS anyelement LANGUAGE plpgsql AS $$ BEGIN RETURN x; END $$; CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN g(4); END $$;
---
SELECT * FROM example();

-- ## SECURITY DEFINER
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN RETURN (SELECT v FROM a WHERE k = 1); END $$;
---
SELECT * FROM example();

-- ## a function with SET search_path
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql SET search_path = public AS $$ BEGIN RETURN (SELECT v FROM a WHERE k = 1); END $$;
---
SELECT * FROM example();

-- ## a procedure: CALL
CREATE PROCEDURE example(x int) LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = x WHERE k = 1; END $$;
---
CALL example(3);

-- ## CALL in a function, with INOUT
CREATE PROCEDURE g(INOUT x int) LANGUAGE plpgsql AS $$ BEGIN x := x + 1; END $$; CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE y int := 1; BEGIN CALL g(y); RETURN y; END $$;
---
SELECT * FROM example();

-- ## COMMIT between statements of a procedure
CREATE PROCEDURE example() LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = 1 WHERE k = 1; COMMIT; UPDATE a SET v = 2 WHERE k = 2; END $$;
---
CALL example();

-- ## a function in SQL with several statements
CREATE FUNCTION example() RETURNS int LANGUAGE sql AS $$ UPDATE a SET v = 5 WHERE k = 1; SELECT v FROM a WHERE k = 1 $$;
---
SELECT * FROM example();

-- ## a function in SQL with BEGIN ATOMIC
CREATE FUNCTION example() RETURNS int LANGUAGE sql BEGIN ATOMIC UPDATE a SET v = 5 WHERE k = 1; SELECT v FROM a WHERE k = 1; END;
---
SELECT * FROM example();

-- ## a function in SQL that gives a table
CREATE FUNCTION example() RETURNS TABLE (x int, y int) LANGUAGE sql AS 'SELECT k, v FROM a';
---
SELECT * FROM example();

-- ## a set-returning function in FROM
CREATE FUNCTION g() RETURNS SETOF int LANGUAGE sql STABLE AS 'SELECT k FROM a';
---
SELECT x FROM g() x WHERE x > 1;

-- ## a set-returning function in PL/pgSQL, in FROM
CREATE FUNCTION g() RETURNS SETOF int LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT k FROM a; END $$;
---
SELECT x FROM g() x WHERE x > 1;

-- ## a function that writes, in FROM
CREATE FUNCTION g() RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = 0 WHERE k = 1; RETURN 1; END $$;
---
SELECT x FROM g() x;

-- ## a function in PL/Python or PL/Perl
CREATE FUNCTION example() RETURNS int LANGUAGE plperl AS 'return 1;';
---
SELECT * FROM example();

-- ## DO
DO $$ BEGIN UPDATE a SET v = 5 WHERE k = 1; END $$;

-- ## CALL in a script
CREATE PROCEDURE g(x int) LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = x WHERE k = 1; END $$;
---
CALL g(4);

-- ## a function in the select list of a script
CREATE FUNCTION g(x int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN UPDATE a SET v = x WHERE k = 1; RETURN 1; END $$;
---
SELECT g(4);

-- ## INSERT … SELECT … RETURNING INTO, of one row
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN INSERT INTO a (k, v) SELECT k + 10, v FROM a WHERE v > 20 RETURNING k INTO x; RETURN x; END $$;
---
SELECT * FROM example();

-- ## INSERT … SELECT … RETURNING INTO, of several rows
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN INSERT INTO a (k, v) SELECT k + 10, v FROM a RETURNING k INTO x; RETURN x; END $$;
---
SELECT * FROM example();

-- ## INSERT … SELECT … RETURNING INTO, of no row
CREATE FUNCTION example() RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int := 5; BEGIN INSERT INTO a (k, v) SELECT k + 10, v FROM a WHERE v > 90 RETURNING k INTO x; RETURN x; END $$;
---
SELECT * FROM example();
