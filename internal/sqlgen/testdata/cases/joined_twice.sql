-- A row that several others join is updated once: a foreign key is checked for that value alone. ON CONFLICT checks MATCH FULL
-- for a row that is inserted, and for no other.
CREATE TABLE t1 (id int PRIMARY KEY);
CREATE TABLE t2 (id int PRIMARY KEY, c int, d int REFERENCES t1);
CREATE TABLE t3 (id bigint PRIMARY KEY);
CREATE FUNCTION by_any() RETURNS void LANGUAGE sql AS $$ UPDATE t2 SET d = t3.id::int - 1 FROM t3 $$;
CREATE FUNCTION by_key() RETURNS void LANGUAGE sql AS $$ UPDATE t2 SET d = t3.id::int - 1 FROM t3 WHERE t3.id = t2.c + 2 $$;
CREATE FUNCTION no_reference() RETURNS void LANGUAGE sql AS $$ UPDATE t2 SET c = t3.id::int - 1 FROM t3 $$;
CREATE TABLE m1 (k int, j int, PRIMARY KEY (k, j));
CREATE TABLE m2 (id int PRIMARY KEY, fa int, fb int, FOREIGN KEY (fa, fb) REFERENCES m1 MATCH FULL);
CREATE TABLE m3 (id int PRIMARY KEY, fa int, fb int, FOREIGN KEY (fa, fb) REFERENCES m1);
CREATE FUNCTION full_() RETURNS void LANGUAGE sql AS $$ INSERT INTO m2 (id, fa) VALUES (3, 0) ON CONFLICT (id) DO NOTHING $$;
CREATE FUNCTION simple() RETURNS void LANGUAGE sql AS $$ INSERT INTO m3 (id, fa) VALUES (3, 0) ON CONFLICT (id) DO NOTHING $$;
CREATE FUNCTION no_conflict() RETURNS void LANGUAGE sql AS $$ INSERT INTO m2 (id, fa) VALUES (4, 0) $$;
-- rows
INSERT INTO t1 VALUES (0);
INSERT INTO t2 VALUES (2, -1, NULL);
INSERT INTO t3 VALUES (1), (0);
INSERT INTO m1 VALUES (0, 1);
INSERT INTO m2 VALUES (3, 0, 1);
INSERT INTO m3 VALUES (3, 0, 1);
-- calls
SELECT * FROM by_any(); -- unmodelled
SELECT * FROM by_key();
SELECT * FROM no_reference();
SELECT * FROM full_(); -- unmodelled
SELECT * FROM simple();
SELECT * FROM no_conflict(); -- aborts
