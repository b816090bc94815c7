-- ON CONFLICT by a key of which a hidden column is part: intervals are equal by their
-- length, and an index is over an expression.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL, c interval UNIQUE);
CREATE TABLE u (id int PRIMARY KEY, n int NOT NULL, e text);
CREATE UNIQUE INDEX ON u (lower(e));
CREATE FUNCTION by_interval(p int) RETURNS SETOF int LANGUAGE sql AS $$
  INSERT INTO t VALUES (p, 1, '30 days') ON CONFLICT (c) DO UPDATE SET n = t.n + 1 RETURNING n
$$;
CREATE FUNCTION by_equal_interval(p int) RETURNS SETOF int LANGUAGE sql AS $$
  INSERT INTO t VALUES (p, 1, '1 month') ON CONFLICT (c) DO UPDATE SET n = t.n + 1 RETURNING n
$$;
CREATE FUNCTION by_expression(p int) RETURNS SETOF int LANGUAGE sql AS $$
  INSERT INTO u VALUES (p, 1, 'A') ON CONFLICT (lower(e)) DO UPDATE SET n = u.n + 1 RETURNING n
$$;
CREATE FUNCTION by_other_letters(p int) RETURNS SETOF int LANGUAGE sql AS $$
  INSERT INTO u VALUES (p, 1, 'a') ON CONFLICT (lower(e)) DO UPDATE SET n = u.n + 1 RETURNING n
$$;
-- rows
INSERT INTO t VALUES (1, 5, '30 days');
INSERT INTO u VALUES (1, 5, 'A');
-- calls
SELECT * FROM by_interval(2);
SELECT * FROM by_equal_interval(2);
SELECT * FROM by_expression(2);
SELECT * FROM by_other_letters(2);
SELECT * FROM by_interval(1);
-- mixes
by_interval(2); by_equal_interval(3); -- 0 0 1 1 0 0 1 1
by_expression(2); by_other_letters(3); -- 0 0 1 1 0 0 1 1
