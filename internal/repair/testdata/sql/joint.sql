-- Two accounts may be overdrawn together only as far as both cover it.
-- isolation: si
-- want: for-update withdraw
CREATE TABLE account (owner int NOT NULL, kind int NOT NULL, balance int NOT NULL, PRIMARY KEY (owner, kind));
INSERT INTO account VALUES (1, 1, 5), (1, 2, 5), (2, 1, 3), (2, 2, 0);
CREATE FUNCTION withdraw(o int, k int, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE s int;
BEGIN
  SELECT sum(balance) INTO s FROM account WHERE owner = o;
  IF s >= n THEN UPDATE account SET balance = balance - n WHERE owner = o AND kind = k; END IF;
END $$;
