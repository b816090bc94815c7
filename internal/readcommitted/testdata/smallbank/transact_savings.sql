CREATE FUNCTION transact_savings(n text, v int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE c int; b int;
BEGIN
  SELECT custid INTO STRICT c FROM account WHERE name = n;
  UPDATE savings SET bal = bal + v WHERE custid = c RETURNING bal INTO b;
  IF b < 0 THEN RAISE EXCEPTION 'overdraft'; END IF;
END $$;
