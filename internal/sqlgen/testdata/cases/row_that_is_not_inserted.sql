-- Where a trigger keeps a row out, INTO gets NULL, STRICT an error, and FOUND is false.
CREATE TABLE t (v int);
CREATE FUNCTION positive() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF NEW.v <= 0 THEN RETURN NULL; END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER positive BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION positive();
CREATE FUNCTION one(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE r int := 7; BEGIN
  INSERT INTO t VALUES (p) RETURNING v + 1 INTO r;
  RETURN r;
END $$;
CREATE FUNCTION strictly(p int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE r int := 7; BEGIN
  INSERT INTO t VALUES (p) RETURNING v + 1 INTO STRICT r;
  RETURN r;
END $$;
CREATE FUNCTION found_one(p int) RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE r t; BEGIN
  r.v := 5;
  INSERT INTO t VALUES (p) RETURNING * INTO r;
  RETURN FOUND AND r.v IS NOT NULL;
END $$;
CREATE FUNCTION and_read(p int) RETURNS bigint LANGUAGE sql AS $$
  WITH n AS (INSERT INTO t VALUES (p) RETURNING v) SELECT count(*) FROM n
$$;
-- rows
-- calls
SELECT * FROM one(1);
SELECT * FROM one(0);
SELECT * FROM strictly(1);
SELECT * FROM strictly(0); -- aborts
SELECT * FROM found_one(1);
SELECT * FROM found_one(0);
SELECT * FROM and_read(1);
SELECT * FROM and_read(0);
