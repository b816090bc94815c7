-- An order is for a customer who is there.
-- isolation: si
-- want: foreign-key a
CREATE TABLE customer (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE purchase (id serial PRIMARY KEY, customer int NOT NULL, n int NOT NULL);
INSERT INTO customer VALUES (1, 'a'), (2, 'b'), (3, 'c');
CREATE FUNCTION buy(c int, k int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM customer WHERE id = c) THEN INSERT INTO purchase (customer, n) VALUES (c, k); END IF;
END $$;
CREATE FUNCTION forget(c int) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM purchase WHERE customer = c) THEN DELETE FROM customer WHERE id = c; END IF;
END $$;
