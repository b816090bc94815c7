CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE log (id bigserial PRIMARY KEY, account int NOT NULL REFERENCES accounts, amount int NOT NULL);
CREATE FUNCTION open_account(a int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO accounts VALUES (a, 0);
END $$;
-- FIXED
CREATE FUNCTION transfer(a int, b int, amount int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x int; y int;
BEGIN
  SELECT balance INTO x FROM accounts WHERE id = least(a, b) FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no account'; END IF;
  SELECT balance INTO y FROM accounts WHERE id = greatest(a, b) FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no account'; END IF;
  UPDATE accounts SET balance = x - amount WHERE id = least(a, b);
  UPDATE accounts SET balance = y + amount WHERE id = greatest(a, b);
  INSERT INTO log (account, amount) VALUES (a, amount);
END $$;
-- BROKEN
CREATE FUNCTION transfer(a int, b int, amount int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x int; y int;
BEGIN
  SELECT balance INTO x FROM accounts WHERE id = least(a, b) FOR UPDATE;
  IF NOT FOUND THEN RAISE EXCEPTION 'no account'; END IF;
  SELECT balance INTO y FROM accounts WHERE id = greatest(a, b);
  IF NOT FOUND THEN RAISE EXCEPTION 'no account'; END IF;
  UPDATE accounts SET balance = x - amount WHERE id = least(a, b);
  UPDATE accounts SET balance = y + amount WHERE id = greatest(a, b);
  INSERT INTO log (account, amount) VALUES (a, amount);
END $$;
