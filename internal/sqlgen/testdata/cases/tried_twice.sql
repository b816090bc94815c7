-- What a subquery inside looks at does not make the subquery around it independent of
-- the rows outside.
CREATE TABLE a (no int, b int);
CREATE TABLE c (id int PRIMARY KEY, x int);
CREATE FUNCTION of_row() RETURNS void LANGUAGE sql AS $$
  UPDATE a SET b = (SELECT max(r3.x) FILTER (WHERE (1 IN (SELECT min(i) FROM generate_series(1, 2) AS r4(i)))) FROM c r3 WHERE r2.id = r3.id)
  FROM c r2 WHERE a.no = r2.id
$$;
CREATE FUNCTION of_none() RETURNS void LANGUAGE sql AS $$
  UPDATE a SET b = (SELECT max(r3.x) FILTER (WHERE (1 IN (SELECT min(i) FROM generate_series(1, 2) AS r4(i)))) FROM c r3)
  FROM c r2 WHERE a.no = r2.id
$$;
-- rows
INSERT INTO a VALUES (1, 0), (2, 0), (3, 0);
INSERT INTO c VALUES (1, 10), (2, 20);
-- calls
SELECT * FROM of_row();
SELECT * FROM of_none();
