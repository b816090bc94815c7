-- A domain has the checks, NOT NULL and the default of the domain below it; a column takes
-- its default, and a parameter must satisfy it.
CREATE DOMAIN small AS int DEFAULT 3 CHECK (VALUE < 10);
CREATE DOMAIN digit AS small NOT NULL CHECK (VALUE >= 0);
CREATE TABLE t (k int PRIMARY KEY, a small, b digit, c digit DEFAULT 4);
CREATE FUNCTION take(p digit) RETURNS int LANGUAGE sql AS $$ SELECT p + 1 $$;
CREATE FUNCTION take_small(p small) RETURNS int LANGUAGE sql AS $$ SELECT p + 2 $$;
CREATE FUNCTION plain(p int) RETURNS void LANGUAGE sql AS $$ INSERT INTO t (k) VALUES (p) $$;
CREATE FUNCTION put(p int, q int) RETURNS void LANGUAGE sql AS $$ INSERT INTO t VALUES (p, q, q, q) $$;
-- rows
INSERT INTO t VALUES (1, 1, 1, 1);
-- calls
SELECT * FROM take(7);
SELECT * FROM take(10); -- aborts
SELECT * FROM take(-1); -- aborts
SELECT * FROM take(NULL); -- aborts
SELECT * FROM take_small(-1);
SELECT * FROM take_small(NULL);
SELECT * FROM plain(2);
SELECT * FROM put(2, 5);
SELECT * FROM put(2, 10); -- aborts
SELECT * FROM put(2, -1); -- aborts
SELECT * FROM put(2, NULL); -- aborts
