CREATE TABLE acc (cust int NOT NULL, kind text NOT NULL, bal int NOT NULL, PRIMARY KEY (cust, kind));
CREATE FUNCTION deposit(c int, k text, amt int) RETURNS void LANGUAGE sql AS $$ UPDATE acc SET bal = bal + amt WHERE cust = c AND kind = k $$;
-- FIXED
CREATE FUNCTION withdraw(c int, k text, amt int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE t bigint;
BEGIN
  PERFORM 1 FROM acc WHERE cust = c ORDER BY kind FOR UPDATE;
  SELECT sum(bal) INTO t FROM acc WHERE cust = c;
  IF t < amt THEN RAISE EXCEPTION 'insufficient funds'; END IF;
  UPDATE acc SET bal = bal - amt WHERE cust = c AND kind = k;
END $$;
-- BROKEN
CREATE FUNCTION withdraw(c int, k text, amt int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE t bigint;
BEGIN
  PERFORM 1 FROM acc WHERE cust = c ORDER BY kind;
  SELECT sum(bal) INTO t FROM acc WHERE cust = c;
  IF t < amt THEN RAISE EXCEPTION 'insufficient funds'; END IF;
  UPDATE acc SET bal = bal - amt WHERE cust = c AND kind = k;
END $$;
