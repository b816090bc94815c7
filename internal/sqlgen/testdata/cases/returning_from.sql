-- RETURNING sees the rows of FROM and USING, and the row that is written as it is then.
CREATE TABLE a (k int PRIMARY KEY, x int, twice int GENERATED ALWAYS AS (x * 2) STORED);
CREATE TABLE b (k int PRIMARY KEY, v int);
CREATE TABLE queue (id int PRIMARY KEY, state text);
CREATE FUNCTION by_key() RETURNS TABLE (o1 int, o2 int, o3 int, o4 int) LANGUAGE sql AS $$
  UPDATE a SET x = a.x + r.v FROM b r WHERE a.k = r.k RETURNING a.k, x, r.v, twice
$$;
CREATE FUNCTION into_variables() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; w int;
BEGIN
  UPDATE a AS t SET x = 10 FROM b r WHERE t.k = r.k AND r.k = 1 RETURNING t.x, r.v + t.k INTO v, w;
  RETURN v * 100 + w;
END $$;
CREATE FUNCTION same_row() RETURNS TABLE (o1 int, o2 int) LANGUAGE sql AS $$
  UPDATE a t SET x = 7 FROM a r WHERE t.k = r.k RETURNING t.x, r.x
$$;
CREATE FUNCTION more_variables() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; w int;
BEGIN
  UPDATE a t SET x = 0 FROM a r WHERE t.k = r.k AND t.k = 1 RETURNING r.x INTO v, w;
  RETURN v;
END $$;
CREATE FUNCTION deleted() RETURNS TABLE (o1 int, o2 int) LANGUAGE sql AS $$
  DELETE FROM b USING a WHERE a.k = b.k RETURNING b.v, a.x
$$;
CREATE FUNCTION star() RETURNS TABLE (o1 int, o2 int, o3 int, o4 int) LANGUAGE sql AS $$
  DELETE FROM b USING a t(k2) WHERE t.k2 = b.k RETURNING b.*, t.x, t.k2
$$;
CREATE FUNCTION grouped() RETURNS TABLE (o1 int, o2 bigint) LANGUAGE sql AS $$
  UPDATE a SET x = g.n FROM (SELECT k, count(*) AS n FROM b GROUP BY k) g WHERE g.k = a.k RETURNING a.x, g.n + 1
$$;
CREATE FUNCTION several() RETURNS TABLE (o1 int, o2 int) LANGUAGE sql AS $$
  UPDATE a SET x = 1 FROM b WHERE b.v > 5 RETURNING a.k, b.v
$$;
CREATE FUNCTION without() RETURNS SETOF int LANGUAGE sql AS $$
  UPDATE a SET x = x + 1 WHERE k > 1 RETURNING twice
$$;
-- rows
INSERT INTO a VALUES (1, 1), (2, NULL), (3, 3);
INSERT INTO b VALUES (1, 10), (3, 30);
-- calls
SELECT * FROM by_key();
SELECT * FROM into_variables();
SELECT * FROM same_row();
SELECT * FROM more_variables();
SELECT * FROM deleted();
SELECT * FROM star();
SELECT * FROM grouped();
SELECT * FROM several(); -- unmodelled
SELECT * FROM without();
