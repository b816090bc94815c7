-- INTO takes any of the rows that ORDER BY does not tell apart, and a loop goes
-- through them in any order, also where the query is computed as a whole.
CREATE TABLE a (k int PRIMARY KEY, x int);
CREATE TABLE b (k int PRIMARY KEY, v int);
CREATE FUNCTION first_of_a_join() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT b.v INTO v FROM a LEFT JOIN b ON true;
  RETURN v;
END $$;
CREATE FUNCTION last_of_a_loop() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; r int;
BEGIN
  FOR r IN SELECT b.v FROM b LEFT JOIN a ON a.k = b.k LOOP v := r; END LOOP;
  RETURN v;
END $$;
CREATE FUNCTION grouped() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; n int;
BEGIN
  SELECT x, count(*) INTO v, n FROM a GROUP BY x;
  RETURN v * 10 + n;
END $$;
CREATE FUNCTION sorted() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  SELECT b.v INTO v FROM a LEFT JOIN b ON true ORDER BY b.v DESC;
  RETURN v;
END $$;
CREATE FUNCTION sorted_loop() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int; r int;
BEGIN
  FOR r IN SELECT b.v FROM b LEFT JOIN a ON a.k = b.k ORDER BY b.v DESC LOOP v := r; END LOOP;
  RETURN v;
END $$;
CREATE FUNCTION nothing() RETURNS int LANGUAGE plpgsql AS $$
DECLARE v int := 4;
BEGIN
  SELECT b.v INTO v FROM b LEFT JOIN a ON a.k = b.k WHERE b.v > 100;
  RETURN v;
END $$;
CREATE FUNCTION compared(p int) RETURNS boolean LANGUAGE sql AS $$
  SELECT (p IN (SELECT k FROM a)) IN (SELECT v > 15 FROM b GROUP BY v > 15)
$$;
-- rows
INSERT INTO a VALUES (1, 5), (2, 4), (3, 5);
INSERT INTO b VALUES (1, 30), (3, 10), (2, 20);
-- calls
SELECT * FROM first_of_a_join();
SELECT * FROM last_of_a_loop();
SELECT * FROM grouped();
SELECT * FROM sorted();
SELECT * FROM sorted_loop();
SELECT * FROM nothing();
SELECT * FROM compared(1);
SELECT * FROM compared(7);
