-- LOCK TABLE in a block that is not modelled.
CREATE TABLE t (b int);
CREATE FUNCTION handled() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  BEGIN
    LOCK TABLE t IN EXCLUSIVE MODE;
  EXCEPTION WHEN OTHERS THEN NULL;
  END;
END $$;
CREATE FUNCTION plain() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  LOCK TABLE t IN EXCLUSIVE MODE;
  UPDATE t SET b = b + 1;
END $$;
-- rows
INSERT INTO t VALUES (1);
-- calls
SELECT * FROM handled(); -- unmodelled
SELECT * FROM plain();
