-- Rows of a table without a key are locked in a query that is computed as a whole.
CREATE TABLE a (x int);
CREATE TABLE b (y int);
CREATE FUNCTION locked() RETURNS SETOF int LANGUAGE sql AS $$
  SELECT a.x + b.y FROM a LEFT JOIN b ON true ORDER BY 1 FOR SHARE OF a
$$;
CREATE FUNCTION unlocked() RETURNS SETOF int LANGUAGE sql AS $$
  SELECT a.x + b.y FROM a LEFT JOIN b ON true ORDER BY 1
$$;
CREATE FUNCTION change() RETURNS void LANGUAGE sql AS $$ UPDATE a SET x = x + 1 $$;
-- rows
INSERT INTO a VALUES (1), (1), (2);
INSERT INTO b VALUES (5);
-- calls
SELECT * FROM locked();
SELECT * FROM unlocked();
-- mixes
locked(); change(); -- 0 0 1 1 1 1 0 0
unlocked(); change(); -- 0 0 1 1 1 1 0 0
