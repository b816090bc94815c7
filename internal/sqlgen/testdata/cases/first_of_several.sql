-- Of rows with one key ON CONFLICT takes the first, and a trigger meets rows one by one:
-- the order of rows is any, also where the query is computed as a whole, but for ORDER BY.
CREATE TABLE a (k int PRIMARY KEY, x int);
CREATE TABLE t (id int PRIMARY KEY, v int);
CREATE TABLE last (v int PRIMARY KEY);
CREATE TABLE u (v int);
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM last;
  INSERT INTO last VALUES (NEW.v);
  RETURN NEW;
END $$;
CREATE TRIGGER noted BEFORE INSERT ON u FOR EACH ROW EXECUTE FUNCTION noted();
CREATE FUNCTION grouped() RETURNS void LANGUAGE sql AS $$
  INSERT INTO t (id, v) SELECT 1, count(*) FROM a GROUP BY x ON CONFLICT (id) DO NOTHING
$$;
CREATE FUNCTION in_order() RETURNS void LANGUAGE sql AS $$
  INSERT INTO t (id, v) SELECT 1, count(*) * 10 + x FROM a GROUP BY x ORDER BY x DESC ON CONFLICT (id) DO NOTHING
$$;
CREATE FUNCTION united() RETURNS void LANGUAGE sql AS $$
  INSERT INTO t (id, v) (SELECT 1, x FROM a UNION SELECT 1, k FROM a) ON CONFLICT (id) DO NOTHING
$$;
CREATE FUNCTION joined() RETURNS void LANGUAGE sql AS $$
  INSERT INTO t (id, v) SELECT 1, min(DISTINCT b.k) FROM a FULL JOIN a b ON a.k = b.k GROUP BY a.x ON CONFLICT (id) DO NOTHING
$$;
CREATE FUNCTION triggered() RETURNS void LANGUAGE sql AS $$
  INSERT INTO u SELECT x FROM a GROUP BY x
$$;
-- rows
INSERT INTO a VALUES (1, 9), (2, 7), (3, 9), (4, 8);
-- calls
SELECT * FROM grouped();
SELECT * FROM in_order();
SELECT * FROM united();
SELECT * FROM joined();
SELECT * FROM triggered();
