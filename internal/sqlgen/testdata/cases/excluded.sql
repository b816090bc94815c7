-- The row that an INSERT proposes, in a query of ON CONFLICT DO UPDATE that is
-- computed as a whole.
CREATE TABLE a (k int PRIMARY KEY, x int, s text);
CREATE TABLE b (k int, v int);
CREATE FUNCTION grouped(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO a VALUES (p, 5, 'new') ON CONFLICT (k) DO UPDATE SET x = (SELECT count(*) FROM (SELECT v FROM b GROUP BY v) g WHERE g.v < excluded.x)
$$;
CREATE FUNCTION plain(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO a VALUES (p, 5, 'new') ON CONFLICT (k) DO UPDATE SET x = excluded.x + 1, s = excluded.s
$$;
CREATE FUNCTION conditional(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO a VALUES (p, 2, 'c') ON CONFLICT (k) DO UPDATE SET s = excluded.s WHERE excluded.x IN (SELECT v FROM b GROUP BY v)
$$;
-- rows
INSERT INTO a VALUES (1, 1, 'one');
INSERT INTO b VALUES (1, 2), (1, 2), (2, 3), (3, 7);
-- calls
SELECT * FROM grouped(1);
SELECT * FROM grouped(2);
SELECT * FROM plain(1);
SELECT * FROM conditional(1);
