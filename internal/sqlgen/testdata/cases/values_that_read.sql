-- Values of an INSERT that read tables are computed once, before it.
CREATE TABLE t (k int PRIMARY KEY, b boolean);
CREATE TABLE s (k int PRIMARY KEY);
CREATE TABLE log (k int, b boolean);
CREATE TABLE traced (k int PRIMARY KEY, b boolean);
CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO log VALUES (NEW.k, NEW.b); RETURN NULL; END $$;
CREATE TRIGGER tr AFTER INSERT ON traced FOR EACH ROW EXECUTE FUNCTION note();
CREATE FUNCTION returned(p int) RETURNS SETOF boolean LANGUAGE sql AS $$
  INSERT INTO t VALUES (p, p IN (SELECT k FROM t)) RETURNING b
$$;
CREATE FUNCTION seen_by_trigger(p int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO traced VALUES (p, p IN (SELECT k FROM traced))
$$;
CREATE FUNCTION of_rows() RETURNS void LANGUAGE sql AS $$
  INSERT INTO t SELECT k, EXISTS (SELECT 1 FROM t WHERE k > 10) FROM s
$$;
CREATE FUNCTION merged() RETURNS void LANGUAGE sql AS $$
  MERGE INTO t USING s ON t.k = s.k WHEN NOT MATCHED THEN INSERT VALUES (s.k, EXISTS (SELECT 1 FROM log))
$$;
CREATE FUNCTION constant(p int) RETURNS SETOF boolean LANGUAGE sql AS $$
  INSERT INTO t VALUES (p, p > 3) RETURNING b
$$;
-- rows
INSERT INTO t VALUES (1, true);
INSERT INTO s VALUES (11), (12), (13);
-- calls
SELECT * FROM returned(5);
SELECT * FROM seen_by_trigger(5);
SELECT * FROM of_rows();
SELECT * FROM merged(); -- unmodelled
SELECT * FROM constant(5);
