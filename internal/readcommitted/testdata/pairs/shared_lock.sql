CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE log (id bigserial PRIMARY KEY, account int NOT NULL REFERENCES accounts, amount int NOT NULL);
CREATE FUNCTION pay(a int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET balance = balance + 1 WHERE id = a;
END $$;
-- FIXED
CREATE FUNCTION report(a int, b int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE x int; y int;
BEGIN
  SELECT balance INTO x FROM accounts WHERE id = a FOR SHARE;
  SELECT balance INTO y FROM accounts WHERE id = b FOR SHARE;
  RETURN x + y;
END $$;
-- BROKEN
CREATE FUNCTION report(a int, b int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE x int; y int;
BEGIN
  SELECT balance INTO x FROM accounts WHERE id = a;
  SELECT balance INTO y FROM accounts WHERE id = b;
  RETURN x + y;
END $$;
