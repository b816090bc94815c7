-- ON CONFLICT DO UPDATE must not meet a row that the same command has written.
CREATE TABLE a (k int PRIMARY KEY, x int, s text UNIQUE);
CREATE TABLE b (id int PRIMARY KEY, k int, v int);
CREATE FUNCTION two(p int, q int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO a (k, x) VALUES (p, 1), (q, 2) ON CONFLICT (k) DO UPDATE SET x = a.x + excluded.x
$$;
CREATE FUNCTION two_if(p int, q int, r int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO a (k, x) VALUES (p, 1), (q, 2) ON CONFLICT (k) DO UPDATE SET x = a.x + excluded.x WHERE a.x < r
$$;
CREATE FUNCTION texts(p text, q text) RETURNS void LANGUAGE sql AS $$
  INSERT INTO a (k, s) VALUES (10, p), (11, q) ON CONFLICT (s) DO UPDATE SET x = 3
$$;
CREATE FUNCTION of_rows(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO a (k, x) SELECT k, v FROM b WHERE v >= p ON CONFLICT (k) DO UPDATE SET x = excluded.x
$$;
CREATE FUNCTION of_groups(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO a (k, x) SELECT k / p, count(*) FROM b GROUP BY k ON CONFLICT (k) DO UPDATE SET x = excluded.x
$$;
CREATE FUNCTION moves(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO a (k, s) VALUES (10, 'a'), (11, 'b') ON CONFLICT (s) DO UPDATE SET s = 'b'
$$;
CREATE FUNCTION nothing(p int, q int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO a (k, x) VALUES (p, 1), (q, 2) ON CONFLICT (k) DO NOTHING
$$;
-- rows
INSERT INTO a VALUES (1, 5, 'a'), (2, 4, 'b'), (3, NULL, NULL);
INSERT INTO b VALUES (1, 1, 1), (2, 1, 2), (3, 2, 3), (4, 5, 3);
-- calls
SELECT * FROM two(1, 1); -- aborts
SELECT * FROM two(7, 7); -- aborts
SELECT * FROM two(1, 2);
SELECT * FROM two(7, 1);
SELECT * FROM two_if(1, 1, 0);
SELECT * FROM two_if(1, 1, 9); -- aborts
SELECT * FROM two_if(8, 8, 0); -- aborts
SELECT * FROM two_if(3, 3, 9);
SELECT * FROM texts('a', 'a'); -- aborts
SELECT * FROM texts('x', 'b');
SELECT * FROM texts(NULL, NULL);
SELECT * FROM of_rows(1); -- aborts
SELECT * FROM of_rows(3);
SELECT * FROM of_groups(10); -- aborts
SELECT * FROM of_groups(1);
SELECT * FROM moves(1); -- unmodelled
SELECT * FROM nothing(1, 1);
SELECT * FROM nothing(7, 7);
