-- Rows that are written through views of one table.
CREATE TABLE t (k int PRIMARY KEY, a int NOT NULL DEFAULT 4, b text, g int GENERATED ALWAYS AS (a * 2) STORED);
CREATE TABLE log (id serial PRIMARY KEY, a int);
CREATE FUNCTION logs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log (a) VALUES (NEW.a); RETURN NULL; END $$;
CREATE TRIGGER c AFTER INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION logs();
CREATE TABLE q (k int PRIMARY KEY, a int, b text);
CREATE VIEW v AS SELECT k AS id, a AS n, b, g, a + 1 AS more FROM t WHERE b = 'x';
CREATE VIEW w (key_, a) AS SELECT q.k, q.b FROM q WHERE q.a > 1;
CREATE VIEW ww AS SELECT r.a AS z, r.key_ FROM w r WHERE r.a <> 'no';
CREATE FUNCTION up_all() RETURNS void LANGUAGE sql AS $$ UPDATE v x SET n = x.g WHERE x.more > 5 $$;
CREATE FUNCTION away(p int) RETURNS void LANGUAGE sql AS $$ UPDATE v SET b = 'y' WHERE id = p $$;
CREATE FUNCTION add(p int) RETURNS SETOF int LANGUAGE sql AS $$ INSERT INTO v (b, id) VALUES ('z', p) RETURNING more $$;
CREATE FUNCTION gone(p int) RETURNS SETOF text LANGUAGE sql AS $$ DELETE FROM w WHERE key_ = p RETURNING a $$;
CREATE FUNCTION both_(p int) RETURNS SETOF text LANGUAGE sql AS $$ UPDATE ww SET z = z || 'q' WHERE key_ = p RETURNING z $$;
CREATE FUNCTION from_(p int) RETURNS void LANGUAGE sql AS $$ UPDATE ww SET z = t.b FROM t WHERE t.k = ww.key_ $$;
CREATE FUNCTION swapped(p int) RETURNS void LANGUAGE sql AS $$ INSERT INTO ww VALUES ('r', p) $$;
CREATE FUNCTION taken(p int) RETURNS text LANGUAGE plpgsql AS $$ DECLARE x text; BEGIN INSERT INTO ww VALUES ('r', p) RETURNING z INTO x; RETURN x; END $$;
CREATE VIEW guarded AS SELECT k, a FROM q WHERE a > 1 WITH LOCAL CHECK OPTION;
CREATE FUNCTION guarded_() RETURNS void LANGUAGE sql AS $$ UPDATE guarded SET a = 0 $$;
CREATE VIEW deep AS SELECT k, a FROM guarded;
CREATE FUNCTION deep_() RETURNS void LANGUAGE sql AS $$ UPDATE deep SET a = 0 $$;
-- rows
INSERT INTO t VALUES (1, 3, 'x'), (2, 5, 'x'), (3, 7, 'y');
INSERT INTO q VALUES (1, 1, 'a'), (2, 2, 'b'), (3, 3, 'no');
-- calls
SELECT * FROM up_all();
SELECT * FROM away(1);
SELECT * FROM away(3);
SELECT * FROM add(8);
SELECT * FROM add(1); -- aborts
SELECT * FROM gone(1);
SELECT * FROM gone(2);
SELECT * FROM both_(2);
SELECT * FROM both_(3);
SELECT * FROM from_(1);
SELECT * FROM swapped(9);
SELECT * FROM swapped(1); -- aborts
SELECT * FROM taken(9);
SELECT * FROM guarded_(); -- unmodelled
SELECT * FROM deep_(); -- unmodelled
-- mixes
gone(2); both_(2); -- 0 0 1 1 1 1 0 0
away(1); up_all(); -- 0 0 1 1 1 1 0 0
