-- UPDATE … FROM that is computed as a whole, with a subquery among its values.
CREATE TABLE a (k int PRIMARY KEY, x int);
CREATE TABLE b (k int PRIMARY KEY, v int);
CREATE TABLE c (v int);
CREATE FUNCTION nested() RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = (SELECT max(a.x + c.v) FROM c) FROM (SELECT k, sum(v) AS s FROM b GROUP BY k) g WHERE g.k = a.k
$$;
CREATE FUNCTION of_the_row() RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = (SELECT a.x FROM c) FROM a r WHERE a.k = r.k
$$;
CREATE FUNCTION plain() RETURNS void LANGUAGE sql AS $$
  UPDATE a SET x = a.x + r.v FROM b r WHERE a.k = r.k
$$;
-- rows
INSERT INTO a VALUES (1, 1), (2, NULL), (3, 3);
INSERT INTO b VALUES (1, 10), (3, 30);
INSERT INTO c VALUES (5);
-- calls
SELECT * FROM nested();
SELECT * FROM of_the_row();
SELECT * FROM plain();
