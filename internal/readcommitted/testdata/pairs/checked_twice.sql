CREATE TABLE items (id int PRIMARY KEY, stock int NOT NULL);
CREATE TABLE sales (id bigserial PRIMARY KEY, item int NOT NULL, qty int NOT NULL);
CREATE FUNCTION restock(i int, q int) RETURNS void LANGUAGE sql AS $$ UPDATE items SET stock = stock + q WHERE id = i $$;
-- FIXED
CREATE FUNCTION sell(i int, q int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE s int;
BEGIN
  SELECT stock INTO s FROM items WHERE id = i;
  IF s < q THEN RAISE EXCEPTION 'only % left', s; END IF;
  UPDATE items SET stock = stock - q WHERE id = i AND stock >= q;
  IF NOT FOUND THEN RAISE EXCEPTION 'somebody was faster'; END IF;
  INSERT INTO sales (item, qty) VALUES (i, q);
END $$;
-- BROKEN
CREATE FUNCTION sell(i int, q int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE s int;
BEGIN
  SELECT stock INTO s FROM items WHERE id = i;
  IF s < q THEN RAISE EXCEPTION 'only % left', s; END IF;
  UPDATE items SET stock = stock - q WHERE id = i;
  IF NOT FOUND THEN RAISE EXCEPTION 'no such item'; END IF;
  INSERT INTO sales (item, qty) VALUES (i, q);
END $$;
