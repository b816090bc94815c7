-- A variable rounds what it is given to its modifier, however it is given; parameters
-- and results have no modifier. A text that is too long is an error in a variable.
CREATE TABLE a (k int PRIMARY KEY, x numeric, at timestamp);
CREATE FUNCTION declared() RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE v numeric(5,2) := 2.255;
BEGIN RETURN v; END $$;
CREATE FUNCTION assigned(p numeric(5,2)) RETURNS numeric(5,1) LANGUAGE plpgsql AS $$
DECLARE v numeric(5,2);
BEGIN
  v := p;
  IF v <> p THEN RETURN v; END IF;
  RETURN v + 0.005;
END $$;
CREATE FUNCTION given(p numeric) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE v numeric(5,2);
BEGIN
  v := assigned(p);
  RETURN assigned(p) + v;
END $$;
CREATE FUNCTION selected() RETURNS text LANGUAGE plpgsql AS $$
DECLARE v numeric(5,2); t timestamp(0);
BEGIN
  SELECT x, at INTO v, t FROM a WHERE k = 1;
  RETURN v || ' ' || t;
END $$;
CREATE FUNCTION returned() RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE v numeric(5,1);
BEGIN
  UPDATE a SET x = x + 0.005 WHERE k = 1 RETURNING x INTO v;
  RETURN v;
END $$;
CREATE FUNCTION too_long(p text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE v varchar(2);
BEGIN v := p; RETURN v; END $$;
CREATE FUNCTION literal() RETURNS text LANGUAGE plpgsql AS $$
DECLARE v varchar(2) := 'abc';
BEGIN RETURN v; END $$;
CREATE FUNCTION cut() RETURNS text LANGUAGE plpgsql AS $$
DECLARE v varchar(2) := 'abc'::varchar(2);
BEGIN RETURN v; END $$;
CREATE FUNCTION of_an_aggregate() RETURNS text LANGUAGE plpgsql AS $$
DECLARE v numeric(5,2); w numeric(3,1); n numeric; t timestamp(0);
BEGIN
  SELECT min(2.255), sum(x), max(x), max(at) INTO v, w, n, t FROM a;
  RETURN v || ' ' || w || ' ' || n || ' ' || t;
END $$;
-- rows
INSERT INTO a VALUES (1, 1.255, '2024-01-01 00:00:00.6');
-- calls
SELECT * FROM declared();
SELECT * FROM given(1.005);
SELECT * FROM given(1.25);
SELECT * FROM selected();
SELECT * FROM returned();
SELECT * FROM of_an_aggregate();
SELECT * FROM too_long('ab');
SELECT * FROM too_long('abc'); -- aborts
SELECT * FROM literal(); -- aborts
SELECT * FROM cut();
