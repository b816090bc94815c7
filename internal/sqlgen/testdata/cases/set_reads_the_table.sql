-- The values of an UPDATE are computed from the rows before it.
CREATE TABLE t (k int PRIMARY KEY, b int);
CREATE FUNCTION of_all() RETURNS void LANGUAGE sql AS $$
  UPDATE t SET b = CASE WHEN EXISTS (SELECT 1 FROM t r WHERE r.b = r.k) THEN 0 ELSE k END
$$;
CREATE FUNCTION shifted() RETURNS void LANGUAGE sql AS $$
  UPDATE t SET b = (SELECT r.b FROM t r WHERE r.k = t.k + 1)
$$;
CREATE FUNCTION of_the_row() RETURNS void LANGUAGE sql AS $$
  UPDATE t SET b = b + k
$$;
-- rows
INSERT INTO t VALUES (1, 7), (2, 8), (3, 9);
-- calls
SELECT * FROM of_all();
SELECT * FROM shifted();
SELECT * FROM of_the_row();
