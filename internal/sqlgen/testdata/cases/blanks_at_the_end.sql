-- Blanks at the end of a text that is too long for varchar(n) are cut without an error.
CREATE TABLE v (id int PRIMARY KEY, x varchar(3) NOT NULL DEFAULT 'abc  ', y varchar(8), z char(2));
CREATE FUNCTION add(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO v (id, y) VALUES (p, rpad('welcome', 9));
  RETURN (SELECT count(*) FROM v WHERE x = 'abc' AND y = 'welcome ');
END $$;
CREATE FUNCTION put(p int, t text) RETURNS int LANGUAGE plpgsql AS $$ DECLARE s varchar(3) := 'xyz   '; BEGIN
  UPDATE v SET x = 'abc   ', y = t || '           ', z = 'a     ' WHERE id = p;
  INSERT INTO v VALUES (p + 10, s, format('%-10s', t), CASE WHEN p > 2 THEN 'b   ' ELSE 'c' END);
  RETURN (SELECT count(*) FROM v WHERE x = 'xyz' AND y = rpad(t, 8) OR z = 'a');
END $$;
CREATE FUNCTION fail(p int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN
  UPDATE v SET x = 'abcd ' WHERE id = p;
  RETURN p;
END $$;
-- rows
INSERT INTO v VALUES (1, 'a', 'b', 'c'), (2, 'd', 'e', 'f');
-- calls
SELECT * FROM add(3);
SELECT * FROM put(1, 'name');
SELECT * FROM put(2, 'ninechars'); -- aborts
SELECT * FROM fail(1); -- aborts
