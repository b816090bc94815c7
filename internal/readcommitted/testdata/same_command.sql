-- A lock that the command takes which also reads does not guard the read: that looks at what
-- was there when the command began, before it waited.
CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL);
CREATE FUNCTION inc() RETURNS void LANGUAGE plpgsql AS $$
DECLARE v int;
BEGIN
  v := (SELECT id FROM t WHERE id = 1 FOR UPDATE) + (SELECT n FROM t WHERE id = 1);
  IF v IS NULL THEN RAISE EXCEPTION 'there is no row'; END IF;
  UPDATE t SET n = v WHERE id = 1;
END $$;
