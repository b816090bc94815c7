-- A variable that is NOT NULL, or of a domain, refuses values; a column of a domain that is
-- NOT NULL takes the NULL of a query that has the type of the domain.
CREATE DOMAIN small AS int CHECK (VALUE < 10);
CREATE DOMAIN code AS text NOT NULL;
CREATE TABLE t (id int PRIMARY KEY, v small, c code);
CREATE TYPE pair AS (a small, b int);
CREATE FUNCTION not_null(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int NOT NULL := 0; BEGIN
  x := (SELECT id FROM t WHERE id = p);
  RETURN 1;
END $$;
CREATE FUNCTION not_null_into(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int NOT NULL := 0; BEGIN
  SELECT id INTO x FROM t WHERE id = p;
  RETURN 1;
END $$;
CREATE FUNCTION of_domain(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x small := 0; BEGIN
  x := x + p;
  RETURN 1;
END $$;
CREATE FUNCTION like_column(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x t.v%TYPE; y x%TYPE; BEGIN
  y := p;
  RETURN 1;
END $$;
CREATE FUNCTION parameter(p small, d int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
  p := p + d;
  RETURN 1;
END $$;
CREATE FUNCTION outputs(p int, OUT q small) LANGUAGE plpgsql AS $$ BEGIN q := p; q := 1; END $$;
CREATE FUNCTION field(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE r pair; BEGIN
  r.a := p;
  RETURN 1;
END $$;
CREATE FUNCTION taken(q small) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN 1; END $$;
CREATE FUNCTION passed(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RETURN taken(p); END $$;
CREATE FUNCTION given(p int) RETURNS small LANGUAGE plpgsql AS $$ BEGIN RETURN p; END $$;
CREATE FUNCTION gives(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN PERFORM given(p); RETURN 1; END $$;
CREATE FUNCTION cast_to(p int) RETURNS int LANGUAGE sql AS $$ SELECT p::small + 0 $$;
CREATE FUNCTION null_code() RETURNS void LANGUAGE sql AS $$ UPDATE t SET c = (SELECT 'a'::code FROM t WHERE id = 0) $$;
-- rows
INSERT INTO t VALUES (1, 2, 'a');
-- calls
SELECT * FROM not_null(1);
SELECT * FROM not_null(2); -- aborts
SELECT * FROM not_null_into(1);
SELECT * FROM not_null_into(2); -- aborts
SELECT * FROM of_domain(1);
SELECT * FROM of_domain(10); -- aborts
SELECT * FROM like_column(1);
SELECT * FROM like_column(10); -- aborts
SELECT * FROM parameter(1, 1);
SELECT * FROM parameter(1, 9); -- aborts
SELECT * FROM outputs(1);
SELECT * FROM outputs(10); -- aborts
SELECT * FROM field(1);
SELECT * FROM field(10); -- aborts
SELECT * FROM passed(1);
SELECT * FROM passed(10); -- aborts
SELECT * FROM gives(1);
SELECT * FROM gives(10); -- aborts
SELECT * FROM cast_to(1);
SELECT * FROM cast_to(10); -- aborts
SELECT * FROM null_code(); -- unmodelled
