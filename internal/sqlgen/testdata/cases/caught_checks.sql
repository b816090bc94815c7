-- An UPDATE whose row breaks a constraint, in a block that handles the error: nothing of the statement stays.
CREATE TABLE wallet (id int PRIMARY KEY, owner int, balance int NOT NULL CHECK (balance >= 0), CHECK (balance <= 10 * id));
CREATE FUNCTION pay(p int, n int) RETURNS text LANGUAGE plpgsql AS $$ DECLARE r text := 'ok'; BEGIN
  BEGIN
    UPDATE wallet SET balance = balance - n WHERE id = p;
    IF NOT FOUND THEN r := 'none'; END IF;
  EXCEPTION WHEN check_violation THEN r := 'failed'; END;
  UPDATE wallet SET owner = coalesce(owner, 0) + 1 WHERE id = p;
  RETURN r;
END $$;
CREATE FUNCTION pay_all(o int, n int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  UPDATE wallet SET balance = balance - coalesce(n, 1) WHERE owner = o;
  RETURN 'ok';
EXCEPTION WHEN check_violation THEN RETURN 'failed'; END $$;
CREATE FUNCTION clear(p int, n int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  UPDATE wallet SET balance = n WHERE id = p;
  RETURN 'ok';
EXCEPTION WHEN not_null_violation THEN RETURN 'null'; WHEN check_violation THEN RETURN 'failed'; END $$;
CREATE FUNCTION halve() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.n := NEW.n / 2; RETURN NEW; END $$;
CREATE TABLE stock (id int PRIMARY KEY, n int CHECK (n < 5));
CREATE TRIGGER t BEFORE UPDATE ON stock FOR EACH ROW EXECUTE FUNCTION halve();
CREATE FUNCTION restock(p int, m int) RETURNS text LANGUAGE plpgsql AS $$ BEGIN
  UPDATE stock SET n = m WHERE id = p;
  RETURN 'ok';
EXCEPTION WHEN check_violation THEN RETURN 'failed'; END $$;
-- rows
INSERT INTO wallet VALUES (1, 7, 5), (2, 7, 20), (3, 8, 0);
INSERT INTO stock VALUES (1, 1), (2, NULL);
-- calls
SELECT * FROM pay(1, 5);
SELECT * FROM pay(1, 6);
SELECT * FROM pay(1, -6);
SELECT * FROM pay(9, 6);
SELECT * FROM pay_all(7, 5);
SELECT * FROM pay_all(7, 6);
SELECT * FROM pay_all(8, 0);
SELECT * FROM clear(1, NULL);
SELECT * FROM clear(1, -1);
SELECT * FROM clear(1, 3);
SELECT * FROM clear(9, NULL);
SELECT * FROM restock(1, 9);
SELECT * FROM restock(1, 10);
SELECT * FROM restock(2, NULL);
