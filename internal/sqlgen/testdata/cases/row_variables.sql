-- r.* in VALUES and in a row stands for the fields of a record, or the columns of a table.
CREATE TABLE t (id int PRIMARY KEY, v text, n int);
CREATE TABLE log (id int, v text, n int);
CREATE FUNCTION noted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO log VALUES (NEW.*);
  RETURN NEW;
END $$;
CREATE TRIGGER noted AFTER UPDATE ON t FOR EACH ROW EXECUTE FUNCTION noted();
CREATE FUNCTION copied(p int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE r t%ROWTYPE;
BEGIN
  SELECT * INTO r FROM t WHERE id = p;
  IF FOUND THEN
    r.id := r.id + 10;
    INSERT INTO t VALUES (r.*);
  END IF;
END $$;
CREATE FUNCTION field_by_field(p int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE r t%ROWTYPE;
BEGIN
  SELECT * INTO r FROM t WHERE id = p;
  IF FOUND THEN INSERT INTO t VALUES (r.id + 10, r.v, r.n); END IF;
END $$;
CREATE FUNCTION changed(p int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE t SET n = n + 1 WHERE id = p;
END $$;
CREATE FUNCTION compared(p int) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE r t%ROWTYPE;
BEGIN
  SELECT * INTO r FROM t WHERE id = p;
  RETURN ROW(r.*) = ROW(1, 'a', 7);
END $$;
CREATE FUNCTION some_values(p int) RETURNS SETOF int LANGUAGE plpgsql AS $$
DECLARE r t%ROWTYPE;
BEGIN
  SELECT * INTO r FROM t WHERE id = p;
  RETURN QUERY SELECT column1 + column3 FROM (VALUES (r.*), (5, 'x', 6)) x;
END $$;
-- rows
INSERT INTO t VALUES (1, 'a', 7), (2, NULL, 8);
-- calls
SELECT * FROM copied(1);
SELECT * FROM copied(2);
SELECT * FROM copied(3);
SELECT * FROM field_by_field(2);
SELECT * FROM changed(1);
SELECT * FROM compared(1);
SELECT * FROM compared(2);
SELECT * FROM some_values(1);
