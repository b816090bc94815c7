-- ON CONFLICT DO UPDATE of tables with row triggers: the row is inserted or updated, each with its triggers.
CREATE TABLE t (k int PRIMARY KEY, u int UNIQUE, a int, n int DEFAULT 0);
CREATE TABLE log (id serial PRIMARY KEY, what text);
CREATE FUNCTION counts() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.n := coalesce(OLD.n, 0) + 1; RETURN NEW; END $$;
CREATE FUNCTION refuses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NEW.a > 50 THEN RETURN NULL; END IF; RETURN NEW; END $$;
CREATE FUNCTION logs() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log (what) VALUES (TG_OP || ' ' || TG_LEVEL || ' ' || TG_WHEN); RETURN NULL; END $$;
CREATE TRIGGER a BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION counts();
CREATE TRIGGER b BEFORE INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION refuses();
CREATE TRIGGER c AFTER INSERT OR UPDATE ON t FOR EACH ROW EXECUTE FUNCTION logs();
CREATE TRIGGER d AFTER INSERT OR UPDATE ON t FOR EACH STATEMENT EXECUTE FUNCTION logs();
CREATE FUNCTION put(p int, v int) RETURNS SETOF int LANGUAGE sql AS $$ INSERT INTO t VALUES (p, p, v) ON CONFLICT (k) DO UPDATE SET a = t.a + excluded.a RETURNING a $$;
CREATE FUNCTION put_less(p int, v int) RETURNS SETOF int LANGUAGE sql AS $$ INSERT INTO t VALUES (p, p, v) ON CONFLICT (k) DO UPDATE SET a = excluded.a WHERE t.a > excluded.a RETURNING n $$;
CREATE FUNCTION by_other(p int, v int) RETURNS SETOF int LANGUAGE sql AS $$ INSERT INTO t VALUES (p + 70, p, v) ON CONFLICT (u) DO UPDATE SET a = excluded.k RETURNING a $$;
CREATE FUNCTION into_it(p int, v int) RETURNS int LANGUAGE plpgsql AS $$ DECLARE x int; BEGIN
  INSERT INTO t VALUES (p, p, v) ON CONFLICT (k) DO UPDATE SET a = excluded.a RETURNING n INTO x;
  IF FOUND THEN RETURN coalesce(x, -1); END IF;
  RETURN -2;
END $$;
CREATE TABLE s (k int PRIMARY KEY, a int);
CREATE FUNCTION few() RETURNS trigger LANGUAGE plpgsql STABLE AS $$ BEGIN IF (SELECT count(*) FROM s) > 1 THEN RAISE EXCEPTION 'full'; END IF; RETURN NULL; END $$;
CREATE TRIGGER a AFTER INSERT ON s FOR EACH ROW EXECUTE FUNCTION few();
CREATE FUNCTION stable_(p int) RETURNS void LANGUAGE sql AS $$ INSERT INTO s VALUES (p, 1) ON CONFLICT (k) DO NOTHING $$;
CREATE FUNCTION stable_alone(p int) RETURNS void LANGUAGE sql AS $$ INSERT INTO s VALUES (p, 1) $$;
-- rows
INSERT INTO t VALUES (1, 1, 10, 3), (2, 2, 60, 0);
INSERT INTO s VALUES (1, 1);
INSERT INTO s VALUES (2, 1);
-- calls
SELECT * FROM put(1, 5);
SELECT * FROM put(1, 45);
SELECT * FROM put(3, 5);
SELECT * FROM put(3, 55);
SELECT * FROM put_less(1, 5);
SELECT * FROM put_less(1, 15);
SELECT * FROM put_less(4, 15);
SELECT * FROM by_other(1, 15);
SELECT * FROM by_other(5, 15);
SELECT * FROM into_it(1, 5);
SELECT * FROM into_it(2, 70);
SELECT * FROM into_it(6, 7);
SELECT * FROM stable_(3); -- unmodelled
SELECT * FROM stable_alone(3); -- aborts
-- mixes
put(1, 5); put(1, 6); -- 0 0 1 1 1 1 0 0
put(7, 5); put(7, 6); -- 0 0 1 1 1 1 0 0
put(7, 5); by_other(7, 6); -- 0 0 1 1 1 1 0 0
