-- Row triggers, behind new values that are computed of more of the old row than its declared columns.
CREATE TABLE t (x float8, n int);
CREATE TABLE u (k int PRIMARY KEY, c interval NOT NULL UNIQUE, n int);
CREATE FUNCTION one() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.n := 1; RETURN NEW; END $$;
CREATE TRIGGER tr BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION one();
CREATE TRIGGER tr BEFORE UPDATE ON u FOR EACH ROW EXECUTE FUNCTION one();
CREATE FUNCTION drawn(p int) RETURNS void LANGUAGE sql AS $$ UPDATE t SET x = random() * 0 WHERE n = p $$;
CREATE FUNCTION compared(p int) RETURNS void LANGUAGE sql AS $$ UPDATE u SET c = coalesce(NULLIF(c, interval '1 day'), '2 days') WHERE k = p $$;
CREATE FUNCTION compared_many() RETURNS void LANGUAGE sql AS $$ UPDATE u SET c = coalesce(NULLIF(c, interval '1 day'), '2 days') $$;
-- rows
INSERT INTO t VALUES (0, 5), (0, 6);
INSERT INTO u VALUES (1, '24 hours', 5), (2, '3 days', 6);
-- calls
SELECT * FROM compared(1);
SELECT * FROM compared(2);
SELECT * FROM compared_many();
