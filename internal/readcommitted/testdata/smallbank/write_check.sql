CREATE FUNCTION write_check(n text, v int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE c int; s int; k int;
BEGIN
  SELECT custid INTO STRICT c FROM account WHERE name = n;
  SELECT bal INTO STRICT s FROM savings WHERE custid = c;
  SELECT bal INTO STRICT k FROM checking WHERE custid = c;
  IF s + k < v THEN
    UPDATE checking SET bal = bal - v - 1 WHERE custid = c;
  ELSE
    UPDATE checking SET bal = bal - v WHERE custid = c;
  END IF;
END $$;
