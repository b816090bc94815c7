-- Rows of a table without a key are locked, and told apart, in a query that is computed as
-- a whole.
CREATE TABLE a (x int);
CREATE TABLE b (y int);
CREATE FUNCTION locked() RETURNS SETOF int LANGUAGE sql AS $$
  SELECT a.x + b.y FROM a LEFT JOIN b ON true ORDER BY 1 FOR SHARE OF a
$$;
CREATE FUNCTION unlocked() RETURNS SETOF int LANGUAGE sql AS $$
  SELECT a.x + b.y FROM a LEFT JOIN b ON true ORDER BY 1
$$;
CREATE FUNCTION inside() RETURNS SETOF int LANGUAGE sql AS $$
  SELECT a.x FROM a LEFT JOIN b ON true
  WHERE 0 IN (WITH v AS (VALUES (1)), w AS MATERIALIZED (SELECT row_number() OVER (ORDER BY r.column1) AS n FROM v r LEFT JOIN b ON true ORDER BY 1) SELECT 0 FROM w)
$$;
CREATE FUNCTION change() RETURNS void LANGUAGE sql AS $$ UPDATE a SET x = x + 1 $$;
-- rows
INSERT INTO a VALUES (1), (1), (2);
INSERT INTO b VALUES (5);
-- calls
SELECT * FROM locked();
SELECT * FROM unlocked();
SELECT * FROM inside(); -- undecided
-- mixes
locked(); change(); -- 0 0 1 1 1 1 0 0
unlocked(); change(); -- 0 0 1 1 1 1 0 0
