CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE log (id bigserial PRIMARY KEY, account int NOT NULL REFERENCES accounts, amount int NOT NULL);
-- FIXED
CREATE FUNCTION pay(a int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x int; y int;
BEGIN
  SELECT balance INTO y FROM accounts WHERE id = a FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no account'; END IF;
  SELECT balance INTO x FROM accounts WHERE id = a;
  UPDATE accounts SET balance = x + 1 WHERE id = a;
END $$;
-- BROKEN
CREATE FUNCTION pay(a int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x int; y int;
BEGIN
  SELECT balance INTO x FROM accounts WHERE id = a;
  SELECT balance INTO y FROM accounts WHERE id = a FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no account'; END IF;
  UPDATE accounts SET balance = x + 1 WHERE id = a;
END $$;
