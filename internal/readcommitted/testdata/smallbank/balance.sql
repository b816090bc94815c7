CREATE FUNCTION balance(n text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE c int; s int; k int;
BEGIN
  SELECT custid INTO STRICT c FROM account WHERE name = n;
  SELECT bal INTO STRICT s FROM savings WHERE custid = c;
  SELECT bal INTO STRICT k FROM checking WHERE custid = c;
  RETURN s + k;
END $$;
