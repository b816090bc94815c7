CREATE FUNCTION amalgamate(n1 text, n2 text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE c1 int; c2 int; s int; k int;
BEGIN
  SELECT custid INTO STRICT c1 FROM account WHERE name = n1;
  SELECT custid INTO STRICT c2 FROM account WHERE name = n2;
  SELECT bal INTO STRICT s FROM savings WHERE custid = c1 FOR UPDATE;
  UPDATE savings SET bal = 0 WHERE custid = c1;
  SELECT bal INTO STRICT k FROM checking WHERE custid = c1 FOR UPDATE;
  UPDATE checking SET bal = 0 WHERE custid = c1;
  UPDATE checking SET bal = bal + s + k WHERE custid = c2;
END $$;
