-- A trigger on the update of a generated column fires where the update sets what the column
-- depends on, and at each update of the table if there is a trigger before it.
CREATE TABLE t (k int PRIMARY KEY, a int, b int, c int GENERATED ALWAYS AS (a * 2) STORED);
CREATE TABLE u (k int PRIMARY KEY, a int, b int, c int GENERATED ALWAYS AS (a * 2) STORED);
CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;
CREATE FUNCTION yes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NEW; END $$;
CREATE TRIGGER tr AFTER UPDATE OF c ON t FOR EACH ROW EXECUTE FUNCTION no();
CREATE TRIGGER tr AFTER UPDATE OF c ON u FOR EACH ROW EXECUTE FUNCTION no();
CREATE TRIGGER before BEFORE UPDATE OF k ON u FOR EACH ROW EXECUTE FUNCTION yes();
CREATE FUNCTION set_a() RETURNS void LANGUAGE sql AS $$ UPDATE t SET a = 5 $$;
CREATE FUNCTION set_b() RETURNS void LANGUAGE sql AS $$ UPDATE t SET b = 5 $$;
CREATE FUNCTION set_b_of_u() RETURNS void LANGUAGE sql AS $$ UPDATE u SET b = 5 $$;
CREATE FUNCTION merge_b() RETURNS void LANGUAGE sql AS $$ MERGE INTO t USING (VALUES (1)) AS s (v) ON t.k = s.v WHEN MATCHED THEN UPDATE SET b = 5 $$;
CREATE FUNCTION upsert_b() RETURNS void LANGUAGE sql AS $$ INSERT INTO t (k) VALUES (1) ON CONFLICT (k) DO UPDATE SET b = 5 $$;
-- rows
INSERT INTO t (k, a) VALUES (1, 1);
INSERT INTO u (k, a) VALUES (1, 1);
-- calls
SELECT * FROM set_a(); -- aborts
SELECT * FROM set_b();
SELECT * FROM set_b_of_u(); -- aborts
SELECT * FROM merge_b(); -- unmodelled
SELECT * FROM upsert_b(); -- unmodelled
