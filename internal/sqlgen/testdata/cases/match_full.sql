-- MATCH FULL: all columns of a reference are NULL, or none of them.
CREATE TABLE a (k int, j int, PRIMARY KEY (k, j));
CREATE TABLE full_one (id int PRIMARY KEY, k int, j int, FOREIGN KEY (k, j) REFERENCES a MATCH FULL);
CREATE TABLE simple (id int PRIMARY KEY, k int, j int, FOREIGN KEY (k, j) REFERENCES a);
CREATE FUNCTION put_full(p int, q int) RETURNS void LANGUAGE sql AS $$ INSERT INTO full_one VALUES (7, p, q) $$;
CREATE FUNCTION put_simple(p int, q int) RETURNS void LANGUAGE sql AS $$ INSERT INTO simple VALUES (7, p, q) $$;
CREATE FUNCTION set_full(p int) RETURNS void LANGUAGE sql AS $$ UPDATE full_one SET k = p $$;
-- rows
INSERT INTO a VALUES (1, 1);
INSERT INTO full_one VALUES (1, NULL, NULL), (2, 1, 1);
-- calls
SELECT * FROM put_full(1, NULL); -- aborts
SELECT * FROM put_full(NULL, 5); -- aborts
SELECT * FROM put_full(NULL, NULL);
SELECT * FROM put_full(1, 1);
SELECT * FROM put_full(1, 2); -- aborts
SELECT * FROM put_simple(1, NULL);
SELECT * FROM put_simple(5, 5); -- aborts
SELECT * FROM set_full(NULL); -- aborts
