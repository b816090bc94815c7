-- An aggregate over columns of a query around is one of that query.
CREATE TABLE a (k int PRIMARY KEY, x int);
CREATE TABLE b (v int);
CREATE FUNCTION outer_one() RETURNS TABLE (o1 int, o2 int) LANGUAGE sql AS $$
  SELECT 0, (SELECT max(r.x) FROM b) FROM a r
$$;
CREATE FUNCTION own() RETURNS TABLE (o1 int, o2 int) LANGUAGE sql AS $$
  SELECT r.k, (SELECT max(r.x + b.v) FROM b) FROM a r
$$;
CREATE FUNCTION constant() RETURNS TABLE (o1 int, o2 int) LANGUAGE sql AS $$
  SELECT r.k, (SELECT max(7) FROM b) FROM a r
$$;
CREATE FUNCTION of_a_variable(p int) RETURNS TABLE (o1 int, o2 int) LANGUAGE sql AS $$
  SELECT r.k, (SELECT max(p) FROM b WHERE v > r.x) FROM a r
$$;
-- rows
INSERT INTO a VALUES (1, 1), (2, NULL), (3, 3);
INSERT INTO b VALUES (1), (2);
-- calls
SELECT * FROM outer_one(); -- unmodelled
SELECT * FROM own();
SELECT * FROM constant();
SELECT * FROM of_a_variable(3);
