CREATE FUNCTION deposit_checking(n text, v int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE c int;
BEGIN
  SELECT custid INTO STRICT c FROM account WHERE name = n;
  UPDATE checking SET bal = bal + v WHERE custid = c;
END $$;
