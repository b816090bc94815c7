-- A function that is called beside the constant NULL does not run; beside a NULL that is computed it does. So
-- it is beside a constant that decides a condition.
CREATE TABLE a (k int PRIMARY KEY, n int);
CREATE FUNCTION checked(v int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN IF v > 5 THEN RAISE EXCEPTION 'no'; END IF; RETURN v; END $$;
CREATE FUNCTION nothing() RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
CREATE FUNCTION before(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN x := checked(p) - NULL::int; RETURN x; END $$;
CREATE FUNCTION behind(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN x := NULL + checked(p); RETURN x; END $$;
CREATE FUNCTION nested(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN x := 1 + (NULL::int * 2) - checked(p); RETURN x; END $$;
CREATE FUNCTION compared(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE x boolean; BEGIN x := checked(p) = NULL; RETURN x; END $$;
CREATE FUNCTION an_argument(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN x := mod(checked(p), NULL); RETURN x; END $$;
CREATE FUNCTION a_text(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE x boolean; BEGIN x := checked(p)::text LIKE NULL; RETURN x; END $$;
CREATE FUNCTION with_null(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE x boolean; BEGIN x := checked(p) IS DISTINCT FROM NULL; RETURN x; END $$;
CREATE FUNCTION in_nulls(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE x boolean; BEGIN x := checked(p) IN (NULL, NULL); RETURN x; END $$;
CREATE FUNCTION computed(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN x := nothing() + checked(p); RETURN x; END $$;
CREATE FUNCTION a_variable(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; y int; BEGIN x := y + checked(p); RETURN x; END $$;
CREATE FUNCTION no() RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RETURN false; END $$;
CREATE FUNCTION and_false(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE x boolean; BEGIN x := checked(p) > 0 AND false; RETURN x; END $$;
CREATE FUNCTION or_true(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE x boolean; BEGIN x := checked(p) > 0 OR true; RETURN x; END $$;
CREATE FUNCTION and_true(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE x boolean; BEGIN x := checked(p) > 0 AND true; RETURN x; END $$;
CREATE FUNCTION and_no(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE x boolean; BEGIN x := checked(p) > 0 AND no(); RETURN x; END $$;
CREATE FUNCTION in_turn(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE x boolean; y int; BEGIN x := (y, checked(p)) < (0, 0); RETURN x; END $$;
CREATE FUNCTION first_field(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE x boolean; y int; BEGIN x := (checked(p), y) < (0, 0); RETURN x; END $$;
-- rows
-- calls
SELECT * FROM before(7);
SELECT * FROM behind(7);
SELECT * FROM nested(7);
SELECT * FROM compared(7);
SELECT * FROM an_argument(7);
SELECT * FROM a_text(7);
SELECT * FROM with_null(7); -- aborts
SELECT * FROM in_nulls(7); -- aborts
SELECT * FROM computed(7); -- aborts
SELECT * FROM a_variable(7); -- aborts
SELECT * FROM and_false(7);
SELECT * FROM or_true(7);
SELECT * FROM and_true(7); -- aborts
SELECT * FROM and_no(7); -- aborts
SELECT * FROM in_turn(7); -- unmodelled
SELECT * FROM first_field(7); -- aborts
