-- A variable that INTO names twice keeps the last value.
CREATE TABLE a (k int PRIMARY KEY, x int);
CREATE FUNCTION aggregates() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT 0, min(x) FROM a WHERE k > 7 INTO v, v;
  RETURN v;
END $$;
CREATE FUNCTION columns() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT k, x INTO v, v FROM a WHERE k = 1;
  RETURN v;
END $$;
CREATE FUNCTION too_many() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; w int;
BEGIN
  UPDATE a SET x = x + 1 WHERE k = 1 RETURNING x INTO v, w, v;
  RETURN v;
END $$;
CREATE FUNCTION loops() RETURNS SETOF int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  FOR v, v IN SELECT k, x FROM a ORDER BY k LOOP RETURN NEXT v; END LOOP;
END $$;
CREATE FUNCTION strict_one() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  BEGIN SELECT k, x INTO STRICT v, v FROM a WHERE k = 1; EXCEPTION WHEN no_data_found THEN v := 9; END;
  RETURN v;
END $$;
CREATE FUNCTION once() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; w int;
BEGIN
  SELECT k, x INTO v, w FROM a WHERE k = 1;
  RETURN v;
END $$;
-- rows
INSERT INTO a VALUES (1, 5), (2, NULL), (3, 3);
-- calls
SELECT * FROM aggregates();
SELECT * FROM columns();
SELECT * FROM too_many();
SELECT * FROM loops();
SELECT * FROM strict_one();
SELECT * FROM once();
