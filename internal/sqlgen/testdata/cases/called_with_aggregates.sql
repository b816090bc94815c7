-- A function that is called with an aggregate runs behind the query; a subquery in the
-- argument of an aggregate runs before it.
CREATE TABLE t (id int PRIMARY KEY, v int);
CREATE FUNCTION require(ok boolean) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
  IF NOT ok THEN RAISE EXCEPTION 'no'; END IF;
  RETURN true;
END $$;
CREATE FUNCTION twice(n bigint) RETURNS bigint LANGUAGE plpgsql AS $$ DECLARE r bigint := 1; BEGIN
  r := 2;
  IF n > 1 THEN r := r * n; END IF;
  RETURN r;
END $$;
CREATE FUNCTION performed(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
  PERFORM require(count(*) > 1) FROM t WHERE v > p;
  RETURN 1;
END $$;
CREATE FUNCTION selected(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE b boolean; BEGIN
  SELECT require(count(*) > 1) INTO b FROM t WHERE v > p;
  RETURN b;
END $$;
CREATE FUNCTION as_value() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN
  RETURN (SELECT twice(sum(v)) FROM t);
END $$;
CREATE FUNCTION in_sql() RETURNS bigint LANGUAGE sql AS $$ SELECT twice(count(*)) + max((SELECT min(v) FROM t)) FROM t $$;
CREATE FUNCTION of_no_row() RETURNS SETOF boolean LANGUAGE sql AS $$ SELECT require(count(*) > 1) FROM t LIMIT 0 $$;
CREATE FUNCTION inserted() RETURNS void LANGUAGE sql AS $$ INSERT INTO t SELECT 9, twice(count(*)) FROM t $$;
CREATE FUNCTION no_row() RETURNS int LANGUAGE sql AS $$ SELECT v FROM t WHERE id = 99 $$;
-- rows
INSERT INTO t VALUES (1, 3), (2, 4);
-- calls
SELECT * FROM performed(5); -- aborts
SELECT * FROM performed(1);
SELECT * FROM selected(3); -- aborts
SELECT * FROM selected(1);
SELECT * FROM as_value();
SELECT * FROM in_sql();
SELECT * FROM of_no_row();
SELECT * FROM no_row();
SELECT * FROM inserted();
