-- Money goes from one account to another one, in one currency.
-- isolation: rc
-- want: for-update pay
CREATE TABLE wallet (id int PRIMARY KEY, coins int NOT NULL);
INSERT INTO wallet VALUES (1, 10), (2, 4), (3, 0);
CREATE FUNCTION pay(a int, b int, n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE c int;
BEGIN
  SELECT coins INTO c FROM wallet WHERE id = a;
  IF c < n OR n <= 0 OR a = b THEN RETURN; END IF;
  UPDATE wallet SET coins = c - n WHERE id = a;
  UPDATE wallet SET coins = coins + n WHERE id = b;
END $$;
