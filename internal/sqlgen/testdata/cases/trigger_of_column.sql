-- Triggers on the update of a column, and ON CONFLICT DO UPDATE.
CREATE TABLE t (k int PRIMARY KEY, a int, b int);
CREATE TABLE u (k int PRIMARY KEY, a int, b int);
CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
CREATE TRIGGER tr BEFORE UPDATE OF a ON t FOR EACH ROW EXECUTE FUNCTION no();
CREATE TRIGGER tr AFTER INSERT OR UPDATE OF a ON u FOR EACH ROW EXECUTE FUNCTION no();
CREATE FUNCTION set_a(p int) RETURNS void LANGUAGE sql AS $$ INSERT INTO t VALUES (p, 1, 1) ON CONFLICT (k) DO UPDATE SET a = 2 $$;
CREATE FUNCTION set_b(p int) RETURNS void LANGUAGE sql AS $$ INSERT INTO t VALUES (p, 1, 1) ON CONFLICT (k) DO UPDATE SET b = 2 $$;
CREATE FUNCTION after_b(p int) RETURNS void LANGUAGE sql AS $$ INSERT INTO u VALUES (p, 1, 1) ON CONFLICT (k) DO UPDATE SET b = 2 $$;
CREATE FUNCTION after_none(p int) RETURNS void LANGUAGE sql AS $$ INSERT INTO u VALUES (p, 1, 1) ON CONFLICT (k) DO NOTHING $$;
-- rows
INSERT INTO t VALUES (1, 1, 1);
SET session_replication_role = replica;
INSERT INTO u VALUES (1, 1, 1);
SET session_replication_role = origin;
-- calls
SELECT * FROM set_a(1); -- aborts
SELECT * FROM set_a(2);
SELECT * FROM set_b(1);
SELECT * FROM set_b(2);
SELECT * FROM after_b(1);
SELECT * FROM after_b(2); -- aborts
SELECT * FROM after_none(1);
SELECT * FROM after_none(2); -- aborts
