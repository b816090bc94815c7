CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL);
CREATE TABLE log (id bigserial PRIMARY KEY, account int NOT NULL REFERENCES accounts, amount int NOT NULL);
CREATE FUNCTION open_account(a int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO accounts VALUES (a, 0);
END $$;
-- FIXED
CREATE FUNCTION take(a int, n int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  UPDATE accounts SET balance = balance - n WHERE id = a AND balance >= n;
  IF NOT FOUND THEN RAISE EXCEPTION 'too little'; END IF;
  INSERT INTO log (account, amount) VALUES (a, n);
END $$;
-- BROKEN
CREATE FUNCTION take(a int, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE x int;
BEGIN
  SELECT balance INTO x FROM accounts WHERE id = a;
  IF x >= n THEN
    UPDATE accounts SET balance = x - n WHERE id = a;
    INSERT INTO log (account, amount) VALUES (a, n);
  END IF;
END $$;
